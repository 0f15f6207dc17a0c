"""Beams as parts of mechanisms: the same motion as a beam of its own, names of places, views,
momentum, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.linear_solvers.blocks import pack, storage_of
from isodyn.mechanism.poses import coordinate_at
from isodyn.systems.questions import Questions

SECTION = iso.Section(EA=1e4, EI=5.0, rhoA=1.0, damping=0.002)


def mechanism(**options: Any) -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_beam("rod", (0, 0), (1, 0), elements=4, section=SECTION, **options)
    return mech


def run(system: Any, **settings: Any) -> iso.Solution:
    return iso.integrate(system, iso.Scheme.optimal(0.8), **({"dt": 1e-3, "t_end": 0.1} | settings))


@pytest.mark.parametrize("model", ["simplified", "cauchy", "green-lagrange"])
def test_clamped_beam_moves_like_a_beam_of_its_own(model: Any) -> None:
    """To rounding, with the same multipliers up to their signs; a fixed joint is a clamp."""
    beam = iso.Beam([(0, 0), (1, 0)], elements=4, section=SECTION, gravity=(0, -9.81), model=model)
    beam.clamp("start")
    beam.force("end", (0.0, 2.0), time=iso.Sine(1.0, 30.0))
    beam.torque("end", 0.3)
    beam.distributed((1.0, 0.5))
    mech = mechanism(model=model)
    mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
    mech.add_load(iso.Force("f", "rod.end", (0.0, 2.0), time=iso.Sine(1.0, 30.0)))
    mech.add_load(iso.Torque("t", "rod[4]", (0, 0, 0.3)))
    mech.add_load(iso.DistributedForce("d", "rod", (1.0, 0.5)))
    one, other = run(beam.compile()), run(mech.compile())
    assert np.abs(one.q - other.q).max() < 1e-12
    assert np.abs(one.v - other.v).max() < 1e-10
    assert np.allclose(one.lam[:, :2], -other.lam[:, :2], atol=1e-8)
    # the rows of direction are n·t = 0 here and the angle there: |t| times the multiplier is the
    # torque of the clamp
    length = np.linalg.norm(other.beam("rod").slopes[:, 0], axis=-1)
    assert np.allclose(np.abs(one.lam[:, 2] * length), np.abs(other.reaction("clamp").torque[:, 2]), atol=1e-8)


def test_polyline_with_welded_corners_moves_like_a_beam_of_its_own() -> None:
    """Two pieces at a right angle."""
    line = [(0, 0), (0, 1), (1, 1)]
    beam = iso.Beam(line, elements=6, section=SECTION, gravity=(0, -9.81))
    beam.clamp("start")
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_beam("frame", line=line, elements=6, section=SECTION)
    mech.add_joint(iso.Fixed("clamp", "ground", "frame.start"))
    one, other = run(beam.compile(), dt=5e-4), run(mech.compile(), dt=5e-4)
    assert np.abs(one.q - other.q).max() < 2e-9
    assert np.abs(other.reaction("frame corner 1").torque[-1, 2]) > 0.5


def test_places_have_names() -> None:
    """Ends, numbers, lengths; one node by any of its names."""
    mech = mechanism()
    beam = mech.beams["rod"]
    assert (beam.start, beam.end, beam.at(0.5), beam.at(-1)) == ("rod[0]", "rod[4]", "rod[2]", "rod[4]")
    mech.add_joint(iso.Hinge("pin", "ground", "rod@0.25"))
    system = mech.compile()
    assert system.q_of("rod@0.25") == system.q_of("rod[1]") == slice(4, 8)
    assert system.names[4:8] == ("rod[1].x", "rod[1].y", "rod[1].dx", "rod[1].dy")
    sol = run(system)
    assert np.abs(sol.body("rod[1]").position - (0.25, 0, 0)).max() < 1e-14
    assert np.array_equal(sol.body("rod.end").position[:, :2], sol.beam("rod").nodes[:, -1])
    assert np.array_equal(sol.reaction("pin", on="rod@0.25").force, sol.reaction("pin").force)


def test_views_of_nodes_are_those_of_a_rigid_rod() -> None:
    """A stiff beam turns like a rigid one, through more than half a turn: angles of its end and of
    the hinge."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    stiff = iso.Section(EA=1e9, EI=1e7, rhoA=1.0)
    mech.add_beam("rod", (0, 0), (1, 0), elements=2, section=stiff, angular_velocity=2.0)
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start"))
    sol = iso.integrate(mech.compile(), iso.Scheme.optimal(0.0), dt=1e-3, t_end=3.0)
    end = sol.body("rod.end")
    assert end.angle.min() < -3.27
    assert np.allclose(sol.joint("pin").angle, end.angle, atol=1e-5)


def test_momenta_are_those_of_rigid_motions() -> None:
    """dᵀM v with d a translation or a rotation of everything, for a beam with a body."""
    mech = mechanism(angular_velocity=2.0)
    mech.add_body("bob", 2.0, 0.1, (1.2, 0.3), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start"))
    mech.add_joint(iso.Hinge("tip", "rod.end", "bob"))
    system = mech.assemble().system
    sol = run(system)
    linear, angular = sol.momentum()
    M = Questions(system).mass(0.0, system.q0, system.v0)
    for k in (0, 50, 100):
        q = sol.q[k]
        across = np.zeros(system.nv)
        for first in range(0, 20, 2):  # positions and slopes turn alike
            across[first], across[first + 1] = -q[first + 1], q[first]
        across[20:] = -q[21], q[20], 1.0
        push = np.zeros(system.nv)
        push[0:20:4] = push[20] = 1.0
        assert abs(push @ M @ sol.v[k] - linear[k, 0]) < 1e-12
        assert abs(across @ M @ sol.v[k] - angular[k, 2]) < 1e-12
    assert abs(linear[-1, 0]) > 0.1


def test_angular_acceleration_of_a_node() -> None:
    """The derivative of its angular velocity, on a beam that bends and stretches a lot."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    soft = iso.Section(EA=30.0, EI=0.5, rhoA=1.0)
    mech.add_beam("rod", (0, 0), (1, 0), elements=2, section=soft)
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start"))
    sol = iso.integrate(mech.compile(), iso.Scheme.midpoint_mpa(), dt=2e-4, t_end=0.6)
    end = sol.body("rod.end")
    slope = np.gradient(end.angular_velocity[:, 2], sol.t, edge_order=2)
    assert np.ptp(np.linalg.norm(sol.beam("rod").slopes[:, -1], axis=-1)) > 0.05
    assert np.abs(end.angular_acceleration[:, 2] - slope)[2:-2].max() < 4e-4 * np.abs(slope).max()


def test_energies_of_a_beam_add_up() -> None:
    """Kinetic, axial and bending energy and weight are the energy of the system; what is lost is
    what damping took."""
    for model in ("simplified", "cauchy", "cauchy-tangent", "green-lagrange", "green-lagrange-tangent"):
        mech = mechanism(model=model)
        mech.add_joint(iso.Hinge("pin", "ground", "rod.start"))
        mech.add_joint(iso.Hinge("slot", "ground", "rod.end"))
        sol = iso.integrate(mech.compile(), iso.Scheme.midpoint_mpa(), dt=2e-4, t_end=0.2)
        T, V = sol.energy()
        beam = sol.beam("rod")
        parts = beam.energies
        assert np.allclose(T, parts.kinetic, atol=1e-12)
        height = beam.shape.momentum(beam.q)[:, 1]  # ∫ρA y dX
        assert np.allclose(V - parts.axial - parts.bending, 9.81 * height, atol=1e-10)
        assert np.allclose(T + V + parts.dissipated, (T + V)[0], atol=2e-3 * parts.dissipated[-1])
        assert parts.dissipated[-1] > 0.01
        assert parts.bending.max() > 0.01


def test_stresses_of_a_section() -> None:
    """N/A at the axis, ∓ M h/2I at the edges; numbers that a section does not know are asked
    for."""
    section = iso.Section.rectangle(E=2e9, rho=7800.0, width=0.02, height=0.01)
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_beam("rod", (0, 0), (1, 0), elements=4, section=section)
    mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
    sol = iso.integrate(mech.compile(), iso.Scheme.optimal(0.8), dt=1e-3, t_end=0.1)
    beam, area, second = sol.beam("rod"), 2e-4, 0.02 * 0.01**3 / 12
    bending = beam.bending_moment() * 0.005 / second
    expected = np.stack([beam.axial_force() / area - bending, beam.axial_force() / area + bending], axis=-1)
    assert np.abs(expected).max() > 1e6
    assert np.allclose(beam.stress(), expected, atol=1e-8 * np.abs(expected).max())
    assert np.allclose(beam.stress(y=0.0), beam.axial_force() / area, atol=1e-3)
    loose = run(mechanism().compile()).beam("rod")
    with pytest.raises(InputError, match="stresses need E"):
        loose.stress()


def test_beams_beside_parts_of_a_user() -> None:
    """A user's load and rows on a body that a beam carries do what the built-in ones do; other
    coordinates are refused."""

    def build(*parts: Any) -> iso.Mechanism:
        mech = mechanism()
        mech.add_body("bob", 1.0, 0.1, (1.2, 0), kind="planar")
        mech.add_joint(iso.Hinge("tip", "rod.end", "bob"))
        for part in parts:
            (mech.add_load if isinstance(part, iso.Force | iso.UserLoad) else mech.add_joint)(part)
        return mech

    force, pin = iso.Force("f", "bob", (1.0, 2.0)), iso.Hinge("pin", "ground", "rod.start")
    built_in = run(
        build(pin, force, iso.PointOnPlane("slot", "ground", "bob", point=(1.2, 0, 0), axis=(0, 1, 0))).compile()
    )
    by_user = run(
        build(
            pin,
            iso.UserLoad("f", "bob", lambda t, pose: (1.0, 2.0, 0.0)),
            iso.UserRows("slot", "bob", lambda pose, t: pose.position[1]),
        ).compile()
    )
    assert np.abs(built_in.q - by_user.q).max() < 1e-8
    spatial = mechanism()
    spatial.add_body("top", 1.0, (1, 1, 1), (1.0, 0, 1))
    spatial.add_joint(iso.Spherical("ball", "rod.end", "top"))
    with pytest.raises(InputError, match="a mechanism with beams needs the coordinates 'rotation'"):
        spatial.compile(coordinates="euler-parameters")


def test_joint_coordinates_at_a_node() -> None:
    """The gradient of the angle of a hinge at a beam is the row of a drive on it; efforts of an
    actuator there."""
    mech = mechanism()
    mech.add_body("bob", 1.0, 0.1, (1.2, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start"))
    mech.add_joint(iso.Hinge("tip", "rod.end", "bob"))
    loose = mech.compile()
    mech.add_joint(iso.Drive("motor", "tip", iso.Polynomial(0.0, 1.0)))
    driven = mech.compile()
    rng = np.random.default_rng(4)
    q, v, a = driven.retract(driven.q0, 0.1 * rng.normal(size=driven.nv)), *rng.normal(size=(2, driven.nv))
    x, gradient = coordinate_at(loose, loose.joints["tip"].coordinates["angle"], q[: loose.nq])
    assert np.allclose(gradient, Questions(driven).G(0.0, q, v)[-1], atol=1e-14)
    assert abs(x - Questions(driven).position(0.0, q, v)[-1]) < 1e-14
    effort = iso.inverse_dynamics(loose, 0.0, q[: loose.nq], v, a, actuators=["tip"])["tip"]
    assert np.allclose(effort, iso.inverse_dynamics(driven, 0.0, q, v, a).drive("motor"), rtol=1e-8)


def test_fill_grows_with_the_number_of_elements() -> None:
    """A beam between two bodies stays a band: factors of twice the elements take twice the
    memory."""
    sizes = []
    for n in (32, 64, 128):
        mech = iso.Mechanism(gravity=(0, -9.81, 0))
        mech.add_beam("rod", (0, 0), (1, 0), elements=n, section=SECTION)
        for end, x in (("start", 0.0), ("end", 1.0)):
            mech.add_body(f"block {end}", 1.0, 0.1, (x, 0), kind="planar")
            mech.add_joint(iso.Fixed(f"weld {end}", f"block {end}", f"rod.{end}"))
        system = mech.compile()
        sizes.append(storage_of(pack(system.layout.sparsity, np.arange(system.m))))
    assert np.diff(sizes)[1] == pytest.approx(2 * np.diff(sizes)[0], rel=0.05)
    assert sizes[2] < 130 * 128


def free(mech: iso.Mechanism, *parts: Any) -> Any:
    for part in parts:
        (mech.add_load if hasattr(part, "time") else mech.add_joint)(part)
    return mech.compile()


def cable() -> iso.Mechanism:
    mech = iso.Mechanism()
    mech.add_beam("rope", (0, 0, 0), (1, 0, 0), elements=2, section=iso.Section(EA=1e4, EI=1.0, rhoA=1.0))
    mech.add_body("bob", 1.0, (0.1, 0.1, 0.1), (1, 0, 0))
    return mech


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: mechanism().add_joint(iso.Hinge("p", "ground", "rod")),
            r"'rod' is a beam\nhint: name a place: 'rod.start'",
        ),
        (
            lambda: mechanism().add_joint(iso.Hinge("p", "ground", "rod.ende")),
            "no body named 'rod.ende'\nhint: did you mean",
        ),
        (lambda: mechanism().add_joint(iso.Hinge("p", "ground", "rod[9]")), "there is no node 9; the beam has 5"),
        (
            lambda: mechanism().add_joint(iso.Hinge("p", "ground", "rod@0.3")),
            "no node 0.3 from the start; the nearest is at",
        ),
        (lambda: mechanism().add_joint(iso.Hinge("p", "rod.end", "rod[4]")), "joins 'rod.end' to itself"),
        (
            lambda: mechanism().add_beam("rod", (0, 0), (1, 0), elements=1, section=SECTION),
            "already a beam named 'rod'",
        ),
        (
            lambda: mechanism().add_beam("a.end", (0, 0), (1, 0), elements=1, section=SECTION),
            "without the signs of places",
        ),
        (lambda: mechanism().add_beam("a", (0, 0), elements=1, section=SECTION), "takes start and end, or line="),
        (lambda: mechanism().add_beam("a", (0, 0), (0, 0), elements=1, section=SECTION), "has no length"),
        (lambda: mechanism().add_beam("a", (0, 0), (1, 0), elements=1, section=1.0), "section must be an iso.Section"),  # type: ignore[arg-type]
        (
            lambda: mechanism().add_load(iso.DistributedForce("d", "rode", (0, 1))),
            "no beam named 'rode'\nhint: did you mean 'rod'",
        ),
        (
            lambda: free(cable(), iso.Fixed("w", "rope.end", "bob")),
            "needs a full frame, but 'rope\\[2\\]' is a node of a cable",
        ),
        (lambda: free(cable(), iso.Hinge("w", "rope.end", "bob", axis=(0, 1, 0))), "a point and a tangent, no twist"),
        (
            lambda: free(cable(), iso.Prismatic("w", "rope.end", "bob", axis=(1, 0, 0))),
            "a point and a tangent, no twist",
        ),
        (lambda: free(cable(), iso.Torque("t", "rope.end", (1, 0, 0), "body")), "has a tangent but no twist"),
    ],
)
def test_what_is_refused(build: Any, message: str) -> None:
    """By name, with a way out."""
    with pytest.raises(InputError, match=message):
        build()


def test_beams_that_do_not_meet_are_torn() -> None:
    """A joint without a point between ends that are apart; a line whose pieces do not follow each
    other."""
    mech = mechanism()
    mech.add_beam("next", (1.1, 0), (2, 0), elements=2, section=SECTION)
    mech.add_joint(iso.Fixed("weld", "rod.end", "next.start"))
    with pytest.raises(InputError, match=r"joint 'weld': 'rod\[4\]' at .* and 'next\[0\]' at .* are apart"):
        mech.compile()
    with pytest.raises(
        InputError, match=r"the line is torn: piece 0 ends at \[1.0, 0.0\], piece 1 begins at \[1.1, 0.0\]"
    ):
        iso.Beam([((0, 0), (1, 0)), ((1.1, 0), (2, 0))], elements=4, section=SECTION)
    whole = iso.Beam([((0, 0), (1, 0)), ((1, 0), (2, 0))], elements=4, section=SECTION)
    assert whole.length == 2.0
