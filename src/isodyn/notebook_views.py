"""How objects show themselves in a notebook.

Systems, mechanisms and solutions know that they can be shown, not how: the look is made by
isodyn.report, which stands above them. The root of the package tells where it is found, and it is
loaded when a notebook asks for the first time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_load: Callable[[], Callable[[Any], str]] | None = None


def register(load: Callable[[], Callable[[Any], str]]) -> None:
    """Give the function that loads the view: an object in, HTML out."""
    global _load
    _load = load


class ShownInNotebooks:
    """What a notebook shows as a table, a picture or an animation instead of text."""

    def _repr_html_(self) -> str | None:
        return None if _load is None else _load()(self)
