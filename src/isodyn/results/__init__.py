"""What runs return."""

from typing import TYPE_CHECKING

from isodyn.later import names_from

if TYPE_CHECKING:
    from isodyn.results.checkpoint import Checkpoint
    from isodyn.results.ensemble import Ensemble
    from isodyn.results.solution import Sample, Solution
    from isodyn.results.statistics import Statistics

__all__ = ["Checkpoint", "Ensemble", "Sample", "Solution", "Statistics"]

__getattr__ = names_from(
    __name__,
    {
        "Checkpoint": "checkpoint",
        "Ensemble": "ensemble",
        **dict.fromkeys(("Sample", "Solution"), "solution"),
        "Statistics": "statistics",
    },
)
