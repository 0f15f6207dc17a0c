"""The cases: every file of the folder `cases` holds one that needs code of its own, CASE, or a
table of runs of ready problems, CASES."""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module

from isodyn.errors import InputError
from isodyn.studies.verification import cases
from isodyn.studies.verification.case import TOPICS, Case


@cache
def every() -> tuple[Case, ...]:
    """All cases, by topic and name."""
    found: list[Case] = []
    for module in pkgutil.iter_modules(cases.__path__):
        file = import_module(f"{cases.__name__}.{module.name}")
        found += getattr(file, "CASES", ()) or (file.CASE,)
        if not hasattr(file, "CASES") and file.CASE.name != module.name:
            raise InputError(f"the file cases/{module.name}.py declares a case of another name, {file.CASE.name!r}")
    order = list(TOPICS)
    return tuple(sorted(found, key=lambda case: (order.index(case.topic), case.name)))


def select(words: Sequence[str] = ()) -> tuple[Case, ...]:
    """The cases whose name or topic is one of the words, or fits one with * and ?; all of them
    without words.

    >>> {case.topic for case in select(["friction"])}
    {'friction'}
    """
    chosen = set()
    for word in words:
        fits = [case.name for case in every() if word == case.topic or fnmatchcase(case.name, word)]
        if not fits:
            raise InputError(f"no case and no topic is named {word!r}", hint=_hint(word))
        chosen.update(fits)
    return tuple(case for case in every() if case.name in chosen or not words)


def _hint(word: str) -> str:
    known = [*TOPICS, *(case.name for case in every())]
    similar = difflib.get_close_matches(word, known, n=3, cutoff=0.5)
    return (
        f"did you mean {' or '.join(repr(x) for x in similar)}?"
        if similar
        else "isodyn verify --list prints all of them"
    )
