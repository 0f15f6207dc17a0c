"""Figures of solutions are drawn by isodyn.report, which stands above; the root of the package
tells where it is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from isodyn.errors import InputError

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

_load: Callable[[], Callable[..., Any]] | None = None


def register(load: Callable[[], Callable[..., Any]]) -> None:
    """Give the function that loads what draws: a solution and names in, a figure out."""
    global _load
    _load = load


def plot(sol: Solution, names: tuple[Any, ...], **options: Any) -> Any:
    """A figure of these quantities."""
    if _load is None:
        raise InputError("nothing here draws figures", hint="import isodyn")
    return _load()(sol, names, **options)
