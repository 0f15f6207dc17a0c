"""Where in a step something happens to contacts.

The step that ends there is found on its own size: g(step(x)) = 0 is solved for x where a gap
closes, and likewise where slip comes to rest or a contact is torn loose, so that the state there is
the end of a step as any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import ConvergenceError
from isodyn.kernels.compiled import OK, FloatArray
from isodyn.marching import contact_march
from isodyn.marching.contact_march import TAKEN
from isodyn.marching.contact_steps import ContactSteps
from isodyn.stepping.contact_memory import OPEN, STICK

if TYPE_CHECKING:
    from isodyn.open_types import BoolArray

EPS = float(np.finfo(np.float64).eps)
ITERATIONS = 80  # of the location of an event
LOOKS = 12  # into a step, for a gap that is open at both of its ends
HALVINGS = 20  # of a step that is cut
TURNS = 8  # of slip in a step, that it is cut at
STOPPED = 1e-12  # of the slip at the beginning of a step: less is none
BACKWARDS = 1e-9  # of the largest work of friction: less is rounding
INSIDE = 1e-3  # of a step: where a gap that begins at zero is looked at first


class ContactLocation(ContactSteps):
    """A run with contacts that ends its last step where something happened."""

    cut = False  # whether the last step is a part of one whose iteration did not end

    def solved(
        self, f: Callable[[float], float], low: float, f_low: float, high: float, f_high: float
    ) -> tuple[float, float, float]:
        """The time at which f, above zero at `low` and below at `high`, is zero (Illinois); and the
        last times before and after it."""
        side, ulp = 0, float(np.spacing(max(abs(low), abs(high))))
        t = high
        for _ in range(ITERATIONS):
            t = (low * f_high - high * f_low) / (f_high - f_low)
            t = min(max(t, low), high)
            if high - low <= ulp or t in (low, high):
                t = 0.5 * (low + high) if high - low > 2.0 * ulp else high
            done = high - low <= ulp
            value = f(t)
            if value == 0.0:
                return t, t, t
            if value < 0.0:
                high, f_high = t, value
                f_low *= 0.5 if side < 0 else 1.0
                side = -1
            else:
                low, f_low = t, value
                f_high *= 0.5 if side > 0 else 1.0
                side = 1
            if done or abs(value) <= EPS:
                break
        return t, low, high

    def closing(self, t_0: float, t_1: float) -> float | None:
        """When the first of the open gaps closes; None where none does."""
        contacts = self.contacts
        candidates = (contacts.closed_before == 0) & (contacts.mode == OPEN)
        rounding = contact_march.DEEP * contacts.size
        ends = (contacts.gap <= rounding) & (contacts.gap_before > rounding) & (contacts.rate[: rounding.size] < 0.0)
        through = candidates & ((contacts.gap < -rounding) | ends)
        t_1, through = self.inside(t_0, t_1, candidates, through)
        if not through.any():
            return None
        sizes = contacts.size[through]

        def lowest(t: float) -> float:
            self.step_to(t)
            return float((contacts.gap[through] / sizes).min())

        high = lowest(t_1)
        if high >= -contact_march.DEEP:
            return t_1
        low, value = t_0, float((contacts.gap_before[through] / sizes).min())
        if value <= contact_march.DEEP:  # it begins at zero, and leaves first
            low = t_0 + INSIDE * (t_1 - t_0)
            value = lowest(low)
            while value <= 0.0 and low - t_0 > 1e-9 * (t_1 - t_0):
                low = t_0 + 0.1 * (low - t_0)
                value = lowest(low)
            if value <= 0.0:
                return max(low, t_0)
        return self.solved(lowest, low, value, t_1, high)[0]

    def inside(self, t_0: float, t_1: float, candidates: BoolArray, through: BoolArray) -> tuple[float, BoolArray]:
        """The earliest time that was found at which gaps are closed, at the end of the step or
        inside it, and which they are."""
        contacts = self.contacts
        before, after = contacts.gap_before.copy(), contacts.gap.copy()
        slope, end = contacts.rate_before.copy(), contacts.rate.copy()
        for k in np.flatnonzero(candidates & (slope[: after.size] < 0.0) & (end[: after.size] > 0.0)):
            if after[k] < 0.0:
                continue
            t = self.deepest(int(k), (t_0, before[k], slope[k]), (t_1, after[k], end[k]))
            if t is not None:
                through = candidates & (contacts.gap < -contact_march.DEEP * contacts.size)
                t_1 = t
                after, end = contacts.gap.copy(), contacts.rate.copy()
        return t_1, through

    def deepest(self, k: int, left: tuple[float, ...], right: tuple[float, ...]) -> float | None:
        """A time inside the step at which gap k, open at both ends with tangents that meet below
        zero, is closed; None where there is none. Steps to where tangents meet narrow it down."""
        contacts = self.contacts
        deep = -contact_march.DEEP * float(contacts.size[k])
        for _ in range(LOOKS):
            (t_l, g_l, s_l), (t_r, g_r, s_r) = left, right
            t = t_l + (g_r - g_l - s_r * (t_r - t_l)) / (s_l - s_r)
            if not t_l < t < t_r or g_l + s_l * (t - t_l) >= 0.0 or self.step_to(t) not in TAKEN:
                return None
            gap, rate = float(contacts.gap[k]), float(contacts.rate[k])
            if gap < deep:
                return t
            left, right = ((t, gap, rate), right) if rate < 0.0 else (left, (t, gap, rate))
        return None

    def turn(self, t_0: float, t_1: float) -> float:
        """End the last step where slip comes to rest, by the law of the step itself; where that is.
        What follows is decided by a start."""
        contacts, k = self.contacts, int(self.contacts.culprit)
        tangents = slice(int(contacts.tangent[k]), int(contacts.tangent[k + 1]))
        slip = contacts.slip[tangents].copy()
        speed = float(np.sqrt(slip @ slip))
        way = slip / speed

        def slides(t: float) -> float:
            self.step_to(t)
            along, mode = float(way @ contacts.rate[tangents]), int(contacts.mode[k])
            # at the end of slip both laws are obeyed within the tolerance of a step: there forces tell more
            if mode == STICK or (mode != OPEN and abs(along) <= STOPPED * speed):
                spare, pushes = self.spare_friction(), bool(contacts.balance[k] > 0.0)
                if pushes or spare > 0.0:
                    return -speed * spare
            return along if along > 0.0 or mode == OPEN else -2.0 * speed

        high = slides(t_1)
        if high > 0.0:
            return t_1
        t = self.solved(slides, t_0, speed, t_1, high)[2] if high < 0.0 else t_1
        self.step_to(t)
        return t

    def spare_friction(self) -> float:
        """Which part of its friction is not needed to hold what came to rest in the last step, of
        the contact that has most. One alone tells nothing: of redundant contacts some may rub as
        much as they can, and others hold them."""
        contacts, most = self.contacts, 0.0
        for k in np.flatnonzero((contacts.mode != OPEN) & (contacts.balance[: contacts.mode.size] > 0.0)):
            tangents = slice(int(contacts.tangent[k]), int(contacts.tangent[k + 1]))
            slip, rate, rub = contacts.slip[tangents], contacts.rate[tangents], contacts.balance[tangents]
            stopped = contacts.mode[k] == STICK or np.linalg.norm(rate) <= STOPPED * np.linalg.norm(slip)
            can = float(contacts.mu[k] * contacts.balance[k])
            if can > 0.0 and slip.any() and stopped:
                most = max(most, 1.0 - float(np.linalg.norm(rub)) / can)
        return most

    def made_by_friction(self, dt: float) -> float:
        """The energy ½Δt F·(u₀ + u₁) that friction made in the last step, if it did: slip came to
        rest in it, and friction that holds against other forces acted while it still slid. The
        culprit is who made most."""
        contacts, most, total = self.contacts, 0.0, 0.0
        for k in np.flatnonzero(contacts.closed_before):
            tangents = slice(int(contacts.tangent[k]), int(contacts.tangent[k + 1]))
            force, slip = contacts.balance[tangents], contacts.slip[tangents]
            work = 0.5 * dt * float(force @ (slip + contacts.rate[tangents]))
            total += work
            if slip.any() and work > max(most, BACKWARDS * dt * float(np.abs(force) @ np.abs(slip))):
                most, contacts.culprit = work, int(k)
        return max(total, 0.0) if most > 0.0 else 0.0

    def before_friction_made_energy(self, t_0: float, t_1: float) -> float:
        """End the last step where slip comes to rest, if friction made energy in it; where that
        is."""
        for _ in range(TURNS):
            if self.made_by_friction(t_1 - t_0) == 0.0:
                break
            t = self.turn(t_0, t_1)
            if t == t_1:
                break
            t_1 = t
        return t_1

    def tear(self, t_0: float, t_1: float) -> float:
        """End the last step where a contact that sticks is torn loose, and friction drops; where
        that is."""
        contacts, k = self.contacts, int(self.contacts.culprit)
        tangents = slice(int(contacts.tangent[k]), int(contacts.tangent[k + 1]))

        def spare(force: FloatArray) -> float:
            most, rub = float(contacts.mu_static[k] * force[k]), force[tangents]
            return 1.0 - float(np.sqrt(rub @ rub)) / most if most > 0.0 else -1.0

        def holds(t: float) -> float:
            self.step_to(t)
            return spare(contacts.force) if contacts.mode[k] == STICK else -1.0

        low = spare(contacts.force_before)
        t = self.solved(holds, t_0, low, t_1, -1.0)[1] if low > 0.0 else t_0
        if t > t_0:
            self.step_to(t)
        else:
            self.state.copy_from(self.memory.before)
            contact_march.forget_step(contacts)
        contacts.loose[k] = 1
        return t

    def cut_before_missed(self) -> None:
        """End the last step, which is counted, before bodies are in each other where nothing was
        looked at."""
        t_0, t = float(self.memory.before.t), float(self.state.t)
        counters = self.counters
        if self.rows.t[int(counters.rows) - 1] == t:
            counters.rows -= 1
        counters.steps -= 1
        for _ in range(HALVINGS):
            t = 0.5 * (t_0 + t)
            if self.step_to(t) == OK and not self.meet(self.state).missed:
                self.count_part()
                return
        raise ConvergenceError(
            f"meshes are in each other at t = {t_0:.6g}, where they were not looked at",
            hint="smaller steps, or meshes without needles and thin plates",
        )

    def count_to(self, t: float, *, whole: bool) -> None:
        """Count the last step, to t: the whole of it, or a part."""
        if self.cut or not whole:
            self.count_part()
            return
        step = int(self.state.step)
        self.state.step += 1
        self.counters.steps += 1
        if self.is_saved(step):
            self.keep_row()

    def is_saved(self, step: int) -> bool:
        """Whether the last step becomes a row."""
        plan = self.plan
        if self.sized:
            t, asked = float(self.state.t), plan.times
            return bool(t == plan.t_stop or ((asked == t).any() if asked.size else (step + 1) % plan.save_every == 0))
        return bool(step + 1 == plan.end or (plan.grid + step - plan.begin) % plan.save_every == 0)
