"""Lyapunov exponents, from derivatives of runs by their start.

Q_k R_k = Φ_k Q_{k−1}:  exponents are the mean of log diag R_k over time
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.design.starts import with_start
from isodyn.design.turns import steps_of, turned
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.systems import as_system

if TYPE_CHECKING:
    from isodyn.systems.base import System
    from isodyn.systems.description import Description


def lyapunov_exponents(
    system: System | Description,
    *,
    dt: float,
    t_end: float,
    every: float,
    t0: float = 0.0,
    skip: float = 0.0,
    **options: Any,
) -> FloatArray:
    """Return the Lyapunov exponents of a motion, the largest first.

    Over a finite time they depend on how lengths of directions are measured: here in the
    coordinates of the system, so that a mechanism and its twin in other coordinates differ by about
    one over the time.

    Parameters
    ----------
    system
        A system.
    dt
        Size of a step.
    t_end
        End of the motion, a multiple of `every` after t0.
    every
        Time after which directions are made orthogonal again.
    t0
        Start of the motion.
    skip
        Time at the beginning that does not count.
    **options
        For `integrate`: scheme, formulation, newton.

    Returns
    -------
    exponents
        One for each free coordinate of the state.

    Raises
    ------
    InputError
        If a time is not admissible.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> system = iso.FirstOrderSystem(lambda s, t: np.array([-s[0], -3.0 * s[1]]), s0=[1.0, 1.0])
    >>> np.round(iso.lyapunov_exponents(system, dt=0.01, t_end=2.0, every=1.0), 3)
    array([-1., -3.])
    """
    steps, parts = steps_of(every, dt), round((t_end - t0) / every)
    if parts < 1 or abs(t0 + parts * every - t_end) > 1e-9 * (t_end - t0):
        raise InputError(
            f"t_end − t0 must be a multiple of every = {every!r}, received {t_end - t0!r}",
            hint=f"such as t_end={t0 + max(parts, 1) * every:g}",
        )
    if not 0.0 <= skip <= t_end - t0 - every * (1.0 - 1e-9):
        raise InputError(
            f"skip must be zero or more and leave one interval of {every!r}, received {skip!r}",
            hint=f"at most {t_end - t0 - every:g}",
        )
    total: FloatArray | float = 0.0
    Q: FloatArray | None = None
    here, counted = as_system(system), 0.0
    for k in range(parts):
        t = t0 + k * every
        turn = turned(here, t, float(every), steps, {"assemble": True, **options})
        here = with_start(here, turn.solution.q[-1], turn.solution.v[-1])
        if Q is None:
            Q = np.eye(turn.matrix.shape[0]) if turn.basis is None else turn.basis
        Q, R = np.linalg.qr(turn.matrix @ Q)
        if k * every >= skip - 1e-9 * every:
            total, counted = total + np.log(np.abs(np.diag(R))), counted + every
    return np.sort(np.asarray(total / counted))[::-1]
