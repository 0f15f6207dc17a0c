"""A load of your own: a magnet that pulls with strength/distance². One class, known to Python, to
model files and to drawings.

A load is a frozen dataclass below `isodyn.loads.LoadPart`. `build` returns the laws that it acts
by; a law by a formula needs no compiled code of its own. `@load` gives it a type for model files,
`keys` what stands in its table, `line` how it is drawn.

The example lets two particles fall towards each other from rest; the energy that belongs to the
force, −strength/distance, tells how fast they are.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import isodyn as iso
from isodyn.joints.words import between_points
from isodyn.loads import Input, LoadForces, LoadPart, LoadWorld, formula_law
from isodyn.models import model_from_text
from isodyn.parts import Keys, Value, load, optional, required
from isodyn.report import figures


@load("magnet")
@dataclass(frozen=True)
class Magnet(LoadPart):
    """Pulls a point of one body to a point of another with strength/distance²."""

    name: str
    first: str
    second: str
    strength: float = 1.0
    points: Any = None
    line: ClassVar[str] = "rope"
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "strength": required(Value.POSITIVE),
        "points": optional(Value.TWO_VECTORS),
    }

    def build(self, world: LoadWorld) -> LoadForces:
        """One law along the distance."""
        pair = between_points(self.name, world.body(self.first), world.body(self.second), self.points)
        word = pair.length_word()
        own, numbers = {"length": Input(word)}, {"strength": self.strength}
        return LoadForces([formula_law(self.name, word, "strength/length^2", numbers, world, own, negative=True)])


def mechanism() -> iso.Mechanism:
    """Two particles, one twice as heavy."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("light", mass=1.0, kind="particle", position=(0, 0, 0))
    mech.add_body("heavy", mass=2.0, kind="particle", position=(2, 0, 0))
    mech.add_load(Magnet("pull", "light", "heavy", strength=3.0))
    return mech


MODEL = """
gravity = [0, 0, 0]

[bodies.light]
kind = "particle"
mass = 1

[bodies.heavy]
kind = "particle"
mass = 2
position = [2, 0, 0]

[loads.pull]
type = "magnet"
between = ["light", "heavy"]
strength = 3

[run]
dt = 0.001
t_end = 0.8
"""


def main(out: Path | None = None) -> dict[str, float]:
    """Run it from Python and from a model file; return what the force and the energy miss."""
    sol = iso.integrate(mechanism().compile(), dt=0.001, t_end=0.8)
    file = iso.integrate(model_from_text(MODEL).system(), dt=0.001, t_end=0.8)
    distance = np.linalg.norm(sol.q[:, 3:] - sol.q[:, :3], axis=1)
    energy = sol.energy()[0] - 3.0 / distance
    if out is not None:
        with figures.canvas(1, 2, size=(10.0, 4.2)) as (figure, (left, right)):
            left.plot(sol.t, sol.q[:, [0, 3]], label=["light", "heavy"])
            left.set(xlabel="t [s]", ylabel="x [m]")
            left.legend()
            right.plot(distance, sol.load("pull").tension)
            right.set(xlabel="distance [m]", ylabel="force [N]")
            figures.save(figure, out / "own_load.png")
    return {
        "error of the force": float(np.abs(sol.load("pull").tension * distance**2 / 3.0 - 1.0).max()),
        "largest deviation of energy": float(np.abs(energy - energy[0]).max()),
        "difference between Python and file": float(np.abs(file.q - sol.q).max()),
    }


if __name__ == "__main__":
    for name, value in main(Path("out/own_load")).items():
        print(f"{name}: {value:.3g}")
