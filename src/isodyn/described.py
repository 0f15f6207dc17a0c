"""How objects that have a text of their own show themselves where Python asks for `repr`."""

from __future__ import annotations

from typing import Any


def described(x: Any) -> str:
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
