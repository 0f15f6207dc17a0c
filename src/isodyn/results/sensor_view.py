"""What a solution says about a sensor of a mechanism."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.joints.words import Pair, Word
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.counted import over_rows
from isodyn.mechanism.parts import nearest
from isodyn.mechanism.poses import along_rows, poses
from isodyn.mechanism.sensors import Sensor
from isodyn.results.history_view import HistoryView
from isodyn.results.mechanism_views import BodyView, PointView, mechanism_of, turned

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem
    from isodyn.results.solution import Solution

OPPOSITE = 1e-9  # 1 + cos of the angle between two axes: they point in opposite directions


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
        pair = self.sensor.axes(self._parts)
        x, rate = self._read(pair.angle_word()) if pair.planar else self._twist(pair)
        return over_rows(self.name, self.t, x, rate), rate

    def _twist(self, pair: Pair) -> tuple[FloatArray, FloatArray]:
        """Twist about axis 3 of the pair, within half a turn, and its rate (`Sensor` says how)."""
        to, own = (poses(self._system, x.name, self._sol.q, self._sol.v) for x in (pair.first, pair.second))
        between = np.einsum("kji,kjl->kil", to.R, own.R)
        S = pair.a @ between @ pair.c.T
        tilt = 1.0 + S[:, 2, 2]
        if (tilt < OPPOSITE).any():
            at = self.t[int(np.argmax(tilt < OPPOSITE))]
            raise InputError(
                f"sensor {self.name!r} has no angle at t = {at:.6g}: its axis points there in opposite directions"
                f" in {self.sensor.body!r} and in {self.sensor.to!r}",
                hint="an axis that the body keeps; or sol.body(name).orientation",
            )
        spin = np.einsum("ij,kj->ki", pair.a, turned(between, own.w) - to.w)
        rate = (spin[:, 2] + np.einsum("ki,ki->k", spin, S[:, :, 2])) / tilt
        return np.arctan2(S[:, 1, 0] - S[:, 0, 1], S[:, 0, 0] + S[:, 1, 1]), rate

    @property
    def angle(self) -> FloatArray:
        """Twist of the body against `to` about the axis, counted over whole turns from row to row,
        (times,)."""
        return self._angle[0]

    @property
    def angle_rate(self) -> FloatArray:
        """Its rate, (times,)."""
        return self._angle[1]
