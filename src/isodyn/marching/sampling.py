"""Sampled controllers of a run.

Between two calls of the march, at the times of samples, which runs that choose their steps have as
breakpoints: values are read from the state, laws are
called, and what they return is held by loads (isodyn.marching.held_inputs). Where that changes a
force, the run starts anew from the same state, as at a breakpoint, so that the accelerations and
multipliers keep their order; where it does not, steps go on.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isodyn.errors import CallableError, InputError, NonFiniteError
from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.uncompiled import explained
from isodyn.later import Later
from isodyn.marching.at_balance import show_multipliers, shown
from isodyn.marching.held_inputs import HeldInputs
from isodyn.marching.python_memory import recall, remembered
from isodyn.marching.readings import reading
from isodyn.marching.switches import SetInput
from isodyn.real_numbers import real_array
from isodyn.systems.base import System

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isodyn.marching.run import Run
    from isodyn.mechanism.controllers import Controller
    from isodyn.results.solution import Sample

time_functions = Later("isodyn.expressions.time")
of_mechanisms = Later("isodyn.mechanism.inputs")

MOST_SAMPLES = 1e7  # of runs that stop at each of them
UNITS = 100  # distances of neighbouring times: samples are farther apart
NEAR = 1e-6  # of a step: a sample is at a time of the grid that is so near
MOST_PARTS = 10_000  # of the time between two samples: steps that are looked at for one that fits


def controllers_of(system: System) -> list[Any]:
    """The controllers of a mechanism; none of other systems."""
    parts = getattr(getattr(system, "description", None), "parts", None)
    return list(getattr(parts, "controllers", {}).values())


def refuse_controllers(system: System, why: str) -> None:
    """InputError where controllers would be passed over in silence."""
    found = controllers_of(system)
    if found:
        raise InputError(
            f"{found[0].what} acts between steps of a run; {why}",
            hint="remove the controllers, or what does not go with them",
        )


def with_samples(system: System, breakpoints: ArrayLike, t0: float, t_end: float) -> ArrayLike:
    """Breakpoints, with the times at which controllers sample; those of the user where both are as
    good as equal."""
    found = controllers_of(system)
    if not found:
        return breakpoints
    given = np.unique(np.asarray(breakpoints, dtype=np.float64).ravel())
    for controller in found:
        refuse_too_many(controller, t0, t_end)
    near = NEAR * min(controller.every for controller in found)
    samples = np.concatenate([given, *(sample_times(controller.every, t0, t_end) for controller in found)])
    # stable: the user's come first among equals
    times = samples[np.argsort(np.round(samples / near), kind="stable")]
    return times[np.diff(times, prepend=-np.inf) > near]


def refuse_too_many(controller: Controller, t0: float, t_end: float) -> None:
    """InputError for samples that no run can stop at."""
    samples = (t_end - t0) / controller.every
    if not samples <= MOST_SAMPLES or controller.every <= UNITS * float(np.spacing(max(abs(t0), abs(t_end)))):
        raise InputError(
            f"{controller.what} samples every {controller.every:g}, {samples:.1e} times from {t0:g} to {t_end:g};"
            f" runs that choose their steps stop at each sample, and at most at {MOST_SAMPLES:.0e}",
            hint="sample more rarely; a law that acts all the time is a load with a formula",
        )


def sample_times(every: float, t0: float, t_end: float) -> FloatArray:
    """Where a controller samples between the start and the end of a run."""
    times: FloatArray = t0 + every * np.arange(1.0, np.ceil((t_end - t0) / every - NEAR))
    return times


def sampling_of(run: Run, dt: float | None) -> Sampling | None:
    """The controllers of a run in steps of dt, or in those that it chooses; InputError for what
    they cannot do."""
    controllers = controllers_of(run.system)
    set_by_events = [] if run.watch is None else [one.action for one in run.watch.events]
    actions = [action for action in set_by_events if isinstance(action, SetInput)]
    if not controllers and not actions:
        return None
    if controllers and dt is None and not run.sized:
        raise InputError(
            f"{controllers[0].what} samples at equal distances in time; steps to given times need not end there",
            hint="take a constant dt, or iso.Adaptive(rtol)",
        )
    found = Sampling(run, controllers, dt)
    for action in actions:
        found.expect(action)
    if run.checkpoint is not None:
        found.carried()  # refused now, not after an hour
    return found


def refuse_odd_samples(controllers: Sequence[Controller], dt: float) -> None:
    """InputError where a controller samples between steps; a dt that is said to fit fits all of
    them."""
    every = np.array([controller.every for controller in controllers])
    odd = ~are_whole(every / dt)
    if not odd.any():
        return
    parts = max(1.0, np.ceil(every.min() / dt - NEAR)) + np.arange(MOST_PARTS)
    least = every.min() / parts
    fits = least[are_whole(every[:, None] / least).all(axis=0)]
    first = controllers[int(np.argmax(odd))]
    raise InputError(
        f"{first.what} samples every {first.every:g}, which is no whole multiple of dt = {dt:g}",
        hint=f"dt = {fits[0]:.12g} fits" if fits.size else "take times with a common divisor, or dt=iso.Adaptive(rtol)",
    )


def are_whole(steps: FloatArray) -> NDArray[np.bool_]:
    """Which numbers of steps are whole ones, and not zero."""
    whole = np.round(steps)
    return np.asarray((whole >= 1.0) & (np.abs(steps - whole) <= NEAR))


# who reset a law last; who did holds the law, so that its number is its own
LAST_OF: WeakValueDictionary[int, Sampled] = WeakValueDictionary()


class Sampled:
    """A controller in a run: how often it samples, what it reads, what is on its way."""

    def __init__(self, controller: Controller, system: System, inputs: HeldInputs, dt: float | None) -> None:
        self.controller, self.what = controller, controller.what
        # between two samples, 0 where steps choose themselves; number of the next one
        self.steps, self.next = 0 if dt is None else round(controller.every / dt), 0
        for name in controller.writes:
            inputs.place(name)
        law: Any = controller.law_of_run()
        self.law: Any = law if callable(law) else None
        texts: Sequence[str] = controller.reads if callable(law) else law
        self.reads = [reading(system, text, inputs, self.what) for text in texts]
        self.waiting: list[FloatArray] = []  # at most as many as the delay
        self.resets = hasattr(law, "reset")
        if self.resets:
            law.reset()
            LAST_OF[id(law)] = self

    def memory(self, *, copies: bool = False) -> object:
        """What the law remembers."""
        return None if self.law is None else remembered(self.law, f"the law of {self.what}", copies=copies)

    def recall(self, memory: object) -> None:
        """Let the law remember that."""
        if self.law is not None:
            recall(self.law, memory, f"the law of {self.what}")
        if self.resets:
            LAST_OF[id(self.law)] = self

    def value(self, t: float, sample: Sample) -> FloatArray:
        """What the law decides now."""
        read = [one(sample) for one in self.reads]
        if self.law is not None and not np.isfinite(read).all():
            k = int(np.argmin(np.isfinite(read)))
            raise NonFiniteError(f"{self.what} reads {read[k]} from {self.controller.reads[k]!r} at t = {t:.6g}")
        found = read if self.law is None else self.called(t, read)
        try:
            given = np.atleast_1d(real_array(self.what, found))
        except InputError:
            raise CallableError(f"{self.what} must return numbers, received {found!r} at t = {t:.6g}") from None
        writes = self.controller.writes
        if given.shape != (len(writes),):
            raise CallableError(
                f"{self.what} writes {', '.join(map(repr, writes))} and must return as many numbers, received {found!r}"
                f" at t = {t:.6g}"
            )
        if not np.isfinite(given).all():
            raise NonFiniteError(f"{self.what} returned {found!r} at t = {t:.6g}")
        low, high = self.controller.low, self.controller.high
        return np.clip(given, low, high) if low is not None or high is not None else given

    def arrived(self, decided: FloatArray) -> FloatArray:
        """What loads hold from now on: what was decided some samples ago, or zero."""
        self.next += 1
        self.waiting.append(decided)
        return self.waiting.pop(0) if len(self.waiting) > self.controller.delay else np.zeros(decided.size)

    def called(self, t: float, read: list[float]) -> object:
        """What the law returns."""
        if self.resets and LAST_OF.get(id(self.law)) is not self:
            raise CallableError(
                f"the law of {self.what} was reset by another run since; at t = {t:.6g} it has forgotten this one",
                hint="give each of two runs that take turns a law of its own, or save and restore their steppers",
            )
        try:
            return self.law(t, *read)
        except Exception as error:
            told = explained(error)
            raise CallableError(f"{self.what} raised {type(error).__name__} at t = {t:.6g}: {told}") from error


class Sampling:
    """The controllers of a run."""

    def __init__(self, run: Run, controllers: list[Controller], dt: float | None, *, record: bool = True) -> None:
        self.run = run
        if run.inputs is None:
            run.take_inputs(HeldInputs(run.system))
        assert run.inputs is not None
        self.inputs = run.inputs
        if dt is not None:
            refuse_odd_samples(controllers, dt)
        self.all = [Sampled(controller, run.system, self.inputs, dt) for controller in controllers]
        self.t0 = run.stretches[0].t0
        self.record: dict[str, list[tuple[float, FloatArray]]] | None = {} if record else None

    def before(self, upto: int) -> int:
        """Sample if it is time to; the step up to which steps may go until the next sample."""
        plan, t = self.run.plan, float(self.run.state.t)
        if not self.all:  # events write, nobody else
            return upto
        if self.run.sized:  # samples are breakpoints
            due = [one for one in self.all if t - self.t0 >= (one.next - NEAR) * one.controller.every]
            if due:
                self.sample(due)
            return upto
        grid = round((t - self.t0) / plan.dt)
        on_grid = abs(t - (self.t0 + grid * plan.dt)) <= NEAR * plan.dt + 4.0 * float(np.spacing(abs(t)))
        due = [one for one in self.all if on_grid and one.next * one.steps <= grid]
        if due:
            self.sample(due)
        soonest = min(one.next * one.steps for one in self.all)
        after = int(plan.begin) + soonest - int(plan.grid) + 1
        return min(upto, max(after, int(self.run.state.step) + 1))

    def sample(self, due: list[Sampled]) -> None:
        """Read, decide, write; restart if that changes forces."""
        run = self.run
        show_multipliers(run)
        sample = shown(run, run.sample()._replace(lam=run.memory.lam_1.copy()))
        t = float(sample.t)
        # all read the same state; where one of them raises, no other has taken its sample
        found = [(one, one.value(t, sample)) for one in due]
        changed = False
        for one, decided in found:
            for name, value in zip(one.controller.writes, one.arrived(decided), strict=True):
                changed |= self.write(name, value)
        if changed:
            run.start_from_here()

    def write(self, name: str, value: object) -> bool:
        """Hold an input at a value from now on; whether that changes anything."""
        changed = self.inputs.set(name, value)
        if changed and self.record is not None:
            history, t = self.record.setdefault(name, []), float(self.run.state.t)
            if history and history[-1][0] == t:
                history.pop()
            history.append((t, self.inputs.values[name]))
        return changed

    def writers(self, name: str) -> list[str]:
        """The controllers that write an input, in words."""
        return [one.what for one in self.all if name in one.controller.writes]

    def expect(self, action: SetInput) -> None:
        """Prepare for an event that writes an input, which until then is what the model says."""
        name, place = action.load, self.inputs.place(action.load)
        place.checked(action.value)
        if writers := self.writers(name):
            raise InputError(f"{writers[0]} writes {name!r}, and so does {action!r}", hint="one of them is enough")
        own = of_mechanisms.own_value(self.run.system, name)
        if own is None:
            raise InputError(
                f"{action!r}: the number of load {name!r} is a function in the model",
                hint="SetInput takes loads with plain numbers; SwitchLoad switches one of two off, and the other on",
            )
        if self.record is not None:
            self.record[name] = [(float(self.run.stretches[0].t_start), own)]

    def recorded(self) -> System:
        """The system with what its loads have done in the run, as functions of time."""
        if not self.record:
            return self.run.system
        given: dict[str, Any] = {}
        for name, history in self.record.items():
            place, times = self.inputs.places[name], [t for t, _ in history]
            if place.forces:
                forces = np.array([place.force(value).sum(axis=0) for _, value in history])
                given[name] = [time_functions.Staircase(times, column) for column in forces.T]
            else:
                given[name] = time_functions.Staircase(times, [float(value[0]) for _, value in history])
        return of_mechanisms.as_in_run(self.run.system, given)

    def saved(self) -> list[Any]:
        """What the controllers remember, for this process."""
        return [(one.next, [*one.waiting], one.memory(copies=True)) for one in self.all]

    def restore(self, saved: list[Any]) -> None:
        """Remember that instead."""
        for one, (number, waiting, memory) in zip(self.all, saved, strict=True):
            one.next, one.waiting = number, [*waiting]
            one.recall(memory)

    def carried(self) -> dict[str, Any]:
        """What a checkpoint keeps of controllers, and of what they have written so far."""
        record = self.record or {}
        return {
            "controllers": json.dumps([(one.next, np.array(one.waiting).tolist(), one.memory()) for one in self.all]),
            "inputs": json.dumps({name: value.tolist() for name, value in self.inputs.values.items()}),
            "inputs_so_far": json.dumps({k: [(t, x.tolist()) for t, x in all_of] for k, all_of in record.items()}),
        }

    def put_back(self, found: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.restore(
            [
                (int(number), [np.array(values) for values in waiting], memory)
                for number, waiting, memory in json.loads(str(found["controllers"]))
            ]
        )
        self.inputs.put_back({name: np.array(x) for name, x in json.loads(str(found["inputs"])).items()})
        if self.record is not None:
            so_far = json.loads(str(found["inputs_so_far"]))
            self.record = {name: [(t, np.array(x)) for t, x in all_of] for name, all_of in so_far.items()}
