"""Hyper-reduction: a few weighted elements stand for all, and energy keeps its meaning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls

import isodyn as iso
from isodyn.errors import ConvergenceError, InputError
from isodyn.kernels.compiled import BALANCE, JACOBIAN
from isodyn.reduction.sampling import Sampling, contributions, sample_elements, sparse_weights
from isodyn.systems.questions import Questions

SCHEME = iso.Scheme.optimal(0.8)


def rod(elements: int = 80, model: Any = "simplified", damping: float = 0.0) -> Any:
    """A cantilever that falls under its weight, with a moving tip load and a torque."""
    beam = iso.Beam(
        [(0, 0), (1, 0)],
        elements=elements,
        section=iso.Section(EA=1e4, EI=1.0, rhoA=1.0, EI4=1e-3, damping=damping),
        gravity=(0, -9.81),
        model=model,
    )
    beam.clamp("start")
    beam.force("end", (0.0, 0.5), time=iso.Sine(1.0, 6.0))
    beam.distributed((0.0, 1.0), time=iso.Sine(1.0, 3.0))
    return beam.compile()


@pytest.fixture(scope="module")
def fall() -> iso.Solution:
    return iso.integrate(rod(), SCHEME, dt=2e-3, t_end=1.0)


@pytest.fixture(scope="module")
def basis(fall: iso.Solution) -> iso.reduction.Basis:
    return iso.pod(fall, rank=8, about=fall.system.q0)


def test_all_elements_with_unit_weights_change_nothing(fall: iso.Solution, basis: iso.reduction.Basis) -> None:
    """Balance, tangent and energy of the sampled model are those of the reduced one: loads do the
    same work, inertia is exact."""
    system = fall.system
    every = Sampling(np.arange(80), np.ones(80), 0.0, 80)
    plain, sampled = iso.reduce(system, basis), iso.reduce(system, basis, every)
    rng = np.random.default_rng(0)
    q, v, a = plain.q0 + 0.02 * rng.standard_normal(8), rng.standard_normal(8), rng.standard_normal(8)
    for t in (0.0, 0.37):
        one, two = (Questions(s).ask(BALANCE, t, q, v, a, 8) for s in (plain, sampled))
        np.testing.assert_allclose(two, one, atol=1e-9 * np.abs(one).max())
        one, two = (Questions(s).ask(JACOBIAN, t, q, v, a, 64, None, (1.0, 0.3, 0.1)) for s in (plain, sampled))
        np.testing.assert_allclose(two, one, atol=1e-9 * np.abs(one).max())
    np.testing.assert_allclose(sampled.energy(q, v, 0.0), plain.energy(q, v, 0.0), rtol=1e-11)


def test_weight_keeps_its_level_about_a_mean(fall: iso.Solution) -> None:
    """The potential of the weight is that of the whole beam, wherever the offset lies."""
    basis = iso.pod(fall, rank=6, centred=True)
    every = Sampling(np.arange(80), np.ones(80), 0.0, 80)
    plain, sampled = iso.reduce(fall.system, basis), iso.reduce(fall.system, basis, every)
    q, v = plain.q0 + 0.01, np.linspace(-1.0, 1.0, 6)
    assert abs(fall.system.layout.weight @ basis.mean) > 0.1
    np.testing.assert_allclose(sampled.energy(q, v, 0.0), plain.energy(q, v, 0.0), rtol=1e-10)


@pytest.mark.parametrize("model", ["simplified", "cauchy", "green-lagrange"])
def test_element_contributions_add_up(model: Any) -> None:
    """Columns sum to the projected force of the whole beam, for every strain energy."""
    system = rod(6, model)
    T = np.linalg.qr(np.random.default_rng(1).standard_normal((system.nv, 5)))[0]
    q = system.q0 + 0.01 * np.random.default_rng(2).standard_normal(system.nv)
    ask, still = Questions(system), np.zeros(system.nv)
    A = contributions(system, T, q[None])
    weight = system.layout.weight
    expected = T.T @ (ask.ask(BALANCE, 0.0, q, still, still, system.nv) + weight)
    np.testing.assert_allclose(A.sum(axis=1), expected, atol=1e-9 * np.abs(A).max())


def test_few_elements_are_within_one_per_cent(fall: iso.Solution, basis: iso.reduction.Basis) -> None:
    """A fifth of the elements, weights that are not negative, displacement within 1 % of the full
    run."""
    sampling = sample_elements(fall.system, basis, fall, tolerance=3e-3)
    assert sampling.elements.size <= 16
    assert (sampling.weights > 0).all()
    assert sampling.residual <= 3e-3
    red = iso.reduce(fall.system, basis, sampling)
    back = basis.lift(iso.integrate(red, SCHEME, dt=2e-3, t_end=1.0))
    moved = np.linalg.norm(fall.q - fall.system.q0)
    assert np.linalg.norm(back.q - fall.q) < 0.01 * moved
    assert 2 * sampling.elements.size + 2 >= red.nodes.size


def test_sampled_model_conserves_its_energy(fall: iso.Solution, basis: iso.reduction.Basis) -> None:
    """The tangent is symmetric, it is the derivative of the force, and that is the gradient of the
    sampled energy."""
    red = iso.reduce(fall.system, basis, sample_elements(fall.system, basis, fall, tolerance=1e-2))
    ask, rng = Questions(red), np.random.default_rng(3)
    q, still = red.q0 + 0.02 * rng.standard_normal(8), np.zeros(8)
    J = ask.ask(JACOBIAN, 0.0, q, still, still, 64, None, (0.0, 0.0, 1.0)).reshape(8, 8)
    assert np.abs(J - J.T).max() < 1e-11 * np.abs(J).max()
    h = 1e-6
    for j in range(8):
        e = h * np.eye(8)[j]
        ahead, behind = (ask.ask(BALANCE, 0.0, q + x, still, still, 8) for x in (e, -e))
        np.testing.assert_allclose(J[:, j], (ahead - behind) / (2 * h), atol=1e-6 * np.abs(J).max())
        rise = (red.energy(q + e, still, 0.0)[1] - red.energy(q - e, still, 0.0)[1]) / (2 * h)
        force = ask.ask(BALANCE, 0.0, q, still, still, 8)  # loads vanish at t = 0
        assert rise == pytest.approx(force[j], abs=1e-5 * np.abs(force).max())


def test_energy_of_a_free_sampled_run() -> None:
    """Without loads in time the midpoint rule keeps the sampled energy as well as the full one
    keeps its own."""
    beam = iso.Beam([(0, 0), (1, 0)], elements=40, section=iso.Section(EA=1e4, EI=1.0, rhoA=1.0), gravity=(0, -9.81))
    beam.clamp("start")
    system = beam.compile()
    rule, options = iso.Scheme.midpoint_mpa(), {"dt": 1e-3, "t_end": 1.0}
    snap = iso.integrate(system, SCHEME, dt=2e-3, t_end=1.0)
    basis = iso.pod(snap, rank=6, about=system.q0)
    red = iso.reduce(system, basis, sample_elements(system, basis, snap, tolerance=3e-3))
    sol = iso.integrate(red, rule, **options)  # type: ignore[call-overload]
    total = sum(sol.energy())
    assert np.ptp(total) < 2e-3 * np.ptp(sol.energy()[0])


def test_interface_nodes_damping_and_rows_in_a_sampled_model() -> None:
    """The clamped node stays as it is, with its rows; internal damping is sampled with the
    elements."""
    system = rod(40, damping=2e-3)
    sol = iso.integrate(system, SCHEME, dt=2e-3, t_end=0.6)
    basis = iso.pod(sol, rank=8, about=system.q0, columns=np.arange(4, system.nv))
    sampling = sample_elements(system, basis, sol, tolerance=3e-3)
    red = iso.reduce(system, basis, sampling)
    assert (red.nv, red.m) == (12, 3)
    back = basis.lift(iso.integrate(red, SCHEME, dt=2e-3, t_end=0.6))
    assert np.linalg.norm(back.q - sol.q) < 0.01 * np.linalg.norm(sol.q - system.q0)
    assert max(back.drift().largest[:2]) < 1e-11


def test_torques_act_on_a_sampled_beam() -> None:
    """A torque at the free end does the same work: the sampled run follows the reduced one."""
    beam = iso.Beam([(0, 0), (1, 0)], elements=24, section=iso.Section(EA=1e4, EI=1.0, rhoA=1.0))
    beam.clamp("start")
    beam.torque("end", 1.0, time=iso.loads.Sine(1.0, 3.0))
    system, scheme = beam.compile(), iso.Scheme.optimal(0.8)
    full = iso.integrate(system, scheme, dt=4e-3, t_end=0.6)
    few = iso.pod(full, rank=6, about=system.q0)
    quick = iso.reduce(system, few, sample_elements(system, few, full, tolerance=3e-3))
    lifted = few.lift(iso.integrate(quick, scheme, dt=4e-3, t_end=0.6))
    assert np.linalg.norm(lifted.q - full.q) < 0.02 * np.linalg.norm(full.q - system.q0)


def test_weights_against_scipy() -> None:
    """Carried to the end, the active-set method finds the residual of scipy.optimize.nnls."""
    rng = np.random.default_rng(4)
    A = rng.standard_normal((30, 12))
    b = A @ np.maximum(rng.standard_normal(12), 0.0)
    w, left = sparse_weights(A, b, 1e-10)
    np.testing.assert_allclose(w, nnls(A, b)[0], atol=1e-9)
    assert left < 1e-10
    noisy = b + rng.standard_normal(30)
    best = nnls(A, noisy)[1] / np.linalg.norm(noisy)
    w, left = sparse_weights(A, noisy, best * (1 + 1e-9))
    assert left == pytest.approx(best, rel=1e-8)
    with pytest.raises(ConvergenceError, match="no weights bring the sampled forces closer"):
        sparse_weights(A, noisy, 0.5 * best)


def test_messages(fall: iso.Solution, basis: iso.reduction.Basis) -> None:
    bar = iso.LinearSystem(1.0, None, 1.0, None, [1.0], [0.0])
    with pytest.raises(
        InputError, match=r"of beams by themselves, .* received LinearSystem\nhint: beams inside mechanisms"
    ):
        sample_elements(bar, basis, fall)
    with pytest.raises(InputError, match="tolerance must lie between 0 and 1, received 2"):
        sample_elements(fall.system, basis, fall, tolerance=2)
    with pytest.raises(InputError, match=r"of beams by themselves, .* received LinearSystem"):
        iso.reduce(bar, iso.reduction.eigenmodes(bar, 1), Sampling(np.arange(1), np.ones(1), 0.0, 1))
    with pytest.raises(InputError, match="tolerance must lie between 0 and 1, received 'x'"):
        sample_elements(fall.system, basis, fall, tolerance="x")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="most must be a whole number of at least 1, received 0"):
        sample_elements(fall.system, basis, fall, most=0)
    with pytest.raises(InputError, match="basis must be a Basis, received int"):
        sample_elements(fall.system, 3, fall)  # type: ignore[arg-type]
    other = iso.integrate(bar, dt=0.1, t_end=1.0)
    with pytest.raises(InputError, match=rf"one of this beam with {fall.system.nq} coordinates, received 1"):
        sample_elements(fall.system, basis, other)
    with pytest.raises(InputError, match="sampling must be a Sampling, received str"):
        iso.reduce(fall.system, basis, "x")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="sampling is one of 3 elements, received a beam of 80"):
        iso.reduce(fall.system, basis, Sampling(np.arange(3), np.ones(3), 0.0, 3))
    sampling = sample_elements(fall.system, basis, fall, tolerance=1e-2)
    with pytest.raises(InputError, match="made for another basis"):
        iso.reduce(fall.system, iso.pod(fall, of="v", rank=basis.rank, about=fall.system.q0), sampling)
    assert iso.reduce(fall.system, basis.truncated(2), sampling).nv == 2
    with pytest.raises(InputError, match="all zero"):
        sparse_weights(np.zeros((3, 2)), np.zeros(3), 0.1)
