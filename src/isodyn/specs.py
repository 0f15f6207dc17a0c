"""Text of the command line as objects: schemes, formulations, parameters. Strings become objects only here, and without eval."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args

from isodyn.errors import InputError
from isodyn.formulations import (
    GGL,
    AccelerationLevel,
    Baumgarte,
    Formulation,
    Hamiltonian,
    NullSpace,
    Overdetermined,
    Penalty,
    PositionLevel,
    Projection,
    Stabilised,
    UdwadiaKalaba,
    VelocityLevel,
)
from isodyn.formulations.gauss import Basis, Form
from isodyn.schemes import FirstOrderScheme, Scheme

FLAGS = ("explicit", "v0", "acceleration", "discrete")
WORDS = tuple(dict.fromkeys((*get_args(Form), *get_args(Basis))))
SCHEME_EXAMPLE = '"U0(0.8,0.8,0.8)" or "optimal(0.5)"'
FORMULATION_EXAMPLE = '"stabilised" or "baumgarte(20,30)"'
T = TypeVar("T")
AnyFormulation = Formulation | Penalty | Hamiltonian | UdwadiaKalaba

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
FORMULATIONS: dict[str, Callable[..., AnyFormulation]] = {
    "stabilised": Stabilised,
    "position": PositionLevel,
    "velocity": VelocityLevel,
    "acceleration": AccelerationLevel,
    "baumgarte": Baumgarte,
    "projection": Projection,
    "overdetermined": Overdetermined,
    "ggl": GGL,
    "null-space": NullSpace,
    "udwadia-kalaba": UdwadiaKalaba,
    "penalty": Penalty,
    "hamiltonian": Hamiltonian,
}
ALIASES = {"generalized_alpha": "generalised_alpha", "velocity_verlet": "central_difference", "bdf2": "gear"}


def parse_scheme(text: str) -> Scheme | FirstOrderScheme:
    """A scheme from text such as `U0(0.8, 0.8, 0.8)`, `V0(1,1,0,explicit)`, `hht(alpha_f=0.1)` or `central_difference`.

    >>> parse_scheme("hht(0.7)").name, parse_scheme("U0(1,1,0,explicit)").explicit
    ('HHT(0.7)', True)
    """
    name, brackets = _split(text, "scheme", SCHEME_EXAMPLE)
    return _made(_constructor(name), name, brackets, text, SCHEME_EXAMPLE)


def parse_formulation(text: str) -> AnyFormulation:
    """A formulation from text such as `stabilised`, `baumgarte(20,30)`, `projection(acceleration)` or `udwadia-kalaba(cholesky)`.

    >>> parse_formulation("baumgarte(20, 30)"), parse_formulation("position")
    (Baumgarte(alpha=20.0, beta=30.0), PositionLevel())
    """
    name, brackets = _split(text, "formulation", FORMULATION_EXAMPLE)
    wanted = name.lower().replace("_", "-")
    known = {key: key for key in FORMULATIONS}
    known |= {made.__name__.lower(): key for key, made in FORMULATIONS.items()}
    known |= {f"{key}-level": key for key in ("position", "velocity", "acceleration")} | {"stabilized": "stabilised"}
    if wanted not in known:
        near = list(dict.fromkeys(known[key] for key in difflib.get_close_matches(wanted, known, n=2, cutoff=0.5)))
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(FORMULATIONS)}"
        raise InputError(f"there is no formulation named {name!r}", hint=hint)
    return _made(FORMULATIONS[known[wanted]], name, brackets, text, FORMULATION_EXAMPLE, _decimal)


def _same(value: Any) -> Any:
    return value


def _decimal(value: Any) -> float:
    if isinstance(value, tuple):
        raise InputError(f"formulations take single numbers, received {value!r}", hint="for example baumgarte(20,30)")
    return float(value)


def _split(text: str, what: str, example: str) -> tuple[str, str]:
    """Name and bracket of `name(…)` or `name`."""
    match = re.fullmatch(r"\s*([A-Za-z][\w-]*)\s*(\(.*\))?\s*", text)
    if match is None:
        raise InputError(f"{text!r} is not a {what}", hint=f"write for example {example}")
    return match[1], match[2] or "()"


def _made(
    constructor: Callable[..., T], name: str, brackets: str, text: str, example: str, kind: Callable[[Any], Any] = _same
) -> T:
    """What the constructor makes of the arguments in brackets: numbers of one kind, and bare words for what is on."""
    try:
        call = ast.parse(f"_{brackets}", mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise InputError(f"cannot read the arguments of {text!r}", hint=f"write for example {example}") from error
    assert isinstance(call, ast.Call)
    arguments: list[Any] = []
    keywords: dict[str, Any] = {}
    for node in call.args:
        if isinstance(node, ast.Name) and node.id in FLAGS:
            keywords[node.id] = True
        else:
            arguments.append(_word(node) or kind(_number(node, text)))
    for keyword in call.keywords:
        keywords[str(keyword.arg)] = _word(keyword.value) or kind(_number(keyword.value, text))
    signature = inspect.signature(constructor)
    try:
        signature.bind(*arguments, **keywords)
    except TypeError as error:
        known = ", ".join(signature.parameters)
        raise InputError(f"{text!r}: {error}", hint=f"{name} takes ({known})") from error
    return constructor(*arguments, **keywords)


def _constructor(name: str) -> Callable[..., Scheme | FirstOrderScheme]:
    known = {key.lower(): key for key in CONSTRUCTORS} | ALIASES
    wanted = name.lower().replace("-", "_")
    if wanted in known:
        return CONSTRUCTORS[known[wanted]]
    near = difflib.get_close_matches(wanted, known, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(known[key] for key in near)}?" if near else f"known: {', '.join(CONSTRUCTORS)}"
    raise InputError(f"there is no scheme named {name!r}", hint=hint)


def _word(node: ast.expr) -> str | None:
    """A form or a basis by its name, which Python reads as a difference or a quotient; None for anything else."""
    word = ast.unparse(node).replace(" ", "")
    return word if word in WORDS else None


def _number(node: ast.expr, text: str) -> Any:
    """A number, a fraction of two numbers, or a tuple of numbers."""
    try:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return _number(node.left, text) / _number(node.right, text)
        value = ast.literal_eval(node)
    except (ValueError, ZeroDivisionError, TypeError):
        value = None
    numbers = value if isinstance(value, tuple) else (value,)
    if all(isinstance(number, int | float) for number in numbers):
        return value
    raise InputError(
        f"{ast.unparse(node)!r} in {text!r} is not a number",
        hint=f"bare words can be {', '.join((*FLAGS, *WORDS))}; others are numbers",
    )


def parse_parameters(settings: Sequence[str]) -> dict[str, float]:
    """Parameters from texts such as `e=0.7`."""
    parameters = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        try:
            parameters[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"--set needs name=number, received {setting!r}", hint="for example --set e=0.7")
    return parameters
