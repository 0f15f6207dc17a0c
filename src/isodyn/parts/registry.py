"""Registries of parts: the type that a model file calls a class by, and the class.

Several classes may be written as one type (a force by numbers, a force by formulas); one of them
reads its tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar

from isodyn.errors import InputError
from isodyn.inherited_text import complete
from isodyn.keywords import takes_known_keywords
from isodyn.parts.keys import Value
from isodyn.parts.part import Part, Tabled

P = TypeVar("P", bound=Tabled)


class Registry:
    """The classes of one table of a model file, by their types."""

    def __init__(self, table: str, base: type[Tabled]) -> None:
        self.table, self.base = table, base
        self.version = 0  # counts changes
        self._readers: dict[str, type[Tabled]] = {}
        self._types: dict[type[Tabled], str] = {}

    def add(self, type_name: str, cls: type[Tabled], *, reads: bool = True) -> None:
        """Register a class; with `reads` it makes parts of tables of this type."""
        if not isinstance(type_name, str) or not type_name:
            raise InputError(f"the type of a part is a text that is not empty, received {type_name!r}")
        if not (is_dataclass(cls) and issubclass(cls, self.base)):
            raise InputError(
                f"{cls!r} cannot be registered as {type_name!r}: it is no dataclass below isodyn.parts.{self.base.__name__}",
                hint=f"@{self.table[:-1]} stands above @dataclass(frozen=True)",
            )
        known = self._readers.get(type_name)
        again = known is not None and (known.__module__, known.__qualname__) == (cls.__module__, cls.__qualname__)
        if reads and known is not None and not again:
            raise InputError(
                f"{self.table} of type {type_name!r} are read by {known.__module__}.{known.__qualname__} already",
                hint="choose another type",
            )
        if reads:
            self._refuse_unmade(cls)
            if known is not None:
                self._types.pop(known, None)
            self._readers[type_name] = cls
        self._types[cls] = type_name
        self.version += 1

    @staticmethod
    def _refuse_unmade(cls: Any) -> None:
        """InputError for keys that do not fit the fields of a class, unless it reads its tables in
        its own way."""
        choices = [name for name, key in cls.keys.items() if key.value is Value.CHOICE and not key.choices]
        if "type" in cls.keys or choices:
            what = "'type' is a key of every table" if not choices else f"no choices for {', '.join(choices)}"
            raise InputError(f"{cls.__name__}: {what}")
        reader = getattr(cls, "from_table", None)
        if reader is not None and reader.__func__ is not vars(Part)["from_table"].__func__:
            return
        usual, own = cls.defaults(), {field.name for field in fields(cls)}
        made = {"name", "parameters"}
        for name, key in cls.keys.items():
            sides = {"first", "second"} if name == "between" else {name}
            if not sides <= own:
                raise InputError(f"{cls.__name__}: keys without a field: {', '.join(sorted(sides - own))}")
            if not key.required and not sides <= set(usual):
                raise InputError(f"{cls.__name__}: {name} may be left out of a table, but its field has no default")
            made |= sides
        given = made | set(usual) | {field.name for field in fields(cls) if field.default_factory is not MISSING}
        left = [field.name for field in fields(cls) if field.name not in given]
        if left:
            raise InputError(f"{cls.__name__}: fields without a key and without a default: {', '.join(left)}")

    def types(self) -> dict[str, type[Tabled]]:
        """The classes that read tables, by their types, in the order of registration."""
        return dict(self._readers)

    def classes(self) -> list[type[Tabled]]:
        """All registered classes."""
        return list(self._types)

    def knows(self, given: object) -> bool:
        """Whether the class of an object is registered."""
        return type(given) in self._types

    def type_of(self, part: Tabled) -> str:
        """The type that a part is written as; InputError for a class that is not registered."""
        if type(part) not in self._types:
            raise InputError(
                f"{self.table}: {type(part).__name__} is a class that model files do not know",
                hint=f"@{self.table[:-1]}('a type') above the class makes it known",
            )
        return self._types[type(part)]


JOINTS, LOADS, SHAPES = Registry("joints", Part), Registry("loads", Part), Registry("shapes", Tabled)
CONTACTS = Registry("contacts", Part)


def _decorator(registry: Registry, type_name: str, reads: bool) -> Callable[[type[P]], type[P]]:
    def register(cls: type[P]) -> type[P]:
        registry.add(type_name, cls, reads=reads)
        described = complete(cls)
        described.__init__ = takes_known_keywords(cls.__init__, name=cls.__name__)  # type: ignore[method-assign]
        return described

    return register


def joint(type_name: str, *, reads: bool = True) -> Callable[[type[P]], type[P]]:
    """Register a joint, drive or coupling as this type of a model file."""
    return _decorator(JOINTS, type_name, reads)


def load(type_name: str, *, reads: bool = True) -> Callable[[type[P]], type[P]]:
    """Register a load as this type of a model file."""
    return _decorator(LOADS, type_name, reads)


def contact(type_name: str, *, reads: bool = True) -> Callable[[type[P]], type[P]]:
    """Register a contact as this type of a model file."""
    return _decorator(CONTACTS, type_name, reads)
