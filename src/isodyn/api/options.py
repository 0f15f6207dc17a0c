"""Keywords of `integrate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

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
    substeps: Any
    threads: int
    executor: object
    checkpoint: Checkpoint | str | Path | None
    sensitivities: Any
