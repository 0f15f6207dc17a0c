"""What LinearSystem, LinearFirstOrderSystem, loads and damping say about bad input: what, expected,
received, hint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso
from isodyn.errors import CallableError, InputError, NonFiniteError, SingularError
from isodyn.systems.damping import modal_damping, rayleigh, rayleigh_from_ratios
from isodyn.systems.loads import base_excitation, harmonic, step_load, tabulated

I2 = np.eye(2)
NAN2 = np.array([[1.0, np.nan], [0.0, 1.0]])


def linear(
    M: Any = I2, C: Any = None, K: Any = I2, f: Any = None, q0: Any = (1.0, 0.0), v0: Any = (0.0, 0.0), **rest: Any
) -> Any:
    return iso.LinearSystem(M, C, K, f, q0, v0, **rest)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q0": [1.0]}, r"q0 and v0 must have the same length of at least 1, received 1 and 2"),
        ({"q0": [], "v0": []}, r"received 0 and 0"),
        ({"q0": [1.0, np.nan]}, r"q0 must be finite, received q0\[1\] = nan"),
        ({"q0": [[1.0, 2.0]]}, r"q0 must be a vector, received an array of shape \(1, 2\)"),
        ({"v0": "fast"}, r"v0 must be a vector.*received"),
        (
            {"M": np.eye(3)},
            r"M must have shape \(2, 2\), received \(3, 3\)\nhint: its size follows from the initial values",
        ),
        ({"C": np.ones((2, 3))}, r"C must have shape \(2, 2\), received \(2, 3\)"),
        ({"K": sp.eye_array(3)}, r"K must have shape \(2, 2\), received \(3, 3\)"),
        ({"K": NAN2}, r"K must be finite, received K\[0, 1\] = nan"),
        ({"M": sp.csr_array(NAN2)}, r"M must be finite"),
        ({"K": "stiff"}, r"K must be a matrix of numbers"),
        ({"f": [1.0, 2.0, 3.0]}, r"f must have 2 entries or be a function of t, received 3 entries"),
        ({"f": [1.0, np.inf]}, r"f must be finite, received f\[1\] = inf"),
        ({"names": ["x"]}, r"names must have 2 entries"),
    ],
)
def test_linear_system_refuses(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        linear(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"s0": []}, r"the system has no unknowns: s0 is empty"),
        ({"Q": np.eye(2)}, r"Q must have shape \(1, 1\), received \(2, 2\)"),
        ({"P": np.inf}, r"P must be finite"),
        ({"r": [1.0, 2.0]}, r"r must have 1 entries or be a function of t, received 2 entries"),
    ],
)
def test_linear_first_order_system_refuses(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        iso.LinearFirstOrderSystem(**{"Q": 1.0, "P": 1.0, "r": None, "s0": [1.0], **arguments})


@pytest.mark.parametrize("convert", [np.array, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (lambda t: np.ones(3), CallableError, r"f returned shape \(3,\) at t = 0, expected numbers of shape \(2,\)"),
        (lambda t: "push", CallableError, r"f returned str 'push' at t = 0"),
        (lambda t: None, CallableError, r"f returned .*at t = 0, expected numbers of shape \(2,\)"),
        (
            lambda t: np.array([0.0, np.nan]),
            NonFiniteError,
            r"a NaN or an infinity appeared at the start, t = 0 in the balance",
        ),
    ],
)
def test_load_that_returns_garbage(convert: Any, f: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        iso.integrate(linear(convert(I2), None, convert(I2), f), dt=0.1, t_end=1.0)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array], ids=["dense", "sparse"])
def test_load_that_raises_arrives_unchanged_with_its_place(convert: Any) -> None:
    def f(t: float) -> Any:
        if t > 0.5:
            raise ZeroDivisionError("load gone")
        return np.zeros(2)

    with pytest.raises(ZeroDivisionError, match="load gone") as caught:
        iso.integrate(linear(convert(I2), None, convert(I2), f), dt=0.1, t_end=1.0)
    assert any("in step 6 of 10, from t = 0.5" in note for note in caught.value.__notes__)


# ---- loads


def test_table_that_ends_early() -> None:
    """V0 members ask behind t_end; the message says where, what the table covers, and what to
    do."""
    table = tabulated([0.0, 1.0], [[0.0, 0.0], [1.0, 2.0]])
    with pytest.raises(
        InputError,
        match=r"asked for at t = 1\.\d+, its table covers 0 to 1\nhint: some schemes ask up to dt/2 behind t_end",
    ):
        iso.integrate(linear(f=table), iso.Scheme.V0(0.0, 0.0, 0.0), dt=0.1, t_end=1.0)


@pytest.mark.parametrize(
    ("times", "values", "message"),
    [
        ([0.0], [1.0], r"at least 2 times, received 1 times"),
        ([0.0, 1.0], [1.0, 2.0, 3.0], r"one row for each.*received 2 times and values of shape \(3,\)"),
        (
            [0.0, 1.0, 1.0],
            [1.0, 2.0, 3.0],
            r"times must rise, received times\[1\] = 1, times\[2\] = 1\nhint: a jump goes into breakpoints=",
        ),
        ([0.0, 1.0], [1.0, np.nan], r"values must be finite, received a NaN or an infinity in row 1"),
        ([0.0, 1.0], ["a", "b"], r"values must be numbers"),
    ],
)
def test_bad_tables(times: Any, values: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tabulated(times, values)


def test_bad_loads() -> None:
    with pytest.raises(InputError, match=r"acceleration must be a function, received 9.81"):
        base_excitation(I2, [1.0, 1.0], 9.81)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"M must have shape \(2, 2\)"):
        base_excitation(np.eye(3), [1.0, 1.0], np.sin)
    with pytest.raises(InputError, match=r"direction must be a finite vector"):
        base_excitation(I2, [1.0, np.nan], np.sin)
    with pytest.raises(CallableError, match=r"acceleration did not return 1 number at t = 0.5"):
        base_excitation(I2, [1.0, 1.0], lambda t: [t, t])(0.5)
    with pytest.raises(InputError, match=r"omega and phase must be finite, received inf"):
        harmonic([1.0], np.inf)
    with pytest.raises(InputError, match=r"t_on must be finite, received nan"):
        step_load([1.0], np.nan)


# ---- damping


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rayleigh(I2, np.eye(3), 0.1, 0.1), r"K must have shape \(2, 2\), received \(3, 3\)"),
        (lambda: rayleigh(I2, I2, np.nan, 0.1), r"alpha must be finite, received nan"),
        (
            lambda: rayleigh_from_ratios(I2, I2, (1.0, 0.1), (1.0, 0.1)),
            r"two different positive frequencies.*received 1.0 and 1.0",
        ),
        (lambda: rayleigh_from_ratios(I2, I2, (-1.0, 0.1), (1.0, 0.1)), r"two different positive frequencies"),
        (
            lambda: rayleigh_from_ratios(I2, I2, (1.0, 0.1), (10.0, 0.001)),
            r"beta = -.*motions outside these frequencies would grow\nhint",
        ),
        (lambda: rayleigh_from_ratios(I2, I2, (1.0, 0.001), (10.0, 0.1)), r"alpha = -.*motions outside"),
        (lambda: modal_damping(I2, I2, [0.1, 0.1, 0.1]), r"ratios must be one number, or 1 to 2 numbers"),
        (lambda: modal_damping(I2, I2, -0.1), r"none negative, received -0.1"),
        (lambda: modal_damping(I2, -I2, 0.1), r"K has the negative eigenvalue -1"),
        (
            lambda: modal_damping(sp.eye_array(6000), sp.eye_array(6000), [0.1]),
            r"modal damping fills a matrix of 6000 × 6000",
        ),
    ],
)
def test_bad_damping(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_modal_damping_without_inertia() -> None:
    with pytest.raises(
        SingularError,
        match=r"modal damping needs a positive definite mass matrix\nhint: every coordinate needs inertia",
    ):
        modal_damping(np.diag([1.0, 0.0]), I2, 0.1)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(InputError, match=r"needs K, v0[\s\S]*C and f may be None"):
        iso.LinearSystem(M=1.0, q0=[1.0])
    assert iso.LinearSystem(M=1.0, K=4.0, q0=[1.0], v0=[0.0]).C is None
