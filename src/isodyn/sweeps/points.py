"""Runs of single points, in whatever process: from values of parameters to numbers."""

from __future__ import annotations

import hashlib
import pickle
import tempfile
import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isodyn.api import integrate
from isodyn.errors import InputError, InterruptedWarning
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.stepping.methods import StepMethod
from isodyn.sweeps.outputs import Output, Reader
from isodyn.sweeps.subjects import Subject

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

cloudpickle = Later("cloudpickle")
netcdf = Later("isodyn.results.netcdf")

Point = tuple[int, tuple[float, ...]]
"""The number of a point and the values of its parameters."""


class Outcome(NamedTuple):
    """What became of a point: its outputs, None where it failed; what is to be told; seconds; its
    solution as a file."""

    number: int
    outputs: list[Any] | None
    message: str = ""
    seconds: float = float("nan")
    solution: bytes | None = None


@dataclass
class Task:
    """All that a worker needs: a model, outputs, how to integrate, whether to keep solutions."""

    subject: Subject
    outputs: tuple[Output, ...]
    options: dict[str, Any] = field(default_factory=dict)
    solutions: bool = False
    times: FloatArray | None = None  # of histories

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("subject", "outputs", "options", "solutions", "times")}

    @cached_property
    def reader(self) -> Reader:
        """Reads the outputs; places of quantities are found in the first solution."""
        return Reader(self.outputs, self.subject.names)

    def solution(self, values: Iterable[float], **more: Any) -> Solution:
        """The run of a point."""
        named = dict(zip(self.subject.names, map(float, values), strict=True))
        system, options = self.subject.prepared(named)
        given = {**options, **self.options, **more}
        chooses = isinstance(given.get("scheme"), StepMethod)
        if chooses and "dt" not in self.options:
            given.pop("dt", None)  # of the model: it belongs to the scheme that is not taken
        for key in ("t_end",) if chooses else ("dt", "t_end"):
            if given.get(key) is None:
                raise InputError(f"{key} is missing: the model does not say it", hint=f"sweep(…, {key}=…)")
        return integrate(system, **given)

    def run(self, point: Point) -> Outcome:
        """A point; whatever goes wrong belongs to it alone."""
        number, values = point
        began = time.perf_counter()
        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                sol = self.solution(values)
                if not self.reader.found:
                    self.reader.find(sol)
                found = self.reader.read(sol, dict(zip(self.subject.names, values, strict=True)))
                found = [self._history(sol.t, np.asarray(x)) if np.ndim(x) else float(x) for x in found]
        except Exception as error:  # of a model, or of a user's function: the others go on
            return Outcome(number, None, _in_words(error), time.perf_counter() - began)
        if any(issubclass(one.category, InterruptedWarning) for one in told):
            raise KeyboardInterrupt  # the point is still to be run
        seconds = time.perf_counter() - began
        words = next((str(one.message).splitlines()[0] for one in told), "") or self._doubtful(found)
        if sol.stats.stopped is not None and not sol.events:
            return Outcome(number, None, f"stopped: {sol.stats.stopped}", seconds)
        return Outcome(number, found, words, seconds, _as_file(sol) if self.solutions else None)

    def _doubtful(self, found: list[Any]) -> str:
        """Which outputs are no finite numbers, in words."""
        names = [one.name for one, x in zip(self.outputs, found, strict=True) if not np.isfinite(x).all()]
        return f"not finite: {', '.join(names)}" if names else ""

    def _history(self, t: FloatArray, x: FloatArray) -> FloatArray:
        """Rows of a history at the times that all have; those behind the end of a run are left
        out, and so are rows of its own (of impacts and events)."""
        assert self.times is not None
        near = 1e-12 * max(abs(float(self.times[-1])), abs(float(self.times[0])))
        rows = np.searchsorted(t, self.times + near, side="right") - 1  # the last one at a time
        same = np.abs(t[rows] - self.times) <= near
        kept = same.size if same.all() else int(same.argmin())
        if kept < min(2, same.size) or (kept < same.size and t[-1] > self.times[kept] + near):
            raise InputError("rows of histories are at other times than those of other points", hint="save=201")
        return np.asarray(x[rows[:kept]])


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def _as_file(sol: Solution) -> bytes:
    """A solution as the bytes of its NetCDF file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "solution.nc")
        netcdf.save(sol, path)
        return path.read_bytes()


def packed(task: Task) -> bytes:
    """A task as bytes for other processes of the same user."""
    try:
        return pickle.dumps(task)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        reason = str(error)
    try:
        return bytes(cloudpickle.dumps(task))
    except ImportError:
        hint = "pip install cloudpickle, define it in a module of its own, or workers=0"
    except Exception as error:
        reason, hint = str(error), "workers=0 runs all points in this process"
    raise InputError(f"this model cannot be sent to other processes: {reason}", hint=hint)


_known: dict[str, Task] = {}  # of this process: models are prepared once


def task_of(data: bytes) -> Task:
    """The task that was packed; the same object for the same bytes."""
    key = hashlib.sha256(data).hexdigest()
    if key not in _known:
        _known.clear()
        _known[key] = pickle.loads(data)
    return _known[key]


def run_block(data: bytes, points: Sequence[Point]) -> list[Outcome]:
    """Several points one after the other, as workers of a cluster run them."""
    task = task_of(data)
    return [task.run(point) for point in points]


@dataclass(frozen=True)
class _Call:
    """Unpickled, it is what `run_block` returns."""

    task: bytes
    points: Sequence[Point]

    def __reduce__(self) -> tuple[Any, ...]:
        return run_block, (self.task, self.points)


def as_call(task: bytes, points: Sequence[Point]) -> bytes:
    """Bytes that are the outcomes of points where they are unpickled."""
    return pickle.dumps(_Call(task, points), protocol=pickle.HIGHEST_PROTOCOL)
