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
from typing import TYPE_CHECKING, ClassVar, Literal, cast, get_args

import numpy as np

from isodyn.errors import InputError
from isodyn.formulations.closure import Closure, Elimination
from isodyn.formulations.gauss_reduction import Reduction, closure_at_balance
from isodyn.formulations.near_singular import warn_near_singular
from isodyn.formulations.policies import Stabilised
from isodyn.formulations.protocol import Facts, Formulation, formulation
from isodyn.kernels.compiled import BALANCE, CONSTANT_MASS, JACOBIAN, KNOWS_MASS, OK, RETRACT, RETRACTS, FloatArray
from isodyn.later import Later
from isodyn.results.solution import Solution
from isodyn.systems.base import System
from isodyn.systems.compiled_system import PythonSystem
from isodyn.systems.model import Question
from isodyn.systems.questions import Questions

methods = Later("isodyn.gauss.methods")  # a large package, needed by the forms in Python alone

if TYPE_CHECKING:
    from isodyn.gauss.methods import Method

Form = Literal[
    "square-root", "square-root/denman-beavers", "square-root/schur", "cholesky", "range-space", "regularised"
]
Basis = Literal["partitioning", "qr", "putd", "zero-eigenvalue", "svd", "schur"]

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
        return closure_at_balance(self)

    def transform(self, system: System) -> PythonSystem:
        return _transform(self, system)

    def lift(self, sol: Solution, system: System) -> Solution:
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
        if self.discrete:
            return Closure(position=1.0, eliminate=Elimination.QR)
        return closure_at_balance(self, Elimination(1 + COMPILED_BASES.index(self.basis)))

    def first_closure(self, dt: float) -> Closure | None:
        # the multipliers of position level start without an alternating part
        return Stabilised().closure(dt) if self.discrete else None

    def transform(self, system: System) -> PythonSystem:
        return _transform(self, system)

    def lift(self, sol: Solution, system: System) -> Solution:
        return _lift(self, sol, system)


def _check_word(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(f"{name} must be one of {', '.join(map(repr, known))}, received {value!r}")


def _check_gains(alpha: float, beta: float) -> None:
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not (isinstance(value, int | float | np.number) and math.isfinite(value) and value >= 0):
            raise InputError(
                f"{name} must be 0 or positive, received {value!r}", hint="negative gains make the drift grow"
            )


def _transform(formulation: UdwadiaKalaba | NullSpace, system: System) -> PythonSystem:
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


def _lift(formulation: UdwadiaKalaba | NullSpace, sol: Solution, system: System) -> Solution:
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


class _Reduced:
    """Balance a − F(q, v, t) with unit mass."""

    solver = ""

    def __init__(self, formulation: UdwadiaKalaba | NullSpace, system: System) -> None:
        self.problem = Reduction(formulation, Questions(system))

    def answer(self, question: Question, out: FloatArray) -> int:
        what, t, q, v, a, _, c = question
        if what == BALANCE:
            out[:] = a - self.problem.solve(t, q, v)[0]
        elif what == JACOBIAN:
            out[:] = (c[0] * np.eye(a.size)).ravel()
        elif what == RETRACT:
            out[:] = self.problem.ask.system.retract(q, v)
        return OK
