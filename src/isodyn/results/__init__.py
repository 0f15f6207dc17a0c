"""What runs return."""

from isodyn.results.ensemble import Ensemble
from isodyn.results.solution import Sample, Solution, Statistics

__all__ = ["Ensemble", "Sample", "Solution", "Statistics"]
