"""Settings of the iteration of a step."""

from __future__ import annotations

from dataclasses import dataclass

from isodyn.errors import InputError
from isodyn.notebook_views import Told
from isodyn.stepping.kept_matrix import NEVER, WHERE_IT_PAYS
from isodyn.stepping.memory import Controls
from isodyn.stored import stored_with_runs


@stored_with_runs
@dataclass(frozen=True)
class Newton(Told):
    """How the nonlinear equations of a step are solved.

    The iteration stops when the estimated error of the acceleration is below `rtol` of its size, or
    at the level of rounding. The Jacobian is formed once per step; it is kept
    over steps where that is cheaper: in large systems, and in slow motions.

    Parameters
    ----------
    rtol
        Relative error of the acceleration. Adaptive runs without a `Newton` take what is small
        beside their own tolerance.
    max_iterations
        A step that needs more is halved.
    max_halvings
        How often a step may be halved.
    full
        Form the Jacobian in every iteration.
    reuse
        Whether the Jacobian is kept over steps while it converges well. Left out, it is where
        that pays: in steps of one size of systems whose factorisation costs several corrections.
        Systems that solve for themselves, and `GGL`, need one per step.
    quasi
        Leave the derivatives of forces out of the Jacobian.
    form
        Which increment is solved for, and the first guess: 0 none or a steady acceleration, 1
        a-form, 2 v-form, 3 d-form (no change of a, v or q).

    Raises
    ------
    InputError
        If a number is not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, dt=0.01, t_end=0.1, newton=iso.Newton(rtol=1e-12))
    >>> sol.stats.halvings
    0
    """

    rtol: float = 1e-10
    max_iterations: int = 20
    max_halvings: int = 8
    full: bool = False
    reuse: bool | None = None
    quasi: bool = False
    form: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.rtol < 1:
            raise InputError(f"rtol must lie between 0 and 1, received {self.rtol!r}", hint="1e-10 is the default")
        if self.form not in (0, 1, 2, 3):
            raise InputError(f"form must be 0, 1 (a-form), 2 (v-form) or 3 (d-form), received {self.form!r}")
        if self.max_iterations < 1 or self.max_halvings < 0:
            raise InputError(
                f"max_iterations must be at least 1 and max_halvings at least 0, received {self.max_iterations}, {self.max_halvings}"
            )

    def controls(self, *, keep_balance: bool = False, one_size: bool = False) -> Controls:
        """Return these settings as numbers for kernels.

        Parameters
        ----------
        keep_balance
            Whether the states at the last two balances are kept.
        one_size
            Whether all steps are of one size, so that a Jacobian can be kept where that pays.

        Returns
        -------
        controls
            The numbers.
        """
        reuse = (WHERE_IT_PAYS if one_size else NEVER) if self.reuse is None else int(self.reuse)
        flags = int(self.full), reuse, int(self.quasi), self.form
        return Controls(self.rtol, self.max_iterations, self.max_halvings, *flags, int(keep_balance))


def checked_newton(newton: Newton | None) -> Newton | None:
    """What was given for `newton`; InputError for what is none."""
    if newton is not None and not isinstance(newton, Newton):
        raise InputError(f"newton must be a Newton, received {newton!r}", hint="for example iso.Newton(rtol=1e-12)")
    return newton
