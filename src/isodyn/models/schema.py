"""Schema of a model file, and the way from its mistakes to messages with line and key."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    model_validator,
)

from isodyn import joints, loads
from isodyn.bodies import solids
from isodyn.errors import InputError
from isodyn.expressions import constant
from isodyn.expressions.parser import ARGUMENTS, CONSTANTS
from isodyn.models.part_tables import PartTable, union_of
from isodyn.models.parts import Beam, Body, Controller, EventTable, FilePart, FlexibleBody, Sensor, State
from isodyn.models.positions import Path
from isodyn.models.reader import ModelError, Source
from isodyn.models.run_schema import RunTable
from isodyn.models.values import NUMBER, Number, Numbers, Vector, number, refuse, said
from isodyn.parts import CONTACTS, JOINTS, LOADS, SHAPES

LIBRARY = (joints, loads, solids)  # they register their parts when they are imported
RESERVED = {"t", "length", "length_rate", *ARGUMENTS, *CONSTANTS}


def _by_joint(value: object, info: ValidationInfo) -> dict[str, float]:
    if not isinstance(value, dict):
        raise refuse(f"a table of joints and numbers is needed, received {said(value)}", hint="{pin = '30 deg'}")
    return {key: number(x, info, key) for key, x in value.items()}


ByJoint = Annotated[
    dict[str, float], PlainValidator(_by_joint), WithJsonSchema({"type": "object", "additionalProperties": NUMBER})
]


class Start(FilePart):
    """How the motion starts: parts are put together and get the velocities that joints allow."""

    assemble: bool = False
    hold: list[str] = Field(default_factory=list)
    positions: ByJoint = Field(default_factory=dict)
    rates: ByJoint = Field(default_factory=dict)


class Output(FilePart):
    """Files that a run writes, beside the model file unless a path is absolute."""

    netcdf: str | None = None
    csv: str | None = None
    report: str | None = None
    animation: str | None = None
    checkpoint: str | None = None
    checkpoint_every: Annotated[int, Field(ge=1)] | None = None


class Sweep(FilePart):
    """A parameter that takes several values; several sweeps make all combinations."""

    parameter: str
    values: Numbers | None = None
    start: Number | None = None
    stop: Number | None = None
    count: Annotated[int, Field(ge=2, le=100_000)] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        grid = [x is not None for x in (self.start, self.stop, self.count)]
        if any(grid) if self.values is not None else not all(grid):
            raise refuse("a sweep has values, or start, stop and count")
        if self.values is not None and not self.values:
            raise refuse("no values", "values")
        return self

    def many(self) -> int:
        """How many values the parameter takes."""
        return len(self.values) if self.values is not None else int(self.count or 0)

    def all_values(self) -> list[float]:
        """What the parameter takes in turn."""
        if self.values is not None:
            return list(self.values)
        assert self.start is not None
        assert self.stop is not None
        assert self.count is not None
        return [self.start + (self.stop - self.start) * k / (self.count - 1) for k in range(self.count)]


class FileModel(FilePart):
    """A model: a ready problem by name, or a mechanism; how it runs and what is written."""

    elsewhere: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("simulation", "integration", "solver", "settings", "time"), "[run]"),
        **{key: f"{key} in [run]" for key in ("dt", "t_end", "rtol", "atol", "scheme", "formulation")},
        **dict.fromkeys(("springs", "forces", "motors", "dampers"), "[loads.NAME]"),
        "constraints": "[joints.NAME]",
        "results": "[output]",
    }
    title: str = ""
    description: str = ""
    problem: str | None = None
    gravity: Vector = (0.0, 0.0, -9.81)
    cayley: bool = False
    parameters: Annotated[dict[str, Any], WithJsonSchema({"type": "object", "additionalProperties": NUMBER})] = Field(
        default_factory=dict
    )
    bodies: dict[str, Body] = Field(default_factory=dict)
    beams: dict[str, Beam] = Field(default_factory=dict)
    flexible_bodies: dict[str, FlexibleBody] = Field(default_factory=dict)
    joints: dict[str, PartTable] = Field(default_factory=dict)
    loads: dict[str, PartTable] = Field(default_factory=dict)
    contacts: dict[str, PartTable] = Field(default_factory=dict)
    sensors: dict[str, Sensor] = Field(default_factory=dict)
    controllers: dict[str, Controller] = Field(default_factory=dict)
    states: dict[str, State] = Field(default_factory=dict)
    events: dict[str, EventTable] = Field(default_factory=dict)
    start: Start = Start()
    run: RunTable = RunTable()
    output: Output = Output()
    sweeps: list[Sweep] = Field(default_factory=list)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.problem is not None:
            for key in ("bodies", "beams", "flexible_bodies", "joints", "loads", "sensors", "controllers", "states"):
                if getattr(self, key):
                    raise refuse("a ready problem brings its own parts", key)
        elif not self.bodies and not self.beams and not self.flexible_bodies:
            raise refuse("there are no bodies", hint="[bodies.NAME] tables, or problem = 'andrews'")
        else:
            if self.run.dt is None and not self.run.chooses_steps:
                raise refuse(
                    "dt is missing", "run", hint='[run] has dt and t_end; rtol or scheme = "Radau" choose steps'
                )
            if self.run.t_end is None:
                raise refuse("t_end is missing", "run", hint="[run] has dt and t_end")
        return self


def file_model() -> type[FileModel]:
    """The model of a file with all joints, loads and shapes that are registered now."""
    return _file_model(JOINTS.version, LOADS.version, SHAPES.version, CONTACTS.version)


@cache
def _file_model(joints: int, loads: int, shapes: int, contacts: int) -> type[FileModel]:
    tables: dict[str, Any] = {
        registry.table: (dict.__class_getitem__((str, union_of(registry))), Field(default_factory=dict))
        for registry in (JOINTS, LOADS, CONTACTS)
    }
    shape: Any = (union_of(SHAPES) | None, None)
    body = create_model("Body", __base__=Body, __doc__=Body.__doc__, shape=shape)
    tables["bodies"] = (dict.__class_getitem__((str, body)), Field(default_factory=dict))
    return create_model("FileModel", __base__=FileModel, __doc__=FileModel.__doc__, **tables)


def schema() -> dict[str, Any]:
    """The JSON Schema of model files, for editors."""
    document = file_model().model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **document, "title": "isodyn model file"}


# ---- validation


def parameters_of(source: Source, overrides: Mapping[str, float] | None = None) -> dict[str, float]:
    """Parameters in their order; each may use those before it. Overrides win."""
    given = source.data.get("parameters", {})
    if not isinstance(given, dict):
        raise source.error(("parameters",), f"a table is needed, received {said(given)}")
    found: dict[str, float] = {}
    for name, value in given.items():
        path: Path = ("parameters", name)
        if not name.isidentifier() or not name.isascii():
            raise source.error(path, f"{name!r} cannot stand in formulas", "letters, digits and _")
        if name in RESERVED:
            raise source.error(path, f"{name!r} has a meaning in formulas already", "choose another name")
        found[name] = _parameter(source, path, value, found)
        if overrides and name in overrides:
            found[name] = float(overrides[name])
    for name, changed in (overrides or {}).items():
        if name not in given and "problem" in source.data:
            found[name] = float(changed)
        elif name not in given:
            similar = difflib.get_close_matches(name, given, n=1)
            hint = f"did you mean {similar[0]}?" if similar else f"parameters: {', '.join(given) or 'none'}"
            raise InputError(f"{source.name} has no parameter {name!r}", hint=hint)
    return found


def _parameter(source: Source, path: Path, value: object, before: Mapping[str, float]) -> float:
    """A number, or the value of a formula of the parameters before it."""
    if isinstance(value, str):
        try:
            return constant(value, before)
        except ModelError:
            raise
        except InputError as error:
            raise source.error(path, error.message, error.hint) from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise source.error(path, f"a finite number is needed, received {said(value)}")
    return float(value)


def validate(source: Source, overrides: Mapping[str, float] | None = None) -> FileModel:
    """The model of a file; the first mistake in it as one message."""
    try:
        return file_model().model_validate(source.data, context={"parameters": parameters_of(source, overrides)})
    except ValidationError as error:
        mistakes = [_mistake(source, one) for one in error.errors(include_url=False)]
    raise min(mistakes, key=lambda one: one.line or 0)


def read_part(
    model: type[FileModel], source: Source, parameters: Mapping[str, float], path: tuple[str, ...]
) -> Any | None:
    """The table of one part, ("bodies", name), or a whole section, ("run",); None where it is
    wrong, which `validate` tells."""
    key, *name = path
    given = source.data[key]
    context = {"parameters": parameters}
    try:
        read = _section(model, key).validate_python({x: given[x] for x in name} if name else given, context=context)
    except ValidationError:
        return None
    return read[name[0]] if name else read


def with_parts(base: FileModel, tables: Mapping[tuple[str, ...], Any]) -> FileModel:
    """A model that differs in these tables, by their paths."""
    changed: dict[str, Any] = {}
    for (key, *name), table in tables.items():
        changed[key] = {**changed.get(key, getattr(base, key)), name[0]: table} if name else table
    return base.model_copy(update=changed)


@cache
def _section(model: type[FileModel], key: str) -> TypeAdapter[Any]:
    """Reads one section of a file."""
    annotation: Any = model.model_fields[key].annotation
    return TypeAdapter(annotation)


def _mistake(source: Source, error: Mapping[str, Any]) -> ModelError:
    """One error of pydantic in our words, at its place in the file."""
    path, missing = _path(source, error["loc"])
    kind, context = error["type"], error.get("ctx", {})
    if kind == "here":
        return source.error((*path, *context["path"]), context["message"], context["hint"])
    if kind == "missing":
        return source.error((*path, *missing), "this key is missing")
    if kind == "union_tag_not_found":
        for key in difflib.get_close_matches("type", source.value(path) or {}, n=1):
            return source.error((*path, key), f"unknown key {key!r}", "did you mean type?")
        return source.error(path, "type is missing", f"one of {_tags(path)}")
    if kind == "union_tag_invalid":
        known = [tag.strip().strip("'") for tag in context["expected_tags"].split(",")]
        similar = difflib.get_close_matches(str(context["tag"]), known, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(similar)}?" if similar else f"known: {', '.join(known)}"
        return source.error((*path, "type"), f"there is no type {context['tag']!r}", hint)
    if kind == "literal_error":
        expected = context["expected"]
        return source.error(path, f"{expected} is needed, received {said(error['input'])}", _near(error))
    bounds = {"greater_than": "above {gt}", "greater_than_equal": "at least {ge}", "less_than": "below {lt}"}
    bounds |= {"less_than_equal": "at most {le}"}
    if kind in bounds:
        return source.error(path, f"it must be {bounds[kind].format(**context)}, received {said(error['input'])}")
    needed = {
        "string_type": "a text in quotes",
        "bool_type": "true or false",
        "int_type": "a whole number",
        "int_from_float": "a whole number",
        "float_type": "a number",
        "list_type": "an array",
        "dict_type": "a table",
        "model_type": "a table",
        "model_attributes_type": "a table",
    }
    if kind in needed:
        return source.error(path, f"{needed[kind]} is needed, received {said(error['input'])}")
    return source.error((*path, *missing), str(error["msg"]))


def _near(error: Mapping[str, Any]) -> str | None:
    known = [word.strip(" '") for word in error["ctx"]["expected"].replace(" or ", ",").split(",")]
    similar = difflib.get_close_matches(str(error["input"]), known, n=1, cutoff=0.5)
    return f"did you mean {similar[0]!r}?" if similar else None


def _tags(path: Path) -> str:
    examples = {"joints": "hinge, spherical, prismatic, drive, …", "loads": "force, spring, motor, …"}
    return examples.get(str(path[0]), "those of the documentation") if path else ""


def _path(source: Source, loc: tuple[Any, ...]) -> tuple[Path, Path]:
    """Keys of the file along a location of pydantic, which names members of unions too; and what is
    not in the file."""
    value: Any = source.data
    path: list[str | int] = []
    rest, tagged = list(loc), False
    while rest:
        key = rest.pop(0)
        if isinstance(value, dict) and key == value.get("type") and not tagged:
            tagged = True
            continue
        try:
            value = value[key]
            path.append(key)
            tagged = False
        except (KeyError, IndexError, TypeError):
            if rest:
                continue
            return tuple(path), (key,)
    return tuple(path), ()
