"""Starts where branches of motion cross: rates on a branch are kept and so is the energy; others
are refused with the choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
import linkages
from isodyn.errors import BranchError, ConvergenceError, SingularError

L, W = 0.3, 0.7
ANTI = -(1 + L / W) / (
    1 - L / W
)  # of the rate of the rocker against that of the crank, from the second derivatives by hand
FORMULATIONS = [
    *[None, iso.PositionLevel(), iso.VelocityLevel(), iso.AccelerationLevel(), iso.Baumgarte(), iso.Projection()],
    *[iso.GGL(), iso.Overdetermined(), iso.NullSpace("qr"), iso.NullSpace("qr", discrete=True), iso.UdwadiaKalaba()],
]


def parallelogram(planar: bool = True, gravity: Any = (0, 0, 0), angle: float = 0.0) -> iso.Mechanism:
    """Cranks of length L on a base W; at angle 0 all bars lie in one line, where it may go on as an
    antiparallelogram."""
    x, y = L * np.cos(angle), L * np.sin(angle)
    return linkages.four_bar(planar, ((0, 0, 0), (x, y, 0), (W + x, y, 0), (W, 0, 0)), gravity)


def folded_slider_crank(planar: bool) -> iso.Mechanism:
    """Crank and rod alike, the slider on the axis of the crank: it may slide on, or rest while both
    turn as one."""
    mech = linkages.slider_crank(planar, angle=np.pi / 2 - 1e-300, r=0.3, length=0.3)
    mech.gravity = np.zeros(3)
    return mech


LINKAGES: dict[str, tuple[Any, str]] = {
    "parallelogram": (parallelogram, "A"),
    "collinear": (lambda planar: in_line(planar, 0.3, 0.9, 0.4), "A"),
    "kite": (lambda planar: in_line(planar, 0.3, 0.9, 0.3), "B"),
    "rhombus": (lambda planar: in_line(planar, 0.4, 0.8, 0.4), "B"),
    "slider crank": (folded_slider_crank, "crank pin"),
}


def in_line(planar: bool, *x: float) -> iso.Mechanism:
    return linkages.four_bar(planar, ((0, 0, 0), *((one, 0, 0) for one in x)), (0, 0, 0))


def lost(sol: iso.Solution) -> tuple[float, float]:
    """Change of energy, in the first step and at most, relative to the kinetic energy."""
    kinetic, potential = sol.energy()
    change = np.abs(kinetic + potential - kinetic[0] - potential[0]) / kinetic.max()
    return float(change[1]), float(change.max())


def choices(mech: iso.Mechanism, rates: dict[str, float]) -> tuple[dict[str, float], ...]:
    with pytest.raises(BranchError, match="2 branches of motion meet in this position") as caught:
        mech.assemble(rates=rates)
    return caught.value.branches


@pytest.mark.parametrize("planar", [True, False])
def test_one_rate_is_not_enough_and_the_choices_are_named(planar: bool) -> None:
    found = choices(parallelogram(planar), {"A": 3.0})
    rocker = sorted(-branch["D"] for branch in found)
    assert [branch["A"] for branch in found] == pytest.approx([3.0, 3.0])
    assert rocker == pytest.approx([3.0 * ANTI, 3.0], rel=1e-9)


def test_rates_on_no_branch_are_refused() -> None:
    with pytest.raises(BranchError, match=r"'A' 3, 'B' 1 lead onto none of them; rates on each:\n  branch 1: A"):
        parallelogram().assemble(rates={"A": 3.0, "B": 1.0})


@pytest.mark.filterwarnings("ignore:the constraints come close to losing rank at t = 0")
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("name", LINKAGES)
def test_both_branches_keep_their_energy(name: str, planar: bool) -> None:
    """Rates as given, to rounding; energy of the first step and of the run, which falls with the
    square of the step or faster."""
    make, joint = LINKAGES[name]
    for branch in choices(make(planar), {joint: 2.0}):
        system = make(planar).assemble(rates=branch).system
        runs = [iso.integrate(system, iso.Scheme.optimal(0.8), dt=dt, t_end=0.2) for dt in (0.01, 0.005)]
        for key, rate in branch.items():
            view = runs[0].joint(key)
            now = view.displacement_rate if key == "slide" else view.angle_rate
            assert now[0] == pytest.approx(rate, abs=1e-11)
        (first, whole), (finer, rest) = (lost(sol) for sol in runs)
        assert first < 5e-5
        assert finer < 0.5 * first + 1e-12
        assert whole < 5e-3
        assert rest < 0.5 * whole + 1e-12
        assert max(runs[0].drift().largest[:2]) < 1e-12
        adaptive = iso.integrate_adaptive(system, t_end=0.05, save=6)
        assert lost(adaptive)[1] < 1e-9
        assert np.abs(runs[1].at(adaptive.t).v - adaptive.v).max() < 2e-3 * np.abs(adaptive.v).max()


@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_every_formulation(formulation: Any) -> None:
    system = parallelogram().assemble(rates={"A": 3.0, "D": -3.0 * ANTI}).system
    first, whole = lost(iso.integrate(system, iso.Scheme.U0(0.9, 0.9, 0.0), formulation, dt=0.005, t_end=0.2))
    assert first < 1e-6
    assert whole < 1e-3


@pytest.mark.parametrize("gravity", [(0, 0, 0), (0, -9.81, 0)])
def test_limits_along_the_branch(gravity: Any) -> None:
    """Accelerations of row 0 against the runs that come from aside, and multipliers too where they
    are finite."""
    start = parallelogram(True, gravity).assemble(rates={"A": 3.0, "B": -3.0}).system
    sol = iso.integrate(start, dt=1e-3, t_end=2e-3)
    aside = iso.integrate_adaptive(
        parallelogram(True, gravity, 1e-3).assemble(rates={"A": 3.0}).system, t_end=1e-6, save=2
    )
    assert sol.a[0] == pytest.approx(aside.a[0], abs=0.05)
    assert sol.lam[0] == pytest.approx(aside.lam[0], abs=0.05)
    assert np.abs(sol.lam[1:] - sol.lam[0]).max() < 0.5


def test_unbounded_reactions_are_told() -> None:
    """The antiparallelogram under its weight: cranks would fall alike, and the branch wants them
    opposite."""
    system = parallelogram(True, (0, -9.81, 0)).assemble(rates={"A": 3.0, "D": -3.0 * ANTI}).system
    with pytest.warns(iso.errors.AccuracyWarning, match="reactions grow without bound"):
        sol = iso.integrate(system, dt=0.005, t_end=0.2)
    assert max(lost(sol)) < 1e-3


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_through_the_change_point(planar: bool, way: float) -> None:
    """Also where a step ends in it: from 0.3 rad at 3 rad/s it is there after 0.1 s."""
    system = parallelogram(planar, angle=0.3 * way).assemble(rates={"A": -3.0 * way}).system
    sol = iso.integrate(system, dt=0.01, t_end=0.5)
    assert lost(sol)[1] < 1e-5
    assert sol.joint("A").angle[-1] == pytest.approx(-1.5 * way, abs=1e-3)


@pytest.mark.filterwarnings("ignore:the constraints come close to losing rank")
@pytest.mark.parametrize(
    ("planar", "way", "weight"),
    [(True, 1, 0.0), (True, -1, 0.0), (False, 1, 0.0), (True, 1, -9.81), (False, -1, -9.81)],
)
def test_adaptive_steps_never_lose_energy_at_a_change_point(planar: bool, way: float, weight: float) -> None:
    """They pass, or end in an error that says where; energy grew by 10⁸ in one of these, without a
    word."""
    system = parallelogram(planar, (0, weight, 0), 0.3 * way).assemble(rates={"A": -3.0 * way}).system
    try:
        sol = iso.integrate_adaptive(system, t_end=0.5, save=51)
    except ConvergenceError as error:
        sol = error.partial  # type: ignore[assignment]
    assert sol.t[-1] > 0.05
    assert lost(sol)[1] < 1e-7


# ---- other systems


def crossing_lines(v: Any, force: Any = (0.0, 0.0), phi: Any = None) -> iso.MechanicalSystem:
    """A point on two lines, x y = 0."""
    return iso.MechanicalSystem(
        np.eye(2),
        lambda q, v, t: np.array(force),
        np.zeros(2),
        np.array(v, dtype=float),
        phi=phi or (lambda q, t: np.array([q[0] * q[1]])),
        energy=lambda q, v, t: (0.5 * v @ v, -float(np.dot(force, q))),
    )


@pytest.mark.filterwarnings("ignore:the constraints come close to losing rank at t = 0")
@pytest.mark.parametrize("run", [iso.integrate, iso.integrate_adaptive])
def test_a_users_system(run: Any) -> None:
    options: dict[str, Any] = {"t_end": 0.2} | ({"dt": 0.01} if run is iso.integrate else {})
    sol = run(crossing_lines((1, 0), (1.0, 0.0)), **options)
    assert sol.q[-1] == pytest.approx([0.2 + 0.5 * 0.04, 0.0], abs=1e-12)
    assert lost(sol)[1] < 1e-12
    with pytest.raises(BranchError, match="its velocities lead onto none") as caught:
        run(crossing_lines((1, 1)), **options)
    assert sorted(map(sorted, caught.value.branches)) == [["q0"], ["q1"]]


def test_rest_with_a_force_between_the_branches() -> None:
    with pytest.raises(BranchError, match="rests in a singular position, and forces push it onto no single branch"):
        iso.integrate(crossing_lines((0, 0), (1.0, 0.5)), dt=0.01, t_end=0.2)
    assert np.abs(iso.integrate(crossing_lines((0, 0)), dt=0.01, t_end=0.2).q).max() == 0.0


def test_an_isolated_point_cannot_be_left() -> None:
    with pytest.raises(BranchError, match="no motion leads out of this position"):
        iso.integrate(crossing_lines((1, 0), phi=lambda q, t: np.array([q @ q])), dt=0.01, t_end=0.2)


def test_a_gradient_that_is_rounding_is_refused() -> None:
    """By differences the gradient of y² = x²(1 + x) at the origin is 1e-10 along x; a velocity
    along x was lost without a word."""
    loop = crossing_lines((1, 0), phi=lambda q, t: np.array([q[1] ** 2 - q[0] ** 2 * (1 + q[0])]))
    with pytest.raises(SingularError, match="'row 0' is stationary at the start"):
        iso.integrate(loop, dt=0.01, t_end=0.2)


def test_assemble_takes_the_nearest_branch_unless_two_are_as_near() -> None:
    sol = iso.integrate(crossing_lines((1, 0.1)), dt=0.01, t_end=0.1, assemble=True)
    assert sol.v[0] == pytest.approx([1, 0], abs=1e-14)
    with pytest.raises(BranchError):
        iso.integrate(crossing_lines((1, 1)), dt=0.01, t_end=0.1, assemble=True)


def test_redundant_loops_are_not_taken_for_crossings() -> None:
    """Bennett's loop: rows depend on others everywhere."""
    system = linkages.bennett().assemble(rates={"A": 1.0}).system
    sol = iso.integrate(system, dt=0.01, t_end=0.1)
    assert sol.joint("A").angle_rate[0] == pytest.approx(1.0, abs=1e-12)
