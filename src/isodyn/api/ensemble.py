"""`ensemble`: one loop over many initial states or parameter sets, on all cores.

Members share a compiled model function and differ in q0, v0 and the model's numbers. Threads take
them in small portions and call `isodyn.marching.ensemble_loop`, which runs outside Python. The
result of a member does not depend on threads or portions, and equals that of `integrate` bit for
bit. Members that need more than the compiled loop are run by themselves, side by side in threads,
by the same code as any single run: other functions than the first system's, nearly dependent rows,
rough starts, algebraic unknowns, breakpoints, events, adaptive steps and methods, formulations that
transform the system, and all that fail. Models that call back into Python run one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from isodyn.api.driver import as_transform, integrate, schedule
from isodyn.api.options import AnyScheme, StepSizes, refuse_misplaced, refuse_missing
from isodyn.api.portions import Asked as Portioned
from isodyn.api.portions import in_portions
from isodyn.errors import InputError
from isodyn.formulations.protocol import as_formulation
from isodyn.kernels.compiled import GENERAL, FloatArray
from isodyn.later import Later, load
from isodyn.linear_solvers.rows import LARGE, choose, every
from isodyn.marching.ensemble_redundant import RedundantThreads
from isodyn.marching.ensemble_run import EnsembleRun, Members, Threads
from isodyn.marching.method import settle
from isodyn.marching.progress import Progress
from isodyn.marching.row_sharing import can_share
from isodyn.marching.run import Run
from isodyn.marching.sampling import refuse_controllers
from isodyn.marching.saved_times import save_times
from isodyn.marching.schedule import plan
from isodyn.marching.step_memory import model_for
from isodyn.real_numbers import real_array
from isodyn.results.checkpoint import Checkpoint, as_checkpoint
from isodyn.results.ensemble import Ensemble, with_start
from isodyn.results.solution import Solution
from isodyn.schemes import Composition, FirstOrderScheme, Scheme
from isodyn.stepping.events import read_events
from isodyn.stepping.impacts import Impacts
from isodyn.stepping.methods import StepMethod
from isodyn.stepping.newton_settings import Newton
from isodyn.stepping.policies import FixedSteps, StepPolicy, StepTimes
from isodyn.systems import System, as_system, is_system
from isodyn.systems.compiled_system import settled

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import ArrayLike

    from isodyn.formulations import Formulation
    from isodyn.open_types import Numbers, Selection
    from isodyn.systems.description import Description

# Numba loads it at the first call that hands a function over, in whatever thread that is. It notes
# types of its own, while other threads may be looking through the types that are known.
function_type: Any = Later("numba.experimental.function_type")


def ensemble(
    system: System,
    scheme: AnyScheme = None,
    formulation: Formulation | None = None,
    *,
    t_end: float,
    dt: StepSizes = None,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    t0: float = 0.0,
    save_every: int = 1,
    save: Numbers = None,
    select: Selection | None = None,
    breakpoints: Numbers = (),
    events: object = (),
    released: Sequence[str] = (),
    impacts: Impacts | None = None,
    newton: Newton | None = None,
    assemble: bool = False,
    threads: int | None = None,
    progress: bool = False,
    checkpoint: Checkpoint | str | Path | None = None,
    executor: object = None,
) -> Ensemble:
    """Integrate many members, each as `integrate` would, on several threads.

    Members that fail do not end the others: `ens.errors` holds their errors. Ctrl-C returns the
    members that are done.

    Parameters
    ----------
    system
        One system, or a sequence of systems of the same sizes, one for each member.
    scheme, formulation, t_end, dt
        As in `integrate`: schemes, compositions and methods, steps of one size and adaptive ones.
    q0, v0
        Initial states (N, nq), (N, nv), a row for each member. One that is left out, or is one
        vector, is the same for all. The states of a first-order system are its v0.
    t0, save_every, save, select, breakpoints, events, released, impacts, newton, assemble
        As in `integrate`. Members whose steps, events or impacts differ have rows at times of their
        own, `ens.t` is then (N, k); `save` names times for all of them.
    threads
        Number of threads; all cores (or NUMBA_NUM_THREADS) if left out.
    progress
        Show a bar with the remaining time on standard error.
    checkpoint
        A folder, or an `isodyn.results.Checkpoint` whose `every` counts members, in which portions
        of members are kept as they are done. The same call goes on after a stop or a crash, and
        gives the same ensemble bit for bit.
    executor
        A `distributed.Client`: its workers run portions of the members.

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
    refuse_misplaced(scheme, dt)
    systems, q, v = _members(system, q0, v0)
    count = numba.config.NUMBA_NUM_THREADS if threads is None else threads
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise InputError(f"threads must be a whole number of at least 1, received {threads!r}")
    grid: dict[str, Any] = {"t0": t0, "t_end": t_end, "dt": dt, "save_every": save_every, "breakpoints": breakpoints}
    asked = {"save": save, "select": select, "events": events, "released": released, "newton": newton}
    asked |= {"assemble": assemble} | ({} if impacts is None else {"impacts": impacts})
    call = _Call(scheme, formulation, grid, asked, int(count))
    kept = as_checkpoint(checkpoint)
    if kept is None and executor is None:
        return call(systems, q, v, progress=progress)
    told = {"scheme": scheme, "formulation": formulation, **grid, **asked}
    if kept is not None and read_events(events):
        raise InputError("ensembles with events have no checkpoints: functions cannot be told apart in a file")
    return in_portions(Portioned(systems, q, v, call, told), kept, executor, progress)


@dataclass(frozen=True, eq=False)
class _Call:
    """How members are run, wherever that is."""

    scheme: Any
    formulation: Formulation | None
    grid: dict[str, Any]
    asked: dict[str, Any]
    threads: int

    def alone(self, system: System) -> Solution:
        """One member by itself."""
        return integrate(system, self.scheme, self.formulation, **self.grid, **self.asked)

    @property
    def own_times(self) -> bool:
        """Whether members may have rows at times of their own."""
        if isinstance(self.scheme, StepMethod) or isinstance(self.grid["dt"], StepPolicy | StepTimes):
            return True
        return self.asked["save"] is not None or len(read_events(self.asked["events"])) > 0

    def __call__(self, systems: tuple[Any, ...], q0: FloatArray, v0: FloatArray, *, progress: bool = False) -> Ensemble:
        given = systems, q0, v0, self.alone, self.threads
        # functions in Python take turns anyway, and would wait for each other
        touches = systems[0].contacts is not None
        side_by_side = systems[0].model().callback is None and not touches
        if self.own_times or touches:
            _check_own_times(systems[0], self.scheme, self.asked["save"], self.grid)
            with Progress(len(q0), progress, "members") as bar:
                return Members(*given).execute(None, bar, side_by_side=side_by_side)
        first = with_start(systems[0], q0[0], v0[0])
        run, own_steps = _first_run(first, self.scheme, self.formulation, self.grid, self.asked)
        many = EnsembleRun(run, *given)
        together = own_steps and _fits_the_loop(run) and not self.asked["released"]
        models = [model_for(system, run.closure, run.scaling) for system in systems] if together else []
        load(function_type)
        with Progress(len(q0), progress, "members") as bar:
            loop = _loop_for(run)(many, models, self.threads) if together else None
            return many.execute(loop, bar, side_by_side=side_by_side)


def _first_run(
    first: System,
    scheme: Scheme | FirstOrderScheme | Composition | None,
    formulation: Formulation | None,
    grid: dict[str, Any],
    asked: dict[str, Any],
) -> tuple[Run, bool]:
    """A run of the first member, for the rows that all of them have; and whether it takes steps of
    the system itself."""
    formulation = as_formulation(formulation)
    transform = as_transform(formulation) is not None or isinstance(scheme, Composition)
    base = scheme.base if isinstance(scheme, Composition) else scheme
    refuse_missing(grid["dt"])
    dt = grid["dt"].dt if isinstance(grid["dt"], FixedSteps) else grid["dt"]
    stretches = plan(grid["t0"], grid["t_end"], dt, grid["breakpoints"], grid["save_every"])
    method = settle(first, base, None if transform else formulation, dt)
    options = {name: asked[name] for name in ("newton", "select", "assemble", "released")}
    return Run(first, method, stretches, **options), not transform


def _fits_the_loop(run: Run) -> bool:
    """Whether members may run in the compiled loop."""
    first = run.system
    if run.model.callback is not None or len(run.stretches) > 1 or run.drifts:
        return False
    return not (run.model.traits & GENERAL and first.m) and first.m * first.nv <= LARGE // 10


def _loop_for(run: Run) -> type[Threads]:
    """What shares the members out: by the rows of the first of them."""
    t, first = run.stretches[0].t_start, run.system
    run.state.t = t
    redundant = (
        first.m and can_share(run) and choose(run.ask.G(t, run.state.q, run.state.v) * first.scales.v).dropped.size
    )
    run.enforce(every(first.m))
    found: type[Threads] = RedundantThreads if redundant else Threads
    return found


def _check_own_times(
    system: System,
    scheme: AnyScheme,
    save: FloatArray,
    grid: dict[str, Any],
) -> None:
    """InputError for times that no member can have."""
    t0, t_end = float(grid["t0"]), float(grid["t_end"])
    save_times(save, t0, t_end, 1 + system.nq + 2 * system.nv + system.m)
    if not isinstance(scheme, StepMethod):
        refuse_missing(grid["dt"])
        dt = grid["dt"].dt if isinstance(grid["dt"], FixedSteps) else grid["dt"]
        schedule(t0, t_end, dt, grid["breakpoints"], grid["save_every"])


def _members(
    system: System | Description, q0: ArrayLike | None, v0: ArrayLike | None
) -> tuple[tuple[Any, ...], FloatArray, FloatArray]:
    """Systems (one, or one each) and the starts of all members."""
    system = as_system(system)
    if is_system(system):
        systems: tuple[Any, ...] = (system,)
    elif isinstance(system, Iterable):
        systems = tuple(as_system(one) for one in system)
    else:
        systems = (system,)
    if not systems:
        raise InputError("the ensemble has no members: the sequence of systems is empty")
    for i, one in enumerate(systems):
        if not is_system(one):
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
            raise InputError(f"{name} must have the shape (members, {n}), received {np.shape(own)}")
        starts.append(rows)
    counts = {"systems": len(systems), "q0": starts[0].shape[0], "v0": starts[1].shape[0]}
    members = max(counts.values())
    if bad := [name for name, k in counts.items() if k not in (1, members)]:
        raise InputError(
            f"q0, v0 and systems must be as many as there are members, or one; received {counts}",
            hint=f"{bad[0]} does not fit {members} members",
        )
    if any(getattr(one, "turns", 0) for one in systems):
        several = max(len(systems), starts[0].shape[0])  # one start of one system is looked at once
        rows = np.broadcast_to(starts[0], (several, starts[0].shape[1])).copy()
        starts[0] = np.array([settled(systems[i if len(systems) > 1 else 0], row) for i, row in enumerate(rows)])
    q, v = (np.broadcast_to(rows, (members, rows.shape[1])).copy() for rows in starts)
    return systems, q, v
