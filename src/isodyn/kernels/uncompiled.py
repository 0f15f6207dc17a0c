"""Users' functions under `@njit` that Numba cannot compile: which one, where, and why, in a line.

Numba says what went wrong in the middle of pages about passes and overloads, in the file of whoever
called the function first. The function itself is among the frames of its exceptions.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core.errors import NumbaError

from isodyn.errors import CallableError

PACKAGE = str(Path(__file__).parents[1])
NOISE = ("Failed in ", "During: ", "There are ", "- Of which", "File ")
PLACE = re.compile(r'(?:File "([^"]+)", line (\d+))|(?:at (\S+) \((\d+)\))')
RETURNED = "return np.array([...]) with a number for each component; an event returns one number"
HINT = "Numba knows a part of Python and NumPy; without @njit the function is called from Python"


def explained(error: BaseException) -> BaseException:
    """The error that names a function which does not compile; other errors as they are."""
    return not_compiled(error) if isinstance(error, NumbaError) else error


@contextmanager
def naming_functions() -> Iterator[None]:
    """Name users' functions that do not compile when they are called here."""
    try:
        yield
    except NumbaError as error:
        raise not_compiled(error) from error


def not_compiled(error: NumbaError) -> CallableError:
    """The error for a user's function that does not compile, or whose answer compiled code cannot
    use."""
    functions, said = list(_functions(error)), _said(error)
    used = [found for function in functions for found in _captured(function)]
    # Numba drops the frames of a function that another calls, and keeps its name
    failed = [function for function in functions if not _is_ours(function)]
    failed += [function for function in used if f"CPUDispatcher(<function {function.__qualname__} at" in str(error)]
    if failed:
        return CallableError(f"{_named(failed[0], error)} does not compile: {said}", hint=HINT)
    who = " or ".join(dict.fromkeys(_named(function) for function in used)) or "a function under @njit"
    return CallableError(f"{who} does not return what is needed: {said}", hint=RETURNED)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and those that it came from, the first one first."""
    before = error.__cause__ or error.__context__
    if before is not None:
        yield from _chain(before)
    yield error


def _functions(error: BaseException) -> Iterator[Callable[..., Any]]:
    """Functions that were being compiled, the innermost first."""
    seen = set()
    for one in _chain(error):
        for frame, _ in reversed(list(traceback.walk_tb(one.__traceback__))):
            function = getattr(frame.f_locals.get("self"), "py_func", None)
            if function is not None and id(function) not in seen:
                seen.add(id(function))
                yield function


def _is_ours(function: Callable[..., Any]) -> bool:
    return function.__code__.co_filename.startswith(PACKAGE)


def _captured(function: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Users' functions that one of ours was made for, also by way of others of ours."""
    for cell in function.__closure__ or ():
        inner = getattr(cell.cell_contents, "py_func", None)
        if inner is not None:
            yield from _captured(inner) if _is_ours(inner) else (inner,)


def _named(function: Callable[..., Any], error: BaseException | None = None) -> str:
    """A function with its file and line: that of the fault, where Numba tells."""
    code = function.__code__
    lines = [line for *_, line in code.co_lines() if line is not None]
    line = code.co_firstlineno
    for file, at, other, there in PLACE.findall("" if error is None else str(error)):
        number = int(at or there)
        if Path(file or other).name == Path(code.co_filename).name and number in lines:
            line = number
            break
    return f"the function {function.__name__!r} ({code.co_filename}, line {line})"


def _said(error: NumbaError) -> str:
    """What Numba said, in one line."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith(NOISE)]
    if not told:
        return type(error).__name__
    if told[0].endswith(":") and len(told) > 1:
        return f"{told[0]} {told[1].removeprefix('>>> ')}"
    return told[0]
