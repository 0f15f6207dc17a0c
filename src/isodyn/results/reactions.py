"""What joints do to their bodies: a force and a torque on each, from the multipliers.

    on a body that moves    −Σ λ_r ∂φ_r/∂(r, ϖ) over the joint's own rows: force in the world, torque about the mass centre, moved to
                            the point where the joint acts on the body (isodyn.joints.actions)
    on the ground           the opposite of the sum of these

Measures between bodies do not change when all of them, the ground too, are moved as one; so forces,
and torques about one point, add up to zero over the bodies of a joint. Their power is −λᵀG
v = λᵀφ_t: zero unless a drive moves the joint.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.bodies.body import GROUND
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.beam_part import resolve
from isodyn.mechanism.poses import map_of_node, poses
from isodyn.mechanism.system import JointParts, MechanismSystem
from isodyn.multibody.histories import Poses, subtract_action, touched
from isodyn.results.history_view import HistoryView
from isodyn.results.mechanism_views import mechanism_of, turned
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

Place = Callable[[str], Poses]
RANK = 1e-9  # singular values of the scaled constraint matrix below this count as zero


class Reaction(HistoryView):
    """Force and torque of a joint on one of its bodies, at the point where it acts on that body.

    On pairs the body is the second one, on rolling joints the one that rolls, on drives the second
    of the driven joint, on gears and couplings the second of the first joint, on pulleys and users'
    rows the last that is named; `on=` takes another of `bodies`, the ground too if the joint acts
    on it. Where a joint acts on a body in several ways (a gear on the arm that carries both
    wheels), all of it is in `force` and `torque`. Over all `bodies` forces add up to zero, and so
    do `torque_about` one point.

    Attributes
    ----------
    name, on, frame
        The joint, the body, and the axes of `force` and `torque`: "world" or "joint".
    bodies
        Names of all bodies that the joint acts on.
    t, force, torque
        Times, and force and torque there, (k,) and (k, 3).
    point
        Where the force acts and the torque is taken about, in the world, (k, 3).
    indeterminate
        Whether other values would give the same motion.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, -10.0))
    >>> _ = mech.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "arm", axis=(0, 1, 0)))
    >>> pin = iso.integrate(mech.compile(), dt=0.01, t_end=0.01).reaction("pin")
    >>> pin.on, pin.bodies, pin.force[0].tolist()
    ('arm', ('ground', 'arm'), [0.0, 0.0, 10.0])
    """

    def __init__(self, sol: Solution, name: str, on: str | None = None, frame: str = "world") -> None:
        system = mechanism_of(sol, "reaction()")
        sol._whole("reaction()")
        if name not in system.joints:
            raise InputError(f"there is no joint named {name!r}", hint=f"joints: {', '.join(system.joints)}")
        parts = system.joints[name]
        action = parts.action
        on = action.on if on is None else resolve(on, system.lines)
        if on not in action.bodies:
            raise InputError(
                f"joint {name!r} does not act on {on!r}", hint=f"it acts on {' and '.join(map(repr, action.bodies))}"
            )
        if frame not in ("world", "joint"):
            raise InputError(f"frame must be 'world' or 'joint', received {frame!r}")
        if frame == "joint" and action.axes is None:
            raise InputError(f"joint {name!r} has no frame of its own; use frame='world'")
        self.name, self.on, self.frame, self.bodies, self.t = name, on, frame, action.bodies, sol.t
        self._sol, self._system, self._parts = sol, system, parts
        self._place = places_along(system, sol)
        acted = [on] if on != GROUND else [body for body in action.bodies if body != GROUND]
        moving = [member for body in acted for member in action.all_of(body)]
        self._moving = {body: _acting(self._place, system, sol, parts, body) for body in moving}
        self.force = self._in_frame(sum((both[:, :3] for both in self._moving.values()), np.zeros((sol.t.size, 3))))

    @cached_property
    def point(self) -> FloatArray:
        """Where the force acts and the torque is taken about, in the world."""
        return acting_at(self._place, self._parts, self.on)

    @cached_property
    def torque(self) -> FloatArray:
        """About the point."""
        found = np.zeros((self.t.size, 3))
        for body, both in self._moving.items():
            here = self._place(body)
            found += turned(here.R, both[:, 3:]) + np.cross(here.position - self.point, both[:, :3])
        return self._in_frame(found)

    def _in_frame(self, x: FloatArray) -> FloatArray:
        """What acts on all moving bodies as what acts on the chosen one, in the chosen axes."""
        x = -x if self.on == GROUND else x
        action = self._parts.action
        if action.axes is None or self.frame != "joint":
            return x
        axes = self._place(action.axes_of).R @ action.axes.T
        return np.asarray(np.einsum("kij,ki->kj", axes, x))

    def about(self) -> str:
        """The joint, the body, and the axes."""
        return f"of {self.name!r} on {self.on!r} in {self.frame} axes"

    def histories(self) -> tuple[str, ...]:
        """What there is to read."""
        return ("force", "torque", "point")

    def torque_about(self, point: ArrayLike) -> FloatArray:
        """The torque about another point of the world, one for all times or (k, 3), in the world.

        >>> import numpy as np
        >>> import isodyn as iso
        >>> mech = iso.Mechanism()
        >>> _ = mech.add_body("slider", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0), velocity=(3, 0, 0))
        >>> _ = mech.add_joint(iso.Prismatic("slide", "ground", "slider", axis=(1, 0, 0)))
        >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
        >>> pair = [sol.reaction("slide", on=body).torque_about((0, 0, 0)) for body in ("ground", "slider")]
        >>> bool(np.allclose(pair[0], -pair[1]))
        True
        """
        if self.frame != "world":
            raise InputError("torque_about needs frame='world'", hint=f"sol.reaction({self.name!r}, on={self.on!r})")
        return self.torque + np.cross(self.point - np.asarray(point, dtype=np.float64), self.force)

    @cached_property
    def indeterminate(self) -> bool:
        """Whether other values would give the same motion."""
        return bool(self._sol.redundant) and is_indeterminate(self._system, self._sol, self._parts.rows)


def places_along(system: MechanismSystem, sol: Solution) -> Place:
    """Poses of bodies along a solution, by name; each is worked out once."""
    return cache(lambda name: poses(system, name, sol.q, sol.v))


def acting_at(place: Place, parts: JointParts, on: str) -> FloatArray:
    """Where a joint acts on a body, in the world."""
    action = parts.action
    if action.contact is not None:
        rolls, carries = (place(x) for x in (action.contact.first, action.contact.second))
        return rolls.position + touched(action.contact, rolls, carries)
    return np.asarray(place(on).position + place(on).R @ action.points[on])


def on_body(
    place: Place, system: MechanismSystem, sol: Solution, parts: JointParts, on: str
) -> tuple[FloatArray, FloatArray]:
    """Force on a moving body, and torque about its mass centre, both in the world."""
    both = _acting(place, system, sol, parts, on)
    return both[:, :3], turned(place(on).R, both[:, 3:])


def _acting(place: Place, system: MechanismSystem, sol: Solution, parts: JointParts, on: str) -> FloatArray:
    """Force on a moving body in the world, and torque about its mass centre in axes of the body."""
    both = np.zeros((sol.t.size, 6))
    for r in parts.rows:
        for weight, word in system.rows[r].terms:
            if on not in (word.first, word.second):
                continue
            side = 0 if word.first == on else 1
            subtract_action(word, place(word.first), place(word.second), side, weight * sol.lam[:, r], both)
    # by a user: no measures, but a matrix
    written = [r for r in parts.rows if not system.rows[r].terms]
    if written:
        both += _by_matrix(system, sol, written, on)
    return both


def _by_matrix(system: MechanismSystem, sol: Solution, rows: list[int], on: str) -> FloatArray:
    """−Gᵀλ of these rows on a body: force in the world, torque in the body."""
    ask = Questions(system)
    both = np.zeros((sol.t.size, 6))
    body, mine = system.bodies[system.layout.number[on]], system.v_of(on)
    columns = {"spatial": [0, 1, 2, 3, 4, 5], "planar": [0, 1, 5], "particle": [0, 1, 2]}.get(body.kind, [])
    here = poses(system, on, sol.q, sol.v)
    for k, (t, q, v) in enumerate(zip(sol.t, sol.q, sol.v, strict=True)):
        force = -sol.lam[k, rows] @ ask.G(t, q, v)[rows][:, mine]
        if body.of_beam:  # Tᵀ(f, τ) with T Tᵀ = 1, of torques 1/ℓ²
            both[k] = map_of_node(here.R[k], here.stretch[k], mine) @ force
            both[k, 3:] *= here.stretch[k] ** 2
        else:
            both[k, columns] = force
    return both


def is_indeterminate(system: MechanismSystem, sol: Solution, rows: tuple[int, ...]) -> bool:
    """Whether multipliers that do nothing (Gᵀλ = 0) load the joint with these rows."""
    k = sol.t.size // 2
    G = Questions(system).G(sol.t[k], sol.q[k], sol.v[k]) * system.scales.v
    size = np.linalg.norm(G, axis=1)
    u, values, _ = np.linalg.svd(G / np.where(size > 0, size, 1.0)[:, None])
    rank = int((values > RANK * values[0]).sum())
    idle = u[:, rank:]  # λ scaled by the rows' sizes
    own = (G / np.where(size > 0, size, 1.0)[:, None])[list(rows)].T @ idle[list(rows)]
    return bool(np.abs(own).max(initial=0.0) > 1e-7)
