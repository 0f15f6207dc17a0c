"""Bodies and nodes of a mechanism where a state puts them, for parts that users wrote in Python.

What a user's function does along the frame of a body, (ṙ, ω), goes over to its velocities by T: the
identity for bodies. Of nodes of beams (isodyn.multibody.nodes) also what their frame adds to φ̈, to
∂(Tᵀg)/∂q and to ∂(T q̇)/∂q.
"""

from __future__ import annotations

import numpy as np

from isodyn.bodies.body import GROUND
from isodyn.bodies.pose import Pose
from isodyn.joints.measures import Pose as Numbers
from isodyn.kernels.compiled import POSITION, FloatArray, IntArray
from isodyn.mechanism.poses import map_of_node
from isodyn.mechanism.system import MechanismSystem

# what their frames have of (ṙ, ω)
_NODES = {"node": np.array([0, 1, 5]), "cable": np.array([0, 1, 2, 4, 5])}


class PlacedBodies:
    """The compiled model of a mechanism with its poses at hand."""

    def __init__(self, system: MechanismSystem) -> None:
        self.system, self.scratch = system, system.scratch.copy()
        self.columns = [
            _NODES[body.kind] if body.of_beam else np.flatnonzero(data.columns >= 0)
            for body, data in zip(system.bodies, system.tables.bodies, strict=True)
        ]

    def ask(
        self,
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        c: FloatArray,
        out: FloatArray,
    ) -> int:
        """A question to the compiled part; places the bodies."""
        return int(self.system.function(what, t, q, v, a, lam, c, self.system.tables, self.scratch, out))

    def place(self, q: FloatArray, v: FloatArray) -> None:
        c, lam = np.array([1.0, 0.0, 0.0, 1.0]), np.zeros(len(self.system.layout.rows))
        self.ask(POSITION, 0.0, q, v, v, lam, c, np.zeros(lam.size))

    def numbers(self, name: str) -> Numbers:
        """The pose of a body that was placed, as the kernels write it."""
        found: Numbers = self.scratch.poses[self.system.layout.number[name]]
        return found.copy()

    def pose(self, name: str) -> Pose:
        """The same as users see it."""
        p = self.scratch.poses[self.system.layout.number[name]]
        return Pose(*(np.array(x) for x in (p.position, p.R, p.v, p.w)))

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
        p = self.numbers(name)
        return map_of_node(p.R, p.stretch, self.system.v_of(name))[kept]

    def pulled(self, name: str, g: FloatArray) -> FloatArray:
        """Tᵀg."""
        return np.asarray(g @ self.map(name)) if self.of_beam(name) else g

    def rest(self, name: str) -> FloatArray:
        """(r̈, ω̇) − T a."""
        p, full = self.numbers(name), np.zeros(6)
        if self.of_beam(name):
            full[3:] = -2.0 * p.stretching * p.w
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
            found[dim:, dim:] = (p.R @ C @ p.R.T)[:dim, :dim] / p.stretch**2
        return found

    def turning(self, name: str) -> FloatArray:
        """∂(T q̇)/∂q."""
        kept, where = self.places(name)
        full = np.zeros((6, where.size))
        if self.of_beam(name):
            p, dim = self.numbers(name), where.size // 2
            w, rho = p.w, p.stretching
            turn = np.array([[-w[1], 0.0, rho], [-w[2], -rho, 0.0]]) @ p.R.T / p.stretch
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
