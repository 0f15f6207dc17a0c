"""Degrees of freedom of a mechanism, and the joints that lock what others lock already.

    freedoms of velocity    nv − rank G              freedoms of position    nv − rank G_φ     (larger with rolling)
    Grübler and Kutzbach    nv − rows                counts rows only; dependent rows make it too small

The rank is that of the assembled position. A singular position has more freedoms than its
neighbours; one is looked at, a small way along the freedoms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.kernels.compiled import FloatArray
from isodyn.linear_solvers.rows import choose
from isodyn.notebook_views import ShownInNotebooks
from isodyn.systems.compiled_system import settled
from isodyn.systems.manifold import close, freedoms, moving
from isodyn.systems.questions import Questions
from isodyn.systems.scales import pace

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem

ASIDE = 1e-3  # how far aside a neighbouring position is looked for, in typical lengths and radians
SHARED = 1e-6  # rows with a larger part in a dependence take part in it


@dataclass(frozen=True, eq=False)
class Mobility(ShownInNotebooks):
    """What `mech.mobility()` found; `print` shows it."""

    bodies: int
    nv: int
    rows: int
    rank: int
    freedoms: int
    position_freedoms: int
    nearby: int
    redundant: dict[str, tuple[str, ...]]
    sharing: tuple[str, ...]
    singular_values: FloatArray
    motions: FloatArray
    at_rest: tuple[str, ...]

    @property
    def kutzbach(self) -> int:
        """Freedoms of the bodies less rows of the joints."""
        return self.nv - self.rows

    @property
    def redundant_rows(self) -> int:
        return self.rows - self.rank

    def __str__(self) -> str:
        lines = [
            f"{_count(self.freedoms, 'degree')} of freedom:"
            f" {self.nv} of {_count(self.bodies, 'body', 'bodies')} less {self.rank} independent of {_count(self.rows, 'row')}"
        ]
        if self.position_freedoms != self.freedoms:
            lines.append(f"  in position {self.position_freedoms}: rolling limits velocities only")
        if self.kutzbach != self.freedoms:
            lines.append(
                f"  Grübler and Kutzbach count {self.nv} − {self.rows} = {self.kutzbach}: dependent rows deceive them"
            )
        if self.redundant:
            named = "; ".join(
                f"{joint} ({', '.join(row.removeprefix(f'{joint}: ') for row in rows)})"
                for joint, rows in self.redundant.items()
            )
            lines.append(f"  {_count(self.redundant_rows, 'redundant row')}: {named}")
            lines.append(
                f"  the dependence is shared by {', '.join(self.sharing)}; reactions inside it are indeterminate"
            )
        if self.nearby != self.freedoms:
            lines.append(f"  singular position: {self.nearby} in a neighbouring one")
        if self.freedoms and self.at_rest:
            lines.append(f"  cannot move: {', '.join(self.at_rest)}")
        if self.singular_values.size:
            s = self.singular_values
            shown = ", ".join(f"{x:.2g}" for x in (s if s.size <= 8 else [*s[:3], *s[-5:]]))
            lines.append(f"  singular values of the rows: {shown}" + (f" ({s.size} in all)" if s.size > 8 else ""))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Mobility: {self}>"


def mobility(system: MechanismSystem, q: ArrayLike | None = None, t: float = 0.0) -> Mobility:
    """Of a compiled mechanism at q (its start, assembled, when left out)."""
    ask, still = Questions(system), np.zeros(system.nv)
    at = close(ask, t, system.q0).q if q is None else settled(system, np.asarray(q, dtype=np.float64))
    G = ask.G(t, at, still)
    N, values, rank = freedoms(G, system.scales.v)
    position = N.shape[1] if system.m == system.m_phi else freedoms(G[: system.m_phi], system.scales.v)[0].shape[1]
    dropped = choose(G * system.scales.v).dropped if rank < system.m else np.zeros(0, dtype=np.int64)
    owner = {row: name for name, parts in system.joints.items() for row in parts.rows}
    redundant: dict[str, tuple[str, ...]] = {}
    for row in dropped:
        redundant[owner[int(row)]] = (*redundant.get(owner[int(row)], ()), system.row_names[row])
    moved = [
        name
        for name in (b.name for b in system.bodies if b.is_body)
        if np.abs(N[system.v_of(name)] / system.scales.v[system.v_of(name), None]).max(initial=0.0) < 1e-9
    ]
    return Mobility(
        bodies=sum(body.is_body for body in system.bodies) + len(system.lines),
        nv=system.nv - system.states,
        rows=system.m,
        rank=rank,
        freedoms=N.shape[1] - system.states,
        position_freedoms=position - system.states,
        nearby=_nearby(ask, t, at, N) - system.states,
        redundant=redundant,
        sharing=_sharing(G * system.scales.v, rank, owner),
        singular_values=values,
        motions=N,
        at_rest=tuple(moved),
    )


def _nearby(ask: Questions, t: float, q: FloatArray, N: FloatArray) -> int:
    """Freedoms a small way aside, the smallest of three ways."""
    if N.shape[1] == 0 or ask.system.m == 0:
        return N.shape[1]
    rng, found = np.random.default_rng(1), N.shape[1]
    for _ in range(3):
        way, sizes = N @ rng.normal(size=N.shape[1]), ask.system.scales.v
        aside = close(ask, t, moving(ask.system)(q, ASIDE / pace(ask.system, way) * way))
        found = min(found, freedoms(ask.G(t, aside.q, np.zeros(ask.system.nv)), sizes)[0].shape[1])
    return found


def _sharing(G: FloatArray, rank: int, owner: dict[int, str]) -> tuple[str, ...]:
    """Joints with rows in some combination yᵀG = 0."""
    if rank == G.shape[0]:
        return ()
    length = np.linalg.norm(G, axis=1)
    left = np.linalg.svd(G / np.where(length > 0, length, 1.0)[:, None])[0]
    part = np.abs(left[:, rank:]).max(axis=1)
    return tuple(dict.fromkeys(owner[row] for row in range(G.shape[0]) if part[row] > SHARED))


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"
