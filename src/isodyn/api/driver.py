"""`integrate`: one system, one scheme, one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from isodyn.api.divided import RunSettings, RunsItself, digest_of, refuse_for_several
from isodyn.api.options import AnyScheme, Options, SchemeOrSeveral, StepSizes, size_of_steps
from isodyn.errors import InputError
from isodyn.formulations import Formulation
from isodyn.formulations.protocol import as_formulation, facts_of
from isodyn.formulations.table import check_combination
from isodyn.keywords import takes_known_keywords
from isodyn.later import Later
from isodyn.marching.at_rest import AtRest
from isodyn.marching.columns import columns
from isodyn.marching.composition import check_composition
from isodyn.marching.event_actions import memory_of
from isodyn.marching.index_reduction import chain_at_start, reduced_index
from isodyn.marching.method import iteration_of, refuse_sized, settle, suited_to, unconstrained
from isodyn.marching.progress import Progress
from isodyn.marching.run import Run
from isodyn.marching.sampling import refuse_controllers, sampling_of, with_samples
from isodyn.marching.saved_times import save_times, with_named_rows
from isodyn.marching.schedule import Stretch, along_times, plan, resolved
from isodyn.open_types import Numbers, Selection
from isodyn.results.checkpoint import Checkpoint, as_checkpoint
from isodyn.results.solution import Solution
from isodyn.schemes import Composition, Scheme
from isodyn.stepping.adaptive import OPENING
from isodyn.stepping.events import Event, read_events
from isodyn.stepping.impacts import Impacts
from isodyn.stepping.methods import StepMethod
from isodyn.stepping.newton_settings import Newton, checked_newton
from isodyn.stepping.policies import StepPolicy, StepTimes, check_policy
from isodyn.systems import Description, System, as_system, is_system
from isodyn.systems.contacts import refuse_contacts

if TYPE_CHECKING:
    from pathlib import Path

    from isodyn.schemes.gs4_1 import FirstOrderScheme

contact_run = Later("isodyn.marching.contact_run")  # runs with contacts only
sensitive = Later("isodyn.api.sensitive")
adaptive = Later("isodyn.api.adaptive")  # SciPy's coefficients take a while to load

Result = TypeVar("Result")


@overload
def integrate(
    system: RunsItself[Result],
    scheme: SchemeOrSeveral = ...,
    formulation: Formulation | None = ...,
    *,
    dt: float,
    t_end: float,
    **options: Unpack[Options],
) -> Result: ...


@overload
def integrate(
    system: System | Description,
    scheme: AnyScheme = ...,
    formulation: Formulation | None = ...,
    *,
    t_end: float,
    dt: StepSizes = ...,
    **options: Unpack[Options],
) -> Solution: ...


@takes_known_keywords
def integrate(
    system: Any,
    scheme: Any = None,
    formulation: Formulation | None = None,
    *,
    t_end: float,
    dt: StepSizes = None,
    t0: float = 0.0,
    save_every: int = 1,
    save: Numbers = None,
    select: Selection | None = None,
    breakpoints: Numbers = (),
    progress: bool = False,
    observe: Callable[[Any], Any] | None = None,
    events: object = (),
    released: Sequence[str] = (),
    impacts: Impacts | None = None,
    newton: Newton | None = None,
    assemble: bool = False,
    substeps: object = None,
    threads: int = 1,
    executor: object = None,
    checkpoint: Checkpoint | str | Path | None = None,
    sensitivities: object = None,
) -> Any:
    """Integrate a system from t0 to t_end in steps of dt.

    Loads are asked for up to t_end + (W₁ − 1) dt, which is up to dt/2 after t_end for some V0
    members. Ctrl-C returns the solution up to the last whole step.

    Parameters
    ----------
    system
        A system, a `Mechanism`, a `Beam` or `Subdomains`.
    scheme
        The scheme; `Scheme.default()`, which is U0(0.9, 1, 0), if left out. First-order systems
        take a `FirstOrderScheme`, or a `Scheme` that adapts to one (`Scheme.optimal(0.8)` if left
        out). A `Composition` has order 4 or 6. A method such as `DOP853(rtol=1e-9)` takes the place
        of a scheme, and chooses its steps: dt is left out then.
    formulation
        How constraints enter; `Stabilised()` if left out. `isodyn.formulations.table` says what
        goes with what.
    t_end
        End of the run.
    dt
        Size of a step; the last step is shorter if dt does not divide the span. `StepTimes` gives
        the times of steps, `Adaptive` keeps the error of each step small, and a `StepPolicy` of
        your own chooses steps on the way. Without a scheme, adaptive runs take U0(0, 0.5, 0), those
        of first-order systems GS4-1(0, 0).
    t0
        Start of the run.
    save_every
        Save every n-th step; the first, the last and breakpoints are always saved.
    save
        Times of rows, or how many at equal distances, with both ends, instead of the ends of steps:
        by dense output, put onto the constraints. A run that ends early has a row there too.
    select
        Columns to save: indices for all variables, or a mapping such as {"q": [0, 5], "v": []}; for
        subdomains one for all, or by name.
    breakpoints
        Times at which loads jump; the run steps onto them and starts anew.
    progress
        Show a bar with the remaining time on standard error.
    observe
        Function that is called with the state (a `Sample`, or a `SubdomainSample`) at every saved
        time, with all columns. If it returns True, the run ends.
    events
        One or several `Event`: what happens where functions of the state pass through zero;
        `sol.events` lists it. Functions (t, q, v) with SciPy's attributes are taken too.
    released
        Names of joints, or of rows of constraints, that are not enforced until an event locks them.
    impacts
        How contacts that close are treated, where the system has gaps; `Impacts()` if left out.
    newton
        Settings of the iteration.
    assemble
        Move a start that violates the constraints to the nearest one that does not, in the mass
        norm, instead of refusing it.
    substeps
        For `Subdomains`: number of steps of a subdomain in each step dt, one for all or by name.
        Their formulation is velocity level, or `Stabilised()` for continuous displacements.
    threads
        For `Subdomains`: number of threads that share them.
    executor
        For `Subdomains`: a `distributed.Client` on whose workers they live. It pays for sub-steps
        that take many milliseconds per step dt.
    checkpoint
        A folder, or a `isodyn.results.Checkpoint`, to which the run appends; `isodyn.resume` goes
        on from it after a stop or a crash, bit for bit.
    sensitivities
        Names of parameters, such as ["crank.mass", "pin.point.x"], by which the run is
        differentiated: `sol.sensitivity(name)`.

    Returns
    -------
    sol
        The solution; a `SubdomainSolution` for subdomains.

    Raises
    ------
    InputError
        If an argument is not admissible, or the start violates the constraints.
    ConvergenceError
        If a step does not converge. This and other errors of a run have the solution up to the last
        whole step in `partial`.

    Examples
    --------
    >>> import isodyn as iso
    >>> system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    >>> sol = iso.integrate(system, iso.Scheme.midpoint_epa(), dt=0.01, t_end=1.0)
    >>> bool(abs(sol.q[-1, 0] - 0.5403023) < 1e-4)
    True
    """
    _check(newton, observe)
    given: dict[str, Any]
    if sensitivities is not None:
        given = {"t0": t0, "save_every": save_every, "save": save, "select": select, "breakpoints": breakpoints}
        given |= {"progress": progress, "observe": observe, "events": events, "released": released, "newton": newton}
        given |= {"assemble": assemble, "substeps": substeps, "executor": executor, "checkpoint": checkpoint}
        given |= {"impacts": impacts}
        return sensitive.integrate_with_sensitivities(system, scheme, formulation, sensitivities, dt, t_end, given)
    if isinstance(scheme, StepMethod):
        _refuse_beside_method(scheme, {"dt": dt, "newton": newton, "substeps": substeps, "executor": executor})
        given = {"save_every": save_every, "save": save, "select": select, "breakpoints": breakpoints}
        given |= {"t0": t0, "assemble": assemble, "released": released}
        kept = _begun(
            checkpoint, system, {"scheme": scheme, "formulation": formulation, "t_end": t_end, **given}, events
        )
        return adaptive.run_by_method(
            system,
            scheme,
            formulation,
            adaptive.Asked(t_end, observe=observe, events=events, progress=progress, checkpoint=kept, **given),
        )
    dt = size_of_steps(dt, scheme)
    system = as_system(system)
    sampled = with_samples(system, breakpoints, t0, t_end) if isinstance(dt, StepPolicy) else breakpoints
    stretches, typical = schedule(t0, t_end, dt, sampled, save_every)
    if not is_system(system):
        refuse_for_several(system, dt, typical is dt, events, {"save": save, "released": released, "impacts": impacts})
        given = {"select": select, "assemble": assemble, "substeps": substeps, "threads": threads}
        asked = {"scheme": scheme, "formulation": formulation, "dt": dt, "t_end": t_end, "t0": t0, "newton": newton}
        asked |= {"save_every": save_every, "breakpoints": breakpoints, **given}
        given |= {"observe": observe, "progress": progress, "executor": executor}
        given |= {"checkpoint": _begun(checkpoint, system, asked, (), executor=executor is not None)}
        return system.run(RunSettings(scheme, formulation, stretches, newton or Newton(), **given))
    if substeps is not None or executor is not None:
        raise InputError(f"substeps and executor are for subdomains; this is one {type(system).__name__}")
    given = {"scheme": scheme, "formulation": formulation, "dt": dt, "t_end": t_end, "t0": t0, "newton": newton}
    given |= {"save_every": save_every, "select": select, "breakpoints": breakpoints, "assemble": assemble}
    given |= {"released": released} | ({} if impacts is None else {"impacts": impacts})
    kept = _begun(checkpoint, system, given if save is None else {**given, "save": save}, events)
    if save is not None:
        given = {"dt": dt, "t_end": t_end, "t0": t0, "breakpoints": breakpoints, "progress": progress}
        given |= {"observe": observe, "newton": newton, "assemble": assemble, "checkpoint": kept}
        given |= {"events": events, "released": released, "impacts": impacts}
        return _saved(system, scheme, formulation, save, save_every, select, given)
    formulation = _formulation(system, formulation)
    times: dict[str, Any] = {"dt": dt, "t_end": t_end, "t0": t0, "save_every": save_every, "breakpoints": breakpoints}
    times |= {"progress": progress, "newton": newton, "checkpoint": kept}
    watched = read_events(events)
    if (other := as_transform(formulation)) is not None:
        refuse_contacts(system, type(other).__name__)
        refuse_controllers(system, f"{type(other).__name__} integrates another system")
        _refuse_events(watched, f"{type(other).__name__} integrates another system")
        return _transformed(other, system, scheme, select, assemble, observe=observe, **times)
    chain = chain_at_start(system, t0) if formulation is None else None
    if (reduced := reduced_index(system, chain)) is not None:
        _refuse_events(watched, "a system of index 3 is integrated in its stabilised form")
        return reduced.run(integrate, scheme, select, observe, **times)
    composition, scheme, formulation, newton = _composed(system, scheme, formulation, newton)
    policy = dt if isinstance(dt, StepPolicy) else None
    scheme = suited_to(policy, scheme, system)
    method = settle(system, scheme, formulation, typical, composition)
    newton = newton or iteration_of(policy, method, system)
    if typical is not dt:
        refuse_sized(method, formulation, typical, policy)
    options: dict[str, Any] = {
        "select": select,
        "observe": observe,
        "assemble": assemble,
        "policy": policy,
        "events": watched,
    }
    options |= {"released": released}
    kind = Run if system.contacts is None and impacts is None else contact_run.run_with(system, impacts)
    run = kind(system, method, stretches, newton=newton, **options)
    run.checkpoint, run.chain = kept, chain
    run.sampling = sampling_of(run, typical if typical is dt else None)
    with Progress(run.whole, progress) as bar:
        return run.execute(bar)


def _composed(
    system: System,
    scheme: Scheme | FirstOrderScheme | Composition | None,
    formulation: Formulation | None,
    newton: Newton | None,
) -> tuple[Composition | None, Scheme | FirstOrderScheme | None, Formulation | None, Newton | None]:
    """The composition, if the scheme is one; its base, formulation and iteration."""
    if not isinstance(scheme, Composition):
        return None, scheme, formulation, newton
    check_composition(system, scheme, formulation)
    return scheme, scheme.base, None, replace(newton or Newton(rtol=1e-13), max_halvings=0)


def _begun(
    checkpoint: Checkpoint | str | Path | None,
    system: RunsItself[Any] | System | Description,
    options: dict[str, Any],
    events: object,
    *,
    executor: bool = False,
) -> Checkpoint | None:
    """The checkpoint of a run, with what the run was asked for."""
    kept = as_checkpoint(checkpoint)
    if kept is not None and not kept.begun:
        memory_of(read_events(events))  # refused now, not at the first checkpoint
        kept.begin(digest_of(as_system(system)), options, len(read_events(events)), executor=executor)
    return kept


def _refuse_beside_method(method: StepMethod, given: dict[str, Any]) -> None:
    """InputError for arguments that have no meaning with a method that chooses its steps."""
    name = next((name for name, value in given.items() if value is not None), None)
    if name is not None:
        raise InputError(
            f"{method.name} chooses its steps by their error, and takes no {name}",
            hint="leave it out; first_step and max_step of the method bound its steps",
        )


def _refuse_events(events: tuple[Event, ...], why: str) -> None:
    """InputError for events where the run is not about the given system."""
    if events:
        raise InputError(f"{why}, which knows nothing of events", hint="leave the formulation out")


def _check(newton: Newton | None, observe: Callable[..., Any] | None) -> None:
    """InputError for what is no setting of the iteration, and no observer."""
    checked_newton(newton)
    if observe is not None and not callable(observe):
        raise InputError(f"observe must be a function of a sample, received {observe!r}")


def _saved(
    system: System,
    scheme: AnyScheme,
    formulation: Formulation | None,
    save: Numbers,
    save_every: int,
    select: Selection | None,
    options: dict[str, Any],
) -> Solution:
    """A run with rows at times that somebody named."""
    if save_every != 1:
        raise InputError(f"save names the times of rows, so save_every must be left out, received {save_every!r}")
    t0, t_end = float(options["t0"]), float(options["t_end"])
    times = save_times(save, t0, t_end, 1 + system.nq + 2 * system.nv + system.m)
    assert times is not None
    columns(select, system.nq, system.nv, system.m)  # refused before the run, not after it
    return with_named_rows(lambda: integrate(system, scheme, formulation, **options), times, select)


def _formulation(system: System, formulation: Formulation | None) -> Formulation | None:
    """The formulation for a system; refused where the system has no use for it."""
    if system.m or isinstance(formulation, Formulation):
        formulation = as_formulation(formulation)
    elif formulation is not None:
        raise unconstrained(formulation)
    if formulation is not None and facts_of(formulation).constraints_only and (system.m == 0 or system.first_order):
        raise InputError(f"{formulation!r} needs a mechanical system with constraints")
    return formulation


def _transformed(
    other: Formulation, system: System, scheme: Any, select: Selection | None, assemble: bool, **options: Any
) -> Solution:
    """Integrate the system that a formulation makes instead, and bring its solution back."""
    base = scheme.base if isinstance(scheme, Composition) else scheme
    check_combination(other, base or Scheme.default(), system)
    if select is not None:
        raise InputError(f"{type(other).__name__} needs all columns to bring its solution back, so select must be None")
    system = _started(system, options["t0"], options["t_end"], assemble)
    return other.run(system, integrate, scheme, **options)


def schedule(
    t0: float, t_end: float, dt: float | StepTimes | StepPolicy, breakpoints: Numbers, save_every: int
) -> tuple[list[Stretch], float]:
    """Stretches of a run, and the size of its steps; dt itself, or a typical one of a policy."""
    if isinstance(dt, StepTimes):
        stretches = along_times(t0, t_end, dt.times, breakpoints, save_every)
        return stretches, (t_end - t0) / sum(stretch.steps for stretch in stretches)
    if isinstance(dt, StepPolicy):
        check_policy(dt, t0, t_end)
        for what, size in (("the first step", dt.first_step), ("the largest step", dt.largest_step)):
            if 0.0 < size < inf:
                resolved(t0, t_end, float(size), what)
        typical = float(dt.first_step) or OPENING * (t_end - t0)
        return plan(t0, t_end, typical, breakpoints, save_every, on_grid=False), typical
    return plan(t0, t_end, dt, breakpoints, save_every), dt


def as_transform(formulation: Formulation | None) -> Formulation | None:
    """A formulation that makes another system of this one; None for those that close a step."""
    return formulation if formulation is not None and facts_of(formulation).transforms else None


def _started(system: System, t0: float, t_end: float, assemble: bool) -> System:
    """The system with a consistent start, for formulations that make another system of it."""
    rest = AtRest(system, assemble=assemble, span=t_end - t0)
    rest.state.t = t0
    rest.look(t0)
    rest.make_consistent(t0, True)
    started = copy(system)
    object.__setattr__(started, "q0", rest.state.q.copy())
    object.__setattr__(started, "v0", rest.state.v.copy())
    return started
