"""Docstrings of classes whose arguments mean the same as in a base: written there once.

`complete` puts the text together when a class is made, so that `help`, notebooks and the reference
show all arguments.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import TypeVar

C = TypeVar("C", bound=type)

_SECTION = re.compile(r"^(\w[\w ]*)\n---+\n", re.MULTILINE)


def complete(cls: C) -> C:
    """Add to the docstring of a class the arguments that it does not describe, and what it raises,
    from the nearest base that does; arguments in the order of `__init__`.

    >>> class Base:
    ...     '''A base.
    ...
    ...     Parameters
    ...     ----------
    ...     name
    ...         Its name.
    ...     '''
    >>> class Ball(Base):
    ...     '''A ball.
    ...
    ...     Parameters
    ...     ----------
    ...     radius
    ...         Its radius.
    ...     '''
    ...
    ...     def __init__(self, name, radius):
    ...         pass
    >>> print(complete(Ball).__doc__)
    A ball.
    <BLANKLINE>
    Parameters
    ----------
    name
        Its name.
    radius
        Its radius.
    """
    if not cls.__dict__.get("__doc__"):
        return cls
    summary, sections = _split(cls.__doc__)
    own = _entries(sections.get("Parameters", ""))
    entries = dict(own)
    for base in cls.__mro__[1:]:
        if base.__module__ == "builtins" or not base.__dict__.get("__doc__"):
            continue
        _, given = _split(base.__doc__)
        for names, text in _entries(given.get("Parameters", "")).items():
            known = {name for others in entries for name in others}
            left = tuple(name for name in names if name not in known)
            if left:
                entries[left] = text if left == names else "\n".join([", ".join(left), *text.split("\n")[1:]])
        if "Raises" in given and "Raises" not in sections:
            sections = {"Raises": given["Raises"], **sections}  # a new one: what is split is kept
    code = getattr(cls.__init__, "__code__", None)  # type: ignore[misc]
    order = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
    places = {names: order.index(names[0]) if names[0] in order else len(order) for names in entries}
    shown = sorted((names for names in entries if names in own or names[0] in order), key=places.__getitem__)
    told = {
        "Parameters": "\n".join(entries[names] for names in shown),
        **{title: given for title, given in sections.items() if title != "Parameters"},
    }
    parts = [f"{title}\n{'-' * len(title)}\n{given}" for title, given in told.items() if given]
    cls.__doc__ = "\n\n".join([summary, *parts])
    return cls


@cache
def _split(doc: str | None) -> tuple[str, dict[str, str]]:
    """The text before the sections, and the sections by their titles."""
    summary, *rest = _SECTION.split(inspect.cleandoc(doc or ""))
    return summary.strip(), {title: text.strip("\n") for title, text in zip(rest[::2], rest[1::2], strict=True)}


def _entries(section: str) -> dict[tuple[str, ...], str]:
    """Names of arguments that share a text, and their entry."""
    found = re.findall(r"^(\S.*)((?:\n .*|\n(?=\n| ))*)", section, re.MULTILINE)
    return {tuple(head.split(" :")[0].split(", ")): head + text for head, text in found}
