"""`integrate_adaptive`: an explicit method of order 8 that chooses its steps, for smooth motions
that are not stiff.

The kernel (isodyn.stepping.dop853) takes steps on the accelerations of Gauss' principle and puts
every accepted one back onto both constraint levels. Around it stand, in Python, what is done once
in a while: the consistent start, the choice of rows, output times and events on the dense output,
interrupts and errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.described import described
from isodyn.errors import InputError
from isodyn.formulations import Formulation, NullSpace, UdwadiaKalaba
from isodyn.kernels.compiled import FloatArray
from isodyn.marching.adaptive_run import AdaptiveRun
from isodyn.marching.progress import Progress
from isodyn.marching.saved_times import save_times
from isodyn.marching.schedule import resolved
from isodyn.real_numbers import real_array, real_number
from isodyn.results.solution import Solution
from isodyn.stepping.events import Event, read_events
from isodyn.systems import System, as_system
from isodyn.systems.mechanical import refuse_indefinite_mass

LEAST_RTOL = 1e-13  # what double precision has to offer
PARTS = 1000  # of the time span, on the progress bar


@dataclass(frozen=True)
class DormandPrince:
    """What took the steps, in the place of a scheme."""

    rtol: float
    atol: Any

    name = "DOP853"
    explicit = True

    __repr__ = described

    def __str__(self) -> str:
        atol = "1e-12 of typical sizes" if self.atol is None else self.atol
        return f"DOP853, rtol = {self.rtol:g}, atol = {atol}"


def integrate_adaptive(
    system: System,
    formulation: UdwadiaKalaba | NullSpace | None = None,
    *,
    t_end: float,
    t0: float = 0.0,
    rtol: float = 1e-9,
    atol: Any = None,
    save: Any = None,
    first_step: float | None = None,
    max_step: float = np.inf,
    project: bool = True,
    events: Callable[[float, FloatArray, FloatArray], float] | Any = (),
    progress: bool = False,
    assemble: bool = False,
) -> Solution:
    """Integrate a smooth, non-stiff system with steps of order 8 that keep the error small.

    `sol.aux["event_times"]`, `["event_q"]`, `["event_v"]` hold a list per event; a terminal one
    ends the run there, with its state as the last row. Rejected steps are counted in
    `sol.stats.rejected`. Between rows `sol.at` is a quintic; put times that matter into `save`.
    Ctrl-C returns what exists; an error has it in `partial`.

    Parameters
    ----------
    system
        A mechanical system with or without constraints, or a first-order system without algebraic
        unknowns.
    formulation
        How accelerations are computed. None and `UdwadiaKalaba("range-space")` do it in compiled
        code; other forms, and `NullSpace(basis)`, in Python. The motion is the same.
    t_end, t0
        End and start of the run.
    rtol, atol
        Error of a step allowed in every component, atol + rtol |y|. atol may hold one number for
        each of (q, v). If it is left out, it is 1e-12 of typical sizes of coordinates and of their
        rates.
    save
        Times to save, or how many at equal distances, with both ends; every accepted step if left
        out.
    first_step, max_step
        Sizes of the first step to try and of the largest to take.
    project
        Move accepted and saved states onto φ = 0, φ̇ = 0 and ψ = 0 by the least change in the mass
        norm.
    events
        Functions (t, q, v) → number whose zeros are located on the dense output. Attributes
        `terminal` (True, or after how many) and `direction` (+1 upwards, −1 downwards) are those of
        SciPy. An event that is zero at the beginning of a step does not count there.
    progress
        Show a bar with the remaining time on standard error.
    assemble
        Move a start that violates the constraints, as in `integrate`.

    Returns
    -------
    sol
        The solution.

    Raises
    ------
    InputError
        If an argument is not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    >>> sol = iso.integrate_adaptive(system, t_end=1.0, save=3)
    >>> bool(abs(sol.q[-1, 0] - 0.5403023058681398) < 1e-9)
    True
    """
    system = as_system(system)
    if not isinstance(system, System):
        raise InputError(f"system must be one of isodyn's systems, received {type(system).__name__}")
    if system.first_order and system.m:
        raise InputError(
            f"integrate_adaptive takes no algebraic unknowns, received a system with {system.m} of them",
            hint="integrate(...) takes them",
        )
    _check_span(t0, t_end)
    refuse_indefinite_mass(system)
    if not (isinstance(rtol, int | float | np.floating) and LEAST_RTOL <= rtol < 1):
        raise InputError(
            f"rtol must lie between {LEAST_RTOL:g} and 1, received {rtol!r}",
            hint="rounding adds up to more than smaller ones",
        )
    for name, value in (("first_step", first_step), ("max_step", max_step)):
        if value is None or (name == "max_step" and value == np.inf):
            continue
        if real_number(name, value) <= 0:
            raise InputError(f"{name} must be a positive number, received {value!r}")
        resolved(float(t0), float(t_end), float(value), name)
    run = AdaptiveRun(
        system,
        _formulation(system, formulation),
        DormandPrince(float(rtol), atol),
        _tolerances(atol, system),
        (float(t0), float(t_end)),
        save_times(save, t0, t_end, 1 + system.nq + 2 * system.nv + system.m),
        first_step,
        float(max_step),
        bool(project) and system.m > 0,
        read_events(events),
        assemble,
    )
    with Progress(PARTS, progress) as bar:
        return run.execute(lambda t: bar.update(int(PARTS * (t - t0) / (t_end - t0)), t))


def _formulation(system: System, formulation: Any) -> UdwadiaKalaba | NullSpace | None:
    """What computes accelerations in Python, or None for the compiled way."""
    if formulation is None:
        return None
    known = isinstance(formulation, UdwadiaKalaba) or (isinstance(formulation, NullSpace) and not formulation.discrete)
    if not known:
        what = type(formulation).__name__ if isinstance(formulation, Formulation) else "a value"
        raise InputError(
            f"integrate_adaptive computes accelerations by UdwadiaKalaba(form) or NullSpace(basis), received {what}: {formulation!r}",
            hint="leave the formulation out, or use integrate(...), where it says how constraints enter a step",
        )
    if system.m == 0 or system.first_order:
        raise InputError(f"{formulation!r} needs a mechanical system with constraints")
    return None if formulation == UdwadiaKalaba() else formulation


def _check_span(t0: Any, t_end: Any) -> None:
    t0, t_end = real_number("t0", t0), real_number("t_end", t_end)
    if t_end <= t0:
        raise InputError(
            f"t_end must lie after t0, received t0 = {t0:g}, t_end = {t_end:g}", hint="time runs forward; swap them?"
        )
    resolved(t0, t_end, t_end - t0, "t_end - t0")


def _tolerances(atol: Any, system: System) -> FloatArray | None:
    n = system.nq + system.nv
    if atol is None:
        return None
    tolerances = real_array("atol", atol, "a number, or one for each of (q, v)")
    if tolerances.shape not in ((), (n,)) or not (tolerances >= 0).all() or not np.isfinite(tolerances).all():
        raise InputError(f"atol must be a number of at least 0, or {n} of them for (q, v), received {atol!r}")
    tolerances = np.broadcast_to(tolerances, (n,)).copy()
    tolerances[tolerances == 0.0] = 1e-300  # components that stay zero have no relative error
    return tolerances


__all__ = ["DormandPrince", "Event", "integrate_adaptive"]
