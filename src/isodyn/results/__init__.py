"""What runs return."""

from typing import TYPE_CHECKING, Any

from isodyn.results.checkpoint import Checkpoint
from isodyn.results.solution import Sample, Solution, Statistics

if TYPE_CHECKING:
    from isodyn.results.ensemble import Ensemble

__all__ = ["Checkpoint", "Ensemble", "Sample", "Solution", "Statistics"]


def __getattr__(name: str) -> Any:
    """Load when it is first asked for what a plain run does not need."""
    if name != "Ensemble":
        raise AttributeError(f"module 'isodyn.results' has no attribute {name!r}")
    from isodyn.results.ensemble import Ensemble

    return Ensemble
