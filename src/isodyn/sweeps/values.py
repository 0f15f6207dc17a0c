"""What a parameter of a sweep takes: given values, or a distribution.

A distribution is anything with `ppf`, the inverse of its distribution function; so those of
`scipy.stats` serve too. As texts, on the command line and in Python:

    0.5:2:16         sixteen values from 0.5 to 2           0.5:2:16:log     the same, by equal ratios
    1, 2.5, 30 deg   these values                           0.5:2            uniform between the two
    normal(1, 0.1)   a distribution by its name and numbers
"""

from __future__ import annotations

import difflib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.expressions import constant
from isodyn.kernels.compiled import FloatArray
from isodyn.later import special
from isodyn.real_numbers import real_array, real_number

MOST = 10_000_000  # values of one parameter


@runtime_checkable
class Distribution(Protocol):
    """Anything that turns numbers between 0 and 1 into values."""

    def ppf(self, u: ArrayLike) -> Any:
        """Return the values below which the shares u of all lie.

        Parameters
        ----------
        u
            Shares between 0 and 1.

        Returns
        -------
        x
            Values.
        """


@dataclass(frozen=True)
class _Named(ABC):
    """A distribution by its numbers, which are checked."""

    def __post_init__(self) -> None:
        for field in fields(self):
            number = real_number(f"{field.name} of {type(self).__name__}", getattr(self, field.name))
            object.__setattr__(self, field.name, number)
        self._check()

    @abstractmethod
    def ppf(self, u: ArrayLike) -> FloatArray:
        """Return the values below which the shares u of all lie.

        Parameters
        ----------
        u
            Shares between 0 and 1.

        Returns
        -------
        x
            Values.
        """

    @abstractmethod
    def _check(self) -> None:
        """InputError for numbers that do not go together."""

    def _rising(self, *names: str) -> None:
        values = [getattr(self, name) for name in names]
        if any(a > b for a, b in pairwise(values)) or values[0] >= values[-1]:
            raise InputError(f"{type(self).__name__} needs {' < '.join(names)}, received {values}")

    def _positive(self, *names: str) -> None:
        for name in names:
            if getattr(self, name) <= 0.0:
                raise InputError(f"{name} of {type(self).__name__} must be positive, received {getattr(self, name):g}")


@dataclass(frozen=True)
class Uniform(_Named):
    """All values between two are equally likely.

    Parameters
    ----------
    low, high
        The two.

    Raises
    ------
    InputError
        If low is not below high.

    Examples
    --------
    >>> from isodyn.sweeps import Uniform
    >>> float(Uniform(1.0, 3.0).ppf(0.25))
    1.5
    """

    low: float
    high: float

    def _check(self) -> None:
        self._rising("low", "high")

    def ppf(self, u: ArrayLike) -> FloatArray:
        return self.low + (self.high - self.low) * np.asarray(u)


@dataclass(frozen=True)
class LogUniform(_Named):
    """All orders of magnitude between two positive values are equally likely.

    Parameters
    ----------
    low, high
        The two.

    Raises
    ------
    InputError
        If low is not positive and below high.

    Examples
    --------
    >>> from isodyn.sweeps import LogUniform
    >>> round(float(LogUniform(1.0, 100.0).ppf(0.5)), 12)
    10.0
    """

    low: float
    high: float

    def _check(self) -> None:
        self._positive("low")
        self._rising("low", "high")

    def ppf(self, u: ArrayLike) -> FloatArray:
        return np.asarray(self.low * (self.high / self.low) ** np.asarray(u))


@dataclass(frozen=True)
class Normal(_Named):
    """Gauss's distribution.

    Parameters
    ----------
    mean, deviation
        Its mean and its standard deviation.

    Raises
    ------
    InputError
        If the deviation is not positive.

    Examples
    --------
    >>> from isodyn.sweeps import Normal
    >>> float(Normal(5.0, 2.0).ppf(0.5))
    5.0
    """

    mean: float
    deviation: float

    def _check(self) -> None:
        self._positive("deviation")

    def ppf(self, u: ArrayLike) -> FloatArray:
        return np.asarray(self.mean + self.deviation * special.ndtri(np.asarray(u)))


@dataclass(frozen=True)
class LogNormal(_Named):
    """A positive number whose logarithm has Gauss's distribution.

    Parameters
    ----------
    median
        Half of the values lie below it.
    spread
        Standard deviation of the logarithm; 0.1 is about ten per cent.

    Raises
    ------
    InputError
        If a number is not positive.

    Examples
    --------
    >>> from isodyn.sweeps import LogNormal
    >>> float(LogNormal(800.0, 0.1).ppf(0.5))
    800.0
    """

    median: float
    spread: float

    def _check(self) -> None:
        self._positive("median", "spread")

    def ppf(self, u: ArrayLike) -> FloatArray:
        return np.asarray(self.median * np.exp(self.spread * special.ndtri(np.asarray(u))))


@dataclass(frozen=True)
class Triangular(_Named):
    """Values between two, those near a third one most likely.

    Parameters
    ----------
    low, likely, high
        The least, the most likely and the largest value.

    Raises
    ------
    InputError
        If they are not in order.

    Examples
    --------
    >>> from isodyn.sweeps import Triangular
    >>> float(Triangular(0.0, 1.0, 2.0).ppf(0.5))
    1.0
    """

    low: float
    likely: float
    high: float

    def _check(self) -> None:
        self._rising("low", "likely", "high")

    def ppf(self, u: ArrayLike) -> FloatArray:
        u = np.asarray(u)
        width, left = self.high - self.low, self.likely - self.low
        rising = self.low + np.sqrt(u * width * left)
        return np.where(u * width < left, rising, self.high - np.sqrt((1 - u) * width * (self.high - self.likely)))


NAMED: dict[str, type[_Named]] = {
    "uniform": Uniform,
    "loguniform": LogUniform,
    "normal": Normal,
    "lognormal": LogNormal,
    "triangular": Triangular,
}


def read_values(name: str, given: object) -> FloatArray | Distribution:
    """Given values, or a distribution; `name` is the parameter that takes them."""
    if isinstance(given, str):
        return _from_text(name, given)
    if isinstance(given, Distribution):
        return given
    values = np.atleast_1d(real_array(f"values of {name}", given, "numbers, or a distribution"))
    return _checked(name, values)


def _checked(name: str, values: FloatArray) -> FloatArray:
    if values.ndim != 1 or not values.size:
        raise InputError(f"{name} takes some values, received an array of shape {values.shape}")
    if not np.isfinite(values).all():
        raise InputError(f"values of {name} must be finite, received {values[~np.isfinite(values)][0]}")
    if np.unique(values).size != values.size:
        raise InputError(f"{name} takes a value twice", hint="each value makes points of its own")
    return values


def _from_text(name: str, text: str) -> FloatArray | Distribution:
    called = re.fullmatch(r"\s*([a-z]+)\s*\((.*)\)\s*", text)
    if called is not None and called[1] in NAMED:
        numbers = _numbers(name, text, called[2].split(","))
        known = NAMED[called[1]]
        names = [field.name for field in fields(known)]
        if len(numbers) != len(names):
            raise InputError(f"{name}: {called[1]} takes {', '.join(names)}; received {len(numbers)} numbers")
        return known(*numbers)
    parts = [part.strip() for part in text.split(":")]
    if len(parts) == 1:
        if called is not None and (near := difflib.get_close_matches(called[1], NAMED, n=1)):
            raise InputError(f"{name}: there is no distribution {called[1]!r}", hint=f"did you mean {near[0]}?")
        return _checked(name, np.array(_numbers(name, text, text.split(","))))
    return _range(name, text, parts)


def _range(name: str, text: str, parts: list[str]) -> FloatArray | Distribution:
    """start:stop, start:stop:count or start:stop:count:log."""
    hint = "0.5:2:16 are sixteen values, 0.5:2 is uniform between the two, 0.5:2:16:log goes by ratios"
    if len(parts) > 4 or (len(parts) == 4 and parts[3] != "log"):
        raise InputError(f"{name}: {text!r} is no range", hint=hint)
    start, stop = _numbers(name, text, parts[:2])
    if len(parts) == 2:
        return Uniform(start, stop)
    if not parts[2].isdecimal() or not 1 <= int(parts[2]) <= MOST:
        raise InputError(f"{name}: {text!r} needs a whole number of values, received {parts[2]!r}", hint=hint)
    count = int(parts[2])
    if len(parts) == 3:
        return _checked(name, np.linspace(start, stop, count))
    if start <= 0.0 or stop <= 0.0:
        raise InputError(f"{name}: ratios need positive ends, received {start:g} and {stop:g}")
    return _checked(name, np.geomspace(start, stop, count))


def _numbers(name: str, text: str, parts: Iterable[str]) -> list[float]:
    found = []
    for part in parts:
        try:
            found.append(constant(part.strip()))
        except InputError as error:
            raise InputError(f"{name}: {text!r} cannot be read: {error.message}", hint=error.hint) from None
    return found
