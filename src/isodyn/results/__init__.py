"""What runs return."""

from typing import TYPE_CHECKING

from isodyn.later import names_from
from isodyn.results.checkpoint import Checkpoint
from isodyn.results.solution import Sample, Solution
from isodyn.results.statistics import Statistics

if TYPE_CHECKING:
    from isodyn.results.ensemble import Ensemble

__all__ = ["Checkpoint", "Ensemble", "Sample", "Solution", "Statistics"]

__getattr__ = names_from(__name__, {"Ensemble": "ensemble"})
