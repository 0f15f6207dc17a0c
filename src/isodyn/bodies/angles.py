"""Three angles in place of a rotation: Euler 3-1-3, Cardan 3-2-1, Bryant 1-2-3.

    3-1-3   R = R_z(φ) R_x(θ) R_z(ψ)       singular at θ = 0, π         the product of [Shimada2014 (5.55)], transposed
    3-2-1   R = R_z(φ₁) R_y(φ₂) R_x(φ₃)    singular at φ₂ = ±π/2
    1-2-3   R = R_x(φ₁) R_y(φ₂) R_z(φ₃)    singular at φ₂ = ±π/2

At a singular middle angle the first and the third rotation have the same axis: their sum (or
difference) is known, and their rates are not. `distance` tells how far that is away; what cannot be
computed there raises SingularError, what is not unique there warns.

All methods take one triple or a history (…, 3) of them. Rate maps and their signs:
isodyn.bodies.angle_kernels.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.bodies import angle_kernels
from isodyn.bodies.rotations import matrix, quaternions_of
from isodyn.errors import InputError, SingularError, SingularityWarning
from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

NEAR = 1e-6  # radians; nearer to the singularity angles and rates have lost half of their digits and more
LOST = 1e-8  # nearer still the outer angles cannot be told apart


@dataclass(frozen=True)
class AngleSet:
    """One choice of three axes.

    >>> EULER_313.angles(EULER_313.matrix([0.3, 1.1, -0.7])).round(12).tolist()
    [0.3, 1.1, -0.7]
    """

    name: str
    axes: tuple[int, int, int]
    symbols: tuple[str, str, str]

    @property
    def returning(self) -> bool:
        """Whether the third axis is the first again."""
        return self.axes[0] == self.axes[2]

    # ---- rotations

    def quaternion(self, angles: ArrayLike) -> FloatArray:
        """Quaternions, scalar first."""
        x = _triples(angles)
        e = np.empty((4, *x.shape[1:]))
        angle_kernels.plain(angle_kernels.angle_quaternion)(*self.axes, x, e)
        return np.moveaxis(e, 0, -1)

    def matrix(self, angles: Numbers) -> FloatArray:
        """Matrices body → world."""
        return matrix(self.quaternion(angles))

    def angles(self, orientations: ArrayLike) -> FloatArray:
        """Angles of rotations, first and third in (−π, π], the middle one in [0, π] or [−π/2, π/2].

        At the singularity the first and the third are made equal in size, with a
        SingularityWarning.
        """
        x = self.read_off(quaternions_of(orientations))
        away = self.distance(x)
        if away.size and away.min() < NEAR:
            warnings.warn(
                f"{self.name} angles: {self.symbols[1]} is {away.min():.2g} rad from its singular value, where only the sum or "
                f"difference of {self.symbols[0]} and {self.symbols[2]} is known",
                SingularityWarning,
                stacklevel=2,
            )
        return x

    def history(self, orientations: ArrayLike) -> FloatArray:
        """Angles along a motion (k, 3), without jumps: whole turns are counted, and through a
        singularity the middle angle runs on.

        The motion must be sampled finely enough to tell which way it went.
        """
        x = self.read_off(quaternions_of(orientations))
        if x.ndim != 2:
            raise InputError(f"a history of rotations is expected, received shape {x.shape[:-1]}")
        mirror = 0.0 if self.returning else np.pi
        known = self.distance(x) >= LOST
        sign = 1.0 if self.returning else self._sign
        for k in range(1, len(x)):
            before, one = x[k - 1], x[k]
            if not known[k]:  # only α + sγ is: keep α
                s = sign * np.sign(np.cos(one[1]) if self.returning else np.sin(one[1]))
                one = np.array([before[0], one[1], one[2] + s * (one[0] - before[0])])
            other = np.array([one[0] + np.pi, mirror - one[1], one[2] + np.pi])
            choices = [c + 2 * np.pi * np.round((before - c) / (2 * np.pi)) for c in (one, other)]
            x[k] = min(choices, key=lambda c: float(np.abs(c - before).sum()))
        return x

    @property
    def _sign(self) -> float:
        """σ of e_i × e_j = σ e_n."""
        return 1.0 if (self.axes[1] - self.axes[0]) % 3 == 1 else -1.0

    def read_off(self, e: FloatArray) -> FloatArray:
        """Angles of quaternions, near singularities too and without a word.

        Half sum and half difference of the outer angles come from two pairs of the quaternion, none
        of them by cancellation.
        """
        i, j, _ = self.axes
        n, sign = 3 - i - j, self._sign
        w, ei, ej, en = e[..., 0], e[..., 1 + i], e[..., 1 + j], sign * e[..., 1 + n]
        if self.returning:  # for 3-1-3 what [Shimada2014 (5.59) adapted] reads off the matrix
            half_sum, half_difference = np.arctan2(ei, w), np.arctan2(en, ej)
            middle = 2.0 * np.arctan2(np.hypot(en, ej), np.hypot(ei, w))
        else:
            half_sum, half_difference = np.arctan2(ei + en, w + ej), np.arctan2(ei - en, w - ej)
            middle = 2.0 * np.arctan2(np.hypot(ei + en, w + ej), np.hypot(ei - en, w - ej)) - np.pi / 2
        third = half_sum - half_difference
        return np.stack(
            [_wrapped(half_sum + half_difference), middle, _wrapped(third if self.returning else sign * third)], axis=-1
        )

    # ---- rates

    def body_map(self, angles: ArrayLike) -> FloatArray:
        """E (…, 3, 3) with ω_body = E · rates."""
        x = _triples(angles)
        E = np.empty((9, *x.shape[1:]))
        angle_kernels.plain(angle_kernels.angle_map)(*self.axes, x, E)
        return np.moveaxis(E, 0, -1).reshape(*x.shape[1:], 3, 3)

    def body_map_rate(self, angles: ArrayLike, rates: ArrayLike) -> FloatArray:
        """Ė along the motion: ω̇_body = E · accelerations + Ė · rates."""
        x, u = _triples(angles), _triples(rates)
        E = np.empty((9, *x.shape[1:]))
        angle_kernels.plain(angle_kernels.angle_map_rate)(*self.axes, x, u, E)
        return np.moveaxis(E, 0, -1).reshape(*x.shape[1:], 3, 3)

    def world_map(self, angles: Numbers) -> FloatArray:
        """R E with ω_world = R E · rates."""
        return self.matrix(angles) @ self.body_map(angles)

    def body_velocity(self, angles: ArrayLike, rates: ArrayLike) -> FloatArray:
        """ω in the body frame."""
        return _apply(self.body_map(angles), rates)

    def world_velocity(self, angles: Numbers, rates: Numbers) -> FloatArray:
        """ω in the world frame."""
        return _apply(self.world_map(angles), rates)

    def rates(self, angles: Numbers, omega: Numbers) -> FloatArray:
        """Rates from ω in the body frame; SingularError at the singularity."""  # [Shimada2014 (3.221)] for 3-1-3
        self.refuse_singular(angles)
        return _solve(self.body_map(angles), omega)

    def accelerations(self, angles: ArrayLike, rates: ArrayLike, alpha: ArrayLike) -> FloatArray:
        """Second derivatives of the angles from ω̇ in the body frame; SingularError at the
        singularity."""
        self.refuse_singular(angles)
        bend = _apply(self.body_map_rate(angles, rates), rates)
        return _solve(self.body_map(angles), np.asarray(alpha, dtype=np.float64) - bend)

    # ---- singularities

    def determinant(self, angles: ArrayLike) -> FloatArray:
        """± det E: sin of the middle angle, or its cosine; zero at the singularity, with a sign on
        either side."""
        middle = np.asarray(angles, dtype=np.float64)[..., 1]
        return np.asarray(np.sin(middle) if self.returning else np.cos(middle))

    def distance(self, angles: ArrayLike) -> FloatArray:
        """Radians between the middle angle and its nearest singular value."""
        middle = np.asarray(angles, dtype=np.float64)[..., 1] - (0.0 if self.returning else np.pi / 2)
        return np.abs(middle - np.pi * np.round(middle / np.pi))

    def refuse_singular(self, angles: ArrayLike, near: float = NEAR, what: str = "") -> None:
        """SingularError where the middle angle is nearer to its singular value than `near`."""
        away = self.distance(angles)
        if away.size and away.min() < near:
            raise SingularError(
                f"{what}{self.name} angles are singular: {self.symbols[1]} is {away.min():.2g} rad from a value at which "
                f"{self.symbols[0]} and {self.symbols[2]} turn about the same axis",
                hint="quaternions have no such place; or take another set of angles",
            )


EULER_313 = AngleSet("3-1-3", (2, 0, 2), ("φ", "θ", "ψ"))
CARDAN_321 = AngleSet("3-2-1", (2, 1, 0), ("φ1", "φ2", "φ3"))
BRYANT_123 = AngleSet("1-2-3", (0, 1, 2), ("φ1", "φ2", "φ3"))


def _triples(angles: ArrayLike) -> FloatArray:
    x = np.asarray(angles, dtype=np.float64)
    if x.shape[-1:] != (3,):
        raise InputError(f"angles come in threes, received shape {x.shape}")
    return np.moveaxis(x, -1, 0)


def _apply(E: FloatArray, u: ArrayLike) -> FloatArray:
    return np.asarray(np.einsum("...ij,...j->...i", E, np.asarray(u, dtype=np.float64)))


def _solve(E: FloatArray, w: ArrayLike) -> FloatArray:
    return np.asarray(np.linalg.solve(E, np.asarray(w, dtype=np.float64)[..., None])[..., 0])


def _wrapped(x: FloatArray) -> FloatArray:
    """In (−π, π]."""
    return np.asarray(np.pi - np.mod(np.pi - x, 2 * np.pi))
