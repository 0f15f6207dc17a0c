"""What compiled functions need beyond Numba: named tuples as one pointer, a promise about an index,
kernels called at their address.

A tuple of arrays is handed over by value otherwise, seven words an array: hundreds of words a call,
which takes longer than the work of a small step and the larger part of compiling it.
`by_reference(x)` puts x into the frame of the caller and gives its address; `r.name` reads one
member, a tuple inside a tuple again as a reference. Members are never written, so that reads need
not be repeated after writes to the arrays. A reference is good until the function that made it
returns. Without compilation it is x itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, models, register_model

from isodyn.kernels.numba_internals.dispatcher import Kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isodyn.kernels.numba_internals.interfaces import (
        Builder,
        Context,
        Intrinsic,
        MachineType,
        ModelManager,
        NamedTupleType,
        NumbaType,
        Signature,
        TypingContext,
        Value,
    )

T = TypeVar("T")


class Reference(types.Type):
    """The address of a named tuple."""

    def __init__(self, of: NamedTupleType) -> None:
        self.of = of
        super().__init__(name=f"Reference({of})")

    def member(self, name: str) -> tuple[int, NumbaType]:
        """Place of a member, and what reading it gives."""
        place = self.of.fields.index(name)
        kind = self.of.types[place]
        return place, Reference(kind) if isinstance(kind, types.BaseNamedTuple) else kind


@register_model(Reference)
class _Address(models.PrimitiveModel):
    def __init__(self, manager: ModelManager, reference: Reference) -> None:
        super().__init__(manager, reference, manager.lookup(reference.of).get_value_type().as_pointer())


@infer_getattr
class _Members(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference: Reference, name: str) -> NumbaType | None:
        return reference.member(name)[1] if name in reference.of.fields else None


def _read(builder: Builder, address: Value, kind: MachineType) -> Value:
    """The value at an address, word by word: those that are not used are never read."""
    if isinstance(kind, ir.LiteralStructType | ir.ArrayType):
        value = ir.Constant(kind, ir.Undefined)
        for i, part in enumerate(
            kind.elements if isinstance(kind, ir.LiteralStructType) else [kind.element] * kind.count
        ):
            value = builder.insert_value(value, _read(builder, cgutils.gep_inbounds(builder, address, 0, i), part), i)
        return value
    word = builder.load(address)
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


@lower_getattr_generic(Reference)
def _member(context: Context, builder: Builder, reference: Reference, address: Value, name: str) -> Value:
    place, kind = reference.member(name)
    where = cgutils.gep_inbounds(builder, address, 0, place)
    if isinstance(kind, Reference):
        return where
    return impl_ret_borrowed(context, builder, kind, _read(builder, where, context.get_value_type(kind)))


@intrinsic
def _by_reference(typing_context: TypingContext, x: NamedTupleType) -> Intrinsic:
    def put(context: Context, builder: Builder, signature: Signature, arguments: Sequence[Value]) -> Value:
        address = cgutils.alloca_once_value(builder, arguments[0])
        # what is read later was written before
        barrier = ir.FunctionType(address.type, [address.type])
        return builder.asm(barrier, "", "=r,0,~{memory}", [address], True)

    return Reference(x)(x), put


def by_reference(x: T) -> T:
    """A reference to the named tuple x."""
    return x


if not numba.config.DISABLE_JIT:
    by_reference = _by_reference


@intrinsic
def _natural(typing_context: TypingContext, i: NumbaType) -> Intrinsic:
    def assume(context: Context, builder: Builder, signature: Signature, arguments: Sequence[Value]) -> Value:
        builder.assume(builder.icmp_signed(">=", arguments[0], arguments[0].type(0)))
        return arguments[0]

    return i(i), assume


def natural(i: int) -> int:
    """i, which is not negative, and the compiler may count on it: an index that might be costs a
    test at every use."""
    return i


if not numba.config.DISABLE_JIT:
    natural = _natural


def by_address(kernel: T, kind: Signature) -> T:
    """A kernel with the signature `kind`, which other kernels call at its address from now on
    (`apart` of isodyn.kernels.compiled.kernel)."""
    if isinstance(kernel, Kernel):
        kernel.set_apart()
    elif not numba.config.DISABLE_JIT:
        raise TypeError(f"{kernel!r} is no kernel")
    return kernel
