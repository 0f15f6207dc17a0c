"""Motion of a mechanism whose freedoms are all driven: no integration.

    φ(q, t) = 0,      G v = −φ_t,      G a = b,      M a + Gᵀλ = Q

at every time by Newton's iteration from the motion at the time before; forces follow from the motion.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from isodyn.analyses.inverse import inverse_dynamics
from isodyn.analyses.tangents import least_squares, refuse_first_order
from isodyn.compiled import FloatArray
from isodyn.errors import ConflictError, InputError, SingularError
from isodyn.integrate.start import CONFLICT, refuse_open
from isodyn.linear_solvers.rows import choose
from isodyn.results.solution import Solution, Statistics
from isodyn.systems.checks import vector
from isodyn.systems.compiled_system import settled
from isodyn.systems.manifold import close, freedoms, moving
from isodyn.systems.questions import Questions

FINEST = 12  # halvings of the way between two times


def kinematics(system: Any, times: Any, q: Any = None) -> Solution:
    """Position, velocity, acceleration and multipliers of a driven mechanism at ascending times; the position is first sought near q.

    The rows must determine everything: as many independent ones as there are velocities. The result is a `Solution` like that of a
    run, with all its views; `sol.lam` of a drive's row is minus its torque.
    """
    refuse_first_order("kinematics", system)
    t = vector("times", np.atleast_1d(times))
    if t.size == 0 or (np.diff(t) <= 0).any():
        raise InputError("times must ascend")
    began, ask = time.perf_counter(), Questions(system)
    at = system.q0 if q is None else settled(system, vector("q", q))
    Q, V, A = np.zeros((t.size, system.nq)), np.zeros((t.size, system.nv)), np.zeros((t.size, system.nv))
    closed = close(ask, t[0], at)
    refuse_open(ask, float(t[0]), closed)
    _refuse_freedoms(ask, float(t[0]), closed.q)
    state, steps = (closed.q, *_rates(ask, float(t[0]), closed.q)), closed.steps
    for k in range(t.size):
        if k:
            state, more = _follow(ask, float(t[k - 1]), float(t[k]), state, FINEST)
            steps += more
        Q[k], V[k], A[k] = state
    forces = inverse_dynamics(system, t, Q, V, A)
    columns = {
        "q": np.arange(system.nq),
        "v": np.arange(system.nv),
        "a": np.arange(system.nv),
        "lam": np.arange(system.m),
    }
    dropped = choose(ask.G(t[-1], Q[-1], V[-1])).dropped
    stats = Statistics(steps=t.size, iterations=steps, seconds=time.perf_counter() - began, solver="kinematics")
    redundant = tuple(system.row_names[i] for i in dropped)
    return Solution(t, Q, V, A, forces.lam, system, None, stats, columns, {}, redundant)


def _rates(ask: Questions, t: float, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """v and a from the rows."""
    zero = np.zeros(ask.system.nv)
    G = ask.G(t, q, zero)
    v = least_squares(G, -ask.velocity(t, q, zero))
    a = least_squares(G, -ask.acceleration(t, q, v, zero))
    for level, gap, size in (("velocity", ask.velocity(t, q, v), v), ("acceleration", ask.acceleration(t, q, v, a), a)):
        if np.abs(gap).max() > CONFLICT * max(1.0, float(np.abs(size).max())):
            row = ask.system.row_names[int(np.abs(gap).argmax())]
            raise ConflictError(
                f"the drives conflict at t = {t:.6g}: {row!r} is off by {np.abs(gap).max():.3g} at {level} level",
                hint="more drives than freedoms must agree with each other",
            )
    return v, a


def _follow(ask: Questions, t0: float, t1: float, state: Any, halvings: int) -> tuple[Any, int]:
    """From one time to another; in two halves where one step does not arrive near its prediction."""
    q, v, a = state
    dt, move = t1 - t0, moving(ask.system)
    closed = close(ask, t1, move(q, dt * v + 0.5 * dt * dt * a), most=12)
    size = max(1.0, float(np.abs(closed.q).max()))
    if closed.largest <= 1e-11 * size:
        new = _rates(ask, t1, closed.q)
        expected = v + 0.5 * dt * (a + new[1])
        if np.abs(new[0] - expected).max() <= 0.3 * max(np.abs(v).max(), np.abs(new[0]).max(), 1e-9):
            _refuse_freedoms(ask, t1, closed.q)
            return (closed.q, *new), closed.steps
    if halvings == 0:
        rank = freedoms(ask.G(t1, closed.q, v))[2]
        if closed.largest > CONFLICT * size:
            refuse_open(ask, t1, closed)
        raise SingularError(
            f"the drives lead into a singular position near t = {t1:.6g}: {rank} of {ask.system.nv} velocities are determined",
            hint="a dead centre: drive another joint, or stay away from it",
        )
    half, before = _follow(ask, t0, 0.5 * (t0 + t1), state, halvings - 1)
    end, after = _follow(ask, 0.5 * (t0 + t1), t1, half, halvings - 1)
    return end, before + after


def _refuse_freedoms(ask: Questions, t: float, q: FloatArray) -> None:
    """InputError where rows leave something free, naming what moves most."""
    N, _, rank = freedoms(ask.G(t, q, np.zeros(ask.system.nv)))
    if N.shape[1]:
        most = ask.system.v_names[int(np.abs(N[:, 0]).argmax())]
        raise InputError(
            f"{N.shape[1]} of {ask.system.nv} velocities are not driven at t = {t:.6g} (rank {rank}): {most!r} can move",
            hint="add drives for what is free; mech.mobility() counts; or integrate",
        )
