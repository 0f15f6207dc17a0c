"""Rotations, Euler parameters and three sets of angles describe one motion: equal up to O(Δt²),
each of second order.

Through a singular angle the default runs on; the angles that are singular there stop and say so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from coordinate_mechanisms import CHOICES, MECHANISMS, free_body, heavy_top
from isodyn.bodies.angles import EULER_313
from isodyn.errors import InputError, SingularError
from isodyn.joints import Hinge, Spherical
from isodyn.mechanism.coordinates import ParametrisedSystem
from isodyn.mechanism.mechanism import Mechanism

pytestmark = pytest.mark.filterwarnings(
    "ignore:no joint and no spring holds", "ignore:multipliers and accelerations of position level"
)
COARSE = {"free body": 0.02, "heavy top": 0.005, "two hinged": 0.01, "mixed": 0.01}
T_END = 0.4


def run(mech: Mechanism, choice: Any, dt: float, t_end: float = T_END, **options: Any) -> Any:
    """A solution in the default coordinates, computed in others."""
    system = mech.compile(choice)
    sol = iso.integrate(system, dt=dt, t_end=t_end, **options)
    return system.lift(sol) if isinstance(system, ParametrisedSystem) else sol


def apart(one: Any, other: Any) -> dict[str, float]:
    """Largest differences of positions and orientations, velocities, accelerations and multipliers
    at common times."""
    every = (other.t.size - 1) // (one.t.size - 1)
    difference = one.system.difference
    q = max(float(np.abs(difference(x, y)).max()) for x, y in zip(one.q, other.q[::every], strict=True))
    rest = {n: np.abs(getattr(one, n) - getattr(other, n)[::every]) for n in ("v", "a", "lam")}
    return {"q": q} | {n: float(x.max()) for n, x in rest.items() if x.size}


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_one_motion_of_second_order(name: str) -> None:
    """Errors against a fine run fall fourfold with Δt/2 in every choice, and so do differences
    between the choices."""
    make, dt = MECHANISMS[name], COARSE[name]
    fine = run(make(), "rotation", dt / 64)
    default = [run(make(), "rotation", h) for h in (dt / 2, dt / 4)]
    for choice in CHOICES:
        sols = [run(make(), choice, h) for h in (dt / 2, dt / 4)]
        errors = [apart(sol, fine) for sol in sols]
        differences = [apart(sol, other) for sol, other in zip(sols, default, strict=True)]
        for quantity, size in errors[1].items():
            slope = np.log2(errors[0][quantity] / size)
            assert abs(slope - 2) < 0.15, (choice, quantity, slope)
            if differences[0][quantity] > 1e-9:
                assert abs(np.log2(differences[0][quantity] / differences[1][quantity]) - 2) < 0.2, (choice, quantity)
        assert errors[1]["q"] < 5e-4
        assert sols[1].drift().largest[0] < 1e-12
        assert sols[1].drift().largest[1] < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(
    "formulation",
    [
        iso.Stabilised(),
        iso.PositionLevel(),
        iso.VelocityLevel(),
        iso.AccelerationLevel(),
        iso.Baumgarte(),
        iso.GGL(),
        iso.Projection(),
        iso.Overdetermined(),
        iso.NullSpace(),
        iso.Penalty(),
        iso.Hamiltonian(),
    ],
    ids=repr,
)
def test_every_formulation(formulation: Any) -> None:
    """The top in Euler parameters and in angles, with whatever closes the constraints."""
    fine = run(heavy_top(), "rotation", 2.5e-4, 0.1)
    for choice in ("euler-parameters", "bryant-123"):
        sol = run(heavy_top(), choice, 0.0025, 0.1, formulation=formulation)
        assert apart(sol, fine)["q"] < 2e-4, choice


def chain(links: int) -> Mechanism:
    """Links joined by ball joints, let go from a horizontal line."""
    mech = Mechanism()
    for k in range(links):
        mech.add_body(f"link {k}", 1.0, (0.01, 0.1, 0.1), (k + 0.5, 0, 0), angular_velocity=(1.0, 0, 0))
        mech.add_joint(Spherical(f"ball {k}", f"link {k - 1}" if k else "ground", f"link {k}", point=(k, 0, 0)))
    return mech


def test_a_chain_that_the_default_solves_sparse() -> None:
    """Large mechanisms have sparse matrices in the default coordinates and full ones in the others:
    the motion is the same."""
    default = run(chain(12), "rotation", 0.005, 0.1)
    assert "block" in default.stats.solver
    for choice in ("euler-parameters", "cardan-321"):
        assert apart(run(chain(12), choice, 0.005, 0.1), default)["q"] < 1e-4


def test_views_of_a_lifted_solution() -> None:
    """Reactions, joints and bodies by name are there after `lift`, and agree; energies and
    breakpoints too."""
    options = {"dt": 0.001, "t_end": 0.1, "breakpoints": [0.05]}
    make = MECHANISMS["two hinged"]
    default = iso.integrate(make().compile(), **options)
    system = make().compile("euler-parameters")
    assert isinstance(system, ParametrisedSystem)
    raw = iso.integrate(system, **options)
    lifted = system.lift(raw)
    np.testing.assert_allclose(lifted.reaction("elbow").force, default.reaction("elbow").force, atol=1e-3)
    np.testing.assert_allclose(lifted.joint("elbow").angle, default.joint("elbow").angle, atol=1e-6)
    np.testing.assert_allclose(lifted.aux["a_left"], default.aux["a_left"], atol=1e-3)
    np.testing.assert_allclose(raw.energy(), lifted.energy(), rtol=1e-12, atol=1e-12)
    assert lifted.lam.shape == default.lam.shape
    assert np.abs(raw.lam[:, 10:]).max() < 1e-4  # norm rows carry no force
    assert system.q_of("lower") == slice(7, 14)
    with pytest.raises(InputError, match="a solution of this system"):
        system.lift(default)


def flipping(theta: float = 0.5) -> Mechanism:
    """A free body that turns about its first axis, so that θ of 3-1-3 runs to zero and beyond."""
    mech = Mechanism(gravity=(0, 0, 0))
    mech.add_body(
        "coin", 1.0, (1.0, 2.0, 2.5), (0, 0, 0), EULER_313.quaternion([0.3, theta, 0.0]), angular_velocity=(-2.0, 0, 0)
    )
    return mech


def hanging(swing: float = 0.3) -> Mechanism:
    """A top that hangs from its tip and swings through the vertical, θ = π, while it spins
    slowly."""
    mech = Mechanism()
    x, centre, omega = [0.0, np.pi - swing, 0.0], np.array([0.0, 0.0, 0.3]), np.array([0.0, 0.0, 0.5])
    R = EULER_313.matrix(x)
    mech.add_body("top", 1.5, (0.06, 0.06, 0.03), R @ centre, R, R @ np.cross(omega, centre), omega)
    mech.add_joint(Spherical("tip", "ground", "top", point=(0, 0, 0)))
    return mech


def test_default_runs_through_a_singular_angle() -> None:
    """θ = 0 after 0.25 s; the exact motion is a turn about a principal axis, reached with both
    choices that have no singularity there."""
    expected = EULER_313.matrix([0.3, 0.5 - 2.0 * 0.6, 0.0])
    for choice in ("rotation", "euler-parameters", "bryant-123"):
        sol = run(flipping(), choice, 0.002, 0.6)
        turn = sol.body("coin").R[-1].T @ expected
        assert np.abs(turn - np.eye(3)).max() < (1e-12 if choice == "rotation" else 1e-5)


@pytest.mark.parametrize("dt", [0.1, 0.011, 0.002])
def test_singular_angles_stop_with_a_name(dt: float) -> None:
    """Also when a step would jump over the singularity; what was done so far is kept."""
    system = flipping().compile("euler-313")
    with pytest.raises(SingularError, match=r"body 'coin': θ = .* of its 3-1-3 angles .* near t = 0\.[23]") as caught:
        iso.integrate(system, dt=dt, t_end=0.6)
    partial: Any = caught.value.partial
    assert 0.25 - 3 * dt <= partial.t[-1] <= 0.25 + dt
    x = EULER_313.history(system.lift(partial).q[:, 3:])  # type: ignore[union-attr]
    np.testing.assert_allclose(x[:, 1], 0.5 - 2.0 * partial.t, atol=1e-8)


def test_top_through_the_vertical() -> None:
    """A hanging top passes near θ = π: the default agrees with Bryant angles of second order; 3-1-3
    stops and names θ."""
    fine = run(hanging(), "rotation", 0.000125, 0.6)
    theta = EULER_313.history(fine.body("top").R)[:, 1]
    assert np.abs(theta - np.pi).min() < 0.02
    errors = [apart(run(hanging(), "rotation", dt, 0.6), fine)["q"] for dt in (0.004, 0.002)]
    assert abs(np.log2(errors[0] / errors[1]) - 2) < 0.1
    assert apart(run(hanging(), "bryant-123", 0.002, 0.6), fine)["q"] < 4 * errors[1] + 1e-5
    with pytest.raises(SingularError, match="body 'top': θ"):
        iso.integrate(hanging(0.0005).compile("euler-313"), dt=0.002, t_end=0.6)


@pytest.mark.parametrize(
    ("choice", "axis", "angle", "symbol"),
    [
        ("euler-313", (0, 0, 1), 0.7, "θ = 0 of its 3-1-3"),
        ("euler-313", (1, 0, 0), np.pi, "θ = 3.14159 of its 3-1-3"),
        ("cardan-321", (0, 1, 0), np.pi / 2, "φ2 = 1.5708 of its 3-2-1"),
        ("bryant-123", (0, 1, 0), -np.pi / 2 + 5e-4, "φ2 = -1.5703 of its 1-2-3"),
    ],
)
def test_singular_at_the_start(choice: Any, axis: Any, angle: float, symbol: str) -> None:
    """Refused when compiled, by name, with the distance and a way out."""
    mech = Mechanism()
    mech.add_body("arm", 1.0, (1, 1, 1), orientation=iso.bodies.rotations.from_axis_angle(axis, angle))
    with pytest.raises(SingularError, match=f"body 'arm': {symbol} angles .* at the start .*\n.*euler-parameters"):
        mech.compile(choice)
    mech.compile("euler-parameters")


def test_words_for_wrong_choices() -> None:
    """Unknown coordinates are listed; the form that is not premultiplied needs square maps; no
    spatial body, no change."""
    mech = free_body()
    with pytest.raises(InputError, match=r"coordinates must be one of rotation, euler-parameters, .* received 'euler'"):
        mech.compile("euler")  # type: ignore[call-overload]
    system: Any = mech.compile("euler-parameters")
    with pytest.raises(InputError, match="as many coordinates as velocities"):
        system.newton_euler(0.0, system.q0, system.v0)
    flat = Mechanism()
    flat.add_body("wheel", 1.0, 0.3, kind="planar")
    flat.add_joint(Hinge("pin", "ground", "wheel", point=(0.1, 0, 0)))
    assert flat.compile("euler-313").names == flat.compile().names
