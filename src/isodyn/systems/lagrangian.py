"""Equations of motion from a Lagrangian, by SymPy.

    d/dt ∂L/∂v − ∂L/∂q + φ_qᵀ λ = F − ∂R/∂v                        [Shimada2014 (2.114) adapted]

    M = ∂²L/∂v²,    Q = ∂L/∂q − (∂²L/∂v∂q) v − ∂²L/∂v∂t + F − ∂R/∂v
    G = φ_q,        b = −(G v)_q v − 2 G_t v − φ_tt

L may be any function that is quadratic in the rates v. What belongs to the energy is ½ vᵀM v and −L
at v = 0 [Shimada2014 (2.115)], whose sum is conserved where L does not depend on time and no F, R
or moving constraint does work. All derivatives are exact and are printed as Python functions, which
Numba compiles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from isodyn.errors import InputError
from isodyn.systems.mechanical import MechanicalSystem

if TYPE_CHECKING:
    from isodyn.later import Later
    from isodyn.open_types import Matrix


def from_lagrangian(
    L: Any,
    q: Sequence[Any],
    *,
    q0: Sequence[float],
    v0: Sequence[float],
    constraints: Sequence[Any] = (),
    forces: Mapping[Any, Any] | Sequence[Any] | None = None,
    dissipation: Any = 0,
    parameters: Mapping[Any, float] | None = None,
    row_names: Sequence[str] | None = None,
    compiled: bool = True,
) -> MechanicalSystem:
    """A mechanical system from its Lagrangian, with SymPy (extra ``symbolic``).

    Parameters
    ----------
    L
        The Lagrangian, kinetic less potential energy: a SymPy expression in the coordinates, their
        derivatives with respect to time, and time.
    q
        The coordinates, functions of one symbol for time such as ``sympy.Function("theta")(t)``.
    q0, v0
        Coordinates and their rates at the start.
    constraints
        Expressions that are zero. Those that contain rates are nonholonomic.
    forces
        Generalised forces, one expression per coordinate, or a mapping from coordinates.
    dissipation
        Rayleigh's function R; the forces −∂R/∂v are added.
    parameters
        Numbers in the place of the other symbols.
    row_names
        Names of the constraints.
    compiled
        Whether Numba compiles the functions, which takes some seconds once per process and makes
        steps about a hundred times faster.

    Returns
    -------
    MechanicalSystem
        The system with all derivatives that steps ask for, and its energy.

    Raises
    ------
    InputError
        If L is not quadratic in the rates, if symbols have no number, or if sizes do not fit.

    Examples
    --------
    A pendulum on a cart:

    >>> import sympy as sp
    >>> import isodyn as iso
    >>> t, m, l, g = sp.symbols("t m l g")
    >>> x, theta = sp.Function("x")(t), sp.Function("theta")(t)
    >>> px, py = x + l * sp.sin(theta), -l * sp.cos(theta)
    >>> T = x.diff(t) ** 2 / 2 + m * (px.diff(t) ** 2 + py.diff(t) ** 2) / 2
    >>> system = iso.from_lagrangian(
    ...     T - m * g * py, [x, theta], q0=[0, 0.5], v0=[0, 0], parameters={m: 0.5, l: 1.0, g: 9.81}, compiled=False
    ... )
    >>> sol = iso.integrate(system, dt=0.01, t_end=1.0)
    >>> system.names, bool(abs(sol.energy_balance()).max() < 1e-3)
    (('x', 'theta'), True)
    """
    import sympy as sp

    text = _Translation(sp, q, parameters or {})
    lagrangian, rayleigh = text.expression("L", L), text.expression("dissipation", dissipation)
    applied = sp.Matrix(text.forces(forces))
    x, v, t = sp.Matrix(text.x), sp.Matrix(text.v), text.t
    momenta = sp.Matrix([lagrangian]).jacobian(v).T
    M = momenta.jacobian(v)
    _refuse_mass(M, text)
    Q = sp.Matrix([lagrangian]).jacobian(x).T - momenta.jacobian(x) * v - momenta.diff(t) + applied
    Q -= sp.Matrix([rayleigh]).jacobian(v).T
    write = _Writer(sp, text, compiled)
    functions: dict[str, Any] = {
        "Q": write("Q", Q, "qvt"),
        "Q_q": write("Q_q", Q.jacobian(x), "qvt", matrix=True),
        "Q_v": write("Q_v", Q.jacobian(v), "qvt", matrix=True),
    }
    rows = [text.expression(f"constraint {k}", row) for k, row in enumerate(constraints)]
    holonomic = [k for k, row in enumerate(rows) if not row.has(*text.v)]
    others = [k for k in range(len(rows)) if k not in holonomic]
    if holonomic:
        phi = sp.Matrix([rows[k] for k in holonomic])
        G = phi.jacobian(x)
        b = -((G * v).jacobian(x) * v) - 2 * G.diff(t) * v - phi.diff(t, 2)
        functions |= {"phi": write("phi", phi, "qt"), "G": write("G", G, "qt", matrix=True)}
        functions |= {"b": write("b", b, "qvt"), "phi_t": write("phi_t", phi.diff(t), "qt")}
    if others:
        psi = sp.Matrix([rows[k] for k in others])
        functions |= {
            "psi": write("psi", psi, "qvt"),
            "psi_v": write("psi_v", psi.jacobian(v), "qvt", matrix=True),
            "psi_rest": write("psi_rest", psi.jacobian(x) * v + psi.diff(t), "qvt"),
        }
    names = _row_names(row_names, len(rows))
    parts = sp.Matrix([(v.T * M * v)[0] / 2, -lagrangian.subs(dict.fromkeys(text.v, 0))])
    energies = _Writer(sp, text, False)("energy", parts, "qvt")
    mass = write("M", M, "q", matrix=True) if M.has(*text.x) else np.array(M.tolist(), dtype=np.float64)
    return MechanicalSystem(
        mass,
        q0=q0,
        v0=v0,
        energy=lambda q, v, t: tuple(energies(q, v, t)),
        names=[function.func.__name__ for function in q],
        row_names=None if names is None else [names[k] for k in (*holonomic, *others)],
        **functions,
    )


def _row_names(given: Sequence[str] | None, count: int) -> Sequence[str] | None:
    if given is not None and len(given) != count:
        raise InputError(f"row_names must name all {count} constraints, received {len(given)} names")
    return given


def _refuse_mass(M: Matrix, text: _Translation) -> None:
    if M.has(*text.v):
        raise InputError(
            "L must be quadratic in the rates: ∂²L/∂v² depends on them",
            hint="relativistic and other such Lagrangians are no mechanical systems M(q) a = Q",
        )
    if M.has(text.t):
        raise InputError(
            "∂²L/∂v² depends on time; a mass matrix is a function of the coordinates",
            hint="make what changes in time a coordinate with a constraint",
        )


class _Translation:
    """Coordinates as functions of time, and the plain symbols in their place."""

    def __init__(self, sp: Later, q: Sequence[Any], parameters: Mapping[Any, float]) -> None:
        from sympy.core.function import AppliedUndef

        self.sp, self.q = sp, list(q)
        for one in self.q:
            if not isinstance(one, AppliedUndef) or len(one.args) != 1 or not one.args[0].is_Symbol:
                raise InputError(
                    f"coordinates are functions of time, received {one!r}", hint='for example sympy.Function("x")(t)'
                )
        if not self.q:
            raise InputError("q is empty: there are no coordinates")
        if len({one.args[0] for one in self.q}) > 1 or len(set(self.q)) < len(self.q):
            raise InputError("coordinates must be different functions of one symbol for time")
        self.t = self.q[0].args[0]
        self.x = [sp.Dummy(f"q{k}", real=True) for k in range(len(self.q))]
        self.v = [sp.Dummy(f"v{k}", real=True) for k in range(len(self.q))]
        self.numbers = {sp.sympify(key): sp.sympify(value) for key, value in parameters.items()}

    def expression(self, where: str, given: object) -> Any:
        """With numbers for parameters and symbols for coordinates and rates."""
        made = self.sp.sympify(given).subs(self.numbers).doit()
        rates = {one.diff(self.t): symbol for one, symbol in zip(self.q, self.v, strict=True)}
        made = made.subs(rates).subs(dict(zip(self.q, self.x, strict=True)))
        if left := made.atoms(self.sp.Derivative):
            raise InputError(
                f"{where} contains {sorted(map(str, left))[0]}", hint="L, forces and constraints know first derivatives"
            )
        unknown = made.free_symbols - {*self.x, *self.v, self.t} | made.atoms(self.sp.core.function.AppliedUndef)
        if unknown:
            raise InputError(
                f"{where} contains {', '.join(sorted(map(str, unknown)))}, which is neither a coordinate nor a number",
                hint="give numbers by parameters={symbol: value}",
            )
        return made

    def forces(self, given: Mapping[Any, Any] | Sequence[Any] | None) -> list[Any]:
        """One expression per coordinate."""
        if given is None:
            return [self.sp.Integer(0)] * len(self.q)
        if isinstance(given, Mapping):
            if unknown := [key for key in given if key not in self.q]:
                raise InputError(f"forces names {unknown[0]}, which is not a coordinate")
            given = [given.get(one, 0) for one in self.q]
        if len(given) != len(self.q):
            raise InputError(f"forces needs one expression per coordinate, {len(self.q)}, received {len(given)}")
        return [self.expression(f"the force on {one.func}", f) for one, f in zip(self.q, given, strict=True)]


class _Writer:
    """Python functions from matrices of expressions."""

    def __init__(self, sp: Later, text: _Translation, compiled: bool) -> None:
        self.sp, self.text, self.compiled = sp, text, compiled

    def __call__(self, name: str, values: Any, arguments: str, *, matrix: bool = False) -> Any:
        """A function of the arguments (letters of q, v, t) that returns a vector, or a matrix."""
        from sympy.printing.pycode import PythonCodePrinter

        symbols = {"q": self.text.x, "v": self.text.v}
        printer = PythonCodePrinter({"fully_qualified_modules": True})
        plain = {old: self.sp.Symbol(f"{a}_{k}") for a in symbols for k, old in enumerate(symbols[a])}
        plain[self.text.t] = self.sp.Symbol("t")
        fresh = (self.sp.Symbol(f"c_{k}") for k in range(10**9))
        common, (reduced,) = self.sp.cse([self.sp.Matrix(values).subs(plain)], symbols=fresh)
        lines = [f"{a}_{k} = {a}[{k}]" for a in symbols if a in arguments for k in range(len(self.text.x))]
        lines += [f"{symbol} = {printer.doprint(value)}" for symbol, value in common]
        shape = f"({values.rows}, {values.cols})" if matrix else f"{values.rows}"
        lines.append(f"out = np.zeros({shape})")
        for i in range(values.rows):
            for j in range(values.cols):
                if reduced[i, j] != 0:
                    lines.append(f"out[{i}{f', {j}' if matrix else ''}] = {printer.doprint(reduced[i, j])}")
        source = f"def {name}({', '.join(arguments)}):\n" + "".join(f"    {line}\n" for line in [*lines, "return out"])
        namespace: dict[str, Any] = {"math": math, "np": np}
        exec(compile(source, f"<{name} of a Lagrangian>", "exec"), namespace)
        return numba.njit(namespace[name]) if self.compiled else namespace[name]
