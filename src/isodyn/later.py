"""Modules that are loaded when something of them is first used.

Importing SciPy takes longer than a run of many small systems, and a pendulum needs no beams.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any


class Later:
    """A module that is imported when one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__version__":  # what tools look for in any object
            raise AttributeError(f"{self._name} is not loaded for {name}")
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


def load(*modules: Later) -> None:
    """Import modules now; an ImportError says which one is missing."""
    for module in modules:
        import_module(module._name)


# what other programs call it
ELSEWHERE = {
    **dict.fromkeys(("Revolute", "RevoluteJoint", "Pin"), "Hinge"),
    **dict.fromkeys(("Ball", "BallJoint", "SphericalJoint"), "Spherical"),
    **dict.fromkeys(("Slider", "Translational", "PrismaticJoint"), "Prismatic"),
    **dict.fromkeys(("Weld", "FixedJoint"), "Fixed"),
    **dict.fromkeys(("Damper", "SpringDamper"), "Spring"),
    **dict.fromkeys(("Body", "RigidBody", "System", "Model"), "Mechanism"),
    **dict.fromkeys(("simulate", "solve", "run"), "integrate"),
}


def unknown_name(package: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error for a name that a package does not have, with the one that may have been meant.

    Names with an underscore are what programs ask for, and they ask often.
    """
    close = [] if name.startswith("_") else difflib.get_close_matches(name, list(known), n=2)
    near = [ELSEWHERE[name]] if name in ELSEWHERE else close
    meant = f"; did you mean {' or '.join(f'{package}.{x}' for x in near)}?" if near else ""
    return AttributeError(f"module {package!r} has no attribute {name!r}{meant}")


def names_from(package: str, homes: dict[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose public names are loaded from their `homes`, the modules
    below it, when they are first asked for."""

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load


class LaterSparse(Later):
    """scipy.sparse, which nobody has to load to learn that a matrix is not sparse."""

    def issparse(self, x: object) -> bool:
        """Whether x is a sparse matrix or array; where scipy.sparse was never loaded, nothing
        is."""
        module = sys.modules.get(self._name)
        return module is not None and bool(module.issparse(x))


sparse = LaterSparse("scipy.sparse")
sparse_linalg, linalg, special = Later("scipy.sparse.linalg"), Later("scipy.linalg"), Later("scipy.special")
