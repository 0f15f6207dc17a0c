"""What a solution says about a state of first order of a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.parts import nearest
from isodyn.results.history_view import HistoryView
from isodyn.results.mechanism_views import mechanism_of

if TYPE_CHECKING:
    from isodyn.results.solution import Solution


class StateView(HistoryView):
    """A state along a solution: `value`, `rate`, and `integral` over time, (times,)."""

    def __init__(self, sol: Solution, name: str) -> None:
        system = mechanism_of(sol, "state()")
        sol._whole("state()")
        known = [state.name for state in system.layout.states]
        if name not in known:
            raise InputError(f"there is no state named {name!r}", hint=nearest(name, known))
        self.name, self.t, self._sol = name, sol.t, sol
        self._q, self._v = system.q_of(name).start, system.v_of(name).start

    def about(self) -> str:
        """Its name."""
        return repr(self.name)

    def histories(self) -> tuple[str, ...]:
        """What is known about it."""
        return "value", "rate", "integral"

    @property
    def value(self) -> FloatArray:
        """The state, (times,)."""
        return self._sol.v[:, self._v]

    @property
    def rate(self) -> FloatArray:
        """Its rate, (times,)."""
        return self._sol.a[:, self._v]

    @property
    def integral(self) -> FloatArray:
        """Its integral since the start, (times,)."""
        return self._sol.q[:, self._q]
