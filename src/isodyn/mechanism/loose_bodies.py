"""Bodies that nothing holds."""

from __future__ import annotations

import warnings
from collections import Counter

from isodyn.bodies.body import GROUND
from isodyn.errors import IsodynWarning
from isodyn.joints.user import UserRows
from isodyn.joints.words import Row
from isodyn.loads.part import Law
from isodyn.mechanism.beam_part import resolve
from isodyn.mechanism.parts import Parts


def warn_of_loose_bodies(parts: Parts, rows: list[Row], laws: list[Law], user: list[UserRows]) -> None:
    """Bodies that nothing connects to the rest of a mechanism are an oversight more often than not:
    warn by name."""
    of_beam = {body.name: beam.start for beam in parts.lines.values() for body in beam.bodies}
    of_beam |= {one.name: part.interfaces[0].name for part in parts.flexible.values() for one in part.members}
    starts = {beam.start: name for name, beam in parts.lines.items()}
    starts |= {part.interfaces[0].name: name for name, part in parts.flexible.items()}
    leader = {name: name for name in (*parts.bodies, *starts, GROUND)}

    def find(name: str) -> str:
        name = resolve(name, parts.lines)
        name = of_beam.get(name, name)
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    ties = [(word.first, word.second) for row in rows for _, word in row.terms]
    ties += [(term[0][1].first, term[-1][1].second) for term in (row.terms for row in rows) if len(term) > 1]
    ties += [(law.word.first, law.word.second) for law in laws] + [
        ((GROUND, *part.bodies)[-2], part.bodies[-1]) for part in user
    ]
    for first, second in ties:
        leader[find(first)] = find(second)
    titles = {name: name for name in parts.bodies} | starts
    sizes = Counter(find(name) for name in titles)
    main = find(GROUND) if find(GROUND) in sizes else max(sizes, key=lambda name: sizes[name])
    loose = [shown for name, shown in titles.items() if find(name) != main]
    if not loose or not (rows or user):
        return
    warnings.warn(
        f"no joint and no spring holds {', '.join(map(repr, loose))}: free bodies beside the mechanism",
        IsodynWarning,
        stacklevel=4,
    )
