"""Constraints from a user's functions, and differences for missing derivatives.

    φ(q, t) = 0                      holonomic; G = ∂φ̇/∂v,   φ̇ = G v + φ_t,   φ̈ = G a − b
    ψ(q, v, t) = 0                   nonholonomic; ψ_v takes the place of G,   ψ̇ = ψ_v a + (ψ_q v + ψ_t)

Rows are [φ; ψ]. Derivatives that the user does not give come from central differences along the
motion: with q(ε) = q ⊕ εv,

    φ_t ≈ (φ(q, t+h) − φ(q, t−h))/2h          b = −d/dε [G(q(ε), t+ε) v + φ_t(q(ε), t+ε)]

where increments are ∛eps (√√eps for second differences) of the size of what they change: of
coordinates, or of their typical size (isodyn.systems.scales) where that is larger; of times, or of
the time in which the system moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.real_numbers import real_array
from isodyn.systems import checks
from isodyn.systems.scales import Scales

FIRST_DIFFERENCE = float(np.finfo(float).eps) ** (1 / 3)
SECOND_DIFFERENCE = float(np.finfo(float).eps) ** (1 / 4)


class Constraints:
    """φ, ψ and their derivatives at a state, with differences where no function was given."""

    def __init__(
        self,
        q0: FloatArray,
        v0: FloatArray,
        *,
        phi: Any,
        G: Any,
        b: Any,
        phi_t: Any,
        psi: Any,
        psi_v: Any,
        psi_rest: Any,
        retract: Any,
        names: Any,
        scales: Scales,
        time: Callable[[float], float],
    ) -> None:
        checks.functions(phi=phi, G=G, b=b, phi_t=phi_t, psi=psi, psi_v=psi_v, psi_rest=psi_rest)
        if phi is None and any(f is not None for f in (G, b, phi_t)):
            raise InputError(
                "G, b and phi_t belong to phi, which was not given", hint="pass phi=, or psi= for nonholonomic rows"
            )
        if psi is None and any(f is not None for f in (psi_v, psi_rest)):
            raise InputError("psi_v and psi_rest belong to psi, which was not given")
        self.phi_, self.G_, self.b_, self.phi_t_ = phi, G, b, phi_t
        self.psi_, self.psi_v_, self.psi_rest_ = psi, psi_v, psi_rest
        self.move: Callable[[FloatArray, FloatArray], FloatArray] = retract or (lambda q, d: q + d)
        self.nv, self.scales, self.time = v0.size, scales, time
        self.m_phi = 0 if phi is None else _rows("phi", phi, (q0, 0.0))
        self.m = self.m_phi + (0 if psi is None else _rows("psi", psi, (q0, v0, 0.0)))
        self.names = checks.names(names, self.m, "row ") if self.m else ()

    def reach(self, q: FloatArray) -> float:
        """How large q is, in units of typical sizes; at least one."""
        return max(1.0, float((np.abs(q) / self.scales.q).max(initial=0.0)))

    def pace(self, v: FloatArray, t: float) -> float:
        """How fast q changes, in units of typical sizes, or one of them in the time in which the
        system moves."""
        return max(1.0 / self.time(t), float((np.abs(v) / self.scales.v).max()))

    # ---- holonomic rows

    def position(self, q: FloatArray, t: float) -> FloatArray:
        """φ."""
        if self.phi_ is None:
            return np.zeros(0)
        return checks.returned("phi", self.phi_(q, t), (self.m_phi,), t)

    def G(self, q: FloatArray, t: float) -> FloatArray:
        """Holonomic rows of the constraint matrix."""
        if self.phi_ is None:
            return np.zeros((0, self.nv))
        if self.G_ is not None:
            return checks.returned("G", self.G_(q, t), (self.m_phi, self.nv), t)
        steps = FIRST_DIFFERENCE * self.reach(q) * self.scales.v
        columns = [
            (self.position(self.move(q, h * e), t) - self.position(self.move(q, -h * e), t)) / (2 * h)
            for h, e in zip(steps, np.eye(self.nv), strict=True)
        ]
        return np.array(columns).T

    def phi_t(self, q: FloatArray, t: float) -> FloatArray:
        """∂φ/∂t."""
        if self.phi_t_ is not None:
            return checks.returned("phi_t", self.phi_t_(q, t), (self.m_phi,), t)
        h = FIRST_DIFFERENCE * max(self.time(t), abs(t))
        return (self.position(q, t + h) - self.position(q, t - h)) / (2 * h)

    def b(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """G a − φ̈: what the acceleration level asks of G a."""
        if self.phi_ is None:
            return np.zeros(0)
        if self.b_ is not None:
            return checks.returned("b", self.b_(q, v, t), (self.m_phi,), t)
        if self.G_ is None:
            h = SECOND_DIFFERENCE * self.reach(q) / self.pace(v, t)
            ahead, behind = self.position(self.move(q, h * v), t + h), self.position(self.move(q, -h * v), t - h)
            return -(ahead - 2 * self.position(q, t) + behind) / h**2
        h = FIRST_DIFFERENCE * self.reach(q) / self.pace(v, t)
        ahead, behind = (self.move(q, e * v) for e in (h, -h))
        rate = (self.G(ahead, t + h) - self.G(behind, t - h)) @ v + self.phi_t(ahead, t + h) - self.phi_t(behind, t - h)
        return -rate / (2 * h)

    # ---- nonholonomic rows

    def psi(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """ψ."""
        if self.psi_ is None:
            return np.zeros(0)
        return checks.returned("psi", self.psi_(q, v, t), (self.m - self.m_phi,), t)

    def psi_v(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """∂ψ/∂v."""
        if self.psi_ is None:
            return np.zeros((0, self.nv))
        if self.psi_v_ is not None:
            return checks.returned("psi_v", self.psi_v_(q, v, t), (self.m - self.m_phi, self.nv), t)
        steps = FIRST_DIFFERENCE * self.pace(v, t) * self.scales.v
        columns = [
            (self.psi(q, v + h * e, t) - self.psi(q, v - h * e, t)) / (2 * h)
            for h, e in zip(steps, np.eye(self.nv), strict=True)
        ]
        return np.array(columns).T

    def psi_rest(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """ψ_q v + ψ_t, the part of ψ̇ without acceleration."""
        if self.psi_ is None:
            return np.zeros(0)
        if self.psi_rest_ is not None:
            return checks.returned("psi_rest", self.psi_rest_(q, v, t), (self.m - self.m_phi,), t)
        h = FIRST_DIFFERENCE * self.reach(q) / self.pace(v, t)
        return (self.psi(self.move(q, h * v), v, t + h) - self.psi(self.move(q, -h * v), v, t - h)) / (2 * h)

    # ---- all rows

    def matrix(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """[G; ψ_v]."""
        return np.concatenate([self.G(q, t), self.psi_v(q, v, t)])

    def velocity(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """[φ̇; ψ]."""
        phi_dot = self.G(q, t) @ v + self.phi_t(q, t) if self.m_phi else np.zeros(0)
        return np.concatenate([phi_dot, self.psi(q, v, t)])

    def acceleration(self, q: FloatArray, v: FloatArray, a: FloatArray, t: float) -> FloatArray:
        """[φ̈; ψ̇]."""
        return self.matrix(q, v, t) @ a + np.concatenate([-self.b(q, v, t), self.psi_rest(q, v, t)])


def _rows(name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> int:
    """How many numbers a constraint function returns."""
    found = function(*(x.copy() if isinstance(x, np.ndarray) else x for x in arguments))
    value = np.zeros(()) if found is None else real_array(f"what {name} returns", found, "a vector")
    if value.ndim != 1 or value.size == 0:
        raise InputError(f"{name} must return a vector with one number per constraint, received shape {value.shape}")
    return value.size
