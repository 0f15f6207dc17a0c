"""Runs that are killed without warning at random steps, or while a checkpoint is being written, and
resumed; prints what came out.

Run as a program with a folder and a seed: children are forked, so that each is killed by signal 9
and nothing of it remains.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import isodyn as iso
from isodyn import problems
from isodyn.models.build import load_model
from isodyn.results import Checkpoint, checkpoint, files

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
STEPS = 60


def cases() -> dict[str, tuple[Any, dict[str, Any]]]:
    """Compiled, redundant, plain Python, sparse, with kept factors, with breakpoints and with other
    formulations."""
    found: dict[str, tuple[Any, dict[str, Any]]] = {}
    for name in ("andrews", "bennett", "bricard", "spatial_chain", "flexible_pendulum", "vdpol_dae"):
        problem = problems.get(name)
        found[name] = problem.system(), {"dt": problem.dt, "t_end": STEPS * problem.dt, "scheme": problem.scheme}
    system, options = found["andrews"]
    dt = options["dt"]
    found["kept factors"] = system, {**options, "newton": iso.Newton(reuse=True)}
    found["projection"] = system, {**options, "formulation": iso.Projection(), "save_every": 3}
    breaks = {"breakpoints": [20.5 * dt, 21 * dt, 33 * dt], "scheme": iso.Scheme.V0(0.8, 0.8, 0.2)}
    found["breakpoints"] = system, {**options, **breaks}
    found["hamiltonian"] = system, {**options, "formulation": iso.Hamiltonian()}
    python = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -np.sin(q), q0=[1.0], v0=[0.0])
    found["python"] = python, {"dt": 0.1, "t_end": 0.1 * STEPS}
    kepler = problems.get("kepler")
    composed = iso.Composition(iso.Scheme.central_difference(), 4)
    found["composition"] = kepler.system(), {"dt": kepler.dt, "t_end": STEPS * kepler.dt, "scheme": composed}
    model = load_model(MODELS / "four_bar.toml")
    found["model file"] = model.system(), {**model.options(), "t_end": STEPS * model.model.run.dt}
    return found


def killed(action: Any) -> bool:
    """Do something in a child that may be killed; whether it was."""
    child = os.fork()
    if child == 0:
        action()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.waitstatus_to_exitcode(status) == 0
    return False


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def death_in_a_write(number: int) -> None:
    """Be killed in the middle of the n-th file."""
    count = [0]
    original = checkpoint.write_file

    def write_file(path: Path, data: bytes) -> Path:
        count[0] += 1
        if count[0] == number:
            with files.replacing(path) as beside:
                beside.write_bytes(bytes(data)[: len(data) // 2])
                die()
        return original(path, data)

    checkpoint.write_file = write_file  # type: ignore[assignment]


def death_at_a_step(number: int) -> None:
    """Be killed after so many steps, wherever that is between checkpoints."""
    from isodyn.marching.run import Run

    original = Run.follow

    def follow(self: Any, bar: Any) -> Any:
        class Watch:
            def update(self, step: int, t: float) -> None:
                if step >= number:
                    die()

        return original(self, Watch())  # type: ignore[arg-type]

    Run.follow = follow  # type: ignore[method-assign]


def same(one: iso.Solution, two: iso.Solution) -> bool:
    """Bit for bit: rows, further histories, counts."""
    counts = [{**vars(sol.stats), "seconds": 0.0} for sol in (one, two)]
    rows = all(np.array_equal(getattr(one, x), getattr(two, x)) for x in ("t", "q", "v", "a", "lam"))
    return rows and counts[0] == counts[1] and all(np.array_equal(one.aux[x], two.aux[x]) for x in two.aux)


def main(folder: Path, seed: int) -> None:
    warnings.simplefilter("ignore")
    # a dying process does not lose what the system has; only a dying machine does
    os.fsync = lambda file: None
    rng = random.Random(seed)
    result = {}
    for name, (system, options) in cases().items():
        every = rng.choice([1, 4, 7])
        whole = iso.integrate(system, **options, checkpoint=Checkpoint(folder / f"{name} whole", every))
        place = folder / name

        def begin() -> None:
            iso.integrate(system, **options, checkpoint=Checkpoint(place, every))  # noqa: B023

        def go_on() -> None:
            iso.resume(place, system)  # noqa: B023

        deaths = 0
        for k, action in enumerate([begin, go_on, go_on]):
            start = k * STEPS // 3

            def mortal(action: Any = action, start: int = start, k: int = k) -> None:
                if rng.random() < 0.3:
                    death_in_a_write(rng.randint(3, 5))
                else:
                    death_at_a_step(start + rng.randint(8, STEPS // 3 - 1))
                action()

            deaths += killed(mortal)
            rng.random()
        sol = iso.resume(place, system)
        plain = iso.integrate(system, **options)
        result[name] = {"deaths": deaths, "same": same(sol, whole), "plain": bool(np.array_equal(sol.q, plain.q))}
    print(json.dumps(result))
    if not all(one["same"] for one in result.values()):
        sys.exit("a resumed run differs from the whole one")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
