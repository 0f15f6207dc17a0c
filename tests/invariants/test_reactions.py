"""What every joint does to its bodies: equal and opposite, in equilibrium with the accelerations,
and without work unless it is driven.

One test over all classes that `add_joint` takes and all kinds of bodies; a new class enters by
itself (tests/every_joint.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

import every_joint
import isodyn as iso
import isodyn.joints
from history_shapes import check_view
from isodyn.errors import InputError
from isodyn.joints import measures
from isodyn.joints.unilateral import ContactPart
from isodyn.joints.words import Pair, Row, RowKind
from isodyn.kernels.compiled import FloatArray
from isodyn.multibody.histories import value_at_start
from isodyn.results.ensemble import with_start

ROUNDING = 1e-9
BOTH_SIDES = [("ground", "spatial"), ("spatial", "ground"), ("spatial", "spatial")]
PAIRS = [
    *BOTH_SIDES,
    *[("ground", "planar"), ("planar", "ground"), ("planar", "planar"), ("planar", "spatial"), ("spatial", "planar")],
    *[("ground", "particle"), ("particle", "ground"), ("particle", "particle"), ("spatial", "particle")],
    *[("ground", "node"), ("node", "ground"), ("planar", "node"), ("ground", "cable"), ("cable", "spatial")],
]
NO_MEANING = (
    "needs? orientations|no meaning between planar|needs a full frame|needs a spatial body|which is a particle|lie in their plane"
    "|must be perpendicular|is the z axis|are apart"
)


def motion(mech: iso.Mechanism) -> iso.Solution:
    """From velocities that the joints allow; accelerations and multipliers of every row belong to
    its state to rounding."""
    # by differences, in Python
    if any(isinstance(joint, iso.UserRows) for joint in mech.joints.values()):
        return iso.integrate_adaptive(mech.assemble().system, t_end=0.003, rtol=1e-3, atol=1e-3, save=2)
    return iso.integrate_adaptive(mech.assemble().system, t_end=0.05, rtol=1e-6, atol=1e-6, save=3)


def everything_on(sol: iso.Solution, names: list[str], about: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sum of all reactions on a body, or on all nodes of a beam, with torques about one point."""
    force, torque = np.zeros((2, sol.t.size, 3))
    for joint in sol.system.joints:
        for name in sol.reaction(joint).bodies:
            if name in names:
                reaction = sol.reaction(joint, on=name)
                force, torque = force + reaction.force, torque + reaction.torque_about(about)
    return force, torque


def check_newton_and_euler(sol: iso.Solution) -> None:
    """Forces and torques of gravity, loads and all joints make bodies and beams accelerate as they
    do."""
    for body in sol.system.bodies:
        if body.of_beam:
            continue
        view = sol.body(body.name)
        force, torque = everything_on(sol, [body.name], view.position)
        change = body.mass * (view.acceleration - every_joint.GRAVITY)
        w, J = view.angular_velocity, body.inertia
        spin = np.einsum("kij,kj->ki", view.R, view.angular_acceleration @ J + np.cross(w, w @ J))
        axes, turns = {"planar": ([0, 1], [2]), "particle": ([0, 1, 2], [])}.get(body.kind, ([0, 1, 2], [0, 1, 2]))
        if body.kind != "planar":
            change = change - every_joint.PUSH
        size = body.mass * np.abs(view.acceleration).max() + np.abs(spin).max() + np.abs(force).max()
        assert np.abs(force - change)[:, axes].max() < ROUNDING * size, body.name
        assert np.abs(torque - spin)[:, turns].max(initial=0.0) < ROUNDING * size, body.name
    for name, part in sol.system.beams.items():
        beam, at = sol.beam(name), sol.system.v_of
        a = np.concatenate([sol.a[:, at(node.name)] for node in part.nodes], axis=1)
        force, torque = everything_on(sol, [node.name for node in part.nodes], np.zeros(3))
        dim = beam.shape.dim
        change = beam.shape.momentum(a) - _weight(beam)[:dim]
        size = np.abs(change).max() + np.abs(force).max()
        assert np.abs(force[:, :dim] - change).max() < ROUNDING * size, name
        moments = beam.shape.angular_momentum(beam.q, a) - _moment_of_weight(beam)
        turns = [2] if dim == 2 else [0, 1, 2]
        assert np.abs(torque - moments)[:, turns].max() < ROUNDING * (size + np.abs(moments).max()), name


def _weight(beam: Any) -> FloatArray:
    return np.sum(beam.shape.of_section("rhoA") * beam.shape.lengths) * every_joint.GRAVITY


def _moment_of_weight(beam: Any) -> FloatArray:
    first = beam.shape.momentum(beam.q)  # ∫ρA R dX
    arm = np.zeros((first.shape[0], 3))
    arm[:, : first.shape[1]] = first
    pull = every_joint.GRAVITY * ((1, 1, 0) if first.shape[1] == 2 else 1)
    return np.cross(arm, pull)


def power(sol: iso.Solution, reaction: Any) -> FloatArray:
    """Of a reaction on its body, as it moves at the point where the reaction acts."""
    if reaction.on == "ground":
        return np.zeros(sol.t.size)
    body = sol.body(reaction.on)
    spin = np.einsum("kij,kj->ki", body.R, body.angular_velocity)
    v = body.velocity + np.cross(spin, reaction.point - body.position)
    return np.sum(reaction.force * v + reaction.torque * spin, axis=1)


def check_joint(sol: iso.Solution, name: str) -> None:
    """Opposite on its bodies, about any point; no work, or that of the drive; and not nothing."""
    usual = sol.reaction(name)
    all_of_it = [sol.reaction(name, on=body) for body in usual.bodies]
    size = max(np.abs(r.force).max() + np.abs(r.torque).max() for r in all_of_it)
    assert usual.on in usual.bodies
    assert size > 1e-3
    assert np.abs(usual.force).max() + np.abs(usual.torque).max() > 1e-3, f"nothing acts on {usual.on!r}"
    assert np.abs(sum(r.force for r in all_of_it)).max() < ROUNDING * size
    for point in (np.zeros(3), np.array([1.0, -2.0, 0.7]), usual.point):
        assert np.abs(sum(r.torque_about(point) for r in all_of_it)).max() < 10 * ROUNDING * size
    work = sum(power(sol, r) for r in all_of_it)
    expected = np.zeros(sol.t.size)
    driven = [r for r in sol.system.joints[name].rows if sol.system.rows[r].target is every_joint.DRIVEN]
    for row in driven:
        expected -= sol.lam[:, row] * (0.4 + 1.8 * sol.t)
    assert np.abs(work - expected).max() < 10 * ROUNDING * size * max(1.0, np.abs(sol.v).max())
    assert np.abs(expected).max() > 1e-3 or not driven


def check_class(cls: type, pairs: Any, seed: int) -> None:
    """Each joint of each mechanism that can be built, then Newton's and Euler's equations of each
    body; to rounding, at several times."""
    built = []
    for kinds in pairs:
        try:
            mech = every_joint.make(cls, kinds, seed)
        except InputError as error:
            if not re.search(NO_MEANING, str(error)):
                raise
            continue
        built.append(kinds)
        sol = motion(mech)
        for name in sol.system.joints:
            check_joint(sol, name)
            for view in (sol.joint(name), sol.reaction(name)):
                check_view(view, sol.t.size)
        check_newton_and_euler(sol)
    assert set(BOTH_SIDES) <= set(built)


@pytest.mark.slow
@pytest.mark.parametrize("cls", every_joint.classes(), ids=lambda cls: cls.__name__)
def test_every_joint(cls: type) -> None:
    check_class(cls, PAIRS, 3)


@pytest.mark.long
@pytest.mark.parametrize("cls", every_joint.classes(), ids=lambda cls: cls.__name__)
def test_every_joint_between_all_kinds(cls: type) -> None:
    kinds = product(every_joint.KINDS, every_joint.KINDS)
    check_class(cls, [pair for pair in kinds if pair != ("ground", "ground")], 20)


def test_all_exported_classes_are_among_them() -> None:
    exported = {getattr(isodyn.joints, name) for name in isodyn.joints.__all__}
    exported = {cls for cls in exported if not issubclass(cls, ContactPart)}  # their forces: tests/reference
    assert exported - {isodyn.joints.Joint} == set(every_joint.classes())


@dataclass(frozen=True)
class Guide(isodyn.joints.Joint):
    """A joint that no test knows: a point of the second body on a line of the first."""

    def rows(self, pair: Pair) -> list[Row]:
        return [pair.offset(1), pair.offset(2)]


@dataclass(frozen=True)
class Lopsided(isodyn.joints.Joint):
    """A row that changes when both bodies turn as one: points apart along a direction of the
    world."""

    def rows(self, pair: Pair) -> list[Row]:
        word = pair.word(measures.POINT, u=np.array([0.0, 0.6, 0.8]), s_j=pair.s_j + np.array([1.0, 2.0, 3.0]))
        return [pair.row("level", RowKind.OFFSET, word, value_at_start(word, pair.first, pair.second))]


@dataclass(frozen=True)
class Unknown(Guide):
    """A joint with a field that the test has no value for."""

    slackness: float = 0.0


def test_a_new_class_needs_no_new_test_and_a_wrong_one_is_found() -> None:
    check_class(Guide, BOTH_SIDES, 3)
    with pytest.raises(AssertionError, match="assert"):
        check_class(Lopsided, BOTH_SIDES[2:], 3)
    with pytest.raises(AssertionError, match=r"Unknown has fields \['slackness'\]"):
        check_class(Unknown, BOTH_SIDES, 3)


@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize("at", ["rod.start", "rod[1]"])
def test_welded_cross_sections_of_points(at: str, exchanged: bool) -> None:
    """A weld holds three points of a rod in absolute nodal coordinates: its reaction is that of all
    of them, on its second body, as of a rod whose nodes are bodies. It had been the force on one
    point, ten times the weight, without a torque."""
    stiff = {"EA": 4e4, "GAy": 2e4, "GAz": 2e4, "GJ": 40.0, "EIy": 50.0, "EIz": 50.0}
    section = iso.Section(**stiff, rhoA=1.0, rhoIy=1e-3, rhoIz=1e-3, rhoJ=2e-3)
    found = []
    for model in ("exact", "absolute-nodal"):
        mech = iso.Mechanism(gravity=(0, 0, -9.81))
        mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=2, section=section, model=model)
        mech.add_joint(iso.Fixed("weld", *((at, "ground") if exchanged else ("ground", at))))
        mech.add_load(iso.Force("push", "rod.end", (0.5, 1.0, 2.0)))
        system = mech.compile()
        sol = iso.integrate(with_start(system, iso.equilibrium(system).q, system.v0), dt=1e-4, t_end=1e-4)
        weld = sol.reaction("weld")
        assert np.allclose(weld.force, -sol.reaction("weld", on=weld.bodies[weld.on == weld.bodies[0]]).force)
        found.append((weld.force[0], weld.torque_about((0, 0, 0))[0]))
    sign = -1.0 if exchanged else 1.0
    assert np.allclose(found[1][0], sign * np.array([-0.5, -1.0, 9.81 - 2.0]), atol=1e-6)
    assert np.allclose(found[1][1], found[0][1], atol=2e-3)
