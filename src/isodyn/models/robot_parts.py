"""The mechanism that links and connections of a robot make.

Links that cannot move against each other become one body, with their masses added; the world is one
of them. A body has the name and frame of the first of its links. Connections that move become
joints, written at the start, so that loops may close anywhere. What a file says about a joint
besides (damping, friction, springs, limits, the inertia of a rotor) becomes loads, and a rotor:

    ½ a ẋ²    a flywheel of inertia a that hangs on the ground and turns by x     (exact in the mass matrix)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from isodyn.bodies.body import GROUND
from isodyn.errors import InputError
from isodyn.joints import Coupling, Cylindrical, Hinge, Planar, Prismatic, Screw, Spherical, Universal
from isodyn.loads import FormulaMotor, JointLimit, JointSpring
from isodyn.models.import_summary import ImportedMechanism, Place
from isodyn.models.looks import Looks
from isodyn.models.lumps import WORLD, Frame, Lump, Scale, mended, misses_triangle
from isodyn.models.robot import COORDINATES, HUGE, WORLD_LINK, Connection, Dynamics, Motion, Robot
from isodyn.models.xml_source import Element

if TYPE_CHECKING:
    from isodyn.joints.joint import Joint

CREEP = 1e-2  # rate below which Coulomb friction of a file is smoothed to creeping


class Built:
    """A mechanism in the making: names of the file, and what they became."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.summary = robot, robot.summary
        self.mech = ImportedMechanism(gravity=robot.gravity)
        self.mech.import_summary = self.summary
        self.taken = {GROUND, ""}  # names in the mechanism, where all parts share one set
        self.leader = self._groups()
        self.names: dict[str, str] = {WORLD_LINK: GROUND}  # a link to its body
        moving = [c for c in robot.connections if c.motion is not Motion.FIXED]
        for c in moving:
            if not np.abs(c.point).max() < HUGE:
                raise c.element.wrong(f"its place lies beyond {HUGE:g}")
        for name in robot.links:
            body = self.leader[name]
            if name != body:
                self.taken.add(name)  # names of merged links stay free: nothing else is called so
        for name in robot.links:
            if self.leader[name] == name:
                self.names[name] = self.called(robot.noun, name)
        for name in robot.links:
            self.names[name] = self.names[self.leader[name]]
        self._bodies(moving)
        self.joint_names = self.summary.joints
        for connection in moving:
            self._joint(connection)
        self._places()

    # ---- names

    def called(self, kind: str, name: str, *, tell: bool = True) -> str:
        """The name of a part in the mechanism: its own, unless another part has it."""
        free = name
        while free in self.taken:
            free += f"_{kind}"
        if free != name and tell:
            self.summary.change(f"{kind} {name!r} is called {free!r}: the name is taken")
        self.taken.add(free)
        return free

    # ---- bodies

    def _groups(self) -> dict[str, str]:
        """The first link of those that move as one, by link."""
        order = {name: k for k, name in enumerate((WORLD_LINK, *self.robot.links))}
        leader = {name: name for name in order}

        def find(name: str) -> str:
            while leader[name] != name:
                leader[name] = name = leader[leader[name]]
            return name

        for c in self.robot.connections:
            if c.motion is Motion.FIXED:
                one, two = sorted((find(c.first), find(c.second)), key=lambda name: order[name])
                leader[two] = one
        return {name: find(name) for name in order}

    def _bodies(self, moving: list[Connection]) -> None:
        links, summary = self.robot.links, self.summary
        total: dict[str, Lump] = {}
        looks: dict[str, Looks] = {}
        for name, link in links.items():
            link.refuse_huge()
            top = self.leader[name]
            frame = link.frame.inside(links[top].frame if top else WORLD)
            total[top] = total.get(top, Lump.none()) + link.lump.seen_from(frame)
            looks[top] = looks.get(top, Looks()).joined(link.looks.seen_from(frame))
            if name != top:
                where = "the ground" if top == WORLD_LINK else f"body {self.names[top]!r}"
                summary.change(f"{self.robot.noun} {name!r} belongs to {where}")
        scale = self._scale(total, moving)
        heavy = self._carries(total, moving)
        for top, lump in total.items():
            if top == WORLD_LINK:
                continue
            link, name = links[top], self.names[top]
            if scale.mass == 0.0:
                raise link.element.wrong("nothing that moves has a mass", hint="give <inertial> with mass and inertia")
            sound, said = mended(lump, scale, not heavy[top])
            if said and top in self.robot.between:
                summary.change(
                    f"between the joints of {top.rpartition('/')[0]!r} stands a frame of {sound.mass:.3g} kg"
                )
            elif said:
                summary.mend(f"{self.robot.noun} {top!r} {said}")
            self._body(name, link.frame, sound, looks[top])

    def _body(self, name: str, frame: Frame, lump: Lump, looks: Looks) -> None:
        """A body; moments that no body has are used as they are written, as other engines do."""
        J, impossible = lump.inertia, misses_triangle(lump.inertia)
        if impossible:
            self.summary.mend(
                f"{self.robot.noun} {name!r}: no body has the principal moments "
                f"{np.linalg.eigvalsh(J).tolist()}; used as written"
            )
            J = np.trace(J) / 3 * np.eye(3)
        with np.errstate(all="ignore"):
            body = self.mech.add_body(name, lump.mass, J, frame.p, frame.R, centre_of_mass=lump.centre)
        self.mech.bodies[name] = replace(
            body, inertia=lump.inertia if impossible else body.inertia, shape=looks if looks.parts else None
        )

    def _scale(self, total: dict[str, Lump], moving: list[Connection]) -> Scale:
        """Mass and size of all that moves; the size of nothing is one."""
        mass = sum(lump.mass for top, lump in total.items() if top != WORLD_LINK)
        points = [c.point for c in moving] + [
            self.robot.links[top].frame.p + self.robot.links[top].frame.R @ lump.centre
            for top, lump in total.items()
            if top != WORLD_LINK
        ]
        size = float(np.ptp(np.array(points), axis=0).max()) if points else 0.0
        turns = max((float(np.trace(lump.inertia)) for top, lump in total.items() if top != WORLD_LINK), default=0.0)
        if mass > 0 and turns > 0:  # also a single body about its mass centre has a size
            size = max(size, float(np.sqrt(turns / mass)))
        return Scale(float(mass), size or 1.0)

    def _carries(self, total: dict[str, Lump], moving: list[Connection]) -> dict[str, bool]:
        """Whether a body has a mass itself or carries one: what hangs on it, link by link
        outward."""
        after: dict[str, list[str]] = {}
        for c in moving:
            after.setdefault(self.leader[c.first], []).append(self.leader[c.second])
        heavy: dict[str, bool] = {top: lump.mass > 0 for top, lump in total.items()}
        for _ in total:
            more = {top for top, ends in after.items() if not heavy.get(top) and any(heavy.get(end) for end in ends)}
            if not more:
                break
            heavy |= dict.fromkeys(more, True)
        return heavy

    def _places(self) -> None:
        for name, link in self.robot.links.items():
            self.summary.links[name] = self.place(name, link.frame)

    def place(self, link: str, frame: Frame) -> Place:
        """A frame of the world at the start as a place on the body of a link."""
        top = self.leader[link]
        own = frame.inside(self.robot.links[top].frame if top else WORLD)
        return Place(self.names[link], own.p, own.R)

    # ---- joints

    def _joint(self, c: Connection) -> None:
        if c.motion is Motion.FREE:
            if self.names[c.first] != GROUND:
                self.summary.change(
                    f"joint {c.name!r} is free: {c.second!r} moves in the world, not against {c.first!r}"
                )
            return
        first, second = self.names[c.first], self.names[c.second]
        if first == second:
            raise c.element.wrong(f"{c.first!r} and {c.second!r} are fixed to each other, so it cannot move")
        name = self.called("joint", c.name)
        self.summary.joints[c.name] = name
        self.mech.add_joint(self._made(c, name, first, second))
        if c.limits is not None:
            self.summary.limits[name] = c.limits
        if c.motion in COORDINATES:
            self._loads(c, name)
        elif c.dynamics != Dynamics():
            self.summary.ignore(f"joint {c.name!r}: damping, friction, springs and rotors of a {c.motion.value} joint")

    def _made(self, c: Connection, name: str, first: str, second: str) -> Joint:
        where = {"point": c.point, "axis": c.axis}
        match c.motion:
            case Motion.HINGE:
                return Hinge(name, first, second, **where, start=self._start(c))
            case Motion.SLIDE:
                return Prismatic(name, first, second, **where, start=c.start)
            case Motion.BALL:
                return Spherical(name, first, second, point=c.point)
            case Motion.PLANAR:
                return Planar(name, first, second, **where)
            case Motion.CYLINDER:
                return Cylindrical(name, first, second, **where)
            case Motion.SCREW:
                return Screw(name, first, second, **where, pitch=c.pitch)
            case _:
                return Universal(name, first, second, **where, second_axis=c.second_axis)

    def _start(self, c: Connection) -> float:
        turn = c.start - 2 * np.pi * np.round(c.start / (2 * np.pi))
        if turn != c.start:
            self.summary.change(f"joint {c.name!r} starts at {turn:g}, whole turns less than {c.start:g}")
        return float(turn)

    def _loads(self, c: Connection, name: str) -> None:
        d, mech = c.dynamics, self.mech
        if d.damping or d.stiffness:
            kind = "spring" if d.stiffness else "damping"
            part = self.called("load", f"{name}_{kind}", tell=False)
            mech.add_load(JointSpring(part, name, stiffness=d.stiffness, damping=d.damping, rest=d.rest))
        if d.friction:
            part = self.called("load", f"{name}_friction", tell=False)
            law = "-friction*tanh(coordinate_rate/creep)"
            mech.add_load(FormulaMotor(part, name, law, parameters={"friction": d.friction, "creep": CREEP}))
            self.summary.change(f"joint {c.name!r}: friction {d.friction:g} is smoothed below a rate of {CREEP:g}")
        if d.armature:
            self._rotor(name, d.armature)
        limits = c.limits
        if limits is None or (limits.lower is None and limits.upper is None):
            return
        k = self.robot.limit_stiffness
        if k is None:
            self.summary.ignore(f"joint {c.name!r}: limits; give limit_stiffness= for springs there")
            return
        far = 1e9
        low, high = (far * s if x is None else x for x, s in ((limits.lower, -1.0), (limits.upper, 1.0)))
        part = self.called("load", f"{name}_limit", tell=False)
        mech.add_load(JointLimit(part, name, low, high, k, self.robot.limit_damping))

    def _rotor(self, joint: str, armature: float) -> None:
        """A flywheel on the ground that turns as the joint does: its energy is that of the rotor,
        and nothing else of it is felt."""
        rotor, axle, gear = (self.called("rotor", f"{joint}_{x}", tell=False) for x in ("rotor", "axle", "rotor_gear"))
        self.mech.add_body(rotor, armature, armature, kind="planar")
        self.mech.add_joint(Hinge(axle, GROUND, rotor, point=(0, 0, 0)))
        self.mech.add_joint(Coupling(gear, {joint: 1.0, (axle, "angle"): -1.0}))

    def couple(self, name: str, weights: dict[str, float]) -> None:
        """A sum of joint coordinates stays what it is at the start."""
        self.mech.add_joint(Coupling(self.called("coupling", name, tell=False), weights))

    def refuse_nothing(self, root: Element) -> None:
        """A file in which nothing moves makes no mechanism."""
        if not self.mech.bodies:
            raise InputError(
                f"{root.place}: {root.called}: nothing in it moves",
                hint="a base that may move: floating=True" if self.summary.format == "URDF" else None,
            )
