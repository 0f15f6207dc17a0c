"""What ends a phase of a motion with friction: functions of the state that fall through zero
(`isodyn.friction.run`)."""

from __future__ import annotations

import numpy as np

from isodyn.friction.system import ModalSystem
from isodyn.gauss.contacts import Sliding
from isodyn.kernels.compiled import FloatArray

STOPS, REVERSES, OPENS, SLIPS = "stops", "reaction reverses", "opens", "slips"


class Watch:
    """An event of one contact; it ends a phase when it falls through zero."""

    terminal, direction = True, -1.0

    def __init__(self, modal: ModalSystem, k: int, what: str, rest_speed: float, beyond: float = 0.0) -> None:
        self.modal, self.k, self.what, self.rest_speed = modal, k, what, rest_speed
        self.beyond = beyond  # how far the force may leave its cone

    def __call__(self, t: float, q: FloatArray, v: FloatArray) -> float:
        modal, k = self.modal, self.k
        q, v = q[: modal.nq], v[: modal.nv]
        mode = modal.modes[k]
        if self.what == STOPS:
            assert isinstance(mode, Sliding)
            slip = modal.physics.contacts[k].slip(q, v, t)
            if slip.size == 1:
                return float(slip[0] * mode.direction[0])
            return float(np.linalg.norm(slip)) - self.rest_speed
        result = modal.result(t, q, v)
        if self.what == SLIPS:
            return float(result.slack[k]) + self.beyond
        sign = mode.sign if self.what == REVERSES and isinstance(mode, Sliding) else 1
        return float(sign * result.normal[k][0])
