"""Solutions in NetCDF files, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.results.inputs import fingerprint, from_json
from isodyn.results.recorded import Recorded
from isodyn.results.solution import Solution, Statistics
from isodyn.results.tables import STATES, save_csv, to_dataset, xarray_of


def save(sol: Solution, path: str | Path) -> Path:
    """Write a solution: NetCDF, or CSV by the ending .csv."""
    path = Path(path)
    if path.suffix == ".csv":
        return save_csv(sol, path)
    require_netcdf()
    dataset = to_dataset(sol)
    beside = path.with_name(f".{path.name}.part")
    dataset.to_netcdf(beside, engine="h5netcdf")
    beside.replace(path)
    return path


def load(path: str | Path, system: Any = None) -> Solution:
    """A solution from a NetCDF file that `Solution.save` wrote.

    The system is the given one, which is checked, or that of the model file of the run; without either the numbers and names are there, but
    not energy, drift and reactions.
    """
    xr = xarray_of()
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    try:
        with xr.open_dataset(path, engine="h5netcdf") as opened:
            dataset = opened.load()
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as NetCDF: {error}") from None
    if "isodyn_system" not in dataset.attrs:
        raise InputError(f"{path} was not written by isodyn")
    described = json.loads(dataset.attrs["isodyn_system"])
    model = json.loads(dataset.attrs["isodyn_model"]) if "isodyn_model" in dataset.attrs else None
    t, q, v, a, lam = (np.array(dataset[name].values, dtype=np.float64) for name in ("time", *STATES))
    if system is not None and fingerprint(system) != described["fingerprint"]:
        raise InputError(f"{path} belongs to another system: names, start or forces differ")
    if system is None and model is not None:
        from isodyn.models.build import model_from_text

        system = model_from_text(model["text"], model["name"], model["parameters"]).system()
    if system is None:
        kept: dict[str, Any] = {
            key: tuple(x) if isinstance(x, list) else x for key, x in described.items() if key != "fingerprint"
        }
        system = Recorded(**kept, q0=np.zeros(described["nq"]), v0=np.zeros(described["nv"]))
    columns = {name: np.array(x, dtype=np.int64) for name, x in json.loads(dataset.attrs["isodyn_columns"]).items()}
    aux = {name.removeprefix("aux_"): np.array(x.values) for name, x in dataset.items() if str(name).startswith("aux_")}
    stats = Statistics(**json.loads(dataset.attrs["statistics"]))
    scheme = from_json(json.loads(dataset.attrs["isodyn_scheme"]))
    redundant = tuple(json.loads(dataset.attrs["isodyn_redundant"]))
    return Solution(t, q, v, a, lam, system, scheme, stats, columns, aux, redundant, model)


def require_netcdf() -> None:
    """InputError where the packages for NetCDF are not there."""
    xarray_of()
    try:
        import h5netcdf  # noqa: F401
        import h5py  # noqa: F401
    except ImportError:
        raise InputError(
            "NetCDF files need h5netcdf and h5py", hint="pip install 'isodyn[results]', or save as .csv"
        ) from None
