"""What isodyn uses of the objects of Numba and of LLVM, neither of which has types.

mypy holds the code that extends Numba to these members. What Numba's own functions return is not
checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeAlias


class MachineType(Protocol):
    """A type of LLVM. Called with a number, it is a constant."""

    def __call__(self, number: int) -> Value: ...
    def as_pointer(self) -> MachineType: ...


class Value(Protocol):
    """A value in code that is being generated."""

    type: MachineType

    def set_metadata(self, name: str, node: object) -> None: ...


class Module(Protocol):
    """The code that is being generated, as LLVM sees it."""

    globals: dict[str, Any]  # functions and variables, which have nothing in common

    def add_metadata(self, operands: Sequence[object]) -> object: ...


class Builder(Protocol):
    """What writes instructions."""

    module: Module

    def load(self, address: Value) -> Value: ...
    def store(self, value: Value, address: Value, align: int | None = None) -> Value: ...
    def gep(self, base: Value, distances: Sequence[Value], inbounds: bool = False) -> Value: ...
    def bitcast(self, value: Value, kind: MachineType) -> Value: ...
    def inttoptr(self, value: Value, kind: MachineType) -> Value: ...
    def trunc(self, value: Value, kind: MachineType) -> Value: ...
    def zext(self, value: Value, kind: MachineType) -> Value: ...
    def lshr(self, value: Value, bits: Value) -> Value: ...
    def mul(self, left: Value, right: Value, name: str = "", flags: Sequence[str] = ()) -> Value: ...
    def icmp_signed(self, relation: str, left: Value, right: Value) -> Value: ...
    def assume(self, condition: Value) -> Value: ...
    def call(self, function: Value, arguments: Sequence[Value]) -> Value: ...
    def extract_value(self, whole: Value, place: int) -> Value: ...
    def insert_value(self, whole: Value, part: Value, place: int) -> Value: ...
    def asm(
        self, kind: MachineType, code: str, constraint: str, arguments: Sequence[Value], side_effect: bool
    ) -> Value: ...


class NumbaType(Protocol):
    """A type of Numba. Called with the types of arguments, it is the signature of a function that
    returns it."""

    def __call__(self, *arguments: NumbaType) -> Signature: ...


class NamedTupleType(NumbaType, Protocol):
    """Numba's type of a named tuple."""

    fields: Sequence[str]
    types: Sequence[NumbaType]


class Signature(Protocol):
    """The types of the arguments of a function, and of its result."""

    args: Sequence[NumbaType]
    return_type: NumbaType


class CallStatus(Protocol):
    """How a call ended."""

    is_error: Value


class CallConvention(Protocol):
    """How compiled functions call each other, and how exceptions come back."""

    def get_function_type(self, result: NumbaType, arguments: Sequence[NumbaType]) -> MachineType: ...
    def call_function(
        self,
        builder: Builder,
        function: Value,
        result: NumbaType,
        kinds: Sequence[NumbaType],
        arguments: Sequence[Value],
    ) -> tuple[CallStatus, Value]: ...
    def return_status_propagate(self, builder: Builder, status: CallStatus) -> None: ...
    def return_user_exc(self, builder: Builder, error: type[BaseException], arguments: tuple[object, ...]) -> None: ...


class Context(Protocol):
    """What knows the machine that code is generated for."""

    call_conv: CallConvention

    def cast(self, builder: Builder, value: Value, kind: NumbaType, to: NumbaType) -> Value: ...
    def get_value_type(self, kind: NumbaType) -> MachineType: ...
    def get_dummy_value(self) -> Value: ...


class TypingContext(Protocol):
    """What knows the types of functions. isodyn hands it on and asks it nothing."""


class ModelManager(Protocol):
    """What knows how values of Numba's types lie in memory."""

    def lookup(self, kind: NumbaType) -> MemoryModel: ...


class MemoryModel(Protocol):
    """How values of one type of Numba lie in memory."""

    def get_value_type(self) -> MachineType: ...


class PythonInterface(Protocol):
    """Python's own functions, for code that reads arguments of a call from Python."""

    def object_getattr_string(self, value: Value, name: str) -> Value: ...
    def long_as_voidptr(self, number: Value) -> Value: ...
    def decref(self, value: Value) -> None: ...
    def err_occurred(self) -> Value: ...


class Unboxing(Protocol):
    """What is needed to make a value of compiled code from an object."""

    pyapi: PythonInterface
    builder: Builder


Lowering: TypeAlias = Callable[[Context, Builder, Signature, Sequence[Value]], Value]
"""What writes the code of a call."""

Intrinsic: TypeAlias = tuple[Signature, Lowering] | None
"""What an intrinsic answers: its signature and its code, or nothing for arguments that it does not
take."""


class Description(Protocol):
    """What Numba knows of a compiled function by name."""

    llvm_func_name: str
    llvm_cpython_wrapper_name: str
    qualname: str
    typemap: object
    calltypes: object

    def lookup_module(self) -> object: ...


class Named(Protocol):
    """A function or variable of a module."""

    name: str
    is_declaration: bool
    linkage: object


class ParsedModule(Protocol):
    """Code as LLVM parsed it."""

    functions: Iterable[Named]
    global_variables: Iterable[Named]

    def as_bitcode(self) -> bytes: ...


class Codegen(Protocol):
    """What makes machine code."""

    def set_env(self, name: str, environment: object) -> None: ...


class Library(Protocol):
    """Compiled functions that belong together."""

    name: str
    codegen: Codegen
    get_pointer_to_function: Callable[[str], int]
    _finalized: bool
    _final_module: ParsedModule
    _linking_libraries: list[Library]
    _reload_init: set[Callable[[], object]]

    def get_function(self, name: str) -> Named: ...
    def _get_module_for_linking(self) -> ParsedModule: ...
    def _get_compiled_object(self) -> bytes: ...


class Compilation(Protocol):
    """The result of compiling a function for one signature."""

    library: Library
    fndesc: Description
    entry_point: Callable[..., Any]  # takes and returns what the compiled function does
    environment: object
    signature: Signature
    reload_init: Sequence[Callable[[], object]]

    def _find_referenced_environments(self) -> Iterable[object]: ...
