"""What is done about a step of another method than GS4 that failed."""

from __future__ import annotations

from typing import Any

from isodyn.kernels.compiled import NOT_FINITE, OK, SINGULAR
from isodyn.stepping.memory import UNDERFLOW


class OtherRowsOfMethod:
    """Another independent set of constraint rows at this state."""

    against = frozenset({SINGULAR, NOT_FINITE, UNDERFLOW})

    def apply(self, run: Any, status: int) -> int:
        """Choose again; once per state."""
        if not run.system.m or not run.choose_again():
            return status
        run.renew_rate()
        before = float(run.state.next_dt)
        run.stepper.begin(run)
        run.state.next_dt = max(before, 1e-3 * float(run.state.next_dt))
        return OK
