"""Keywords of `integrate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from isodyn.stepping.impacts import Impacts
from isodyn.stepping.newton_settings import Newton


class Options(TypedDict, total=False):
    """Keywords of `integrate` that may be left out."""

    t0: float
    save_every: int
    save: Any
    select: Any
    breakpoints: Any
    progress: bool
    observe: Callable[[Any], Any] | None
    events: Any
    released: Any
    impacts: Impacts | None
    newton: Newton | None
    assemble: bool
    substeps: Any
    threads: int
    executor: Any
    checkpoint: Any
    sensitivities: Any
