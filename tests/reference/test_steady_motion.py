"""Poles about steady motions against closed forms, to 1e-8."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, NotSteadyError
from isodyn.mechanism.coordinates import in_coordinates

G = 9.81


def disc(speed: float, at: tuple[float, float] = (0.0, 0.0), heading: float = 0.3, on: str = "ground") -> Any:
    r, m = 0.7, 1.3
    C = 0.5 * m * r * r
    c, s = np.cos(heading), np.sin(heading)
    mech = iso.Mechanism(gravity=(0, 0, -G))
    mech.add_body(
        "coin",
        m,
        (C / 2, C, C / 2),
        (*at, r),
        orientation=(np.cos(heading / 2), 0, 0, np.sin(heading / 2)),
        velocity=(speed * r * c, speed * r * s, 0),
        angular_velocity=(0, speed, 0),
    )
    mech.add_joint(iso.RollingDisc("floor", "coin", r, (-s, c, 0), along=(1, 0, 0) if on == "general" else None))
    return mech.compile()


def disc_square(speed: float) -> float:
    """s² of an upright disc: (A + m r²) s² = m g r − C (C + m r²) Ω²/A."""
    r, m = 0.7, 1.3
    C = 0.5 * m * r * r
    A = C / 2
    return (m * G * r - C * (C + m * r * r) / A * speed**2) / (A + m * r * r)


@pytest.mark.parametrize("on", ["ground", "general"])
@pytest.mark.parametrize("speed", [0.4, 1.0, 3.0, 10.0, 300.0])
def test_upright_rolling_disc(speed: float, on: str) -> None:
    """Below Ω² = m g r A/(C (C + m r²)) it falls, above it sways; six zero poles: two places, heading,
    angle of spin, speed and rate of turning."""
    system = disc(speed, (1e3, -40.0), on=on)
    lin = iso.linearise(system, v=system.v0)
    expected = disc_square(speed)
    assert lin.zeros == 6
    assert lin.poles**2 == pytest.approx(expected, rel=1e-8)
    assert lin.poles.size == (2 if expected > 0 else 1)
    assert lin.stability == ("unstable" if expected > 0 else "stable")
    assert np.abs(lin.alpha).max() < 1e-9


@pytest.mark.parametrize("speed", [20.0, 29.0, 60.0, 400.0, 5000.0])
def test_sleeping_top(speed: float) -> None:
    """A s² − i C ω s − m g l = 0 of the axis as a complex number; C²ω² = 4 A m g l divides."""
    m, A, C, high = 1.0, 0.2, 0.1, 0.5
    mech = iso.Mechanism(gravity=(0, 0, -G))
    mech.add_body("top", m, (A, A, C), (3.0, -2.0, high + 7.0), angular_velocity=(0, 0, speed))
    mech.add_joint(iso.Spherical("tip", "ground", "top", point=(3.0, -2.0, 7.0)))
    system = mech.compile()
    lin = iso.linearise(system, v=system.v0)
    about = A + m * high * high
    root = np.sqrt((C * speed) ** 2 - 4 * about * m * G * high + 0j)
    expected = 1j * (C * speed + np.array([-1, 1]) * root) / (2 * about)
    found = lin.poles[np.argsort(lin.poles.imag + lin.poles.real)]
    expected = expected[np.argsort(expected.imag + expected.real)]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())
    assert lin.zeros == 2
    assert lin.stability == ("unstable" if speed < 29.5 else "stable")


def precessing_top(tilt: float = 0.5, precession: float = 2.0) -> tuple[Any, float]:
    """A top that precesses steadily, and its frequency of nutation from the effective potential."""
    m, A, C, high = 1.0, 0.2, 0.1, 0.5
    about, c, s = A + m * high * high, np.cos(tilt), np.sin(tilt)
    # (C ω₃ − A Ω cos θ) Ω = m g l
    spin = (m * G * high / precession + about * precession * c) / C
    mech = iso.Mechanism(gravity=(0, 0, -G))
    w = np.array([0.0, precession * s, spin])
    mech.add_body(
        "top",
        m,
        (A, A, C),
        (0, -high * s, high * c),
        (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0),
        (precession * high * s, 0, 0),
        w,
    )
    mech.add_joint(iso.Spherical("tip", "ground", "top", point=(0, 0, 0)))
    pz, p3 = about * precession * s * s + C * spin * c, C * spin

    def pull(x: float) -> float:
        """−dV/dθ of the effective potential (p_z − p₃ cos θ)²/(2 A sin²θ) + m g l cos θ."""
        d = pz - p3 * np.cos(x)
        return float(
            -(d * p3 / (about * np.sin(x)) - d * d * np.cos(x) / (about * np.sin(x) ** 3)) + m * G * high * np.sin(x)
        )

    h = 1e-4
    slope = (8 * (pull(tilt + h) - pull(tilt - h)) - (pull(tilt + 2 * h) - pull(tilt - 2 * h))) / (12 * h)
    assert abs(pull(tilt)) < 1e-9
    return mech.compile(), float(np.sqrt(-slope / about))


def test_precessing_top() -> None:
    """Steady precession: the whole turns with Ω about the vertical; one pole, that of nutation."""
    system, nutation = precessing_top()
    lin = iso.linearise(system, v=system.v0)
    assert lin.alpha == pytest.approx([0, 0, 2.0], abs=1e-9)
    assert lin.poles.size == 1
    assert lin.poles[0] == pytest.approx(1j * nutation, rel=1e-8)


def test_disc_in_a_circle_sways_as_a_run_does() -> None:
    """A disc that rolls in a circle, tilted: the pole against the period of a run beside it."""
    r, m, tilt, turn = 0.5, 2.0, 0.4, 1.5
    C = 0.5 * m * r * r
    A = C / 2
    c, s = np.cos(tilt), np.sin(tilt)
    # α × H = −r up × m (α × v + g z), H the angular momentum about the centre, along the heading
    spin = s * (A * turn**2 * c - m * G * r) / ((C + m * r * r) * turn * c)
    e, up = np.array([0.0, c, s]), np.array([0.0, -s, c])
    w = spin * e + turn * c * up  # turn about z less its part along e, which spin contains
    v = np.cross(w, r * up)
    mech = iso.Mechanism(gravity=(0, 0, -G))
    R = np.column_stack([(1, 0, 0), e, up])
    mech.add_body("coin", m, (A, C, A), r * up, R, v, R.T @ w)
    mech.add_joint(iso.RollingDisc("floor", "coin", r, e))
    system = mech.compile()
    lin = iso.linearise(system, v=system.v0)
    assert abs(lin.alpha[2]) == pytest.approx(turn, rel=1e-9)
    # a circle beside the first one: at rest in the world, turning backwards for who turns with the disc
    assert lin.poles[0] == pytest.approx(1j * turn, rel=1e-9)
    system = replace(system, v0=system.v0 + 1e-4 * np.eye(6)[3])
    sol = iso.integrate_adaptive(
        system, t_end=10.0, rtol=1e-9, atol=1e-10, save=np.linspace(0, 10, 4001), assemble=True
    )
    lean = sol.body("coin").R[:, 2, 1]
    lean = lean - 0.5 * (lean.max() + lean.min())
    k = np.flatnonzero((lean[:-1] < 0) & (lean[1:] >= 0))
    times = sol.t[k] - lean[k] * (sol.t[k + 1] - sol.t[k]) / (lean[k + 1] - lean[k])
    assert 2 * np.pi / np.mean(np.diff(times)) == pytest.approx(lin.poles[1].imag, rel=1e-3)


@pytest.mark.parametrize("coordinates", ["euler-313", "rotation"])
def test_coordinates_do_not_matter(coordinates: Any) -> None:
    """The precessing top in Euler's angles, whose first and third grow evenly."""
    system, nutation = precessing_top()
    if coordinates == "euler-313":
        system = in_coordinates(system, coordinates)
    lin = iso.linearise(system, v=system.v0)
    assert lin.poles[np.abs(lin.poles) > 1e-3] == pytest.approx(1j * nutation, rel=1e-7)


def test_a_governor() -> None:
    """Two arms hinged to a driven shaft: cos θ = g/(Ω² l), and s² = −Ω² sin²θ of each point mass."""
    speed, arm = 6.0, 0.8
    theta = np.arccos(G / (speed**2 * arm))
    mech = iso.Mechanism(gravity=(0, 0, -G))
    mech.add_body("shaft", 1.0, (0.1, 0.2, 0.3), angular_velocity=(0, 0, speed))
    mech.add_joint(iso.Hinge("pin", "ground", "shaft", axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("motor", "pin", iso.Polynomial(0, speed)))
    for name, side in (("one", 1.0), ("two", -1.0)):
        at = np.array([side * arm * np.sin(theta), 0.0, -arm * np.cos(theta)])
        mech.add_body(
            name,
            1.0,
            1e-9 * np.array([1.0, 1.1, 1.2]),
            at,
            velocity=(0, speed * at[0], 0),
            angular_velocity=(0, 0, speed),
        )
        mech.add_joint(iso.Hinge(f"arm {name}", "shaft", name, point=(0, 0, 0), axis=(0, 1, 0)))
    system = mech.compile()
    lin = iso.linearise(system, v=system.v0)
    assert lin.zeros == 0
    assert lin.poles == pytest.approx(1j * speed * np.sin(theta), rel=1e-7)
    assert lin.alpha == pytest.approx([0, 0, speed])


def test_what_is_not_steady_is_refused() -> None:
    """A pendulum at its lowest point, an unround wheel, a state that the rows do not allow, a coin
    whose mass is not in its middle."""
    mech = iso.Mechanism(gravity=(0, 0, -G))
    mech.add_body("arm", 1.0, (0.1, 0.1, 0.1), (0, 0, -1), velocity=(2, 0, 0), angular_velocity=(0, -2, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", axis=(0, 1, 0)))
    system = mech.compile()
    with pytest.raises(NotSteadyError, match="is not steady"):
        iso.linearise(system, v=system.v0)
    with pytest.raises(NotSteadyError, match="'pin: point x' is off by"):
        iso.linearise(system, v=system.v0 + np.eye(6)[0])
    mech = iso.Mechanism(gravity=(0, 0, -G))
    mech.add_body("egg", 1.0, (0.1, 0.2, 0.1), (0, 0, 0.5), velocity=(1, 0, 0), angular_velocity=(0, 2, 0))
    mech.add_joint(iso.RollingDisc("floor", "egg", 0.5, (0, 1, 0), centre=(0.0, 0.0, 0.5)))
    system = mech.compile()
    assert iso.linearise(system, v=system.v0).zeros == 6
    mech = iso.Mechanism(gravity=(0, 0, -G))
    mech.add_body("egg", 1.0, (0.1, 0.2, 0.11), (0, 0, 0.5), velocity=(1, 0, 0), angular_velocity=(0, 2, 0))
    mech.add_joint(iso.RollingDisc("floor", "egg", 0.5, (0, 1, 0)))
    system = mech.compile()
    with pytest.raises(InputError, match="is not steady"):
        iso.linearise(system, v=system.v0)


def test_a_system_with_coordinates_that_add() -> None:
    """A bead on a rotating hoop in (θ, φ) with φ free: θ = arccos(g/(Ω² R)) and s² = −Ω²(1 + 3 cos²θ)
    of the spherical pendulum."""
    theta0, R = 1.0, 1.0
    speed = np.sqrt(G / (R * np.cos(theta0)))

    def M(q: Any) -> Any:
        return np.diag([R * R, (R * np.sin(q[0])) ** 2])

    def Q(q: Any, v: Any, t: float) -> Any:
        s, c = np.sin(q[0]), np.cos(q[0])
        return np.array([R * R * s * c * v[1] ** 2 - G * R * s, -2 * R * R * s * c * v[0] * v[1]])

    system = iso.MechanicalSystem(M=M, Q=Q, q0=[theta0, 0.0], v0=[0.0, speed])
    lin = iso.linearise(system, v=system.v0)
    assert lin.zeros == 2
    assert lin.poles == pytest.approx(1j * speed * np.sqrt(1 + 3 * np.cos(theta0) ** 2), rel=1e-8)
