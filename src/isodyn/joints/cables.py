"""What a node of a cable can offer to joints and force elements: its point and its tangent.

A cable does not resist twisting, so nothing but the tangent turns with it. Words that use another
direction fixed in a node are refused.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from isodyn.bodies.body import Body
from isodyn.errors import InputError
from isodyn.joints import measures as at
from isodyn.joints.words import Word
from isodyn.kernels.compiled import FloatArray

NODE = "a node of a cable in space: it has a point and a tangent, no twist"
# directions in the first and in the second body
_AXES = {at.AXES: ("a", "c"), at.OFFSET: ("a", None)}


def refuse_twist(what: str, words: Iterable[Word], bodies: dict[str, Body]) -> None:
    """InputError for words that need the full frame of a node of a cable."""
    for word in words:
        for side, name in enumerate((word.first, word.second)):
            if name not in bodies or bodies[name].kind != "cable":
                continue
            axis = _AXES.get(word.kind, (None, None))[side]
            used = [(word.numbers.s_i, word.numbers.s_j)[side]]
            if axis is not None:
                used.append(getattr(word.numbers, axis))
            if word.kind not in (at.POINT, at.LENGTH, *_AXES) or any(_aside(x) for x in used):
                raise InputError(
                    f"{what} needs a full frame, but {name!r} is {NODE}",
                    hint="Spherical holds its point; a Hinge about its tangent clamps it",
                    argument="between",
                )


def _aside(x: FloatArray) -> bool:
    """Whether a direction of a node leaves its tangent, the first axis."""
    return bool(np.abs(x[1:]).max() > 1e-9 * max(1.0, float(np.abs(x[0]))))
