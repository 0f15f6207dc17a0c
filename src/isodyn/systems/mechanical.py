"""Mechanical systems from a user's own equations.

    M(q) a + G(q, t)ᵀ λ = Q(q, v, t),    v = q̇ (or what `retract` consumes),    a = v̇
    M(q) a + G(q, t)ᵀ λ = Q(q, v, t, λ)  where constraints are not ideal; see isodyn.systems.multiplier_forces
    φ(q, t) = 0,   ψ(q, v, t) = 0        constraints, if any; see isodyn.systems.constraints

`M` is an array, a sparse matrix, a vector (diagonal) or a function of q; `Q` is a function.
Functions compiled with Numba's `@njit` run inside the compiled loop; plain Python functions are
called from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

import numba
import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.kernels.compiled import (
    CONSTANT_MASS,
    KNOWS_MASS,
    KNOWS_TANGENT,
    NONIDEAL,
    RETRACTS,
    SKETCHES_TANGENT,
    SOLVES,
    FloatArray,
)
from isodyn.later import sparse as sp
from isodyn.linear_solvers.definite import refuse_indefinite
from isodyn.systems import checks
from isodyn.systems.base import BaseSystem, System
from isodyn.systems.changes import NUMBERS_OF_START, Changeable, same_size
from isodyn.systems.constraints import Constraints
from isodyn.systems.contacts import ContactSet, make_contacts, refuse_alone
from isodyn.systems.given_scales import scales_of
from isodyn.systems.joined import is_compiled, join
from isodyn.systems.joined_constraints import can_join, join_constraints
from isodyn.systems.model import Model, from_python
from isodyn.systems.multiplier_forces import differences, join_slopes, takes_multipliers
from isodyn.systems.python_answers import PythonAnswers, SparseAnswers
from isodyn.systems.scales import ORDINARY, Scales, power_of_two

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

Energy = Callable[[FloatArray, FloatArray, float], tuple[float, float]]


class MechanicalSystem(Changeable, BaseSystem):
    """M(q) a + Gᵀλ = Q(q, v, t) with its constraints and its initial state.

    Parameters
    ----------
    M
        Mass matrix: an array (n, n), a vector (diagonal), a sparse matrix, or a function M(q) → (n,
        n).
    Q
        Forces: a function Q(q, v, t) → (n,), or Q(q, v, t, lam) if they depend on the multipliers
        of the constraints, as friction by a normal force does. It must be finite for lam = 0 too.
    q0, v0
        Initial position and velocity.
    Q_q, Q_v
        Derivatives of Q: functions (q, v, t) → (n, n). If both are missing, differences take their
        place; if only Q_v is missing, forces do not depend on velocity. Implicit schemes need them
        for a sparse M; with constraints full matrices are formed. They take the arguments of Q.
    Q_lam
        Function ∂Q/∂λ of (q, v, t, lam) → (n, m) for such forces; differences take its place if it
        is missing.
    lam_in_Q
        Whether Q takes multipliers; told by the number of its arguments if left out.
    phi
        Holonomic constraints: a function φ(q, t) → (m,).
    G, b, phi_t
        Functions G(q, t) → (m, n), b(q, v, t) → (m,) and φ_t(q, t) → (m,); differences take the
        place of those that are missing.
    psi
        Nonholonomic constraints: a function ψ(q, v, t).
    psi_v, psi_rest
        Functions ψ_v(q, v, t) and ψ_q v + ψ_t of (q, v, t); differences take the place of those
        that are missing.
    retract
        Function (q, d) → q ⊕ d for coordinates that are not a vector space.
    difference
        Function (q₁, q₂) → d that undoes it.
    energy
        Function (q, v, t) → (kinetic, potential).
    scales
        Typical sizes of the components of an increment of v (n,), all positive. Rounding,
        differences and tolerances refer to them. If they are left out, they are one, or of the size
        of q0 if φ bends over such lengths or q0 is very far from one. Give them if coordinates have
        different units and sizes far from one.
    names
        Names of the coordinates, for messages and results.
    row_names
        Names of the constraint rows.
    gap
        Gaps of contacts: a function g(q, t) → (k,) that must not become negative. A contact pushes
        with a force ≥ 0 along ∂g/∂q where its gap is closed.
    gap_q
        Function ∂g/∂q of (q, t) → (k, n); differences take its place if it is missing.
    slip, slip_v
        Tangential velocities of the contacts: a function of (q, v, t) → (k,) in the plane, (2k,) in
        space, contact by contact; and its derivative by v, likewise.
    restitution
        Coefficient of restitution between 0 and 1, one for all gaps or one for each.
    mu
        Coefficient of friction, likewise; it needs `slip`.
    mu_static
        Coefficient of friction of contacts that stick, not below `mu`; `mu` if left out.
    gap_names
        Names of the contacts.

    Raises
    ------
    InputError
        If sizes do not fit, or a function returns something else.

    Examples
    --------
    >>> import isodyn as iso
    >>> oscillator = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -4.0 * q, q0=[1.0], v0=[0.0])
    >>> oscillator.nv
    1
    """

    first_order = False
    _fixed = frozenset(
        {
            *{"phi", "G", "b", "phi_t", "psi", "psi_v", "psi_rest", "lam_in_Q", "retract", "difference"},
            *{"gap", "gap_q", "slip", "slip_v", "restitution", "mu", "mu_static", "gap_names"},
        }
    )

    def __init__(
        self,
        M: Any,
        Q: Callable[..., Any],
        q0: ArrayLike,
        v0: ArrayLike,
        *,
        Q_q: Callable[..., Any] | None = None,
        Q_v: Callable[..., Any] | None = None,
        Q_lam: Callable[[FloatArray, FloatArray, float, FloatArray], Any] | None = None,
        lam_in_Q: bool | None = None,
        phi: Callable[[FloatArray, float], Any] | None = None,
        G: Callable[[FloatArray, float], Any] | None = None,
        b: Callable[[FloatArray, FloatArray, float], Any] | None = None,
        phi_t: Callable[[FloatArray, float], Any] | None = None,
        psi: Callable[[FloatArray, FloatArray, float], Any] | None = None,
        psi_v: Callable[[FloatArray, FloatArray, float], Any] | None = None,
        psi_rest: Callable[[FloatArray, FloatArray, float], Any] | None = None,
        retract: Callable[[FloatArray, FloatArray], Any] | None = None,
        difference: Callable[[FloatArray, FloatArray], Any] | None = None,
        energy: Energy | None = None,
        scales: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        row_names: Sequence[str] | None = None,
        gap: Callable[[FloatArray, float], Any] | None = None,
        gap_q: Callable[[FloatArray, float], Any] | None = None,
        slip: Callable[[FloatArray, FloatArray, float], Any] | None = None,
        slip_v: Callable[[FloatArray, FloatArray, float], Any] | None = None,
        restitution: Numbers | None = None,
        mu: Numbers | None = None,
        mu_static: Numbers | None = None,
        gap_names: Sequence[str] | None = None,
    ) -> None:
        self.q0, self.v0 = checks.vector("q0", q0), checks.vector("v0", v0)
        self.nq, self.nv = self.q0.size, self.v0.size
        if self.nv == 0:
            raise InputError("the system has no coordinates: v0 is empty")
        if retract is None and self.nq != self.nv:
            raise InputError(
                f"q0 and v0 must have the same length, received {self.nq} and {self.nv}",
                hint="coordinates that are not a vector space need retract= and difference=",
            )
        if (retract is None) != (difference is None):
            raise InputError("retract and difference come as a pair, received only one of them")
        checks.functions(Q=Q, Q_q=Q_q, Q_v=Q_v, Q_lam=Q_lam, retract=retract, difference=difference, energy=energy)
        if Q is None:
            raise InputError("Q must be a function, received None")
        if Q_v is not None and Q_q is None:
            raise InputError("Q_v was given without Q_q", hint="give both derivatives, or neither")
        self.M = M if callable(M) else checks.square("M", M, self.nv)
        if not callable(M):
            refuse_indefinite(
                "M", self.M, checks.velocity_names(checks.names(names, self.nq), self.nv), checks.MASS_HINT
            )
        self.nonideal = takes_multipliers(Q, lam_in_Q, Q_lam, phi is not None or psi is not None)
        checks.arguments("Q", Q, ("q", "v", "t", "lam") if self.nonideal else ("q", "v", "t"))
        if energy is not None:
            checks.arguments("energy", energy, ("q", "v", "t"))
        self.Q, self.Q_q, self.Q_v, self.Q_lam = Q, Q_q, Q_v, Q_lam
        self.retract, self.difference, self.energy = retract, difference, energy
        self.names = checks.names(names, self.nq)
        self.v_names = checks.velocity_names(self.names, self.nv)
        self._given_scales: object = scales
        self._friction: Callable[[System], ContactSet] | None = None
        self._rows = {"phi": phi, "G": G, "b": b, "phi_t": phi_t, "psi": psi, "psi_v": psi_v, "psi_rest": psi_rest}
        refuse_alone(gap, gap_q=gap_q, slip=slip, slip_v=slip_v, restitution=restitution, mu=mu, gap_names=gap_names)
        refuse_alone(gap, mu_static=mu_static)
        self._gaps = {"phi": gap, "G": gap_q, "psi": slip, "psi_v": slip_v}
        self._gap_numbers = gap_names, restitution, mu, mu_static
        self.row_names = () if row_names is None else tuple(row_names)
        self._look()
        self._finish()

    def _look(self) -> None:
        """Typical sizes, constraints and contacts, as they follow from the arguments."""
        phi = self._rows["phi"]
        self._scales = scales_of(self.q0, self.nv, self.retract, self._given_scales, phi)
        self._pace: float | None = None
        self.m = 0  # until constraints have been looked at
        self.constraints = Constraints(
            self.q0,
            self.v0,
            **self._rows,
            retract=self.retract,
            names=self.row_names or None,
            scales=self._scales,
            time=self._time,
        )
        self.m, self.m_phi, self.row_names = self.constraints.m, self.constraints.m_phi, self.constraints.names
        self._contacts: ContactSet | None = None
        if self._gaps["phi"] is not None:
            given: dict[str, Any] = {**self._gaps, "retract": self.retract, "difference": self.difference}
            twin = MechanicalSystem(np.ones(self.nv), no_force, self.q0, self.v0, scales=self._scales.v, **given)
            names, restitution, mu, mu_static = self._gap_numbers
            self._contacts = make_contacts(twin, names, restitution, mu, mu_static, self._scales.v)
        if self._friction is not None:
            self._contacts = self._friction(self)

    @property
    def scales(self) -> Scales:
        """Typical sizes of the components of q and v."""
        self.notice(NUMBERS_OF_START)
        return self._scales

    @scales.setter
    def scales(self, value: Scales) -> None:
        self._given_scales = value

    def rubbing(self, friction: Callable[[System], ContactSet]) -> Self:
        """Return a copy with friction on its constraints.

        Parameters
        ----------
        friction
            Makes contacts of a system; asked now, and again when the system is changed.

        Returns
        -------
        system
            The copy.
        """
        found = copy(self)
        found._friction, found._contacts = friction, friction(self)
        return found

    @property
    def contacts(self) -> ContactSet | None:
        """Gaps that may close, with their laws."""
        self.notice(NUMBERS_OF_START)
        return self._contacts

    def _taken(self, name: str, value: object) -> object:
        """A mass matrix, a function or a start, as the constructor takes it."""
        if name == "M" and not callable(value):
            M = checks.square("M", value, self.nv)
            refuse_indefinite("M", M, self.v_names, checks.MASS_HINT)
            return M
        if name in ("q0", "v0"):
            return same_size(name, value, self.nq if name == "q0" else self.nv)
        if name in ("Q", "Q_q", "Q_v", "Q_lam", "energy"):
            checks.functions(**{name: value})
        if name == "Q":
            if not callable(value):
                raise InputError("Q must be a function, received None")
            checks.arguments("Q", value, ("q", "v", "t", "lam") if self.nonideal else ("q", "v", "t"))
        if name == "scales":
            return scales_of(self.q0, self.nv, self.retract, value, self._rows["phi"])
        return value

    def _settle(self, name: str) -> None:
        """Sizes and rows look at the start and at what acts there."""
        if name in ("M", "Q", "q0", "v0", "scales"):
            object.__setattr__(self, "_made", False)
            try:
                self._look()
            finally:
                object.__setattr__(self, "_made", True)

    def _time(self, t: float) -> float:
        """The time in which the system moves by a typical size, from its start and the forces
        there; one where it is shorter, but not by far: differences in time stay small beside drives
        that begin later."""
        if self.nonideal and self.m == 0:
            return 1.0
        if self._pace is None:
            sizes, M = self._scales.v, self.M(self.q0.copy()) if callable(self.M) else self.M
            mass = np.abs(M.diagonal() if sp.issparse(M) else np.diag(np.atleast_2d(np.asarray(M, dtype=np.float64))))
            force = np.abs(np.asarray(self.Q(*self._arguments(self.q0, self.v0, t)), dtype=np.float64))
            a = np.zeros(self.nv)  # and stays so where shapes are wrong, which is told elsewhere
            if force.shape == mass.shape == a.shape:
                np.divide(force, mass, out=a, where=mass > 0.0)
            rate = max(float((np.abs(self.v0) / sizes).max()), float(np.sqrt(a / sizes).max()))
            known = np.isfinite(rate) and rate > 0.0 and not 1.0 <= rate <= ORDINARY
            self._pace = float(power_of_two(1.0 / rate)) if known else 1.0
        return self._pace

    def _arguments(self, q: FloatArray, v: FloatArray, t: float, lam: FloatArray | None = None) -> tuple[Any, ...]:
        """What Q and its derivatives are called with: copies, and multipliers only where they take
        them."""
        if not self.nonideal:
            return q.copy(), v.copy(), t
        return q.copy(), v.copy(), t, np.zeros(self.m) if lam is None else lam.copy()

    def model(self, *, plain: bool = False) -> Model:
        """Return the function that the compiled loop calls, with its numbers.

        Parameters
        ----------
        plain
            Call all functions from Python.

        Returns
        -------
        model
            The function, its numbers and its traits.
        """
        self.notice()
        callables = [f for f in (self.M, self.Q, self.Q_q, self.Q_v, self.Q_lam, self.retract) if callable(f)]
        compiled = not plain and all(is_compiled(f) for f in callables)
        if compiled and not sp.issparse(self.M) and can_join(self.constraints):
            return self._joined()
        traits = RETRACTS if self.retract is not None else 0
        traits |= NONIDEAL if self.nonideal else 0
        if not callable(self.M):
            traits |= CONSTANT_MASS
        if sp.issparse(self.M) and not self.m:
            return from_python(SparseAnswers(self), traits | SOLVES)
        sketches = SKETCHES_TANGENT if self.constraints.sketches_tangent else 0
        traits |= KNOWS_MASS | (KNOWS_TANGENT if self.Q_q is not None else sketches)
        return from_python(PythonAnswers(self), traits)

    def _joined(self) -> Model:
        """The model of compiled functions: made once, unless M or a function was changed since,
        with scratch of its own for every run."""
        rows = self.constraints
        functions = (
            *(self.Q, self.Q_q, self.Q_v, self.Q_lam, self.retract, self.nonideal),
            self.M if callable(self.M) else None,
            *(rows.phi_, rows.G_, rows.b_, rows.phi_t_, rows.psi_, rows.psi_v_, rows.psi_rest_),
        )
        mass = None if callable(self.M) else np.asarray(self.M).tobytes()
        known = _joined_models.get(self)
        if (
            known is None
            or known[0] != mass
            or any(one is not other for one, other in zip(known[1], functions, strict=True))
        ):
            model = join(self.M, self.Q, self.Q_q, self.Q_v, self.retract, self.nonideal)
            model = join_constraints(model, self.constraints, self.retract) if self.m else model
            model = join_slopes(model, self.Q_lam or differences(self.Q)) if self.nonideal else model
            known = _joined_models[self] = mass, functions, model
        model = copy(known[2])
        object.__setattr__(model, "scratch", model.scratch.copy())
        return model


_joined_models: WeakKeyDictionary[MechanicalSystem, tuple[object, tuple[object, ...], Model]] = WeakKeyDictionary()


def _no_force(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
    """Of a system of which only rows are asked."""
    return np.zeros(v.size)


no_force = numba.njit(_no_force)
