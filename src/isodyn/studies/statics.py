"""Positions of rest: q and λ with v = a = 0.

    r(q) + Gᵀλ = 0,   φ(q) = 0,        r = −Q(q, 0, t)

Newton's steps on the motions N that the joints allow, (NᵀK N + σ NᵀM N) y = −Nᵀr, each followed by
the way back to φ = 0 (isodyn.systems.manifold). σ makes the matrix positive definite and steps
short where they must be, so that forces do positive work in every step: the iteration goes downhill
and ends at a stable equilibrium. Without it (stable=False) it is Newton's and ends at any. Beams,
and mechanisms with beams, go along growing loads instead (isodyn.studies.load_path).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.linalg import eigvalsh

from isodyn.described import counted
from isodyn.errors import BucklingError, ConvergenceError, InputError, SingularError
from isodyn.kernels.compiled import FloatArray
from isodyn.notebook_views import ShownInNotebooks
from isodyn.studies.linearisation import Linearisation, linearise, rest
from isodyn.studies.load_path import LoadPath, follow_loads, has_load_path
from isodyn.studies.relaxation import relax, swings
from isodyn.studies.tangents import second_order, tangents
from isodyn.systems.base import System
from isodyn.systems.checks import vector
from isodyn.systems.compiled_system import settled
from isodyn.systems.manifold import close, freedoms, moving, refuse_open
from isodyn.systems.questions import Questions
from isodyn.systems.scales import reach

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

REACH = 0.5  # longest step, in metres and radians
EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Equilibrium(ShownInNotebooks):
    """A position of rest with its multipliers.

    Parameters
    ----------
    system
        The system.
    t
        Time at which loads are taken.
    q
        Coordinates.
    lam
        Multipliers.
    residual
        Largest force left over, relative to those that balance.
    iterations
        Iterations that were needed.
    path
        Equilibria along growing loads, if the position was found in that way.

    Examples
    --------
    >>> import isodyn as iso
    >>> spring = iso.LinearSystem(M=1.0, C=None, K=4.0, f=[2.0], q0=[0.0], v0=[0.0])
    >>> found = iso.equilibrium(spring)
    >>> round(float(found.q[0]), 12), found.stability
    (0.5, 'stable')
    """

    system: System
    t: float
    q: FloatArray
    lam: FloatArray
    residual: float
    iterations: int
    path: LoadPath | None = None  # of systems with beams that loads deform, but do not set free

    @cached_property
    def linearisation(self) -> Linearisation:
        """Small motions about the position."""
        return linearise(self.system, self.q, self.t)

    @property
    def stability(self) -> str:
        """ "stable", "neutral" or "unstable", by the poles of small motions."""
        return self.linearisation.stability

    @cached_property
    def stiffness(self) -> FloatArray:
        """Eigenvalues ω² of K against M on the motions that the joints allow, ascending."""
        lin = self.linearisation
        K, M = lin.K, lin.M
        return np.asarray(eigvalsh((K + K.T) / 2, (M + M.T) / 2)) if K.size else np.zeros(0)

    def __str__(self) -> str:
        return (
            f"equilibrium at t = {self.t:g}, {self.stability}: forces balance to {self.residual:.1e} "
            f"after {counted(self.iterations, 'iteration')}"
            + (f"; smallest ω² = {self.stiffness[0]:.4g}" if self.stiffness.size else "; no freedom left")
        )

    def __repr__(self) -> str:
        return f"<Equilibrium: {self}>"


class _Rest(NamedTuple):
    q: FloatArray
    lam: FloatArray
    N: FloatArray
    left: FloatArray  # r + Gᵀλ
    size: float


def equilibrium(
    system: System,
    q: Numbers | None = None,
    t: float = 0.0,
    *,
    stable: bool = True,
    tolerance: float = 1e-10,
    max_iterations: int = 200,
) -> Equilibrium:
    """Find the position of rest that forces lead to.

    Velocities play no part: dampers and dry friction exert nothing at rest.

    Parameters
    ----------
    system
        The system.
    q
        Position from which to search; the start of the system if left out.
    t
        Time at which loads are taken.
    stable
        Go downhill, to a stable equilibrium. If False, Newton's steps lead to the nearest one of
        any kind.
    tolerance
        Largest force that may be left over, relative to those that balance.
    max_iterations
        Limit of the iteration.

    Returns
    -------
    found
        The position with its multipliers.

    Raises
    ------
    ConvergenceError
        If no equilibrium is found.

    Examples
    --------
    >>> import isodyn as iso
    >>> found = iso.equilibrium(iso.MechanicalSystem(M=2.0, Q=lambda q, v, t: 19.62 - 100.0 * q, q0=[0.0], v0=[0.0]))
    >>> round(float(found.q[0]), 10), found.stability
    (0.1962, 'stable')
    """
    system = second_order("equilibrium", system)
    ask = Questions(system)
    at = system.q0 if q is None else vector("q", q)
    if at.size != system.nq:
        raise InputError(f"q must have {system.nq} entries, received {at.size}")
    at = settled(system, at)
    if stable and has_load_path(system):
        return _of_beams(ask, t, at if q is not None else None, tolerance)
    if stable and swings(system, at, t):
        return _of_beams(ask, t, at, tolerance)
    closed = close(ask, t, at)
    refuse_open(ask, t, closed)
    state = _rest(ask, t, closed.q)
    largest, sizes = state.size, system.scales.v
    for k in range(max_iterations + 1):
        M, _, K = tangents(ask, t, state.q, state.lam)
        reduced = state.N.T @ K @ state.N, state.N.T @ M @ state.N
        g, largest = state.N.T @ state.left, max(largest, state.size)
        rounding = 100 * EPS * float(np.abs(sizes[:, None] * K * sizes).max()) * reach(system, state.q)
        left = np.abs(g).max(initial=0.0)
        small = left <= max(tolerance * state.size, min(rounding, tolerance * largest))
        if small or (left <= rounding and _stays(system, state, g, reduced[0])):
            residual = float(left) / largest if largest > 1e-200 else 0.0
            return Equilibrium(system, t, state.q, state.lam, residual, k)
        found = (_downhill if stable else _newton)(ask, t, state, g, *reduced)
        if found is None:
            break
        state = found
    worst = int((np.abs(state.left) * sizes).argmax())
    way = float(np.abs(state.q - at).max())
    raise ConvergenceError(
        f"no equilibrium found from this start at t = {t:g}: after {k} iterations, {way:.3g} away, a force of"
        f" {abs(state.left[worst]):.3g} is left over on {system.v_names[worst]!r}",
        hint="something must balance it: a joint, a spring; or start elsewhere",
    )


def _of_beams(ask: Questions, t: float, q: Any, tolerance: float) -> Equilibrium:
    """Along growing loads; downhill from q, or where the unloaded system can move."""
    system, path, found = ask.system, None, None
    if q is None:
        refuse_open(ask, t, close(ask, t, system.q0))
        try:
            path = follow_loads(system, t=t, tolerance=tolerance)
        except BucklingError:
            raise
        except SingularError:
            path = None
    if path is None:
        found = relax(system, q, t, tolerance)
        if found is None:
            raise ConvergenceError(
                f"no stable equilibrium found downhill from this start at t = {t:g}",
                hint="something must balance the loads: a joint, a spring; or start elsewhere",
            )
    at, many = (path.q, path.iterations) if path is not None else (found.q, found.iterations)  # type: ignore[union-attr]
    state = _rest(ask, t, at)
    left = float(np.abs(state.N.T @ state.left).max(initial=0.0))
    return Equilibrium(system, t, at, state.lam, left / state.size, many, path)


def _rest(ask: Questions, t: float, q: FloatArray) -> _Rest:
    G = ask.G(t, q, np.zeros(ask.system.nv))
    lam, left, size = rest(ask, t, q, G)
    return _Rest(q, lam, freedoms(G, ask.system.scales.v)[0], left, size)


def _moved(ask: Questions, t: float, state: _Rest, d: FloatArray) -> _Rest | None:
    """The state after a step d, back on φ = 0; None where there is no way back."""
    closed = close(ask, t, moving(ask.system)(state.q, d))
    if closed.largest > 1e-9 or not np.isfinite(closed.q).all():
        return None
    new = _rest(ask, t, closed.q)
    return new if np.isfinite(new.left).all() else None


def _downhill(ask: Questions, t: float, state: _Rest, g: FloatArray, K: FloatArray, M: FloatArray) -> _Rest | None:
    """A step in which forces do work, as near to Newton's as it may be."""
    values = eigvalsh((K + K.T) / 2, (M + M.T) / 2)
    least = float(np.abs(g).max()) / (REACH * float(np.abs(M).max()))
    smallest = 1e-3 * max(float(np.abs(values).max()), least)
    sigma = 0.0 if values[0] > 1e-9 * np.abs(values).max() else max(-2.0 * float(values[0]), smallest)
    for _ in range(60):
        d = state.N @ np.linalg.lstsq(K + sigma * M, -g, rcond=1e-13)[0]
        if (np.abs(d) / ask.system.scales.v).max() <= REACH:
            new = _moved(ask, t, state, d)
            if new is not None and ((state.left + new.left) @ d < 0 or _force(new) < 0.5 * _force(state)):
                return new
        sigma = max(4.0 * sigma, smallest)
    return None


def _stays(system: System, state: _Rest, g: FloatArray, K: FloatArray) -> bool:
    """Whether Newton's step from a stable position is lost in the last digits of the coordinates:
    stiff bodies leave forces there that no position takes away."""
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    if not values[0] > 0.0:
        return False
    d = state.N @ (vectors @ ((vectors.T @ g) / values))
    return bool((np.abs(d) / system.scales.v).max() <= EPS * reach(system, state.q))


def _newton(ask: Questions, t: float, state: _Rest, g: FloatArray, K: FloatArray, M: FloatArray) -> _Rest | None:
    """Newton's step, shortened until the forces left over become smaller."""
    d = state.N @ np.linalg.lstsq(K, -g, rcond=1e-13)[0]
    d *= min(1.0, REACH / max(float((np.abs(d) / ask.system.scales.v).max()), 1e-300))
    for _ in range(30):
        new = _moved(ask, t, state, d)
        if new is not None and _force(new) < _force(state):
            return new
        d = d / 2
    return None


def _force(state: _Rest) -> float:
    return float(np.linalg.norm(state.N.T @ state.left))
