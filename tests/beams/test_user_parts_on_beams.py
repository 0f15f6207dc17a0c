"""Rows and loads that a user writes for nodes of beams against the same ones of the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.kernels.compiled import JACOBIAN
from isodyn.systems.questions import Questions

SECTION = iso.Section(EA=2e4, EI=3.0, rhoA=0.4)
SOFT = iso.Section(EA=1.0, EI=0.01, rhoA=0.4)
ARM = np.array([0.1, 0.05, 0.0])


def planar(*parts: Any, section: iso.Section = SECTION) -> iso.Mechanism:
    """A rod from the origin with a body beyond its end."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_beam("rod", (0, 0), (1, 0), elements=3, section=section, angular_velocity=0.7)
    mech.add_body("bob", 0.5, 0.02, (1.1, 0.05), velocity=(0, 0.7, 0), kind="planar")
    return with_parts(mech, parts)


def spatial(*parts: Any, section: iso.Section = SECTION) -> iso.Mechanism:
    """The same of a cable in space."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=3, section=section, angular_velocity=(0, 0.4, 0.7))
    mech.add_body("bob", 0.5, (0.02, 0.03, 0.04), (1.1, 0, 0), velocity=(0, 0.77, -0.44))
    return with_parts(mech, parts)


def with_parts(mech: iso.Mechanism, parts: Any) -> iso.Mechanism:
    for part in parts:
        (mech.add_joint if isinstance(part, iso.Hinge | iso.Spherical | iso.UserRows) else mech.add_load)(part)
    return mech


def tip_hinge(p: Any, q: Any, t: float) -> Any:
    """The end of the rod and a point of the bob coincide."""
    return (q.point(-ARM) - p.position)[:2]


def tip_ball(p: Any, q: Any, t: float) -> Any:
    return q.point((-0.1, 0.0, 0.0)) - p.position


def follower(t: float, pose: Any) -> Any:
    """Along the normal of the rod, and damping of its turning."""
    spin = pose.R @ pose.angular_velocity
    return 2.0 * (1 + t) * pose.R[:, 1], np.array([0.0, 0.0, 0.3]) - 0.2 * spin


def drag(t: float, pose: Any) -> Any:
    """A force along the tangent, and a torque that resists turning."""
    return 1.5 * pose.R[:, 0] - 0.1 * pose.velocity, -0.2 * (pose.R @ pose.angular_velocity)


def built_in(space: bool) -> iso.Mechanism:
    if space:
        pin = iso.Spherical("pin", "ground", "rod.start")
        return spatial(pin, iso.Spherical("tip", "rod.end", "bob", point=(1, 0, 0)))
    return planar(iso.Hinge("pin", "ground", "rod.start"), iso.Hinge("tip", "rod.end", "bob", point=(1, 0)))


def by_user(space: bool) -> iso.Mechanism:
    if space:
        return spatial(
            iso.UserRows("pin", "rod.start", lambda p, t: p.position), iso.UserRows("tip", ("rod.end", "bob"), tip_ball)
        )
    return planar(
        iso.UserRows("pin", "rod[0]", lambda p, t: p.position[:2]), iso.UserRows("tip", ("rod@1.0", "bob"), tip_hinge)
    )


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
def test_a_users_joint_moves_like_the_librarys(space: bool) -> None:
    """Motion, multipliers and reactions of joints at both ends."""
    one, two = (
        iso.integrate(mech.compile(), dt=2e-3, t_end=0.06, assemble=True) for mech in (built_in(space), by_user(space))
    )
    assert np.abs(one.q - two.q).max() < 1e-9
    assert np.abs(one.v - two.v).max() < 1e-7
    for name in ("pin", "tip"):
        r, s = one.reaction(name), two.reaction(name)
        assert r.on == s.on
        assert np.abs(r.force - s.force).max() < 1e-5 * np.abs(r.force).max()
    end = two.reaction("tip", on="rod.end")
    assert np.allclose(end.force, -two.reaction("tip").force, atol=1e-8 * np.abs(end.force).max())


def random_state(system: Any, seed: int) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    q, v = system.q0 + 0.15 * rng.normal(size=system.nq), rng.normal(size=system.nv)
    if system.retract is not None:
        q = system.retract(q, np.zeros(system.nv))
    return q, v, rng.normal(size=system.nv), rng.normal(size=system.m)


def clamped(p: Any, t: float) -> Any:
    """A direction of the end that follows a given turn; the slope alone decides."""
    return p.R[0, 0] * np.sin(0.3 + t) - p.R[1, 0] * np.cos(0.3 + t)


def turning(p: Any, q: Any, t: float) -> Any:
    """Rates of the end along its tangent, and how fast it turns."""
    w = p.R @ p.angular_velocity
    return (p.velocity - q.velocity) @ p.R[:, 0] + 0.1 * p.R[1, 0] * (w @ w) - 0.2 * t


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("torque", [False, True], ids=["point", "slope"])
def test_derivatives_of_users_rows_at_nodes(space: bool, torque: bool) -> None:
    """φ̇, φ̈ and ψ̇ against differences along a path of q; ∂(Gᵀλ − Q)/∂q and ∂/∂v against differences
    of the balance.

    The rod is soft, so that its own stiffness does not hide them.
    """
    rows = iso.UserRows("own", "rod.end", clamped) if torque else iso.UserRows("own", ("rod.end", "bob"), tip_hinge)
    if space and not torque:
        rows = iso.UserRows("own", ("rod.end", "bob"), tip_ball)
    load = iso.UserLoad("load", "rod[1]", drag if space else follower)
    hold = iso.UserRows("hold", ("rod.start", "bob"), lambda p, q, t: p.position[0] - q.position[0] + 1)
    turn = iso.UserRows("turn", ("rod.end", "bob"), psi=turning)
    system = (spatial if space else planar)(rows, hold, turn, load, section=SOFT).compile()
    ask = Questions(system)
    q, v, a, lam = random_state(system, 5)
    t, h = 0.2, 1e-4

    def along(s: float, question: Any = ask.position) -> Any:
        d = s * v + 0.5 * s * s * a
        moved = q + d if system.retract is None else system.retract(q, d)
        return question(t + s, moved, v + s * a)

    rate, held = (along(h) - along(-h)) / (2 * h), system.m_phi
    assert np.abs(rate - ask.velocity(t, q, v)[:held]).max() < 1e-6
    second = (along(h) - 2 * along(0.0) + along(-h)) / h**2
    of_rates = (along(h, ask.velocity) - along(-h, ask.velocity))[held:] / (2 * h)
    assert np.abs(np.append(second, of_rates) - ask.acceleration(t, q, v, a)).max() < 1e-5
    model, c = system.model(), np.array([0.0, 0.7, 1.3, 1.0])
    J = np.empty(system.nv**2)
    model.function(JACOBIAN, t, q, v, a, lam, c, model.tables, model.scratch, J)

    def balance(s: float, e: Any) -> Any:
        moved = q + 1.3 * s * e if system.retract is None else system.retract(q, 1.3 * s * e)
        return ask.balance(t, moved, v + 0.7 * s * e, a, lam)

    differences = np.array([(balance(1e-6, e) - balance(-1e-6, e)) / 2e-6 for e in np.eye(system.nv)]).T
    assert np.abs(J.reshape(system.nv, -1) - differences).max() < 1e-5


def test_a_users_load_at_a_node_is_the_librarys() -> None:
    """A dead force and torque at the tip of a rod."""
    hinge = iso.Hinge("pin", "ground", "rod.start"), iso.Hinge("tip", "rod.end", "bob", point=(1, 0))
    library = iso.Force("f", "rod.end", (1.0, 3.0)), iso.Torque("m", "rod.end", (0, 0, 0.4))
    own = iso.UserLoad("both", "rod.end", lambda t, p: ((1.0, 3.0, 0.0), (0.0, 0.0, 0.4)))
    one, two = (iso.integrate(planar(*hinge, *x).compile(), dt=2e-3, t_end=0.06) for x in (library, (own,)))
    assert np.abs(one.q - two.q).max() < 1e-9


def test_users_parts_of_cables_see_no_twist() -> None:
    """Rows and loads that turn with a node about its tangent are refused by name; so is a node with
    itself."""
    tip = iso.Spherical("tip", "rod.end", "bob", point=(1, 0, 0))
    with pytest.raises(InputError, match="rows 'across' needs a full frame, but 'rod\\[3\\]' is a node of a cable"):
        spatial(tip, iso.UserRows("across", "rod.end", lambda p, t: p.R[0, 1])).compile()
    with pytest.raises(InputError, match="load 'side' needs a full frame"):
        spatial(tip, iso.UserLoad("side", "rod.end", lambda t, p: p.R[:, 2])).compile()
    with pytest.raises(InputError, match=r"joins 'rod\.end' to itself"):
        planar(iso.UserRows("same", ("rod.end", "rod[3]"), tip_hinge))
