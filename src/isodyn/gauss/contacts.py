"""Contacts with Coulomb friction, and the modes they can be in.

    reaction       −Aᵀλ in the rows `rows` of A; size N = −scale · λ, positive where it pushes towards growing φ
    slip           u = T(q, t) v − w(q, t)           T: tangent directions, one row each; w: velocity of the other surface
    friction       C = Tᵀ f,   |f| ≤ μ_s |N| while u = 0,   f = −μ |N| u/|u| while u ≠ 0
    slip rate      u̇ = T a + rest,   rest = Ṫ v − ẇ

`tangent` is scaled so that T v is a velocity, and rows are scaled so that λ is a force; where φ is
not a distance, `scale` makes it one (φ = ½(|q|² − R²) has scale = R). A contact that several rows
hold, a bead on a wire in space, has |N| = |scale · λ| over its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.described import told
from isodyn.errors import CallableError, InputError
from isodyn.linear_solvers.rank import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

_H = float(np.finfo(float).eps) ** (1 / 3)


@dataclass(frozen=True)
class Sticking:
    """The mode of a contact without slip, whose friction force is a reaction.

    Examples
    --------
    >>> from isodyn.gauss import Sticking
    >>> Sticking() == Sticking()
    True
    """


@dataclass(frozen=True)
class Sliding:
    """The mode of a contact that slips.

    Parameters
    ----------
    direction
        Unit vector in the tangent directions.
    sign
        Sign of N if it is known, else 0.

    Examples
    --------
    >>> from isodyn.gauss import Sliding
    >>> Sliding.along([3.0, 4.0]).direction
    (0.6, 0.8)
    """

    direction: tuple[float, ...]
    sign: int = 0

    @classmethod
    def along(cls, slip: ArrayLike, sign: int = 0) -> Sliding:
        """Return the mode of a slip velocity.

        Parameters
        ----------
        slip
            Slip velocity; it must not be zero.
        sign
            Sign of N if it is known, else 0.

        Returns
        -------
        mode
            The mode.
        """
        slip = np.atleast_1d(np.asarray(slip, dtype=np.float64))
        size = float(np.linalg.norm(slip))
        if not (np.isfinite(size) and size > 0.0):
            raise InputError(f"the direction of slip must not be zero, received {slip.tolist()}")
        return cls(tuple((slip / size).tolist()), sign)


Mode = Sticking | Sliding


@dataclass(frozen=True, eq=False)
class ContactPoint:
    """A contact at one state: plain numbers."""

    name: str
    rows: tuple[int, ...]
    scale: float
    tangent: FloatArray
    slip: FloatArray
    rest: FloatArray
    mu: float
    mu_static: float
    unilateral: bool


@dataclass(frozen=True, eq=False)
class Contact:
    """A place where friction acts in a constrained system.

    Parameters
    ----------
    rows
        The constraint row that carries the normal reaction, or several; numbers or names.
    tangent
        Tangent directions (n,) or (d, n), d = 1 or 2, orthonormal in space; an array or a function
        (q, t).
    mu
        Coefficient of friction while sliding.
    mu_static
        Coefficient of friction while sticking; `mu` if left out.
    unilateral
        The reaction only pushes, N ≥ 0; otherwise friction follows |N|.
    scale
        N = −scale · λ; a number or a function (q, t).
    surface
        Velocity of the other surface along the tangent directions; numbers or a function (q, t).
    rest
        Function (q, v, t) → Ṫ v − ẇ; differences along the motion if left out.
    name
        Name in messages and results.

    Raises
    ------
    InputError
        If a coefficient is negative, or the data do not fit.

    Examples
    --------
    >>> from isodyn.gauss import Contact
    >>> Contact(rows=0, tangent=[1.0, 0.0], mu=0.3).mu_static
    0.3
    """

    rows: int | str | Sequence[int | str]
    tangent: Any
    mu: float
    mu_static: float | None = None
    unilateral: bool = False
    scale: float | Callable[[FloatArray, float], Any] = 1.0
    surface: Numbers | None = None
    rest: Callable[[FloatArray, FloatArray, float], Any] | None = None
    name: str = "contact"

    __repr__ = told

    def __post_init__(self) -> None:
        static = self.mu if self.mu_static is None else self.mu_static
        for label, value in (("mu", self.mu), ("mu_static", static)):
            if not (isinstance(value, int | float | np.number) and np.isfinite(value) and value >= 0.0):
                raise InputError(f"{label} of {self.name!r} must be a number ≥ 0, received {value!r}")
        if static < self.mu:
            raise InputError(
                f"mu_static of {self.name!r} must not be less than mu, received {static} < {self.mu}",
                hint="a contact that sticks with less friction than it slides with has no rest",
            )
        object.__setattr__(self, "mu_static", float(static))
        if not callable(self.tangent):
            object.__setattr__(self, "tangent", _tangent(self.name, self.tangent))
        if self.unilateral and not isinstance(self.rows, int | str) and len(self.rows) > 1:
            raise InputError(f"a unilateral contact has one row, {self.name!r} has {len(self.rows)}")

    def numbers(self, row_names: Sequence[str], m: int) -> tuple[int, ...]:
        """Return the rows as numbers.

        Parameters
        ----------
        row_names
            Names of all rows.
        m
            How many rows there are.

        Returns
        -------
        rows
            Their numbers.
        """
        rows = (self.rows,) if isinstance(self.rows, int | str | np.integer) else tuple(self.rows)
        found = []
        for row in rows:
            if isinstance(row, str):
                if row not in row_names:
                    raise InputError(
                        f"contact {self.name!r}: there is no row {row!r}",
                        hint=f"rows: {', '.join(row_names) or 'none'}",
                    )
                row = list(row_names).index(row)
            if not 0 <= row < m:
                raise InputError(f"contact {self.name!r}: row {row} does not exist, there are {m} rows")
            found.append(int(row))
        if not found or len(set(found)) != len(found):
            raise InputError(f"contact {self.name!r} needs one or more different rows, received {list(rows)}")
        return tuple(found)

    def directions(self, q: FloatArray, t: float) -> FloatArray:
        """Return the tangent directions T at a state.

        Parameters
        ----------
        q
            Coordinates.
        t
            Time.

        Returns
        -------
        T
            Directions (d, n).
        """
        if not callable(self.tangent):
            return np.asarray(self.tangent)
        return self._finite("tangent", _tangent(self.name, self.tangent(q, t)), t)

    def slip(self, q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        """Return the slip velocity u = T v − w.

        Parameters
        ----------
        q
            Coordinates.
        v
            Velocities.
        t
            Time.

        Returns
        -------
        u
            Slip velocity (d,).
        """
        T = self.directions(q, t)
        if T.shape[1] != v.size:
            raise InputError(f"tangent of {self.name!r} must have {v.size} columns, received shape {T.shape}")
        slip = T @ v
        if self.surface is not None:
            w = np.atleast_1d(np.asarray(self.surface(q, t) if callable(self.surface) else self.surface, float))
            if w.shape != slip.shape:
                raise InputError(f"surface of {self.name!r} must give {slip.size} velocities, received shape {w.shape}")
            slip = slip - w
        return self._finite("slip", slip, t)

    def _finite(self, what: str, value: FloatArray, t: float) -> FloatArray:
        if not np.isfinite(value).all():
            raise CallableError(f"{what} of contact {self.name!r} is not finite at t = {t:g}")
        return value

    def at(
        self,
        q: FloatArray,
        v: FloatArray,
        t: float,
        rows: tuple[int, ...],
        move: Callable[[FloatArray, FloatArray], FloatArray] | None = None,
        increment: float | None = None,
    ) -> ContactPoint:
        """Return the contact at a state.

        Parameters
        ----------
        q
            Coordinates.
        v
            Velocities.
        t
            Time.
        rows
            Numbers of its rows.
        move
            Retraction of coordinates that are not a vector space.
        increment
            Time over which differences along the motion are taken.

        Returns
        -------
        point
            The contact, with numbers in the place of functions.
        """
        T, slip = self.directions(q, t), self.slip(q, v, t)
        if self.rest is not None:
            rest = np.atleast_1d(np.asarray(self.rest(q, v, t), dtype=np.float64))
        elif callable(self.tangent) or callable(self.surface):
            move = move or (lambda q, d: q + d)
            h = increment or _H * max(1.0, float(np.abs(q).max())) / max(1.0, float(np.abs(v).max()))
            rest = (self.slip(move(q, h * v), v, t + h) - self.slip(move(q, -h * v), v, t - h)) / (2 * h)
        else:
            rest = np.zeros(slip.size)
        scale = float(self.scale(q, t)) if callable(self.scale) else float(self.scale)
        self._finite("rest", rest, t)
        self._finite("scale", np.array(scale), t)
        if rest.shape != slip.shape:
            raise CallableError(f"rest of contact {self.name!r} must have shape {slip.shape}, received {rest.shape}")
        assert self.mu_static is not None
        return ContactPoint(self.name, rows, scale, T, slip, rest, self.mu, self.mu_static, self.unilateral)


def _tangent(name: str, value: object) -> FloatArray:
    T = np.atleast_2d(np.asarray(value, dtype=np.float64))
    if T.ndim != 2 or T.shape[0] not in (1, 2):
        raise InputError(f"tangent of {name!r} must have one or two rows, received shape {T.shape}")
    return T
