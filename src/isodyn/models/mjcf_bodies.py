"""Bodies of MJCF: the tree, joints in a row, geoms and what they weigh.

A body may have several joints, the first nearest to its parent; between them stand frames of hardly
any mass. Geoms weigh what their volume and density say:

    sphere r · capsule, cylinder r, half length · box, ellipsoid three halves · mesh, the body
    inside
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.bodies import shapes
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.models.import_summary import ImportSummary, Limits
from isodyn.models.looks import Looks, found_mesh
from isodyn.models.lumps import WORLD, Frame, Lump, tensor
from isodyn.models.mjcf_source import MAIN, Compiler, Defaults, along_z
from isodyn.models.robot import WORLD_LINK, Connection, Dynamics, Link, Motion, Robot, refuse_negative, unit_axis
from isodyn.models.xml_source import Element

KINDS = {"hinge": Motion.HINGE, "slide": Motion.SLIDE, "ball": Motion.BALL, "free": Motion.FREE}
NOT_READ = ("replicate", "attach", "composite", "flexcomp", "plugin")
WEIGHTLESS = ("plane", "hfield", "sdf")


class MjcfBodies:
    """The tree of bodies on its way to a robot."""

    def __init__(self, root: Element, compiler: Compiler, summary: ImportSummary) -> None:
        self.root, self.compiler, self.summary = root, compiler, summary
        self.defaults = Defaults.of(root)
        self.robot = Robot(summary, None, noun="body")
        self.sites: dict[str, tuple[str, Frame]] = {}
        self.order: list[Connection] = []  # joints as they stand in qpos
        self.meshes = {self._mesh_name(node): node for asset in root.all("asset") for node in asset.all("mesh")}
        self.missing: dict[str, Element] = {}  # geoms whose mass is not known, by body
        self.count = 0
        for world in root.all("worldbody"):
            self._inside(world, WORLD_LINK, WORLD, world.get("childclass") or MAIN, Looks())
        self._settle()

    def _mesh_name(self, node: Element) -> str:
        return node.get("name") or (node.get("file") or "").rpartition("/")[2].rpartition(".")[0]

    # ---- the tree

    def _inside(self, node: Element, link: str, frame: Frame, around: str, looks: Looks) -> tuple[Lump, Looks]:
        """Geoms, sites and bodies inside a body or frame; what the geoms weigh, in the world."""
        total = Lump.none()
        for child in node:
            if child.tag in NOT_READ:
                raise child.wrong("this element is not read", hint="expand the model first: save it with MuJoCo")
            if child.tag == "geom":
                weight, look = self._geom(self.defaults.filled(child, around), frame, link)
                total, looks = total + weight, looks.joined(look)
            elif child.tag == "site":
                filled = self.defaults.filled(child, around)
                if child.get("name"):
                    self.sites[str(child.get("name"))] = (link, frame.then(self.compiler.frame(filled)))
            elif child.tag == "body":
                self._body(child, link, frame, around)
            elif child.tag == "frame":
                inner = frame.then(self.compiler.frame(child))
                more, looks = self._inside(child, link, inner, child.get("childclass") or around, looks)
                total += more
            elif child.tag not in ("inertial", "joint", "freejoint"):
                self.summary.ignore(f"{node.called}: {child.called}")
        return total, looks

    def _body(self, node: Element, parent: str, frame: Frame, around: str) -> None:
        around = node.get("childclass") or around
        self.count += 1
        name = node.get("name") or f"body{self.count}"
        here = frame.then(self.compiler.frame(node))
        self.summary.read["body"] += 1
        for key in ("gravcomp",):
            if node.get(key) and node.number(key) != 0:
                self.summary.ignore(f"{node.called}: {key}")
        joints = [self.defaults.filled(child, around) for child in node if child.tag in ("joint", "freejoint")]
        link = Link(name, here, Lump.none(), node)
        between = [f"{name}/{k + 1}" for k in range(len(joints) - 1)]
        ends = [parent, *between, name]
        for extra in between:
            self.robot.add_link(Link(extra, here, Lump.none(), node))
            self.robot.between.add(extra)
        self.robot.add_link(link)
        for k, joint in enumerate(joints):
            self._joint(joint, ends[k], ends[k + 1], here, f"{name}_joint{k + 1 if len(joints) > 1 else ''}")
        if not joints:
            if node.yes("mocap", False):
                self.summary.change(f"{node.called} of motion capture stands still")
            self._connect(Connection(name, Motion.FIXED, parent, name, node, here.p, here.R[:, 2]))
        weight, looks = self._inside(node, name, here, around, Looks())
        link.lump, link.looks = self._lump(name, node, here, weight), looks.seen_from(here.inverse())

    def _connect(self, c: Connection) -> None:
        self.robot.connections.append(c)
        if c.motion is not Motion.FIXED:
            self.order.append(c)

    def _joint(self, node: Element, first: str, second: str, here: Frame, usual: str) -> None:
        kind = "free" if node.tag == "freejoint" else node.get("type") or "hinge"
        if kind not in KINDS:
            raise node.wrong(f"there is no type {kind!r}", hint=f"known: {', '.join(KINDS)}")
        motion = KINDS[kind]
        if motion is Motion.FREE and first != WORLD_LINK:
            raise node.wrong("a free joint is allowed for bodies of the world only")
        point = here.p + here.R @ node.numbers("pos", 3, (0.0, 0.0, 0.0))
        axis = here.R @ unit_axis(node, node.numbers("axis", 3, (0.0, 0.0, 1.0)))
        turn = self.compiler.angle if motion is Motion.HINGE else float
        c = Connection(node.get("name") or usual, motion, first, second, node, point, axis)
        if any(other.name == c.name for other in self.order):
            raise node.wrong(f"every joint needs a name of its own, received {c.name!r}")
        self.summary.read["joint"] += 1
        if motion is not Motion.FREE:
            c.start = float(turn(node.number("ref", 0.0)))
            damping, stiffness = (float(node.numbers(key, None, (0.0,))[0]) for key in ("damping", "stiffness"))
            friction, armature = (node.number(key, 0.0) for key in ("frictionloss", "armature"))
            refuse_negative(node, damping=damping, stiffness=stiffness, frictionloss=friction, armature=armature)
            rest = float(turn(node.number("springref", 0.0)))
            c.dynamics = Dynamics(damping, friction, stiffness, rest if stiffness else 0.0, armature)
            c.limits = self._limits(node, motion)
        self._connect(c)

    def _limits(self, node: Element, motion: Motion) -> Limits | None:
        limited = node.get("limited", "auto")
        if limited == "false" or not node.get("range") or (limited == "auto" and not self.compiler.autolimits):
            return None
        low, high = node.numbers("range", 2)
        if motion is not Motion.SLIDE:
            low, high = self.compiler.angle(low), self.compiler.angle(high)
        if not low < high:
            raise node.wrong(f"range must grow, received {node.get('range')!r}")
        return Limits(float(low), float(high))

    # ---- masses

    def _lump(self, name: str, node: Element, here: Frame, geoms: Lump) -> Lump:
        """The mass of a body in its own frame: by <inertial>, or by its geoms."""
        inertial, how = node.find("inertial"), self.compiler.inertiafromgeom
        if how not in ("auto", "true", "false"):
            raise node.wrong(f"inertiafromgeom must be auto, true or false, received {how!r}")
        if inertial is None or how == "true":
            if how == "false":
                return Lump.none()
            if name in self.missing:
                lost = self.missing[name]
                raise lost.wrong(
                    f"body {name!r} weighs what its mesh does, but that cannot be read", hint="give <inertial>"
                )
            return geoms.seen_from(here.inverse())
        mass = inertial.number("mass")
        refuse_negative(node, mass=mass)
        own = self.compiler.frame(inertial)
        full = inertial.get("fullinertia")
        J = tensor(*inertial.numbers("fullinertia", 6)) if full else np.diag(inertial.numbers("diaginertia", 3))
        return Lump(mass, np.zeros(3), J).seen_from(own)

    def _geom(self, node: Element, frame: Frame, link: str) -> tuple[Lump, Looks]:
        """What a geom weighs in the world, and how it looks."""
        kind = node.get("type") or ("mesh" if node.get("mesh") else "sphere")
        group, low, high = int(node.number("group", 0.0)), *self.compiler.groups
        if kind in WEIGHTLESS:
            self.summary.ignore(f"{node.called}: {kind} of contact")
            return Lump.none(), Looks()
        place = frame.then(self.compiler.frame(node))
        shape, own = self._mesh(node) if kind == "mesh" else self._primitive(node, kind)
        if shape is None:
            if low <= group <= high:
                self.missing[link] = node
            return Lump.none(), Looks()
        if node.get("fromto"):
            place = frame.then(own)
        looks = Looks(((shape, place),))
        density, mass = node.number("density", 1000.0), node.get("mass")
        if not low <= group <= high:
            return Lump.none(), looks
        if (node.get("shellinertia") or "false") == "true":
            raise node.wrong("inertia of shells is not read", hint="give <inertial>")
        m = node.number("mass") if mass is not None else density * shape.volume
        refuse_negative(node, mass=m)
        return Lump(m, shape.centre, m * shape.gyration).seen_from(place), looks

    def _primitive(self, node: Element, kind: str) -> tuple[Any, Frame]:
        needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
        if kind not in needed:
            raise node.wrong(f"there is no type {kind!r} of geom", hint=f"known: mesh, {', '.join(needed)}")
        if node.get("mesh"):
            raise node.wrong(f"a {kind} fitted to a mesh is not read", hint="give its size")
        size, own = node.numbers("size", None), WORLD
        if node.get("fromto"):
            ends = node.numbers("fromto", 6)
            way = ends[3:] - ends[:3]
            if not np.linalg.norm(way) > 0 or kind == "sphere":
                raise node.wrong(f"fromto makes no {kind} of {node.get('fromto')!r}")
            half = float(np.linalg.norm(way)) / 2
            size = np.array([size[0], half] if needed[kind] == 2 else [size[0], size[0], half])
            own = Frame.of((ends[:3] + ends[3:]) / 2, along_z(way))
        if size.size < needed[kind] or not (size[: needed[kind]] > 0).all():
            raise node.wrong(f"a {kind} needs {needed[kind]} sizes above zero, received {node.get('size')!r}")
        s = [float(x) for x in size]
        match kind:
            case "sphere":
                return shapes.Sphere(s[0], mass=1.0), own
            case "capsule":
                return shapes.Capsule(s[0], 2 * s[1], mass=1.0), own
            case "cylinder":
                return shapes.Cylinder(s[0], 2 * s[1], mass=1.0), own
            case "box":
                return shapes.Box(2 * s[0], 2 * s[1], 2 * s[2], mass=1.0), own
            case _:
                return shapes.Ellipsoid(*s[:3], mass=1.0), own

    def _mesh(self, node: Element) -> tuple[Any, Frame]:
        """A mesh where its file is, or its vertices; one that weighs something must be there."""
        name = node.get("mesh") or ""
        if name not in self.meshes:
            raise node.wrong(f"there is no mesh {name!r}", hint=f"meshes: {', '.join(self.meshes)}")
        asset = self.defaults.filled(self.meshes[name], MAIN)
        scale: FloatArray = asset.numbers("scale", 3, (1.0, 1.0, 1.0))
        path = found_mesh(asset.get("file") or "", self.compiler.meshes, {}) if asset.get("file") else None
        if path is None or asset.get("refpos") or asset.get("refquat"):
            self.summary.ignore(f"{node.called}: mesh {name!r} is not read")
            return None, WORLD
        try:
            read = shapes.from_mesh(path, mass=1.0)
            return shapes.from_mesh(read.vertices * scale, read.faces, mass=1.0), WORLD
        except (InputError, ValueError, OSError) as error:
            raise node.wrong(f"mesh {name!r}: {getattr(error, 'message', error)}", hint="give <inertial>") from None

    def _settle(self) -> None:
        """Bounds, balance and total mass, as the compiler settings ask."""
        links, c = [link for name, link in self.robot.links.items() if name not in self.robot.between], self.compiler
        for link in links:
            link.refuse_huge()
            m, J = link.lump.mass, link.lump.inertia
            if c.boundmass or c.boundinertia:
                moments, axes = np.linalg.eigh(J)
                J = (axes * np.maximum(moments, c.boundinertia)) @ axes.T
                m = max(m, c.boundmass)
            moments = np.linalg.eigvalsh(J)
            if c.balance and moments[0] + moments[1] < moments[2]:
                self.summary.change(f"body {link.name!r}: moments {moments.tolist()} are balanced, as its file asks")
                J = moments.mean() * np.eye(3)
            link.lump = Lump(m, link.lump.centre, J)
        whole = sum(link.lump.mass for link in links)
        if c.total > 0 and whole > 0:
            f = c.total / whole
            for link in links:
                link.lump = Lump(f * link.lump.mass, link.lump.centre, f * link.lump.inertia)
