"""Methods that choose their steps, in the place of a scheme: what users give.

A method that is added is a frozen dataclass with `rtol` and `atol` here, a kernel that takes one
step (isodyn.stepping.told_step), and a `Stepper` that a run works with (isodyn.marching.steppers).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.notebook_views import Told
from isodyn.real_numbers import real_number
from isodyn.stored import stored_with_runs

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

LEAST_RTOL = 1e-13  # what double precision has to offer


class StepMethod(Told):
    """A method that tells the error of a step and chooses its size; subclasses are frozen
    dataclasses with these fields."""

    rtol: float
    atol: Numbers
    first_step: float | None
    max_step: float
    project: bool

    name: str
    explicit: bool
    full_matrices: bool = False  # whether its steps solve with full matrices of the model

    @property
    def part_of_sizes(self) -> float:
        """Errors allowed of what is nearly zero, in typical sizes, where atol is left out."""
        return 1e-12

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        stored_with_runs(cls)

    def __post_init__(self) -> None:
        if not LEAST_RTOL <= real_number("rtol", self.rtol) < 1:
            small = self.rtol < LEAST_RTOL
            raise InputError(
                f"rtol must lie between {LEAST_RTOL:g} and 1, received {self.rtol!r}",
                hint="rounding adds up to more than smaller ones" if small else "larger ones say nothing",
            )
        for name in ("first_step", "max_step"):
            value = getattr(self, name)
            if value is None or (name == "max_step" and value == np.inf):
                continue
            if real_number(name, value) <= 0:
                raise InputError(f"{name} must be a positive number, received {value!r}")
        if self.project not in (True, False):
            raise InputError(f"project is on or off, received {self.project!r}")

    def __str__(self) -> str:
        atol = f"{self.part_of_sizes:g} of typical sizes" if self.atol is None else self.atol
        return f"{self.name}, rtol = {self.rtol:g}, atol = {atol}"


@dataclass(frozen=True)
class DOP853(StepMethod):
    """Dormand and Prince's explicit method of order 8, for smooth motions that are not stiff.

    It takes the place of a scheme in `integrate`, without dt.

    Parameters
    ----------
    rtol, atol
        Error of a step allowed in every component, atol + rtol |y|. atol may hold one number for
        each of (q, v). If it is left out, it is 1e-12 of typical sizes of coordinates and of their
        rates.
    first_step, max_step
        Sizes of the first step to try and of the largest to take.
    project
        Move accepted and saved states onto φ = 0, φ̇ = 0 and ψ = 0 by the least change in the mass
        norm.

    Raises
    ------
    InputError
        If a number is not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    >>> sol = iso.integrate(system, iso.DOP853(rtol=1e-10), t_end=1.0)
    >>> bool(abs(sol.q[-1, 0] - 0.5403023058681398) < 1e-9)
    True
    """

    rtol: float = 1e-9
    atol: Numbers | None = None
    first_step: float | None = None
    max_step: float = np.inf
    project: bool = True

    name = "DOP853"
    explicit = True

    __str__ = StepMethod.__str__


@dataclass(frozen=True)
class Radau(StepMethod):
    """Radau IIA of order 5, for stiff motions and for systems with algebraic unknowns.

    It takes the place of a scheme in `integrate`, without dt. Constraints hold at velocity level
    inside a step, and to rounding at both levels at its end. Steps of mechanisms with more than
    100 unknowns solve with sparse matrices, others with full ones of up to 1000 unknowns. The error
    of the motion is proportional to rtol: the error of a step, which an estimate of lower order
    tells, is held to rtol^(4/5) times a number that makes both equal at rtol = 1e-12.

    Parameters
    ----------
    rtol, atol
        Error allowed in every component, atol + rtol |y|. atol may hold one number for
        each of (q, v). If it is left out, it is a thousandth of rtol times typical sizes of
        coordinates and of their rates.
    first_step, max_step
        Sizes of the first step to try and of the largest to take.
    project
        Move accepted and saved states onto φ = 0, φ̇ = 0 and ψ = 0 by the least change in the mass
        norm.

    Raises
    ------
    InputError
        If a number is not admissible.

    Examples
    --------
    A pendulum on a spring that is stiff:

    >>> import numpy as np
    >>> import isodyn as iso
    >>> def force(q, v, t):
    ...     return -1e8 * (1.0 - 1.0 / np.hypot(*q)) * q - np.array([0.0, 9.81])
    >>> system = iso.MechanicalSystem(M=np.eye(2), Q=force, q0=[1.0, 0.0], v0=[0.0, 0.0])
    >>> sol = iso.integrate(system, iso.Radau(rtol=1e-6), t_end=1.0)
    >>> sol.stats.steps < 1000
    True
    """

    rtol: float = 1e-8
    atol: Numbers | None = None
    first_step: float | None = None
    max_step: float = np.inf
    project: bool = True

    name = "Radau"
    explicit = False
    full_matrices = True

    @property
    def part_of_sizes(self) -> float:
        # stiff motions damp their fast parts to nothing, of which no digit is wanted
        return 1e-3 * self.rtol

    __str__ = StepMethod.__str__


@dataclass(frozen=True)
class Auto(StepMethod):
    """`DOP853` or `Radau`, by what is seen on the way.

    A run begins with the explicit method. Where stability holds its steps short, Radau takes over;
    and back again where it does not any more. Systems with algebraic unknowns, and runs whose
    events look at accelerations or multipliers, go by Radau throughout. `sol.stats.methods` tells
    which took which steps.

    Parameters
    ----------
    rtol, atol
        Error of a step allowed in every component, atol + rtol |y|, as for `Radau`.
    first_step, max_step
        Sizes of the first step to try and of the largest to take.
    project
        Move accepted and saved states onto φ = 0, φ̇ = 0 and ψ = 0 by the least change in the mass
        norm.

    Raises
    ------
    InputError
        If a number is not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> relaxing = iso.FirstOrderSystem(lambda s, t: 1e5 * (1.0 - s), s0=[0.0])
    >>> sol = iso.integrate(relaxing, iso.Auto(rtol=1e-6), t_end=1.0)
    >>> sol.stats.methods[:19]
    'DOP853, Radau from '
    """

    rtol: float = 1e-8
    atol: Numbers | None = None
    first_step: float | None = None
    max_step: float = np.inf
    project: bool = True

    name = "Auto"
    explicit = False
    full_matrices = True

    part_of_sizes = Radau.part_of_sizes
    __str__ = StepMethod.__str__
