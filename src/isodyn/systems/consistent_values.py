"""Consistent values of a first-order system with algebraic unknowns, from its chain of
derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError, SingularError
from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.uncompiled import naming_functions
from isodyn.later import Later
from isodyn.systems import checks
from isodyn.systems.base import System
from isodyn.systems.derivative_chain import SMALL, Chain, RowsFunction

if TYPE_CHECKING:
    from collections.abc import Callable

optimize = Later("scipy.optimize")


def functions_of(system: Any) -> tuple[RowsFunction, RowsFunction]:
    """h and c of a system with algebraic unknowns, checked; NaN where they overflow, as they may at
    states that only differences ask for."""

    def checked(name: str, f: Callable[..., object], n: int) -> RowsFunction:
        def rows(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
            try:
                with np.errstate(all="ignore"), naming_functions():
                    return checks.returned(name, f(s.copy(), z.copy(), t), (n,), t)
            except ArithmeticError:
                return np.full(n, np.nan)

        return rows

    return checked("h", system.h, system.nv), checked("c", system.c, system.m)


def chain_of(system: System, t: float, s: FloatArray, z: FloatArray) -> Chain:
    """The chain of a system at a state."""
    h, c = functions_of(system)
    return Chain(h, c, t, s, z, tuple(system.row_names))


def settled(system: System, t: float, s: FloatArray, z: FloatArray) -> Chain:
    """The chain at (t, s) with the z that it determines there, from z as a guess."""
    chain = chain_of(system, t, s, z)
    for _ in range(3):
        chain.index()
        before, chain = chain, chain_of(system, t, s, _solve(chain))
        if [level.rank for level in before.levels] == [level.rank for level in chain.levels]:
            break
    chain.index()
    return chain


def consistent(system: System, t: float, s: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray, Chain]:
    """s' and z at (t, s), from z as a guess, and the chain there; refused where s or the guess do
    not allow it."""
    chain = settled(system, t, s, z)
    _refuse_if_off(chain)
    return chain.h(s, chain.z, t), chain.z, chain


def _solve(chain: Chain) -> FloatArray:
    """z from the last level by Newton's iteration."""
    last, s, t = chain.levels[-1], chain.s, chain.t

    def scaled(x: FloatArray) -> FloatArray:
        return np.asarray(last.rows(s, chain.z + chain.reach_z * x, t) / last.sizes)

    found = optimize.root(scaled, np.zeros(chain.m), method="hybr", options={"xtol": 1e-14, "eps": 1e-10})
    z: FloatArray = chain.z + chain.reach_z * found.x
    residual = float(np.abs(found.fun).max())
    if not residual <= SMALL * max(1.0, float(np.abs(found.x).max())):
        raise SingularError(
            f"no consistent algebraic unknowns near z0 at t = {t:g}: residual {residual:.2e} of the size of the rows"
            f" ({chain.index()})",
            hint="start from another z0",
        )
    return z


def _refuse_if_off(chain: Chain) -> None:
    """InputError where s does not satisfy the rows that are free of z, or their derivatives."""
    for k, level in enumerate(chain.levels[:-1]):
        off = level.free.T @ level.rows(chain.s, chain.z, chain.t)
        share = np.abs(off) / (np.abs(level.free).T @ level.sizes)
        if share.max() > SMALL:
            worst = int(share.argmax())
            name = chain.names[chain.origin(k, int(np.abs(level.free[:, worst] * level.sizes).argmax()))]
            what = ("constraint", "the derivative of constraint", "the second derivative of constraint")[k]
            raise InputError(
                f"the start violates {what} {name!r} by {off[worst]:.3g}",
                hint=f"it does not contain the algebraic unknowns ({chain.index()}): s0 itself must satisfy it",
            )
