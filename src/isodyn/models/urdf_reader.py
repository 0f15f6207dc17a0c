"""Reading the elements of URDF: links with mass and looks, joints with what they carry, joints that
mimic others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from isodyn.errors import InputError
from isodyn.models.import_summary import ImportedMechanism, ImportSummary, Limits
from isodyn.models.looks import Looks, found_mesh, mesh_looks, missing_mesh, primitive
from isodyn.models.lumps import Frame, Lump, tensor
from isodyn.models.robot import (
    COORDINATES,
    WORLD_LINK,
    Connection,
    Dynamics,
    Link,
    Motion,
    Robot,
    list_unknown,
    refuse_negative,
    unit_axis,
)
from isodyn.models.robot_parts import Built
from isodyn.models.xml_source import Element

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isodyn.kernels.compiled import FloatArray

KINDS = {
    "revolute": Motion.HINGE,
    "continuous": Motion.HINGE,
    "prismatic": Motion.SLIDE,
    "fixed": Motion.FIXED,
    "planar": Motion.PLANAR,
    "floating": Motion.FREE,
}
IN_LINK = ("inertial", "visual")
IN_JOINT = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")


class UrdfReader:
    """A URDF file on its way to a robot."""

    def __init__(
        self, root: Element, start: dict[str, float], folder: Path | None, packages: dict[str, Path], meshes: bool
    ) -> None:
        self.root, self.start, self.folder, self.packages, self.meshes = root, start, folder, packages, meshes
        self.summary = ImportSummary("URDF", root.get("name") or "", root.file)
        self.robot = Robot(self.summary, None)
        self.links, self.joints = self.by_name("link"), self.by_name("joint")
        for name in start:
            if name not in self.joints:
                raise InputError(f"there is no joint named {name!r}", hint=f"joints: {', '.join(self.joints)}")
        for name, link in self.links.items():
            list_unknown(self.summary, link, IN_LINK, f"link {name!r}")
        for name, joint in self.joints.items():
            list_unknown(self.summary, joint, IN_JOINT, f"joint {name!r}")
        others = Counter(
            f"<{node.tag}> {node.get('name') or node.get('reference') or ''}".strip()
            for node in root
            if node.tag not in ("link", "joint")
        )
        for what, many in others.items():
            self.summary.ignore(what if many == 1 else f"{what}, {many} times")

    def by_name(self, tag: str) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for node in self.root.all(tag):
            name = node.get("name")
            if not name or name in found:
                raise node.wrong(f"every <{tag}> needs a name of its own, received {name!r}")
            found[name] = node
            self.summary.read[tag] += 1
        return found

    def mechanism(self, base: Frame, floating: bool) -> ImportedMechanism:
        children, root = self.tree()
        self.positions = {name: self.position_of(name, ()) for name in self.joints}
        self.add_link(root, base)
        motion = Motion.FREE if floating else Motion.FIXED
        self.robot.connections.append(Connection("", motion, WORLD_LINK, root, self.links[root], base.p, base.R[2]))
        todo = [(root, base)]
        while todo:
            link, frame = todo.pop(0)
            todo += [self.add_joint(name, link, frame) for name in children[link]]
        lost = [name for name in self.links if name not in self.robot.links]
        if lost:
            raise InputError(
                f"{self.root.place}: links {', '.join(lost)} are not connected with {root!r}: their joints form a loop",
                hint="URDF holds trees; close loops with joints of a Mechanism",
            )
        built = Built(self.robot)
        built.refuse_nothing(self.root)
        self.mimics(built)
        self.summary.warn()
        return built.mech

    def tree(self) -> tuple[dict[str, list[str]], str]:
        """Joints below each link, and the link that has none above it."""
        if not self.links:
            raise InputError(
                f"{self.root.place}: this robot has no links",
                hint="a file for xacro has to be expanded first: xacro robot.urdf.xacro > robot.urdf",
            )
        children: dict[str, list[str]] = {name: [] for name in self.links}
        parents: dict[str, str] = {}
        for name, joint in self.joints.items():
            first, second = (self.link_of(joint, end) for end in ("parent", "child"))
            if second in parents:
                raise joint.wrong(
                    f"link {second!r} has two parents", hint="URDF holds trees; close loops with joints of a Mechanism"
                )
            parents[second] = first
            children[first].append(name)
        roots = [name for name in self.links if name not in parents]
        if len(roots) != 1:
            which = f": {', '.join(roots)}" if roots else ", so its joints form a loop"
            raise InputError(
                f"{self.root.place}: a URDF file has one link without parent, received {len(roots)}{which}"
            )
        return children, roots[0]

    def link_of(self, joint: Element, end: str) -> str:
        node = joint.find(end)
        link = None if node is None else node.get("link")
        if link is None or link not in self.links:
            raise joint.wrong(f"its {end} {link!r} is no link", hint=f"links: {', '.join(self.links)}")
        return link

    # ---- links

    def add_link(self, name: str, frame: Frame) -> None:
        node = self.links[name]
        self.robot.add_link(Link(name, frame, self.lump(node), node, self.looks(node)))

    def lump(self, node: Element) -> Lump:
        inertial = node.find("inertial")
        if inertial is None:
            return Lump.none()
        mass, J = inertial.find("mass"), inertial.find("inertia")
        m = 0.0 if mass is None else mass.number("value", 0.0)
        if m < 0:
            raise node.wrong(f"its mass must not be negative, received {m:g}")
        six = [0.0] * 6 if J is None else [J.number(key, 0.0) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
        return Lump(m, np.zeros(3), tensor(*six)).seen_from(_origin(inertial))

    def looks(self, node: Element) -> Looks:
        """Its visual shapes; what is not there is listed."""
        parts = []
        for visual in node.all("visual"):
            geometry = visual.find("geometry")
            for shape in [] if geometry is None else geometry:
                try:
                    parts.append((self.look(node, shape), _origin(visual)))
                except InputError as error:
                    self.summary.ignore(f"{node.called}: <visual>: {error.message}")
        return Looks(tuple((made, frame) for made, frame in parts if made is not None))

    def look(self, link: Element, shape: Element) -> Any:
        if shape.tag == "mesh":
            name = shape.get("filename") or ""
            path = found_mesh(name, self.folder, self.packages) if self.meshes else None
            if path is None:
                why = missing_mesh(name, self.packages) if self.meshes else "meshes=False"
                self.summary.ignore(f"{link.called}: <visual> mesh {name!r} ({why})")
                return None
            return mesh_looks(path, shape.numbers("scale", 3, (1.0, 1.0, 1.0)))
        keys = {"box": (), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}
        if shape.tag not in keys:
            self.summary.ignore(f"{link.called}: <visual> <{shape.tag}>")
            return None
        sizes = shape.numbers("size", 3) if shape.tag == "box" else [shape.number(key) for key in keys[shape.tag]]
        return primitive(shape.tag, sizes)

    # ---- joints

    def motion_of(self, name: str) -> Motion:
        joint = self.joints[name]
        kind = joint.get("type") or ""
        if kind not in KINDS:
            raise joint.wrong(f"there is no type {kind!r}", hint=f"known: {', '.join(KINDS)}")
        return KINDS[kind]

    def add_joint(self, name: str, parent: str, frame: Frame) -> tuple[str, Frame]:
        """A joint and the link behind it; where that is."""
        joint, motion = self.joints[name], self.motion_of(name)
        link = self.link_of(joint, "child")
        there = frame.then(_origin(joint))
        axis = there.R @ self.axis(joint, motion)
        x = self.positions[name]
        here = there
        if motion is Motion.HINGE and x:
            here = Frame(Rotation.from_rotvec(x * axis).as_matrix() @ there.R, there.p)
        elif motion is Motion.SLIDE and x:
            here = Frame(there.R, there.p + x * axis)
        self.add_link(link, here)
        made = Connection(name, motion, parent, link, joint, there.p, axis, x)
        made.dynamics, made.limits = self.dynamics(joint), self.limits(joint, motion)
        if motion is Motion.SLIDE:
            made.point = here.p  # where the two parts touch at the start
        self.robot.connections.append(made)
        return link, here

    def axis(self, joint: Element, motion: Motion) -> FloatArray:
        node = joint.find("axis")
        if motion in (Motion.FIXED, Motion.FREE) or node is None:
            return np.array([1.0, 0.0, 0.0])
        return unit_axis(joint, node.numbers("xyz", 3, (1.0, 0.0, 0.0)))

    def dynamics(self, joint: Element) -> Dynamics:
        node = joint.find("dynamics")
        if node is None:
            return Dynamics()
        found = {key: node.number(key, 0.0) for key in ("damping", "friction")}
        refuse_negative(joint, **found)
        return Dynamics(**found)

    def limits(self, joint: Element, motion: Motion) -> Limits | None:
        node = joint.find("limit")
        if node is None or motion not in COORDINATES:
            return None
        effort, velocity = (node.number(key) if node.get(key) else None for key in ("effort", "velocity"))
        if effort is not None or velocity is not None:
            self.summary.ignore(f"{joint.called}: effort and velocity of <limit>")
        if joint.get("type") == "continuous":
            return Limits(None, None, effort, velocity)
        low, high = node.number("lower", 0.0), node.number("upper", 0.0)
        if not low < high:
            self.summary.ignore(f"{joint.called}: limits from {low:g} to {high:g}")
            return Limits(None, None, effort, velocity)
        return Limits(low, high, effort, velocity)

    # ---- joints that follow others

    def mimic(self, name: str) -> tuple[str, float, float] | None:
        """What a joint follows: (joint, multiplier, offset)."""
        joint = self.joints[name]
        node = joint.find("mimic")
        if node is None or self.motion_of(name) not in COORDINATES:
            return None
        other = node.get("joint")
        if other not in self.joints:
            raise joint.wrong(f"it mimics {other!r}, which is no joint", hint=f"joints: {', '.join(self.joints)}")
        return str(other), node.number("multiplier", 1.0), node.number("offset", 0.0)

    def position_of(self, name: str, above: tuple[str, ...]) -> float:
        """The coordinate of a joint at the start."""
        if name in above:
            raise self.joints[name].wrong(f"joints mimic each other in a circle: {', '.join((*above, name))}")
        given, mimic = self.start.get(name), self.mimic(name)
        if mimic is None:
            if given and self.motion_of(name) not in COORDINATES:
                raise self.joints[name].wrong(
                    f"it is {self.joints[name].get('type')}: it has no position",
                    hint="revolute, continuous and prismatic joints have",
                )
            return float(given or 0.0)
        other, ratio, offset = mimic
        meant = ratio * self.position_of(other, (*above, name)) + offset
        if given is not None and abs(meant - given) > 1e-9:
            raise self.joints[name].wrong(f"it mimics {other!r}: it must start at {meant:g}, received {given:g}")
        return meant

    def mimics(self, built: Built) -> None:
        for name, joint in self.joints.items():
            mimic = self.mimic(name)
            if mimic is None:
                if joint.find("mimic") is not None:
                    self.summary.leave_out(f"{joint.called}: <mimic> of a {joint.get('type')} joint")
                continue
            other, ratio, _ = mimic
            weights = {built.summary.joints[name]: 1.0}
            if self.motion_of(other) not in COORDINATES:
                self.summary.change(f"{joint.called}: held, since it mimics {other!r}, which has no coordinate")
            elif ratio:
                weights[built.summary.joints[other]] = -ratio
            built.couple(f"{name}_mimic", weights)
            self.summary.read["mimic"] += 1


def everything(root: Element) -> Iterator[Element]:
    """All elements of a tree."""
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        todo += node.children


def _origin(node: Element) -> Frame:
    """<origin xyz rpy>: roll, pitch, yaw about fixed axes."""
    origin = node.find("origin")
    if origin is None:
        return Frame.of()
    return Frame.rpy(origin.numbers("xyz", 3, (0.0, 0.0, 0.0)), origin.numbers("rpy", 3, (0.0, 0.0, 0.0)))
