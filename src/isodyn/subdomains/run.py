"""Checks of what `integrate` was asked to do with subdomains, and the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.formulations import Stabilised, VelocityLevel
from isodyn.integrate.progress import Progress
from isodyn.integrate.schedule import Stretch, resolved
from isodyn.subdomains.advice import warn_beyond_limits
from isodyn.subdomains.coupled import CoupledRun
from isodyn.subdomains.solution import SubdomainSolution
from isodyn.subdomains.ties import Subdomains


def by_name(what: str, value: Any, sub: Subdomains, default: Any) -> dict[str, Any]:
    """One value for each subdomain, from a mapping or one for all."""
    if value is None:
        value = default
    if not isinstance(value, Mapping):
        return dict.fromkeys(sub.systems, value)
    if set(value) != set(sub.systems):
        raise InputError(
            f"{what} must name every subdomain, expected {sorted(sub.systems)}, received {sorted(map(str, value))}"
        )
    return {name: value[name] for name in sub.systems}


def counted(substeps: Any, sub: Subdomains) -> dict[str, int]:
    """τ_ℓ for each subdomain."""
    counts = by_name("substeps", substeps, sub, 1)
    for name, tau in counts.items():
        if isinstance(tau, bool) or not isinstance(tau, int | np.integer) or tau < 1:
            raise InputError(
                f"substeps of {name!r} must be a whole number of at least 1, received {tau!r}",
                hint="dt is the system step; subdomain steps are dt / substeps",
            )
    return {name: int(tau) for name, tau in counts.items()}


def run_subdomains(
    sub: Subdomains,
    scheme: Any,
    substeps: Any,
    formulation: Any,
    stretches: list[Stretch],
    newton: Any,
    assemble: bool,
    threads: int,
    progress: bool,
    adapt: Callable[[Any, Any], Any],
    observe: Callable[[Any], Any] | None = None,
    executor: Any = None,
    select: Any = None,
) -> SubdomainSolution:
    """Integrate tied subdomains along the given stretches; `adapt` makes schemes fit systems."""
    if formulation is not None and not isinstance(formulation, Stabilised | VelocityLevel):
        raise InputError(
            f"subdomains are tied at velocity level, received {formulation!r}",
            hint="formulation=iso.Stabilised() keeps displacements continuous as well",
        )
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise InputError(f"threads must be a whole number of at least 1, received {threads!r}")
    counts = counted(substeps, sub)
    for name, tau in counts.items():
        resolved(stretches[0].t_start, stretches[-1].t_stop, stretches[0].dt / tau, f"the sub-step of {name!r}")
    schemes = {name: adapt(s, sub.systems[name]) for name, s in by_name("scheme", scheme, sub, None).items()}
    if not sub.first_order:
        warn_beyond_limits(sub, schemes, counts, max(stretch.dt for stretch in stretches))
    stabilised = isinstance(formulation, Stabilised)
    run = CoupledRun(sub, schemes, counts, stretches, newton, stabilised, assemble, threads, observe, executor, select)
    with Progress(sum(stretch.steps for stretch in stretches), progress) as bar:
        return run.execute(bar)
