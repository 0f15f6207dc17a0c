"""Rough positions become consistent ones; velocities follow from given rates by the least
change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import isodyn as iso
import linkages
from isodyn.errors import ConflictError, InputError
from isodyn.systems.questions import Questions

POINTS = [np.array(p, dtype=float) for p in linkages.FOUR_BAR]


def rough_four_bar(rng=None, scale: float = 0.08, planar: bool = False) -> iso.Mechanism:
    """Joints by points and axes in the bodies; the bodies lie about the right place."""
    rng = rng or np.random.default_rng(0)
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    halves = []
    for name, A, B in zip(linkages.BARS, POINTS[:-1], POINTS[1:], strict=True):
        half = np.linalg.norm(B - A) / 2
        halves.append(half)
        angle = np.arctan2(*(B - A)[1::-1])
        centre = (A + B) / 2 + rng.normal(scale=scale, size=3) * ((1, 1, 0) if planar else 1)
        if planar:
            mech.add_body(name, 1.0, 0.02, centre, angle + rng.normal(scale=scale), kind="planar")
        else:
            from scipy.spatial.transform import Rotation

            turn = Rotation.from_rotvec(rng.normal(scale=scale, size=3)) * Rotation.from_rotvec([0, 0, angle])
            mech.add_body(name, 1.0, (0.001, 0.02, 0.02), centre, turn)
    z = (0, 0, 1)
    for k, (first, second) in enumerate(zip(("ground", *linkages.BARS), (*linkages.BARS, "ground"), strict=True)):
        p = POINTS[0] if first == "ground" else (halves[k - 1], 0, 0)
        q = POINTS[3] if second == "ground" else (-halves[k], 0, 0)
        mech.add_joint(iso.Hinge("ABCD"[k], first, second, points=(p, q), axes=(z, z)))
    return mech


def gap(system) -> float:
    return float(np.abs(Questions(system).position(0.0, system.q0, system.v0)).max())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("planar", [True, False])
def test_rough_four_bar(seed, planar):
    mech = rough_four_bar(np.random.default_rng(seed), planar=planar)
    found = mech.assemble()
    assert gap(mech.compile()) > 0.01
    assert gap(found.system) < 1e-13
    assert found.gap_before == pytest.approx(gap(mech.compile()))
    assert 0 < max(r for r, _ in found.moved.values()) < 0.5
    assert mech.mobility().freedoms == 1
    crank = found.q[found.system.q_of("crank")]
    assert crank[1] > 0  # the branch that was near


@pytest.mark.parametrize("seed", range(4))
def test_rough_spatial_loop(seed):
    """Bennett's loop put down roughly: closed only with all its rows, of which three depend on the
    others where it closes."""
    system = linkages.bennett().compile()
    from isodyn.mechanism.assembly import assemble

    rough = system.retract(system.q0, np.random.default_rng(seed).normal(scale=0.05, size=system.nv))
    object.__setattr__(system, "q0", rough)
    found = assemble(system)
    assert gap(found.system) < 1e-12
    assert found.steps < 30


def test_held_bodies_stay():
    mech = rough_four_bar(planar=True)
    crank = mech.bodies["crank"]
    place = (0, 0.15, 0)
    mech.bodies["crank"] = replace(crank, position=np.array(place, dtype=float), angle=np.pi / 2)
    found = mech.assemble(hold=["crank"])
    assert found.moved["crank"] == (0.0, 0.0)
    assert gap(found.system) < 1e-13


def test_given_angle_and_rate():
    """The crank at 0.4 rad from where it was, turning at 3 rad/s."""
    mech = linkages.four_bar()
    found = mech.assemble(positions={"A": 0.4}, rates={"A": 3.0})
    sol = iso.integrate(found.system, dt=1e-3, t_end=1e-2)
    assert sol.joint("A").angle[0] == pytest.approx(0.4, abs=1e-12)
    assert sol.joint("A").angle_rate[0] == pytest.approx(3.0, abs=1e-12)
    assert sol.drift().largest[1] < 1e-12


@pytest.mark.parametrize(
    ("make", "rates"),
    [(lambda: linkages.double_wishbone(False), {"lower": 0.7}), (lambda: linkages.four_bar(planar=True), {})],
)
def test_velocity_is_the_nearest_in_the_mass_norm(make, rates):
    """The change is M⁻¹ times constraint forces: no work on motions that the joints allow and the
    rates leave free."""
    from isodyn.mechanism.assembly import assemble
    from isodyn.mechanism.poses import coordinate_at
    from isodyn.systems.manifold import freedoms

    system = make().compile()
    given = np.random.default_rng(5).normal(size=system.nv)
    object.__setattr__(system, "v0", given)
    found, ask = assemble(system, rates=rates), Questions(system)
    rows = ask.G(0.0, found.q, given)
    assert np.abs(rows @ found.v).max() < 1e-12
    for name, rate in rates.items():
        g = coordinate_at(system, system.joints[name].coordinates["angle"], found.q)[1]
        assert g @ found.v == pytest.approx(rate, abs=1e-12)
        rows = np.vstack([rows, g])
    N = freedoms(rows, np.ones(rows.shape[1]))[0]
    assert N.shape[1] == 1
    assert np.abs(N.T @ ask.mass(0.0, found.q, given) @ (found.v - given)).max() < 1e-12


@pytest.mark.parametrize("planar", [True, False])
def test_integrate_assembles_the_same(planar):
    mech = rough_four_bar(np.random.default_rng(2), planar=planar)
    with pytest.raises((InputError, ConflictError)):
        iso.integrate(mech.compile(), dt=1e-3, t_end=1e-3)
    sol = iso.integrate(mech.compile(), dt=1e-3, t_end=5e-3, assemble=True)
    assert sol.drift().largest[0] < 1e-12
    assert np.abs(sol.q[0] - mech.assemble().q).max() < 0.05


def test_a_loop_that_cannot_close_names_the_open_rows():
    mech = rough_four_bar(planar=True)
    mech.joints["D"] = iso.Hinge(
        "D", "rocker", "ground", points=((0.25, 0, 0), (3.0, 0, 0)), axes=((0, 0, 1), (0, 0, 1))
    )
    with pytest.raises(ConflictError, match=r"cannot be closed .* open: '.*: point [xy]' by"):
        mech.assemble()


def test_out_of_reach_and_impossible_rates():
    mech = linkages.four_bar(planar=True)
    with pytest.raises(ConflictError, match=r"no position has '[AD]' = "):
        mech.assemble(positions={"D": 4.0, "A": 0.0})
    with pytest.raises(ConflictError, match="no velocity keeps all joints and the given rates"):
        mech.assemble(rates={"A": 1.0, "D": 5.0})
    with pytest.raises(InputError, match="hold: there is no body named 'crnk'"):
        mech.assemble(hold=["crnk"])
    with pytest.raises(InputError, match="there is no joint named 'E'"):
        mech.assemble(rates={"E": 1.0})


def test_rates_of_some_joints_fix_the_others_and_are_told():
    start = rough_four_bar(planar=True).assemble(rates={"A": 3.0})
    sol = iso.integrate(start.system, dt=1e-3, t_end=1e-3)
    for (joint, which), rate in start.rates.items():
        assert sol.joint(joint).coordinate_rate(which)[0] == pytest.approx(rate, abs=1e-9)
    assert start.rates["A", "angle"] == pytest.approx(3.0)
    assert set(start.rates) == {(name, "angle") for name in "ABCD"}
    assert start.undetermined == 0
    told = str(start)
    assert "rates given: A angle 3\n" in told
    assert "rates that follow: B angle " in told


def test_rates_that_leave_something_open_say_so():
    mech = iso.Mechanism()
    mech.add_body("upper", 1.0, 0.1, (0.5, 0), kind="planar")
    mech.add_body("lower", 1.0, 0.1, (1.5, 0), kind="planar")
    mech.add_joint(iso.Hinge("shoulder", "ground", "upper", point=(0, 0)))
    mech.add_joint(iso.Hinge("elbow", "upper", "lower", point=(1, 0)))
    start = mech.assemble(rates={"shoulder": 2.0})
    assert start.undetermined == 1
    assert "1 velocity is fixed by neither joints nor rates" in str(start)
    assert "rates" not in str(mech.assemble())
