"""`Auto` in a run: the explicit method of order 8 as long as errors bound its steps, Radau where
stability does, and back.

The explicit method tells by the change of rates between two states at the end of a step that it is
held at its limit of stability (isodyn.stepping.dop853). Radau is asked after some dozens of steps:
with the derivatives that it knows, the largest |λ| of M λ² + C λ + K, along the constraints, times
its step is compared with the same limit. It is asked more rarely the more often the methods change.

Explicit steps of a stiff motion keep q and v to their tolerance, and leave accelerations to stiff
parts, which make anything of such errors. Runs whose events look at accelerations or multipliers
go by Radau from the start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import GENERAL, OK, FloatArray
from isodyn.marching.steppers import LARGEST, OrderEight, OrderFive, Stepper, pattern_of
from isodyn.results.solution import Sample
from isodyn.stepping.events import SCIPY
from isodyn.stepping.memory import ASK, STIFF, State
from isodyn.stepping.methods import DOP853, Auto, Radau, StepMethod

if TYPE_CHECKING:
    from isodyn.marching.method_run import MethodRun
    from isodyn.stepping.radau_memory import Collocation

FIRST_QUESTION = 40  # steps of Radau before it is asked
MOST = 10_000  # and the most of them
WELL_INSIDE = 3.0  # h |λ| below which the explicit method is not held by stability
NEVER = -1  # it is asked
EXPLICIT, IMPLICIT = range(2)
NAMES = "DOP853", "Radau"
STRANGE = (np.nan, 1e150, -1e150)  # accelerations


class Automatic:
    """Two methods, one of which takes the steps."""

    def __init__(self, run: MethodRun) -> None:
        sparse = pattern_of(run) is not None
        large = not sparse and run.system.nv + run.system.m > LARGEST
        self.both: list[Any] = [OrderEight(run), None if large else OrderFive(run)]
        self.both[EXPLICIT].own.watched = not large
        only = bool(run.model.traits & GENERAL and run.system.m) or (not large and sees_accelerations(run))
        self.mode, self.interval = IMPLICIT if only else EXPLICIT, FIRST_QUESTION
        self.switches: list[tuple[float, int]] = []  # when, and to which
        self.can_go_back = not (only or large or sparse)  # of sparse matrices eigenvalues take too long
        if self.can_go_back:
            self.both[IMPLICIT].own.asks_in = self.interval

    @property
    def now(self) -> OrderEight | OrderFive:
        """The method that takes the steps."""
        found = self.both[self.mode]
        if found is None:
            raise InputError(f"Auto takes algebraic unknowns of systems of up to {LARGEST} unknowns")
        return found

    take = property(lambda self: self.now.take)
    exponent = property(lambda self: self.now.exponent)
    safety = property(lambda self: self.now.safety)
    most_growth = property(lambda self: self.now.most_growth)
    unchanged = property(lambda self: self.now.unchanged)
    own = property(lambda self: self.now.own)

    def change_to(self, mode: int, run: MethodRun) -> None:
        """Take steps of the run by the other method from now on."""
        self.mode = mode
        self.switches.append((float(run.state.t), mode))
        self.now.resume(run)
        run.lay_stepper()

    def told(self) -> str:
        """Which method took which steps, in words."""
        first = self.switches[0][1] if self.switches else self.mode
        begun = NAMES[1 - first] if self.switches else NAMES[first]
        return ", ".join([begun, *(f"{NAMES[mode]} from t = {t:.6g}" for t, mode in self.switches)])

    def warn(self, run: MethodRun) -> None:
        """Say what a run that has ended could not reach."""
        for one in self.both:
            if one is not None:
                one.warn(run)

    # ---- what every stepper does

    def begin(self, run: MethodRun) -> None:
        """The run stands at a start."""
        self.now.begin(run)

    def between(self, run: MethodRun, t: float) -> tuple[FloatArray, FloatArray] | None:
        """(q, v) inside the last step."""
        found: tuple[FloatArray, FloatArray] | None = self.now.between(run, t)
        return found

    def complete(self, run: MethodRun, t: float, state: State) -> None:
        """Rates and algebraic unknowns inside the last step."""
        self.now.complete(run, t, state)

    def calm(self, run: MethodRun, t: float, state: State) -> None:
        """Accelerations inside the last step without what stiff parts make of errors."""
        self.now.calm(run, t, state)

    def step_again(self) -> None:
        """The last step is repeated with another end."""
        self.now.step_again()

    def forget(self) -> None:
        """Nothing is known of steps before."""
        for one in self.both:
            if one is not None:
                one.forget()

    def resume(self, run: MethodRun) -> None:
        """The run goes on from a checkpoint."""
        self.now.resume(run)

    def lay_matrices(self, run: MethodRun) -> None:
        """Of the method that takes the steps; the other one resumes when it is changed to."""
        self.now.lay_matrices(run)

    def carried(self) -> dict[str, Any]:
        """Which method takes the steps, and what happened so far."""
        numbers = np.array(self.switches).reshape(-1, 2)
        radau = self.both[IMPLICIT]
        kept = {"auto_asks": NEVER} if radau is None else {"auto_asks": int(radau.own.asks_in), **radau.carried()}
        return {"auto_mode": self.mode, "auto_interval": self.interval, "auto_switches": numbers, **kept}

    def put_back(self, found: dict[str, Any]) -> None:
        """Take over what a checkpoint holds."""
        self.mode, self.interval = int(found["auto_mode"]), int(found["auto_interval"])
        self.switches = [(float(t), int(mode)) for t, mode in found["auto_switches"]]
        if self.both[IMPLICIT] is not None:
            self.both[IMPLICIT].own.asks_in = int(found["auto_asks"])
            self.both[IMPLICIT].put_back(found)


def sees_accelerations(run: MethodRun) -> bool:
    """Whether the function of an event looks at accelerations or multipliers: it is asked with some
    that no motion has."""
    if run.watch is None:
        return False
    state, told = run.state, []
    for k, event in enumerate(run.watch.events):
        if event.arguments == SCIPY:
            continue
        for x in STRANGE:
            forces = np.full(state.a.size, x), np.full(state.lam.size, x)
            try:
                told.append(run.watch.value(k, Sample(np.float64(state.t), state.q.copy(), state.v.copy(), *forces)))
            except Exception:  # whatever a user's function does with them
                return True
        if len(set(told[-len(STRANGE) :])) > 1:
            return True
    return False


def fastest(own: Collocation, G: FloatArray, nq: int) -> float:
    """The largest |λ| of the motion about a state, along the constraints."""
    n = own.v_0.size
    M, C, K = (np.array(getattr(own, name)).reshape(n, n) for name in ("M", "C", "K"))
    if G.size:
        _, values, rows = np.linalg.svd(G)
        rank = int((values > 1e-10 * values.max(initial=0.0)).sum())
        N = rows[rank:].T
        M, C, K = (N.T @ x @ N for x in (M, C, K))
    if M.size == 0:
        return 0.0
    try:
        damping, stiffness = np.linalg.solve(M, C), np.linalg.solve(M, K)
    except np.linalg.LinAlgError:
        return np.inf
    if nq == 0:
        return float(np.abs(np.linalg.eigvals(damping)).max())
    whole = np.block([[np.zeros_like(K), np.eye(K.shape[0])], [-stiffness, -damping]])
    return float(np.abs(np.linalg.eigvals(whole)).max())


class ToImplicit:
    """Radau takes the steps of a motion that turned out to be stiff."""

    against = frozenset({STIFF})

    def apply(self, run: Any, status: int) -> int:
        """Change to Radau."""
        auto = run.stepper
        auto.both[IMPLICIT].own.asks_in = auto.interval if auto.can_go_back else NEVER
        auto.change_to(IMPLICIT, run)
        return OK


class ToExplicit:
    """The explicit method takes the steps again where they are no longer held by stability."""

    against = frozenset({ASK})

    def apply(self, run: Any, status: int) -> int:
        """Look at the eigenvalues; change, or ask again later."""
        auto, state = run.stepper, run.state
        own, system = auto.both[IMPLICIT].own, run.system
        G = run.ask.G(float(state.t), state.q, state.v) if system.m else np.zeros((0, system.nv))
        auto.interval = min(2 * auto.interval, MOST)
        own.asks_in = auto.interval
        if np.isfinite(own.known_at) and float(state.next_dt) * fastest(own, G, system.nq) < WELL_INSIDE:
            auto.both[EXPLICIT].own.stiff_steps = auto.both[EXPLICIT].own.calm_steps = 0
            auto.change_to(EXPLICIT, run)
        return OK


STEPPERS: dict[type[StepMethod], Any] = {DOP853: OrderEight, Radau: OrderFive, Auto: Automatic}
"""By what users give: made with the run."""


def stepper_for(run: MethodRun) -> Stepper:
    """The stepper of a run."""
    kind = type(run.step_method)
    if kind not in STEPPERS:
        raise InputError(
            f"{kind.__name__} has no steps", hint="add what takes them to isodyn.marching.automatic.STEPPERS"
        )
    made: Stepper = STEPPERS[kind](run)
    return made
