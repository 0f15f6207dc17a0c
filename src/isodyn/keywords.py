"""Keywords that a function or class does not take end in an error that says which ones it takes."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import ParamSpec, TypeVar, cast

from isodyn.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")


def takes_known_keywords(function: Callable[P, R], *, name: str = "") -> Callable[P, R]:
    """Return a function that refuses unknown keywords with a hint.

    Parameters
    ----------
    function
        A function with a fixed list of arguments.
    name
        What the error calls it; the function's own name if left out.

    Returns
    -------
    function
        The same function; it raises an InputError for a keyword that it does not take.

    Examples
    --------
    >>> from isodyn.keywords import takes_known_keywords
    >>> @takes_known_keywords
    ... def area(width, height):
    ...     return width * height
    >>> area(2, hight=3)
    Traceback (most recent call last):
        ...
    isodyn.errors.InputError: area takes no 'hight'
    hint: did you mean 'height'?
    """
    code = cast(FunctionType, function).__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    called_as = name or cast(FunctionType, function).__name__

    @wraps(function)
    def checked(*arguments: P.args, **keywords: P.kwargs) -> R:
        for given in keywords:
            if given not in known:
                raise _unknown(called_as, given, [one for one in known if one != "self"])
        return function(*arguments, **keywords)

    return checked


def _unknown(name: str, given: str, known: list[str]) -> InputError:
    near = difflib.get_close_matches(given, known, n=2, cutoff=0.6)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"it takes {', '.join(known)}"
    return InputError(f"{name} takes no {given!r}", hint=hint, argument=given)
