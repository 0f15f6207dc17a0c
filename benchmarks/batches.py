"""10,000 closed loops with redundant rows and 100,000 pendulums: one ensemble on one and on two
threads, beside a pool of two processes and MuJoCo's rollout.

    four-bar    three bars on four hinges in space: 21 coordinates, 20 rows of which 3 follow from others, 100 steps of 2 ms
    pendulum    point on a rod in (x, y), 100 steps of 10 ms

All take the same starts over the same time, and only the ends are saved. Speed on two threads is
that of portions, a tenth of the members each, which run on one thread and on two by turns: clocks of
processors change from second to second. Beside it stands what two cores of this machine can give at
all, measured between the portions: the same members in two processes, which share nothing, at once and one
after the other; and a compiled loop without memory traffic, on both threads and on one.

MuJoCo has other equations: angles
of joints, the loop closed by a soft constraint, and semi-implicit Euler steps; how far its crank is from ours at
the end is told. It runs where .venv-bench has it. "Pool" are two processes with half of the members each
(the same ensembles on one thread); "integrate in a pool" calls `integrate` for some members in each of them.

Requirement: two threads at least 1.9 times as fast as one by the median of the portions, members
equal single runs bit for bit.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import write
from numba import njit

import isodyn as iso
from isodyn.problems.pendulum import planar
from isodyn.systems import as_system
from isodyn.systems.manifold import freedoms
from isodyn.systems.questions import Questions

POINTS = np.array([(0, 0, 0), (0, 0.3, 0), (0.8, 0.5, 0), (0.9, 0, 0)], dtype=float)
BARS = ("crank", "coupler", "rocker")
LOOPS, PENDULUMS, STEPS, FEW = 10_000, 100_000, 100, 200
PORTIONS, TURNS = 10, 60_000_000
LEAST = 1.9
PEER = Path(__file__).resolve().parents[1] / ".venv-bench" / "bin" / "python"


def bar(A: Any, B: Any) -> tuple[Any, Any, Any, float]:
    """Centre, orientation and inertia of a slender bar of 1 kg, and its length."""
    length = float(np.linalg.norm(B - A))
    e1 = (B - A) / length
    R = np.column_stack([e1, np.cross([0.0, 0.0, 1.0], e1), [0.0, 0.0, 1.0]])
    J = length**2 / 12
    return (A + B) / 2, R, (J / 100, J, J), length


def four_bars(count: int) -> tuple[Any, Any]:
    """The system, and velocities of its one freedom."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    for name, A, B in zip(BARS, POINTS[:-1], POINTS[1:], strict=True):
        centre, R, J, _ = bar(A, B)
        mech.add_body(name, 1.0, J, centre, R)
    chain = ("ground", *BARS, "ground")
    for k, point in enumerate(POINTS):
        mech.add_joint(iso.Hinge("ABCD"[k], chain[k], chain[k + 1], point=point, axis=(0, 0, 1)))
    system = as_system(mech)
    way = freedoms(Questions(system).G(0.0, system.q0, system.v0), np.ones(system.nv))[0][:, 0]
    return system, np.outer(rates(count), way / way[5])  # the third component of the crank's ω is one


def rates(count: int) -> Any:
    """Of the crank at the start, rad/s."""
    return np.linspace(-2.0, 2.0, count)


def pendulums(count: int) -> tuple[Any, Any]:
    system = planar(1.5, 1.2, 0.9, 1.0)
    return system, np.outer(np.linspace(0.0, 5.0, count), system.v0)


CASES = {"four-bars": (four_bars, LOOPS, 2e-3), "pendulums": (pendulums, PENDULUMS, 1e-2)}


@cache
def made(name: str) -> tuple[Any, Any]:
    """The system of a case and the starts of its members: made once, no part of what is timed."""
    return CASES[name][0](CASES[name][1])


def run(name: str, first: int, last: int, threads: int) -> Any:
    """Some of the members."""
    (system, v0), dt = made(name), CASES[name][2]
    return iso.ensemble(system, v0=v0[first:last], dt=dt, t_end=STEPS * dt, save_every=STEPS, threads=threads)


def timed(name: str, threads: int) -> tuple[float, Any]:
    started = time.perf_counter()
    ens = run(name, 0, CASES[name][1], threads)
    return time.perf_counter() - started, ens


@njit(nogil=True)
def turn(count: int, x: float) -> float:
    """Arithmetic alone: four numbers that do not wait for each other."""
    y, z, w = x + 1.0, x + 2.0, x + 3.0
    for _ in range(count):
        x, y, z, w = 0.999999 * x + 1e-7, 0.999998 * y + 2e-7, 0.999997 * z + 3e-7, 0.999996 * w + 4e-7
    return x + y + z + w


def turning(threads: int) -> float:
    """Seconds of the loop on so many threads at once."""
    workers = [threading.Thread(target=turn, args=(TURNS, 1.0)) for _ in range(threads)]
    started = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.perf_counter() - started


def half(name: str, portion: int, which: int) -> float:
    """One process alone or beside another: seconds of half a portion on one thread."""
    count = CASES[name][1] // (2 * PORTIONS)
    first = (2 * portion + which) * count
    started = time.perf_counter()
    run(name, first, first + count, 1)
    return time.perf_counter() - started


def beside(pool: Any, name: str, portion: int) -> float:
    """Two processes at once, half a portion each, over the same halves one after the other: what two
    cores give to this work where nothing at all is shared."""
    alone = sum(pool.apply(half, (name, portion, which)) for which in (0, 1))
    started = time.perf_counter()
    pool.starmap(half, [(name, portion, 0), (name, portion, 1)], chunksize=1)
    return alone / (time.perf_counter() - started)


def by_turns(name: str) -> dict[str, list[float]]:
    """Of every portion: two threads over one; two processes over one; and two threads over one of the
    loop that does nothing else."""
    count, found = CASES[name][1], {"members": [], "processes": [], "arithmetic": []}
    turn(1, 1.0)
    with get_context("fork").Pool(2) as pool:
        for k in range(PORTIONS):
            ends = k * count // PORTIONS, (k + 1) * count // PORTIONS
            seconds = {}
            for threads in (1, 2) if k % 2 else (2, 1):
                started = time.perf_counter()
                run(name, *ends, threads)
                seconds[threads] = time.perf_counter() - started
            found["members"].append(seconds[1] / seconds[2])
            found["processes"].append(beside(pool, name, k))
            found["arithmetic"].append(2.0 * turning(1) / turning(2))
    return found


def share(name: str, part: int) -> int:
    """One process of a pool: its half of the members."""
    count = CASES[name][1]
    return int(run(name, part * count // 2, (part + 1) * count // 2, 1).ok.sum())


def singles(name: str, part: int) -> int:
    """One process of a pool: single runs of some members."""
    (system, v0), dt = made(name), CASES[name][2]
    ens = iso.ensemble(system, v0=v0[:1], dt=dt, t_end=dt)
    for v in v0[part : 2 * FEW : 2]:
        ens.v0[0] = v
        iso.integrate(ens.system(0), dt=dt, t_end=STEPS * dt, save_every=STEPS)
    return FEW


def pooled(name: str) -> dict[str, float]:
    """Seconds of two processes, all members: by ensembles, and by single runs."""
    found = {}
    with get_context("fork").Pool(2) as pool:
        for title, work, members in (("pool", share, CASES[name][1]), ("integrate in a pool", singles, 2 * FEW)):
            started = time.perf_counter()
            pool.starmap(work, [(name, 0), (name, 1)], chunksize=1)
            found[title] = (time.perf_counter() - started) * CASES[name][1] / members
    return found


PEER_SCRIPT = """
import json, sys, time
import numpy as np, mujoco
from mujoco import rollout
asked = json.load(sys.stdin)
model = mujoco.MjModel.from_xml_string(asked["xml"])
rates, steps = np.array(asked["rates"]), asked["steps"]
data = mujoco.MjData(model)
ways = np.array(asked["ways"])
size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
starts = np.zeros((len(rates), size))
mujoco.mj_resetData(model, data)
for i, rate in enumerate(rates):
    data.qvel[:] = rate * ways
    mujoco.mj_getState(model, data, starts[i], mujoco.mjtState.mjSTATE_FULLPHYSICS)
found = {}
for threads in (1, 2):
    datas = [mujoco.MjData(model) for _ in range(threads)]
    rollout.rollout(model, datas, starts[:10], nstep=2)
    started, ends = time.perf_counter(), []
    for part in np.array_split(starts, max(1, len(starts) // 10000)):
        ends.append(rollout.rollout(model, datas, part, nstep=steps)[0][:, -1, 1])
    found[str(threads)] = time.perf_counter() - started
print(json.dumps({"seconds": found, "angles": np.concatenate(ends).tolist(), "version": mujoco.__version__}))
"""


def mjcf(name: str) -> tuple[str, list[float]]:
    """The model of MuJoCo, and velocities of its joints for a crank at 1 rad/s."""
    if name == "pendulums":
        head = '<option timestep="0.01" gravity="0 -9.81 0"/>'
        q = planar(1.5, 1.2, 0.9, 1.0).q0
        body = f'<body><joint axis="0 0 1"/><geom type="sphere" size="1e-3" mass="1.5" pos="{q[0]} {q[1]} 0"/></body>'
        return f"<mujoco>{head}<worldbody>{body}</worldbody></mujoco>", [1.0]
    body, close = "", ""
    for k in (2, 1, 0):
        A, B = POINTS[k], POINTS[k + 1]
        _, R, J, _ = bar(A, B)
        at = A - (POINTS[k - 1] if k else 0.0)
        turn = np.degrees(np.arctan2(R[1, 0], R[0, 0]))
        centre = 0.5 * (B - A)
        inertial = f'<inertial pos="{centre[0]} {centre[1]} 0" mass="1" diaginertia="{J[0]} {J[1]} {J[2]}" euler="0 0 {turn}"/>'
        body = f'<body name="{BARS[k]}" pos="{at[0]} {at[1]} 0"><joint axis="0 0 1"/>{inertial}{body}</body>'
    D = POINTS[3] - POINTS[2]
    close = f'<equality><connect body1="rocker" body2="world" anchor="{D[0]} {D[1]} 0"/></equality>'
    head = '<compiler angle="degree" eulerseq="xyz"/><option timestep="0.002" gravity="0 -9.81 0"/>'
    v0 = four_bars(1)[1]
    spin = v0[0][5::6] / v0[0][5]  # of the three bars
    return f"<mujoco>{head}<worldbody>{body}</worldbody>{close}</mujoco>", np.diff(spin, prepend=0.0).tolist()


def mujoco(name: str, ens: Any) -> dict[str, Any]:
    """Seconds of MuJoCo on one and two threads, and how far it ends from us; nothing where it is not
    there."""
    if not PEER.exists():
        return {}
    xml, ways = mjcf(name)
    count = CASES[name][1]
    if name == "pendulums":
        start, end = ens.q0, ens.q[:, -1]
        speed = (ens.q0[:, 0] * ens.v0[:, 1] - ens.q0[:, 1] * ens.v0[:, 0]) / (ens.q0**2).sum(axis=1)
        turned = np.angle((end[:, 0] + 1j * end[:, 1]) / (start[:, 0] + 1j * start[:, 1]))
    else:
        speed = rates(count)
        R = [_heading(q) for q in (ens.q0[:, 3:7], ens.q[:, -1, 3:7])]
        turned = np.angle(np.exp(1j * (R[1] - R[0])))
    asked = json.dumps({"xml": xml, "rates": speed.tolist(), "ways": ways, "steps": STEPS})
    run = subprocess.run([str(PEER), "-c", PEER_SCRIPT], input=asked, capture_output=True, text=True, check=False)
    if run.returncode:
        print(run.stderr[-500:], file=sys.stderr)
        return {}
    found = json.loads(run.stdout)
    gap = np.abs(np.angle(np.exp(1j * (np.array(found["angles"]) - turned))))
    return {"seconds": found["seconds"], "version": found["version"], "largest difference, rad": float(gap.max())}


def _heading(quaternion: Any) -> Any:
    """Angle about z of the first axis."""
    w, x, y, z = quaternion.T
    return np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def measure(name: str) -> dict[str, Any]:
    """One case, all ways one after the other."""
    _, count, dt = CASES[name]
    run(name, 0, 10, 2)  # kernels are there
    two, ens = timed(name, 2)
    one, _ = timed(name, 1)
    ratios = by_turns(name)
    middle = {what: float(np.median(x)) for what, x in ratios.items()}
    options = {"dt": dt, "t_end": STEPS * dt, "save_every": STEPS}
    picked = np.linspace(0, count - 1, 5).astype(int)
    same = all(np.array_equal(ens[i].q, iso.integrate(ens.system(i), **options).q) for i in picked)
    ways = {"ensemble, 2 threads": two, "ensemble, 1 thread": one, **pooled(name)}
    peer = mujoco(name, ens)
    ways |= {f"MuJoCo rollout, {k} threads": x for k, x in peer.get("seconds", {}).items()}
    print(f"\n{count} {name} of {STEPS} steps, one run ({len(ens.single)} members by themselves)")
    for way, seconds in ways.items():
        print(
            f"  {way:26s}{seconds:9.2f} s{count / seconds:12.0f} members/s{1e6 * seconds / count / STEPS:9.2f} µs a step"
        )
    gap = peer.get("largest difference, rad")
    for what, x in ratios.items():
        print(f"  two over one, {what}: {middle[what]:.2f} ({min(x):.2f}-{max(x):.2f}) in {PORTIONS} portions")
    print(f"  all members at once: {one / two:.2f}; bit for bit: {same}; largest difference to MuJoCo: {gap} rad")
    return {
        "members": count,
        "steps": STEPS,
        "seconds": ways,
        "two_threads_over_one": middle["members"],
        "of_portions": ratios,
        "two_processes_over_one": middle["processes"],
        "arithmetic_alone": middle["arithmetic"],
        "all_at_once": one / two,
        "bit_for_bit": same,
        "by_themselves": len(ens.single),
        "mujoco": peer.get("version"),
        "difference_to_mujoco": gap,
    }


def main() -> bool:
    found = {name: measure(name) for name in CASES}
    write("batches", found)
    return all(one["bit_for_bit"] and one["two_threads_over_one"] >= LEAST for one in found.values())
