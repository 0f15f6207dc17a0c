"""Mechanisms whose joints turn many times, in the plane and in space."""

from __future__ import annotations

from typing import Any

import numpy as np

import isodyn as iso
from isodyn.joints.words import triad


def wheel(*loads: Any, speed: float = 0.0, planar: bool = False, axis: Any = (0.0, 0.0, 1.0), turn: float = 0.0) -> Any:
    """A wheel with J = 1 kg m² about its axis on the hinge "pin"; `turn` is how it lies in the
    ground before anything moves."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    if planar:
        mech.add_body("wheel", 1.0, 1.0, (0, 0), turn, angular_velocity=speed, kind="planar")
        mech.add_joint(iso.Hinge("pin", "ground", "wheel"))
    else:
        e3 = triad(np.asarray(axis, dtype=float))[2]
        half = 0.5 * turn
        mech.add_body(
            "wheel", 1.0, (1, 1, 1), orientation=(np.cos(half), *(np.sin(half) * e3)), angular_velocity=speed * e3
        )
        mech.add_joint(iso.Hinge("pin", "ground", "wheel", axis=axis))
    for load in loads:
        mech.add_load(load)
    return mech.compile()


def nut_on_an_arm(lead: float, radius: float, speed: float, J: float = 0.008) -> Any:
    """A nut of 1 kg on a screw "thread" along an arm that turns: x″ = ω²(r + x)/(1 + J/p²), p the
    lead per radian."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("arm", 1.0, (1, 1, 1), angular_velocity=(0, 0, speed))
    mech.add_body(
        "nut", 1.0, (J, J, J), (radius, 0, 0), velocity=(0, speed * radius, 0), angular_velocity=(0, 0, speed)
    )
    mech.add_joint(iso.Hinge("pin", "ground", "arm", axis=(0, 0, 1)))
    mech.add_joint(iso.Screw("thread", "arm", "nut", point=(radius, 0, 0), axis=(1, 0, 0), pitch=lead / (2 * np.pi)))
    mech.add_joint(iso.Drive("motor", "pin", iso.Polynomial(0.0, speed)))
    return mech.compile()


def geared(ratio: float, speed: float, *loads: Any, planar: bool = False) -> Any:
    """Two wheels with J = 1 kg m² on parallel hinges "first" and "second", with
    angle₁ + ratio·angle₂ = 0."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    for name, x, w in (("first", 0.0, speed), ("second", 3.0, -speed / ratio)):
        if planar:
            mech.add_body(f"{name} wheel", 1.0, 1.0, (x, 0), angular_velocity=w, kind="planar")
        else:
            mech.add_body(f"{name} wheel", 1.0, (1, 1, 1), (x, 0, 0), angular_velocity=(0, 0, w))
        mech.add_joint(iso.Hinge(name, "ground", f"{name} wheel", point=(x, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Gear("mesh", "first", "second", ratio))
    for load in loads:
        mech.add_load(load)
    return mech.compile()


def gimbal(outer: float, inner: float, *loads: Any) -> Any:
    """A frame that turns about z on "turn", and in it a rotor that spins about an axis of the frame
    on "spin"."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("frame", 1.0, (1, 1, 1), angular_velocity=(0, 0, outer))
    mech.add_body("rotor", 1.0, (1, 1, 1), angular_velocity=(inner, 0, outer))
    mech.add_joint(iso.Hinge("turn", "ground", "frame", axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("spin", "frame", "rotor", axis=(1, 0, 0)))
    for load in loads:
        mech.add_load(load)
    return mech.compile()
