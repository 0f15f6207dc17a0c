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
from isodyn.kernels.lowering import natural
from isodyn.kernels.wide_products import upper_product

if TYPE_CHECKING:
    import numpy.typing as npt

U8, U64 = types.uint8[::1], types.uint64[::1]
LONGEST = 25  # bytes of a number with the comma behind it: −d.(16 digits)e−308,
LEAST_POWER, LARGEST_POWER = -292, 324  # of ten, that numbers of 64 bits need
HIDDEN, FRACTION, EXPONENT = np.uint64(1 << 52), np.uint64((1 << 52) - 1), np.uint64(0x7FF)
U0, U1, U2, U4, U10, U100, MANY = (np.uint64(x) for x in (0, 1, 2, 4, 10, 100, 10**16))
TEN_THOUSAND, HUNDRED_MILLION = np.uint64(10**4), np.uint64(10**8)
COMMA, POINT, ZERO, MINUS, PLUS, LETTER_E, LINE = (np.uint8(ord(x)) for x in ",.0-+e\n")
PAIRS = np.frombuffer("".join(f"{x:02d}" for x in range(100)).encode(), dtype=np.uint8)
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
    s = value // U4
    if s >= U10:
        tens = s // U10
        down, up = lower <= U4 * U10 * tens, U4 * U10 * (tens + U1) <= upper
        if down != up:
            return tens + (U1 if up else U0), k + 1
    down, up = lower <= U4 * s, U4 * (s + U1) <= upper
    if down == up:
        middle = U4 * s + U2
        up = value > middle or (value == middle and s & U1 == U1)
    return s + (U1 if up else U0), k


@kernel()
def put_four(s: np.uint64, out: npt.NDArray[np.uint8], at: int) -> None:
    """Four digits, zeros in front included."""
    upper = s // U100
    one, two = U2 * upper, U2 * (s - U100 * upper)
    after_one, after_two = one + U1, two + U1
    out[at], out[at + 1], out[at + 2], out[at + 3] = PAIRS[one], PAIRS[after_one], PAIRS[two], PAIRS[after_two]


@kernel()
def put_digits(s: np.uint64, n: int, out: npt.NDArray[np.uint8], at: int) -> None:
    """The n digits of s into out[at:at + n]: the last eight by themselves, so that they need not
    wait for each other, the others two at a time."""
    i = natural(at + n)
    if n > 8:
        rest = s // HUNDRED_MILLION
        last = s - HUNDRED_MILLION * rest
        upper = last // TEN_THOUSAND
        i = natural(i - 8)
        put_four(upper, out, i)
        put_four(last - TEN_THOUSAND * upper, out, i + 4)
        s = rest
    while s >= U100:
        rest = s // U100
        pair = U2 * (s - U100 * rest)
        i -= 2
        beside = pair + U1
        out[i], out[i + 1] = PAIRS[pair], PAIRS[beside]
        s = rest
    while i > at:
        i -= 1
        out[i] = ZERO + np.uint8(s % U10)
        s //= U10


@kernel()
def count_digits(s: np.uint64) -> int:
    """Number of digits of s, which are mostly many."""
    n, bound = 17, MANY
    while n > 1 and s < bound:
        n -= 1
        bound //= U10
    return n


@kernel()
def put_fixed(s: np.uint64, n: int, point: int, out: npt.NDArray[np.uint8], at: int) -> int:
    """The n digits of s with a point behind digit `point`; where they end."""
    if point <= 0:  # 0.00ddd
        start = at + 2 - point
        for i in range(at, start):
            out[i] = ZERO
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
    if bits >> np.uint64(63) != U0 and not (special and fraction != U0):
        out[at] = MINUS
        at += 1
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
    """Lines of numbers between commas into `out`, which has room for LONGEST bytes each; where they
    end."""
    at = 0
    bits = values.view(np.uint64)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            at = put_number(bits[i, j], high, low, out, at)
            out[at] = COMMA
            at += 1
        out[at - 1] = LINE
    return at


def as_lines(values: FloatArray) -> memoryview:
    """Rows of numbers as lines, as Python's csv writes them.

    >>> bytes(as_lines(np.array([[0.1, -2.0], [1e-5, 1 / 3]])))
    b'0.1,-2.0\\n1e-05,0.3333333333333333\\n'
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    out = np.empty(LONGEST * values.size, dtype=np.uint8)
    return out.data[: put_rows(values, *powers_of_ten(), out)]
