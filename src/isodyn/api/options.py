"""Keywords of `integrate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from isodyn.errors import InputError
from isodyn.schemes import Composition, FirstOrderScheme, Scheme
from isodyn.stepping.impacts import Impacts
from isodyn.stepping.methods import StepMethod
from isodyn.stepping.newton_settings import Newton
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


def size_of_steps(dt: StepSizes, scheme: object = None) -> float | StepTimes | StepPolicy:
    """dt as a number or a policy; InputError if it is missing, or if the scheme is a class."""
    if dt is None:
        if isinstance(scheme, type):
            name = scheme.__name__
            raise InputError(
                f"scheme must be a Scheme or a method, received the class {name}", hint=f"call it: {name}()"
            )
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
