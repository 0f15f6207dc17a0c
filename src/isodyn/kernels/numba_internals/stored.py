"""Compiled kernels as bytes.

Numba's own form holds bitcode beside machine code and parses it whenever a kernel is loaded. Here
bitcode is parsed when another function links the kernel, and left out where none does; what the
machine code defines is a list of names.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from numba.core.compiler import CompileResult
from numba.core.cpu import CPUContext
from numba.core.serialize import dumps

from isodyn.kernels.numba_internals import libraries

if TYPE_CHECKING:
    from isodyn.kernels.numba_internals.interfaces import Compilation


def to_bytes(compiled: Compilation, with_bitcode: bool) -> bytes:
    """A compilation that `from_bytes` can read in another process on the same kind of machine."""
    library, description = compiled.library, compiled.fndesc
    module = library._get_module_for_linking()
    names = [x.name for x in (*module.functions, *module.global_variables) if not x.is_declaration]
    # not needed any more, and not always to be pickled
    description.typemap = description.calltypes = None
    data: bytes = dumps(
        (
            library.name,
            library._get_compiled_object(),
            module.as_bitcode() if with_bitcode else b"",
            names,
            description,
            compiled.environment,
            compiled.signature,
            compiled.reload_init,
            tuple(compiled._find_referenced_environments()),
        )
    )
    return data


def from_bytes(data: bytes | memoryview) -> Compilation:
    """The compilation again, its machine code loaded."""
    context = libraries.prepare()
    name, code, bitcode, names, description, environment, signature, reload_init, referenced = pickle.loads(data)
    for function in reload_init:
        function()
    codegen = context.codegen()
    library = codegen.create_library(name)
    library.enable_object_caching()
    library._set_compiled_object(code)
    library._finalize_final_module()
    library.bitcode = bitcode or None
    codegen._engine._defined_symbols.update(names)
    compiled = CompileResult(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=environment,
        entry_point=CPUContext.get_executable(context, library, description, environment),
        fndesc=description,
        type_annotation="",
        signature=signature,
        objectmode=False,
        lifted=(),
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=referenced,
    )
    for one in referenced:
        codegen.set_env(one.env_name, one)
    return compiled
