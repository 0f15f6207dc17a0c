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
from isodyn.joints.words import Word, arm
from isodyn.kernels.compiled import FloatArray

NODE = "a node of a cable in space: it has a point and a tangent, no twist"
# directions in the first and in the second body
_AXES = {at.AXES: ("a", "c"), at.OFFSET: ("a", None)}


def refuse_twist(what: str, words: Iterable[Word], bodies: dict[str, Body]) -> None:
    """InputError for words that need the full frame of a node of a cable."""
    for word in words:
        for side, name in enumerate((word.first, word.second)):
            if name in bodies and bodies[name].is_point_of_rod and (word.numbers.s_i, word.numbers.s_j)[side].any():
                raise _nothing_aside(what, bodies[name])
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


def refuse_twisted_shapes(what: str, words: Iterable[Word], bodies: dict[str, Body]) -> None:
    """InputError for gaps and slips that need the full frame of a node of a cable: points aside of
    its tangent, planes and boxes that it carries, bodies that are not balls."""
    for word in words:
        for side, name in enumerate((word.first, word.second)):
            if name not in bodies:
                continue
            arms = word.numbers.s_i, word.numbers.s_j
            if bodies[name].is_point_of_rod and (arms[side].any() or _is_framed(word, side)):
                raise _nothing_aside(what, bodies[name])
            if bodies[name].kind == "cable" and _is_framed(word, side):
                raise InputError(
                    f"{what} needs a full frame, but {name!r} is {NODE}",
                    hint="a ball or a point at the node itself; or a rod, add_beam(…, model='exact')",
                    argument="between",
                )


def _is_framed(word: Word, side: int) -> bool:
    """Whether what turns with a body besides its tangent makes a difference to a gap or slip."""
    numbers = word.numbers
    if _aside((numbers.s_i, numbers.s_j)[side]):
        return True
    if word.kind == at.OFFSET:
        return side == 0 and _aside(numbers.a)
    if word.kind in (at.CONTACT, at.SLIP):
        is_ball = np.array_equal(numbers.shape, numbers.shape[0, 0] * np.eye(3)) and numbers.rim == 0.0
        return side == 1 or not is_ball
    if word.kind in (at.BALL, at.BALL_SLIP):
        return side == 1 and bool(np.any(numbers.half))
    return word.kind not in (at.POINT, at.LENGTH)


def refuse_point_aside(what: str, body: Body, P: FloatArray) -> None:
    """InputError for a point of the world that is to move with a node which has no frame: of a
    cable aside of its tangent, of a rod in absolute nodal coordinates aside of the node."""
    off = arm(body, P)
    if (body.kind == "cable" and _aside(off)) or (body.is_point_of_rod and off.any()):
        raise _nothing_aside(what, body)


def _nothing_aside(what: str, body: Body) -> InputError:
    """The error for what is to turn with a node that does not."""
    node = NODE if body.kind == "cable" else "a point of a rod in absolute nodal coordinates, which does not turn"
    return InputError(
        f"{what}: nothing aside of {body.name!r} moves with it, {node}",
        hint="the node itself; or a rod, add_beam(…, model='exact')",
        argument="point",
    )


def _aside(x: FloatArray) -> bool:
    """Whether a direction of a node leaves its tangent, the first axis."""
    return bool(np.abs(x[1:]).max() > 1e-9 * max(1.0, float(np.abs(x[0]))))
