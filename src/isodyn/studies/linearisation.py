"""Small motions about a position of rest; those about a steady motion are in isodyn.studies.steady.

    q ⊕ d,   d = N x,   G N = 0:        NᵀM N ẍ + NᵀC N ẋ + NᵀK N x = Nᵀf

N spans the motions that the joints allow; K contains the geometric stiffness of the multipliers at
rest. Poles s are those of det(s²M + sC + K) = 0; with s = −ζω ± iω√(1 − ζ²) a mode has the
frequency ω and the damping ratio ζ. A drive whose row moves by u adds a particular motion d = G⁺u
to N x.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eig, eigh

from isodyn.errors import InputError
from isodyn.kernels.compiled import SOLVES, FloatArray
from isodyn.later import Later
from isodyn.studies.shown_motion import SmallMotions
from isodyn.studies.tangents import Tangents, multipliers, rates, second_order, tangents
from isodyn.systems.base import System
from isodyn.systems.checks import vector
from isodyn.systems.compiled_system import settled
from isodyn.systems.manifold import freedoms
from isodyn.systems.multiplier_forces import refuse_nonideal
from isodyn.systems.questions import Questions
from isodyn.systems.scales import largest_or_one, natural_pace, ordinary_or, power_of_two, reach, sizes_of_rows

if TYPE_CHECKING:
    from isodyn.open_types import ComplexArray, Numbers
    from isodyn.studies.steady import SteadyLinearisation

statics = Later("isodyn.studies.statics")  # which uses this module
steady_motions = Later("isodyn.studies.steady")  # which knows mechanisms

UNBALANCED = 1e-6  # forces left, relative, from which on a position is not one of rest
NEAR = 1e-9  # … and so are forces of a position that is off by this much, relative
ZERO = 1e-7  # frequencies below this, relative to the largest, are zero


@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """Amplitudes of the steady motion q ⊕ d e^{iωt}, a row per frequency.

    Parameters
    ----------
    omega
        Angular frequencies (k,).
    d
        Complex amplitudes of the motion (k, nv).
    lam
        Complex amplitudes of the multipliers (k, m).
    names
        Names of the components of v.

    Examples
    --------
    >>> import isodyn as iso
    >>> lin = iso.linearise(iso.LinearSystem(M=1.0, C=None, K=4.0, f=None, q0=[0.0], v0=[0.0]))
    >>> float(lin.response([1.0], force=[1.0]).d[0, 0].real.round(12))
    0.333333333333
    """

    omega: FloatArray
    d: ComplexArray
    lam: ComplexArray
    names: tuple[str, ...]

    def of(self, name: str) -> Any:
        """Return the amplitudes of one component.

        Parameters
        ----------
        name
            Its name in v.

        Returns
        -------
        d
            Complex amplitudes (k,).

        Raises
        ------
        InputError
            If there is no such component.
        """
        if name not in self.names:
            raise InputError(f"there is no component named {name!r}", hint=f"components: {', '.join(self.names)}")
        return self.d[:, self.names.index(name)]


@dataclass(frozen=True, eq=False, repr=False)
class Linearisation(SmallMotions):
    """Small motions about a position of rest; `print` shows their modes.

    Parameters
    ----------
    system
        The system.
    t
        Time at which loads are taken.
    q
        The position of rest.
    lam
        Multipliers there.
    G
        Constraint matrix there.
    N
        Basis of the motions that the joints allow.
    full
        Tangents in all components of v.

    Examples
    --------
    >>> import isodyn as iso
    >>> lin = iso.linearise(iso.LinearSystem(M=1.0, C=0.4, K=4.0, f=None, q0=[0.0], v0=[0.0]))
    >>> float(lin.damping_ratios[0].round(12)), lin.stability
    (0.1, 'stable')
    """

    system: System
    t: float
    q: FloatArray
    lam: FloatArray
    G: FloatArray
    N: FloatArray
    full: Tangents

    @property
    def M(self) -> FloatArray:
        """Reduced mass matrix NᵀM N."""
        return self.N.T @ self.full.M @ self.N

    @property
    def C(self) -> FloatArray:
        """Reduced damping matrix NᵀC N."""
        return self.N.T @ self.full.C @ self.N

    @property
    def K(self) -> FloatArray:
        """Reduced stiffness matrix NᵀK N."""
        return self.N.T @ self.full.K @ self.N

    @cached_property
    def _solved(self) -> tuple[Any, Any]:
        """Poles, one of each pair, and their modes in x, by frequency."""
        M, C, K = self.M, self.C, self.K
        n = M.shape[0]
        if n == 0:
            return np.zeros(0, dtype=complex), np.zeros((0, 0))
        symmetric = np.abs(K - K.T).max() <= 1e-8 * np.abs(K).max() and np.abs(M - M.T).max() <= 1e-12 * np.abs(M).max()
        size = np.sqrt(max(float(np.abs(K).max()) * float(np.abs(M).max()), 1e-300))
        if symmetric and np.abs(C).max() <= 1e-12 * size:
            square, X = eigh((K + K.T) / 2, (M + M.T) / 2)
            square[np.abs(square) < ZERO**2 * np.abs(square).max(initial=0.0)] = 0.0
            poles = np.where(square >= 0, 1j, 1.0) * np.sqrt(np.abs(square))
        else:
            eye, none = np.eye(n), np.zeros((n, n))
            mass, (k, c) = largest_or_one(np.abs(M)), (float(np.abs(x).max()) for x in (K, C))
            # of time: blocks of one size
            unit = power_of_two(np.sqrt(mass / k) if k > 0.0 else mass / c)
            inertia = np.block([[eye, none], [none, M / mass]])
            poles, Y = eig(np.block([[none, eye], [-K * (unit * unit / mass), -C * (unit / mass)]]), inertia)
            poles = poles / unit
            poles = np.where(np.abs(poles) < ZERO * np.abs(poles).max(), 0.0, poles)
            one = np.flatnonzero(poles.imag >= 0)
            poles, X = poles[one], Y[:n, one]
            X = X / np.abs(X).max(axis=0)
        order = np.argsort(np.abs(poles), kind="stable")
        return poles[order], X[:, order]

    @property
    def poles(self) -> ComplexArray:
        """Poles s of e^{st} with Im s ≥ 0; of an undamped mode that grows, the growing one."""
        return self._solved[0]

    @property
    def modes(self) -> ComplexArray:
        """Shapes in all components of v, a column per mode; of unit modal mass without damping."""
        return self.N @ self._solved[1]

    @property
    def stability(self) -> str:
        """ "unstable" if a mode grows, "neutral" if one has frequency zero, else "stable"."""
        if (self.poles.real > ZERO * self.omega.max(initial=0.0)).any():
            return "unstable"
        return "neutral" if (self.omega == 0).any() else "stable"

    def response(
        self, omega: ArrayLike, *, force: ArrayLike | None = None, drive: str | None = None
    ) -> FrequencyResponse:
        """Return the steady motion under a harmonic force or drive.

        Parameters
        ----------
        omega
            Angular frequencies.
        force
            Amplitude f of f e^{iωt}: a vector over v, or a mapping such as {"block.vx": 1.0}.
        drive
            Name of a row, or of a drive of a mechanism, that follows its value + e^{iωt}.

        Returns
        -------
        response
            Amplitudes at every frequency.

        Raises
        ------
        InputError
            If not exactly one of `force` and `drive` is given, or it is unknown.
        """
        omega, n = np.atleast_1d(np.asarray(omega, dtype=np.float64)), self.system.nv
        if (force is None) == (drive is None):
            raise InputError("response takes either force= or drive=")
        f, u = np.zeros(n), np.zeros(self.system.m)
        if force is not None:
            f = self._force(force)
        else:
            u[self._row(str(drive))] = 1.0
        particular = rates(self.system, self.G, u) if drive is not None else np.zeros(n)
        off = np.abs(self.G @ particular - u) / sizes_of_rows(self.system, self.G)
        if drive is not None and off.max() > 1e-8 * (u / sizes_of_rows(self.system, self.G)).max():
            raise InputError(f"{drive!r} cannot move: its row depends on the others")
        M, C, K = self.full
        d, lam = np.zeros((omega.size, n), dtype=complex), np.zeros((omega.size, self.system.m), dtype=complex)
        for k, w in enumerate(omega):
            S = K + 1j * w * C - w * w * M
            x = np.linalg.solve(self.N.T @ S @ self.N, self.N.T @ (f - S @ particular))
            d[k] = particular + self.N @ x
            if self.system.m:
                r = f - S @ d[k]
                lam[k] = multipliers(self.system, self.G, -r.real) + 1j * multipliers(self.system, self.G, -r.imag)
        return FrequencyResponse(omega, d, lam, self.system.v_names)

    def _force(self, force: ArrayLike) -> FloatArray:
        names = self.system.v_names
        if not isinstance(force, Mapping):
            f = vector("force", force)
            if f.size != len(names):
                raise InputError(f"force must have {len(names)} entries, received {f.size}")
            return f
        f = np.zeros(len(names))
        for name, value in force.items():
            if name not in names:
                raise InputError(f"force: there is no component named {name!r}", hint=f"components: {', '.join(names)}")
            f[names.index(name)] = value
        return f

    def _row(self, name: str) -> int:
        rows = self.system.row_names
        for known in (name, f"{name}: drive"):
            if known in rows:
                return rows.index(known)
        raise InputError(f"there is no drive or row named {name!r}", hint=f"rows: {', '.join(rows) or 'none'}")

    def __str__(self) -> str:
        freedoms_ = self.N.shape[1]
        lines = [
            f"small motions at t = {self.t:g}: {freedoms_} degree{'s' if freedoms_ != 1 else ''} of freedom, {self.stability}"
        ]
        if self.poles.size:
            lines.append("  mode   ω [rad/s]     f [Hz]   damping   moves most")
        for k, (w, f, ratio) in enumerate(zip(self.omega, self.frequencies, self.damping_ratios, strict=True)):
            most = self.system.v_names[int(np.abs(self.modes[:, k]).argmax())]
            lines.append(f"  {k + 1:4d}  {w:10.5g} {f:10.5g} {ratio:9.3g}   {most}")
        return "\n".join(lines)


@overload
def linearise(system: System, q: ArrayLike | None = None, t: float = 0.0, *, v: None = None) -> Linearisation: ...


@overload
def linearise(system: System, q: ArrayLike | None = None, t: float = 0.0, *, v: ArrayLike) -> SteadyLinearisation: ...


def linearise(
    system: Any, q: Numbers | None = None, t: float = 0.0, *, v: Numbers | None = None
) -> Linearisation | SteadyLinearisation:
    """Return the small motions of a system about a position of rest, or about a steady motion.

    Parameters
    ----------
    system
        The system.
    q
        The position; the equilibrium that is found from the start if left out, or with `v` the
        position at the start.
    t
        Time at which loads are taken.
    v
        Velocities of a steady motion through q: one that turns as a whole, while round bodies may
        spin about their axes. Rolling wheels are allowed.

    Returns
    -------
    lin
        Reduced matrices and modes; of a steady motion poles and modes.

    Raises
    ------
    InputError
        If the position is not one of rest.
    NotSteadyError
        If the motion is not steady.

    Examples
    --------
    >>> import isodyn as iso
    >>> lin = iso.linearise(iso.LinearSystem(M=1.0, C=None, K=4.0, f=None, q0=[1.0], v0=[0.0]))
    >>> float(lin.omega[0])
    2.0
    """
    system = second_order("linearise", system)
    if v is not None:
        refuse_nonideal(system, "linearise about a motion")
        return steady_motions.steady(system, system.q0 if q is None else q, v, t)
    ask, still = Questions(system), np.zeros(system.nv)
    if q is None:
        q = statics.equilibrium(system, t=t).q
    at = vector("q", q)
    if at.size != system.nq:
        raise InputError(f"q must have {system.nq} entries, received {at.size}")
    at = settled(system, at)
    G = ask.G(t, at, still)
    lam, left, size = rest(ask, t, at, G)
    beat = 1.0 if ask.model.traits & SOLVES else ordinary_or(natural_pace(ask, t, at, still))
    for what, gap in (("position", ask.position(t, at, still)), ("velocity", ask.velocity(t, at, still))):
        off = np.abs(gap) / sizes_of_rows(system, G)[: gap.size]
        if off.max(initial=0.0) > UNBALANCED * (reach(system, at) if what == "position" else beat):
            worst = system.row_names[int(off.argmax())]
            raise InputError(
                f"q is no position of rest at t = {t:g}: {worst!r} is off by {abs(gap[int(off.argmax())]):.3g} at {what} level",
                hint="iso.equilibrium finds one" if what == "position" else "a drive is moving at this time",
            )
    matrices = tangents(ask, t, at, lam)
    sizes = system.scales.v
    near = NEAR * float(np.abs(sizes[:, None] * matrices.K * sizes).max()) * reach(system, at)
    if (np.abs(left) * sizes).max() > max(UNBALANCED * size, near):
        worst = int((np.abs(left) * sizes).argmax())
        raise InputError(
            f"q is no position of rest at t = {t:g}: a force of {abs(left[worst]):.3g} is left over on {system.v_names[worst]!r}",
            hint="iso.equilibrium finds one",
        )
    return Linearisation(system, t, at, lam, G, freedoms(G, system.scales.v)[0], matrices)


def rest(ask: Questions, t: float, q: FloatArray, G: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Multipliers at rest, forces that they leave over, and the size of forces, as work along
    typical sizes."""
    still = np.zeros(ask.system.nv)
    r = ask.balance(t, q, still, still)
    lam, sizes = multipliers(ask.system, G, r), ask.system.scales.v
    left = r + lam @ G
    size = max(float((np.abs(r) * sizes).max()), float((np.abs(lam[:, None] * G) * sizes).max(initial=0.0)), 1e-300)
    return lam, left, size
