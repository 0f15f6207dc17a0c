"""From a model file to a mechanism, a system and a run.

What the schema cannot know is refused here: names that do not exist, and what `Mechanism` finds
wrong with a part. Both are told with file, line and key.
"""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isodyn.api import Event, Newton
from isodyn.errors import InputError, IsodynError
from isodyn.expressions import parse as parse_formula
from isodyn.mechanism.mechanism import Mechanism
from isodyn.memory import require_memory
from isodyn.models.builder import Builder, coordinate
from isodyn.models.reader import Source, packed, parse_text, read_source
from isodyn.models.schema import FileModel, parameters_of, validate
from isodyn.notebook_views import ShownInNotebooks
from isodyn.problems import get
from isodyn.specs import AskedSteps, parse_formulation
from isodyn.stepping.adaptive import Adaptive

if TYPE_CHECKING:
    from isodyn.problems.problem import Problem
    from isodyn.systems.base import System


@dataclass(frozen=True, eq=False)
class ModelFile(ShownInNotebooks):
    """A model file that was read and checked.

    Parameters
    ----------
    source
        The text, with the places of its keys.
    model
        The checked tables.
    parameters
        Values of the parameters.

    Examples
    --------
    >>> from isodyn.models import model_from_text
    >>> model_from_text('problem = "kepler"\\n[parameters]\\ne = 0.1').parameters
    {'e': 0.1}
    """

    source: Source
    model: FileModel
    parameters: dict[str, float]

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:g}" for name, value in self.parameters.items())
        return f"<ModelFile {self.title!r}{': ' * bool(values)}{values}>"

    @property
    def title(self) -> str:
        """Title of the model, or the name of the file."""
        return self.model.title or Path(self.source.name).stem

    def mechanism(self) -> Mechanism:
        """Return the parts, put into a `Mechanism`.

        Returns
        -------
        mechanism
            The mechanism.

        Raises
        ------
        InputError
            If the file names a problem instead of parts.
        """
        if self.model.problem is not None:
            raise InputError(f"{self.source.name} names the ready problem {self.model.problem!r}; it has no parts")
        return Builder(self.source, self.model, self.parameters).mechanism()

    def system(self) -> System:
        """Return the system at its start.

        Returns
        -------
        system
            The system.
        """
        system = self._system()
        run = self.model.run
        if run.rtol is not None and run.atol is not None:
            with Builder(self.source, self.model, self.parameters).located(("run", "atol")):
                Adaptive(run.rtol, run.atol).least_sizes(system.nv)
        return system

    def _system(self) -> System:
        if self.model.problem is not None:
            return self.problem().system(**self.parameters)
        mech, start = self.mechanism(), self.model.start
        builder = Builder(self.source, self.model, self.parameters)
        with builder.located(()):
            system = mech.compile()
        if start.positions or start.rates or start.hold:
            with builder.located(("start",)):
                keyed = [{coordinate(name): x for name, x in given.items()} for given in (start.positions, start.rates)]
                return mech.assemble(start.hold, positions=keyed[0], rates=keyed[1], t=self.model.run.t0).system
        return system

    def described(self, overrides: Mapping[str, float]) -> dict[str, Any]:
        """Return text and parameters, as they are kept with results.

        Parameters
        ----------
        overrides
            Values of parameters in place of those of the file.

        Returns
        -------
        description
            Title, name, text and parameters; contents of the files that the text names.
        """
        found = {"title": self.title, "name": self.source.name, "text": self.source.text, "parameters": dict(overrides)}
        files = self.files()
        return found | ({"files": packed(files)} if files else {})

    def files(self) -> dict[str, bytes]:
        """Return the contents of the files that the text names.

        Returns
        -------
        files
            Bytes by name.

        Raises
        ------
        InputError
            If one cannot be read.
        """
        found = {}
        for name in sorted({name for body in self.model.flexible_bodies.values() for name in body.files}):
            try:
                with self.source.file(name) as path:
                    found[name] = path.read_bytes()
            except OSError as error:
                raise InputError(f"{self.source.name} names {name}, which cannot be read: {error.strerror}") from None
        return found

    def problem(self) -> Problem:
        """Return the problem that the file names.

        Returns
        -------
        problem
            The problem.
        """
        assert self.model.problem is not None
        try:
            problem = get(self.model.problem)
        except InputError as error:
            raise self.source.error(("problem",), error.message, error.hint) from None
        for name in self.parameters:
            if name not in problem.parameters:
                similar = difflib.get_close_matches(name, problem.parameters, n=1)
                known = ", ".join(problem.parameters) or "none"
                hint = f"did you mean {similar[0]}?" if similar else f"parameters: {known}"
                raise self.source.error(("parameters", name), f"{problem.name} has no parameter {name!r}", hint)
        return problem

    def options(self) -> dict[str, Any]:
        """Return the arguments of `integrate`.

        Returns
        -------
        options
            Arguments by name.
        """
        run = self.model.run
        known = None if self.model.problem is None else self.problem()
        found: dict[str, Any] = {
            "scheme": None if known is None else known.scheme,
            "formulation": None,
            "dt": None if known is None else known.dt,
            "t_end": run.t_end if run.t_end is not None or known is None else known.t_end,
            "t0": run.t0,
            "save_every": run.save_every,
            "breakpoints": run.breakpoints or (() if known is None else known.breaks(run.t_end or known.t_end)),
            "assemble": self.model.start.assemble,
            "newton": None if run.newton is None else Newton(**run.newton.model_dump()),
            "events": self.events(),
        }
        key = "scheme"
        try:
            found |= AskedSteps(run.scheme, run.dt, run.rtol).options(settings=run.settings)
            key = "formulation"
            found |= {} if run.formulation is None else {key: parse_formulation(run.formulation)}
        except IsodynError as error:
            raise self.source.error(("run", key), error.message, error.hint) from None
        return found

    def events(self) -> tuple[Event, ...]:
        """Return the events of the file.

        Returns
        -------
        events
            Zeros of expressions, with the names of their tables.

        Raises
        ------
        InputError
            If an expression cannot be read.
        """
        found = []
        for name, table in self.model.events.items():
            try:
                parse_formula(table.expression)
            except InputError as error:
                raise self.source.error(("events", name, "expression"), error.message, error.hint) from None
            found.append(Event(table.expression, table.direction, table.terminal, name=name))
        return tuple(found)

    def check(self) -> None:
        """Check everything except the run itself.

        Raises
        ------
        InputError
            If something in the file is wrong.
        """
        self.options()
        self.system()

    def members(self) -> list[dict[str, float]]:
        """Return the values of the swept parameters, all combinations in order.

        Returns
        -------
        members
            Values by name; one empty set without sweeps.
        """
        for k, sweep in enumerate(self.model.sweeps):
            if sweep.parameter not in self.parameters:
                similar = difflib.get_close_matches(sweep.parameter, self.parameters, n=1)
                hint = (
                    f"did you mean {similar[0]}?" if similar else f"parameters: {', '.join(self.parameters) or 'none'}"
                )
                raise self.source.error(("sweeps", k, "parameter"), f"there is no parameter {sweep.parameter!r}", hint)
        names = [sweep.parameter for sweep in self.model.sweeps]
        many = math.prod(sweep.many() for sweep in self.model.sweeps)
        require_memory(many * (300.0 + 100.0 * len(names)), f"{many} runs of all sweeps together")
        grids = [sweep.all_values() for sweep in self.model.sweeps]
        return [dict(zip(names, values, strict=True)) for values in itertools.product(*grids)]

    def with_parameters(self, overrides: Mapping[str, float]) -> ModelFile:
        """Return the same file with other values of parameters.

        Parameters
        ----------
        overrides
            Values by name.

        Returns
        -------
        model
            The model.

        Raises
        ------
        InputError
            If a parameter is unknown.
        """
        return checked(self.source, overrides)


def load_model(path: str | Path, overrides: Mapping[str, float] | None = None) -> ModelFile:
    """Read the model of a TOML file.

    Parameters
    ----------
    path
        The file.
    overrides
        Values of parameters in place of those of the file.

    Returns
    -------
    model
        The model, checked.

    Raises
    ------
    InputError
        If the file is not a model; the message has line and column.

    Examples
    --------
    >>> import isodyn as iso, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "pendulum.toml")
    ...     _ = path.write_text('problem = "pendulum"')
    ...     model = iso.load_model(path)
    >>> model.system().nq
    2
    """
    return checked(read_source(path), overrides)


def model_from_text(
    text: str,
    name: str = "model",
    overrides: Mapping[str, float] | None = None,
    files: Mapping[str, bytes] | None = None,
) -> ModelFile:
    """Read the model of a TOML text.

    Parameters
    ----------
    text
        The text.
    name
        Name for messages.
    overrides
        Values of parameters in place of those of the text.
    files
        Contents of files that the text names; others are looked for beside `name`.

    Returns
    -------
    model
        The model, checked.

    Raises
    ------
    InputError
        If the text is not a model; the message has line and column.

    Examples
    --------
    >>> from isodyn.models import model_from_text
    >>> model_from_text('problem = "kepler"').problem().name
    'kepler'
    """
    return checked(parse_text(text, name, files), overrides)


def checked(source: Source, overrides: Mapping[str, float] | None = None) -> ModelFile:
    """The model of a text that was read."""
    model = validate(source, overrides)
    found = ModelFile(source, model, parameters_of(source, overrides))
    found.members()
    return found
