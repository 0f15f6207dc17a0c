"""What a run returns: rows in time, statistics, and what it was made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.balance import Drift, drift, energy_balance
from isodyn.results.dense_output import interpolate
from isodyn.systems.implicit import ImplicitSystem

if TYPE_CHECKING:
    from isodyn.results.beam_view import BeamView
    from isodyn.results.load_view import LoadView
    from isodyn.results.mechanism_views import BodyView, JointView
    from isodyn.results.quality import LocalError, Quality
    from isodyn.results.reactions import Reaction


@dataclass
class Statistics:
    """Counts and cost of a run."""

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
        """Take the largest local error of the run in."""
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
    """A state at one time, or at several (leading axis)."""

    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray


@dataclass(eq=False)
class Solution(ShownInNotebooks):
    """States at t_n: all of q, v, a are second order there.

    t (k,), q (k, nq), v (k, nv), a (k, nv), lam (k, m); `aux` holds further histories, `stats` the
    counts. With `select` only the chosen columns are there; their numbers are in `columns`.
    `redundant` names the constraint rows that follow from others; multipliers are then the ones of
    least norm. `model` holds the model file of the run, if there was one.
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
        """Kinetic and potential energy at every saved time."""
        if self.system.energy is None:
            raise InputError("this system has no energy function", hint="pass energy= to the system")
        self._whole("energy()")
        rows = [self.system.energy(q, v, t) for q, v, t in zip(self.q, self.v, self.t, strict=True)]
        kinetic, potential = np.array(rows, dtype=np.float64).reshape(-1, 2).T
        return kinetic, potential

    def drift(self) -> Drift:
        """How far the constraints are violated at position, velocity and acceleration level,
        relative, at every saved time."""
        self._whole("drift()")
        return drift(self)

    def energy_balance(self) -> FloatArray:
        """Change of energy less the work of forces outside the potential and of moving constraints:
        zero for exact motion."""
        self._whole("energy_balance()")
        return energy_balance(self)

    def body(self, name: str) -> BodyView:
        """Motion of a body of a mechanism: position, orientation, velocity, angular_velocity,
        accelerations, points."""
        from isodyn.results.mechanism_views import BodyView

        return BodyView(self, name)

    def beam(self, name: str | None = None) -> BeamView:
        """Shape, curvature, forces, stresses and energies of a beam of a mechanism; of a `Beam`
        without a name."""
        from isodyn.results.beam_view import BeamView

        return BeamView(self, name)

    def load(self, name: str) -> LoadView:
        """A spring, bushing, limit, motor, friction or formula of a mechanism: length, rate,
        tension, force, torque."""
        from isodyn.results.load_view import LoadView

        return LoadView(self, name)

    def quality(self) -> Quality:
        """Local error, chord strain, drift and energy balance, with places and verdicts."""
        from isodyn.results.quality import quality

        return quality(self)

    def joint(self, name: str) -> JointView:
        """Coordinates of a joint of a mechanism: angle, displacement, length, with rates."""
        from isodyn.results.mechanism_views import JointView

        return JointView(self, name)

    def reaction(self, name: str, on: str | None = None, frame: str = "world") -> Reaction:
        """Force and torque of a joint on its second body (or `on`), at the joint's point, in the
        "world" or in the "joint" frame.

        What each kind of joint acts on, and where, is told in `Reaction`; `.bodies` lists the
        bodies and `.point` is that point.

        >>> import isodyn as iso
        >>> mech = iso.Mechanism(gravity=(0, 0, -10.0))
        >>> _ = mech.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.5))
        >>> _ = mech.add_joint(iso.RollingSphere("floor", "ball", radius=0.5))
        >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.01)
        >>> [round(float(sol.reaction("floor", on=body).force[0, 2]), 9) for body in ("ball", "ground")]
        [20.0, -20.0]
        """
        from isodyn.results.reactions import Reaction

        return Reaction(self, name, on, frame)

    def momentum(self) -> tuple[FloatArray, FloatArray]:
        """Linear and angular momentum (about the origin) of a mechanism at every saved time."""
        from isodyn.results.mechanism_views import momentum

        return momentum(self)

    def at(self, t: Any) -> Sample:
        """The state at any time of the run: quintic in q, its derivative for v, linear in a and
        lam."""
        return Sample(*interpolate(self, np.asarray(t, dtype=np.float64)))

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` with named coordinates and units; of a mechanism also motion of
        bodies and reactions."""
        from isodyn.results.tables import to_dataset

        return to_dataset(self)

    def save(self, path: Any) -> Any:
        """Write to a NetCDF file, or to CSV by the ending .csv; `isodyn.load` reads NetCDF back."""
        from isodyn.results.netcdf import save

        return save(self, path)

    def __repr__(self) -> str:
        return f"<Solution: {self.t.size} rows from t = {self.t[0]:g} to {self.t[-1]:g}; {self.stats}>"
