"""Motion with Coulomb friction, mode by mode.

While the modes of all contacts stay as they are, the system is smooth (`isodyn.friction.system`)
and `integrate_adaptive` takes it to its tolerance. A phase ends at the first zero of

    slip            u · d            sliding in one tangent direction; |u| − ε in two, where the force has no limit at u = 0
    reaction        σ N              sliding: |N| has a kink there; unilateral contacts open there, which ends the run
    cone            μ_s |N| − |f|    sticking; a phase that begins at the edge of the cone ends where the force has left it

located on the dense output. There the contacts concerned choose new modes (`isodyn.gauss.modes`)
and the next phase begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.api.adaptive import Asked, run_by_method
from isodyn.errors import ConvergenceError, InputError, IsodynError, PainleveError, SeparationError, SingularError
from isodyn.friction.kept import KeptPhases, kept_phases
from isodyn.friction.solution import FrictionSolution, Recorder, Switch
from isodyn.friction.system import WORKS, ModalSystem, Physics
from isodyn.friction.watches import OPENS, REVERSES, SLIPS, STOPS, Watch
from isodyn.gauss.contacts import Contact, Mode, Sliding, Sticking
from isodyn.gauss.friction import FrictionResult
from isodyn.gauss.modes import choose, margin
from isodyn.kernels.compiled import FloatArray
from isodyn.marching.sampling import refuse_controllers
from isodyn.memory import require_rows
from isodyn.results.solution import Solution
from isodyn.stepping.methods import DOP853
from isodyn.systems.base import System
from isodyn.systems.compiled_system import settled
from isodyn.systems.description import as_system
from isodyn.systems.multiplier_forces import refuse_nonideal

if TYPE_CHECKING:
    from isodyn.open_types import Numbers
    from isodyn.results.checkpoint import Checkpoint
    from isodyn.systems.mechanical import MechanicalSystem

AT_REST = 1e-9  # of the velocities at hand: slip that counts as none
JAM = 1e-2  # det-like measure of the reaction's equations below which a failed step is called a jam
EDGE = 0.1  # of the margin of a cone: how far a force at its edge has to leave it to end a phase
AHEAD = 1e-7  # of the time in which velocities change: how far to look for the sign of a reaction


def integrate_with_friction(
    system: System,
    contacts: Sequence[Contact] | Contact,
    *,
    t_end: float,
    t0: float = 0.0,
    rtol: float = 1e-10,
    atol: float | None = None,
    save: ArrayLike | None = None,
    max_switches: int = 1000,
    checkpoint: Checkpoint | None = None,
) -> FrictionSolution:
    """Integrate a constrained system whose contacts slide and stick.

    The solution has the modes, the switches and the works besides q, v, a, lam. A unilateral
    contact that opens ends the run there (`sol.stats.stopped` says so).

    Parameters
    ----------
    system
        A mechanical system with the constraints that carry the normal reactions.
    contacts
        Where friction acts: one or several `Contact`.
    t_end, t0
        End and start of the run.
    rtol, atol
        Error of a step allowed in positions, velocities and works; atol is 1e-12 of their typical
        sizes if left out.
    save
        Ascending times to save besides the switches; every accepted step if left out.
    max_switches
        More of them end the run with an error.
    checkpoint
        A folder, or a `isodyn.results.Checkpoint`, to which the run appends; the same call goes on
        from it after a stop or a crash, bit for bit.

    Returns
    -------
    sol
        The solution.

    Raises
    ------
    PainleveError
        If no acceleration is possible, or several are.

    Examples
    --------
    >>> import numpy as np
    >>> import isodyn as iso
    >>> block = iso.MechanicalSystem(
    ...     1.0, lambda q, v, t: np.array([0.0, -10.0]), [0.0, 0.0], [2.0, 0.0],
    ...     phi=lambda q, t: q[1:], G=lambda q, t: np.array([[0.0, 1.0]]), b=lambda q, v, t: np.zeros(1))
    >>> contact = iso.gauss.Contact(rows=0, tangent=[1.0, 0.0], mu=0.5, unilateral=True)
    >>> sol = iso.integrate_with_friction(block, contact, t_end=1.0)
    >>> [(round(s.t, 9), s.what) for s in sol.switches], round(float(sol.q[-1, 0]), 9)
    ([(0.4, 'stops')], 0.4)
    """
    contacts = (contacts,) if isinstance(contacts, Contact) else tuple(contacts)
    system = as_system(system)
    refuse_controllers(system, "runs with friction choose their steps by their error")
    _check(system, contacts, t0, t_end)
    run = _Run(Physics(system, contacts, float(t0)), t0, t_end, rtol, atol, _times(save, t0, t_end), max_switches)
    run.kept = kept_phases(checkpoint)
    if run.kept is not None:
        run.kept.begin(run.physics, {"t_end": t_end, "t0": t0, "rtol": rtol, "atol": atol, "save": save})
    try:
        return run.execute()
    except IsodynError as error:
        error.partial = run.recorder.solution(f"stopped by an error at t = {run.t:g}") if run.recorder.t else None
        raise


class _Run:
    """The state of one run."""

    def __init__(
        self,
        physics: Physics,
        t0: float,
        t_end: float,
        rtol: float,
        atol: float | None,
        times: FloatArray | None,
        max_switches: int,
    ) -> None:
        self.physics, self.t, self.t_end, self.span = physics, float(t0), float(t_end), t_end - t0
        self.rtol, self.atol, self.times, self.max_switches = rtol, atol, times, max_switches
        self.q, self.v, self.work = (
            settled(physics.system, physics.system.q0).copy(),
            physics.system.v0.copy(),
            np.zeros(WORKS),
        )
        self.recorder = Recorder(physics, rtol, atol)
        self.kept: KeptPhases | None = None

    def execute(self) -> FrictionSolution:
        """All phases."""
        modes: list[Mode] | None = self.first_modes()
        while modes is not None and self.t < self.t_end:
            modes = self.phase(modes)
            if len(self.recorder.switches) > self.max_switches:
                raise ConvergenceError(
                    f"{self.max_switches} switches by t = {self.t:g}, the last at {self.recorder.switches[-1].contact!r}",
                    hint="raise max_switches; switches that accumulate mean that the contacts chatter",
                )
        if self.kept is not None:
            self.kept.write()
        return self.recorder.solution(self.recorder.stopped)

    def phase(self, modes: list[Mode]) -> list[Mode] | None:
        """Integrate in these modes until one of them ends; the modes after that, None where the run
        ends."""
        modal = ModalSystem(self.physics, modes)
        system = modal.system(self.q, self.v, self.work)
        watches = self.watches(modal)
        inside = None if self.times is None else self.times[(self.times > self.t) & (self.times < self.t_end)]
        save = None if inside is None else np.concatenate([[self.t], inside, [self.t_end]])
        try:
            sol = self.integrated(system, Asked(self.t_end, self.t, save, events=watches))
        except (ConvergenceError, SingularError) as error:
            self.jammed(modal, error)
            raise
        self.physics.forget()
        self.recorder.add(modal, sol)
        self.t = float(sol.t[-1])
        nq, nv = modal.nq, modal.nv
        self.q, self.v, self.work = sol.q[-1, :nq].copy(), sol.v[-1, :nv].copy(), sol.v[-1, nv:].copy()
        ended = [w for w, times in zip(watches, sol.aux.get("event_times", []), strict=True) if len(times)]
        if self.kept is not None and (ended or sol.stats.stopped is None):
            self.kept.done(sol)
        if not ended:
            self.recorder.stopped = sol.stats.stopped  # Ctrl-C, or nothing
            return None
        return self.switch(modal, ended)

    def integrated(self, system: MechanicalSystem, asked: Asked) -> Solution:
        """The motion of a phase; as it is kept, where it is."""
        method = DOP853(self.rtol, self.atol)
        if self.kept is None:
            return run_by_method(system, method, None, asked)
        found, place = self.kept.next_phase()
        return found or run_by_method(system, method, None, replace(asked, checkpoint=place))

    def jammed(self, modal: ModalSystem, error: IsodynError) -> None:
        """Keep what a failed phase has, and say so where the reaction grew without bound."""
        sol = error.partial
        if not isinstance(sol, Solution) or sol.t.size < 2:
            return
        self.physics.forget()
        self.recorder.add(modal, sol)
        self.t = float(sol.t[-1])
        q, v = sol.q[-1, : modal.nq], sol.v[-1, : modal.nv]
        modes = modal.current_modes(self.t, q, v)
        if self.physics.firmness(self.t, q, v, modes) < JAM:
            names = ", ".join(repr(self.physics.contacts[k].name) for k in range(len(modes)) if k not in modal.sticking)
            raise PainleveError(
                f"t = {self.t:.6g}: the reaction at {names} grows without bound, friction jams (Painlevé)",
                hint="the rigid model ends here: reduce mu, or give the contact compliance",
            ) from error

    def watches(self, modal: ModalSystem) -> list[Watch]:
        """What ends a phase."""
        speed = AT_REST * max(float(np.abs(self.v).max()), 1e-3 * self.physics.speed)
        found = []
        for k, (mode, contact) in enumerate(zip(modal.modes, self.physics.contacts, strict=True)):
            if isinstance(mode, Sticking):
                found.append(Watch(modal, k, SLIPS, speed, self.beyond(modal, k)))
            else:
                found.append(Watch(modal, k, STOPS, speed))
                if not contact.unilateral and len(self.physics.rows[k]) == 1:
                    found.append(Watch(modal, k, REVERSES, speed))
            if contact.unilateral:
                found.append(Watch(modal, k, OPENS, speed))
        return found

    def beyond(self, modal: ModalSystem, k: int) -> float:
        """Margin by which a slack that is zero now, or less by rounding, must fall to count; zero
        if it is positive."""
        result = modal.result(self.t, self.q, self.v)
        point = self.physics.points(self.t, self.q, self.v)[k]
        return max(0.0, EDGE * margin(point, k, result) - float(result.slack[k]))

    def first_modes(self) -> list[Mode]:
        """Sliding where there is slip, else what is consistent."""
        resting = self.resting()
        modes: list[Mode] = [
            Sticking() if k in resting else Sliding.along(contact.slip(self.q, self.v, self.t))
            for k, contact in enumerate(self.physics.contacts)
        ]
        return self.with_signs(self.settle(modes, resting, []))

    def resting(self) -> list[int]:
        """Contacts without slip."""
        still = AT_REST * max(float(np.abs(self.v).max()), 1e-3 * self.physics.speed)
        slips = [contact.slip(self.q, self.v, self.t) for contact in self.physics.contacts]
        return [k for k, slip in enumerate(slips) if np.linalg.norm(slip) <= still]

    def settle(self, modes: Sequence[Mode], at_rest: Sequence[int], must_slip: Sequence[int]) -> list[Mode]:
        """Consistent modes for the contacts at rest."""
        points = self.physics.points(self.t, self.q, self.v)
        modes = [Sliding(m.direction) if isinstance(m, Sliding) else m for m in modes]
        try:
            return choose(
                points, modes, at_rest, must_slip, lambda trial: self.physics.solve(self.t, self.q, self.v, trial)
            )
        except (PainleveError, SeparationError) as error:
            error.args = (f"t = {self.t:.6g}: {error.args[0]}",)
            raise

    def with_signs(self, modes: list[Mode]) -> list[Mode]:
        """The sign of N of every sliding contact that has one: of two-sided ones a moment later, as
        N may be zero now."""
        later = None
        for k, mode in enumerate(modes):
            if not isinstance(mode, Sliding) or len(self.physics.rows[k]) > 1:
                continue
            sign = 1
            if not self.physics.contacts[k].unilateral:
                later = later or self.ahead(modes)
                sign = 1 if later.normal[k][0] >= 0.0 else -1
            modes[k] = Sliding(mode.direction, sign)
        return modes

    def ahead(self, modes: Sequence[Mode]) -> FrictionResult:
        """Forces a moment later, in a time in which velocities hardly change; now, where friction
        has no answer then."""
        now = self.physics.solve(self.t, self.q, self.v, modes)
        speed, change = float(np.abs(self.v).max()), float(np.abs(now.a).max())
        h = AHEAD * (min(self.span, speed / change) if speed > 0.0 and change > 0.0 else self.span)
        try:
            q, v = self.physics.move(self.q, h * self.v), self.v + h * now.a
            return self.physics.solve(self.t + h, q, v, modes)
        except (PainleveError, SeparationError):
            return now

    def switch(self, modal: ModalSystem, ended: list[Watch]) -> list[Mode] | None:
        """New modes after the events of a phase; None where a contact opens."""
        before = modal.current_modes(self.t, self.q, self.v)
        for watch in ended:
            if watch.what == OPENS:
                name = self.physics.contacts[watch.k].name
                self.recorder.switch(Switch(self.t, name, before[watch.k], None, OPENS))
                self.recorder.stopped = f"contact {name!r} opens at t = {self.t:g}"
                return None
        modes = list(before)
        reversed_ = [watch.k for watch in ended if watch.what == REVERSES]
        for k in reversed_:
            mode = modes[k]
            assert isinstance(mode, Sliding)
            modes[k] = Sliding(mode.direction, -mode.sign)
        stopped = [watch.k for watch in ended if watch.what == STOPS]
        # others that stop at the same time
        stopped += [k for k in self.resting() if isinstance(modes[k], Sliding)]
        slipped = [watch.k for watch in ended if watch.what == SLIPS]
        if stopped or slipped:
            resting = sorted({*stopped, *modal.sticking})
            modes = self.with_signs(self.settle(modes, resting, slipped))
        for k in sorted({watch.k for watch in ended}):
            what = " and ".join(watch.what for watch in ended if watch.k == k)
            self.recorder.switch(Switch(self.t, self.physics.contacts[k].name, before[k], modes[k], what))
        return modes


def _check(system: System, contacts: Sequence[Contact], t0: float, t_end: float) -> None:
    if not contacts:
        raise InputError("friction needs at least one contact")
    for contact in contacts:
        if not isinstance(contact, Contact):
            raise InputError(f"contacts must be Contact objects, received {type(contact).__name__}")
    if system.first_order or system.m == 0:
        raise InputError(
            "friction needs a mechanical system with constraints that carry the normal reactions",
            hint="pass phi= to MechanicalSystem",
        )
    refuse_nonideal(
        system, "integrate_with_friction", "contacts bring their friction along; integrate(...) takes both in Q"
    )
    for name, value in (("t0", t0), ("t_end", t_end)):
        if not np.isfinite(value):
            raise InputError(f"{name} must be finite, received {value}")
    if t_end <= t0:
        raise InputError(f"t_end must lie after t0, received t0 = {t0:g}, t_end = {t_end:g}")


def _times(save: Numbers, t0: float, t_end: float) -> FloatArray | None:
    if save is None:
        return None
    if isinstance(save, int):
        require_rows(save, 1)
    times = np.linspace(t0, t_end, save) if isinstance(save, int) else np.asarray(save, dtype=np.float64)
    if times.ndim != 1 or times.size == 0 or (np.diff(times) <= 0).any() or times[0] < t0 or times[-1] > t_end:
        raise InputError(f"save must hold ascending times between {t0:g} and {t_end:g}")
    return times
