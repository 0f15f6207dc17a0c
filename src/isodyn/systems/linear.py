"""Linear systems, dense and sparse.

    M q'' + C q' + K q = f(t)            second order [Shimada2014 (2.3)]
    Q s' + P s = r(t)                    first order  [Shimada2014 (2.4)]

Both are the balance M a + C v + K q − f(t) of the step, the second one without q. The step's matrix
c₀M + c₁C + c₂K changes only with the step size and the scheme: it is factorised once for each, and
a step then costs one solve and the products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTANT_MASS,
    CONSTRAINT,
    FACTORISE,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    LINEAR,
    OK,
    POSITION,
    SOLVE,
    SOLVES,
    VELOCITY,
    FloatArray,
    Traits,
)
from isodyn.later import sparse as sp
from isodyn.linear_solvers.definite import refuse_indefinite
from isodyn.linear_solvers.sparse import Factorisation, factorise
from isodyn.real_numbers import real_array
from isodyn.systems import checks
from isodyn.systems.base import BaseSystem
from isodyn.systems.changes import Changeable, same_size
from isodyn.systems.joined import is_compiled

# compiled when first needed
from isodyn.systems.linear_kernels import LinearTables, constant_load_model, with_load
from isodyn.systems.model import Model, Question, from_python
from isodyn.systems.scales import ordinary
from isodyn.systems.sparse_products import SparseBalance

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

Load = Callable[[float], Any]
UNSTABLE = "motions grow without bound; if that is meant, pass indefinite=True"
_LARGE = 64  # beyond this, dense matrices go through BLAS and LAPACK instead of compiled loops
_LONG = 4096  # from here on vectors do not stay in the nearest memory, and explicit steps save passes over them


class LinearSystem(Changeable, BaseSystem):
    """M q'' + C q' + K q = f(t) with q(t₀) = q0, q'(t₀) = v0.

    Matrices are arrays, vectors (diagonals), scalars or sparse. Symmetry is not assumed; a
    symmetric sparse matrix is recognised and factorised as such.

    Parameters
    ----------
    M
        Mass matrix. A symmetric one with a negative eigenvalue is refused.
    C
        Damping matrix; none if left out.
    K
        Stiffness matrix.
    f
        Load: a function of time or a constant vector; none if left out.
    q0, v0
        Initial position and velocity.
    G
        Matrix of the constraints G q = 0. It makes the matrix of a step dense.
    names
        Names of the coordinates.
    row_names
        Names of the constraint rows.
    indefinite
        Accept a symmetric K with a negative eigenvalue. This is an unstable equilibrium, most often
        a wrong sign, and is refused otherwise.

    Raises
    ------
    InputError
        If sizes do not fit, or a matrix is refused.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.LinearSystem(M=1.0, K=4.0, q0=[1.0], v0=[0.0]).nv
    1
    """

    first_order = False
    retract = difference = None

    def __init__(
        self,
        M: Matrix,
        C: Matrix | None = None,
        K: Matrix | None = None,
        f: Load | Any | None = None,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        *,
        G: Matrix | None = None,
        names: Sequence[str] | None = None,
        row_names: Sequence[str] | None = None,
        indefinite: bool = False,
    ) -> None:
        missing = [name for name, value in (("K", K), ("q0", q0), ("v0", v0)) if value is None]
        if missing:
            raise InputError(
                f"a linear system needs {', '.join(missing)}",
                hint="LinearSystem(M, C, K, f, q0, v0); C and f may be None",
            )
        self.q0, self.v0 = checks.vector("q0", q0), checks.vector("v0", v0)
        self.nq = self.nv = self.v0.size
        if self.q0.size != self.v0.size or self.nv == 0:
            raise InputError(
                f"q0 and v0 must have the same length of at least 1, received {self.q0.size} and {self.v0.size}"
            )
        self.M = checks.square("M", M, self.nv)
        self.C = None if C is None else checks.square("C", C, self.nv)
        self.K = checks.square("K", K, self.nv)
        self.f = _load("f", f, self.nv)
        self.names = self.v_names = checks.names(names, self.nq)
        refuse_indefinite("M", self.M, self.names, checks.MASS_HINT)
        if not indefinite:
            refuse_indefinite("K", self.K, self.names, UNSTABLE)
        self.G = None if G is None else _constraint_matrix(G, self.nv)
        self.m = self.m_phi = 0 if self.G is None else self.G.shape[0]
        self.scales = ordinary(self.q0, self.nv)
        self.row_names, self._indefinite = checks.names(row_names, self.m, "row "), indefinite
        self._finish()

    def _taken(self, name: str, value: object) -> object:
        """A matrix, a load or a start, as the constructor takes it."""
        if name in ("M", "K") or (name == "C" and value is not None):
            matrix = checks.square(name, value, self.nv)
            if name == "M":
                refuse_indefinite("M", matrix, self.names, checks.MASS_HINT)
            if name == "K" and not self._indefinite:
                refuse_indefinite("K", matrix, self.names, UNSTABLE)
            return matrix
        if name == "f":
            return _load("f", value, self.nv)
        if name in ("q0", "v0"):
            return same_size(name, value, self.nv)
        if name == "G":
            G = None if value is None else _constraint_matrix(value, self.nv)
            if (0 if G is None else G.shape[0]) != self.m:
                raise InputError(f"G must keep its {self.m} rows", hint="make a new system with other constraints")
            return G
        return value

    def _settle(self, name: str) -> None:
        """Typical sizes are looked at where the run starts."""
        if name == "q0":
            self.scales = ordinary(self.q0, self.nv)

    def energies_of_rows(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the same energies for rows of states.

        Parameters
        ----------
        q
            Coordinates (k, n).
        v
            Velocities (k, n).

        Returns
        -------
        kinetic, potential
            Two histories (k,).
        """
        return 0.5 * _quadratic(self.M, v), 0.5 * _quadratic(self.K, q)

    def energy(self, q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        """Return ½ vᵀMv and ½ qᵀKq; the work of f is not part of it.

        Parameters
        ----------
        q
            Coordinates.
        v
            Velocities.
        t
            Time.

        Returns
        -------
        kinetic, potential
            Two numbers.
        """
        return 0.5 * float(v @ (self.M @ v)), 0.5 * float(q @ (self.K @ q))

    def model(self) -> Model:
        """Return the function that the compiled loop calls, with its numbers.

        Returns
        -------
        model
            The function, its numbers and its traits.
        """
        self.notice()
        if self.G is not None:
            answers = _ConstrainedAnswers("f", self.M, self.C, self.K, self.f, self.nv)
            answers.G = self.G
            return from_python(answers, LINEAR | CONSTANT_MASS | KNOWS_MASS | KNOWS_TANGENT)
        return linear_model("f", self.M, self.C, self.K, self.f, self.nv)


class LinearFirstOrderSystem(Changeable, BaseSystem):
    """Q s' + P s = r(t) with s(t₀) = s0; matrices and load as in `LinearSystem`.

    Parameters
    ----------
    Q
        Matrix of the rates.
    P
        Matrix of the states.
    r
        Load: a function of time, a constant vector or None.
    s0
        Initial state.
    names
        Names of the components of s.

    Raises
    ------
    InputError
        If sizes do not fit.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.LinearFirstOrderSystem(Q=1.0, P=2.0, r=None, s0=[1.0]).nv
    1
    """

    first_order = True
    retract = difference = energy = None
    m = m_phi = 0
    row_names: tuple[str, ...] = ()
    nq = 0
    _fixed = frozenset(("s0", "q0"))

    def __init__(
        self, Q: Matrix, P: Matrix, r: Load | Any | None, s0: ArrayLike, *, names: Sequence[str] | None = None
    ) -> None:
        self.q0, self.v0 = np.zeros(0), checks.vector("s0", s0)
        self.nv = self.v0.size
        if self.nv == 0:
            raise InputError("the system has no unknowns: s0 is empty")
        self.Q, self.P = checks.square("Q", Q, self.nv), checks.square("P", P, self.nv)
        self.r = _load("r", r, self.nv)
        self.scales = ordinary(self.q0, self.nv)
        self.names = self.v_names = checks.names(names, self.nv, "s")
        self._finish()

    def _taken(self, name: str, value: object) -> object:
        """A matrix, a load or a start (v0), as the constructor takes it."""
        if name in ("Q", "P"):
            return checks.square(name, value, self.nv)
        if name == "r":
            return _load("r", value, self.nv)
        return same_size(name, value, self.nv) if name == "v0" else value

    def model(self) -> Model:
        """Return the function that the compiled loop calls, with its numbers.

        Returns
        -------
        model
            The function, its numbers and its traits.
        """
        self.notice()
        return linear_model("r", self.Q, self.P, None, self.r, self.nv)


def _constraint_matrix(G: Matrix, n: int) -> FloatArray:
    matrix = real_array("G", G.toarray() if sp.issparse(G) else G, "a matrix of numbers")
    if matrix.ndim != 2 or matrix.shape[1] != n or not np.isfinite(matrix).all():
        raise InputError(f"G must be a finite matrix with {n} columns, received shape {matrix.shape}")
    return matrix


def _load(name: str, f: object, n: int) -> Load | FloatArray | None:
    if f is None or callable(f):
        return f
    load = checks.vector(name, f)
    if load.size != n:
        raise InputError(
            f"{name} must have {n} entries or be a function of t, received {load.size} entries",
            hint="one load per coordinate; None for no load",
        )
    return load


def linear_model(name: str, M: Matrix, C: Matrix, K: Matrix, f: Load | FloatArray | None, n: int) -> Model:
    """The cheapest model function for these matrices and this load, called `name` in messages."""
    traits = LINEAR | CONSTANT_MASS
    if any(sp.issparse(matrix) for matrix in (M, C, K)) or n > _LARGE:
        answers = _Answers(name, M, C, K, f, n)
        model = from_python(answers, traits | SOLVES)
        masses = None if answers.rows is None or K is None or n < _LONG else answers.rows.masses
        return model if masses is None else replace(model, inverse_mass=1.0 / masses, damped=C is not None)
    traits |= KNOWS_MASS | KNOWS_TANGENT
    if callable(f) and not is_compiled(f):
        return from_python(_Answers(name, M, C, K, f, n), traits)
    zeros = np.zeros((n, n))
    constant = np.zeros(n) if f is None or callable(f) else f
    tables = LinearTables.filled(M=M, C=zeros if C is None else C, K=zeros if K is None else K, f=constant)
    return Model(with_load(f) if callable(f) else constant_load_model, Traits(traits), tables)


class _Answers:
    """The questions of the loop for sparse or large matrices, or for a load in Python."""

    def __init__(self, name: str, M: Matrix, C: Matrix, K: Matrix, f: Load | FloatArray | None, n: int) -> None:
        self.name, self.n, self.M, self.C, self.K, self.f = name, n, M, C, K, f
        self.factors: Factorisation | None = None
        self.solver = ""
        sparse = all(matrix is None or sp.issparse(matrix) for matrix in (M, C, K))
        self.rows = SparseBalance(M, C, K, n) if sparse and n > _LARGE else None

    def load(self, t: float) -> FloatArray:
        """f(t); empty where there is none."""
        if callable(self.f):
            return checks.returned(self.name, self.f(t), (self.n,), t)
        return np.zeros(0) if self.f is None else self.f

    def answer(self, question: Question, out: FloatArray) -> int:
        what, t, q, v, a, _, c = question
        if what == BALANCE and self.rows is not None:
            self.rows.put(self.load(t), q, v, a, out)
        elif what == BALANCE:
            out[:] = self.M @ a
            if self.C is not None:
                out += self.C @ v
            if self.K is not None:
                out += self.K @ q
            if self.f is not None:
                out -= self.load(t)
        elif what == SOLVE:
            assert self.factors is not None
            out[:] = self.factors.solve(out)
        elif what == FACTORISE:
            self.factors = factorise(self.weighted(c))
            self.solver = self.factors.name
        elif what == JACOBIAN:
            total = self.weighted(c)
            out[:] = (total.toarray() if sp.issparse(total) else total).ravel()
        return OK

    def weighted(self, c: FloatArray) -> Matrix:
        """c₀M + c₁C + c₂K."""
        total = c[0] * self.M
        if self.C is not None and c[1] != 0.0:
            total = total + c[1] * self.C
        if self.K is not None and c[2] != 0.0:
            total = total + c[2] * self.K
        return total


class _ConstrainedAnswers(_Answers):
    """The same with constraints G q = 0."""

    G: FloatArray

    def answer(self, question: Question, out: FloatArray) -> int:
        what, _, q, v, a, lam, _ = question
        if what == CONSTRAINT:
            out[:] = self.G.ravel()
        elif what == POSITION:
            out[:] = self.G @ q
        elif what == VELOCITY:
            out[:] = self.G @ v
        elif what == ACCELERATION:
            out[:] = self.G @ a
        else:
            super().answer(question, out)
            if what == BALANCE:
                out += lam @ self.G
        return OK


def _quadratic(A: Matrix, x: FloatArray) -> FloatArray:
    """xᵀA x of every row."""
    return np.asarray(np.einsum("ki,ki->k", x, (A @ x.T).T))
