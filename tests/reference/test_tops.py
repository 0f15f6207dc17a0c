"""Tops, gyroscopes and free bodies against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import isodyn as iso
from isodyn import problems
from isodyn.problems import tops
from isodyn.studies import accurate_motion


def nutation(theta: float, precession: float, spin: float) -> tuple[np.ndarray, float]:
    """Roots of the cubic of u = cos θ for a start with θ̇ = 0, and the nutation period."""
    A, C, w = tops.ACROSS + tops.MASS * tops.CENTRE**2, tops.AXIAL, 2 * tops.MASS * 9.81 * tops.CENTRE
    spin3 = spin + precession * np.cos(theta)
    L = A * precession * np.sin(theta) ** 2 + C * spin3 * np.cos(theta)
    E = A * (precession * np.sin(theta)) ** 2 + w * np.cos(theta)  # 2E'
    u = np.polynomial.Polynomial([0, 1])
    f = (E - w * u) * (1 - u**2) / A - ((L - C * spin3 * u) / A) ** 2
    roots = np.sort(f.roots().real)
    return roots, float(
        4 * ellipk((roots[1] - roots[0]) / (roots[2] - roots[0])) / np.sqrt(w / A * (roots[2] - roots[0]))
    )


def exact_height(t: np.ndarray, theta: float, precession: float, spin: float) -> np.ndarray:
    """cos θ(t)."""
    (u1, u2, u3), period = nutation(theta, precession, spin)
    m = (u2 - u1) / (u3 - u1)
    K = ellipk(m)
    at_top = abs(np.cos(theta) - u2) < abs(np.cos(theta) - u1)
    sn = ellipj(2 * K * t / period + (K if at_top else 0.0), m)[0]
    return np.asarray(u1 + (u2 - u1) * sn**2)


def test_heavy_top_nods_by_an_elliptic_function() -> None:
    """cos θ of the reference to 1e-9, of a run by its error; the spin stays to Newton's
    tolerance."""
    problem = problems.get("spinning_top")
    parameters = dict(problem.parameters)
    t = np.linspace(0.0, 1.0, 101)
    exact = exact_height(t, **parameters)
    q = accurate_motion(problem.system(), 1.0).at(t).q
    height = 1 - 2 * (q[:, 4] ** 2 + q[:, 5] ** 2)
    assert np.abs(height - exact).max() < 1e-9
    sol = iso.integrate(problem.system(), iso.Scheme.U0(0.8, 0.8, 0.8), dt=5e-4, t_end=1.0, save_every=20)
    assert np.abs(sol.body("top").R[:, 2, 2] - exact).max() < 2e-4
    kept = problem.invariants(sol)
    assert kept is not None
    assert np.ptp(kept["spin"]) < 1e-8 * kept["spin"][0]
    assert np.ptp(kept["angular momentum z"]) < 1e-4 * abs(kept["angular momentum z"][0])


def test_nutation_period() -> None:
    """Between two lowest points of a run."""
    problem = problems.get("spinning_top")
    _, period = nutation(**problem.parameters)
    sol = iso.integrate(problem.system(), iso.Scheme.U0(0.8, 0.8, 0.8), dt=2e-4, t_end=2.2 * period)
    u = sol.body("top").R[:, 2, 2]
    k = np.flatnonzero((u[1:-1] < u[:-2]) & (u[1:-1] <= u[2:])) + 1
    assert np.diff(sol.t[k])[0] == pytest.approx(period, rel=2e-3)


def test_fast_top_precesses_as_textbooks_say() -> None:
    """φ̇ → m g ℓ/(C ω₃) for a fast spin, released without precession: on the average, with small
    nutation."""
    system = problems.get("spinning_top").system(precession=0.0, spin=1500.0)
    sol = iso.integrate(system, iso.Scheme.U0(0.8, 0.8, 0.8), dt=5e-5, t_end=0.5, save_every=10)
    axis = sol.body("top").R[:, :, 2]
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    mean = np.polyfit(sol.t, turned, 1)[0]
    assert mean == pytest.approx(tops.MASS * 9.81 * tops.CENTRE / (tops.AXIAL * 1500.0), rel=0.02)


@pytest.mark.parametrize("tilt", [0.4, 1.1, 2.0])
def test_gyroscope_precesses_steadily(tilt: float) -> None:
    """In its gimbals: constant tilt and rates, exactly in the reference, to second order in a run;
    pushed, it nods."""
    problem = problems.get("gyroscope")
    rate = tops.steady_precession(tilt, 150.0)
    system = problem.system(tilt=tilt)
    exact = accurate_motion(system, 0.3).at(np.linspace(0.0, 0.3, 31))
    assert np.abs(exact.v - system.v0)[:, :12].max() < 1e-7  # frames, in their own axes
    assert np.abs(exact.v[:, 17] - system.v0[17]).max() < 1e-7
    errors = []
    for dt in (0.001, 0.0005):
        sol = iso.integrate(system, problem.scheme, dt=dt, t_end=0.3)
        errors.append([np.abs(sol.joint("tilt").angle).max(), np.abs(sol.joint("stand").angle_rate - rate).max()])
    assert np.array(errors[0]) / errors[1] == pytest.approx(4.0, rel=0.1)
    assert sol.joint("stand").angle[-1] == pytest.approx(0.3 * rate, rel=1e-3)
    pushed = iso.integrate(problem.system(tilt=tilt, push=1.3), problem.scheme, dt=0.001, t_end=0.3)
    assert np.ptp(pushed.joint("tilt").angle) > 1e-3


def euler_solution(t: np.ndarray, rate: float, nudge: float) -> tuple[np.ndarray, float]:
    """ω(t) of the free body started at (nudge, rate, 0), and the time of a half turn-over."""
    I1, I2, I3 = tops.MOMENTS
    L2, E2 = (I1 * nudge) ** 2 + (I2 * rate) ** 2, I1 * nudge**2 + I2 * rate**2
    p = np.sqrt((I2 - I1) * (E2 * I3 - L2) / (I1 * I2 * I3))
    m = (I3 - I2) * (L2 - E2 * I1) / ((I2 - I1) * (E2 * I3 - L2))
    a1, a2, a3 = (
        np.sqrt(x)
        for x in (
            (E2 * I3 - L2) / (I1 * (I3 - I1)),
            (L2 - E2 * I1) / (I2 * (I2 - I1)),
            (L2 - E2 * I1) / (I3 * (I3 - I1)),
        )
    )
    sn, cn, dn, _ = ellipj(p * t + ellipk(m), m)
    return np.column_stack([a1 * dn, a2 * sn, a3 * cn]), float(2 * ellipk(m) / p)


def test_dzhanibekov() -> None:
    """ω by elliptic functions, the body turns over every 2K/p, and the angular momentum stays where
    it is."""
    problem = problems.get("free_body")
    exact, flip = euler_solution(np.linspace(0.0, 20.0, 201), 2.0, 0.02)
    motion = accurate_motion(problem.system(), 20.0).at(np.linspace(0.0, 20.0, 201))
    assert np.abs(np.abs(motion.v[:, 3:]) - np.abs(exact)).max() < 1e-9
    assert np.abs(motion.v[:, 4] - exact[:, 1]).max() < 1e-9
    sol = iso.integrate(problem.system(), problem.scheme, dt=0.005, t_end=20.0)
    w = sol.body("body").angular_velocity[:, 1]
    crossings = sol.t[np.flatnonzero(np.sign(w[1:]) != np.sign(w[:-1]))]
    assert crossings.size == int(20.0 / flip + 0.5)
    assert np.diff(crossings) == pytest.approx(flip, rel=5e-3)
    assert crossings[0] == pytest.approx(flip / 2, rel=5e-3)


@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0])
def test_angular_momentum_of_a_free_body(rho: float) -> None:
    """Kept to Newton's tolerance by V0(1, 1, ρ) with the Cayley map, also with large steps, as is
    the energy."""
    problem, newton = problems.get("free_body"), iso.Newton(rtol=1e-13)
    run = {"dt": 0.05, "t_end": 10.0, "newton": newton}
    sol = iso.integrate(problem.system(), iso.Scheme.V0(1, 1, rho), **run)
    momentum = sol.momentum()[1]
    assert np.abs(momentum - momentum[0]).max() < 1e-12 * np.linalg.norm(momentum[0])
    assert np.ptp(sum(sol.energy())) < 1e-12 * sum(sol.energy())[0]
    for system, scheme in (
        (problem.system(cayley=0.0), iso.Scheme.V0(1, 1, rho)),
        (problem.system(), iso.Scheme.U0(0.5, 0.5, 0.5)),
    ):
        other = iso.integrate(system, scheme, **run).momentum()[1]
        assert np.abs(other - other[0]).max() > 1e-4 * np.linalg.norm(momentum[0])


def test_both_maps_have_one_limit() -> None:
    """Exponential and Cayley map differ by O(Δt²), in the middle of a turn-over too."""
    problem, gaps = problems.get("free_body"), []
    for dt in (0.02, 0.01, 0.005):
        runs = [iso.integrate(problem.system(cayley=x), problem.scheme, dt=dt, t_end=3.0) for x in (0.0, 1.0)]
        ends = [run.system.difference(runs[0].q[-1], run.q[-1]) for run in runs]
        gaps.append(np.abs(ends[1]).max())
    assert np.log2(np.array(gaps[:2]) / gaps[1:]) == pytest.approx(2.0, abs=0.05)
    q, d = runs[1].q[-1], np.array([0.0, 0.0, 0.0, 0.3, -0.5, 0.7])
    assert runs[1].system.difference(q, runs[1].system.retract(q, d)) == pytest.approx(d, abs=1e-15)


def test_states_between_the_rows() -> None:
    """at() of a body with more coordinates than velocities."""
    problem = problems.get("free_body")
    sol = iso.integrate(problem.system(), problem.scheme, dt=0.01, t_end=1.0)
    fine = iso.integrate(problem.system(), problem.scheme, dt=0.005, t_end=1.0)
    gap = sol.system.difference(fine.q[51], sol.at(fine.t[51]).q)
    assert np.abs(gap).max() < 1e-4
