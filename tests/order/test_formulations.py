"""Orders in q, v, a and λ of every formulation of the table: maximum norm over all of time, and at
n = 1 alone.

The expected orders are those of `isodyn.formulations.table`. Measured here, slopes between the last
two steps:

    formulation                        q, v            a                          λ
    stabilised, GGL                    1.99 … 2.00     1.99 … 2.01                1.96 … 2.00
    velocity level                     1.99 … 2.00     1.99 … 2.01                1.97 … 2.00
    acceleration level                 1.99 … 2.01     1.97 … 2.01                1.94 … 2.01
    Udwadia–Kalaba, null space         1.92 … 2.01     1.97 … 2.01                1.96 … 2.01
    projection, overdetermined         1.99 … 2.01     1.98 … 2.01                1.92 … 2.01
    Hamilton's form                    1.94 … 2.00     1.97 … 2.07                1.92 … 2.00
    Baumgarte, gains fixed             1.95 … 2.00     1.96 … 2.00                1.97 … 2.03
    Baumgarte, gains 1/Δt              1.99 … 2.01     0.95 … 1.02                0.99 … 1.02
    position level, discrete           1.99 … 2.00     0.98 … 1.03                0.99 … 1.05       after the transient:
    the same with ρmax = ρmin = 1      1.99 … 2.00     0 (V0(1,1,0): 1.0)         0                 test_after_the_transient

The lower ends belong to U0(0,0,0). At n = 1 errors of q and v are third order.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso
from isodyn.errors import AccuracyWarning
from isodyn.formulations.table import TABLE, entry

EPS = 0.1
S, F = iso.Scheme, iso.FirstOrderScheme
QUANTITIES = ("q", "v", "a", "lam")
SCHEMES = [
    S.U0(0.5, 0.5, 0.5),
    S.U0(0, 0, 0),
    S.V0(1, 1, 0),
    S.optimal(0.0),
    S.optimal(0.5),
    S.U0(1, 1, 1),
    S.U0(1, 1, 0),
    S.V0(0.3, 0.7, 0.1),
    S.central_difference(),
]
FIRST_ORDER_SCHEMES = [
    F.GS4_1(1, 1),
    F.GS4_1(1, 0),
    F.GS4_1(0.5, 0.2),
    F.gear(),
    F.crank_nicolson(),
    S.optimal(0.5),
]
APART = (iso.Hamiltonian, iso.AugmentedMultipliers, iso.Partitioning)  # below, and test_other_systems
FORMULATIONS = [row.example() for row in TABLE if None not in row.facts.orders and row.formulation not in APART]
FORMULATIONS.append(iso.Projection(acceleration=True))
WEAK = (iso.PositionLevel(), iso.NullSpace(discrete=True))
PENDULUM, RHEONOMIC = (known.PENDULUM, (0.005, 0.0025)), (known.RHEONOMIC, (0.005, 0.0025))
INDEX_2 = (known.INDEX_2, (0.02, 0.01))
ONE_STEP = (1e-3, 5e-4)


def runs(formulation, scheme) -> bool:
    """Combinations that the table allows and for which it claims an order."""
    if formulation in WEAK and scheme.radii[:2] == (1.0, 1.0):
        return False
    return entry(formulation).facts.explicit or not scheme.explicit


PAIRS = [(f, s) for f in FORMULATIONS for s in SCHEMES if runs(f, s)]
COVER = [((PENDULUM, RHEONOMIC)[k % 2], f, s) for k, (f, s) in enumerate(PAIRS)]


def full(first, second):
    return [(x, y) for x in first for y in second]


def checkered(first, second):
    """The full product, every other one of it only in `make full`: each of both stays with half of the
    others."""
    marks = (), pytest.mark.long
    return [pytest.param(x, y, marks=marks[(i + j) % 2]) for i, x in enumerate(first) for j, y in enumerate(second)]


def label(value):
    if isinstance(value, tuple):
        value = value[0]
    return value.name if isinstance(value, S | F | known.Case) else repr(value)


def check(problem, formulation, scheme, expected, *, t_end=None, names=QUANTITIES, one_step=ONE_STEP):
    """Slopes over all of time within EPS of the expected ones; at n = 1 alone not below them."""
    case, dts = replace(problem[0], t_end=t_end or problem[0].t_end), problem[1]
    if scheme.name == "U0(0, 0, 0)":
        # the largest error constants: slopes are clean a little later
        dts = tuple(0.5 * dt for dt in dts)
    measured = known.slope(case, scheme, formulation, dts)
    first = known.first_slope(case, scheme, formulation, one_step)
    for name, rate in zip(names, expected, strict=True):
        assert measured[name] == pytest.approx(rate, abs=EPS), name
        assert first[name] > rate - EPS, f"{name} at n = 1"


@pytest.mark.filterwarnings("ignore:multipliers and accelerations of position level")
@pytest.mark.parametrize(("problem", "formulation", "scheme"), COVER, ids=label)
def test_order_of_the_table(problem, formulation, scheme):
    """Every pair of formulation and scheme, on one of the two problems in turn."""
    check(problem, formulation, scheme, entry(formulation).facts.orders, t_end=0.3)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:multipliers and accelerations of position level")
@pytest.mark.parametrize("problem", [PENDULUM, RHEONOMIC], ids=label)
@pytest.mark.parametrize(("formulation", "scheme"), PAIRS, ids=label)
def test_order_of_the_table_on_both_problems(problem, formulation, scheme):
    """The full product, over a longer time."""
    check(problem, formulation, scheme, entry(formulation).facts.orders, t_end=1.0)


def test_the_table_claims_second_order_where_it_is_due():
    """The product above tests what the table says; this is what it has to say."""
    due = {
        iso.Stabilised,
        iso.VelocityLevel,
        iso.AccelerationLevel,
        iso.GGL,
        iso.Projection,
        iso.Overdetermined,
        iso.Hamiltonian,
        iso.UdwadiaKalaba,
        iso.NullSpace,
        iso.AugmentedMultipliers,
        iso.Partitioning,
    }
    assert {row.formulation for row in TABLE if row.facts.orders == (2, 2, 2, 2)} == due
    assert sum(s.phi > 0.05 for s in SCHEMES) >= 4
    assert len(COVER) >= 70


@pytest.mark.slow
@pytest.mark.parametrize(
    ("formulation", "setting"),
    full(
        [f for f in FORMULATIONS if f not in (*WEAK, iso.Baumgarte())],
        [
            (known.KNIFE_EDGE, S.optimal(0.5)),
            (known.KNIFE_EDGE, S.central_difference()),
            (known.MIXED, S.central_difference()),
            (known.MIXED, S.optimal(0.5)),
        ],
    ),
    ids=lambda x: "-".join(map(label, x)) if isinstance(x, tuple) else label(x),
)
def test_nonholonomic_rows(formulation, setting):
    """ψ linear in v alone, and ψ quadratic in v together with a moving φ; v of the knife edge may
    be better."""
    # multipliers that come from the state are ten times as exact, and terms of third order fade
    # later
    case, scheme = setting
    dts = (0.0025, 0.00125) if isinstance(formulation, iso.UdwadiaKalaba | iso.NullSpace) else (0.02, 0.01)
    measured = known.slope(replace(case, t_end=0.4), scheme, formulation, dts)
    first = known.first_slope(case, scheme, formulation, ONE_STEP)
    for name, rate in zip(QUANTITIES, entry(formulation).facts.orders, strict=True):
        assert measured[name] > rate - EPS, name
        assert first[name] > rate - EPS, f"{name} at n = 1"
        if case is known.MIXED:
            assert measured[name] < rate + EPS, name


# ---- Baumgarte


@pytest.mark.parametrize("scheme", [S.U0(0, 0, 0), S.optimal(0.5), S.U0(1, 1, 1), S.central_difference()], ids=label)
@pytest.mark.parametrize("problem", [PENDULUM, RHEONOMIC], ids=label)
def test_baumgarte_with_fixed_gains_is_second_order(problem, scheme):
    """With the gains 1/Δt that are the default, tested above, a and λ are first order in a layer at
    the start."""
    check(problem, iso.Baumgarte(alpha=3.0, beta=4.0), scheme, (2, 2, 2, 2), t_end=0.3)


# ---- position level


@pytest.mark.parametrize("scheme", [S.U0(1, 1, 1), S.U0(1, 1, 0), S.V0(1, 1, 0)], ids=label)
@pytest.mark.parametrize("formulation", [iso.PositionLevel(), iso.NullSpace(discrete=True)], ids=label)
def test_undamped_position_level_oscillates(formulation, scheme):
    """With ρmax = ρmin = 1 and v₀ ≠ 0 the error of λ does not shrink with Δt and changes sign from
    step to step; the warning says so."""
    history = []
    for dt in (0.005, 0.0025):
        with pytest.warns(AccuracyWarning, match="oscillate without end"):
            sol = iso.integrate(known.pendulum_system(), scheme, formulation, dt=dt, t_end=0.4)
        gap = sol.lam - known.pendulum_motion(sol.t).lam
        history.append(np.abs(gap).max())
        assert (gap[2:-1] * gap[3:] < 0).mean() > 0.9
        assert np.abs(gap[-20:]).max() > 0.5 * np.abs(gap).max()
    assert history[1] > 0.1
    assert np.log2(history[0] / history[1]) == pytest.approx(0.0, abs=EPS)


def test_undamped_position_level_from_rest_is_first_order():
    """The oscillation of O(1) comes from v₀; started at rest it is there as well, but shrinks with
    Δt."""
    gaps = []
    for dt in (0.005, 0.0025):
        with pytest.warns(AccuracyWarning, match="oscillate without end"):
            sol = iso.integrate(known.pendulum_system(speed=0.0), S.U0(1, 1, 1), iso.PositionLevel(), dt=dt, t_end=0.4)
        gaps.append(np.abs(sol.lam - known.pendulum_motion(sol.t, speed=0.0).lam).max())
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx(1.0, abs=EPS)


# ---- Hamilton's form and first-order DAEs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "scheme"),
    checkered([(known.PENDULUM, (0.008, 0.004)), (known.RHEONOMIC, (0.02, 0.01))], FIRST_ORDER_SCHEMES),
    ids=label,
)
def test_hamiltonian(problem, scheme):
    """Schemes for first-order systems, and members that Table 2.5 adapts."""
    check(problem, iso.Hamiltonian(), scheme, entry(iso.Hamiltonian()).facts.orders, t_end=0.3)


@pytest.mark.parametrize(
    ("setting", "scheme"),
    full(
        [
            ((known.VAN_DER_POL, (0.01, 0.005)), None),
            (INDEX_2, None),
            (INDEX_2, iso.AccelerationLevel()),
            (INDEX_2, iso.Baumgarte(alpha=5.0)),
            (INDEX_2, iso.Baumgarte()),
        ],
        FIRST_ORDER_SCHEMES,
    ),
    ids=lambda x: "-".join(map(label, x)) if isinstance(x, tuple) else label(x),
)
def test_first_order_daes(setting, scheme):
    """Index 1 and 2, second order in s, ṡ and z. Baumgarte's gain 1/Δt costs no order here: only
    one level is pulled back."""
    check(*setting, scheme, (2, 2, 2), names=("v", "a", "lam"), one_step=(2e-3, 1e-3))


def test_velocity_level_is_c_as_it_stands():
    one, two = (
        iso.integrate(known.index_2_system(), F.gear(), formulation, dt=0.02, t_end=0.2)
        for formulation in (None, iso.VelocityLevel())
    )
    assert (one.s == two.s).all()
    assert (one.z == two.z).all()


def test_errors_of_first_order_are_seen():
    """The study can tell: λ read one half step late is of first order."""
    measured = []
    for dt in PENDULUM[1]:
        sol = iso.integrate(known.pendulum_system(), S.optimal(0.5), dt=dt, t_end=0.4)
        sol.lam[1:] = 0.5 * (sol.lam[1:] + sol.lam[:-1])
        measured.append(known.errors(known.PENDULUM, sol)["lam"])
    assert np.log2(measured[0] / measured[1]) == pytest.approx(1.0, abs=EPS)
