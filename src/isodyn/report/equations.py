"""Small systems in symbols (SymPy), for teaching: M, Q, φ, G, b as formulas.

    M(q) a + Gᵀλ = Q(q, v, t),    φ(q, t) = 0,    G = ∂φ/∂q,    b = −(∂(Gv)/∂q v + 2 ∂G/∂t v + ∂²φ/∂t²)

A user's functions are called once with symbols in place of numbers; whatever treats them as numbers
(comparisons, `math.sin`, arrays of floats) is named in the error. Planar mechanisms and particles
are written down from their parts (isodyn.report.planar_equations).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from isodyn.described import described
from isodyn.errors import InputError, IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later, load
from isodyn.mechanism.system import MechanismSystem
from isodyn.report.tracing import SymbolError, number, traced
from isodyn.systems import FirstOrderSystem, LinearFirstOrderSystem, LinearSystem, MechanicalSystem
from isodyn.systems.joined import is_compiled
from isodyn.systems.multiplier_forces import refuse_nonideal

if TYPE_CHECKING:
    from sympy import Matrix as SymbolicMatrix
    from sympy import Symbol

    from isodyn.open_types import Matrix
    from isodyn.systems.base import System

sympy = Later("sympy")
planar_equations = Later("isodyn.report.planar_equations")  # which needs this module and SymPy

LARGEST = 12  # coordinates


@dataclass(frozen=True, eq=False)
class Equations:
    """SymPy matrices of a system; in a notebook it shows itself. First-order systems have s in v,
    s' = Q and c in phi."""

    t: Symbol
    q: tuple[Any, ...]
    v: tuple[Any, ...]
    M: Matrix
    Q: SymbolicMatrix
    phi: SymbolicMatrix
    psi: SymbolicMatrix
    first_order: bool = False

    @property
    def G(self) -> SymbolicMatrix:
        """Rows ∂φ/∂q, then ∂ψ/∂v."""
        return self.phi.jacobian(list(self.q)).col_join(self.psi.jacobian(list(self.v)))

    @property
    def b(self) -> SymbolicMatrix:
        """G a = b: what is left of φ̈ and ψ̇ without a, with the other sign."""
        sympy = _sympy()
        q, v = sympy.Matrix(self.q), sympy.Matrix(self.v)
        rate = self.phi.jacobian(q) * v + self.phi.diff(self.t)
        holonomic = rate.jacobian(q) * v + rate.diff(self.t)
        other = self.psi.jacobian(q) * v + self.psi.diff(self.t)
        return -holonomic.col_join(other)

    def evaluated(self, t: float, q: ArrayLike, v: ArrayLike) -> dict[str, FloatArray]:
        """M, Q, phi, psi, G and b as numbers."""
        sympy = _sympy()
        known = [self.t, *self.q, *self.v]
        values = [t, *np.asarray(q, float), *np.asarray(v, float)]
        parts = {"M": self.M, "Q": self.Q, "phi": self.phi, "psi": self.psi}
        if not self.first_order:
            parts |= {"G": self.G, "b": self.b}
        return {name: np.array(sympy.lambdify(known, part)(*values), dtype=float) for name, part in parts.items()}

    __repr__ = described

    def __str__(self) -> str:
        lines = []
        for name, part in self._parts():
            for i, row in enumerate(part.tolist()):
                lead = f"{name} = " if i == 0 else " " * (len(name) + 3)
                lines.append(f"{lead}[{', '.join(_sympy().sstr(x, full_prec=False) for x in row)}]")
        return "\n".join(lines)

    def _parts(self) -> list[tuple[str, Any]]:
        if self.first_order:
            return [("h", self.Q)] + ([("c", self.phi)] if len(self.phi) else [])
        parts = [("M", self.M), ("Q", self.Q)]
        parts += [("φ", self.phi)] if len(self.phi) else []
        parts += [("ψ", self.psi)] if len(self.psi) else []
        return parts + ([("G", self.G), ("b", self.b)] if len(self.phi) + len(self.psi) else [])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle\\begin{{aligned}}{self.latex()}\\end{{aligned}}$"

    def latex(self) -> str:
        """All parts, aligned at their signs of equality."""
        sympy = _sympy()
        names = {symbol: _latex_name(str(symbol)) for symbol in (*self.q, *self.v)}
        letters = {"φ": r"\varphi", "ψ": r"\psi", "h": r"\dot s"}
        rows = [f"{letters.get(name, name)} &= {sympy.latex(part, symbol_names=names)}" for name, part in self._parts()]
        law = r"M a + G^{T}\lambda &= Q" if len(self.phi) + len(self.psi) else "M a &= Q"
        return r"\\[1ex] ".join(rows if self.first_order else [law, *rows])


def symbolic(system: System) -> Equations:
    """Return M, Q, φ, ψ, G and b of a small system as SymPy matrices.

    Parameters
    ----------
    system
        The system.

    Returns
    -------
    equations
        The matrices.

    Raises
    ------
    InputError
        If the system is too large, or its functions cannot be called with symbols.
    IsodynError
        If SymPy is not installed.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> def Q(q, v, t):
    ...     return -9.81 * np.sin(q)
    >>> system = iso.MechanicalSystem(M=2.0, Q=Q, q0=[1.0], v0=[0.0], names=["x"])
    >>> print(iso.report.symbolic(system))
    M = [2]
    Q = [-9.81*sin(x)]
    """
    _sympy()
    if system.nv > LARGEST:
        raise InputError(
            f"formulas are for small systems, of up to {LARGEST} velocities; this one has {system.nv}",
            hint="sol.drift(), iso.linearise and Questions give numbers for any size",
        )
    if isinstance(system, MechanismSystem):
        return planar_equations.of_mechanism(system)
    if isinstance(system, MechanicalSystem):
        return _of_mechanical(system)
    if isinstance(system, LinearSystem):
        return _of_linear(system)
    if isinstance(system, FirstOrderSystem | LinearFirstOrderSystem):
        return _of_first_order(system)
    raise InputError(
        f"a {type(system).__name__} is a compiled model: there are no formulas to read",
        hint="systems of a user's functions, linear systems and planar mechanisms have some",
    )


def _sympy() -> Later:
    try:
        load(sympy)
    except ImportError as error:
        raise IsodynError(
            "formulas need SymPy, which is not installed", hint="pip install 'isodyn[symbolic]'"
        ) from error
    return sympy


def symbols(names: Sequence[str], rates: Sequence[str] | None = None) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """t, q and v; velocities are called after the coordinates where they are their rates."""
    sympy = _sympy()
    q = tuple(sympy.Symbol(name, real=True) for name in names)
    v = tuple(sympy.Symbol(name, real=True) for name in (rates or [f"{name}'" for name in names]))
    return sympy.Symbol("t", real=True), q, v


def _latex_name(name: str) -> str:
    body, _, last = name.rpartition(".")
    plain = last.rstrip("'")
    rate = len(last) > len(plain) or (bool(body) and plain.startswith("v"))
    plain = plain.removeprefix("v") if body and plain.startswith("v") else plain
    letters, digits = plain.rstrip("0123456789"), plain[len(plain.rstrip("0123456789")) :]
    core = letters.replace("θ", r"\theta ").replace("ω", r"\omega ") if len(letters) < 3 else rf"\mathrm{{{letters}}}"
    core = rf"\dot {{{core}}}" if rate else core
    below = ",".join(x for x in (rf"\mathrm{{{body}}}" if body else "", digits) if x)
    return f"{core}_{{{below}}}" if below else core


# ---- users' functions


def _of_mechanical(system: MechanicalSystem) -> Equations:
    if system.retract is not None:
        raise InputError("formulas need coordinates that add like vectors; this system has retract=")
    refuse_nonideal(system, "the view of equations")
    t, q, v = symbols(system.names)
    M = _called("M", system.M, q) if callable(system.M) else system.M
    given = system.constraints
    phi = _called("phi", given.phi_, q, t) if given.phi_ is not None else []
    psi = _called("psi", given.psi_, q, v, t) if given.psi_ is not None else []
    return Equations(t, q, v, matrix(M, system.nv), column(_called("Q", system.Q, q, v, t)), column(phi), column(psi))


def _of_linear(system: LinearSystem) -> Equations:
    sympy = _sympy()
    t, q, v = symbols(system.names)
    M, K = matrix(system.M, system.nv), matrix(system.K, system.nv)
    C = sympy.zeros(system.nv) if system.C is None else matrix(system.C, system.nv)
    load = _called("f", system.f, t) if callable(system.f) else (np.zeros(system.nv) if system.f is None else system.f)
    Q = column(load) - C * sympy.Matrix(v) - K * sympy.Matrix(q)
    phi = column([]) if system.G is None else matrix(system.G) * sympy.Matrix(q)
    return Equations(t, q, v, M, Q, phi, column([]))


def _of_first_order(system: FirstOrderSystem | LinearFirstOrderSystem) -> Equations:
    sympy = _sympy()
    t, s, _ = symbols(system.names)
    if isinstance(system, LinearFirstOrderSystem):
        r = _called("r", system.r, t) if callable(system.r) else (np.zeros(system.nv) if system.r is None else system.r)
        h = matrix(system.Q, system.nv).inv() * (column(r) - matrix(system.P, system.nv) * sympy.Matrix(s))
        return Equations(t, (), s, sympy.eye(system.nv), h, column([]), column([]), True)
    z = tuple(sympy.Symbol(f"z{i}", real=True) for i in range(system.m))
    arguments = (s, z, t) if z else (s, t)
    c = column([]) if system.c is None else column(_called("c", system.c, *arguments))
    return Equations(t, z, s, sympy.eye(system.nv), column(_called("h", system.h, *arguments)), c, column([]), True)


def _called(name: str, function: Callable[..., Any], *arguments: object) -> Any:
    """What a user's function makes of symbols."""
    plain = function.py_func if is_compiled(function) else function  # type: ignore[attr-defined]
    try:
        return plain(*(traced(x) for x in arguments))
    except SymbolError as error:
        reason = str(error)
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        reason = f"{type(error).__name__}: {error}"
    raise InputError(
        f"{name} cannot be read as a formula: {reason}",
        hint="np.sin and its like take symbols, and so do arrays made by np.array([...]); math.sin and arrays of floats do not",
    )


def column(values: object) -> SymbolicMatrix:
    """A column of expressions."""
    sympy = _sympy()
    flat = np.ravel(np.asarray(values, dtype=object))
    return sympy.Matrix(len(flat), 1, [number(x) for x in flat])


def matrix(values: Matrix, n: int | None = None) -> SymbolicMatrix:
    """A matrix of expressions; scalars and vectors are diagonals of n."""
    sympy = _sympy()
    array = values.toarray() if sp.issparse(values) else np.asarray(values, dtype=object)
    if n is not None and array.ndim < 2:
        array = np.diag(np.broadcast_to(array, n))
    return sympy.Matrix(*array.shape, [number(x) for x in array.ravel()])
