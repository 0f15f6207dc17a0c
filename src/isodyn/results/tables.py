"""Solutions as tables, `xarray.Dataset` and CSV, with names and units.

States stand in q, v, a, lam over named coordinates, each with its unit; of a mechanism also what
its parts did: "rod.position", "rod.velocity", "pin.angle", "pin.force", … . SI units where the
system is a mechanism, none where nothing is known about them.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later, load
from isodyn.memory import processors
from isodyn.results.decimals import LONGEST, as_lines, room_for
from isodyn.results.event_log import as_arrays
from isodyn.results.files import replacing, write_file
from isodyn.results.inputs import fingerprint, to_json
from isodyn.results.inputs_in_run import held_inputs
from isodyn.results.quantities import WXYZ, XYZ, Catalogue, Of
from isodyn.results.recorded import Recorded
from isodyn.results.solution import Solution
from isodyn.results.stored_models import model_of_system
from isodyn.results.units import STATES, is_mechanism, is_parametrised, labels, units
from isodyn.version import __version__

if TYPE_CHECKING:
    import numpy.typing as npt
    from pandas import DataFrame
    from xarray import Dataset

    from isodyn.systems.base import System

xarray = Later("xarray")
body_poses = Later("isodyn.mechanism.poses")  # other runs need no mechanisms

DIMENSIONS = {"q": "coordinate", "v": "velocity", "a": "velocity", "lam": "row"}
AXES = {XYZ: "xyz", WXYZ: "wxyz"}
CHUNK = 20_000  # numbers of a table that become text at once …
MOST_THREADS = 4  # … by so many threads at most: a file takes it no faster
FEW = 100_000  # numbers of a table for which no kernel is compiled


def to_dataset(sol: Solution) -> Dataset:
    """The `xarray.Dataset` of a solution."""
    xr = xarray_of()
    names, of = labels(sol), units(sol.system)
    mechanism = is_mechanism(sol.system)
    variables: dict[str, Any] = {}
    coords: dict[str, Any] = {
        "time": ("time", sol.t, {"units": "s", "long_name": "time"} if mechanism else {"long_name": "time"})
    }
    for name, dim in DIMENSIONS.items():
        if name == "a" and not np.array_equal(sol.columns["a"], sol.columns["v"]):
            dim = "acceleration"
        chosen = [of[name][k] for k in sol.columns[name]]
        variables[name] = (("time", dim), getattr(sol, name), {"long_name": STATES[name]})
        coords[dim] = (dim, np.array(names[name], dtype=object) if names[name] else np.zeros(0, dtype="U1"))
        coords[f"{name}_units"] = (dim, np.array(chosen, dtype=object) if chosen else np.zeros(0, dtype="U1"))
    for quantity in Catalogue(sol).all:
        if quantity.of is not Of.STATE:
            dim, names_of = AXES.get(quantity.components, f"{quantity.name}_number"), quantity.components
            attributes = {"units": quantity.unit} if quantity.unit else {}
            dims = ("time", dim) if names_of else ("time",)
            variables[quantity.name] = (dims, quantity.curve.values, attributes | {"long_name": quantity.words})
            if names_of:
                coords[dim] = (dim, np.array(names_of, dtype=object))
    for name, values in sol.aux.items():
        array = np.asarray(values) if not isinstance(values, list) else None
        if array is not None and array.dtype.kind in "fi":
            axes = [f"{name}_{k}" for k in range(array.ndim)]
            if array.ndim and array.shape[0] == sol.t.size:
                axes[0] = "time"
            variables[f"aux_{name}"] = (axes, array)
    if sol.events:
        for name, array in as_arrays(sol.events, sol.system).items():
            if array.size:
                variables[name] = (["event", "event_side", f"{name}_component"][: array.ndim], array)
    return xr.Dataset(variables, coords, _attributes(sol))


def _attributes(sol: Solution) -> dict[str, Any]:
    found = {
        "title": (sol.model or {}).get("title") or type(sol.system).__name__,
        "source": f"isodyn {__version__}",
        "scheme": str(sol.scheme),
        "statistics": json.dumps(asdict(sol.stats)),
        "isodyn_scheme": json.dumps(to_json(sol.scheme)),
        "isodyn_columns": json.dumps({name: chosen.tolist() for name, chosen in sol.columns.items()}),
        "isodyn_redundant": json.dumps(list(sol.redundant)),
        "isodyn_system": json.dumps(_described(sol.system)),
    }
    if sol.events:
        found["isodyn_events"] = json.dumps({one.index: one.name for one in sol.events})
    if "event_times" in sol.aux:
        found["isodyn_watched"] = len(sol.aux["event_times"])
    if (held := held_inputs(sol.system)) is not None:
        found["isodyn_inputs"] = json.dumps(held)
    model, missing = sol.model, ""
    if model is None and (is_mechanism(sol.system) or is_parametrised(sol.system)):
        model, missing = model_of_system(sol.system)
    if model is not None:
        found["isodyn_model"] = json.dumps(model)
    return found | ({"isodyn_missing": missing} if missing else {})


def _described(system: System) -> dict[str, Any]:
    return {
        "fingerprint": fingerprint(system) if not isinstance(system, Recorded) else "",
        "nq": system.nq,
        "nv": system.nv,
        "m": system.m,
        "m_phi": system.m_phi,
        "names": list(system.names),
        "v_names": list(system.v_names),
        "row_names": list(system.row_names),
        "first_order": bool(system.first_order),
    }


def columns(sol: Solution, names: Sequence[Any] = ()) -> tuple[list[str], list[str], list[FloatArray]]:
    """Titles, units and values of a table over time: the named quantities, or all; what bodies did
    stands in q, v and a already."""
    catalogue = Catalogue(sol)
    if names:
        curves = [catalogue.curve(name) for name in names]
    else:
        curves = [quantity.curve for quantity in catalogue.all if quantity.of is not Of.BODY]
    found = [column for curve in curves for column in curve.columns()]
    return [x[0] for x in found], [x[2] for x in found], [x[1] for x in found]


def save_csv(sol: Solution, path: str | Path) -> Path:
    """Write one line for each saved time; the header has names and units."""
    with looked_at_once(sol):
        titles, of, values = columns(sol)
    header = ["t [s]" if is_mechanism(sol.system) else "t", *map(_titled, titles, of)]
    head = io.StringIO()
    writer = csv.writer(head, lineterminator="\n")
    writer.writerow(header)
    numbers = sol.t.size * len(header)
    if numbers <= FEW:  # the writer itself writes floats as repr does
        writer.writerows(np.column_stack([sol.t, *values]).astype(np.float64).tolist())
    with replacing(path, LONGEST * numbers) as beside, beside.open("wb") as file:
        file.write(head.getvalue().encode("utf-8", "backslashreplace"))
        if numbers > FEW:
            _write_lines(file, [sol.t, *values])
    return Path(path)


class Piece(NamedTuple):
    """Memory for some rows of a table, and for their text."""

    numbers: FloatArray
    text: npt.NDArray[np.uint8]


def looked_at_once(sol: Solution) -> AbstractContextManager[None]:
    """While all quantities of a solution are collected to be written: poses are worked out once."""
    found: AbstractContextManager[None] = body_poses.shared_poses() if is_mechanism(sol.system) else nullcontext()
    return found


def _write_lines(file: BinaryIO, columns: Sequence[FloatArray]) -> None:
    """Rows of numbers as text, made by as many threads as there are processors for this process, a
    few pieces ahead of the file, each in memory that served before: pages that are new cost as
    much as the digits in them. With one processor there is one piece, which stays near to it."""
    rows, threads = 1 + CHUNK // len(columns), min(processors(), MOST_THREADS)
    pieces = 2 * threads + 1 if threads > 1 else 1
    places = [Piece(np.empty((rows, len(columns))), room_for(rows * len(columns))) for _ in range(pieces)]

    def lines(first: int, place: Piece) -> memoryview:
        numbers = place.numbers[: columns[0].size - first]
        for k, column in enumerate(columns):
            numbers[:, k] = column[first : first + rows]
        return as_lines(numbers, place.text)

    if threads == 1:
        for first in range(0, columns[0].size, rows):
            file.write(lines(first, places[0]))
        return
    with ThreadPoolExecutor(threads) as pool:
        ahead: deque[Any] = deque()
        for k, first in enumerate(range(0, columns[0].size, rows)):
            if len(ahead) == len(places):
                file.write(ahead.popleft().result())
            ahead.append(pool.submit(lines, first, places[k % len(places)]))
        for text in ahead:
            file.write(text.result())


def to_dataframe(sol: Solution, names: Sequence[Any] = ()) -> DataFrame:
    """The `pandas.DataFrame` of the named quantities, or of all."""
    try:
        import pandas
    except ImportError:
        raise InputError("data frames need pandas", hint="pip install 'isodyn[tables]'") from None
    titles, of, values = columns(sol, names)
    # by position: two columns may have one name
    frame = pandas.DataFrame(np.column_stack(values) if values else np.zeros((sol.t.size, 0)), columns=titles)
    frame.index = pandas.Index(sol.t, name="t")
    frame.attrs["units"] = dict(zip(titles, of, strict=True))
    return frame


def save_parquet(sol: Solution, path: str | Path) -> Path:
    """Write the table of all quantities as Parquet; the times are its index."""
    frame = to_dataframe(sol)
    twice = [name for name, count in Counter(frame.columns).items() if count > 1]
    if twice:
        raise InputError(f"Parquet takes every name once; {twice[0]!r} is there more than once", hint="rename parts")
    path = Path(path)
    write_file(path, parquet_bytes(frame))
    return path


def parquet_bytes(frame: DataFrame) -> bytes:
    """A DataFrame as the bytes of a Parquet file."""
    try:
        return bytes(frame.to_parquet())
    except ImportError:
        raise InputError("Parquet needs pyarrow", hint="pip install 'isodyn[tables]'") from None


def _titled(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def xarray_of() -> Later:
    try:
        load(xarray)
    except ImportError:
        raise InputError("tables need xarray", hint="pip install 'isodyn[results]'") from None
    return xarray
