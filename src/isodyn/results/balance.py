"""How well a solution keeps its constraints and its energy.

    drift     |φ_k|/r_k/max(1, |q|),   |φ̇_k, ψ_k|/r_k/|v|,   |φ̈_k, ψ̇_k|/r_k/|a|        maximum norms, row by row in time
    balance   E(t) − E(t₀) − ∫ P dt,     P = vᵀQ + d(T + V)/dε|_{q ⊕ εv, v, t+ε} + λᵀφ_t

The power P is what changes T + V: the derivative along the motion at fixed v contains ½vᵀṀv and V̇,
so that of vᵀQ only the part that does not come from the potential remains; λᵀφ_t = −λᵀG v is the
work of moving constraints. States of first order, such as pressures, have no velocity, and what
changes them does no work. The integral is trapezoidal. What the action of an event changes of the
energy (a reset, a lock, a stretched spring that is switched off) is no part of the balance.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.described import described
from isodyn.errors import AccuracyWarning, InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.contacts import lost_in_impacts, power_of_contacts
from isodyn.results.dense_output import left_limits, same_time
from isodyn.results.switched import NAME as LOADS_OFF
from isodyn.results.switched import TIMES, loads_off, off_beside, off_since
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.systems.base import System
from isodyn.systems.questions import Questions
from isodyn.systems.scales import pace, reach, sizes_of_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isodyn.results.passes import Measures
    from isodyn.results.solution import Solution
    from isodyn.systems.model import Model

switched_off = Later("isodyn.mechanism.switched_off")
passes = Later("isodyn.results.passes")  # compiled when rows are first looked at

POWER_OF_TIES = "interface_power"  # of a part of a divided system, in `aux`: what others do to it
# what the trapezoidal rule may miss of work: of the integral of the size of the power, of the largest kinetic energy
MISSED, OF_ENERGY = 0.05, 0.01
_H = float(np.finfo(float).eps) ** (1 / 3)


@dataclass(frozen=True, eq=False)
class Drift(ShownInNotebooks):
    """Violation of the constraints at every saved time, relative; `str` gives the largest of each
    level."""

    t: FloatArray
    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray

    @property
    def largest(self) -> tuple[float, float, float]:
        """Maxima over time of the three levels."""
        levels = (self.position, self.velocity, self.acceleration)
        return tuple(float(level.max(initial=0.0)) for level in levels)  # type: ignore[return-value]

    __repr__ = described

    def __str__(self) -> str:
        return "constraint drift: position {:.1e}, velocity {:.1e}, acceleration {:.1e}".format(*self.largest)


def drift(sol: Solution) -> Drift:
    """The three levels of the constraints along a solution; zeros where there are none.

    All in typical sizes of the system (isodyn.systems.scales): r_k of rows, |q| at the time, and
    the largest |v| and |a| of the solution, or those that pass a typical size in its time.
    """
    levels, system = np.zeros((3, sol.t.size)), sol.system
    if "held" in sol.aux and sol.t.size:
        return _drift_of_held_rows(sol)
    if system.m and sol.t.size:
        ask = Questions(system, sparse=True)
        model, rows = ask.model, [np.ascontiguousarray(x) for x in (sol.t, sol.q, sol.v, sol.a, sol.lam)]
        if system.first_order:
            memory = np.array([1.0, 0.0, 0.0, 1.0]), np.zeros(system.m)
            passes.gaps_of_rows(model.function, model.tables, model.scratch, *rows, *memory, levels[1])
        else:
            passes.drift_of_rows(model.function, model.tables, model.scratch, *rows, _measures(sol, model), levels)
        if model.raised is not None:
            raise model.raised
    return Drift(sol.t, *levels)


def _drift_of_held_rows(sol: Solution) -> Drift:
    """The same over the constraint rows that no event has released."""
    levels, system, held = np.zeros((3, sol.t.size)), sol.system, sol.aux["held"]
    ask, slowest = Questions(system, sparse=True), 1.0 / (float(sol.t[-1] - sol.t[0]) or 1.0)
    fast = max([slowest, *(pace(system, v) for v in sol.v)])
    hard = max([slowest**2, *(pace(system, a) for a in sol.a)])
    for i, (t, q, v, a) in enumerate(zip(sol.t, sol.q, sol.v, sol.a, strict=True)):
        weights, phi = held[i] / sizes_of_rows(system, ask.G(t, q, v)), ask.position(t, q, v)
        levels[0, i] = np.abs(weights[: phi.size] * phi).max(initial=0.0) / reach(system, q)
        levels[1, i] = np.abs(weights * ask.velocity(t, q, v)).max(initial=0.0) / fast
        levels[2, i] = np.abs(weights * ask.acceleration(t, q, v, a)).max(initial=0.0) / hard
    return Drift(sol.t, *levels)


def _measures(sol: Solution, model: Model) -> Measures:
    """What the drift of a solution is measured in."""
    system, pattern = sol.system, model.sparsity
    slowest = 1.0 / (float(sol.t[-1] - sol.t[0]) or 1.0)
    starts = np.zeros(0, dtype=np.int64) if pattern is None else pattern.G_starts
    columns = np.zeros(0, dtype=np.int64) if pattern is None else pattern.G_columns
    entries = system.m * system.nv if pattern is None else columns.size
    sizes = {"nq": system.nq, "nv": system.nv, "m": system.m, "entries": entries}
    found = passes.Measures(**sizes, starts=starts.size, columns=columns.size)
    found.holonomic, found.known = system.m_phi, system.scales.rows is not None
    found.fast = max(slowest, float((np.abs(sol.v) / system.scales.v).max(initial=0.0)))
    found.hard = max(slowest**2, float((np.abs(sol.a) / system.scales.v).max(initial=0.0)))
    found.size_q, found.size_v, found.c = system.scales.q, system.scales.v, np.array([1.0, 0.0, 0.0, 1.0])
    found.starts, found.columns = starts, columns
    if found.known:
        found.rows = system.scales.rows
    return found


def energy_balance(sol: Solution) -> FloatArray:
    """E(t) − E(t₀) less the work of everything that is not in the energy, friction and impacts of
    contacts and the ties of a subdomain among it: zero but for the error of the integration. Warns
    if rows are too few to tell that work."""
    balance, power, end = balance_and_power(sol)
    warn_if_rows_are_few(sol, power, end, 3)
    return balance


def balance_and_power(sol: Solution) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The energy balance, the power of everything that is not in the energy, and the same as the
    ends of steps see it."""
    system = sol.system
    if system.energy is None:
        raise InputError("this system has no energy function", hint="pass energy= to the system")
    power = _power(as_steps_begin(sol), range(sol.t.size)) + power_of_contacts(sol)
    end = power.copy()
    if (jumps := jumps_of(sol)).size:
        before = as_steps_end(sol)
        end[jumps] = _power(before, jumps) + power_of_contacts(before)[jumps]
    tied = sol.aux.get(POWER_OF_TIES, 0.0)
    power, end = power + tied, end + tied
    kinetic, potential = sol.energy()
    energy, lost = kinetic + potential, np.diff(lost_in_impacts(sol), prepend=0.0)
    lost[:1] = 0.0
    if changed := rows_changed_by_events(sol):
        energy[:] -= np.cumsum(_changes(sol, energy, changed))
        lost[changed] = 0.0  # what an impact there took is among the changes
    energy += np.cumsum(lost) - np.cumsum(_changes_between(sol))
    return energy - energy[0] - since_start(sol.t, power, end), power, end


def rows_changed_by_events(sol: Solution) -> list[int]:
    """Rows at which the action of an event has changed the state, or what acts on it."""
    times = np.array([event.t for event in sol.events if event.after is not None])
    return [int(row) for row in jumps_of(sol) if (np.abs(times - sol.t[row]) <= same_time(sol)).any()]


def _changes_between(sol: Solution) -> FloatArray:
    """By how much events that are no rows of their own have changed the energy before each row."""
    found, near = np.zeros(sol.t.size), same_time(sol)
    own = sol.t[rows_changed_by_events(sol)]
    acted = {event.t: event for event in sol.events if event.after is not None and event.t > sol.t[0]}
    for t, event in acted.items():
        row = int(np.searchsorted(sol.t, t - near))
        if row == sol.t.size or (np.abs(own - t) <= near).any():
            continue
        before, after = (
            sum(_without(sol.system, names).energy(x.q, x.v, t))
            for names, x in zip(off_beside(sol, t), (event.before, event.after), strict=True)
        )
        found[row] += after - before
    return found


def _without(system: System, names: Sequence[str]) -> System:
    """A system without the loads of these names."""
    return switched_off.without_loads(system, names) if names else system


def _changes(sol: Solution, energy: FloatArray, rows: list[int]) -> FloatArray:
    """By how much events have changed the energy, in each row."""
    left, found = as_steps_end(sol).energy(), np.zeros(sol.t.size)
    found[rows] = energy[rows] - (left[0] + left[1])[rows]
    return found


def _power(sol: Solution, rows: Sequence[int] | IntArray) -> FloatArray:
    """Power of everything that is not in the energy, in these rows."""
    power, rows, off = np.zeros(len(rows)), np.asarray(rows, dtype=np.int64), loads_off(sol)
    for names in dict.fromkeys(off[row] for row in rows):
        own = [i for i, row in enumerate(rows) if off[row] == names]
        power[own] = _power_of(_without(sol.system, names), sol, rows[own])
    return power


def _power_of(system: System, sol: Solution, rows: Sequence[int] | IntArray) -> FloatArray:
    """Power of everything that is not in the energy of a system, in these rows."""
    ask = Questions(system, sparse=True)
    move = system.retract or (lambda q, d: q + d)
    power, moving = np.zeros(len(rows)), slice(0, system.nv - system.states)
    fast = max(pace(system, v) for v in sol.v) or 1.0
    for i, row in enumerate(rows):
        t, q, v, lam = sol.t[row], sol.q[row], sol.v[row], sol.lam[row]
        e = _H * reach(system, q) / fast
        ahead, behind = sum(system.energy(move(q, e * v), v, t + e)), sum(system.energy(move(q, -e * v), v, t - e))
        # Q − Gᵀλ, where Q itself may depend on λ
        force = -ask.balance(t, q, v, np.zeros(system.nv), lam)
        power[i] = v[moving] @ force[moving] + (ahead - behind) / (2 * e)
    return power


def jumps_of(sol: Solution) -> IntArray:
    """Rows at which forces jump: breakpoints, events, samples of controllers."""
    return np.asarray(sol.aux.get("breakpoint_rows", ()), dtype=np.int64)


def as_steps_end(sol: Solution) -> Solution:
    """The solution with left-hand limits where forces jump, a moment before: more than a row may be
    beside the jump that has the time that a user named."""
    t, jumps, near = sol.t.copy(), jumps_of(sol), same_time(sol)
    t[jumps] -= 2.0 * near
    rows: dict[str, Any] = {name: left_limits(sol, name) for name in ("q", "v", "a", "lam")}
    aux = {key: x for key, x in sol.aux.items() if key != "breakpoint_rows"}
    if "contact_force" in aux:
        aux["contact_force"] = aux["contact_force_left"]
    if TIMES in aux:
        aux[LOADS_OFF] = np.array(aux[LOADS_OFF])
        aux[LOADS_OFF][jumps] = off_since(sol, sol.t[jumps] - near)
    return replace(sol, t=t, aux=aux, **rows)


def as_steps_begin(sol: Solution) -> Solution:
    """The solution a moment after forces jump."""
    t, jumps = sol.t.copy(), jumps_of(sol)
    t[jumps] += 2.0 * same_time(sol)
    return replace(sol, t=t) if jumps.size else sol


def since_start(t: FloatArray, power: FloatArray, end: FloatArray | None = None) -> FloatArray:
    """The integral of a power since the first time, by the trapezoidal rule; `end` is the power as
    the ends of steps see it, if that differs.

    >>> since_start(np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 2.0])).tolist()
    [0.0, 1.0, 5.0]
    """
    end = power if end is None else end
    return np.concatenate([[0.0], np.cumsum(0.5 * (end[1:] + power[:-1]) * np.diff(t))])


def missed_since_start(t: FloatArray, power: FloatArray, end: FloatArray) -> tuple[float, float]:
    """How much `since_start` may miss, from what every second row would tell; and the integral of
    the size of the power.

    >>> t = np.array([0.0, 1.0, 2.0])
    >>> missed_since_start(t, t**2, t**2)  # it misses 1/3
    (0.3333333333333333, 3.0)
    """
    dt = np.diff(t)
    parts = 0.5 * (power[:-1] + end[1:]) * dt
    k = np.arange(0, max(dt.size - 1, 0), 2)
    k = k[power[k + 1] == end[k + 1]]  # no jump in the middle
    double = 0.5 * (power[k] + end[k + 2]) * (dt[k] + dt[k + 1])
    missed = np.abs(double - parts[k] - parts[k + 1]).sum() / 3.0
    return float(missed), float((0.5 * (np.abs(power[:-1]) + np.abs(end[1:])) * dt).sum())


def rows_are_few(sol: Solution, power: FloatArray, end: FloatArray) -> bool:
    """Whether the rows that were saved are too far apart for the integral of a power. Ends of steps
    of second order are not; those of methods of high order may be, for so much as the motion is
    right to."""
    all_steps = sol.stats.steps < sol.t.size
    if all_steps and isinstance(sol.scheme, Scheme | FirstOrderScheme):
        return False
    missed, whole = missed_since_start(sol.t, power, end)
    beside_energy = missed > OF_ENERGY * float(sol.energy()[0].max(initial=0.0))
    return beside_energy and (all_steps or missed > MISSED * whole)


def warn_if_rows_are_few(sol: Solution, power: FloatArray, end: FloatArray, stacklevel: int) -> bool:
    """Say so if the rows that were saved are too far apart for the integral of a power."""
    few = rows_are_few(sol, power, end)
    if few:
        warnings.warn(
            f"the {sol.t.size} rows that were saved are too far apart for the work of forces, the integral of their power"
            f" over {sol.stats.steps} steps\nhint: save more rows (save=, save_every=)",
            AccuracyWarning,
            stacklevel=stacklevel + 1,
        )
    return few


def work_since_start(view: Any, sol: Solution) -> FloatArray:
    """The work of what a view of a solution tells the power of."""
    power = end = view.power
    if jumps_of(sol).size:
        power, end = (type(view)(side(sol), view.name).power for side in (as_steps_begin, as_steps_end))
    warn_if_rows_are_few(sol, power, end, 4)
    return since_start(sol.t, power, end)
