"""What happened on the way: the events of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    from isodyn.results.solution import Sample


@dataclass(frozen=True)
class Happened:
    """An event of a run, as `sol.events` lists it.

    Parameters
    ----------
    t
        When.
    name
        Name of the event.
    index
        Its number in the list that `integrate` was given.
    before
        The state there (a `Sample`), with left-hand limits of a and lam.
    after
        The state that the run went on from, if the event changed it or began the run anew; None
        otherwise.

    Examples
    --------
    >>> import isodyn as iso
    >>> system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    >>> zero = iso.Event(lambda t, q, v: q[0], name="zero")
    >>> sol = iso.integrate(system, iso.DOP853(), t_end=5.0, events=[zero])
    >>> [(event.name, round(event.t, 6)) for event in sol.events]
    [('zero', 1.570796), ('zero', 4.712389)]
    >>> sol.events
    [<'zero' at t = 1.5708>, <'zero' at t = 4.71239>]
    """

    t: float
    name: str
    index: int
    before: Sample
    after: Any = None

    def __repr__(self) -> str:
        return f"<{self.name!r} at t = {self.t:.6g}{'' if self.after is None else ', and a new start'}>"

    @property
    def q(self) -> FloatArray:
        """Coordinates there."""
        found: FloatArray = self.before.q
        return found

    @property
    def v(self) -> FloatArray:
        """Velocities there, before the event changed them."""
        found: FloatArray = self.before.v
        return found

    @property
    def a(self) -> FloatArray:
        """Accelerations there, as left-hand limits."""
        found: FloatArray = self.before.a
        return found

    @property
    def lam(self) -> FloatArray:
        """Multipliers there, as left-hand limits."""
        found: FloatArray = self.before.lam
        return found
