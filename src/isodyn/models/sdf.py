"""SDF, the format of Gazebo: models with links and joints, loops among them, to a `Mechanism`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.models.import_summary import ImportedMechanism, ImportSummary, Limits
from isodyn.models.looks import Looks, found_mesh, mesh_looks, primitive
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
from isodyn.models.sdf_frames import Files, Scope, pose_of
from isodyn.models.xml_source import Element, read_xml

KINDS = {
    "revolute": Motion.HINGE,
    "continuous": Motion.HINGE,
    "prismatic": Motion.SLIDE,
    "ball": Motion.BALL,
    "universal": Motion.UNIVERSAL,
    "revolute2": Motion.HINGE,
    "screw": Motion.SCREW,
    "fixed": Motion.FIXED,
}
IN_LINK = ("pose", "inertial", "visual")
IN_JOINT = ("pose", "parent", "child", "axis", "axis2", "thread_pitch", "screw_thread_pitch")
IN_MODEL = ("pose", "link", "joint", "frame", "model", "include", "static", "gravity")
ENDLESS = 1e15  # limits beyond this are none


def load_sdf(
    path: str | bytes | Path,
    *,
    gravity: ArrayLike | None = None,
    limit_stiffness: float | None = None,
    limit_damping: float = 0.0,
    packages: Mapping[str, str | Path] | None = None,
    meshes: bool = True,
) -> ImportedMechanism:
    """The mechanism of an SDF file: a world, or models by themselves.

    Links of models that nothing holds are free. Poses follow `relative_to`, axes `expressed_in`;
    joints may close loops. Names in nested models are those of SDF, "gripper::finger".

    Parameters
    ----------
    path
        The file, or its text.
    gravity
        In place of that of the file; (0, 0, −9.8) where neither says anything.
    limit_stiffness, limit_damping
        Joint limits act as springs and dampers of this strength; without them they are only listed
        in `import_summary.limits`.
    packages
        Folders of models, for uris such as model://NAME; parent folders of the file are searched
        too.
    meshes
        Read visual meshes, for drawing.

    Returns
    -------
    ImportedMechanism
        A `Mechanism`; its `import_summary` says what was read, changed and ignored.

    Raises
    ------
    InputError
        With file, line and element, where the file is no SDF or contradicts itself.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.load_sdf('''
    ...   <sdf version="1.9"><model name="pendulum"><link name="rod"><pose>0.5 0 1 0 0 0</pose>
    ...     <inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.09</iyy><izz>0.09</izz></inertia></inertial></link>
    ...   <joint name="pin" type="revolute"><pose>-0.5 0 0 0 0 0</pose><parent>world</parent><child>rod</child>
    ...     <axis><xyz>0 1 0</xyz></axis></joint></model></sdf>''')
    >>> mech.joints["pin"].point.tolist()
    [0.0, 0.0, 1.0]
    """
    root = read_xml(path, "SDF")
    if root.tag != "sdf":
        raise InputError(f"{root.place}: an SDF file begins with <sdf>, received <{root.tag}>")
    folder = Path(root.file).resolve().parent if root.file else None
    known = {name: Path(place) for name, place in (packages or {}).items()}
    world = root.find("world") or root
    model = root.find("model")
    summary = ImportSummary("SDF", (world.get("name") or (model.get("name") if model else "")) or "", root.file)
    robot = Robot(summary, _gravity(world) if gravity is None else gravity)
    robot.limit_stiffness, robot.limit_damping = limit_stiffness, limit_damping
    reader = SdfReader(Scope(world, None, "", Files(folder, known, summary)), robot, folder, known, meshes)
    built = Built(reader.robot)
    built.refuse_nothing(root)
    for second, first, ratio in reader.mimics:
        for name in (second, first):
            if name not in summary.joints or robot_motion(robot, name) not in COORDINATES:
                raise InputError(f"{root.place}: joint {second!r} mimics {first!r}: {name!r} has no coordinate")
        built.couple(f"{second}_mimic", {summary.joints[second]: 1.0, summary.joints[first]: -ratio})
        summary.read["mimic"] += 1
    summary.warn()
    return built.mech


def robot_motion(robot: Robot, name: str) -> Motion | None:
    """How a joint moves, by name."""
    return next((c.motion for c in robot.connections if c.name == name), None)


def _gravity(world: Element) -> FloatArray:
    node = world.find("gravity")
    return np.array([0.0, 0.0, -9.8]) if node is None else node.whole("gravity", 3)


class SdfReader:
    """Links and joints of all models on their way to a robot."""

    def __init__(
        self, world: Scope, robot: Robot, folder: Path | None, packages: dict[str, Path], meshes: bool
    ) -> None:
        self.robot, self.summary = robot, robot.summary
        self.folder, self.packages, self.meshes = folder, packages, meshes
        self.mimics: list[tuple[str, str, float]] = []
        scopes = world.everything()
        for scope in scopes:
            for name, node in scope.links.items():
                self.link(scope, name, node)
            if not scope.is_world:
                list_unknown(self.summary, scope.node, IN_MODEL, scope.node.called)
        for node in world.node if world.node.tag == "world" else ():
            if node.tag not in IN_MODEL:
                self.summary.ignore(f"<{node.tag}> {node.get('name') or ''}".strip())
        for scope in scopes:
            if _yes(scope.node, "static"):
                for name, node in scope.links.items():
                    own = self.robot.links[scope.prefix + name].frame
                    self.robot.connections.append(
                        Connection(name, Motion.FIXED, WORLD_LINK, scope.prefix + name, node, own.p, own.R[:, 2])
                    )
        for scope in scopes:
            for name, node in scope.joints.items():
                self.joint(scope, name, node)

    # ---- links

    def link(self, scope: Scope, name: str, node: Element) -> None:
        frame = scope.pose(node, name)
        if node.find("gravity") is not None and not _yes(node, "gravity", True):
            self.summary.ignore(f"{node.called}: it falls, though its file takes gravity from it")
        list_unknown(self.summary, node, (*IN_LINK, "gravity"), node.called)
        self.robot.add_link(Link(scope.prefix + name, frame, self.lump(node), node, self.looks(node)))
        self.summary.read["link"] += 1

    def lump(self, node: Element) -> Lump:
        """Of <inertial>; one kilogram with unit moments where nothing is said, as the format has
        it."""
        inertial = node.find("inertial")
        if inertial is None:
            self.summary.change(f"{node.called} has no <inertial>: 1 kg and 1 kg m², as the format has it")
            return Lump(1.0, np.zeros(3), np.eye(3))
        if inertial.yes("auto", False):
            raise node.wrong("inertia from collision shapes is not read", hint="give mass and inertia")
        mass, J = _number(inertial, "mass", 1.0), inertial.find("inertia")
        refuse_negative(node, mass=mass)
        usual = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0}
        keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        six = [usual.get(key, 0.0) if J is None else _number(J, key, usual.get(key, 0.0)) for key in keys]
        return Lump(mass, np.zeros(3), tensor(*six)).seen_from(pose_of(inertial)[0])

    def looks(self, node: Element) -> Looks:
        parts = []
        for visual in node.all("visual"):
            geometry = visual.find("geometry")
            for shape in [] if geometry is None else geometry:
                try:
                    made = self.look(node, shape)
                except InputError as error:
                    self.summary.ignore(f"{node.called}: <visual>: {error.message}")
                    continue
                if made is not None:
                    parts.append((made, pose_of(visual)[0]))
        return Looks(tuple(parts))

    def look(self, link: Element, shape: Element) -> Any:
        if shape.tag == "mesh":
            uri, scale = shape.find("uri"), shape.find("scale")
            name = "" if uri is None else uri.text.strip()
            path = found_mesh(name, self.folder, self.packages) if self.meshes else None
            if path is not None:
                return mesh_looks(path, (1.0, 1.0, 1.0) if scale is None else scale.whole("scale", 3))
        keys = {"sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}
        size = shape.find("size") or shape.find("radii")
        if shape.tag in ("box", "ellipsoid") and size is not None:
            return primitive(shape.tag, size.whole("size", 3))
        if shape.tag in keys:
            return primitive(shape.tag, [_number(shape, key, None) for key in keys[shape.tag]])
        self.summary.ignore(f"{link.called}: <visual> <{shape.tag}>")
        return None

    # ---- joints

    def joint(self, scope: Scope, name: str, node: Element) -> None:
        kind, full = node.get("type") or "", scope.prefix + name
        list_unknown(self.summary, node, IN_JOINT, node.called)
        if kind == "gearbox":
            self.summary.leave_out(f"{node.called}, a gearbox,")
            return
        if kind not in KINDS:
            raise node.wrong(f"there is no type {kind!r}", hint=f"known: gearbox, {', '.join(KINDS)}")
        first, second = (scope.link(node, self.end(node, tag)) for tag in ("parent", "child"))
        frame = scope.pose(node, name)
        axes = [self.axis(scope, node, tag, frame) for tag in ("axis", "axis2")]
        c = Connection(full, KINDS[kind], first, second, node, frame.p, axes[0], second_axis=axes[1])
        c.pitch = self.pitch(node) if kind == "screw" else 0.0
        ends = {"axis": c}
        if kind == "revolute2":
            middle = f"{full}/1"
            self.robot.add_link(Link(middle, frame, Lump.none(), node))
            self.robot.between.add(middle)
            c.second = middle
            ends["axis2"] = Connection(f"{full}_2", Motion.HINGE, middle, second, node, frame.p, axes[1])
        elif kind == "universal" and self.dynamics(node, "axis2") != Dynamics():
            self.summary.ignore(f"{node.called}: damping and friction of its second axis")
        for tag, made in ends.items():
            if kind != "fixed":
                made.dynamics, made.limits = self.dynamics(node, tag), self.limits(node, tag, kind)
                self.mimic(scope, node, tag, made.name)
            self.robot.connections.append(made)
        self.summary.read["joint"] += 1

    def end(self, node: Element, tag: str) -> str:
        child = node.find(tag)
        text = "" if child is None else child.text.strip() or (child.get("link") or "")
        if not text:
            raise node.wrong(f"<{tag}> is missing")
        return text

    def axis(self, scope: Scope, node: Element, tag: str, frame: Frame) -> FloatArray:
        """An axis in the world: given in the frame of the joint, or as `expressed_in` says."""
        axis = node.find(tag)
        xyz = None if axis is None else axis.find("xyz")
        if axis is None or xyz is None:
            return frame.R[:, 2]
        expressed = xyz.get("expressed_in") or ("__model__" if _yes(axis, "use_parent_model_frame") else "")
        R = scope.pose(xyz, expressed).R if expressed else frame.R
        return np.asarray(R @ unit_axis(node, xyz.whole("xyz", 3, (0.0, 0.0, 1.0))))

    def pitch(self, node: Element) -> float:
        """Displacement per radian: screw_thread_pitch is metres per turn, thread_pitch −radians per
        metre."""
        new, old = node.find("screw_thread_pitch"), node.find("thread_pitch")
        x = float(new.whole("screw_thread_pitch", 1)[0]) / (2 * np.pi) if new is not None else 0.0
        if new is None:
            turns = 1.0 if old is None else float(old.whole("thread_pitch", 1)[0])
            x = -1.0 / turns if turns else 0.0
        if x == 0.0:
            raise node.wrong("the pitch of a screw must not be zero")
        return x

    def dynamics(self, node: Element, tag: str) -> Dynamics:
        axis = node.find(tag)
        found = None if axis is None else axis.find("dynamics")
        if found is None:
            return Dynamics()
        damping, friction, k, rest = (
            _number(found, key, 0.0) for key in ("damping", "friction", "spring_stiffness", "spring_reference")
        )
        refuse_negative(node, damping=damping, friction=friction, spring_stiffness=k)
        return Dynamics(damping, friction, k, rest if k else 0.0)

    def limits(self, node: Element, tag: str, kind: str) -> Limits | None:
        axis = node.find(tag)
        found = None if axis is None else axis.find("limit")
        if found is None:
            return None
        values: dict[str, float | None] = {}
        for key in ("lower", "upper", "effort", "velocity"):
            x = _number(found, key, np.inf, finite=False)
            values[key] = None if abs(x) > ENDLESS or (key in ("effort", "velocity") and x < 0) else x
        if values["effort"] is not None or values["velocity"] is not None:
            self.summary.ignore(f"{node.called}: effort and velocity of <limit>")
        if kind == "continuous":
            values["lower"] = values["upper"] = None
        low, high = values["lower"], values["upper"]
        if low is not None and high is not None and not low < high:
            self.summary.ignore(f"{node.called}: limits from {low:g} to {high:g}")
            values["lower"] = values["upper"] = None
        return Limits(**values)

    def mimic(self, scope: Scope, node: Element, tag: str, name: str) -> None:
        axis = node.find(tag)
        found = None if axis is None else axis.find("mimic")
        if found is None:
            return
        ratio, offset = _number(found, "multiplier", 1.0), _number(found, "offset", 0.0)
        start = _number(found, "reference", 0.0)
        if offset - ratio * start != 0.0:
            self.summary.leave_out(f"{node.called}: <mimic> with an offset from the start")
            return
        self.mimics.append((name, scope.prefix + (found.get("joint") or ""), ratio))


def _number(node: Element, tag: str, usual: float | None, *, finite: bool = True) -> float:
    """The number that a child is."""
    child = node.find(tag)
    if child is None or not child.text.strip():
        if usual is None:
            raise node.wrong(f"<{tag}> is missing")
        return usual
    text = child.text.strip()
    if not finite and text.lower().lstrip("+-") in ("inf", "infinity"):
        return float(text)
    return child.one_number(tag, text)


def _yes(node: Element, tag: str, usual: bool = False) -> bool:
    child = node.find(tag)
    return usual if child is None else child.text.strip().lower() in ("true", "1")
