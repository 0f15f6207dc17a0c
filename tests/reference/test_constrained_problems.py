"""What problems with constraints say about their motion is true, and runs find it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from constrained_systems import STIFF
from isodyn import problems
from isodyn.errors import InputError
from isodyn.kernels.compiled import ACCELERATION, BALANCE, CONSTRAINT, OK, POSITION, VELOCITY, FloatArray
from isodyn.problems import andrews, andrews21, first_order_dae, slider_crank
from isodyn.problems.data import load
from isodyn.studies import accurate_motion, errors_of
from isodyn.studies.references import Acceleration
from ready_systems import with_constraints

CONSTRAINED = [name for name, system in with_constraints().items() if not system.first_order]
FINER = {"beam_and_bodies": 4000}  # steps, where a thousand resolve too little of what moves
REDUNDANT = ("double_pendulum_doubled", "planar_loop_in_space", "bennett", "bricard")


def ask(system: Any, what: int, size: int, t: float, q: Any, v: Any, a: Any = None, lam: Any = None) -> FloatArray:
    model, out = system.model(), np.zeros(size)
    model = model if model.dense is None else model.dense()
    a, lam = np.zeros(system.nv) if a is None else a, np.zeros(system.m) if lam is None else lam
    state = [np.ascontiguousarray(x) for x in (q, v, a, lam)]
    assert model.function(what, t, *state, np.array([1.0, 0.0, 0.0, 1.0]), model.tables, model.scratch, out) == OK
    return out


def matrix(system: Any, q: Any, v: Any) -> FloatArray:
    return ask(system, CONSTRAINT, system.m * system.nv, 0.0, q, v).reshape(system.m, system.nv)


# ---- all of them


@pytest.mark.parametrize("name", [name for name in CONSTRAINED if problems.get(name).motion is not None])
def test_exact_motion_keeps_the_constraints(name: str) -> None:
    """At position, velocity and acceleration level, to rounding."""
    problem = problems.get(name)
    system, t = problem.system(), np.linspace(0.0, problem.t_end, 20)
    exact = problem.exact(t)
    assert exact is not None
    for k in range(t.size):
        row = (float(t[k]), exact.q[k], exact.v[k], exact.a[k])
        for what, size in ((POSITION, np.abs(exact.q)), (VELOCITY, np.abs(exact.v)), (ACCELERATION, np.abs(exact.a))):
            assert np.abs(ask(system, what, system.m, *row)).max() <= 1e-12 * max(1.0, size.max()) ** 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in CONSTRAINED if name not in STIFF]
)  # those have references in tests/beams
def test_a_fine_run_agrees_with_the_reference(name: str) -> None:
    """q, v, a and λ (constraint forces where rows are dependent) against formula or DOP853, default
    formulation."""
    problem = problems.get(name)
    system, t_end = problem.system(), problem.t_order or problem.t_end
    sol = iso.integrate(system, iso.Scheme.U0(0.8, 0.8, 0.8), dt=t_end / FINER.get(name, 1000), t_end=t_end)
    motion = problem.exact(sol.t) or accurate_motion(system, t_end).at(sol.t)
    lam = None if name in REDUNDANT else motion.lam
    found = errors_of(sol, motion.q, motion.v, motion.a, lam)
    assert max(found.q, found.v, found.a) < 1e-4
    if name not in REDUNDANT:
        assert found.lam < 1e-4
        return
    assert motion.lam is not None
    for k in range(0, sol.t.size, 50):
        G = matrix(system, sol.q[k], sol.v[k])
        expected = matrix(system, motion.q[k], motion.v[k]).T @ motion.lam[k]
        assert np.abs(G.T @ sol.lam[k] - expected).max() < 1e-4 * np.abs(expected).max()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CONSTRAINED if problems.get(name).conserved is not None])
def test_conserved_quantities_deviate_by_the_error_only(name: str) -> None:
    """Halving the step brings the deviation down by four or to rounding."""
    problem = problems.get(name)
    t_end = problem.t_order or problem.t_end
    deviation = []
    for steps in (500, 1000):
        sol = iso.integrate(problem.system(), iso.Scheme.midpoint_epa(), dt=t_end / steps, t_end=t_end)
        kept = problem.invariants(sol)
        assert kept is not None
        deviation.append(max(float(np.ptp(x)) / max(1e-3, float(np.abs(x).max())) for x in kept.values()))
    assert deviation[1] < 1e-4
    assert deviation[1] < 0.3 * deviation[0] or deviation[0] < 1e-10


# ---- Andrews' squeezing mechanism


def test_andrews_constants_are_those_of_the_file() -> None:
    """The numbers in the source against the data of the test set."""
    for name, value in load("andrews.json")["parameters"].items():
        mine = "TORQUE" if name == "mom" else name.upper()
        assert getattr(andrews, mine) == float(value), name


def test_andrews_start_of_the_file() -> None:
    """Accelerations and multipliers at t = 0 as published."""
    data = load("andrews.json")
    a, lam = Acceleration(andrews.build())(0.0, andrews.start(), np.zeros(7))
    assert a == pytest.approx(np.array(data["a0"], dtype=float), rel=1e-10, abs=1e-5)
    assert lam == pytest.approx(np.array(data["lambda0"], dtype=float), rel=1e-10, abs=1e-9)


def test_andrews_reference_satisfies_the_equations() -> None:
    """Balance and all three levels at the ten reference states, 7 coordinates; constraints in
    21."""
    r, system = andrews.reference(), andrews.build()
    assert r.a is not None
    assert r.lam is not None
    for k, t in enumerate(r.t):
        row = (t, r.q[k], r.v[k], r.a[k], r.lam[k])
        forces = np.abs(matrix(system, r.q[k], r.v[k]).T @ r.lam[k]).max()
        assert np.abs(ask(system, BALANCE, 7, *row)).max() <= 1e-11 * forces
        assert np.abs(ask(system, POSITION, 6, *row)).max() <= 1e-15
        assert np.abs(ask(system, VELOCITY, 6, *row)).max() <= 1e-12
        assert np.abs(ask(system, ACCELERATION, 6, *row)).max() <= 1e-12 * np.abs(r.a[k]).max()
    full, big = andrews21.reference(), andrews21.build()
    for k, t in enumerate(full.t):
        assert np.abs(ask(big, POSITION, 20, t, full.q[k], full.v[k])).max() <= 1e-15
        assert np.abs(ask(big, VELOCITY, 20, t, full.q[k], full.v[k])).max() <= 1e-12
    assert np.allclose(andrews21.to_seven(full.q), r.q, rtol=0, atol=1e-14)


def test_andrews21_rows_as_printed() -> None:
    """The twenty constraints written out, at a state off the constraints."""
    # [Shimada2014 (3.212)]
    q = np.random.default_rng(4).standard_normal(21)
    x1, y1, be, x2, y2, th, x3, y3, ga, x4, y4, ph, x5, y5, de, x6, y6, om, x7, y7, ep = q
    p = {name: float(value) for name, value in load("andrews.json")["parameters"].items()}
    xa, ya, xb, yb, rr, d, e, u = (p[name] for name in ("xa", "ya", "xb", "yb", "rr", "d", "e", "u"))
    zt, zf, short = p["zt"], p["zf"], p["e"] - p["ea"]
    sin, cos = math.sin, math.cos
    x, y = rr * cos(be) - d * cos(th), rr * sin(be) - d * sin(th)
    printed = [
        x1 - p["ra"] * cos(be),
        y1 - p["ra"] * sin(be),
        x2 - (rr * cos(be) - p["da"] * cos(th)),
        y2 - (rr * sin(be) - p["da"] * sin(th)),
        x3 - (xb + p["sa"] * sin(ga) + p["sb"] * cos(ga)),
        y3 - (yb - p["sa"] * cos(ga) + p["sb"] * sin(ga)),
        x4 - (xa + zt * cos(de) + short * sin(ph)),
        y4 - (ya + zt * sin(de) - short * cos(ph)),
        x5 - (xa + p["ta"] * cos(de) - p["tb"] * sin(de)),
        y5 - (ya + p["ta"] * sin(de) + p["tb"] * cos(de)),
        x6 - (xa + u * sin(ep) + (zf - p["fa"]) * cos(om)),
        y6 - (ya - u * cos(ep) + (zf - p["fa"]) * sin(om)),
        x7 - (xa + p["ua"] * sin(ep) - p["ub"] * cos(ep)),
        y7 - (ya - p["ua"] * cos(ep) - p["ub"] * sin(ep)),
        x - p["ss"] * sin(ga) - xb,
        y + p["ss"] * cos(ga) - yb,
        x - e * sin(ph) - zt * cos(de) - xa,
        y + e * cos(ph) - zt * sin(de) - ya,
        x - zf * cos(om) - u * sin(ep) - xa,
        y - zf * sin(om) + u * cos(ep) - ya,
    ]
    assert np.abs(ask(andrews21.build(), POSITION, 20, 0.0, q, 0.0 * q) - printed).max() < 1e-15


def test_andrews_published_numbers_agree_with_the_reference() -> None:
    """Test set at t = 0.03, which has about ten digits of positions, seven to ten of velocities,
    seven of multipliers."""
    values = np.array(load("andrews.json")["reference_official_t0_03"]["values"], dtype=float)
    r = andrews.reference()
    k = int(np.argmin(np.abs(r.t - 0.03)))
    assert r.lam is not None
    assert np.abs(values[:7] - r.q[k]).max() < 2e-9
    assert np.abs(values[7:14] - r.v[k]).max() < 1e-6
    assert np.abs(values[21:] - r.lam[k]).max() < 1e-7 * np.abs(r.lam[k]).max()


@pytest.mark.slow
@pytest.mark.parametrize(
    "build", [pytest.param(andrews.plain_system, marks=pytest.mark.long), andrews.build], ids=["plain", "compiled"]
)
def test_andrews_acceptance(build: Any) -> None:
    """6000 steps of V0(1,1,0), stabilised: q to 4e-6, λ to 2e-5 of its size at t = 0.03."""
    sol = iso.integrate(build(), iso.Scheme.V0(1, 1, 0), iso.Stabilised(), dt=5e-6, t_end=0.03)
    r = andrews.reference()
    k = int(np.argmin(np.abs(r.t - 0.03)))
    assert r.lam is not None
    assert sol.t[-1] == pytest.approx(r.t[k], abs=1e-12)
    assert np.abs(sol.q[-1] - r.q[k]).max() <= 4e-6
    assert np.abs(sol.lam[-1] - r.lam[k]).max() <= 2e-5 * np.abs(r.lam[k]).max()


@pytest.mark.slow
def test_andrews_high_order_reference() -> None:
    """DOP853 on the index-1 equations against extended precision at t = 0.03, in 7 and in 21
    coordinates."""
    r, full = andrews.reference(), andrews21.reference()
    k = int(np.argmin(np.abs(r.t - 0.03)))
    seven = accurate_motion(andrews.build(), 0.03).at(r.t[k : k + 1])
    assert seven.lam is not None
    assert r.lam is not None
    assert np.abs(seven.q[0] - r.q[k]).max() < 1e-9
    assert np.abs(seven.lam[0] - r.lam[k]).max() < 1e-8 * np.abs(r.lam[k]).max()
    assert np.abs(accurate_motion(andrews21.build(), 0.03).at(r.t[k : k + 1]).q[0] - full.q[k]).max() < 1e-9


# ---- Andrews: 7 = 21 coordinates


def in_seven(sol: Any) -> dict[str, FloatArray]:
    angles = {x: andrews21.to_seven(getattr(sol, x)) for x in ("q", "v", "a")}
    return {**angles, "lam": sol.lam[:, -6:]}


def test_andrews_accelerations_and_multipliers_at_a_state() -> None:
    """At any state on the constraints both models give the same accelerations and loop multipliers,
    to rounding."""
    r, full = andrews.reference(), andrews21.reference()
    seven, big = Acceleration(andrews.build()), Acceleration(andrews21.build())
    for k, t in enumerate(r.t):
        a, lam = seven(t, r.q[k], r.v[k])
        a_big, lam_big = big(t, full.q[k], full.v[k])
        assert np.abs(a - andrews21.to_seven(a_big)).max() <= 1e-10 * np.abs(a).max()
        assert np.abs(lam - lam_big[-6:]).max() <= 1e-10 * np.abs(lam).max()


@pytest.mark.parametrize("scheme", [iso.Scheme.U0(1, 1, 0), iso.Scheme.newmark()], ids=str)
def test_andrews_7_equals_21_to_near_rounding(scheme: iso.Scheme) -> None:
    """Acceleration level with the balance at t_{n+1}: then a_{n+1} is the acceleration at (q_{n+1},
    v_{n+1}), the same function of the angles in both models, and the scheme commutes with the
    linear map between their angles."""
    run = {"dt": 1e-5, "t_end": 0.005, "newton": iso.Newton(rtol=1e-13, full=True)}
    sol = iso.integrate(andrews.build(), scheme, iso.AccelerationLevel(), **run)
    other = in_seven(iso.integrate(andrews21.build(), scheme, iso.AccelerationLevel(), **run))
    for x, values in other.items():
        mine = getattr(sol, x)
        assert np.abs(mine - values).max() <= 1e-10 * np.abs(mine).max(), x


def test_andrews_7_and_21_differ_by_second_order_and_have_one_limit() -> None:
    """Elsewhere q̃ and M(q̃) differ between the models, so the runs differ by O(Δt²); extrapolated
    to Δt = 0 they agree."""
    runs: dict[str, list[dict[str, FloatArray]]] = {"seven": [], "twenty-one": []}
    for every, dt in ((1, 2e-5), (2, 1e-5), (4, 5e-6)):
        run = {"dt": dt, "t_end": 0.005, "save_every": every}
        sol = iso.integrate(andrews.build(), iso.Scheme.V0(1, 1, 0), iso.Stabilised(), **run)
        runs["seven"].append({x: getattr(sol, x) for x in ("q", "v", "a", "lam")})
        full = iso.integrate(andrews21.build(), iso.Scheme.V0(1, 1, 0), iso.Stabilised(), **run)
        runs["twenty-one"].append(in_seven(full))
    for x in ("q", "v"):
        gaps = [np.abs(a[x] - b[x]).max() for a, b in zip(*runs.values(), strict=True)]
        assert 1.9 < math.log2(gaps[1] / gaps[2]) < 2.1
        limits = [(4 * pair[2][x] - pair[1][x]) / 3 for pair in runs.values()]
        assert np.abs(limits[0] - limits[1]).max() < 0.01 * gaps[2]


# ---- redundant rows


@pytest.mark.parametrize("copies", [2.0, 3.0])
def test_double_pendulum_with_its_joint_entered_again(copies: float) -> None:
    """Rank 2; the motion is that of the joint entered once."""
    problem = problems.get("double_pendulum_doubled")
    system, minimal = problem.system(copies=copies), problem.system(copies=1.0)
    assert np.linalg.matrix_rank(matrix(system, system.q0 + 0.1, system.v0)) == 2
    runs = [iso.integrate(s, iso.Scheme.U0(0.5, 0.5, 0.5), dt=0.005, t_end=1.0) for s in (system, minimal)]
    for x in ("q", "v", "a"):
        one, two = (getattr(run, x) for run in runs)
        assert np.abs(one - two).max() <= 1e-10 * np.abs(two).max(), x


def test_planar_loop_has_the_rank_it_states() -> None:
    """5 of 7 on the constraints, 6 of 7 next to them, and the stated dependence with its
    coefficients."""
    problem = problems.get("planar_loop_in_space")
    system, t = problem.system(), np.linspace(0.0, 3.0, 7)
    motion = problem.exact(t)
    assert motion is not None
    for q, v in zip(motion.q, motion.v, strict=True):
        G = matrix(system, q, v)
        assert np.linalg.matrix_rank(G, tol=1e-10) == 5
        assert np.abs(G[1] - G[0] - q[0] / 0.8 * G[2] - q[1] * G[3]).max() < 1e-14
        assert np.abs(G[4] + G[5] + G[6]).max() == 0.0
        off = matrix(system, q + 0.01 * np.array([0.3, -0.5, 0.2, 0.7, 0.4, -0.6]), v)
        assert np.linalg.matrix_rank(off, tol=1e-4) == 6


def test_planar_loop_moves_as_its_minimal_model() -> None:
    """Seven dependent rows against five independent ones."""
    problem = problems.get("planar_loop_in_space")
    runs = [
        iso.integrate(problem.system(minimal=x), iso.Scheme.U0(0.5, 0.5, 0.5), dt=0.01, t_end=2.0) for x in (0.0, 1.0)
    ]
    for x in ("q", "v", "a"):
        one, two = (getattr(run, x) for run in runs)
        assert np.abs(one - two).max() <= 1e-10 * np.abs(two).max(), x


# ---- others


def test_slider_crank_against_its_minimal_model() -> None:
    """DOP853 with constraints against one ordinary differential equation in the crank angle."""
    problem = problems.get("slider_crank")
    t = np.linspace(0.0, problem.t_end, 40)
    exact, constrained = (
        slider_crank.minimal_motion(t, 40.0, 9.81),
        accurate_motion(problem.system(), problem.t_end).at(t),
    )
    for x in ("q", "v", "a"):
        assert np.abs(getattr(exact, x) - getattr(constrained, x)).max() < 1e-9 * np.abs(getattr(exact, x)).max()


@pytest.mark.parametrize(("eta0", "t_end"), [(2.0, 0.8), (0.5, 0.3)])
def test_vdpol_formula(eta0: float, t_end: float) -> None:
    """ln η − η²/2 − t is constant on both branches; they end at η = 1."""
    t = np.linspace(0.0, t_end, 30)
    motion = first_order_dae.vdpol_motion(t, eta0)
    assert motion is not None
    assert motion.lam is not None
    eta = motion.lam[:, 0]
    assert np.abs(np.log(eta) - 0.5 * eta**2 - t - np.log(eta0) + 0.5 * eta0**2).max() < 1e-14
    assert np.abs(motion.v - motion.lam**3 / 3 + motion.lam).max() < 1e-14
    assert first_order_dae.vdpol_motion(np.array([first_order_dae.end_time(eta0) + 1e-3]), eta0) is None
    assert first_order_dae.end_time(0.5) == pytest.approx(math.log(2) - 0.375)


def test_pendulum_that_turns_over_has_no_formula() -> None:
    """None instead of a wrong motion; other starts, both signs of the rate, agree with DOP853."""
    problem = problems.get("pendulum")
    assert problem.exact(np.zeros(2), rate0=8.0) is None
    t = np.linspace(0.0, 3.0, 20)
    for rate0 in (-2.0, 0.0, 1.0):
        exact, system = problem.exact(t, rate0=rate0, theta0=-0.6), problem.system(rate0=rate0, theta0=-0.6)
        assert exact is not None
        assert np.abs(exact.q - accurate_motion(system, 3.0).at(t).q).max() < 1e-10


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("double_pendulum_doubled", {"copies": 4.0}, "copies must be 1, 2 or 3"),
        ("planar_loop_in_space", {"theta0": 1.7}, "must keep the arms below the pivots"),
        ("knife_edge", {"omega": 0.0}, "omega must not be zero"),
        ("rolling_disc", {"omega": 0.0}, "omega must not be zero"),
        ("constant_speed", {"u": 0.0}, "u must not be zero"),
        ("vdpol_dae", {"eta0": 1.0}, "eta0 must be positive and not 1"),
    ],
)
def test_impossible_parameters_are_refused(name: str, parameters: dict[str, float], message: str) -> None:
    """With the name of the parameter."""
    with pytest.raises(InputError, match=message):
        problems.get(name).system(**parameters)
