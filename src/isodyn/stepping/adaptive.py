"""`Adaptive`: steps of GS4 whose local error stays small (isodyn.stepping.step_error), chosen by a
controller (isodyn.stepping.controller).

The error of the motion is of second order and the error of a step of third, so that an error of a
step below tol leads to an error of the motion of about tol^(2/3). Inside, a step is therefore held
to 0.2·rtol^(3/2): the error of q, v, a and λ is then proportional to rtol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.real_numbers import real_array, real_number
from isodyn.stepping.policies import StepPolicy, TakenStep

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

LEAST_RTOL = 1e-9  # steps are then so small that rounding is a good part of their error
INSIDE, POWER = 0.2, 1.5  # the error of a step that a tolerance allows
OPENING = 0.01  # of the span: the first step that is tried where nothing else is known


@dataclass(frozen=True)
class Adaptive(StepPolicy):
    """Steps that keep the local error of q and v small, for `dt` of `integrate`.

    The error of the motion is about proportional to rtol; how large it is beside that depends on
    how the motion amplifies errors. Without `atol` a component of q or v is compared with its
    largest size so far, or with that of the largest of its unit; positions of mechanisms and beams
    with a typical size of the model. Of users' own equations units are not known: components count
    as no less than a tenth of the largest, beside typical sizes (`scales` of the system), those of
    first-order systems as a thousandth. Where coordinates have different units, give `scales` or
    `atol`. Without a scheme such runs take U0(0, 0.5, 0),
    first-order systems GS4-1(0, 0): stiff parts that the steps do not resolve are damped.

    Parameters
    ----------
    rtol
        Relative error, between 1e-9 and 0.1.
    atol
        Absolute error, in addition; a number for q and v, or two, each of which may be an array
        with a number for each velocity.
    first
        Size of the first step; found from the accelerations at the start if left out.
    largest
        Largest size of a step.
    smallest
        Smallest size; 1e-13 of the span if left out.

    Raises
    ------
    InputError
        If a number is not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, dt=iso.Adaptive(rtol=1e-4), t_end=1.0)
    >>> bool(sol.drift().largest[0] < 1e-13)
    True
    """

    rtol: float = 1e-4
    atol: Numbers | None = None
    first: float | None = None
    largest: float | None = None
    smallest: float | None = None

    estimates = True

    def __post_init__(self) -> None:
        rtol = real_number("rtol", self.rtol)
        if not LEAST_RTOL <= rtol <= 0.1:
            raise InputError(
                f"rtol of adaptive steps must lie between {LEAST_RTOL:g} and 0.1, received {self.rtol!r}",
                hint="this method is of second order; the methods Radau and DOP853 go down to 1e-13"
                if rtol < LEAST_RTOL
                else "larger ones say nothing",
            )
        for name in ("first", "largest", "smallest"):
            value = getattr(self, name)
            if value is not None and not 0.0 < real_number(name, value) < np.inf:
                raise InputError(f"{name} must be a positive size of a step, received {value!r}")
        if self.atol is not None:
            for part in self.atol if isinstance(self.atol, tuple | list) else (self.atol,):
                values = real_array("atol", part, "a number, or one for q and one for v")
                if not np.isfinite(values).all():
                    raise InputError(f"atol must be finite, received {self.atol!r}")
                if not (values >= 0.0).all():
                    raise InputError(f"atol must not be negative, received {self.atol!r}")
            if isinstance(self.atol, tuple | list) and len(self.atol) != 2:
                raise InputError(f"atol takes one number, or two for q and v, received {len(self.atol)}")

    @property
    def first_step(self) -> float:  # type: ignore[override]
        """Size of the first step; 0 where it is found at the start."""
        return 0.0 if self.first is None else float(self.first)

    @property
    def smallest_step(self) -> float:  # type: ignore[override]
        """Smallest size of a step."""
        return 0.0 if self.smallest is None else float(self.smallest)

    @property
    def largest_step(self) -> float:  # type: ignore[override]
        """Largest size of a step."""
        return np.inf if self.largest is None else float(self.largest)

    @property
    def absolute(self) -> bool:  # type: ignore[override]
        """Whether sizes were named."""
        return self.atol is not None

    @property
    def controlled_error(self) -> float:  # type: ignore[override]
        """The error of a step that is allowed, relative."""
        return float(INSIDE * self.rtol**POWER)

    def least_sizes(self, n: int) -> tuple[FloatArray, FloatArray]:
        """Return what atol adds to the sizes that errors are compared with.

        Parameters
        ----------
        n
            Number of velocities.

        Returns
        -------
        of_q, of_v
            An addition for each increment of q, and for each velocity.
        """
        parts = self.atol if isinstance(self.atol, tuple | list) else (self.atol, self.atol)
        found = []
        for part in parts:
            values = np.asarray(0.0 if part is None else part, dtype=np.float64)
            if values.shape not in ((), (n,)):
                raise InputError(f"atol takes one number or {n} of them, received {values.size}")
            found.append(np.broadcast_to(values, (n,)) / self.rtol)
        return found[0], found[1]

    def accept(self, step: TakenStep) -> float:
        """Return nothing: the controller is compiled.

        Parameters
        ----------
        step
            The step.

        Returns
        -------
        factor
            None; an error tells so.
        """
        raise NotImplementedError("isodyn.stepping.controller judges these steps")
