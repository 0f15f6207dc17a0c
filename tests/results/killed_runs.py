"""Runs that are killed without warning, and gone on with: at random steps, inside writes of files, and
at random instants of the clock; prints what came out.

Run as a program with a folder, a seed, the number of kills wanted and, if not all, the kinds of runs:
children are forked, so that each is killed by signal 9 and nothing of it remains. Between two lives
files may be damaged as disks do it: cut short, a bit changed, the last one missing.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

import isodyn as iso
from friction_systems import hoop
from isodyn import problems
from isodyn.models.build import load_model
from isodyn.results import Checkpoint, checkpoint, files
from isodyn.results.sweep_file import SweepReader, SweepWriter
from kept_results import nonlinear_parts, same
from subdomain_systems import THREE, chain
from sweep_models import OUTPUTS, swing

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
STEPS = 60
MEMBERS = 24


@numba.njit
def passing(t: float, q: Any, v: Any) -> float:
    """Zero on the way of a pendulum."""
    return q[0] - 0.3


@dataclass(frozen=True)
class Case:
    """A kind of run: how it begins in a folder, and how it goes on from there."""

    begin: Callable[[Path], Any]
    go_on: Callable[[Path], Any]


def single(system: Any, events: Any = (), every: int = 4, **options: Any) -> Case:
    """A run of `integrate`."""

    def begin(place: Path) -> Any:
        return iso.integrate(system, **options, events=events, checkpoint=Checkpoint(place, every))

    return Case(begin, lambda place: iso.resume(place, system, events=events))


def again(call: Callable[[Path], Any]) -> Case:
    """A kind of run in which the same call goes on."""
    return Case(call, call)


def sweep(place: Path) -> Any:
    """A sweep in this process, in a file inside the folder."""
    place.mkdir(exist_ok=True)
    masses = {"rod.mass": np.linspace(0.5, 2.0, 40)}
    return iso.sweep(swing(), masses, OUTPUTS, workers=0, out=place / "sweep.nc", resume=True, dt=0.01, t_end=0.2)


def many(systems: Any, every: int = 3, **options: Any) -> Case:
    """An ensemble: the same call goes on."""

    def begin(place: Path) -> Any:
        return iso.ensemble(systems, **options, threads=2, checkpoint=Checkpoint(place, every))

    return again(begin)


def cases(rng: random.Random) -> dict[str, Case]:
    """Compiled, redundant, plain Python, sparse, with kept factors, breakpoints, events, adaptive
    steps, other methods and formulations; ensembles of all three ways."""
    found: dict[str, Case] = {}
    for name in ("andrews", "bennett", "bricard", "spatial_chain", "flexible_pendulum", "vdpol_dae"):
        problem = problems.get(name)
        options = {"dt": problem.dt, "t_end": STEPS * problem.dt, "scheme": problem.scheme}
        found[name] = single(problem.system(), every=rng.choice([1, 4, 7]), **options)
    andrews = problems.get("andrews")
    system, dt = andrews.system(), andrews.dt
    options = {"dt": dt, "t_end": STEPS * dt, "scheme": andrews.scheme}
    found["kept factors"] = single(system, **options, newton=iso.Newton(reuse=True))
    found["projection"] = single(system, **options, formulation=iso.Projection(), save_every=3)
    breaks = {"breakpoints": [20.5 * dt, 21 * dt, 33 * dt], "scheme": iso.Scheme.V0(0.8, 0.8, 0.2)}
    found["breakpoints"] = single(system, **{**options, **breaks})
    found["hamiltonian"] = single(system, **options, formulation=iso.Hamiltonian())
    python = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -np.sin(q), q0=[1.0], v0=[0.0])
    found["python"] = single(python, dt=0.1, t_end=0.1 * STEPS)
    kepler = problems.get("kepler")
    composed = iso.Composition(iso.Scheme.central_difference(), 4)
    found["composition"] = single(kepler.system(), dt=kepler.dt, t_end=STEPS * kepler.dt, scheme=composed)
    model = load_model(MODELS / "four_bar.toml")
    found["model file"] = single(model.system(), **{**model.options(), "t_end": STEPS * model.model.run.dt})
    pendulum = problems.get("pendulum").system()
    found["adaptive"] = single(pendulum, dt=iso.Adaptive(rtol=1e-3), t_end=0.5)
    bennett = problems.get("bennett")
    found["adaptive, redundant"] = single(bennett.system(), dt=iso.Adaptive(rtol=1e-3), t_end=20 * bennett.dt)
    found["order 8"] = single(kepler.system(), scheme=iso.DOP853(rtol=1e-9), t_end=20.0)
    found["radau"] = single(pendulum, scheme=iso.Radau(rtol=1e-7), t_end=1.0)
    found["events"] = single(pendulum, events=iso.Event(passing), dt=0.01, t_end=0.01 * STEPS)
    v0 = np.outer(np.linspace(0.5, 2.0, MEMBERS), pendulum.v0)
    found["ensemble"] = many(pendulum, v0=v0, dt=0.01, t_end=0.3)
    found["ensemble, adaptive"] = many(pendulum, v0=v0, dt=iso.Adaptive(rtol=1e-3), t_end=0.3)
    v0 = np.outer(np.linspace(0.8, 1.2, MEMBERS), bennett.system().v0)
    found["ensemble, redundant"] = many(bennett.system(), v0=v0, dt=bennett.dt, t_end=30 * bennett.dt)
    parts, stabilised = iso.partition(chain(), THREE), iso.Stabilised()
    breaks = {"breakpoints": [0.205, 0.4], "formulation": stabilised, "save_every": 3}
    found["subdomains"] = single(parts, dt=0.02, t_end=1.21, substeps={"left": 2, "middle": 1, "right": 4}, **breaks)
    found["subdomains, nonlinear"] = single(nonlinear_parts(), dt=0.02, t_end=1.0, formulation=stabilised)
    found["friction"] = single(iso.with_friction(*hoop(5.0, 0.2, 1.0)), dt=0.01, t_end=1.0)
    found["sweep"] = again(sweep)
    return found


def killed(action: Callable[[], Any], after: float | None = None) -> bool:
    """Do something in a child that may be killed, by itself or after some seconds; whether it was."""
    child = os.fork()
    if child == 0:
        os.close(2)
        os.open(os.devnull, os.O_WRONLY)
        try:
            action()
        except BaseException:
            os._exit(1)
        os._exit(0)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.waitstatus_to_exitcode(status) == 0, "a child ended with an error"
    return False


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def death_in_a_write(number: int) -> None:
    """Be killed in the middle of the n-th file."""
    from isodyn.api import portions

    count = [0]
    original = checkpoint.write_file

    def write_file(path: Path, data: bytes) -> Path:
        count[0] += 1
        if count[0] == number:
            with files.replacing(path) as beside:
                beside.write_bytes(bytes(data)[: len(data) // 2])
                die()
        return original(path, data)

    checkpoint.write_file = portions.write_file = write_file  # type: ignore[assignment,attr-defined]
    put = SweepWriter.put

    def put_some(self: Any, place: int, data: bytes) -> None:
        count[0] += 1
        put(self, place, data[: len(data) // 2] if count[0] == number else data)
        if count[0] == number:
            die()

    SweepWriter.put = put_some  # type: ignore[method-assign]


def death_at_a_step(number: int) -> None:
    """Be killed after so many looks at progress, wherever that is between checkpoints."""
    from isodyn.marching.progress import Progress

    count = [0]

    def update(self: Any, step: int, t: float) -> None:
        count[0] += 1
        if count[0] >= number:
            die()

    Progress.update = update  # type: ignore[method-assign]


def damage(place: Path, rng: random.Random) -> None:
    """What a disk may do to the newest files: cut one short, change a bit, lose the last one."""
    found = sorted(path for path in (*place.rglob("*.npz"), *place.glob("*.nc")))
    if not found or rng.random() > 0.25:
        return
    path = rng.choice(found[-2:])
    data, first = bytearray(path.read_bytes()), 0
    kind = rng.randrange(3)
    if path.suffix == ".nc":  # records; without a header nothing is known
        kind, first = rng.randrange(2), SweepReader(path).begin
    if kind < 2 and len(data) <= first:  # nothing was written after the header yet
        return
    if kind == 0:
        path.write_bytes(data[: rng.randrange(first, len(data))])
    elif kind == 1:
        data[rng.randrange(first, len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
    else:
        found[-1].unlink()


def mortal(action: Callable[[], Any], rng: random.Random, seconds: float) -> bool:
    """A life that ends in a write, at a step, or at an instant; whether it was a violent end."""
    way = rng.random()
    if way < 0.3:
        number = rng.randint(2, 6)
        return killed(lambda: (death_in_a_write(number), action()))
    if way < 0.6:
        number = rng.randint(1, 12)
        return killed(lambda: (death_at_a_step(number), action()))
    return killed(action, after=rng.uniform(0.0, seconds))


def lives(case: Case, place: Path, rng: random.Random, wanted: int, seconds: float) -> int:
    """Kill a run again and again until it is done or has died so often; how often it did."""
    deaths, begun = 0, False
    while deaths < wanted:
        begun = begun or (place / "run.json").exists()  # of those that go on by another call
        died = mortal(lambda: (case.go_on if begun else case.begin)(place), rng, seconds)  # noqa: B023
        deaths += died
        damage(place, rng)
        if not died:
            break
    return deaths


def main(folder: Path, seed: int, wanted: int, kinds: Sequence[str] = ()) -> None:
    """At least so many deaths over these or all kinds of runs; every run comes to its end after each
    of its lives, and is the one that nobody disturbed."""
    warnings.simplefilter("ignore")
    # a dying process does not lose what the system has; only a dying machine does
    os.fsync = lambda file: None
    rng = random.Random(seed)
    known, deaths, told = cases(rng), 0, {}
    found = {name: known[name] for name in kinds or known}
    whole, seconds = {}, {}
    for name, case in found.items():
        case.begin(folder / f"{name} first")  # kernels are there
        started = time.perf_counter()
        whole[name] = case.begin(folder / f"{name} whole")
        seconds[name] = time.perf_counter() - started
        told[name] = {"deaths": 0, "runs": 0, "same": True}
    while deaths < wanted:
        for name, case in found.items():
            place = folder / f"{name} {told[name]['runs']}"
            died = lives(case, place, rng, 3, seconds[name])
            sol = case.go_on(place) if (place / "run.json").exists() else case.begin(place)
            deaths += died
            told[name]["deaths"] += died
            told[name]["runs"] += 1
            told[name]["same"] = bool(told[name]["same"] and same(sol, whole[name]))
            if deaths >= wanted and min(one["runs"] for one in told.values()):
                break
        print(f"{deaths} deaths, same: {all(one['same'] for one in told.values())}", file=sys.stderr, flush=True)
    print(json.dumps({"seed": seed, "deaths": deaths, "kinds": told}))
    if not all(one["same"] for one in told.values()):
        sys.exit("a resumed run differs from the whole one")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
