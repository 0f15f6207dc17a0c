"""LinearSystem and a MechanicalSystem with Q = f − C v − K q are one system: the same motion up to
Newton's tolerance."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso

N = 5
RNG = np.random.default_rng(7)
ROOT = RNG.standard_normal((N, N))
M = ROOT @ ROOT.T + N * np.eye(N)
K = 30.0 * (ROOT.T @ ROOT + np.eye(N))
C = 0.1 * M + 0.2 * RNG.standard_normal((N, N))
Q0, V0 = RNG.standard_normal((2, N))


def f(t: float) -> Any:
    return np.cos(2.0 * t + np.arange(N))


def force(q: Any, v: Any, t: float) -> Any:
    return f(t) - C @ v - K @ q


def assert_same(one: iso.Solution, other: iso.Solution, tolerance: float) -> None:
    for name in ("q", "v", "a"):
        reference = getattr(one, name)
        assert np.abs(reference - getattr(other, name)).max() <= tolerance * np.abs(reference).max(), name


@pytest.mark.parametrize(
    "scheme",
    [
        iso.Scheme.optimal(0.5),
        iso.Scheme.V0(0.2, 0.9, 0.1),
        iso.Scheme.newmark(),
        iso.Scheme.U0(0.5, 0.5, 0.0, explicit=True),
    ],
    ids=lambda s: s.name,
)
@pytest.mark.parametrize("tangents", [True, False], ids=["tangents", "differences"])
def test_linear_equals_mechanical(scheme: iso.Scheme, tangents: bool) -> None:
    given = {"Q_q": lambda q, v, t: -K, "Q_v": lambda q, v, t: -C} if tangents else {}
    linear = iso.LinearSystem(M, C, K, f, Q0, V0)
    mechanical = iso.MechanicalSystem(M, force, Q0, V0, **given)
    run = {"dt": 0.01, "t_end": 1.0}
    assert_same(iso.integrate(linear, scheme, **run), iso.integrate(mechanical, scheme, **run), 1e-9)


def test_sparse_linear_equals_sparse_mechanical() -> None:
    tangents = {"Q_q": lambda q, v, t: sp.csr_array(-K), "Q_v": lambda q, v, t: sp.csr_array(-C)}
    linear = iso.LinearSystem(sp.csr_array(M), sp.csr_array(C), sp.csr_array(K), f, Q0, V0)
    mechanical = iso.MechanicalSystem(sp.csr_array(M), force, Q0, V0, **tangents)
    run = {"dt": 0.01, "t_end": 1.0}
    assert_same(iso.integrate(linear, **run), iso.integrate(mechanical, **run), 1e-9)


@numba.njit
def compiled_f(t: float) -> Any:
    return np.cos(2.0 * t + np.arange(N))


@pytest.mark.parametrize("scheme", [iso.Scheme.optimal(0.5), iso.Scheme.central_difference()], ids=lambda s: s.name)
@pytest.mark.parametrize(
    ("load", "value"),
    [(None, lambda t: np.zeros(N)), (np.arange(N), lambda t: np.arange(N)), (compiled_f, f)],
    ids=["no load", "constant", "compiled"],
)
def test_small_linear_system_that_is_compiled_whole(load: Any, value: Any, scheme: iso.Scheme) -> None:
    """Without a Python load the whole model is compiled: matrices, load and tangent against those
    in Python."""
    run = {"dt": 0.01, "t_end": 1.0}
    compiled = iso.integrate(iso.LinearSystem(M, C, K, load, Q0, V0), scheme, **run)
    python = iso.integrate(iso.LinearSystem(M, C, K, value, Q0, V0), scheme, **run)
    assert_same(python, compiled, 1e-12)
