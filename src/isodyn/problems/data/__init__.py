"""Numbers that problems are compared with, each file naming its source."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def load(name: str) -> Any:
    """The content of one of the JSON files."""
    return json.loads(files(__name__).joinpath(name).read_text(encoding="utf-8"))
