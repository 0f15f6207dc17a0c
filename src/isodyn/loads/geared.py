"""A motor with a gear, by its torque–speed curve.

    torque on the joint = ratio · efficiency · command · T(ω),     ω = ratio · rate · sign(command)

T is linear between points of the curve, constant below the first speed, and goes on along its last
piece above the last, where it brakes as soon as it is negative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.expressions import parse
from isodyn.expressions.parser import Tree
from isodyn.expressions.program import compile_tree
from isodyn.joints.words import Word
from isodyn.loads.laws import FormulaLaw
from isodyn.loads.part import Input, JointLoad, Law, LoadWorld
from isodyn.parts import Keys, Value, load, optional, required
from isodyn.real_numbers import real_array, real_number

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

COMMAND, RATE = "command", "rate"


def checked_curve(what: str, speeds: ArrayLike, torques: ArrayLike) -> tuple[list[float], list[float]]:
    """Points of a torque–speed curve; InputError for what is none."""
    x, y = (
        real_array(f"{what}: {name}", value, "numbers") for name, value in (("speeds", speeds), ("torques", torques))
    )
    if x.ndim != 1 or x.shape != y.shape or x.size < 2:
        raise InputError(
            f"{what}: speeds and torques must be two or more numbers each, as many of both, received {np.size(x)} and"
            f" {np.size(y)}",
            hint="such as speeds=[0, 300] and torques=[2, 0]",
            argument="torques",
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError(f"{what}: speeds and torques must be finite", hint="leave such points out", argument="torques")
    if x[0] < 0 or (np.diff(x) <= 0).any():
        raise InputError(
            f"{what}: speeds must ascend from zero or more, received {x.tolist()}",
            hint="sort the points by speed",
            argument="speeds",
        )
    return x.tolist(), y.tolist()


def curve_tree(speeds: Sequence[float], torques: Sequence[float], speed: Tree) -> Tree:
    """The tree of a formula that is linear between points: a first torque and a bend at each of
    them."""
    slopes = np.diff(torques) / np.diff(speeds)
    bends = np.concatenate([slopes[:1], np.diff(slopes)])
    found: Tree = ("number", float(torques[0]))
    for bend, x in zip(bends, speeds[:-1], strict=True):
        beyond = ("max", ("subtract", speed, ("number", float(x))), ("number", 0.0))
        found = ("add", found, ("multiply", ("number", float(bend)), beyond))
    return found


@load("gear_motor")
@dataclass(frozen=True)
class GearMotor(JointLoad):
    """A motor with a gear on a coordinate of a joint, by its torque–speed curve.

    The torque on the joint is ratio · efficiency · command · T(ω) at the speed ω = ratio · rate of
    the motor, counted in the direction of the command. A command of 1 is full torque forwards, −1
    backwards, 0 lets the motor turn freely; controllers write it. The inertia of the rotor is that
    of a body of its own on a `Gear` or a `Coupling`.

    Parameters
    ----------
    speeds
        Speeds of the motor, in rad/s (m/s on a sliding joint), ascending from zero or more.
    torques
        Torques of the motor at these speeds. Below the first speed the torque stays what it is
        there; above the last one it goes on along the last piece.
    ratio
        Turns of the motor for one of the joint.
    efficiency
        Part of the torque that passes the gear.
    command
        A number or a function of time, mostly between −1 and 1.

    Examples
    --------
    A motor of 0.5 Nm up to 200 rad/s, with no torque at 400 rad/s, behind a gear of 50:

    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, 0))
    >>> _ = mech.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.GearMotor("motor", "pin", [0, 200, 400], [0.5, 0.5, 0.0], ratio=50.0))
    >>> sol = iso.integrate(mech.compile(), dt=1e-3, t_end=1.0)
    >>> round(float(sol.joint("pin").angle_rate[-1]), 3)
    8.0
    """

    name: str
    joint: str
    speeds: Numbers
    torques: Numbers
    ratio: float = 1.0
    efficiency: float = 1.0
    command: Any = 1.0
    coordinate: str | None = None
    held: ClassVar[tuple[str, ...]] = (COMMAND,)
    drives: ClassVar[bool] = True
    keys: ClassVar[Keys] = {
        "joint": required(Value.JOINT),
        "speeds": required(Value.NUMBERS),
        "torques": required(Value.NUMBERS),
        "ratio": optional(Value.NOT_ZERO),
        "efficiency": optional(Value.POSITIVE),
        "command": optional(Value.TIME),
        "coordinate": optional(Value.TEXT),
    }

    @classmethod
    def check_table(cls, given: Mapping[str, Any]) -> None:
        checked_curve("a gear motor", given["speeds"], given["torques"])

    def laws(self, word: Word, world: LoadWorld) -> list[Law]:
        what = f"motor {self.name!r}"
        speeds, torques = checked_curve(what, self.speeds, self.torques)
        for name in ("ratio", "efficiency"):
            value = getattr(self, name)
            if not real_number(f"{what}: {name}", value):
                raise InputError(
                    f"{what}: {name} must be a number other than zero, received {value!r}",
                    hint=f"{name}=1.0 has no effect",
                    argument=name,
                )
        if self.command is None:
            hint = "command=0.0 lets the motor turn freely"
            raise InputError(f"{what}: command is missing", hint=hint, argument="command")
        if not 0.0 < self.efficiency <= 1.0:
            raise InputError(
                f"{what}: efficiency must lie in (0, 1], received {self.efficiency!r}",
                hint="1.0 has no losses",
                argument="efficiency",
            )
        ratio = float(self.ratio)
        speed, factor = f"{ratio!r}*sign({COMMAND})*{RATE}", f"{ratio * float(self.efficiency)!r}*{COMMAND}"
        tree = ("multiply", parse(factor), curve_tree(speeds, torques, parse(speed)))
        inputs = {COMMAND: Input(), RATE: Input(word, rate=True)}
        program = compile_tree(f"{factor}*T({speed})", tree, inputs)
        used = tuple(inputs[name] for name in program.names)
        return [Law(FormulaLaw(program), word, shift=self.command, inputs=used)]
