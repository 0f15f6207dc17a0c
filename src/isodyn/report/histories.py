"""What a report plots: groups of curves over time, from a solution of any system.

Mechanisms give positions, rotations, joint coordinates and reactions of their named parts; other
systems their coordinates as they are. Energies and drift come wherever they are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.body import QUANTITIES, Quantity
from isodyn.kernels.compiled import FloatArray
from isodyn.report.figures import quantity
from isodyn.report.kinds import is_mechanism
from isodyn.report.names import velocity_names
from isodyn.report.scenes import mechanical
from isodyn.report.thinning import thinned
from isodyn.results import Solution
from isodyn.results.load_views import names_of_loads
from isodyn.results.quantities import Catalogue, Of
from isodyn.results.quantities import Quantity as Read
from isodyn.results.units import is_whole

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem
    from isodyn.problems import Problem

ROWS = 2000  # at most so many points in a curve
CURVES = 120  # at most so many curves in a group
SHOWN = 6  # so many of them at first
BALANCED = 20_000  # energy balance is integrated over all rows up to here


Columns = list[tuple[str, FloatArray]]


@dataclass(frozen=True, eq=False)
class Group:
    """Curves of one kind: values (n, k) with n names; the first `on` are shown at first."""

    id: str
    title: str
    label: str
    names: tuple[str, ...]
    values: FloatArray
    on: int = SHOWN
    log: bool = False
    remark: str = ""


def groups_of(sol: Solution, problem: Problem | None = None) -> tuple[FloatArray, list[Group]]:
    """Times and groups; at most ROWS rows of the solution are used."""
    if is_mechanism(sol.system) or mechanical(thinned(sol, 2)).system is not sol.system:
        full = mechanical(sol)
        few = thinned(full, ROWS)
        groups = _of_mechanism(few)
    else:
        full, few = sol, thinned(sol, ROWS)
        groups = _of_coordinates(few, problem)
    groups += _of_contacts(few) + _energies(full, few) + _invariants(few, problem) + _drift(few) + _steps(full, few)
    return few.t, [group for group in groups if group.names]


def group_of(key: str, title: str, label: str, columns: Columns, **more: Any) -> Group:
    """Curves of one kind, at most CURVES of them."""
    kept = columns[:CURVES]
    left = len(columns) - len(kept)
    remark = f"{left} more are in the data of the run" if left else ""
    values = np.array([x for _, x in kept]) if kept else np.zeros((0, 0))
    return Group(key, title, label, tuple(name for name, _ in kept), values, remark=remark, **more)


# ---- mechanisms


def _of_mechanism(sol: Solution) -> list[Group]:
    system: MechanismSystem = sol.system
    position: Columns = []
    rotation: Columns = []
    velocity: Columns = []
    spin: Columns = []
    acceleration: Columns = []
    for body in sorted((one for one in system.bodies if not one.is_mode), key=lambda body: body.is_node):
        q, v = system.q_of(body.name), system.v_of(body.name)
        of_q, of_v = QUANTITIES[body.kind]
        for name, x, kind in zip(system.names[q], sol.q[:, q].T, of_q, strict=True):
            (position if kind is Quantity.LENGTH else rotation).append((name, x))
        for name, x, rate, kind in zip(system.v_names[v], sol.v[:, v].T, sol.a[:, v].T, of_v, strict=True):
            (velocity if kind is Quantity.LENGTH else spin).append((name, x))
            acceleration.append((f"{name}'", rate))
    flat = all(body.kind != "spatial" for body in system.bodies)
    groups = [
        group_of("position", "Position of mass centres", "x, y, z [m]", position),
        group_of("rotation", "Rotation", "θ [rad]" if flat else "quaternions", rotation),
        group_of("velocity", "Velocity", "[m/s]", velocity),
        group_of("spin", "Angular velocity", "[rad/s]", spin),
        group_of("acceleration", "Acceleration", "[m/s², rad/s²]", acceleration),
    ]
    coordinates: Columns = []
    force: Columns = []
    torque: Columns = []
    open_to_choice = False
    for name, parts in system.joints.items():
        if parts.rows and len(force) < CURVES:
            reaction = sol.reaction(name)
            open_to_choice |= reaction.indeterminate
            sign = "*" if reaction.indeterminate else ""
            force.append((f"{name}{sign}", np.linalg.norm(reaction.force, axis=1)))
            torque.append((f"{name}{sign}", np.linalg.norm(reaction.torque, axis=1)))
        for what in parts.coordinates:
            view = sol.joint(name)
            coordinates.append((f"{name}: {what}", view.coordinate(what)))
    largest = max((float(x.max(initial=0.0)) for _, x in force), default=0.0)
    torque = [(name, x) for name, x in torque if float(x.max(initial=0.0)) > 1e-9 * max(largest, 1e-300)]
    groups.append(group_of("joints", "Joint coordinates", "[rad, m]", coordinates))
    reactions = group_of("reactions", "Reactions: size of the force", "|F| [N]", force)
    if open_to_choice:
        reactions = Group(**{**vars(reactions), "remark": "* one of many that give the same motion"})
    groups += [reactions, group_of("torques", "Reactions: size of the torque", "|M| [N m]", torque)]
    return groups + _of_loads(sol, system) + _of_sensors(sol) + _of_states(sol, system)


def _of_loads(sol: Solution, system: MechanismSystem) -> list[Group]:
    """What springs, motors, drives, friction and forces did, and where the energy was."""
    catalogue = Catalogue(sol)
    force: Columns = []
    along: Columns = []
    mode: Columns = []
    power: Columns = []
    names = names_of_loads(system)[:CURVES]
    known = set(catalogue.names)
    for name in names:
        power.append((name, catalogue.curve((name, "power")).values))
        told = "effort" if f"{name}.effort" in known else "tension"
        for what, place in ((told, along), ("mode", mode)):
            if f"{name}.{what}" in known:
                columns = catalogue.curve((name, what)).columns()
                place += [(title.removesuffix(f".{what}"), values) for title, values, _ in columns]
        if f"{name}.{told}" not in known:
            size = catalogue.curve((name, "force", "||")).values
            force.append((name, size if size.any() else catalogue.curve((name, "torque", "||")).values))
    energies = [x for x in catalogue.all if x.of is Of.ENERGY and x.owner]
    kinetic, potential = (
        [(x.owner, x.curve.values) for x in energies if x.what == what]
        for what in ("kinetic_energy", "potential_energy")
    )
    groups = [
        group_of("along", "Springs, motors and drives", "tension or effort [N, N m]", along),
        group_of("forces", "Forces and torques on bodies: size", "[N, N m]", force),
        group_of("modes", "Friction: sliding this way, that way, or sticking (0)", "mode", mode),
        group_of("power", "Power of loads and drives", "[W]", power),
    ]
    if len({x.owner for x in energies}) > 1:
        groups.append(group_of("kinetic", "Kinetic energy by part", "[J]", kinetic))
        groups.append(group_of("potential", "Potential energy by part", "[J]", potential))
    return groups


def _of_contacts(sol: Solution) -> list[Group]:
    """Gaps, normal and tangential forces, slip, modes of contacts."""
    touches = "contact_gap" in sol.aux
    titles = {
        "gap": "Contacts: gap",
        "normal": "Contacts: normal force",
        "friction": "Contacts: friction",
        "slip": "Contacts: slip",
        "mode": "Contacts: open (0), sticking (1), sliding (2)"
        if touches
        else "Contacts: sliding (1, −1) or sticking (0)",
    }
    found = [one for one in Catalogue(sol).all if one.of is Of.CONTACT]
    return [
        group_of(
            f"contact-{what}",
            title,
            _with_unit(what, next((one.unit for one in found if one.what == what), "")),
            [_of_owner(one, name, x) for one in found if one.what == what for name, x, _ in one.curve.columns()],
        )
        for what, title in titles.items()
        if found
    ]


def _of_owner(one: Read, name: str, values: FloatArray) -> tuple[str, FloatArray]:
    """A column without the name of what it is, which stands in the title: "floor.friction_1" is
    "floor 1"."""
    return one.owner + name[len(one.name) :].replace("_", " ", 1), values


def _with_unit(word: str, unit: str) -> str:
    return f"{word} [{unit}]" if unit not in ("", "1") else word


def _of_sensors(sol: Solution) -> list[Group]:
    """Sensors by what they measure."""
    groups = []
    found = [one for one in Catalogue(sol).all if one.of is Of.SENSOR]
    for what in dict.fromkeys(one.what for one in found):
        own = [one for one in found if one.what == what]
        columns = [_of_owner(one, name, x) for one in own for name, x, _ in one.curve.columns()]
        groups.append(group_of(f"sensor-{what}", f"Sensors: {what.replace('_', ' ')}", f"[{own[0].unit}]", columns))
    return groups


def _of_states(sol: Solution, system: MechanismSystem) -> list[Group]:
    """Values of states of first order."""
    columns = [(state.name, sol.v[:, system.v_of(state.name).start]) for state in system.layout.states]
    return [group_of("states", "States", "value", columns)] if columns else []


# ---- other systems


def _of_coordinates(sol: Solution, problem: Problem | None) -> list[Group]:
    time, unit = problem.units if problem is not None else ("–", "–")
    system, first = sol.system, sol.system.first_order

    def columns(letter: str, names: Sequence[str]) -> Columns:
        """Those that were saved, each of q, v, a and λ by itself."""
        kept = [names[i] for i in sol.columns[letter]]
        return list(zip(kept, getattr(sol, letter).T, strict=True))

    if first:
        return [
            group_of("state", "State", quantity("s", unit), columns("v", system.names)),
            group_of("rate", "Rate", quantity("s'", unit, 1, time), columns("a", system.names)),
            group_of("multipliers", "Algebraic unknowns", "z", columns("lam", system.row_names)),
        ]
    rates = velocity_names(system) or tuple(f"{name}'" for name in system.names)
    second = [f"{x}'" for x in rates]
    force = "Multipliers (−Gᵀλ is the force of constraint)"
    return [
        group_of("position", "Motion", quantity("q", unit), columns("q", system.names)),
        group_of("velocity", "Velocity", quantity("v", unit, 1, time), columns("v", rates)),
        group_of("acceleration", "Acceleration", quantity("a", unit, 2, time), columns("a", second)),
        group_of("multipliers", force, "λ", columns("lam", system.row_names)),
    ]


# ---- what tells how good the run is


def _energies(full: Solution, few: Solution) -> list[Group]:
    if few.system.first_order or few.system.energy is None or not is_whole(few):
        return []
    kinetic, potential = few.energy()
    total = kinetic + potential
    found = [("kinetic", kinetic), ("potential", potential), ("total", total)]
    unit = "[J]" if is_mechanism(few.system) else ""
    groups = [group_of("energy", "Energy", unit or "energy", found)]
    if full.t.size <= BALANCED:
        balance = np.interp(few.t, full.t, full.energy_balance())
        groups.append(
            group_of(
                "balance",
                "Energy balance",
                f"change of energy less the work of all other forces {unit}".strip(),
                [("error of the balance", balance)],
            )
        )
    return groups


def _invariants(sol: Solution, problem: Problem | None) -> list[Group]:
    kept = None if problem is None or not is_whole(sol) else problem.invariants(sol)
    if not kept:
        return []
    changes = [(name, np.abs(history - history[0])) for name, history in kept.items()]
    if sol.system.energy is not None:
        changes = [(name, x) for name, x in changes if name != "energy"]  # has a plot of its own
    return [group_of("invariants", "Constants of the exact motion", "deviation from the start", changes, log=True)]


def _drift(sol: Solution) -> list[Group]:
    if sol.system.m == 0 or not is_whole(sol):
        return []
    drift = sol.drift()
    levels = [("position", drift.position), ("velocity", drift.velocity), ("acceleration", drift.acceleration)]
    if sol.system.first_order:
        levels = [("rows", drift.velocity)]
    shown = [(name, np.maximum(x, 1e-18)) for name, x in levels]
    return [group_of("drift", "Constraint drift", "violation, relative", shown, log=True)]


def _steps(full: Solution, few: Solution) -> list[Group]:
    """Errors and sizes of the steps of an adaptive run."""
    if "step_error" not in full.aux or full.t.size < 2:
        return []
    rows = np.searchsorted(full.t, few.t).clip(max=full.t.size - 1)
    of_q, of_v, size, _ = np.asarray(full.aux["step_error"])[rows].T
    errors = [("s", of_v)] if full.system.first_order else [("q", of_q), ("v", of_v)]
    return [
        group_of("step_error", "Errors of steps", "in units of what the tolerance allows", errors, log=True),
        group_of("step_size", "Sizes of steps", "[s]", [("Δt", size)], log=True),
    ]
