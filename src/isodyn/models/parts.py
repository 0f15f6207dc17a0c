"""Schema of the parts of a mechanism: bodies with shapes, beams with sections, functions of
time."""

from __future__ import annotations

import difflib
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from isodyn.beams.mesh import Energy
from isodyn.mechanism.point_rod_part import RodModel
from isodyn.mechanism.rod_part import Mass
from isodyn.models.values import (
    Counts,
    FormulaText,
    Inertia,
    Interfaces,
    Line,
    NotNegative,
    Number,
    NumberOrVector,
    OneOrTwo,
    Orientation,
    Positive,
    Vector,
    refuse,
    said,
)


class FilePart(BaseModel):
    """A table of a model file; keys that it does not know are refused with a suggestion."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    elsewhere: ClassVar[dict[str, str]] = {}  # what others call a key, or where it stands

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: object) -> dict[Any, Any]:
        if not isinstance(data, dict):
            raise refuse(f"a table is needed, received {said(data)}")
        for key in data:
            if key not in cls.model_fields:
                near = difflib.get_close_matches(key, cls.model_fields, n=2, cutoff=0.5)
                similar = [cls.elsewhere[key]] if key in cls.elsewhere else near
                hint = f"did you mean {' or '.join(similar)}?" if similar else f"known: {', '.join(cls.model_fields)}"
                raise refuse(f"unknown key {key!r}", key, hint=hint)
        return data


class Body(FilePart):
    """A rigid body: as of `Mechanism.add_body`."""

    kind: Literal["spatial", "planar", "particle"] = "spatial"
    mass: Positive | None = None
    inertia: Inertia | None = None
    position: Vector = (0.0, 0.0, 0.0)
    orientation: Orientation | None = None
    velocity: Vector = (0.0, 0.0, 0.0)
    angular_velocity: NumberOrVector | None = None
    centre_of_mass: Vector = (0.0, 0.0, 0.0)
    shape: Any = None  # one of those that are registered: isodyn.models.schema

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.shape is None and self.mass is None:
            raise refuse("mass is missing", hint="give mass and inertia, or a shape with a density")
        if self.shape is None and self.inertia is None and self.kind != "particle":
            raise refuse(
                "inertia is missing", hint="a moment (planar), three principal moments or a matrix; or a shape"
            )
        for key in ("orientation", "angular_velocity", "inertia"):
            value = getattr(self, key)
            if value is not None and self.kind == "planar" and not isinstance(value, float):
                raise refuse("a planar body takes one number here", key)
            if value is not None and self.kind == "particle":
                raise refuse("a particle has none", key)
            if isinstance(value, float) and self.kind == "spatial":
                raise refuse("a spatial body takes an array here", key, hint="or kind = 'planar'")
        return self


# ---- beams


class GivenSection(FilePart):
    """A section by its stiffnesses: as of `iso.Section`."""

    type: Literal["given"] = "given"
    EA: Positive
    EI: Positive | None = None
    rhoA: Positive
    EI4: NotNegative = 0.0
    damping: OneOrTwo = 0.0
    E: Positive | None = None
    edge: Positive | None = None
    edge_z: Positive | None = None
    GA: Positive | None = None
    GAy: Positive | None = None
    GAz: Positive | None = None
    GJ: Positive | None = None
    EIy: Positive | None = None
    EIz: Positive | None = None
    rhoI: Positive | None = None
    rhoIy: Positive | None = None
    rhoIz: Positive | None = None
    rhoJ: Positive | None = None
    coupling: list[list[Number]] | None = None

    @model_validator(mode="after")
    def _bends(self) -> Self:
        if self.EI is None and self.EIz is None:
            raise refuse("EI is missing", hint="EI in the plane, EIy and EIz of rods")
        return self


class Rectangle(FilePart):
    """A rectangular section; `height` lies in the plane of bending."""

    type: Literal["rectangle"]
    E: Positive
    G: Positive | None = None
    rho: Positive
    width: Positive
    height: Positive
    damping: OneOrTwo = 0.0


class Circle(FilePart):
    """A round section, with a bore of diameter `inner`."""

    type: Literal["circle"]
    E: Positive
    G: Positive | None = None
    rho: Positive
    diameter: Positive
    inner: NotNegative = 0.0
    damping: OneOrTwo = 0.0


def _given(value: object) -> object:
    return {"type": "given", **value} if isinstance(value, dict) and "type" not in value else value


Section = Annotated[Annotated[GivenSection | Rectangle | Circle, Field(discriminator="type")], BeforeValidator(_given)]


class Beam(FilePart):
    """A beam, cable or rod: as of `Mechanism.add_beam`. `curve` of a rod holds the poses (x, y, z,
    w, x, y, z) of its nodes."""

    start: Vector | None = None
    end: Vector | None = None
    line: Line | None = None
    elements: Counts
    section: Section
    model: Literal[Energy, RodModel] = "simplified"
    curve: list[list[Number]] | None = None
    up: Vector | None = None
    twist: Number = 0.0
    mass: Mass = "consistent"
    corners: Literal["weld", "hinge"] = "weld"
    velocity: Vector = (0.0, 0.0, 0.0)
    angular_velocity: NumberOrVector | None = None

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if self.line is not None and (self.start is not None or self.end is not None):
            raise refuse("a beam has start and end, or a line, not both", "line")
        if self.curve is not None and (self.start is not None or self.end is not None or self.line is not None):
            raise refuse("a rod has start and end, or a curve, not both", "curve")
        if self.curve is not None:
            return self
        if self.line is None and self.start is None:
            raise refuse("start is missing", hint="start and end, or line")
        if self.line is None and self.end is None:
            raise refuse("end is missing", hint="start and end, or line")
        return self


class FlexibleBody(FilePart):
    """A body from finite elements: as of `Mechanism.add_flexible_body`. A mesh with a material, or
    points, stiffness and mass; files stand beside the model file unless their paths are
    absolute."""

    mesh: str | None = None
    E: Positive | None = None
    nu: Number | None = None
    rho: Positive | None = None
    order: Literal[1, 2] = 2
    points: str | None = None
    stiffness: str | None = None
    mass: str | None = None
    interface: Interfaces
    modes: Annotated[int, Field(ge=0)] = 12
    damping: OneOrTwo = 0.0
    stiffening: bool = False
    position: Vector = (0.0, 0.0, 0.0)
    orientation: Orientation | None = None
    velocity: Vector = (0.0, 0.0, 0.0)
    angular_velocity: Vector | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files."""
        return tuple(x for x in (self.mesh, self.points, self.stiffness, self.mass) if x is not None)

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        of_mesh, of_matrices = ("mesh", "E", "nu", "rho"), ("points", "stiffness", "mass")
        needed, other = (of_matrices, of_mesh) if self.mesh is None else (of_mesh, of_matrices)
        for key in other:
            if getattr(self, key) is not None:
                raise refuse("a body has a mesh with E, nu and rho, or points, stiffness and mass, not both", key)
        for key in needed:
            if getattr(self, key) is None:
                hint = "mesh, E, nu and rho; or the files of points, stiffness and mass"
                raise refuse(f"{key} is missing", hint=hint)
        return self


class Sensor(FilePart):
    """A point that is read after the run: as of `iso.Sensor`."""

    body: str
    point: Vector | None = None
    to: str | None = None
    to_point: Vector | None = None
    axis: Vector | None = None


class EventTable(FilePart):
    """A zero of an expression in names of the model: as of `iso.Event`."""

    expression: str
    direction: Literal[-1, 0, 1] = 0
    terminal: bool | Annotated[int, Field(ge=0)] = False


class State(FilePart):
    """A state of first order: as of `Mechanism.add_state`."""

    rate: str
    initial: Number = 0.0
    size: Positive | None = None


class PIDTable(FilePart):
    """Proportional, integral and derivative action: as of `iso.PID`."""

    kp: Number = 0.0
    ki: Number = 0.0
    kd: Number = 0.0
    target: FormulaText = 0.0
    low: Number | None = None
    high: Number | None = None


class Controller(FilePart):
    """A law that samples the mechanism: as of `Mechanism.add_controller`, by formulas or a `pid`,
    which reads a quantity and perhaps its rate."""

    every: Positive
    writes: str | list[str]
    law: str | list[str] | None = None
    pid: PIDTable | None = None
    reads: str | list[str] = []
    delay: int = 0
    low: Number | None = None
    high: Number | None = None

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        if (self.law is None) == (self.pid is None):
            what = "law is missing" if self.law is None else "it stands beside law"
            raise refuse(what, *(() if self.law is None else ("pid",)), hint="formulas as law, or pid = { kp = 1.0 }")
        if self.pid is None and self.reads:
            raise refuse("formulas name what they read", "reads", hint="reads is for pid")
        if self.pid is not None and not 1 <= len(names_in(self.reads)) <= 2:
            raise refuse("pid reads a quantity, and its rate if that is known", "reads", hint='reads = "pin.angle"')
        if self.pid is not None and len(names_in(self.writes)) != 1:
            raise refuse("pid writes one input", "writes")
        return self


def names_in(given: str | list[str]) -> list[str]:
    """One name, or several."""
    return [given] if isinstance(given, str) else given
