"""Components of a motion that adaptive steps know far less well than their tolerance promises.

Where units are not known, no component of v counts as less than a part of the largest one, and none
as less than what forces of the start make of the size of q (isodyn.stepping.step_error,
isodyn.stepping.first_sizes). A small one in a unit of its own, or one that moves by little beside a
large q, may then be wrong while the errors of all steps are good. Let E_i be the sum of the errors
of all steps in v_i, without signs, V_i its largest value, and E the sum of the errors that steps
were held to, each beside what it was compared with. The tolerance stands for an error of about

    P = max(E, rtol),

since errors add up over runs that are long. Components are told that have

    E_i / V_i > 10 P.

E_i is a bound: where a system forgets its errors, the true one is smaller. A small component that
moves as slowly as the others has errors that are as small, and is not told. Neither is one whose
entry of M is that of a component that is much larger: they are velocities of one point in one unit,
most likely, and it is small beside the other. Entries that are all the same say nothing.

Where units are known, small components are compared with others of their unit on purpose. There
the motion as a whole is looked at, max E_i/s_i beside max V_i/s_i with typical sizes s_i: a
mechanism that moves by little beside them.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import LooseToleranceWarning
from isodyn.kernels.compiled import GENERAL, KNOWS_MASS, FloatArray, IntArray
from isodyn.marching.error_sizes import ErrorSizes, knows_units
from isodyn.stepping.memory import Memory, State

if TYPE_CHECKING:
    from isodyn.marching.run import Run

FAR = 10.0  # times what the tolerance promises
ROUNDING = 1e-9  # of the largest component: smaller ones are rounding
SAME = 1.01  # entries of M that are less than so many times larger or smaller are the same
STILL = 1e-8  # of typical sizes, in the time of the run: mechanisms that move by less are at rest
NAMED = 3  # components at most that a message names


def loose_components(run: Run, sizes: ErrorSizes) -> IntArray:
    """Numbers of the components of v that are told, the worst first; none of steps that promise no
    error."""
    state, system, rtol = run.state, run.system, sizes.rtol
    own, typical = np.array(state.size_v), np.asarray(system.scales.v)
    none, most = np.zeros(0, dtype=np.int64), float((own / typical).max(initial=0.0))
    if rtol is None or sizes.by_atol or not most > 0.0:
        return none
    promised = max(float(state.summed), rtol)  # beside what errors are compared with
    if knows_units(system):
        errors = np.array(state.summed_v) / typical
        loose = errors.max() > FAR * promised * most and most > STILL * run.slowest
        return np.array([int(errors.argmax())]) if loose else none
    if (typical != typical[0]).any():
        return none
    errors = np.divide(state.summed_v, own, out=np.zeros(own.size), where=own > ROUNDING * own.max())
    numbers = np.flatnonzero(errors > FAR * promised)
    if numbers.size:
        M = masses(run)
        numbers = np.array([i for i in numbers if not beside_another(int(i), own, M, sizes.part)], dtype=np.int64)
    return numbers[np.argsort(-errors[numbers], kind="stable")]


def compared_with(i: int, state: State, memory: Memory) -> float:
    """What errors of v_i were compared with in the end."""
    alike = memory.unit == memory.unit[i]
    unit = float((state.size_v * memory.by_v)[alike].max()) / float(memory.by_v[i])
    return max(float(memory.part) * unit, float(state.size_v[i])) + float(state.least_v[i])


def masses(run: Run) -> FloatArray:
    """Diagonal of M at the end of a run; nothing where it says nothing."""
    state, model = run.state, run.model
    if run.system.first_order or not model.traits & KNOWS_MASS or model.traits & GENERAL:
        return np.zeros(0)
    M: FloatArray = np.abs(run.ask.mass(float(state.t), state.q.copy(), state.v.copy()).diagonal())
    return M if M.max() > SAME * M.min() else np.zeros(0)


def beside_another(i: int, own: FloatArray, M: FloatArray, part: float) -> bool:
    """Whether a component of the same mass is so large that a part of it is more than v_i."""
    if not M.size:
        return False
    ratio = M / M[i] if M[i] > 0.0 else np.zeros(M.size)
    return bool((part * own[(ratio < SAME) & (ratio > 1.0 / SAME)] > own[i]).any())


def warn_of_loose_components(run: Run, sizes: ErrorSizes, stacklevel: int) -> None:
    """Say so where components are far less accurate than the tolerance promises."""
    found = loose_components(run, sizes)
    if not found.size:
        return
    state, system = run.state, run.system
    names, of = (system.names, "") if system.first_order else (system.v_names, "v of ")
    told = ", ".join(f"{of}{names[i]!r}" for i in found[:NAMED]) + (" …" if found.size > NAMED else "")
    worst = int(found[0])
    size, beside = float(state.size_v[worst]), compared_with(worst, state, run.memory)
    error = float(state.summed_v[worst]) / size if size > 0.0 else 1.0
    much = "all" if error >= 1.0 else f"{100.0 * error:.2g} %"
    known = system.first_order or knows_units(system)
    scales = "" if known else "; or scales= of the system, where coordinates have different units"
    warnings.warn(
        f"rtol = {sizes.rtol:g} does not hold for {told}: errors of {of}{names[worst]!r}, which stayed below {size:.2g}, were"
        f" compared with {beside:.2g}, and those of all steps add up to {much} of it"
        f"\nhint: name atol=, rtol times the size of each component{scales}",
        LooseToleranceWarning,
        stacklevel=stacklevel,
    )
