"""The system of a result that came from a model file: its text is kept with the result, and built
again by what reads model files.

Reading model files stands above results; the root of the package tells where it is found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isodyn.errors import InputError

Build = Callable[[str, str, dict[str, Any]], Any]
_load: Callable[[], Build] | None = None


def register(load: Callable[[], Build]) -> None:
    """Give the function that loads the builder: text, name and parameters of a model in, model
    out."""
    global _load
    _load = load


def system_of_model(model: dict[str, Any]) -> Any:
    """The system of a model as it was kept: `text`, `name` and `parameters`."""
    if _load is None:
        raise InputError("nothing here reads model files", hint="import isodyn")
    return _load()(model["text"], model["name"], model.get("parameters") or {}).system()
