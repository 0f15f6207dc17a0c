"""A consistent start: positions and velocities on the constraints, then accelerations and multipliers.

A start that misses the constraints by little is moved to the nearest consistent one (mass norm); one that misses them by much is
refused with the rows and the amounts, unless assembly is asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import root

from isodyn.compiled import ACCELERATION, BALANCE, CONSTRAINT, POSITION, VELOCITY, FloatArray
from isodyn.errors import InputError, SingularError

SMALL = 1e-6  # violations below this, relative to the size of the state, are rounding of the input


class Asker:
    """Asks a model about constraints, from Python."""

    def __init__(self, model: Any, system: Any) -> None:
        self.model, self.system = model, system

    def ask(
        self, what: int, t: float, q: FloatArray, v: FloatArray, a: FloatArray, n: int, lam: FloatArray | None = None
    ) -> FloatArray:
        """What a model answers, as n numbers."""
        out, c = np.zeros(n), np.array([1.0, 0.0, 0.0, 1.0])
        lam = np.zeros(self.system.m) if lam is None else lam
        self.model.function(what, t, q, v, a, lam, c, self.model.pf, self.model.pi, out)
        if self.model.raised is not None:
            raise self.model.raised
        return out

    def G(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """All rows of the constraint matrix."""
        m, n = self.system.m, self.system.nv
        return self.ask(CONSTRAINT, t, q, v, v, m * n).reshape(m, n)

    def position(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """φ."""
        return self.ask(POSITION, t, q, v, v, self.system.m)[: self.system.m_phi]

    def velocity(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """[φ̇; ψ]."""
        return self.ask(VELOCITY, t, q, v, v, self.system.m)

    def acceleration(self, t: float, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        """[φ̈; ψ̇]."""
        return self.ask(ACCELERATION, t, q, v, a, self.system.m)


def algebraic_start(asker: Asker, t: float, s: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """s', z and the index of a first-order system with algebraic unknowns: c(s, z) = 0 for z, or its derivative where c is free of z."""
    none, n, m = np.zeros(0), s.size, z.size
    scale = max(1.0, float(np.abs(z).max()))

    def rate(z: FloatArray) -> FloatArray:
        return -asker.ask(BALANCE, t, none, s, np.zeros(n), n, z)

    def level_1(z: FloatArray) -> FloatArray:
        return asker.ask(VELOCITY, t, none, s, s, m, z)

    def level_2(z: FloatArray) -> FloatArray:
        return asker.ask(ACCELERATION, t, none, s, rate(z), m, z)

    h = 1e-6 * scale
    depends = max(float(np.abs(level_1(z + h * e) - level_1(z - h * e)).max()) / (2 * h) for e in np.eye(m)) > 1e-9
    equations = level_1 if depends else level_2
    if not depends and np.abs(level_1(z)).max() > SMALL * max(1.0, float(np.abs(s).max())):
        worst = int(np.abs(level_1(z)).argmax())
        raise InputError(
            f"the start violates constraint {asker.system.row_names[worst]!r} by {level_1(z)[worst]:.3g}",
            hint="the constraints do not contain the algebraic unknowns (index 2): s0 itself must satisfy them",
        )
    found = root(equations, z, method="hybr", options={"xtol": 1e-14})
    if not np.abs(found.fun).max() <= 1e-8 * scale:
        raise SingularError(
            f"no consistent algebraic unknowns near z0 at t = {t:g}: residual {np.abs(found.fun).max():.2e}",
            hint="start from another z0; systems of index above 2 are not covered",
        )
    return rate(found.x), found.x, 1 if depends else 2


def refuse_if_far(asker: Asker, t: float, q: FloatArray, v: FloatArray) -> None:
    """InputError for a start off the constraints by more than rounding of the input, naming the worst row."""
    names = asker.system.row_names
    gaps = [("position", asker.position(t, q, v), max(1.0, float(np.abs(q).max(initial=0.0))))]
    gaps.append(("velocity", asker.velocity(t, q, v), max(1.0, float(np.abs(v).max(initial=0.0)))))
    for level, gap, size in gaps:
        if gap.size and np.abs(gap).max() > SMALL * size:
            worst = int(np.abs(gap).argmax())
            others = int((np.abs(gap) > SMALL * size).sum()) - 1
            also = f" (and {others} more rows)" if others else ""
            raise InputError(
                f"the start violates constraint {names[worst]!r} at {level} level by {gap[worst]:.3g}{also}",
                hint="correct q0 and v0, or let integrate(..., assemble=True) find the nearest consistent start",
            )
