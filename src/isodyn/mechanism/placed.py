"""Bodies and nodes of a mechanism where a state puts them, for parts that users wrote in Python.

What a user's function does along the frame of a body, (ṙ, ω), goes over to its velocities by T: the
identity for bodies. Of nodes of beams (isodyn.mechanism.nodes) also what their frame adds to φ̈, to
∂(Tᵀg)/∂q and to ∂(T q̇)/∂q.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.bodies.body import GROUND
from isodyn.bodies.pose import Pose
from isodyn.joints.measures import POSE, R_, STRETCH, STRETCHING, TURN, V_, W_
from isodyn.kernels.compiled import POSITION, FloatArray, IntArray
from isodyn.mechanism.poses import map_of_node
from isodyn.mechanism.system import MechanismSystem
from isodyn.parts.layout import BODY, COLUMNS, F_POSE, I_BODY

# what their frames have of (ṙ, ω)
_NODES = {"node": np.array([0, 1, 5]), "cable": np.array([0, 1, 2, 4, 5])}


class PlacedBodies:
    """The compiled model of a mechanism with its poses at hand."""

    def __init__(self, system: MechanismSystem) -> None:
        self.system, self.scratch = system, system.scratch.copy()
        self.pf, self.pi = self.scratch.values().values()
        n = len(system.bodies)
        table = self.pi[self.pi[I_BODY] : self.pi[I_BODY] + BODY * n].reshape(n, BODY)
        self.columns = [
            _NODES[body.kind] if body.of_beam else np.flatnonzero(row[COLUMNS : COLUMNS + 6] >= 0)
            for body, row in zip(system.bodies, table, strict=True)
        ]

    def ask(self, what: int, t: float, q: Any, v: Any, a: Any, lam: Any, c: Any, out: FloatArray) -> int:
        """A question to the compiled part; places the bodies."""
        return int(self.system.function(what, t, q, v, a, lam, c, self.system.tables, self.scratch, out))

    def place(self, q: FloatArray, v: FloatArray) -> None:
        c, lam = np.array([1.0, 0.0, 0.0, 1.0]), np.zeros(len(self.system.layout.rows))
        self.ask(POSITION, 0.0, q, v, v, lam, c, np.zeros(lam.size))

    def numbers(self, name: str) -> FloatArray:
        """The pose of a body that was placed, as the kernels write it (isodyn.joints.measures)."""
        o = int(self.pi[F_POSE]) + POSE * self.system.layout.number[name]
        return self.pf[o : o + POSE].copy()

    def pose(self, name: str) -> Pose:
        """The same as users see it."""
        p = self.numbers(name)
        return Pose(p[:3], p[R_:V_].reshape(3, 3), p[V_:W_], p[W_:TURN])

    def places(self, name: str) -> tuple[IntArray, IntArray]:
        """Which of (ṙ, ω) a body has, and where its velocities are in v."""
        if name == GROUND:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        own = self.system.v_of(name)
        return self.columns[self.system.layout.number[name]], np.arange(own.start, own.stop)

    def of_beam(self, name: str) -> bool:
        """Whether it is a node."""
        return name != GROUND and self.system.bodies[self.system.layout.number[name]].of_beam

    def map(self, name: str) -> FloatArray:
        """T."""
        kept, where = self.places(name)
        if not self.of_beam(name):
            return np.eye(where.size)
        return map_of_node(self.numbers(name), self.system.v_of(name))[kept]

    def pulled(self, name: str, g: FloatArray) -> FloatArray:
        """Tᵀg."""
        return np.asarray(g @ self.map(name)) if self.of_beam(name) else g

    def rest(self, name: str) -> FloatArray:
        """(r̈, ω̇) − T a."""
        p, full = self.numbers(name), np.zeros(6)
        if self.of_beam(name):
            full[3:] = -2.0 * p[STRETCHING] * p[W_:TURN]
        return np.asarray(full[self.places(name)[0]])

    def curvature(self, name: str, g: FloatArray) -> FloatArray:
        """∂(Tᵀg)/∂q of a constant g."""
        kept, where = self.places(name)
        found = np.zeros((where.size, where.size))
        if self.of_beam(name):
            p, dim, full = self.numbers(name), where.size // 2, np.zeros(6)
            full[kept] = g
            C = np.zeros((3, 3))
            C[0, 1] = C[1, 0] = -full[5]
            C[0, 2] = C[2, 0] = full[4]
            R = p[R_:V_].reshape(3, 3)
            found[dim:, dim:] = (R @ C @ R.T)[:dim, :dim] / p[STRETCH] ** 2
        return found

    def turning(self, name: str) -> FloatArray:
        """∂(T q̇)/∂q."""
        kept, where = self.places(name)
        full = np.zeros((6, where.size))
        if self.of_beam(name):
            p, dim = self.numbers(name), where.size // 2
            w, rho, R = p[W_:TURN], p[STRETCHING], p[R_:V_].reshape(3, 3)
            turn = np.array([[-w[1], 0.0, rho], [-w[2], -rho, 0.0]]) @ R.T / p[STRETCH]
            full[4:, dim:] = turn[:, :dim]
        return full[kept]


def joined(blocks: list[FloatArray]) -> FloatArray:
    """Blocks along the diagonal."""
    found = np.zeros((sum(x.shape[0] for x in blocks), sum(x.shape[1] for x in blocks)))
    i = j = 0
    for x in blocks:
        found[i : i + x.shape[0], j : j + x.shape[1]] = x
        i, j = i + x.shape[0], j + x.shape[1]
    return found
