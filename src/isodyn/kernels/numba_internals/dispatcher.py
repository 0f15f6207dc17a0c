"""Kernels: functions that are declared at import, and compiled or loaded at their first call."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from numba import types
from numba.core import typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from isodyn.kernels.numba_internals import libraries, slots
from isodyn.kernels.struct_types import known_types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isodyn.kernels.numba_internals.interfaces import Compilation, NumbaType, Signature


class ForPython(CPUDispatcher):
    """A part of kernels for callers in Python (tests, tables), with the wrappers that parts have
    not."""

    def compile(self, sig: Signature) -> Callable[..., Any]:
        """As Numba does, with the parts linked once."""
        with libraries.compiling():
            return super().compile(sig)


class Kernel(CPUDispatcher):
    """A function for compiled code; with a signature it is compiled or loaded for that alone, by
    `make`, when it is needed.

    `known` tells whether `make` would find it on disk.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Any],
        signature: Signature | None = None,
        make: Callable[[Kernel], Compilation] | None = None,
        known: Callable[[Kernel], bool] | None = None,
        *,
        apart: bool = False,
        loops: libraries.Loops = "long",
    ) -> None:
        super().__init__(function, targetoptions=options)
        self.declared, self.make, self.known = signature, make, known
        self.loops = loops
        self.origin: str | None = None  # "compiled" or "loaded", once it is ready
        self.seconds = 0.0  # of processor time that compiling took
        self.result: Compilation | None = None
        self.in_python: ForPython | None = None
        self.own_type: NumbaType | None = None
        self.slot = 0
        self.name = f"{function.__module__}.{function.__qualname__}"
        if apart:
            self.set_apart()

    def set_apart(self) -> None:
        """Let other kernels call this one at its address instead of linking a copy."""
        if not self.slot:
            self.slot = slots.new_slot(self.name, self.address)
            key, kind = self._slot_key, self._signature()
            self.targetctx.insert_func_defn([(slots.call_through(self.name, kind), key, kind.args)])

    def _signature(self) -> Signature:
        """The signature; TypeError of a part of other kernels, which has none."""
        if self.declared is None:
            raise TypeError(f"{self.name} has no signature")
        return self.declared

    @property
    def _slot_key(self) -> str:
        return f"isodyn.slot.{id(self)}"

    def ready(self) -> Compilation | None:
        """What Numba knows of the compiled kernel; compiled or loaded if that was not done yet.
        None of a part of other kernels."""
        if self.result is None:
            with global_compiler_lock:
                if self.result is None and self.make is not None:
                    result = self.make(self)
                    library = result.library
                    # Numba looks the address up at every call that hands a kernel over, which takes
                    # ten times the rest of the call.
                    library.get_pointer_to_function = cache(library.get_pointer_to_function)
                    self.disable_compile()
                    self.result = result
        return self.result

    def ready_soon(self) -> bool:
        """Whether nothing has to be compiled before it can be called."""
        return self.result is not None or self.declared is None or self.known is None or self.known(self)

    def address(self) -> int:
        """Where the machine code is."""
        result = self.ready()
        found = 0 if result is None else result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        if found == 0:
            raise RuntimeError(f"{self.name} has no machine code")
        return found

    def compile_declared(self) -> Compilation:
        """Compile for the declared signature, now."""
        started = time.process_time()
        with libraries.compiling(loops=self.loops):
            self.compile(self._signature())
            result: Compilation = self.overloads[tuple(self._signature().args)]
            # also of kernels without wrapper
            result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
            libraries.set_environments(result.library)
        self.origin, self.seconds = "compiled", time.process_time() - started
        return result

    def take(self, result: Compilation) -> Compilation:
        """Take what was loaded from disk."""
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.add_overload(result)
        self.origin = "loaded"
        return result

    # ---- what Numba asks a dispatcher

    def add_overload(self, cres: Compilation) -> None:
        """Keep a compilation; those without wrapper are not to be called from Python."""
        if self.targetoptions["no_cpython_wrapper"]:
            self.overloads[tuple(cres.signature.args)] = cres
        else:
            super().add_overload(cres)

    def get_compile_result(self, sig: Signature) -> Compilation | None:
        """For those who hand the kernel over as a function."""
        return super().get_compile_result(sig) if self.declared is None else self.ready()

    def get_call_template(self, args: Sequence[NumbaType], kws: dict[str, NumbaType]) -> tuple[object, ...]:
        """For kernels that call this one."""
        if self.slot:
            pysig, folded = self.fold_argument_types(args, kws)
            name = f"CallTemplate({self.__name__})"
            return typing.make_concrete_template(name, key=self.__name__, signatures=[self.declared]), pysig, folded, {}
        if self.declared is not None:
            self.ready()
        elif self.targetoptions[
            "forceinline"
        ]:  # one version for all constants: LLVM finds them where it puts its copies
            args = tuple(types.unliteral(kind) for kind in args)
        return super().get_call_template(args, kws)

    def get_overload(self, sig: Signature) -> object:
        """What finds the code that calls this kernel."""
        return self._slot_key if self.slot else super().get_overload(sig)

    def typeof_pyval(self, val: object) -> NumbaType:
        """The type of an argument that Numba's own code does not know; that of a struct without a
        search."""
        found = known_types.get(type(val))
        return super().typeof_pyval(val) if found is None else found

    @property
    def _numba_type_(self) -> NumbaType:
        """Its type as an argument, which is asked for at every call that hands it over."""
        if self.own_type is None:
            self.own_type = super()._numba_type_
        return self.own_type

    def _compile_for_args(self, *args: object, **kws: object) -> Kernel | ForPython:
        """The first call from Python: what shall be called instead."""
        if self.declared is None:
            if self.in_python is None:
                options = {**self.targetoptions, "no_cpython_wrapper": False, "no_cfunc_wrapper": False}
                self.in_python = ForPython(self.py_func, targetoptions=options)
            return self.in_python
        if self.targetoptions["no_cpython_wrapper"]:
            self._explain_matching_error(*args)
        self.ready()
        return self

    def _search_new_conversions(self, *args: object, **kws: object) -> bool:
        """One thread at a time: Numba notes conversions, a model to its function type among them,
        at the first call that needs them."""
        with global_compiler_lock:
            return super()._search_new_conversions(*args, **kws)

    def _explain_matching_error(self, *args: object, **kws: object) -> None:
        """Why Python cannot call it with these arguments."""
        if self.targetoptions["no_cpython_wrapper"]:
            raise TypeError(f"{self.name} is called by other kernels only, not from Python")
        super()._explain_matching_error(*args, **kws)

    # ---- pickling: by name

    def _reduce_states(self) -> dict[str, str]:
        return {"module": self.py_func.__module__, "name": self.py_func.__qualname__}

    @classmethod
    def _rebuild(cls, module: str, name: str) -> Kernel:
        return getattr(import_module(module), name)
