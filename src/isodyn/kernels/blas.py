"""Products of dense blocks by BLAS, which compiled code calls at an address that it is given as a
number.

The address is that of SciPy's own BLAS: machine code on disk must not contain it, because it is
another one in every process.
"""

from __future__ import annotations

import ctypes
import importlib
from typing import TYPE_CHECKING

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from isodyn.kernels.numba_internals.interfaces import (
        Builder,
        Context,
        Intrinsic,
        NumbaType,
        Signature,
        TypingContext,
        Value,
    )

NARROW = b"int *"  # sizes take four bytes, as here; wider ones would need another call


def address_of_gemm() -> int:
    """Where dgemm lies in this process; 0 if it does not take what is handed over here."""
    capsule = importlib.import_module("scipy.linalg.cython_blas").__pyx_capi__["dgemm"]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    name = api.PyCapsule_GetName(capsule)
    if not name or NARROW not in name:
        return 0
    return int(api.PyCapsule_GetPointer(capsule, name) or 0)


@intrinsic
def _subtract_by_blas(
    typing_context: TypingContext,
    address: NumbaType,
    A: NumbaType,
    target: NumbaType,
    left: NumbaType,
    right: NumbaType,
    shape: NumbaType,
    strides: NumbaType,
) -> Intrinsic:
    def call(context: Context, builder: Builder, signature: Signature, arguments: Sequence[Value]) -> Value:
        address, array, target, left, right, shape, strides = arguments
        word, number = ir.IntType(32), ir.DoubleType()
        data = make_array(signature.args[1])(context, builder, array).data
        C, L, R = (builder.gep(data, [at]) for at in (target, left, right))

        def stored(value: Value) -> Value:
            return cgutils.alloca_once_value(builder, value)

        def numbers(three: Value) -> list[Value]:
            return [stored(builder.trunc(builder.extract_value(three, i), word)) for i in range(3)]

        (rows, depth, columns), (of_target, of_left, of_right) = numbers(shape), numbers(strides)
        plain, turned = (stored(ir.Constant(ir.IntType(8), ord(letter))) for letter in "NT")
        minus, one = stored(ir.Constant(number, -1.0)), stored(ir.Constant(number, 1.0))
        # columns of BLAS are rows here: it makes the transposed product Rᵀ L
        given = [plain, turned, columns, rows, depth, minus, R, of_right, L, of_left, one, C, of_target]
        kind = ir.FunctionType(ir.VoidType(), [x.type for x in given])
        builder.call(builder.inttoptr(address, kind.as_pointer()), given)
        return context.get_dummy_value()

    return types.void(address, A, target, left, right, shape, strides), call


def subtract_by_blas(
    address: int,
    A: npt.NDArray[np.float64],
    target: int,
    left: int,
    right: int,
    shape: tuple[int, int, int],
    strides: tuple[int, int, int],
) -> None:
    """C −= Lᵀ R for blocks at these places of the array A, row by row: rows of C, depth and
    columns, and the strides of the three."""
    rows, depth, columns = shape

    def block(at: int, shape: tuple[int, int], stride: int) -> npt.NDArray[np.float64]:
        return np.lib.stride_tricks.as_strided(A[at:], shape, (8 * stride, 8))

    L, R = block(left, (depth, rows), strides[1]), block(right, (depth, columns), strides[2])
    block(target, (rows, columns), strides[0])[...] -= L.T @ R


if not numba.config.DISABLE_JIT:
    subtract_by_blas = _subtract_by_blas
