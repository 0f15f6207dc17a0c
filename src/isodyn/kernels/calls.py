"""Functions that compiled code calls at an address it was given as a number: C functions of structs
that return a number, and kernels.

The former are made by users: compiled with `numba.cfunc`, or in Python behind `ctypes`. Without
compilation the address is a key.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from isodyn.kernels.numba_internals.dispatcher import Kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isodyn.kernels.numba_internals.interfaces import (
        Builder,
        Context,
        Intrinsic,
        Lowering,
        NumbaType,
        Signature,
        TypingContext,
        Value,
    )
    from isodyn.kernels.struct import Struct

# by address, for runs without compilation; who hands out an address keeps the function
_functions: WeakValueDictionary[int, Callable[..., Any]] = WeakValueDictionary()


@intrinsic
def _number_at(
    typing_context: TypingContext,
    address: NumbaType,
    one: NumbaType,
    two: NumbaType,
    three: NumbaType,
    four: NumbaType,
    five: NumbaType,
) -> Intrinsic:
    def call(context: Context, builder: Builder, signature: Signature, arguments: Sequence[Value]) -> Value:
        struct = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.DoubleType(), [struct] * 5)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.float64(address, one, two, three, four, five), call


def number_at(address: int, *structs: Struct) -> float:
    """What the function at an address says about five structs."""
    return _functions[address](*structs)


if not numba.config.DISABLE_JIT:
    number_at = _number_at


class CalledBack:
    """A Python function without arguments that compiled code may call with five structs, which the
    function knows by itself. NaN stands for an exception, which is kept."""

    def __init__(self, function: Callable[[], float]) -> None:
        raised: list[BaseException] = []

        def call(*_: object) -> float:
            try:
                return float(function())
            except BaseException as error:  # must not get lost in compiled code
                raised[:] = [error]
                return float("nan")

        self._raised, self._call = raised, call
        self._kept = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_void_p] * 5)(call)
        self.address: int = ctypes.cast(self._kept, ctypes.c_void_p).value or 0
        _functions[self.address] = call

    @property
    def raised(self) -> BaseException | None:
        """What the function raised last."""
        return self._raised[-1] if self._raised else None


def address_of_kernel(kernel: Callable[..., Any]) -> int:
    """Where a kernel with a signature is, for those who call it by `kernel_at`; the caller keeps
    it."""
    if numba.config.DISABLE_JIT:
        _functions[id(kernel)] = kernel
        return id(kernel)
    if not isinstance(kernel, Kernel):
        raise TypeError(f"{kernel!r} is no kernel")
    return kernel.address()


def _lowered(kind: Signature) -> Lowering:
    """What lowers a call (address, arguments …) of the kernel with the signature `kind` that is
    there."""

    def lower(context: Context, builder: Builder, signature: Signature, values: Sequence[Value]) -> Value:
        convention = context.call_conv
        given = [
            context.cast(builder, value, source, wanted)
            for value, source, wanted in zip(values[1:], signature.args[1:], kind.args, strict=True)
        ]
        function = builder.inttoptr(values[0], convention.get_function_type(kind.return_type, kind.args).as_pointer())
        status, result = convention.call_function(builder, function, kind.return_type, kind.args, given)
        # an exception goes on, as it does through a copy
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return result

    return lower


def _of_five(kind: Signature) -> Callable[..., Intrinsic]:
    def call(
        context: TypingContext,
        address: NumbaType,
        a: NumbaType,
        b: NumbaType,
        c: NumbaType,
        d: NumbaType,
        e: NumbaType,
    ) -> Intrinsic:
        return kind.return_type(address, a, b, c, d, e), _lowered(kind)

    return call


def _of_eight(kind: Signature) -> Callable[..., Intrinsic]:
    def call(
        context: TypingContext,
        address: NumbaType,
        a: NumbaType,
        b: NumbaType,
        c: NumbaType,
        d: NumbaType,
        e: NumbaType,
        f: NumbaType,
        g: NumbaType,
        h: NumbaType,
    ) -> Intrinsic:
        return kind.return_type(address, a, b, c, d, e, f, g, h), _lowered(kind)

    return call


_TYPED = {5: _of_five, 8: _of_eight}  # Numba counts the arguments of an intrinsic


def kernel_at(kind: Signature) -> Callable[..., int]:
    """A function (address, arguments …) for kernels: what the kernel with the signature `kind` at
    the address returns."""
    return _called if numba.config.DISABLE_JIT else intrinsic(_TYPED[len(kind.args)](kind))


def _called(address: int, *arguments: object) -> int:
    return _functions[address](*arguments)
