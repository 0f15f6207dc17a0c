"""What a run returns: rows in time, statistics, and what it was made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.balance import Drift, drift, energy_balance
from isodyn.results.dense_output import interpolate
from isodyn.results.events import Happened
from isodyn.systems.implicit import ImplicitSystem

# a run of a few particles needs none of these
beam_view, load_views = Later("isodyn.results.beam_view"), Later("isodyn.results.load_views")
energies, quantities = Later("isodyn.results.energies"), Later("isodyn.results.quantities")
mechanism_views, reactions = Later("isodyn.results.mechanism_views"), Later("isodyn.results.reactions")
netcdf, tables = Later("isodyn.results.netcdf"), Later("isodyn.results.tables")
quality, shown = Later("isodyn.results.quality"), Later("isodyn.results.shown")
sensor_view = Later("isodyn.results.sensor_view")

if TYPE_CHECKING:
    from isodyn.results.beam_view import BeamView
    from isodyn.results.energies import PartEnergy
    from isodyn.results.load_views import AnyLoadView
    from isodyn.results.mechanism_views import BodyView, JointView
    from isodyn.results.quality import LocalError, Quality
    from isodyn.results.quantities import Curve
    from isodyn.results.reactions import Reaction
    from isodyn.results.sensor_view import SensorView


@dataclass
class Statistics:
    """Counts and cost of a run.

    Parameters
    ----------
    steps
        Steps of the run.
    iterations
        Iterations of Newton's method.
    evaluations
        Evaluations of the balance.
    factorisations
        Factorised matrices.
    halvings
        Steps that were halved because the iteration did not converge.
    round_off_stops
        Iterations that ended at the level of rounding.
    rescues
        Steps that converged only with a remedy.
    refinements
        Solutions of linear systems that were refined.
    repivots
        New orders of elimination.
    fallbacks
        Changes to another solver.
    rejected
        Rejected steps of an adaptive run.
    seconds
        Time of the compiled loop.
    solver
        Name of the linear solver.
    stopped
        Why the run ended before t_end, or None.
    index
        Differentiation index of a system with algebraic unknowns, with the ranks behind it.
    local_error
        Largest local error, relative to the largest change in a step.
    local_error_in
        Variable that has it.
    local_error_at
        Time at which it has it.

    Examples
    --------
    >>> import isodyn as iso
    >>> sol = iso.integrate(iso.problems.get("pendulum").system(), dt=0.01, t_end=0.1)
    >>> sol.stats.steps, sol.stats.stopped
    (10, None)
    """

    steps: int = 0
    iterations: int = 0
    evaluations: int = 0
    factorisations: int = 0
    halvings: int = 0
    round_off_stops: int = 0
    rescues: int = 0
    refinements: int = 0
    repivots: int = 0
    fallbacks: int = 0
    rejected: int = 0
    seconds: float = 0.0
    solver: str = ""
    stopped: str | None = None
    index: str | None = None  # of a system with algebraic unknowns, with the ranks behind it
    # the largest of a step, relative to the largest change in a step …
    local_error: float | None = None
    local_error_in: str = ""  # … in which variable …
    local_error_at: float | None = None  # … and when

    def take(self, found: LocalError) -> None:
        """Note the largest local error of the run.

        Parameters
        ----------
        found
            The error, with its variable and time.
        """
        self.local_error, self.local_error_at = found.value, found.t
        self.local_error_in = f"{found.of} of {found.component!r}"

    def __str__(self) -> str:
        text = (
            f"{self.steps} steps, {self.iterations} iterations, {self.evaluations} evaluations, {self.factorisations} factorisations"
            f" by {self.solver}, {self.seconds:.3g} s"
        )
        if self.index is not None:
            text += f", {self.index}"
        if self.halvings:
            text += f", {self.halvings} halvings"
        if self.rescues:
            text += f", {self.rescues} rescued steps"
        if self.refinements:
            text += f", {self.refinements} refined solutions"
        if self.repivots:
            text += f", {self.repivots} new orders of elimination"
        if self.rejected:
            text += f", {self.rejected} rejected steps"
        if self.local_error is not None:
            text += f", local error {100.0 * self.local_error:.2g} % of a step"
        return text if self.stopped is None else f"{text}; {self.stopped}"


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
class Solution(ShownInNotebooks):
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

    def _whole(self, what: str) -> None:
        for name, n in (("q", self.system.nq), ("v", self.system.nv), ("a", self.system.nv), ("lam", self.system.m)):
            if self.columns[name].size != n:
                raise InputError(
                    f"{what} needs all of {name}, but only {self.columns[name].size} of {n} columns were saved"
                )

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
        rows = [self.system.energy(q, v, t) for q, v, t in zip(self.q, self.v, self.t, strict=True)]
        kinetic, potential = np.array(rows, dtype=np.float64).reshape(-1, 2).T
        return kinetic, potential

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

        The work of moving constraints counts too. The balance is zero for the exact motion.

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

    def body(self, name: str) -> BodyView:
        """Return the motion of a body of a mechanism.

        Parameters
        ----------
        name
            Name of the body.

        Returns
        -------
        body
            Its position, orientation, velocities, accelerations, and those of its points.
        """
        return mechanism_views.BodyView(self, name)

    def beam(self, name: str | None = None) -> BeamView:
        """Return the shape, curvature, forces, stresses and energies of a beam.

        Parameters
        ----------
        name
            Name of the beam in a mechanism; left out for a `Beam` by itself.

        Returns
        -------
        beam
            Its histories.
        """
        return beam_view.BeamView(self, name)

    def load(self, name: str) -> AnyLoadView:
        """Return what a load or a drive of a mechanism did.

        Springs, bushings, limits, motors, friction and formulas act along measures
        (`isodyn.results.load_view.LoadView`), drives along a coordinate of a joint; forces,
        torques, drag and users' loads act on bodies, distributed forces along beams.

        Parameters
        ----------
        name
            Name of the load or drive.

        Returns
        -------
        load
            Its force, torque, power and work; along a measure also length, rate, tension and
            effort.

        Raises
        ------
        InputError
            If there is no such load.

        Examples
        --------
        >>> import isodyn as iso
        >>> mech = iso.Mechanism(gravity=(0, 0, 0))
        >>> _ = mech.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
        >>> _ = mech.add_joint(iso.Hinge("axle", "ground", "wheel", axis=(0, 0, 1)))
        >>> _ = mech.add_joint(iso.Drive("turn", "axle", iso.Polynomial(0, 0, 1.0)))
        >>> drive = iso.integrate(mech.compile(), dt=0.01, t_end=1.0).load("turn")
        >>> [round(float(x[-1]), 6) for x in (drive.effort[:, 0], drive.rate[:, 0], drive.power, drive.work)]
        [0.4, 2.0, 0.8, 0.4]
        """
        return load_views.load_of(self, name)

    def energy_by_part(self) -> dict[str, PartEnergy]:
        """Return the energies of every body, beam and spring of a mechanism.

        Returns
        -------
        energies
            Kinetic and potential energy by name; their sum is `energy()`.

        Examples
        --------
        >>> import isodyn as iso
        >>> mech = iso.Mechanism(gravity=(0, 0, -10.0))
        >>> _ = mech.add_body("ball", mass=2.0, kind="particle", position=(0, 0, 3.0))
        >>> ball = iso.integrate(mech.compile(), dt=0.01, t_end=0.5).energy_by_part()["ball"]
        >>> [round(float(x[-1]), 9) for x in ball]
        [25.0, 35.0]
        """
        return energies.energy_by_part(self)

    def sensor(self, name: str) -> SensorView:
        """Return what a sensor of a mechanism measured.

        Parameters
        ----------
        name
            Name of the `Sensor`.

        Returns
        -------
        sensor
            Position, velocity and acceleration of its point; distance and angle if it measures
            them.

        Raises
        ------
        InputError
            If there is no such sensor.
        """
        return sensor_view.SensorView(self, name)

    def quantities(self) -> tuple[str, ...]:
        """Return the names of all that can be read, plotted and put into tables.

        Returns
        -------
        names
            Names such as "pin.force" and "crank.angle"; components are "pin.force_x", sizes of
            vectors "|pin.force|".
        """
        return quantities.Catalogue(self).names

    def quantity(self, name: Any) -> Curve:
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

    def plot(self, *names: Any, interactive: bool = False, title: str = "") -> Any:
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
            A matplotlib figure, or an interactive one.

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

    def to_dataframe(self, *names: Any) -> Any:
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

    def joint(self, name: str) -> JointView:
        """Return the coordinates of a joint of a mechanism.

        Parameters
        ----------
        name
            Name of the joint.

        Returns
        -------
        joint
            Its angle, displacement or length, with rates.
        """
        return mechanism_views.JointView(self, name)

    def reaction(self, name: str, on: str | None = None, frame: str = "world") -> Reaction:
        """Return the force and the torque that a joint exerts on a body, at the joint's point.

        `Reaction` says what each kind of joint acts on, and where. Its `bodies` lists the bodies,
        and `point` is that point.

        Parameters
        ----------
        name
            Name of the joint.
        on
            Name of the body; the second body of the joint by default.
        frame
            "world" or "joint".

        Returns
        -------
        reaction
            Histories of force and torque.

        Examples
        --------
        >>> import isodyn as iso
        >>> mech = iso.Mechanism(gravity=(0, 0, -10.0))
        >>> _ = mech.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.5))
        >>> _ = mech.add_joint(iso.RollingSphere("floor", "ball", radius=0.5))
        >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.01)
        >>> [round(float(sol.reaction("floor", on=body).force[0, 2]), 9) for body in ("ball", "ground")]
        [20.0, -20.0]
        """
        return reactions.Reaction(self, name, on, frame)

    def momentum(self) -> tuple[FloatArray, FloatArray]:
        """Return the linear and the angular momentum of a mechanism at every saved time.

        Returns
        -------
        linear, angular
            Two histories (k, 3); the second is about the origin.
        """
        return mechanism_views.momentum(self)

    def at(self, t: Any) -> Sample:
        """Return the state at any time of the run.

        q is quintic between the rows, v is its derivative, a and lam are linear.

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
        return Sample(*interpolate(self, np.asarray(t, dtype=np.float64)))

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

    def save(self, path: Any) -> Any:
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
        return f"<Solution: {self.t.size} rows from t = {self.t[0]:g} to {self.t[-1]:g}; {self.stats}>"
