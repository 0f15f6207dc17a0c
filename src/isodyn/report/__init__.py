"""Reports, figures, animations and summaries of runs, studies and schemes; matplotlib and SymPy are
loaded only when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.later import names_from

if TYPE_CHECKING:
    from isodyn.report.animation import write_animation, write_gif, write_mp4, write_picture
    from isodyn.report.equations import symbolic
    from isodyn.report.explorer import write_explorer
    from isodyn.report.gltf import write_gltf
    from isodyn.report.html import write_report
    from isodyn.report.live import Live
    from isodyn.report.scheme_figures import plot_scheme

_LATER = {
    **dict.fromkeys(("write_animation", "write_gif", "write_mp4", "write_picture"), "animation"),
    "symbolic": "equations",
    "write_explorer": "explorer",
    "write_gltf": "gltf",
    "Live": "live",
    "write_report": "html",
    "plot_scheme": "scheme_figures",
}

__all__ = [
    "Live",
    "plot_scheme",
    "symbolic",
    "write_animation",
    "write_explorer",
    "write_gif",
    "write_gltf",
    "write_mp4",
    "write_picture",
    "write_report",
]

__getattr__ = names_from(__name__, _LATER)
