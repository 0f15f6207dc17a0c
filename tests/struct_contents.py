"""All numbers of a struct, each with its name: to compare tables of models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def contents(struct: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """(name, numbers) of every field, those of structs inside it too."""
    for name, field in struct._fields.items():
        value = getattr(struct, name)
        if field.kind == "many":
            for k, part in enumerate(value):
                yield from contents(part, f"{path}{name}[{k}].")
        elif field.kind == "one":
            yield from contents(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", np.asarray(value)
