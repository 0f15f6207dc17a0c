"""Docstrings of classes whose arguments mean the same as in a base: written there once.

`complete` puts the text together when a class is made, so that `help`, notebooks and the reference
show all arguments.
"""

from __future__ import annotations

import inspect
import re
from typing import TypeVar

C = TypeVar("C", bound=type)

_SECTION = re.compile(r"^(Parameters|Raises|Examples)\n-+\n", re.MULTILINE)


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
    entries = _entries(sections.get("Parameters", ""))
    for base in cls.__mro__[1:]:
        if base.__module__ == "builtins" or not base.__dict__.get("__doc__"):
            continue
        _, given = _split(base.__doc__)
        for names, text in _entries(given.get("Parameters", "")).items():
            known = {name for others in entries for name in others}
            left = tuple(name for name in names if name not in known)
            if left:
                entries[left] = text
        if "Raises" in given:
            sections.setdefault("Raises", given["Raises"])
    code = cls.__init__.__code__  # type: ignore[misc]
    order = {name: k for k, name in enumerate(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])}
    shown = sorted((names for names in entries if names[0] in order), key=lambda names: order[names[0]])
    sections["Parameters"] = "\n".join(f"{', '.join(names)}\n{entries[names]}" for names in shown)
    told = ((title, sections[title]) for title in ("Parameters", "Raises", "Examples") if sections.get(title))
    cls.__doc__ = "\n\n".join([summary, *(f"{title}\n{'-' * len(title)}\n{text}" for title, text in told)])
    return cls


def _split(doc: str | None) -> tuple[str, dict[str, str]]:
    """The text before the sections, and the sections by their titles."""
    summary, *rest = _SECTION.split(inspect.cleandoc(doc or ""))
    return summary.strip(), {title: text.strip("\n") for title, text in zip(rest[::2], rest[1::2], strict=True)}


def _entries(section: str) -> dict[tuple[str, ...], str]:
    """Names of arguments that share a text, and the indented text."""
    found = re.findall(r"^(\S.*)\n((?: .*\n?|\n)*)", section, re.MULTILINE)
    return {tuple(names.split(", ")): text.rstrip("\n") for names, text in found}
