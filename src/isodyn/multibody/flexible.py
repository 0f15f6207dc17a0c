"""All flexible bodies of a mechanism: forces, tangents, energies (isodyn.flexible)."""

from __future__ import annotations

from numba import types

from isodyn.bodies.rotation_kernels import Vector, triple
from isodyn.flexible.floating_frame import (
    accelerate,
    add_forces,
    contract,
    deform,
    energies_of_body,
    forces_in_frame,
)
from isodyn.flexible.frame_tangents import (
    add_column,
    forces_on_members,
    mass_in_frame,
    multiply_slopes,
    slopes_over_deformation,
    slopes_over_turning,
    vary_members,
)
from isodyn.flexible.stiffening import size_of, stiffen_slopes
from isodyn.kernels.compiled import F, FloatArray, kernel
from isodyn.multibody.tables import SCRATCH, TABLES, Scratch, Tables


@kernel()
def weight(tables: Tables) -> Vector:
    """Acceleration of gravity, times the share that statics applies."""
    g, f = triple(tables.gravity), tables.load_factor
    return f * g[0], f * g[1], f * g[2]


@kernel(types.void(F, F, F, TABLES, SCRATCH, F), inner=True, apart=True)
def add_flexible(
    q: FloatArray, v: FloatArray, a: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """out += forces of all flexible bodies."""
    for k in range(len(tables.flexible.bodies)):
        body = tables.flexible.bodies[k]
        deform(body, tables.flexible, scratch.poses, q, v, scratch.flexible)
        accelerate(body, tables.flexible, scratch.poses, weight(tables), a, scratch.flexible)
        forces_in_frame(body, tables.flexible, scratch.flexible)
        add_forces(body, tables.flexible, scratch.poses, scratch.flexible, out)


@kernel(types.void(F, F, F, F, TABLES, SCRATCH, F), inner=True, apart=True)
def add_flexible_tangents(
    q: FloatArray, v: FloatArray, a: FloatArray, c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """J += c₀ ∂/∂a + c₁ ∂/∂v + c₂ ∂/∂q of all flexible bodies."""
    flexible, work, poses = tables.flexible, scratch.flexible, scratch.poses
    for k in range(len(flexible.bodies)):
        body = flexible.bodies[k]
        deform(body, flexible, poses, q, v, work)
        accelerate(body, flexible, poses, weight(tables), a, work)
        forces_in_frame(body, flexible, work)
        mass_in_frame(body, flexible, work)
        w = triple(poses[flexible.members[body.first_member].body].w)
        slopes_over_turning(body, w, work)
        slopes_over_deformation(body, flexible, work)
        if body.stiffens == 1:
            stiffen_slopes(body, flexible, w, work)
        vary_members(body, flexible, poses, c, a, work)
        multiply_slopes(body, work)
        for i in range(6 + size_of(body)):
            forces_on_members(body, poses, flexible, c[2], i, work)
            add_column(body, flexible, i, work, out)


@kernel()
def energies_of_flexible(q: FloatArray, v: FloatArray, tables: Tables, scratch: Scratch) -> tuple[float, float]:
    """Kinetic energy, and that of strain and weight."""
    kinetic = potential = 0.0
    for k in range(len(tables.flexible.bodies)):
        body = tables.flexible.bodies[k]
        deform(body, tables.flexible, scratch.poses, q, v, scratch.flexible)
        contract(body, tables.flexible, scratch.flexible)
        found = energies_of_body(body, tables.flexible, scratch.poses, triple(tables.gravity), scratch.flexible)
        kinetic, potential = kinetic + found[0], potential + found[1]
    return kinetic, potential
