"""Rows and loads that a user writes in Python against the same ones of the library."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import CallableError, InputError
from isodyn.kernels.compiled import JACOBIAN
from isodyn.mechanism.hybrid import UserMechanismSystem
from isodyn.mechanism.system import MechanismSystem
from isodyn.systems.questions import Questions

G = 9.81
S = iso.Scheme


def two_bodies(kind: str = "spatial") -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, -G) if kind != "planar" else (0, -G, 0))
    if kind == "planar":
        mech.add_body("one", 1.0, 0.1, (0.5, 0, 0), 0.3, (0.2, 0.1, 0), 1.0, kind="planar")
        mech.add_body("two", 2.0, 0.2, (1.5, 0.4, 0), -0.4, (0.1, 0.3, 0), -2.0, kind="planar")
    else:
        mech.add_body("one", 1.0, (0.1, 0.2, 0.25), (0.5, 0, 0), (0.8, 0.6, 0, 0), (0.1, 0.2, 0.3), (1, -2, 0.5))
        mech.add_body("two", 2.0, (0.3, 0.2, 0.25), (1.5, 0.4, 0.2), None, (0.3, 0, -0.1), (0.5, 1, -1.5))
    return mech


ENDS = np.array([[0.7, 0.1, 0.0], [1.3, 0.5, 0.0]])


def arms(mech: iso.Mechanism) -> list[np.ndarray]:
    return [
        mech.bodies[name].R.T @ (P - mech.bodies[name].position) for name, P in zip(("one", "two"), ENDS, strict=True)
    ]


def rod(mech: iso.Mechanism) -> iso.UserRows:
    """A distance, written as a user would."""
    s_i, s_j = arms(mech)
    length = np.linalg.norm(ENDS[1] - ENDS[0])
    return iso.UserRows(
        "rod", ("one", "two"), lambda p, q, t: np.array([np.linalg.norm(q.point(s_j) - p.point(s_i)) - length])
    )


def spring(mech: iso.Mechanism) -> iso.UserLoad:
    """A spring and damper from the origin to a point of body one."""
    s = arms(mech)[0]

    def pull(t, pose):
        d = pose.point(s)
        length = np.linalg.norm(d)
        rate = d @ pose.velocity_of(s) / length
        f = -(40.0 * (length - 0.3) + 0.8 * rate) * d / length
        return f, np.cross(pose.R @ s, f)

    return iso.UserLoad("spring", "one", pull)


def pairs(kind: str):
    """The mechanism by the library, and the same by users' parts; with a hinge and a rolling row
    around them."""
    built, own = two_bodies(kind), two_bodies(kind)
    for mech in (built, own):
        if kind == "planar":
            mech.add_joint(iso.Hinge("pin", "ground", "one", point=(0, 0, 0), axis=(0, 0, 1)))
        else:
            mech.add_joint(iso.Spherical("ball", "ground", "one", point=(0, 0, 0)))
            mech.add_joint(iso.RollingSphere("floor", "two", radius=0.2))
    built.add_joint(iso.Distance("rod", "one", "two", points=ENDS))
    own.add_joint(rod(own))
    built.add_load(
        iso.Spring("spring", "ground", "one", points=((0, 0, 0), ENDS[0]), stiffness=40.0, damping=0.8, rest=0.3)
    )
    own.add_load(spring(own))
    return built, own


@pytest.mark.parametrize("kind", ["spatial", "planar"])
def test_every_answer_is_the_same(kind):
    """Balance, G, φ, φ̇, φ̈ and tangents at random states off the constraints."""
    built, own = (mech.compile() for mech in pairs(kind))
    assert isinstance(own, UserMechanismSystem)
    assert type(built) is MechanismSystem
    # the rolling rates come last in both, the rod before them
    assert own.row_names == tuple("rod" if name == "rod: distance" else name for name in built.row_names)
    one, two = Questions(built), Questions(own)
    rng = np.random.default_rng(4)
    n, m = built.nv, built.m
    for _ in range(3):
        d, v, a, lam = rng.normal(size=n), rng.normal(size=n), rng.normal(size=n), rng.normal(size=m)
        q = built.retract(built.q0, 0.3 * d) if built.retract else built.q0 + 0.3 * d
        for found, exact, tolerance in (
            (two.balance(0.4, q, v, a, lam), one.balance(0.4, q, v, a, lam), 1e-10),
            (two.G(0.4, q, v), one.G(0.4, q, v), 1e-11),
            (two.position(0.4, q, v), one.position(0.4, q, v), 1e-14),
            (two.velocity(0.4, q, v), one.velocity(0.4, q, v), 1e-10),
            (two.acceleration(0.4, q, v, a), one.acceleration(0.4, q, v, a), 1e-8),
            *(
                (two.ask(JACOBIAN, 0.4, q, v, a, n * n, lam, w), one.ask(JACOBIAN, 0.4, q, v, a, n * n, lam, w), 2e-6)
                for w in np.eye(3)
            ),
        ):
            assert np.abs(found - exact).max() < tolerance * max(1.0, np.abs(exact).max())


@pytest.mark.parametrize("kind", ["spatial", "planar"])
def test_the_same_motion(kind):
    built, own = (mech.compile() for mech in pairs(kind))
    runs = [iso.integrate(system, S.U0(0.8, 0.8, 0.8), dt=0.01, t_end=0.2, assemble=True) for system in (built, own)]
    for name in ("q", "v", "a", "lam"):
        exact, found = (getattr(sol, name) for sol in runs)
        assert np.abs(found - exact).max() < 1e-7 * max(1.0, np.abs(exact).max())
    forces = [sol.reaction("rod", on="two") for sol in runs]
    assert np.abs(forces[0].force - forces[1].force).max() < 1e-7 * np.abs(forces[0].force).max()
    assert runs[1].drift().largest[0] < 1e-12


@pytest.mark.slow
def test_order_two():
    """Against the built-in part with steps far finer: order 2 in every variable."""
    built, own = (mech.compile() for mech in pairs("planar"))
    start = iso.integrate(built, dt=1e-3, t_end=1e-3, assemble=True)
    built, own = (replace(system, q0=start.q[0], v0=start.v[0]) for system in (built, own))
    exact = iso.integrate(built, S.U0(0.8, 0.8, 0.8), dt=0.02 / 256, t_end=0.1)
    errors = {name: [] for name in ("q", "v", "a", "lam")}
    for k in (16, 32):
        sol = iso.integrate(own, S.U0(0.8, 0.8, 0.8), dt=0.02 / k, t_end=0.1)
        for name, found in errors.items():
            found.append(np.abs(getattr(sol, name) - getattr(exact, name)[:: 256 // k]).max())
    for name, (coarse, fine) in errors.items():
        assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.15), name


def test_a_moving_row():
    """A rheonomic row of one body: a particle carried along a circle, φ_t and φ_tt by
    differences."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("bead", 2.0, position=(1, 0, 0), velocity=(0, 3.0, 0), kind="particle")
    mech.add_joint(
        iso.UserRows("carrier", "bead", lambda p, t: p.position - np.array([np.cos(3 * t), np.sin(3 * t), 0.0]))
    )
    sol = iso.kinematics(mech.compile(), np.linspace(0, 0.5, 6))
    assert sol.a == pytest.approx(-9.0 * sol.q, abs=1e-8)
    assert sol.lam == pytest.approx(18.0 * sol.q, abs=1e-7)
    assert mech.compile().row_names == ("carrier: row 1", "carrier: row 2", "carrier: row 3")
    assert mech.mobility().freedoms == 0


def test_a_mechanism_without_users_parts_stays_compiled():
    system = pairs("spatial")[0].compile()
    assert type(system) is MechanismSystem
    assert system.model().callback is None


# ---- mistakes


def test_exceptions_carry_the_name_of_the_part():
    mech = two_bodies()
    mech.add_joint(rod(mech))
    calls = []

    def breaks(t, pose):
        calls.append(t)
        if t > 0.015:
            raise ZeroDivisionError("no air")
        return np.zeros(3)

    mech.add_load(iso.UserLoad("wind", "two", breaks))
    with pytest.raises(ZeroDivisionError) as caught:
        iso.integrate(mech.compile(), dt=0.01, t_end=0.1, assemble=True)
    notes = " ".join(caught.value.__notes__)
    assert "in the user-defined load 'wind'" in notes
    assert "step 2 of 10" in notes


def test_what_users_functions_return_is_checked():
    mech = two_bodies()
    mech.add_load(iso.UserLoad("wind", "two", lambda t, pose: np.zeros(4)))
    with pytest.raises(CallableError, match=r"the function of 'wind' returned shape \(4,\) at t = 0"):
        iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    mech = two_bodies()
    mech.add_joint(iso.UserRows("odd", ("one", "two"), lambda p, q, t: q.position if t == 0 else q.position[:2]))
    with pytest.raises(CallableError, match=r"phi of 'odd' returned shape \(2,\)"):
        iso.integrate(mech.compile(), dt=0.01, t_end=0.1, assemble=True)


def test_wrong_arguments():
    mech = two_bodies()
    with pytest.raises(InputError, match="rows 'x': there is no body named 'tow'"):
        mech.add_joint(iso.UserRows("x", ("one", "tow"), lambda p, q, t: np.zeros(1)))
    with pytest.raises(InputError, match="rows 'x' join 'one' to itself"):
        iso.UserRows("x", ("one", "one"), lambda p, q, t: np.zeros(1))
    with pytest.raises(InputError, match="rows 'x': bodies must be one or two names"):
        iso.UserRows("x", ("one", "two", "three"), lambda p, q, t: np.zeros(1))
    with pytest.raises(InputError, match="phi must be a function"):
        iso.UserRows("x", "one", 3.0)
    with pytest.raises(InputError, match="load 'y': there is no body named 'three'"):
        mech.add_load(iso.UserLoad("y", "three", lambda t, pose: np.zeros(3)))
    mech.add_joint(rod(mech))
    with pytest.raises(InputError, match="users' rows and loads need the coordinates 'rotation'"):
        mech.compile(coordinates="euler-313")


def test_rates_of_a_user_roll_as_a_sphere_does() -> None:
    """ψ of a user, the velocity of the lowest point of a ball, against the rows of a rolling sphere:
    motion, multipliers and reactions."""
    r, runs = 0.3, []
    for users in (False, True):
        mech = iso.Mechanism(gravity=(1, 0.5, -9.81))
        mech.add_body(
            "ball", 1.2, (0.03, 0.05, 0.04), (0, 0, r), velocity=(1, 0.2, 0), angular_velocity=(-0.2 / r, 1 / r, 0.7)
        )
        if users:
            mech.add_joint(iso.UserRows("height", "ball", lambda pose, t: [pose.position[2] - r]))
            mech.add_joint(
                iso.UserRows(
                    "slip",
                    "ball",
                    psi=lambda pose, t: (pose.velocity + np.cross(pose.R @ pose.angular_velocity, (0, 0, -r)))[:2],
                )
            )
        else:
            mech.add_joint(iso.RollingSphere("floor", "ball", radius=r))
        runs.append(iso.integrate(mech, dt=0.01, t_end=0.1))
    one, two = runs
    np.testing.assert_allclose(one.q, two.q, atol=1e-12)
    np.testing.assert_allclose(one.a, two.a, atol=1e-9)
    np.testing.assert_allclose(one.lam, two.lam, atol=1e-9)
    force = two.reaction("slip").force + two.reaction("height").force
    np.testing.assert_allclose(one.reaction("floor").force, force, atol=1e-9)


def test_rows_of_positions_or_of_rates() -> None:
    with pytest.raises(InputError, match="need either phi= or psi="):
        iso.UserRows("rows", "ball")
    with pytest.raises(InputError, match="need either phi= or psi="):
        iso.UserRows("rows", "ball", lambda pose, t: [0.0], psi=lambda pose, t: [0.0])
    with pytest.raises(InputError, match="psi must be a function of poses and t"):
        iso.UserRows("rows", "ball", psi=3.0)
