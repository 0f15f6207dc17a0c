"""`resume`: go on with a run from its last checkpoint."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isodyn.api.divided import digest_of
from isodyn.api.driver import integrate
from isodyn.errors import DamageError, InputError
from isodyn.results.checkpoint import FORMAT, Checkpoint
from isodyn.results.files import is_file
from isodyn.results.inputs import from_json
from isodyn.results.seals import opened_json
from isodyn.results.solution import Solution
from isodyn.results.stored_models import events_of_model, system_of_model
from isodyn.stepping.events import read_events
from isodyn.systems.description import Description, as_system

if TYPE_CHECKING:
    from isodyn.systems.base import System

NEEDED = {"t_end"}
OWN = {"system", "progress", "observe", "events", "executor", "checkpoint"}  # what a resumed run is given anew


def resume(
    path: str | Path,
    system: System | Description | None = None,
    *,
    progress: bool = False,
    observe: Callable[..., Any] | None = None,
    events: object = (),
    executor: Any = None,
) -> Any:
    """Continue a run that was started with `checkpoint=path`.

    The result is bit for bit that of a run which was not interrupted.

    Parameters
    ----------
    path
        The folder.
    system
        The system of the run, which is checked; a run from a model file brings its own.
    progress
        Show a bar with the remaining time on standard error.
    observe, events
        As in `integrate`; a run with events needs the same ones, and a run from a model file brings
        its own.
    executor
        For subdomains that workers of a cluster ran: a `distributed.Client`.

    Returns
    -------
    sol
        The solution, a `SubdomainSolution` for subdomains; of a finished run as it is.

    Raises
    ------
    InputError
        If the folder holds no run, or the system is another one.

    Examples
    --------
    >>> import isodyn as iso, tempfile
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     half = iso.integrate(
    ...         pendulum, dt=0.01, t_end=0.1, checkpoint=f"{folder}/run", observe=lambda x: bool(x.t > 0.05)
    ...     )
    ...     sol = iso.resume(f"{folder}/run", pendulum)
    >>> float(sol.t[-1])
    0.1
    """
    folder = Path(path)
    identity, document = _described(folder)
    if system is None:
        system = system_of(document, folder)
        if document.get("events") and not read_events(events):
            events = events_of_model(document["model"])
    system = as_system(system)
    if digest_of(system) != document["system"]:
        raise InputError(
            f"{folder} belongs to another system: names, start or forces differ",
            hint="give the system as it was when the run began",
        )
    if document.get("events", 0) != len(read_events(events)):
        raise InputError(
            f"the run in {folder} had {document.get('events', 0)} events, received {len(read_events(events))}",
            hint="give the same ones: resume(path, system, events=…)",
        )
    if bool(document.get("executor")) != (executor is not None):
        where = "on workers of a cluster" if document.get("executor") else "in this process"
        raise InputError(f"the run in {folder} was made {where}, where rounding differs", hint="executor= says where")
    try:
        options = {name: from_json(value) for name, value in document["options"].items()}
        checkpoint = Checkpoint(folder, document["every"], document["model"], resumed=True)
        odd = (
            (set(options) - set(inspect.signature(integrate).parameters))
            | (set(options) & OWN)
            | (NEEDED - set(options))
        )
        if odd:
            names = ", ".join(sorted(odd))
            raise DamageError(f"{folder / 'run.json'} does not describe a run: {names} is missing or unknown")
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise DamageError(f"{folder / 'run.json'} does not describe a run: {error}") from None
    checkpoint.identity = identity
    options |= {"progress": progress, "observe": observe, "events": events, "executor": executor}
    found = integrate(system, **options, checkpoint=checkpoint)
    if isinstance(found, Solution):
        found.model = document["model"]
    return found


def described(folder: Path) -> dict[str, Any]:
    """What a folder of checkpoints says about its run."""
    return _described(folder)[1]


def _described(folder: Path) -> tuple[str, dict[str, Any]]:
    if not is_file(folder / "run.json"):
        raise InputError(f"{folder} holds no checkpoint", hint="give the folder that a run got as checkpoint")
    identity, document = opened_json(folder / "run.json", FORMAT)
    model, options = document.get("model"), document.get("options")
    texts = [model.get(key) for key in ("text", "name")] if isinstance(model, dict) else []
    sound = isinstance(options, dict) and "system" in document and "every" in document
    if not sound or not (model is None or (all(isinstance(x, str) for x in texts) and len(texts) == 2)):
        raise DamageError(f"{folder / 'run.json'} does not describe a run")
    return identity, document


def system_of(document: dict[str, Any], folder: Path) -> System:
    """The system of the model file that a run came from."""
    model = document["model"]
    if model is None:
        raise InputError(
            f"{folder} comes from a system in Python; give it to resume", hint="iso.resume(path, system=system)"
        )
    return system_of_model(model)
