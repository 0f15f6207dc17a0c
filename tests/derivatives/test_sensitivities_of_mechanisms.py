"""Derivatives of runs of mechanisms, beams and first-order systems agree with differences of six or ten
points of the same run."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import SensitivityError
from isodyn.sensitivities.parameters import family_of
from varied_mechanisms import (
    enforce_poor_rows,
    flexible_pendulum,
    four_bar,
    predators,
    rolling,
    rubbing,
    slider_crank,
    top,
)

pytestmark = pytest.mark.filterwarnings("ignore")


@numba.njit
def _decay(s: Any, t: float) -> Any:
    return np.array([-s[0] * s[1], s[0] - 2.0 * s[1]])


SIX, TEN = (3 / 4, -3 / 20, 1 / 60), (5 / 6, -5 / 21, 5 / 84, -5 / 504, 1 / 1260)  # weights of central differences


def differences(
    given: Any, name: str, what: Any, others: list[str], part: float = 1e-3, weights: Any = SIX, **run: Any
) -> Any:
    """d(what)/dθ from six or ten runs."""
    family = family_of(given)
    x = family.value(name)
    h = part * max(abs(x), 0.1)

    def one(k: int) -> Any:
        system = given.with_values(**{name: x + k * h}) if isinstance(given, iso.Parametrised) else None
        system = family.at({name: x + k * h}) if system is None else system
        return what(iso.integrate(system, sensitivities=others, assemble=True, **run))

    return sum(weight / h * (one(k) - one(-k)) for k, weight in enumerate(weights, 1))


def packed(sol: Any) -> Any:
    """All variables, each beside its own size."""
    return np.concatenate([sol.q, sol.v, sol.a, sol.lam], axis=1)


CASES: dict[str, tuple[Any, list[str], dict[str, Any]]] = {
    "top": (top, ["top.mass", "top.inertia.xy", "tip.point.y", "top.angular_velocity.z"], {"dt": 0.02, "t_end": 0.3}),
    "slider crank": (slider_crank, ["rod.mass", "pin.point.x", "spring.stiffness"], {"dt": 0.01, "t_end": 0.2}),
    "rubbing": (rubbing, ["friction.mu", "guide.mu", "rod.mass"], {"dt": 0.01, "t_end": 0.2}),
    "four-bar": (four_bar, ["coupler.mass", "B.point.x", "k.damping"], {"dt": 0.01, "t_end": 0.2}),
    "rolling": (rolling, ["wheel.mass", "floor.radius", "spring.stiffness"], {"dt": 0.02, "t_end": 0.3}),
    "beam": (
        lambda: iso.Parametrised(flexible_pendulum, EI=20.0, length=0.8, tip=0.5),
        ["EI", "length", "tip"],
        {"dt": 2e-3, "t_end": 0.06},
    ),
    "first order": (
        lambda: iso.Parametrised(predators, a=1.5, b=0.8, s=2.0),
        ["a", "b", "s"],
        {"dt": 0.05, "t_end": 2.0},
    ),
}


# Parts of a parameter at which differences are best.
BEST = {"top": 5e-3, "slider crank": 2e-2, "rubbing": 2e-2, "four-bar": 5e-3, "rolling": 4e-3, "beam": 1e-3}
BEST["first order"] = 1e-3
BOUND = 1e-9


def compare(
    given: Any, names: list[str], part: Any, bound: float, *, many: int = 2, weights: Any = SIX, **run: Any
) -> None:
    """Derivatives of q, v, a and λ by the first parameters beside differences, each relative to its
    own size."""
    sol = iso.integrate(given, sensitivities=names, assemble=True, **run)
    for name in names[:many]:
        found, other = sol.sensitivity(name), [x for x in names if x != name][:1]
        here = part[name] if isinstance(part, dict) else part
        exact = differences(given, name, packed, other, here, weights, **run)
        mine = np.concatenate([found.q, found.v, found.a, found.lam], axis=1)
        first = np.cumsum([0, sol.q.shape[1], sol.v.shape[1], sol.a.shape[1], sol.lam.shape[1]])
        for one, two in itertools.pairwise(first):
            size = np.abs(exact[:, one:two]).max(initial=1e-12)
            assert np.abs(mine - exact)[:, one:two].max(initial=0.0) <= bound * size, name


@pytest.mark.parametrize("case", CASES)
def test_agree_with_differences(case: str) -> None:
    make, names, run = CASES[case]
    compare(make(), names, BEST[case], BOUND, **run)


@pytest.mark.parametrize("level", [iso.VelocityLevel(), iso.AccelerationLevel(), iso.Baumgarte(30.0, 40.0)])
def test_steps_that_close_other_levels(level: Any) -> None:
    make, names, run = CASES["slider crank"]
    compare(make(), names, BEST["slider crank"], BOUND, many=1, formulation=level, **{**run, "t_end": 0.1})


MEMBERS = (
    iso.Scheme.U0(0.8, 0.8, 0.8),
    iso.Scheme.U0(1.0, 1.0, 0.0),
    iso.Scheme.V0(0.9, 1.0, 0.9),
    iso.Scheme.midpoint_epa(),
    iso.Scheme.U0(0.5, 0.5, 0.0),
)


FIRST_ORDER = tuple(iso.FirstOrderScheme.GS4_1(*x) for x in ((1, 1), (0.8, 0.5), (0.5, 0.5), (0, 0), (0.9, 0)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [case if case in ("rolling", "first order") else pytest.param(case, marks=pytest.mark.long) for case in CASES],
)
def test_five_members(case: str) -> None:
    """Stiff beams magnify the rounding of runs, which ten points farther apart divide by more."""
    make, names, run = CASES[case]
    best: Any = {"EI": 1e-2, "length": 3e-3} if case == "beam" else BEST[case]
    for scheme in FIRST_ORDER if case == "first order" else MEMBERS:
        compare(make(), names, best, BOUND, weights=TEN if case == "beam" else SIX, scheme=scheme, **run)


LINEAR = (("four-bar", "coupler.mass", 3e-2), ("slider crank", "spring.stiffness", 8e-2), ("top", "top.mass", 2e-2))


def compare_to_rounding(case: str, name: str, part: float, scheme: iso.Scheme) -> None:
    """Beside ten points, in parts of the largest derivative or of a tenth of value/θ. Differences are
    good to 1e-11 for q and v; rounding of accelerations and multipliers in the ten runs leaves more."""
    make, _, run = CASES[case]
    given, other = make(), ["gravity.x"]
    sol, value = iso.integrate(given, scheme, sensitivities=[name], assemble=True, **run), family_of(given).value(name)
    exact = differences(given, name, packed, other, part, TEN, scheme=scheme, **run)
    first = 0
    for what, bound in (("q", 1e-11), ("v", 1e-11), ("a", 1e-10), ("lam", 1e-10)):
        values, found = getattr(sol, what), getattr(sol.sensitivity(name), what)
        there = exact[:, first : first + values.shape[1]]
        size = max(np.abs(there).max(), 0.1 * np.abs(values).max() / abs(value))
        assert np.abs(found - there).max() <= bound * size, (name, what)
        first += values.shape[1]


@pytest.mark.parametrize(("case", "name", "part"), LINEAR)
def test_numbers_in_which_equations_are_linear_are_exact(case: str, name: str, part: float) -> None:
    compare_to_rounding(case, name, part, MEMBERS[0])


@pytest.mark.long
@pytest.mark.parametrize("scheme", MEMBERS[1:], ids=lambda scheme: scheme.name)
@pytest.mark.parametrize(("case", "name", "part"), LINEAR)
def test_numbers_in_which_equations_are_linear_are_exact_for_all_members(
    case: str, name: str, part: float, scheme: iso.Scheme
) -> None:
    compare_to_rounding(case, name, part, scheme)


def motor(tau: float, k: float, mass: float) -> iso.Mechanism:
    """A torque that follows with a delay, of a formula that is not linear in it."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("rotor", mass, (0.1, 0.2, 0.1), (0.3, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rotor", point=(0, 0, 0), axis=(0, 1, 0)))
    rate = "(k*sin(3*t) - 2*pin.angle_rate - torque*torque)/tau"
    mech.add_state("torque", rate=rate, initial=0.3, parameters={"tau": tau, "k": k})
    mech.add_load(iso.FormulaMotor("motor", "pin", torque="torque.value + 0.2*torque.integral"))
    return mech


def test_continuous_states() -> None:
    family, run = iso.Parametrised(motor, tau=0.2, k=3.0, mass=1.0), {"dt": 0.01, "t_end": 0.3}
    compare(family, ["tau", "k", "mass"], 1e-3, 1e-9, **run)
    goal = iso.Objective(end=lambda sol: sol.state("torque").value)
    found = iso.gradient(family, objective=goal, parameters=["tau", "k"], **run)
    sol = iso.integrate(family, sensitivities=["tau", "k"], **run)
    for name in ("tau", "k"):
        assert found[name] == pytest.approx(sol.sensitivity(name).of(lambda s: s.state("torque").value)[-1], rel=1e-9)


def elastic(modulus: float, tip: float, width: float = 0.06, stiffening: bool = False) -> iso.Mechanism:
    """A bar of finite elements on a ball joint with a body welded to its end, turning."""
    skfem = pytest.importorskip("skfem")
    y, z = np.linspace(-width / 2, width / 2, 2), np.linspace(-0.02, 0.02, 2)
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, 1, 3), y, z)
    solid = iso.FiniteElements.from_mesh(mesh, E=modulus, nu=0.0, rho=1000.0, order=2)
    mech, spin = iso.Mechanism(gravity=(0, 0, -9.81)), np.array([0.5, -1.0, 4.0])
    ends = {"left": lambda x: x[0] < 1e-9, "right": lambda x: x[0] > 1 - 1e-9}
    more = {"modes": 3, "angular_velocity": spin, "damping": 0.01, "stiffening": stiffening}
    mech.add_flexible_body("bar", solid, interface=ends, **more)
    at = np.array([1.0, 0, 0])
    mech.add_body("bob", tip, (0.002, 0.003, 0.004), at, velocity=np.cross(spin, at), angular_velocity=spin)
    mech.add_joint(iso.Spherical("ball", "ground", "bar.left", point=(0, 0, 0)))
    mech.add_joint(iso.Fixed("weld", "bar.right", "bob"))
    return mech


@pytest.mark.long
@pytest.mark.parametrize("stiffening", [False, True])
def test_flexible_bodies_of_finite_elements(stiffening: bool) -> None:
    """Modes are found to 1e-12, of which differences by a parameter of the elements magnify 1e-8. With
    stiffening velocities by the modulus differ by 1.6e-6, whether the runs beside them are 0.4 or 1.6 %
    apart: it is not the rounding of their differences."""
    build = partial(elastic, stiffening=stiffening)
    family, run = iso.Parametrised(build, tip=0.5, modulus=4e6), {"dt": 4e-3, "t_end": 0.04}
    compare(family, ["tip", "modulus"], 1.6e-2, 1e-7, **run)
    goal = "bob.position_x"
    found = iso.gradient(family, objective=goal, parameters=["tip", "modulus"], **run)
    sol = iso.integrate(family, sensitivities=["tip", "modulus"], **run)
    for name in ("tip", "modulus"):
        assert found[name] == pytest.approx(sol.sensitivity(name).of(goal)[-1], rel=1e-7)


def test_modes_that_change_places_are_refused() -> None:
    """Of a square bar two modes have the same frequency; with another width they are others."""
    family = iso.Parametrised(elastic, modulus=4e6, tip=0.5, width=0.04)
    with pytest.raises(SensitivityError, match="width changes the modes of 'bar' at once"):
        iso.integrate(family, sensitivities=["width"], dt=4e-3, t_end=0.04)


def test_rows_that_are_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Near a dead centre other redundant rows are enforced; the force of constraint stays."""
    run, exchanged = {"dt": 0.01, "t_end": 1.3}, enforce_poor_rows(monkeypatch)
    sol = iso.integrate(four_bar(), sensitivities=["B.point.x"], **run)
    assert exchanged
    exact = differences(four_bar(), "B.point.x", packed, ["k.stiffness"], 1e-4, **run)
    found = sol.sensitivity("B.point.x")
    mine = np.concatenate([found.q, found.v, found.a, found.lam], axis=1)
    first = np.cumsum([0, sol.q.shape[1], sol.v.shape[1], sol.a.shape[1], sol.lam.shape[1]])
    for one, two in itertools.pairwise(first):
        assert np.abs(mine - exact)[:, one:two].max() <= 1e-9 * np.abs(exact[:, one:two]).max()


def test_outputs_by_name_and_by_function() -> None:
    run = {"dt": 0.01, "t_end": 0.1}
    sol = iso.integrate(slider_crank(), sensitivities=["rod.mass"], assemble=True, **run)
    found = sol.sensitivity("rod.mass")
    for what in ("pin.force_x", "spring.tension"):
        exact = differences(slider_crank(), "rod.mass", lambda s, w=what: s.quantity(w).values, ["crank.mass"], **run)
        assert np.abs(found.of(what) - exact).max() <= 1e-7 * np.abs(exact).max()
    exact = differences(slider_crank(), "rod.mass", lambda s: s.energy()[0], ["crank.mass"], **run)
    assert np.abs(found.of(lambda s: s.energy()[0]) - exact).max() <= 1e-8 * np.abs(exact).max()


def test_breakpoints_start_anew() -> None:
    run = {"dt": 0.01, "t_end": 0.1, "breakpoints": [0.043]}
    sol = iso.integrate(top(), sensitivities=["top.mass"], **run)
    exact = differences(top(), "top.mass", lambda s: s.v, ["gravity.z"], **run)
    assert np.abs(sol.sensitivity("top.mass").v - exact).max() <= 1e-9 * np.abs(exact).max()


def test_steps_of_changing_size() -> None:
    times = iso.StepTimes(np.cumsum([0.01, 0.012, 0.02, 0.007, 0.015, 0.02]))
    run = {"dt": times, "t_end": float(times.times[-1]), "scheme": iso.Scheme.U0(0.6, 0.6, 0.6)}
    sol = iso.integrate(top(), sensitivities=["top.mass"], **run)
    for what in ("a", "lam"):
        exact = differences(top(), "top.mass", lambda s, w=what: getattr(s, w), ["gravity.z"], **run)
        assert np.abs(getattr(sol.sensitivity("top.mass"), what) - exact).max() <= 1e-8 * np.abs(exact).max()


def test_cayley_map() -> None:
    def turned() -> iso.Mechanism:
        mech = top()
        mech.cayley = True
        return mech

    run = {"dt": 0.03, "t_end": 0.3}
    sol = iso.integrate(turned(), sensitivities=["top.inertia.x"], **run)
    exact = differences(turned(), "top.inertia.x", lambda s: s.q, ["gravity.z"], **run)
    assert np.abs(sol.sensitivity("top.inertia.x").q - exact).max() <= 1e-9 * np.abs(exact).max()


def test_compiled_functions_of_users() -> None:
    def build(k: float) -> iso.FirstOrderSystem:
        return iso.FirstOrderSystem(_decay, s0=[k, 1.0])

    family = iso.Parametrised(build, k=2.0)
    sol = iso.integrate(family, dt=0.05, t_end=1.0, sensitivities=["k"])
    runs = [iso.integrate(family.with_values(k=2.0 + h), dt=0.05, t_end=1.0).s for h in (1e-3, -1e-3)]
    assert np.abs(sol.sensitivity("k").s - (runs[0] - runs[1]) / 2e-3).max() <= 1e-6


def test_a_number_at_the_border_of_what_is_admissible() -> None:
    mech = top()
    mech.loads.clear()
    mech.add_load(iso.Spring("spring", "ground", "top", points=[(1, 0, 1), (0.3, 0.2, 0.5)], stiffness=20.0))
    run = {"dt": 0.02, "t_end": 0.2}
    sol = iso.integrate(mech, sensitivities=["spring.damping"], **run)
    family = family_of(mech)
    f = [iso.integrate(family.at({"spring.damping": k * 1e-2}), sensitivities=["top.mass"], **run).v for k in range(5)]
    exact = (-25 * f[0] + 48 * f[1] - 36 * f[2] + 16 * f[3] - 3 * f[4]) / 0.12
    assert np.abs(sol.sensitivity("spring.damping").v - exact).max() <= 1e-6 * np.abs(exact).max()
