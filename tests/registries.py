"""Registries of parts, formulations and settings, put back as they were."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from isodyn.formulations.protocol import ALIASES, REGISTRY
from isodyn.parts import JOINTS, LOADS, SHAPES
from isodyn.results import inputs  # noqa: F401  registers schemes: not to be forgotten with what comes after
from isodyn.stored import KINDS


@contextmanager
def as_before() -> Iterator[None]:
    """What is registered inside is forgotten afterwards."""
    parts = [(each, dict(vars(each)["_readers"]), dict(vars(each)["_types"])) for each in (JOINTS, LOADS, SHAPES)]
    tables = [(each, dict(each)) for each in (REGISTRY, ALIASES, KINDS)]
    try:
        yield
    finally:
        for registry, readers, types in parts:
            vars(registry).update(_readers=readers, _types=types, version=registry.version + 1)
        for table, before in tables:
            table.clear()  # type: ignore[attr-defined]
            table.update(before)  # type: ignore[attr-defined]
