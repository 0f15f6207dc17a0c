"""Tangents of flexible bodies in a floating frame against differences, dense and sparse alike."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from flexible_solids import ENDS, L, bar
from isodyn.kernels.compiled import BALANCE, JACOBIAN
from isodyn.multibody.model import mechanism_model

MIDDLE = {"left": ENDS["left"], "middle": lambda x: abs(x[0] - L / 2) < 1e-9, "right": ENDS["right"]}


def two_bodies(stiffening: bool) -> iso.CompiledSystem:
    """Three interfaces with two modes, and one interface with four."""
    mech = iso.Mechanism()
    mech.add_flexible_body("one", bar(), interface=MIDDLE, modes=2, damping=0.05, stiffening=stiffening)
    mech.add_flexible_body("two", bar(2), interface={"left": ENDS["left"]}, modes=4, position=(0, 1, 0))
    mech.add_joint(iso.Spherical("ball", "one.right", "two.left", point=(L, 0.5, 0)))
    return mech.compile()


@pytest.mark.parametrize("stiffening", [False, True])
@pytest.mark.parametrize("weights", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)], ids=["a", "v", "q"])
def test_tangent_is_the_slope_of_the_forces(stiffening: bool, weights: tuple[float, float, float]) -> None:
    system, rng = two_bodies(stiffening), np.random.default_rng(3)
    n, lam, c = system.nv, np.zeros(system.m), np.array([*weights, 1.0])
    # rates so large that inertia counts beside elastic forces
    q, v, a = system.retract(system.q0, 0.02 * rng.normal(size=n)), 30 * rng.normal(size=n), 1e3 * rng.normal(size=n)

    def forces(step: np.ndarray) -> np.ndarray:
        out, at = np.empty(n), system.retract(q, weights[2] * step)
        arguments = at, v + weights[1] * step, a + weights[0] * step, lam, c, system.tables, system.scratch, out
        mechanism_model(BALANCE, 0.0, *arguments)
        return out

    J = np.empty(n * n)
    mechanism_model(JACOBIAN, 0.0, q, v, a, lam, c, system.tables, system.scratch, J)
    h = 1e-4 if weights[2] else 1e-2
    columns = [(8 * (forces(h * e) - forces(-h * e)) - forces(2 * h * e) + forces(-2 * h * e)) for e in np.eye(n)]
    slopes = np.array(columns).T / (12 * h)
    scale = np.abs(slopes).max(axis=1, keepdims=True)
    np.testing.assert_allclose(J.reshape(n, n) / scale, slopes / scale, atol=2e-8)


def test_dense_and_sparse_matrices_have_the_same_entries() -> None:
    system, rng = two_bodies(True), np.random.default_rng(4)
    n, c = system.nv, np.array([1.0, 0.3, 0.2, 1.0])
    q, v, a = system.retract(system.q0, 0.02 * rng.normal(size=n)), rng.normal(size=n), rng.normal(size=n)
    tables, scratch = system.layout.build(sparse=True)
    pattern, dense = system.layout.sparsity, np.empty(n * n)
    values = np.empty(pattern.J_columns.size)
    mechanism_model(JACOBIAN, 0.0, q, v, a, np.zeros(system.m), c, system.tables, system.scratch, dense)
    mechanism_model(JACOBIAN, 0.0, q, v, a, np.zeros(system.m), c, tables, scratch, values)
    full = np.zeros((n, n))
    full[np.repeat(np.arange(n), np.diff(pattern.J_starts)), pattern.J_columns] = values
    np.testing.assert_array_equal(full, dense.reshape(n, n))
