"""Starts inside a run, gone back over: how the state after a breakpoint, an event or an impact
depends on the one before it, and on parameters.

With x = (q, v) before, y = (q, v, a, λ) after it, and δt its time,

    δy = A δx + ∂y/∂θ,   δt = bᵀδx + ∂t/∂θ          x̄ = Aᵀȳ + b t̄,   θ̄ += (∂y/∂θ)ᵀȳ + ∂t/∂θ t̄

t̄ is what an integral over time gains while it happens later: the integrand before it less that
after it. A and b are found column by column, from the same functions as the tangent. Contacts that
close together have several δt, which must agree for every parameter: two adjoints of their own, of
δt and of a random combination of differences, tell whether they do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.sensitivities.memory import Adjoint
from isodyn.sensitivities.saltation import refuse_apart

if TYPE_CHECKING:
    from isodyn.kernels.compiled import FloatArray
    from isodyn.sensitivities.impacts import ContactJump
    from isodyn.sensitivities.saltation import Jump
    from isodyn.sensitivities.taped_run import TapedRun

STATE = ("q", "v", "a", "lam")


class Restart:
    """How the state after a breakpoint or an event depends on the one before it, and on
    parameters."""

    def __init__(self, run: TapedRun, row: int) -> None:
        here, n = run.here, run.system.nv
        self.row, self.jump = row, run.jump
        self.gain = 0.0  # of an integral, while it happens later
        self.by_parameters = run.tangents.copy()
        unit, none, at = np.eye(n), np.zeros((n, n)), np.zeros((2 * n, 1))
        dq, dv = np.concatenate([unit if run.system.nq else none, none]), np.concatenate([none, unit])
        self.times = self.times_by_parameters = np.zeros((0, 0))  # δt of all that happens together, by rows
        if run.jump is not None:
            still = np.zeros(n)
            self.times = np.array([run.jump.times(*x, Still()) for x in zip(dq, dv, strict=True)])
            self.times_by_parameters = np.array([run.jump.times(still, still, one) for one in run.variations])
            for k in range(2 * n):
                dq[k], dv[k], at[k] = run.jump.tangent(dq[k].copy(), dv[k].copy(), Still())
        dq = here.position(nothing, dq, at)
        dv = here.velocity(nothing, dq, dv, at)
        dq, dv = dq - at * here.v * bool(run.system.nq), dv - at * here.a
        self.matrices = [dq, dv, *here.acceleration(nothing, dq, dv)]  # of q, v, a and λ, transposed

    def go_back(self, adjoint: Adjoint, gain: float = 0.0) -> None:
        """Derivatives by the state before the breakpoint in the place of those after it; `gain` is
        the derivative by its time."""
        for name in STATE:
            getattr(adjoint, name)[:] += getattr(adjoint, f"row_{name}")[self.row]
        adjoint.by[:] += sum(getattr(self.by_parameters, name) @ getattr(adjoint, name) for name in STATE)
        both = sum(x @ getattr(adjoint, name) for x, name in zip(self.matrices, STATE, strict=True))
        self.put(adjoint, np.asarray(both))
        if gain != 0.0 and self.jump is not None:
            self.add_time(adjoint, np.array([gain]))

    def put(self, adjoint: Adjoint, both: FloatArray) -> None:
        """Derivatives by q and v in an adjoint, and none by the rest."""
        n = adjoint.q.size
        adjoint.q[:], adjoint.v[:] = both[:n], both[n:]
        adjoint.a[:], adjoint.da[:], adjoint.lam[:], adjoint.known = 0.0, 0.0, 0.0, 0

    def add_time(self, adjoint: Adjoint, weights: FloatArray) -> None:
        """Add the derivatives of the weighted sum of the first times."""
        n, k = adjoint.q.size, weights.size
        both = self.times[:, :k] @ weights
        adjoint.q[:] += both[:n]
        adjoint.v[:] += both[n:]
        adjoint.by[:] += self.times_by_parameters[:, :k] @ weights


class Together:
    """Contacts that close together: adjoints of the time of the first of them, and of how the
    others differ from it."""

    def __init__(self, restart: Restart, like: Adjoint) -> None:
        assert restart.jump is not None
        self.jump: Jump | ContactJump = restart.jump
        many = restart.times.shape[1]
        rng = np.random.default_rng(11)
        apart = rng.uniform(0.5, 1.5, many) * rng.choice([-1.0, 1.0], many)
        apart[0] -= apart.sum()
        self.adjoints = [empty_like(like), empty_like(like)]
        for adjoint, weights in zip(self.adjoints, (np.eye(many)[0], apart), strict=True):
            restart.add_time(adjoint, weights)

    def check(self, run: TapedRun) -> None:
        """SensitivityError if they close one after the other for other values of a parameter."""
        first, apart = (adjoint.by + run.by_start(adjoint) for adjoint in self.adjoints)
        for one, other in zip(first, apart, strict=True):
            refuse_apart(self.jump, [float(one), float(one + other)])


def empty_like(adjoint: Adjoint) -> Adjoint:
    """An adjoint of the same sizes, with zeros."""
    other = adjoint.copy()
    for name in (*STATE, "da", "by", *(f"row_{name}" for name in STATE)):
        getattr(other, name)[:] = 0.0
    other.known = 0
    return other


class Still:
    """No parameter: events depend on the state alone."""

    def difference(self, function: Callable[..., Any], itself: object) -> float:
        """∂/∂θ."""
        return 0.0


def nothing(function: Callable[..., Any]) -> float:
    """∂/∂θ where no parameter changes."""
    return 0.0
