"""Models with named numbers, as fits and designs take them: mechanisms, `Parametrised` systems,
ready problems, and model files by their parameters and the numbers of their parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.problems.problem import Problem
from isodyn.sensitivities.parameters import Family, NamedParts, Parametrised, family_of
from isodyn.sensitivities.paths import AXES
from isodyn.sweeps.files import FileSubject, file_subject
from isodyn.sweeps.subjects import address, unknown
from isodyn.systems.description import Description

if TYPE_CHECKING:
    from isodyn.systems.base import System

NAMED = "take one of these names, or leave it out"


class FileFamily(Description):
    """A model file: parameters of the file, and numbers of its tables such as
    "spring.stiffness"."""

    def __init__(self, subject: FileSubject, values: Mapping[str, float] | None = None) -> None:
        self.subject, self.values = subject, dict(values or {})

    def __repr__(self) -> str:
        return f"<{self.subject.title}: {', '.join(f'{k} = {x:.6g}' for k, x in self.values.items())}>"

    def compile(self) -> System:
        """The system with the present values."""
        return self.at({})

    def value(self, name: str) -> float:
        """The value of a parameter; InputError if there is none."""
        if name in self.values:
            return self.values[name]
        found = self.subject.present(place_of(name))
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise InputError(f"{name!r} is not a number in {self.subject.file}, but {found!r}", hint="write a number")
        return float(found)

    def at(self, changes: Mapping[str, float]) -> System:
        """The system with other values of these parameters."""
        return self.subject.prepared(self.places(changes))[0]

    def moved(self, values: Mapping[str, float]) -> FileFamily:
        """The same file at other values."""
        return FileFamily(self.subject, {**self.values, **values})

    def options(self) -> dict[str, Any]:
        """How the file is run."""
        return self.subject.prepared(self.places({}))[1]

    def places(self, changes: Mapping[str, float]) -> dict[str, float]:
        """Values by the names that tables of the file have."""
        return {place_of(name): x for name, x in {**self.values, **changes}.items()}


def place_of(name: str) -> str:
    """The name of a number in a table of a file: "pin.point.x" is "pin.point[0]" there.

    >>> place_of("pin.point.x"), place_of("spring.stiffness")
    ('pin.point[0]', 'spring.stiffness')
    """
    head, dot, last = name.rpartition(".")
    return f"{head}[{AXES[last]}]" if dot and "." in head and last in AXES else name


def model_family(model: object, names: tuple[str, ...]) -> tuple[Family, dict[str, Any]]:
    """The family that a model belongs to, and what the model says about its runs."""
    if isinstance(model, Problem):
        known = {name: x for name, x in model.parameters.items() if isinstance(x, int | float)}
        for name in names:
            if name not in known:
                raise unknown(name, known, f"problem {model.name!r}")
        options = {"scheme": model.scheme, "dt": model.dt, "t_end": model.t_end, "breakpoints": model.breakpoints}
        return Parametrised(model.system, **{name: known[name] for name in names}), options
    subject = file_subject(model, tuple(place_of(name) for name in names if address(name) is not None))
    if isinstance(subject, FileSubject):
        subject.check()
        family = FileFamily(subject)
        return family, _checked_options(family.options(), subject.file)
    found = family_of(model)
    if isinstance(found, NamedParts) and found.assembled():
        raise InputError(
            "the start of this system was assembled, and would not be again for other values",
            hint="give the Mechanism with assemble=True, or build the system in iso.Parametrised",
        )
    return found, {}


def _checked_options(options: Mapping[str, Any], file: object) -> dict[str, Any]:
    """How a file is run, without what is only noted; InputError for events that change the run."""
    for event in options["events"]:
        if event.terminal or event.acts:
            raise InputError(
                f"event {event.name!r} of {file} ends or changes the run, which is then not differentiated",
                hint="take it out of [events], or set terminal = false",
            )
    return {key: x for key, x in options.items() if x is not None and key not in ("save_every", "events")}


def breaks_within(options: Mapping[str, Any], t0: float, t_end: float) -> dict[str, Any]:
    """The breakpoints among the options that lie inside of a run.

    >>> breaks_within({"breakpoints": (0.5, 2.0)}, 0.0, 1.0)
    {'breakpoints': (0.5,)}
    """
    return {"breakpoints": tuple(t for t in options.get("breakpoints", ()) if t0 < t < t_end)}


def moved(family: Family, values: Mapping[str, float]) -> Any:
    """The model at other values, as `integrate` takes it."""
    if isinstance(family, Parametrised):
        return family.with_values(**values)
    return family.moved(values) if isinstance(family, FileFamily) else family.at(values)


def by_name(given: Mapping[str, object] | None, what: str) -> Mapping[str, Any]:
    """What is given by names of parameters or channels; nothing where it is None."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(
            f"{what} must be given by name, received {type(given).__name__}",
            hint=f'such as {what}={{"spring.stiffness": …}}',
        )
    return given or {}


def is_number(value: object) -> bool:
    """Whether this is one real number, which may be infinite."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool | complex | np.complexfloating)


def checked_values(
    given: Mapping[str, Any] | None, names: tuple[str, ...], what: str, kind: str = "parameters"
) -> dict[str, float]:
    """Numbers by names of parameters, or of another `kind`."""
    found: dict[str, float] = {}
    for name, value in by_name(given, what).items():
        if name not in names:
            raise InputError(f"{what} names {name!r}, which is not among the {kind} {', '.join(names)}", hint=NAMED)
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value):
            raise InputError(
                f"{what} of {name} must be a finite number, received {value!r}", hint=f'such as {{"{name}": 1.0}}'
            )
        found[name] = float(value)
    return found


def checked_bounds(given: Mapping[str, Any] | None, names: tuple[str, ...]) -> tuple[list[float], list[float]]:
    """Lower and upper bounds in the order of the parameters; None means that there is none."""
    low, high = [-np.inf] * len(names), [np.inf] * len(names)
    for name, pair in by_name(given, "bounds").items():
        if name not in names:
            raise InputError(f"bounds name {name!r}, which is not among the parameters {', '.join(names)}", hint=NAMED)
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InputError(f"the bounds of {name} must be (low, high), received {pair!r}", hint="None for no bound")
        if not all(end is None or is_number(end) for end in pair):
            raise InputError(f"the bounds of {name} must be numbers, received {pair!r}", hint="None for no bound")
        k = names.index(name)
        low[k] = -np.inf if pair[0] is None else float(pair[0])
        high[k] = np.inf if pair[1] is None else float(pair[1])
        if not low[k] < high[k]:
            raise InputError(f"the bounds of {name} must ascend, received {pair!r}", hint="give (low, high)")
    return low, high
