"""The derivatives that problems bring along are those of their balance."""

from __future__ import annotations

import numpy as np
import pytest

from isodyn import problems
from isodyn.beams import BeamSystem
from isodyn.kernels.compiled import BALANCE, JACOBIAN, KNOWS_MASS, KNOWS_TANGENT, OK
from isodyn.kernels.struct import Struct
from isodyn.systems import CompiledSystem
from ready_systems import ready_systems

STEP = 1e-6


def ask(system, what, t, q, v, a, c, size):
    model, out = system.model(), np.zeros(size)
    assert model.function(what, t, q, v, a, np.zeros(0), c, model.tables, model.scratch, out) == OK
    return out


COMPILED = [
    name
    for name, system in ready_systems().items()
    if isinstance(system, CompiledSystem) and system.m == 0 and system.retract is None
    if not isinstance(system, BeamSystem)  # sparse: test_beam_elements
]


def largest(tables: Struct) -> float:
    """The largest number of a model."""
    return max((float(np.max(x)) for x in tables.values().values() if np.size(x)), default=0.0)


@pytest.mark.parametrize("name", COMPILED)  # those with constraints: test_constraint_derivatives
def test_jacobian_is_the_derivative_of_the_balance(name: str) -> None:
    """c₀ ∂/∂a + c₁ ∂/∂v + c₂ ∂/∂q against central differences along the same direction, at random
    states."""
    system = problems.get(name).system()
    assert system.traits & KNOWS_MASS
    assert system.traits & KNOWS_TANGENT
    rng = np.random.default_rng(7)
    n, nq = system.nv, system.nq
    for c in ([1.0, 0.0, 0.0], [0.7, 0.3, 0.2], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]):
        weights = np.array(c)
        t = float(rng.uniform(0.0, 2.0))
        q = system.q0 + 0.1 * rng.standard_normal(nq)
        v, a = system.v0 + 0.1 * rng.standard_normal(n), rng.standard_normal(n)
        J = ask(system, JACOBIAN, t, q, v, a, weights, n * n).reshape(n, n)
        for j, e in enumerate(np.eye(n)):
            ends = [
                ask(
                    system,
                    BALANCE,
                    t,
                    q + h * weights[2] * e[:nq],
                    v + h * weights[1] * e,
                    a + h * weights[0] * e,
                    weights,
                    n,
                )
                for h in (STEP, -STEP)
            ]
            column = (ends[0] - ends[1]) / (2 * STEP)
            rounding = (
                np.finfo(float).eps
                * max(np.abs(ends[0]).max(), np.abs(q).max(initial=0.0) * largest(system.tables) ** 2)
                / STEP
            )
            assert np.abs(J[:, j] - column).max() <= 1e-7 * max(1.0, np.abs(J).max()) + rounding
