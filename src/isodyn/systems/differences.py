"""Derivatives by differences of sixth order, for what nobody differentiated by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# steps at which truncation and rounding meet, for functions that change over lengths of one
H1, H2 = 2e-3, 8e-3


def first(f: Callable[[float], Any], h: float = H1) -> Any:
    """f'(0)."""
    return (45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60.0 * h)


def second(f: Callable[[float], Any], h: float = H2) -> Any:
    """f''(0)."""
    near, middle, far = f(h) + f(-h), f(2 * h) + f(-2 * h), f(3 * h) + f(-3 * h)
    return (1.5 * near - 0.15 * middle + far / 90.0 - 49.0 / 18.0 * f(0.0)) / (h * h)
