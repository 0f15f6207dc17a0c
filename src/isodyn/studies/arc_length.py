"""Equilibria along a path of loads that may turn back: limit points, snap-through, what comes after
buckling.

    r(q, λ, s) = f(q) − s Q(q) + Gᵀλ = 0,   φ(q) = 0,   n·(d, Δs) = ℓ

The factor s is an unknown, and a plane across the path at the distance ℓ takes its place: n is the
direction of the step before, (d, Δs) the step with all its corrections. Both columns, residual and
∂r/∂s = r(1) − r(0), share one factorisation.
Lengths are in typical sizes of the system, as a mean over its coordinates, and the factor counts as
much as the motion does at the start. Steps that fail, or that corrections lead far away, are
halved; easy ones become longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from isodyn.errors import ConvergenceError, InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.real_numbers import real_number
from isodyn.studies.load_path import LoadPath, refuse_without_path, start_of_path
from isodyn.studies.rest_equations import Equations, Found
from isodyn.systems.base import System
from isodyn.systems.description import as_system

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

EASY, GROWTH = 4, 1.5  # iterations of an easy step, by how much the next is longer
STRAYED = 1.25  # how long a step may become by its corrections: beyond, it goes to another branch
SMALLEST = 1e-6  # of the first length, below which a path is given up


class _Point(NamedTuple):
    s: float
    found: Found


class _Tracer:
    """The bordered equations."""

    def __init__(self, equations: Equations, tolerance: float, most: int) -> None:
        self.eq, self.tolerance, self.most = equations, tolerance, most
        self.sizes = equations.system.scales.v
        self.n = self.sizes.size
        self.weight = 1.0  # of the factor beside the motion

    def product(self, one: tuple[FloatArray, float], other: tuple[FloatArray, float]) -> float:
        """The inner product of two steps (d, ds)."""
        return float((one[0] / self.sizes) @ (other[0] / self.sizes)) / self.n + self.weight * one[1] * other[1]

    def solved(self, s: float, q: FloatArray, lam: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Newton's correction at constant s, and the change with s."""
        eq = self.eq
        full = eq.residual(1.0, q, lam)[0] - eq.residual(0.0, q, lam)[0]
        r, phi = eq.residual(s, q, lam)
        K, G = eq.jacobian(q, lam, (0.0, 0.0, 1.0)), eq.ask.G(eq.t, q, eq.still)[eq.rows]
        matrix = sp.block_array([[K, G.T], [G, None]], format="csc") if G.shape[0] else sp.csc_array(K)
        D = sp.diags_array(eq.sizes)
        right = np.column_stack([np.concatenate([r, phi]), np.concatenate([full, np.zeros(phi.size)])])
        both = splu(sp.csc_array(D @ matrix @ D)).solve(-eq.sizes[:, None] * right)
        return eq.sizes * both[:, 0], eq.sizes * both[:, 1]

    def correct(
        self, guess: _Point, n: tuple[FloatArray, float], length: float
    ) -> tuple[_Point, tuple[FloatArray, float]] | None:
        """Newton's method on the plane across the path, and the step with its corrections; None
        where it does not converge."""
        eq, s, q, lam = self.eq, guess.s, guess.found.q, guess.found.lam.copy()
        way = length * n[0], length * n[1]
        for k in range(1, self.most + 1):
            try:
                fixed, along = self.solved(s, q, lam)
            except RuntimeError:  # exactly singular
                return None
            slope = self.product(n, (along[: self.n], 1.0))
            if slope == 0.0 or not np.isfinite(along).all():
                return None
            ds = -self.product(n, (fixed[: self.n], 0.0)) / slope
            change = fixed + ds * along
            size = np.sqrt(self.product((change[: self.n], ds), (change[: self.n], ds)))
            if not np.isfinite(size) or size > 1e3:
                return None
            q, s = eq.move(q, change[: self.n]), s + ds
            way = way[0] + change[: self.n], way[1] + ds
            if self.product(way, way) > (STRAYED * length) ** 2:
                return None
            lam[eq.rows] += change[self.n :]
            if size < self.tolerance:
                return _Point(s, Found(q, lam, k)), way
        return None


def trace_loads(
    system: System,
    q: Numbers | None = None,
    *,
    t: float = 0.0,
    most: float = 1.0,
    least: float = -1.0,
    steps: int = 200,
    first: float = 0.02,
    longest: float = 10.0,
    tolerance: float = 1e-10,
    max_iterations: int = 15,
) -> LoadPath:
    """Follow equilibria along loads that may fall again, past limit points, by arc length.

    The path is followed whether it is stable or not; `LoadPath.stable` tells. It ends when the
    factor of the loads leaves `least` to `most`, or after `steps` steps. A perfect structure stays
    on its own path at a bifurcation: a small load aside leads onto the other branch.

    Parameters
    ----------
    system
        The system: a beam or a mechanism with beams.
    q
        Position without loads; the start of the system if left out.
    t
        Time at which functions of time are taken.
    most, least
        Factors of the loads at which the path ends.
    steps
        Largest number of steps.
    first
        Change of the factor in the first step.
    longest
        Longest step, in lengths of the first.
    tolerance
        Largest last correction, in typical sizes.
    max_iterations
        Limit of the iteration in a step.

    Returns
    -------
    path
        Equilibria along the way, with their factors.

    Raises
    ------
    ConvergenceError
        If steps become too short.
    InputError
        If the system has no path of loads, or a number is not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> section = iso.Section(EA=1e6, EI=1.0, rhoA=1.0)
    >>> beam = iso.Beam([(0.0, 0.0), (1.0, 0.0)], elements=4, section=section)
    >>> beam.clamp("start")
    >>> beam.force("end", (0.0, 1.0))
    >>> path = iso.trace_loads(beam.compile(), first=0.1)
    >>> bool(path.factor[-1] >= 1.0), bool(path.stable.all())
    (True, True)
    """
    system = as_system(system)
    refuse_without_path(system)
    for name, value in (("first", first), ("longest", longest), ("tolerance", tolerance)):
        if real_number(name, value) <= 0:
            raise InputError(f"{name} must be a number > 0, received {value!r}", argument=name)
    if not isinstance(steps, int) or steps < 1:
        raise InputError(f"steps must be a whole number > 0, received {steps!r}", argument="steps")
    if not least < 0.0 < most:
        raise InputError(f"least must lie below 0 and most above, received {least!r} and {most!r}", argument="most")
    equations = Equations(system, t)
    tracer = _Tracer(equations, tolerance, max_iterations)
    at = start_of_path(equations, q, tolerance, max_iterations)
    path, total = [_Point(0.0, at)], at.iterations
    along = tracer.solved(0.0, at.q, at.lam)[1]
    way, slope = (along[: tracer.n], 1.0), along[tracer.n :]
    tracer.weight = tracer.product((way[0], 0.0), (way[0], 0.0))  # both count the same at the start
    unit = np.sqrt(tracer.product(way, way))
    n, length = (way[0] / unit, 1.0 / unit), first * unit
    shortest, largest = SMALLEST * length, longest * length
    lam_way = np.zeros(system.m)
    lam_way[equations.rows] = slope / unit
    while len(path) <= steps and least < path[-1].s < most:
        base = path[-1]
        ahead = Found(equations.move(base.found.q, length * n[0]), base.found.lam + length * lam_way, 0)
        found = tracer.correct(_Point(base.s + length * n[1], ahead), n, length)
        if found is None:
            length /= 2
            if length < shortest:
                raise ConvergenceError(
                    f"no equilibrium found beyond {base.s:.6g} of the load, after {len(path) - 1} steps",
                    hint="a smaller first step, or a small load aside where branches meet",
                )
            continue
        point, step = found
        total += point.found.iterations
        size = np.sqrt(tracer.product(step, step))
        n, lam_way = (step[0] / size, step[1] / size), (point.found.lam - base.found.lam) / size
        path.append(point)
        if point.found.iterations <= EASY:
            length = min(GROWTH * length, largest)
    factors = np.array([point.s for point in path])
    stable = np.array([equations.stable_at(point.s, point.found) for point in path])
    q_path, lam_path = (np.array([getattr(point.found, name) for point in path]) for name in ("q", "lam"))
    return LoadPath(system, factors, q_path, lam_path, total, stable)
