"""The graph of a mechanism's joints: which bodies hang on which, and what has no place in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from isodyn.bodies.body import GROUND, Body
from isodyn.errors import InputError
from isodyn.joints.measures import WHOLE_TURNS
from isodyn.loads.laws import BY_FORMULA, FRICTION, LIMIT, SPRING
from isodyn.loads.part import Law
from isodyn.mechanism.system import JointParts, MechanismSystem
from isodyn.trees.chains import CHAINS, REASONS, STRAIGHT, Link
from isodyn.trees.tables import BALL, FREEDOMS, HINGE, SLIDE

HINT = "mech.compile() gives the system with constraints, which takes any mechanism"


@dataclass(eq=False)
class Node:
    """A node: the link that it hangs on by, its parent, its body if it has one; the joint that it
    belongs to, or the body if that is free."""

    link: Link
    parent: int
    owner: str
    body: Body | None = None
    planar: bool = False
    first_q: int = 0
    first_v: int = 0
    root: int = 0

    @property
    def nq(self) -> int:
        return 4 if self.link.kind == BALL else FREEDOMS[self.link.kind]

    @property
    def nv(self) -> int:
        return FREEDOMS[self.link.kind]

    def names(self) -> tuple[list[str], list[str]]:
        """Names of q and v."""
        if self.link.kind == BALL:
            return [f"{self.owner}.e{i}" for i in range(4)], [f"{self.owner}.ω{x}" for x in "xyz"]
        name = f"{self.owner}.{self.link.coordinate}"
        return ([name], [f"{name}'"]) if self.nv else ([], [])


@dataclass(eq=False)
class Forest:
    """Nodes in the order of the model: planar ones first, parents before children."""

    nodes: list[Node] = field(default_factory=list)
    of_body: dict[str, int] = field(default_factory=dict)

    @property
    def planar(self) -> int:
        return sum(node.planar for node in self.nodes)

    def place(self, joint: str, coordinate: str) -> Node | None:
        """The node of a coordinate of a joint."""
        return next((n for n in self.nodes if (n.owner, n.link.coordinate) == (joint, coordinate) and n.nv), None)


def forest_of(system: MechanismSystem) -> Forest:
    """The forest of a mechanism's joints."""
    refuse_parts(system)
    bodies = {body.name: body for body in system.bodies}
    edges: dict[str, list[str]] = {name: [] for name in (GROUND, *bodies)}
    for name, joint in system.joints.items():
        assert joint.pair is not None
        edges[joint.pair.first.name].append(name)
        edges[joint.pair.second.name].append(name)
    found: dict[str, list[Node]] = {"planar": [], "spatial": []}
    trees = _Trees(system, edges, {GROUND})
    trees.grow(GROUND, found)
    for body in bodies.values():
        if body.name not in trees.reached:
            trees.free(body, found)
    nodes, shift = found["planar"] + found["spatial"], len(found["planar"])
    for node in found["spatial"]:
        node.parent += shift if node.parent >= 0 else 0
    q = v = 0
    for k, node in enumerate(nodes):
        node.first_q, node.first_v = q, v
        node.root = k if node.parent < 0 else nodes[node.parent].root
        q, v = q + node.nq, v + node.nv
    return Forest(nodes, {node.body.name: k for k, node in enumerate(nodes) if node.body is not None})


@dataclass(eq=False)
class _Trees:
    """Bodies that were reached so far."""

    system: MechanismSystem
    edges: dict[str, list[str]]
    reached: set[str]
    used: set[str] = field(default_factory=set)
    number: dict[str, int] = field(default_factory=lambda: {GROUND: -1})

    def grow(self, root: str, found: dict[str, list[Node]]) -> None:
        """All bodies that joints lead to from a body."""
        waiting = [(root, name) for name in reversed(self.edges[root])]
        while waiting:
            at, name = waiting.pop()
            if name in self.used:
                continue
            self.used.add(name)
            pair = self.system.joints[name].pair
            assert pair is not None
            forward = pair.first.name == at
            body = pair.second if forward else pair.first
            if body.name in self.reached:
                raise InputError(
                    f"joint {name!r} between {pair.first.name!r} and {pair.second.name!r} closes a loop: joint coordinates"
                    " need joints without loops",
                    hint=HINT,
                )
            self.reached.add(body.name)
            links = self._links(self.system.joints[name])
            chain = links if forward else [link.backwards() for link in reversed(links)]
            self._add(chain, at, name, self._own(body), found)
            waiting += [(body.name, other) for other in reversed(self.edges[body.name]) if other != name]

    def free(self, body: Body, found: dict[str, list[Node]]) -> None:
        """A body that no joint leads to from the ground, with all that hangs on it."""
        self.reached.add(body.name)
        slides = []
        for k, name in enumerate("xy" if body.kind == "planar" else "xyz"):
            A = np.roll(STRAIGHT, -k - 1, axis=0)
            slides.append(Link(SLIDE, name, A, C=A))
        last = {"planar": [Link(HINGE, "θ")], "spatial": [Link(BALL)], "particle": []}[body.kind]
        self._add([*slides, *last], GROUND, body.name, self._own(body), found)
        self.grow(body.name, found)

    def _own(self, body: Body) -> Body:
        """The body as the system has it."""
        return next(own for own in self.system.bodies if own.name == body.name)

    def _links(self, joint: JointParts) -> list[Link]:
        assert joint.pair is not None
        assert self.system.description is not None
        kind = type(self.system.description.parts.joints[joint.name])
        return CHAINS[kind](joint.pair, joint.coordinates)

    def _add(self, chain: list[Link], at: str, owner: str, body: Body, found: dict[str, list[Node]]) -> None:
        planar = body.kind == "planar"
        mine = found["planar" if planar else "spatial"]
        for k, link in enumerate(chain):
            parent = self.number[at] if k == 0 else len(mine) - 1
            mine.append(Node(link, parent, owner, body if k == len(chain) - 1 else None, planar))
        self.number[body.name] = len(mine) - 1


# ---- what is refused


def refuse_parts(system: MechanismSystem) -> None:
    """InputError for parts that have no place in joint coordinates, by name."""
    if system.description is None:
        raise InputError(
            "joint coordinates need the parts of the mechanism, which this system does not know", hint=HINT
        )
    parts = system.description.parts
    groups: dict[str, Mapping[str, object]] = {
        "beam": parts.beams,
        "rod": parts.rods,
        "flexible body": parts.flexible,
        "state": parts.states,
        "contact": parts.contacts,
        "controller": parts.controllers,
    }
    for noun, group in groups.items():
        for name in group:
            raise InputError(f"joint coordinates know no {noun}s, but there is {name!r}", hint=HINT)
    for name, joint in parts.joints.items():
        if type(joint) not in CHAINS:
            why = REASONS.get(type(joint), "it is no hinge, slide, ball or weld between two bodies")
            raise InputError(f"joint coordinates know no {type(joint).__name__} such as {name!r}: {why}", hint=HINT)
        _refuse_bodies(name, system.joints[name])


def _refuse_bodies(name: str, joint: JointParts) -> None:
    assert joint.pair is not None
    kinds = {body.kind for body in (joint.pair.first, joint.pair.second)} - {GROUND}
    if len(kinds) > 1 or not kinds <= {"planar", "spatial"}:
        raise InputError(
            f"joint {name!r} joins bodies of the kinds {' and '.join(sorted(kinds))}: in joint coordinates both are planar"
            " or both spatial",
            hint=HINT,
        )


def split_laws(system: MechanismSystem, forest: Forest) -> tuple[list[tuple[Law, Node]], list[Law]]:
    """Laws along coordinates of joints, with the nodes of these, and laws between bodies."""
    places = {
        word.key: node
        for name, joint in system.joints.items()
        for which, word in joint.coordinates.items()
        if (node := forest.place(name, which)) is not None
    }
    on_joints, between = [], []
    for law in system.layout.laws:
        if law.kind == FRICTION:
            raise InputError(
                f"load {law.load!r}: friction by the reactions of a joint needs multipliers, which joint coordinates do not have",
                hint=HINT,
            )
        read = [item.word for item in law.inputs if item.word is not None and not item.rate]
        node = places.get(law.word.key)
        if law.kind != BY_FORMULA and node is not None:
            on_joints.append((law, node))
            continue
        read += [law.word] if law.kind in (SPRING, LIMIT) else []
        for word in read:
            if word.kind in WHOLE_TURNS:
                raise InputError(
                    f"load {law.load!r} reads an angle of {word.owner!r} with its whole turns, which joint coordinates"
                    " know only for springs and motors on that joint itself",
                    hint=HINT,
                )
        between.append(law)
    return on_joints, between
