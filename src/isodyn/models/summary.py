"""What a mechanic reads after a run: how parts moved, what joints carried, what became of the
energy, what it cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.system import MechanismSystem
from isodyn.results import Solution
from isodyn.results.quality import step_sizes
from isodyn.results.statistics import cost_of


def mechanism_summary(sol: Solution, title: str, dt: float | None) -> dict[str, Any]:
    """Plain numbers and strings; bodies and joints where the system is a mechanism."""
    stats = sol.stats
    found: dict[str, Any] = {
        "title": title,
        "scheme": str(sol.scheme),
        "dt": dt,
        "step_sizes": step_sizes(sol),
        "t_start": float(sol.t[0]),
        "t_end": float(sol.t[-1]),
        "steps": stats.steps,
        "rows": int(sol.t.size),
    }
    if isinstance(sol.system, MechanismSystem):
        found["bodies"] = _bodies(sol, sol.system)
        found["joints"] = _joints(sol, sol.system)
    else:
        found["motion"] = {
            name: _range(sol.q[:, k] if sol.q.shape[1] else sol.v[:, k]) for k, name in enumerate(sol.system.names)
        }
    found["energy"] = _energy(sol)
    found["constraints"] = _constraints(sol)
    found["cost"] = cost_of(stats)
    if stats.stopped is not None:
        found["stopped"] = stats.stopped
    return found


def _range(x: FloatArray) -> dict[str, float]:
    return {"min": float(x.min()), "max": float(x.max()), "final": float(x[-1])}


def _largest(t: FloatArray, x: FloatArray) -> dict[str, float]:
    size = np.linalg.norm(x, axis=1)
    k = int(size.argmax())
    return {"largest": float(size[k]), "at": float(t[k])}


def _bodies(sol: Solution, system: MechanismSystem) -> dict[str, Any]:
    """Ranges of positions, largest speeds; of beams those of their ends."""
    names = [body.name for body in system.bodies if body.is_body]
    names += [f"{beam}.{end}" for beam in system.lines for end in ("start", "end")]
    found = {}
    for name in names:
        view = sol.body(name)
        axes = "xy" if view.body.kind in ("planar", "node") else "xyz"
        found[name] = {axis: _range(view.position[:, k]) for k, axis in enumerate(axes)}
        found[name]["speed"] = _largest(sol.t, view.velocity)
        if view.body.kind not in ("particle", "cable"):
            found[name]["angular_speed"] = _largest(sol.t, view.angular_velocity)
    return found


def _joints(sol: Solution, system: MechanismSystem) -> dict[str, Any]:
    """Ranges of coordinates, largest reactions."""
    found: dict[str, Any] = {}
    for name, parts in system.joints.items():
        view = sol.joint(name)
        found[name] = {kind: _range(view.coordinate(kind)) for kind in parts.coordinates}
        if parts.rows:
            reaction = sol.reaction(name)
            found[name]["on"] = reaction.on
            found[name]["force"] = _largest(sol.t, reaction.force)
            found[name]["torque"] = _largest(sol.t, reaction.torque)
            found[name]["indeterminate"] = reaction.indeterminate
    return found


def _energy(sol: Solution) -> dict[str, float] | None:
    """Start, end, and how far the balance with the work of forces is missed, against the largest
    kinetic energy."""
    if sol.system.energy is None or sol.system.first_order or sol.t.size < 2:
        return None
    kinetic, potential = sol.energy()
    total = kinetic + potential
    return {
        "start": float(total[0]),
        "final": float(total[-1]),
        "largest_kinetic": float(kinetic.max()),
        "largest_change": float(np.abs(total - total[0]).max()),
        "largest_imbalance": float(np.abs(sol.energy_balance()).max()),
    }


def _constraints(sol: Solution) -> dict[str, Any] | None:
    if sol.system.m == 0:
        return None
    position, velocity, acceleration = sol.drift().largest
    drift = {"position": position, "velocity": velocity, "acceleration": acceleration}
    return {"drift": drift, "redundant": list(sol.redundant)}
