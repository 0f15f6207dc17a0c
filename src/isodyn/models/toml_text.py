"""Tables and values as text of TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from isodyn.errors import InputError

BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_header(kind: str, name: str) -> list[str]:
    """The line that opens the table of a part.

    >>> toml_header("bodies", "left arm")
    ['[bodies."left arm"]']
    """
    return [f"[{kind}.{_key(name)}]"]


def toml_lines(values: Mapping[str, Any]) -> list[str]:
    """Lines for what is not None.

    >>> toml_lines({"mass": 1.0, "size": None, "kind": "planar"})
    ['mass = 1.0', 'kind = "planar"']
    """
    return [f"{_key(key)} = {_value(key, value)}" for key, value in values.items() if value is not None]


def plain_numbers(value: object) -> Any:
    """Arrays as lists of floats; None stays."""
    return None if value is None else np.asarray(value, dtype=np.float64).tolist()


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    """A text in quotes; JSON leaves one control character as it is that TOML does not take."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        if not np.isfinite(value):
            raise InputError(f"{key} is {float(value)}, and a model file has finite numbers only", argument=key)
        return repr(float(value))
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(k, x)}" for k, x in value.items() if x is not None) + " }"
    return "[" + ", ".join(_value(key, x) for x in value) + "]"
