"""What a solution tells about the parts of a mechanism, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later

# a run of a few particles needs none of these
rod_view, load_views = Later("isodyn.results.rod_view"), Later("isodyn.results.load_views")
flexible_view = Later("isodyn.results.flexible_view")
energies, sensor_view = Later("isodyn.results.energies"), Later("isodyn.results.sensor_view")
contacts = Later("isodyn.results.contacts")
mechanism_views, reactions = Later("isodyn.results.mechanism_views"), Later("isodyn.results.reactions")
state_view = Later("isodyn.results.state_view")

if TYPE_CHECKING:
    from isodyn.results.contacts import ContactView
    from isodyn.results.energies import PartEnergy
    from isodyn.results.flexible_view import FlexibleView
    from isodyn.results.load_views import AnyLoadView
    from isodyn.results.mechanism_views import BodyView, JointView
    from isodyn.results.reactions import Reaction
    from isodyn.results.sensor_view import SensorView
    from isodyn.results.state_view import StateView


class ViewsOfParts:
    """Bodies, joints, beams, loads, sensors and states of a mechanism; a base of `Solution`."""

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

    def contact(self, name: str | int) -> ContactView:
        """Return what a contact did.

        Parameters
        ----------
        name
            Name of the contact, or its number.

        Returns
        -------
        contact
            Its gap, forces, what it does, and its impacts.

        Raises
        ------
        InputError
            If there is no such contact.

        Examples
        --------
        >>> import isodyn as iso
        >>> ball = iso.MechanicalSystem(1.0, lambda q, v, t: [-9.81], [1.0], [0.0], gap=lambda q, t: q)
        >>> floor = iso.integrate(ball, dt=0.02, t_end=1.0).contact(0)
        >>> round(float(floor.normal[-1]), 6), len(floor.impacts)
        (9.81, 1)
        """
        return contacts.contact_view(self, name)

    def beam(self, name: str | None = None) -> Any:
        """Return the shape, curvature, forces, stresses and energies of a beam or rod.

        Parameters
        ----------
        name
            Name of the beam in a mechanism; left out for a `Beam` by itself.

        Returns
        -------
        beam
            Its histories: `isodyn.results.beam_view.BeamView`, or of rods
            `isodyn.results.rod_view.RodView` with strains, sectional forces and moments.

        Examples
        --------
        >>> import isodyn as iso
        >>> section = iso.Section.circle(E=2e11, G=8e10, rho=7800.0, diameter=0.02)
        >>> mech = iso.Mechanism()
        >>> _ = mech.add_beam("shaft", (0, 0, 0), (1, 0, 0), elements=2, section=section, model="exact")
        >>> _ = mech.add_joint(iso.Fixed("clamp", "ground", "shaft.start"))
        >>> sol = iso.integrate(mech.compile(), dt=1e-4, t_end=1e-3)
        >>> sol.beam("shaft").moment.shape
        (11, 2, 3)
        """
        return rod_view.view_of_line(self, name)

    def flexible_body(self, name: str) -> FlexibleView:
        """Return displacements, stresses, energies and momenta of a flexible body.

        Parameters
        ----------
        name
            Name of the body.

        Returns
        -------
        body
            Its histories and fields; `write_vtk` writes the moving mesh.

        Raises
        ------
        InputError
            If there is no such body.
        """
        return flexible_view.FlexibleView(self, name)

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
        >>> [round(float(x[-1]), 6) for x in (drive.effort, drive.rate, drive.power, drive.work)]
        [0.4, 2.0, 0.8, 0.4]
        """
        return load_views.load_of(self, name)

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

    def state(self, name: str) -> StateView:
        """Return what a state of first order of a mechanism did.

        Parameters
        ----------
        name
            Name that `Mechanism.add_state` was given.

        Returns
        -------
        state
            Its value, its rate and its integral over time.

        Raises
        ------
        InputError
            If there is no such state.
        """
        return state_view.StateView(self, name)

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

    def _let_go(self) -> FloatArray:
        """Energy that loads would have stored while they were switched off."""
        return energies.let_go(self)

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
