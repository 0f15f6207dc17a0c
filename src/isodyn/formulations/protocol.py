"""What a formulation is, the facts about it from which the table is made, and the registry that
users extend.

`@formulation("name")` above a frozen dataclass below `Formulation` adds it to the table, to the
command line, to model files, to `compare` and to what checkpoints can hold. `integrate` also takes
objects that only have `closure(dt)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from isodyn.errors import InputError, IsodynError
from isodyn.formulations.closure import Closure
from isodyn.kernels.compiled import FloatArray
from isodyn.notebook_views import Told
from isodyn.stored import stored_with_runs
from isodyn.systems.base import System

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

Orders = tuple[float | None, float | None, float | None, float | None]
NO_ORDERS: Orders = (None, None, None, None)


@dataclass(frozen=True)
class Facts:
    """What is known about a formulation, or about it with some values of its arguments (`settings`,
    the first of them an example).

    keeps : what vanishes at t_n, as text
    orders : in q, v, a, λ; None: no order is claimed
    explicit, first_order, nonholonomic : whether it runs with explicit members, on first-order
        DAEs, with nonholonomic rows
    compiled : steps run without Python where the system's functions are compiled
    constraints_only : it makes no sense of systems without constraints
    transforms : `transform` makes another system instead of closing steps
    alternates : only φ closes a step, so that multipliers alternate with some schemes
    nonideal : forces may depend on multipliers
    """

    keeps: str = ""
    orders: Orders = NO_ORDERS
    explicit: bool = True
    first_order: bool = False
    nonholonomic: bool = True
    compiled: bool = True
    constraints_only: bool = False
    transforms: bool = False
    alternates: bool = False
    nonideal: bool = True
    remark: str = ""
    settings: tuple[tuple[str, tuple[Any, ...]], ...] = ()


class Formulation(Told, ABC):
    """How constraints enter a step. A subclass is a frozen dataclass; of the methods only `closure`
    has no default."""

    facts: ClassVar[Facts | tuple[Facts, ...]] = Facts()

    @abstractmethod
    def closure(self, dt: float) -> Closure:
        """Return how a step of this size closes.

        Parameters
        ----------
        dt
            Size of the step.

        Returns
        -------
        closure
            Weights of the constraint levels, and corrections.
        """

    def first_closure(self, dt: float) -> Closure | None:
        """Return how the first step closes.

        Parameters
        ----------
        dt
            Size of the step.

        Returns
        -------
        closure
            Weights and corrections, or None if the first step is like the others.
        """
        return None

    def first_order_closure(self, dt: float) -> Closure:
        """Return how a step of a first-order system closes.

        Parameters
        ----------
        dt
            Size of the step.

        Returns
        -------
        closure
            Weights of the constraint and its derivative.
        """
        return self.closure(dt)

    def scaling(self, system: System) -> FloatArray | None:
        """Return the matrix S of corrections of q that count at the balance.

        Parameters
        ----------
        system
            The system, for its size.

        Returns
        -------
        S
            A constant matrix, or None for that of the step.
        """
        return None

    def transform(self, system: System) -> System:
        """Return another system to integrate in place of this one.

        Parameters
        ----------
        system
            The constrained system.

        Returns
        -------
        system
            The other system; asked for where `facts.transforms` says so.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say which system it makes")

    def run(self, system: System, integrate: Callable[..., Solution], scheme: object, **options: Any) -> Solution:
        """Return the motion of a system by way of the one that `transform` makes.

        It is asked for where `facts.transforms`.

        Parameters
        ----------
        system
            The constrained system, with a consistent start.
        integrate
            The function that integrates a system.
        scheme
            The scheme.
        **options
            Keywords of `isodyn.integrate`.

        Returns
        -------
        sol
            Solution of the constrained system.
        """
        try:
            sol = integrate(self.transform(system), scheme, **options)
        except IsodynError as error:
            if error.partial is not None:
                error.partial = self.lift(error.partial, system)
            raise
        return self.lift(sol, system)

    def lift(self, sol: Any, system: System) -> Any:
        """Return the solution of the system from that of the other one.

        Parameters
        ----------
        sol
            Solution of the system that `transform` made.
        system
            The constrained system.

        Returns
        -------
        sol
            Solution of the constrained system.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how to bring its solution back")


class ClosesNoSteps(Formulation):
    """A formulation that makes another system, or takes steps of its own; `refusal` says so."""

    refusal: ClassVar[str]

    def closure(self, dt: float) -> Closure:
        """Refuse: no steps of a scheme are closed.

        Parameters
        ----------
        dt
            Size of the step.

        Returns
        -------
        closure
            Nothing; the call always fails.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError(self.refusal)


@dataclass(frozen=True)
class _Bare(Formulation):
    """An object that has `closure(dt)`, and may have `first_closure(dt)`."""

    given: Any

    def closure(self, dt: float) -> Closure:
        return self.given.closure(dt)

    def first_closure(self, dt: float) -> Closure | None:
        first = getattr(self.given, "first_closure", None)
        return None if first is None else first(dt)

    def __repr__(self) -> str:
        return repr(self.given)


def as_formulation(given: object) -> Formulation | None:
    """A formulation, or an object with `closure(dt)` as one; InputError for anything else."""
    if given is None or isinstance(given, Formulation):
        return given
    if not isinstance(given, type) and callable(getattr(given, "closure", None)):
        return _Bare(given)
    raise InputError(f"formulation must be one of isodyn's, received {given!r}", hint="for example iso.Stabilised()")


# ---- the registry

F = TypeVar("F", bound=Formulation)
REGISTRY: dict[str, type[Formulation]] = {}
ALIASES: dict[str, str] = {}


def formulation(name: str, *aliases: str) -> Callable[[type[F]], type[F]]:
    """Register a formulation under the name of the command line; the name of the class, in small
    letters, is another one."""

    def register(cls: type[F]) -> type[F]:
        names = [_spelt(each) for each in (name, *aliases, cls.__name__)]
        if not (isinstance(cls, type) and issubclass(cls, Formulation) and is_dataclass(cls)):
            raise InputError(
                f"{cls!r} cannot be registered as {name!r}: it is no dataclass below isodyn.formulations.Formulation",
                hint="@formulation stands above @dataclass(frozen=True)",
            )
        for each in names:
            known = REGISTRY.get(ALIASES.get(each, ""))
            if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
                raise InputError(
                    f"{each!r} is the name of {known.__module__}.{known.__qualname__} already", hint="choose another"
                )
        missing = {key for facts in facts_of_class(cls) for key, _ in facts.settings} - {x.name for x in fields(cls)}
        if missing:
            raise InputError(f"{cls.__name__}: facts for arguments that it does not have: {', '.join(sorted(missing))}")
        REGISTRY[names[0]] = stored_with_runs(cls)
        ALIASES.update(dict.fromkeys(names, names[0]))
        return cls

    return register


def _spelt(name: str) -> str:
    """A name as the command line compares it."""
    found = name.lower().replace("_", "-") if isinstance(name, str) else ""
    if not found.replace("-", "").isalnum() or not found.isascii() or not found[0].isalpha():
        raise InputError(
            f"the name of a formulation begins with a letter, then letters, digits and -, received {name!r}"
        )
    return found


def facts_of_class(cls: type[Formulation]) -> tuple[Facts, ...]:
    """All facts about a class."""
    return cls.facts if isinstance(cls.facts, tuple) else (cls.facts,)


def facts_of(given: Formulation) -> Facts:
    """Those that hold for a formulation with its arguments."""
    for facts in facts_of_class(type(given)):
        if all(getattr(given, name) in values for name, values in facts.settings):
            return facts
    raise InputError(f"{given!r}: no facts of {type(given).__name__} speak of these arguments")
