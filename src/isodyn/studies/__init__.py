"""Runs over many runs: errors and orders of accuracy."""

from isodyn.studies.compare import CompareRow, Comparison, compare
from isodyn.studies.errors import Errors, errors_of, relative_error
from isodyn.studies.order import OrderCase, OrderStudy, order_study
from isodyn.studies.references import ReferenceMotion, accurate_motion, exact_motion, fine_motion

__all__ = [
    "CompareRow",
    "Comparison",
    "Errors",
    "OrderCase",
    "OrderStudy",
    "ReferenceMotion",
    "accurate_motion",
    "compare",
    "errors_of",
    "exact_motion",
    "fine_motion",
    "order_study",
    "relative_error",
]
