"""Laws of formulas: which names they may use, and what these measure.

Names: position x, y, z and velocity vx, vy, vz of mass centres, angular velocity wx, wy, wz in the
world, angle and angle_rate of planar bodies; coordinates of joints and their rates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.body import Body
from isodyn.errors import InputError
from isodyn.expressions import compile_formula, parse
from isodyn.expressions.parser import Tree
from isodyn.expressions.time import Formula, Polynomial, as_time_function
from isodyn.joints import measures as words
from isodyn.joints.words import Pair, Word, ground_body
from isodyn.loads.laws import FormulaLaw
from isodyn.loads.part import Input, Law, LoadWorld

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

RATE = "_rate"


OWN = "coordinate"  # of the joint that a motor turns


def turn_word(body: Body, axis: Numbers) -> Word:
    """A turn about an axis of the world, whose gradient is a torque about it and whose rate is a
    component of the angular velocity."""
    pair = Pair.of(body.name, ground_body(), body, body.position, axis)
    return pair.angle_word()


def coordinate_of_body(body: Body, name: str) -> Input | None:
    """x, y, z, vx, …, wx, … of a body, angle and angle_rate of a planar one; None for other
    names."""
    planar = body.kind == "planar"
    letters = "xy" if planar or body.kind == "node" else "xyz"
    if name in letters or (name[0] == "v" and name[1:] in letters and name[1:]):
        e = np.eye(3)["xyz".index(name[-1])]
        word = Pair.of(body.name, body, ground_body(), body.position, None).word(words.POINT, u=e, s_j=np.zeros(3))
        return Input(word, rate=name[0] == "v")
    if planar and name in ("angle", f"angle{RATE}"):
        pair = Pair.of(body.name, ground_body(), body, body.position, None)
        return Input(pair.word(words.PLANAR_ANGLE, zero=0.0), rate=name != "angle")
    if body.kind == "spatial" and name in ("wx", "wy", "wz"):
        return Input(turn_word(body, np.eye(3)["xyz".index(name[1])]), rate=True)
    return None


def names_in(text: str) -> dict[str, None]:
    """Names in a formula, in their order, each once.

    >>> list(names_in("k*crank.x + sin(t)*k"))
    ['k', 'crank.x', 't']
    """
    found: dict[str, None] = {}

    def walk(tree: Tree) -> None:
        if tree[0] == "name":
            found[tree[1]] = None
        elif tree[0] != "number":
            for part in tree[1:]:
                walk(part)

    walk(parse(text))
    return found


def formula_law(
    name: str,
    word: Word,
    text: str,
    parameters: Mapping[str, float],
    world: LoadWorld,
    own: Mapping[str, Input] | None = None,
    *,
    negative: bool = False,
    noun: str = "load",
) -> Law:
    """The law of a formula along a word."""
    what = f"{noun} {name!r}"
    inputs: dict[str, Input] = {"t": Input(), **(own or {})}
    for used in names_in(text):
        owner, _, coordinate = used.rpartition(".")
        if owner and used not in parameters:
            inputs[used] = world.lookup(f"{what}: formula {text!r}", owner, coordinate)
    refused = "t, parameters, and coordinates such as body.x, joint.angle"
    try:
        program = compile_formula(text, inputs, parameters, refused=refused, negative=negative)
    except InputError as error:
        raise InputError(f"{what}: {error.message}", hint=error.hint) from None
    return Law(FormulaLaw(program), word, inputs=tuple(inputs[used] for used in program.names))


def text_of(value: Any) -> str:
    """A formula as text: also of a number, or of a Python function of t.

    >>> text_of(lambda t: 2 * np.sin(t))
    '2.0*sin(t)'
    """
    if isinstance(value, str):
        return value
    found = as_time_function("a formula", value)
    if isinstance(found, Formula) and not found.parameters:
        return found.text
    if isinstance(found, Polynomial) and not isinstance(value, Polynomial):  # it was a number
        return repr(float(value))
    raise InputError(
        f"a formula is text, a number or a Python function of t, received {value!r}",
        hint="Motor, Force and Torque take Sine, Ramp, Pulse, Table and the like",
    )


def of_state(text: str) -> bool:
    """Whether a formula names coordinates."""
    return any("." in name or name in (OWN, f"{OWN}{RATE}") for name in names_in(text))
