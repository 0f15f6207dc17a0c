"""A joint of your own: a pin that slides in a straight slot. One class, known to Python, to model
files and to drawings.

A joint is a frozen dataclass below `isodyn.joints.Joint`. `rows` says what it holds, `coordinates`
what can be read, driven and loaded; `@joint` gives it a type for model files, `keys` what stands in
its table. Nothing else is told about it anywhere.

The example lets a bead slide down a slot that is tilted by 30°: the way is ½ g sin 30° t², the slot
carries m g cos 30°.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

import isodyn as iso
from isodyn.joints import Joint
from isodyn.joints.words import Pair, Row, Word
from isodyn.models import model_from_text
from isodyn.parts import Keys, Value, joint, optional
from isodyn.report import figures

TILT, GRAVITY = math.radians(30.0), 9.81


@joint("slot")
@dataclass(frozen=True)
class Slot(Joint):
    """A point of the second body slides along `axis` of the first, `beside` it by some length.
    Coordinate: travel."""

    beside: float = 0.0
    keys: ClassVar[Keys] = {**Joint.keys, "beside": optional(Value.NUMBER)}
    oriented: ClassVar[bool] = False  # a particle will do

    def rows(self, pair: Pair) -> list[Row]:
        """No offset across the slot, in both directions; `beside` in the first."""
        across = pair.offset(1)
        return [pair.row("beside the axis", across.kind, pair.offset_word(1), self.beside), pair.offset(2)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        """How far the pin is along the slot."""
        return {"travel": pair.offset_word(3)}


def mechanism() -> iso.Mechanism:
    """A bead in a tilted slot."""
    mech = iso.Mechanism(gravity=(0, 0, -GRAVITY))
    mech.add_body("bead", mass=2.0, kind="particle")
    mech.add_joint(Slot("slot", "ground", "bead", axis=(math.cos(TILT), 0, -math.sin(TILT))))
    return mech


MODEL = f"""
gravity = [0, 0, -{GRAVITY}]

[bodies.bead]
kind = "particle"
mass = 2

[joints.slot]
type = "slot"
between = ["ground", "bead"]
axis = ["cos(30 deg)", 0, "-sin(30 deg)"]

[run]
dt = 0.01
t_end = 1
"""


def main(out: Path | None = None) -> dict[str, float]:
    """Run it from Python and from a model file; return how far both are from the exact numbers."""
    sol = iso.integrate(mechanism().compile(), dt=0.01, t_end=1.0)
    file = iso.integrate(model_from_text(MODEL).system(), dt=0.01, t_end=1.0)
    travel = sol.joint("slot").coordinate("travel")
    reaction = np.linalg.norm(sol.reaction("slot").force, axis=1)
    if out is not None:
        with figures.canvas(1, 2, size=(10.0, 4.2)) as (figure, (left, right)):
            left.plot(sol.t, travel)
            left.set(xlabel="t [s]", ylabel="way along the slot [m]")
            right.plot(sol.t, sol.reaction("slot").force, label=["x", "y", "z"])
            right.set(xlabel="t [s]", ylabel="force of the slot on the bead [N]")
            right.legend()
            figures.save(figure, out / "own_joint.png")
    return {
        "error of the way": float(np.abs(travel - 0.5 * GRAVITY * math.sin(TILT) * sol.t**2).max()),
        "error of the reaction": float(np.abs(reaction - 2.0 * GRAVITY * math.cos(TILT)).max()),
        "difference between Python and file": float(np.abs(file.q - sol.q).max()),
    }


if __name__ == "__main__":
    for name, value in main(Path("out/own_joint")).items():
        print(f"{name}: {value:.3g}")
