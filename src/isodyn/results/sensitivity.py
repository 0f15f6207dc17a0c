"""Derivatives of a run by one parameter, as a solution offers them.

    dy/dθ = ∂y/∂state · dstate/dθ + ∂y/∂θ

of anything y that can be read from a solution, both parts by differences of four points: y is read
from solutions beside this one, and from systems with other values of the parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import RATE, FloatArray
from isodyn.results.contacts import RATES
from isodyn.results.contacts_beside import contacts_beside
from isodyn.results.quantities import Catalogue
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.results.solution import Solution
    from isodyn.systems.base import System

PART = 1e-3  # of the size of the state: distance of the points of a difference
CENTRAL = ((1.0, 8.0 / 12.0), (-1.0, -8.0 / 12.0), (2.0, -1.0 / 12.0), (-2.0, 1.0 / 12.0))


def reader_of(output: str | tuple[str, str] | Callable[[Solution], Any], sol: Solution) -> Callable[[Solution], Any]:
    """The function that reads an output from solutions of the same parts; a name is looked up
    once."""
    if callable(output):
        return output
    place = Catalogue(sol).find(output)
    return lambda other: Catalogue(other).read(place).values


def fresh(sol: Solution) -> Solution:
    """A copied solution, without what was worked out for the one that it was copied from."""
    vars(sol).pop(RATES, None)
    sol.aux = {}
    return sol


class Varied(Protocol):
    """A parameter at other values."""

    @property
    def systems(self) -> tuple[Any, ...]: ...

    @property
    def weights(self) -> tuple[float, ...]: ...


class Sensitivity:
    """Derivatives of a run by one parameter.

    Parameters
    ----------
    sol
        The solution.
    name
        Name of the parameter.
    value
        Its value.
    dq
        Derivatives of the configuration as increments (k, nv); of rotations in the frame of the
        body.
    v, a, lam
        Derivatives of velocities (k, nv), accelerations (k, nv) and multipliers (k, m).
    varied
        What has the systems at other values of the parameter (`systems`), and the weights with
        which they make a derivative, that of the system itself last (`weights`).

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, -9.81))
    >>> _ = mech.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.5, sensitivities=["arm.mass", "gravity.z"])
    >>> sol.sensitivity("arm.mass").of("pin.force_z").shape
    (51,)
    """

    def __init__(
        self,
        sol: Solution,
        name: str,
        value: float,
        dq: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        varied: Varied,
    ) -> None:
        self.sol, self.name, self.value = sol, name, value
        self.dq, self.v, self.a, self.lam = dq, v, a, lam
        self.varied = varied
        self.events: FloatArray = np.zeros(0)  # derivatives of the times of `sol.events`
        # of normal forces of contacts, and of tangential ones of those that stick (k, rows of contacts)
        self.contact_forces: FloatArray = np.zeros((sol.t.size, 0))

    def __repr__(self) -> str:
        return f"<Sensitivity to {self.name} = {self.value:.6g}: {self.sol.t.size} rows>"

    @property
    def contact_normals(self) -> FloatArray:
        """Derivatives of the normal forces of contacts (k, contacts)."""
        known = self.sol.system.contacts
        return self.contact_forces[:, : 0 if known is None else len(known.names)]

    @property
    def q(self) -> FloatArray:
        """Derivatives of the coordinates (k, nq)."""
        system = self.sol.system
        if system.retract is None:
            return self.dq[:, : system.nq]
        ask = Questions(system)
        rows = zip(self.sol.t, self.sol.q, self.dq, self.sol.a, strict=True)
        return np.array([ask.ask(RATE, t, q.copy(), d.copy(), a.copy(), system.nq) for t, q, d, a in rows])

    @property
    def s(self) -> FloatArray:
        """Derivatives of the state of a first-order system (k, n)."""
        return self.v

    def beside(self, e: float) -> Solution:
        """Return the solution for another value of the parameter, to first order, with the system
        of this one.

        Parameters
        ----------
        e
            Change of the parameter.

        Returns
        -------
        sol
            The solution.
        """
        other, system = copy(self.sol), self.sol.system
        if system.retract is None:
            other.q = self.sol.q + e * self.dq[:, : system.nq]
        else:
            other.q = np.array([system.retract(q.copy(), e * d) for q, d in zip(self.sol.q, self.dq, strict=True)])
        other.v, other.a, other.lam = self.sol.v + e * self.v, self.sol.a + e * self.a, self.sol.lam + e * self.lam
        other.aux = contacts_beside(self.sol, fresh(other), e * self.contact_forces)
        return other

    def _with(self, system: System) -> Solution:
        other = copy(self.sol)
        other.system = system
        other.aux = contacts_beside(self.sol, fresh(other))
        return other

    def of(self, output: str | tuple[str, str] | Callable[[Solution], Any]) -> FloatArray:
        """Return the derivative of an output along the run.

        Parameters
        ----------
        output
            Name of a quantity (`sol.quantities()`), or a function of a solution that returns
            numbers.

        Returns
        -------
        derivative
            Of the shape of the output.

        Raises
        ------
        InputError
            If there is no such quantity.
        """
        read = reader_of(output, self.sol)
        plain = np.asarray(read(self._with(self.sol.system)), dtype=np.float64)
        if not np.isfinite(plain).all():
            raise InputError(f"{output!r} is not finite along the run, so it has no derivative")
        total: FloatArray = np.zeros(plain.shape)
        for system, weight in zip(self.varied.systems, self.varied.weights, strict=False):
            if weight != 0.0:  # what does not change adds no rounding, weights having the sum zero
                total = total + weight * (np.asarray(read(self._with(system)), dtype=np.float64) - plain)
        h = self._step()
        for k, weight in CENTRAL if h > 0.0 else ():
            total = total + weight / h * (np.asarray(read(self.beside(k * h)), dtype=np.float64) - plain)
        return np.asarray(total)

    def _step(self) -> float:
        """A change of the parameter that moves the state by a small part of its size."""
        sol, sizes = self.sol, self.sol.system.scales.v
        fast = max(1e-2, float(np.abs(sol.v / sizes).max(initial=0.0)))
        moved = max(
            float(np.abs(self.dq / sizes).max(initial=0.0)) if sol.system.nq else 0.0,
            float(np.abs(self.v / sizes).max(initial=0.0)) / fast,
            float(np.abs(self.a / sizes).max(initial=0.0)) / max(1.0, float(np.abs(sol.a / sizes).max(initial=0.0))),
            float(np.abs(self.lam).max(initial=0.0)) / max(1e-2, float(np.abs(sol.lam).max(initial=0.0))),
        )
        return PART / moved if moved > 0.0 else 0.0


class WithSensitivities:
    """A solution that may have derivatives by parameters."""

    @property
    def sensitivities(self) -> dict[str, Sensitivity]:
        """Derivatives of the run by parameters, by name."""
        found: dict[str, Sensitivity] = self.__dict__.setdefault("_sensitivities", {})
        return found

    def sensitivity(self, name: str) -> Sensitivity:
        """Return the derivatives of the run by a parameter.

        Parameters
        ----------
        name
            Name of a parameter that `integrate(..., sensitivities=[...])` was asked for.

        Returns
        -------
        sensitivity
            Derivatives of q, v, a and lam, and of all that can be read from a solution.

        Raises
        ------
        InputError
            If the run has no derivatives by this parameter.
        """
        if name not in self.sensitivities:
            known = ", ".join(map(repr, self.sensitivities)) or "none"
            raise InputError(
                f"this run has no derivatives by {name!r}; it has: {known}",
                hint="name it in integrate(..., sensitivities=[...])",
            )
        return self.sensitivities[name]
