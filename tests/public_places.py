"""Where the public names stand."""

from __future__ import annotations

import inspect
from doctest import DocTest
from importlib import import_module

import isodyn

PACKAGES = (
    "analysis",
    "beams",
    "gauss",
    "models",
    "problems",
    "reduction",
    "report",
    "results",
    "studies",
    "subdomains",
)


def classes_and_functions() -> dict[str, object]:
    """Those of the root and of the packages, by their places."""
    found: dict[str, object] = {}
    for module in (isodyn, *(import_module(f"isodyn.{name}") for name in PACKAGES)):
        for name in module.__all__:
            value = getattr(module, name)
            if (inspect.isclass(value) or inspect.isroutine(value)) and value.__module__.startswith("isodyn"):
                found[f"{value.__module__}.{value.__qualname__}"] = value
    return found


def as_pasted(test: DocTest, places: dict[str, object]) -> None:
    """The example of a public name, or of a method of one, runs as a user pastes it: without the
    names of its module."""
    if test.name in places or test.name.rpartition(".")[0] in places:
        test.globs = {"__name__": "__main__"}
