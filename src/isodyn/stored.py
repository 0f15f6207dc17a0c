"""Which settings can be written with a run and read again: dataclasses that register themselves by
their name."""

from __future__ import annotations

from typing import TypeVar

Settings = TypeVar("Settings", bound=type)

KINDS: dict[str, type] = {}


def stored_with_runs(cls: Settings) -> Settings:
    """Let files of results and checkpoints hold objects of this dataclass, by name and fields."""
    KINDS[cls.__name__] = cls
    return cls
