"""Keywords of `integrate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from isodyn.errors import InputError
from isodyn.schemes import Composition, FirstOrderScheme, Scheme
from isodyn.stepping.impacts import Impacts
from isodyn.stepping.methods import StepMethod
from isodyn.stepping.newton_settings import Newton, checked_newton
from isodyn.stepping.policies import FixedSteps, StepPolicy, StepTimes

if TYPE_CHECKING:
    from pathlib import Path

    from isodyn.open_types import Numbers, Selection
    from isodyn.results.checkpoint import Checkpoint

AnyScheme: TypeAlias = Scheme | FirstOrderScheme | Composition | StepMethod | None
"""What takes the steps; None for the usual scheme of a system."""

SchemeOrSeveral: TypeAlias = AnyScheme | Mapping[str, Scheme | FirstOrderScheme]
"""The same, or one for each of several subdomains."""

StepSizes: TypeAlias = float | FixedSteps | StepTimes | StepPolicy | None
"""How long steps are; None where the method or the system says it."""


TAKES_STEPS = (Scheme, FirstOrderScheme, Composition, StepMethod)
SIZES = (FixedSteps, StepTimes, StepPolicy)


class Options(TypedDict, total=False):
    """Keywords of `integrate` that may be left out."""

    t0: float
    save_every: int
    save: Numbers
    select: Selection | None
    breakpoints: Numbers
    progress: bool
    observe: Callable[[Any], Any] | None
    events: object
    released: Sequence[str]
    impacts: Impacts | None
    newton: Newton | None
    assemble: bool
    substeps: object
    threads: int
    executor: object
    checkpoint: Checkpoint | str | Path | None
    sensitivities: object


def check_kinds(scheme: object, dt: object, newton: Newton | None, observe: object) -> None:
    """InputError for what is no setting of the iteration, no observer, or in the place of
    another."""
    checked_newton(newton)
    if observe is not None and not callable(observe):
        raise InputError(f"observe must be a function of a sample, received {observe!r}")
    refuse_misplaced(scheme, dt)


def refuse_misplaced(scheme: object, dt: object) -> None:
    """InputError where what takes the steps and how long they are have changed places, and for a
    class in the place of one of its objects."""
    for name, given in (("scheme", scheme), ("dt", dt)):
        if isinstance(given, type) and issubclass(given, (*TAKES_STEPS, *SIZES)):
            raise InputError(
                f"{name} must be an object, received the class {given.__name__}", hint=f"{name}={given.__name__}(…)"
            )
    if isinstance(dt, TAKES_STEPS):
        raise InputError(f"dt says how long steps are; {dt!r} is what takes them", hint=f"scheme={dt!r}")
    if isinstance(scheme, SIZES):
        raise InputError(f"scheme is what takes the steps; {scheme!r} says how long they are", hint=f"dt={scheme!r}")


def size_of_steps(dt: StepSizes) -> float | StepTimes | StepPolicy:
    """dt as a number or a policy; InputError if it is missing."""
    if dt is None:
        raise missing_size()
    return dt.dt if isinstance(dt, FixedSteps) else dt


def missing_size() -> InputError:
    """The error for a scheme without a step size."""
    return InputError(
        "dt is missing: a scheme needs the size of its steps",
        hint="give dt, a number or iso.Adaptive(rtol=1e-4), or a method such as iso.DOP853(rtol=1e-9)",
    )


def refuse_missing(dt: StepSizes) -> None:
    """InputError for a scheme without a step size."""
    if dt is None:
        raise missing_size()
