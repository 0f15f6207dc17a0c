"""G, rests, and tangents of every joint and load against differences of high order, at random
states off and on the constraints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from isodyn.joints import (
    Cylindrical,
    Distance,
    Drive,
    Fixed,
    Gear,
    Hinge,
    Planar,
    PointOnPlane,
    Prismatic,
    Pulley,
    RollingDisc,
    RollingEllipsoid,
    RollingSphere,
    Screw,
    Spherical,
    Universal,
    WheelOnRail,
)
from isodyn.kernels.compiled import BALANCE, JACOBIAN, FloatArray
from isodyn.loads import Bushing, Drag, Force, JointFriction, JointLimit, JointSpring, Motor, Sine, Spring, Torque
from isodyn.mechanism.mechanism import Mechanism
from isodyn.systems.questions import Questions

pytestmark = pytest.mark.filterwarnings("ignore:no joint and no spring holds")

WEIGHTS = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)  # eighth order
H = 2e-3


def slope(f: Any) -> Any:
    """d f(s)/ds at s = 0, by differences of eighth order."""
    return sum(w * f((k - 4) * H) for k, w in enumerate(WEIGHTS)) / H


def random_rotation(rng: Any) -> FloatArray:
    e = rng.normal(size=4)
    return np.asarray(e / np.linalg.norm(e))


def two_bodies(rng: Any, kind: str = "spatial") -> Mechanism:
    mech = Mechanism(gravity=rng.normal(size=3) if kind == "spatial" else (0.3, -9.0, 0.0))
    for name in ("one", "two"):
        if kind == "spatial":
            L = rng.normal(size=(3, 3))
            points = L @ L.T
            J = np.trace(points) * np.eye(3) - points
            mech.add_body(
                name,
                1.0 + rng.random(),
                J,
                rng.normal(size=3),
                random_rotation(rng),
                rng.normal(size=3),
                rng.normal(size=3),
            )
        else:
            mech.add_body(
                name, 1.0 + rng.random(), 0.7, (*rng.normal(size=2), 0), rng.normal(), (1, 2, 0), 0.6, kind="planar"
            )
    return mech


P, A = (0.3, -0.2, 0.5), (0.2, 0.9, -0.4)
# planes that another body carries, far from both mass centres
N = {"normal": (0.1, 0.2, 1.0), "plane_point": (4.0, -2.0, 1.0), "along": (1.0, -0.4, 0.2)}
RAIL = {"profile": (0.1, 0.2, -0.4, 0.05, -0.02), "on": "two", **N}
JOINTS: dict[str, Any] = {
    "spherical": Spherical("j", "one", "two", point=P),
    "hinge": Hinge("j", "one", "two", point=P, axis=A),
    "hinge to ground": Hinge("j", "ground", "two", point=P, axis=A),
    "prismatic": Prismatic("j", "one", "two", point=P, axis=A),
    "cylindrical": Cylindrical("j", "one", "two", point=P, axis=A),
    "screw": Screw("j", "one", "two", point=P, axis=A, pitch=0.25),
    "planar": Planar("j", "one", "two", point=P, axis=A),
    "universal": Universal("j", "one", "two", point=P, axis=(1, 0, 0), second_axis=(0, 1, 0)),
    "point on plane": PointOnPlane("j", "one", "two", point=P, axis=A),
    "fixed": Fixed("j", "one", "two", point=P, axis=A),
    "distance": Distance("j", "one", "two", points=(P, (1.0, 1.0, 0.2))),
    "pulley": Pulley("j", "one", "two", points=(P, (1.0, 1.0, 0.2)), over=((0, 0, 3.0), (1.0, 0.2, 3.0)), ratio=2.0),
    "rolling sphere": RollingSphere("j", "one", radius=0.4, normal=(0.1, 0.2, 1.0)),
    "rolling disc": RollingDisc("j", "one", radius=0.4, axis=(0.2, 0.9, 0.1), normal=(0.1, 0.2, 1.0)),
    "sphere on a body": RollingSphere("j", "one", 0.4, on="two", lift=Sine(0.3, 2.0), slide=Sine(0.5, 1.0), **N),
    "disc on a body": RollingDisc("j", "one", 0.4, (0.2, 0.9, 0.1), centre=P, on="two", **N),
    "disc on a moving plane": RollingDisc("j", "one", 0.4, (0.2, 0.9, 0.1), slide=Sine(1.0, 3.0), **N),
    "ellipsoid": RollingEllipsoid("j", "one", (0.5, 0.3, 0.2), centre=P, normal=(0.1, 0.2, 1.0)),
    "ellipsoid on a body": RollingEllipsoid("j", "one", (0.5, 0.3, 0.2), axes=((1, 1, 0), (-1, 1, 1)), on="two", **N),
    "wheel on a rail": WheelOnRail("j", "one", 0.4, (0.2, 0.9, 0.1), tread=0.1, centre=P, **RAIL),
    "barrel on a rail": WheelOnRail("j", "one", 0.4, (0.2, 0.9, 0.1), barrel=0.6, across=False, **RAIL),
}
ROWS = {
    "spherical": 3,
    "hinge": 5,
    "hinge to ground": 5,
    "prismatic": 5,
    "cylindrical": 4,
    "screw": 5,
    "planar": 3,
    "universal": 4,
    "point on plane": 1,
    "fixed": 6,
    "distance": 1,
    "pulley": 1,
    "rolling sphere": 3,
    "rolling disc": 3,
    "sphere on a body": 3,
    "disc on a body": 3,
    "disc on a moving plane": 3,
    "ellipsoid": 3,
    "ellipsoid on a body": 3,
    "wheel on a rail": 3,
    "barrel on a rail": 2,
}
# rows with an angle: its gradient is the derivative only where the axes are parallel
ANGLED = {"screw"}


@pytest.mark.parametrize("name", JOINTS)
def test_gradients_and_rests_of_joints(name: str) -> None:
    """φ̇ = G v + φ_t and φ̈ = G a − b along a motion with acceleration; ranks and numbers of rows
    as in the table of pairs."""
    rng = np.random.default_rng(1)
    for case in range(6):
        mech = two_bodies(rng)
        mech.add_joint(JOINTS[name])
        system = mech.compile()
        ask = Questions(system)
        assert system.m == ROWS[name]
        assert np.linalg.matrix_rank(ask.G(0.0, system.q0, system.v0)) == ROWS[name]
        q, v, a = system.q0, rng.normal(size=system.nv), rng.normal(size=system.nv)
        if name in ANGLED:  # an admissible motion: v in the null space of the other rows
            G = ask.G(0.0, q, v)[:4]
            v = v - np.linalg.pinv(G) @ (G @ v)
        elif case % 2:
            q = system.retract(q, rng.normal(size=system.nv))

        check_rows(system, q, v, a, 1e-8 if name not in ANGLED else 1e-7)


def check_rows(system: Any, q: FloatArray, v: FloatArray, a: FloatArray, tolerance: float) -> None:
    ask = Questions(system)

    def moved(s: float) -> FloatArray:
        return np.asarray(system.retract(q, s * v))

    G = ask.G(0.3, q, v)
    rate = slope(lambda s: ask.position(0.3, moved(s), v))
    np.testing.assert_allclose((G @ v)[: system.m_phi], rate, atol=tolerance)
    still = ask.velocity(0.3, q, 0.0 * v)  # φ_t
    np.testing.assert_allclose(ask.velocity(0.3, q, v), G @ v + still, atol=1e-12)
    in_time = slope(lambda s: ask.position(0.3 + s, q, v))
    np.testing.assert_allclose(still[: system.m_phi], in_time, atol=1e-9)
    second = slope(lambda s: ask.velocity(0.3 + s, moved(s), v + s * a))
    np.testing.assert_allclose(ask.acceleration(0.3, q, v, a), second, atol=tolerance)


def loaded(name: str, rng: Any) -> Any:
    mech = two_bodies(rng)
    mech.add_joint(Hinge("pin", "one", "two", point=P, axis=A))
    loads: dict[str, list[Any]] = {
        "spring": [Spring("s", "one", "two", (P, (1.0, 1.0, 0.2)), 30.0, 2.0, 0.4, cubic=5.0)],
        "bushing": [
            Bushing("s", "one", "two", P, A, stiffness=(10, 20, 30, 4, 5, 6), damping=(1, 2, 3, 0.4, 0.5, 0.6))
        ],
        "joint spring": [JointSpring("s", "pin", 20.0, 1.5, rest=0.3)],
        "limit": [JointLimit("s", "pin", low=-2.0, high=-1.0, stiffness=50.0, damping=2.0)],
        "motors": [Motor("m", "pin", torque=Sine(2.0, 3.0)), Motor("n", "pin", speed=2.0, gain=0.7)],
        "friction": [JointFriction("f", "pin", mu=0.3, radius=0.2, mu_static=0.5, stribeck=2.0, creep=1.5)],
        "forces": [Force("f", "one", (1, 2, 3), P), Force("g", "two", (1, -2, 1), P, "body", Sine(2.0, 1.0, 0.4))],
        "torques": [Torque("f", "one", (1, 2, 3)), Torque("g", "two", (1, -2, 1), "body")],
        "drag": [Drag("d", "two", 0.8, P, medium=(1.0, 0.3, 0.2))],
    }
    for load in loads[name]:
        mech.add_load(load)
    return mech.compile()


@pytest.mark.parametrize("name", [*JOINTS, "planar bodies"])
def test_tangents_of_joints(name: str) -> None:
    """∂(M a + Gᵀλ − Q)/∂(a, v, q) against differences, with all multipliers at work."""
    rng = np.random.default_rng(2)
    if name == "planar bodies":
        mech = two_bodies(rng, "planar")
        mech.add_joint(Hinge("h", "ground", "one", point=(0.1, 0.2, 0)))
        mech.add_joint(Prismatic("p", "one", "two", point=(0.4, 0.2, 0), axis=(1, 0.4, 0)))
        mech.add_joint(Drive("d", "h", Sine(1.0, 2.0)))
    else:
        mech = two_bodies(rng)
        mech.add_joint(JOINTS[name])
    check_tangents(mech.compile(), rng)


@pytest.mark.parametrize(
    "name", ["spring", "bushing", "joint spring", "limit", "motors", "friction", "forces", "torques", "drag"]
)
def test_tangents_of_loads(name: str) -> None:
    """Forces of springs, motors, friction, drag: their derivatives along rotations and velocities
    are exact, also where the axes of a hinge do not agree."""
    rng = np.random.default_rng(3)
    check_tangents(loaded(name, rng), rng)


def check_tangents(system: Any, rng: Any, away: float = 0.2) -> None:
    n = system.nv
    for _ in range(3):
        v, a, lam = rng.normal(size=n), rng.normal(size=n), rng.normal(size=system.m)
        check_tangents_at(system, v, a, lam, away * rng.normal(size=n))  # off the constraints too


def check_tangents_at(system: Any, v: FloatArray, a: FloatArray, lam: FloatArray, away: FloatArray) -> None:
    ask, n = Questions(system), system.nv
    model, move = ask.model, system.retract if system.retract is not None else np.add
    q = move(system.q0, away)
    directions: list[tuple[tuple[float, float, float], Any]] = [
        ((1.0, 0.0, 0.0), lambda d: ask.balance(0.3, q, v, a + d, lam)),
        ((0.0, 1.0, 0.0), lambda d: ask.balance(0.3, q, v + d, a, lam)),
        ((0.0, 0.0, 1.0), lambda d: ask.balance(0.3, move(q, d), v, a, lam)),
    ]
    for c, f in directions:
        out = np.zeros(n * n)
        model.function(JACOBIAN, 0.3, q, v, a, lam, np.array([*c, 1.0]), model.tables, model.scratch, out)
        expected = np.column_stack([slope(lambda s, e=e, f=f: f(s * e)) for e in np.eye(n)])
        np.testing.assert_allclose(out.reshape(n, n), expected, atol=3e-8, err_msg=str(c))


def test_gears_count_whole_turns() -> None:
    """A gear row is zero after a full turn of either wheel where teeth meet again."""
    mech = Mechanism()
    for name, x in (("one", 0.0), ("two", 1.0)):
        mech.add_body(name, 1.0, (1, 1, 1), (x, 0, 0))
        mech.add_joint(Hinge(f"pin {name}", "ground", name, point=(x, 0, 0)))
    mech.add_joint(Gear("mesh", "pin one", "pin two", ratio=41 / 20))
    system = mech.compile()
    ask = Questions(system)
    for turns in np.linspace(0, 50, 101):
        d = np.zeros(12)
        q = system.q0
        d[5], d[11] = 2.05 * turns, -turns
        q = system.retract(q, d)
        assert abs(ask.position(0.0, q, system.v0)[-1]) < 1e-12


@pytest.mark.parametrize("bodies", [("one", "two"), ("two", "one"), ("ground", "two"), ("one", "ground")], ids=str)
def test_friction_by_reactions_along_multipliers(bodies: tuple[str, str]) -> None:
    """∂(M a + Gᵀλ − Q)/∂λ against differences, in full and in the places of sparse rows; with the
    forces of constraint alone it is Gᵀ."""
    rng = np.random.default_rng(5)
    mech = two_bodies(rng)
    mech.add_joint(Spherical("ball", "one", "two", point=(0.5, 0.1, 0.3)))
    mech.add_joint(Hinge("pin", *bodies, point=P, axis=A))
    mech.add_load(JointFriction("f", "pin", mu=0.3, radius=0.2, mu_static=0.5, stribeck=2.0, creep=1.5, preload=2.0))
    system = mech.compile()
    ask, v, a, lam = Questions(system), *rng.normal(size=(2, system.nv)), rng.normal(size=system.m)
    at = 0.3, system.q0, v
    found = ask.columns(*at, lam)
    right = np.array([slope(lambda s, e=e: ask.balance(*at, a, lam + s * e)) for e in np.eye(system.m)]).T  # type: ignore[misc]
    np.testing.assert_allclose(found, right, atol=1e-10)
    assert np.abs(found - ask.G(*at).T).max() > 1e-3
    alone, none = (ask.ask(BALANCE, *at, a, system.nv, x, ideal=True) for x in (lam, 0.0 * lam))
    np.testing.assert_allclose(alone - none, ask.G(*at).T @ lam, atol=1e-13)
    sparse = Questions(system, system.sparse_model()).columns(*at, lam)
    np.testing.assert_allclose(sparse, found, atol=1e-14)
