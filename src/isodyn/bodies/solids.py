"""Primitive shapes about the origin of their frame, along z where they have an axis: volume, mass
centre, inertia, triangles."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeVar

import numpy as np

from isodyn.bodies.surfaces import Surface, arc, box_surface, revolved
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import SHAPES, Keys, Tabled, Value, optional, required


@dataclass(frozen=True, eq=False, kw_only=True)
class Solid(Tabled):
    """A homogeneous shape; one of `density` and `mass` is given, the other follows from the
    volume."""

    density: float = field(default=0.0, repr=False)  # which follows from the mass
    mass: float = 0.0
    keys: ClassVar[Keys] = {"density": optional(Value.POSITIVE), "mass": optional(Value.POSITIVE)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """In a file neither density nor mass is zero."""
        return {"density": None, "mass": None}

    @classmethod
    def check_table(cls, given: Mapping[str, Any]) -> None:
        """One of density and mass is given."""
        if (given["density"] is None) == (given["mass"] is None):
            raise InputError("a shape needs either density or mass")

    @property
    @abstractmethod
    def volume(self) -> float:
        """Volume."""

    @property
    @abstractmethod
    def gyration(self) -> FloatArray:
        """Inertia about the mass centre, per mass."""

    @abstractmethod
    def triangles(self, n: int = 24) -> Surface:
        """Vertices and faces of the surface, closed; n around where it is round."""

    @property
    def centre(self) -> FloatArray:
        """Mass centre in the frame of the shape."""
        return np.zeros(3)

    @property
    def inertia(self) -> FloatArray:
        """Inertia about the mass centre."""
        return self.mass * self.gyration

    def __post_init__(self) -> None:
        name = type(self).__name__
        for what, value in vars(self).items():
            if what not in ("density", "mass") and isinstance(value, int | float) and not (0 < value < math.inf):
                raise InputError(f"{name}: {what} must be positive, received {value!r}")
        given = {what: getattr(self, what) for what in ("density", "mass") if getattr(self, what) != 0.0}
        if len(given) != 1:
            raise InputError(f"{name} needs either density= or mass=, received {given or 'neither'}")
        ((what, value),) = given.items()
        if not (isinstance(value, int | float) and 0 < value < math.inf):
            raise InputError(f"{name}: {what} must be positive, received {value!r}")
        try:
            object.__setattr__(self, "mass", float(value) * (self.volume if what == "density" else 1.0))
            object.__setattr__(self, "density", self.mass / self.volume)
            with np.errstate(all="ignore"):
                finite = bool(np.isfinite(self.mass * self.gyration).all())
        except (OverflowError, ZeroDivisionError):
            finite = False
        if not finite:
            raise InputError(f"{name}: mass and inertia are beyond the range of numbers", hint="check the units")


S = TypeVar("S", bound=Solid)


def shape(type_name: str) -> Callable[[type[S]], type[S]]:
    """Register a shape as this type of a model file: all its sizes are positive, and density or
    mass is given."""

    def register(cls: type[S]) -> type[S]:
        sizes = {size.name: required(Value.POSITIVE) for size in fields(cls) if size.name not in Solid.keys}
        cls.keys = {**sizes, **Solid.keys}
        SHAPES.add(type_name, cls)
        return cls

    return register


@shape("box")
@dataclass(frozen=True, eq=False)
class Box(Solid):
    """Edges along x, y, z."""

    x: float
    y: float
    z: float

    @property
    def volume(self) -> float:
        return self.x * self.y * self.z

    @property
    def gyration(self) -> FloatArray:
        x, y, z = self.x**2, self.y**2, self.z**2
        return np.diag([y + z, z + x, x + y]) / 12

    def triangles(self, n: int = 24) -> Surface:
        """Twelve of them."""
        return box_surface(np.array([self.x, self.y, self.z]))


@shape("plate")
@dataclass(frozen=True, eq=False)
class Plate(Box):
    """A thin box: edges x, y; the thickness z counts for the volume, not for the inertia."""

    @property
    def gyration(self) -> FloatArray:
        x, y = self.x**2, self.y**2
        return np.diag([y, x, x + y]) / 12


@shape("ellipsoid")
@dataclass(frozen=True, eq=False)
class Ellipsoid(Solid):
    """Semi-axes along x, y, z."""

    x: float
    y: float
    z: float

    @property
    def volume(self) -> float:
        return 4 / 3 * math.pi * self.x * self.y * self.z

    @property
    def gyration(self) -> FloatArray:
        x, y, z = self.x**2, self.y**2, self.z**2
        return np.diag([y + z, z + x, x + y]) / 5

    def triangles(self, n: int = 24) -> Surface:
        """A sphere of n meridians, stretched."""
        points, faces = revolved(arc(1.0, 0.0, -math.pi / 2, math.pi / 2, n // 2), n)
        return points * [self.x, self.y, self.z], faces


@shape("sphere")
@dataclass(frozen=True, eq=False)
class Sphere(Solid):
    """A ball."""

    radius: float

    @property
    def volume(self) -> float:
        return 4 / 3 * math.pi * self.radius**3

    @property
    def gyration(self) -> FloatArray:
        return 0.4 * self.radius**2 * np.eye(3)

    def triangles(self, n: int = 24) -> Surface:
        """n meridians."""
        return revolved(arc(self.radius, 0.0, -math.pi / 2, math.pi / 2, n // 2), n)


@shape("tube")
@dataclass(frozen=True, eq=False)
class Tube(Solid):
    """A hollow cylinder about z."""

    radius: float
    inner: float
    length: float

    def __post_init__(self) -> None:
        if isinstance(self.inner, int | float) and isinstance(self.radius, int | float) and self.inner >= self.radius:
            raise InputError(
                f"Tube: inner must be below radius, received {self.inner} and {self.radius}", argument="inner"
            )
        super().__post_init__()

    @property
    def volume(self) -> float:
        return math.pi * (self.radius**2 - self.inner**2) * self.length

    @property
    def gyration(self) -> FloatArray:
        return _axial(
            (self.radius**2 + self.inner**2) / 2, (3 * (self.radius**2 + self.inner**2) + self.length**2) / 12
        )

    def triangles(self, n: int = 24) -> Surface:
        """A ring of four edges."""
        z = self.length / 2
        return revolved([[self.inner, -z], [self.radius, -z], [self.radius, z], [self.inner, z]], n, ring=True)


@shape("cylinder")
@dataclass(frozen=True, eq=False)
class Cylinder(Solid):
    """A cylinder about z."""

    radius: float
    length: float

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * self.length

    @property
    def gyration(self) -> FloatArray:
        return _axial(self.radius**2 / 2, self.radius**2 / 4 + self.length**2 / 12)

    def triangles(self, n: int = 24) -> Surface:
        """A prism of n sides."""
        z = self.length / 2
        return revolved([[0, -z], [self.radius, -z], [self.radius, z], [0, z]], n)


@shape("rod")
@dataclass(frozen=True, eq=False)
class Rod(Cylinder):
    """A slender rod along z: its radius counts for the turn about its axis only."""

    @property
    def gyration(self) -> FloatArray:
        return _axial(self.radius**2 / 2, self.length**2 / 12)


@shape("disc")
@dataclass(frozen=True, eq=False)
class Disc(Cylinder):
    """A thin disc across z: its length, the thickness, counts for the volume only."""

    @property
    def gyration(self) -> FloatArray:
        return _axial(self.radius**2 / 2, self.radius**2 / 4)


@shape("cone")
@dataclass(frozen=True, eq=False)
class Cone(Solid):
    """A cone about z, its base at z = 0."""

    radius: float
    height: float

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * self.height / 3

    @property
    def centre(self) -> FloatArray:
        return np.array([0.0, 0.0, self.height / 4])

    @property
    def gyration(self) -> FloatArray:
        return _axial(0.3 * self.radius**2, 3 / 20 * self.radius**2 + 3 / 80 * self.height**2)

    def triangles(self, n: int = 24) -> Surface:
        """A pyramid over n sides."""
        return revolved([[0.0, 0.0], [self.radius, 0.0], [0.0, self.height]], n)


@shape("capsule")
@dataclass(frozen=True, eq=False)
class Capsule(Solid):
    """A cylinder of `length` about z with half balls at its ends."""

    radius: float
    length: float

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * (self.length + 4 / 3 * self.radius)

    @property
    def gyration(self) -> FloatArray:
        r, h = self.radius, self.length
        ends = 4 / 3 * r / (h + 4 / 3 * r)  # their share of the mass
        across = (1 - ends) * (r**2 / 4 + h**2 / 12) + ends * (0.4 * r**2 + h**2 / 4 + 3 / 8 * h * r)
        return _axial((1 - ends) * r**2 / 2 + ends * 0.4 * r**2, across)

    def triangles(self, n: int = 24) -> Surface:
        """n meridians."""
        z, half = self.length / 2, math.pi / 2
        return revolved(
            np.concatenate([arc(self.radius, -z, -half, 0, n // 4), arc(self.radius, z, 0, half, n // 4)]), n
        )


def _axial(along: float, across: float) -> FloatArray:
    return np.diag([across, across, along])
