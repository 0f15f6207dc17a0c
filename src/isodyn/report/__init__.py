"""Reports, figures, animations and summaries of runs, studies and schemes; matplotlib and SymPy are loaded only when asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isodyn.report.animation import write_animation, write_gif, write_mp4, write_picture
    from isodyn.report.equations import symbolic
    from isodyn.report.explorer import write_explorer
    from isodyn.report.html import write_report
    from isodyn.report.scheme_figures import plot_scheme

_LATER = {
    **dict.fromkeys(("write_animation", "write_gif", "write_mp4", "write_picture"), "animation"),
    "symbolic": "equations",
    "write_explorer": "explorer",
    "write_report": "html",
    "plot_scheme": "scheme_figures",
}

__all__ = [
    "plot_scheme",
    "symbolic",
    "write_animation",
    "write_explorer",
    "write_gif",
    "write_mp4",
    "write_picture",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Load when it is first asked for."""
    if name not in _LATER:
        raise AttributeError(f"module 'isodyn.report' has no attribute {name!r}")
    return getattr(import_module(f"isodyn.report.{_LATER[name]}"), name)
