"""Structs in compiled code: what Numba has to know about isodyn.kernels.struct.

A value of struct type is one address. A number is a load or a store at a constant distance from it.
An array is found through the words of the header, which are marked as never changing. Arrays cannot
be exchanged, only their elements can. Functions that know nothing of a class take the `ADDRESS` of
a struct; who knows it opens it: `tables = opened(Tables, tables)`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import (
    impl_ret_borrowed,
    lower_builtin,
    lower_cast,
    lower_getattr_generic,
    lower_setattr_generic,
)
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global, signature
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array

from isodyn.kernels.struct import Struct, StructAddress, StructClass
from isodyn.kernels.struct_layout import WORD, Field

if TYPE_CHECKING:
    import numpy.typing as npt

    from isodyn.kernels.numba_internals.interfaces import (
        Builder,
        Context,
        Intrinsic,
        MachineType,
        ModelManager,
        NumbaType,
        Signature,
        TypingContext,
        Unboxing,
        Value,
    )

S = TypeVar("S", bound=Struct)

_i8, _i64 = ir.IntType(8), ir.IntType(64)
_NUMBERS = {"f": types.float64, "i": types.int64}


class StructType(types.Type):
    """The address of a struct of one class."""

    def __init__(self, of: type[Struct]) -> None:
        self.of = of
        super().__init__(name=f"{of.__module__}.{of.__qualname__}[{of._digest}]")

    def can_convert_to(self, context: TypingContext, other: NumbaType) -> Conversion | None:
        """Its address is that of any struct."""
        return Conversion.safe if other == ADDRESS else None


class AddressType(types.Type):
    """The address of a struct of any class."""

    def __init__(self) -> None:
        super().__init__(name="address of a struct")


ADDRESS = AddressType()


class ClassType(types.Dummy):
    """A class of structs, which `opened` takes."""

    def __init__(self, of: type[Struct]) -> None:
        self.of = of
        super().__init__(name=f"class {of.__module__}.{of.__qualname__}[{of._digest}]")


class ManyType(types.Type):
    """The address of the first of many structs, and how many there are."""

    def __init__(self, of: type[Struct]) -> None:
        self.of = of
        super().__init__(name=f"many {of.__module__}.{of.__qualname__}[{of._digest}]")


register_model(ClassType)(models.OpaqueModel)


@register_model(AddressType)
@register_model(StructType)
class _Address(models.PrimitiveModel):
    def __init__(self, manager: ModelManager, kind: NumbaType) -> None:
        super().__init__(manager, kind, _i8.as_pointer())


@register_model(ManyType)
class _First(models.StructModel):
    def __init__(self, manager: ModelManager, kind: NumbaType) -> None:
        super().__init__(manager, kind, [("data", types.voidptr), ("count", types.intp)])


known_types: dict[type, StructType] = {}  # by class: they are asked for at every call from Python


@typeof_impl.register(Struct)
def _typeof(value: Struct, context: object) -> StructType:
    of = type(value)
    if of not in known_types:
        known_types[of] = StructType(of)
    return known_types[of]


@typeof_impl.register(StructClass)
def _typeof_class(value: type[Struct], context: object) -> ClassType:
    return ClassType(value)


@lower_cast(StructType, AddressType)
def _cast(context: Context, builder: Builder, kind: NumbaType, to: NumbaType, address: Value) -> Value:
    return address


@unbox(AddressType)
@unbox(StructType)
def _unbox(kind: NumbaType, value: Value, c: Unboxing) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "_address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(address, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


def _kind(field: Field) -> NumbaType:
    """What reading a field gives."""
    if field.of is not None:
        return ManyType(field.of) if field.kind == "many" else StructType(field.of)
    number = _NUMBERS[field.kind]
    return types.Array(number, len(field.shape), "C") if field.shape else number


@infer_getattr
class _Fields(AttributeTemplate):
    key = StructType

    def generic_resolve(self, kind: StructType, name: str) -> NumbaType | None:
        field = kind.of._fields.get(name)
        return None if field is None else _kind(field)


def _at(builder: Builder, base: Value, distance: int | Value, kind: MachineType) -> Value:
    """The address at a distance of so many bytes."""
    distance = _i64(distance) if isinstance(distance, int) else distance
    return builder.bitcast(builder.gep(base, [distance], inbounds=True), kind.as_pointer())


def _constant(builder: Builder, base: Value, word: int) -> Value:
    """A word of the header that never changes."""
    value = builder.load(_at(builder, base, WORD * word, _i64))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@lower_getattr_generic(StructType)
def _read(context: Context, builder: Builder, kind: StructType, base: Value, name: str) -> Value:
    field, sizes = kind.of._fields[name], kind.of._sizes
    gives = _kind(field)
    if not field.shape and field.of is None:
        return builder.load(_at(builder, base, WORD * field.offset, context.get_value_type(gives)))
    place = _constant(builder, base, field.offset) if field.sized else WORD * field.offset
    if field.kind == "one":
        return _at(builder, base, place, _i8)
    shape = [_constant(builder, base, sizes[n]) if isinstance(n, str) else _i64(n) for n in field.shape]
    if field.kind == "many":
        found = cgutils.create_struct_proxy(gives)(context, builder)
        found.data, found.count = _at(builder, base, place, _i8), shape[0]
        return found._getvalue()
    array, step = make_array(gives)(context, builder), _i64(WORD)
    strides: list[Value] = []
    for n in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, n, flags=("nsw",))
    data = _at(builder, base, place, context.get_value_type(_NUMBERS[field.kind]))
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=_i64(WORD), meminfo=None)
    return impl_ret_borrowed(context, builder, gives, array._getvalue())


@lower_setattr_generic(StructType)
def _write(context: Context, builder: Builder, sig: Signature, arguments: Sequence[Value], name: str) -> None:
    kind, given = sig.args
    assert isinstance(kind, StructType)
    field = kind.of._fields[name]
    if field.shape or field.of is not None:
        raise TypeError(f"{kind.of.__name__}.{name} is no number: write to its elements")
    gives = _kind(field)
    value = context.cast(builder, arguments[1], given, gives)
    builder.store(value, _at(builder, arguments[0], WORD * field.offset, context.get_value_type(gives)))


@infer_global(operator.getitem)
class _Item(AbstractTemplate):
    def generic(self, arguments: Sequence[NumbaType], keywords: object) -> Signature | None:
        if len(arguments) == 2 and isinstance(arguments[0], ManyType) and isinstance(arguments[1], types.Integer):
            return signature(StructType(arguments[0].of), arguments[0], types.intp)
        return None


@lower_builtin(operator.getitem, ManyType, types.Integer)
def _item(context: Context, builder: Builder, sig: Signature, arguments: Sequence[Value]) -> Value:
    kind = sig.args[0]
    assert isinstance(kind, ManyType)
    structs = cgutils.create_struct_proxy(kind)(context, builder, value=arguments[0])
    distance = builder.mul(arguments[1], _i64(WORD * kind.of._header), flags=("nsw",))
    return _at(builder, structs.data, distance, _i8)


@infer_global(len)
class _Length(AbstractTemplate):
    def generic(self, arguments: Sequence[NumbaType], keywords: object) -> Signature | None:
        if len(arguments) == 1 and isinstance(arguments[0], ManyType):
            return signature(types.intp, arguments[0])
        return None


@lower_builtin(len, ManyType)
def _length(context: Context, builder: Builder, sig: Signature, arguments: Sequence[Value]) -> Value:
    return cgutils.create_struct_proxy(sig.args[0])(context, builder, value=arguments[0]).count


@intrinsic
def _copy_struct(typing_context: TypingContext, source: NumbaType, target: NumbaType) -> Intrinsic:
    def move(context: Context, builder: Builder, sig: Signature, arguments: Sequence[Value]) -> Value:
        length = builder.mul(_constant(builder, arguments[0], 0), _i64(WORD))
        cgutils.raw_memcpy(builder, arguments[1], arguments[0], length, 1)
        return context.get_dummy_value()

    return (types.void(source, target), move) if source == target else None


def copy_struct(source: StructAddress, target: StructAddress) -> None:
    """Take over the contents of a struct of the same class and sizes."""
    if not (isinstance(source, Struct) and isinstance(target, Struct)):
        raise TypeError(f"structs are copied, received {type(source).__name__} and {type(target).__name__}")
    target.copy_from(source)


@intrinsic
def _opened(typing_context: TypingContext, of: NumbaType, address: NumbaType) -> Intrinsic:
    def look(context: Context, builder: Builder, sig: Signature, arguments: Sequence[Value]) -> Value:
        return arguments[1]

    return (StructType(of.of)(of, address), look) if isinstance(of, ClassType) and address == ADDRESS else None


def opened(of: type[S], address: StructAddress) -> S:
    """The struct of this class at an address; who gives the address is trusted."""
    if isinstance(address, np.ndarray):
        return of.over(address)
    if not isinstance(address, of):
        raise TypeError(f"a {type(address).__name__} cannot be opened as a {of.__name__}")
    return address


@intrinsic
def _address_of(typing_context: TypingContext, words: NumbaType) -> Intrinsic:
    def look(context: Context, builder: Builder, sig: Signature, arguments: Sequence[Value]) -> Value:
        return builder.bitcast(make_array(words)(context, builder, arguments[0]).data, _i8.as_pointer())

    return ADDRESS(words), look


def address_of(words: npt.NDArray[np.int64]) -> StructAddress:
    """The address of a struct whose words are the elements of an array in another one."""
    return words


@intrinsic
def _address_at(typing_context: TypingContext, number: NumbaType) -> Intrinsic:
    def convert(context: Context, builder: Builder, sig: Signature, arguments: Sequence[Value]) -> Value:
        return builder.inttoptr(arguments[0], _i8.as_pointer())

    return (ADDRESS(number), convert) if isinstance(number, types.Integer) else None


def address_at(number: int | Struct) -> StructAddress:
    """The address that `addresses` wrote down as a number, or the struct itself."""
    return number if isinstance(number, Struct) else struct_at(number)


_numbered: dict[int, Struct] = {}  # by number, for runs without compilation


def number_of(struct: Struct) -> int:
    """Where a struct is, as a number for a field of another one; the caller keeps the struct."""
    if numba.config.DISABLE_JIT:
        _numbered[id(struct)] = struct
        return id(struct)
    return int(struct.__dict__["_address"])


def struct_at(number: int) -> StructAddress:
    """The address of the struct that `number_of` wrote down."""
    return _numbered[number]


def addresses(structs: Sequence[Struct]) -> Sequence[Struct] | npt.NDArray[np.int64]:
    """Where structs are, in numbers that kernels read; the caller keeps the structs."""
    return structs if numba.config.DISABLE_JIT else np.array([one.__dict__["_address"] for one in structs])


if not numba.config.DISABLE_JIT:
    copy_struct, opened, address_at, address_of = _copy_struct, _opened, _address_at, _address_of
    struct_at = _address_at
