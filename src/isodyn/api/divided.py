"""What `integrate` takes besides systems: things that know how they are run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from isodyn.api.options import SchemeOrSeveral, StepSizes
from isodyn.errors import InputError
from isodyn.formulations import Formulation
from isodyn.marching.schedule import Stretch
from isodyn.results.identity import identity
from isodyn.stepping.events import read_events
from isodyn.stepping.newton_settings import Newton
from isodyn.systems import System
from isodyn.systems.base import no_system

if TYPE_CHECKING:
    from isodyn.open_types import Selection
    from isodyn.results.checkpoint import Checkpoint

Result = TypeVar("Result", covariant=True)


@dataclass(frozen=True)
class RunSettings:
    """What `integrate` was asked for: the stretches between breakpoints, and its other arguments as
    they were given."""

    scheme: SchemeOrSeveral
    formulation: Formulation | None
    stretches: list[Stretch]
    newton: Newton
    select: Selection | None = None
    observe: Callable[[Any], Any] | None = None
    progress: bool = False
    assemble: bool = False
    substeps: object = None
    threads: int = 1
    executor: Any = None
    checkpoint: Checkpoint | None = None


@runtime_checkable
class RunsItself(Protocol[Result]):
    """Several systems that are run together, such as subdomains."""

    def run(self, settings: RunSettings) -> Result:
        """Integrate along the stretches."""

    def digest(self) -> str:
        """What tells it from others, for checkpoints."""


def digest_of(system: Any) -> str:
    """What tells a system, or several that are run together, from others."""
    return system.digest() if isinstance(system, RunsItself) else identity(system, memory=False)


def refuse_for_several(system: System, dt: StepSizes, one_size: bool, events: object, others: dict[str, Any]) -> None:
    """InputError for what subdomains do not know."""
    if not isinstance(system, RunsItself):
        raise no_system(system)
    if not one_size:
        raise InputError(f"subdomains take system steps of one size, received dt = {dt!r}")
    if read_events(events):
        raise InputError("events are not for subdomains", hint="end a run with observe=")
    for name, value in others.items():
        if value is not None and np.size(value):
            raise InputError(f"{name} is not for subdomains", hint="rows of subdomains are ends of steps: save_every=")
