"""What an ensemble returns: the rows of all members stacked, and any member as an ordinary
solution."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import CoarseStepWarning, InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.quality import COARSE, largest_local_error, local_error_sizes
from isodyn.results.solution import Solution
from isodyn.results.statistics import Statistics

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from pandas import DataFrame
    from xarray import Dataset

    from isodyn.open_types import BoolArray
    from isodyn.systems.base import System

ensemble_tables = Later("isodyn.results.ensemble_tables")  # which needs this module
ensemble_files = Later("isodyn.results.netcdf")

STACKED = ("q", "v", "a", "lam")  # rows of all members
Outputs = Mapping[str, Callable[[Solution], Any]]


@dataclass(eq=False)
class Ensemble(ShownInNotebooks):
    """Runs of N members over the same times.

    `ens[i]` is the `Solution` of member i, or raises the error that ended it.

    Parameters
    ----------
    t
        Times (k,), or (N, k) with NaN behind the end where members have times of their own.
    q
        Coordinates (N, k, nq); rows that a member did not reach are NaN, here and in v, a, lam.
    v
        Velocities (N, k, nv).
    a
        Accelerations (N, k, nv).
    lam
        Multipliers (N, k, m).
    systems
        The systems of the members, or one for all.
    q0
        Start of every member (N, nq).
    v0
        Start of every member (N, nv).
    scheme
        The scheme of the runs.
    columns
        Numbers of the saved columns of q, v, a, lam.
    ok
        Which members came to the end (N,).
    counts
        The statistics: for each name an array over the members.
    errors
        The errors that ended members, by member.
    single
        Solutions of the members that were run alone, by member.
    seconds
        Time of all runs.
    threads
        Number of threads.
    solver
        Name of the linear solver.
    stopped
        Why the runs ended before t_end, or None.
    aux
        Further histories by name.
    judged
        Numbers behind the local errors of the members.
    redundant
        Names of constraint rows that follow from others, by member, where there are such.

    Examples
    --------
    >>> import isodyn as iso, numpy as np
    >>> oscillator = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
    >>> ens = iso.ensemble(oscillator, q0=np.array([[1.0], [2.0]]), dt=0.01, t_end=0.1)
    >>> ens.q.shape, ens[1].q.shape
    ((2, 11, 1), (11, 1))
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    systems: tuple[Any, ...]
    q0: FloatArray
    v0: FloatArray
    scheme: Any
    columns: dict[str, IntArray]
    ok: BoolArray
    counts: dict[str, IntArray]
    errors: dict[int, Exception]
    single: dict[int, Solution]
    seconds: float = 0.0
    threads: int = 1
    solver: str = ""
    stopped: str | None = None
    aux: dict[str, Any] = field(default_factory=dict)
    # largest changes and local errors of all members (isodyn.stepping.local_error)
    judged: FloatArray | None = None
    redundant: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.q.shape[0]

    def __iter__(self) -> Iterator[Solution]:
        return (self[i] for i in range(len(self)))

    def system(self, i: int) -> Any:
        """Return the system of a member, with its start.

        Parameters
        ----------
        i
            Number of the member.

        Returns
        -------
        system
            Its system.
        """
        return with_start(self.systems[i if len(self.systems) > 1 else 0], self.q0[i], self.v0[i])

    def __getitem__(self, i: int) -> Solution:
        n = len(self)
        if isinstance(i, bool) or not isinstance(i, int | np.integer) or not -n <= i < n:
            raise IndexError(f"members are numbered 0…{n - 1}, received {i!r}")
        i = int(i) % n
        if i in self.errors:
            raise self.errors[i]
        if i in self.single:
            return self.single[i]
        if not self.ok[i]:
            raise InputError(f"member {i} was not run to its end: {self.stopped}")
        counted: dict[str, Any] = {name: int(count[i]) for name, count in self.counts.items()}
        stats = Statistics(**counted, seconds=self.seconds / n, solver=self.solver)
        if self.judged is not None:
            stats.take(largest_local_error(self.judged[i], self.systems[0]))
        aux = {name: rows[i] for name, rows in self.aux.items()}
        rows = (self.t, self.q[i], self.v[i], self.a[i], self.lam[i])
        return Solution(*rows, self.system(i), self.scheme, stats, self.columns, aux, self.redundant.get(i, ()))

    def table(self, outputs: Outputs | None = None, **columns: ArrayLike) -> dict[str, Any]:
        """A table of all members as arrays by the names of its columns.

        Parameters
        ----------
        outputs
            Functions of a `Solution` that give one number each, by name: one line for each member.
            Members that failed have NaN. Left out, the table has one line for each member and saved
            time, with the states.
        **columns
            Further columns with one value for each member, such as the parameters it was made with.

        Returns
        -------
        dict
            Arrays of equal length. The first column is "member"; "ok" tells who came to the end.

        Raises
        ------
        InputError
            If a column does not have one value for each member, or an output is no number.

        Examples
        --------
        >>> import isodyn as iso
        >>> drop = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: [-9.81], q0=[0.0], v0=[0.0])
        >>> ens = iso.ensemble(drop, dt=0.1, t_end=1.0, v0=[[0.0], [9.81]])
        >>> table = ens.table({"height": lambda sol: sol.q[-1, 0]}, speed=[0.0, 9.81])
        >>> list(table), [round(float(x), 3) for x in table["height"]]
        (['member', 'speed', 'height', 'ok'], [-4.905, 4.905])
        """
        return ensemble_tables.table_of(self, outputs, columns)

    def to_csv(self, path: str | Path, outputs: Outputs | None = None, **columns: ArrayLike) -> Path:
        """Write `table` as a CSV file.

        Parameters
        ----------
        path
            The file.
        outputs
            As in `table`.
        **columns
            As in `table`.

        Returns
        -------
        path
            The file that was written.
        """
        return ensemble_tables.write_csv(self.table(outputs, **columns), path)

    def to_dataframe(self, outputs: Outputs | None = None, **columns: ArrayLike) -> DataFrame:
        """Return `table` as a pandas DataFrame.

        Parameters
        ----------
        outputs
            As in `table`.
        **columns
            As in `table`.

        Returns
        -------
        table
            The table.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        return ensemble_tables.dataframe(self.table(outputs, **columns))

    def to_xarray(self) -> Dataset:
        """Return all members as an `xarray.Dataset`.

        Returns
        -------
        dataset
            q, v, a, lam over member, time and names; ok, error and counts over members. Members
            with times of their own have them as the variable t over member and row.

        Raises
        ------
        InputError
            If xarray is not installed.

        Examples
        --------
        >>> import isodyn as iso
        >>> drop = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
        >>> ens = iso.ensemble(drop, q0=[[1.0], [2.0]], dt=0.1, t_end=1.0)
        >>> dict(ens.to_xarray().q.sizes)
        {'member': 2, 'time': 11, 'coordinate': 1}
        """
        return ensemble_tables.dataset(self)

    def save(self, path: str | Path) -> Path:
        """Write all members: NetCDF, or by the endings .csv and .parquet the table.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        path
            The file that was written.
        """
        return ensemble_files.save_ensemble(self, path)

    def __repr__(self) -> str:
        text = f"<Ensemble: {len(self)} members, {'up to ' * (self.t.ndim - 1)}{self.t.shape[-1]} rows"
        if np.isfinite(self.t).any():
            text += f" from t = {np.nanmin(self.t):g} to {np.nanmax(self.t):g}"
        text += f"; {self.counts['steps'].sum()} steps on {self.threads} threads, {self.seconds:.3g} s"
        if self.single:
            text += f", {len(self.single)} members run alone"
        if self.errors:
            text += f", {len(self.errors)} failed"
        return text + (">" if self.stopped is None else f"; {self.stopped}>")


def warn_of_coarse_members(ensemble: Ensemble, stacklevel: int) -> None:
    """One warning for all members that ran together and have a local error that is not small."""
    if ensemble.judged is None:
        return
    sizes = local_error_sizes(ensemble.judged, ensemble.systems[0])
    together = np.asarray(ensemble.ok, dtype=bool).copy()
    together[list(ensemble.single)] = False
    coarse = np.flatnonzero(together & (sizes > COARSE))
    if coarse.size:
        i = int(coarse[sizes[coarse].argmax()])
        worst = largest_local_error(ensemble.judged[i], ensemble.systems[0])
        warnings.warn(
            f"the steps of {len(coarse)} of {len(ensemble)} members are coarse: the local error of member {i} reaches"
            f" {100.0 * worst.value:.2g} % of the largest change in a step, in {worst.of} of {worst.component!r} at t = {worst.t:.6g}"
            f" (more than {100.0 * COARSE:g} % is not small)\nhint: a smaller dt",
            CoarseStepWarning,
            stacklevel=stacklevel,
        )


def with_start(system: System, q0: FloatArray, v0: FloatArray) -> System:
    """The same system with another start."""
    started = copy(system)
    object.__setattr__(started, "q0", q0.copy())
    object.__setattr__(started, "v0", v0.copy())
    return started
