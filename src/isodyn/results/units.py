"""Names and units of what a solution holds."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from isodyn.later import Later

# only mechanisms need them
words, body_types = Later("isodyn.joints.measures"), Later("isodyn.bodies.body")

if TYPE_CHECKING:
    from isodyn.results.solution import Solution
    from isodyn.systems.base import System

STATES = {
    "q": "coordinates",
    "v": "velocities",
    "a": "accelerations",
    "lam": "multipliers, −Gᵀλ being the force of constraint",
}


def is_whole(sol: Solution) -> bool:
    """Whether all columns of all states were saved."""
    system = sol.system
    sizes = (("q", system.nq), ("v", system.nv), ("a", system.nv), ("lam", system.m))
    return all(sol.columns[name].size == n for name, n in sizes)


def is_mechanism(system: System) -> bool:
    """Whether a system is a mechanism. Mechanisms are not loaded for the question: where they were
    not, nothing is one."""
    module = sys.modules.get("isodyn.mechanism.system")
    return module is not None and isinstance(system, module.MechanismSystem)


def is_parametrised(system: System) -> bool:
    """Whether a system is a mechanism in other coordinates than the default ones."""
    module = sys.modules.get("isodyn.mechanism.coordinates")
    return module is not None and isinstance(system, module.ParametrisedSystem)


@cache
def angles() -> set[int]:
    """Measures in radians."""
    return {words.AXES, words.ANGLE, words.PLANAR_ANGLE, words.TANGENT_ANGLE, words.TWIST, words.CROSS}


def units(system: Any) -> dict[str, list[str]]:
    """Units of all components of q, v, a and lam; empty texts where they are not known."""
    if not is_mechanism(system):
        return {name: [""] * n for name, n in (("q", system.nq), ("v", system.nv), ("a", system.nv), ("lam", system.m))}
    unit_of = {body_types.Quantity.LENGTH: "m", body_types.Quantity.ANGLE: "rad"}
    of_q, of_v = (
        [unit_of.get(x, "1") for body in system.bodies for x in body_types.QUANTITIES[body.kind][i]] for i in range(2)
    )
    states = [""] * system.states
    turns = ["rad"] * (system.nq - len(of_q) - system.states)
    found = {"q": of_q + states + turns, "v": [f"{unit}/s" for unit in of_v] + states}
    found |= {"a": [f"{unit}/s2" for unit in of_v] + states, "lam": []}
    for row in system.rows:
        is_turn = bool(row.terms) and row.terms[0][1].kind in angles()
        found["lam"].append("N m" if is_turn else "N" if row.terms else "")
    return found


def labels(sol: Solution) -> dict[str, list[str]]:
    """Names of the saved components."""
    system = sol.system
    rates = list(system.v_names)
    names = {"q": list(system.names) if system.nq else [], "v": rates, "a": rates, "lam": list(system.row_names)}
    return {name: [names[name][k] for k in sol.columns[name]] for name in names}
