"""The scheme explorer: a page on which the three radii are moved by sliders and everything about
the scheme follows at once.

The formulas run in the page (assets/gs4.js, the twin of isodyn.schemes.spectral); tests compare the
two.
"""

from __future__ import annotations

from pathlib import Path

from isodyn.errors import InputError
from isodyn.report import pages
from isodyn.report.packing import for_script
from isodyn.report.pages import Html
from isodyn.schemes import Scheme
from isodyn.version import __version__

SCRIPTS = ("core.js", "plot.js", "gs4.js", "explorer.js")


def write_explorer(path: Path | str, scheme: Scheme | None = None) -> Path:
    """Write the page that explores the two families of schemes.

    Parameters
    ----------
    path
        The file.
    scheme
        Scheme at which the page starts.

    Returns
    -------
    path
        The file that was written.

    Raises
    ------
    InputError
        If the scheme is not a member of the families.

    Examples
    --------
    >>> import isodyn as iso, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     iso.report.write_explorer(f"{folder}/explorer.html", iso.Scheme.optimal(0.8)).suffix
    '.html'
    """
    return pages.write(explorer_page(scheme), path)


def explorer_page(scheme: Scheme | None = None) -> str:
    """The text of the page."""
    start = Scheme.optimal(0.8) if scheme is None else scheme
    if not isinstance(start, Scheme) or start.radii is None or start.family is None:
        raise InputError(
            f"the explorer starts at a scheme with a family and radii, received {start}",
            hint="such as iso.Scheme.U0(0.8, 0.8, 0.8); schemes of own coefficients have no radii",
        )
    if start.eta not in ((1, 1, 1), (0, 0, 0)):
        raise InputError(
            f"the explorer knows implicit and explicit members, received {start}", hint="eta (1, 1, 1) or (0, 0, 0)"
        )
    data = {"family": start.family, "radii": list(start.radii), "explicit": start.explicit}
    return pages.filled("explorer.html", SCRIPTS, version=__version__, data=Html(for_script(data)))
