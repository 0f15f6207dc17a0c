"""Numbers as words and as plain data: aligned rows, infinities and roots in text, values that JSON
can hold."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from isodyn.analysis.one_step_map import Symplecticity

WIDTH = 98
INFINITE = 1e12  # a root beyond this is an infinite one that was rounded


def number(x: float) -> str:
    """Six digits; `infinity` and `undefined` in words.

    >>> number(2.0), number(math.inf)
    ('2', 'infinity')
    """
    if math.isnan(x):
        return "undefined"
    return "infinity" if x == math.inf else f"{x:.6g}"


def roots_text(roots: Iterable[complex]) -> str:
    """Real roots as numbers, pairs with their imaginary part.

    >>> roots_text([-0.5 + 0j, complex("inf")])
    '-0.5, infinity'
    """
    parts = []
    for root in roots:
        if abs(root) > INFINITE:
            parts.append("infinity")
        elif abs(root.imag) <= 1e-9:
            parts.append(f"{root.real + 0.0:.6g}")
        else:
            parts.append(f"{root.real:.6g}{root.imag:+.6g}i")
    return ", ".join(parts)


def table(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Two aligned columns, long values wrapped."""
    width = max(len(label) for label, _ in rows) + 4
    lines = []
    for label, value in rows:
        lead = f"  {label}".ljust(width)
        lines += textwrap.wrap(value, WIDTH, initial_indent=lead, subsequent_indent=" " * width)
    return lines


def plain(value: object) -> Any:
    """What JSON can hold: infinities as "inf", NaN as None, complex numbers as {"re", "im"}, tuples
    with names as mappings.

    >>> plain((1.0, math.inf, math.nan, 1j))
    [1.0, 'inf', None, {'re': 0.0, 'im': 1.0}]
    """
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, complex):
        return {"re": plain(value.real), "im": plain(value.imag)}
    if isinstance(value, float):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf") if math.isinf(value) else value
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value


# ---- findings in words


def limits(free: float, damped: float, xi: float) -> str:
    """The stability limit in words."""
    if free == damped == math.inf:
        return "none: unconditionally stable"
    return f"Omega_crit = {number(free)} without damping, {number(damped)} with xi = {xi:g}"


def stability_notes(free: float, damped: float, xi: float) -> tuple[str, ...]:
    """What to say of a scheme that amplifies."""
    if free == 0.0:
        return ("UNSTABLE: the spectral radius exceeds 1 for every step; motions grow, do not use it",)
    if damped == 0.0:
        return (f"UNSTABLE with damping: for xi = {xi:g} the spectral radius exceeds 1 for every step",)
    return ()


def order_notes(order: int) -> tuple[str, ...]:
    """What to say of a first-order scheme."""
    return () if order == 2 else ("only first order: second order needs l5 = 1/2 + W1L6 − W1",)


def symplectic_text(found: Symplecticity) -> str:
    """The verdict with its defect."""
    return f"{found.verdict}; defect {found.defect:.1e} at dt = 0.05 on Kepler's orbit, e = 0.3"


def energy_text(found: Symplecticity) -> str:
    """What happens to the energy of the orbit."""
    return f"drift {found.energy_drift:.1e} a revolution, oscillation {found.energy_oscillation:.1e}"


def symplectic_notes(verdict: Symplecticity, printed: bool) -> tuple[str, ...]:
    """Where the printed condition and the computation disagree."""
    if printed and verdict.verdict != "symplectic":
        bounded = "energy stays bounded nevertheless" if verdict.verdict == "energy bounded" else "energy drifts"
        return (f"the printed symplectic condition holds, the computed map is not symplectic; {bounded}",)
    if not printed and verdict.verdict == "symplectic":
        return ("the printed symplectic condition fails, yet the computed map is symplectic",)
    if not printed and verdict.verdict == "energy bounded":
        return ("fails the printed symplectic condition, and is not symplectic, yet keeps energy bounded",)
    return ()


def noted(notes: tuple[str, ...]) -> list[str]:
    """The lines below a table."""
    return ["", *(f"  note: {note}" for note in notes)] if notes else []
