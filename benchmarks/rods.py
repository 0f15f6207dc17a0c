"""Beams in space beside Exudyn's: a cantilever of 8, 64 and 512 elements falls under its weight, with the
same steps, element for element: rods beside geometrically exact beams, absolute nodal coordinates
beside absolute nodal coordinates.

Processor time of a step, and the error of the tip at the end against a run with steps 16 times
finer of the same package and mesh, for the smallest mesh. "At equal error": both methods are of second
order, so a step is worth the square root of its error. Exudyn runs in .venv-bench
(ISODYN_PEERS names another Python); without it only our own times are printed. One thread.

Requirement: at equal error a step is at least three times faster than Exudyn's, and the time of a step
grows by less than 10 from 64 to 512 elements.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import write

import isodyn as iso

DT, RATIO, GROWTH = 1e-3, 3.0, 10.0
STEPS = {8: 200, 64: 200, 512: 60}
OF_PEER = {"exact": {8: 100, 64: 4, 512: 1}, "absolute-nodal": {8: 100, 64: 100, 512: 20}}
ROOT = Path(__file__).resolve().parent.parent
PEER = Path(os.environ.get("ISODYN_PEERS", ROOT / ".venv-bench" / "bin" / "python"))


def cantilever(model: Any, elements: int) -> Any:
    """The compiled system."""
    section = iso.Section.circle(E=2.1e9, G=8e8, rho=7850.0, diameter=0.02)
    mech = iso.Mechanism()
    mech.add_beam("rod", (0, 0, 0), (2, 0, 0), elements=elements, section=section, model=model)
    mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
    return mech.compile()


def own(system: Any, steps: int, dt: float) -> tuple[float, np.ndarray]:
    """Processor seconds of a run, and the tip at its end."""
    began = time.process_time()
    sol = iso.integrate(system, iso.Scheme.optimal(0.9), dt=dt, t_end=steps * dt, save_every=steps)
    spent = time.process_time() - began
    return spent, sol.q[-1, system.q_of("rod.end")][:3]


def peer(kind: str, elements: int, steps: int, dt: float, limit: float = 600.0) -> tuple[float, np.ndarray] | None:
    """The same with Exudyn; None where it does not run."""
    script = Path(__file__).parent / "peers" / "rods_exudyn.py"
    command = [str(PEER), str(script), kind, str(elements), str(steps), str(dt)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return found["seconds"], np.array(found["tip"])


@iso.errors.coarse_steps_meant()
def main() -> bool:
    """All of it; whether the requirements are met."""
    rows: dict[str, dict[str, float]] = {}
    met = True
    for model in ("exact", "absolute-nodal"):
        worth = 1.0
        for elements, steps in STEPS.items():
            system = cantilever(model, elements)
            own(system, 2, DT)
            long = min(own(system, steps, DT)[0] for _ in range(3)) - min(own(system, 2, DT)[0] for _ in range(3))
            row = {"step": long / (steps - 2)}
            of_peer = OF_PEER[model][elements]
            theirs, short = peer(model, elements, of_peer, DT), None
            if theirs is not None and of_peer > 1:
                short = peer(model, elements, 1, DT)
            if theirs is not None:  # what comes before the first step is taken off where several are run
                spent = theirs[0] if short is None else theirs[0] - short[0]
                row["step of Exudyn"] = spent / (of_peer - (short is not None))
            if elements == 8 and theirs is not None:
                end = of_peer
                fine = peer(model, 8, 16 * end, DT / 16)
                errors = [np.abs(own(system, end, DT)[1] - own(system, 16 * end, DT / 16)[1]).max()]
                errors += [np.abs(theirs[1] - fine[1]).max() if fine is not None else np.nan]
                row |= {"error": float(errors[0]), "error of Exudyn": float(errors[1])}
                worth = float(np.sqrt(errors[1] / errors[0])) if np.isfinite(errors[1]) else 1.0
            if theirs is not None:
                row["ratio at equal error"] = worth * row["step of Exudyn"] / row["step"]
                met &= row["ratio at equal error"] >= RATIO
            rows[f"{model}, {elements} elements"] = row
            print(
                f"{model:15s}{elements:5d}  " + ", ".join(f"{name} {value:.3g}" for name, value in row.items()),
                flush=True,
            )
        growth = rows[f"{model}, 512 elements"]["step"] / rows[f"{model}, 64 elements"]["step"]
        print(f"{model:15s} growth from 64 to 512 elements {growth:.2f}")
        met &= growth < GROWTH
    write("rods", {"dt": DT, "rows": rows, "met": met})
    return met
