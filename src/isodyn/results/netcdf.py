"""Solutions in NetCDF files, and back.

The file is made in memory and written whole (isodyn.results.files), so that a full disk is an error
like others. Behind its last byte stands a seal (isodyn.results.seals), where readers of NetCDF do
not look.

HDF5 takes "/" for folders and ends texts at the byte 0. Names of variables that cannot stand in a
file are changed, and keep their own as the attribute `isodyn_name`; the names of coordinates stand
in `isodyn_system` as they are.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import DamageError, InputError, IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.later import load as load_modules
from isodyn.memory import require_memory
from isodyn.results.ensemble import Ensemble, with_start
from isodyn.results.ensemble_tables import write_csv
from isodyn.results.event_log import as_arrays, by_event, from_arrays
from isodyn.results.files import is_file, write_file
from isodyn.results.inputs import fingerprint, from_json
from isodyn.results.inputs_in_run import as_in_run
from isodyn.results.netcdf_image import image
from isodyn.results.recorded import Recorded
from isodyn.results.seals import check_seal, sealed
from isodyn.results.solution import Solution
from isodyn.results.statistics import Statistics
from isodyn.results.stored_models import system_of_model
from isodyn.results.tables import looked_at_once, parquet_bytes, save_csv, save_parquet, to_dataset, xarray_of
from isodyn.results.units import STATES
from isodyn.systems import as_system, is_system

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xarray import Dataset

    from isodyn.results.events import Happened
    from isodyn.systems.base import System
    from isodyn.systems.description import Description

h5netcdf, h5py = Later("h5netcdf"), Later("h5py")

UNCHECKED = "isodyn.load(path, unchecked=True) reads what can be read, without being sure of its numbers"
COPIES = 3  # of the numbers that are in memory while a file is made
DAMAGED = (OSError, ValueError, KeyError, RuntimeError, TypeError, AttributeError, IndexError, RecursionError, EOFError)


def ending(path: Path) -> str:
    """That of a name, in small letters; InputError for one that promises another format."""
    found = path.suffix.lower()
    if found not in ("", ".nc", ".nc4", ".cdf", ".netcdf", ".h5", ".csv", ".parquet"):
        raise InputError(
            f"cannot save as {path.name!r}: the ending tells the format",
            hint=f"{path.stem}.nc (NetCDF, which iso.load reads), {path.stem}.csv or {path.stem}.parquet",
        )
    return found


def save(sol: Solution, path: str | Path) -> Path:
    """Write a solution: NetCDF; CSV or Parquet by the endings .csv and .parquet."""
    path = Path(path)
    match ending(path):
        case ".csv":
            return save_csv(sol, path)
        case ".parquet":
            return save_parquet(sol, path)
    require_netcdf()
    with looked_at_once(sol):
        dataset = to_dataset(sol)
    return write_dataset(dataset, path)


def save_ensemble(ens: Ensemble, path: str | Path) -> Path:
    """Write an ensemble: NetCDF; its table as CSV or Parquet by the endings .csv and .parquet."""
    path = Path(path)
    match ending(path):
        case ".csv":
            return write_csv(ens.table(), path)
        case ".parquet":
            return write_file(path, parquet_bytes(ens.to_dataframe()))
    require_netcdf()
    return write_dataset(ens.to_xarray(), path)


def write_dataset(dataset: Dataset, path: Path) -> Path:
    """Write a dataset as a sealed NetCDF file."""
    require_memory(COPIES * dataset.nbytes, f"{path.name}: a NetCDF file", hint="keep fewer rows by save_every=")
    return write_file(path, sealed(image(_storable(dataset))))


def load(path: str | Path, system: System | Description | None = None, *, unchecked: bool = False) -> Solution:
    """Read a solution from a NetCDF file that `Solution.save` wrote.

    Without a system the numbers and names are there, but not energy, drift and reactions.

    Parameters
    ----------
    path
        The file.
    system
        The system of the run, which is checked. If it is left out, it comes from the model file of
        the run, if there was one.
    unchecked
        Read files without a right checksum too, such as those that another program has rewritten.

    Returns
    -------
    sol
        The solution.

    Raises
    ------
    DamageError
        If the file is damaged.
    InputError
        If there is no such file, or it does not belong to the system.

    Examples
    --------
    >>> import isodyn as iso, tempfile
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = iso.integrate(pendulum, dt=0.01, t_end=0.1).save(f"{folder}/run.nc")
    ...     sol = iso.load(path, pendulum)
    >>> sol.q.shape
    (11, 2)
    """
    xr = xarray_of()
    require_netcdf()
    path, system = Path(path), as_system(system)
    if not (system is None or is_system(system)):
        raise InputError(f"load takes the system of the run, received {type(system).__name__}")
    if not is_file(path):
        raise InputError(f"{path} is a folder, not a file" if os.path.isdir(path) else f"there is no file {path}")
    if path.suffix.lower() in (".csv", ".parquet"):
        raise InputError(f"{path} is a table, and iso.load reads NetCDF", hint="sol.save('run.nc') keeps a run whole")
    try:
        _refuse_sweep(path)
        if not unchecked:
            check_seal(path, UNCHECKED)
        with xr.open_dataset(path, engine="h5netcdf") as opened:
            dataset = opened.load()
    except IsodynError:
        raise
    except DAMAGED as error:
        raise DamageError(f"{path} cannot be read as NetCDF: {error}") from None
    if "isodyn_system" not in dataset.attrs:
        raise _no_solution(dataset, path)
    try:
        return _solution(dataset, system, path)
    except IsodynError:
        raise
    except DAMAGED as error:
        raise DamageError(f"{path} does not hold a solution: {type(error).__name__}: {error}") from None


def _refuse_sweep(path: Path) -> None:
    """InputError for the file of a sweep, whose format is another one."""
    with path.open("rb") as file:
        head = file.read(1 << 16)
    if head[:3] == b"CDF" and b"isodyn_sweep" in head:
        raise InputError(f"{path} holds a sweep, not a single run", hint="iso.sweeps.load reads it")


def _no_solution(dataset: Dataset, path: Path) -> InputError:
    """The error for a file that holds something else."""
    if str(dataset.attrs.get("source", "")).startswith("isodyn "):
        return InputError(f"{path} holds an ensemble, not a single run", hint="xarray.open_dataset reads it")
    return InputError(f"{path} was not written by isodyn")


def _solution(dataset: Dataset, system: Any, path: Path) -> Solution:
    described = json.loads(dataset.attrs["isodyn_system"])
    model = json.loads(dataset.attrs["isodyn_model"]) if "isodyn_model" in dataset.attrs else None
    t, q, v, a, lam = (np.array(dataset[name].values, dtype=np.float64) for name in ("time", *STATES))
    held = json.loads(dataset.attrs.get("isodyn_inputs", "null"))
    system = as_in_run(system, held)
    if system is not None and fingerprint(system) != described["fingerprint"]:
        raise InputError(
            f"{path} belongs to another system: names, start or forces differ",
            hint=None if model is None else "leave system= out: the file has its own",
        )
    missing = str(dataset.attrs.get("isodyn_missing", ""))
    if system is None and model is not None:
        system, missing = _built(model, t, q, v)
        system = as_in_run(system, held)
    if system is None:
        kept: dict[str, Any] = {
            key: tuple(x) if isinstance(x, list) else x for key, x in described.items() if key != "fingerprint"
        }
        start = np.zeros(described["nq"]), np.zeros(described["nv"])
        system = Recorded(**kept, q0=start[0], v0=start[1], missing=missing)
    columns = {name: np.array(x, dtype=np.int64) for name, x in json.loads(dataset.attrs["isodyn_columns"]).items()}
    for name, values in (("q", q), ("v", v), ("a", a), ("lam", lam)):
        if values.shape != (t.size, columns[name].size):
            raise DamageError(f"{path}: {name} has the shape {values.shape}, {(t.size, columns[name].size)} is needed")
    aux: dict[str, Any] = {
        str(name).removeprefix("aux_"): np.array(x.values)
        for name, x in dataset.items()
        if str(name).startswith("aux_")
    }
    stats = Statistics(**json.loads(dataset.attrs["statistics"]))
    scheme = from_json(json.loads(dataset.attrs["isodyn_scheme"]))
    redundant = tuple(json.loads(dataset.attrs["isodyn_redundant"]))
    events = _events(dataset, system)
    if "isodyn_watched" in dataset.attrs:
        aux |= by_event(events, int(dataset.attrs["isodyn_watched"]), system)
    return Solution(t, q, v, a, lam, system, scheme, stats, columns, aux, redundant, model, events)


def _events(dataset: Dataset, system: System) -> list[Happened]:
    """What happened in the run."""
    names = {int(index): name for index, name in json.loads(dataset.attrs.get("isodyn_events", "{}")).items()}
    if not names:
        return []
    found = as_arrays([], system)  # of sizes that are zero there is nothing in the file
    many = dataset.sizes["event"]
    for name, none in found.items():
        found[name] = dataset[name].values if name in dataset else np.zeros((many, *none.shape[1:]))
    return from_arrays(found, names)


def _built(model: dict[str, Any], t: FloatArray, q: FloatArray, v: FloatArray) -> tuple[Any, str]:
    """The system of a model that was kept with a result. A mechanism that was built in Python
    starts where the run did; where it cannot be built here, why."""
    if "coordinates" not in model:
        return system_of_model(model), ""
    try:
        system = system_of_model(model)
    except (ImportError, IsodynError) as error:
        return None, str(error)
    if t.size and (q.shape[1], v.shape[1]) == (system.nq, system.nv):
        system = with_start(system, q[0], v[0])
    return system, ""


# ---- what a file can hold


def _storable(dataset: Dataset) -> Dataset:
    """The same with names and texts that HDF5 can hold."""
    taken = set(map(str, dataset.variables)) | {str(dim) for dim in dataset.dims}
    renamed: dict[str, str] = {}
    for name in map(str, dataset.variables):
        other = stored_name(name)
        if other != name:
            while other in taken:
                other += "_"
            taken.add(other)
            renamed[name] = other
    found = dataset.copy()
    for name in renamed:
        found[name].attrs["isodyn_name"] = json.dumps(name)
    found = found.rename(renamed)
    found.attrs = _stored_texts(found.attrs)
    for variable in found.variables.values():
        variable.attrs = _stored_texts(variable.attrs)
    for label, values in found.coords.items():
        if values.dtype == object:
            texts = np.array([stored_text(str(x)) for x in values.values], dtype=str)
            found[label] = (values.dims, texts, values.attrs)
    return found


def _stored_texts(attributes: Mapping[Any, Any]) -> dict[Any, Any]:
    """Attributes with texts that HDF5 can hold."""
    return {key: stored_text(x) if isinstance(x, str) else x for key, x in attributes.items()}


def stored_name(name: str) -> str:
    """A name that NetCDF takes: without /, without control characters, not empty, without blanks at
    the end.

    >>> stored_name("left/right.force"), stored_name("rod.position")
    ('left%2Fright.force', 'rod.position')
    """
    text = "".join(
        x
        if x.isprintable() and x not in "/%"
        else "".join(f"%{byte:02X}" for byte in x.encode("utf-8", "surrogatepass"))
        for x in name
    )
    if text.endswith(" "):
        text = text[:-1] + "%20"
    return f"_{text}" if not text or not (text[0].isalnum() or text[0] == "_") else text


def stored_text(text: str) -> str:
    """A text that HDF5 takes: what it would cut off or refuse stands as an escape.

    >>> stored_text("a\\x00b"), stored_text("é")
    ('a\\\\x00b', 'é')
    """
    return text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")


def require_netcdf() -> None:
    """InputError where the packages for NetCDF are not there."""
    xarray_of()
    try:
        load_modules(h5netcdf, h5py)
    except ImportError:
        raise InputError(
            "NetCDF files need h5netcdf and h5py", hint="pip install 'isodyn[results]', or save as .csv"
        ) from None
