"""Registries of parts, formulations and settings, put back as they were."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from isodyn.formulations.protocol import ALIASES, REGISTRY
from isodyn.parts import CONTACTS, JOINTS, LOADS, SHAPES
from isodyn.results import inputs  # noqa: F401  registers schemes
from isodyn.stored import KINDS


def _is_own(cls: type) -> bool:
    """Whether a class belongs to the package: modules that are loaded inside register theirs once, and
    for good."""
    return cls.__module__.split(".")[0] == "isodyn"


def _put_back(table: dict[Any, Any], before: dict[Any, Any], own: Callable[[Any, Any], bool]) -> None:
    """What the table was, and behind it what is the package's own."""
    later = {key: value for key, value in table.items() if key not in before and own(key, value)}
    table.clear()
    table.update(before | later)


@contextmanager
def as_before() -> Iterator[None]:
    """What is registered inside is forgotten afterwards, but for classes of the package itself."""
    registries = (JOINTS, LOADS, SHAPES, CONTACTS)
    parts = [(each, dict(vars(each)["_readers"]), dict(vars(each)["_types"])) for each in registries]
    formulations, aliases, kinds = dict(REGISTRY), dict(ALIASES), dict(KINDS)
    try:
        yield
    finally:
        for registry, readers, types in parts:
            _put_back(vars(registry)["_readers"], readers, lambda _, cls: _is_own(cls))
            _put_back(vars(registry)["_types"], types, lambda cls, _: _is_own(cls))
            registry.version += 1
        _put_back(REGISTRY, formulations, lambda _, cls: _is_own(cls))
        _put_back(ALIASES, aliases, lambda _, name: name in REGISTRY)
        _put_back(KINDS, kinds, lambda _, cls: _is_own(cls))
