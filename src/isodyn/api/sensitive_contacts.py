"""Derivatives of runs with contacts: the run finds its course, and is then differentiated phase by
phase as a system whose closed contacts are constraints (isodyn.sensitivities.closed_rows)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.api.driver import integrate, schedule
from isodyn.api.options import StepSizes, size_of_steps
from isodyn.errors import SensitivityError
from isodyn.formulations.protocol import Formulation, as_formulation, facts_of
from isodyn.marching.method import Method, settle, suited_to
from isodyn.marching.progress import Progress
from isodyn.marching.sampling import refuse_controllers
from isodyn.marching.schedule import Stretch
from isodyn.mechanism.mesh_rows import MeshTwin
from isodyn.results.sensitivity import Sensitivity, Varied
from isodyn.results.solution import Solution
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.sensitivities.closed_rows import ClosedFamily, ClosedSystem, Modes, closed
from isodyn.sensitivities.contact_course import Phase, RecordedRun
from isodyn.sensitivities.gradient import Gradient, Objective, gradient_of
from isodyn.sensitivities.impacts import ContactJump
from isodyn.sensitivities.parameters import family_of
from isodyn.sensitivities.run import SensitiveRun
from isodyn.sensitivities.taped_run import TapedRun
from isodyn.stepping.impacts import Impacts
from isodyn.stepping.newton_settings import Newton
from isodyn.stepping.policies import StepPolicy, StepTimes
from isodyn.systems import Description, System


@dataclass
class ContactCourse:
    """A run with contacts, and what is needed to differentiate it: the system with its contacts as
    rows, its phases, and what happens between them."""

    family: ClosedFamily
    system: ClosedSystem
    method: Method
    stretches: list[Stretch]
    phases: list[Phase]
    jumps: list[ContactJump]
    kept: Solution

    def given(self, options: dict[str, Any]) -> dict[str, Any]:
        """What a run with derivatives takes."""
        asked = {name: options[name] for name in ("newton", "assemble")}
        return {"family": self.family, "jumps": self.jumps, "phases": self.phases, **asked}


def course_with_contacts(
    given: System | Description,
    scheme: Scheme | FirstOrderScheme | None,
    formulation: Formulation | None,
    dt: StepSizes,
    t_end: float,
    options: dict[str, Any],
) -> ContactCourse:
    """The course of a run with contacts."""
    if options.get("events"):
        raise SensitivityError("events beside contacts are not differentiated", hint="leave events= out")
    family = family_of(given)
    system = family.at({})
    if isinstance(system.contacts.twin, MeshTwin):
        raise SensitivityError(
            "distances of meshes have edges, where they have no derivatives: contacts of meshes are not differentiated",
            hint="take spheres, capsules and planes",
        )
    refuse_controllers(system, "a run with sensitivities does not")
    formulation = as_formulation(formulation) if system.m else formulation
    if formulation is not None and facts_of(formulation).transforms:
        raise SensitivityError(f"{type(formulation).__name__} integrates another system, which is not differentiated")
    policy = dt if isinstance(dt, StepPolicy) else None
    scheme = suited_to(policy, scheme, system)
    stretches, typical = schedule(options["t0"], t_end, size_of_steps(dt), options["breakpoints"], 1)
    record = RecordedRun(
        system,
        settle(system, scheme, formulation, typical),
        stretches,
        newton=options["newton"] or Newton(rtol=1e-13),
        assemble=options["assemble"],
        policy=policy,
        impacts=options.get("impacts") or Impacts(),
    )
    with Progress(record.whole, False) as bar:
        kept = record.execute(bar)
    phases = record.phases()
    modes = Modes(contacts=system.contacts.mu.size, rows=system.contacts.rows)
    whole = closed(system, modes)
    jumps = [ContactJump(whole, one.begins_with) for one in phases if one.begins_with is not None]
    ends = record.times(phases)
    times, t_last = StepTimes(ends), float(ends[-1])
    inside = {phase.t_start for phase in phases[1:]} | {float(t) for t in np.atleast_1d(options["breakpoints"])}
    inside = {t for t in inside if options["t0"] < t < t_last}
    stretches, typical = schedule(options["t0"], t_last, times, sorted(inside), 1)
    method = settle(whole, scheme, as_formulation(formulation), typical)
    return ContactCourse(ClosedFamily(family, modes), whole, method, stretches, phases, jumps, kept)


def integrate_with_contacts(
    given: System | Description,
    scheme: Scheme | FirstOrderScheme | None,
    formulation: Formulation | None,
    names: list[str],
    dt: StepSizes,
    t_end: float,
    options: dict[str, Any],
) -> Solution:
    """The solution of a run with contacts, with derivatives by the named parameters."""
    way = course_with_contacts(given, scheme, formulation, dt, t_end, options)
    run = SensitiveRun(way.system, way.method, way.stretches, names=names, **way.given(options))
    with Progress(run.whole, options["progress"]) as bar:
        found = run.execute(bar)
    sol = way.kept
    if options["save_every"] != 1 or options["observe"] is not None:
        keep = {key: options[key] for key in ("t0", "save_every", "breakpoints", "newton", "assemble", "observe")}
        keep["newton"] = keep["newton"] or Newton(rtol=1e-13)
        sol = integrate(given, scheme, formulation, dt=dt, t_end=t_end, impacts=options.get("impacts"), **keep)
    rows = np.searchsorted(found.t, sol.t)
    if not np.array_equal(found.t[np.minimum(rows, found.t.size - 1)], sol.t):
        raise SensitivityError("rows of the run and of its derivatives are at different times")
    places, touching = way.system.places, way.system.contact_places
    for name, one in found.sensitivities.items():
        q, v, a, lam = (x[rows] for x in (one.dq, one.v, one.a, one.lam))
        made = Sensitivity(sol, name, one.value, q, v, a, lam[:, places], InnerVariation(one.varied))
        made.contact_forces = -lam[:, touching]
        sol.sensitivities[name] = made
    return sol


def gradient_with_contacts(
    way: ContactCourse,
    names: list[str],
    objective: Objective,
    checkpoints: int | None,
    options: dict[str, Any],
) -> Gradient:
    """The gradient of an objective by the adjoint of a run with contacts."""
    run = TapedRun(way.system, way.method, way.stretches, names=names, **way.given(options))
    return gradient_of(run, objective, checkpoints, options["progress"], way.kept)


class InnerVariation:
    """A parameter at other values, of the systems as users know them."""

    def __init__(self, varied: Varied) -> None:
        self.varied = varied

    @property
    def systems(self) -> tuple[Any, ...]:
        """The system at the points."""
        return tuple(system.inner for system in self.varied.systems)

    @property
    def weights(self) -> tuple[float, ...]:
        """Weights of their values."""
        return tuple(self.varied.weights)
