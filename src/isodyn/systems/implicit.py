"""Implicit first-order systems, also with a singular matrix in front of the rates.

    F(t, x, x') = 0                        fully implicit [Shimada2014 (3.1)]
    B(x, t) x' = f(x, t)                   linear in x', B singular or varying [Shimada2014 (3.4)]

Both become semi-explicit systems s' = h(s, z, t), 0 = c(s, z, t) [Shimada2014 (3.17)], which the
step knows. Let N span the directions whose rates F does not contain, ∂F/∂x' N = 0, and V the
others:

    x = V s + N w,     s' = y,     0 = F(t, V s + N w, V y),     z = (y, w)

The index stays what it is. (The document eliminates y with S₁ B S₂ = [I 0; 0 0] where B is constant
[Shimada2014 (3.11)–(3.15)]. Here y stays: F then holds at every t_n, with the x' that is shown.)
Where N changes with the state, x' itself is unknown, x' = y and
0 = F(t, x, y), which raises the index by one: index 1 becomes 2, and index 2 becomes 3, which runs
by its stabilised form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError, NonFiniteError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import sparse as sp
from isodyn.systems import checks, differences
from isodyn.systems.algebraic_rates import rate_of_z
from isodyn.systems.consistent_values import chain_of, functions_of
from isodyn.systems.derivative_chain import equilibrated
from isodyn.systems.first_order import FirstOrderSystem

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

Residual = Callable[[float, FloatArray, FloatArray], Any]

RANK = 1e-10  # singular values of ∂F/∂x' below this, relative, are none
SAME = 1e-8  # what ∂F/∂x' N may be at other states, relative
SAMPLES = 6  # states at which N is looked at before a run
LOOK = 40  # every so many calls of F, N is looked at again during a run


class ImplicitSystem(FirstOrderSystem):
    """F(t, x, x') = 0 with x(t₀) = x0, of index 0, 1 or 2.

    Components of x that F contains without their rate are algebraic: their values in x0 are
    guesses, from which consistent ones are found. All others must satisfy the equations, or the
    start is refused with the chain of ranks.

    Parameters
    ----------
    F
        The residual F(t, x, x'), as many numbers as x has.
    x0
        Unknowns at the start.
    xdot0
        A guess of their rates at the start; zero when left out. It matters where F is nonlinear in
        x', because F may have several solutions.
    t0
        Time of the start, where F is looked at for algebraic components.
    names
        Names of the unknowns.

    Raises
    ------
    InputError
        If sizes do not fit, or if components turn out during a run to be algebraic at some states
        only.

    See Also
    --------
    isodyn.analysis.index : the differentiation index, with the chain of ranks.

    Examples
    --------
    A rate that appears as a cube, and an algebraic equation:

    >>> import numpy as np
    >>> import isodyn as iso
    >>> def F(t, x, xdot):
    ...     return np.array([xdot[0] ** 3 + x[0] - x[1], x[1] - 2.0 * x[0]])
    >>> system = iso.ImplicitSystem(F, x0=[1.0, 0.0], xdot0=[1.0, 0.0])
    >>> sol = iso.integrate(system, dt=0.01, t_end=1.0)
    >>> bool(abs(sol.x[-1, 0] - (5 / 3) ** 1.5) < 1e-4)  # x' = x^(1/3)
    True
    """

    def __init__(
        self,
        F: Residual,
        x0: ArrayLike,
        xdot0: ArrayLike | None = None,
        *,
        t0: float = 0.0,
        names: Sequence[str] | None = None,
    ) -> None:
        x = checks.vector("x0", x0)
        rates = np.zeros(x.size) if xdot0 is None else checks.vector("xdot0", xdot0)
        if rates.size != x.size:
            raise InputError(f"xdot0 must have as many components as x0, {x.size}, received {rates.size}")
        if x.size == 0:
            raise InputError("the system has no unknowns: x0 is empty")
        checks.functions(F=F)
        checks.arguments("F", F, ("t", "x", "rate"))
        self.x_names = checks.names(names, x.size, "x")
        self.F = self._checked(F, x.size)
        if not np.isfinite(_rate_matrix(self.F, t0, x, rates)).all():
            raise NonFiniteError(f"F is not finite at the start, t = {t0:g}, or near it", hint="look at x0 and xdot0")
        split = _split_at(self.F, t0, x, rates)
        if split is None:
            self.V, self.N, self.rates_known = np.eye(x.size), np.zeros((x.size, 0)), True
            super().__init__(
                lambda s, z, t: z,
                x,
                z0=rates,
                c=lambda s, z, t: self.F(t, s, z),
                names=self.x_names,
                row_names=[f"{name}'" for name in self.x_names],
            )
            return
        self.V, self.N = split
        self.rates_known = False
        k, look = self.V.shape[1], _Watch(self)
        _require_rates(k)

        def residual(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
            x, rate = self.V @ s + self.N @ z[k:], self.V @ z[:k]
            found = self.F(t, x, rate)
            look(t, x, rate, found)
            return found

        z0 = np.concatenate([self.V.T @ rates, self.N.T @ x])
        s_names, w_names = self._names_of_parts()
        super().__init__(
            lambda s, z, t: z[:k],
            self.V.T @ x,
            z0=z0,
            c=residual,
            names=s_names,
            row_names=[*(f"{name}'" for name in s_names), *w_names],
        )

    @classmethod
    def from_mass(
        cls,
        B: Matrix,
        f: Callable[[FloatArray, float], Any],
        x0: ArrayLike,
        *,
        t0: float = 0.0,
        names: Sequence[str] | None = None,
    ) -> ImplicitSystem:
        """B x' = f(x, t) with a matrix B that may be singular, or with a function B(x, t).

        Parameters
        ----------
        B
            A square matrix, or a function B(x, t) that returns one.
        f
            The right-hand side f(x, t).
        x0
            Unknowns at the start; algebraic ones are guesses.
        t0
            Time of the start.
        names
            Names of the unknowns.

        Returns
        -------
        ImplicitSystem
            The same as with F(t, x, x') = B x' − f.

        Examples
        --------
        >>> import numpy as np
        >>> import isodyn as iso
        >>> B = np.array([[1.0, 1.0], [0.0, 0.0]])
        >>> system = iso.ImplicitSystem.from_mass(B, lambda x, t: np.array([-x[0], x[0] - x[1]]), [1.0, 0.0])
        >>> sol = iso.integrate(system, dt=0.01, t_end=1.0)
        >>> print(iso.analysis.index(system), bool(abs(sol.x[-1, 1] - sol.x[-1, 0]) < 1e-12))
        index 1 (ranks 2 of 2) True
        """
        n = checks.vector("x0", x0).size
        checks.functions(f=f)
        constant: Matrix = None if callable(B) else checks.square("B", B, n)
        if sp.issparse(constant):
            constant = constant.toarray()

        def residual(t: float, x: FloatArray, rate: FloatArray) -> FloatArray:
            matrix = checks.returned("B", B(x.copy(), t), (n, n), t) if constant is None else constant
            return np.asarray(matrix @ rate - checks.returned("f", f(x.copy(), t), (n,), t))

        return cls(residual, x0, t0=t0, names=names)

    @staticmethod
    def _checked(F: Residual, n: int) -> Callable[[float, FloatArray, FloatArray], FloatArray]:
        return lambda t, x, rate: checks.returned("F", F(t, x.copy(), rate.copy()), (n,), t)

    def _names_of_parts(self) -> tuple[list[str], list[str]]:
        """Names of s and w: those of components where they are components, and combinations
        otherwise."""
        parts = []
        for matrix, letter in ((self.V, "s"), (self.N, "w")):
            single = bool(((matrix != 0.0).sum(axis=0) == 1).all())
            parts.append(
                [self.x_names[int(np.argmax(column != 0.0))] for column in matrix.T]
                if single
                else [f"{letter}{k}" for k in range(matrix.shape[1])]
            )
        return parts[0], parts[1]

    def unknowns(self, s: FloatArray, z: FloatArray) -> FloatArray:
        """Return the unknowns x of states, row by row.

        Parameters
        ----------
        s
            States (k, n) of the first-order system.
        z
            Algebraic unknowns (k, m).

        Returns
        -------
        x
            Unknowns of the implicit system.
        """
        return s @ self.V.T + self._algebraic(z) @ self.N.T

    def _algebraic(self, z: FloatArray) -> FloatArray:
        """w, the part of z that belongs to x."""
        return z[:, z.shape[1] - self.N.shape[1] :]

    def rates(self, t: FloatArray, s: FloatArray, z: FloatArray) -> FloatArray:
        """Return x' of states, row by row, such that F(t, x, x') = 0.

        Rates that F does not contain follow from derivatives of F along the motion
        (isodyn.systems.algebraic_rates), second order in the step as x is. Of index 3, which
        systems with a changing null space of ∂F/∂x' may have, they are the slopes of the saved
        rows, second order in the time between them.

        Parameters
        ----------
        t
            Times (k,).
        s
            States (k, n) of the first-order system.
        z
            Algebraic unknowns (k, m).

        Returns
        -------
        rates
            Rates of the unknowns.
        """
        if self.rates_known:
            return z.copy()
        s_rate = z[:, : self.V.shape[1]]
        x_rate = s_rate @ self.V.T
        if self.N.shape[1] == 0:
            return x_rate
        w_rate = self._rates_of_w(t, s, z)
        if w_rate is None:
            if t.size < 3:
                raise InputError(
                    "rates of algebraic unknowns of a system of index 3 need three saved rows",
                    hint="save more steps",
                )
            w_rate = np.gradient(self._algebraic(z), t, axis=0, edge_order=2)
        return x_rate + w_rate @ self.N.T

    def _rates_of_w(self, t: FloatArray, s: FloatArray, z: FloatArray) -> FloatArray | None:
        """w' from derivatives of the equations; None where the index is above 2."""
        h, c = functions_of(self)
        looked_at = {0, t.size // 2, t.size - 1}
        longest = min(chain_of(self, float(t[i]), s[i], z[i]).smooth_time for i in looked_at)
        found = []
        for t_i, s_i, z_i in zip(t, s, z, strict=True):
            rate = rate_of_z(h, c, float(t_i), s_i, z_i, longest)
            if rate is None:
                return None
            found.append(rate[rate.size - self.N.shape[1] :])
        return np.array(found)


def _require_rates(k: int) -> None:
    if k == 0:
        raise InputError(
            "no rate x' appears in the equations at the start: there is nothing to integrate",
            hint="solve for x at each time instead, for example with scipy.optimize.root",
        )


class _Watch:
    """Looks every now and then whether F still does not contain the rates along N."""

    def __init__(self, system: ImplicitSystem) -> None:
        self.system, self.calls = system, 0

    def __call__(self, t: float, x: FloatArray, rate: FloatArray, found: FloatArray) -> None:
        self.calls += 1
        N = self.system.N
        if self.calls % LOOK or N.shape[1] == 0 or not np.isfinite(found).all():
            return
        along = N @ np.full(N.shape[1], max(1.0, float(np.abs(rate).max())))
        change = np.abs(self.system.F(t, x, rate + along) - found).max()
        if change > SAME * max(1.0, float(np.abs(found).max())):
            raise InputError(
                f"∂F/∂x' has another null space at t = {t:.6g} than at the start: rates that F did not contain appear",
                hint="start where all rates that ever appear do, or write the equations with these rates as unknowns",
            )


def _split_at(
    F: Callable[[float, FloatArray, FloatArray], FloatArray], t: float, x: FloatArray, rate: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """V and N at the start; None where N is another one at states nearby."""
    V, N = _directions(_rate_matrix(F, t, x, rate))
    generator = np.random.default_rng(3)
    size, speed = max(float(np.abs(x).max()), 1e-3), max(float(np.abs(rate).max()), 1.0)
    for k in range(SAMPLES):
        d, e = (generator.uniform(-1.0, 1.0, x.size) for _ in range(2))
        matrix = _rate_matrix(F, t + 10.0 ** (k - SAMPLES + 1), x + 0.1 * size * d, rate + speed * e)
        if np.isfinite(matrix).all() and np.abs(matrix @ N).max(initial=0.0) > SAME * np.abs(matrix).max():
            return None
    return V, N


def _rate_matrix(
    F: Callable[[float, FloatArray, FloatArray], FloatArray], t: float, x: FloatArray, rate: FloatArray
) -> FloatArray:
    """∂F/∂x' by differences."""
    sizes = np.maximum(np.abs(rate), max(1.0, float(np.abs(rate).max())))
    along = (partial(_shifted, lambda y: F(t, x, y), rate, d) for d in np.diag(sizes))
    return np.array([differences.first(f, 0.1) for f in along]).T / sizes


def _shifted(f: Callable[[FloatArray], FloatArray], y: FloatArray, d: FloatArray, k: float) -> FloatArray:
    return f(y + k * d)


def _directions(B: FloatArray) -> tuple[FloatArray, FloatArray]:
    """V and N with B N = 0: components where N consists of such, else orthonormal combinations."""
    weights, scaled = equilibrated(B)
    columns = np.abs(scaled).max(axis=0)
    empty = columns <= RANK * max(float(columns.max(initial=0.0)), 1e-300)
    _values, right = np.linalg.svd(weights[:, None] * B)[1:]
    rank = int((np.linalg.svd(scaled, compute_uv=False) > RANK).sum()) if columns.any() else 0
    if int(empty.sum()) == B.shape[1] - rank:
        return np.eye(B.shape[1])[:, ~empty], np.eye(B.shape[1])[:, empty]
    return right[:rank].T.copy(), right[rank:].T.copy()
