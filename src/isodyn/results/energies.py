"""Where the energy of a mechanism is: in which body, beam, spring or limit.

body   T = ½ m ṙ² + ½ ωᵀ𝔍ω,  V = −m g·r          beam   T, and V = strain − weight          spring, limit   V alone
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.results.beam_view import BeamView
from isodyn.results.flexible_view import FlexibleView
from isodyn.results.load_view import LoadView
from isodyn.results.mechanism_views import BodyView, mechanism_of
from isodyn.results.rod_view import RodView
from isodyn.results.switched import ever_off

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem
    from isodyn.results.solution import Solution


class PartEnergy(NamedTuple):
    """Kinetic and potential energy of a part at every saved time."""

    kinetic: FloatArray
    potential: FloatArray

    def __repr__(self) -> str:
        kinetic, potential = (f"{x.min():.4g} to {x.max():.4g}" if x.size else "none" for x in self)
        return f"<PartEnergy: kinetic {kinetic}, potential {potential}, {self.kinetic.size} rows>"


def energy_by_part(sol: Solution) -> dict[str, PartEnergy]:
    """Energies of bodies, beams, and of loads that store some."""
    system = mechanism_of(sol, "energy_by_part()")
    sol._whole("energy_by_part()")
    none = np.zeros(sol.t.size)
    found = {}
    inside = {one.name for part in system.layout.flexible for one in part.members}
    for body in system.bodies:
        if not body.is_node and body.name not in inside:
            moved = BodyView(sol, body.name)
            v, w = moved.velocity, moved.angular_velocity
            kinetic = 0.5 * body.mass * np.einsum("ki,ki->k", v, v) + 0.5 * np.einsum("ki,ij,kj->k", w, body.inertia, w)
            found[body.name] = PartEnergy(kinetic, -body.mass * moved.position @ system.layout.gravity)
    for name in system.beams:
        found[name] = _of_beam(sol, system, name)
    for name, rod in system.rods.items():
        line = RodView(sol, name)
        kinetic, strain, _ = line.energies
        weight = np.einsum("n,kni->ki", np.array([node.mass for node in rod.nodes]), line.nodes) @ system.layout.gravity
        found[name] = PartEnergy(kinetic, strain - weight)
    for part in system.layout.flexible:
        view = FlexibleView(sol, part.name)
        found[part.name] = PartEnergy(view.kinetic_energy, view.potential_energy)
    for name in dict.fromkeys(law.load for law in system.layout.laws):
        stored = LoadView(sol, name).energy
        if stored.any():
            found[name] = PartEnergy(none, stored)
    return found


def let_go(sol: Solution) -> FloatArray:
    """What loads that were switched off would have stored, in the rows in which they did not
    act."""
    views = [LoadView(sol, name) for name in ever_off(sol) if any(law.load == name for law in sol.system.layout.laws)]
    return np.sum([np.zeros(sol.t.size), *(view.as_if_it_acted - view.energy for view in views)], axis=0)


def _of_beam(sol: Solution, system: MechanismSystem, name: str) -> PartEnergy:
    beam = BeamView(sol, name)
    axial, bending = beam.shape.strain_energy(beam.q)
    momentum_of = beam.shape.momentum
    g = system.layout.gravity[: beam.shape.dim]
    weight = momentum_of(beam.q) @ g  # ∫ρA r ds, as ∫ρA ṙ ds is the momentum
    return PartEnergy(beam.shape.kinetic_energy(beam.v), axial + bending - weight)
