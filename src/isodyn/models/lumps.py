"""Frames and lumps of mass: what links are made of before they become bodies.

A lump is mass, mass centre and inertia about it, in some frame. Lumps that move as one are added
(parallel axes). What no engine can use is mended, and told:

    moments below zero   raised to what a flat body has, largest − middle
    moments of zero      raised to 1e-17 m l², l the size of the robot, too little to be seen in accelerations
    no mass              1e-11 of the robot's where something heavier hangs on it, 1e-6 at the end of a chain

Moments that miss the triangle inequality stay as they are written.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from isodyn.kernels.compiled import FloatArray


@dataclass(frozen=True, eq=False)
class Frame:
    """A place: rotation and origin, in the world or in another frame."""

    R: FloatArray
    p: FloatArray

    @classmethod
    def of(cls, p: ArrayLike = (0.0, 0.0, 0.0), R: object | None = None) -> Frame:
        """From an origin and a rotation matrix."""
        return cls(np.eye(3) if R is None else np.asarray(R, dtype=np.float64), np.asarray(p, dtype=np.float64))

    @classmethod
    def rpy(cls, p: FloatArray, angles: FloatArray) -> Frame:
        """Roll, pitch, yaw about fixed axes, as URDF and SDF mean them."""
        return cls.of(p, Rotation.from_euler("xyz", angles).as_matrix() if np.any(angles) else np.eye(3))

    def then(self, other: Frame) -> Frame:
        """A frame that is given in this one."""
        return Frame(self.R @ other.R, self.p + self.R @ other.p)

    def inverse(self) -> Frame:
        """The frame that this one is given in, seen from this one."""
        return Frame(self.R.T, -self.R.T @ self.p)

    def inside(self, outer: Frame) -> Frame:
        """This frame as seen from another, both in the world."""
        return outer.inverse().then(self)


WORLD = Frame(np.eye(3), np.zeros(3))


@dataclass(frozen=True, eq=False)
class Lump:
    """Mass, mass centre and inertia about the mass centre, in one frame."""

    mass: float
    centre: FloatArray
    inertia: FloatArray

    @classmethod
    def none(cls) -> Lump:
        """Nothing."""
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    def seen_from(self, frame: Frame) -> Lump:
        """The same in the frame that `frame` is given in."""
        return Lump(self.mass, frame.p + frame.R @ self.centre, symmetric(frame.R @ self.inertia @ frame.R.T))

    def __add__(self, other: Lump) -> Lump:
        mass = self.mass + other.mass
        if mass == 0.0:
            return Lump(0.0, np.zeros(3), self.inertia + other.inertia)
        centre = (self.mass * self.centre + other.mass * other.centre) / mass
        total = np.zeros((3, 3))
        for part in (self, other):
            total += part.inertia + part.mass * about_axes(part.centre - centre)
        return Lump(mass, centre, total)


def about_axes(d: FloatArray) -> FloatArray:
    """Inertia of a unit mass at d about the origin."""
    return np.asarray(d @ d * np.eye(3) - np.outer(d, d))


def symmetric(J: FloatArray) -> FloatArray:
    """Without the rounding that makes a matrix unsymmetric."""
    return 0.5 * (J + J.T)


def tensor(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> FloatArray:
    """An inertia from its six numbers."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


LIGHTEST = 1e-11  # mass of a link between joints that has none, relative: below it steps lose their digits
SMALLEST = 1e-17  # moments that change nothing, relative, also where masses lie near the axes that turn them
AT_THE_END = 1e-6  # mass of a link at the end of a chain that has none, relative


@dataclass(frozen=True)
class Scale:
    """Mass and size of a whole robot."""

    mass: float
    length: float


def mended(lump: Lump, scale: Scale, at_the_end: bool) -> tuple[Lump, str]:
    """A lump that a body can have, and what was changed in it, in words; empty if nothing.

    `at_the_end`: nothing heavier hangs on it, so that its own mass decides how its joint moves.
    """
    if lump.mass == 0.0 and not np.any(lump.inertia):
        mass = (AT_THE_END if at_the_end else LIGHTEST) * scale.mass
        J = 0.01 * mass * scale.length**2 * np.eye(3)
        return Lump(mass, lump.centre, J), f"has no mass, gets {mass:.3g} kg and {J[0, 0]:.3g} kg m²"
    mass = lump.mass or LIGHTEST * scale.mass
    moments, axes = np.linalg.eigh(lump.inertia)
    floor = SMALLEST * mass * scale.length**2
    said = "" if lump.mass else f"has no mass, gets {mass:.3g} kg"
    if moments[0] >= floor:
        return Lump(mass, lump.centre, lump.inertia), said
    better = np.maximum(moments, floor)
    if moments[0] < -1e-9 * abs(moments[2]) and moments[2] > floor:  # wrong, not just rounded
        better = np.maximum(better, better[2] - better[1])
    told = f"has the principal moments {_list(moments)}, gets {_list(better)} kg m²"
    return Lump(mass, lump.centre, symmetric(axes * better @ axes.T)), ", ".join(filter(None, (said, told)))


def misses_triangle(J: FloatArray) -> bool:
    """Whether no body has these moments, though they are positive."""
    moments = np.linalg.eigvalsh(J)
    return bool(moments[0] > 0 and moments[0] + moments[1] < moments[2] * (1 - 1e-9))


def _list(moments: FloatArray) -> str:
    return "(" + ", ".join(f"{x:.3g}" for x in moments) + ")"
