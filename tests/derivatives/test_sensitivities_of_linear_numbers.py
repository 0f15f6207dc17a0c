"""Derivatives by numbers that equations of motion are linear in (masses, weights, stiffnesses) are exact
to rounding: tangents and adjoints of mechanisms in space agree with complex steps through the whole run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from complex_mechanisms import TINY, reference
from isodyn.linear_solvers.rows import choose, units_of
from isodyn.systems.questions import Questions
from varied_mechanisms import flexible_pendulum, four_bar, slider_crank, top

pytestmark = pytest.mark.filterwarnings("ignore")


def sprung_four_bar() -> iso.Mechanism:
    """Three rows too many; a spring between points in the place of other loads."""
    mech = four_bar()
    mech.loads.clear()
    points = [(1.0, 1.0, 0.2), (1.25, 0.35, 0.0)]
    mech.add_load(iso.Spring("spring", "ground", "rocker", points=points, stiffness=30.0, damping=0.3))
    return mech


CASES: dict[str, tuple[Any, list[str], float]] = {
    "top": (top, ["top.mass", "gravity.z", "spring.stiffness"], 0.02),
    "slider crank": (slider_crank, ["rod.mass", "spring.stiffness"], 0.01),
    "four-bar": (sprung_four_bar, ["coupler.mass", "spring.stiffness"], 0.01),
}
MEMBERS = (
    iso.Scheme.U0(0.8, 0.8, 0.8),
    iso.Scheme.U0(1.0, 1.0, 0.0),
    iso.Scheme.V0(0.9, 1.0, 0.9),
    iso.Scheme.midpoint_epa(),
    iso.Scheme.U0(0.5, 0.5, 0.0),
)


def increments(places: Any, n: int) -> Any:
    """Imaginary parts of places, as increments; of rotations in the frame of the body."""
    out = np.zeros(n)
    for k, (r, R) in enumerate(places):
        W = R.real.T @ R.imag
        out[6 * k : 6 * k + 6] = *r.imag, W[2, 1], W[0, 2], W[1, 0]
    return out


def compare(case: str, scheme: iso.Scheme, steps: int, many: int) -> None:
    """All of q, v, a and λ beside the largest derivative of each, or a tenth of value/θ."""
    make, names, dt = CASES[case]
    mech, system = make(), make().compile()
    names = names[:many]
    run: Any = {"dt": dt, "t_end": steps * dt, "assemble": True}
    sol = iso.integrate(mech, scheme, sensitivities=names, **run)
    G = np.asarray(Questions(system).G(0.0, system.q0, system.v0))
    r, s = units_of(G, system.scales)
    rows = choose(G * (s / r[:, None])).chosen
    rng = np.random.default_rng(4)
    parts = ("v", "a") if rows.size < system.m else ("v", "a", "lam")  # adjoints do not take shared multipliers
    weights = {
        what: rng.uniform(0.5, 1.5, getattr(sol, what).shape[1]) / np.abs(getattr(sol, what)).max() for what in parts
    }

    def output(found: Any) -> Any:
        return sum(getattr(found, what) @ x for what, x in weights.items())

    gradient = iso.gradient(mech, scheme, objective=output, parameters=names, **run)
    for name in names:
        value, total, sizes = sol.sensitivity(name).value, 0.0, 0.0
        h = TINY * abs(value)
        known = reference(system, {name: value + 1j * h}, scheme, dt, steps, rows)
        exact = {"dq": np.array([increments(row[0], system.nv) for row in known]) / h}
        largest = {"dq": 1.0}
        for k, what in enumerate(("v", "a", "lam"), 1):
            exact[what] = np.array([row[k].imag for row in known]) / h
            values = np.array([row[k].real for row in known])
            largest[what] = np.abs(values).max()
            assert np.abs(getattr(sol, what) - values).max() <= 1e-11 * largest[what], what
        for what, there in exact.items():
            size = max(np.abs(there).max(), 0.1 * largest[what] / abs(value))
            assert np.abs(getattr(sol.sensitivity(name), what) - there).max() <= 1e-11 * size, (name, what)
            if what in weights:
                total, sizes = total + there[-1] @ weights[what], sizes + size * weights[what].sum()
        assert abs(gradient[name] - total) <= 1e-11 * sizes, name


@pytest.mark.parametrize("case", CASES)
def test_agree_with_complex_steps(case: str) -> None:
    compare(case, MEMBERS[0], 4, 1)


@pytest.mark.long
@pytest.mark.parametrize("scheme", MEMBERS, ids=lambda scheme: scheme.name)
@pytest.mark.parametrize("case", CASES)
def test_five_members_agree_with_complex_steps(case: str, scheme: iso.Scheme) -> None:
    compare(case, scheme, 12, 3)


def test_a_mass_on_a_beam_by_two_ways() -> None:
    """By its name, in which equations are known to be linear, and as a number of a function that builds the
    mechanism, by four points."""
    run: Any = {"dt": 2e-3, "t_end": 0.03}
    family = iso.Parametrised(flexible_pendulum, EI=20.0, length=0.8, tip=0.5)
    one = iso.integrate(family, MEMBERS[0], sensitivities=["tip"], **run).sensitivity("tip")
    two = iso.integrate(family.build(**family.values), MEMBERS[0], sensitivities=["bob.mass"], **run)
    for what, bound in (("q", 1e-11), ("v", 1e-11), ("a", 5e-11), ("lam", 1e-11)):
        there = getattr(two.sensitivity("bob.mass"), what)
        assert np.abs(getattr(one, what) - there).max() <= bound * np.abs(there).max(), what
