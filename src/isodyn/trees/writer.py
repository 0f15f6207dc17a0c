"""Writes the tables of a tree's model (isodyn.trees.tables)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.system import MechanismSystem
from isodyn.trees.forest import Forest, Node, split_laws
from isodyn.trees.tables import FREEDOMS, HINGE, SLIDE, NodeData, TreeScratch, TreeTables


def write_tables(system: MechanismSystem, forest: Forest, sizes: FloatArray) -> tuple[TreeTables, TreeScratch]:
    """Tables and scratch of a forest; `sizes` are typical ones of v."""
    on_joints, between = split_laws(system, forest)
    bare = replace(system.layout, rows=[], reactions={}, angles=())
    laws, law_scratch = replace(bare, laws=[law for law, _ in on_joints], loads=[]).build(sparse=False)
    loads, load_scratch = replace(bare, laws=between).build(sparse=False)
    nodes = forest.nodes
    tables = TreeTables(
        nodes=len(nodes), actuators=len(on_joints), nv=sizes.size, laws=laws.words.size, loads=loads.words.size
    )
    tables.laws, tables.loads, tables.typical = laws.words, loads.words, sizes
    tables.planar, tables.gravity, tables.cayley = forest.planar, system.layout.gravity, int(system.layout.cayley)
    tables.acts = int(bool(between or system.layout.loads))
    for node, data in zip(nodes, tables.nodes, strict=True):
        write_node(system, node, data)
    for k, (_, node) in enumerate(on_joints):
        one = tables.actuators[k]
        one.law, one.place_q, one.place_v = k, node.first_q, node.first_v
    scratch = TreeScratch(
        planar=forest.planar,
        spatial=len(nodes) - forest.planar,
        nq=sum(node.nq for node in nodes),
        nv=sizes.size,
        body_v=system.nv,
        laws=law_scratch.words.size,
        loads=load_scratch.words.size,
    )
    scratch.laws, scratch.loads, scratch.still = law_scratch.words, load_scratch.words, np.eye(3)
    for flat in scratch.flat:
        flat.cosine = 1.0
    return tables, scratch


def write_node(system: MechanismSystem, node: Node, data: NodeData) -> None:
    """The numbers of one node."""
    link = node.link
    data.kind, data.parent, data.root = link.kind, node.parent, node.root
    data.first_q, data.first_v, data.freedom = node.first_q, node.first_v, FREEDOMS[link.kind]
    data.point, data.arm, data.turned = link.s, -link.s_after, link.zero
    data.body = -1
    if node.body is not None:
        data.body, data.mass, data.inertia = system.number_of(node.body.name), node.body.mass, node.body.inertia
    A, C = link.A, link.C
    if link.kind == HINGE:
        data.axis = [0.0, 0.0, link.sign] if node.planar else link.sign * A[2]
        data.still, data.cosine = np.outer(A[2], C[2]), A[:2].T @ C[:2]
        data.sine = link.sign * (np.outer(A[1], C[0]) - np.outer(A[0], C[1]))
        return
    data.still = A.T @ C
    if link.kind == SLIDE:
        data.axis = link.sign * A[2]
