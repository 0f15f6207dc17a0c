"""Tables of numbers as text in one compiled pass: every number in the fewest digits that read back
as the same one, written as `repr` writes it.

Of the decimals between the two midpoints beside c·2^q, the shortest is taken, of several the
nearest (R. Giulietti, "The Schubfach way to render doubles", 2020). With k = ⌊log₁₀ 2^q⌋ they are
compared at the scale 10^k, in units of ¼, by products with a table of 10^−k in 128 bits. Products
are rounded to odd, so that they compare like exact numbers.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numba import types

from isodyn.kernels.compiled import F2, FloatArray, i8, kernel
from isodyn.kernels.wide_products import put_word, upper_product

if TYPE_CHECKING:
    import numpy.typing as npt

U8, U64 = types.uint8[::1], types.uint64[::1]
LONGEST = 25  # bytes of a number with the comma behind it: −d.(16 digits)e−308,
SLACK = 8  # bytes behind the last number that may be written while it is
LEAST_POWER, LARGEST_POWER = -292, 324  # of ten, that numbers of 64 bits need
HIDDEN, FRACTION, EXPONENT = np.uint64(1 << 52), np.uint64((1 << 52) - 1), np.uint64(0x7FF)
U0, U1, U2, U4, U10, U100, MANY = (np.uint64(x) for x in (0, 1, 2, 4, 10, 100, 10**16))
TEN_THOUSAND, TEN_MILLION, HUNDRED_MILLION, SIXTEEN_DIGITS = (np.uint64(10**k) for k in (4, 7, 8, 15))
TENS = np.array([10**k for k in range(10)], dtype=np.uint64)
ZEROS = np.uint64(0x3030303030303030)  # eight letters 0
COMMA, POINT, ZERO, MINUS, PLUS, LETTER_E, LINE = (np.uint8(ord(x)) for x in ",.0-+e\n")
NAN, INFINITE = np.frombuffer(b"nan", dtype=np.uint8), np.frombuffer(b"inf", dtype=np.uint8)


@cache
def powers_of_ten() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Upper and lower halves of ⌈10^k⌉, scaled to 128 bits."""
    found = []
    for k in range(LEAST_POWER, LARGEST_POWER + 1):
        shift = 127 - ((k * 1741647) >> 19)  # less ⌊log₂ 10^k⌋
        top, bottom = 10 ** max(k, 0) << max(shift, 0), 10 ** max(-k, 0) << max(-shift, 0)
        found.append(-(-top // bottom))
    half = (1 << 64) - 1
    return np.array([x >> 64 for x in found], dtype=np.uint64), np.array([x & half for x in found], dtype=np.uint64)


@kernel()
def scaled(high: np.uint64, low: np.uint64, x: np.uint64) -> np.uint64:
    """x·(high, low)/2^128, rounded to odd."""
    below = high * x
    found = np.uint64(upper_product(high, x))
    total = below + np.uint64(upper_product(low, x))
    if total < below:
        found += U1
    return found | (U1 if total > U1 else U0)


@kernel()
def shortest(
    fraction: np.uint64, exponent: np.uint64, high: npt.NDArray[np.uint64], low: npt.NDArray[np.uint64]
) -> tuple[np.uint64, np.int64]:
    """Digits s and exponent k of s·10^k, the shortest decimal of a positive number."""
    c, q = fraction, np.int64(-1074)
    if exponent != U0:
        c, q = HIDDEN | fraction, np.int64(exponent) - 1075
        if -53 < q <= 0 and c & ((U1 << np.uint64(-q)) - U1) == U0:
            return c >> np.uint64(-q), np.int64(0)
    odd = c & U1
    closer = fraction == U0 and exponent > U1  # to its neighbour below: a power of two
    k = (q * 1262611 - (524031 if closer else 0)) >> 22
    h = np.uint64(q + ((-k * 1741647) >> 19) + 1)
    place = -k - LEAST_POWER
    g1, g0 = high[place], low[place]
    lower = scaled(g1, g0, (U4 * c - (U1 if closer else U2)) << h) + odd
    upper = scaled(g1, g0, (U4 * c + U2) << h) - odd
    value = scaled(g1, g0, (U4 * c) << h)
    # both candidates, then one of them: half of all numbers take one more digit than the others,
    # and a processor that guesses wrongly loses more than this takes
    s = value // U4
    tens = s // U10
    shorter_down, shorter_up = lower <= U4 * U10 * tens, U4 * U10 * (tens + U1) <= upper
    down, up = lower <= U4 * s, U4 * (s + U1) <= upper
    above = U1 if value + (s & U1) > U4 * s + U2 else U0  # of two that are as near, the even one
    found = s + (above if down == up else U1 if up else U0)
    shorter = (shorter_down != shorter_up) & (s >= U10)
    return (tens + (U1 if shorter_up else U0) if shorter else found), k + (1 if shorter else 0)


@kernel()
def eight_digits(s: np.uint64) -> np.uint64:
    """The eight digits of s as text, zeros in front included: two halves of four, of two, of one
    at a time."""
    upper = s // TEN_THOUSAND
    fours = upper | ((s - TEN_THOUSAND * upper) << np.uint64(32))
    upper = ((fours * np.uint64(10486)) >> np.uint64(20)) & np.uint64(0x0000007F0000007F)
    twos = upper | ((fours - U100 * upper) << np.uint64(16))
    upper = ((twos * np.uint64(103)) >> np.uint64(10)) & np.uint64(0x000F000F000F000F)
    return upper | ((twos - U10 * upper) << np.uint64(8)) | ZEROS


@kernel()
def put_digits(s: np.uint64, n: int, out: npt.NDArray[np.uint8], at: int) -> None:
    """The n digits of s into out[at:at + n], eight at a time; up to eight bytes behind them are
    written, too."""
    if n > 8:  # all as 17
        missing = 17 - n
        s *= TENS[missing]
        first = s // MANY
        rest = s - MANY * first
        upper = rest // HUNDRED_MILLION
        out[at] = ZERO + np.uint8(first)
        put_word(eight_digits(upper), out, at + 1)
        put_word(eight_digits(rest - HUNDRED_MILLION * upper), out, at + 9)
    else:
        put_word(eight_digits(s) >> np.uint64(8 * (8 - n)), out, at)


@kernel()
def count_digits(s: np.uint64) -> int:
    """Number of digits of s, which are mostly many."""
    if s >= SIXTEEN_DIGITS:
        return 17 if s >= MANY else 16
    n, bound = (15, SIXTEEN_DIGITS // U10) if s >= HUNDRED_MILLION else (8, TEN_MILLION)
    while n > 1 and s < bound:
        n -= 1
        bound //= U10
    return n


@kernel()
def put_fixed(s: np.uint64, n: int, point: int, out: npt.NDArray[np.uint8], at: int) -> int:
    """The n digits of s with a point behind digit `point`; where they end."""
    if point <= 0:  # 0.00ddd
        start = at + 2 - point
        put_word(ZEROS, out, at)  # of which up to five are needed
        out[at + 1] = POINT
        put_digits(s, n, out, start)
        return start + n
    if point < n:  # dd.ddd
        put_digits(s, n, out, at + 1)
        for i in range(at, at + point):
            out[i] = out[i + 1]
        out[at + point] = POINT
        return at + n + 1
    put_digits(s, n, out, at)
    for i in range(at + n, at + point):  # dd00.0
        out[i] = ZERO
    out[at + point], out[at + point + 1] = POINT, ZERO
    return at + point + 2


@kernel()
def put_with_exponent(s: np.uint64, n: int, power: int, out: npt.NDArray[np.uint8], at: int) -> int:
    """The same as d.ddde±dd."""
    put_digits(s, n, out, at + 1)
    out[at] = out[at + 1]
    end = at + 1
    if n > 1:
        out[at + 1] = POINT
        end = at + n + 1
    out[end], out[end + 1] = LETTER_E, MINUS if power < 0 else PLUS
    size = np.uint64(abs(power))
    digits = max(2, count_digits(size))
    put_digits(size, digits, out, end + 2)
    return end + 2 + digits


@kernel()
def put_number(
    bits: np.uint64, high: npt.NDArray[np.uint64], low: npt.NDArray[np.uint64], out: npt.NDArray[np.uint8], at: int
) -> int:
    """One number into out[at:]; where it ends."""
    fraction, exponent = bits & FRACTION, (bits >> np.uint64(52)) & EXPONENT
    special = exponent == EXPONENT
    out[at] = MINUS  # is written over where there is none
    if not (special and fraction != U0):
        at += int(np.int64(bits >> np.uint64(63)))
    if special:
        letters = NAN if fraction != U0 else INFINITE
        for i in range(3):
            out[at + i] = letters[i]
        return at + 3
    s, k = U0, np.int64(0)
    if exponent != U0 or fraction != U0:
        s, k = shortest(fraction, exponent, high, low)
        while s % U10 == U0:
            s //= U10
            k += 1
    n = count_digits(s)
    if -4 < n + k <= 16:
        return put_fixed(s, n, int(n + k), out, at)
    return put_with_exponent(s, n, int(n + k - 1), out, at)


@kernel(i8(F2, U64, U64, U8), nogil=True)
def put_rows(
    values: FloatArray, high: npt.NDArray[np.uint64], low: npt.NDArray[np.uint64], out: npt.NDArray[np.uint8]
) -> int:
    """Lines of numbers between commas into `out`, which has room for LONGEST bytes each and for
    SLACK behind them; where they end."""
    at = 0
    bits = values.view(np.uint64)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            at = put_number(bits[i, j], high, low, out, at)
            out[at] = COMMA
            at += 1
        out[at - 1] = LINE
    return at


def room_for(numbers: int) -> npt.NDArray[np.uint8]:
    """Memory for the text of so many numbers."""
    return np.empty(LONGEST * numbers + SLACK, dtype=np.uint8)


def as_lines(values: FloatArray, out: npt.NDArray[np.uint8] | None = None) -> memoryview:
    """Rows of numbers as lines, as Python's csv writes them; in `out`, where that is given.

    >>> bytes(as_lines(np.array([[0.1, -2.0], [1e-5, 1 / 3]])))
    b'0.1,-2.0\\n1e-05,0.3333333333333333\\n'
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    out = room_for(values.size) if out is None else out
    return out.data[: put_rows(values, *powers_of_ten(), out)]
