"""Settings of the iteration of a step."""

from __future__ import annotations

from dataclasses import dataclass

from isodyn.errors import InputError
from isodyn.integrate.memory import Controls
from isodyn.stored import stored_with_runs


@stored_with_runs
@dataclass(frozen=True)
class Newton:
    """How the nonlinear equations of a step are solved.

    The iteration stops when the estimated error of the acceleration is below `rtol` of its size, or
    at the round-off floor. The Jacobian is formed once per step; in every iteration with `full`;
    kept over steps while it converges well with `reuse` (one per step still where it belongs to the
    discretisation: `Stabilised`, `GGL`, `Overdetermined` take corrections of q or v from it);
    without the derivatives of forces with `quasi` (mass and constraints only). `form` tells which
    increment is solved for and what the first guess is: 0 none or a steady acceleration (default),
    1 a-form, 2 v-form, 3 d-form: no change of a, v or q. A step that does not converge in
    `max_iterations` is halved, at most `max_halvings` times.
    """

    rtol: float = 1e-10
    max_iterations: int = 20
    max_halvings: int = 8
    full: bool = False
    reuse: bool = False
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

    def controls(self, *, keep_balance: bool = False) -> Controls:
        """These settings as numbers for kernels."""
        flags = int(self.full), int(self.reuse), int(self.quasi), self.form
        return Controls(self.rtol, self.max_iterations, self.max_halvings, *flags, int(keep_balance))
