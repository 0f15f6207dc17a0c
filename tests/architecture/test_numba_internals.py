"""Every private name of Numba that isodyn uses, and what it is expected to do; a failure says what
to look at.

When Numba changes one of them, isodyn.kernels.numba_internals has to follow, and the declared range
of versions in pyproject.toml tells which of them were tried.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import _dynfunc, njit, types
from numba.core import caching, codegen, compiler, cpu, dispatcher, environment, serialize, targetconfig, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import rtsys
from numba.experimental import function_type

from isodyn.kernels.compiled import F, f8, kernel
from isodyn.kernels.numba_internals import addresses, libraries, stored
from isodyn.kernels.numba_internals.dispatcher import Kernel

ROOT = Path(__file__).resolve().parents[2]
WHERE = {
    "libraries": "Numba has changed: see KernelLibrary and prepare in isodyn/kernels/numba_internals/libraries.py, which {}",
    "dispatcher": "Numba has changed: see Kernel in isodyn/kernels/numba_internals/dispatcher.py, which {}",
    "stored": "Numba has changed: see isodyn/kernels/numba_internals/stored.py, which {}",
    "addresses": "Numba has changed: see remember_addresses in isodyn/kernels/numba_internals/addresses.py, which {}",
    "slots": "Numba has changed: see call_through in isodyn/kernels/numba_internals/slots.py, which {}",
}


def parameters(function: object) -> list[str]:
    return list(inspect.signature(function).parameters)  # type: ignore[arg-type]


@kernel()
def part(x):
    return 2.0 * x


@kernel(f8(f8))
def whole(x):
    return part(x) + part(x + 1.0)


@kernel(F(f8), allocates=True)
def made(x):
    return np.full(2, x)


@pytest.mark.parametrize(
    ("owner", "name", "expected"),
    [
        (codegen.JITCodeLibrary, "add_linking_library", ["self", "library"]),
        (codegen.JITCodeLibrary, "finalize", ["self"]),
        (codegen.JITCodeLibrary, "_optimize_final_module", ["self"]),
        (codegen.JITCodeLibrary, "_finalize_final_module", ["self"]),
        (codegen.JITCodeLibrary, "_get_module_for_linking", ["self"]),
        (codegen.JITCodeLibrary, "_raise_if_finalized", ["self"]),
        (codegen.JITCodeLibrary, "get_pointer_to_function", ["self", "name"]),
        (codegen.JITCPUCodegen, "_check_llvm_bugs", ["self"]),
        (codegen.JITCPUCodegen, "magic_tuple", ["self"]),
        (codegen.JITCPUCodegen, "set_env", ["self", "env_name", "env"]),
        (cpu.CPUContext, "get_executable", ["self", "library", "fndesc", "env"]),
        (targetconfig.TargetConfig, "values", ["self"]),
        (environment, "lookup_environment", ["env_name"]),
        (type(rtsys), "initialize", ["self", "ctx"]),
    ],
)
def test_names_that_libraries_use(owner, name, expected):
    assert parameters(getattr(owner, name)) == expected, WHERE["libraries"].format(f"calls or replaces {name}")


@pytest.mark.parametrize("name", ["_linking_libraries", "_final_module", "_finalized", "_shared_module"])
def test_members_of_a_library(name):
    library = libraries.prepare().codegen().create_library("looked at")
    assert hasattr(library, name), WHERE["libraries"].format(f"reads {name}")
    assert isinstance(library, libraries.KernelLibrary), WHERE["libraries"].format(
        "sets _library_class of the code generator"
    )


@kernel(f8(F))
def long_loop(x):
    total = 0.0
    for i in range(x.size):
        x[i] = 2.0 * x[i] + 1.0
        total += x[i]
    return total


@kernel(f8(F), loops="short")
def short_loop(x):
    total = 0.0
    for i in range(x.size):
        x[i] = 2.0 * x[i] + 1.0
        total += x[i]
    return total


@pytest.mark.skipif(not hasattr(codegen.JITCPUCodegen, "_pass_builder"), reason="Numba below 0.62 unrolls all loops")
def test_loops_that_stay_as_they_are():
    """A product a turn in the machine code, and none more."""
    products = [len(re.findall(r"mulsd|mulpd|addsd|addpd|fmadd", code_of(loop))) for loop in (long_loop, short_loop)]
    assert products[1] < 0.5 * products[0], WHERE["libraries"].format("replaces _pass_builder of the code generator")
    assert long_loop(np.arange(5.0)) == short_loop(np.arange(5.0)) == 25.0
    assert "_pass_builder" not in vars(libraries.prepare().codegen())


def code_of(kernel):
    """The machine code of a kernel, compiled now."""
    return kernel.compile_declared().library.get_asm_str()


def test_the_lock_of_the_compiler():
    with global_compiler_lock:
        assert global_compiler_lock.is_locked(), WHERE["libraries"].format("compiles under global_compiler_lock")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("_compile_for_args", ["self", "args", "kws"]),
        ("add_overload", ["self", "cres"]),
        ("get_compile_result", ["self", "sig"]),
        ("get_call_template", ["self", "args", "kws"]),
        ("get_overload", ["self", "sig"]),
        ("fold_argument_types", ["self", "args", "kws"]),
        ("disable_compile", ["self", "val"]),
        ("compile", ["self", "sig"]),
        ("_reduce_states", ["self"]),
    ],
)
def test_names_that_kernels_override(name, expected):
    assert parameters(getattr(CPUDispatcher, name)) == expected, WHERE["dispatcher"].format(
        f"overrides or calls {name}"
    )


def test_the_call_that_compiles_may_name_another_callable():
    """Numba's dispatcher calls what `_compile_for_args` returns, whatever it is; the first call of
    a kernel depends on it."""

    class Other(CPUDispatcher):
        def _compile_for_args(self, *args, **kws):
            return lambda x: x + 40.0

    assert Other(lambda x: x, targetoptions={"nopython": True})(2.0) == 42.0, WHERE["dispatcher"].format(
        "returns a callable from _compile_for_args"
    )


def test_templates_and_definitions():
    assert parameters(typing.make_concrete_template)[:3] == ["name", "key", "signatures"], WHERE["dispatcher"].format(
        "makes a template for calls through a slot"
    )
    assert parameters(cpu.CPUContext.insert_func_defn) == ["self", "defns"], WHERE["dispatcher"].format(
        "defines such calls"
    )
    assert parameters(cpu.CPUContext.insert_user_function) == ["self", "func", "fndesc", "libs"], WHERE[
        "dispatcher"
    ].format("takes kernels from disk")


def test_a_compilation_can_be_written_and_read():
    """Names of stored.py: a kernel through bytes gives the same number."""
    assert whole(3.0) == 14.0
    data = stored.to_bytes(whole.ready(), with_bitcode=True) if whole.origin == "compiled" else None
    fields = set(compiler.CompileResult._fields)
    expected = {
        "target_context",
        "typing_context",
        "library",
        "environment",
        "entry_point",
        "fndesc",
        "signature",
        "reload_init",
    }
    assert expected <= fields, WHERE["stored"].format(f"fills CompileResult; missing: {sorted(expected - fields)}")
    for owner, name in (
        (compiler.CompileResult, "_find_referenced_environments"),
        (codegen.JITCodeLibrary, "_get_compiled_object"),
        (codegen.JITCodeLibrary, "_set_compiled_object"),
        (codegen.JITCodeLibrary, "enable_object_caching"),
        (serialize, "dumps"),
        (_dynfunc, "make_function"),
    ):
        assert hasattr(owner, name), WHERE["stored"].format(f"uses {name}")
    assert hasattr(libraries.prepare().codegen()._engine, "_defined_symbols"), WHERE["stored"].format(
        "tells the engine which symbols loaded code defines"
    )
    if data is not None:
        again = stored.from_bytes(data)
        assert again.entry_point(3.0) == 14.0


def test_inner_functions_get_no_machine_code_of_their_own():
    fresh = Kernel(lambda x: part(x) + 1.0, whole.targetoptions, f8(f8), Kernel.compile_declared)
    assert fresh(2.0) == 5.0
    (inner,) = part.overloads.values()
    assert not inner.library._finalized, WHERE["libraries"].format("keeps inner libraries from being finalised")


def test_options_are_those_that_numba_knows():
    known = set(cpu_target.options.__dict__) | set(dir(cpu_target.options))
    unknown = set(whole.targetoptions) - known
    assert not unknown, (
        f"Numba no longer knows the options {sorted(unknown)}: see _options in isodyn/kernels/compiled.py"
    )


def test_flags_compare_as_numba_compares_them():
    """The replaced TargetConfig.values gives what Numba's own gives."""
    flags = compiler.Flags()
    flags.nrt = True
    assert flags.values() == {name: getattr(flags, name) for name in type(flags).options}, WHERE["libraries"].format(
        "replaces TargetConfig.values"
    )


def test_memory_can_be_allocated_by_what_came_from_disk():
    assert made(3.0).tolist() == [3.0, 3.0], WHERE["libraries"].format("initialises Numba's runtime")


def test_the_cache_folder_is_where_numba_was_told():
    assert hasattr(numba.config, "CACHE_DIR"), "Numba has changed: see folder() in isodyn/kernels/cache.py"
    assert caching is not None
    assert dispatcher is not None


def test_the_declared_range_is_what_is_tested():
    """CI runs the newest declared version and the lowest one; what lies beyond was never tried."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    (found,) = (re.fullmatch(r"numba>=(\d+)\.(\d+),<(\d+)\.(\d+)", one) for one in declared if one.startswith("numba"))
    assert found is not None, "pyproject.toml: numba is declared as >=lowest,<next, two numbers each"
    lowest, above = (int(found[1]), int(found[2])), (int(found[3]), int(found[4]))
    here = tuple(int(x) for x in numba.__version__.split(".")[:2])
    assert here in (lowest, (above[0], above[1] - 1)), (
        f"Numba {numba.__version__} is neither the lowest nor the newest version that pyproject.toml declares:"
        " run these tests with it and change the range, or install one that is declared"
    )


def test_addresses_of_kernels_that_are_handed_over_are_asked_for_once(monkeypatch):
    """Numba looks the function up by its name at every call, so that another one may stand there."""
    asked = []

    def ask(function, signature):
        asked.append(function)
        return 1000 + len(asked)

    ask.__module__ = function_type.__name__
    where = WHERE["addresses"].format("puts a function that remembers in the place of this one")
    assert callable(getattr(function_type, "_get_wrapper_address", None)), where
    monkeypatch.setattr(function_type, "_get_wrapper_address", ask)
    monkeypatch.setattr(function_type, "_get_jit_address", ask, raising=False)
    addresses.remember_addresses()
    addresses.remember_addresses()  # what remembers is not wrapped again
    again = kernel(f8(f8))(lambda x: 3.0 * x)
    assert [function_type._get_wrapper_address(again, f8(f8)) for _ in range(3)] == [1001] * 3
    assert [function_type._get_wrapper_address(abs, f8(f8)) for _ in range(2)] == [1002, 1003]
    assert asked == [again, abs, abs]


def test_a_kernel_that_is_handed_over_is_called():
    """The address that is remembered is that of the compiled kernel."""

    @njit(f8(types.FunctionType(f8(f8)), f8))
    def call(function, x):
        return function(x)

    assert [call(whole, 1.0), call(whole, 2.0)] == [6.0, 10.0]
