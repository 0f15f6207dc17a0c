"""Products of 64-bit numbers in 128 bits, which Numba has no type for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from isodyn.kernels.numba_internals.interfaces import (
        Builder,
        Context,
        Intrinsic,
        NumbaType,
        Signature,
        TypingContext,
        Value,
    )


@intrinsic
def _upper_product(typing_context: TypingContext, x: NumbaType, y: NumbaType) -> Intrinsic:
    def multiply(context: Context, builder: Builder, signature: Signature, arguments: Sequence[Value]) -> Value:
        wide = ir.IntType(128)
        left, right = (builder.zext(factor, wide) for factor in arguments)
        product = builder.mul(left, right)
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), multiply


def upper_product(x: int | np.uint64, y: int | np.uint64) -> int:
    """Upper 64 bits of x·y.

    >>> upper_product(1 << 63, 6)
    3
    """
    return (int(x) * int(y)) >> 64


if not numba.config.DISABLE_JIT:
    upper_product = _upper_product
