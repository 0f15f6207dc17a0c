"""Text of the command line and of model files as objects: schemes, methods, formulations,
parameters. Strings become objects only here, and without eval."""

from __future__ import annotations

import ast
import difflib
import inspect
import math
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from isodyn.errors import InputError, IsodynError
from isodyn.formulations import Formulation
from isodyn.formulations.protocol import ALIASES, REGISTRY, facts_of_class
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.stepping.adaptive import Adaptive
from isodyn.stepping.methods import DOP853, Auto, Radau, StepMethod

LONGEST = 1000  # characters of a scheme or a formulation
DEEPEST = 20  # brackets within brackets
SCHEME_FLAGS = ("explicit", "v0")
SCHEME_EXAMPLE = '"U0(0.8,0.8,0.8)" or "optimal(0.5)"'
METHOD_EXAMPLE = '"Radau", "Radau(1e-8)" or "DOP853(rtol=1e-9, max_step=0.1)"'
FORMULATION_EXAMPLE = '"stabilised" or "baumgarte(20,30)"'
T = TypeVar("T")

CONSTRUCTORS: dict[str, Callable[..., Scheme | FirstOrderScheme]] = {
    "U0": Scheme.U0,
    "V0": Scheme.V0,
    "optimal": Scheme.optimal,
    "non_dissipative_u0": Scheme.non_dissipative_u0,
    "non_dissipative_v0": Scheme.non_dissipative_v0,
    "newmark": Scheme.newmark,
    "implicit_newmark": Scheme.implicit_newmark,
    "hht": Scheme.hht,
    "wbz": Scheme.wbz,
    "generalised_alpha": Scheme.generalised_alpha,
    "midpoint_epa": Scheme.midpoint_epa,
    "midpoint_mpa": Scheme.midpoint_mpa,
    "central_difference": Scheme.central_difference,
    "GS4_1": FirstOrderScheme.GS4_1,
    "crank_nicolson": FirstOrderScheme.crank_nicolson,
    "gear": FirstOrderScheme.gear,
}
METHODS: dict[str, type[StepMethod]] = {"Radau": Radau, "DOP853": DOP853, "Auto": Auto}
SCHEME_ALIASES = {"generalized_alpha": "generalised_alpha", "velocity_verlet": "central_difference", "bdf2": "gear"}


def parse_scheme(text: str) -> Scheme | FirstOrderScheme:
    """A scheme from text such as `U0(0.8, 0.8, 0.8)`, `V0(1,1,0,explicit)`, `hht(alpha_f=0.1)` or
    `central_difference`.

    >>> parse_scheme("hht(0.7)").name, parse_scheme("U0(1,1,0,explicit)").explicit
    ('HHT(0.7)', True)
    """
    name, brackets = _split(text, "scheme", SCHEME_EXAMPLE)
    return _made(_constructor(name), name, brackets, text, SCHEME_EXAMPLE)


def method_named(text: object) -> type[StepMethod] | None:
    """The method that a text such as `Radau(1e-8)` names; None for schemes and for anything else.

    >>> method_named("dop853"), method_named("U0(0,1,0)")
    (<class 'isodyn.stepping.methods.DOP853'>, None)
    """
    name = text.partition("(")[0].strip().lower() if isinstance(text, str) else ""
    return next((method for key, method in METHODS.items() if key.lower() == name), None)


def parse_method(text: str, rtol: float | None = None, *, instead: bool = False) -> StepMethod:
    """A method from text such as `Radau`, `Auto(1e-8)` or `DOP853(rtol=1e-9, max_step=0.1)`; rtol
    may stand beside it, or be meant `instead` of that in the text.

    >>> parse_method("Radau(max_step=0.5)", 1e-6).rtol
    1e-06
    """
    name, brackets = _split(text, "method", METHOD_EXAMPLE)
    method = method_named(text)
    if method is None:
        raise InputError(f"there is no method named {name!r}", hint=f"known: {', '.join(METHODS)}")
    given = _bound(method, name, brackets, text, METHOD_EXAMPLE).arguments
    if rtol is not None and "rtol" in given and not instead:
        raise InputError(f"rtol stands in {_said(text)} and beside it, as {rtol:g}", hint="one of them is enough")
    found = _called(method, given if rtol is None else {**given, "rtol": rtol}, text, METHOD_EXAMPLE)
    assert isinstance(found, StepMethod)
    return found


@dataclass(frozen=True)
class AskedSteps:
    """How time shall be stepped: texts and numbers of a command, or of a [run] table."""

    scheme: str | None = None
    dt: float | None = None
    rtol: float | None = None

    def options(self, own: str | None = None, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """`scheme` and `dt` of `integrate`, as far as they are asked for. `own` is what the model
        names as its scheme: rtol alone is for that method, or else for adaptive steps, of which
        the model has other `settings`.

        >>> AskedSteps("Radau", rtol=1e-6).options()["scheme"].rtol, AskedSteps(dt=0.1).options()
        (1e-06, {'dt': 0.1})
        """
        if self.scheme is None and self.rtol is not None and own is not None and method_named(own) is not None:
            return {"scheme": parse_method(own, self.rtol, instead=True), "dt": None}
        if self.scheme is not None and (method := method_named(self.scheme)) is not None:
            if self.dt is not None:
                raise InputError(
                    f"{method.name} chooses its steps by their error, and takes no dt",
                    hint="rtol says how large the error may be",
                )
            return {"scheme": parse_method(self.scheme, self.rtol), "dt": None}
        found: dict[str, Any] = {} if self.scheme is None else {"scheme": parse_scheme(self.scheme)}
        if self.rtol is not None:  # which has a default scheme of its own
            default = {"scheme": None} if own is None else {}
            return {**default, "dt": Adaptive(self.rtol, **(settings or {})), **found}
        return found if self.dt is None else {"dt": self.dt, **found}


def parse_formulation(text: str) -> Formulation:
    """A formulation from text such as `stabilised`, `baumgarte(20,30)`, `projection(acceleration)`
    or `udwadia-kalaba(cholesky)`.

    >>> parse_formulation("baumgarte(20, 30)"), parse_formulation("position")
    (Baumgarte(alpha=20, beta=30), PositionLevel())
    """
    name, brackets = _split(text, "formulation", FORMULATION_EXAMPLE)
    wanted = name.lower().replace("_", "-")
    if wanted not in ALIASES:
        similar = list(
            dict.fromkeys(ALIASES[key] for key in difflib.get_close_matches(wanted, ALIASES, n=2, cutoff=0.5))
        )
        hint = f"did you mean {' or '.join(similar)}?" if similar else f"known: {', '.join(REGISTRY)}"
        raise InputError(f"there is no formulation named {name!r}", hint=hint)
    return _made(REGISTRY[ALIASES[wanted]], name, brackets, text, FORMULATION_EXAMPLE, _decimal)


def _flags() -> tuple[str, ...]:
    """Arguments that are on or off."""
    own = (f.name for cls in REGISTRY.values() for f in fields(cls) if f.type in (bool, "bool"))  # type: ignore[arg-type]
    return tuple(dict.fromkeys((*SCHEME_FLAGS, *own)))


def _words() -> tuple[str, ...]:
    """Texts that arguments of formulations may be."""
    values = (
        x
        for cls in REGISTRY.values()
        for facts in facts_of_class(cls)
        for _, known in facts.settings
        for x in known
        if isinstance(x, str)
    )
    return tuple(dict.fromkeys(values))


def _same(value: object) -> object:
    return value


def _decimal(value: Any) -> float:
    if isinstance(value, tuple):
        raise InputError(
            f"formulations take single numbers, received {_said(value)}", hint="for example baumgarte(20,30)"
        )
    return float(value)


def _split(text: str, what: str, example: str) -> tuple[str, str]:
    """Name and bracket of `name(…)` or `name`."""
    if not isinstance(text, str) or len(text) > LONGEST or _depth(text) > DEEPEST:
        raise InputError(f"{_said(text)} is not a {what}", hint=f"write for example {example}")
    match = re.fullmatch(r"\s*([A-Za-z][\w-]*)\s*(\(.*\))?\s*", text, re.ASCII | re.DOTALL)
    if match is None:
        raise InputError(f"{_said(text)} is not a {what}", hint=f"write for example {example}")
    return match[1], match[2] or "()"


def _said(text: object) -> str:
    """What was received, not longer than a line."""
    words = repr(text)
    return words if len(words) <= 80 else f"{words[:77]}..."


def _depth(text: str) -> int:
    """How many brackets stand within each other at most; signs count too, since they nest like
    brackets."""
    deepest = depth = signs = 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        signs = signs + 1 if sign in "+-~ " else 0
        deepest = max(deepest, depth + signs)
    return deepest


def _made(
    constructor: Callable[..., T], name: str, brackets: str, text: str, example: str, kind: Callable[[Any], Any] = _same
) -> T:
    """What the constructor makes of the arguments in brackets."""
    bound = _bound(constructor, name, brackets, text, example, kind)
    return _called(lambda: constructor(*bound.args, **bound.kwargs), {}, text, example)


def _called(constructor: Callable[..., T], given: dict[str, Any], text: str, example: str) -> T:
    """What the constructor returns; InputError for whatever it does not take."""
    try:
        return constructor(**given)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, IsodynError):
            raise
        raise InputError(f"{_said(text)}: {error}", hint=f"write for example {example}") from error


def _bound(
    constructor: Callable[..., object],
    name: str,
    brackets: str,
    text: str,
    example: str,
    kind: Callable[[Any], Any] = _same,
) -> inspect.BoundArguments:
    """The arguments in brackets: numbers of one kind, and bare words for what is on."""
    unreadable = InputError(f"cannot read the arguments of {_said(text)}", hint=f"write for example {example}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python, about texts such as 1if
            call = ast.parse(f"_{brackets}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise unreadable from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):  # such as (1)(2)
        raise unreadable
    flags = _flags()
    known = (*flags, *_words()) if kind is _decimal else SCHEME_FLAGS
    hint = f"write for example {example}; bare words can be {', '.join(known)}"
    arguments: list[Any] = []
    keywords: dict[str, Any] = {}
    for node in call.args:
        if isinstance(node, ast.Name) and node.id in flags:
            keywords[node.id] = True
        else:
            arguments.append(_word(node) or kind(_number(node, text, hint)))
    for keyword in call.keywords:
        if keyword.arg is None:  # **x
            raise unreadable
        keywords[keyword.arg] = _word(keyword.value) or kind(_number(keyword.value, text, hint))
        if keyword.arg in flags and keywords[keyword.arg] not in (0, 1):
            raise InputError(
                f"{keyword.arg} in {_said(text)} is on or off", hint=f"{keyword.arg}, or {keyword.arg}=True"
            )
    signature = inspect.signature(constructor)
    try:
        return signature.bind(*arguments, **keywords)
    except TypeError as error:
        takes = ", ".join(signature.parameters)
        raise InputError(f"{_said(text)}: {error}", hint=f"{name} takes ({takes})") from error


def _constructor(name: str) -> Callable[..., Scheme | FirstOrderScheme]:
    known = {key.lower(): key for key in CONSTRUCTORS} | SCHEME_ALIASES
    wanted = name.lower().replace("-", "_")
    if wanted in known:
        return CONSTRUCTORS[known[wanted]]
    if (method := method_named(name)) is not None:
        raise InputError(
            f"{method.name} chooses its steps; here a scheme for steps of a given size is needed",
            hint=f"known: {', '.join(CONSTRUCTORS)}",
        )
    similar = difflib.get_close_matches(wanted, known, n=2, cutoff=0.5)
    hint = (
        f"did you mean {' or '.join(known[key] for key in similar)}?"
        if similar
        else f"known: {', '.join(CONSTRUCTORS)}"
    )
    raise InputError(f"there is no scheme named {name!r}", hint=hint)


def _word(node: ast.expr) -> str | None:
    """A form or a basis by its name, which Python reads as a difference or a quotient; None for
    anything else."""
    word = _unparsed(node).replace(" ", "")
    return word if word in _words() else None


def _unparsed(node: ast.expr) -> str:
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):  # integers of thousands of digits
        return "…"


def _number(node: ast.expr, text: str, hint: str) -> Any:
    """A number, a fraction of two numbers, or a tuple of numbers."""
    try:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return _number(node.left, text, hint) / _number(node.right, text, hint)
        value = ast.literal_eval(node)
    except (ValueError, ZeroDivisionError, TypeError, OverflowError, RecursionError, MemoryError):
        value = None
    numbers = value if isinstance(value, tuple) else (value,)
    if all(isinstance(number, int | float) and abs(number) <= sys.float_info.max for number in numbers):
        return value
    raise InputError(
        f"{_said(_unparsed(node))} in {_said(text)} is not a {'number' if value is None else 'finite number'}",
        hint=hint,
    )


def parse_parameters(settings: Sequence[str]) -> dict[str, float]:
    """Parameters from texts such as `e=0.7`."""
    parameters: dict[str, float] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not equals or not name.strip() or not math.isfinite(number):
            raise InputError(
                f"--set needs name=number, a finite one, received {_said(setting)}", hint="for example --set e=0.7"
            )
        if name.strip() in parameters:
            raise InputError(f"--set gives {_said(name.strip())} twice")
        parameters[name.strip()] = number
    return parameters
