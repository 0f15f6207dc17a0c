"""A system with its contacts in given modes, as one smooth constrained system.

Sliding friction joins the forces, sticking contacts add rows T v − w = 0. Four more coordinates
carry the work of the parts of the force as their velocities, so that the integrator keeps them to
its tolerance:

    d/dt (W_N, W_L, W_C, W_M) = (vᵀFᴺ, vᵀFᴸ, vᵀFᶜ, ½ vᵀṀ v),        ½ vᵀM v − ½ v₀ᵀM₀ v₀ = W_N + W_L + W_C + W_M
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isodyn.gauss.contacts import Contact, ContactPoint, Mode, Sliding, Sticking
from isodyn.gauss.friction import Closed, FrictionResult, at_points
from isodyn.kernels.compiled import CONSTANT_MASS, FloatArray
from isodyn.systems.base import System
from isodyn.systems.mechanical import MechanicalSystem
from isodyn.systems.questions import Questions
from isodyn.systems.scales import largest_or_one, natural_pace, ordinary_or, pace, reach

WORKS = 4
_H = float(np.finfo(float).eps) ** (1 / 3)


class Physics:
    """A system and its contacts, asked at one state at a time."""

    def __init__(self, system: System, contacts: Sequence[Contact], t0: float = 0.0) -> None:
        self.system, self.contacts, self.ask = system, tuple(contacts), Questions(system)
        self.rows = [contact.numbers(system.row_names, system.m) for contact in contacts]
        self.move = system.retract or (lambda q, d: q + d)
        self.constant = bool(self.ask.model.traits & CONSTANT_MASS)
        s = system.scales.v
        rate = natural_pace(self.ask, t0, system.q0, system.v0)
        entries = np.abs(self.ask.mass(t0, system.q0, system.v0).diagonal()) * s**2
        self.beat = ordinary_or(rate)  # typical sizes are passed so fast, 1/s
        self.speed = ordinary_or(float(s.max()) * rate)
        self.inertia = ordinary_or(largest_or_one(entries))

    def increment(self, q: FloatArray, v: FloatArray) -> float:
        """A time over which differences along the motion are taken."""
        return _H * reach(self.system, q) / max(self.beat, pace(self.system, v))

    def forget(self) -> None:
        """Ask afresh: a model keeps the exception of a user's function, Ctrl-C among them, and
        raises it at every question after."""
        if self.ask.model.raised is not None:
            self.ask = Questions(self.system)

    def points(self, t: float, q: FloatArray, v: FloatArray) -> list[ContactPoint]:
        """All contacts at a state."""
        h = self.increment(q, v)
        return [c.at(q, v, t, rows, self.move, h) for c, rows in zip(self.contacts, self.rows, strict=True)]

    def solve(
        self, t: float, q: FloatArray, v: FloatArray, modes: Sequence[Mode], *, frozen: bool = False
    ) -> FrictionResult:
        """Accelerations and forces at a state in given modes."""
        return at_points(*self.equations(t, q, v), self.points(t, q, v), modes, v, frozen=frozen)

    def equations(
        self, t: float, q: FloatArray, v: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """M, Q, A, b."""
        still = np.zeros(v.size)
        M, A = self.ask.mass(t, q, v), self.ask.G(t, q, v)
        return M, -self.ask.balance(t, q, v, still), A, -self.ask.acceleration(t, q, v, still)

    def firmness(self, t: float, q: FloatArray, v: FloatArray, modes: Sequence[Mode]) -> float:
        """How far friction is from jamming, 1 without it, 0 where the reaction is infinite."""
        return Closed(*self.equations(t, q, v), self.points(t, q, v), modes).firmness()

    def mass_power(self, t: float, q: FloatArray, v: FloatArray) -> float:
        """½ vᵀṀ v, by central difference along the motion."""
        if self.constant:
            return 0.0
        h = self.increment(q, v)
        ahead, behind = self.ask.mass(t + h, self.move(q, h * v), v), self.ask.mass(t - h, self.move(q, -h * v), v)
        return 0.25 * float(v @ (ahead - behind) @ v) / h

    def kinetic(self, t: float, q: FloatArray, v: FloatArray) -> float:
        """½ vᵀM v."""
        return 0.5 * float(v @ self.ask.mass(t, q, v) @ v)


class ModalSystem:
    """The smooth system of one set of modes. Two-directional slip takes its direction from the
    velocity."""

    def __init__(self, physics: Physics, modes: Sequence[Mode]) -> None:
        self.physics, self.modes = physics, list(modes)
        self.nq, self.nv = physics.system.nq, physics.system.nv
        self.sticking = [k for k, mode in enumerate(modes) if isinstance(mode, Sticking)]
        self._last: tuple[float, bytes, FrictionResult] | None = None
        # works are velocities of coordinates of their own, with sizes and a mass that fit the
        # others
        self.size_of_works = physics.inertia * physics.beat
        self.mass_of_works = 1.0 / (physics.inertia * physics.beat**2)

    def current_modes(self, t: float, q: FloatArray, v: FloatArray) -> list[Mode]:
        """The modes with directions of slip turned to where slip goes now."""
        modes = list(self.modes)
        for k, mode in enumerate(modes):
            if isinstance(mode, Sliding) and len(mode.direction) == 2:
                slip = self.physics.contacts[k].slip(q, v, t)
                if np.linalg.norm(slip) > 1e-14 * self.physics.speed:
                    modes[k] = Sliding.along(slip, mode.sign)
        return modes

    def result(self, t: float, q: FloatArray, v: FloatArray) -> FrictionResult:
        """Forces in these modes; the last answer is kept."""
        key = q.tobytes() + v.tobytes()
        if self._last is None or self._last[0] != t or self._last[1] != key:
            self._last = (t, key, self.physics.solve(t, q, v, self.current_modes(t, q, v), frozen=True))
        return self._last[2]

    def force(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """Applied forces with sliding friction, and the powers that the works integrate."""
        q, v = q[: self.nq], v[: self.nv]
        result = self.result(t, q, v)
        Q = result.newton.copy()
        for k, contact in enumerate(self.physics.contacts):
            if k not in self.sticking:
                Q += result.friction[k] @ contact.directions(q, t)
        power = result.power
        powers = np.array([power.newton, power.lagrange, power.coulomb, self.physics.mass_power(t, q, v)])
        return np.concatenate([Q, self.mass_of_works * powers])

    def system(self, q: FloatArray, v: FloatArray, work: FloatArray) -> MechanicalSystem:
        """The system to integrate, with its initial state."""
        base, ask, nq, nv = self.physics.system, self.physics.ask, self.nq, self.nv
        m, m_phi, still = base.m, base.m_phi, np.zeros(nv)
        contacts = [self.physics.contacts[k] for k in self.sticking]
        rows = [self.physics.rows[k] for k in self.sticking]
        move = self.physics.move

        def wide(G: FloatArray) -> FloatArray:
            return np.concatenate([G, np.zeros((G.shape[0], WORKS))], axis=1)

        def M(q: FloatArray) -> FloatArray:
            mass = self.mass_of_works * np.eye(nv + WORKS)
            mass[:nv, :nv] = ask.mass(0.0, q[:nq], still)
            return mass

        def phi(q: FloatArray, t: float) -> FloatArray:
            return ask.position(t, q[:nq], still)

        def G(q: FloatArray, t: float) -> FloatArray:
            return wide(ask.G(t, q[:nq], still)[:m_phi])

        def phi_t(q: FloatArray, t: float) -> FloatArray:
            return ask.velocity(t, q[:nq], still)[:m_phi]

        def b(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
            return -ask.acceleration(t, q[:nq], v[:nv], still)[:m_phi]

        def psi(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
            own = ask.velocity(t, q[:nq], v[:nv])[m_phi:]
            return np.concatenate([own, *(c.slip(q[:nq], v[:nv], t) for c in contacts)])

        def psi_v(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
            own = ask.G(t, q[:nq], v[:nv])[m_phi:]
            return wide(np.concatenate([own, *(c.directions(q[:nq], t) for c in contacts)]))

        def psi_rest(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
            own = ask.acceleration(t, q[:nq], v[:nv], still)[m_phi:]
            at = (
                c.at(q[:nq], v[:nv], t, r, move, self.physics.increment(q[:nq], v[:nv])).rest
                for c, r in zip(contacts, rows, strict=True)
            )
            return np.concatenate([own, *at])

        def retract(q: FloatArray, d: FloatArray) -> FloatArray:
            return np.concatenate([base.retract(q[:nq], d[:nv]), q[nq:] + d[nv:]])

        def difference(q: FloatArray, p: FloatArray) -> FloatArray:
            return np.concatenate([base.difference(q[:nq], p[:nq]), p[nq:] - q[nq:]])

        options: dict[str, Any] = {}
        if m_phi:
            options.update(phi=phi, G=G, b=b, phi_t=phi_t)
        if m > m_phi or contacts:
            options.update(psi=psi, psi_v=psi_v, psi_rest=psi_rest)
        if base.retract is not None:
            options.update(retract=retract, difference=difference)
        names = [*base.row_names]
        for contact in contacts:
            T = contact.directions(q, 0.0)
            names += [f"{contact.name} sticks {i}" for i in range(T.shape[0])]
        return MechanicalSystem(
            M if not self.physics.constant else M(np.concatenate([q, np.zeros(WORKS)])),
            self.force,
            np.concatenate([q, np.zeros(WORKS)]),
            np.concatenate([v, work]),
            scales=np.concatenate([base.scales.v, np.full(WORKS, self.size_of_works)]),
            row_names=names,
            **options,
        )
