"""A mechanism in the coordinates of its joints: a system without constraints.

    M(q) a + h(q, v, t) = τ        q of hinges and slides their angles and displacements, with whole turns

Its model is recursive (isodyn.trees.spatial): the balance costs as much as there are joints. `lift`
brings a solution back to the mechanism with its bodies, joints and reactions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.body import GROUND, Quantity
from isodyn.bodies.rotations import continuous, increment, matrix, quaternion_of, quaternions_of
from isodyn.errors import ConflictError, InputError
from isodyn.kernels.compiled import KNOWS_MASS, KNOWS_RATE, KNOWS_TANGENT, RETRACT, RETRACTS, FloatArray
from isodyn.later import Later
from isodyn.loads.user import UserLoad
from isodyn.mechanism.mechanism import Mechanism
from isodyn.mechanism.poses import coordinate_at, rows_of_angle
from isodyn.mechanism.system import MechanismSystem
from isodyn.systems.compiled_system import CompiledSystem
from isodyn.systems.energies import EnergyOfRows
from isodyn.systems.scales import Scales
from isodyn.trees.forest import HINT, Forest, Node, forest_of
from isodyn.trees.model import tree_model
from isodyn.trees.rows import carry_rows
from isodyn.trees.tables import BALL, SLIDE, TreeScratch, TreeTables
from isodyn.trees.writer import write_tables

reactions = Later("isodyn.trees.reactions")  # compiled when a solution is lifted

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

OPEN = 1e-8  # how far joints may be open at the start, in typical sizes
Histories = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True, eq=False, repr=False)
class TreeSystem(CompiledSystem):
    """A mechanism without loops in the coordinates of its joints; `joint_coordinates` makes it."""

    mechanism: MechanismSystem = None  # type: ignore[assignment]
    forest: Forest = None  # type: ignore[assignment]
    tables: TreeTables = None  # type: ignore[assignment]
    scratch: TreeScratch = None  # type: ignore[assignment]

    def state(self, q: FloatArray, v: FloatArray, a: FloatArray | None = None) -> Histories:
        """Return a state of the mechanism's bodies.

        Parameters
        ----------
        q, v, a
            Coordinates of joints, their rates and accelerations: one state, or rows of states.

        Returns
        -------
        q, v, a
            The same of the mechanism, in its own coordinates.
        """
        return bodies_of(self, q, v, a)

    def lift(self, sol: Solution) -> Solution:
        """Return a solution as one of the mechanism, with its bodies, joints and reactions.

        Multipliers follow from q, v and a of each row.

        Parameters
        ----------
        sol
            A solution of this system.

        Returns
        -------
        solution
            A solution of the mechanism.

        Raises
        ------
        InputError
            If it is one of another system, or columns were left out.
        """
        ours = isinstance(sol.system, TreeSystem) and sol.system.forest is self.forest  # runs may copy the system
        if not ours:
            raise InputError("lift takes a solution of this system")
        if any(sol.columns[name].size != n for name, n in (("q", self.nq), ("v", self.nv), ("a", self.nv))):
            raise InputError("lift needs all columns, but only some were saved")
        base = self.mechanism
        q, v, a = self.state(sol.q, sol.v, sol.a)
        known = {word.key for word, _ in words_of(base, self.forest)}
        for angle in base.layout.angles:
            if angle.word.key not in known:
                q[:, base.layout.column_of(angle.word)] = rows_of_angle(base, angle.word, sol.t, q, v)
        aux = {key: x for key, x in sol.aux.items() if key not in ("mu", "nu")}
        if "a_left" in aux:
            at = aux["breakpoint_rows"].astype(np.int64)
            before = self.state(sol.q[at], sol.v[at], aux["a_left"])
            aux["a_left"] = before[2]
            aux["lam_left"] = multipliers(self, sol.t[at], *before)
        columns = {"q": np.arange(base.nq), "v": np.arange(base.nv), "a": np.arange(base.nv), "lam": np.arange(base.m)}
        lam = multipliers(self, sol.t, q, v, a)
        return replace(sol, q=q, v=v, a=a, lam=lam, system=base, columns=columns, aux=aux)


def joint_coordinates(mechanism: Mechanism | MechanismSystem) -> TreeSystem:
    """Return a mechanism without loops as a system in the coordinates of its joints.

    Parameters
    ----------
    mechanism
        A mechanism whose joints are hinges, prismatic, cylindrical, planar, universal, spherical
        and fixed ones without loops; or a system that it was compiled or assembled to. Bodies that
        no joint leads to are free.

    Returns
    -------
    system
        A system without constraints; `system.lift(sol)` gives the solution of the mechanism.

    Raises
    ------
    InputError
        If joints form a loop, or a joint or load has no place in such coordinates.
    ConflictError
        If joints are open at the start, or its velocities do not fit them.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, -9.81))
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> system = iso.joint_coordinates(mech)
    >>> system.names, system.m
    (('pin.angle',), 0)
    >>> sol = system.lift(iso.integrate(system, dt=0.01, t_end=1.0))
    >>> sol.body("rod").position.shape, sol.reaction("pin").force.shape
    ((101, 3), (101, 3))
    """
    if isinstance(mechanism, Mechanism):
        base = mechanism.compile()
    elif isinstance(mechanism, MechanismSystem):
        base = mechanism
    else:
        raise InputError(f"joint_coordinates takes a Mechanism, received {type(mechanism).__name__}")
    refuse_user_loads(base)
    forest = forest_of(base)
    sizes = np.array([typical(base, node) for node in forest.nodes for _ in range(node.nv)])
    tables, scratch = write_tables(base, forest, sizes)
    names = [node.names() for node in forest.nodes]
    q0, v0 = start_of(base, forest)
    sizes_q = np.array([typical(base, node) for node in forest.nodes for _ in range(node.nq)])
    turns = any(node.link.kind == BALL for node in forest.nodes)

    def retract(q: FloatArray, d: FloatArray) -> FloatArray:
        out, none, c = np.empty(q.size), np.zeros(0), np.zeros(4)
        q, d = np.ascontiguousarray(q), np.ascontiguousarray(d)
        tree_model(RETRACT, 0.0, q, d, none, none, c, tables, scratch, out)
        return out

    def difference(q1: FloatArray, q2: FloatArray) -> FloatArray:
        d = np.empty(sizes.size)
        for node in forest.nodes:
            at, to = slice(node.first_q, node.first_q + node.nq), slice(node.first_v, node.first_v + node.nv)
            d[to] = increment(q1[at], q2[at], base.layout.cayley) if node.link.kind == BALL else q2[at] - q1[at]
        return d

    def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        Q, V, _ = system.state(q, v)
        return base.energy(Q, V, t)

    def energies(q: FloatArray, v: FloatArray, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        Q, V, _ = system.state(q, v)
        return base.energy.many(Q, V, t)

    system = TreeSystem(
        tree_model,
        KNOWS_MASS | KNOWS_TANGENT | (RETRACTS | KNOWS_RATE if turns else 0),
        q0,
        v0,
        tables,
        scratch,
        EnergyOfRows(energy, energies),
        retract if turns else None,
        difference if turns else None,
        names=tuple(x for q, _ in names for x in q),
        v_names=tuple(x for _, v in names for x in v),
        alike=tuple(
            int(Quantity.LENGTH if node.link.kind == SLIDE else Quantity.ANGLE)
            for node in forest.nodes
            for _ in range(node.nv)
        ),
        elastic=base.elastic,
        scales=Scales(sizes_q, sizes, q0.copy()),
        mechanism=base,
        forest=forest,
    )
    refuse_open(system)
    return system


def refuse_user_loads(base: MechanismSystem) -> None:
    """InputError for loads that are users' functions."""
    loads = {} if base.description is None else base.description.parts.loads
    for name, load in loads.items():
        if isinstance(load, UserLoad):
            raise InputError(f"joint coordinates know no users' functions such as load {name!r}", hint=HINT)


def typical(base: MechanismSystem, node: Node) -> float:
    """The size of a mechanism for slides, one for turns."""
    return float(base.scales.v[0]) if node.link.kind == SLIDE else 1.0


def words_of(base: MechanismSystem, forest: Forest) -> list[tuple[Any, Node]]:
    """Measures that are coordinates of nodes."""
    pairs = [
        (word, forest.place(name, which))
        for name, joint in base.joints.items()
        for which, word in joint.coordinates.items()
    ]
    return [(word, node) for word, node in pairs if node is not None]


def start_of(base: MechanismSystem, forest: Forest) -> tuple[FloatArray, FloatArray]:
    """Coordinates and rates of the joints at the start of a mechanism."""
    q = np.zeros(sum(node.nq for node in forest.nodes))
    v = np.zeros(sum(node.nv for node in forest.nodes))
    known = set()
    for word, node in words_of(base, forest):
        value, gradient = coordinate_at(base, word, base.q0)
        q[node.first_q], v[node.first_v] = value, gradient @ base.v0
        known.add(id(node))
    free = {body.name for body in base.bodies}
    for node in forest.nodes:
        if id(node) in known or not node.nv:
            continue
        at, to = slice(node.first_q, node.first_q + node.nq), slice(node.first_v, node.first_v + node.nv)
        if node.owner in free:  # coordinates of a free body are its own
            own_q, own_v = base.q0[base.q_of(node.owner)], base.v0[base.v_of(node.owner)]
            k = "xyz".find(node.link.coordinate) if node.link.kind == SLIDE else 3
            k = 2 if node.link.coordinate == "θ" else k
            q[at], v[to] = own_q[k : k + node.nq], own_v[k : k + node.nv]
            continue
        q[at], v[to] = _relative(base, forest, node)
    return q, v


def _relative(base: MechanismSystem, forest: Forest, node: Node) -> tuple[Any, Any]:
    """Coordinates and rates of a joint without measures: of a ball, in space or in the plane."""
    assert node.body is not None
    parent = forest.nodes[node.parent].body if node.parent >= 0 else None
    name, inner = node.body.name, GROUND if parent is None else parent.name
    q, v = base.q0[base.q_of(name)], base.v0[base.v_of(name)]
    if node.planar:
        up = (0.0, 0.0) if inner == GROUND else (base.q0[base.q_of(inner)][2], base.v0[base.v_of(inner)][2])
        return node.link.sign * (q[2] - up[0]), node.link.sign * (v[2] - up[1])
    R, w = matrix(q[3:]), v[3:]
    if inner == GROUND:
        return q[3:], w
    R_up = matrix(base.q0[base.q_of(inner)][3:])
    return quaternion_of(R_up.T @ R), w - R.T @ R_up @ base.v0[base.v_of(inner)][3:]


def bodies_of(system: TreeSystem, q: FloatArray, v: FloatArray, a: FloatArray | None) -> Histories:
    """Coordinates, velocities and accelerations of the bodies of a mechanism, and counted angles as
    far as they are coordinates of joints."""
    base, single = system.mechanism, np.ndim(q) == 1
    x, u = (np.atleast_2d(np.ascontiguousarray(y, dtype=np.float64)) for y in (q, v))
    b = np.zeros_like(u) if a is None else np.atleast_2d(np.ascontiguousarray(a, dtype=np.float64))
    k, n = x.shape[0], len(base.bodies)
    places, rates, changes = (np.zeros((k, m * n)) for m in (3, 6, 6))
    turned = np.zeros((k, n, 3, 3))
    memory = system.tables, system.scratch.copy(), np.zeros(4), np.empty(system.nv)
    carry_rows(np.zeros(k), x, u, b, *memory, places, turned, rates, changes)
    Q, V, A = np.zeros((k, base.nq)), np.zeros((k, base.nv)), np.zeros((k, base.nv))
    for m, body in enumerate(base.bodies):
        own, to = base.q_of(body.name), base.v_of(body.name)
        place, rate, change = places[:, 3 * m : 3 * m + 3], rates[:, 6 * m : 6 * m + 6], changes[:, 6 * m : 6 * m + 6]
        if body.kind == "planar":
            Q[:, own] = place
            V[:, to], A[:, to] = rate[:, [0, 1, 5]], change[:, [0, 1, 5]]
            continue
        Q[:, own][:, :3] = place
        V[:, to], A[:, to] = rate[:, : to.stop - to.start], change[:, : to.stop - to.start]
        if body.kind == "spatial":
            e = continuous(quaternions_of(turned[:, m]))
            Q[:, own][:, 3:] = e if e[0] @ base.q0[own][3:] >= 0.0 else -e
    for word, node in words_of(base, system.forest):
        column = base.layout.column_of(word)
        if column is not None:
            Q[:, column] = x[:, node.first_q]
    return (Q[0], V[0], A[0]) if single else (Q, V, A)


def refuse_open(system: TreeSystem) -> None:
    """ConflictError where the start of the mechanism is not one that its joints allow."""
    base = system.mechanism
    q, v, _ = system.state(system.q0, system.v0)
    fast = 1.0 + float((np.abs(base.v0) / base.scales.v).max(initial=0.0))
    off, size = np.abs(q - base.q0) / base.scales.q, OPEN * (1.0 + float(np.abs(q / base.scales.q).max(initial=0.0)))
    if (off > size).any():
        raise ConflictError(
            f"joints are open at the start: {base.names[int(off.argmax())]} is off by {np.abs(q - base.q0)[int(off.argmax())]:.3g}",
            hint="mech.assemble().system closes them; joint_coordinates takes it",
        )
    off = np.abs(v - base.v0) / base.scales.v
    if (off > OPEN * fast).any():
        raise ConflictError(
            f"velocities at the start do not fit the joints: {base.v_names[int(off.argmax())]} is off by"
            f" {np.abs(v - base.v0)[int(off.argmax())]:.3g}",
            hint="mech.assemble().system gives the nearest that fit; joint_coordinates takes it",
        )


def multipliers(system: TreeSystem, t: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
    """Multipliers of the mechanism's rows along rows of states."""
    base = system.mechanism
    lam = np.zeros((t.size, base.m))
    if base.m == 0 or t.size == 0:
        return lam
    tables, scratch = base.sparse_tables
    pattern = base.layout.sparsity
    held = [node for node in reversed(system.forest.nodes) if node.body is not None and node.owner in base.joints]
    work = reactions.Reactions(
        bodies=len(held),
        nv=base.nv,
        m=base.m,
        entries=pattern.G_columns.size,
        starts=pattern.G_starts.size,
        columns=pattern.G_columns.size,
    )
    work.typical, work.starts, work.columns = base.scales.v, pattern.G_starts, pattern.G_columns
    work.c = np.array([1.0, 0.0, 0.0, 1.0])
    for node, data in zip(held, work.bodies, strict=True):
        assert node.body is not None
        own, rows = base.v_of(node.body.name), base.joints[node.owner].rows
        data.first, data.freedom, data.row, data.rows = own.start, own.stop - own.start, rows[0], len(rows)
    t, q, v, a = (np.ascontiguousarray(x) for x in (t, q, v, a))
    reactions.reactions_of_rows(t, q, v, a, tables, scratch.copy(), work, lam)
    return lam
