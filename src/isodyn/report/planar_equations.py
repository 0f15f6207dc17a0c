"""Planar mechanisms and particles in symbols, written down from their bodies, joints and loads.

Bodies have (x, y, θ), particles (x, y, z); with P = r + R s, d = P_j − P_i the measures of
isodyn.joints.measures are

    POINT u·(P_i − P_j)     AXES (R_i a)·(R_j c)     OFFSET (R_i a)·d     LENGTH |d|     PLANAR_ANGLE θ_j − θ_i − start

and a law f along a measure x adds −∂x/∂q f to Q.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from isodyn.bodies.body import GROUND
from isodyn.errors import InputError
from isodyn.expressions.time import Polynomial, Sine, as_time_function
from isodyn.joints import measures as at
from isodyn.joints.words import Word
from isodyn.loads.laws import BODY_TORQUE, FOLLOWER, FORCE, TORQUE, SpeedLaw, SpringLaw
from isodyn.loads.part import OnBody
from isodyn.mechanism.hybrid import UserMechanismSystem
from isodyn.mechanism.system import MechanismSystem
from isodyn.report.equations import Equations, symbols
from isodyn.report.tracing import number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sympy import Expr, Symbol
    from sympy import Matrix as SymbolicMatrix

    from isodyn.open_types import Numbers


class _Frames:
    """Positions and matrices of all bodies in symbols."""

    def __init__(self, system: MechanismSystem, q: tuple[Any, ...]) -> None:
        zero, one = sympy.zeros(3, 1), sympy.eye(3)
        self.r, self.R, self.angle = {GROUND: zero}, {GROUND: one}, {GROUND: sympy.Integer(0)}
        for body in system.bodies:
            own = q[system.q_of(body.name)]
            if body.kind == "planar":
                c, s = sympy.cos(own[2]), sympy.sin(own[2])
                self.r[body.name] = sympy.Matrix([own[0], own[1], 0])
                self.R[body.name] = sympy.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])
                self.angle[body.name] = own[2]
            else:
                self.r[body.name], self.R[body.name], self.angle[body.name] = sympy.Matrix(own), one, sympy.Integer(0)

    def point(self, body: str, s: Iterable[float]) -> SymbolicMatrix:
        return self.r[body] + self.R[body] * _vector(s)

    def measure(self, word: Word) -> Expr:
        """The measure of a word."""
        k, (i, j) = word.numbers, (word.first, word.second)
        way = self.point(j, k.s_j) - self.point(i, k.s_i)
        a = _vector(k.a)
        if word.kind == at.POINT:
            return -(_vector(k.u).T * way)[0]
        if word.kind == at.OFFSET:
            return ((self.R[i] * a).T * way)[0]
        if word.kind == at.AXES:
            return ((self.R[i] * a).T * self.R[j] * _vector(k.c))[0]
        if word.kind == at.LENGTH:
            return sympy.sqrt(sum(x**2 for x in way))
        if word.kind == at.PLANAR_ANGLE:
            return self.angle[j] - self.angle[i] - number(float(k.zero))
        raise InputError(f"a measure between {i!r} and {j!r} has no formula here: it is made for bodies in space")


def of_mechanism(system: MechanismSystem) -> Equations:
    """The equations of a mechanism of planar bodies and particles."""
    if system.beams or any(body.kind not in ("planar", "particle") for body in system.bodies):
        raise InputError(
            "formulas are written for planar bodies and particles; this mechanism has bodies in space or beams",
            hint='kind="planar" of add_body',
        )
    if isinstance(system, UserMechanismSystem):
        raise InputError("users' rows and loads of a mechanism are functions of numbers: they have no formula here")
    t, q, v = symbols(system.names, system.v_names)
    frames, rates = _Frames(system, q), sympy.Matrix(v)
    phi = []
    for row in system.rows:
        if not row.holonomic:
            raise InputError(f"the row {row.name!r} is not holonomic: it has no formula here")
        phi.append(sum(number(w) * frames.measure(word) for w, word in row.terms) - _time(row.target, t))
    masses = [[b.mass, b.mass, b.inertia[2, 2] if b.kind == "planar" else b.mass] for b in system.bodies]
    gravity = []
    for body in system.bodies:
        x, y, z = body.mass * system.layout.gravity
        gravity += [x, y, 0.0 if body.kind == "planar" else z]
    Q = sympy.Matrix([number(x) for x in gravity])
    for law in system.layout.laws:
        x = frames.measure(law.word)
        slope = sympy.Matrix([x]).jacobian(list(q))
        Q -= slope.T * _law(law, x, (slope * rates)[0], t)
    for load in system.layout.loads:
        Q += _load(system, frames, q, load) * (1 if load.time is None else _time(load.time, t))
    M = sympy.diag(*(number(m) for m in np.ravel(masses)))
    return Equations(t, q, v, M, Q, sympy.Matrix(len(phi), 1, phi), sympy.zeros(0, 1))


def _vector(values: Iterable[float]) -> SymbolicMatrix:
    return sympy.Matrix([number(float(x)) for x in values])


def _law(law: Any, x: Expr, rate: Expr, t: Symbol) -> Expr:
    """The force along a measure."""
    shift = sympy.Integer(0) if law.shift is None else _time(law.shift, t)
    force = law.force
    if isinstance(force, SpringLaw):
        k, c, rest, cubic = (number(float(n)) for n in (force.stiffness, force.damping, force.rest, force.cubic))
        y = x - rest - shift
        return k * y + cubic * y**3 + c * rate
    if isinstance(force, SpeedLaw):
        return -shift if force.is_effort else number(float(force.damping)) * (rate - shift)
    raise InputError("limits and friction have no formula here")


def _load(system: MechanismSystem, frames: _Frames, q: tuple[Any, ...], load: OnBody) -> SymbolicMatrix:
    """A force or torque on one body as a column."""
    F, Q = _vector(load.vector), sympy.zeros(len(q), 1)
    if load.kind in (FORCE, FOLLOWER):
        P = frames.point(load.body, load.point)
        return P.jacobian(list(q)).T * (F if load.kind == FORCE else frames.R[load.body] * F)
    if load.kind in (TORQUE, BODY_TORQUE):
        Q[system.q_of(load.body).start + 2] = F[2]
        return Q
    raise InputError("drag has no formula here")


def _time(value: Numbers, t: Symbol) -> Expr:
    """A number or a function of time."""
    function = as_time_function("a function of time", value)
    if isinstance(function, Polynomial):
        return sum((number(float(c)) * t**k for k, c in enumerate(function.numbers)), sympy.Integer(0))
    if isinstance(function, Sine):
        offset, amplitude, omega, phase = (number(float(x)) for x in function.numbers)
        return offset + amplitude * sympy.sin(omega * t + phase)
    raise InputError(
        f"{type(value).__name__} is defined in pieces: it has no formula here", hint="Polynomial and Sine have"
    )
