"""Motion of a mechanism whose freedoms are all driven: no integration.

    φ(q, t) = 0,      G v = −φ_t,      G a = b,      M a + Gᵀλ = Q

at every time by Newton's iteration from the motion at the time before; forces follow from the
motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import ConflictError, InputError, SingularError
from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.progress import run_clock
from isodyn.linear_solvers.rows import choose
from isodyn.results.solution import Solution
from isodyn.results.statistics import Statistics
from isodyn.studies.inverse import inverse_dynamics
from isodyn.studies.tangents import rates, second_order
from isodyn.systems.base import System
from isodyn.systems.checks import vector
from isodyn.systems.compiled_system import settled
from isodyn.systems.manifold import CONFLICT, close, freedoms, moving, refuse_open
from isodyn.systems.questions import Questions
from isodyn.systems.scales import pace, sizes_of_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isodyn.open_types import Numbers

FINEST = 12  # halvings of the way between two times


def kinematics(system: System, times: ArrayLike, q: Numbers | None = None) -> Solution:
    """Return the motion of a mechanism whose rows and drives determine everything.

    There must be as many independent rows as velocities.

    Parameters
    ----------
    system
        The system.
    times
        Ascending times.
    q
        Position near which the first one is sought; the start of the system if left out.

    Returns
    -------
    sol
        Position, velocity, acceleration and multipliers, with all views of a run. `sol.lam` of the
        row of a drive is minus its torque.

    Raises
    ------
    InputError
        If the rows leave a freedom.
    ConvergenceError
        If the rows cannot be satisfied.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_joint(iso.Drive("motor", "pin", iso.Polynomial(0.0, 2.0)))
    >>> sol = iso.kinematics(mech.compile(), [0.0, 0.5])
    >>> sol.joint("pin").angle.round(9).tolist()
    [0.0, 1.0]
    """
    system = second_order("kinematics", system)
    t = vector("times", np.atleast_1d(times))
    if t.size == 0 or (np.diff(t) <= 0).any():
        raise InputError("times must ascend")
    began, ask = run_clock(), Questions(system)
    at = system.q0 if q is None else settled(system, vector("q", q))
    Q, V, A = np.zeros((t.size, system.nq)), np.zeros((t.size, system.nv)), np.zeros((t.size, system.nv))
    closed = close(ask, t[0], at)
    refuse_open(ask, float(t[0]), closed)
    _refuse_freedoms(ask, float(t[0]), closed.q)
    slowest = 1.0 / (float(t[-1] - t[0]) or 1.0)
    state, steps = (closed.q, *_rates(ask, float(t[0]), closed.q, slowest)), closed.steps
    for k in range(t.size):
        if k:
            state, more = _follow(ask, float(t[k - 1]), float(t[k]), state, FINEST, slowest)
            steps += more
        Q[k], V[k], A[k] = state
    forces = inverse_dynamics(system, t, Q, V, A)
    columns = {
        "q": np.arange(system.nq),
        "v": np.arange(system.nv),
        "a": np.arange(system.nv),
        "lam": np.arange(system.m),
    }
    dropped = choose(ask.G(t[-1], Q[-1], V[-1]) * system.scales.v).dropped
    stats = Statistics(steps=t.size, iterations=steps, seconds=run_clock() - began, solver="kinematics")
    redundant = tuple(system.row_names[i] for i in dropped)
    return Solution(t, Q, V, A, forces.lam, system, None, stats, columns, {}, redundant)


def _rates(ask: Questions, t: float, q: FloatArray, slowest: float) -> tuple[FloatArray, FloatArray]:
    """v and a from the rows; conflicts count beside motions over typical sizes in the whole time,
    1/slowest."""
    zero = np.zeros(ask.system.nv)
    G = ask.G(t, q, zero)
    v = rates(ask.system, G, -ask.velocity(t, q, zero))
    a = rates(ask.system, G, -ask.acceleration(t, q, v, zero))
    sizes, fast = sizes_of_rows(ask.system, G), max(pace(ask.system, v), slowest)
    for level, gap, size in (
        ("velocity", ask.velocity(t, q, v), fast),
        ("acceleration", ask.acceleration(t, q, v, a), max(pace(ask.system, a), fast * fast)),
    ):
        worst = int(np.abs(gap / sizes).argmax())
        if abs(gap[worst]) > CONFLICT * size * sizes[worst]:
            row = ask.system.row_names[worst]
            raise ConflictError(
                f"the drives conflict at t = {t:.6g}: {row!r} is off by {abs(gap[worst]):.3g} at {level} level",
                hint="more drives than freedoms must agree with each other",
            )
    return v, a


def _follow(
    ask: Questions,
    t0: float,
    t1: float,
    state: tuple[FloatArray, FloatArray, FloatArray],
    halvings: int,
    slowest: float,
) -> tuple[Any, int]:
    """From one time to another; in two halves where one step does not arrive near its
    prediction."""
    q, v, a = state
    dt, move = t1 - t0, moving(ask.system)
    closed = close(ask, t1, move(q, dt * v + 0.5 * dt * dt * a), most=12)
    if closed.largest <= 1e-11:
        new = _rates(ask, t1, closed.q, slowest)
        expected = v + 0.5 * dt * (a + new[1])
        fast = max(pace(ask.system, v), pace(ask.system, new[0]), 1e-9 * slowest)
        if pace(ask.system, new[0] - expected) <= 0.3 * fast:
            _refuse_freedoms(ask, t1, closed.q)
            return (closed.q, *new), closed.steps
    if halvings == 0:
        rank = freedoms(ask.G(t1, closed.q, v), ask.system.scales.v)[2]
        if closed.largest > CONFLICT:
            refuse_open(ask, t1, closed)
        raise SingularError(
            f"the drives lead into a singular position near t = {t1:.6g}: {rank} of {ask.system.nv} velocities are determined",
            hint="a dead centre: drive another joint, or stay away from it",
        )
    half, before = _follow(ask, t0, 0.5 * (t0 + t1), state, halvings - 1, slowest)
    end, after = _follow(ask, 0.5 * (t0 + t1), t1, half, halvings - 1, slowest)
    return end, before + after


def _refuse_freedoms(ask: Questions, t: float, q: FloatArray) -> None:
    """InputError where rows leave something free, naming what moves most."""
    N, _, rank = freedoms(ask.G(t, q, np.zeros(ask.system.nv)), ask.system.scales.v)
    if N.shape[1]:
        most = ask.system.v_names[int((np.abs(N[:, 0]) / ask.system.scales.v).argmax())]
        raise InputError(
            f"{N.shape[1]} of {ask.system.nv} velocities are not driven at t = {t:.6g} (rank {rank}): {most!r} can move",
            hint="add drives for what is free; mech.mobility() counts; or integrate",
        )
