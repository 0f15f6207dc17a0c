"""A cart with a pole as an environment for learning: `reset` and `step` as Gymnasium calls them, on an
`iso.Stepper`; nothing else is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import isodyn as iso
from isodyn.report import figures


def cart_with_pole() -> iso.Mechanism:
    """A cart on a rail, a pole that stands on it, and a motor along the rail."""
    mech = iso.Mechanism()
    mech.add_body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1))
    mech.add_body("pole", mass=0.1, inertia=(0.01, 0.01, 0.001), position=(0, 0, 0.5))
    mech.add_joint(iso.Prismatic("rail", "ground", "cart", axis=(1, 0, 0)))
    mech.add_joint(iso.Hinge("pin", "cart", "pole", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.Motor("motor", "rail", torque=0.0))
    return mech


class CartPole:
    """An action is the force on the cart; an observation is (x, ẋ, θ, θ̇)."""

    names = ("rail.displacement", "rail.displacement_rate", "pin.angle", "pin.angle_rate")

    def __init__(self, dt: float = 0.01, steps: int = 2, largest: float = 10.0) -> None:
        self.steps, self.largest = steps, largest
        self.stepper = iso.Stepper(cart_with_pole(), dt=dt)
        self.begun = self.stepper.save()

    def observation(self) -> np.ndarray:
        """What can be seen."""
        return np.array([self.stepper.read(name) for name in self.names])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Back to the start, with a push that the seed decides."""
        self.stepper.restore(self.begun)
        self.stepper.inputs["motor"] = float(np.random.default_rng(seed).uniform(-1.0, 1.0))
        self.stepper.step()
        return self.observation(), {}

    def step(self, action: npt.ArrayLike) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Observation, reward, terminated, truncated, info."""
        force = np.asarray(action, dtype=np.float64).item()  # a number, or an array of one
        self.stepper.inputs["motor"] = float(np.clip(force, -self.largest, self.largest))
        for _ in range(self.steps):
            self.stepper.step()
        seen = self.observation()
        fallen = bool(abs(seen[2]) > 0.2 or abs(seen[0]) > 2.4)
        return seen, 0.0 if fallen else 1.0, fallen, self.stepper.t > 10.0, {}


def played(gains: np.ndarray) -> np.ndarray:
    """Rows (t, x, ẋ, θ, θ̇) as long as the pole stands under a linear law."""
    environment = CartPole()
    seen, _ = environment.reset(seed=1)
    rows, ended = [], False
    while not ended:
        seen, _, fallen, late, _ = environment.step(float(gains @ seen))
        rows.append([environment.stepper.t, *seen])
        ended = fallen or late
    return np.array(rows)


def main(out: Path | None = None) -> dict[str, float]:
    """Play without and with a law; return how long the pole stands."""
    without, under = played(np.zeros(4)), played(np.array([1.0, 2.0, 40.0, 8.0]))
    if out is not None:
        with figures.canvas(1, 1, size=(6.0, 4.0)) as (figure, axes):
            axes.plot(without[:, 0], without[:, 3], label="without a law")
            axes.plot(under[:, 0], under[:, 3], label="with a law")
            axes.set(xlabel="t [s]", ylabel="angle of the pole [rad]")
            axes.legend()
            figures.save(figure, out / "cart_with_pole.png")
    return {"without a law [s]": float(without[-1, 0]), "with a law [s]": float(under[-1, 0])}


if __name__ == "__main__":
    for name, value in main(Path("out/environment")).items():
        print(f"{name:20s} {value:.3g}")
