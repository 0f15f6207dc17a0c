"""Names for what has no narrower type, so that a signature says more than `Any`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

BoolArray: TypeAlias = npt.NDArray[np.bool_]
ComplexArray: TypeAlias = npt.NDArray[np.complex128]

Compiled: TypeAlias = Callable[..., Any]
"""A function that is compiled, or that compiled code calls."""

Matrix: TypeAlias = Any
"""A matrix: an array, or a sparse matrix of SciPy, which has no types."""

Numbers: TypeAlias = Any
"""Numbers in any form that NumPy reads. The class that has them makes an array of them."""

Selection: TypeAlias = npt.ArrayLike | Mapping[str, Any]
"""Columns to save: indices for all variables, or by their names; of subdomains also by theirs."""
