"""First-order systems s' = h(s, t).

In the step, s stands in the place of v and s' in that of a; q is empty. The scheme is adapted accordingly [Shimada2014 (Table 2.5)].
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from isodyn.compiled import BALANCE, CONSTANT_MASS, JACOBIAN, KNOWS_MASS, KNOWS_TANGENT, OK, FloatArray, closure
from isodyn.errors import InputError
from isodyn.systems import checks
from isodyn.systems.joined import is_compiled, join
from isodyn.systems.model import Model, from_python


class FirstOrderSystem:
    """s' = h(s, t) with s(t₀) = s0; `h_s(s, t)` is the derivative of h, taken from differences when missing.

    >>> import isodyn as iso
    >>> iso.FirstOrderSystem(lambda s, t: -s, s0=[1.0]).nv
    1
    """

    first_order = True
    retract = difference = energy = None
    nq = 0

    def __init__(
        self,
        h: Callable[[FloatArray, float], Any],
        s0: Any,
        *,
        h_s: Callable[[FloatArray, float], Any] | None = None,
        names: Any = None,
    ) -> None:
        self.q0, self.v0 = np.zeros(0), checks.vector("s0", s0)
        self.nv = self.v0.size
        if self.nv == 0:
            raise InputError("the system has no unknowns: s0 is empty")
        checks.functions(h=h, h_s=h_s)
        if h is None:
            raise InputError("h must be a function, received None")
        self.h, self.h_s = h, h_s
        self.names = checks.names(names, self.nv, "s")

    def model(self) -> Model:
        """The function that the loop calls."""
        if is_compiled(self.h) and (self.h_s is None or is_compiled(self.h_s)):
            h_s = None if self.h_s is None else _without_q(self.h_s)
            return join(self.nv, np.eye(self.nv), _without_q(self.h), None, h_s, None)
        traits = CONSTANT_MASS | KNOWS_MASS | (KNOWS_TANGENT if self.h_s is not None else 0)
        return from_python(_Answers(self), traits)


@lru_cache(maxsize=256)
def _without_q(function: Any) -> Any:
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

    def answer(
        self,
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        c: FloatArray,
        out: FloatArray,
    ) -> int:
        n, s = v.size, v.copy()
        if what == BALANCE:
            out[:] = a - checks.returned("h", self.system.h(s, t), (n,), t)
        elif what == JACOBIAN:
            J = c[0] * np.eye(n)
            if self.system.h_s is not None and c[1] != 0.0:
                J -= c[1] * checks.returned("h_s", self.system.h_s(s, t), (n, n), t)
            out[:] = J.ravel()
        return OK
