"""Models of the tests of sweeps."""

from __future__ import annotations

import os
import time
from typing import Any

import isodyn as iso


def swing(**changed: Any) -> iso.Mechanism:
    """A pendulum with a spring: quick to run, with numbers that tables hold."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("rod", 1.0, 0.1, (0.5, 0.0), 0.0, kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0)))
    given = {"stiffness": 20.0, "damping": 0.2, **changed}
    mech.add_load(iso.Spring("spring", "ground", "rod", points=((1, 1), (1, 0)), **given))
    return mech


def made(stiffness: float, pause: float = 0.0, deadly: float = 0.0) -> iso.Mechanism:
    """The same by a function, which may take its time, fail or end its process."""
    time.sleep(pause)
    if deadly:
        os.kill(os.getpid(), 9)
    if stiffness < 0:
        raise RuntimeError("no spring pushes")
    return swing(stiffness=stiffness)


RUN: dict[str, Any] = {"dt": 0.01, "t_end": 0.2}
OUTPUTS = ["peak = max(|pin.force|)", "swing = last(pin.angle)"]
