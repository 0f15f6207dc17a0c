"""Schema of functions of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, ValidationInfo, model_validator

from isodyn.models.parts import FilePart
from isodyn.models.values import NUMBER, FormulaText, Number, Numbers, formula, refuse

if TYPE_CHECKING:
    from pydantic_core import CoreSchema


class Polynomial(FilePart):
    """c₀ + c₁ t + …"""

    type: Literal["polynomial"]
    coefficients: Numbers


class Sine(FilePart):
    """offset + amplitude sin(omega t + phase)."""

    type: Literal["sine"]
    amplitude: Number
    omega: Number
    phase: Number = 0.0
    offset: Number = 0.0


class Ramp(FilePart):
    """From start to end between t0 and t1."""

    type: Literal["ramp"]
    start: Number
    end: Number
    t0: Number
    t1: Number


class Pulse(FilePart):
    """A value between t0 and t1."""

    type: Literal["pulse"]
    value: Number
    t0: Number
    t1: Number


class Pairs(FilePart):
    """Values at times."""

    times: Numbers
    values: Numbers
    least: ClassVar[int] = 1

    @model_validator(mode="after")
    def _as_many(self) -> Self:
        if len(self.times) != len(self.values) or len(self.times) < self.least:
            least = "one" if self.least == 1 else "two"
            raise refuse(
                f"{len(self.times)} times and {len(self.values)} values; as many are needed, at least {least}", "values"
            )
        if any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise refuse("times must ascend", "times")
        return self


class Table(Pairs):
    """Values at times, joined by a spline."""

    type: Literal["table"]
    least: ClassVar[int] = 2


class Staircase(Pairs):
    """Values from times on, each until the next."""

    type: Literal["staircase"]


class Formula(FilePart):
    """What a bare string or number becomes."""

    type: Literal["formula"]
    formula: FormulaText


def _function(value: object, info: ValidationInfo) -> dict[Any, Any] | dict[str, float | str]:
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        raise refuse("a number, a formula of t or a table such as {type = 'sine', …} is needed, received an array")
    return {"type": "formula", "formula": formula(value, info)}


class _OrFormula:
    """Tell editors that a bare number or formula is enough."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [*NUMBER["anyOf"], handler(schema)]}


TimeFunction = Annotated[
    Annotated[Polynomial | Sine | Ramp | Pulse | Table | Staircase | Formula, Field(discriminator="type")],
    BeforeValidator(_function),
    _OrFormula(),
]
