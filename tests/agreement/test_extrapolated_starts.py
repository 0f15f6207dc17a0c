"""First unknowns from the steps before, and iterations that end on what a step before has shown:
the same motion, with fewer iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.stepping.extrapolation import extrapolated, respace, take_in
from isodyn.stepping.memory import DIFFERENCES


@pytest.mark.parametrize("degree", range(DIFFERENCES))
def test_polynomials_are_continued_exactly(degree: int) -> None:
    """Backward differences of x_n = n^d give x_{n+1} from d + 1 of them on."""
    differences = np.zeros((DIFFERENCES, 2))
    for n in range(DIFFERENCES + 3):
        take_in(np.array([float(n) ** degree, -3.0 * float(n) ** degree]), differences)
    following = float(DIFFERENCES + 3) ** degree
    for order in range(1, DIFFERENCES + 1):
        found = [extrapolated(differences, order, i) for i in range(2)]
        assert (found == [following, -3.0 * following]) == (order > degree)


@pytest.mark.parametrize("ratio", [0.6, 0.93, 1.2, 1.7])
@pytest.mark.parametrize("offset", [0.0, -0.35, 0.2])
def test_polynomials_keep_their_course_over_a_change_of_the_step(ratio: float, offset: float) -> None:
    """Samples of a polynomial at −4, …, 0 become those at offset − 4r, …, offset, times a factor."""
    course = np.polynomial.Polynomial([0.3, -1.0, 0.7, 0.2, -0.05])
    differences, wanted = np.zeros((DIFFERENCES, 2)), np.zeros((DIFFERENCES, 2))
    for k in range(DIFFERENCES - 1, -1, -1):
        take_in(np.array([1.0, -2.0]) * course(-k), differences)
        take_in(np.array([1.5, -3.0]) * course(offset - k * ratio), wanted)
    respace(ratio, offset, 1.5, DIFFERENCES, np.zeros((DIFFERENCES, DIFFERENCES)), differences)
    np.testing.assert_allclose(differences, wanted, rtol=0.0, atol=1e-12)


def chain(links: int, kind: str) -> Any:
    mech, before = iso.Mechanism(gravity=(0.0, -9.81, 0.0)), "ground"
    for i in range(links):
        centre, point = ((i + 0.5) * 0.1, 0.0, 0.0), (0.1 * i, 0.0, 0.0)
        if kind == "planar":
            mech.add_body(f"b{i}", 0.1, 1e-4, centre, 0.0, kind="planar")
            mech.add_joint(iso.Hinge(f"j{i}", before, f"b{i}", point=point))
        else:
            mech.add_body(f"b{i}", 0.1, (1e-5, 1e-4, 1e-4), centre)
            mech.add_joint(iso.Spherical(f"j{i}", before, f"b{i}", point=point))
        before = f"b{i}"
    return mech.compile()


SYSTEMS = {
    "body on a pin": (lambda: iso.problems.get("rigid_pendulum").system(), 1.1),
    "planar chain": (lambda: chain(10, "planar"), 2.2),
    "spatial chain": (lambda: chain(10, "spatial"), 2.2),
    "slider crank": (lambda: iso.problems.get("slider_crank").system(), 2.5),
}


@pytest.mark.parametrize("scheme", [iso.Scheme.V0(1, 1, 0), iso.Scheme.U0(0.8, 0.8, 0.8)], ids=lambda s: s.name)
@pytest.mark.parametrize("name", SYSTEMS)
def test_same_motion_as_full_iterations(name: str, scheme: iso.Scheme) -> None:
    """Trusting the steps before leaves errors of the size of the tolerance; every iteration seen
    through is the other route."""
    make, most = SYSTEMS[name]
    quick, full = (
        iso.integrate(make(), scheme, dt=1e-3, t_end=0.25, newton=newton)
        for newton in (iso.Newton(), iso.Newton(full=True, rtol=1e-12))
    )
    assert quick.stats.iterations <= most * quick.stats.steps
    for x, allowed in (("q", 1e-11), ("v", 1e-10), ("a", 2e-9), ("lam", 2e-9)):
        one, other = getattr(quick, x), getattr(full, x)
        assert np.abs(one - other).max() <= allowed * np.abs(other).max(), x
    position, velocity, _ = quick.drift().largest
    assert position < 1e-14
    assert velocity < 1e-13


@pytest.mark.parametrize("when", [0.1, 0.1004])
def test_a_jump_nobody_announced(when: float) -> None:
    """A force that sets in between steps: the differences lead astray once, and the iteration
    notices."""
    mech = iso.Mechanism(gravity=(0.0, -9.81, 0.0))
    mech.add_body("b", 1.0, 0.02, (0.25, 0.0, 0.0), 0.0, kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "b", point=(0.0, 0.0)))
    mech.add_load(iso.Force("push", "b", (30.0, 200.0, 0.0), time=iso.Pulse(1.0, when, 1.0)))
    system = mech.compile()
    quick, full = (
        iso.integrate(system, iso.Scheme.U0(0.8, 0.8, 0.8), dt=1e-3, t_end=0.2, newton=newton)
        for newton in (iso.Newton(), iso.Newton(full=True, rtol=1e-12))
    )
    for x in ("q", "v", "a", "lam"):
        assert np.abs(getattr(quick, x) - getattr(full, x)).max() <= 1e-8 * np.abs(getattr(full, x)).max(), x


def test_other_step_sizes_begin_anew() -> None:
    """Breakpoints cut steps short; extrapolation over unlike steps would be wrong, and is not
    done."""
    system = iso.problems.get("rigid_pendulum").system()
    breaks = (0.0503, 0.1207)
    quick, full = (
        iso.integrate(system, iso.Scheme.U0(0.8, 0.8, 0.8), dt=1e-3, t_end=0.2, newton=newton, breakpoints=breaks)
        for newton in (iso.Newton(), iso.Newton(full=True, rtol=1e-12))
    )
    assert np.abs(quick.lam - full.lam).max() <= 1e-8 * np.abs(full.lam).max()
    assert np.abs(quick.q - full.q).max() <= 1e-10


@pytest.mark.parametrize(("name", "rtol"), [("rigid_pendulum", 1e-2), ("slider_crank", 1e-4)])
def test_adaptive_steps_follow_the_same_motion(name: str, rtol: float) -> None:
    """Guesses over changes of the step, an iteration as accurate as the tolerance asks and errors
    that are looked at now and then: far less work, and the motion of full iterations as far as the
    tolerance asks for it; constraints stay at rounding."""
    system = iso.problems.get(name).system()
    quick, full = (
        iso.integrate(system, dt=iso.Adaptive(rtol), t_end=1.0, newton=newton, save=21)
        for newton in (None, iso.Newton(full=True, rtol=1e-13))
    )
    assert quick.stats.evaluations <= 2.2 * quick.stats.steps
    assert quick.stats.evaluations <= 0.6 * full.stats.evaluations
    for x in ("q", "v", "a", "lam"):
        one, other = getattr(quick, x), getattr(full, x)
        assert np.abs(one - other).max() <= 0.1 * rtol * np.abs(other).max(), x
    assert max(quick.drift().largest[:2]) < 1e-13


@pytest.mark.parametrize("formulation", [iso.AccelerationLevel(), iso.Overdetermined()], ids=lambda f: type(f).__name__)
def test_accelerations_that_are_closed_stay_at_rounding(formulation: Any) -> None:
    """No solve after the iteration would close φ̈ where the tolerance of a run is loose."""
    sol = iso.integrate(iso.problems.get("slider_crank").system(), None, formulation, dt=iso.Adaptive(1e-2), t_end=0.1)
    assert sol.drift().largest[2] < 1e-13
