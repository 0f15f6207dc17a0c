"""What parts of a mechanism did, as quantities of the catalogue (isodyn.results.quantities)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from isodyn.kernels.compiled import FloatArray
from isodyn.loads.laws import FRICTION, LIMIT, SPRING
from isodyn.mechanism.system import MechanismSystem
from isodyn.results.energies import energy_by_part
from isodyn.results.load_view import LoadView, along_measures, part_of
from isodyn.results.load_views import DriveView, load_of, names_of_drives, names_of_loads
from isodyn.results.mechanism_views import BodyView, JointView
from isodyn.results.quantities import WXYZ, XYZ, Of, Quantity
from isodyn.results.reactions import Reaction
from isodyn.results.rod_view import RodView
from isodyn.results.sensor_view import SensorView, sensors_of
from isodyn.results.state_view import StateView
from isodyn.results.units import angles

if TYPE_CHECKING:
    from isodyn.joints.words import Word
    from isodyn.results.solution import Solution


def of_parts(sol: Solution) -> list[Quantity]:
    """Bodies, joints, loads and drives, sensors, energies by part."""
    system: MechanismSystem = sol.system
    return [
        *(quantity for name in _bodies(system) for quantity in _of_body(sol, system, name)),
        *(quantity for name in system.rods for quantity in _of_rod(sol, name)),
        *(quantity for name in system.joints for quantity in _of_joint(sol, system, name)),
        *(quantity for name in names_of_loads(system) for quantity in _of_load(sol, system, name)),
        *(quantity for name in sensors_of(system) for quantity in _of_sensor(sol, system, name)),
        *(quantity for state in system.layout.states for quantity in _of_state(sol, state.name)),
        *_of_energies(sol, system),
    ]


def of_part(sol: Solution, of: Of, name: str) -> Iterable[Quantity]:
    """What one body, joint, load or sensor did; nothing of other parts."""
    one = {Of.BODY: _of_body, Of.JOINT: _of_joint, Of.LOAD: _of_load, Of.SENSOR: _of_sensor}.get(of)
    return () if one is None else one(sol, sol.system, name)


def named(system: MechanismSystem, name: str) -> list[tuple[Of, str]]:
    """Bodies, joints, loads and sensors of this name, of mechanisms of nothing else."""
    if system.lines or system.layout.flexible or system.layout.states or system.contacts is not None:
        return []
    groups = (
        (Of.BODY, name in system.layout.number and name != "ground"),
        (Of.JOINT, name in system.joints),
        (Of.LOAD, name in names_of_loads(system)),
        (Of.SENSOR, name in sensors_of(system)),
    )
    return [(of, name) for of, known in groups if known]


def _bodies(system: MechanismSystem) -> list[str]:
    names = [body.name for body in system.bodies if body.is_body]
    return names + [f"{beam}.{end}" for beam in system.lines for end in ("start", "end")]


def _of_body(sol: Solution, system: MechanismSystem, name: str) -> Iterator[Quantity]:
    body = system.bodies[system.number_of(name)]
    where = "node" if body.is_node else "mass centre"
    view = cache(lambda: BodyView(sol, name))
    yield Quantity(Of.BODY, name, "position", "m", f"position of the {where}, world", lambda: view().position, XYZ)
    yield Quantity(Of.BODY, name, "velocity", "m/s", f"velocity of the {where}, world", lambda: view().velocity, XYZ)
    words = f"acceleration of the {where}, world"
    yield Quantity(Of.BODY, name, "acceleration", "m/s2", words, lambda: view().acceleration, XYZ)
    if body.kind in ("planar", "node"):
        yield Quantity(Of.BODY, name, "angle", "rad", "angle about z", lambda: view().angle)
    if body.kind not in ("particle", "cable"):
        words = "unit quaternion w, x, y, z, body to world"
        yield Quantity(Of.BODY, name, "orientation", "1", words, lambda: view().orientation, WXYZ)
        words = "angular velocity, body frame"
        yield Quantity(Of.BODY, name, "angular_velocity", "rad/s", words, lambda: view().angular_velocity, XYZ)


def _of_rod(sol: Solution, name: str) -> Iterator[Quantity]:
    """Sectional forces, moments and strains in the middle of all elements, numbered from 1."""
    view = cache(lambda: RodView(sol, name))
    for k in range(view().rod.lengths.size):
        where, owner = f"in the middle of element {k + 1}", f"{name}({k + 1})"
        words = f"normal and shear forces {where}"
        yield Quantity(Of.BEAM, owner, "force", "N", words, lambda k=k: view().force[:, k], ("N", "Qy", "Qz"))  # type: ignore[misc]
        words = f"torsion and bending moments {where}"
        yield Quantity(Of.BEAM, owner, "moment", "N m", words, lambda k=k: view().moment[:, k], ("T", "My", "Mz"))  # type: ignore[misc]
        parts, units = ("stretch", "shear_y", "shear_z", "torsion", "bend_y", "bend_z"), "1, 1, 1, rad/m, rad/m, rad/m"
        words = f"strains {where}"
        yield Quantity(Of.BEAM, owner, "strain", units, words, lambda k=k: view().strain[:, k], parts)  # type: ignore[misc]


def _of_state(sol: Solution, name: str) -> Iterator[Quantity]:
    view = cache(lambda: StateView(sol, name))
    yield Quantity(Of.STATE, name, "value", "", "state of first order", lambda: view().value)
    yield Quantity(Of.STATE, name, "rate", "", "its rate", lambda: view().rate)
    yield Quantity(Of.STATE, name, "integral", "", "its integral over time", lambda: view().integral)


def _of_joint(sol: Solution, system: MechanismSystem, name: str) -> Iterator[Quantity]:
    joint = system.joints[name]
    view = cache(lambda: JointView(sol, name))
    for kind, word in joint.coordinates.items():
        unit = _unit(word)
        yield Quantity(
            Of.JOINT,
            name,
            kind,
            unit,
            f"{kind} of the joint",
            lambda kind=kind: view().coordinate(kind),  # type: ignore[misc]
        )
        yield Quantity(
            Of.JOINT,
            name,
            f"{kind}_rate",
            f"{unit}/s",
            f"rate of the {kind} of the joint",
            lambda kind=kind: view().coordinate_rate(kind),  # type: ignore[misc]
        )
        yield Quantity(
            Of.JOINT,
            name,
            f"{kind}_acceleration",
            f"{unit}/s2",
            f"second derivative of the {kind} of the joint",
            lambda kind=kind: view().coordinate_acceleration(kind),  # type: ignore[misc]
        )
    if joint.rows:
        reaction, on = cache(lambda: Reaction(sol, name)), joint.action.on
        words = f"force of the joint on {on}, world"
        yield Quantity(Of.JOINT, name, "force", "N", words, lambda: reaction().force, XYZ)
        words = f"torque of the joint on {on} at its point, world"
        yield Quantity(Of.JOINT, name, "torque", "N m", words, lambda: reaction().torque, XYZ)


def _of_load(sol: Solution, system: MechanismSystem, name: str) -> Iterator[Quantity]:
    view = cache(lambda: load_of(sol, name))
    drive = name in names_of_drives(system)
    words = _measures(system, name)
    if words:
        turning, several = [_unit(word) for word in words], tuple(str(k + 1) for k in range(len(words)))
        components = several if len(words) > 1 else ()
        forces = ["N m" if unit == "rad" else "N" for unit in turning]
        measured = [
            ("length", turning, "measure that it acts along"),
            ("rate", [f"{unit}/s" for unit in turning], "rate of the measure"),
            ("tension", forces, "pulls the measure back"),
        ]
        if getattr(part_of(system, name), "drives", False):
            measured.append(("effort", forces, "drives the measure on"))
        if drive:  # its coordinate stands at its joint
            measured = [("effort", forces, "drives the coordinate on")]
        for what, of_each, text in measured:
            unit = of_each[0] if len(set(of_each)) == 1 else ", ".join(of_each)
            yield Quantity(Of.LOAD, name, what, unit, text, lambda what=what: _columns(view(), what), components)  # type: ignore[misc]
        if system.layout.laws and _is_friction(system, name):
            text = "1, −1 slides that way, 0 sticks"
            yield Quantity(Of.LOAD, name, "mode", "1", text, lambda: _columns(view(), "mode"), components)
    if not drive:  # what a drive does to its body stands among the reactions
        yield Quantity(Of.LOAD, name, "force", "N", "force on its body, world", lambda: view().force, XYZ)
        text = "torque on its body about the mass centre, world"
        yield Quantity(Of.LOAD, name, "torque", "N m", text, lambda: view().torque, XYZ)
    yield Quantity(Of.LOAD, name, "power", "W", "what it gives to the mechanism", lambda: view().power)
    yield Quantity(Of.LOAD, name, "work", "J", "what it gave since the start", lambda: view().work)


def _measures(system: MechanismSystem, name: str) -> list[Word]:
    """What a load or drive acts along."""
    if name in system.joints:
        return [system.rows[system.joints[name].rows[0]].terms[0][1]]
    return [law.word for law in system.layout.laws if law.load == name] if along_measures(system, name) else []


def _is_friction(system: MechanismSystem, name: str) -> bool:
    laws = [law for law in system.layout.laws if law.load == name]
    return bool(laws) and all(law.kind == FRICTION for law in laws)


def _columns(view: object, what: str) -> FloatArray:
    assert isinstance(view, LoadView | DriveView)
    values: FloatArray = getattr(view, what)
    return values


def _of_sensor(sol: Solution, system: MechanismSystem, name: str) -> Iterator[Quantity]:
    view = cache(lambda: SensorView(sol, name))
    sensor = sensors_of(system)[name]
    yield Quantity(Of.SENSOR, name, "position", "m", "position of the point, world", lambda: view().position, XYZ)
    yield Quantity(Of.SENSOR, name, "velocity", "m/s", "velocity of the point, world", lambda: view().velocity, XYZ)
    words = "acceleration of the point, world"
    yield Quantity(Of.SENSOR, name, "acceleration", "m/s2", words, lambda: view().acceleration, XYZ)
    if sensor.to is not None:
        words = f"distance to {sensor.to}"
        yield Quantity(Of.SENSOR, name, "distance", "m", words, lambda: view().distance)
        yield Quantity(Of.SENSOR, name, "distance_rate", "m/s", f"rate of the {words}", lambda: view().distance_rate)
    if sensor.axis is not None:
        words = f"angle against {sensor.to}"
        yield Quantity(Of.SENSOR, name, "angle", "rad", words, lambda: view().angle)
        yield Quantity(Of.SENSOR, name, "angle_rate", "rad/s", f"rate of the {words}", lambda: view().angle_rate)


def _of_energies(sol: Solution, system: MechanismSystem) -> Iterator[Quantity]:
    every = cache(lambda: energy_by_part(sol))
    inside = {one.name for part in system.layout.flexible for one in part.members}
    moving = [body.name for body in system.bodies if body.is_body and body.name not in inside]
    moving += [*system.lines, *(part.name for part in system.layout.flexible)]
    for name in moving:
        for k, what in enumerate(("kinetic_energy", "potential_energy")):
            text = f"{what.replace('_', ' ')} of the part"
            yield Quantity(Of.ENERGY, name, what, "J", text, lambda name=name, k=k: every()[name][k])  # type: ignore[misc]
    for name in dict.fromkeys(law.load for law in system.layout.laws if law.kind in (SPRING, LIMIT)):
        text = "energy stored in the load"
        yield Quantity(
            Of.ENERGY,
            name,
            "potential_energy",
            "J",
            text,
            lambda name=name: LoadView(sol, name).energy,  # type: ignore[misc]
        )


def _unit(word: Word) -> str:
    return "rad" if word.kind in angles() else "m"
