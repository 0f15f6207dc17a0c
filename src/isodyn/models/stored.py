"""Mechanisms of results: written as the text of a model file when a run is saved, and compiled
again when it is loaded."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from isodyn.mechanism.coordinates import ParametrisedSystem
from isodyn.mechanism.mechanism import Mechanism
from isodyn.mechanism.system import MechanismSystem
from isodyn.models.build import model_from_text
from isodyn.models.reader import packed, unpacked
from isodyn.models.writer import text_and_files

if TYPE_CHECKING:
    from isodyn.models.build import ModelFile
    from isodyn.stepping.events import Event
    from isodyn.systems.base import System

NAME = "mechanism"
NAMED = {"flexible": "flexible_bodies"}  # kinds of parts that a mechanism calls otherwise


def text_of(system: System) -> dict[str, Any] | None:
    """What is kept of a mechanism with a result; None for other systems.

    Raises
    ------
    InputError
        For mechanisms that no model file can hold, such as those with users' functions.
    """
    base = system.mechanism if isinstance(system, ParametrisedSystem) else system
    if not isinstance(base, MechanismSystem) or base.description is None:
        return None
    mech = mechanism_of(base)
    coordinates = system.coordinates if isinstance(system, ParametrisedSystem) else "rotation"
    text, files = text_and_files(mech, {"dt": 1.0, "t_end": 1.0}, {})  # how it was run stands with the result
    found = {"title": "", "name": NAME, "text": text, "parameters": {}, "coordinates": coordinates}
    return found | ({"files": packed(files)} if files else {})


def mechanism_of(system: MechanismSystem) -> Mechanism:
    """A mechanism of the parts that a system was compiled from."""
    assert system.description is not None
    parts = system.description.parts
    mech = Mechanism(gravity=system.description.gravity, cayley=system.description.cayley)
    for kind in fields(parts):
        setattr(mech, NAMED.get(kind.name, kind.name), dict(getattr(parts, kind.name)))
    return mech


def system_from(model: dict[str, Any]) -> System:
    """The system of a model as it was kept: `text`, `name`, `parameters`, and the coordinates."""
    found = _file_of(model)
    if "coordinates" in model:
        return found.mechanism().compile(model["coordinates"])
    return found.system()


def events_from(model: dict[str, Any]) -> tuple[Event, ...]:
    """The events of a model as it was kept."""
    return _file_of(model).events()


def _file_of(model: dict[str, Any]) -> ModelFile:
    files = unpacked(model.get("files") or {})
    return model_from_text(model["text"], model["name"], model.get("parameters") or {}, files)
