"""Step policies: how long the steps of a run are.

`FixedSteps` and `StepTimes` know it before the run. A `StepPolicy` is asked after each step whether
it is good enough and how long the next one shall be; steps that are not are taken again from the
state before them (isodyn.stepping.chosen_step).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.calls import CalledBack
from isodyn.kernels.compiled import FloatArray, f8
from isodyn.kernels.weak_methods import held_weakly
from isodyn.notebook_views import Told
from isodyn.real_numbers import real_array, real_number
from isodyn.stepping.memory import LEG, MEMORY, PLAN, STATE, Leg, Memory, State
from isodyn.stored import stored_with_runs

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

ACCEPT = f8(PLAN, LEG, STATE, STATE, MEMORY)
"""Signature of a compiled `accept`: plan (with `settings`), leg, the states before and after the
step, and the memory of the step."""


@stored_with_runs
@dataclass(frozen=True)
class FixedSteps(Told):
    """Steps of one size, as a number for `dt` means it.

    Parameters
    ----------
    dt
        The size.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.FixedSteps(0.01)
    FixedSteps(0.01)
    """

    dt: float


@stored_with_runs
@dataclass(frozen=True)
class StepTimes(Told):
    """Steps that lead to given times; breakpoints and `t_end` come in between and at the end.

    Parameters
    ----------
    times
        Ascending times behind t0.

    Raises
    ------
    InputError
        If the times do not ascend.

    Examples
    --------
    >>> import isodyn as iso
    >>> system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    >>> sol = iso.integrate(system, dt=iso.StepTimes([0.01, 0.03, 0.06]), t_end=0.1)
    >>> sol.t.tolist()
    [0.0, 0.01, 0.03, 0.06, 0.1]
    """

    times: Numbers

    def __post_init__(self) -> None:
        times = real_array("times", self.times, "times").reshape(-1)
        if times.size == 0 or not np.isfinite(times).all() or not (np.diff(times) > 0).all():
            raise InputError(f"times of steps must ascend and be finite, received {times[:4]} …")
        object.__setattr__(self, "times", tuple(times.tolist()))


@dataclass(frozen=True)
class TakenStep:
    """A step that a policy judges, as Python sees it.

    Errors are those of isodyn.stepping.step_error for policies with `estimates`; for others the
    leading terms, which are right for steps of about one size.
    """

    leg: Leg
    before: State
    after: State
    memory: Memory
    estimated: bool = False

    @property
    def t(self) -> float:
        """Where the step leads to."""
        return float(self.after.t)

    @property
    def dt(self) -> float:
        """Its size."""
        return float(self.after.dt)

    @property
    def error_q(self) -> FloatArray:
        """Estimated local error of q, as an increment: (1/6 + φ/2 − λ₃) Δt² Δa."""
        if self.estimated:
            return self.memory.error_q.copy()
        error: FloatArray = (1.0 / 6.0 + 0.5 * self.leg.phi - self.leg.l3) * self.dt**2 * self.after.da
        return error

    @property
    def error_v(self) -> FloatArray:
        """Estimated local error of v, −(1/12 + φ(W₁ − ½)) Δt times the second difference of a;
        nothing after a start, where no step is known before."""
        if self.estimated:
            return self.memory.error_v.copy()
        old = float(self.before.dt)
        if old == 0.0:
            return np.zeros(self.after.v.size)
        bend = (self.after.da - self.before.da * self.dt / old) * 2.0 * self.dt / (self.dt + old)
        error: FloatArray = -(1.0 / 12.0 + self.leg.phi * (self.leg.W1 - 0.5)) * self.dt * bend
        return error


class HasAddress(Protocol):
    """A function that is compiled with `numba.cfunc`."""

    @property
    def address(self) -> int: ...


class StepPolicy(Told, ABC):
    """Steps whose size is chosen on the way; subclasses are frozen dataclasses.

    `accept` is asked after each step. A class attribute `compiled`, made with
    `numba.cfunc(isodyn.stepping.policies.ACCEPT)`, takes its place where steps are so cheap that
    Python would cost more; it reads numbers of the policy from plan.settings, which the attribute
    `settings` gives. What a policy has to know from step to step lies in state.policy, four numbers
    that checkpoints hold. With `estimates = True` each step comes with errors of q and v that are
    right for every member and every ratio of steps, tangent to the constraints, and of stiff parts
    what they move; they cost three balances and a solve. Where `controlled_error` is set, a
    controller keeps that error, and `accept` is not asked (`Adaptive`).

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import isodyn as iso
    >>> @dataclass(frozen=True)
    ... class Growing(iso.StepPolicy):
    ...     first_step: float = 0.01
    ...     def accept(self, step):
    ...         return 1.5
    >>> system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    >>> sol = iso.integrate(system, dt=Growing(), t_end=0.1)
    >>> sol.t.round(4).tolist()
    [0.0, 0.01, 0.025, 0.0475, 0.0738, 0.1]
    """

    first_step: float
    smallest_step: float = 0.0
    largest_step: float = np.inf
    land_on: Sequence[float] = ()
    settings: Sequence[float] = ()
    compiled: HasAddress | None = None
    estimates: bool = False
    controlled_error: float = 0.0
    rtol: float | None = None  # what its errors stand for, of the motion; None: nothing
    absolute: bool = False  # whether errors are compared with sizes that were named

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        stored_with_runs(cls)

    @abstractmethod
    def accept(self, step: TakenStep) -> float:
        """Judge a step.

        Parameters
        ----------
        step
            The step, with the states before and after it and estimates of its local error.

        Returns
        -------
        factor
            Positive if the step is accepted: the next one is so many times as long. Negative, above
            −1: it is repeated with −factor times its size.
        """


def check_policy(policy: StepPolicy, t0: float, t_end: float) -> None:
    """InputError for sizes that make no sense."""
    for name in ("first_step", "smallest_step", "largest_step"):
        value = getattr(policy, name, None)
        if value is None:
            raise InputError(f"{type(policy).__name__} has no {name}", hint="give it as a field or an attribute")
        if value != np.inf and real_number(name, value) < 0:
            raise InputError(f"{name} of {policy!r} must not be negative, received {value!r}")
    if not (
        0 < policy.first_step <= t_end - t0 or (policy.estimates and policy.first_step == 0)
    ) or policy.smallest_step > min(policy.largest_step, t_end - t0):
        raise InputError(
            f"steps of {policy!r} from {policy.first_step:g} on, between {policy.smallest_step:g} and"
            f" {policy.largest_step:g}, do not fit a span of {t_end - t0:g}",
            hint="no smallest size above the largest one or longer than the span, and a first step inside the span",
        )


class AskedPolicy:
    """A policy in a run: the address that the march calls, and what Python raised there."""

    def __init__(self, policy: StepPolicy, taken: Callable[[], TakenStep]) -> None:
        self.policy = policy
        self.called: CalledBack | None = None
        self.address = 0
        if policy.controlled_error > 0.0:
            return  # isodyn.stepping.controller judges
        if policy.compiled is not None:
            self.address = int(policy.compiled.address)
            return

        of_run = held_weakly(taken)

        def judge() -> float:
            factor = float(policy.accept(of_run()))
            if not (factor > 0.0 or -1.0 < factor < 0.0) or factor == np.inf:
                raise InputError(
                    f"accept of {type(policy).__name__} returned {factor!r}",
                    hint="a positive factor accepts a step; one between −1 and 0 repeats it with a smaller size",
                )
            return factor

        self.called = CalledBack(judge)
        self.address = self.called.address

    @property
    def raised(self) -> BaseException | None:
        """What `accept` raised."""
        return None if self.called is None else self.called.raised
