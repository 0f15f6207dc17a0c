"""A plan for the march: what Python fills in so that the compiled loop needs nothing else
(isodyn.stepping.memory.Plan).

The first step after a start is taken with a member for which a_n belongs to t_n itself
(isodyn.stepping.coefficients); that makes a second order from the first step on, see
docs/derivations/first_step.md. The same member takes the last step before a breakpoint where the
scheme would look past it, W₁ > 1.
"""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from isodyn.formulations.closure import Closure
from isodyn.kernels.compiled import Coefficients
from isodyn.marching.schedule import Stretch
from isodyn.stepping.memory import ROUNDING, Controls, Leg, Plan
from isodyn.stepping.policies import AskedPolicy
from isodyn.systems.model import Model

START, MAIN, LAST = range(3)  # legs of a plan
UNKNOWN = 2**60  # steps of a stretch whose policy chooses them
SMALLEST = 1e-13  # of the span of a run: no policy takes smaller steps
FEW_TIMES = 1000  # of plans that are kept
STILL = Coefficients(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)  # no step at all


class Member(NamedTuple):
    """How the steps of a leg are taken: by which coefficients, and how constraints close them."""

    coefficients: Coefficients
    closure: Closure


def fill_leg(leg: Leg, model: Model, holonomic: int, member: Member, controls: Controls) -> Leg:
    """Fill a leg for a model with this member and these settings; loads have no time limit."""
    leg.words[:] = _filled(model.traits, holonomic, member, controls).words
    return leg


@lru_cache(maxsize=64)
def _filled(traits: int, holonomic: int, member: Member, controls: Controls) -> Leg:
    """Such a leg, to be copied."""
    leg = Leg()
    leg.traits, leg.holonomic, leg.t_limit = traits, holonomic, np.inf
    for numbers in (member.coefficients, controls):
        for name, value in numbers._asdict().items():
            setattr(leg, name, value)
    for field in fields(member.closure):
        if field.name != "where":
            setattr(leg.closure, field.name, getattr(member.closure, field.name))
    leg.closure.at_balance = member.closure.at_balance
    return leg


def new_plan(model: Model, holonomic: int, starting: Member, main: Member, controls: Controls, **sizes: int) -> Plan:
    """A plan without steps; `sizes` of times, stages and settings are 0 where they are not
    given."""
    times = sizes.pop("times", 0)
    if times > FEW_TIMES:
        return _empty(model.traits, holonomic, starting, main, controls, times, **sizes)
    return _known(model.traits, holonomic, starting, main, controls, times, **sizes).copy()


def _empty(
    traits: int,
    holonomic: int,
    starting: Member,
    main: Member,
    controls: Controls,
    times: int,
    stages: int = 0,
    settings: int = 0,
) -> Plan:
    """A plan without steps."""
    plan = Plan(times=times, stages=stages, settings=settings, legs=3)
    for leg, member in zip(plan.legs, (starting, main, starting), strict=True):
        leg.words[:] = _filled(traits, holonomic, member, controls).words
    plan.save_every = 1
    return plan


_known = lru_cache(maxsize=64)(_empty)  # to be copied


def lay_legs(plan: Plan, begin: int, steps: int, *, start: bool, stop: bool) -> None:
    """Divide the steps among the legs. `start`: the first step follows a start; `stop`: the last
    step ends at a breakpoint."""
    starting, main, last = plan.legs
    first = min(steps, 1) if start else 0
    beyond = stop and main.W1 > 1.0 and steps > first
    plan.begin, plan.end = begin, begin + steps
    starting.last, main.last, last.last = begin + first, begin + steps - beyond, begin + steps
    starting.next_phi, main.next_phi, last.next_phi = main.phi, last.phi if beyond else main.phi, last.phi


def lay_stretch(plan: Plan, stretch: Stretch, begin: int, *, composed: bool) -> None:
    """Lay the steps of a stretch; `begin` steps of the run come before it."""
    stop = stretch.ends_in_breakpoint
    plan.t_stop, plan.t0, plan.dt = stretch.t_stop, stretch.t0, stretch.dt
    plan.grid, plan.save_every = stretch.first, stretch.save_every
    # the right-hand limit at a breakpoint, from which the stretch starts
    plan.t_first = stretch.t_start if begin == 0 else np.nextafter(stretch.t_start, np.inf)
    limit_loads(plan, float(np.nextafter(stretch.t_stop, -np.inf)) if stop else np.inf)
    # steps of a policy are as long as the time that passes; there is no size that they should have
    size_steps(plan, stretch.dt, -np.inf if plan.by_policy else 0.5 * ROUNDING * abs(stretch.t0))
    if stretch.given is not None:
        plan.times[: stretch.steps] = stretch.given
    lay_legs(plan, begin, stretch.steps, start=not composed, stop=stop and not composed)


def follow_policy(plan: Plan, asked: AskedPolicy, span: float) -> None:
    """Let a policy choose the steps."""
    policy = asked.policy
    plan.by_policy, plan.accept = 1, asked.address
    plan.estimates, plan.tolerance = int(policy.estimates), policy.controlled_error
    plan.smallest_dt = max(policy.smallest_step, SMALLEST * span)
    plan.largest_dt, plan.settings = policy.largest_step, np.asarray(policy.settings, dtype=np.float64)
    plan.times = np.asarray(policy.land_on, dtype=np.float64)


def size_steps(plan: Plan, dt: float, rounding: float) -> None:
    """Set the size of steps whose ends are off by rounding, −∞ for steps of any size."""
    for leg in plan.legs:
        leg.dt, leg.rounding = dt, rounding


def limit_loads(plan: Plan, t_limit: float) -> None:
    """Set the time after which loads are not evaluated."""
    for leg in plan.legs:
        leg.t_limit = t_limit


def with_model(plan: Plan, model: Model, **settings: float) -> Plan:
    """The same plan for another model of the same system, with other settings of the iteration."""
    other = plan.copy()
    for leg in other.legs:
        leg.traits = model.traits
        for name, value in settings.items():
            setattr(leg, name, value)
    return other
