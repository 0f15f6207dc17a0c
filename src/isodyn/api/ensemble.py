"""`ensemble`: one loop over many initial states or parameter sets, on all cores.

Members share a compiled model function and differ in q0, v0 and the model's numbers. Threads take
them in small portions and call `isodyn.marching.ensemble_loop`, which runs outside Python. The
result of a member does not depend on threads or portions, and equals that of `integrate` bit for
bit. Members that need more than the compiled loop are run alone, by the same code as any single
run: models that call back into Python, other functions than the first system's, redundant or nearly
dependent rows, rough starts, algebraic unknowns, breakpoints, formulations that transform the
system, and all that fail.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from isodyn.api.driver import as_transform, integrate
from isodyn.errors import InputError
from isodyn.formulations.protocol import as_formulation
from isodyn.kernels.compiled import GENERAL, FloatArray
from isodyn.linear_solvers.rows import LARGE
from isodyn.marching.ensemble_run import EnsembleRun, Threads
from isodyn.marching.method import settle
from isodyn.marching.progress import Progress
from isodyn.marching.run import Run
from isodyn.marching.sampling import refuse_controllers
from isodyn.marching.schedule import plan
from isodyn.marching.step_memory import model_for
from isodyn.real_numbers import real_array
from isodyn.results.ensemble import Ensemble, with_start
from isodyn.results.solution import Solution
from isodyn.schemes import Composition, FirstOrderScheme, Scheme
from isodyn.stepping.newton_settings import Newton
from isodyn.stepping.policies import StepPolicy, StepTimes
from isodyn.systems import System, as_system
from isodyn.systems.compiled_system import settled

if TYPE_CHECKING:
    from isodyn.formulations import Formulation


def ensemble(
    system: Any,
    scheme: Scheme | FirstOrderScheme | Composition | None = None,
    formulation: Formulation | None = None,
    *,
    dt: float,
    t_end: float,
    q0: Any = None,
    v0: Any = None,
    t0: float = 0.0,
    save_every: int = 1,
    select: Any = None,
    breakpoints: Any = (),
    newton: Newton | None = None,
    assemble: bool = False,
    threads: int | None = None,
    progress: bool = False,
) -> Ensemble:
    """Integrate many members, each as `integrate` would, on several threads.

    Members that fail do not end the others: `ens.errors` holds their errors. Ctrl-C returns the
    members that are done.

    Parameters
    ----------
    system
        One system, or a sequence of systems of the same sizes, one for each member.
    scheme, formulation, dt, t_end
        As in `integrate`.
    q0, v0
        Initial states (N, nq), (N, nv), a row for each member. One that is left out, or is one
        vector, is the same for all. The states of a first-order system are its v0.
    t0, save_every, select, breakpoints, newton, assemble
        As in `integrate`.
    threads
        Number of threads; all cores (or NUMBA_NUM_THREADS) if left out.
    progress
        Show a bar with the remaining time on standard error.

    Returns
    -------
    ens
        All solutions.

    Raises
    ------
    InputError
        If an argument is not admissible.

    Examples
    --------
    >>> import numpy as np
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> speed = np.linspace(0.0, 3.0, 50)
    >>> ens = iso.ensemble(pendulum, dt=0.01, t_end=1.0, save_every=100, v0=np.outer(speed, pendulum.v0))
    >>> ens.q.shape, bool(ens.ok.all())
    ((50, 2, 2), True)
    """
    systems, q0, v0 = _members(system, q0, v0)
    count = numba.config.NUMBA_NUM_THREADS if threads is None else threads
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise InputError(f"threads must be a whole number of at least 1, received {threads!r}")
    if isinstance(dt, StepPolicy | StepTimes):
        raise InputError(
            f"members of ensembles take steps of one size, received dt = {dt!r}",
            hint="give a number, or call integrate for each member",
        )
    stretches = plan(t0, t_end, dt, breakpoints, save_every)
    newton = newton or Newton()
    first = with_start(systems[0], q0[0], v0[0])
    formulation = as_formulation(formulation)
    transform = as_transform(formulation) is not None or isinstance(scheme, Composition)
    closing: Any = None if transform else formulation
    base = scheme.base if isinstance(scheme, Composition) else scheme
    method = settle(first, base, closing, dt)

    def prepare(system: Any) -> Run:
        return Run(system, method, stretches, newton=newton, select=select, assemble=assemble)

    def alone(system: Any) -> Solution:
        if transform or (system.first_order and system.m):
            return integrate(
                system,
                scheme,
                formulation,
                dt=dt,
                t_end=t_end,
                t0=t0,
                save_every=save_every,
                select=select,
                breakpoints=breakpoints,
                newton=newton,
                assemble=assemble,
            )
        with Progress(0, False) as bar:
            return prepare(system).execute(bar)

    run = prepare(first)
    many = EnsembleRun(systems, q0, v0, run, alone, int(count))
    together = (
        not transform
        and run.model.callback is None
        and len(stretches) == 1
        and not (run.model.traits & GENERAL and first.m)
        and not run.drifts
        and first.m * first.nv <= LARGE // 10
    )
    models = [model_for(system, method.closure, method.scaling) for system in systems] if together else []
    with Progress(len(q0), progress, "members") as bar:
        return many.execute(Threads(many, models, int(count)) if together else None, bar)


def _members(system: Any, q0: Any, v0: Any) -> tuple[tuple[Any, ...], FloatArray, FloatArray]:
    """Systems (one, or one each) and the starts of all members."""
    system = as_system(system)
    if isinstance(system, System):
        systems: tuple[Any, ...] = (system,)
    elif isinstance(system, Iterable):
        systems = tuple(as_system(one) for one in system)
    else:
        systems = (system,)
    if not systems:
        raise InputError("the ensemble has no members: the sequence of systems is empty")
    for i, one in enumerate(systems):
        if not isinstance(one, System):
            raise InputError(
                f"system must be one of isodyn's systems or a sequence of them, received {type(one).__name__}",
                hint="a mechanism is one too; subdomains have no ensembles",
            )
        refuse_controllers(one, "members of ensembles share one loop without Python")
        sizes, expected = ((s.nq, s.nv, s.m, s.first_order) for s in (one, systems[0]))
        if sizes != expected:
            raise InputError(
                f"all systems must have the same sizes: system 0 has nq, nv, m = {expected[:3]}, system {i} has {sizes[:3]}"
            )
    starts = []
    for name, given, n in (("q0", q0, systems[0].nq), ("v0", v0, systems[0].nv)):
        own = np.array([getattr(one, name) for one in systems]) if given is None else given
        rows = np.atleast_2d(real_array(name, own, f"an array (members, {n})"))
        if rows.ndim != 2 or rows.shape[1] != n:
            raise InputError(f"{name} must have the shape (members, {n}), received {np.shape(given)}")
        starts.append(rows)
    counts = {"systems": len(systems), "q0": starts[0].shape[0], "v0": starts[1].shape[0]}
    members = max(counts.values())
    if bad := [name for name, k in counts.items() if k not in (1, members)]:
        raise InputError(
            f"q0, v0 and systems must be as many as there are members, or one; received {counts}",
            hint=f"{bad[0]} does not fit {members} members",
        )
    q, v = (np.broadcast_to(rows, (members, rows.shape[1])).copy() for rows in starts)
    q = np.array([settled(systems[i if len(systems) > 1 else 0], row) for i, row in enumerate(q)])
    return systems, q, v
