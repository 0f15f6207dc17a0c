"""How objects that have a text of their own show themselves where Python asks for `repr`."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

LONGEST, FEW = 60, 6  # characters of one value, numbers of an array


def described(x: object) -> str:
    """The name of the class, and what `str` says.

    >>> class Cost:
    ...     __repr__ = described
    ...
    ...     def __str__(self) -> str:
    ...         return "3 steps"
    >>> Cost()
    <Cost: 3 steps>
    """
    return f"<{type(x).__name__}: {x}>"


def counted(many: int, noun: str) -> str:
    """A number of things in words.

    >>> counted(1, "row"), counted(2, "body")
    ('1 row', '2 bodies')
    """
    if many == 1:
        return f"1 {noun}"
    return f"{many} {noun[:-1]}ies" if noun.endswith("dy") else f"{many} {noun}s"


def told(x: object) -> str:
    """A dataclass by what it was made of: fields without a default in their order, then those that
    are not as usual.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Part:
    ...     name: str
    ...     axis: tuple = (0, 0, 1)
    ...     gain: float = 0.0
    ...
    ...     __repr__ = told
    >>> Part("pin", axis=(0.0, 1.0, 0.0))
    Part('pin', axis=(0, 1, 0))
    """
    return f"{type(x).__name__}({', '.join(text if key is None else f'{key}={text}' for key, text in settings(x))})"


def settings(x: Any) -> list[tuple[str | None, str]]:
    """What `told` says about a dataclass: names and short texts; no name where it is given by its
    place."""
    found: list[tuple[str | None, str]] = []
    in_place = True  # until a field that was left out
    for item in fields(x) if is_dataclass(x) else ():
        if not (item.init and item.repr):
            continue
        value = getattr(x, item.name)
        if not _needed(item) and _same(value, _usual(item)):
            in_place = False
            continue
        in_place = in_place and _needed(item) and not item.kw_only
        found.append((None if in_place else item.name, short(value)))
    return found


def short(value: object) -> str:
    """A value in few characters: arrays of a few numbers as tuples, functions by name.

    >>> import numpy as np
    >>> short(np.array([0.5, 1.0])), short(np.eye(3)), short(abs), short(2.5)
    ('(0.5, 1)', '<3 × 3 numbers>', 'abs', '2.5')
    """
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and hasattr(value, "tolist"):  # an array, or a number of one
        few = len(shape) == 1 and shape[0] <= FEW
        return short(tuple(value.tolist()) if few else value.tolist()) if few or not shape else _sized(shape)
    match value:
        case float():
            return f"{value:g}" if float(f"{value:g}") == value else repr(value)
        case tuple() | list():
            inside = ", ".join(map(short, value))
            text = f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
            return text if len(text) <= LONGEST else f"<{len(value)} values>"
        case dict():
            text = f"{{{', '.join(f'{short(k)}: {short(v)}' for k, v in value.items())}}}"
            return text if len(text) <= LONGEST else f"<{len(value)} values>"
        case str():
            return repr(value if len(value) <= LONGEST else f"{value[: LONGEST - 1]}…")
    name = getattr(value, "__name__", None)  # functions, classes, compiled functions
    text = repr(value) if name is None else str(name).strip("<>")
    return text if len(text) <= LONGEST and " object at 0x" not in text else f"<{type(value).__name__}>"


def _sized(shape: tuple[int, ...]) -> str:
    return f"<{' × '.join(map(str, shape))} numbers>"


def _needed(item: Field[Any]) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def _usual(item: Field[Any]) -> Any:
    return item.default_factory() if item.default_factory is not MISSING else item.default


def _same(value: object, usual: Any) -> bool:
    """Equal, number by number; NaN is NaN."""
    if value is usual:
        return True
    one, other = (x.tolist() if hasattr(x, "tolist") else x for x in (value, usual))
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other) or (isinstance(one, float) and one != one and other != other)
