"""Users' `@njit` loads and rows inside the step against the same functions in Python."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from numba import njit

import isodyn as iso
from isodyn.errors import CallableError
from isodyn.kernels.compiled import ACCELERATION, BALANCE, CONSTRAINT, JACOBIAN, POSITION, VELOCITY
from isodyn.mechanism.hybrid import Hybrid, UserMechanismSystem
from isodyn.systems.model import from_python
from isodyn.systems.questions import Questions

S = np.array([0.2, 0.1, 0.05])


def rod(p: Any, q: Any, t: float) -> Any:
    d = q.position + q.R @ S - p.position - p.R @ S
    return np.array([np.sqrt(d @ d) - 1.0 - 0.1 * np.sin(t), d[0] * d[1] + p.R[0, 1] * q.R[1, 0]])


def height(p: Any, t: float) -> float:
    return p.position[0] + p.R[1, 0] - 0.3 * t * t


def pull(t: float, p: Any) -> Any:
    arm = p.R @ S
    f = -40.0 * (p.position + arm) - 0.8 * (p.velocity + np.cross(p.R @ p.angular_velocity, arm)) * (1.0 + t)
    return f, np.cross(arm, f)


def drag(t: float, p: Any) -> Any:
    return -0.3 * p.velocity * np.sqrt(p.velocity @ p.velocity)


def sideways(p: Any, t: float) -> Any:
    """A blade behind the mass centre, not linear in the rates."""
    u = p.velocity + p.R @ np.cross(p.angular_velocity, -S)
    out = np.zeros(1)
    out[:] = p.R[0, 1] * u[0:1] + p.R[1, 1] * u[1:2] + 0.2 * np.sin(t) * p.velocity[0:1] ** 2
    return out


def towed(p: Any, q: Any, t: float) -> float:
    """Velocities along the tangent of the first, and how fast it turns."""
    d, w = p.velocity - q.velocity, p.R @ p.angular_velocity
    return d[0] * p.R[0, 0] + d[1] * p.R[1, 0] + d[2] * p.R[2, 0] + 0.1 * p.R[1, 0] * (w @ w) - 0.1 * t


def aligned(p: Any, q: Any, t: float) -> float:
    """The point S of the second along the tangent of the first."""
    d = q.position + q.R @ S - p.position
    return d[0] * p.R[0, 0] + d[1] * p.R[1, 0] + d[2] * p.R[2, 0]


def slowed(t: float, p: Any) -> Any:
    """A force and a torque that see the tangent and both rates."""
    e = p.R[:, 0].copy()
    return 2.0 * e - 0.8 * (1.0 + t) * p.velocity, -0.3 * (1.0 + e[0]) * (p.R @ p.angular_velocity)


SOFT = iso.Section(EA=1.0, EI=0.01, rhoA=0.4)


def with_beam(wrap: Any, *, space: bool, few: bool = False) -> UserMechanismSystem:
    """Parts at nodes of a soft beam, φ and ψ mixed; a few of them compile fast."""
    end = (0.2, 0.1) if space else (0.1,)
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_beam("rod", (0.0,) * (3 if space else 2), (1.0, *end), elements=2, section=SOFT)
    if space:
        mech.add_body("bob", 0.5, (0.02, 0.03, 0.04), (1.1, 0.2, 0.1), angular_velocity=(0.5, 1, -1.5))
    else:
        mech.add_body("bob", 0.5, 0.02, (1.1, 0.05), velocity=(0, 0.7, 0), kind="planar")
    mech.add_joint(iso.UserRows("towed", ("rod[1]", "bob"), psi=wrap(towed)))
    if not few:
        mech.add_joint(iso.UserRows("blade", "bob", psi=wrap(sideways)))
        mech.add_joint(iso.UserRows("aligned", ("rod.end", "bob"), wrap(aligned)))
        mech.add_load(iso.UserLoad("slowed", "rod.end", wrap(slowed)))
    else:
        mech.add_joint(iso.Distance("string", "ground", "bob", points=[(0.3, 0.4), (1.1, 0.05)]))
    system = mech.compile()
    assert isinstance(system, UserMechanismSystem)
    return system


def mechanism(wrap: Any) -> UserMechanismSystem:
    """A ball that rolls on a floor, a body in space and a particle, with parts of users in all of
    them; rows of rolling stand between rows of users and rates."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("one", 1.0, (0.1, 0.2, 0.25), (0.5, 0, 0.5), (0.8, 0.6, 0, 0))
    mech.add_joint(iso.RollingSphere("floor", "one", radius=0.5))
    mech.add_body("two", 2.0, (0.3, 0.2, 0.25), (1.5, 0.4, 0.2), None, (0.3, 0, -0.1), (0.5, 1, -1.5))
    mech.add_body("three", 0.5, position=(0.2, -1.0, 0.3), kind="particle")
    mech.add_joint(iso.Distance("string", "ground", "three", points=[(0, 0, 0.3), (0.2, -1.0, 0.3)]))
    mech.add_joint(iso.UserRows("rod", ("one", "two"), wrap(rod)))
    mech.add_joint(iso.UserRows("height", "two", wrap(height)))
    mech.add_load(iso.UserLoad("pull", "one", wrap(pull)))
    mech.add_load(iso.UserLoad("drag", "three", wrap(drag)))
    system = mech.compile()
    assert isinstance(system, UserMechanismSystem)
    return system


def compare(system: UserMechanismSystem, plain: UserMechanismSystem) -> None:
    """Compiled and interpreted answers to every question, at states off the constraints."""
    assert system.model().callback is None  # nothing goes through Python
    ask = Questions(system), Questions(plain, from_python(Hybrid(plain), plain.traits))
    rng = np.random.default_rng(3)
    n, m = system.nv, system.m
    for t in (0.0, 0.7):
        d = 0.3 * rng.standard_normal(n)
        q = system.q0 + d if system.retract is None else system.retract(system.q0, d)
        v, a, lam = rng.standard_normal(n), rng.standard_normal(n), rng.standard_normal(m)
        for what, size, allowed in (
            (BALANCE, n, 1e-10),
            (POSITION, m, 1e-14),
            (VELOCITY, m, 1e-10),
            (ACCELERATION, m, 1e-8),
            (CONSTRAINT, m * n, 1e-10),
        ):
            one, two = (x.ask(what, t, q, v, a, size, lam) for x in ask)
            assert np.abs(one - two).max() <= allowed * (1.0 + np.abs(two).max()), what
        for weights in ((1.0, 0.0, 0.0), (0.7, 0.3, 0.0), (0.7, 0.0, 0.2), (0.7, 0.3, 0.2)):
            one, two = (x.ask(JACOBIAN, t, q, v, a, n * n, lam, weights) for x in ask)
            assert np.abs(one - two).max() <= 1e-7 * np.abs(two).max()


@pytest.mark.long
@pytest.mark.parametrize("make", [mechanism, partial(with_beam, space=False), partial(with_beam, space=True)])
def test_all_questions(make: Any) -> None:
    """Bodies, a rolling ball, a particle and nodes of beams; rows φ and ψ, and loads."""
    compare(make(njit), make(lambda function: function))


@pytest.mark.long
def test_rates_of_a_node_and_a_body() -> None:
    """Rows ψ between the two, behind a row of the library."""
    compare(with_beam(njit, space=False, few=True), with_beam(lambda function: function, space=False, few=True))


@pytest.mark.slow
def test_a_motion_and_its_reactions() -> None:
    """A pendulum on a user's row, with a user's drag: q, v, a, λ and the reaction of the row."""

    def run(wrap: Any) -> iso.Solution:
        mech = iso.Mechanism(gravity=(0, -9.81, 0))
        mech.add_body("bob", 1.5, 0.2, (1.0, 0, 0), 0.3, kind="planar")
        mech.add_joint(iso.UserRows("rod", "bob", wrap(lambda p, t: np.sqrt(p.position @ p.position) - 1.0)))
        mech.add_load(iso.UserLoad("air", "bob", wrap(drag)))
        return iso.integrate(mech, dt=0.01, t_end=1.0)

    compiled, plain = run(njit), run(lambda function: function)
    for name in ("q", "v", "a", "lam"):
        assert np.abs(getattr(compiled, name) - getattr(plain, name)).max() <= 1e-7
    assert np.abs(compiled.reaction("rod").force - plain.reaction("rod").force).max() <= 1e-7


def test_what_compiled_functions_cannot_do() -> None:
    """Methods of poses, and wrong sizes, are told at compilation with the name of the part."""
    mech = iso.Mechanism()
    mech.add_body("bob", 1.0, (1, 1, 1), (1.0, 0, 0))
    mech.add_load(iso.UserLoad("push", "bob", njit(lambda t, pose: pose.point(S))))
    with pytest.raises(CallableError, match=r"does not compile: .*point") as caught:
        mech.compile().model()
    assert "in the user-defined load 'push'" in caught.value.__notes__
    assert any("no methods" in note for note in caught.value.__notes__)
    mech.loads.clear()
    mech.add_load(iso.UserLoad("push", "bob", njit(lambda t, pose: np.zeros(4))))
    with pytest.raises(CallableError, match="'push' returned shape"):
        mech.compile().model()
