"""Equilibria of beams, and of mechanisms with beams: Newton's method in small steps, along growing
loads or downhill.

    ∂U/∂q − s Q + Gᵀλ + σ M (q ⊖ q_n) = 0,   φ(q) = 0

A beam is stiff against stretching and soft against bending, so a long step of Newton's method tears
it. Two families of short ones do not:

    σ = 0, s from 0 to 1    where the unloaded system cannot move: the path of growing loads (weight, forces, torques)
    s = 1, σ towards 0      where it can: backward Euler steps of a motion in which inertia is friction, M q' = forces, to its end

Steps start from the two before them and end when the correction is negligible; steps that fail are
halved, easy ones doubled. A path is followed only as long as it is stable: K + σ M must be positive
definite on the motions that the rows allow, which is seen from the signs of the pivots of K + σ
M + c GᵀG with a large c.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from isodyn.beams.system import BeamSystem
from isodyn.errors import BucklingError, ConvergenceError, InputError, SingularError
from isodyn.kernels.compiled import JACOBIAN, FloatArray
from isodyn.later import Later
from isodyn.linear_solvers.blocks import values_to_csr
from isodyn.linear_solvers.rows import LARGE, choose
from isodyn.mechanism.hybrid import UserMechanismSystem
from isodyn.mechanism.system import MechanismSystem
from isodyn.notebook_views import ShownInNotebooks
from isodyn.systems.base import System
from isodyn.systems.checks import vector
from isodyn.systems.compiled_system import settled
from isodyn.systems.description import as_system
from isodyn.systems.manifold import moving
from isodyn.systems.questions import Questions
from isodyn.systems.scales import largest_or_one, pace, reach, row_sizes

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

shown_motion = Later("isodyn.studies.shown_motion")

PENALTY = 1e3  # c, in units of the largest entry of K
ROUNDING = 1e-13  # pivots below this part of their own entry are zero
SMALLEST = 1e-6  # load steps below this are given up
FIRST = 0.05  # how far the first step downhill goes, in units of the size of the system
# σ, relative to the first, from which on a step that does not move anything has arrived
SMALL = 1e-2
RELAXATIONS = 400  # most steps downhill


@dataclass(frozen=True, eq=False)
class LoadPath(ShownInNotebooks):
    """Equilibria along growing loads.

    Parameters
    ----------
    system
        The system.
    factor
        Parts of the loads (k,); the last of `follow_loads` is 1.
    q_path
        Coordinates (k, nq).
    lam_path
        Multipliers (k, m).
    iterations
        Iterations of all load steps.
    stable
        Whether each equilibrium is stable (k,); all of `follow_loads` are.

    Examples
    --------
    >>> import isodyn as iso
    >>> section = iso.Section(EA=1e6, EI=1.0, rhoA=1.0)
    >>> beam = iso.Beam([(0.0, 0.0), (1.0, 0.0)], elements=4, section=section)
    >>> beam.clamp("start")
    >>> beam.force("end", (0.0, 1.0))
    >>> path = iso.follow_loads(beam.compile(), steps=5)
    >>> path.q_path.shape[0] == path.factor.size, bool((path.q == path.q_path[-1]).all())
    (True, True)
    """

    system: System
    factor: FloatArray
    q_path: FloatArray
    lam_path: FloatArray
    iterations: int
    stable: Any = None

    def as_solution(self) -> Solution:
        """Return the path as a solution, the number of the equilibrium in place of time.

        Returns
        -------
        sol
            A solution with v = a = 0 whose views, plots and pictures show the path;
            `sol.beam(name)` has the sectional forces.

        Examples
        --------
        >>> import isodyn as iso
        >>> section = iso.Section(EA=1e6, EI=1.0, rhoA=1.0)
        >>> beam = iso.Beam([(0.0, 0.0), (1.0, 0.0)], elements=4, section=section)
        >>> beam.clamp("start")
        >>> beam.force("end", (0.0, 1.0))
        >>> moment = iso.follow_loads(beam.compile()).as_solution().beam().bending_moment(2)
        >>> round(float(moment[-1, 0, 0]), 2)
        0.94
        """
        still = np.zeros((self.factor.size, self.system.nv))
        t = np.arange(float(self.factor.size))
        return shown_motion.as_solution(self.system, t, self.q_path, still, still, self.lam_path)

    @property
    def q(self) -> FloatArray:
        """Coordinates under full load."""
        return self.q_path[-1]

    @property
    def lam(self) -> FloatArray:
        """Multipliers under full load."""
        return self.lam_path[-1]

    def __repr__(self) -> str:
        return f"<LoadPath: {self.factor.size - 1} load steps, {self.iterations} iterations>"


class Found(NamedTuple):
    q: FloatArray
    lam: FloatArray
    iterations: int


def has_load_path(system: System) -> bool:
    """Whether this is a beam, or a mechanism with beams or bodies that loads stiffen, all of whose
    parts are compiled."""
    if isinstance(system, BeamSystem):
        return True
    if not isinstance(system, MechanismSystem) or isinstance(system, UserMechanismSystem):
        return False
    return bool(system.lines) or any(part.reduced.stiffening is not None for part in system.layout.flexible)


class Equations:
    """Residual and matrices of statics."""

    def __init__(self, system: Any, t: float) -> None:
        self.system, self.t, self.pattern = system, t, system.layout.sparsity
        # a copy of the tables, whose factor of all loads is set here
        model = system.sparse_model()
        model = replace(model, tables=model.tables.copy())
        self.ask, self.still = Questions(system, model), np.zeros(system.nv)
        self.move = moving(system)
        self.rows = np.arange(system.m)
        if 0 < system.m * system.nv <= LARGE:
            self.rows = choose(self.ask.G(t, system.q0, self.still) * system.scales.v).chosen
        self.M = self.jacobian(system.q0, np.zeros(system.m), (1.0, 0.0, 0.0))
        self.sizes = self.sizes_of_matrix()

    def sizes_of_matrix(self) -> FloatArray:
        """Typical sizes of coordinates, and of rows beside the stiffness."""
        system, v = self.system, self.system.scales.v
        K = self.jacobian(system.q0, np.zeros(system.m), (0.0, 0.0, 1.0))
        rows = row_sizes(self.ask.G(self.t, system.q0, self.still)[self.rows], v)
        return np.concatenate([v, largest_or_one(np.abs(K.diagonal()) * v**2) / rows])

    def jacobian(self, q: FloatArray, lam: FloatArray, weights: tuple[float, float, float]) -> Any:
        p = self.pattern
        values = self.ask.ask(JACOBIAN, self.t, q, self.still, self.still, p.J_columns.size, lam, weights)
        return values_to_csr(p.J_starts, p.J_columns, values, p.n)

    def residual(self, s: float, q: FloatArray, lam: FloatArray) -> tuple[FloatArray, FloatArray]:
        self.ask.model.tables.load_factor = s
        phi = self.ask.position(self.t, q, self.still)
        return self.ask.balance(self.t, q, self.still, self.still, lam), phi[self.rows]

    def way(self, q1: FloatArray, q2: FloatArray) -> FloatArray:
        """q2 ⊖ q1."""
        return q2 - q1 if self.system.difference is None else self.system.difference(q1, q2)

    def solve(
        self,
        s: float,
        q: FloatArray,
        lam: FloatArray,
        tolerance: float,
        most: int,
        sigma: float = 0.0,
        anchor: FloatArray | None = None,
    ) -> Found | None:
        """Newton's method for one s and σ; None where it does not converge."""
        n, before = self.still.size, np.inf
        for k in range(1, most + 1):
            r, phi = self.residual(s, q, lam)
            K, G = self.jacobian(q, lam, (0.0, 0.0, 1.0)), self.ask.G(self.t, q, self.still)[self.rows]
            if anchor is not None:
                r, K = r + sigma * (self.M @ self.way(anchor, q)), K + sigma * self.M
            matrix = sp.block_array([[K, G.T], [G, None]], format="csc") if G.shape[0] else sp.csc_array(K)
            D = sp.diags_array(self.sizes)
            try:
                change = self.sizes * splu(sp.csc_array(D @ matrix @ D)).solve(-self.sizes * np.concatenate([r, phi]))
            except RuntimeError:  # exactly singular
                return None
            size = pace(self.system, change[:n]) / reach(self.system, q)
            if not np.isfinite(size) or size > 1e3:
                return None
            q, lam = self.move(q, change[:n]), lam.copy()
            lam[self.rows] += change[n:]
            if size < tolerance or (size < 1e3 * tolerance and size > 0.5 * before):
                return Found(q, lam, k)
            before = size
        return None

    def stable_at(self, s: float, found: Found) -> bool:
        """Whether an equilibrium under a part of the loads is stable."""
        self.ask.model.tables.load_factor = s
        return self.stable(found)

    def stable(self, found: Found, sigma: float = 0.0) -> bool:
        """Whether K + σ M is positive definite where the rows allow motion."""
        K = self.jacobian(found.q, found.lam, (0.0, 0.0, 1.0)) + sigma * self.M
        G = self.ask.G(self.t, found.q, self.still)[self.rows]
        D, m = sp.diags_array(self.system.scales.v), G.shape[0]
        A = D @ (K + K.T) @ D / 2
        if m:
            B = sp.diags_array(1.0 / row_sizes(G, self.system.scales.v)) @ G @ D
            A = A + PENALTY * float(np.abs(A.data).max()) * (B.T @ B)
        try:
            factors = splu(
                sp.csc_array(A),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        except RuntimeError:  # exactly singular
            return False
        # pivots in the order of the matrix, each beside its own entry: what is soft beside what is stiff counts
        pivots, own = factors.U.diagonal()[factors.perm_c], np.abs(A.diagonal())
        return bool((pivots > ROUNDING * own).all()) and np.array_equal(factors.perm_r, factors.perm_c)


def follow_loads(
    system: System,
    q: Any = None,
    *,
    t: float = 0.0,
    steps: int = 10,
    tolerance: float = 1e-10,
    max_iterations: int = 25,
) -> LoadPath:
    """Follow the equilibrium while loads and weight grow from zero.

    Parameters
    ----------
    system
        The system.
    q
        Position without loads; the start of the system if left out.
    t
        Time at which functions of time are taken.
    steps
        Number of load steps to begin with.
    tolerance
        Largest force that may be left over, relative to those that balance.
    max_iterations
        Limit of the iteration in a load step.

    Returns
    -------
    path
        Equilibria along the way; the last one carries the full loads.

    Raises
    ------
    BucklingError
        If the path becomes unstable; the error has the factor of the load.
    SingularError
        If the system can move freely without loads.

    Examples
    --------
    >>> import isodyn as iso
    >>> section = iso.Section(EA=1e6, EI=1.0, rhoA=1.0)
    >>> beam = iso.Beam([(0.0, 0.0), (1.0, 0.0)], elements=4, section=section)
    >>> beam.clamp("start")
    >>> beam.force("end", (0.0, 1.0))
    >>> path = iso.follow_loads(beam.compile())
    >>> float(path.factor[-1])
    1.0
    """
    if not isinstance(steps, int) or steps < 1:
        raise InputError(f"steps must be a number ≥ 1, received {steps!r}")
    system = as_system(system)
    refuse_without_path(system)
    equations = Equations(system, t)
    found: Found | None = start_of_path(equations, q, tolerance, max_iterations)
    assert found is not None
    path, total, step, s = [(0.0, found)], found.iterations, 1.0 / steps, 0.0
    while s < 1.0:
        trial = min(1.0, s + step)
        guess_q, guess_lam = path[-1][1].q, path[-1][1].lam
        if len(path) > 1:
            (s_0, old), new = path[-2], path[-1][1]
            ahead = (trial - s) / (s - s_0)
            guess_q = equations.move(new.q, ahead * equations.way(old.q, new.q))
            guess_lam = new.lam + ahead * (new.lam - old.lam)
        found = equations.solve(trial, guess_q, guess_lam, tolerance, max_iterations)
        lost = found is not None and not equations.stable(found)
        if found is None or lost:
            step = (trial - s) / 2
            if step > SMALLEST:
                continue
            if lost:
                raise BucklingError(
                    f"the equilibrium becomes unstable at {s:.6g} of the load: it buckles or snaps there",
                    factor=s,
                    hint="smaller loads; iso.trace_loads with a small load aside shows where it goes",
                )
            raise ConvergenceError(
                f"no equilibrium found beyond {s:.6g} of the load, in steps down to {step:.1g}",
                hint="the path may turn back there (snap-through); iso.trace_loads goes on, and so does dynamics with damping",
            )
        total, s = total + found.iterations, trial
        path.append((s, found))
        if found.iterations <= 5:
            step *= 2
    states = [x for _, x in path]
    return LoadPath(
        system,
        np.array([factor for factor, _ in path]),
        np.array([x.q for x in states]),
        np.array([x.lam for x in states]),
        total,
        np.ones(len(path), dtype=bool),
    )


def refuse_without_path(system: System) -> None:
    """InputError for systems whose loads cannot be scaled."""
    if not has_load_path(system):
        raise InputError(
            f"load paths are for beams and mechanisms with beams, received {type(system).__name__}",
            hint="iso.equilibrium takes every mechanical system",
        )


def start_of_path(equations: Equations, q: Any, tolerance: float, max_iterations: int) -> Found:
    """The equilibrium without loads."""
    system = equations.system
    at, none = _start(system, q), np.zeros(system.m)
    if not equations.stable_at(0.0, Found(at, none, 0)):
        raise SingularError(
            "without loads the system can move without deforming: there is no path of growing loads",
            hint="clamp it, or hinge it at two places; iso.equilibrium looks downhill instead",
        )
    found = equations.solve(0.0, at, none, tolerance, max_iterations)
    if found is None:
        raise ConvergenceError("no equilibrium without loads near the start", hint="start from the undeformed line")
    return found


def relax(system: System, q: Any, t: float, tolerance: float, max_iterations: int = 25) -> Found | None:
    """The stable equilibrium downhill from q under full loads; None where there is none within
    reach."""
    equations = Equations(system, t)
    at, lam, total = _start(system, q), np.zeros(system.m), 0
    r, _ = equations.residual(1.0, at, lam)
    extent = FIRST * max(1e-3, float(np.ptp(at / system.scales.q)))
    sigma = pace(system, splu(sp.csc_array(equations.M)).solve(r)) / extent
    small = SMALL * sigma
    for _ in range(RELAXATIONS):
        found = equations.solve(1.0, at, lam, tolerance, max_iterations, sigma, at)
        total += max_iterations if found is None else found.iterations
        if found is None or not equations.stable(found, sigma):
            sigma *= 4.0
            continue
        moved = pace(system, equations.way(at, found.q))
        at, lam = found.q, found.lam
        if sigma <= small and moved <= 10 * tolerance * reach(system, at):
            return Found(at, lam, total)
        sigma /= 4.0
    return None


def _start(system: System, q: Any) -> FloatArray:
    at = system.q0.copy() if q is None else vector("q", q)
    if at.size != system.nq:
        raise InputError(f"q must have {system.nq} entries, received {at.size}")
    return settled(system, at)
