"""Derivatives along a line by differences, with steps that look after themselves.

For a function f of ε, sampled at ±h, ±2h, ±3h,

    f'(0) ≈ Σ c_k (f(kh) − f(−kh)) / h,        f''(0) ≈ Σ c_k (f(kh) − 2f(0) + f(−kh)) / h²

of sixth order; the same samples give the formula of fourth order. Where both agree, the error of
the better one is far below their difference. Where they do not, f changes over lengths shorter than
h, or is not defined so far away, and h becomes SHORTER; of steps that all disagree the one that
does least is taken. Rounding leaves 1e-13 of a first derivative and 1e-11 of a second one.

Where q or t is so large that rounding hides such steps, h becomes longer instead, until the
formulas agree or differ much more than they did. The longest steps must not come first: what is
bounded has no slope over lengths at which it has changed many times, and the formulas agree about
that.

Steps refer to typical sizes (isodyn.systems.scales), and to what a look at the start found:
functions that change faster begin with shorter steps, those that only change over the size of q
with longer ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.systems.differences import H1, H2

FIRST_6, FIRST_4 = (45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0), (8.0 / 12.0, -1.0 / 12.0, 0.0)
SECOND_6, SECOND_4 = (1.5, -0.15, 1.0 / 90.0), (4.0 / 3.0, -1.0 / 12.0, 0.0)
BOTH_FIRST, BOTH_SECOND = np.array([FIRST_6, FIRST_4]), np.array([SECOND_6, SECOND_4])
LONGER = H2 / H1  # steps of second derivatives beside those of first ones
SHORTER = 1.0 / 8.0
LEVELS = 6  # how many steps are tried
WORSE = 8.0  # than the least disagreement: more than rounding, which comes and goes
AGREE_1, AGREE_2 = 1e-9, 1e-7  # relative differences of the two formulas that are small enough
# steps of first differences that need few digits, and of mixed ones beside those of first derivatives
ROOT = float(np.sqrt(np.finfo(np.float64).eps))
SKETCH = ROOT**0.5 / H1
# of sizes of q and t: steps become as long as this part of them where rounding hides shorter ones
FAR = 1e-3 * H1


def first(f: Callable[[float], FloatArray], h: float, sizes: FloatArray, far: float = 1.0) -> FloatArray:
    """f'(0) with steps up to h, or, where `far` is larger than one, from h to `far` times that;
    components below `sizes` need not be known better than these."""
    return _best(lambda h: _first(f, h), h, sizes, AGREE_1, far)[0]


def second(f: Callable[[float], FloatArray], h: float, sizes: FloatArray, far: float = 1.0) -> FloatArray:
    """f''(0), likewise."""
    centre = f(0.0)
    return _best(lambda h: _second(f, centre, h), h, sizes, AGREE_2, far)[0]


def levels_of(far: float) -> int:
    """How many steps are tried."""
    return LEVELS if far <= 1.0 else 1 + int(np.ceil(np.log(far) / np.log(1.0 / SHORTER)))


def good_step(f: Callable[[float], FloatArray], h: float, sizes: FloatArray) -> float:
    """The longest of the steps h, h·SHORTER, … with which f'(0) is good."""
    return _best(lambda h: _first(f, h), h, sizes, AGREE_1)[1]


def _first(f: Callable[[float], FloatArray], h: float) -> tuple[FloatArray, FloatArray]:
    changes = np.array([f(h) - f(-h), f(2 * h) - f(-2 * h), f(3 * h) - f(-3 * h)])
    six, four = BOTH_FIRST @ changes / h
    return six, four


def _second(f: Callable[[float], FloatArray], centre: FloatArray, h: float) -> tuple[FloatArray, FloatArray]:
    bends = np.array([(f(k * h) - centre) + (f(-k * h) - centre) for k in (1, 2, 3)])
    six, four = BOTH_SECOND @ bends / (h * h)
    return six, four


def _best(
    formulas: Callable[[float], tuple[FloatArray, FloatArray]],
    h: float,
    sizes: FloatArray,
    agree: float,
    far: float = 1.0,
) -> tuple[FloatArray, float]:
    """The derivative with the step at which the formulas agree, or disagree least; and the step."""
    found, good, least, levels = None, h, np.inf, levels_of(far)
    factor, worse = (SHORTER, 1.0) if far <= 1.0 else (1.0 / SHORTER, WORSE)
    for level in range(levels):
        try:
            with np.errstate(invalid="ignore", divide="ignore"):
                six, four = formulas(h)
        except (ArithmeticError, ValueError):  # of functions that are not defined so far away
            if level == levels - 1 and found is None:
                raise
            h *= factor
            continue
        miss = _disagreement(six, four, sizes)
        if found is None or miss < least:
            found, good = six, h
        elif least < np.inf and miss >= worse * least:
            break
        least = min(least, miss)
        if miss <= agree:
            break
        h *= factor
    assert found is not None
    return found, good


def _disagreement(six: FloatArray, four: FloatArray, sizes: FloatArray) -> float:
    with np.errstate(all="ignore"):
        miss = np.abs(six - four) / np.maximum(np.abs(six), sizes)
    worst = float(miss.max(initial=0.0))
    return worst if np.isfinite(worst) else np.inf
