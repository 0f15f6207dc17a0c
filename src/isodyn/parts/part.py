"""What all parts have in common: a name, keys in a model file, and the names of other parts that
they use."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

from isodyn.errors import Argument
from isodyn.notebook_views import Told
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


class Tabled(Told, ABC):
    """A dataclass that a table of a model file describes: `keys` are its keys there, each of them a
    field."""

    keys: ClassVar[Keys] = {}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the values of keys that a table may leave out.

        Returns
        -------
        defaults
            Values by key; those of the fields, unless a class says otherwise.
        """
        return {field.name: field.default for field in fields(cls) if field.default is not MISSING}  # type: ignore[arg-type]

    @classmethod
    def check_table(cls, given: Mapping[str, Any]) -> None:
        """Refuse a table of a model file whose values contradict each other.

        Parameters
        ----------
        given
            The table.

        Raises
        ------
        InputError
            With the key that is wrong.
        """


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
        """Return the parts that a table of a model file describes.

        Parameters
        ----------
        name
            Name of the part.
        given
            The table.
        parameters
            Parameters of the model file, for formulas.

        Returns
        -------
        parts
            One part, or several.
        """
        values = dict(given)
        between = values.pop("between", ())
        if "parameters" in _field_names(cls):
            values["parameters"] = parameters
        return [cls(name, *between, **values)]  # type: ignore[call-arg]

    def to_table(self) -> dict[str, Any]:
        """Return the table of a model file that describes the part.

        Returns
        -------
        table
            Values by key; formulas and functions of time as they are.
        """
        own = _field_names(type(self))
        found: dict[str, Any] = {}
        for key in self.keys:
            if key == "between":
                found[key] = [getattr(self, "first"), getattr(self, "second")]  # noqa: B009
            elif key in own:
                found[key] = getattr(self, key)
        return found

    def uses(self) -> list[Use]:
        """Return the other parts that the part names.

        Returns
        -------
        uses
            Kind, name and argument of each.
        """
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


def joined(key: str | tuple[str, str]) -> str:
    """A joint, or "joint.coordinate", from "joint" or ("joint", "coordinate")."""
    return ".".join(key) if isinstance(key, tuple) else str(key)


def _field_names(cls: type) -> set[str]:
    return {field.name for field in fields(cls)}
