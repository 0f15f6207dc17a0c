"""What Numba has no words for: products of 64-bit numbers in 128 bits, eight bytes of text at
once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numba
import numpy as np
from llvmlite import ir
from numba import types
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


@intrinsic
def _put_word(typing_context: TypingContext, word: NumbaType, out: NumbaType, at: NumbaType) -> Intrinsic:
    def store(context: Context, builder: Builder, signature: Signature, arguments: Sequence[Value]) -> Value:
        data = make_array(signature.args[1])(context, builder, arguments[1]).data
        place = builder.bitcast(builder.gep(data, [arguments[2]]), ir.IntType(64).as_pointer())
        builder.store(arguments[0], place, align=1)
        return context.get_dummy_value()

    return types.void(types.uint64, out, types.intp), store


def put_word(word: int | np.uint64, out: npt.NDArray[np.uint8], at: int) -> None:
    """The eight bytes of a number into out[at:at + 8], the lowest first.

    >>> text = np.zeros(8, dtype=np.uint8)
    >>> put_word(0x64_63_62_61, text, 0)
    >>> bytes(text)
    b'abcd\\x00\\x00\\x00\\x00'
    """
    out[at : at + 8] = np.frombuffer(int(word).to_bytes(8, "little"), dtype=np.uint8)


if not numba.config.DISABLE_JIT:
    upper_product, put_word = _upper_product, _put_word
