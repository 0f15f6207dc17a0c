"""The strategy of Fig. C.1: snapshots by a dissipative scheme with long steps, a reduced run by a
non-dissipative one with short steps.

    1  snapshots   full system, optimal(ρ∞), Δt_s             the high frequencies of the mesh are damped away
    2  basis       V of rank r from displacements, velocities or accelerations
    3  reduced run M̂ ξ̈ = f̂(ξ, ξ̇, t), non-dissipative, Δt_r    [Shimada2014 (C.65)]
    4  lifted      q = q̄ + V ξ, …                              [Shimada2014 (C.66) adapted]
    5  benchmark   full system, the scheme and step of 3

Errors are relative, in the Euclidean norm over time: of one coordinate, or of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.api import integrate
from isodyn.described import described
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.reduction.basis import Basis, pod
from isodyn.reduction.galerkin import reduce
from isodyn.reduction.snapshots import Kind
from isodyn.results.solution import Solution
from isodyn.systems.base import System


@dataclass(frozen=True, eq=False)
class ReductionStudy:
    """The runs of a reduction, its basis, and how they compare.

    Parameters
    ----------
    snapshots
        Run that the snapshots are from.
    basis
        The basis.
    reduced
        Run of the reduced system.
    lifted
        The same motion in the full coordinates.
    benchmark
        Run of the full system with the same scheme and step.

    Examples
    --------
    >>> import isodyn as iso
    >>> bar = iso.problems.get("clamped_bar").system()
    >>> runs = {"snapshots": (iso.Scheme.optimal(0.9), 0.005), "reduced": (iso.Scheme.V0(1, 1, 0), 0.001)}
    >>> study = iso.reduction.reduction_study(bar, **runs, t_end=0.1, rank=3)
    >>> study.basis.rank, study.lifted.q.shape == study.benchmark.q.shape
    (3, True)
    """

    snapshots: Solution
    basis: Basis
    reduced: Solution
    lifted: Solution
    benchmark: Solution

    def error(self, name: Kind, column: int | None = None, first: int = 0) -> float:
        """Return the relative error of q, v or a over time.

        Parameters
        ----------
        name
            "q", "v" or "a".
        column
            One coordinate; all if left out.
        first
            Number of rows at the start to leave out.

        Returns
        -------
        error
            The error against the benchmark.
        """
        if name not in ("q", "v", "a"):
            raise InputError(f"errors are of 'q', 'v' or 'a', received {name!r}")
        n = getattr(self.lifted, name).shape[1]
        if column is not None and (not isinstance(column, int | np.integer) or not -n <= column < n):
            raise InputError(f"column must be a whole number from 0 to {n - 1}, received {column!r}")
        x, y = (getattr(sol, name)[first:] for sol in (self.lifted, self.benchmark))
        if column is not None:
            x, y = x[:, column], y[:, column]
        size = float(np.linalg.norm(y))
        return float(np.linalg.norm(x - y)) / (size or 1.0)

    def energy(self) -> tuple[FloatArray, FloatArray]:
        """Return T + V of the reduced run and of the benchmark.

        Returns
        -------
        reduced, benchmark
            Two histories.
        """
        T, V = self.reduced.energy()
        full_T, full_V = self.benchmark.energy()
        return T + V, full_T + full_V

    @property
    def speed_up(self) -> float:
        """Seconds per step of the benchmark over those of the reduced run, with factorisations."""
        one, two = self.benchmark.stats, self.reduced.stats
        return (one.seconds / one.steps) / (two.seconds / two.steps)

    __repr__ = described

    def __str__(self) -> str:
        errors = ", ".join(f"{name} {self.error(name):.3g}" for name in ("q", "v"))
        return (
            f"{self.basis.name}, rank {self.basis.rank}, {self.basis.captured:.5g} captured; relative errors: {errors}"
        )


def reduction_study(
    system: System,
    *,
    snapshots: tuple[Any, float],
    reduced: tuple[Any, float],
    t_end: float,
    of: Kind = "q",
    benchmark: Solution | None = None,
    breakpoints: ArrayLike = (),
    **options: Any,
) -> ReductionStudy:
    """Run snapshots, basis, reduced system and benchmark in one call.

    Parameters
    ----------
    system
        The full system.
    snapshots, reduced
        (scheme, step) of the run that the snapshots are from, and of the reduced run.
    t_end
        End of all runs.
    of
        Kind of the snapshots: "q", "v" or "a".
    benchmark
        A run of the full system with the scheme and step of the reduced one, if there is one
        already.
    breakpoints
        Times at which loads jump.
    **options
        Arguments of `pod`: rank, energy, inner, centred, about, columns.

    Returns
    -------
    study
        The runs, the basis, and how they compare.

    Examples
    --------
    >>> import isodyn as iso
    >>> bar = iso.problems.get("clamped_bar").system()
    >>> runs = {"snapshots": (iso.Scheme.optimal(0.9), 0.005), "reduced": (iso.Scheme.V0(1, 1, 0), 0.001)}
    >>> study = iso.reduction.reduction_study(bar, **runs, t_end=1.0, rank=7)
    >>> round(study.error("q", 3), 3)
    0.242
    """
    runs = []
    for name, pair in (("snapshots", snapshots), ("reduced", reduced)):
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise InputError(f"{name} must be a pair (scheme, step), received {pair!r}")
        runs.append(pair)
    if benchmark is not None and not isinstance(benchmark, Solution):
        raise InputError(f"benchmark must be a solution of the full system, received {type(benchmark).__name__}")
    (coarse, dt_s), (fine, dt_r) = runs
    seen = integrate(system, coarse, dt=dt_s, t_end=t_end, breakpoints=breakpoints)
    basis = pod(seen, of, **options)
    small = integrate(reduce(system, basis), fine, dt=dt_r, t_end=t_end, breakpoints=breakpoints)
    whole = benchmark or integrate(system, fine, dt=dt_r, t_end=t_end, breakpoints=breakpoints)
    if whole.t.shape != small.t.shape or np.abs(whole.t - small.t).max() > 1e-9 * abs(t_end):
        raise InputError("benchmark must have the times of the reduced run", hint="the same step and end")
    return ReductionStudy(seen, basis, small, basis.lift(small), whole)
