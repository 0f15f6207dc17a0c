"""First-order systems, with and without algebraic unknowns.

    s' = h(s, t)                                     ordinary
    s' = h(s, z, t),   0 = c(s, z, t)                differential-algebraic, of index 1 (c determines z) or 2 (c without z)

In the step, s stands in the place of v, s' in that of a and z in that of the multipliers; q is
empty. The scheme is adapted accordingly [Shimada2014 (Table 2.5)], [Shimada2014 (3.202)].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTANT_MASS,
    GENERAL,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    OK,
    VELOCITY,
    FloatArray,
    closure,
)
from isodyn.systems import checks
from isodyn.systems.base import BaseSystem
from isodyn.systems.changes import Changeable, same_size
from isodyn.systems.joined import is_compiled, join
from isodyn.systems.model import Model, Question, from_python
from isodyn.systems.scales import ordinary

_REACH = 1e-4  # of the size of s: increments of differences of fourth order along the motion
# disagreement of differences over e and 2e that is small, relative; and how often e is made shorter for it
_AGREE, _SHORTER = 1e-5, 12
_ROUNDING, _LOST = 2e-15, 100.0  # a change of s beside its size that is rounding; what it does to c, and what is above


class FirstOrderSystem(Changeable, BaseSystem):
    """A first-order system s' = h(s, t), or s' = h(s, z, t) with 0 = c(s, z, t).

    Parameters
    ----------
    h
        Function h(s, t) → (n,), or h(s, z, t) with algebraic unknowns.
    s0
        Initial state.
    z0
        Guess of the algebraic unknowns, from which consistent ones are found.
    c
        Function c(s, z, t) → (m,), if there are algebraic unknowns.
    h_s
        Function (s, t) → (n, n), the derivative of h. Differences take its place if it is missing,
        and always if there are algebraic unknowns.
    names
        Names of the components of s.
    row_names
        Names of the rows of c.

    Raises
    ------
    InputError
        If sizes do not fit.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.FirstOrderSystem(lambda s, t: -s, s0=[1.0]).nv
    1
    >>> iso.FirstOrderSystem(lambda s, z, t: -z, s0=[1.0], z0=[1.0], c=lambda s, z, t: s - z).m
    1
    """

    first_order = True
    retract = difference = energy = None
    nq = 0
    _fixed = frozenset(("s0", "q0"))

    def __init__(
        self,
        h: Callable[..., Any],
        s0: ArrayLike,
        *,
        z0: ArrayLike | None = None,
        c: Callable[[FloatArray, FloatArray, float], Any] | None = None,
        h_s: Callable[[FloatArray, float], Any] | None = None,
        names: Sequence[str] | None = None,
        row_names: Sequence[str] | None = None,
    ) -> None:
        self.q0, self.v0 = np.zeros(0), checks.vector("s0", s0)
        self.nv = self.v0.size
        if self.nv == 0:
            raise InputError("the system has no unknowns: s0 is empty")
        checks.functions(h=h, h_s=h_s, c=c)
        if h is None:
            raise InputError("h must be a function, received None")
        if (z0 is None) != (c is None):
            raise InputError(
                "z0 and c come as a pair, received only one of them", hint="algebraic unknowns need their equations"
            )
        checks.arguments("h", h, ("s", "t") if c is None else ("s", "z", "t"))
        self.h, self.h_s, self.c = h, h_s, c
        self.scales = ordinary(self.q0, self.nv)
        self.z0 = np.zeros(0) if z0 is None else checks.vector("z0", z0)
        self.m = self.m_phi = self.z0.size
        self.names = self.v_names = checks.names(names, self.nv, "s")
        self.row_names = checks.names(row_names, self.m, "z")
        self._finish()

    def _taken(self, name: str, value: object) -> object:
        """A function or a start (v0, z0), as the constructor takes it."""
        if name in ("h", "c", "h_s"):
            checks.functions(**{name: value})
            called = ("s", "t") if name == "h_s" or not self.m else ("s", "z", "t")
            if (name == "h" or (name == "c" and self.m)) and not callable(value):
                raise InputError(f"{name} must be a function, received None")
            if name == "c" and value is not None and not self.m:
                raise InputError("c needs algebraic unknowns, which this system has not", hint="make a new system")
            if callable(value):
                checks.arguments(name, value, called)
        if name in ("v0", "z0"):
            return same_size(name, value, self.nv if name == "v0" else self.m)
        return value

    def model(self, *, plain: bool = False) -> Model:
        """Return the function that the compiled loop calls, with its numbers.

        Parameters
        ----------
        plain
            Call all functions from Python.

        Returns
        -------
        model
            The function, its numbers and its traits.
        """
        self.notice()
        if self.m:
            return from_python(_AlgebraicAnswers(self), CONSTANT_MASS | KNOWS_MASS | GENERAL)
        if not plain and is_compiled(self.h) and (self.h_s is None or is_compiled(self.h_s)):
            h_s = None if self.h_s is None else _without_q(self.h_s)
            return join(np.eye(self.nv), _without_q(self.h), None, h_s, None)
        traits = CONSTANT_MASS | KNOWS_MASS | (KNOWS_TANGENT if self.h_s is not None else 0)
        return from_python(_Answers(self), traits)


@lru_cache(maxsize=256)
def _without_q(function: Callable[..., Any]) -> Callable[..., FloatArray]:
    """(q, v, t) → function(v, t), compiled."""

    @closure()
    def adapted(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        return function(v, t)

    return adapted


class _Answers:
    """The questions of the loop answered by a user's Python functions."""

    solver = ""

    def __init__(self, system: FirstOrderSystem) -> None:
        self.system = system

    def answer(self, question: Question, out: FloatArray) -> int:
        what, t, _, v, a, _, c = question
        n, s = v.size, v.copy()
        if what == BALANCE:
            out[:] = a - checks.returned("h", self.system.h(s, t), (n,), t)
        elif what == JACOBIAN:
            J = c[0] * np.eye(n)
            if self.system.h_s is not None and c[1] != 0.0:
                J -= c[1] * checks.returned("h_s", self.system.h_s(s, t), (n, n), t)
            out[:] = J.ravel()
        return OK


class _AlgebraicAnswers:
    """The same with algebraic unknowns z in the place of multipliers."""

    solver = ""

    def __init__(self, system: FirstOrderSystem) -> None:
        self.system = system

    def constraint(self, s: FloatArray, z: FloatArray, t: float) -> FloatArray:
        assert self.system.c is not None
        return checks.returned("c", self.system.c(s, z, t), (z.size,), t)

    def answer(self, question: Question, out: FloatArray) -> int:
        what, t, _, v, a, lam, c = question
        s, z = v.copy(), lam.copy()
        if what == BALANCE:
            out[:] = a - checks.returned("h", self.system.h(s, z, t), (s.size,), t)
        elif what == JACOBIAN:
            out[:] = (c[0] * np.eye(s.size)).ravel()
        elif what == VELOCITY:
            out[:] = self.constraint(s, z, t)
        elif what == ACCELERATION:
            out[:] = self.rate(s, a, z, t)
        return OK

    def rate(self, s: FloatArray, a: FloatArray, z: FloatArray, t: float) -> FloatArray:
        """dc/dt along the motion at fixed z: what s moves, and what t does.

        Nothing is known of the time in which c(t) changes. The first guess is that in which s
        changes by its size; it is shortened while differences over e and 2e disagree, unless they
        are rounding.
        """
        speed, size = float(np.abs(a).max()), float(max(np.abs(s).max(), np.abs(self.system.v0).max())) or 1.0
        e = _REACH * (size / speed if speed > 0.0 else max(1.0, abs(t)))
        here, beside = (self.constraint(s + x * size * np.cos(np.arange(s.size)), z, t) for x in (0.0, _ROUNDING))
        lost = _LOST * np.maximum(np.abs(here), np.abs(beside - here))
        moved, _ = _slope(lambda k: self.constraint(s + k * e * a, z, t), e, lost)
        for _ in range(_SHORTER):
            by_time, good = _slope(lambda k: self.constraint(s, z, t + k * e), e, lost)  # noqa: B023
            if good:
                break
            e *= 0.125
        return moved + by_time


def _slope(rows: Callable[[float], FloatArray], e: float, lost: FloatArray) -> tuple[FloatArray, bool]:
    """The derivative by differences of fourth order of rows(k), k times e; and whether those of
    second order over e and 2e agree, or cannot as changes are below `lost`."""
    behind, before, after, ahead = (rows(k) for k in (-2.0, -1.0, 1.0, 2.0))
    near, far = (after - before) / (2.0 * e), (ahead - behind) / (4.0 * e)
    wrong = np.abs(near - far) > _AGREE * np.maximum(np.abs(near), np.abs(far))
    return (4.0 * near - far) / 3.0, not (wrong & (np.abs(after - before) > lost)).any()
