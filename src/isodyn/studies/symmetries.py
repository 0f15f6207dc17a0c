"""Motions that a symmetry carries along: q(t) = g(t)·q₀, and how small motions about them turn.

A mechanism that turns as a whole with α (world) while some of its bodies spin about axes e of their
own with σ, which changes nothing about them, moves by

    ṙ = exp(tα~) ṙ₀,   R = exp(tα~) R₀ exp(tσe~),   ω = exp(−tσe~) ω₀,      ω₀ = R₀ᵀα + σe,   r̈ = α × ṙ

Increments (δr, ϖ) and their rates turn with it by exp(tX), X = α~ of δr and −σe~ of ϖ. Systems in
coordinates that add have X = 0. docs/derivations/steady_motion.md has the derivation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.exponential import tilde
from isodyn.bodies.pose import rotation_by
from isodyn.bodies.rotations import matrix
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.system import MechanismSystem
from isodyn.systems.base import System
from isodyn.systems.manifold import moving

if TYPE_CHECKING:
    from isodyn.bodies.body import Body

ALIKE = 1e-9  # moments of inertia that differ by less, relative, are equal
FIT = 1e-7  # rates that a symmetry misses by less, relative, are met
MOST = 64  # symmetries that are tried


@dataclass(frozen=True, eq=False)
class Symmetry:
    """α, and σe of every body (of planar ones along z); `generator` is X."""

    system: Any
    alpha: FloatArray
    spins: dict[str, FloatArray]

    @property
    def rate(self) -> float:
        """The fastest turn."""
        return float(max(np.linalg.norm(x) for x in (self.alpha, *self.spins.values())))

    def blocks(self) -> Iterator[tuple[Any, slice, slice]]:
        """Every body with its components of v: positions, rotations."""
        for body in self.system.bodies:
            own = self.system.v_of(body.name)
            many = 2 if body.kind == "planar" else 3
            yield body, slice(own.start, own.start + many), slice(own.start + many, own.stop)

    @property
    def generator(self) -> FloatArray:
        """X over the components of v."""
        X = np.zeros((self.system.nv, self.system.nv))
        for body, r, w in self.blocks():
            many = r.stop - r.start
            X[r, r] = tilde(self.alpha)[:many, :many]
            if body.kind == "spatial":
                X[w, w] = -tilde(self.spins[body.name])
        return X

    def turned(self, s: float) -> FloatArray:
        """exp(sX)."""
        P = np.eye(self.system.nv)
        for body, r, w in self.blocks():
            many = r.stop - r.start
            P[r, r] = rotation_by(s * self.alpha)[:many, :many]
            if body.kind == "spatial":
                P[w, w] = rotation_by(-s * self.spins[body.name])
        return P

    def drift(self, v: FloatArray) -> FloatArray:
        """D of ḋ = w + D d: −ω~ of rotations in space."""
        D = np.zeros((self.system.nv, self.system.nv))
        for body, _, w in self.blocks():
            if body.kind == "spatial":
                D[w, w] = -tilde(v[w])
        return D

    def moved(self, q: FloatArray, v: FloatArray, s: float) -> FloatArray:
        """q after the time s."""
        first, second = np.zeros((2, self.system.nv))
        turn = s * self.alpha
        angle = float(np.linalg.norm(turn))
        W = tilde(turn)
        small = angle < 1e-3
        one = 0.5 - angle**2 / 24 if small else (1 - np.cos(angle)) / angle**2
        two = 1 / 6 - angle**2 / 120 if small else (angle - np.sin(angle)) / angle**3
        way = s * (np.eye(3) + one * W + two * (W @ W))
        for body, r, w in self.blocks():
            many = r.stop - r.start
            first[r] = way[:many, :many] @ v[r]
            if body.kind == "planar":
                first[w] = s * v[w]
            elif body.kind == "spatial":
                first[w] = self._increment(matrix(q[self.system.q_of(body.name)][3:]).T @ turn)
                second[w] = self._increment(s * self.spins[body.name])
        return np.asarray(self.system.retract(self.system.retract(q, first), second)) if self._turns else q + first

    @property
    def _turns(self) -> bool:
        return self.system.retract is not None

    def _increment(self, x: FloatArray) -> FloatArray:
        """A rotation vector as the mechanism's increments are meant."""
        half = 0.5 * float(np.linalg.norm(x))
        return x * (np.tan(half) / half) if self.system.layout.cayley and half > 1e-8 else x


@dataclass(frozen=True, eq=False)
class Straight:
    """q₀ + t v₀ in coordinates that add: X = 0."""

    system: Any
    rate: float = 0.0

    @property
    def generator(self) -> FloatArray:
        return np.zeros((self.system.nv, self.system.nv))

    def turned(self, s: float) -> FloatArray:
        """exp(sX)."""
        return np.eye(self.system.nv)

    def drift(self, v: FloatArray) -> FloatArray:
        """D of ḋ = w + D d."""
        return self.generator

    def moved(self, q: FloatArray, v: FloatArray, s: float) -> FloatArray:
        """q after the time s."""
        return np.asarray(moving(self.system)(q, s * v))


def symmetries(system: System, q: FloatArray, v: FloatArray, a: FloatArray) -> Iterator[Symmetry | Straight]:
    """Those that move as v and a say, bodies that spin by themselves first."""
    if not isinstance(system, MechanismSystem):
        if system.retract is not None:
            raise InputError(
                "linearise about a motion needs a mechanism, or coordinates that add",
                hint="this system has a retract= of its own",
            )
        yield Straight(system)
        return
    if any(body.of_beam for body in system.bodies):
        raise InputError("linearise about a motion is for mechanisms without beams")
    axes = {body.name: _axes(body) for body in system.bodies}
    round_ = [name for name, E in axes.items() if E.shape[1]]
    sets = (some for many in range(len(round_), -1, -1) for some in combinations(round_, many))
    for _, some in zip(range(MOST), sets, strict=False):
        found = _fitted(system, q, v, a, {name: E if name in some else E[:, :0] for name, E in axes.items()})
        if found is not None:
            yield found


def _axes(body: Body) -> FloatArray:
    """Columns: directions about which a body may spin without a change of its inertia."""
    if body.kind == "planar" and not body.of_rod:
        return np.array([[0.0], [0.0], [1.0]])
    if body.kind != "spatial" or body.of_rod:
        return np.zeros((3, 0))
    moments, E = np.linalg.eigh(body.inertia)
    same = [abs(moments[k + 1] - moments[k]) <= ALIKE * moments[2] for k in range(2)]
    if all(same):
        return np.eye(3)
    return E[:, 2:] if same[0] else E[:, :1] if same[1] else np.zeros((3, 0))


def _fitted(
    system: MechanismSystem, q: FloatArray, v: FloatArray, a: FloatArray, axes: dict[str, FloatArray]
) -> Symmetry | None:
    """The smallest α that explains how bodies turn and how their velocities change."""
    lines, right = [], []
    speed = 1e-300
    for body in system.bodies:
        own = system.v_of(body.name)
        many = 2 if body.kind == "planar" else 3
        rate, change, w = np.zeros(3), np.zeros(3), np.zeros(3)
        rate[:many], change[:many] = v[own][:many], a[own][:many]
        lines.append(-tilde(rate))
        right.append(change)
        speed = max(speed, float(np.abs(rate).max()))
        if body.kind == "particle":
            continue
        w[3 - (own.stop - own.start - many) :] = v[own][many:]
        E = axes[body.name]
        free = np.eye(3) - E @ E.T
        R = matrix(q[system.q_of(body.name)][3:]) if body.kind == "spatial" else np.eye(3)
        if body.kind == "planar":
            free[:2] = np.eye(3)[:2]
        lines.append(speed * (free @ R.T))
        right.append(speed * (free @ w))
    A, b = np.concatenate(lines), np.concatenate(right)
    alpha = np.asarray(np.linalg.lstsq(A, b, rcond=1e-9)[0], dtype=np.float64)
    size = max(float(np.abs(b).max()), 1e-300)
    if np.abs(A @ alpha - b).max() > FIT * size:
        return None
    spins = {}
    for body in system.bodies:
        w = np.zeros(3)
        own = system.v_of(body.name)
        if body.kind == "spatial":
            w[:] = v[own][3:] - matrix(q[system.q_of(body.name)][3:]).T @ alpha
        elif body.kind == "planar":
            w[2] = v[own][2] - alpha[2]
        E = axes[body.name]
        spins[body.name] = E @ (E.T @ w)
    return Symmetry(system, alpha, spins)
