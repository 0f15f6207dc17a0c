"""Multipliers of redundant rows: the same force told in another way, and its derivative.

A = Bᵀ of the rows that tell it, B = G in units of work along typical sizes;   y = A⁺f,   f = Gᵀλ in these units
δy = A⁺(δf − δA y) + (1 − A⁺A) δAᵀ A⁺ᵀ y          for f in the range of A, whose rank stays
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.rows import units_of
from isodyn.sensitivities.start import along
from isodyn.sensitivities.variations import Variation

if TYPE_CHECKING:
    from isodyn.sensitivities.run import SensitiveRun

RANK = 1e-10  # of the largest singular value


class SharedForce:
    """The force of constraint at one state: `enforced` rows have told it, `told` rows (all of them
    if None, with the least norm) shall tell it."""

    def __init__(
        self,
        run: SensitiveRun,
        t: float,
        state: tuple[FloatArray, ...],
        enforced: IntArray,
        told: IntArray | None = None,
    ) -> None:
        self.run, self.t, (self.q, self.v, lam) = run, t, state
        G = full(run.ask.G(t, self.q, self.v))
        r, s = units_of(G, run.system.scales)
        self.r, self.by = r, s / r[:, None]
        self.told = np.arange(r.size) if told is None else told
        B = G * self.by
        self.f = B.T @ (r * lam)
        self.enforced = np.zeros(r.size)
        self.enforced[enforced] = np.linalg.lstsq(B[enforced].T, self.f, rcond=None)[0]
        self.B, self.A = B, B[self.told].T
        self.inverse = np.linalg.pinv(self.A, rcond=RANK)
        self.y = self.inverse @ self.f

    def derivative(self, one: Variation, in_rows: bool, dq: FloatArray, dlam: FloatArray) -> FloatArray:
        """Derivatives of the multipliers of the told rows, for δq and δλ of the enforced ones."""
        run, system = self.run, self.run.system

        def moved(e: float) -> FloatArray:
            beside = self.q + e * dq if system.retract is None else np.asarray(system.retract(self.q.copy(), e * dq))
            return full(run.ask.G(self.t, beside, self.v))

        size = float(np.abs(dq / system.scales.v).max(initial=0.0))
        dG = along(moved, size) if size > 0.0 else np.zeros_like(self.B)
        for weight, other in zip(one.of_equations[1], run.answers_of(one), strict=True) if in_rows else ():
            if weight != 0.0:
                dG = dG + weight * full(other.G(self.t, self.q, self.v))
        dB = dG * self.by
        df = dB.T @ self.enforced + self.B.T @ (self.r * dlam)
        dA, y, inverse = dB[self.told].T, self.y, self.inverse
        rest = dA.T @ (inverse.T @ y)
        out = np.zeros_like(dlam)
        out[self.told] = inverse @ (df - dA @ y) + rest - inverse @ (self.A @ rest)
        return np.asarray(out / self.r)
