"""`sweep`: one model, many values of its parameters, on all cores or on a cluster."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
import warnings
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from isodyn.api import integrate
from isodyn.errors import FileError, InputError, InterruptedWarning, MendedWarning
from isodyn.kernels.compiled import FloatArray
from isodyn.marching.progress import Progress
from isodyn.marching.schedule import plan
from isodyn.memory import processors
from isodyn.results.files import check_place, make_folder, write_file
from isodyn.results.identity import identity, told
from isodyn.results.inputs import to_json
from isodyn.results.sweep_file import DONE, FAILED, Layout, SweepReader, SweepWriter, Variable, create
from isodyn.sweeps.cluster import DaskWorkers
from isodyn.sweeps.design import Design, Sampling, make_design
from isodyn.sweeps.local import LocalWorkers
from isodyn.sweeps.models import subject_of
from isodyn.sweeps.outputs import read_output
from isodyn.sweeps.points import Outcome, Point, Task, packed
from isodyn.sweeps.result import Sweep, solution_path
from isodyn.sweeps.subjects import refuse_twice
from isodyn.version import __version__

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

TRIED = 20  # points of which one must start, to learn what outputs are
SAFE = 5.0  # seconds after which records are brought to the disk
NOT_FOR_TRIALS = ("save", "save_every", "breakpoints", "progress", "observe", "events", "checkpoint")


class Workers(Protocol):
    """Whoever runs points."""

    def outcomes(self, points: Iterable[Point], many: int) -> Iterator[Outcome]:
        """What became of all points, in the order in which they are done."""


@dataclass
class Here:
    """This process."""

    task: Task

    def outcomes(self, points: Iterable[Point], many: int) -> Iterator[Outcome]:
        """What became of all points, in the order in which they are done."""
        yield from map(self.task.run, points)


@dataclass
class Study:
    """A sweep that is described and checked."""

    design: Design
    task: Task
    about: dict[str, Any] = field(default_factory=dict)
    histories: tuple[bool, ...] = ()
    system: Any = None  # of the first point that starts
    scheme: Any = None  # of the runs, as the first of them has it

    def look(self) -> None:
        """Run a first step of the first point that starts: names of outputs are checked, and which
        of them are histories."""
        first: Exception | None = None
        for values in self.design.values[:TRIED]:
            try:
                sol = self._trial(values)
            except Exception as error:  # of a model, or of a user's function
                first = first or error
                continue
            self.task.reader.find(sol)
            named = dict(zip(self.design.names, map(float, values), strict=True))
            found = self.task.reader.read(sol, named)
            self.histories = tuple(np.ndim(x) > 0 for x in found)
            self.system, self.scheme = sol.system, sol.scheme
            if any(self.histories):
                self.task.times = self._times(values)
            return
        assert first is not None
        raise first

    def _trial(self, values: FloatArray) -> Solution:
        """The first step of a point."""
        system, options = self.task.subject.prepared(dict(zip(self.design.names, map(float, values), strict=True)))
        del system
        given = {**options, **self.task.options}
        t0, t_end, dt = float(given.get("t0", 0.0)), given.get("t_end"), given.get("dt")
        if t_end is None:
            raise InputError("t_end is missing: the model does not say it", hint="sweep(…, t_end=…)")
        short = t0 + (float(dt) if isinstance(dt, int | float) else 1e-6 * (float(t_end) - t0))
        kept = self.task.options
        self.task.options = {key: x for key, x in kept.items() if key not in NOT_FOR_TRIALS}
        try:
            plain = {"breakpoints": (), "events": (), "save_every": 1, "t_end": min(short, float(t_end))}
            return self.task.solution(values, **plain)
        finally:
            self.task.options = kept

    def _times(self, values: FloatArray) -> FloatArray:
        """Times of histories."""
        system_options = self.task.subject.prepared(dict(zip(self.design.names, map(float, values), strict=True)))[1]
        given = {**system_options, **self.task.options}
        save = given.get("save")
        if save is not None and np.ndim(save) == 0:
            return np.linspace(float(given.get("t0", 0.0)), float(given["t_end"]), int(save))
        if save is not None:
            return np.asarray(save, dtype=np.float64)
        if not isinstance(given.get("dt"), int | float):
            raise InputError("histories of adaptive runs need save=, the times of their rows", hint="save=201")
        if self.system.contacts is None:
            return np.asarray(self.task.solution(values, events=()).t)
        t0, end, dt = float(given.get("t0", 0.0)), float(given["t_end"]), float(given["dt"])
        parts = plan(t0, end, dt, given.get("breakpoints", ()), given.get("save_every", 1))
        return np.concatenate([[t0], *(part.saved_times for part in parts)])  # impacts are at times of their own

    @cached_property
    def key(self) -> str:
        """Tells studies apart: the model, its points, outputs, and how it is run."""
        kept = self.task.subject.kept()
        if kept is None:  # no other point is looked at here: a user's function may end the process
            kept = {"system": identity(self.system), "code": told(self.task.subject.code())}
        told_by = {name: x for name, x in kept.items() if name != "name"}
        outputs = [(one.name, one.text) for one in self.task.outputs]
        options = {name: told(x) for name, x in sorted(self.task.options.items())}
        given = json.dumps([told_by, outputs, options, self.design.digest], sort_keys=True)
        return hashlib.sha256(given.encode()).hexdigest()

    def layout(self) -> Layout:
        """What its file holds."""
        times = self.task.times if self.task.times is not None else np.zeros(0)
        parameters = tuple(Variable(name, 0, {"role": "parameter"}) for name in self.design.names)
        outputs = tuple(
            Variable(one.name, times.size if long else 0, {"role": "output", "long_name": one.text})
            for one, long in zip(self.task.outputs, self.histories, strict=True)
        )
        about = {
            "title": self.task.subject.title,
            "version": __version__,
            "sampling": self.design.sampling,
            "seed": self.design.seed,
            "count": self.design.count,
            "key": self.key,
            "rows": times.size,
            "parameters": [[v.name, dict(v.attributes)] for v in parameters],
            "outputs": [[v.name, v.rows > 0, dict(v.attributes)] for v in outputs],
            "model": self.task.subject.kept(),
            "scheme": to_json(self.scheme),
            **self.about,
        }
        if self.design.sampling == "morris" and self.design.unit is not None:
            about["unit"] = self.design.unit.tolist()
        attributes = {"title": about["title"], "source": f"isodyn {__version__}", "isodyn_sweep": json.dumps(about)}
        return Layout(parameters, outputs, len(self.design), times, attributes)


def sweep(
    model: object,
    parameters: Mapping[str, Any],
    outputs: Sequence[str] | Mapping[str, str] = (),
    *,
    out: Path | str | None = None,
    sampling: Sampling | None = None,
    count: int | None = None,
    seed: int = 0,
    scheduler: Any = None,
    workers: int | None = None,
    solutions: bool = False,
    resume: bool = False,
    retry: bool = False,
    progress: bool = False,
    about: Mapping[str, Any] | None = None,
    **options: Any,
) -> Sweep:
    """Run a model with many values of its parameters, and collect numbers from every run.

    Results go into one NetCDF file, point by point. Finished points survive whatever ends the
    program. Points that fail are kept with their errors, and do not stop the others.

    Parameters
    ----------
    model
        A model file, a `Mechanism`, a problem or its name, or a function that makes a system from
        values by name.
    parameters
        Values by name: numbers, a distribution, or a text such as "0.5:2:16" or "lognormal(800,
        0.1)" (`isodyn.sweeps`). Names are parameters of the model, or numbers of its parts:
        "spring.stiffness", "wind.force[1]".
    outputs
        Expressions in quantities of the solution, such as "max(|pin.force|)"; "peak = max(…)" gives
        a name, and so does a mapping. An output that is not a single number is kept as a history.
    out
        The file; a temporary one if left out.
    sampling
        "grid", "random", "latin", "sobol", "saltelli" or "morris". If left out, all combinations of
        given values, with a Latin hypercube where there are distributions.
    count
        Number of samples drawn from distributions.
    seed
        Seed of the samples.
    scheduler
        Address of a Dask scheduler, or a `distributed.Client`; its workers need only this package.
    workers
        Number of processes on this machine; one for each core if left out. With 0 all points run in
        this process.
    solutions
        Also keep whole solutions, in a folder next to the file.
    resume
        Continue where a sweep of the same points ended.
    retry
        Run failed points again.
    progress
        Show a bar with the remaining time on standard error.
    about
        Notes that are kept with the file.
    **options
        As in `integrate`: scheme, formulation, dt, t_end, save and others. They override the model.

    Returns
    -------
    sweep
        Parameters and outputs of all points.

    Raises
    ------
    InputError
        If an argument is not admissible, a parameter or an output is unknown.
    FileError
        If the file already exists, or cannot be written.
    WorkersError
        If the workers cannot be reached.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    >>> found = iso.sweep(mech, {"rod.mass": "1:2:3"}, ["peak = max(|pin.force|)"], workers=0, dt=0.01, t_end=0.5)
    >>> found["rod.mass"].tolist(), bool(found["peak"][2] > 1.9 * found["peak"][0])
    ([1.0, 1.5, 2.0], True)
    """
    study = described(model, parameters, outputs, sampling, count, seed, solutions, options)
    study.about = dict(about or {})
    study.look()
    path, temporary = _place(out)
    if not path.exists() or not resume:
        if path.exists() and temporary is None:
            raise FileError(f"{path} already exists", hint="resume=True continues it; or name another file")
        create(path, study.layout(), study.design.values)
    _run(study, path, scheduler, workers, retry, progress)
    found = Sweep(path)
    if temporary is not None:
        found._keep = weakref.finalize(found, shutil.rmtree, temporary, True)
    return found


def described(
    model: object,
    parameters: Mapping[str, Any],
    outputs: Mapping[str, str] | Sequence[str],
    sampling: Sampling | None,
    count: int | None,
    seed: int,
    solutions: bool,
    options: dict[str, Any],
) -> Study:
    """A study whose names are checked."""
    if not isinstance(parameters, Mapping):
        raise InputError(f"parameters are values by name, received {type(parameters).__name__}")
    if isinstance(outputs, str):
        outputs = (outputs,)
    if isinstance(outputs, Mapping):
        read = [replace(read_output(text), name=name.replace("/", "÷")) for name, text in outputs.items()]
    else:
        read = [read_output(text) for text in outputs]
    if not read and not solutions:
        raise InputError(
            "a sweep needs outputs",
            hint="outputs=['max(|pin.force|)'] or solutions=True; on the command line --output or --solutions",
        )
    design = make_design(parameters, sampling, count, seed)
    refuse_twice(design.names)
    subject = subject_of(model, design.names)
    subject.check()
    _refuse(options)
    return Study(design, Task(subject, tuple(read), options, solutions))


def _refuse(options: Mapping[str, Any]) -> None:
    """InputError for what is no option of `integrate`, or has no meaning for many runs."""
    known = signature(integrate).parameters
    for name in options:
        if name not in known:
            similar = get_close_matches(name, known, 1)
            hint = f"did you mean {similar[0]}?" if similar else f"options of integrate: {', '.join(list(known)[1:])}"
            raise InputError(f"sweep has no option {name!r}", hint=hint)
    for name in ("observe", "checkpoint", "executor"):
        if options.get(name) is not None:
            raise InputError(f"{name} is for single runs", hint="outputs= says what is kept of each point")


def _place(out: Path | str | None) -> tuple[Path, str | None]:
    """The file, and the temporary folder that contains it if no file was named."""
    if out is None:
        folder = tempfile.mkdtemp(prefix="isodyn-sweep-")
        return Path(folder, "sweep.nc"), folder
    path = Path(out)
    if path.suffix != ".nc":
        raise InputError(f"sweeps are written as NetCDF, received {path.name!r}", hint=f"{path.stem or 'sweep'}.nc")
    check_place(path)
    return path, None


def _run(study: Study, path: Path, scheduler: Any, workers: int | None, retry: bool, progress: bool) -> None:
    """All points that wait, into the file."""
    writer = SweepWriter(path)
    try:
        _check_same(study, path, writer)
        status = SweepReader(path).status()
        todo = np.flatnonzero((status != DONE) & ((status != FAILED) | retry))
        if not todo.size:
            return
        team = _team(study.task, scheduler, workers, todo.size)
        points = ((int(k), tuple(map(float, study.design.values[k]))) for k in todo)
        outcomes = team.outcomes(points, int(todo.size))
        _collect(study, writer, outcomes, int(todo.size), progress)
    finally:
        writer.close()


def _check_same(study: Study, path: Path, writer: SweepWriter) -> None:
    """InputError for the file of another sweep; one that was cut off is made whole."""
    kept = json.loads(writer.layout.attributes["isodyn_sweep"])
    if kept.get("key") != study.key:
        raise InputError(
            f"{path} is the file of another sweep: model, points, outputs or options differ", hint="name another file"
        )
    missing = SweepReader(path).missing
    if missing:
        warnings.warn(f"{path} is cut off: {missing} points are run again", MendedWarning, stacklevel=4)
        writer.mend(study.design.values)


def _team(task: Task, scheduler: Any, workers: int | None, many: int) -> Workers:
    if scheduler is not None:
        if workers is not None:
            raise InputError("a sweep runs on a cluster or on local workers: scheduler and workers exclude each other")
        return DaskWorkers(packed(task), scheduler)
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 0):
        raise InputError(f"workers must be a whole number, at least 0, received {workers!r}")
    if workers == 0:
        return Here(task)
    return LocalWorkers(packed(task), min(workers or processors(), many))


def _collect(study: Study, writer: SweepWriter, outcomes: Iterator[Outcome], many: int, progress: bool) -> None:
    """Write what comes, until all is there or somebody stops it."""
    saved, done = time.monotonic(), 0
    try:
        with Progress(many, progress, what="points") as bar:
            for outcome in outcomes:
                values = study.design.values[outcome.number]
                if outcome.solution is not None:
                    place = solution_path(writer.path, outcome.number)
                    make_folder(place.parent)
                    write_file(place, outcome.solution)
                told = {"message": outcome.message, "seconds": outcome.seconds}
                writer.write(outcome.number, values, outcome.outputs, **told)
                done += 1
                bar.update(done, float(done))
                if time.monotonic() - saved > SAFE:
                    writer.to_disk()
                    saved = time.monotonic()
    except KeyboardInterrupt:
        warnings.warn(
            f"interrupted: {done} of {many} points are done; resume=True continues", InterruptedWarning, stacklevel=4
        )
    finally:
        close = getattr(outcomes, "close", None)
        if close is not None:
            close()
