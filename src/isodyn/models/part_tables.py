"""Schema of joints, loads and shapes, made from the keys of the classes that are registered
(isodyn.parts)."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema, create_model, model_validator

from isodyn.errors import InputError
from isodyn.models.parts import FilePart
from isodyn.models.time_tables import TimeFunction
from isodyn.models.values import (
    Formulas,
    FormulaText,
    NotNegative,
    NotZero,
    Number,
    Numbers,
    Points,
    Positive,
    Six,
    TwoVectors,
    Vector,
    number,
    refuse,
    said,
)
from isodyn.parts import Key, Registry, Tabled, Value


def _two_names(value: object) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise refuse(f"an array of two names is needed, received {said(value)}", hint="such as ['ground', 'crank']")
    for k, name in enumerate(value):
        if not isinstance(name, str):
            raise refuse(f"a name is needed, received {said(name)}", k)
    if value[0] == value[1]:
        raise refuse(f"{value[0]!r} is joined to itself")
    return value[0], value[1]


def _weights(value: object, info: ValidationInfo) -> dict[str, float]:
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


_NAMES = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}
_TwoNames = Annotated[tuple[str, str], PlainValidator(_two_names), WithJsonSchema(_NAMES)]
_Weights = Annotated[dict[str, float], PlainValidator(_weights), WithJsonSchema({"type": "object", "minProperties": 1})]

_TYPES: dict[Value, Any] = {
    Value.NUMBER: Number,
    Value.POSITIVE: Positive,
    Value.NOT_NEGATIVE: NotNegative,
    Value.NOT_ZERO: NotZero,
    Value.VECTOR: Vector,
    Value.TWO_VECTORS: TwoVectors,
    Value.NUMBERS: Numbers,
    Value.POINTS: Points,
    Value.TRUTH: bool,
    Value.SIX: Six,
    Value.TEXT: str,
    Value.FORMULA: FormulaText,
    Value.FORMULAS: Formulas,
    Value.TIME: TimeFunction,
    Value.TIME_OR_STATE: TimeFunction,
    Value.BODY: str,
    Value.BODIES: _TwoNames,
    Value.BEAM: str,
    Value.JOINT: str,
    Value.JOINTS: _TwoNames,
    Value.WEIGHTS: _Weights,
}


class PartTable(FilePart):
    """The table of a part: its type, and the keys of its class."""

    type: str

    def given(self) -> dict[str, Any]:
        """Values by key."""
        return {key: getattr(self, key) for key in type(self).model_fields if key != "type"}


def _field(key: Key, default: object) -> tuple[Any, Any]:
    """Type and default of a key."""
    kind = Literal[key.choices] if key.value is Value.CHOICE else _TYPES[key.value]
    if key.required:
        return kind, ...
    return (kind | None if default is None else kind), default


def _table(type_name: str, cls: type[Tabled]) -> type[PartTable]:
    """The table of one class."""
    usual = cls.defaults()
    found: dict[str, Any] = {"type": (Literal[type_name], ...)}
    found |= {name: _field(key, usual.get(name)) for name, key in cls.keys.items()}

    def check(table: PartTable) -> PartTable:
        try:
            cls.check_table(table.given())
        except InputError as error:
            raise refuse(error.message, *error.argument, hint=error.hint) from None
        return table

    validators: dict[str, Any] = {"_check": model_validator(mode="after")(check)}
    return create_model(
        cls.__name__,
        __base__=PartTable,
        __doc__=cls.__doc__,
        __module__=cls.__module__,
        __validators__=validators,
        **found,
    )


def union_of(registry: Registry) -> Any:
    """All tables of a registry, told apart by their type."""
    tables = [_table(name, cls) for name, cls in registry.types().items()]
    return Annotated[reduce(or_, tables), Field(discriminator="type")]
