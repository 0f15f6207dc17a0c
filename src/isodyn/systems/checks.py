"""Checks of what users hand to systems, with messages that say what, expected, received."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import CallableError, ConvergenceError, InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import sparse as sp
from isodyn.real_numbers import real_array

if TYPE_CHECKING:
    from isodyn.open_types import Matrix


def vector(name: str, value: object) -> FloatArray:
    """A finite one-dimensional array of floats, copied."""
    array = real_array(name, value, "a vector of numbers")
    if array.ndim != 1:
        raise InputError(
            f"{name} must be a vector, received an array of shape {array.shape}",
            hint=f"pass {name}=[...] with one number each",
        )
    if not np.isfinite(array).all():
        where = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(
            f"{name} must be finite, received {name}[{where}] = {array[where]}", hint="look at how it was computed"
        )
    return array


def square(name: str, value: Any, n: int) -> Matrix:
    """A finite n × n matrix: a dense array of floats, or a sparse CSR array; scalars and vectors
    become diagonals."""
    if sp.issparse(value):
        real_array(f"the entries of {name}", value.data if value.format != "lil" else value.tocsr().data)
        matrix: Matrix = sp.csr_array(value, dtype=np.float64)
        entries = matrix.data
    else:
        matrix = real_array(name, value, "a matrix of numbers or a function")
        if matrix.ndim < 2:
            diagonal = np.broadcast_to(matrix, n) if matrix.ndim == 0 or matrix.shape == (n,) else None
            if diagonal is not None:
                matrix = np.diag(diagonal) if n <= DENSE_DIAGONAL else sp.csr_array(sp.diags_array(diagonal))
        entries = matrix.data if sp.issparse(matrix) else matrix
    if matrix.shape != (n, n):
        raise InputError(
            f"{name} must have shape ({n}, {n}), received {matrix.shape}",
            hint="its size follows from the initial values",
        )
    if not np.isfinite(entries).all():
        if sp.issparse(matrix):
            i, j = (int(indices[~np.isfinite(matrix.data)][0]) for indices in matrix.tocoo().coords)
        else:
            i, j = (int(indices[0]) for indices in np.nonzero(~np.isfinite(matrix)))
        raise InputError(
            f"{name} must be finite, received {name}[{i}, {j}] = {matrix[i, j]}", hint="look at how it was computed"
        )
    return matrix


DENSE_DIAGONAL = 1000  # diagonals of larger matrices become sparse ones
MASS_HINT = "masses are positive; check signs, units and the assembly of M"


def returned(name: str, value: Any, shape: tuple[int, ...], t: float) -> FloatArray:
    """What a user's function returned, as floats of the right shape; NaN is left to the loop."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape == shape:
        return value
    try:
        if sp.issparse(value):
            value = value.toarray()
        array = None if value is None or np.iscomplexobj(value) else np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = None
    if array is None or array.shape != shape:
        got = f"shape {array.shape}" if array is not None else f"{type(value).__name__} {value!r}"
        raise CallableError(
            f"{name} returned {got} at t = {t:.6g}, expected numbers of shape {shape}",
            hint=f"return np.array([...]) from {name}",
        )
    return array


def functions(**arguments: object) -> None:
    """Every argument is None or can be called."""
    for name, function in arguments.items():
        if function is not None and not callable(function):
            raise InputError(f"{name} must be a function, received {function!r}")


def arguments(name: str, function: Callable[..., Any], called: Sequence[str], *, of: str = "") -> None:
    """InputError for a function that cannot be called with these arguments, or that has their names
    in another order, such as (t, q, v); functions that do not tell their arguments are taken as
    they are. `of` says whose function it is, in words."""
    try:
        signature = inspect.signature(getattr(function, "py_func", function))
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*called)
        if any(own in called and own != one for own, one in zip(signature.parameters, called, strict=False)):
            raise TypeError("names in another order")
    except TypeError:
        form = f"{name}({', '.join(called)})"
        raise InputError(
            f"{f'{of}: ' if of else ''}{name} is called as {form}, received a function of {signature}",
            hint=f"def {form}: ...",
        ) from None


def velocity_names(names: Sequence[str], n: int) -> tuple[str, ...]:
    """Names of the components of v: those of the coordinates where there are as many."""
    return tuple(names) if len(names) == n else tuple(f"component {i}" for i in range(n))


def names(given: Sequence[str] | None, n: int, letter: str = "q") -> tuple[str, ...]:
    """One name per coordinate; numbered ones by default."""
    if given is None:
        return tuple(f"{letter}{i}" for i in range(n))
    if isinstance(given, str):
        raise InputError(f"names must be a list of texts, received {given!r}", hint=f"[{given!r}]")
    if len(given) != n:
        one = "constraint row" if letter == "row " else "coordinate"
        raise InputError(f"names must have {n} entries, one per {one}, received {len(given)}")
    return tuple(given)


def wrong_shape(where: str, n: int) -> CallableError:
    """The error for an answer that compiled code cannot use."""
    return CallableError(
        f"a compiled function of the system returned an array of the wrong shape {where}; expected sizes follow from n = {n}",
        hint="call M, Q and the constraint functions once in Python with q0, v0 and look at the shapes",
    )


def untold(name: str, told: float, seen: float, where: str) -> ConvergenceError:
    """The error for an angle that turned by more than can be told in one step."""
    return ConvergenceError(
        f"{name!r} turns too far to be counted {where}: by {told:.3g} rad as the motion tells, by {seen:.3g} rad as the bodies lie",
        hint="reduce dt: bodies turn by more than a radian about different axes in one step",
    )
