"""What MJCF says between bodies and joints: equalities, tendons, actuators, keyframes.

Equalities are exact here, not soft. An actuator acts on its joint x by

    f = g (k u + b₀ + b₁ g x + b₂ g ẋ)        g its gear, u its control
    motor: k = 1      position: k = kp, b₁ = −kp, b₂ = −kv      velocity: k = kv, b₂ = −kv
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.joints import Coupling, Fixed, Spherical
from isodyn.loads import FormulaMotor, JointSpring, Spring
from isodyn.models.lumps import WORLD, Frame
from isodyn.models.mjcf_bodies import MjcfBodies
from isodyn.models.mjcf_source import MAIN
from isodyn.models.robot import COORDINATES, WORLD_LINK, Motion
from isodyn.models.robot_parts import Built
from isodyn.models.xml_source import Element

if TYPE_CHECKING:
    from isodyn.joints.joint import Joint

NAMES = {Motion.HINGE: "angle", Motion.SLIDE: "displacement"}


class MjcfRelations:
    """Adds to the mechanism of all bodies what holds, pulls and drives them."""

    def __init__(self, bodies: MjcfBodies, built: Built, controls: Mapping[str, float | str]) -> None:
        self.bodies, self.built, self.summary = bodies, built, bodies.summary
        self.controls = dict(controls)
        self.connections = {c.name: c for c in bodies.order}
        tables: dict[str, Callable[[Element], None]] = {
            "equality": self._equality,
            "tendon": self._tendon,
            "actuator": self._actuator,
            "keyframe": self._key,
        }
        for section in bodies.root:
            for child in section if section.tag in tables else ():
                tables[section.tag](bodies.defaults.filled(child, MAIN))
        if self.controls:
            raise InputError(f"controls: there is no actuator that is read named {', '.join(self.controls)}")

    def name_of(self, node: Element, usual: str) -> str:
        return self.built.called(node.tag, node.get("name") or usual, tell=False)

    def joint(self, node: Element, key: str) -> str:
        """The name in the mechanism of a hinge or slide."""
        name = node.get(key) or ""
        if name not in self.connections:
            raise node.wrong(f"there is no joint {name!r}", hint=f"joints: {', '.join(self.connections)}")
        if self.connections[name].motion not in COORDINATES:
            raise node.wrong(f"joint {name!r} is no hinge or slide")
        return self.summary.joints[name]

    def link(self, node: Element, key: str) -> str:
        name = node.get(key) or "world"
        if name == "world":
            return WORLD_LINK
        if name not in self.bodies.robot.links:
            raise node.wrong(f"there is no body {name!r}", hint=f"bodies: {', '.join(self.bodies.robot.links)}")
        return name

    # ---- equalities

    def _equality(self, node: Element) -> None:
        if not node.yes("active", True):
            self.summary.ignore(f"equality {node.called}: not active")
            return
        match node.tag:
            case "connect" | "weld" if node.get("site1"):
                self._sites(node)
            case "connect":
                self._between(node, Spherical)
            case "weld":
                self._between(node, Fixed)
            case "joint":
                self._joints(node)
            case _:
                self.summary.leave_out(f"equality {node.called}")
                return

    def _between(self, node: Element, kind: type[Joint]) -> None:
        first, second = self.link(node, "body1"), self.link(node, "body2")
        frames = [WORLD if x == WORLD_LINK else self.bodies.robot.links[x].frame for x in (first, second)]
        if kind is Fixed and node.get("relpose"):
            pose = node.numbers("relpose", 7)
            now = frames[1].inside(frames[0])
            given = (
                self.bodies.compiler.rotation(
                    Element("weld", {"quat": " ".join(map(str, pose[3:]))}, node.file, node.line)
                )
                if pose[3:].any()
                else None
            )
            if given is not None and max(np.abs(now.p - pose[:3]).max(), np.abs(now.R - given).max()) > 1e-6:
                self.summary.leave_out(f"equality {node.called}: its relpose is not that of the start")
                return
        local = node.numbers("anchor", 3, None if kind is Spherical else (0.0, 0.0, 0.0))
        base = frames[0] if kind is Spherical else frames[1]
        self._held(node, kind, first, second, {"point": base.p + base.R @ local})

    def _sites(self, node: Element) -> None:
        ends = [self.site(node, str(node.get(key) or "")) for key in ("site1", "site2")]
        (first, one), (second, two) = ends
        if node.tag == "weld":
            if np.abs(one.p - two.p).max() > 1e-6 or np.abs(one.R - two.R).max() > 1e-6:
                self.summary.leave_out(f"equality {node.called}: its sites are apart at the start")
                return
            self._held(node, Fixed, first, second, {"point": one.p})
            return
        places = [self.built.place(link, frame) for link, frame in ends]
        self._held(node, Spherical, first, second, {"points": [place.position for place in places]})

    def site(self, node: Element, name: str) -> tuple[str, Frame]:
        if name not in self.bodies.sites:
            raise node.wrong(f"there is no site {name!r}", hint=f"sites: {', '.join(self.bodies.sites)}")
        return self.bodies.sites[name]

    def _held(self, node: Element, kind: type[Joint], first: str, second: str, where: dict[str, Any]) -> None:
        a, b = self.built.names[first], self.built.names[second]
        if a == b:
            self.summary.ignore(f"equality {node.called}: its bodies are one")
            return
        self.built.mech.add_joint(kind(self.name_of(node, f"{node.tag}_{a}_{b}"), a, b, **where))
        self._exact(node)

    def _joints(self, node: Element) -> None:
        poly = node.numbers("polycoef", None, (0.0, 1.0, 0.0, 0.0, 0.0))
        poly = np.concatenate([poly, np.zeros(max(0, 5 - poly.size))])
        if poly[0] != 0 or poly[2:].any():
            self.summary.leave_out(f"equality {node.called}: polycoef {node.get('polycoef')!r} is not one ratio")
            return
        first = self.joint(node, "joint1")
        weights = {first: 1.0}
        if node.get("joint2") and poly[1]:
            weights[self.joint(node, "joint2")] = -float(poly[1])
        self.built.mech.add_joint(Coupling(self.name_of(node, f"{first}_equality"), weights))
        self._exact(node)

    def _exact(self, node: Element) -> None:
        self.summary.read["equality"] += 1
        if node.get("solref") or node.get("solimp"):
            self.summary.change(f"equality {node.called} is exact: solref and solimp are not read")

    # ---- tendons

    def _tendon(self, node: Element) -> None:
        k, c = (float(node.numbers(key, None, (0.0,))[0]) for key in ("stiffness", "damping"))
        for key in ("range", "frictionloss", "armature"):
            if node.get(key):
                self.summary.ignore(f"tendon {node.called}: {key}")
        rest = node.numbers("springlength", None, (-1.0,))
        steps = [child.tag for child in node]
        odd = rest.size > 1 and rest[0] != rest[1]
        if not (k or c) or odd or (node.tag == "spatial" and steps != ["site", "site"]):
            note = self.summary.leave_out if k or c else self.summary.ignore
            note(f"tendon {node.called}" + ("" if k or c else ": no spring or damper"))
            return
        length = None if rest[0] < 0 else float(rest[0])
        if node.tag == "spatial":
            ends = [self.site(child, child.get("site") or "") for child in node]
            (one, start), (other, end) = ends
            first, second, name = self.built.names[one], self.built.names[other], self.name_of(node, "tendon")
            made = Spring(name, first, second, (start.p, end.p), stiffness=k, damping=c, rest=length)
            self.built.mech.add_load(made)
        else:
            self._fixed(node, k, c, length)
        self.summary.read["tendon"] += 1

    def _fixed(self, node: Element, k: float, c: float, length: float | None) -> None:
        """Σ w x against its rest: each joint feels w times the force."""
        items = [(self.joint(child, "joint"), child.number("coef"), child.get("joint") or "") for child in node]
        if length is None:
            length = sum(w * self.connections[own].start for _, w, own in items)
        items = [item for item in items if item[1] != 0.0]
        if not items:
            self.summary.ignore(f"tendon {node.called}: all coefficients are zero")
            return
        if len(items) == 1:
            name, w, _ = items[0]
            load = JointSpring(
                self.name_of(node, "tendon"), name, stiffness=k * w * w, damping=c * w * w, rest=length / w
            )
            self.built.mech.add_load(load)
            return
        if not all(name.isidentifier() for name, _, _ in items):
            self.summary.leave_out(f"tendon {node.called}: names of its joints cannot stand in a formula")
            return
        terms = [(w, f"{name}.{NAMES[self.connections[own].motion]}") for name, w, own in items]
        x = " + ".join(f"({w!r})*{term}" for w, term in terms)
        v = " + ".join(f"({w!r})*{term}_rate" for w, term in terms)
        base = self.name_of(node, "tendon")
        for name, w, _ in items:
            law = f"-({w!r})*({k!r}*({x} - ({length!r})) + {c!r}*({v}))"
            part = self.built.called("tendon", f"{base}_{name}", tell=False)
            self.built.mech.add_load(FormulaMotor(part, name, law))

    # ---- actuators

    def _actuator(self, node: Element) -> None:
        laws = {"motor": self._motor, "position": self._position, "velocity": self._velocity, "general": self._general}
        name = node.get("name") or f"{node.get('joint') or ''}_{node.tag}"
        found = laws[node.tag](node) if node.tag in laws and node.get("joint") else None
        if found is None:
            self.summary.ignore(f"actuator {node.called}")
            return
        for key in ("ctrlrange", "forcerange", "actrange", "dampratio", "timeconst"):
            if node.get(key):
                self.summary.ignore(f"actuator {node.called}: {key}")
        joint, gear = self.joint(node, "joint"), float(node.numbers("gear", None, (1.0,))[0])
        control = self.controls.pop(name, 0.0)
        k, b0, b1, b2 = found
        text = f"g*(k*({control}) + b0 + b1*g*coordinate + b2*g*coordinate_rate)"
        numbers = {"g": gear, "k": k, "b0": b0, "b1": b1, "b2": b2}
        part = self.built.called("actuator", name, tell=False)
        self.built.mech.add_load(FormulaMotor(part, joint, text, parameters=numbers))
        self.summary.read["actuator"] += 1

    def _motor(self, node: Element) -> tuple[float, float, float, float]:
        return 1.0, 0.0, 0.0, 0.0

    def _position(self, node: Element) -> tuple[float, float, float, float]:
        kp = node.number("kp", 1.0)
        return kp, 0.0, -kp, -node.number("kv", 0.0)

    def _velocity(self, node: Element) -> tuple[float, float, float, float]:
        kv = node.number("kv", 1.0)
        return kv, 0.0, 0.0, -kv

    def _general(self, node: Element) -> tuple[float, float, float, float] | None:
        if (node.get("dyntype") or "none") != "none" or (node.get("gaintype") or "fixed") != "fixed":
            return None
        bias = (node.get("biastype") or "none").lower()
        if bias not in ("none", "affine"):
            return None
        k = float(node.numbers("gainprm", None, (1.0,))[0])
        b = np.zeros(3)
        given = node.numbers("biasprm", None, (0.0,))[:3]
        b[: given.size] = given
        return (k, 0.0, 0.0, 0.0) if bias == "none" else (k, float(b[0]), float(b[1]), float(b[2]))

    # ---- keyframes

    def _key(self, node: Element) -> None:
        """Coordinates of hinges and slides by name; poses of free and ball joints are listed."""
        if not node.get("qpos"):
            self.summary.ignore(f"keyframe {node.called}: without qpos")
            return
        sizes = {Motion.FREE: 7, Motion.BALL: 4}
        q, k, found = node.numbers("qpos", None), 0, {}
        need = sum(sizes.get(c.motion, 1) for c in self.bodies.order)
        if q.size != need:
            raise node.wrong(f"qpos needs {need} numbers, received {q.size}")
        for c in self.bodies.order:
            if c.motion in COORDINATES:
                found[self.summary.joints[c.name]] = float(q[k])
            else:
                self.summary.ignore(f"keyframe {node.called}: pose of the {c.motion.value} joint {c.name!r}")
            k += sizes.get(c.motion, 1)
        self.summary.positions[node.get("name") or f"key{len(self.summary.positions)}"] = found
        self.summary.read["keyframe"] += 1
        for key in ("qvel", "act", "ctrl", "mpos", "mquat"):
            if node.get(key):
                self.summary.ignore(f"keyframe {node.called}: {key}")
