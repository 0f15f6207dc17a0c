"""What a solution says about a sensor of a mechanism."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from isodyn.errors import InputError
from isodyn.joints.words import Word
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.counted import over_rows
from isodyn.mechanism.parts import nearest
from isodyn.mechanism.poses import along_rows
from isodyn.mechanism.sensors import Sensor
from isodyn.results.history_view import HistoryView
from isodyn.results.mechanism_views import BodyView, PointView, mechanism_of

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem
    from isodyn.results.solution import Solution


def sensors_of(system: MechanismSystem) -> dict[str, Sensor]:
    """The sensors of a mechanism by name."""
    return {} if system.description is None else system.description.parts.sensors


class SensorView(HistoryView):
    """A sensor along a solution: `position`, `velocity`, `acceleration` of its point in the world,
    (times, 3); with `to` also `distance` and `distance_rate`, with `axis` also `angle` and
    `angle_rate`, (times,)."""

    def __init__(self, sol: Solution, name: str) -> None:
        system = mechanism_of(sol, "sensor()")
        sol._whole("sensor()")
        known = sensors_of(system)
        if name not in known:
            raise InputError(f"there is no sensor named {name!r}", hint=nearest(name, known))
        assert system.description is not None
        self.name, self.t, self.sensor = name, sol.t, known[name]
        self._sol, self._system, self._parts = sol, system, system.description.parts

    def about(self) -> str:
        """Its name and its body."""
        return f"{self.name!r} on {self.sensor.body!r}"

    def histories(self) -> tuple[str, ...]:
        """What it measures."""
        found: tuple[str, ...] = ("position", "velocity", "acceleration")
        found += ("distance", "distance_rate") if self.sensor.to is not None else ()
        return found + (("angle", "angle_rate") if self.sensor.axis is not None else ())

    @cached_property
    def _point(self) -> PointView:
        body = BodyView(self._sol, self.sensor.body)
        return body.point(self.sensor.place(body.body))

    @property
    def position(self) -> FloatArray:
        """Of the point, in the world, (times, 3)."""
        return self._point.position

    @property
    def velocity(self) -> FloatArray:
        """Of the point, in the world, (times, 3)."""
        return self._point.velocity

    @property
    def acceleration(self) -> FloatArray:
        """Of the point, in the world, (times, 3)."""
        return self._point.acceleration

    def _read(self, word: Word) -> tuple[FloatArray, FloatArray]:
        return along_rows(self._system, word, self._sol.q, self._sol.v)

    @cached_property
    def _distance(self) -> tuple[FloatArray, FloatArray]:
        if self.sensor.to is None:
            raise InputError(f"sensor {self.name!r} measures no distance", hint='iso.Sensor(…, to="ground")')
        return self._read(self.sensor.length_word(self._parts))

    @property
    def distance(self) -> FloatArray:
        """Between the points of `body` and `to`, (times,)."""
        return self._distance[0]

    @property
    def distance_rate(self) -> FloatArray:
        """Its rate, (times,)."""
        return self._distance[1]

    @cached_property
    def _angle(self) -> tuple[FloatArray, FloatArray]:
        if self.sensor.axis is None:
            raise InputError(
                f"sensor {self.name!r} measures no angle", hint='iso.Sensor(…, to="ground", axis=(0, 0, 1))'
            )
        x, rate = self._read(self.sensor.angle_word(self._parts))
        return over_rows(self.name, self.t, x, rate), rate

    @property
    def angle(self) -> FloatArray:
        """By which the body turns against `to` about the axis, counted over whole turns from row to
        row, (times,)."""
        return self._angle[0]

    @property
    def angle_rate(self) -> FloatArray:
        """Its rate, (times,)."""
        return self._angle[1]
