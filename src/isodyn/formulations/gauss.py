"""Formulations that eliminate the multipliers: the accelerations of Gauss' principle, and the null
space of G.

An ordinary differential equation a = F(q, v, t) with

    F = the a that minimises ½(a − M⁻¹Q)ᵀM(a − M⁻¹Q) subject to G a = b̂,      b̂ = b − 2α φ̇ − β² φ [Pennestri2008 (90)]

`UdwadiaKalaba(form)` computes it from M, G and b̂ directly [Udwadia1992 (5a)], `NullSpace(basis)`
from Nᵀ(M a − Q) = 0 with G N = 0 [Pennestri2008 (33) adapted]. Any scheme integrates the equation;
nothing keeps φ and φ̇ where they are but α and β. Rows that follow from others and contradict them
are an error.

M ã + G̃ᵀλ̃ = Q̃ and G̃ ã = b̂ at the balance are a step that closes there: the range space, and the
bases "qr" and "svd", run in compiled code, with the independent rows that were chosen at the start.
The other forms and bases are other ways to the same F, as transforms by `isodyn.gauss`. These
decide the rank of G anew at every evaluation, with a tolerance of ten times the distance from φ = 0
(rows of a closed loop depend on each other on the constraints only), so it may change along the
motion; where it does, F may jump.

`NullSpace(discrete=True)` instead eliminates multipliers from the equations of a step,
N(q̃)ᵀ·balance = 0 with φ = 0 at t_{n+1}: the motion of position level, to rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast, get_args

import numpy as np

from isodyn.errors import ConflictError, InputError
from isodyn.formulations.closure import Closure, Elimination, Where
from isodyn.formulations.near_singular import warn_near_singular
from isodyn.formulations.policies import Stabilised
from isodyn.formulations.protocol import Facts, Formulation, formulation
from isodyn.kernels.compiled import BALANCE, CONSTANT_MASS, JACOBIAN, KNOWS_MASS, OK, RETRACT, RETRACTS, FloatArray
from isodyn.later import Later
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.rank import RCOND, Rank, decide
from isodyn.results.solution import Solution
from isodyn.systems.compiled_system import PythonSystem
from isodyn.systems.questions import Questions
from isodyn.systems.scales import natural_pace, pace, sizes_of_rows

methods = Later("isodyn.gauss.methods")  # a large package, needed by the forms in Python alone

if TYPE_CHECKING:
    from isodyn.gauss.methods import Method

Form = Literal[
    "square-root", "square-root/denman-beavers", "square-root/schur", "cholesky", "range-space", "regularised"
]
Basis = Literal["partitioning", "qr", "putd", "zero-eigenvalue", "svd", "schur"]

COARSEST = 1e-2  # the largest tolerance of a rank, where the state is far off the constraints
# of the accelerations asked for: rows that follow from others and differ by more contradict them
CONFLICT = 1e-6
COMPILED_FORM: Form = "range-space"
# numbered from one in `isodyn.kernels.compiled.Closure`
COMPILED_BASES: tuple[Basis, ...] = ("qr", "svd")
OTHER_FORMS = tuple(sorted(set(get_args(Form)) - {COMPILED_FORM}))
OTHER_BASES = tuple(sorted(set(get_args(Basis)) - set(COMPILED_BASES)))


@formulation("udwadia-kalaba")
@dataclass(frozen=True)
class UdwadiaKalaba(Formulation):
    """Take the accelerations from the explicit equations of motion of Udwadia and Kalaba.

    Parameters
    ----------
    form
        How the equations are solved. "range-space" runs in compiled code, the others in Python.
    alpha, beta
        Gains of Baumgarte that pull back drift; 0 for none.

    Raises
    ------
    InputError
        If the form is unknown, or a gain is negative.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.UdwadiaKalaba(), dt=0.01, t_end=0.1)
    >>> bool(sol.drift().position.max() < 1e-3)
    True
    """

    facts: ClassVar[tuple[Facts, ...]] = (
        Facts(
            orders=(2, 2, 2, 2),
            constraints_only=True,
            remark="φ and φ̇ drift; range space, closed at the balance",
            settings=(("form", (COMPILED_FORM,)),),
        ),
        Facts(
            orders=(2, 2, 2, 2),
            compiled=False,
            constraints_only=True,
            transforms=True,
            nonideal=False,
            remark="other ways to the same accelerations, in Python: " + ", ".join(f'"{form}"' for form in OTHER_FORMS),
            settings=(("form", OTHER_FORMS),),
        ),
    )
    form: Form = "range-space"
    alpha: float = 0.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        _check_word("form", self.form, get_args(Form))
        _check_gains(self.alpha, self.beta)

    @property
    def method(self) -> Method:
        """Name of the method in `isodyn.gauss`."""
        return self.form

    def closure(self, dt: float) -> Closure:
        """Return how a step of this size closes.

        Parameters
        ----------
        dt
            Size of the step.

        Returns
        -------
        closure
            Weights of the constraint levels, and corrections.
        """
        return _closure(self, Elimination.NONE)

    def transform(self, system: Any) -> PythonSystem:
        """Return the unconstrained system a = F(q, v, t).

        Parameters
        ----------
        system
            The constrained system.

        Returns
        -------
        system
            The system to integrate in its place.
        """
        return _transform(self, system)

    def lift(self, sol: Solution, system: Any) -> Solution:
        """Return the solution with the multipliers of least norm at t_n.

        Parameters
        ----------
        sol
            Solution of the unconstrained system.
        system
            The constrained system.

        Returns
        -------
        sol
            Solution of the constrained system.
        """
        return _lift(self, sol, system)


@formulation("null-space")
@dataclass(frozen=True)
class NullSpace(Formulation):
    """Eliminate the multipliers by a basis N of the null space of G.

    The motion solves Nᵀ(M a − Q) = 0 with G a = b.

    Parameters
    ----------
    basis
        How N is found. "qr" and "svd" run in compiled code, the others in Python.
    discrete
        Reduce the equations of a step, N(q̃)ᵀ·balance = 0 with φ = 0 at t_{n+1}, always by "qr".
        These are the equations of position level, and the motion is the same to rounding.
    alpha, beta
        Gains of Baumgarte that pull back drift; 0 for none.

    Raises
    ------
    InputError
        If the basis is unknown, a gain is negative, or the choices contradict each other.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.NullSpace(), dt=0.01, t_end=0.1)
    >>> bool(sol.drift().position.max() < 1e-3)
    True
    """

    facts: ClassVar[tuple[Facts, ...]] = (
        Facts(
            "φ",
            (2, 2, 1, 1),
            nonideal=False,
            explicit=False,
            nonholonomic=False,
            alternates=True,
            remark="equals position level",
            settings=(("discrete", (True,)),),
        ),
        Facts(
            nonideal=False,
            orders=(2, 2, 2, 2),
            constraints_only=True,
            remark="the motion of `UdwadiaKalaba`, to rounding; bases "
            + " and ".join(f'"{basis}"' for basis in COMPILED_BASES),
            settings=(("basis", COMPILED_BASES),),
        ),
        Facts(
            nonideal=False,
            orders=(2, 2, 2, 2),
            compiled=False,
            constraints_only=True,
            transforms=True,
            remark="the same with other bases, in Python: " + ", ".join(f'"{basis}"' for basis in OTHER_BASES),
            settings=(("basis", OTHER_BASES),),
        ),
    )
    basis: Basis = "qr"
    discrete: bool = False
    alpha: float = 0.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        _check_word("basis", self.basis, get_args(Basis))
        _check_gains(self.alpha, self.beta)
        if self.discrete and (self.basis != "qr" or self.alpha or self.beta):
            raise InputError(
                f"NullSpace(discrete=True) reduces the step with basis='qr' and keeps φ without gains, received {self!r}",
                hint="other bases and gains belong to discrete=False",
            )

    @property
    def method(self) -> Method:
        """Name of the method in `isodyn.gauss`."""
        return cast("Method", f"null-space/{self.basis}")

    def closure(self, dt: float) -> Closure:
        """Return how a step of this size closes.

        Parameters
        ----------
        dt
            Size of the step.

        Returns
        -------
        closure
            Weights of the constraint levels, and corrections.
        """
        if self.discrete:
            return Closure(position=1.0, eliminate=Elimination.QR)
        return _closure(self, Elimination(1 + COMPILED_BASES.index(self.basis)))

    def first_closure(self, dt: float) -> Closure | None:
        """Return how the first step closes: as with `Stabilised` where φ = 0 closes the others.

        This starts the multipliers without an alternating part.

        Parameters
        ----------
        dt
            Size of the step.

        Returns
        -------
        closure
            Weights and corrections, or None if the first step is like the others.
        """
        return Stabilised().closure(dt) if self.discrete else None

    def transform(self, system: Any) -> PythonSystem:
        """Return the unconstrained system a = F(q, v, t).

        Parameters
        ----------
        system
            The constrained system.

        Returns
        -------
        system
            The system to integrate in its place.
        """
        return _transform(self, system)

    def lift(self, sol: Solution, system: Any) -> Solution:
        """Return the solution with the multipliers of least norm at t_n.

        Parameters
        ----------
        sol
            Solution of the unconstrained system.
        system
            The constrained system.

        Returns
        -------
        sol
            Solution of the constrained system.
        """
        return _lift(self, sol, system)


def _check_word(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(f"{name} must be one of {', '.join(map(repr, known))}, received {value!r}")


def _check_gains(alpha: float, beta: float) -> None:
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not (isinstance(value, int | float | np.number) and math.isfinite(value) and value >= 0):
            raise InputError(
                f"{name} must be 0 or positive, received {value!r}", hint="negative gains make the drift grow"
            )


def _closure(formulation: UdwadiaKalaba | NullSpace, eliminate: Elimination) -> Closure:
    """φ̈ + 2αφ̇ + β²φ = 0 at the balance [Pennestri2008 (90)]."""
    alpha, beta = float(formulation.alpha), float(formulation.beta)
    return Closure(beta * beta, 2.0 * alpha, 1.0, eliminate=eliminate, where=Where.BALANCE)


def _transform(formulation: UdwadiaKalaba | NullSpace, system: Any) -> PythonSystem:
    traits = KNOWS_MASS | CONSTANT_MASS | (RETRACTS if system.retract is not None else 0)
    return PythonSystem(
        _Reduced(formulation, system),
        traits,
        system.q0,
        system.v0,
        energy=system.energy,
        retract=system.retract,
        difference=system.difference,
        names=system.names,
        scales=system.scales,
    )


def _lift(formulation: UdwadiaKalaba | NullSpace, sol: Solution, system: Any) -> Solution:
    pivot, where = sol.system.answers.problem.closest
    warn_near_singular(pivot, where, "the motion from there on, and multipliers, are uncertain", stacklevel=4)
    problem = Reduction(formulation, Questions(system))
    lam, rank = np.zeros((sol.t.size, system.m)), np.zeros(sol.t.size, dtype=np.int64)
    jumps = sol.aux.get("breakpoint_rows", np.zeros(0, dtype=np.int64))
    if jumps.size:
        left = [problem.solve(np.nextafter(sol.t[i], -np.inf), sol.q[i], sol.v[i])[1] for i in jumps]
        sol.aux["lam_left"] = np.array(left)
    for i, (t, q, v) in enumerate(zip(sol.t, sol.q, sol.v, strict=True)):
        _, lam[i], rows = problem.solve(np.nextafter(t, np.inf) if i in jumps else t, q, v)
        rank[i] = rows.rank
        if i == 0:
            sol.redundant = tuple(system.row_names[k] for k in rows.dropped)
    sol.lam, sol.system, sol.columns["lam"] = lam, system, np.arange(system.m)
    sol.aux["rank"] = rank
    return sol


class Reduction:
    """The acceleration problem of a system at one state after the other.

    Redundant rows are left out. Those that were enforced before are enforced again while they are
    independent and as many as the rank: another choice would give another F where rows depend on
    each other on the constraints only and the state has drifted.
    """

    def __init__(self, formulation: UdwadiaKalaba | NullSpace, ask: Questions) -> None:
        self.formulation, self.ask, self.weights = formulation, ask, _closure(formulation, Elimination.NONE)
        self.rows: Any = None
        self.most = 0  # the largest rank so far
        self.closest = (1.0, 0.0)  # to a loss of rank: the smallest pivot, and when

    def solve(
        self, t: float, q: FloatArray, v: FloatArray, rcond: float = RCOND, *, strict: bool = True
    ) -> tuple[FloatArray, FloatArray, Rank]:
        """a, λ of least norm, and the rank of G; `rcond` is the least tolerance of that rank,
        `strict` refuses rows in conflict."""
        ask = self.ask
        apply = methods.formula(self.formulation.method)
        M, G = ask.mass(t, q, v), ask.G(t, q, v)
        Q, b = -ask.balance(t, q, v, np.zeros(ask.system.nv)), wanted(ask, t, q, v, self.weights)
        tolerance = tolerance_of_rank(ask, t, q, v, G, rcond)
        rank = decide(G, M.diagonal(), tolerance)
        self._watch(rank, t)
        if rank.full:
            return *methods.on_rank(apply, M, Q, G, b, rank), rank
        if self.rows is not None and self.rows.size == rank.rank:
            part = decide(G[self.rows], M.diagonal(), tolerance)
        if self.rows is None or self.rows.size != rank.rank or not part.full:
            self.rows = rank.chosen
            part = decide(G[self.rows], M.diagonal(), tolerance)
        if strict:
            refuse_conflict(ask, rank, self.rows, b, t, q, v)
        lam = np.zeros(b.size)
        a, lam[self.rows] = methods.on_rank(apply, M, Q, G[self.rows], b[self.rows], part)
        return a, rank.least_norm(lam), rank

    def _watch(self, rank: Rank, t: float) -> None:
        """Note how close the independent rows come to losing rank; one that is gained started from
        a loss."""
        if rank.rank > self.most > 0:
            self.closest = (0.0, t)
        self.most = max(self.most, rank.rank)
        if self.most:
            pivot = rank.diagonal[self.most - 1] / rank.diagonal[0] if rank.rank == self.most else 0.0
            self.closest = min(self.closest, (float(pivot), t))


def wanted(ask: Questions, t: float, q: FloatArray, v: FloatArray, weights: Closure) -> FloatArray:
    """b̂, what the rows ask of the accelerations."""
    b = -ask.acceleration(t, q, v, np.zeros(ask.system.nv))
    if weights.position or weights.velocity:
        phi = ask.position(t, q, v)
        b -= weights.velocity * ask.velocity(t, q, v)  # [Pennestri2008 (90)]
        b[: phi.size] -= weights.position * phi
    return b


def tolerance_of_rank(
    ask: Questions, t: float, q: FloatArray, v: FloatArray, G: FloatArray, least: float = RCOND
) -> float:
    """Relative size of a pivot at which a row depends on others: ten times the distance from φ = 0,
    within limits."""
    return max(least, min(10.0 * _distance(ask, ask.position(t, q, v), G, 1.0), COARSEST))


def _distance(ask: Questions, gap: FloatArray, G: FloatArray, size: float, rows: Any = None) -> float:
    """How far a state is from where the gaps, of some rows or all, vanish, in typical sizes times
    the given one."""
    G = G * ask.system.scales.v
    if rows is not None:
        rows = rows[rows < gap.size]
        gap, G = gap[rows], G[rows]
    if not gap.size:
        return 0.0
    length = np.linalg.norm(G[: gap.size], axis=1)
    return float(np.abs(gap / np.where(length > 0.0, length, 1.0)).max()) / size


def refuse_conflict(
    ask: Questions, rank: Rank, enforced: Any, b: FloatArray, t: float, q: FloatArray, v: FloatArray
) -> None:
    """ConflictError for rows that follow from others and ask for another acceleration, beyond what
    the drift can do.

    Only the drift of enforced rows excuses the others: what those are off by themselves is the
    conflict.
    """
    if rank.mixture is None:
        return
    names, G = ask.system.row_names, full(ask.G(t, q, v))
    fast = pace(ask.system, v) or 1.0
    off = _distance(ask, ask.position(t, q, v), G, 1.0, enforced)
    off += _distance(ask, ask.velocity(t, q, v), G, fast, enforced)
    follows = rank.mixture @ b[rank.chosen]
    size = np.abs(b[rank.dropped]) + np.abs(rank.mixture) @ np.abs(b[rank.chosen])
    defect = np.abs(b[rank.dropped] - follows)
    beat = natural_pace(ask, t, q, v)
    excess = defect - (CONFLICT + 100.0 * off) * np.maximum(sizes_of_rows(ask.system, G)[rank.dropped] * beat**2, size)
    if (excess > 0.0).any():
        k = int(excess.argmax())
        row = int(rank.dropped[k])
        others = ", ".join(repr(names[i]) for i in rank.partners(row)) or "no other row"
        raise ConflictError(
            f"constraints conflict at t = {t:.6g}: {names[row]!r} asks for {b[row]:.6g} at acceleration level where {others} give"
            f" {follows[k]:.6g}",
            hint=f"{names[row]!r} depends on {others}; remove one of them, or make them agree",
        )


class _Reduced:
    """Balance a − F(q, v, t) with unit mass."""

    solver = ""

    def __init__(self, formulation: UdwadiaKalaba | NullSpace, system: Any) -> None:
        self.problem = Reduction(formulation, Questions(system))

    def answer(
        self,
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        c: FloatArray,
        out: FloatArray,
    ) -> int:
        if what == BALANCE:
            out[:] = a - self.problem.solve(t, q, v)[0]
        elif what == JACOBIAN:
            out[:] = (c[0] * np.eye(a.size)).ravel()
        elif what == RETRACT:
            out[:] = self.problem.ask.system.retract(q, v)
        return OK
