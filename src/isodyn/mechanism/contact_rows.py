"""Contacts of a mechanism: a second layout with the same bodies, whose rows are gaps and slips."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from isodyn.errors import InputError, about
from isodyn.joints.cables import refuse_twisted_shapes
from isodyn.joints.unilateral import ContactPart, Gap
from isodyn.joints.words import Row
from isodyn.mechanism.layout import MechanismLayout
from isodyn.mechanism.mesh_rows import with_meshes
from isodyn.mechanism.system import MechanismSystem, make_system
from isodyn.mechanism.world import World
from isodyn.systems.contacts import ContactSet, gap_sizes

Built = list[tuple[str, ContactPart, Gap]]
"""Names of gaps, the contacts that they belong to, and themselves."""


def gaps_of(world: World) -> Built:
    """All gaps of a mechanism, those of meshes behind the others."""
    found: Built = []
    for part in world.parts.contacts.values():
        with about(part.name):
            part.check_numbers()
            gaps = part.build(world)
            words = [word for gap in gaps for word in (*(word for _, word in gap.terms), *gap.slips)]
            bodies = {name: world.body(name) for word in words for name in (word.first, word.second)}
            refuse_twisted_shapes(part.what, words, bodies)
            for gap in gaps:
                label = gap.label if not gap.label or gap.label.startswith("[") else f".{gap.label}"
                found.append((part.name + label, part, gap))
    return [one for one in found if one[2].pair is None] + [one for one in found if one[2].pair is not None]


def rows_of_gaps(built: Built) -> list[Row]:
    """Rows of all gaps, then of all slips."""
    normals = [gap.normal(name) for name, _, gap in built]
    return normals + [row for name, _, gap in built for row in gap.tangents(name)]


def with_contacts(system: MechanismSystem, layout: MechanismLayout, built: Built) -> MechanismSystem:
    """The system with these contacts."""
    if not built:
        return system
    rows = rows_of_gaps(built)
    own = replace(layout, rows=rows, laws=[], loads=[], reactions={}, spreads=[])
    twin = with_meshes(make_system(own, {}), [gap for *_, gap in built])
    tangents = np.array([len(gap.slips) for *_, gap in built])
    tangent = len(built) + np.concatenate([[0], np.cumsum(tangents)])
    names = tuple(name for name, *_ in built)
    if len(set(names)) != len(names):
        raise InputError(f"contacts share names: {', '.join(names)}")
    e, mu, rest = (
        np.array([getattr(part, what) for _, part, _ in built]) for what in ("restitution", "mu", "friction_at_rest")
    )
    sizes = gap_sizes(twin, system.scales.v)
    sizes = np.array([x if gap.pair is None else gap.pair.size for x, (*_, gap) in zip(sizes, built, strict=True)])
    carriers = {k: carriers_of(layout, gap) for k, (*_, gap) in enumerate(built) if gap.carrier is not None}
    found = ContactSet(names, twin, e, mu, tangent.astype(np.int64), sizes, rest, carriers)
    return replace(system, contacts=found)


def carriers_of(layout: MechanismLayout, gap: Gap) -> tuple[tuple[int, float], ...]:
    """Rows of the joint that carries a two-sided contact, those that are forces."""
    first, many = layout.reactions.get(str(gap.carrier), (0, 0))
    if many == 0:
        raise InputError(f"joint {gap.carrier!r} has no reaction force that could press", argument="joint")
    return tuple((row, 1.0) for row in range(first, first + many))
