"""What compiled code agrees on: the model function, its questions, and how kernels are compiled and cached.

The step and the loop know physics only through one function of fixed type,

    status = model(what, t, q, v, a, lam, c, pf, pi, out)

which answers the question `what` about the state (t, q, v, a, lam) into the flat array `out`:

    RETRACT     out = q ⊕ v, the configuration reached from q along the increment v (asked only of models that say they retract)
    BALANCE     out = M(q) a + G(q, t)ᵀ lam − Q(q, v, t)
    JACOBIAN    out = c[0] ∂balance/∂a + c[1] ∂balance/∂v + c[2] ∂balance/∂q, row by row: all entries, or those of a sparse pattern
    FACTORISE   prepare solves with that matrix inside the model (models that bring their own solver)
    SOLVE       out ← (that matrix)⁻¹ out
    CONSTRAINT  out = G, row by row: ∂φ̇/∂v of the holonomic rows, ∂ψ/∂v of the others
    POSITION    out = φ(q, t)
    VELOCITY    out = [φ̇; ψ] with φ̇ = G v + φ_t
    ACCELERATION  out = [φ̈; ψ̇] with φ̈ = G a − b
    RATE        out = q̇, the derivative of q ⊕ εv
    LEVELS      out = what POSITION and VELOCITY answer, one behind the other (asked only of models that know it)
    SETTLE      out, a configuration that RETRACT made and a step ends with, is finished: angles that no equation reads are brought from
                what increments told to what the poses say (asked only of models that count turns)

`pf`, `pi` are the model's numbers; `traits` says which questions it answers and what is known about it. A first-order system
uses the same function with (nothing, s, s', z) in the places of (q, v, a, lam); VELOCITY is then its constraint c(s, z, t) and
ACCELERATION the total derivative of it.

`kernel` compiles a function with Numba and keeps the machine code on disk. Numba looks only at the file of the function
itself to decide whether its cache is stale; kernels here call each other across files, so the stamp covers what they import.
"""

from __future__ import annotations

import hashlib
import re
import sys
import time
from collections import namedtuple
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
import numpy.typing as npt
from numba import types

from isodyn import kernel_cache

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# ---- questions to a model
RETRACT, BALANCE, JACOBIAN, FACTORISE, SOLVE, CONSTRAINT, POSITION, VELOCITY, ACCELERATION, RATE, LEVELS, SETTLE = (
    range(12)
)

# ---- traits of a model, a bit each
RETRACTS = 1  # answers RETRACT; otherwise q ⊕ d = q + d
KNOWS_MASS = 2  # answers JACOBIAN for c = (c0, 0, 0)
KNOWS_TANGENT = 4  # answers JACOBIAN for every c
SOLVES = 8  # answers FACTORISE and SOLVE
LINEAR = 16  # balance is affine in (q, v, a) with constant matrices
CONSTANT_MASS = 32  # ∂balance/∂a does not depend on the state
SPARSE = 128  # answers JACOBIAN and CONSTRAINT by the values of fixed sparse patterns
KNOWS_RATE = 256  # answers RATE; and RETRACT by nothing brings q back to where it lives
KNOWS_LEVELS = 512  # answers LEVELS
COUNTS_TURNS = 1024  # answers SETTLE
GENERAL = 64  # multipliers enter as they like: the matrix of a step comes from differences of all its equations

# ---- answers of a model and of the kernels
OK, NOT_CONVERGED, SINGULAR, NOT_FINITE, RAISED, WRONG_SHAPE, NO_PIVOT, UNTOLD = range(
    8
)  # the last: an angle turned too far in one step

f8, i8 = types.float64, types.int64
F, I, F2 = f8[::1], i8[::1], f8[:, ::1]  # noqa: E741
MODEL = i8(i8, f8, F, F, F, F, F, F, I, F)
MODEL_TYPE = types.FunctionType(MODEL)

Coefficients = namedtuple("Coefficients", "W1 W2L2 W3L3 W2L5 W1L6 l3 l5 phi")

Function = TypeVar("Function", bound=Callable[..., Any])


def closure(signature: Any = None) -> Callable[[Function], Function]:
    """Compile with Numba a function that captures others, which cannot be cached; with a signature at once."""

    def compile_(function: Function) -> Function:
        dispatcher = numba.njit(signature, error_model="numpy")(function)
        if signature is not None and not numba.config.DISABLE_JIT:
            _settle(dispatcher, signature)
        return dispatcher

    return compile_


def _settle(dispatcher: Any, signature: Any) -> None:
    """One signature, compiled: looked up again at every call that hands the function over, it takes ten times the rest of the call."""
    compiled = dispatcher.get_compile_result(signature)
    dispatcher.get_compile_result = lambda _: compiled
    compiled.library.get_pointer_to_function = cache(compiled.library.get_pointer_to_function)


def kernel(
    signature: Any = None,
    *,
    inline: bool = False,
    inner: bool = False,
    nogil: bool = False,
    allocates: bool = False,
    fused: bool = False,
) -> Callable[[Function], Function]:
    """Compile with Numba: with a signature at once, cached on disk; without one as a part of the kernels that call it.

    `inline` puts a kernel that has one caller into it, which saves compiling it twice; `inner` kernels with a signature are called by other
    kernels only, and may take what Python does not know (isodyn.lowering); `nogil` lets other threads run meanwhile.
    Kernels own no memory unless they say that they allocate some: counting references of every view of an array costs more than the
    arithmetic of a small step. `fused` allows a·b + c with one rounding instead of two, where no other route has to agree to the last bit.
    """

    def compile_(function: Function) -> Function:
        if numba.config.DISABLE_JIT:
            return function
        dispatcher = numba.njit(
            error_model="numpy",
            fastmath={"contract"} if fused else False,
            inline="always" if inline else "never",
            nogil=nogil,
            no_cpython_wrapper=inner,
            no_cfunc_wrapper=inner,
            _nrt=allocates,
        )(function)
        if signature is not None:
            cache_file = kernel_cache.enable(dispatcher, _stamp(function.__code__.co_filename))
            if cache_file is not None and cache_file._load_index():
                dispatcher.compile(signature)
            else:
                _announce()
                started = time.perf_counter()
                dispatcher.compile(signature)
                _seconds.append(time.perf_counter() - started)
            dispatcher.disable_compile()
            _settle(dispatcher, signature)
        return dispatcher

    return compile_


_IMPORTS = re.compile(rb"^from (isodyn[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@cache
def _seen_from(source: Path) -> tuple[bytes, tuple[Path, ...]]:
    """The text of a file, and the files of this package that it imports from."""
    text, package, files = source.read_bytes(), Path(__file__).parent, []
    for module, names in _IMPORTS.findall(text):
        path = package.joinpath(*module.decode().split(".")[1:])
        places = [path.with_suffix(".py")] if path != package else []
        places += [path / f"{name}.py" for name in re.findall(r"\w+", names.decode())]
        files += [place for place in places if place.is_file()]
    return text, tuple(files)


@cache
def _stamp(filename: str) -> str:
    """A digest of the file, of this one, and of all it can call or read: kernels by way of kernels, and what they import from."""
    sources, ahead = {Path(__file__)}, [Path(filename)]
    while ahead:
        source = ahead.pop()
        if source not in sources:
            sources.add(source)
            text, files = _seen_from(source)
            if source == Path(filename) or b"@kernel(" in text:
                ahead += files
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(_seen_from(source)[0])
    return digest.hexdigest()


_seconds: list[float] = []  # what was compiled since the last word about it


def _announce() -> None:
    """Say that compiling begins, unless it was said."""
    if not _seconds:
        print("isodyn: compiling once for this machine, one or two minutes", file=sys.stderr, flush=True)


def announce_end() -> None:
    """Say how long compiling took, if there was any."""
    if _seconds:
        text = f"isodyn: compiled in {sum(_seconds):.1f} s; later runs start from the cache"
        print(text, file=sys.stderr, flush=True)
        _seconds.clear()
