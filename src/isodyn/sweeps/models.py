"""Which subject a model makes."""

from __future__ import annotations

from isodyn.errors import InputError
from isodyn.mechanism.mechanism import Mechanism
from isodyn.mechanism.system import MechanismSystem
from isodyn.problems import get
from isodyn.problems.problem import Problem
from isodyn.sweeps.files import file_subject
from isodyn.sweeps.subjects import FunctionSubject, MechanismSubject, ProblemSubject, Subject


def subject_of(model: object, names: tuple[str, ...]) -> Subject:
    """What a sweep of `model` runs."""
    if isinstance(model, Problem):
        return ProblemSubject(model.name, names)
    if isinstance(model, Mechanism):
        return MechanismSubject(model, names)
    if isinstance(model, MechanismSystem) and model.description is not None:
        raise InputError("a compiled system has no parameters", hint="give the mechanism that it was compiled from")
    found = file_subject(model, names)
    if found is not None:
        return found
    if isinstance(model, str):
        return ProblemSubject(get(model).name, names)
    if callable(model):
        return FunctionSubject(model, names)
    raise InputError(
        f"a sweep needs a model with parameters, received {type(model).__name__}",
        hint="a model file, a Mechanism, a problem, or a function that makes a system from values",
    )
