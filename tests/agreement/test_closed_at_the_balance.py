"""Formulations that close at the balance against the ordinary differential equation that they stand
for, written here with NumPy.

    Udwadia–Kalaba, null space     M a + Gᵀλ = Q,  G a = b − 2α[φ̇; ψ] − β²φ
    penalty                        (M + GᵀG/p) a = Q − Gᵀ(−b + γω φ̇ + ω²φ)/p,    λ = (G a − b + γω φ̇ + ω²φ)/p

The equation is integrated as a system of its own, with unit mass and its right-hand side in Python;
multipliers are those of (q_n, v_n).
"""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import qr

import constrained_systems as known
import isodyn as iso
import rotating_bodies as rotating
from isodyn import problems
from isodyn.errors import AccuracyWarning, InputError
from isodyn.kernels.compiled import OK
from isodyn.linear_solvers import block_lu
from isodyn.linear_solvers.blocks import pack, storage_of
from isodyn.mechanism.system import MechanismSystem
from isodyn.problems import chains, four_bars
from isodyn.stepping.closeness import smallest_of_blocks, smallest_of_rows
from isodyn.systems.questions import Questions

S = iso.Scheme
TIGHT = iso.Newton(rtol=1e-14)
SCHEMES = [S.optimal(0.5), S.U0(0, 0, 0), S.V0(0.3, 0.7, 0.1), S.central_difference()]
STEPS = {"andrews": 1e-4}
SYSTEMS = {
    "pendulum": known.pendulum_system,
    "rheonomic M(q)": known.manufactured_system,
    "mixed": lambda: known.manufactured_system(rolling=True),
    "knife edge": known.knife_edge_system,
    "top": rotating.top_system,
    "andrews": lambda: problems.get("andrews").system(),
    "mechanism": lambda: four_bars.n_four_bar(1, 0),
    "sparse mechanism": lambda: four_bars.n_four_bar(3, 0),
}
GAUSS = [
    iso.UdwadiaKalaba(),
    iso.UdwadiaKalaba(alpha=4.0, beta=7.0),
    iso.NullSpace("qr", alpha=4.0, beta=7.0),
    iso.NullSpace("svd"),
]
PENALTIES = [iso.Penalty(), iso.Penalty(p=1e-2, omega=30.0, gamma=0.5)]


def terms(ask: Questions, t: float, q: Any, v: Any) -> Any:
    """M, G, Q, b, φ and [φ̇; ψ]."""
    rest = np.zeros(v.size)
    Q, b = -ask.balance(t, q, v, rest), -ask.acceleration(t, q, v, rest)
    return ask.mass(t, q, v), ask.G(t, q, v), Q, b, ask.position(t, q, v), ask.velocity(t, q, v)


def gauss(ask: Questions, formulation: Any, t: float, q: Any, v: Any) -> Any:
    """a and λ of Gauss' principle with gains."""
    M, G, Q, b, phi, rate = terms(ask, t, q, v)
    b = b - 2 * formulation.alpha * rate
    b[: phi.size] -= formulation.beta**2 * phi
    K = np.block([[M, G.T], [G, np.zeros((b.size, b.size))]])
    return np.split(np.linalg.solve(K, np.concatenate([Q, b])), [v.size])


def penalised(ask: Questions, formulation: Any, t: float, q: Any, v: Any) -> Any:
    """a and λ of springs, dampers and masses of weight 1/p."""
    M, G, Q, b, phi, rate = terms(ask, t, q, v)
    p, omega, gamma = formulation.p, formulation.omega, formulation.gamma
    pull = -b + gamma * omega * rate + omega**2 * phi
    K, a = p * M + G.T @ G, np.zeros(v.size)
    M, G, Q, pull = (x.astype(np.longdouble) for x in (M, G, Q, pull))
    # the matrix of (3.199) is worse by 1/p: refined with residuals of more digits
    for _ in range(5):
        a = a + np.linalg.solve(K, (p * (Q - M @ a) - G.T @ (G @ a + pull)).astype(float))
    return a, ((G @ a + pull) / p).astype(float)


def equation(system: Any, formulation: Any) -> tuple[Any, Any]:
    """The system with unit mass and a = F(q, v, t), and the function that gives a and λ."""
    ask, one = Questions(system), penalised if isinstance(formulation, iso.Penalty) else gauss

    def both(t: float, q: Any, v: Any) -> Any:
        return one(ask, formulation, t, q, v)

    ode = iso.MechanicalSystem(
        np.ones(system.nv),
        lambda q, v, t: both(t, q, v)[0],
        system.q0,
        system.v0,
        retract=system.retract,
        difference=system.difference,
    )
    return ode, both


def apart(one: Any, other: Any) -> float:
    return float(np.abs(one - other).max() / max(1.0, np.abs(other).max()))


PAIRS = [(name, formulation) for formulation in GAUSS for name in SYSTEMS]
PAIRS += [(name, formulation) for formulation in PENALTIES for name in SYSTEMS if name not in ("mixed", "knife edge")]


@pytest.mark.parametrize(("name", "formulation"), PAIRS, ids=str)
def test_same_motion_as_the_equation(name, formulation):
    """q, v, a and λ along the motion, for one scheme after the other."""
    system = SYSTEMS[name]()
    ode, both = equation(system, formulation)
    dt = STEPS.get(name, 0.005)
    scheme = SCHEMES[(list(SYSTEMS).index(name) + [*GAUSS, *PENALTIES].index(formulation)) % len(SCHEMES)]
    sol = iso.integrate(system, scheme, formulation, dt=dt, t_end=20 * dt, newton=TIGHT)
    reference = iso.integrate(ode, scheme, dt=dt, t_end=20 * dt, newton=TIGHT)
    for quantity in ("q", "v", "a"):
        assert apart(getattr(sol, quantity), getattr(reference, quantity)) < 1e-10, quantity
    lam = np.array([both(t, q, v)[1] for t, q, v in zip(sol.t, sol.q, sol.v, strict=True)])
    assert apart(sol.lam, lam) < 1e-9
    assert np.abs(np.diff(sol.q, axis=0)).max() > 1e-4
    sparse = name == "sparse mechanism" and not isinstance(formulation, iso.NullSpace)
    assert sol.stats.solver == ("block LU" if sparse else "dense LU")


@pytest.mark.parametrize("scheme", [*SCHEMES, S.V0(1, 1, 0), S.U0(1, 1, 0)], ids=lambda s: s.name)
def test_penalty_is_second_order_in_its_own_motion(scheme):
    """q, v, a and λ against the penalised motion, over all of time and at n = 1 alone."""
    formulation, system = iso.Penalty(p=1e-2, omega=20.0), known.pendulum_system()
    _, both = equation(system, formulation)

    def rate(t: float, y: Any) -> Any:
        return np.concatenate([y[2:], both(t, y[:2], y[2:])[0]])

    fine = solve_ivp(
        rate, (0, 0.3), [*system.q0, *system.v0], method="DOP853", rtol=1e-13, atol=1e-13, dense_output=True
    )

    def errors(dt: float, t_end: float) -> Any:
        sol = iso.integrate(system, scheme, formulation, dt=dt, t_end=t_end)
        y = fine.sol(sol.t).T
        exact = [both(t, row[:2], row[2:]) for t, row in zip(sol.t, y, strict=True)]
        expected = y[:, :2], y[:, 2:], np.array([a for a, _ in exact]), np.array([lam for _, lam in exact])
        found = sol.q, sol.v, sol.a, sol.lam
        return np.array([np.abs(one - other).max() for one, other in zip(found, expected, strict=True)])

    dts = (0.001, 0.0005) if scheme.name == "U0(0, 0, 0)" else (0.002, 0.001)
    slopes = np.log2(errors(dts[0], 0.3) / errors(dts[1], 0.3))
    assert slopes == pytest.approx([2.0] * 4, abs=0.1)
    first = np.log2(errors(1e-3, 1e-3) / errors(5e-4, 5e-4))
    assert (first > 1.9).all()


def test_penalty_tends_to_gauss_as_its_weight_grows():
    """With p → 0 what is left is φ̈ + γω φ̇ + ω²φ = 0: first order in p, down to rounding, with as
    many iterations."""
    omega, gamma = 10.0, 1.0
    limit = iso.UdwadiaKalaba(alpha=gamma * omega / 2, beta=omega)
    for make, dt in ((known.pendulum_system, 0.01), (lambda: four_bars.n_four_bar(3, 0), 0.005)):
        there = iso.integrate(make(), S.optimal(0.5), limit, dt=dt, t_end=40 * dt, newton=TIGHT)
        gaps, counts = [], []
        for p in (1e-3, 1e-4, 1e-5, 1e-15):
            sol = iso.integrate(
                make(), S.optimal(0.5), iso.Penalty(p, omega, gamma), dt=dt, t_end=40 * dt, newton=TIGHT
            )
            gaps.append([apart(getattr(sol, x), getattr(there, x)) for x in ("q", "v", "lam")])
            counts.append(sol.stats.iterations)
        assert np.log10(np.divide(gaps[1], gaps[2])) == pytest.approx([1.0] * 3, abs=0.05)
        assert max(gaps[3]) < 1e-9
        assert max(counts) <= 1.2 * min(counts)


def test_penalties_of_redundant_rows_share_the_force():
    """All rows act, also those that follow from others: equal ones carry equal forces, and the
    motion is that of the equation."""
    system, formulation = known.double_pendulum_system(2), iso.Penalty(p=1e-4)
    ode, both = equation(system, formulation)
    sol = iso.integrate(system, S.optimal(0.5), formulation, dt=0.005, t_end=0.1, newton=TIGHT)
    reference = iso.integrate(ode, S.optimal(0.5), dt=0.005, t_end=0.1, newton=TIGHT)
    assert apart(sol.q, reference.q) < 1e-10
    lam = np.array([both(t, q, v)[1] for t, q, v in zip(sol.t, sol.q, sol.v, strict=True)])
    assert apart(sol.lam, lam) < 1e-8
    assert sol.redundant == ()
    G = Questions(system).G(0.0, sol.q[-1], sol.v[-1])
    assert np.linalg.matrix_rank(G) < G.shape[0]
    least = np.linalg.lstsq(G.T, G.T @ sol.lam[-1], rcond=1e-10)[0]
    assert apart(sol.lam[-1], least) < 1e-8


@pytest.mark.parametrize("formulation", [iso.UdwadiaKalaba(), iso.UdwadiaKalaba(alpha=3.0), iso.Penalty()], ids=repr)
def test_sparse_and_full_matrices_give_one_motion(formulation, monkeypatch):
    system = chains.planar_chain(8, 0.3)
    sparse = iso.integrate(system, S.optimal(0.8), formulation, dt=0.005, t_end=0.2, newton=TIGHT)
    monkeypatch.setattr(MechanismSystem, "small", 10_000)
    dense = iso.integrate(system, S.optimal(0.8), formulation, dt=0.005, t_end=0.2, newton=TIGHT)
    assert (sparse.stats.solver, dense.stats.solver) == ("block LU", "dense LU")
    for quantity, tolerance in (("q", 1e-12), ("v", 1e-11), ("a", 1e-9), ("lam", 1e-8)):
        assert apart(getattr(sparse, quantity), getattr(dense, quantity)) < tolerance, quantity


@pytest.mark.parametrize("formulation", [iso.UdwadiaKalaba(), iso.NullSpace("svd"), iso.Penalty()], ids=repr)
def test_what_is_saved_does_not_change_the_motion(formulation):
    """Rows are bit for bit those of a run that saves them all; observers see the multipliers that
    are saved."""
    every = iso.integrate(four_bars.n_four_bar(1, 0), formulation=formulation, dt=0.005, t_end=0.1)
    seen: list[Any] = []
    some = iso.integrate(
        four_bars.n_four_bar(1, 0),
        formulation=formulation,
        dt=0.005,
        t_end=0.1,
        save_every=5,
        observe=lambda s: seen.append(s.lam),
    )
    for name in ("q", "v", "a", "lam"):
        assert np.array_equal(getattr(some, name), getattr(every, name)[::5]), name
    assert np.array_equal(np.array(seen), some.lam)
    assert np.abs(every.lam).min(axis=0).max() > 0.0


@pytest.mark.parametrize("formulation", [iso.UdwadiaKalaba(), iso.NullSpace(), iso.Penalty()], ids=repr)
def test_breakpoints_leave_the_state_alone(formulation):
    """Where nothing jumps a breakpoint only starts the scheme anew: positions stay where the
    equation has brought them."""
    sol = iso.integrate(known.pendulum_system(), S.optimal(0.5), formulation, dt=0.01, t_end=0.4, breakpoints=[0.2])
    (row,) = sol.aux["breakpoint_rows"]
    drift = sol.drift().position
    assert drift[row] > 1e-6
    assert 0.5 * drift[row - 1] < drift[row] < 2.0 * drift[row - 1]
    assert sol.aux["lam_left"][0] == pytest.approx(sol.lam[row], rel=1e-9)


@pytest.mark.filterwarnings("ignore:the constraints come close to losing rank")
@pytest.mark.parametrize(("n", "spatial"), [(1, 0), (2, 0), (5, 0), (2, 1)])
@pytest.mark.parametrize("formulation", [iso.UdwadiaKalaba(), iso.NullSpace("qr"), iso.NullSpace("svd")], ids=repr)
def test_parallelograms_through_their_flat_position(n, spatial, formulation):
    """G loses n of its rank at t = 0.71; sparse or not, redundant rows or not, the motion stays on
    its branch without smaller steps."""
    system = four_bars.n_four_bar(n, spatial)
    sol, branch = (
        iso.integrate(system, S.optimal(0.5), one, dt=0.001, t_end=0.75, save_every=10) for one in (formulation, None)
    )
    assert sol.stats.halvings == 0
    assert apart(sol.q, branch.q) < 1e-4
    assert set(sol.aux["rank"]) == {np.linalg.matrix_rank(Questions(system).G(0.0, system.q0, system.v0))}


@pytest.mark.parametrize("seed", range(5))
def test_closeness_to_a_loss_of_rank(seed):
    """The smallest pivot of unit rows: that of a QR decomposition with column pivoting, for rows
    nearly alike too."""
    rng = np.random.default_rng(seed)
    m, n = 4, 7
    G = rng.normal(size=(6, n)) * rng.uniform(0.01, 100.0, size=(6, 1))
    G[4] = G[0] - 2.0 * G[2] + 10.0 ** -(seed + 1) * np.abs(G[0]).max() * rng.normal(size=n)
    rows = np.array([0, 2, 3, 4])
    unit = G[rows] / np.linalg.norm(G[rows], axis=1)[:, None]
    expected = np.abs(np.diag(qr(unit.T, mode="r", pivoting=True)[0])).min()
    assert smallest_of_rows(G.ravel(), rows, np.ones(n), n, np.zeros(m * m)) == pytest.approx(
        expected, rel=1e-3, abs=1e-7
    )
    G[4] = 2.0 * G[0]
    assert smallest_of_rows(G.ravel(), rows, np.ones(n), n, np.zeros(m * m)) < 1e-7


def test_closeness_from_the_factors_of_blocks():
    """With sparse matrices about the smallest singular value of unit rows in the metric of the
    mass, next to the flat position too."""
    system = four_bars.n_four_bar(3, 0)
    model = system.model()
    pattern, ask = model.sparsity, Questions(system, model)
    assert pattern is not None
    packed = pack(pattern, np.arange(pattern.m))
    for off in (0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-5):
        q, v = (x[0] for x in four_bars.on_branch(np.array([np.pi / 2 - off]), np.ones(1), 3))
        M, G = ask.mass(0.0, q, v), ask.G(0.0, q, v)
        values, fault = np.zeros(storage_of(packed)), np.zeros(1, dtype=np.int64)
        block_lu.fill_blocks(M.data, G.data, np.zeros(pattern.m), np.ones(pattern.n + pattern.m), packed, values)
        assert block_lu.block_factor(values, packed, np.int64(0), 0.0, fault) == OK
        rows = G.toarray() / np.sqrt(M.diagonal())
        smallest = np.linalg.svd(rows / np.linalg.norm(rows, axis=1)[:, None], compute_uv=False)[-1]
        found = smallest_of_blocks(values, packed, *np.zeros((2, pattern.n + pattern.m)))
        assert 0.3 * smallest < found < 4.0 * smallest, off


@pytest.mark.parametrize("formulation", [iso.UdwadiaKalaba(), iso.NullSpace()], ids=repr)
def test_a_balance_beside_a_loss_of_rank_is_reported(formulation):
    """Flat two thirds through the second step, and at neither end, with a sparse matrix and with
    full ones."""
    system = copy(four_bars.n_four_bar(3, 0))
    for off, warned in ((1.72e-3, True), (5e-3, False)):
        q, v = (x[0] for x in four_bars.on_branch(np.array([np.pi / 2 - off]), np.ones(1), 3))
        object.__setattr__(system, "q0", q)
        object.__setattr__(system, "v0", v)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            iso.integrate(system, S.optimal(0.5), formulation, dt=1e-3, t_end=2e-3)
        assert [one.category for one in caught] == [AccuracyWarning] * warned
        assert all("losing rank at t = 0.00166667 " in str(one.message) for one in caught)


def test_condition_numbers_are_for_closures_at_the_end():
    with pytest.raises(InputError, match=r"UdwadiaKalaba.* closes at the balance"):
        iso.analysis.condition_number(known.pendulum_system(), S.optimal(0.5), iso.UdwadiaKalaba(), 0.01)
