"""What Radau IIA asks the model for when it makes matrices, full or sparse."""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import JACOBIAN, FloatArray, kernel
from isodyn.stepping.memory import EPS, Memory, Physics
from isodyn.stepping.radau_memory import Collocation

SMALL = 1e-3  # of a typical size: differences are never shorter than for such a value
STEP = float(np.sqrt(EPS))


@kernel()
def ask(p: Physics, what: int, t: float, own: Collocation, memory: Memory, out: FloatArray) -> int:
    """What the model says at the state in memory.q, v, a, lam, with the coefficients in own.c."""
    return p.model(what, t, memory.q, memory.v, memory.a, memory.lam, own.c, p.tables, p.scratch, out)


@kernel()
def ask_for(p: Physics, which: int, t: float, own: Collocation, memory: Memory, out: FloatArray) -> int:
    """M, C or K (0, 1, 2) of a model that knows it."""
    for k in range(own.c.size):
        own.c[k] = 1.0 if k == which else 0.0
    return ask(p, JACOBIAN, t, own, memory, out)
