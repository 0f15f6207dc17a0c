"""Which states an adjoint keeps: going back over many steps with few states in memory (the binomial
scheme of Griewank and Walther).

c states, each step repeated at most r times:   β(c, r) = C(c + r, c) steps can be gone back over.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb


def first_part(steps: int, states: int) -> int:
    """After how many of these steps the next state is kept, with `states` of them left, the one at
    the beginning among them.

    >>> first_part(6, 2)
    3
    """
    r = 0
    while comb(states + r, states) < steps:
        r += 1
    return max(1, comb(states + r - 2, states) if r > 1 else 0, steps - comb(states - 1 + r, states - 1))


def kept_at_first(begin: int, end: int, states: int) -> list[int]:
    """Where states are kept on the way from `begin` to `end` for the first time.

    >>> kept_at_first(0, 6, 2)
    [0, 3]
    """
    kept = [begin]
    while end - kept[-1] > 1 and states > 1:
        kept.append(kept[-1] + first_part(end - kept[-1], states))
        states -= 1
    return kept


def way_back(begin: int, end: int, states: int) -> Iterator[tuple[int, int, bool]]:
    """How to go back from `end` to `begin`, where a state is kept: (a, b, keep) means to go from
    the state at a to b, and to keep the state there, or else to go back over the step after b.

    >>> list(way_back(0, 3, 2))
    [(0, 1, True), (1, 2, False), (1, 1, False), (0, 0, False)]
    """
    if end - begin == 1 or states == 1:
        for k in range(end - 1, begin - 1, -1):
            yield begin, k, False
        return
    middle = begin + first_part(end - begin, states)
    yield begin, middle, True
    yield from way_back(middle, end, states - 1)
    yield from way_back(begin, middle, states)


def whole_way_back(begin: int, end: int, states: int) -> Iterator[tuple[int, int, bool]]:
    """`way_back` after a first way on which the states of `kept_at_first` were kept."""
    kept = kept_at_first(begin, end, states)
    for k in range(len(kept) - 1, -1, -1):
        yield from way_back(kept[k], kept[k + 1] if k + 1 < len(kept) else end, states - k)
