"""Numbers that come from outside, as floats: what is complex, masked, text or too large for a float
is refused and not changed."""

from __future__ import annotations

import math
import numbers

import numpy as np
import numpy.typing as npt

from isodyn.errors import InputError

FloatArray = npt.NDArray[np.float64]


def real_array(what: str, value: object, kind: str = "an array of numbers") -> FloatArray:
    """A new array of floats; InputError says what was received instead."""
    if np.ma.isMaskedArray(value) and np.ma.getmaskarray(value).any():
        masked = np.argwhere(np.ma.getmaskarray(value))[0]
        at = f" one at {_place(tuple(map(int, masked)))}" if masked.size else " number"
        raise InputError(
            f"{what} must have all its entries, received a masked{at}",
            hint="fill it, or leave it out, before",
        )
    try:
        found = np.asarray(value)
        if found.dtype.kind in "SUMmV":
            raise TypeError(f"entries of type {found.dtype}")
        if found.dtype.kind == "O" and any(x is None or isinstance(x, str | bytes) for x in found.flat):
            raise TypeError("entries that are no numbers")
        if found.dtype.kind == "c":
            _refuse_complex(what, found)
        return np.array(found, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{what} must be {kind}, received {_short(value)}: {error}") from error


def real_number(what: str, value: object) -> float:
    """A finite number as a float; truth values and text are none."""
    if type(value) is float and math.isfinite(value):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real | np.integer | np.floating):
        raise InputError(f"{what} must be a finite number, received {_short(value)}")
    try:
        number = float(value)
    except OverflowError:
        raise InputError(f"{what} must be a finite number, received one with {len(str(value))} digits") from None
    if not np.isfinite(number):
        raise InputError(f"{what} must be a finite number, received {number}")
    return number


def _refuse_complex(what: str, found: FloatArray) -> None:
    imaginary = np.argwhere(np.imag(found) != 0.0)
    where = tuple(int(i) for i in (imaginary[0] if imaginary.size else np.zeros(found.ndim)))
    entry = found[where] if found.size else found.dtype
    raise InputError(
        f"{what} must be real, received the complex entry {entry} at {_place(where)}"
        if imaginary.size
        else f"{what} must be real, received numbers of type {found.dtype}",
        hint="damping goes into C and loads into f; .real of numbers without an imaginary part",
    )


def _place(where: tuple[int, ...]) -> str:
    return "[" + ", ".join(map(str, where)) + "]"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:77]}…"
