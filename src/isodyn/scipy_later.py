"""SciPy's modules, loaded when something of them is first used: importing them takes longer than a run of many small systems."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


class Later:
    """A module that is imported when one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


class LaterSparse(Later):
    """scipy.sparse, which nobody has to load to learn that a matrix is not sparse."""

    def issparse(self, x: Any) -> bool:
        """Whether x is a sparse matrix or array; where scipy.sparse was never loaded, nothing is."""
        module = sys.modules.get(self._name)
        return module is not None and bool(module.issparse(x))


sparse = LaterSparse("scipy.sparse")
sparse_linalg, linalg, special = Later("scipy.sparse.linalg"), Later("scipy.linalg"), Later("scipy.special")
