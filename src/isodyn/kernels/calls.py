"""Functions that compiled code calls at an address it was given as a number: C functions of structs
that return a number.

They are made by users: compiled with `numba.cfunc`, or in Python behind `ctypes`. Without
compilation the address is a key.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_functions: dict[int, Callable[..., float]] = {}  # by address, for runs without compilation


@intrinsic
def _number_at(typing_context: Any, address: Any, one: Any, two: Any, three: Any, four: Any, five: Any) -> Any:
    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        struct = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.DoubleType(), [struct] * 5)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.float64(address, one, two, three, four, five), call


def number_at(address: int, *structs: Any) -> float:
    """What the function at an address says about five structs."""
    return _functions[address](*structs)


if not numba.config.DISABLE_JIT:
    number_at = _number_at


class CalledBack:
    """A Python function without arguments that compiled code may call with five structs, which the
    function knows by itself. NaN stands for an exception, which is kept."""

    def __init__(self, function: Callable[[], float]) -> None:
        self.raised: BaseException | None = None

        def call(*_: Any) -> float:
            try:
                return float(function())
            except BaseException as error:  # must not get lost in compiled code
                self.raised = error
                return float("nan")

        self._kept = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_void_p] * 5)(call)
        self.address: int = ctypes.cast(self._kept, ctypes.c_void_p).value or 0
        _functions[self.address] = call
