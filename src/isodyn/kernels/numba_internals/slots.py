"""Kernels that other kernels call at an address, compiled or loaded when a run first comes there.

A caller reads the address from a slot. As long as the slot is empty, it asks Python to fill it;
what cannot be filled (the compilation failed, or was interrupted) ends the caller with a
`KernelError` that tells why, and the next call tries again. Slots have names, so that callers that
come from disk find them in another process.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

from llvmlite import binding, ir
from numba.core import cgutils

from isodyn.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isodyn.kernels.numba_internals.interfaces import Builder, Context, Lowering, Signature, Value

_ENSURE = "isodyn.ensure"
_fill: dict[
    int, tuple[str, Callable[[], int]]
] = {}  # by the address of a slot: its name, and what finds the kernel's address
_cells: list[ctypes.c_void_p] = []  # memory of slots, which machine code refers to for good
_failures: dict[str, BaseException] = {}  # why a slot is empty


class EmptySlotError(KernelError):
    """Raised by compiled code that comes to a slot which could not be filled."""

    def __init__(self, name: str) -> None:
        cause = _failures.get(name)
        interrupted = cause is None or isinstance(cause, KeyboardInterrupt)
        told = "was interrupted" if interrupted else f"failed: {type(cause).__name__}: {cause}"
        super().__init__(str(cause) if isinstance(cause, KernelError) else f"compiling the kernel {name} {told}")
        self.__cause__ = cause


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _ensure(address: int) -> None:
    """Fill the slot at an address. ctypes holds the global interpreter lock here, also for callers
    that have released it."""
    name, find = _fill[address]
    try:
        ctypes.c_void_p.from_address(address).value = find()
        _failures.pop(name, None)
    except BaseException as error:  # must not get lost in compiled code: the caller sees that the slot is empty
        _failures[name] = error


binding.add_symbol(_ENSURE, ctypes.cast(_ensure, ctypes.c_void_p).value)


def new_slot(name: str, find: Callable[[], int]) -> int:
    """A slot with this name, empty; its address."""
    cell = ctypes.c_void_p(None)
    address = ctypes.addressof(cell)
    _cells.append(cell)
    _fill[address] = name, find
    binding.add_symbol(_symbol(name), address)
    return address


def fill_slot(address: int, value: int) -> None:
    """Put the address of a kernel into a slot before anybody comes there."""
    ctypes.c_void_p.from_address(address).value = value


def _symbol(name: str) -> str:
    return f"isodyn.slot.{name}"


def call_through(name: str, kind: Signature) -> Lowering:
    """What lowers a call of the kernel with signature `kind` in the slot `name`."""

    def lower(context: Context, builder: Builder, _: Signature, values: Sequence[Value]) -> Value:
        convention, symbol = context.call_conv, _symbol(name)
        pointer = convention.get_function_type(kind.return_type, kind.args).as_pointer()
        slot = builder.module.globals.get(symbol)
        if slot is None:
            slot = cgutils.add_global_variable(builder.module, pointer, symbol)
            slot.linkage = "external"
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, builder.load(slot))):
            address = ir.IntType(8).as_pointer()
            ensure = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), [address]), _ENSURE)
            builder.call(ensure, [builder.bitcast(slot, address)])
            with cgutils.if_unlikely(builder, cgutils.is_null(builder, builder.load(slot))):
                convention.return_user_exc(builder, EmptySlotError, (name,))
        status, result = convention.call_function(builder, builder.load(slot), kind.return_type, kind.args, values)
        # an exception goes on, as it does through a copy
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return result

    return lower
