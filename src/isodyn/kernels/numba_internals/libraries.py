"""Libraries of kernels: what a kernel calls is linked once, with the kernel, unoptimised.

Numba optimises and generates machine code for every function that another one calls, although
callers link its bitcode only, and links the bitcode of the callee's callees into every level. Here
a function without a wrapper for Python, compiled for a kernel, stays as it was lowered. The kernel
links all of them, each once, as functions of its own; optimisation and machine code are made for
the kernel alone.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from llvmlite import binding
from numba import _dynfunc
from numba.core import config, cpu
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.targetconfig import TargetConfig

if TYPE_CHECKING:
    from isodyn.kernels.numba_internals.interfaces import Description, Library, ParsedModule

Loops: TypeAlias = Literal["long", "short", "unrolled"]
"""What is done to the loops of a kernel: split into vectors and unrolled, nothing, or unrolled."""

_COLLECTIONS = (
    200_000,
    50,
    50,
)  # thresholds of the garbage collector while kernels are compiled: it finds next to nothing
_MESSAGES = "__excinfo_unwrap_args"  # how messages with numbers are written; in every module that has one
_depth = 0  # of kernels being compiled
_loops: Loops = "long"  # what the loops of the one that is compiled are


class KernelLibrary(JITCodeLibrary):
    """A library that leaves those it links as they are until it is finalised itself."""

    bitcode: bytes | None = None  # of a library that came from disk, as long as nobody links it

    def add_linking_library(self, library: Library) -> None:
        """Link `library` when this one is finalised."""
        if _depth > 0:
            self._linking_libraries.append(library)
        else:
            super().add_linking_library(library)

    def finalize(self) -> None:
        """Link, optimise, make machine code."""
        linked = _all_linked(self)
        if all(one._finalized for one in linked):
            super().finalize()
            return
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        inner = set()
        for one in linked:
            # what is to be run when the code is loaded; Numba has it since 0.62
            if "_reload_init" in vars(self):
                self._reload_init.update(one._reload_init)
            if one._finalized:
                module = one._get_module_for_linking()
            else:
                module = one._final_module
                for function in module.functions:
                    if function.is_declaration or function.linkage != binding.Linkage.external:
                        continue
                    if function.name.startswith(_MESSAGES):
                        function.linkage = binding.Linkage.linkonce_odr
                    else:
                        inner.add(function.name)
            self._final_module.link_in(module, preserve=True)
        for name in inner:
            self._final_module.get_function(name).linkage = binding.Linkage.internal
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def _optimize_final_module(self) -> None:
        if _loops == "long":
            super()._optimize_final_module()
            return
        vectors, config.LOOP_VECTORIZE = config.LOOP_VECTORIZE, 0
        # Numba below 0.62 has no such builders, and unrolls all loops
        chosen = _loops == "short" and hasattr(self._codegen, "_pass_builder")
        if chosen:
            self._codegen._pass_builder = partial(_without_unrolling, self._codegen._tm)
        try:
            super()._optimize_final_module()
        finally:
            config.LOOP_VECTORIZE = vectors
            if chosen:
                del self._codegen._pass_builder  # that of its class is there again

    def _get_module_for_linking(self) -> ParsedModule:
        if self.bitcode is not None:
            self._shared_module, self.bitcode = binding.parse_bitcode(self.bitcode), None
        return super()._get_module_for_linking()


def _without_unrolling(
    machine: binding.TargetMachine, *, opt: int | None = None, **others: object
) -> binding.PassBuilder:
    """In the place of JITCPUCodegen._pass_builder: loops stay as they are written."""
    settings = binding.create_pipeline_tuning_options(config.OPT if opt is None else opt)
    settings.loop_unrolling = settings.loop_vectorization = settings.loop_interleaving = False
    settings.slp_vectorization = False
    return binding.create_pass_builder(machine, settings)


def _all_linked(library: Library) -> list[Library]:
    """All libraries that a library needs, each once; those that are finalised contain theirs."""
    seen, found, ahead = {id(library)}, [], list(library._linking_libraries)
    while ahead:
        one = ahead.pop(0)
        if id(one) not in seen:
            seen.add(id(one))
            found.append(one)
            if not one._finalized:
                ahead += one._linking_libraries
    return found


def set_environments(library: Library) -> None:
    """Tell the machine code of a library where the environments of its functions are."""
    for variable in library._final_module.global_variables:
        if variable.name.startswith("_ZN08NumbaEnv"):
            environment = lookup_environment(variable.name)
            if environment is not None:
                library.codegen.set_env(variable.name, environment)


def _has_wrapper(library: Library, name: str) -> bool:
    try:
        return not library.get_function(name).is_declaration
    except NameError:
        return False


def _executable(library: Library, description: Description, environment: object) -> Callable[..., Any]:
    """In the place of CPUContext.get_executable: what Python cannot call gets no machine code of
    its own while kernels are compiled."""
    context = cpu_target.target_context
    if _depth == 0 or _has_wrapper(library, description.llvm_cpython_wrapper_name):
        function = cpu.CPUContext.get_executable(context, library, description, environment)
        set_environments(library)
        return function
    name, module = description.qualname.split(".")[-1], description.lookup_module()
    return _dynfunc.make_function(module, name, "part of kernels", 0, environment, (library,))


@cache
def _defaults(options: type[TargetConfig]) -> dict[str, Any]:
    return {name: option.default for name, option in options.options.items()}


def _values(self: TargetConfig) -> dict[str, Any]:
    """What TargetConfig.values returns; Numba asks every option for its own, thousands of times in
    a compilation."""
    kind: Any = type(self)
    return {**_defaults(kind), **self._values}


@cache
def prepare() -> cpu.CPUContext:
    """The context of Numba's CPU target with kernel libraries, once in a process; its runtime is
    ready for code from disk."""
    with global_compiler_lock:
        context = cpu_target.target_context
        context.codegen()._library_class = KernelLibrary
        context.get_executable = _executable
        TargetConfig.values = _values
        rtsys.initialize(context)
    return context


@cache
def machine() -> str:
    """What machine code depends on besides sources and versions: the processor, and how far Numba
    optimises."""
    return f"{cpu_target.target_context.codegen().magic_tuple()} {config.OPT} {config.BOUNDSCHECK}"


@contextmanager
def compiling(*, loops: Loops = "long") -> Iterator[cpu.CPUContext]:
    """While a kernel is compiled: the context to compile with. Other threads wait."""
    global _depth, _loops
    with global_compiler_lock:
        context, before, outer = prepare(), gc.get_threshold(), _loops
        _depth += 1
        _loops = loops
        gc.set_threshold(*_COLLECTIONS)
        try:
            yield context
        finally:
            _depth -= 1
            _loops = outer
            gc.set_threshold(*before)
