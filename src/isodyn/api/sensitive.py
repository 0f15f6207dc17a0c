"""`integrate(..., sensitivities=[...])`: the same run, with derivatives by parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isodyn.errors import InputError, SensitivityError
from isodyn.formulations.protocol import as_formulation, facts_of
from isodyn.marching.method import settle
from isodyn.marching.progress import Progress
from isodyn.marching.sampling import refuse_controllers
from isodyn.results.solution import Solution
from isodyn.schemes import Composition
from isodyn.sensitivities.parameters import family_of
from isodyn.sensitivities.run import SensitiveRun
from isodyn.stepping.methods import StepMethod
from isodyn.stepping.policies import StepPolicy, StepTimes
from isodyn.systems import System, as_system

KNOWN = ("t0", "save_every", "breakpoints", "progress", "newton", "assemble", "observe")


def checked_names(names: Any) -> list[str]:
    """Names of parameters; InputError for what is none, or stands there twice."""
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        raise InputError(f"sensitivities must be a list of names such as ['crank.mass'], received {names!r}")
    if len(set(names)) < len(names):
        raise InputError(f"a parameter is named twice in sensitivities: {list(names)!r}")
    return list(names)


def refuse_options(options: dict[str, Any], scheme: Any, dt: Any) -> None:
    """SensitivityError for what derivatives do not go with."""
    empty: tuple[Any, ...] = (None, ())
    for name, value in options.items():
        if name not in KNOWN and not any(value is x or value == x for x in empty):
            raise SensitivityError(f"sensitivities do not go with {name}=", hint=f"leave {name}= out")
    if isinstance(scheme, StepMethod | Composition):
        raise SensitivityError(f"steps of {scheme.name} are not differentiated", hint="take a Scheme")
    if isinstance(dt, StepPolicy) and not isinstance(dt, StepTimes):
        raise SensitivityError(
            f"steps that {dt!r} chooses by the motion are not differentiated",
            hint="take a number for dt, or iso.StepTimes with the times of an adaptive run",
        )


def prepared(given: Any, scheme: Any, formulation: Any, names: list[str], stretches: Any, typical: float) -> Any:
    """System, family and method of a run with derivatives."""
    family, system = family_of(given), as_system(given)
    if not isinstance(system, System):
        raise SensitivityError(f"a {type(system).__name__} is not differentiated")
    refuse_controllers(system, "a run with sensitivities does not")
    if formulation is not None or system.m:
        formulation = as_formulation(formulation) if system.m else formulation
    if formulation is not None and facts_of(formulation).transforms:
        raise SensitivityError(f"{type(formulation).__name__} integrates another system, which is not differentiated")
    return family, system, settle(system, scheme, formulation, typical)


def integrate_with_sensitivities(
    given: Any,
    scheme: Any,
    formulation: Any,
    names: Any,
    dt: Any,
    stretches: Any,
    typical: float,
    options: dict[str, Any],
) -> Solution:
    """The solution, with derivatives by the named parameters."""
    found = checked_names(names)
    refuse_options(options, scheme, dt)
    family, system, method = prepared(given, scheme, formulation, found, stretches, typical)
    run = SensitiveRun(
        system,
        method,
        stretches,
        family=family,
        names=found,
        newton=options["newton"],
        observe=options["observe"],
        assemble=options["assemble"],
    )
    with Progress(run.whole, options["progress"]) as bar:
        return run.execute(bar)
