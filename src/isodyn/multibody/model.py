"""The equations of a mechanism as one compiled model (isodyn.kernels.compiled).

    m r̈ + … = f,    𝔍 ω̇ + ω × 𝔍ω + … = τ         per body (isodyn.multibody.bodies)
    rows        φ = Σ w x − f(t) = 0               sums of measures x (isodyn.joints.measures); some known as rates only
    laws        −g f(x, ẋ, t)                      force elements along a measure
    loads       forces and torques on one body
    angles      θ̇ = g·v                           counted over whole turns, behind the bodies in q (isodyn.multibody.turns)
    rods        P(h)ᵀ C (h − h₀)/L                 between bodies (isodyn.beams.rod_element)
    flexible    inertia in a floating frame + K p  between the interfaces and modes of a body (isodyn.flexible)
    beams       M a + ∂U/∂q + damping − weight     on their nodes (isodyn.beams), which joints see as bodies (isodyn.multibody.nodes)

The columns of a measure's gradient that a body does not have are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.beams.elements import beam_forces, element_energies, element_tangents
from isodyn.bodies.rotation_kernels import dot, rotate, triple
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    IDEAL,
    JACOBIAN,
    LEVELS,
    MODEL,
    MULTIPLIERS,
    OK,
    POSITION,
    RATE,
    RETRACT,
    SETTLE,
    VELOCITY,
    F,
    FloatArray,
    f8,
    kernel,
)
from isodyn.kernels.lowering import by_address, natural
from isodyn.kernels.struct_types import opened
from isodyn.multibody.bodies import inertia_forces, inertia_tangents, move_bodies, place_bodies, rates_of_bodies
from isodyn.multibody.flexible import add_flexible, add_flexible_tangents, energies_of_flexible
from isodyn.multibody.laws import add_law_tangents, add_laws, add_reaction_slopes, potential_of_laws
from isodyn.multibody.loads import add_load_tangents, add_loads
from isodyn.multibody.rods import add_rod_tangents, add_rods, energies_of_rods, has_rods
from isodyn.multibody.rows import row_forces, row_matrix, row_tangents, row_values
from isodyn.multibody.tables import SCRATCH, TABLES, Scratch, Tables
from isodyn.multibody.turns import count_turns, rates_of_turns, read_turns, settle_turns

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


@kernel()
def balance(
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    tables: Tables,
    scratch: Scratch,
    out: FloatArray,
) -> None:
    """out = M a + Gᵀλ − Q."""
    inertia_forces(a, tables, scratch, out)
    if tables.nodal > 0:
        beam_forces(t, tables.load_factor, q, v, a, tables.beams, tables.time, scratch.element, scratch.formulas, out)
    if has_rods(tables):
        add_rods(a, tables, scratch, out)
    if len(tables.flexible.bodies) > 0:
        add_flexible(q, v, a, tables, scratch, out)
    row_forces(lam, tables, scratch, out)
    if len(tables.laws) > 0:
        add_laws(t, v, lam, c[3] == IDEAL, tables, scratch, out)
    if len(tables.loads) > 0:
        add_loads(t, tables, scratch, out)


@kernel()
def jacobian(
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    tables: Tables,
    scratch: Scratch,
    out: FloatArray,
) -> None:
    """out = c₀ ∂/∂a + c₁ ∂/∂v + c₂ ∂/∂q of the balance."""
    for i in range(tables.J_size):
        out[i] = 0.0
    inertia_tangents(c, tables, scratch, out)
    if tables.nodal > 0:
        element_tangents(q, v, c, tables.beams, scratch.element, out)
    if has_rods(tables):
        add_rod_tangents(c, tables, scratch, out)
    if len(tables.flexible.bodies) > 0:
        add_flexible_tangents(q, v, a, c, tables, scratch, out)
    if c[1] == 0.0 and c[2] == 0.0:
        return
    if c[2] != 0.0:
        row_tangents(lam, c, tables, scratch, out)
    if len(tables.laws) > 0:
        add_law_tangents(t, v, lam, c, tables, scratch, out)
    if len(tables.loads) > 0:
        add_load_tangents(t, c, tables, scratch, out)


@kernel()
def move(what: int, q: FloatArray, v: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> int:
    """RETRACT, SETTLE or RATE."""
    if what == RETRACT:
        move_bodies(q, v, tables, out)
        return count_turns(q, v, tables, out) if len(tables.turns) > 0 else OK
    if what == SETTLE:
        return settle_turns(tables, out)
    rates_of_bodies(q, v, tables, out)
    if len(tables.turns) > 0:
        place_bodies(q, v, tables, scratch)
        rates_of_turns(tables, scratch, out)
    return OK


@kernel(MODEL)
def mechanism_model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    data: StructAddress,
    memory: StructAddress,
    out: FloatArray,
) -> int:
    """The questions of the loop, answered by a mechanism."""
    tables, scratch = opened(Tables, data), opened(Scratch, memory)
    if what in (RETRACT, SETTLE, RATE):
        return move(what, q, v, tables, scratch, out)
    place_bodies(q, v, tables, scratch)
    read_turns(q, tables, scratch)
    if what == BALANCE:
        balance(t, q, v, a, lam, c, tables, scratch, out)
    elif what == JACOBIAN:
        jacobian(t, q, v, a, lam, c, tables, scratch, out)
    elif what in (CONSTRAINT, MULTIPLIERS):
        row_matrix(tables, scratch, out)
        if what == MULTIPLIERS:
            add_reaction_slopes(v, lam, tables, scratch, out)
    elif what == LEVELS:
        m = natural(len(tables.rows))
        row_values(POSITION, t, v, a, tables, scratch, out[:m])
        row_values(VELOCITY, t, v, a, tables, scratch, out[m:])
    elif what in (POSITION, VELOCITY, ACCELERATION):
        row_values(what, t, v, a, tables, scratch, out)
    return OK


ask_mechanism = by_address(mechanism_model, MODEL)
"""The same as other models call it."""


@kernel(f8(f8, F, F, TABLES, SCRATCH, F))
def mechanism_energy(
    t: float, q: FloatArray, v: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> float:
    """Kinetic and potential energy into out; the latter counts weight, springs and strain, with
    time functions at t. out[2:] is memory."""
    place_bodies(q, v, tables, scratch)
    read_turns(q, tables, scratch)
    gravity = triple(tables.gravity)
    kinetic, potential = 0.0, 0.0
    for k in range(tables.ground):
        body, pose = tables.bodies[k], scratch.poses[k]
        w, u = triple(pose.w), triple(pose.v)
        kinetic += 0.5 * body.mass * dot(u, u) + 0.5 * dot(w, rotate(body.inertia, w))
        potential -= body.mass * dot(gravity, triple(pose.position))
    if tables.nodal > 0:
        for i in range(tables.nodal):
            potential -= tables.beams.weight[i] * q[i]
        beams = element_energies(q, v, tables.beams, scratch.element, out[2:])
        kinetic, potential = kinetic + beams[0], potential + beams[1]
    if has_rods(tables):
        rods = energies_of_rods(tables, scratch)
        kinetic, potential = kinetic + rods[0], potential + rods[1]
    if len(tables.flexible.bodies) > 0:
        flexible = energies_of_flexible(q, v, tables, scratch)
        kinetic, potential = kinetic + flexible[0], potential + flexible[1]
    out[0], out[1] = kinetic, potential + potential_of_laws(t, tables, scratch)
    return kinetic + out[1]
