"""Extremes of stiffness, mass, step size and length: the right numbers by closed forms or another method,
or an error of isodyn's own that says what is wrong; never silence and never a stranger's exception.

`make stress` runs all of it; the fast loop has a sample.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import ConvergenceError, IsodynError, IsodynWarning, SingularError
from isodyn.problems import pendulum
from isodyn.systems import as_system
from linkages import four_bar

SCHEMES = {
    "default": iso.Scheme.default(),
    "damped": iso.Scheme.U0(0.5, 0.5, 0.0),
    "optimal": iso.Scheme.optimal(0.8),
    "midpoint": iso.Scheme.midpoint_epa(),
}


def some(values, often=2):
    """All values; every second one only where there is time."""
    return [
        pytest.param(value, marks=[] if k % often == 0 else [pytest.mark.long], id=f"{value:g}")
        for k, value in enumerate(values)
    ]


# ---- stiffness


@pytest.mark.parametrize("ratio", some([1e2, 1e4, 1e6, 1e8, 1e10, 1e12], 5))
@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("compiled", [True, False], ids=["linear", "functions"])
def test_stiffness_ratios(ratio, name, compiled):
    """Two oscillators, coordinates turned, one a million times faster than steps can follow and at rest: the
    slow one is as right as alone."""
    c, s = np.cos(0.6), np.sin(0.6)
    R = np.array([[c, -s], [s, c]])
    K = R @ np.diag([1.0, ratio]) @ R.T
    q0 = R @ [1.0, 0.0]
    if compiled:
        system = iso.LinearSystem(np.eye(2), None, K, None, q0, np.zeros(2))
    else:
        system = iso.MechanicalSystem(
            M=np.eye(2), Q=lambda q, v, t: -K @ q, Q_q=lambda q, v, t: -K, q0=q0, v0=np.zeros(2)
        )
    dt, t_end = 0.02, 10.0
    try:
        sol = iso.integrate(system, SCHEMES[name], dt=dt, t_end=t_end)
    except ConvergenceError:  # rounding of the forces that functions return is more than the tolerance
        assert ratio >= 1e10
        assert not compiled
        return
    slow, fast = sol.q @ R[:, 0], sol.q @ R[:, 1]
    alone = iso.integrate(iso.LinearSystem(1.0, None, 1.0, None, [1.0], [0.0]), SCHEMES[name], dt=dt, t_end=t_end)
    # functions return forces that are wrong by eps · ratio, in all directions: a displacement of eps · ratio · t²/2
    bound = 1e-9 + 1e-15 * ratio if compiled else 1e-9 + 2.0 * np.finfo(float).eps * ratio * t_end**2
    assert np.abs(slow - alone.q[:, 0]).max() < bound
    assert np.abs(slow - np.cos(sol.t)).max() < 2e-3
    assert np.abs(fast).max() < 1e-9 + 1e-15 * ratio


# ---- masses


@pytest.mark.parametrize("mass", some([1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9], 5))
@pytest.mark.parametrize("kind", ["point", "four-bar"])
def test_masses_of_any_size(mass, kind):
    """Gravity moves all masses alike, and multipliers grow with them."""

    def made(m):
        if kind == "point":
            return pendulum.planar(m, 1.2, 0.9, 1.0)
        mech = iso.Mechanism(gravity=(0, -9.81, 0))
        light = four_bar()
        for body in light.bodies.values() if isinstance(light.bodies, dict) else light.bodies:
            mech.add_body(body.name, m * body.mass, m * np.asarray(body.inertia), body.position, body.orientation)
        for joint in light.joints.values() if isinstance(light.joints, dict) else light.joints:
            mech.add_joint(joint)
        return as_system(mech)

    options = {"dt": 5e-3, "t_end": 1.0}
    one, other = (iso.integrate(made(m), **options) for m in (1.0, mass))
    assert np.abs(one.q - other.q).max() < 1e-8
    assert np.abs(other.lam / mass - one.lam).max() < 1e-6 * np.abs(one.lam).max()


@pytest.mark.parametrize("ratio", some([1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9], 5))
def test_mass_ratios(ratio):
    """A double pendulum whose second point is far lighter or heavier: against order 8, or a named error."""
    system = _double(ratio)
    sol = iso.integrate(system, dt=1e-3, t_end=0.5)
    exact = iso.integrate(system, iso.DOP853(rtol=1e-11), t_end=0.5, save=sol.t)
    assert np.abs(sol.q - exact.q).max() < 2e-4
    assert np.abs(sol.lam - exact.lam).max() < 2e-3 * np.abs(exact.lam).max()


def _double(ratio):
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("one", 1.0, 0.01, (0.7, -0.7), kind="planar")
    mech.add_body("two", ratio, 0.01 * ratio, (1.2, -1.2), kind="planar")
    mech.add_joint(iso.Hinge("A", "ground", "one", point=(0, 0)))
    mech.add_joint(iso.Hinge("B", "one", "two", point=(0.7, -0.7)))
    return as_system(mech)


# ---- steps


@pytest.mark.parametrize("dt", some([1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 1e-1, 1.0], 3))
@pytest.mark.parametrize("name", SCHEMES)
def test_step_sizes(dt, name):
    """A pendulum of 2 s: errors fall with dt² down to rounding; steps that are too long say so."""
    problem = iso.problems.get("pendulum")
    system = problem.system()
    count = 50
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            sol = iso.integrate(system, SCHEMES[name], dt=dt, t_end=count * dt)
        except IsodynError:
            assert dt >= 0.1
            return
    exact = problem.exact(sol.t)
    error = np.abs(sol.q - exact.q).max()
    coarse = any(issubclass(w.category, IsodynWarning) for w in said)
    travelled = np.abs(exact.q - exact.q[0]).max()
    assert coarse or error < 1e-12 + 20.0 * min(count * dt, 1.0) * count * dt * dt * dt + 1e-3 * travelled
    assert coarse or max(sol.drift().largest[:2]) < 1e-10
    assert np.isfinite(sol.lam).all()


# ---- mechanisms that are nearly singular, or have too many rows


@pytest.mark.parametrize("angle", some([1e-12, 1e-9, 1e-6, 1e-4, 1e-2], 4))
@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_parallelograms_beside_their_flat_position(angle, rate):
    """A crank and a rocker of the same length: the loop keeps its rows and its energy, or refuses with a reason."""
    x, y = 0.3 * np.cos(angle), 0.3 * np.sin(angle)
    mech = four_bar(planar=True, points=((0, 0, 0), (x, y, 0), (x + 0.9, y, 0), (0.9, 0, 0)), gravity=(0, 0, 0))
    system = as_system(mech)
    v0 = np.zeros(9)
    v0[[2, 8]] = rate
    v0[[0, 3, 6]], v0[[1, 4, 7]] = -0.5 * y * rate, 0.5 * x * rate
    v0[[3, 4]] = -y * rate, x * rate
    object.__setattr__(system, "v0", v0)
    try:
        sol = iso.integrate(system, dt=2e-3, t_end=1.0)
    except SingularError as refused:
        reason = str(refused)
    else:
        reason = ""
    if reason:
        assert "hint" in reason
        return
    energy = np.array([sum(system.energy(q, v, t)) for t, q, v in zip(sol.t, sol.q, sol.v, strict=True)])
    assert max(sol.drift().largest[:2]) < 1e-9
    assert np.ptp(energy) <= 1e-3 * max(1.0, abs(energy[0]))


@pytest.mark.parametrize("off", some([0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3], 5))
def test_rows_too_many(off):
    """A rod measured twice, the second time wrong by a little: rounding is taken, conflicts have names."""

    def phi(q, t):
        r = q[0] ** 2 + q[1] ** 2
        return np.array([r - 1.0, 2.0 * r - 2.0 * (1.0 + off)])

    def G(q, t):
        return np.array([[2 * q[0], 2 * q[1]], [4 * q[0], 4 * q[1]]])

    def b(q, v, t):
        s = -2.0 * (v @ v)
        return np.array([s, 2.0 * s])

    system = iso.MechanicalSystem(
        M=np.eye(2),
        Q=lambda q, v, t: np.array([0.0, -9.81]),
        q0=[1.0, 0.0],
        v0=[0.0, 0.0],
        phi=phi,
        G=G,
        b=b,
    )
    if off > 1e-6:
        with pytest.raises(IsodynError, match=r"conflict|violates"):
            iso.integrate(system, dt=1e-3, t_end=0.1)
        return
    sol = iso.integrate(system, dt=1e-3, t_end=0.1)
    exact = iso.integrate(
        iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -9.81 * np.cos(q), q0=[0.0], v0=[0.0]),
        iso.DOP853(rtol=1e-11),
        t_end=0.1,
        save=sol.t,
    )
    assert np.abs(sol.q[:, 0] - np.cos(exact.q[:, 0])).max() < 1e-5 + off


# ---- loads that jump


@pytest.mark.parametrize("jumps", [1, 7, pytest.param(500, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", SCHEMES)
def test_jumping_loads(jumps, name):
    """Forces of ±1 in turns on a mass, between steps: parabolas, exactly where jumps are breakpoints."""
    times = np.sort(np.random.default_rng(jumps).uniform(0.05, 0.95, jumps))
    edges = np.concatenate([[0.0], times, [np.inf]])

    def sign(t):
        return 1.0 - 2.0 * (np.searchsorted(times, t, side="right") % 2)

    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: np.array([sign(t)]), q0=[0.0], v0=[0.0])
    sol = iso.integrate(system, SCHEMES[name], dt=0.02, t_end=1.0, breakpoints=times)
    q = v = 0.0
    exact = np.zeros(sol.t.size)
    for k in range(jumps + 1):
        force, begin, end = 1.0 - 2.0 * (k % 2), edges[k], edges[k + 1]
        inside = (sol.t >= begin) & (sol.t <= end)
        s = sol.t[inside] - begin
        exact[inside] = q + v * s + 0.5 * force * s * s
        h = min(end, 1.0) - begin
        q, v = q + v * h + 0.5 * force * h * h, v + force * h
    assert np.abs(sol.q[:, 0] - exact).max() < 1e-11


# ---- long runs


@pytest.mark.long
def test_ten_million_steps_of_an_oscillator():
    """A scheme without damping: the amplitude stays one, and the phase is the one of the scheme."""
    system = iso.LinearSystem(1.0, None, 1.0, None, [1.0], [0.0])
    dt, n = 0.05, 10_000_000
    sol = iso.integrate(system, iso.Scheme.midpoint_epa(), dt=dt, t_end=n * dt, save_every=n // 100)
    omega = 2.0 / dt * np.arctan(0.5 * dt)  # of the average acceleration and of the midpoint rule
    assert np.abs(sol.q[:, 0] ** 2 + sol.v[:, 0] ** 2 - 1.0).max() < 1e-7
    assert np.abs(sol.q[:, 0] - np.cos(omega * sol.t)).max() < 1e-4


@pytest.mark.long
def test_ten_million_steps_of_a_pendulum():
    """Constraints stay at rounding, energy within a band that does not widen."""
    system = iso.problems.get("pendulum").system()
    n, dt = 10_000_000, 5e-3
    sol = iso.integrate(system, iso.Scheme.midpoint_epa(), dt=dt, t_end=n * dt, save_every=n // 1000)
    assert max(sol.drift().largest[:2]) < 1e-11
    energy = np.array([sum(system.energy(q, v, t)) for t, q, v in zip(sol.t, sol.q, sol.v, strict=True)])
    assert np.ptp(energy[500:]) < 1.5 * np.ptp(energy[:500]) + 1e-9
