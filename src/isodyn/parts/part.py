"""What all parts have in common: a name, keys in a model file, and the names of other parts that
they use."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

from isodyn.errors import Argument
from isodyn.parts.keys import Keys, Value

_NAMING = {Value.BODY, Value.BEAM, Value.JOINT}
_TWO = {Value.BODIES: Value.BODY, Value.JOINTS: Value.JOINT}


@dataclass(frozen=True)
class Use:
    """A part that another one names: what it is (BODY, BEAM or JOINT), its name, and the argument
    that names it."""

    value: Value
    name: str
    argument: Argument


class Tabled(ABC):  # noqa: B024
    """A dataclass that a table of a model file describes: `keys` are its keys there, each of them a
    field."""

    keys: ClassVar[Keys] = {}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Of keys that a table may leave out: those of the fields."""
        return {field.name: field.default for field in fields(cls) if field.default is not MISSING}  # type: ignore[arg-type]

    @classmethod  # noqa: B027
    def check_table(cls, given: Mapping[str, Any]) -> None:
        """Raise an `InputError` with its argument for values of a table that do not go together."""


class Part(Tabled):
    """A joint or a load: a frozen dataclass with a `name`; its key "between" holds the fields
    `first` and `second`."""

    name: str
    noun: ClassVar[str] = "part"  # as messages call it

    @property
    def what(self) -> str:
        """The part in the words of messages."""
        return f"{self.noun} {self.name!r}"

    @classmethod
    def from_table(cls, name: str, given: Mapping[str, Any], parameters: Mapping[str, float]) -> Sequence[Part]:
        """The part of a table, or several; `parameters` are those of the file, for formulas."""
        values = dict(given)
        between = values.pop("between", ())
        if "parameters" in _field_names(cls):
            values["parameters"] = parameters
        return [cls(name, *between, **values)]  # type: ignore[call-arg]

    def to_table(self) -> dict[str, Any]:
        """Its values by key; those of formulas and functions of time as they are."""
        own = _field_names(type(self))
        found: dict[str, Any] = {}
        for key in self.keys:
            if key == "between":
                found[key] = [getattr(self, "first"), getattr(self, "second")]  # noqa: B009
            elif key in own:
                found[key] = getattr(self, key)
        return found

    def uses(self) -> list[Use]:
        """All names of other parts."""
        found = []
        for key, known in self.keys.items():
            if known.value in _TWO:
                found += [
                    Use(_TWO[known.value], getattr(self, side), (key, k)) for k, side in enumerate(("first", "second"))
                ]
            elif known.value in _NAMING:
                found.append(Use(known.value, getattr(self, key), key))
            elif known.value is Value.WEIGHTS:
                weights = getattr(self, key)
                found += [Use(Value.JOINT, k[0] if isinstance(k, tuple) else k, (key, joined(k))) for k in weights]
        return found

    @classmethod
    def names_joints(cls) -> bool:
        """Whether it works on joints, which must be known before."""
        return any(key.value in (Value.JOINT, Value.JOINTS, Value.WEIGHTS) for key in cls.keys.values())


def joined(key: Any) -> str:
    """A joint, or "joint.coordinate", from "joint" or ("joint", "coordinate")."""
    return ".".join(key) if isinstance(key, tuple) else str(key)


def _field_names(cls: type) -> set[str]:
    return {field.name for field in fields(cls)}
