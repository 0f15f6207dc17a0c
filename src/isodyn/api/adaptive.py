"""Runs whose steps another method than GS4 takes: `integrate` with a method in the place of a
scheme, and `integrate_adaptive`, the name of the explicit one of order 8."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.api.divided import RunsItself
from isodyn.errors import InputError
from isodyn.formulations import Formulation, NullSpace, UdwadiaKalaba
from isodyn.kernels.compiled import FloatArray
from isodyn.marching.columns import columns
from isodyn.marching.method_run import MethodRun
from isodyn.marching.progress import Progress
from isodyn.marching.sampling import refuse_controllers, sampling_of, with_samples
from isodyn.marching.saved_times import save_times, with_named_rows
from isodyn.marching.schedule import check_span, plan, resolved
from isodyn.real_numbers import real_array
from isodyn.results.solution import Solution
from isodyn.stepping.events import read_events
from isodyn.stepping.methods import DOP853, StepMethod
from isodyn.systems import Description, System, as_system, is_system
from isodyn.systems.base import no_system
from isodyn.systems.definite_mass import refuse_indefinite_mass
from isodyn.systems.multiplier_forces import refuse_nonideal

if TYPE_CHECKING:
    from isodyn.open_types import Numbers, Selection
    from isodyn.results.checkpoint import Checkpoint


@dataclass(frozen=True)
class Asked:
    """Arguments of a run by a method, other than the system and the method."""

    t_end: float
    t0: float = 0.0
    save: Numbers | None = None
    save_every: int = 1
    select: Selection | None = None
    breakpoints: Numbers = ()
    events: object = ()
    released: Sequence[str] = ()
    observe: Callable[[Any], Any] | None = None
    progress: bool = False
    assemble: bool = False
    checkpoint: Checkpoint | None = None


def run_by_method(
    system: System | Description, method: StepMethod, formulation: Formulation | None, asked: Asked
) -> Solution:
    """One run with the steps of a method."""
    system = as_system(system)
    if isinstance(system, RunsItself):
        raise InputError(
            f"subdomains take system steps of one size, received {method.name}, which chooses its steps by their error",
            hint="integrate(subdomains, dt=0.01, t_end=…), with a scheme or without; substeps= divides steps of some",
            argument="scheme",
        )
    if not is_system(system):
        raise no_system(system)
    if system.first_order and system.m and method.explicit:
        raise InputError(
            f"{method.name} takes no algebraic unknowns, received a system with {system.m} of them",
            hint="integrate(...) with a scheme takes them",
        )
    t0, t_end = check_span(asked.t0, asked.t_end)
    resolved(t0, t_end, t_end - t0, "t_end - t0")
    refuse_indefinite_mass(system)
    for name in ("first_step", "max_step"):
        value = getattr(method, name)
        if value is not None and value != np.inf:
            resolved(t0, t_end, float(value), name)
    formulation = _formulation(system, method, formulation)
    if formulation is not None:
        refuse_controllers(system, f"{formulation!r} computes accelerations apart from it")
    if formulation is not None and asked.checkpoint is not None:
        raise InputError(
            f"checkpoints need compiled steps; {formulation!r} computes accelerations in Python",
            hint="leave the formulation out: the motion is the same",
        )
    breakpoints = with_samples(system, asked.breakpoints, t0, t_end)
    stretches = plan(t0, t_end, t_end - t0, breakpoints, asked.save_every, on_grid=False)
    named = times = save_times(asked.save, t0, t_end, 1 + system.nq + 2 * system.nv + system.m)
    if named is not None and len(stretches) > 1:  # rows with both limits, until the run is done
        times = np.union1d(named, [stretch.t_stop for stretch in stretches[:-1]])
    run = MethodRun(
        system,
        method,
        stretches,
        formulation=formulation,
        atol=_tolerances(method.atol, system),
        times=times,
        observe=asked.observe,
        assemble=asked.assemble,
        events=read_events(asked.events),
        released=asked.released,
    )
    run.checkpoint = asked.checkpoint
    run.sampling = sampling_of(run, None)
    if formulation is not None and run.sampling is not None:
        raise InputError(f"SetInput changes loads of compiled steps; {formulation!r} computes accelerations in Python")
    with Progress(run.whole, asked.progress) as bar:
        sol = run.execute(bar) if named is None else with_named_rows(lambda: run.execute(bar), named)
    return sol if asked.select is None else _selected(sol, asked.select)


def _selected(sol: Solution, select: Selection | None) -> Solution:
    """The solution with some of its columns."""
    kept = columns(select, sol.system.nq, sol.system.nv, sol.system.m)._asdict()
    for name, chosen in kept.items():
        setattr(sol, name, getattr(sol, name)[:, chosen])
    sol.columns = kept
    return sol


def integrate_adaptive(
    system: System,
    formulation: UdwadiaKalaba | NullSpace | None = None,
    *,
    t_end: float,
    t0: float = 0.0,
    rtol: float = 1e-9,
    atol: Numbers | None = None,
    save: ArrayLike | None = None,
    first_step: float | None = None,
    max_step: float = np.inf,
    project: bool = True,
    events: Callable[[float, FloatArray, FloatArray], float] | Any = (),
    progress: bool = False,
    assemble: bool = False,
) -> Solution:
    """Integrate a smooth, non-stiff system with steps of order 8 that keep the error small.

    This is another name for `integrate(system, iso.DOP853(rtol, atol), t_end=…)`.

    `sol.aux["event_times"]`, `["event_q"]`, `["event_v"]` hold a list per event; a terminal one
    ends the run there, with its state as the last row. Rejected steps are counted in
    `sol.stats.rejected`. Between rows `sol.at` is a quintic; put times that matter into `save`.
    Ctrl-C returns what exists; an error has it in `partial`.

    Parameters
    ----------
    system
        A mechanical system with or without constraints, or a first-order system without algebraic
        unknowns.
    formulation
        How accelerations are computed. None and `UdwadiaKalaba("range-space")` do it in compiled
        code; other forms, and `NullSpace(basis)`, in Python. The motion is the same.
    t_end, t0
        End and start of the run.
    rtol, atol
        Error of a step allowed in every component, atol + rtol |y|. atol may hold one number for
        each of (q, v). If it is left out, it is 1e-12 of typical sizes of coordinates and of their
        rates.
    save
        Times to save, or how many at equal distances, with both ends; every accepted step if left
        out.
    first_step, max_step
        Sizes of the first step to try and of the largest to take.
    project
        Move accepted and saved states onto φ = 0, φ̇ = 0 and ψ = 0 by the least change in the mass
        norm.
    events
        Functions (t, q, v) → number whose zeros are located on the dense output. Attributes
        `terminal` (True, or after how many) and `direction` (+1 upwards, −1 downwards) are those of
        SciPy. An event that is zero at the beginning of a step does not count there.
    progress
        Show a bar with the remaining time on standard error.
    assemble
        Move a start that violates the constraints, as in `integrate`.

    Returns
    -------
    sol
        The solution.

    Raises
    ------
    InputError
        If an argument is not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    >>> sol = iso.integrate_adaptive(system, t_end=1.0, save=3)
    >>> bool(abs(sol.q[-1, 0] - 0.5403023058681398) < 1e-9)
    True
    """
    method = DOP853(rtol, atol, first_step, max_step, bool(project))
    asked = Asked(t_end, t0, save, events=events, progress=progress, assemble=assemble)
    return run_by_method(system, method, formulation, asked)


def _formulation(system: System, method: StepMethod, formulation: Any) -> UdwadiaKalaba | NullSpace | None:
    """What computes accelerations in Python, or None for the compiled way."""
    if formulation is None:
        return None
    if not method.explicit:
        raise InputError(
            f"{method.name} closes its steps in a way of its own, so formulation must be None, received {formulation!r}"
        )
    known = isinstance(formulation, UdwadiaKalaba) or (isinstance(formulation, NullSpace) and not formulation.discrete)
    if not known:
        what = type(formulation).__name__ if isinstance(formulation, Formulation) else "a value"
        raise InputError(
            f"DOP853 computes accelerations by UdwadiaKalaba(form) or NullSpace(basis), received {what}: {formulation!r}",
            hint="leave the formulation out, or use integrate(...), where it says how constraints enter a step",
        )
    if system.m == 0 or system.first_order:
        raise InputError(f"{formulation!r} needs a mechanical system with constraints")
    if formulation != UdwadiaKalaba():
        refuse_nonideal(system, repr(formulation), "leave the formulation out")
    return None if formulation == UdwadiaKalaba() else formulation


def _tolerances(atol: Numbers, system: System) -> FloatArray | None:
    n = system.nq + system.nv
    if atol is None:
        return None
    if type(atol) is float and 0.0 < atol < np.inf:
        return np.full(n, atol)
    tolerances = real_array("atol", atol, "a number, or one for each of (q, v)")
    if tolerances.shape not in ((), (n,)) or not (tolerances >= 0).all() or not np.isfinite(tolerances).all():
        raise InputError(f"atol must be a number of at least 0, or {n} of them for (q, v), received {atol!r}")
    return np.broadcast_to(tolerances, (n,)).copy()
