"""What compiled code agrees on: the model function, its questions, and how kernels are compiled and
cached.

The step and the loop know physics only through one function of fixed type,

    status = model(what, t, q, v, a, lam, c, tables, scratch, out)

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
    MULTIPLIERS out = ∂balance/∂lam in the places of G, one row a multiplier: G − (∂Q/∂lam)ᵀ
                (asked only of models whose forces depend on multipliers)
    c[3] = IDEAL in BALANCE and JACOBIAN leaves out forces that depend on multipliers
    SETTLE      out, a configuration that RETRACT made and a step ends with, is finished: angles that no equation reads are brought from
                what increments told to what the poses say (asked only of models that count turns)

`tables` and `scratch` are addresses of structs (isodyn.kernels.struct) that a model opens as its
own in its first line: what Python wrote once and kernels only read, so that threads share it; and
memory for work, of which every thread has its own. `traits` says which questions a model answers
and what is known about it. A first-order system uses the same function with (nothing, s, s', z) in
the places of (q, v, a, lam); VELOCITY is then its constraint c(s, z, t) and ACCELERATION the total
derivative of it.

`kernel` declares a function that Numba compiles when it is first called, and whose machine code is
kept on disk under a stamp of its source. Kernels call each other across files, so the stamp covers
what they import; nothing is compiled at import.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntFlag
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numba
import numpy as np
import numpy.typing as npt
from numba import types
from numba.core.errors import NumbaError

from isodyn.errors import KernelError
from isodyn.kernels import cache as kernel_cache
from isodyn.kernels import progress
from isodyn.kernels.numba_internals import stored
from isodyn.kernels.numba_internals.dispatcher import Kernel
from isodyn.kernels.numba_internals.libraries import Loops, machine
from isodyn.kernels.shipped import shipped
from isodyn.kernels.struct import StructAddress
from isodyn.kernels.struct_types import ADDRESS
from isodyn.kernels.uncompiled import not_compiled

if TYPE_CHECKING:
    from isodyn.kernels.numba_internals.interfaces import Compilation, Signature

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# ---- questions to a model
RETRACT, BALANCE, JACOBIAN, FACTORISE, SOLVE, CONSTRAINT, POSITION, VELOCITY, ACCELERATION, RATE, LEVELS, SETTLE = (
    range(12)
)
MULTIPLIERS = 12
IDEAL = -1.0  # as c[3]: without forces that depend on multipliers


class Traits(IntFlag):
    """What a model answers, and what is known about it; kernels see the sum as a number."""

    RETRACTS = 1  # answers RETRACT; otherwise q ⊕ d = q + d
    KNOWS_MASS = 2  # answers JACOBIAN for c = (c0, 0, 0)
    KNOWS_TANGENT = 4  # answers JACOBIAN for every c
    SOLVES = 8  # answers FACTORISE and SOLVE
    LINEAR = 16  # balance is affine in (q, v, a) with constant matrices
    CONSTANT_MASS = 32  # ∂balance/∂a does not depend on the state
    # multipliers enter as they like: the matrix of a step comes from differences of all its equations
    GENERAL = 64
    SPARSE = 128  # answers JACOBIAN and CONSTRAINT by the values of fixed sparse patterns
    KNOWS_RATE = 256  # answers RATE; and RETRACT by nothing brings q back to where it lives
    KNOWS_LEVELS = 512  # answers LEVELS
    COUNTS_TURNS = 1024  # answers SETTLE
    SKETCHES_TANGENT = 2048  # answers JACOBIAN for every c from differences, well enough for corrections
    NONIDEAL = 4096  # forces depend on multipliers; answers MULTIPLIERS
    REACTS = 8192  # the same, but steps leave that derivative out of their matrices


# the same as plain numbers, for kernels
RETRACTS, KNOWS_MASS, KNOWS_TANGENT, SOLVES, LINEAR = (1 << k for k in range(5))
CONSTANT_MASS, GENERAL, SPARSE, KNOWS_RATE, KNOWS_LEVELS, COUNTS_TURNS, SKETCHES_TANGENT, NONIDEAL, REACTS = (
    1 << k for k in range(5, 14)
)

# ---- answers of a model and of the kernels
OK, NOT_CONVERGED, SINGULAR, NOT_FINITE, RAISED, WRONG_SHAPE, NO_PIVOT, UNTOLD, JAMMED = range(
    9
)  # the last two: an angle turned too far in one step; forces that multipliers make leave no acceleration, or several

f8, i8 = types.float64, types.int64
F, I, F2 = f8[::1], i8[::1], f8[:, ::1]  # noqa: E741
MODEL = i8(i8, f8, F, F, F, F, F, ADDRESS, ADDRESS, F)
MODEL_TYPE = types.FunctionType(MODEL)
ModelFunction: TypeAlias = Callable[
    [
        int,
        float,
        FloatArray,
        FloatArray,
        FloatArray,
        FloatArray,
        FloatArray,
        StructAddress,
        StructAddress,
        FloatArray,
    ],
    int,
]
"""The same for callers: (what, t, q, v, a, lam, c, tables, scratch, out) → status."""


class Coefficients(NamedTuple):
    """Of a member of GS4, as kernels use them (isodyn.schemes)."""

    W1: float
    W2L2: float
    W3L3: float
    W2L5: float
    W1L6: float
    l3: float
    l5: float
    phi: float


Function = TypeVar("Function", bound=Callable[..., Any])


def closure(signature: Signature | None = None) -> Callable[[Function], Function]:
    """Compile with Numba a function that captures others, which cannot be cached; with a signature
    at once."""

    def compile_(function: Function) -> Function:
        if numba.config.DISABLE_JIT:
            return function
        if signature is None:
            return Kernel(function, _options(no_wrappers=True, allocates=True))
        made = Kernel(function, _options(allocates=True), signature, Kernel.compile_declared)
        try:
            made.ready()
        except NumbaError as error:  # of the functions that it captures: our own compile
            raise not_compiled(error) from error
        return made

    return compile_


def _options(
    *,
    no_wrappers: bool = False,
    inline: bool = False,
    nogil: bool = False,
    allocates: bool = False,
    fused: bool = False,
    reordered: bool = False,
) -> dict[str, Any]:
    """Numba's options for a kernel."""
    return {
        "nopython": True,
        "boundscheck": None,
        "error_model": "numpy",
        "fastmath": {"contract", "reassoc", "nsz"} if reordered else {"contract"} if fused else False,
        "inline": "never",
        "forceinline": inline,
        "nogil": nogil,
        "no_cpython_wrapper": no_wrappers,
        "no_cfunc_wrapper": no_wrappers,
        "_nrt": allocates,
    }


def kernel(
    signature: Signature | None = None,
    *,
    inline: bool = False,
    inner: bool = False,
    apart: bool = False,
    nogil: bool = False,
    allocates: bool = False,
    fused: bool = False,
    reordered: bool = False,
    loops: Loops = "long",
) -> Callable[[Function], Function]:
    """Declare a kernel: with a signature compiled, or loaded from disk, when it is first called;
    without one a part of its callers.

    A kernel with a signature that other kernels call is linked into them as a copy, or, with
    `apart`, called at its address and compiled when a run first comes there: what not every run
    needs, and what is large. `inner` kernels with a signature are called by other kernels only, and
    may take what Python does not know (isodyn.kernels.lowering). `inline` makes LLVM put a copy of
    a part wherever it is called, so that constants among its arguments are known there; `nogil`
    lets other threads run meanwhile. Kernels own no memory unless they say that they allocate some:
    counting references of every view of an array costs more than the arithmetic of a small step.
    `fused` allows a·b + c with one rounding instead of two, where no other route has to agree to
    the last bit; `reordered` also lets sums be taken in parts, which makes long ones several times
    faster. `loops` that turn a few times only are not split into vectors, for which places of
    arrays would have to be compared before every loop: "unrolled" where LLVM knows how often they
    turn, "short" where it does not, and what goes on around unrolled ones would take longer than
    they do.
    """

    def declare(function: Function) -> Function:
        if numba.config.DISABLE_JIT:
            return function
        no_wrappers = inner or signature is None
        options = _options(
            no_wrappers=no_wrappers, inline=inline, nogil=nogil, allocates=allocates, fused=fused, reordered=reordered
        )
        return Kernel(function, options, signature, _load_or_compile, _is_on_disk, apart=apart, loops=loops)

    return declare


def _load_or_compile(wanted: Kernel) -> Compilation:
    """The machine code of a kernel from disk, or else from its source."""
    entry = place_of(wanted)
    with progress.loading():
        found = _from_disk(wanted, entry)
    if found is not None:
        progress.arrived(wanted.name)
        return found
    with progress.compiling(wanted.name), entry.alone():
        found = entry.read(stored.from_bytes)  # of another process that compiled it meanwhile
        if found is not None:
            return wanted.take(found)
        try:
            return keep(entry, wanted)
        except KernelError:
            raise
        except Exception as error:  # of Numba, of LLVM, of memory: there is no list of what compiling raises
            raise KernelError(f"compiling the kernel {wanted.name} failed: {type(error).__name__}: {error}") from error


def _from_disk(wanted: Kernel, entry: kernel_cache.Entry) -> Compilation | None:
    """The machine code that came with the package, or that was kept here; None where there is
    none."""
    for place in (shipped(wanted.name, entry.stamp), entry):
        found = None if place is None else place.read(stored.from_bytes)
        if found is not None:
            return wanted.take(found)
    return None


def make_ready(*functions: object) -> None:
    """Compile or load these kernels now: before threads share them."""
    for function in functions:
        if isinstance(function, Kernel):
            function.ready()


def _is_on_disk(wanted: Kernel) -> bool:
    entry = place_of(wanted)
    with_package = shipped(wanted.name, entry.stamp)
    return (with_package is not None and with_package.known()) or entry.known()


def keep(entry: kernel_cache.Entry, wanted: Kernel) -> Compilation:
    """Compile a kernel, and keep its machine code."""
    found = wanted.compile_declared()
    entry.write(stored.to_bytes(found, with_bitcode=not wanted.slot))
    return found


def place_of(wanted: Kernel) -> kernel_cache.Entry:
    """Where the machine code of a kernel is kept."""
    source = wanted.py_func.__code__.co_filename
    bound = wanted.py_func.__closure__
    described = f"{wanted.declared} {wanted.targetoptions} {bool(wanted.slot)} {wanted.loops}"
    if bound is not None:
        raise TypeError(f"{wanted.name} captures variables: its machine code would be that of others (use `closure`)")
    return kernel_cache.Entry(
        source, wanted.name, machine(), f"{_stamp(source)}{sha256(described.encode()).hexdigest()}"
    )


_IMPORTS = re.compile(rb"^from (isodyn[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@cache
def _seen_from(source: Path) -> tuple[bytes, tuple[Path, ...]]:
    """The text of a file, and the files of this package that it imports from."""
    text, package, files = source.read_bytes(), Path(__file__).parents[1], []
    for module, names in _IMPORTS.findall(text):
        path = package.joinpath(*module.decode().split(".")[1:])
        places = [path.with_suffix(".py")] if path != package else []
        places += [path / f"{name}.py" for name in re.findall(r"\w+", names.decode())]
        files += [place for place in places if place.is_file()]
    return text, tuple(files)


@cache
def _stamp(filename: str) -> str:
    """A digest of the file, of what compiles it, and of all it can call or read: kernels and
    structs by way of others, and what they import from."""
    here = Path(__file__)
    memory = [here.with_name(name) for name in ("lowering.py", "struct_layout.py", "struct_types.py")]
    sources, ahead = {here, *memory, *here.parent.glob("numba_internals/*.py")}, [Path(filename)]
    views = here.with_name("struct.py")  # of structs in Python, which machine code knows nothing of
    while ahead:
        source = ahead.pop()
        if source not in sources and source != views:
            sources.add(source)
            text, files = _seen_from(source)
            if source == Path(filename) or b"@kernel(" in text or b"kernels.struct import" in text:
                ahead += files
    digest = sha256()
    for source in sorted(sources):
        digest.update(_seen_from(source)[0])
    return digest.hexdigest()
