"""Checks of what `integrate` was asked to do with subdomains, and the run."""

from __future__ import annotations

from isodyn.api.divided import RunSettings
from isodyn.errors import InputError
from isodyn.formulations import Stabilised, VelocityLevel
from isodyn.marching.method import adapt
from isodyn.marching.progress import Progress
from isodyn.marching.schedule import resolved
from isodyn.subdomains.advice import warn_beyond_limits
from isodyn.subdomains.coupled import CoupledRun
from isodyn.subdomains.per_subdomain import by_name, counted
from isodyn.subdomains.solution import SubdomainSolution
from isodyn.subdomains.ties import Subdomains


def run_subdomains(sub: Subdomains, settings: RunSettings) -> SubdomainSolution:
    """Integrate tied subdomains along the given stretches."""
    formulation, stretches, threads = settings.formulation, settings.stretches, settings.threads
    if formulation is not None and not isinstance(formulation, Stabilised | VelocityLevel):
        raise InputError(
            f"subdomains are tied at velocity level, received {formulation!r}",
            hint="formulation=iso.Stabilised() keeps displacements continuous as well",
        )
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise InputError(f"threads must be a whole number of at least 1, received {threads!r}")
    counts = counted(settings.substeps, sub)
    for name, tau in counts.items():
        resolved(stretches[0].t_start, stretches[-1].t_stop, stretches[0].dt / tau, f"the sub-step of {name!r}")
    given = by_name("scheme", settings.scheme, sub, None)
    schemes = {name: adapt(scheme, sub.systems[name]) for name, scheme in given.items()}
    if not sub.first_order:
        warn_beyond_limits(sub, schemes, counts, max(stretch.dt for stretch in stretches))
    stabilised = isinstance(formulation, Stabilised)
    seen = settings.observe, settings.executor, settings.select
    run = CoupledRun(sub, schemes, counts, stretches, settings.newton, stabilised, settings.assemble, threads, *seen)
    run.checkpoint = settings.checkpoint
    with Progress(sum(stretch.steps for stretch in stretches), settings.progress) as bar:
        return run.execute(bar)
