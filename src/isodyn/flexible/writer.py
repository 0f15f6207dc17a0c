"""Writes the tables of flexible bodies (isodyn.flexible.tables), by the names of their fields."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isodyn.flexible.craig_bampton import ReducedBody
from isodyn.flexible.tables import FlexibleTables
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.parts.block_pattern import BlockPattern


class FlexibleWriter:
    """Tables of reduced bodies; `members` are the numbers of their interfaces and modes among the
    bodies of the mechanism."""

    def __init__(self, bodies: Sequence[ReducedBody], members: Sequence[Sequence[int]]) -> None:
        self.bodies, self.members = bodies, members

    def sizes(self) -> dict[str, int]:
        """Sizes of the tables."""
        return {
            "flexible_bodies": len(self.bodies),
            "flexible_members": sum(len(one) for one in self.members),
            "flexible_blocks": sum(len(one) ** 2 for one in self.members),
            "flexible_points": sum(len(one.names) for one in self.bodies),
            "flexible_moments": sum(one.moments.size for one in self.bodies),
            "flexible_inertia": sum(one.inertia.size for one in self.bodies),
            "flexible_matrices": sum(one.stiffness.size for one in self.bodies),
            "flexible_stiffening": sum(_stiffening(one).size for one in self.bodies),
        }

    def scratch_sizes(self) -> dict[str, int]:
        """Sizes of the scratch memory: those of the largest body."""
        sizes = [one.stiffness.shape[0] for one in self.bodies]
        return {
            "flexible_hat": max(sizes, default=0) + 1 if sizes else 0,
            "flexible_size": max(sizes, default=0) + 6 if sizes else 0,
            "flexible_interfaces": max((len(one.names) for one in self.bodies), default=0),
        }

    def write(self, tables: FlexibleTables, first_q: IntArray, pattern: BlockPattern, sparse: bool) -> None:
        """Fill the tables."""
        bodies, numbers = self.bodies, [k for one in self.members for k in one]
        tables.bodies.fill(
            mass=[one.mass for one in bodies],
            interfaces=[len(one.names) for one in bodies],
            modes=[one.modes for one in bodies],
            stiffens=[int(one.stiffening is not None) for one in bodies],
            first_member=_starts(len(one) for one in self.members),
            first_block=_starts(len(one) ** 2 for one in self.members),
            first_point=_starts(len(one.names) for one in bodies),
            first_moment=_starts(one.moments.size for one in bodies),
            first_inertia=_starts(one.inertia.size for one in bodies),
            first_matrix=_starts(one.stiffness.size for one in bodies),
            first_stiffening=_starts(_stiffening(one).size for one in bodies),
        )
        tables.members.fill(
            body=numbers,
            first_q=[first_q[k] for k in numbers],
            first_v=[pattern.first[k] for k in numbers],
            stride=[pattern.stride(k, sparse) for k in numbers],
        )
        tables.blocks = [pattern.block(i, j, sparse) for one in self.members for i in one for j in one]
        if bodies:
            tables.points = np.concatenate([one.centres - one.centres[0] for one in bodies])
        tables.moments = _joined(one.moments for one in bodies)
        tables.inertia = _joined(one.inertia for one in bodies)
        tables.stiffness = _joined(one.stiffness for one in bodies)
        tables.damping = _joined(one.damping for one in bodies)
        tables.stiffening = _joined(_stiffening(one) for one in bodies)


def _stiffening(body: ReducedBody) -> FloatArray:
    return np.zeros(0) if body.stiffening is None else body.stiffening


def _joined(arrays: object) -> FloatArray:
    return np.concatenate([np.zeros(0), *(np.ravel(one) for one in arrays)])  # type: ignore[attr-defined]


def _starts(sizes: object) -> list[int]:
    return [0, *np.cumsum(list(sizes))[:-1].tolist()] if (sizes := list(sizes)) else []  # type: ignore[call-overload]
