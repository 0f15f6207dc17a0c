"""`resume`: go on with a run from its last checkpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from isodyn.errors import InputError
from isodyn.results.checkpoint import FORMAT, Checkpoint
from isodyn.results.inputs import fingerprint, from_json
from isodyn.results.solution import Solution


def resume(path: str | Path, system: Any = None, *, progress: bool = False, observe: Any = None) -> Solution:
    """The solution of a run that was started with `checkpoint=path`, from where it was left; a finished one as it is.

    `system` must be the one of the run, which is checked; a run from a model file brings its own. The result is bit for bit that of a run
    which was not interrupted.
    """
    folder = Path(path)
    document = described(folder)
    if system is None:
        system = system_of(document, folder)
    if fingerprint(system) != document["system"]:
        raise InputError(
            f"{folder} belongs to another system: names, start or forces differ",
            hint="give the system as it was when the run began",
        )
    from isodyn.integrate import integrate

    options = {name: from_json(value) for name, value in document["options"].items()}
    checkpoint = Checkpoint(folder, document["every"], document["model"], resumed=True)
    found: Solution = integrate(system, **options, progress=progress, observe=observe, checkpoint=checkpoint)
    found.model = document["model"]
    return found


def described(folder: Path) -> dict[str, Any]:
    """What a folder of checkpoints says about its run."""
    try:
        document = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{folder} holds no checkpoint", hint="give the folder that a run got as checkpoint") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / 'run.json'} cannot be read: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{folder} was written by another version of isodyn")
    return document


def system_of(document: dict[str, Any], folder: Path) -> Any:
    """The system of the model file that a run came from."""
    model = document["model"]
    if model is None:
        raise InputError(
            f"{folder} comes from a system in Python; give it to resume", hint="iso.resume(path, system=system)"
        )
    from isodyn.models.build import model_from_text

    return model_from_text(model["text"], model["name"], model["parameters"]).system()
