"""What a sweep found: parameters and outputs of all points, tables, indices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later, load
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.files import write_file
from isodyn.results.sweep_file import DONE, FAILED, WAITING, SweepReader
from isodyn.sweeps.design import need_salib, unit_problem

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset

    from isodyn.open_types import BoolArray
    from isodyn.results.solution import Solution

xarray, pandas, netcdf = Later("xarray"), Later("pandas"), Later("isodyn.results.netcdf")
analyze_sobol, analyze_morris = Later("SALib.analyze.sobol"), Later("SALib.analyze.morris")


class Sweep(ShownInNotebooks):
    """Points of a sweep with what came out of each; `iso.sweep` returns it.

    Parameters
    ----------
    path
        The file that a sweep wrote; `isodyn.sweeps.load` takes the same.

    Examples
    --------
    >>> import isodyn as iso
    >>> found = iso.sweep("pendulum", {"theta0": [0.1, 0.2]}, ["max(kinetic_energy)"], workers=0)
    >>> found.ok.tolist(), bool(found["max(kinetic_energy)"][1] > found["max(kinetic_energy)"][0])
    ([True, True], True)
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._file = SweepReader(self.path)
        self.about: dict[str, Any] = json.loads(self._file.layout.attributes["isodyn_sweep"])
        self._keep: object = None  # what owns a file that nobody named

    def __len__(self) -> int:
        return self._file.layout.points

    def __repr__(self) -> str:
        counts = [f"{n} {word}" for word, n in self.counts.items() if n]
        return f"<Sweep of {', '.join(self.parameter_names)}: {', '.join(counts)}>"

    @property
    def title(self) -> str:
        """Title of the model."""
        return str(self.about.get("title", ""))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(v.name for v in self._file.layout.parameters)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(v.name for v in self._file.layout.outputs)

    @property
    def t(self) -> FloatArray:
        """Times of histories."""
        return self._file.layout.times

    @cached_property
    def status(self) -> IntArray:
        """0 for points that wait, 1 for those that are done, 2 for those that failed."""
        return self._file.status()

    @property
    def ok(self) -> BoolArray:
        """Which points are done."""
        return self.status == DONE

    @property
    def counts(self) -> dict[str, int]:
        """How many points are done, failed and still wait."""
        words = {"done": DONE, "failed": FAILED, "waiting": WAITING}
        return {word: int(np.sum(self.status == kind)) for word, kind in words.items()}

    @property
    def errors(self) -> dict[int, str]:
        """What went wrong, by the numbers of the points that failed."""
        return {int(k): self._file.message(int(k)) for k in np.flatnonzero(self.status == FAILED)}

    @property
    def warnings(self) -> dict[int, str]:
        """The first warning of points that are done, by their numbers."""
        told = {int(k): self._file.message(int(k)) for k in np.flatnonzero(self.status == DONE)}
        return {k: text for k, text in told.items() if text}

    @property
    def seconds(self) -> FloatArray:
        """How long each point took."""
        return self._masked(self._file.column("run_seconds"))

    def __getitem__(self, name: str) -> FloatArray:
        known = (*self.parameter_names, *self.output_names)
        if name not in known:
            raise InputError(f"this sweep has no {name!r}", hint=f"it has {', '.join(known)}")
        values = self._file.column(name)
        return values if name in self.parameter_names else self._masked(values)

    def _masked(self, values: FloatArray) -> FloatArray:
        """NaN for points that are not done, also where their record was damaged."""
        values[~self.ok] = np.nan
        return values

    def __iter__(self) -> Iterator[str]:
        return iter((*self.parameter_names, *self.output_names))

    def point(self, number: int) -> dict[str, float]:
        """Return the values of the parameters at a point.

        Parameters
        ----------
        number
            Number of the point.

        Returns
        -------
        values
            Values by name.
        """
        return {name: float(self[name][number]) for name in self.parameter_names}

    # ---- tables

    def to_xarray(self) -> Dataset:
        """Return an `xarray.Dataset` over the points.

        Returns
        -------
        dataset
            Parameters and outputs, histories over time too.

        Raises
        ------
        InputError
            If xarray is not installed.
        """
        _need(xarray, "datasets need xarray", "isodyn[results]")
        layout = self._file.layout
        variables: dict[str, Any] = {v.name: ("point", self[v.name], dict(v.attributes)) for v in layout.parameters}
        for v in layout.outputs:
            dims = ("point", "time") if v.rows else ("point",)
            variables[v.name] = (dims, self[v.name], dict(v.attributes))
        variables |= {"run_seconds": ("point", self.seconds, {"units": "s"}), "status": ("point", self.status)}
        messages = np.array([self._file.message(k) for k in range(len(self))], dtype=object)
        coords: dict[str, Any] = {"point": np.arange(len(self))}
        if self.t.size:
            coords["time"] = self.t
        attributes = {"title": self.title, "source": f"isodyn {self.about.get('version', '')}"}
        return xarray.Dataset({**variables, "message": ("point", messages)}, coords, attributes)

    def to_dataframe(self) -> DataFrame:
        """Return a `pandas.DataFrame` with a row for each point.

        Returns
        -------
        table
            Parameters, outputs that are numbers, status and message.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        _need(pandas, "data frames need pandas", "isodyn[tables]")
        names = [v.name for v in (*self._file.layout.parameters, *self._file.layout.outputs) if not v.rows]
        table: dict[str, Any] = {name: self[name] for name in names}
        table |= {"run_seconds": self.seconds, "status": self.status}
        return pandas.DataFrame(table | {"message": [self._file.message(k) for k in range(len(self))]})

    def save(self, path: Path | str) -> Path:
        """Write a table by its ending: .csv or .parquet.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        path
            The file that was written.

        Raises
        ------
        InputError
            If the ending is another one, or pandas is not installed.
        """
        path = Path(path)
        if path.suffix not in (".csv", ".parquet"):
            raise InputError(
                f"tables of sweeps are written as .csv or .parquet, received {path.name!r}",
                hint=f"{self.path.name} is NetCDF already",
            )
        table = self.to_dataframe()
        data = table.to_csv(index_label="point").encode() if path.suffix == ".csv" else table.to_parquet()
        return write_file(path, data)

    def solution(self, number: int) -> Solution:
        """Return the solution of a point, where solutions were kept.

        Parameters
        ----------
        number
            Number of the point.

        Returns
        -------
        sol
            The solution, as `iso.load` gives it.

        Raises
        ------
        InputError
            If solutions were not kept, or the point is not done.
        """
        path = solution_path(self.path, number)
        if not path.is_file():
            raise InputError(f"there is no solution of point {number}", hint="sweep(…, solutions=True) keeps them")
        return netcdf.load(path)

    # ---- indices

    def _outputs_for(self, output: str, sampling: str) -> FloatArray:
        if self.about.get("sampling") != sampling:
            raise InputError(
                f"this sweep was sampled by {self.about.get('sampling')!r}", hint=f"indices need sampling={sampling!r}"
            )
        values = self[output]
        if values.ndim > 1:
            raise InputError(f"{output} is a history", hint="take a number of it: max(…), last(…)")
        if not np.isfinite(values).all():
            bad = np.flatnonzero(~np.isfinite(values))
            raise InputError(
                f"{output} has no finite value at {bad.size} points, the first is {bad[0]}",
                hint="indices need all points: sweep(…, resume=True, retry=True) runs failed ones again",
            )
        need_salib()
        return values

    def sobol(self, output: str) -> dict[str, dict[str, float]]:
        """Return Sobol's indices: shares of the variance that parameters explain.

        Parameters
        ----------
        output
            Name of an output.

        Returns
        -------
        indices
            For each parameter `first` (alone), `total` (with others), and half-widths of their 95 %
            intervals.

        Raises
        ------
        InputError
            If the sweep was not sampled by "saltelli", points failed, or SALib is not installed.
        """
        values = self._outputs_for(output, "saltelli")
        found = analyze_sobol.analyze(unit_problem(len(self.parameter_names)), values, seed=0)
        keys = {"first": "S1", "total": "ST", "first_width": "S1_conf", "total_width": "ST_conf"}
        return {
            name: {word: float(found[key][k]) for word, key in keys.items()}
            for k, name in enumerate(self.parameter_names)
        }

    def morris(self, output: str) -> dict[str, dict[str, float]]:
        """Return Morris's elementary effects.

        Parameters
        ----------
        output
            Name of an output.

        Returns
        -------
        effects
            For each parameter the mean `mu`, the mean size `mu_star` and the deviation `sigma` of
            its effects, per range of its distribution.

        Raises
        ------
        InputError
            If the sweep was not sampled by "morris", points failed, or SALib is not installed.
        """
        values = self._outputs_for(output, "morris")
        unit = np.array(self.about["unit"])
        found = analyze_morris.analyze(unit_problem(unit.shape[1]), unit, values, num_levels=4, seed=0)
        return {
            name: {word: float(found[word][k]) for word in ("mu", "mu_star", "sigma")}
            for k, name in enumerate(self.parameter_names)
        }


def load_sweep(path: Path | str) -> Sweep:
    """Return a sweep from its file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    sweep
        What was found so far.

    Raises
    ------
    InputError
        If there is no such file, or it is damaged.
    """
    return Sweep(path)


def solution_path(path: Path, number: int) -> Path:
    """Where the solution of a point is kept: a folder beside the file."""
    return path.with_name(f"{path.stem}_solutions") / f"point-{number:06d}.nc"


def _need(module: Later, what: str, extra: str) -> None:
    try:
        load(module)
    except ImportError:
        raise InputError(what, hint=f"pip install '{extra}'") from None
