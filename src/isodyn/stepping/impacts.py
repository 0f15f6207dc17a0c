"""`Impacts`: how contacts that close are treated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from isodyn.errors import InputError
from isodyn.notebook_views import Told
from isodyn.stored import stored_with_runs


@stored_with_runs
@dataclass(frozen=True)
class Impacts(Told):
    """How a run treats contacts that close.

    Parameters
    ----------
    law
        "poisson": what an impact takes in, e of it comes back, in every contact; energy never
        grows. "newton": rates are turned round, −e times; with friction energy may grow.
    order
        "simultaneous": all contacts that are closed take part at once. "sequential": one after the
        other, the fastest first, as in a chain of balls.
    locate
        Cut steps at impacts, so that motion between them is of second order. Otherwise steps go on
        to their ends, and the jump is there: first order, for many contacts.
    max_located
        So many impacts are located in a step; the rest of it is taken without.

    Raises
    ------
    InputError
        If an argument is not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> ball = iso.MechanicalSystem(1.0, lambda q, v, t: [-9.81], [1.0], [0.0], gap=lambda q, t: q, restitution=0.5)
    >>> sol = iso.integrate(ball, dt=0.02, t_end=1.0, impacts=iso.Impacts(law="newton"))
    >>> round(sol.contact(0).impacts[0].t, 6)
    0.451524
    """

    law: Literal["poisson", "newton"] = "poisson"
    order: Literal["simultaneous", "sequential"] = "simultaneous"
    locate: bool = True
    max_located: int = 20

    def __post_init__(self) -> None:
        for name, known in (("law", ("poisson", "newton")), ("order", ("simultaneous", "sequential"))):
            if getattr(self, name) not in known:
                raise InputError(
                    f"{name} of impacts must be {known[0]!r} or {known[1]!r}, received {getattr(self, name)!r}",
                    argument=name,
                )
        if not isinstance(self.max_located, int) or self.max_located < 1:
            raise InputError(f"max_located must be at least 1, received {self.max_located!r}", argument="max_located")
