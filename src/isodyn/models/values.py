"""Values in model files: numbers that may be formulas of parameters, vectors, functions of time;
each refused with its own words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError

from isodyn.errors import InputError
from isodyn.expressions import constant, parse
from isodyn.expressions.tokens import tokens

NUMBER = {
    "anyOf": [{"type": "number"}, {"type": "string", "description": "a formula of parameters, such as l/2 or 30 deg"}]
}


def refuse(message: str, *path: str | int, hint: str | None = None) -> PydanticCustomError:
    """An error at a place inside the value."""
    return PydanticCustomError("here", "{message}", {"message": message, "path": path, "hint": hint})


def number(value: object, info: ValidationInfo, *path: str | int) -> float:
    """A finite number, given as such or as a formula of parameters."""
    if isinstance(value, str):
        try:
            return constant(value, (info.context or {}).get("parameters", {}))
        except InputError as error:
            raise refuse(error.message, *path, hint=error.hint) from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refuse(f"a number is needed, received {said(value)}", *path)
    if not abs(value) <= sys.float_info.max:  # also whole numbers of hundreds of digits
        raise refuse(f"a finite number is needed, received {said(value)}", *path)
    return float(value)


def formula(value: object, info: ValidationInfo, *path: str | int) -> float | str:
    """A number, or a formula whose names are looked up later."""
    if not isinstance(value, str):
        return number(value, info, *path)
    try:
        parse(value)
    except InputError as error:
        raise refuse(error.message, *path, hint=error.hint) from None
    return value


def said(value: object) -> str:
    """A value of TOML in words."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # thousands of digits, arrays within arrays
        return "a value too long to be shown"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _bounded(test: Callable[[float], bool], words: str) -> Callable[[Any, ValidationInfo], float]:
    def check(value: object, info: ValidationInfo) -> float:
        x = number(value, info)
        if not test(x):
            raise refuse(f"{words}, received {x:g}")
        return x

    return check


def _list(value: object, sizes: tuple[int, ...] | None, what: str) -> list[Any]:
    if not isinstance(value, list) or (sizes is not None and len(value) not in sizes):
        many = "" if not isinstance(value, list) else f" of {len(value)}"
        shown = f"an array{many}" if isinstance(value, list) else said(value)
        raise refuse(f"{what} is needed, received {shown}")
    return value


def vector(value: object, info: ValidationInfo) -> tuple[float, ...]:
    """Two or three numbers."""
    return tuple(number(x, info, k) for k, x in enumerate(_list(value, (2, 3), "an array of 3 numbers")))


def formulas(value: object, info: ValidationInfo) -> tuple[float | str, ...]:
    """Two or three numbers or formulas."""
    return tuple(formula(x, info, k) for k, x in enumerate(_list(value, (2, 3), "an array of 3 numbers or formulas")))


def numbers(value: list[Any], info: ValidationInfo) -> tuple[float, ...]:
    """Any number of numbers."""
    return tuple(number(x, info, k) for k, x in enumerate(_list(value, None, "an array of numbers")))


def _nested(rows: list[Any], info: ValidationInfo, sizes: tuple[int, ...]) -> tuple[tuple[float, ...], ...]:
    found = []
    for k, row in enumerate(rows):
        if not isinstance(row, list) or len(row) not in sizes:
            raise refuse(f"an array of {sizes[-1]} numbers is needed, received {said(row)}", k)
        found.append(tuple(number(x, info, k, j) for j, x in enumerate(row)))
    return tuple(found)


def points(value: object, info: ValidationInfo) -> tuple[Any, ...]:
    """Points, or their numbers one after the other."""
    given = _list(value, None, "an array of points")
    return _nested(given, info, (2, 3)) if any(isinstance(x, list) for x in given) else numbers(given, info)


def two_vectors(value: object, info: ValidationInfo) -> tuple[tuple[float, ...], ...]:
    """Two points or axes."""
    return _nested(_list(value, (2,), "an array of two vectors"), info, (2, 3))


def line(value: object, info: ValidationInfo) -> tuple[tuple[float, ...], ...]:
    """Two or more points."""
    points = _list(value, None, "an array of points")
    if len(points) < 2:
        raise refuse(f"at least two points are needed, received {len(points)}")
    return _nested(points, info, (2, 3))


def inertia(value: object, info: ValidationInfo) -> float | tuple[float, ...] | tuple[tuple[float, ...], ...]:
    """A moment, three principal moments or a matrix."""
    if not isinstance(value, list):
        return number(value, info)
    _list(value, (3,), "a moment, three principal moments or a 3 × 3 matrix")
    if any(isinstance(x, list) for x in value):
        return _nested(value, info, (3,))
    return tuple(number(x, info, k) for k, x in enumerate(value))


def number_or_vector(value: object, info: ValidationInfo) -> tuple[float, ...] | float:
    """One number, or three."""
    return vector(value, info) if isinstance(value, list) else number(value, info)


def six(value: object, info: ValidationInfo) -> float | tuple[float, ...]:
    """One number for six, or six."""
    if not isinstance(value, list):
        return number(value, info)
    return tuple(number(x, info, k) for k, x in enumerate(_list(value, (6,), "a number or an array of 6 numbers")))


def one_or_two(value: object, info: ValidationInfo) -> float | tuple[float, ...]:
    """One number, or a pair."""
    if not isinstance(value, list):
        return number(value, info)
    return tuple(number(x, info, k) for k, x in enumerate(_list(value, (2,), "one number or two")))


def tolerances(value: object, info: ValidationInfo) -> Any:
    """A number that is not negative, or two, for q and for v, each of which may be an array."""
    if not isinstance(value, list):
        return _not_negative(value, info)
    found: list[Any] = []
    for k, part in enumerate(_list(value, (2,), "one number, or two for q and v,")):
        many = isinstance(part, list)
        values = tuple(number(x, info, *((k, j) if many else (k,))) for j, x in enumerate(part if many else [part]))
        for j, x in enumerate(values):
            if x < 0:
                raise refuse(f"it must not be negative, received {x:g}", *((k, j) if many else (k,)))
        found.append(values if many else values[0])
    return tuple(found)


def counts(value: object) -> Any:
    """A whole number of at least 1, or one for each piece."""
    many = value if isinstance(value, list) else [value]
    for k, x in enumerate(many):
        if isinstance(x, bool) or not isinstance(x, int) or x < 1:
            raise refuse(f"a whole number ≥ 1 is needed, received {said(x)}", *([k] if isinstance(value, list) else []))
    if not many:
        raise refuse("a whole number ≥ 1 is needed, received an array of 0")
    return value


def orientation(value: object, info: ValidationInfo) -> Any:
    """An angle (planar), a unit quaternion (w, x, y, z), a matrix, or {axis = …, angle = …}."""
    if isinstance(value, dict):
        for key in value:
            if key not in ("axis", "angle"):
                raise refuse(f"unknown key {key!r}", key, hint="an orientation has axis and angle")
        for key in ("axis", "angle"):
            if key not in value:
                raise refuse(f"{key} is missing", hint="{axis = [0, 0, 1], angle = '30 deg'}")
        axis = value["axis"]
        if not isinstance(axis, list) or len(axis) != 3:
            raise refuse(f"an array of 3 numbers is needed, received {said(axis)}", "axis")
        found = tuple(number(x, info, "axis", k) for k, x in enumerate(axis))
        if not any(found):
            raise refuse("the axis has no direction", "axis")
        return {"axis": found, "angle": number(value["angle"], info, "angle")}
    if not isinstance(value, list):
        return number(value, info)
    _list(value, (3, 4), "an angle, a quaternion [w, x, y, z], a matrix or {axis, angle}")
    if len(value) == 3:
        return _nested(value, info, (3,))
    return tuple(number(x, info, k) for k, x in enumerate(value))


def interfaces(value: object, info: ValidationInfo) -> dict[str, Any]:
    """Points of interfaces: numbers, {x = [low, high], …}, or the name of a boundary of the
    mesh."""
    if not isinstance(value, dict) or not value:
        raise refuse(f"a table of interfaces is needed, received {said(value)}", hint="{left = {x = [0, 1e-6]}}")
    found: dict[str, Any] = {}
    for name, given in value.items():
        if isinstance(given, str) or (isinstance(given, list) and all(type(k) is int for k in given)):
            found[name] = given
        elif isinstance(given, dict) and given and set(given) <= set("xyz"):
            found[name] = {axis: _range(ends, info, name, axis) for axis, ends in given.items()}
        else:
            hint = "{x = [0, 1e-6]}, numbers of points [0, 1, 2], or the name of a boundary of the mesh"
            raise refuse(f"points are needed, received {said(given)}", name, hint=hint)
    return found


def _range(value: object, info: ValidationInfo, *path: str) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise refuse(f"an array of two numbers is needed, received {said(value)}", *path)
    low, high = (number(x, info, *path, k) for k, x in enumerate(value))
    return low, high


def _array(items: dict[str, Any], low: int, high: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": low, "maxItems": high}


_VECTOR = _array(NUMBER, 2, 3)
_positive = _bounded(lambda x: x > 0, "it must be positive")
_not_negative = _bounded(lambda x: x >= 0, "it must not be negative")
_not_zero = _bounded(lambda x: x != 0, "it must not be zero")

Number = Annotated[float, PlainValidator(number), WithJsonSchema(NUMBER)]
Positive = Annotated[float, PlainValidator(_positive), WithJsonSchema(NUMBER)]
NotNegative = Annotated[float, PlainValidator(_not_negative), WithJsonSchema(NUMBER)]
NotZero = Annotated[float, PlainValidator(_not_zero), WithJsonSchema(NUMBER)]
Vector = Annotated[Any, PlainValidator(vector), WithJsonSchema(_VECTOR)]
Numbers = Annotated[Any, PlainValidator(numbers), WithJsonSchema({"type": "array", "items": NUMBER})]
_POINTS = {"type": "array", "items": {"anyOf": [*NUMBER["anyOf"], _VECTOR]}}
Points = Annotated[tuple[Any, ...], PlainValidator(points), WithJsonSchema(_POINTS)]
Formulas = Annotated[Any, PlainValidator(formulas), WithJsonSchema(_VECTOR)]
FormulaText = Annotated[Any, PlainValidator(formula), WithJsonSchema(NUMBER)]
TwoVectors = Annotated[tuple[Any, ...], PlainValidator(two_vectors), WithJsonSchema(_array(_VECTOR, 2, 2))]
Line = Annotated[
    tuple[Any, ...], PlainValidator(line), WithJsonSchema({"type": "array", "items": _VECTOR, "minItems": 2})
]
_COUNTS = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "array", "items": {"type": "integer", "minimum": 1}}]}
Counts = Annotated[Any, PlainValidator(counts), WithJsonSchema(_COUNTS)]
_ANY_ARRAY = {"anyOf": [*NUMBER["anyOf"], {"type": "array"}]}
Inertia = Annotated[Any, PlainValidator(inertia), WithJsonSchema(_ANY_ARRAY)]
NumberOrVector = Annotated[Any, PlainValidator(number_or_vector), WithJsonSchema(_ANY_ARRAY)]
Six = Annotated[Any, PlainValidator(six), WithJsonSchema(_ANY_ARRAY)]
OneOrTwo = Annotated[Any, PlainValidator(one_or_two), WithJsonSchema(_ANY_ARRAY)]
Tolerances = Annotated[Any, PlainValidator(tolerances), WithJsonSchema(_ANY_ARRAY)]
_ORIENTATION = {"anyOf": [*_ANY_ARRAY["anyOf"], {"type": "object", "properties": {"axis": _VECTOR, "angle": NUMBER}}]}
Orientation = Annotated[Any, PlainValidator(orientation), WithJsonSchema(_ORIENTATION)]

_INTERFACE = {
    "type": "object",
    "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "array"}, {"type": "object"}]},
}
Interfaces = Annotated[Any, PlainValidator(interfaces), WithJsonSchema(_INTERFACE)]


def inlined(text: str, parameters: Mapping[str, float]) -> str:
    """A formula with its parameters as numbers."""
    found, at = "", 0
    for token in tokens(text):
        if token.kind == "name" and token.text in parameters:
            found += text[at : token.column - 1] + f"({float(parameters[token.text])!r})"
            at = token.column - 1 + len(token.text)
    return found + text[at:]
