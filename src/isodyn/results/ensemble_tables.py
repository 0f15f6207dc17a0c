"""Tables of ensembles: one line for each member, or one for each member and saved time."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError, MemberError
from isodyn.real_numbers import real_number
from isodyn.results.ensemble import STACKED
from isodyn.results.files import write_file
from isodyn.results.tables import xarray_of
from isodyn.version import __version__

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset

    from isodyn.kernels.compiled import FloatArray
    from isodyn.results.ensemble import Ensemble, Outputs


def table_of(ens: Ensemble, outputs: Outputs | None, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays of equal length by the names of columns."""
    count = len(ens)
    given = {name: _column(name, values, count) for name, values in columns.items()}
    if outputs is None:
        return _histories(ens, given)
    if not isinstance(outputs, Mapping):
        raise InputError(
            f"outputs must be functions by name, received {type(outputs).__name__}",
            hint='{"largest angle": lambda sol: sol.joint("pin").angle.max()}',
        )
    found: dict[str, Any] = {"member": np.arange(count), **given}
    ok = np.asarray(ens.ok, dtype=bool)
    for name, output in outputs.items():
        if name in found or name == "ok":
            raise InputError(f"two columns are called {name!r}")
        if not callable(output):
            raise InputError(f"output {name!r} must be a function of a solution, received {output!r}")
        found[name] = np.array([_number(name, i, output(ens[i])) if ok[i] else np.nan for i in range(count)])
    return {**found, "ok": ok}


def _number(name: str, member: int, value: Any) -> float:
    if np.ndim(value) != 0:
        raise InputError(
            f"output {name!r} of member {member} must be one number, received shape {np.shape(value)}",
            hint="such as its largest value, or the last: .max(), [-1]",
        )
    number = float(value)
    return number if np.isnan(number) else real_number(f"output {name!r} of member {member}", number)


def _column(name: str, values: ArrayLike, count: int) -> FloatArray:
    array = np.asarray(values)
    if array.shape != (count,):
        raise InputError(f"column {name!r} must have {count} values, one for each member, received shape {array.shape}")
    return array


def _histories(ens: Ensemble, given: Mapping[str, Any]) -> dict[str, Any]:
    """All states of all members, member after member."""
    rows, system = ens.t.shape[-1], ens.systems[0]
    found: dict[str, Any] = {"member": np.repeat(np.arange(len(ens)), rows)}
    found |= {name: np.repeat(values, rows) for name, values in given.items()}
    found["t"] = np.broadcast_to(ens.t, (len(ens), rows)).ravel()
    names = {"q": system.names, "v": system.v_names, "a": system.v_names, "lam": system.row_names}
    for symbol in STACKED:
        values = getattr(ens, symbol)
        for k in range(values.shape[2]):
            found[f"{symbol}({names[symbol][int(ens.columns[symbol][k])]})"] = values[:, :, k].ravel()
    found["ok"] = np.repeat(np.asarray(ens.ok, dtype=bool), rows)
    if ens.t.ndim == 1:
        return found
    there = np.isfinite(found["t"])  # not behind the end of a member with times of its own
    return {name: column[there] for name, column in found.items()}


def dataset(ens: Ensemble) -> Dataset:
    """The `xarray.Dataset` of an ensemble."""
    xr, system = xarray_of(), ens.systems[0]
    names = {"q": system.names, "v": system.v_names, "a": system.v_names, "lam": system.row_names}
    dims = {"q": "coordinate", "v": "velocity", "a": "acceleration", "lam": "row"}
    along = "time" if ens.t.ndim == 1 else "step"
    coords: dict[str, Any] = {"member": np.arange(len(ens))}
    variables: dict[str, Any] = {}
    if ens.t.ndim == 1:
        coords["time"] = ens.t
    else:
        variables["t"] = (("member", "step"), ens.t)
    for symbol, dim in dims.items():
        values = getattr(ens, symbol)
        chosen = [names[symbol][int(k)] for k in ens.columns.get(symbol, range(values.shape[2]))]
        variables[symbol] = (("member", along, dim), values)
        coords[dim] = np.array(chosen, dtype=object) if chosen else np.zeros(0, dtype="U1")
    variables["ok"] = ("member", np.asarray(ens.ok, dtype=bool))
    said = [_told(ens.errors[i]) if i in ens.errors else "" for i in range(len(ens))]
    variables["error"] = ("member", np.array(said, dtype=object))
    variables |= {f"count_{name}": ("member", np.asarray(x)) for name, x in ens.counts.items()}
    attributes = {"source": f"isodyn {__version__}", "scheme": str(ens.scheme), "stopped": ens.stopped or ""}
    return xr.Dataset(variables, coords, attributes)


def _told(error: Exception) -> str:
    """The type of an error and what it says."""
    return str(error) if isinstance(error, MemberError) else f"{type(error).__name__}: {error}"


def write_csv(table: Mapping[str, Any], path: Path) -> Path:
    """One line for each row of a table, behind the names of its columns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))
    path = Path(path)
    write_file(path, text.getvalue().encode("utf-8", "backslashreplace"))
    return path


def dataframe(table: Mapping[str, Any]) -> DataFrame:
    """A DataFrame of pandas."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise InputError("a DataFrame needs pandas", hint="pip install pandas, or take .table() or .to_csv()") from None
    return pandas.DataFrame(dict(table))
