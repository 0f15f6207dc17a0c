"""Events: functions of the state whose zeros are looked for along a run, as users give them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher

from isodyn.errors import CallableError, InputError, NonFiniteError
from isodyn.kernels.compiled import FloatArray, closure
from isodyn.kernels.struct import Nothing, Struct, reals
from isodyn.kernels.struct_types import opened
from isodyn.kernels.uncompiled import not_compiled
from isodyn.later import Later
from isodyn.notebook_views import Told
from isodyn.results.solution import Sample
from isodyn.results.units import is_mechanism
from isodyn.stepping.closure import copy_to
from isodyn.stepping.guards import GUARD
from isodyn.systems.base import System

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

of_mechanisms = Later("isodyn.mechanism.guards")  # which other systems do not need

NOTHING = Nothing()
SCIPY, WHOLE = 3, 5  # arguments of functions (t, q, v) and (t, q, v, a, lam)


@dataclass(frozen=True)
class Event(Told):
    """Something that happens where a function of the state passes through zero.

    Parameters
    ----------
    g
        The function: of (t, q, v), of (t, q, v, a, lam), or of a `Sample`; or an expression in
        names of the model such as "pin.angle - 0.5" (`sol.quantities()` has the names). A function
        of the first two kinds that is compiled with `numba.njit` is called without Python.
    direction
        +1 counts upward zeros only, −1 downward ones, 0 both.
    terminal
        End the run there: True, or after how many.
    action
        What to do there: a function of the `Sample` that returns None, or another one to go on from
        (`sample._replace(v=-0.5 * sample.v)`), or `Release` and `Lock`. The step is repeated to end
        at the event, accelerations and multipliers are solved anew, and the run starts as at t₀.
    name
        Name in `sol.events`; "event 0", "event 1", … if left out.

    Raises
    ------
    InputError
        If something is of the wrong kind.

    Examples
    --------
    A ball that falls on a floor and loses half of its speed:

    >>> import isodyn as iso
    >>> ball = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: [-10.0], q0=[5.0], v0=[0.0])
    >>> floor = iso.Event(lambda t, q, v: q[0], direction=-1, action=lambda s: s._replace(v=-0.5 * s.v))
    >>> sol = iso.integrate(ball, dt=0.03, t_end=1.5, events=[floor])
    >>> [round(event.t, 9) for event in sol.events], sol.events[0].after.v.round(9).tolist()
    ([1.0], [5.0])
    """

    g: Callable[..., Any] | str
    direction: float = 0
    terminal: bool | int = False
    action: Callable[..., Any] | None = None
    name: str | None = None
    arguments: int = field(init=False, repr=False, default=0)  # of the function; 0 for an expression

    def __post_init__(self) -> None:
        if not (callable(self.g) or isinstance(self.g, str)):
            raise InputError(
                f"events must be functions (t, q, v) → number, functions of a sample, or expressions, received {self.g!r}"
            )
        is_number = isinstance(self.direction, int | float | np.number) and not isinstance(self.direction, bool)
        if not is_number or self.direction not in (-1, 0, 1):
            raise InputError(f"direction of an event must be −1, 0 or 1, received {self.direction!r}")
        if not isinstance(self.terminal, bool | np.bool_ | int | np.integer) or self.terminal < 0:
            raise InputError(f"terminal of an event must be True, False or a number, received {self.terminal!r}")
        if self.action is not None and (isinstance(self.action, type) or not callable(self.action)):
            raise InputError(f"action of an event must be a function of a sample, received {self.action!r}")
        if self.action is not None and not _takes_a_sample(self.action):
            raise InputError(f"action of an event takes one argument, a sample, received {self.action!r}")
        object.__setattr__(self, "arguments", 0 if isinstance(self.g, str) else _arguments(self.g))

    @property
    def acts(self) -> bool:
        """Whether the run changes its course there."""
        return self.action is not None


def _takes_a_sample(action: Callable[..., Any]) -> bool:
    """Whether a function can be called with one argument; True where nobody knows."""
    try:
        inspect.signature(action).bind(None)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _arguments(g: Callable[..., Any]) -> int:
    """How many arguments a function takes: 1, 3 or 5."""
    function = g.py_func if isinstance(g, CPUDispatcher) else g
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return SCIPY
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters):
        return SCIPY
    needed = sum(one.kind in kinds and one.default is one.empty for one in parameters)
    most = sum(one.kind in kinds for one in parameters)
    for count in (SCIPY, WHOLE, 1):
        if needed <= count <= most:
            return count
    raise InputError(
        f"an event takes (t, q, v), (t, q, v, a, lam) or a sample, received a function of {needed} arguments"
    )


def name_of(event: Event, number: int) -> str:
    """The name of an event, which is number `number` of a run."""
    return f"event {number}" if event.name is None else str(event.name)


def read_events(events: Any) -> tuple[Event, ...]:
    """What the user gave: events, or functions with SciPy's attributes `terminal` and
    `direction`."""
    given = (events,) if callable(events) or isinstance(events, Event | str) else events
    wanted = "events must be functions (t, q, v) → number, or iso.Event, in a list"
    if isinstance(given, Mapping):
        raise InputError(
            f"{wanted}, received a {type(given).__name__}", hint='names go into iso.Event(g, name="floor")'
        )
    try:
        given = tuple(given)
    except TypeError as error:
        raise InputError(f"{wanted}, received {events!r}") from error
    found = []
    for one in given:
        if isinstance(one, Event):
            found.append(one)
        elif callable(one):
            found.append(_event_of_scipy(one))
        else:
            hint = f"iso.Event({one!r}) is one" if isinstance(one, str) else None
            raise InputError(f"{wanted}, received {one!r}", hint=hint)
    return tuple(found)


def _event_of_scipy(g: Callable[..., Any]) -> Event:
    """A function with SciPy's attributes `terminal` and `direction`, of which the sign counts."""
    terminal, direction = getattr(g, "terminal", False), getattr(g, "direction", 0.0)
    if isinstance(direction, int | float | np.number):
        direction = float(np.sign(direction))
    return Event(g, direction, terminal)


class OwnArguments(Struct):
    """The arrays that a compiled function of users is called with: what it writes there stays its
    own."""

    q, v, a, lam = reals("nq"), reals("nv"), reals("nv"), reals("m")


class CompiledGuard(NamedTuple):
    """A kernel with the signature GUARD, and what it is given."""

    kernel: Callable[..., Any]
    number: int = 0
    tables: Struct = NOTHING
    scratch: Struct = NOTHING


def compiled_guard(event: Event, system: System) -> CompiledGuard | None:
    """The function of an event as compiled code calls it; None where it is not compiled."""
    g = event.g
    if isinstance(g, str):
        found = of_mechanisms.compiled_expression(system, g) if is_mechanism(system) else None
        return None if found is None else CompiledGuard(of_mechanisms.value_of_law, *found)
    if not isinstance(g, CPUDispatcher) or event.arguments == 1:
        return None
    own = OwnArguments(nq=system.nq, nv=system.nv, m=system.m)
    return CompiledGuard(_kernel_of(g, event.arguments), scratch=own)


@lru_cache(maxsize=64)
def _kernel_of(g: Callable[..., float], arguments: int) -> Callable[..., float]:
    """A function of users with the signature GUARD; compiled once for all runs."""
    if arguments == WHOLE:

        def whole(
            k: int,
            t: float,
            q: FloatArray,
            v: FloatArray,
            a: FloatArray,
            lam: FloatArray,
            tables: StructAddress,
            scratch: StructAddress,
        ) -> float:
            own = opened(OwnArguments, scratch)
            copy_to(q, own.q)
            copy_to(v, own.v)
            copy_to(a, own.a)
            copy_to(lam, own.lam)
            return g(t, own.q, own.v, own.a, own.lam)

        return closure(GUARD)(whole)

    def short(
        k: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        tables: StructAddress,
        scratch: StructAddress,
    ) -> float:
        own = opened(OwnArguments, scratch)
        copy_to(q, own.q)
        copy_to(v, own.v)
        return g(t, own.q, own.v)

    return closure(GUARD)(short)


def value_of(event: Event, number: int, sample: Sample, function: Callable[..., Any] | None = None) -> float:
    """The function of an event at a state; of an expression the one that stands for it."""
    own = Sample(sample.t, *(x.copy() for x in sample[1:]))  # which a function may change
    try:
        given = (own,) if event.arguments <= 1 else own[: event.arguments]
        called = function or event.g
        assert not isinstance(called, str)  # an expression comes with the function that stands for it
        found = called(*given)
    except NumbaError as error:
        raise not_compiled(error) from error
    except TypeError as error:
        raise CallableError(f"{name_of(event, number)} must return a number: {error}") from error
    if isinstance(found, bool | np.bool_):
        raise CallableError(
            f"{name_of(event, number)} returned {found}, which has no sign: an event is where a number passes zero",
            hint="return the difference, t - 0.2 instead of t > 0.2, or 1.0 and -1.0",
        )
    try:
        if np.iscomplexobj(found) or isinstance(found, str):
            raise TypeError(f"received {found!r}, which is {'a text' if isinstance(found, str) else 'complex'}")
        g = float(found)
    except (TypeError, ValueError) as error:
        raise CallableError(f"{name_of(event, number)} must return a number: {error}") from error
    if not np.isfinite(g):
        raise NonFiniteError(f"{name_of(event, number)} returned {g} at t = {float(sample.t):.6g}")
    return g
