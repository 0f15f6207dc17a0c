"""What watches a mechanism, and acts on it from outside: sensors, controllers, states, contacts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from isodyn.errors import InputError
from isodyn.joints.unilateral import ContactPart
from isodyn.mechanism.controllers import Controller
from isodyn.mechanism.parts import Parts, misplaced
from isodyn.mechanism.sensors import Sensor
from isodyn.mechanism.states import ContinuousState


class Watched:
    """A mechanism to which sensors, controllers, states and contacts are added."""

    sensors: dict[str, Sensor]
    controllers: dict[str, Controller]
    contacts: dict[str, ContactPart]
    states: dict[str, ContinuousState]

    @property
    def _parts(self) -> Parts:
        raise NotImplementedError

    def add_contact(self, contact: ContactPart) -> ContactPart:
        """Add a contact: a gap that must not become negative, with restitution and friction.

        Parameters
        ----------
        contact
            The contact; the bodies and joints that it names must exist.

        Returns
        -------
        contact
            The same contact.

        Raises
        ------
        InputError
            If its name is taken, or a part is unknown.

        Examples
        --------
        >>> import isodyn as iso
        >>> mech = iso.Mechanism()
        >>> _ = mech.add_body("ball", mass=1.0, kind="particle", position=(0, 0, 1.1))
        >>> _ = mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.1, restitution=0.5))
        >>> sol = iso.integrate(mech, dt=0.02, t_end=0.5)
        >>> round(sol.contact("floor").impacts[0].t, 6)
        0.451524
        """
        if not isinstance(contact, ContactPart):
            raise misplaced("add_contact takes a contact such as iso.SpherePlane", contact)
        self._parts.refuse_known(contact.name)
        self._parts.refuse_missing(contact)
        self.contacts[contact.name] = contact
        return contact

    def add_sensor(self, sensor: Sensor) -> Sensor:
        """A sensor: a point of a body that is read by name after the run, `sol.sensor(name)`.

        Parameters
        ----------
        sensor
            An `iso.Sensor`; the bodies that it names must exist.

        Returns
        -------
        Sensor
            The same sensor.

        Raises
        ------
        InputError
            For a name that is taken, and for bodies, points and axes that make no sense.

        Examples
        --------
        >>> import isodyn as iso
        >>> mech = iso.Mechanism()
        >>> _ = mech.add_body("ball", mass=2.0, kind="particle", position=(0, 0, 3.0))
        >>> _ = mech.add_sensor(iso.Sensor("height", "ball", to="ground"))
        >>> float(iso.integrate(mech.compile(), dt=0.01, t_end=0.1).sensor("height").distance[0])
        3.0
        """
        if not isinstance(sensor, Sensor):
            raise InputError(f"add_sensor takes an iso.Sensor, received {type(sensor).__name__}")
        self._parts.refuse_known(sensor.name)
        sensor.check(self._parts)
        self.sensors[sensor.name] = sensor
        return sensor

    def add_controller(
        self,
        name: str,
        *,
        every: float,
        writes: str | Sequence[str],
        law: Callable[..., Any] | str | Sequence[str],
        reads: str | Sequence[str] = (),
        delay: int = 0,
        low: float | None = None,
        high: float | None = None,
    ) -> Controller:
        """Add a controller: a law that reads the mechanism at every sample and sets loads.

        Samples are equally spaced in time.
        Loads hold what was written until the next sample. Where that changes forces, the run starts
        anew from the same state, as at a breakpoint. The first sample is at the start of the run,
        and `every` is a whole multiple of dt; a run with another dt is refused.

        Parameters
        ----------
        name
            Its name.
        every
            Time between two samples.
        writes
            Names of loads that hold what the law returns: a `Motor`, a `GearMotor` (its command), a
            `Force`, a `Torque`. One number scales the vector of a force.
        law
            A function of (t, \\*reads) that returns as many numbers as there are writes, plain or
            compiled with `numba.njit`, or an `iso.PID`; or formulas in names of the mechanism.
        reads
            What the law is given: names of `sol.quantities()`, or expressions in them.
        delay
            After how many samples a value arrives; until the first one the loads hold zero.
        low, high
            Limits of what is written.

        Returns
        -------
        controller
            The controller.

        Raises
        ------
        InputError
            If the name is taken, a load is unknown or takes no input, or a number is not
            admissible.

        Examples
        --------
        >>> import isodyn as iso
        >>> mech = iso.Mechanism()
        >>> _ = mech.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
        >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "arm", axis=(0, 1, 0)))
        >>> _ = mech.add_load(iso.Motor("motor", "pin", torque=0.0))
        >>> _ = mech.add_controller(
        ...     "pd",
        ...     every=1e-2,
        ...     reads=["pin.angle", "pin.angle_rate"],
        ...     writes="motor",
        ...     law=lambda t, angle, rate: -0.5 * 9.81 - 20.0 * (angle - 0.1) - 5.0 * rate,
        ... )
        >>> sol = iso.integrate(mech, dt=1e-2, t_end=3.0)
        >>> bool(abs(sol.joint("pin").angle[-1] - 0.1) < 2e-3)
        True
        """
        self._parts.refuse_known(name)
        controller = Controller(name, every, reads, writes, law, delay, low, high)  # type: ignore[arg-type]
        controller.check(self._parts)
        self.controllers[name] = controller
        return controller

    def add_state(
        self,
        name: str,
        *,
        rate: str,
        initial: float = 0.0,
        size: float | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> ContinuousState:
        """Add a continuous state of first order, such as a pressure, a filter or an integral.

        Formulas of loads, of other states, of events and of controllers name it `name.value`, and
        its integral over time `name.integral`; `sol.state(name)` has both, with its rate. It is of
        second order like v.

        Parameters
        ----------
        name
            Its name.
        rate
            Its rate: a formula of t, of names such as "pin.angle_rate" and "other.value", and of
            the name itself.
        initial
            Its value at the start.
        size
            About how large it becomes, which errors are compared with; the size of `initial`, or 1,
            if left out.
        parameters
            Values of names in the formula.

        Returns
        -------
        state
            The state.

        Raises
        ------
        InputError
            If the name is taken, or a number is not admissible. Names in the formula are looked up
            when the mechanism is compiled.

        Examples
        --------
        A motor whose torque follows what is asked of it with a delay of 0.1 s:

        >>> import isodyn as iso
        >>> mech = iso.Mechanism(gravity=(0, 0, 0))
        >>> _ = mech.add_body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.1))
        >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rotor", axis=(0, 0, 1)))
        >>> _ = mech.add_state("torque", rate="(2 - torque)/0.1")
        >>> _ = mech.add_load(iso.FormulaMotor("motor", "pin", torque="torque.value"))
        >>> sol = iso.integrate(mech, dt=1e-3, t_end=0.1)
        >>> round(float(sol.state("torque").value[-1]), 4)
        1.2642
        """
        self._parts.refuse_known(name)
        state = ContinuousState(name, rate, initial, size, {} if parameters is None else parameters)
        self.states[name] = state
        return state
