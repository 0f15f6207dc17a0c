"""Equilibria of beams and of mechanisms with beams through iso.equilibrium; frequencies about them;
loads at which they are lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.optimize import brentq

import isodyn as iso
from isodyn.errors import BucklingError, InputError, SingularError

UNIT = iso.Section(EA=1e7, EI=1.0, rhoA=1.0)


def cantilever(n: int = 16, section: iso.Section = UNIT, gravity: Any = (0.0, 0.0, 0.0)) -> iso.Mechanism:
    mech = iso.Mechanism(gravity=gravity)
    mech.add_beam("rod", (0, 0), (1, 0), elements=n, section=section)
    mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
    return mech


def test_elastica_in_a_mechanism() -> None:
    """The tip under P L²/EI = 5 as a beam, as a mechanism, and by elliptic integrals; the clamp
    carries the load."""
    exact = (1 - 0.387628360724429872, 0.713791523611912728)
    beam = iso.Beam([(0, 0), (1, 0)], elements=16, section=UNIT)
    beam.clamp("start")
    beam.force("end", (0, 5.0))
    mech = cantilever()
    mech.add_load(iso.Force("tip", "rod.end", (0, 5.0)))
    one, other = iso.equilibrium(beam.compile()), iso.equilibrium(mech.compile())
    assert np.abs(one.q - other.q).max() < 1e-10
    assert np.abs(one.q[-4:-2] - exact).max() < 2e-3
    assert one.stability == other.stability == "stable"
    assert one.path is not None
    assert one.path.factor[-1] == 1.0
    assert np.allclose(other.lam[:2], (0.0, -5.0), atol=1e-6)
    assert abs(abs(other.lam[2]) - 5.0 * one.q[-4]) < 1e-5


def sagging_tip(length: float, EA: float, EI: float, weight: float, coupled: bool) -> float:
    """u_x of the tip of an extensible cantilever under its weight, by a boundary value problem.

    R' = (1 + ν) e(θ),  M' = −(1 + ν) e × F. Uncoupled M = EI θ', EA ν = N. Coupled, from ½EA
    ν² + ½EI (1 + ν)² θ'², the limit of |R''|²: M = EI (1 + ν)² θ', EA ν + EI (1 + ν) θ'² = N.
    """

    def stretch(s: Any, y: Any) -> Any:
        nu = N = -weight * (length - s) * np.sin(y[0]) / EA
        for _ in range(6 if coupled else 0):
            nu = N - y[1] ** 2 / (EI * EA * (1 + nu) ** 3)
        return 1 + nu

    def slopes(s: Any, y: Any) -> Any:
        x = stretch(s, y)
        return np.array([y[1] / (EI * (x**2 if coupled else 1.0)), x * np.cos(y[0]) * weight * (length - s)])

    s = np.linspace(0.0, length, 101)
    found = solve_bvp(slopes, lambda a, b: np.array([a[0], b[1]]), s, np.array([-s / length, 0 * s]), tol=1e-7)
    assert found.success
    fine = np.linspace(0.0, length, 20001)
    y = found.sol(fine)
    return float(np.trapezoid(stretch(fine, y) * np.cos(y[0]), fine) - length)


def test_soft_cantilever_under_its_weight() -> None:
    """2 m, EA = 1e6, EI = 833, 78 kg/m: the mesh limit is that of a boundary value problem.

    Exudyn's cable of 32 elements (ObjectANCFCable2D.py) has another measure of curvature, whose
    limit is 0.2 % apart.
    """
    section = iso.Section(EA=1e6, EI=2500 / 3, rhoA=78.0)
    tips = []
    for n in (16, 32, 64):
        beam = iso.Beam([(0, 0), (2, 0)], elements=n, section=section, gravity=(0, -9.81))
        beam.clamp("start")
        tips.append(iso.equilibrium(beam.compile()).q[-4] - 2.0)
    limit = tips[2] + (tips[2] - tips[1]) / 3  # second order in the length of elements
    assert abs((tips[1] - tips[0]) / (tips[2] - tips[1]) - 4) < 0.2
    # EI ν'² left out
    assert abs(limit - sagging_tip(2.0, 1e6, 2500 / 3, 78.0 * 9.81, coupled=True)) < 1e-5
    assert abs(-0.5013058140308901 - sagging_tip(2.0, 1e6, 2500 / 3, 78.0 * 9.81, coupled=False)) < 1e-7


def test_flexible_pendulum_hangs_at_rest() -> None:
    """From the horizontal, free to turn: downhill to the vertical, stretched by its weight; small
    motions of a hanging rod."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_beam("rod", (0, 0), (1, 0), elements=8, section=iso.Section(EA=2e5, EI=50.0, rhoA=1.0))
    mech.add_body("bob", 2.0, 0.02, (1.0, 0.0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start"))
    mech.add_joint(iso.Fixed("weld", "rod.end", "bob"))
    rest = iso.equilibrium(mech.compile())
    assert rest.path is None
    assert rest.stability == "stable"
    stretch = 9.81 * (2.0 + 0.5) / 2e5
    assert np.allclose(rest.q[-3:], (0.0, -1.0 - stretch, -np.pi / 2), atol=1e-7)
    assert rest.residual < 1e-8
    omega = np.sqrt(9.81 * (2.0 + 0.5) / (2.0 + 0.02 + 1 / 3))  # of the rigid pendulum
    assert abs(rest.linearisation.omega[0] / omega - 1) < 2e-3
    system = mech.compile()
    sol = iso.integrate(system, iso.Scheme.optimal(0.8), dt=1e-3, t_end=1e-3)
    assert sol.t.size == 2


def test_rope_in_space_hangs_at_rest() -> None:
    """A cable with a body on balls: down to the vertical, with a spin left free."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_beam("rope", (0, 0, 0), (1, 0, 0), elements=6, section=iso.Section(EA=2e4, EI=0.02, rhoA=0.1))
    mech.add_body("bob", 0.1, (1e-3, 1e-3, 1e-3), (1.1, 0.01, 0))
    mech.add_joint(iso.Spherical("pin", "ground", "rope.start"))
    mech.add_joint(iso.Spherical("knot", "rope.end", "bob"))
    rest = iso.equilibrium(mech.compile())
    r = rest.q[-7:-4]
    assert np.abs(r[:2]).max() < 1e-8
    assert abs(r[2] + 1.0 + np.hypot(0.1, 0.01) + 9.81 * (0.1 + 0.05) / 2e4) < 1e-8


@pytest.mark.parametrize("tension", [0.0, 20.0, -5.0])
def test_frequencies_of_a_prestressed_beam(tension: float) -> None:
    """Hinged at both ends under an axial force N: ω² = (kπ)⁴ EI/ρA + (kπ)² N/ρA, up to the
    stretch."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_beam("rod", (0, 0), (1, 0), elements=24, section=iso.Section(EA=1e6, EI=1.0, rhoA=1.0))
    mech.add_joint(iso.Hinge("left", "ground", "rod.start"))
    mech.add_joint(iso.PointOnPlane("right", "ground", "rod.end", axis=(0, 1, 0)))
    mech.add_load(iso.Force("pull", "rod.end", (tension, 0)))
    rest = iso.equilibrium(mech.compile())
    k = np.arange(1, 4) * np.pi
    expected = np.sqrt(k**4 + k**2 * tension)
    assert np.abs(iso.linearise(rest.system, rest.q).omega[:3] / expected - 1).max() < 2e-3
    if tension:
        without = np.sqrt(k**4)
        assert np.abs(expected / without - 1)[0] > 0.2


@pytest.mark.parametrize(
    ("ends", "critical"),
    [("clamped", np.pi**2 / 4), ("hinged", np.pi**2), ("clamped and hinged", 4.493409457909064**2)],
)
def test_euler_loads(ends: str, critical: float) -> None:
    """The load at which a column buckles is named, to the error of the mesh."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_beam("rod", (0, 0), (1, 0), elements=32, section=UNIT)
    first = iso.Hinge if ends == "hinged" else iso.Fixed
    mech.add_joint(first("left", "ground", "rod.start"))
    if ends != "clamped":
        mech.add_joint(iso.PointOnPlane("right", "ground", "rod.end", axis=(0, 1, 0)))
    mech.add_load(iso.Force("press", "rod.end", (-40.0, 0)))
    with pytest.raises(BucklingError, match="becomes unstable at") as caught:
        iso.equilibrium(mech.compile())
    assert abs(40.0 * caught.value.factor / critical - 1) < 3e-3


def test_frame_with_a_body_at_its_end() -> None:
    """A rigid block at the tip of a cantilever: moment and sag of a linear beam under two loads and
    the arm of the block."""
    mech = cantilever(8, iso.Section(EA=1e6, EI=1e3, rhoA=0.5), (0, -9.81, 0))
    mech.add_body("block", 0.2, 1e-3, (1.1, 0), kind="planar")
    mech.add_joint(iso.Fixed("weld", "rod.end", "block"))
    rest = iso.equilibrium(mech.compile())
    P, w, EI = 0.2 * 9.81, 0.5 * 9.81, 1e3
    sag = P / (3 * EI) + P * 0.1 / (2 * EI) + w / (8 * EI)
    tip = rest.q[rest.system.q_of("rod.end")]
    assert abs(tip[1] / -sag - 1) < 1e-4
    assert abs(rest.lam[2]) == pytest.approx(P * 1.1 + w / 2, rel=1e-4)


def test_two_springs_and_a_beam() -> None:
    """A loose beam carried by springs at its ends: springs take half of the weight each."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_beam("rod", (0, 0), (1, 0), elements=8, section=iso.Section(EA=1e6, EI=1e4, rhoA=2.0))
    for end, x in (("start", 0.0), ("end", 1.0)):
        mech.add_load(iso.Spring(f"s {end}", "ground", f"rod.{end}", ((x, 1.0), (x, 0.0)), stiffness=100.0))
    rest = iso.equilibrium(mech.compile())
    ends = rest.q.reshape(-1, 2, 2)[[0, -1], 0, 1]
    assert np.allclose(ends, -9.81 / 100.0, atol=1e-4)


def test_what_statics_refuses() -> None:
    """No steps, systems without beams, a beam that nothing holds, wrong sizes."""
    with pytest.raises(InputError, match="steps must be a number ≥ 1"):
        iso.follow_loads(cantilever().compile(), steps=0)
    point = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    with pytest.raises(InputError, match="load paths are for beams"):
        iso.follow_loads(point)  # type: ignore[arg-type]
    loose = iso.Mechanism(gravity=(0, -9.81, 0))
    loose.add_beam("rod", (0, 0), (1, 0), elements=2, section=UNIT)
    with pytest.raises(SingularError, match="can move without deforming"):
        iso.follow_loads(loose.compile())
    with pytest.raises(InputError, match="q must have 68 entries, received 3"):
        iso.equilibrium(cantilever().compile(), np.zeros(3))


def test_catenary_of_a_soft_cable() -> None:
    """A long cable between two points: the sag of the inextensible catenary, without bending."""
    length, span, w = 1.2, 1.0, 2.0 * 9.81
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    section = iso.Section(EA=1e6, EI=1e-4, rhoA=2.0)
    rise = np.sqrt((length / 2) ** 2 - (span / 2) ** 2)
    middle = (span / 2, 0.0, -rise)
    mech.add_beam("rope", line=[(0, 0, 0), middle, (span, 0, 0)], elements=40, section=section, corners="hinge")
    mech.add_joint(iso.Spherical("left", "ground", "rope.start"))
    mech.add_joint(iso.Spherical("right", "ground", "rope.end"))
    rest = iso.equilibrium(mech.compile())
    a = brentq(lambda x: 2 * x * np.sinh(span / (2 * x)) - length, 0.1, 2.0)
    sag = a * (np.cosh(span / (2 * a)) - 1)
    assert abs(-rest.q[2::6].min() / sag - 1) < 2e-3
    horizontal = np.abs(rest.lam[rest.system.joints["left"].rows[0]])
    assert abs(horizontal / (w * a) - 1) < 2e-2
