"""Questions about a system and about runs.

At one instant: equilibria, small motions about them, forces of a given motion. Over many runs:
errors, orders of accuracy, comparisons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.later import names_from

if TYPE_CHECKING:
    from isodyn.studies.arc_length import trace_loads
    from isodyn.studies.campbell_diagram import Campbell, campbell
    from isodyn.studies.comparison import compare
    from isodyn.studies.comparison_table import CompareRow, Comparison
    from isodyn.studies.driven import kinematics
    from isodyn.studies.errors import Errors, errors_of, relative_error
    from isodyn.studies.inverse import InverseDynamics, inverse_dynamics
    from isodyn.studies.linearisation import FrequencyResponse, Linearisation, linearise
    from isodyn.studies.load_path import LoadPath, follow_loads
    from isodyn.studies.order import OrderCase, OrderStudy, order_study
    from isodyn.studies.references import ReferenceMotion, accurate_motion, exact_motion, fine_motion
    from isodyn.studies.statics import Equilibrium, equilibrium
    from isodyn.studies.turning import spin
    from isodyn.studies.work_curves import WorkCurve, WorkPrecision, WorkRun, work_precision

__all__ = [
    "Campbell",
    "CompareRow",
    "Comparison",
    "Equilibrium",
    "Errors",
    "FrequencyResponse",
    "InverseDynamics",
    "Linearisation",
    "LoadPath",
    "OrderCase",
    "OrderStudy",
    "ReferenceMotion",
    "WorkCurve",
    "WorkPrecision",
    "WorkRun",
    "accurate_motion",
    "campbell",
    "compare",
    "equilibrium",
    "errors_of",
    "exact_motion",
    "fine_motion",
    "follow_loads",
    "inverse_dynamics",
    "kinematics",
    "linearise",
    "order_study",
    "relative_error",
    "spin",
    "trace_loads",
    "work_precision",
]

_HOMES = {
    "compare": "comparison",
    **dict.fromkeys(("CompareRow", "Comparison"), "comparison_table"),
    "kinematics": "driven",
    **dict.fromkeys(("Errors", "errors_of", "relative_error"), "errors"),
    **dict.fromkeys(("InverseDynamics", "inverse_dynamics"), "inverse"),
    **dict.fromkeys(("FrequencyResponse", "Linearisation", "linearise"), "linearisation"),
    **dict.fromkeys(("OrderCase", "OrderStudy", "order_study"), "order"),
    **dict.fromkeys(("ReferenceMotion", "accurate_motion", "exact_motion", "fine_motion"), "references"),
    **dict.fromkeys(("Equilibrium", "equilibrium"), "statics"),
    **dict.fromkeys(("LoadPath", "follow_loads"), "load_path"),
    "trace_loads": "arc_length",
    **dict.fromkeys(("Campbell", "campbell"), "campbell_diagram"),
    "spin": "turning",
    **dict.fromkeys(("WorkCurve", "WorkPrecision", "WorkRun", "work_precision"), "work_curves"),
}

__getattr__ = names_from(__name__, _HOMES)
