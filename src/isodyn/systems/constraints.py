"""Constraints from a user's functions, and differences for missing derivatives.

    φ(q, t) = 0                      holonomic; G = ∂φ̇/∂v,   φ̇ = G v + φ_t,   φ̈ = G a − b
    ψ(q, v, t) = 0                   nonholonomic; ψ_v takes the place of G,   ψ̇ = ψ_v a + (ψ_q v + ψ_t)

Rows are [φ; ψ]. Derivatives that the user does not give are differences along lines
(isodyn.systems.line_differences),

    G e_j along q ⊕ εe_j,    G v + φ_t along (q ⊕ εv, t + ε),    G a along q ⊕ εa,    −b the second derivative along (q ⊕ εv, t + ε),

with steps that begin at a small part of typical sizes (isodyn.systems.scales), in time of the time
in which the system moves. Functions that Numba compiled are differentiated by compiled code, by the
same formulas (isodyn.systems.joined_constraints).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.uncompiled import naming_functions
from isodyn.real_numbers import real_array
from isodyn.systems import checks, line_differences
from isodyn.systems.differences import H1
from isodyn.systems.joined_lines import Steps
from isodyn.systems.line_differences import FAR, LONGER, SKETCH
from isodyn.systems.scales import Scales


class Constraints:
    """φ, ψ and their derivatives at a state, with differences where no function was given."""

    def __init__(
        self,
        q0: FloatArray,
        v0: FloatArray,
        *,
        phi: Callable[..., Any] | None,
        G: Callable[..., Any] | None,
        b: Callable[..., Any] | None,
        phi_t: Callable[..., Any] | None,
        psi: Callable[..., Any] | None,
        psi_v: Callable[..., Any] | None,
        psi_rest: Callable[..., Any] | None,
        retract: Callable[..., Any] | None,
        names: Sequence[str] | None,
        scales: Scales,
        time: Callable[[float], float],
    ) -> None:
        checks.functions(phi=phi, G=G, b=b, phi_t=phi_t, psi=psi, psi_v=psi_v, psi_rest=psi_rest)
        placed, moved = {"phi": phi, "G": G, "phi_t": phi_t}, {"b": b, "psi": psi, "psi_v": psi_v, "psi_rest": psi_rest}
        for name, function in (placed | moved).items():
            if function is not None:
                checks.arguments(name, function, ("q", "t") if name in placed else ("q", "v", "t"))
        if phi is None and any(f is not None for f in (G, b, phi_t)):
            raise InputError(
                "G, b and phi_t belong to phi, which was not given", hint="pass phi=, or psi= for nonholonomic rows"
            )
        if psi is None and any(f is not None for f in (psi_v, psi_rest)):
            raise InputError("psi_v and psi_rest belong to psi, which was not given")
        self.phi_, self.G_, self.b_, self.phi_t_ = phi, G, b, phi_t
        self.psi_, self.psi_v_, self.psi_rest_ = psi, psi_v, psi_rest
        self.move: Callable[[FloatArray, FloatArray], FloatArray] = retract or (lambda q, d: q + d)
        self.retracts = retract is not None
        self.nv, self.v0, self.scales, self.time = v0.size, v0.copy(), scales, time
        self._kept: tuple[Any, FloatArray] | None = None  # G, with its place
        self.m_phi = 0 if phi is None else _rows("phi", phi, (q0, 0.0))
        self.m = self.m_phi + (0 if psi is None else _rows("psi", psi, (q0, v0, 0.0)))
        self.names = checks.names(names, self.m, "row ") if self.m else ()

    @property
    def sketches_tangent(self) -> bool:
        """Whether (Gᵀλ)_q comes from mixed differences of φ: rows of which only φ is known."""
        return self.phi_ is not None and self.G_ is None and self.psi_ is None

    # ---- differences

    @cached_property
    def steps(self) -> Steps:
        """Steps of differences: parts of typical sizes, shorter where a look at the start shows
        that rows change faster."""
        n, sizes, q0 = self.nv, self.scales.v, self.scales.at
        steps = Steps(nq=q0.size, nv=n, m=self.m)
        reach = max(1.0, float((np.abs(q0) / self.scales.q).max(initial=0.0)))
        steps.q, steps.t = H1 * reach * sizes, H1 * self.time(0.0)
        steps.v = H1 * max(1.0 / self.time(0.0), float((np.abs(self.v0) / sizes).max(initial=0.0))) * sizes
        steps.size_q, steps.size_v = self.scales.q, sizes
        if None not in (self.G_, self.psi_v_) or not self.m:
            return steps
        return self._looked(steps)

    def _looked(self, steps: Steps) -> Steps:
        """Steps that suit the rows at the start."""
        along = [(e, 0.0, h) for e, h in zip(np.eye(self.nv), steps.q, strict=True)]
        along.append((np.zeros(self.nv), 1.0, float(steps.t)))

        def rows(d: FloatArray, tau: float) -> Callable[[float], FloatArray]:
            return lambda e: self._rows(self.move(self.scales.at, e * d), self.v0, e * tau)

        none, found = np.zeros(self.m), np.zeros(self.m)
        with np.errstate(all="ignore"):
            for d, tau, h in along:
                found = np.fmax(found, h * np.abs(line_differences.first(rows(d, tau), h, none)))
            steps.rows = np.where(np.isfinite(found), found, 0.0)
            good = [line_differences.good_step(rows(d, tau), h, steps.rows / h) for d, tau, h in along]
        steps.q, steps.t = np.array(good[:-1]), good[-1]
        return steps

    def _rows(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """φ and ψ."""
        return np.concatenate([self.position(q, t), self.psi(q, v, t)])

    def _step(
        self, q: FloatArray, t: float, d: FloatArray, tau: float, sizes: FloatArray
    ) -> tuple[float, float, float]:
        """The step along a line with which differences begin, how many such steps it passes per
        unit of ε, and how much longer they may become because rounding of q or t hides them."""
        steps = self.steps
        speed = max(abs(tau) / float(steps.t), float((np.abs(d) / sizes).max()))
        far = max(1.0, FAR * float((np.abs(q) / self.scales.q).max(initial=0.0)))
        far = max(far, FAR * abs(t) / float(steps.t)) if tau != 0.0 else far
        return (1.0 / speed if speed > 0.0 else 0.0), speed, far

    def _along(self, q: FloatArray, t: float, d: FloatArray, tau: float, order: int = 1) -> FloatArray:
        """First or second derivative of φ along (q ⊕ εd, t + ετ)."""
        h, speed, far = self._step(q, t, d, tau, self.steps.q)
        if h == 0.0:
            return np.zeros(self.m_phi)

        def phi(e: float) -> FloatArray:
            return self.position(self.move(q, e * d), t + e * tau)

        sizes = self.steps.rows[: self.m_phi] * speed
        if order == 1:
            return line_differences.first(phi, h, sizes, far)
        return line_differences.second(phi, LONGER * h, H1 * speed * sizes, far)

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
        place = q.tobytes(), t  # a step asks several times at the same one
        if self._kept is None or self._kept[0] != place:
            self._kept = place, np.array([self._along(q, t, e, 0.0) for e in np.eye(self.nv)]).T
        return self._kept[1]

    def phi_t(self, q: FloatArray, t: float) -> FloatArray:
        """∂φ/∂t."""
        if self.phi_t_ is not None:
            return checks.returned("phi_t", self.phi_t_(q, t), (self.m_phi,), t)
        return self._along(q, t, np.zeros(self.nv), 1.0)

    def rate(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """φ̇ = G v + φ_t."""
        if self.phi_ is None:
            return np.zeros(0)
        if self.G_ is not None:
            return self.G(q, t) @ v + self.phi_t(q, t)
        return self._along(q, t, v, 1.0) if self.phi_t_ is None else self._along(q, t, v, 0.0) + self.phi_t(q, t)

    def b(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """G a − φ̈: what the acceleration level asks of G a."""
        if self.phi_ is None:
            return np.zeros(0)
        if self.b_ is not None:
            return checks.returned("b", self.b_(q, v, t), (self.m_phi,), t)
        if self.G_ is None or self.phi_t_ is None:
            return -self._along(q, t, v, 1.0, order=2)
        h, speed, far = self._step(q, t, v, 1.0, self.steps.q)
        if h == 0.0:
            return np.zeros(self.m_phi)
        sizes = self.steps.rows[: self.m_phi] * speed
        return -line_differences.first(lambda e: self.rate(self.move(q, e * v), v, t + e), h, sizes, far)

    def bent(self, q: FloatArray, v: FloatArray, a: FloatArray, t: float) -> FloatArray:
        """φ̈ = G a − b."""
        along_a = self._along(q, t, a, 0.0) if self.phi_ is not None and self.G_ is None else self.G(q, t) @ a
        return along_a - self.b(q, v, t)

    def curvature(self, q: FloatArray, lam: FloatArray, t: float) -> FloatArray:
        """(Gᵀλ)_q, well enough for corrections: mixed differences of λᵀφ."""
        H, steps = np.zeros((self.nv, self.nv)), SKETCH * self.steps.q
        moved = [self.move(q, h * e) for h, e in zip(steps, np.eye(self.nv), strict=True)]
        start, alone = (lam @ self.position(q, t)), [lam @ self.position(place, t) for place in moved]
        for k, place in enumerate(moved):
            for j in range(0 if self.retracts else k, self.nv):
                both = lam @ self.position(self.move(place, steps[j] * np.eye(self.nv)[j]), t)
                H[j, k] = ((both - alone[k]) - (alone[j] - start)) / (steps[j] * steps[k])
                H[k, j] = H[k, j] if self.retracts else H[j, k]
        return H

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
        columns = []
        for e in np.eye(self.nv):
            h, speed, far = self._step(q, t, e, 0.0, self.steps.v)
            sizes = self.steps.rows[self.m_phi :] * speed
            columns.append(line_differences.first(lambda x, e=e: self.psi(q, v + x * e, t), h, sizes, far))  # type: ignore[misc]
        return np.array(columns).T

    def psi_rest(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """ψ_q v + ψ_t, the part of ψ̇ without acceleration."""
        if self.psi_ is None:
            return np.zeros(0)
        if self.psi_rest_ is not None:
            return checks.returned("psi_rest", self.psi_rest_(q, v, t), (self.m - self.m_phi,), t)
        h, speed, far = self._step(q, t, v, 1.0, self.steps.q)
        sizes = self.steps.rows[self.m_phi :] * speed
        return line_differences.first(lambda e: self.psi(self.move(q, e * v), v, t + e), h, sizes, far)

    # ---- all rows

    def matrix(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """[G; ψ_v]."""
        return np.concatenate([self.G(q, t), self.psi_v(q, v, t)])

    def velocity(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """[φ̇; ψ]."""
        return np.concatenate([self.rate(q, v, t), self.psi(q, v, t)])

    def acceleration(self, q: FloatArray, v: FloatArray, a: FloatArray, t: float) -> FloatArray:
        """[φ̈; ψ̇]."""
        return np.concatenate([self.bent(q, v, a, t), self.psi_v(q, v, t) @ a + self.psi_rest(q, v, t)])


def _rows(name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> int:
    """How many numbers a constraint function returns."""
    with naming_functions():
        found = function(*(x.copy() if isinstance(x, np.ndarray) else x for x in arguments))
    value = np.zeros(()) if found is None else real_array(f"what {name} returns", found, "a vector")
    if value.ndim != 1 or value.size == 0:
        raise InputError(f"{name} must return a vector with one number per constraint, received shape {value.shape}")
    return value.size
