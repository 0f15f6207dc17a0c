"""Products of 64-bit numbers in 128 bits, which Numba has no type for."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def _upper_product(typing_context: Any, x: Any, y: Any) -> Any:
    def multiply(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(factor, wide) for factor in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), multiply


def upper_product(x: Any, y: Any) -> Any:
    """Upper 64 bits of x·y.

    >>> upper_product(1 << 63, 6)
    3
    """
    return (int(x) * int(y)) >> 64


if not numba.config.DISABLE_JIT:
    upper_product = _upper_product
