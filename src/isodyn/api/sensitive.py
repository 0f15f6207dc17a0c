"""Derivatives of runs: `integrate(..., sensitivities=[...])` and `gradient`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.api.driver import integrate, schedule
from isodyn.api.options import AnyScheme, StepSizes, size_of_steps
from isodyn.api.sensitive_contacts import course_with_contacts, gradient_with_contacts, integrate_with_contacts
from isodyn.errors import InputError, SensitivityError
from isodyn.formulations.protocol import Formulation, as_formulation, facts_of
from isodyn.marching.method import Method, settle, suited_to
from isodyn.marching.progress import Progress
from isodyn.marching.sampling import refuse_controllers
from isodyn.results.solution import Solution
from isodyn.schemes import Composition
from isodyn.sensitivities.gradient import Gradient, Objective, Output, gradient_of
from isodyn.sensitivities.parameters import Family, family_of
from isodyn.sensitivities.run import SensitiveRun
from isodyn.sensitivities.saltation import event_times, jumps_of, refuse_switches
from isodyn.sensitivities.taped_run import TapedRun
from isodyn.stepping.events import Event, read_events
from isodyn.stepping.impacts import Impacts
from isodyn.stepping.methods import StepMethod
from isodyn.stepping.newton_settings import Newton
from isodyn.stepping.policies import StepPolicy, StepTimes
from isodyn.systems import Description, System, as_system, is_system

if TYPE_CHECKING:
    from isodyn.open_types import Numbers
    from isodyn.schemes.gs4_1 import FirstOrderScheme
    from isodyn.schemes.gs4_2 import Scheme

KNOWN = ("t0", "save_every", "breakpoints", "progress", "newton", "assemble", "observe", "events", "impacts")


def checked_names(names: Sequence[str], what: str = "sensitivities") -> list[str]:
    """Names of parameters; InputError for what is none, or stands there twice."""
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        raise InputError(f"{what} must be a list of names such as ['crank.mass'], received {names!r}")
    if len(set(names)) < len(names):
        raise InputError(f"a parameter is named twice in {what}: {list(names)!r}")
    return list(names)


def refuse_options(options: dict[str, Any], scheme: AnyScheme) -> None:
    """SensitivityError for what derivatives do not go with."""
    empty: tuple[Any, ...] = (None, ())
    for name, value in options.items():
        if name not in KNOWN and not any(value is x or value == x for x in empty):
            raise SensitivityError(f"sensitivities do not go with {name}=", hint=f"leave {name}= out")
    if isinstance(scheme, StepMethod | Composition):
        raise SensitivityError(f"steps of {scheme.name} are not differentiated", hint="take a Scheme")


def refuse_impacts(impacts: Impacts | None) -> None:
    """InputError for settings of impacts, where there are no contacts."""
    if impacts is not None:
        raise InputError("impacts are for systems with gaps", hint="gap= of a system, or mech.add_contact")


@dataclass
class Course:
    """Where the steps of a run end, and what happens on its way: both found by a run before, and
    kept in the run that is differentiated."""

    scheme: Any
    dt: Any
    t_end: float
    breakpoints: Numbers
    events: tuple[Event, ...] = ()
    happened: tuple[Any, ...] = ()
    stopped: str | None = None

    @property
    def ends_by_event(self) -> bool:
        """Whether an event ended the run."""
        return self.stopped is not None


def course(
    given: Any,
    scheme: Any,
    formulation: Formulation | None,
    dt: Any,
    t_end: float,
    options: dict[str, Any],
) -> Course:
    """The course of a run: the times of steps that a policy chooses, and of events."""
    events, sized = read_events(options.get("events") or ()), isinstance(dt, StepPolicy)
    found = Course(scheme, dt, t_end, options["breakpoints"], events)
    if not sized and not events:
        return found
    refuse_switches(events)
    keep = {key: options[key] for key in ("t0", "breakpoints", "newton", "assemble")}
    first = integrate(given, scheme, formulation, dt=dt, t_end=t_end, events=events, **keep)
    found.scheme = suited_to(dt if sized else None, scheme, as_system(given))
    found.happened, found.stopped = tuple(first.events), first.stats.stopped
    acting = {one.t for one in first.events if events[one.index].acts}
    if sized or acting or found.stopped is not None:
        found.dt, found.t_end = StepTimes(np.unique(first.t[1:])), float(first.t[-1])
        inside = {float(t) for t in np.atleast_1d(options["breakpoints"])} | acting
        found.breakpoints = sorted(t for t in inside if options["t0"] < t < found.t_end)
    return found


def compiled_once(given: object) -> tuple[Any, Any]:
    """What has named numbers, and its system; parts are compiled here and nowhere else."""
    system = as_system(given)
    return (given if isinstance(given, Family) else system), system


def prepared(
    given: object,
    system: System,
    scheme: Scheme | FirstOrderScheme | None,
    formulation: Formulation | None,
    typical: float,
) -> tuple[Family, System, Method]:
    """System, family and method of a run with derivatives."""
    family = family_of(given)
    if not is_system(system):
        raise SensitivityError(f"a {type(system).__name__} is not differentiated")
    refuse_controllers(system, "a run with sensitivities does not")
    if formulation is not None or system.m:
        formulation = as_formulation(formulation) if system.m else formulation
    if formulation is not None and facts_of(formulation).transforms:
        raise SensitivityError(f"{type(formulation).__name__} integrates another system, which is not differentiated")
    return family, system, settle(system, scheme, formulation, typical)


def integrate_with_sensitivities(
    given: System | Description,
    scheme: AnyScheme,
    formulation: Formulation | None,
    names: Sequence[str],
    dt: StepSizes,
    t_end: float,
    options: dict[str, Any],
) -> Solution:
    """The solution, with derivatives by the named parameters."""
    found = checked_names(names)
    refuse_options(options, scheme)
    given, system = compiled_once(given)
    if system.contacts is not None:
        assert not isinstance(scheme, Composition | StepMethod)  # they are refused above
        return integrate_with_contacts(given, scheme, formulation, found, size_of_steps(dt), t_end, options)
    refuse_impacts(options.get("impacts"))
    way = course(given, scheme, formulation, size_of_steps(dt), t_end, options)
    stretches, typical = schedule(options["t0"], way.t_end, way.dt, way.breakpoints, options["save_every"])
    family, system, method = prepared(given, system, way.scheme, formulation, typical)
    last = way.t_end if way.ends_by_event else np.inf
    jumps = jumps_of(system, way.events, [one for one in way.happened if one.t < last])
    run = SensitiveRun(
        system,
        method,
        stretches,
        family=family,
        names=found,
        newton=options["newton"],
        observe=options["observe"],
        assemble=options["assemble"],
        jumps=jumps,
    )
    with Progress(run.whole, options["progress"]) as bar:
        sol = run.execute(bar)
    if way.happened:
        sol.events = list(way.happened)
        for name, times in zip(found, event_times(run, way.events, way.happened), strict=True):
            sol.sensitivity(name).events = np.array(times)
    if way.stopped is not None and sol.stats.stopped is None:
        sol.stats = replace(sol.stats, stopped=way.stopped)
    return sol


def gradient(
    system: System,
    scheme: AnyScheme = None,
    formulation: Formulation | None = None,
    *,
    dt: StepSizes,
    t_end: float,
    objective: Objective | Output,
    parameters: Sequence[str],
    t0: float = 0.0,
    breakpoints: Sequence[float] = (),
    events: Sequence[Event] = (),
    checkpoints: int | None = None,
    impacts: Impacts | None = None,
    newton: Newton | None = None,
    assemble: bool = False,
    progress: bool = False,
) -> Gradient:
    """Return the derivatives of one number by many parameters, by the adjoint of a run.

    It takes the run and one pass back, however many parameters there are; what each of them adds is
    a few evaluations of the equations that it stands in, in each step. For few parameters and many
    outputs `integrate(..., sensitivities=[...])` is better.

    Parameters
    ----------
    system
        A mechanism, or a `Parametrised` system.
    scheme, formulation
        As for `integrate`.
    dt
        Size of a step, `StepTimes`, or a policy such as `Adaptive`, whose steps are found by a run
        before and then kept.
    t_end
        End of the run.
    objective
        An `Objective`; a name of a quantity or a function of a solution means its value at the end.
    parameters
        Names of parameters, such as ["crank.mass", "pin.point.x"].
    t0
        Start of the run.
    breakpoints
        Times at which forces jump, as for `integrate`.
    events
        Events that act on the state, as for `integrate`.
    checkpoints
        Number of states that are kept, and of steps that are written down at a time: steps are
        taken once more then, and more than once where that is less than the square root of their
        number.
        If left out, all steps are kept as long as they take less than 256 MB, and 20 states
        otherwise.
    impacts
        What happens where contacts close, as for `integrate`.
    newton
        Settings of the iteration.
    assemble
        Move a start that violates the constraints to the nearest one that does not.
    progress
        Show a bar with the remaining time on standard error.

    Returns
    -------
    gradient
        Value and derivatives of the objective.

    Raises
    ------
    InputError
        If an argument is not admissible.
    SensitivityError
        If the run cannot be differentiated.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, -9.81))
    >>> _ = mech.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> found = iso.gradient(mech, dt=0.01, t_end=0.2, objective="pin.angle", parameters=["arm.inertia.y"])
    >>> found["arm.inertia.y"] < 0
    True
    """
    names = checked_names(parameters, "parameters")
    refuse_options({}, scheme)
    if checkpoints is not None and (type(checkpoints) is not int or checkpoints < 1):
        raise InputError(f"checkpoints must be a whole number above zero, received {checkpoints!r}")
    given, compiled = compiled_once(system)
    wanted = objective if isinstance(objective, Objective) else Objective(end=objective)
    every = 1 if wanted.along else 2**40
    options: dict[str, Any] = {"t0": t0, "breakpoints": breakpoints, "newton": newton, "assemble": assemble}
    options |= {"events": events, "impacts": impacts, "progress": progress}
    if compiled.contacts is not None:
        assert not isinstance(scheme, Composition | StepMethod)  # they are refused above
        touching = course_with_contacts(given, scheme, formulation, size_of_steps(dt), t_end, options)
        return gradient_with_contacts(touching, names, wanted, checkpoints, options)
    refuse_impacts(impacts)
    way = course(given, scheme, formulation, size_of_steps(dt), t_end, options)
    if way.ends_by_event:
        raise SensitivityError(
            f"the run is {way.stopped}: when it ends depends on parameters",
            hint="use integrate(..., events=..., sensitivities=[...])",
        )
    stretches, typical = schedule(t0, t_end, way.dt, way.breakpoints, every)
    family, found, method = prepared(given, compiled, way.scheme, formulation, typical)
    jumps = jumps_of(found, way.events, way.happened)
    run = TapedRun(found, method, stretches, family=family, names=names, newton=newton, assemble=assemble, jumps=jumps)
    return gradient_of(run, wanted, checkpoints, progress)
