"""Schema of joints, by their type."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema, model_validator

from isodyn.models.parts import FilePart
from isodyn.models.time_tables import TimeFunction
from isodyn.models.values import (
    NotZero,
    Positive,
    TwoVectors,
    Vector,
    number,
    refuse,
    said,
)


def _two_names(value: Any) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise refuse(f"an array of two names is needed, received {said(value)}", hint="such as ['ground', 'crank']")
    for k, name in enumerate(value):
        if not isinstance(name, str):
            raise refuse(f"a name is needed, received {said(name)}", k)
    if value[0] == value[1]:
        raise refuse(f"{value[0]!r} is joined to itself")
    return value[0], value[1]


_NAMES = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}
TwoNames = Annotated[tuple[str, str], PlainValidator(_two_names), WithJsonSchema(_NAMES)]


class _Pair(FilePart):
    """Between two bodies, at `point` along `axis` of the world at the start; or `points`, `axes` in the frames of the bodies."""

    between: TwoNames
    point: Vector | None = None
    axis: Vector | None = None
    points: TwoVectors | None = None
    axes: TwoVectors | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        for one, many in (("point", "points"), ("axis", "axes")):
            if getattr(self, one) is not None and getattr(self, many) is not None:
                raise refuse(f"{one} (in the world) and {many} (in the bodies) exclude each other", many)
        if self.axis is not None and not any(self.axis):
            raise refuse("the axis has no direction", "axis")
        return self


class Spherical(_Pair):
    """A point stays at a point."""

    type: Literal["spherical"]


class Hinge(_Pair):
    """Rotation about an axis."""

    type: Literal["hinge"]


class Prismatic(_Pair):
    """Sliding along an axis."""

    type: Literal["prismatic"]


class Cylindrical(_Pair):
    """Rotation about and sliding along an axis."""

    type: Literal["cylindrical"]


class Screw(_Pair):
    """Rotation with a displacement of `pitch` per radian."""

    type: Literal["screw"]
    pitch: NotZero


class Planar(_Pair):
    """Sliding in a plane."""

    type: Literal["planar"]


class Universal(_Pair):
    """A cross."""

    type: Literal["universal"]
    second_axis: Vector | None = None


class PointOnPlane(_Pair):
    """A point of the second body stays in a plane of the first."""

    type: Literal["point_on_plane"]


class Fixed(_Pair):
    """No relative motion."""

    type: Literal["fixed"]


class Distance(FilePart):
    """A massless rod between points of the world at the start."""

    type: Literal["distance"]
    between: TwoNames
    points: TwoVectors | None = None
    length: Positive | None = None


class Drive(FilePart):
    """A joint coordinate follows a function of time."""

    type: Literal["drive"]
    joint: str
    value: TimeFunction
    coordinate: str | None = None


def _weights(value: Any, info: ValidationInfo) -> dict[str, float]:
    if not isinstance(value, dict) or not value:
        raise refuse(
            f"a table of joints and weights is needed, received {said(value)}", hint="{pin = 1, slide = -0.05}"
        )
    found = {}
    for key, weight in value.items():
        found[key] = number(weight, info, key)
        if found[key] == 0:
            raise refuse("a weight must not be zero", key)
    return found


Weights = Annotated[dict[str, float], PlainValidator(_weights), WithJsonSchema({"type": "object", "minProperties": 1})]


class Coupling(FilePart):
    """Σ weight × coordinate stays what it is at the start; keys are joints, or "joint.coordinate"."""

    type: Literal["coupling"]
    weights: Weights


class Gear(FilePart):
    """Two hinges turn in a fixed ratio."""

    type: Literal["gear"]
    between: TwoNames
    ratio: NotZero = 1.0


class Pulley(FilePart):
    """A rope over fixed points."""

    type: Literal["pulley"]
    between: TwoNames
    points: TwoVectors
    over: TwoVectors
    ratio: NotZero = 1.0


class RollingSphere(FilePart):
    """A sphere rolls on a plane."""

    type: Literal["rolling_sphere"]
    body: str
    radius: Positive
    centre: Vector | None = None
    plane_point: Vector = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)


class RollingDisc(RollingSphere):
    """A thin disc rolls on a plane."""

    type: Literal["rolling_disc"]  # type: ignore[assignment]
    axis: Vector


Joint = Annotated[
    Spherical
    | Hinge
    | Prismatic
    | Cylindrical
    | Screw
    | Planar
    | Universal
    | PointOnPlane
    | Fixed
    | Distance
    | Drive
    | Coupling
    | Gear
    | Pulley
    | RollingSphere
    | RollingDisc,
    Field(discriminator="type"),
]
