"""A controller as a table of a model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.mechanism.controllers import PID, Controller


def controller_table(controller: Controller) -> dict[str, Any]:
    """The table of a controller; None for what is not there."""
    return {
        "every": controller.every,
        "writes": list(controller.writes),
        **_law(controller),
        "delay": controller.delay or None,
        "low": controller.low,
        "high": controller.high,
    }


def _law(controller: Controller) -> dict[str, Any]:
    law = controller.law
    if type(law) is PID and not callable(law.target):
        limits = {name: x for name, x in (("low", law.low), ("high", law.high)) if np.isfinite(x)}
        gains = {"kp": law.kp, "ki": law.ki, "kd": law.kd, "target": law.target, **limits}
        return {"reads": list(controller.reads), "pid": gains}
    if type(law) is PID:
        raise in_python("targets of the PID of controller", controller.name)
    if callable(law):
        raise in_python("laws of controller", controller.name)
    return {"law": list(law)}


def in_python(what: str, name: str) -> InputError:
    """The error for what no model file can hold."""
    return InputError(
        f"{what} {name!r} are a Python function, which a model file cannot hold",
        hint="write it as a formula, or keep the mechanism in a Python file",
    )
