"""What a run returns: rows in time, statistics, and what it was made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results import switched
from isodyn.results.balance import Drift, drift, energy_balance
from isodyn.results.dense_output import interpolate_or_warn
from isodyn.results.events import Happened
from isodyn.results.sensitivity import WithSensitivities
from isodyn.results.statistics import Statistics
from isodyn.results.views_of_parts import ViewsOfParts
from isodyn.results.whole import MadeFor, refuse_unless_whole
from isodyn.systems.energies import energies as energies_of_rows
from isodyn.systems.implicit import ImplicitSystem

# a run of a few particles needs none of these
quantities, quality = Later("isodyn.results.quantities"), Later("isodyn.results.quality")
netcdf, tables, shown = Later("isodyn.results.netcdf"), Later("isodyn.results.tables"), Later("isodyn.results.shown")

if TYPE_CHECKING:
    from isodyn.results.quality import Quality
    from isodyn.results.quantities import Curve


class Sample(NamedTuple):
    """A state at one time, or at several (leading axis).

    Parameters
    ----------
    t
        Time.
    q
        Coordinates.
    v
        Velocities.
    a
        Accelerations.
    lam
        Multipliers.

    Examples
    --------
    >>> import isodyn as iso
    >>> sol = iso.integrate(iso.problems.get("pendulum").system(), dt=0.01, t_end=0.1)
    >>> sol.at(0.055).q.shape, sol.at([0.01, 0.055]).q.shape
    ((2,), (2, 2))
    """

    t: Any
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray


@dataclass(eq=False)
class Solution(ViewsOfParts, WithSensitivities, ShownInNotebooks):
    """States of a run at t_n, with second order in q, v and a.

    Parameters
    ----------
    t
        Times (k,).
    q
        Coordinates (k, nq).
    v
        Velocities (k, nv).
    a
        Accelerations (k, nv).
    lam
        Multipliers (k, m).
    system
        The system that was integrated.
    scheme
        The scheme of the run.
    stats
        Counts and cost.
    columns
        Numbers of the saved columns of q, v, a, lam. `select` chooses them.
    aux
        Further histories by name.
    redundant
        Names of the constraint rows that follow from others. If there are any, the multipliers are
        those of least norm.
    model
        The model file of the run, if there was one.
    events
        What happened, in order: `t`, `name`, `index` and the states before and after.

    Examples
    --------
    >>> import isodyn as iso
    >>> sol = iso.integrate(iso.problems.get("pendulum").system(), dt=0.01, t_end=1.0)
    >>> sol.q.shape, sol.lam.shape
    ((101, 2), (101, 1))
    >>> bool(sol.drift().position.max() < 1e-12)
    True
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    system: Any
    scheme: Any
    stats: Statistics
    columns: dict[str, IntArray]
    aux: dict[str, Any] = field(default_factory=dict)
    redundant: tuple[str, ...] = ()
    model: dict[str, Any] | None = None
    events: list[Happened] = field(default_factory=list)

    @property
    def s(self) -> FloatArray:
        """State of a first-order system."""
        return self._first_order("s", self.v)

    @property
    def sdot(self) -> FloatArray:
        """Rate of a first-order system, at t_n."""
        return self._first_order("sdot", self.a)

    @property
    def z(self) -> FloatArray:
        """Algebraic unknowns of a first-order system."""
        return self._first_order("z", self.lam)

    @property
    def x(self) -> FloatArray:
        """Unknowns of an `ImplicitSystem`, in the order in which they were given."""
        return self._implicit("x").unknowns(self.v, self.lam)

    @property
    def xdot(self) -> FloatArray:
        """Rates of the unknowns of an `ImplicitSystem`, at t_n."""
        return self._implicit("xdot").rates(self.t, self.v, self.lam)

    def _implicit(self, name: str) -> ImplicitSystem:
        if not isinstance(self.system, ImplicitSystem):
            raise InputError(
                f"`{name}` belongs to implicit systems; this is a solution of a {type(self.system).__name__}"
            )
        self._whole(name)
        return self.system

    def _first_order(self, name: str, values: FloatArray) -> FloatArray:
        if not self.system.first_order:
            raise InputError(f"`{name}` belongs to first-order systems; this solution has q, v, a")
        return values

    def __post_init__(self) -> None:
        self._made_for = MadeFor(self.system)

    def _whole(self, what: str) -> None:
        refuse_unless_whole(self, what, self._made_for)

    def energy(self) -> tuple[FloatArray, FloatArray]:
        """Return the kinetic and the potential energy at every saved time.

        Returns
        -------
        kinetic, potential
            Two histories (k,).

        Raises
        ------
        InputError
            If the system has no energy function, or not all columns were saved.
        """
        if self.system.energy is None:
            raise InputError("this system has no energy function", hint="pass energy= to the system")
        self._whole("energy()")
        kinetic, potential = energies_of_rows(self.system, self.q, self.v, self.t)
        return kinetic, potential - self._let_go() if switched.NAME in self.aux else potential

    def drift(self) -> Drift:
        """Return how far the constraints are violated at every saved time.

        Returns
        -------
        drift
            Relative violation at position, velocity and acceleration level.

        Raises
        ------
        InputError
            If not all columns were saved.
        """
        self._whole("drift()")
        return drift(self)

    def energy_balance(self) -> FloatArray:
        """Return the change of energy less the work of all forces that have no potential.

        The work of moving constraints counts too; what the action of an event changes of the energy
        does not. The balance is zero for the exact motion.

        Returns
        -------
        balance
            History (k,).

        Raises
        ------
        InputError
            If the system has no energy function, or not all columns were saved.
        """
        self._whole("energy_balance()")
        return energy_balance(self)

    def quantities(self) -> tuple[str, ...]:
        """Return the names of all that can be read, plotted and put into tables.

        Returns
        -------
        names
            Names such as "pin.force" and "crank.angle"; components are "pin.force_x", sizes of
            vectors "|pin.force|".
        """
        return quantities.Catalogue(self).names

    def quantity(self, name: str | tuple[str, str]) -> Curve:
        """Return the values of a quantity along the run, with its unit.

        Parameters
        ----------
        name
            Its name, or (part, what) if names are ambiguous.

        Returns
        -------
        curve
            Values and unit.

        Raises
        ------
        InputError
            If there is no such quantity.

        Examples
        --------
        >>> import isodyn as iso
        >>> mech = iso.Mechanism(gravity=(0, 0, -10.0))
        >>> _ = mech.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1))
        >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "arm", axis=(0, 1, 0)))
        >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.01)
        >>> force = sol.quantity("pin.force_z")
        >>> force.unit, round(float(force.values[0]), 9)
        ('N', 10.0)
        """
        return quantities.Catalogue(self).curve(name)

    def plot(self, *names: str | tuple[str, str], interactive: bool = False, title: str = "") -> Any:
        """Draw quantities over time, in one axes for each unit.

        Parameters
        ----------
        *names
            Names of quantities (`quantities()`).
        interactive
            Make a figure for notebooks and browsers, which needs no further package: values under
            the pointer, zoom by dragging, `.save("figure.html")`.
        title
            Title of the figure.

        Returns
        -------
        figure
            A matplotlib figure, with `savefig("force.png")`, or an interactive one. If pyplot was
            imported, it is its current figure; not in notebooks, which show it anyway.

        Raises
        ------
        InputError
            If there is no such quantity.

        Examples
        --------
        >>> import isodyn as iso
        >>> mech = iso.Mechanism()
        >>> _ = mech.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
        >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "arm", axis=(0, 1, 0)))
        >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=1.0)
        >>> figure = sol.plot("pin.angle", "|pin.force|")
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['[rad]', '[N]']
        """
        return shown.plot(self, names, interactive=interactive, title=title)

    def to_dataframe(self, *names: str | tuple[str, str]) -> Any:
        """Return a `pandas.DataFrame` over time.

        Parameters
        ----------
        *names
            Names of quantities; all columns of the CSV file if left out.

        Returns
        -------
        table
            The table; units are in `.attrs["units"]`.

        Raises
        ------
        InputError
            If there is no such quantity, or pandas is not installed.

        Examples
        --------
        >>> import isodyn as iso
        >>> system = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
        >>> sol = iso.integrate(system, dt=0.1, t_end=0.2)
        >>> list(sol.to_dataframe("q(q0)", "kinetic_energy").columns)
        ['q(q0)', 'kinetic_energy']
        """
        return tables.to_dataframe(self, names)

    def quality(self) -> Quality:
        """Return what the solution says about its own accuracy.

        Returns
        -------
        quality
            Local error, chord strain, drift and energy balance, with places and verdicts.
        """
        return quality.quality(self)

    def at(self, t: float | list[float] | FloatArray) -> Sample:
        """Return the state at any time of the run.

        q is quintic between rows, v its derivative; a and lam are linear. Warns if rows are far.

        Parameters
        ----------
        t
            One time, or an array of them.

        Returns
        -------
        sample
            The state, with a leading axis for an array of times.

        Raises
        ------
        InputError
            If a time is outside the run.
        """
        return Sample(*interpolate_or_warn(self, np.asarray(t, dtype=np.float64), 2))

    def to_xarray(self) -> Any:
        """Return an `xarray.Dataset` with named coordinates and units.

        Returns
        -------
        dataset
            States; of a mechanism also the motion of bodies and the reactions.

        Raises
        ------
        InputError
            If xarray is not installed.
        """
        return tables.to_dataset(self)

    def save(self, path: str | Path) -> Path:
        """Write to a NetCDF file; by the ending .csv to CSV, by .parquet to Parquet.

        `isodyn.load` reads NetCDF back.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        path
            The file that was written.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        return netcdf.save(self, path)

    def __repr__(self) -> str:
        span = f" from t = {self.t[0]:g} to {self.t[-1]:g}" if self.t.size else ""
        return f"<{type(self).__name__}: {self.t.size} rows{span}; {self.stats}>"
