"""Derivatives of runs of mechanisms, beams and first-order systems agree with differences of six points
of the same run."""

from __future__ import annotations

import itertools
from typing import Any

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn.sensitivities.parameters import family_of
from varied_mechanisms import enforce_poor_rows, flexible_pendulum, four_bar, predators, rolling, slider_crank, top

pytestmark = pytest.mark.filterwarnings("ignore")


@numba.njit
def _decay(s: Any, t: float) -> Any:
    return np.array([-s[0] * s[1], s[0] - 2.0 * s[1]])


def differences(given: Any, name: str, what: Any, others: list[str], part: float = 1e-3, **run: Any) -> Any:
    """d(what)/dθ from six runs."""
    family = family_of(given)
    x = family.value(name)
    h = part * max(abs(x), 0.1)

    def one(k: int) -> Any:
        system = given.with_values(**{name: x + k * h}) if isinstance(given, iso.Parametrised) else None
        system = family.at({name: x + k * h}) if system is None else system
        return what(iso.integrate(system, sensitivities=others, assemble=True, **run))

    return (45 * (one(1) - one(-1)) - 9 * (one(2) - one(-2)) + (one(3) - one(-3))) / (60 * h)


def packed(sol: Any) -> Any:
    """All variables, each beside its own size."""
    return np.concatenate([sol.q, sol.v, sol.a, sol.lam], axis=1)


CASES: dict[str, tuple[Any, list[str], dict[str, Any]]] = {
    "top": (top, ["top.mass", "top.inertia.xy", "tip.point.y", "top.angular_velocity.z"], {"dt": 0.02, "t_end": 0.3}),
    "slider crank": (slider_crank, ["rod.mass", "pin.point.x", "spring.stiffness"], {"dt": 0.01, "t_end": 0.2}),
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


@pytest.mark.parametrize("case", CASES)
def test_agree_with_differences(case: str) -> None:
    make, names, run = CASES[case]
    given = make()
    sol = iso.integrate(given, sensitivities=names, assemble=True, **run)
    for name in names[:2]:
        found, other = sol.sensitivity(name), [x for x in names if x != name][:1]
        exact = differences(given, name, packed, other, **run)
        mine = np.concatenate([found.q, found.v, found.a, found.lam], axis=1)
        first = np.cumsum([0, sol.q.shape[1], sol.v.shape[1], sol.a.shape[1], sol.lam.shape[1]])
        for one, two in itertools.pairwise(first):
            size = np.abs(exact[:, one:two]).max(initial=1e-12)
            assert np.abs(mine - exact)[:, one:two].max(initial=0.0) <= 2e-8 * size


def test_rows_that_are_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Near a dead centre other redundant rows are enforced; the force of constraint stays."""
    run, exchanged = {"dt": 0.01, "t_end": 1.3}, enforce_poor_rows(monkeypatch)
    sol = iso.integrate(four_bar(), sensitivities=["B.point.x"], **run)
    assert exchanged
    exact = differences(four_bar(), "B.point.x", packed, ["k.stiffness"], part=2e-4, **run)
    found = sol.sensitivity("B.point.x")
    mine = np.concatenate([found.q, found.v, found.a, found.lam], axis=1)
    first = np.cumsum([0, sol.q.shape[1], sol.v.shape[1], sol.a.shape[1], sol.lam.shape[1]])
    for one, two in itertools.pairwise(first):
        assert np.abs(mine - exact)[:, one:two].max() <= 2e-8 * np.abs(exact[:, one:two]).max()


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
