"""What runs return."""

from isodyn.results.checkpoint import Checkpoint
from isodyn.results.ensemble import Ensemble
from isodyn.results.solution import Sample, Solution, Statistics

__all__ = ["Checkpoint", "Ensemble", "Sample", "Solution", "Statistics"]
