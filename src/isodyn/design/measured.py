"""Measured data: channels by the names of quantities, each with its own times, in the units of the
model.

A table has a column of times, "t" or "time", and one column for each channel, whose heading may
carry a unit: "pin.angle [deg]", "bob.x [mm]". Empty cells are samples that were not taken.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.results.measured import read_csv

TIMES = ("t", "time")

# (factor, powers of m, kg, s, rad)
_SI: dict[str, tuple[float, tuple[int, int, int, int]]] = {
    "m": (1.0, (1, 0, 0, 0)),
    "g": (1e-3, (0, 1, 0, 0)),
    "t": (1e3, (0, 1, 0, 0)),
    "s": (1.0, (0, 0, 1, 0)),
    "rad": (1.0, (0, 0, 0, 1)),
    "N": (1.0, (1, 1, -2, 0)),
    "J": (1.0, (2, 1, -2, 0)),
    "W": (1.0, (2, 1, -3, 0)),
    "Pa": (1.0, (-1, 1, -2, 0)),
    "Hz": (1.0, (0, 0, -1, 0)),
}
_OTHER: dict[str, tuple[float, tuple[int, int, int, int]]] = {
    "1": (1.0, (0, 0, 0, 0)),
    "deg": (np.pi / 180.0, (0, 0, 0, 1)),
    "°": (np.pi / 180.0, (0, 0, 0, 1)),
    "rev": (2.0 * np.pi, (0, 0, 0, 1)),
    "rpm": (np.pi / 30.0, (0, 0, -1, 1)),
    "min": (60.0, (0, 0, 1, 0)),
    "h": (3600.0, (0, 0, 1, 0)),
    "in": (0.0254, (1, 0, 0, 0)),
    "ft": (0.3048, (1, 0, 0, 0)),
    "lbf": (4.4482216152605, (1, 1, -2, 0)),
    "Nm": (1.0, (2, 1, -2, 0)),
}
_PREFIX = {"n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "k": 1e3, "M": 1e6, "G": 1e9}
_FACTOR = re.compile(r"(?P<symbol>[A-Za-zµ°]+|1)\^?(?P<power>-?\d+)?")


def read_unit(text: str) -> tuple[float, tuple[int, ...]]:
    """Factor to SI, and powers of metre, kilogram, second and radian.

    >>> read_unit("mm"), read_unit("deg/s")[1]
    ((0.001, (1, 0, 0, 0)), (0, 0, -1, 1))
    """
    factor, powers = 1.0, np.zeros(4, dtype=int)
    plain = text.replace("**", "^").replace("·", " ").replace("²", "2").replace("³", "3").replace("−", "-")
    plain = re.sub(r"\s*\^\s*", "^", plain)
    for k, part in enumerate(plain.split("/")):
        for word in part.replace("(", " ").replace(")", " ").replace("*", " ").split():
            found = _FACTOR.fullmatch(word)
            known = None if found is None else _symbol(found["symbol"])
            if found is None or known is None:
                raise InputError(
                    f"{text!r} is not a unit: {word!r} is not known", hint="such as m, mm, deg, rad/s, N m"
                )
            power = int(found["power"] or 1) * (-1 if k else 1)
            factor *= known[0] ** power
            powers += power * np.array(known[1])
    return factor, tuple(int(x) for x in powers)


def _symbol(text: str) -> tuple[float, tuple[int, int, int, int]] | None:
    if text in _OTHER:
        return _OTHER[text]
    if text in _SI:
        return _SI[text]
    if text[0] in _PREFIX and text[1:] in _SI:
        factor, powers = _SI[text[1:]]
        return _PREFIX[text[0]] * factor, powers
    return None


def to_unit(given: str, wanted: str, name: str) -> float:
    """The factor from one unit to another; InputError where they measure different things."""
    if not given or given == wanted:
        return 1.0
    if not wanted:
        raise InputError(f"{name} has no unit in the model, and {given!r} in the data", hint="leave the unit out")
    (one, powers), (other, expected) = read_unit(given), read_unit(wanted)
    if powers != expected:
        raise InputError(
            f"{name} is measured in {wanted} by the model, and in {given} by the data",
            hint=f"give it in {wanted}, or name another quantity",
        )
    return one / other


@dataclass(frozen=True, eq=False)
class Channel:
    """Samples of one quantity: times in seconds, values in `unit` ("" where nothing was said)."""

    name: str
    t: FloatArray
    values: FloatArray
    unit: str = ""

    def converted(self, wanted: str) -> Channel:
        """The same in the unit of the model."""
        return Channel(self.name, self.t, self.values * to_unit(self.unit, wanted, self.name), wanted)


def split_title(title: str) -> tuple[str, str]:
    """Name and unit of a heading.

    >>> split_title("pin.angle [deg]")
    ('pin.angle', 'deg')
    """
    found = re.fullmatch(r"\s*(.*?)\s*(?:\[([^\]]*)\])?\s*", title)
    assert found is not None
    return found[1], found[2] or ""


def read_data(data: object, channels: Mapping[str, str] | Sequence[str] | None) -> list[Channel]:
    """Channels of a CSV file, a mapping or a DataFrame; `channels` renames or chooses columns."""
    table: Mapping[str, Any] = read_csv(data) if isinstance(data, str | Path) else _columns(data)
    heads: dict[tuple[str, str], str] = {}
    for head in table:
        title = split_title(str(head))
        if title in heads:
            raise twice(title[0], f"{heads[title]!r} and {head!r}")
        heads[title] = head
    time = [key for key in heads if key[0].lower() in TIMES]
    if len(time) != 1:
        raise InputError(
            f"data need one column of times, 't' or 'time'; the columns are: {', '.join(map(str, table))}",
            hint="name the column of times 't'",
        )
    t = _array(table[heads[time[0]]], "times") * to_unit(time[0][1], "s", "time")
    if not np.isfinite(t).all() or (np.diff(t) < 0.0).any():
        raise InputError("times of data must be finite and ascend", hint="sort the rows by time")
    found = []
    for name, unit, called in _chosen(heads, time[0], channels):
        values = _array(table[heads[name, unit]], name)
        if values.shape != t.shape:
            raise InputError(f"channel {name!r} has {values.size} values for {t.size} times", hint="NaN for no sample")
        taken = ~np.isnan(values)
        if not np.isfinite(values[taken]).all() or not taken.any():
            raise InputError(f"channel {name!r} has no samples, or infinite ones", hint="leave the channel out")
        found.append(Channel(called, t[taken], values[taken], unit))
    return found


def _columns(data: Any) -> Mapping[str, Any]:
    """A mapping as it is; of a DataFrame its columns."""
    if isinstance(data, Mapping):
        return data
    try:
        return {str(name): data[name] for name in data.columns}
    except (AttributeError, TypeError):
        raise InputError(
            f"data must be a CSV file, a mapping or a DataFrame, received {type(data).__name__}",
            hint='{"t": times, "pin.angle": values}',
        ) from None


def _array(values: Iterable[Any], name: str) -> FloatArray:
    try:
        given = np.asarray(values)
        if np.iscomplexobj(given):
            raise TypeError
        found = given.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} of data must be numbers", hint="NaN where no sample was taken") from None
    if found.ndim != 1:
        raise InputError(
            f"{name} of data must have one dimension, received the shape {found.shape}",
            hint="give a column for each component",
        )
    return found


def _chosen(
    heads: Mapping[tuple[str, str], str], time: tuple[str, str], channels: Mapping[str, str] | Sequence[str] | None
) -> list[tuple[str, str, str]]:
    """Column, unit and name of the quantity of all channels."""
    units: dict[str, str] = {}
    for name, unit in heads:
        if name in units:
            raise twice(name, f"[{units[name]}] and [{unit}]")
        if (name, unit) != time:
            units[name] = unit
    if channels is None:
        called = {name: name for name in units}
    else:
        called = dict(channels) if isinstance(channels, Mapping) else {name: name for name in channels}
    for name in called:
        if name not in units:
            raise InputError(f"data have no column {name!r}", hint=f"columns: {', '.join(units) or 'none'}")
    if not called:
        raise InputError("data have no channels beside the times", hint='such as {"t": times, "pin.angle": values}')
    for quantity, many in Counter(called.values()).items():
        if many > 1:
            raise twice(quantity, " and ".join(name for name in called if called[name] == quantity))
    return [(name, units[name], quantity) for name, quantity in called.items()]


def twice(name: str, columns: str) -> InputError:
    """The error for a quantity that two columns measure."""
    return InputError(f"data have the channel {name!r} twice: {columns}", hint="leave one of them out")


def weights_at(rows: FloatArray, times: FloatArray, breaks: Sequence[float]) -> tuple[Any, FloatArray]:
    """Places (k, 4) and weights (k, 4) with which rows of a run give values at k times: cubic
    interpolation that does not reach over breakpoints."""
    edges = [0, *(int(np.searchsorted(rows, b - 1e-12 * max(1.0, abs(b)))) for b in sorted(breaks)), rows.size]
    places, weights = np.zeros((times.size, 4), dtype=np.int64), np.zeros((times.size, 4))
    for first, last in itertools.pairwise(edges):
        if first == last:
            continue
        upto = rows[last] if last < rows.size else np.inf
        here = np.flatnonzero((times >= rows[first] if first else times > -np.inf) & (times < upto))
        many = min(4, last - first)
        start = np.clip(np.searchsorted(rows, times[here], side="right") - many // 2, first, last - many)
        for j in range(many):
            places[here, j] = start + j
            weights[here, j] = 1.0
            for i in range(many):
                if i != j:
                    weights[here, j] *= (times[here] - rows[start + i]) / (rows[start + j] - rows[start + i])
    return places, weights
