"""How a mechanism is run, and at which events, as tables of a model file.

A file says less than Python does: what it cannot say is refused, and not left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from isodyn.errors import InputError, about
from isodyn.expressions import parse
from isodyn.formulations.protocol import REGISTRY
from isodyn.real_numbers import real_number
from isodyn.specs import method_named, parse_formulation, parse_method, parse_scheme
from isodyn.stepping.adaptive import Adaptive
from isodyn.stepping.events import Event, name_of, read_events
from isodyn.stepping.methods import StepMethod

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isodyn.api.options import AnyScheme
    from isodyn.formulations import Formulation

Entries: TypeAlias = dict[str, Any]  # of a table; None: not there
IN_PYTHON = "keep such a run in a Python file"


def run_table(
    dt: float | Adaptive | None,
    t_end: float,
    scheme: AnyScheme | str,
    formulation: Formulation | str | None,
) -> Entries:
    """What stands in [run]: `dt`, or the tolerances of adaptive steps, or a method in the place
    of the scheme."""
    text = None if scheme is None else text_of_scheme(scheme)
    method = method_named(text)
    if method is not None and dt is not None:
        raise InputError(f"{method.name} chooses its steps by their error, and takes no dt", argument="dt")
    if method is None and dt is None:
        raise InputError(
            "dt is missing", hint="dt = 0.01, dt = iso.Adaptive(1e-4), or scheme = iso.Radau(1e-8)", argument="dt"
        )
    others: Entries = {"t_end": _positive("t_end", t_end), "scheme": text}
    others["formulation"] = None if formulation is None else text_of_formulation(formulation)
    if isinstance(dt, Adaptive):
        return {**tolerances(dt), **others}
    return {"dt": None if dt is None else _positive("dt", dt), **others}


def _positive(name: str, value: float) -> float:
    found = real_number(name, value)
    if not found > 0.0:
        raise InputError(f"{name} must be positive, received {found:g}", argument=name)
    return found


def tolerances(steps: Adaptive) -> Entries:
    """What stands in [run] for adaptive steps.

    >>> tolerances(Adaptive(1e-3, atol=(1e-6, 1e-5), largest=0.1))
    {'rtol': 0.001, 'atol': [1e-06, 1e-05], 'first': None, 'largest': 0.1, 'smallest': None}
    """
    if type(steps) is not Adaptive:
        raise InputError(f"a model file has no text for {steps!r}", hint=IN_PYTHON, argument="dt")
    atol = steps.atol
    if atol is not None and not isinstance(atol, tuple | list):
        atol = float(atol) if np.ndim(atol) == 0 else (atol, atol)
    if isinstance(atol, tuple | list):
        atol = [np.asarray(part, dtype=np.float64).tolist() for part in atol]
    sizes = {key: getattr(steps, key) for key in ("first", "largest", "smallest")}
    return {"rtol": float(steps.rtol), "atol": atol, **{k: None if x is None else float(x) for k, x in sizes.items()}}


def text_of_scheme(scheme: AnyScheme | str) -> str:
    """The text that stands for a scheme or a method in a file; a text that can be read stays.

    >>> import isodyn as iso
    >>> text_of_scheme(iso.Radau(1e-8, max_step=0.5)), text_of_scheme(iso.Scheme.optimal(0.5))
    ('Radau(rtol=1e-08, max_step=0.5)', 'optimal(0.5)')
    """
    if isinstance(scheme, str):
        parse_scheme(scheme) if method_named(scheme) is None else parse_method(scheme)
        return scheme
    is_method = isinstance(scheme, StepMethod)
    text = _call_of(scheme) if isinstance(scheme, StepMethod) else str(getattr(scheme, "name", scheme))
    try:
        known = type(parse_method(text)) is type(scheme) if is_method else parse_scheme(text) == scheme
    except InputError:
        known = False
    if not known:
        raise InputError(f"a model file has no text for {scheme!r}", hint=IN_PYTHON, argument="scheme")
    return text


def text_of_formulation(formulation: Formulation | str) -> str:
    """The text that stands for a formulation in a file; a text that can be read stays.

    >>> import isodyn as iso
    >>> text_of_formulation(iso.Baumgarte(20, 1 / 3))
    'baumgarte(alpha=20.0, beta=0.3333333333333333)'
    """
    if isinstance(formulation, str):
        parse_formulation(formulation)
        return formulation
    text = ""
    if is_dataclass(formulation) and not isinstance(formulation, type):
        name = next((key for key, one in REGISTRY.items() if one is type(formulation)), "")
        given = {field.name: getattr(formulation, field.name) for field in fields(formulation)}
        words = (f"{key}={x if isinstance(x, str) else _number(x)}" for key, x in given.items())
        text = f"{name}({', '.join(words)})" if given else name
    try:
        known = parse_formulation(text) == formulation
    except InputError:
        known = False
    if not known:
        raise InputError(f"a model file has no text for {formulation!r}", hint=IN_PYTHON, argument="formulation")
    return text


def _call_of(method: StepMethod) -> str:
    """A method with what was said of it."""
    words, plain = [], type(method)()
    for field in fields(method):  # type: ignore[arg-type]
        value = getattr(method, field.name)
        if field.name == "rtol" or not np.array_equal(value, getattr(plain, field.name)):
            words.append(f"{field.name}={_number(value)}")
    return f"{type(method).__name__}({', '.join(words)})"


def _number(value: ArrayLike) -> str:
    """A number, or several, as a file has them."""
    if isinstance(value, bool):
        return str(value)
    numbers = np.asarray(value, dtype=np.float64).tolist()
    return repr(tuple(numbers) if isinstance(numbers, list) else numbers)


def event_tables(events: Event | Sequence[Event]) -> dict[str, Entries]:
    """Tables of events that watch expressions, by their names."""
    found: dict[str, Entries] = {}
    for k, event in enumerate(read_events(events)):
        name = name_of(event, k)
        if not isinstance(event.g, str) or event.action is not None:
            what = "an action" if isinstance(event.g, str) else "a Python function"
            raise InputError(f"{name} has {what}, which a model file cannot hold", hint=IN_PYTHON, argument="events")
        if name in found:
            raise InputError(f"two events are named {name!r}", hint="each needs a name of its own", argument="events")
        with about(name, "expression"):
            parse(event.g)
        direction, terminal = int(event.direction), event.terminal
        found[name] = {"expression": event.g, "direction": direction or None, "terminal": terminal or None}
    return found
