"""Joint accelerations of trees of rigid bodies by recursion, written apart from the package: what
imported robots are compared with.

Bodies are listed outward. Every body has a frame (R, p) in its parent at coordinate zero, a hinge
or slide along an axis in that frame, mass, mass centre and inertia about it in body axes. With
Jacobians J of mass centres and rotations, accelerations J q̈ + β:

    M = Σ m JᵥᵀJᵥ + J_ωᵀ I J_ω,      h = Σ m Jᵥᵀ(βᵥ − g) + J_ωᵀ(I β_ω + ω × I ω),      M q̈ + h = τ + Gᵀλ,   G q̈ = −γ
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.mechanism.assembly import find_coordinate
from isodyn.mechanism.poses import coordinate_at
from isodyn.systems.questions import Questions

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.robots.__main__ import acceleration

GRAVITY = np.array([0.0, 0.0, -9.81])


def rpy(r: float, p: float, y: float) -> Any:
    """Yaw after pitch after roll about fixed axes, written out."""
    cr, sr, cp, sp, cy, sy = np.cos(r), np.sin(r), np.cos(p), np.sin(p), np.cos(y), np.sin(y)
    return (
        np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    )


@dataclass
class Part:
    """A body and the joint before it."""

    parent: int
    axis: Any
    mass: float
    centre: Any
    inertia: Any
    p: Any = (0.0, 0.0, 0.0)
    R: Any = field(default_factory=lambda: np.eye(3))
    slides: bool = False
    armature: float = 0.0


@dataclass
class Motion:
    """A body: rotation, origin, rates and accelerations without q̈, Jacobians."""

    R: Any
    p: Any
    w: Any
    v: Any
    dw: Any
    dv: Any
    Jw: Any
    Jv: Any

    def point(self, s: Any) -> tuple[Any, Any, Any, Any]:
        """Position, Jacobian, velocity and rest of the acceleration of a point of the body."""
        d = self.R @ np.asarray(s, dtype=float)
        J = self.Jv + np.cross(self.Jw.T, d).T
        return (
            self.p + d,
            J,
            self.v + np.cross(self.w, d),
            self.dv + np.cross(self.dw, d) + np.cross(self.w, np.cross(self.w, d)),
        )


def motions(parts: list[Part], q: Any, v: Any) -> list[Motion]:
    """All bodies at these coordinates and rates."""
    n = len(parts)
    ground = Motion(np.eye(3), *(np.zeros(3) for _ in range(5)), np.zeros((3, n)), np.zeros((3, n)))
    found: list[Motion] = []
    for k, part in enumerate(parts):
        up = found[part.parent] if part.parent >= 0 else ground
        e = np.asarray(part.axis, dtype=float) / np.linalg.norm(part.axis)
        p, J, w_p, rest = up.point(part.p)
        R = up.R @ part.R
        axis = R @ e
        Jw, Jv, unit = up.Jw.copy(), J.copy(), np.eye(n)[k]
        if part.slides:
            d = q[k] * axis
            p, vel = p + d, w_p + np.cross(up.w, d) + v[k] * axis
            Jv = Jv + np.cross(up.Jw.T, d).T + np.outer(axis, unit)
            dv = rest + np.cross(up.dw, d) + np.cross(up.w, np.cross(up.w, d)) + 2 * v[k] * np.cross(up.w, axis)
            found.append(Motion(R, p, up.w, vel, up.dw, dv, Jw, Jv))
        else:
            R = R @ Rotation.from_rotvec(q[k] * e).as_matrix()
            Jw = Jw + np.outer(axis, unit)
            w = up.w + v[k] * axis
            found.append(Motion(R, p, w, w_p, up.dw + v[k] * np.cross(up.w, axis), rest, Jw, Jv))
    return found


def balance(parts: list[Part], q: Any, v: Any, gravity: Any = GRAVITY) -> tuple[Any, Any, list[Motion]]:
    """M, h and the motions."""
    bodies = motions(parts, q, v)
    M, h = np.diag([part.armature for part in parts]), np.zeros(len(parts))
    for part, body in zip(parts, bodies, strict=True):
        _, J, _, rest = body.point(part.centre)
        own = body.R @ np.asarray(part.inertia, dtype=float) @ body.R.T
        M = M + part.mass * J.T @ J + body.Jw.T @ own @ body.Jw
        h = (
            h
            + part.mass * J.T @ (rest - np.asarray(gravity))
            + body.Jw.T @ (own @ body.dw + np.cross(body.w, own @ body.w))
        )
    return M, h, bodies


def solved(M: Any, h: Any, tau: Any, G: Any = None, gamma: Any = None) -> Any:
    """q̈, with loops closed by G q̈ = −γ where given; rows may depend on each other."""
    a = np.linalg.solve(M, tau - h)
    if G is None:
        return a
    N = np.linalg.solve(M, G.T)
    return a - N @ np.linalg.lstsq(G @ N, gamma + G @ a, rcond=1e-10)[0]


def of_mechanism(mech: Any, names: list[str], q: Any, v: Any) -> tuple[Any, Any]:
    """Joint accelerations of a mechanism at these coordinates and rates, and its mass matrix in the
    rates of these joints."""
    given = [dict(zip(names, map(float, x), strict=True)) for x in (q, v)]
    system = mech.assemble(positions=given[0], rates=given[1]).system
    sol = iso.integrate(system, dt=1e-7, t_end=1e-7)
    ask = Questions(system)
    rows = [coordinate_at(system, find_coordinate(system, name), system.q0) for name in names]
    assert np.array([x for x, _ in rows]) == pytest.approx(np.asarray(q), abs=1e-10)
    G = np.vstack([ask.G(0.0, system.q0, system.v0), [g for _, g in rows]])
    unit = np.vstack([np.zeros((len(G) - len(names), len(names))), np.eye(len(names))])
    N = np.linalg.lstsq(G, unit, rcond=1e-12)[0]
    M = N.T @ ask.mass(0.0, system.q0, system.v0) @ N
    return np.array([acceleration(sol, mech, name) for name in names]), M
