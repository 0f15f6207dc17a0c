"""What a solution says about its own accuracy: local error, chord strain, drift, energy.

The local error is that of isodyn.stepping.local_error, for each component relative to the largest
change of components of its unit in one step. Where units are not known a component is compared with
its own largest change, or with a small part of the largest of all.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isodyn.described import described
from isodyn.errors import CoarseStepWarning
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.at_balance import NAMES
from isodyn.results.balance import balance_and_power, warn_if_rows_are_few

chord_strain = Later("isodyn.results.chord_strain")  # other runs need no mechanisms

if TYPE_CHECKING:
    from isodyn.results.solution import Solution
    from isodyn.results.statistics import Statistics
    from isodyn.systems.base import System

# of the largest change in a step: more is not small. An oscillation takes about nine steps a period
# then
COARSE = 0.05
# of the largest change of all: components that change less are compared with that, where units are
# not known …
SMALL_PART = 1e-3
# … and the same for first-order systems, whose components may be concentrations of any size
SMALL_PART_OF_S = 1e-9
STEADY = 1e-9  # of the velocity, or of those in other units beside typical sizes: smaller changes are rounding
DRIFT = 1e-6  # constraints are kept better than this by every formulation that is meant to
ENERGY = 1e-2  # of the largest kinetic energy


def warn_of_coarse_steps(stats: Statistics, stacklevel: int) -> None:
    """Say so where the local error of a run is not small."""
    if stats.local_error is not None and stats.local_error > COARSE:
        warnings.warn(
            f"the steps are coarse: the local error reaches {100.0 * stats.local_error:.2g} % of the largest change in a step, in"
            f" {stats.local_error_in} at t = {stats.local_error_at:.6g} (more than {100.0 * COARSE:g} % is not small)"
            "\nhint: a smaller dt, or integrate_adaptive; sol.quality() tells more",
            CoarseStepWarning,
            stacklevel=stacklevel,
        )


class LocalError(NamedTuple):
    """The largest local error of a run, relative to the largest change in a step; in which
    variable, of which component, when."""

    value: float
    of: str
    component: str
    t: float


def largest_local_error(judged: FloatArray, system: System) -> LocalError:
    """From isodyn.stepping.memory.JUDGED: largest change of v in a step, largest v, errors of q
    per Δt and of v, their times."""
    change, v, errors, at = judged[0], judged[1], judged[2:4], judged[4:]
    scale = _scales(np.array([v, np.maximum(change, STEADY * v)]), system)
    relative = np.divide(errors, scale, out=np.zeros(scale.shape), where=scale > 0.0)
    letter, names = ("s", system.names) if system.first_order else ("v", system.v_names)
    found = [
        LocalError(float(relative[k, i]), of, names[i], float(at[k, i]))
        for k, (of, i) in enumerate(zip(("q", letter), relative.argmax(axis=1).tolist(), strict=True))
    ]
    return max(found)


def local_error_sizes(judged: FloatArray, system: System) -> FloatArray:
    """`largest_local_error` of many runs at once (N, 6, nv), their values alone."""
    change, v, e_q, e_v = (judged[:, k] for k in range(4))
    worst = np.zeros(len(judged))
    for most, error in ((v, e_q), (np.maximum(change, STEADY * v), e_v)):
        scale = _scales(most, system)
        relative = np.divide(error, scale, out=np.zeros(scale.shape), where=scale > 0.0)
        worst = np.maximum(worst, relative.max(axis=-1, initial=0.0))
    return worst


def _scales(most: FloatArray, system: System) -> FloatArray:
    """What the errors of components are compared with; of one run, or of many."""
    alike, typical = np.array(system.alike, dtype=np.int64), np.asarray(system.scales.v)
    if alike.size == most.shape[-1]:
        scale = np.zeros(most.shape)
        for kind in np.unique(alike):
            scale[..., alike == kind] = most[..., alike == kind].max(axis=-1, keepdims=True)
        return np.maximum(scale, STEADY * typical * (most / typical).max(axis=-1, keepdims=True, initial=0.0))
    part = SMALL_PART_OF_S if system.first_order else SMALL_PART
    return np.maximum(most, part * typical * (most / typical).max(axis=-1, keepdims=True, initial=0.0))


@dataclass(frozen=True)
class Check:
    """One number about a solution, what it should stay below, and where it was found."""

    value: float
    bound: float
    where: str

    @property
    def good(self) -> bool:
        """Whether the number is within its bound."""
        return self.value <= self.bound

    __repr__ = described

    def __str__(self) -> str:
        return f"{self.value:.2g} ({'good' if self.good else 'NOT GOOD'}, bound {self.bound:g}), {self.where}"


@dataclass(frozen=True)
class Quality(ShownInNotebooks):
    """Checks of a solution; None where one does not apply.

    local_error : largest local error of a step, relative to the largest change in a step
    chord_strain : largest strain that comes from chords of the motion, relative to the largest
        elastic strain of the same part
    drift : largest violation of the constraints at position and velocity level, relative
    energy : largest error of the energy balance, relative to the largest kinetic energy; None, with
        a warning, where the saved rows are too few to tell the work of forces
    step_error : of an adaptive run, the largest estimated error of a step, in units of what the
        tolerance allows
    """

    local_error: Check | None = None
    chord_strain: Check | None = None
    drift: Check | None = None
    energy: Check | None = None
    step_error: Check | None = None

    @property
    def good(self) -> bool:
        """Whether all checks that apply are."""
        return all(check.good for check in self._checks().values())

    def _checks(self) -> dict[str, Check]:
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: check for name, check in found.items() if check is not None}

    __repr__ = described

    def __str__(self) -> str:
        return "\n".join(f"{name.replace('_', ' '):13s} {check}" for name, check in self._checks().items())


def local_error_of(stats: Statistics) -> Check | None:
    """The largest local error of a run as a check; None where it was not estimated."""
    if stats.local_error is None:
        return None
    return Check(stats.local_error, COARSE, f"{stats.local_error_in}, t = {stats.local_error_at:.6g}")


def local_error_in_words(stats: Statistics) -> str | None:
    """One line for summaries and reports."""
    check = local_error_of(stats)
    if check is None:
        return None
    verdict = "" if check.good else f"; NOT small, more than {100.0 * COARSE:g} %: the steps are coarse"
    return f"{100.0 * check.value:.2g} % of the largest change in a step ({check.where}){verdict}"


def chord_strain_of(sol: Solution) -> Check | None:
    """The largest chord strain of a run as a check; None where rows and balance do not differ."""
    if NAMES[0] not in sol.aux:
        return None
    return chord_strain.largest_chord_strain(sol)


def quality(sol: Solution) -> Quality:
    """All checks that apply to a solution."""
    local, system = local_error_of(sol.stats), sol.system
    whole = all(
        sol.columns[name].size == n
        for name, n in (("q", system.nq), ("v", system.nv), ("a", system.nv), ("lam", system.m))
    )
    chord = chord_strain_of(sol) if whole else None
    drift = energy = None
    if whole and system.m:
        levels = sol.drift()
        both = np.maximum(levels.position, levels.velocity)
        i = int(both.argmax())
        drift = Check(float(both[i]), DRIFT, f"t = {sol.t[i]:.6g}")
    if whole and system.energy is not None:
        balance, power, end = balance_and_power(sol)
        gap, most = np.abs(balance), float(sol.energy()[0].max(initial=0.0))
        i = int(gap.argmax())
        if not warn_if_rows_are_few(sol, power, end, 3):
            energy = Check(float(gap[i]) / most if most > 0.0 else float(gap[i]), ENERGY, f"t = {sol.t[i]:.6g}")
    return Quality(local, chord, drift, energy, step_error_of(sol))


def step_sizes(sol: Solution) -> list[float] | None:
    """The smallest and the largest step of an adaptive run, as its rows show; None of other
    runs."""
    if "step_error" not in sol.aux or sol.t.size < 2:
        return None
    sizes = sol.aux["step_error"][1:, 2]
    return [float(sizes.min()), float(sizes.max())]


def step_error_of(sol: Solution) -> Check | None:
    """The largest error of a step of an adaptive run as a check; None of other runs."""
    sizes = step_sizes(sol)
    if sizes is None:
        return None
    errors = sol.aux["step_error"][:, :2]
    row, column = np.unravel_index(int(errors.argmax()), errors.shape)
    letter = "s" if sol.system.first_order else "qv"[int(column)]
    where = f"{letter}, t = {sol.t[row]:.6g}; steps of {sizes[0]:.3g} to {sizes[1]:.3g}, {sol.stats.rejected} rejected"
    return Check(float(errors[row, column]), 1.0, where)
