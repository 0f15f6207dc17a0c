"""Registries of parts: the type that a model file calls a class by, and the class.

Several classes may be written as one type (a force by numbers, a force by formulas); one of them reads its tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import TypeVar

from isodyn.errors import InputError
from isodyn.parts.part import Part

P = TypeVar("P", bound=Part)


class Registry:
    """The classes of one table of a model file, by their types."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.version = 0  # counts changes
        self._readers: dict[str, type[Part]] = {}
        self._types: dict[type[Part], str] = {}

    def add(self, type_name: str, cls: type[Part], *, reads: bool = True) -> None:
        """Register a class; with `reads` it makes parts of tables of this type."""
        if not isinstance(type_name, str) or not type_name:
            raise InputError(f"the type of a part is a text that is not empty, received {type_name!r}")
        if not (is_dataclass(cls) and issubclass(cls, Part)):
            raise InputError(
                f"{cls!r} cannot be registered as {type_name!r}: it is no dataclass below isodyn.parts.Part",
                hint="@joint and @load stand above @dataclass(frozen=True)",
            )
        known = self._readers.get(type_name)
        again = known is not None and (known.__module__, known.__qualname__) == (cls.__module__, cls.__qualname__)
        if reads and known is not None and not again:
            raise InputError(
                f"{self.table} of type {type_name!r} are read by {known.__module__}.{known.__qualname__} already",
                hint="choose another type",
            )
        if reads:
            own = {field.name for field in fields(cls)}
            wanted = {part for key in cls.keys for part in (("first", "second") if key == "between" else (key,))}
            missing = sorted(wanted - own) if cls.from_table.__func__ is Part.from_table.__func__ else []
            if missing or "type" in cls.keys:
                raise InputError(f"{cls.__name__}: keys without a field: {', '.join(missing) or 'type'}")
            if known is not None:
                self._types.pop(known, None)
            self._readers[type_name] = cls
        self._types[cls] = type_name
        self.version += 1

    def types(self) -> dict[str, type[Part]]:
        """The classes that read tables, by their types, in the order of registration."""
        return dict(self._readers)

    def classes(self) -> list[type[Part]]:
        """All registered classes."""
        return list(self._types)

    def type_of(self, part: Part) -> str:
        """The type that a part is written as; InputError for a class that is not registered."""
        if type(part) not in self._types:
            raise InputError(
                f"{part.what} is a {type(part).__name__}, which model files do not know",
                hint=f"@{self.table[:-1]}('a type') above the class makes it known",
                part=part.name,
            )
        return self._types[type(part)]


JOINTS, LOADS = Registry("joints"), Registry("loads")


def _decorator(registry: Registry, type_name: str, reads: bool) -> Callable[[type[P]], type[P]]:
    def register(cls: type[P]) -> type[P]:
        registry.add(type_name, cls, reads=reads)
        return cls

    return register


def joint(type_name: str, *, reads: bool = True) -> Callable[[type[P]], type[P]]:
    """Register a joint, drive or coupling as this type of a model file."""
    return _decorator(JOINTS, type_name, reads)


def load(type_name: str, *, reads: bool = True) -> Callable[[type[P]], type[P]]:
    """Register a load as this type of a model file."""
    return _decorator(LOADS, type_name, reads)
