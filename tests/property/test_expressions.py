"""Formulas: the compiled program agrees with plain arithmetic and with differences, and what is not
its own is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isodyn.errors import InputError
from isodyn.expressions import compile_formula, constant, parse
from isodyn.expressions.formula_kernels import FormulaScratch, run_formula
from isodyn.expressions.program import evaluate
from isodyn.expressions.time_kernels import TimeTables
from isodyn.expressions.time_writer import TimeWriter
from isodyn.expressions.tokens import LONGEST


def program_values(text: str, t: float) -> tuple[float, float, float]:
    """f, ḟ, f̈ of a formula of t by the compiled program."""
    writer = TimeWriter()
    writer.formula(compile_formula(text))
    tables, scratch = TimeTables(**writer.sizes()), FormulaScratch(**writer.scratch_sizes())
    writer.write(tables)
    scratch.given[:], scratch.slopes[:] = t, 1.0
    return run_formula(0, tables.formulas, scratch)


def plain(text: str, t: float) -> float:
    """The same by Python's arithmetic."""
    return evaluate(parse(text), lambda name, column: t)


NUMBERS = st.floats(-3, 3).map(lambda x: f"{x:.3f}" if x >= 0 else f"({x:.3f})")
FORMULAS = st.recursive(
    st.one_of(NUMBERS, st.just("t"), st.just("pi")),
    lambda parts: st.one_of(
        st.tuples(parts, st.sampled_from(["+", "-", "*"]), parts).map(lambda x: f"({x[0]} {x[1]} {x[2]})"),
        st.tuples(parts, parts).map(lambda x: f"({x[0]})/(2 + sin({x[1]}))"),
        st.tuples(st.sampled_from(["sin", "cos", "tanh", "atan"]), parts).map(lambda x: f"{x[0]}({x[1]})"),
        st.tuples(st.sampled_from(["exp", "sinh", "cosh"]), parts).map(lambda x: f"{x[0]}(sin({x[1]}))"),
        st.tuples(st.sampled_from(["log", "log10", "sqrt"]), parts).map(lambda x: f"{x[0]}(1.5 + cos({x[1]}))"),
        st.tuples(st.sampled_from(["asin", "acos", "tan"]), parts).map(lambda x: f"{x[0]}(0.5*sin({x[1]}))"),
        st.tuples(parts, st.integers(0, 3)).map(lambda x: f"(cos({x[0]}))^{x[1]}"),
        st.tuples(parts, parts).map(lambda x: f"(1.5 + sin({x[0]}))^(cos({x[1]}))"),
        st.tuples(parts, parts).map(lambda x: f"atan2(1.5 + sin({x[0]}), {x[1]})"),
        st.tuples(parts, parts).map(lambda x: f"hypot(1 + cos({x[0]})^2, {x[1]})"),
        st.tuples(parts, parts).map(lambda x: f"if(t < 0.5, {x[0]}, {x[1]})"),
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(FORMULAS, st.floats(-0.9, 0.4))
def test_programs_agree_with_plain_arithmetic_and_differences(text: str, t: float) -> None:
    """Value to rounding, first derivative to the error of differences, second as the difference of
    first ones."""
    f, d, dd = program_values(text, t)
    expected = plain(text, t)
    assert f == pytest.approx(expected, rel=1e-11, abs=1e-12)
    h = 1e-5
    size = 1 + max(abs(plain(text, t + s)) for s in (-h, 0.0, h)) + abs(d) + abs(dd)
    slope = (plain(text, t + h) - plain(text, t - h)) / (2 * h)
    curve = (program_values(text, t + h)[1] - program_values(text, t - h)[1]) / (2 * h)
    third = abs(curve - dd) * 10 + size
    assert d == pytest.approx(slope, abs=1e-6 * size * (1 + abs(dd)) ** 2)
    assert dd == pytest.approx(curve, abs=1e-6 * third * (1 + abs(dd)) ** 2)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("1 - 2 - 3", -4.0),
        ("8/4/2", 1.0),
        ("30 deg", math.pi / 6),
        ("180*deg", math.pi),
        ("--1", 1.0),
        ("2 ** 3", 8.0),
        ("1e-3 + .5", 0.501),
        ("if(1 < 2, 3, 1/0 + 4)", 3.0),
        ("min(2, 3) + max(2, 3)", 5.0),
        ("step(0) + step(-1) + sign(-2)", 0.0),
        ("(1 <= 1) + (2 >= 3) + (1 > 0)", 2.0),
    ],
)
def test_precedence_and_meaning(text: str, value: float) -> None:
    """As in mathematics: powers from right to left and before signs; the branch of `if` that is not
    taken does no harm."""
    assert evaluate(parse(text), lambda name, column: None) == pytest.approx(value)
    assert program_values(text, 0.0)[0] == pytest.approx(value)


def test_slopes_that_do_not_exist_are_not_asked_for() -> None:
    """√, | | and hypot of what does not change stand where their slope is infinite; min and max
    take the slope of their side."""
    assert program_values("sqrt(0)*t", 2.0) == (0.0, 0.0, 0.0)
    assert program_values("hypot(0, 0) + t", 2.0) == (2.0, 1.0, 0.0)
    assert program_values("min(t, 3)", 2.0) == (2.0, 1.0, 0.0)
    assert program_values("max(t, 3)", 2.0) == (3.0, 0.0, 0.0)
    assert program_values("t^2", 0.0) == (0.0, 0.0, 2.0)
    assert program_values("(-t)^3", 1.0) == (-1.0, -3.0, -6.0)


REFUSED = [
    ("__import__('os')", "means nothing here"),
    ("t.__class__", "there is no 't.__class__'"),
    ("().__class__", "means nothing here"),
    ("t.real", "there is no 't.real'"),
    ("sin.__self__(t)", "no function 'sin.__self__'"),
    ("open(t)", "no function 'open'"),
    ("eval(t)", "no function 'eval'"),
    ("exec(1)", "no function 'exec'"),
    ("lambda", "there is no 'lambda'"),
    ("t if t else 1", "is not expected here"),
    ("t; t", "';' means nothing"),
    ("t = 2", "'=' means nothing"),
    ("[t]", r"'\[' means nothing"),
    ("{t}", "'{' means nothing"),
    ("'a'", "means nothing"),
    ('"a"', "means nothing"),
    ("f(t)(t)", "no function 'f'"),
    ("sin(t)(t)", "is not expected here"),
    ("2t", "after the number"),
    ("2 t", "is not expected here"),
    ("1_000", "after the number"),
    ("0x10", "after the number"),
    ("1e999", "too large"),
    ("t @ t", "'@' means nothing"),
    ("t % 2", "'%' means nothing"),
    ("t // 2", "expected here"),
    ("t and t", "is not expected here"),
    ("!t", "'!' means nothing"),
    ("", "it is empty"),
    ("   ", "it is empty"),
    ("t +", "the end"),
    ("(t", "'\\)' is expected"),
    ("t)", "is not expected"),
    ("sin", "sin is a function"),
    ("sin()", "expected here"),
    ("sin(t, t)", "takes 1 argument, received 2"),
    ("atan2(t)", "takes 2 arguments, received 1"),
    ("sn(t)", "did you mean sin"),
    ("x + 1", "there is no 'x'"),
    ("crank.x", "there is no 'crank.x'"),
    ("π*t", "means nothing"),
    ("t" + "+t" * LONGEST, "at most"),
    ("(" * 200 + "t" + ")" * 200, "brackets within each other"),
    ("2^" * 200 + "t", "powers of powers"),
    ("+".join(["t"] * 900), "more than 1000 parts"),
    ("1 < 2 < 3", "is not expected here"),
    ("t\x00", "means nothing"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_is_not_its_own_is_refused(text: str, message: str) -> None:
    """Attributes, foreign names, calls, Python and sizes; every message tells the column."""
    with pytest.raises(InputError, match=message) as caught:
        compile_formula(text)
    assert "column" in str(caught.value)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_a_formula_or_an_input_error(text: str) -> None:
    """No other exception, whatever the text."""
    try:
        program = compile_formula(text, ("t", "a.b"))
    except InputError:
        return
    assert set(program.names) <= {"t", "a.b"}
    assert all(np.isfinite(number) for _, number in program.code)


def test_constants_know_parameters_and_refuse_time() -> None:
    """Numbers in model files are formulas of parameters."""
    assert constant("l/2 + 1", {"l": 4.0}) == 3.0
    with pytest.raises(InputError, match="there is no 't'"):
        constant("2*t", {"l": 4.0})
    with pytest.raises(InputError, match="not a finite number"):
        constant("1/0")
    with pytest.raises(InputError, match="not a finite number"):
        constant("sqrt(-1)")
