"""URDF, the format of robots: links and joints to a `Mechanism`; what has no counterpart is named.

A link's frame is that of its joint to the parent. Its inertia is given about its mass centre in
axes of its own. Revolute and continuous joints are hinges, floating ones none at all; a mimic joint
is a coupling. Massless links that are fixed to another are a part of it.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from isodyn.bodies.body import GROUND
from isodyn.errors import InputError
from isodyn.joints import Coupling, Fixed, Hinge, Planar, Prismatic
from isodyn.kernels.compiled import FloatArray
from isodyn.loads import JointLimit, JointSpring
from isodyn.mechanism.mechanism import Mechanism

KINDS: dict[str, Any] = {
    "revolute": Hinge,
    "continuous": Hinge,
    "prismatic": Prismatic,
    "fixed": Fixed,
    "planar": Planar,
}
IGNORED = {"visual", "collision", "transmission", "gazebo", "material", "sensor"}
UNDERSTOOD = {
    "link": {"inertial"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
}


@dataclass(frozen=True, eq=False)
class Urdf:
    """A mechanism from a URDF file; `unsupported` says what of the file it does not have, `ground`
    which links stand still."""

    mechanism: Mechanism
    name: str
    unsupported: tuple[str, ...]
    ground: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Frame:
    """A place: rotation and origin in the world."""

    R: FloatArray
    p: FloatArray

    def then(self, other: _Frame) -> _Frame:
        return _Frame(self.R @ other.R, self.p + self.R @ other.p)


def read_urdf(
    source: str | bytes | Path,
    *,
    gravity: Any = (0.0, 0.0, -9.81),
    positions: Mapping[str, float] | None = None,
    fixed_base: bool = True,
    limit_stiffness: float | None = None,
) -> Urdf:
    """The mechanism of a URDF file, or of its text; `positions` of joints at the start.

    The first link stands still unless fixed_base=False. Limits act as springs where
    `limit_stiffness` is given.
    """
    text = _text(source)
    try:
        root = ET.fromstring(text, parser=ET.XMLParser(target=_NoDoctype()))
    except (ET.ParseError, ValueError, LookupError) as error:  # also unknown encodings, and surrogates in a text
        if isinstance(error, InputError):
            raise
        raise InputError(f"this is not XML: {error}") from None
    if root.tag != "robot":
        raise InputError(f"a URDF file begins with <robot>, received <{root.tag}>")
    if any("xacro" in str(node.tag) for node in root.iter()):
        raise InputError("this is a xacro file", hint="expand it first: xacro robot.xacro > robot.urdf")
    return _Reader(root, dict(positions or {}), fixed_base, limit_stiffness).whole(gravity)


class _NoDoctype(ET.TreeBuilder):
    """Definitions of entities can make a gigabyte of a line, and read other files; URDF needs
    none."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise InputError(f"a URDF file has no <!DOCTYPE>, received that of {name!r}", hint="remove it and its entities")


def _text(source: Any) -> str | bytes:
    """The text of a URDF file; bytes where the encoding stands in it."""
    if isinstance(source, bytes | bytearray | memoryview):
        source = bytes(source)
        if b"<" in source or b"\x00" in source:
            return source
        source = os.fsdecode(source)
    if isinstance(source, str) and "<" in source:
        return source
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"a URDF is a path or a text, received {type(source).__name__}")
    path = Path(source)
    try:
        if not path.is_file():
            raise InputError(f"there is no file {path}")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None


class _Reader:
    def __init__(self, root: Any, positions: dict[str, float], fixed_base: bool, limit: float | None) -> None:
        self.root, self.positions, self.fixed_base, self.limit = root, positions, fixed_base, limit
        self.unsupported: list[str] = []
        self.links = self.by_name("link")
        self.joints = self.by_name("joint")
        self.taken = {GROUND, ""}  # names in the mechanism, where all parts share one set
        self.bodies = {name: self.called("link", name) for name in self.links}
        self.named = {name: self.called("joint", name) for name in self.joints}
        for name in positions:
            if name not in self.joints:
                raise InputError(f"there is no joint named {name!r}", hint=f"joints: {', '.join(self.joints)}")
        for node in root:
            if node.tag not in ("link", "joint") and node.tag != "material":
                self.unsupported.append(f"<{node.tag}> {node.get('name', '')}".strip())

    def called(self, kind: str, name: str) -> str:
        """The name of a part in the mechanism: its own, unless another part has it."""
        free = name
        while free in self.taken:
            free += f"_{kind}"
        if free != name and kind in ("link", "joint"):
            self.unsupported.append(f"{kind} {name!r} is called {free!r}: the name is taken")
        self.taken.add(free)
        return free

    def by_name(self, tag: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for node in self.root.findall(tag):
            name = node.get("name")
            if not name or name in found:
                raise InputError(f"every <{tag}> needs a name of its own, received {name!r}")
            found[name] = node
            extra = sorted({child.tag for child in node} - UNDERSTOOD[tag])
            if extra:
                self.unsupported.append(f"{tag} {name!r}: {', '.join(f'<{x}>' for x in extra)}")
        return found

    def whole(self, gravity: Any) -> Urdf:
        mech = Mechanism(gravity=gravity)
        children = {name: [] for name in self.links}  # type: dict[str, list[str]]
        parents: dict[str, str] = {}
        for name, joint in self.joints.items():
            first, second = (self.link_of(name, joint, end) for end in ("parent", "child"))
            if second in parents:
                raise InputError(
                    f"link {second!r} has two parents", hint="URDF holds trees; close loops with joints of a Mechanism"
                )
            parents[second] = first
            children[first].append(name)
        roots = [name for name in self.links if name not in parents]
        if len(roots) != 1:
            which = f": {', '.join(roots)}" if roots else ", so its joints form a loop"
            raise InputError(f"a URDF file has one link without parent, received {len(roots)}{which}")
        bodies: dict[str, str] = {}  # link to the body that carries it
        base = roots[0]
        if self.fixed_base:
            bodies[base] = "ground"
        else:
            self.add_body(mech, base, _Frame(np.eye(3), np.zeros(3)))
            bodies[base] = self.bodies[base]
        todo = [(base, _Frame(np.eye(3), np.zeros(3)))]
        while todo:
            link, frame = todo.pop(0)
            todo += [self.add_joint(mech, name, bodies, link, frame) for name in children[link]]
        lost = [name for name in self.links if name not in bodies]
        if lost:
            raise InputError(
                f"links {', '.join(lost)} are not connected with {base!r}: their joints form a loop",
                hint="URDF holds trees; close loops with joints of a Mechanism",
            )
        self.mimics(mech)
        ground = tuple(link for link, body in bodies.items() if body == "ground")
        return Urdf(mech, self.root.get("name", ""), tuple(self.unsupported), ground)

    def link_of(self, name: str, joint: Any, end: str) -> str:
        node = joint.find(end)
        link = None if node is None else node.get("link")
        if link not in self.links:
            raise InputError(f"joint {name!r}: its {end} {link!r} is no link", hint=f"links: {', '.join(self.links)}")
        return str(link)

    # ---- parts

    def add_body(self, mech: Mechanism, name: str, frame: _Frame) -> None:
        inertial = self.links[name].find("inertial")
        if inertial is None or inertial.find("mass") is None or inertial.find("inertia") is None:
            raise InputError(f"link {name!r} moves but has no inertia", hint="<inertial> with mass and inertia")
        own = _origin(f"link {name!r}", inertial)
        tensor = inertial.find("inertia")
        x = {
            key: _number(f"link {name!r}: {key}", tensor.get(key, "0"))
            for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        }
        J = np.array([[x["ixx"], x["ixy"], x["ixz"]], [x["ixy"], x["iyy"], x["iyz"]], [x["ixz"], x["iyz"], x["izz"]]])
        J = own.R @ J @ own.R.T
        mass = _number(f"link {name!r}: mass", inertial.find("mass").get("value", ""))
        mech.add_body(self.bodies[name], mass, 0.5 * (J + J.T), frame.p, frame.R, centre_of_mass=own.p)

    def add_joint(
        self, mech: Mechanism, name: str, bodies: dict[str, str], parent: str, frame: _Frame
    ) -> tuple[str, _Frame]:
        """A joint and the link behind it; where that is."""
        joint = self.joints[name]
        what = f"joint {name!r}"
        kind, link = joint.get("type"), self.link_of(name, joint, "child")
        there = frame.then(_origin(what, joint))
        axis = there.R @ _axis(what, joint)
        here = self.moved(name, kind, there, axis)
        massless = self.links[link].find("inertial") is None
        if kind == "floating":
            if bodies[parent] != "ground":
                self.unsupported.append(f"{what}: floating, so {link!r} is free in the world, not in {parent!r}")
            self.add_body(mech, link, here)
            bodies[link] = self.bodies[link]
            return link, here
        if kind not in KINDS:
            raise InputError(f"{what}: there is no type {kind!r}", hint=f"known: floating, {', '.join(KINDS)}")
        if kind == "fixed" and massless:
            bodies[link] = bodies[parent]
            return link, here
        self.add_body(mech, link, here)
        bodies[link] = self.bodies[link]
        mech.add_joint(KINDS[kind](self.named[name], bodies[parent], bodies[link], point=here.p, axis=axis))
        self.add_loads(mech, name, kind, joint)
        return link, here

    def moved(self, name: str, kind: Any, there: _Frame, axis: FloatArray) -> _Frame:
        """Where a joint takes its link at the start."""
        x = float(self.positions.get(name, 0.0))
        if x == 0.0:
            return there
        if kind in ("revolute", "continuous"):
            return _Frame(Rotation.from_rotvec(x * axis).as_matrix() @ there.R, there.p)
        if kind == "prismatic":
            return _Frame(there.R, there.p + x * axis)
        raise InputError(
            f"joint {name!r} is {kind}: it has no position", hint="revolute, continuous and prismatic ones have"
        )

    def add_loads(self, mech: Mechanism, name: str, kind: Any, joint: Any) -> None:
        """Damping, limits, and what is said about friction; coordinates count from the start."""
        start = float(self.positions.get(name, 0.0))
        dynamics, limit = joint.find("dynamics"), joint.find("limit")
        movable = kind in ("revolute", "continuous", "prismatic")
        if dynamics is not None:
            damping = _number(f"joint {name!r}: damping", dynamics.get("damping", "0"))
            if damping and movable:
                mech.add_load(JointSpring(self.called("load", f"{name}_damping"), self.named[name], damping=damping))
            if _number(f"joint {name!r}: friction", dynamics.get("friction", "0")):
                self.unsupported.append(f"joint {name!r}: friction in <dynamics>; add a JointFriction")
        if limit is not None and kind in ("revolute", "prismatic"):
            low, high = (_number(f"joint {name!r}: {end}", limit.get(end, "0")) - start for end in ("lower", "upper"))
            if self.limit is not None and low < high:
                mech.add_load(JointLimit(self.called("load", f"{name}_limit"), self.named[name], low, high, self.limit))
            else:
                self.unsupported.append(f"joint {name!r}: limits; give limit_stiffness= for springs there")
        if limit is not None and (limit.get("effort") or limit.get("velocity")):
            self.unsupported.append(f"joint {name!r}: effort and velocity of <limit>")

    def mimics(self, mech: Mechanism) -> None:
        for name, joint in self.joints.items():
            mimic = joint.find("mimic")
            if mimic is None:
                continue
            other = mimic.get("joint")
            if other not in self.named or not {self.named[name], self.named[other]} <= set(mech.joints):
                raise InputError(f"joint {name!r} mimics {other!r}, which is no joint that moves")
            ratio, offset = (
                _number(f"joint {name!r}: {key}", mimic.get(key, usual))
                for key, usual in (("multiplier", "1"), ("offset", "0"))
            )
            meant = ratio * float(self.positions.get(str(other), 0.0)) + offset
            if abs(meant - float(self.positions.get(name, 0.0))) > 1e-9:
                raise InputError(
                    f"joint {name!r} mimics {other!r}: it must start at {meant:g}", hint="give positions={…} for it"
                )
            called = self.called("coupling", f"{name}_mimic")
            mech.add_joint(Coupling(called, {self.named[name]: 1.0, self.named[other]: -ratio}))


def _number(what: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{what}: a number is needed, received {text!r}") from None
    if not np.isfinite(value):
        raise InputError(f"{what}: a finite number is needed, received {text!r}")
    return value


def _three(what: str, text: str) -> FloatArray:
    words = text.split()
    if len(words) != 3:
        raise InputError(f"{what}: three numbers are needed, received {text!r}")
    return np.array([_number(what, word) for word in words])


def _origin(what: str, node: Any) -> _Frame:
    """<origin xyz rpy>: roll, pitch, yaw about fixed axes."""
    origin = node.find("origin")
    if origin is None:
        return _Frame(np.eye(3), np.zeros(3))
    rpy = _three(f"{what}: rpy", origin.get("rpy", "0 0 0"))
    R = Rotation.from_euler("xyz", rpy).as_matrix() if rpy.any() else np.eye(3)
    return _Frame(R, _three(f"{what}: xyz", origin.get("xyz", "0 0 0")))


def _axis(what: str, joint: Any) -> FloatArray:
    node = joint.find("axis")
    axis = np.array([1.0, 0.0, 0.0]) if node is None else _three(f"{what}: axis", node.get("xyz", "1 0 0"))
    length = float(np.linalg.norm(axis))
    if length == 0 and joint.get("type") not in ("fixed", "floating"):
        raise InputError(f"{what}: its axis has no direction")
    return axis / length if length else np.array([1.0, 0.0, 0.0])
