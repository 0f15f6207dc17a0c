"""Beams against closed forms: elastica, roll-up, Euler–Bernoulli frequencies, buckling; and the
flying rod of Ex. 8.1.1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, SingularError

# P L²/EI → (1 − u/L, w/L) of the inextensible cantilever with a dead tip load, by elliptic
# integrals
ELASTICA = {
    1.0: (1 - 0.0564332362833768831, 0.30172077379981353),
    5.0: (1 - 0.387628360724429872, 0.713791523611912728),
    10.0: (1 - 0.55499559775375127, 0.810609024880296453),
}
ROOTS = {
    "free": (4.730040744862704, 7.853204624095838),
    "clamped": (1.8751040687119611, 4.694091132974175),
    "both": (4.730040744862704, 7.853204624095838),
    "hinged": (np.pi, 2 * np.pi),
}


def unit(n: int, **options: Any) -> iso.Beam:
    return iso.Beam([(0, 0), (1, 0)], elements=n, section=iso.Section(EA=1e7, EI=1.0, rhoA=1.0), **options)


def rates(errors: list[float]) -> np.ndarray:
    e = np.array(errors)
    return np.log2(e[:-1] / e[1:])


@pytest.mark.parametrize("load", ELASTICA)
def test_elastica_is_second_order_in_the_length_of_elements(load: float) -> None:
    """Tip of the cantilever."""
    errors = []
    for n in (8, 16, 32):
        beam = unit(n)
        beam.clamp("start")
        beam.force("end", (0, load))
        found = iso.follow_loads(beam.compile())
        errors.append(float(np.abs(found.q[-4:-2] - ELASTICA[load]).max()))
    assert errors[-1] < 5e-4
    assert abs(rates(errors)[-1] - 2) < 0.1


def test_roll_up_into_a_circle_is_second_order() -> None:
    """The torque 2π EI/L brings the tip back to the clamp."""
    errors, moments = [], []
    for n in (16, 32, 64):
        beam = unit(n)
        beam.clamp("start")
        beam.torque("end", 2 * np.pi)
        system = beam.compile()
        found = iso.follow_loads(system, steps=20)
        errors.append(float(np.abs(found.q[-4:-2]).max()))
        moments.append(float(np.abs(system.bending_moment(found.q) / (2 * np.pi) - 1).max()))
    assert errors[-1] < 2e-3
    assert abs(rates(errors)[-1] - 2) < 0.1
    assert abs(rates(moments)[-1] - 2) < 0.1


@pytest.mark.parametrize("case", ROOTS)
def test_frequencies_are_those_of_euler_and_bernoulli(case: str) -> None:
    """Fourth order in the length of elements; a free beam has three modes of frequency zero."""
    errors = []
    for n in (4, 8):
        beam = unit(n)
        if case in ("clamped", "both"):
            beam.clamp("start")
        if case == "both":
            beam.clamp("end")
        if case == "hinged":
            beam.hinge("start")
            beam.guide("end", (0, 1))
        system = beam.compile()
        lin = iso.linearise(system, system.q0)
        zero = 3 if case == "free" else 0
        assert (lin.omega == 0).sum() == zero
        modes = np.abs(lin.modes.reshape(n + 1, 2, 2, -1)).max(axis=(0, 1))
        bending = lin.omega[zero:][(modes[1] > 10 * modes[0])[zero:]][:2]
        errors.append(np.abs(bending / np.array(ROOTS[case]) ** 2 - 1).max())
    assert errors[-1] < 7e-4
    assert rates(errors)[0] > 3.3


@pytest.mark.parametrize(
    ("model", "n", "tip"),
    [
        ("simplified", 14, (3.2655955, 10.07324751)),
        ("cauchy", 14, (3.11504413, 10.04914057)),
        ("green-lagrange", 14, (2.51099836, 9.88371786)),
    ],
)
def test_cantilever_under_a_torque_in_three_energies(model: Any, n: int, tip: tuple[float, float]) -> None:
    """Numbers of another program, with the slope at the clamp held in full."""
    beam = iso.Beam([(0, 0), (14, 0)], elements=n, section=iso.Section(EA=1e4, EI=500.0, rhoA=0.7), model=model)
    beam.clamp("start", stretch=True)
    beam.torque("end", 90.0)
    assert np.abs(iso.follow_loads(beam.compile()).q[-4:-2] - tip).max() < 1e-7


def test_buckling_and_loose_beams_are_named() -> None:
    """Euler's load of a clamped column is found to a per cent."""
    beam = unit(8)
    beam.clamp("start")
    beam.force("end", (-10.0, 0))
    with pytest.raises(SingularError, match=r"becomes unstable at 0\.247"):  # π²/4 of 10
        iso.follow_loads(beam.compile())
    loose = unit(8)
    loose.hinge("start")
    with pytest.raises(SingularError, match="can move without deforming"):
        iso.follow_loads(loose.compile())


def flying_rod(n: int, model: Any, time: Any) -> Any:
    rod = iso.Beam([(0, 0), (14, 0)], elements=n, section=iso.Section(EA=1e4, EI=500.0, rhoA=0.7), model=model)
    rod.torque("end", 90.0, time=time)
    rod.force("end", (5.0, 5.0), time=time)
    return rod.compile()


@pytest.mark.parametrize(
    ("model", "n", "tip", "low", "high"),
    [
        ("simplified", 7, (3.830991, -0.959564), 166.8206, 167.2777),
        ("simplified", 14, (3.939923, -1.063537), 172.8312, 173.9182),
        ("cauchy", 14, (3.699349, -0.965367), 168.0116, 169.0543),
        ("cauchy-dirac", 14, (3.699349, -0.965367), 168.0116, 169.0543),
        ("green-lagrange", 14, (2.830849, -0.185936), 155.1808, 156.7989),
    ],
)
def test_flying_rod(model: Any, n: int, tip: tuple[float, float], low: float, high: float) -> None:
    """Ex. 8.1.1 with both midpoint rules: numbers of other programs, energy bounded after the load,
    exact momentum."""
    system = flying_rod(n, model, iso.Pulse(1.0, 0.0, 1.0))
    for scheme in (iso.Scheme.midpoint_epa(), iso.Scheme.midpoint_mpa()):
        sol = iso.integrate(system, scheme=scheme, dt=0.01, t_end=5.0, breakpoints=[1.0])
        assert np.abs(sol.q[-1, -4:-2] - tip).max() < 2e-6
        energy = np.array([sum(system.energy(sol.q[k], sol.v[k], 0.0)) for k in range(100, 501)])
        assert low - 1e-4 < energy.min()
        assert energy.max() < high + 1e-4
        assert np.abs(system.momentum(sol.v[100:]) - 5.0).max() < 1e-8


@pytest.mark.parametrize("energy", ["cauchy", "green-lagrange"])
def test_dirac_form_runs_like_the_standard_form(energy: str) -> None:
    """Positions of the whole run to 1e-9."""
    a, b = (
        iso.integrate(
            flying_rod(7, model, iso.Pulse(1.0, 0.0, 1.0)),
            scheme=iso.Scheme.midpoint_mpa(),
            dt=0.01,
            t_end=2.0,
            breakpoints=[1.0],
        )
        for model in (energy, f"{energy}-dirac")
    )
    assert np.abs(a.q - b.q).max() < 1e-9


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: iso.Section(EA=-1.0, EI=1.0, rhoA=1.0), "EA must be a number > 0"),
        (lambda: iso.Section.rectangle(E=1.0, rho=1.0, width=-0.1, height=0.1), "width must be a number > 0"),
        (
            lambda: iso.Section.circle(E=1.0, rho=1.0, diameter=0.1, inner=0.2),
            "inner must lie between 0 and the diameter",
        ),
        (lambda: iso.Section(EA=1.0, EI=1.0, rhoA=-1.0), "rhoA must be a number > 0"),
        (lambda: iso.Beam([(0, 0), (0, 0)], elements=2, section=SECTION), "has no length"),
        (lambda: iso.Beam([(0, 0), (1, 0)], elements=0, section=SECTION), "elements must be a number"),
        (lambda: iso.Beam([(0, 0), (1, 0)], elements=2, section=SECTION, model="x"), "no strain energy 'x'"),
        (lambda: iso.Beam([(0, 0, 0), (1, 0, 0)], elements=2, section=SECTION, model="cauchy"), "planar strain energy"),
        (lambda: iso.Beam([(0, 0), (1, 0)], elements=2, section=SECTION).hinge(0.3), "no node 0.3 from the start"),
        (lambda: iso.Pulse(1.0, 1.0, 1.0).numbers, "a pulse needs t1 > t0"),
    ],
)
def test_bad_input_is_named(build: Any, message: str) -> None:
    """Typed, with what was received."""
    with pytest.raises(InputError, match=message):
        build()


SECTION = iso.Section(EA=1.0, EI=1.0, rhoA=1.0)
