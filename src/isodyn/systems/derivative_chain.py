"""The differentiation index of s' = h(s, z, t), 0 = c(s, z, t) at a state, and the equations that
determine z there.

    F₀ = c,      N_kᵀ ∂F_k/∂z = 0,      F_{k+1} = (R_kᵀ F_k,  d/dt N_kᵀ F_k)

N_k holds the combinations of rows that are free of z, R_k the others; the derivative is taken along
s' = h at fixed z, since their dependence on z vanishes. The index is one more than the number of
differentiations after which ∂F_k/∂z has full rank: ∂c/∂z regular (index 1); c_s h_z (index 2); c_s
h_s h_z and more (index 3) [Shimada2014 (3.202) adapted]. F_k = 0 then gives z, and the N_jᵀF_j
before it are what s itself has to satisfy.

Derivatives are differences of sixth order. Increments of z are as large as it takes to change s' by
its own size, those of s follow the size of s, and those of time are the ones at which two
differences agree best. Entries of ∂F_k/∂z that are rounding are zero; ranks are decided with rows
and columns of unit size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from isodyn.described import described
from isodyn.errors import NonFiniteError, SingularError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.systems import differences

optimize = Later("scipy.optimize")

RowsFunction = Callable[[FloatArray, FloatArray, float], FloatArray]

DEEPEST = 3  # largest index that is looked for
REACH = 2e-3  # of the size of s: increments of differences along the motion
TOLERANCES = (
    1e-10,
    1e-8,
    1e-6,
)  # singular values below these, relative, are none, by level: each difference costs digits
# entries of ∂F_k/∂z below these parts of what s does to the row are rounding …
ROUNDING = (1e-14, 1e-12, 1e-10)
NOISY = 30.0  # … and those below so many differences of two differences
SMALL = 1e-6  # violations below this, relative to the terms of a row, are rounding of the input
AGREE = 1e-9  # two differences that differ relatively by less than this agree
DECADES = (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6)  # around an increment that is too large or small
PART = 1e-6  # of the largest: rows with a smaller part in a combination have none
FAR = 1e60  # increments of z stay between this and its inverse


@dataclass(frozen=True)
class Index:
    """The differentiation index of a system with algebraic unknowns, and how it was found.

    Parameters
    ----------
    index
        The index; 0 without algebraic unknowns.
    m
        Number of algebraic unknowns.
    ranks
        Ranks of ∂F_k/∂z after k differentiations; the last one is `m`.
    values
        Singular values behind the ranks, in rows of unit size.
    differentiate
        Names of the rows that are differentiated, for each differentiation; of combinations of rows
        those that have a part in them.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.analysis.index(iso.problems.get("pendulum").system()).index
    3
    """

    index: int
    m: int
    ranks: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]
    differentiate: tuple[tuple[str, ...], ...] = ()

    __repr__ = described

    def __str__(self) -> str:
        chain = ", ".join(str(rank) for rank in self.ranks)
        return f"index {self.index}" + (f" (ranks {chain} of {self.m})" if self.m else "")


@dataclass(frozen=True, eq=False)
class Level:
    """F_k at a state, its matrix ∂F_k/∂z, and the combinations N_k of its rows that are free of
    z."""

    rows: RowsFunction
    matrix: FloatArray
    sizes: FloatArray
    values: FloatArray
    free: FloatArray

    @property
    def rank(self) -> int:
        return int(self.sizes.size - self.free.shape[1])


class Chain:
    """F₀, F₁, … at one state up to the one that determines z."""

    def __init__(
        self, h: RowsFunction, c: RowsFunction, t: float, s: FloatArray, z: FloatArray, names: tuple[str, ...]
    ) -> None:
        self.h, self.c, self.t, self.s, self.z, self.names = h, c, t, s, z, names
        self.m = z.size
        _finite(h=h(s, z, t), c=c(s, z, t), t=t)
        self.size = float(np.abs(s).max()) or 1.0
        self.tau, self.sizes_of_s = self._sizes_of_s()
        self.reach_z = self._reach_of_z()
        self.reach_t = self._reach_of_t()
        self.levels = [self._level(c, 0)]
        while self.levels[-1].rank < self.m and len(self.levels) < DEEPEST:
            self.levels.append(self._level(self._next(self.levels[-1]), len(self.levels)))

    @property
    def determined(self) -> bool:
        """Whether the last level determines z."""
        return self.levels[-1].rank == self.m

    @property
    def smooth_time(self) -> float:
        """A time over which h and c are smooth: along the motion, and where they depend on t."""
        return min(self.tau, self.reach_t / REACH)

    def index(self) -> Index:
        """The index and the chain of ranks; SingularError where no level determines z."""
        ranks = tuple(level.rank for level in self.levels)
        if not self.determined:
            k, left = len(ranks) - 1, np.abs(self.levels[-1].free * self.levels[-1].sizes[:, None])
            worst = sorted({self.names[self.origin(k, int(i))] for i in left.argmax(axis=0)})
            raise SingularError(
                f"the constraints do not determine the algebraic unknowns, not even after {DEEPEST - 1} differentiations: the ranks are"
                f" {', '.join(map(str, ranks))} of {self.m} (rows {', '.join(map(repr, worst))}) at t = {self.t:g}",
                hint=f"the index is above {DEEPEST}, or rows depend on each other; differentiate c by hand, or remove a row",
            )
        values = tuple(tuple(float(x) for x in level.values) for level in self.levels)
        named = tuple(self._parts(k) for k in range(len(ranks) - 1))
        return Index(len(ranks), self.m, ranks, values, named)

    def _parts(self, k: int) -> tuple[str, ...]:
        """Names of the rows of c that have a part in what is differentiated at level k."""
        K: FloatArray = self.levels[k].free
        for level in reversed(self.levels[:k]):
            K = np.hstack([others(level.free), level.free]) @ K
        K = np.abs(K * self.levels[0].sizes[:, None])
        taken = (PART * K.max(axis=0, initial=1e-300) < K).any(axis=1)
        return tuple(name for name, part in zip(self.names, taken, strict=True) if part)

    def origin(self, k: int, row: int) -> int:
        """The row of c that has the largest part in a row of F_k."""
        if k == 0:
            return row
        before = self.levels[k - 1]
        part = others(before.free)[:, row] if row < before.rank else before.free[:, row - before.rank]
        return self.origin(k - 1, int(np.abs(part * before.sizes).argmax()))

    # ---- levels

    def along(self, f: RowsFunction) -> RowsFunction:
        """d/dt f along s' = h at fixed z, as a function of the state."""

        def derivative(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
            rate = self.h(s, z, t)
            speed = float(np.abs(rate).max())
            e = REACH * min(self.tau, max(self.size, float(np.abs(s).max())) / speed) if speed > 0.0 else 1.0
            moved = differences.first(lambda k: f(s + k * e * rate, z, t), 1.0) / e if speed > 0.0 else 0.0
            e_t = self.reach_t
            return np.asarray(moved + differences.first(lambda k: f(s, z, t + k * e_t), 1.0) / e_t)

        return derivative

    def _next(self, level: Level) -> RowsFunction:
        N = level.free
        R = others(N)
        rate = self.along(lambda s, z, t: N.T @ level.rows(s, z, t))
        return lambda s, z, t: np.concatenate([R.T @ level.rows(s, z, t), rate(s, z, t)])

    def _level(self, rows: RowsFunction, depth: int) -> Level:
        s, z, t = self.s, self.z, self.t
        along_z = partial(_moved, rows, s, z, t, np.zeros(s.size))
        matrix, again = (
            np.array([differences.first(partial(along_z, e), h) for e in np.diag(self.reach_z)]).T for h in (0.1, 0.07)
        )
        generator = np.random.default_rng(1)
        sizes = np.abs(matrix).max(axis=1)
        for _ in range(3):  # how much rows change with s, in some directions
            d = self.sizes_of_s * generator.choice([-1.0, 1.0], s.size)
            sizes = np.fmax(
                sizes, np.abs(differences.first(partial(_moved, rows, s, z, t, d, np.zeros(z.size)), REACH))
            )
        sizes = np.where(sizes > 0.0, sizes, 1.0)
        noise = np.maximum(NOISY * np.abs(matrix - again).max(axis=1), ROUNDING[depth] * sizes)
        kept = np.where(np.abs(matrix) > noise[:, None], matrix, 0.0)
        weights, scaled = equilibrated(kept)
        left, values, _ = np.linalg.svd(scaled)
        rank = int((values > TOLERANCES[depth] * values[0]).sum()) if values[0] > 0.0 else 0
        free = left[:, rank:] * weights[:, None]
        return Level(rows, matrix / self.reach_z, sizes, values, free / np.maximum(np.abs(free).max(axis=0), 1e-300))

    # ---- increments

    def _sizes_of_s(self) -> tuple[float, FloatArray]:
        """A time in which s changes by its own size, and of each component its own size or what it
        gains in that time."""
        s, z, t = self.s, self.z, self.t
        rate = self.h(s, z, t)
        speed = float(np.abs(rate).max())
        tau = self.size / speed if speed > 0.0 else 1.0
        bend = np.zeros(s.size)
        for _ in range(4):  # s'' along s' = h, with increments that follow from it
            e, still = REACH * tau, np.zeros(z.size)
            bend = differences.first(partial(_moved, self.h, s, z, t, e * rate, still), 1.0) / e
            largest = float(np.abs(bend).max())
            if not np.isfinite(largest):
                tau *= 1e-3
                continue
            shorter = min(tau, np.sqrt(self.size / largest)) if largest > 0.0 else tau
            if shorter > 0.3 * tau:
                break
            tau = float(shorter)
        gained = np.maximum(tau * np.abs(rate), tau**2 * np.nan_to_num(np.abs(bend)))
        return tau, np.asarray(np.maximum(np.maximum(np.abs(s), gained), 1e-9 * self.size))

    def _reach_of_z(self) -> FloatArray:
        """For each z_j the increment that changes s', or else c, by as much as their size."""
        s, z, t = self.s, self.z, self.t
        rate, rows = self.h(s, z, t), self.c(s, z, t)
        d = self.sizes_of_s * np.random.default_rng(2).choice([-1.0, 1.0], s.size)
        gradient = np.abs(differences.first(lambda k: self.c(s + k * d, z, t), REACH))
        reach = np.ones(self.m)
        for j, e in enumerate(np.eye(self.m)):
            sizes = (self.h, np.abs(rate).max()), (self.c, np.maximum(gradient, np.abs(rows)).max())
            found = [(_until(partial(_change, f, s, z, t, e), size, 1.0 + abs(z[j])), size) for f, size in sizes]
            told = [x for x, _ in found if x is not None]
            known = [x for x, size in found if x is not None and size > 0.0] or told  # what rests tells no size
            if not known:
                raise SingularError(
                    f"the algebraic unknown {j} ({self.names[j]!r}) appears neither in h nor in c at t = {t:g}",
                    hint="nothing determines it; remove it, and as many rows of c",
                )
            reach[j] = self._agreeing(max(min(known), 1e-8 * abs(z[j])), e)
        return reach

    def _agreeing(self, reach: float, e: FloatArray) -> float:
        """This increment of z along e, or the power of ten times it at which two differences of h
        and c agree best: where they are exponentials, one that changes them by their size is far
        too large, and where s' is at rest, it is far too small."""
        s, z, t, still = self.s, self.z, self.t, np.zeros(self.s.size)

        def disagreement(r: float) -> float:
            worst = 0.0
            for f in (self.h, self.c):
                along = partial(_moved, f, s, z, t, still, r * e)
                with np.errstate(invalid="ignore"):  # ∞ − ∞
                    one, other = differences.first(along, 0.1), differences.first(along, 0.07)
                if not (np.isfinite(one).all() and np.isfinite(other).all()):
                    return float("inf")
                if (largest := float(np.abs(other).max())) > 0.0:
                    worst = max(worst, float(np.abs(one - other).max()) / largest)
            return worst

        if disagreement(reach) <= AGREE:
            return reach
        return min((reach * 10.0**k for k in DECADES), key=disagreement)

    def _reach_of_t(self) -> float:
        """The increment of t at which differences of h and c of fourth and sixth order agree
        best."""
        s, z, t = self.s, self.z, self.t
        rate = float(np.abs(self.h(s, z, t)).max())
        first = REACH * self.tau if rate > 0.0 else REACH
        best, least = first, np.inf
        for e in first * 10.0 ** np.arange(1.0, -9.0, -1.0):
            if t + e == t:
                break
            error = 0.0
            for f in (self.c, self.h):
                values = [np.asarray(f(s, z, t + k * e)) for k in (-3, -2, -1, 1, 2, 3)]
                sixth = (45 * (values[3] - values[2]) - 9 * (values[4] - values[1]) + values[5] - values[0]) / 60
                fourth = (8 * (values[3] - values[2]) - (values[4] - values[1])) / 12
                rounding = 1e-15 * max(float(np.abs(v).max()) for v in values)
                error = max(error, float(np.abs(sixth - fourth).max()) / e, rounding / e)
            if error == 0.0:
                return float(e)
            if error < least:
                best, least = float(e), error
        return best


def equilibrated(A: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weights of the rows, and A with rows and columns of unit size: units of rows and unknowns do
    not count."""
    rows, columns = np.ones(A.shape[0]), np.ones(A.shape[1])
    for _ in range(4):
        B = np.abs(A) * rows[:, None] * columns
        rows /= np.sqrt(_or_one(B.max(axis=1)))
        columns /= np.sqrt(_or_one(B.max(axis=0)))
    return rows, rows[:, None] * A * columns


def _or_one(x: FloatArray) -> FloatArray:
    return np.where(x > 0.0, x, 1.0)


def _moved(
    f: RowsFunction, s: FloatArray, z: FloatArray, t: float, d: FloatArray, e: FloatArray, k: float
) -> FloatArray:
    return f(s + k * d, z + k * e, t)


def _change(f: RowsFunction, s: FloatArray, z: FloatArray, t: float, e: FloatArray, k: float) -> FloatArray:
    return np.abs(f(s, z + k * e, t) - f(s, z - k * e, t))


def others(N: FloatArray) -> FloatArray:
    """R: combinations that complete N."""
    return np.asarray(np.linalg.svd(N)[0][:, N.shape[1] :])


def _finite(t: float, **values: FloatArray) -> None:
    for name, value in values.items():
        if not np.isfinite(value).all():
            where = int(np.flatnonzero(~np.isfinite(value))[0])
            raise NonFiniteError(
                f"{name} returned {value[where]} in component {where} at the start, t = {t:g}", hint="look at s0 and z0"
            )


def _until(change: Callable[[float], FloatArray], size: float, first: float) -> float | None:
    """An increment whose change is between a hundredth and a hundred times `size`; None where
    nothing changes."""
    size = size or 1.0
    reach, best, nearest = first, None, np.inf
    for _ in range(12):
        found = float(np.max(change(reach)))
        if not np.isfinite(found):
            reach *= 1e-3
            continue
        if found == 0.0:
            reach *= 1e6
        else:
            off = abs(np.log10(found / size))
            if off < nearest:
                best, nearest = reach, off
            if off <= 2.0:
                break
            reach *= float(np.clip(size / found, 1e-9, 1e9))
        if not 1.0 / FAR < reach < FAR:
            break
    return best
