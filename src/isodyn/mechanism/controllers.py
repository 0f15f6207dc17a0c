"""Sampled controllers: laws that read names of the mechanism at equal distances in time, and set
inputs of loads, which hold them until the next time."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isodyn.described import short
from isodyn.errors import InputError, about
from isodyn.expressions.program import compile_formula, constant
from isodyn.loads.part import LoadPart
from isodyn.mechanism.parts import Parts, nearest
from isodyn.notebook_views import ShownInNotebooks
from isodyn.real_numbers import real_number
from isodyn.systems.checks import arguments

Law = Callable[..., Any] | str | Sequence[str]


@dataclass(frozen=True, eq=False)
class Controller(ShownInNotebooks):
    """A controller that samples a mechanism; `Mechanism.add_controller` makes it.

    Parameters
    ----------
    name
        Its name.
    every
        Time between two samples; a whole multiple of the step of the run.
    reads
        What the law is given: names of quantities, or expressions in them.
    writes
        Names of loads that hold what the law returns: motors, forces, torques. A force or torque on
        a body is that number times the vector it was given, which is best of length one.
    law
        A function of (t, \\*reads) that returns as many numbers as there are writes, plain or
        compiled with `numba.njit`; or formulas in names of the model, one for each write.
    delay
        After how many samples a value arrives; until the first one the loads hold zero.
    low, high
        Limits of what is written; infinite ones are none.

    Raises
    ------
    InputError
        If something is of the wrong kind.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.Controller("pd", 1e-3, writes=["motor"], law="-40*pin.angle - 5*pin.angle_rate")
    <Controller 'pd': every 0.001, writes 'motor'>
    """

    name: str
    every: float
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    law: Law = field(default=None)  # type: ignore[assignment]
    delay: int = 0
    low: Any = None
    high: Any = None

    def __post_init__(self) -> None:
        what = self.what
        for key in ("reads", "writes"):
            given = getattr(self, key)
            if not isinstance(given, str | Sequence):
                raise InputError(f"{what}: {key} must be a name or several, received {given!r}", argument=key)
            object.__setattr__(self, key, (given,) if isinstance(given, str) else tuple(given))
        every = real_number(f"{what}: every", self.every)
        if not (np.isfinite(every) and every > 0.0):
            raise InputError(f"{what}: every must be positive, received {every:g}", argument="every")
        object.__setattr__(self, "every", every)
        if not self.writes:
            raise InputError(f"{what} writes nothing", hint='writes=["motor"]', argument="writes")
        if len(set(self.writes)) < len(self.writes):
            raise InputError(f"{what} writes an input twice: {', '.join(map(repr, self.writes))}", argument="writes")
        if isinstance(self.delay, bool) or not isinstance(self.delay, int | np.integer) or self.delay < 0:
            raise InputError(f"{what}: delay counts whole samples, received {self.delay!r}", argument="delay")
        self._check_law()
        low, high = limits(what, -np.inf if self.low is None else self.low, np.inf if self.high is None else self.high)
        object.__setattr__(self, "low", None if np.isinf(low) else low)
        object.__setattr__(self, "high", None if np.isinf(high) else high)

    def _check_law(self) -> None:
        if isinstance(self.law, type):
            raise InputError(
                f"{self.what}: law must be a function, received the class {self.law.__name__}",
                hint=f"law={self.law.__name__}(…), an object of it",
                argument="law",
            )
        if callable(self.law):
            given = [text.replace(".", "_") if isinstance(text, str) else "" for text in self.reads]
            given = [name if name.isidentifier() else f"read{k}" for k, name in enumerate(given)]
            arguments("law", self.law, ["t", *given], of=self.what)
            return
        law = (self.law,) if isinstance(self.law, str) else self.law
        if not isinstance(law, Sequence) or not all(isinstance(text, str) for text in law):
            raise InputError(
                f"{self.what}: law must be a function of (t, *reads), or formulas, received {self.law!r}",
                argument="law",
            )
        if len(law) != len(self.writes):
            raise InputError(
                f"{self.what} writes {len(self.writes)} inputs, received {len(law)} formulas", argument="law"
            )
        if self.reads:
            raise InputError(f"{self.what}: formulas name what they read, so reads must be left out", argument="reads")
        object.__setattr__(self, "law", tuple(law))

    def __repr__(self) -> str:
        return f"<Controller {self.name!r}: every {self.every:g}, writes {', '.join(map(repr, self.writes))}>"

    @property
    def what(self) -> str:
        """What it is, in words."""
        return f"controller {self.name!r}"

    def told(self) -> str:
        """Return what tells it from other controllers.

        Returns
        -------
        text
            Its settings; of a law in Python its name, and the constants and names in its code.
        """
        law: Any = self.law
        if callable(law):
            code = getattr(law, "__code__", None) or getattr(vars(type(law)).get("__call__"), "__code__", None)
            constants = [x for x in code.co_consts if isinstance(x, int | float | complex)] if code is not None else []
            names = code.co_names if code is not None else ()
            law = getattr(law, "__qualname__", type(law).__qualname__), constants, names
        return repr((self.name, self.every, self.reads, self.writes, law, self.delay, self.low, self.high))

    def law_of_run(self) -> Law:
        """Return the law that one run calls.

        Returns
        -------
        law
            A `PID` of its own; any other law as it is.
        """
        return self.law.within(self.low, self.high) if isinstance(self.law, PID) else self.law

    def check(self, parts: Parts) -> None:
        """Refuse a controller whose loads are unknown, take no input, or belong to another one.

        Parameters
        ----------
        parts
            The parts of the mechanism.

        Raises
        ------
        InputError
            If a load is none of these.
        """
        for name in self.writes:
            load = parts.loads.get(name)
            if load is None:
                raise InputError(
                    f"{self.what}: there is no load named {name!r} to write",
                    hint=nearest(name, parts.loads),
                    argument="writes",
                )
            if not isinstance(load, LoadPart) or not load.held:
                raise InputError(
                    f"{self.what}: load {name!r} takes no input, because it is a {type(load).__name__}",
                    hint="a Motor, a GearMotor, a Force or a Torque does",
                    argument="writes",
                )
            owner = next((other.name for other in parts.controllers.values() if name in other.writes), None)
            if owner is not None:
                raise InputError(f"{self.what}: {name!r} is written by controller {owner!r} already", argument="writes")


def limits(what: str, low: object, high: object) -> tuple[float, float]:
    """Two limits, which may be infinite; InputError for what is none.

    >>> limits("PID", -1, float("inf"))
    (-1.0, inf)
    """
    ends = []
    for key, value, never in (("low", low, np.inf), ("high", high, -np.inf)):
        endless = isinstance(value, float) and value == -never
        ends.append(float(-never) if endless else real_number(f"{what}: {key}", value))
    if not ends[0] < ends[1]:
        raise InputError(f"{what}: low must lie below high, received {ends[0]:g} and {ends[1]:g}", argument="low")
    return ends[0], ends[1]


class PID(ShownInNotebooks):
    """A law for controllers: proportional, integral and derivative action on one quantity.

    u = kp e + ki ∫e dt − kd ẏ with e = target − y. The derivative is that of the quantity, not of
    the error, so that a target that jumps makes no peak. Where u is beyond a limit the integral
    waits, unless it leads back. Each run takes a copy, whose integral waits at the limits of the
    controller, too.

    Parameters
    ----------
    kp, ki, kd
        Gains.
    target
        What y is led to: a number, a function of t, or a formula of t such as "0.2*sin(3*t)".
    low, high
        Limits of u.

    Examples
    --------
    >>> import isodyn as iso
    >>> law = iso.PID(kp=10.0, ki=2.0, target=1.0)
    >>> law(0.0, 0.5), law(0.1, 0.5)
    (5.0, 5.1)
    """

    def __init__(
        self,
        kp: float = 0.0,
        ki: float = 0.0,
        kd: float = 0.0,
        target: object = 0.0,
        *,
        low: float = -np.inf,
        high: float = np.inf,
    ) -> None:
        self.kp, self.ki, self.kd = (real_number(f"PID: {n}", x) for n, x in (("kp", kp), ("ki", ki), ("kd", kd)))
        self.target = target if callable(target) else _number_or_formula(target)
        self.low, self.high = limits("PID", low, high)
        self.reset()

    def __repr__(self) -> str:
        gains = {name: getattr(self, name) for name in ("kp", "ki", "kd")}
        limits = {name: getattr(self, name) for name in ("low", "high") if np.isfinite(getattr(self, name))}
        return f"PID({', '.join(f'{k}={short(x)}' for k, x in {**gains, 'target': self.target, **limits}.items())})"

    def reset(self) -> None:
        """Forget the past: a run begins."""
        self.integral, self.last = 0.0, (np.nan, 0.0)

    def within(self, low: float | None, high: float | None) -> PID:
        """Return the same law without a past, between limits that are no wider.

        Parameters
        ----------
        low, high
            Limits of a controller; None for none.

        Returns
        -------
        law
            A copy.
        """
        law = copy.copy(self)
        law.low = self.low if low is None else max(self.low, low)
        law.high = self.high if high is None else min(self.high, high)
        law.reset()
        return law

    def target_at(self, t: float) -> float:
        """Return what y is led to.

        Parameters
        ----------
        t
            Time.

        Returns
        -------
        target
            Its value then.
        """
        if callable(self.target):
            return float(self.target(t))
        return constant(self.target, {"t": t}) if isinstance(self.target, str) else self.target

    def __call__(self, t: float, y: float, rate: float | None = None) -> float:
        """Return u at a sample.

        Parameters
        ----------
        t
            Time.
        y
            The quantity.
        rate
            Its rate; a difference of the last two samples if left out.

        Returns
        -------
        u
            What the input becomes.
        """
        before, y_before = self.last
        h = 0.0 if np.isnan(before) else t - before
        error = self.target_at(t) - y
        if rate is None:
            rate = (y - y_before) / h if h > 0.0 else 0.0
        more = self.integral + self.ki * h * error
        u = self.kp * error + more - self.kd * rate
        outwards = more > self.integral if u > self.high else more < self.integral if u < self.low else False
        if not outwards:
            self.integral = more
        self.last = t, y
        return float(min(max(u, self.low), self.high))


def _number_or_formula(target: object) -> float | str:
    """A target that is no function of Python."""
    if not isinstance(target, str):
        return real_number("PID: target", target)
    with about(None, "target"):
        compile_formula(target, ("t",), refused="the target of a PID is a formula of t")
    return target
