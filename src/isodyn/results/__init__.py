"""What runs return."""

from isodyn.results.solution import Sample, Solution, Statistics

__all__ = ["Sample", "Solution", "Statistics"]
