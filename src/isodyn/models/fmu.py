"""A model file as a unit for co-simulation by FMI 3, through pythonfmu3 (extra `fmi`).

The unit holds the model file and a few lines of Python; what it does is done by the `Stepper` of
the isodyn that is installed where the unit is loaded. Inputs are the loads that are constant
numbers or vectors in the file, and that no controller writes; outputs are the quantities of a
solution, but for those that need the past. Communication points are times of the grid t₀ + n dt.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from keyword import iskeyword
from pathlib import Path
from typing import Any

import numpy as np

from isodyn.api.stepper import SavedStepper, Stepper
from isodyn.errors import InputError, IsodynError
from isodyn.later import Later, load
from isodyn.loads.part import JointLoad
from isodyn.marching.schedule import resolution
from isodyn.mechanism.inputs import held_by
from isodyn.models.build import ModelFile, load_model, model_from_text
from isodyn.models.reader import packed, unpacked
from isodyn.results.quantities import NEEDS_PAST, Catalogue, Of
from isodyn.results.solution import Sample, Solution
from isodyn.results.statistics import Statistics

pythonfmu3 = Later("pythonfmu3")

NEAR = 1e-6  # of dt: a communication point is at a time of the grid
FILES = "files_of_the_model.json"  # in a unit: contents of the files that the model names
TAKEN = ("Fmi3Slave", "Fmi3Status", "Fmi3StepResult", "IsodynError", "Path", "Unit")  # names in the script
SCRIPT = '''"""A model of isodyn, as a unit for co-simulation."""

from pathlib import Path

from pythonfmu3 import Fmi3Slave, Fmi3Status, Fmi3StepResult

from isodyn.errors import IsodynError
from isodyn.models.fmu import Unit


class {name}(Fmi3Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        folder = Path(self.resources)
        self.unit = Unit(folder / "{name}.toml", folder / "{files}")
        self.unit.declare(self)

    def do_step(self, current_time, step_size):
        before = self.unit.stepper.t
        try:
            self.unit.go_on(current_time, step_size)
        except IsodynError as error:  # an exception would be fatal, to the program that calls the unit
            status = Fmi3Status.discard if self.unit.stepper.t == before else Fmi3Status.error
            self.log(str(error), status)
            return Fmi3StepResult(status=status)
        return Fmi3StepResult()

    def _get_fmu_state(self):
        return {{"unit": self.unit.save()}}

    def _set_fmu_state(self, state):
        self.unit.restore(state["unit"])
'''


class Unit:
    """A model between two communication points.

    Parameters
    ----------
    path
        The model file.
    files
        Where the contents of the files that it names are kept; these lie beside it if left out.

    Raises
    ------
    InputError
        If the model cannot be taken step by step.
    """

    def __init__(self, path: str | Path, files: str | Path | None = None) -> None:
        model = self.model = load_model(path) if files is None else _with_files(Path(path), Path(files))
        options = model.options()
        if options["events"] or np.size(options["breakpoints"]) or not isinstance(options["dt"], float | int):
            raise InputError(
                "a unit takes steps of one size, without events and breakpoints",
                hint="dt = … in [run], a scheme that takes it, no [events] and no breakpoints; what jumps can be an input",
            )
        self.title, self.options = model.title, options
        given = {key: options[key] for key in ("scheme", "formulation", "dt", "t0", "newton", "assemble")}
        self.stepper = Stepper(model.system(), **given)
        self.system: Any = self.stepper.system
        self._catalogue: tuple[float, Catalogue] | None = None
        self._seen: Sample | None = None  # the last state
        inputs = self._inputs()
        self.inputs = dict(inputs)
        self.outputs = self._outputs()
        names = ["time", *(name for name, _ in inputs), *self.outputs]
        if len(set(names)) < len(names):
            twice = next(name for k, name in enumerate(names) if name in names[:k])
            raise InputError(
                f"two variables of the unit would be named {twice!r}", hint="give a load of the model another name"
            )

    def _inputs(self) -> list[tuple[str, float]]:
        """Inputs with their values in the file; components of vectors apart."""
        parts = getattr(getattr(self.system, "description", None), "parts", None)
        if parts is None:
            return []
        taken = {name for controller in parts.controllers.values() for name in controller.writes}
        found: list[tuple[str, float]] = []
        for name in self.stepper.inputs:
            part: Any = parts.loads[name]
            forces = self.system.loads[name].on_bodies
            if name in taken:
                continue
            if isinstance(part, JointLoad):
                value = getattr(part, held_by(part))
                found += [(name, float(value))] if isinstance(value, int | float) else []
            elif len(forces) == 1 and forces[0].time is None:
                found += [(f"{name}_{axis}", float(x)) for axis, x in zip("xyz", forces[0].vector, strict=True)]
        return found

    def _outputs(self) -> dict[str, str]:
        """Names of outputs, with their units."""
        return {
            title: unit
            for quantity in self.catalogue.all
            if (quantity.of is not Of.STATE or quantity.owner) and quantity.what not in NEEDS_PAST
            for title, _, unit in quantity.curve.columns()
        }

    @property
    def catalogue(self) -> Catalogue:
        """What can be read now."""
        t = self.stepper.t
        if self._catalogue is None or self._catalogue[0] != t:
            state, system = self._state(), self.stepper.shown_system()
            sizes = {"q": system.nq, "v": system.nv, "a": system.nv, "lam": system.m}
            t_row, q, v, a, lam = (np.array(x, dtype=np.float64)[None] for x in state)
            columns = {name: np.arange(size) for name, size in sizes.items()}
            self._catalogue = t, Catalogue(Solution(t_row, q, v, a, lam, system, None, Statistics(), columns))
        return self._catalogue[1]

    def _state(self) -> Sample:
        """The state with the inputs as they are; the one before where these lead to none."""
        try:
            self._seen = self.stepper.state
        except IsodynError:  # the next step tells it: an error here would be fatal to the caller
            if self._seen is None:
                raise
        assert self._seen is not None
        return self._seen

    def read(self, name: str) -> float:
        """Return an output.

        Parameters
        ----------
        name
            Its name.

        Returns
        -------
        value
            Its value now.
        """
        return float(self.catalogue.curve(name).values[0])

    def write(self, name: str, value: float) -> None:
        """Set an input, or a component of one.

        Parameters
        ----------
        name
            Its name.
        value
            Its value, until it is set again.
        """
        self.inputs[name] = float(value)
        load = name if name in self.stepper.inputs else name[:-2]
        values = [self.inputs[key] for key in ([name] if load == name else [f"{load}_{axis}" for axis in "xyz"])]
        if not np.isfinite(values).all():  # the next step refuses it: an error here would be fatal to the caller
            return
        self.stepper.inputs[load] = values[0] if load == name else values
        self._catalogue = None

    def save(self) -> tuple[SavedStepper, dict[str, float]]:
        """Return the unit as it is now.

        Returns
        -------
        saved
            For `restore`.
        """
        return self.stepper.save(), dict(self.inputs)

    def restore(self, saved: tuple[SavedStepper, dict[str, float]]) -> None:
        """Go back to what was saved.

        Parameters
        ----------
        saved
            What `save` returned.
        """
        self.stepper.restore(saved[0])
        self.inputs.update(saved[1])
        self._catalogue = None

    def go_on(self, t: float, length: float) -> None:
        """Take steps from one communication point to the next.

        Parameters
        ----------
        t
            Where the unit stands.
        length
            How far it is to the next one.

        Raises
        ------
        InputError
            If the unit stands elsewhere, the next point is no time of the grid, or an input is no
            number.
        """
        for name, value in self.inputs.items():
            if not np.isfinite(value):
                raise InputError(f"input {name!r} of the unit is {value}, at t = {t:.9g}")
        if not 0.0 < length < np.inf:
            raise InputError(
                f"a communication step must be longer than nothing and finite, received {length:g} at t = {t:.9g}"
            )
        if abs(t - self.stepper.t) > self._near(t) * float(self.options["dt"]):
            raise InputError(
                f"the unit stands at t = {self.stepper.t:.9g}, received a step from t = {t:.9g}",
                hint=f"steps follow each other from t0 = {float(self.options['t0']):g}, the start time of the unit",
            )
        self.go_to(t + length)

    def _near(self, t: float) -> float:
        """How near two times are the same, in steps; floats far from zero lie farther apart."""
        return max(NEAR, 2.0 * resolution(float(self.options["t0"]), t) / float(self.options["dt"]))

    def go_to(self, t: float) -> None:
        """Take steps to a communication point.

        Parameters
        ----------
        t
            Its time.

        Raises
        ------
        InputError
            If it is no time of the grid.
        """
        dt, t0 = float(self.options["dt"]), float(self.options["t0"])
        steps = (t - t0) / dt
        if abs(steps - round(steps)) > self._near(t):
            raise InputError(
                f"communication points are multiples of dt = {dt:g} from t0 = {t0:g}, received t = {t:.9g}"
            )
        self.stepper.run_until(t0 + round(steps) * dt)

    def declare(self, slave: Any) -> None:
        """Tell pythonfmu3 the variables.

        Parameters
        ----------
        slave
            The `Fmi3Slave`.
        """
        close_once(Path(slave.resources))
        options = self.options
        slave.description = self.title or None
        slave.default_experiment = pythonfmu3.DefaultExperiment(options["t0"], options["t_end"], options["dt"])
        cause, varies, Float64 = pythonfmu3.Fmi3Causality, pythonfmu3.Fmi3Variability, pythonfmu3.Float64
        slave.register_variable(
            Float64("time", causality=cause.independent, variability=varies.continuous, getter=lambda: self.stepper.t)
        )
        for name in self.inputs:
            slave.register_variable(
                Float64(name, causality=cause.input, getter=_getter(self.inputs, name), setter=_setter(self, name)),
                nested=False,
            )
        for name, unit in self.outputs.items():
            slave.register_variable(
                Float64(name, causality=cause.output, description=unit or None, getter=_reader(self, name)),
                nested=False,
            )


def _with_files(path: Path, files: Path) -> ModelFile:
    """A model file, with the contents of the files that it names as they are kept in a unit."""
    kept = unpacked(json.loads(files.read_text(encoding="utf-8")))
    return model_from_text(path.read_text(encoding="utf-8"), str(path), files=kept)


def close_once(resources: Path) -> list[Path]:
    """Let the library of a unit give back what it holds before the program ends.

    At the end of a program pythonfmu3's library gives back the state that its instances share when
    its static objects end, and once more when it is closed. The second time it writes into memory
    that is free, and the program may abort. After `finalizePythonInterpreter` it holds nothing.
    Under Windows the order is the other one, and a library that is held could not be deleted.

    Parameters
    ----------
    resources
        The folder of that name in the unit.

    Returns
    -------
    libraries
        Those that were found.
    """
    found: list[Path] = []
    if sys.platform == "win32":
        return found
    for path in sorted(resources.parent.glob("binaries/*/*")):
        with suppress(OSError, AttributeError):  # not the library that is loaded; another pythonfmu3
            library = ctypes.CDLL(str(path), mode=os.RTLD_NOLOAD | os.RTLD_NOW)
            # what is told last runs first: before the static objects of the library
            ctypes.CDLL(None).__cxa_atexit(library.finalizePythonInterpreter, None, None)
            found.append(path)
    return found


def _getter(values: dict[str, float], name: str) -> Callable[[], float]:
    return lambda: values[name]


def _setter(unit: Unit, name: str) -> Callable[[float], None]:
    return lambda value: unit.write(name, value)


def _reader(unit: Unit, name: str) -> Callable[[], float]:
    return lambda: unit.read(name)


def export_fmu(path: str | Path, folder: str | Path = ".", name: str | None = None) -> Path:
    """Write a model file as a unit for co-simulation (FMI 3).

    Parameters
    ----------
    path
        The model file.
    folder
        Where to write.
    name
        Name of the unit; that of the file if left out.

    Returns
    -------
    fmu
        The file that was written.

    Raises
    ------
    InputError
        If pythonfmu3 is missing, or the model cannot be taken step by step.
    """
    try:
        load(pythonfmu3)
    except ImportError:
        raise InputError("units for co-simulation need pythonfmu3", hint="pip install 'isodyn[fmi]'") from None
    path = Path(path)
    name = re.sub(r"\W", "_", name or path.stem, flags=re.ASCII)  # pythonfmu3 finds no class of other letters
    name = f"model_{name}" if name[:1].isdigit() or iskeyword(name) or name in TAKEN else name
    unit = Unit(path)  # what is wrong with the model is told here, with its place
    with tempfile.TemporaryDirectory() as made:
        script, model, files = Path(made) / f"{name}_unit.py", Path(made) / f"{name}.toml", Path(made) / FILES
        script.write_text(SCRIPT.format(name=name, files=FILES), encoding="utf-8")
        model.write_bytes(path.read_bytes())
        files.write_text(json.dumps(packed(unit.model.files())), encoding="utf-8")
        builder = Later("pythonfmu3.builder").FmuBuilder
        able = {"canHandleVariableCommunicationStepSize": False, "canGetAndSetFMUState": True}
        return Path(builder.build_FMU(script, dest=folder, project_files=[model, files], **able))
