"""First results from a wheel with machine code: nothing is compiled, and each takes two seconds of
processor time at most.

Every kind of run is made in a process of its own with an empty cache, by the isodyn that this
Python finds; where that one brings no machine code, nothing is measured. `make wheel-check` installs
the wheel in an environment of its own and runs this there.

    python -m benchmarks.wheel [--only NAME …]

Left out are runs that depend on functions compiled by the user (`@njit`): these are compiled with
the model around them, in every process. EVERY_TIME is passed over where it is compiled.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.common import ONE_THREAD

MOST = 2.0  # seconds of processor time
# compiled in every process, and told in the documentation: the bridge to functions in plain Python
# (a twentieth of a second), and the model of a reduced system around that of the full one
REDUCED = "reduced beam"  # which takes twice as long for that
EVERY_TIME = ("ObjModeLiftedWith(<function python_model", "CPUDispatcher(<function around.<locals>.reduced")

# kinds of formulations, on a pendulum
FORMULATIONS = (
    "Stabilised()",
    "GGL()",
    "PositionLevel()",
    "VelocityLevel()",
    "AccelerationLevel()",
    "Baumgarte()",
    "Penalty()",
    "Projection()",
    "Projection(acceleration=True)",
    "Overdetermined()",
    "UdwadiaKalaba()",
    "UdwadiaKalaba(form='cholesky')",
    "NullSpace()",
    "NullSpace(basis='partitioning')",
    "NullSpace(discrete=True)",
    "Hamiltonian()",
)
PROBLEM = """
problem = iso.problems.get({name!r})
iso.integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=5 * problem.dt)
"""
FORMULATION = """
scheme = iso.FirstOrderScheme.GS4_1(0.5, 0.5) if {name!r} == "Hamiltonian()" else iso.Scheme.optimal(0.5)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    iso.integrate(iso.problems.get("pendulum").system(), scheme, iso.{name}, dt=0.01, t_end=0.05)
"""
MODEL = """
from isodyn.models import load_model
model = load_model({path!r})
iso.integrate(model.system(), dt=1e-4, t_end=5e-4)
"""
OTHERS = {
    "energy, drift, quality": """
problem = iso.problems.get("four_bar")
sol = iso.integrate(problem.system(), dt=problem.dt, t_end=5 * problem.dt)
sol.energy(), sol.drift(), sol.quality()
""",
    "default scheme, python functions": """
iso.integrate(iso.MechanicalSystem(1.0, lambda q, v, t: -q, [1.0], [0.0]), dt=0.1, t_end=1.0)
""",
    "linear system": """
iso.integrate(iso.LinearSystem(1.0, 0.1, 4.0, None, [1.0], [0.0]), dt=0.1, t_end=1.0)
""",
    "adaptive steps": """
iso.integrate_adaptive(iso.problems.get("andrews").system(), t_end=0.003)
""",
    "adaptive steps of a mechanism": """
iso.integrate_adaptive(iso.problems.get("four_bar").system(), t_end=0.01)
""",
    "composition": """
iso.integrate(iso.problems.get("pendulum").system(), iso.Composition(iso.Scheme.central_difference(), 4), dt=0.01, t_end=0.1)
""",
    "subdomains": """
soft = iso.LinearSystem(M=1.0, C=None, K=1.0, f=None, q0=[1.0], v0=[0.0])
stiff = iso.LinearSystem(M=0.1, C=None, K=1e3, f=None, q0=[1.0], v0=[0.0])
sub = iso.Subdomains({"soft": soft, "stiff": stiff}, ties=[("soft", [0], "stiff", [0])])
iso.integrate(sub, substeps={"soft": 1, "stiff": 4}, dt=0.01, t_end=0.1)
""",
    "subdomains, nonlinear": """
half = {"soft": iso.problems.get("kepler").system(), "stiff": iso.LinearSystem(np.eye(2), None, np.eye(2), None, [1.0, 0.0], [0.0, 1.0])}
half["stiff"] = iso.LinearSystem(np.eye(2), None, np.eye(2), None, half["soft"].q0, half["soft"].v0)
iso.integrate(iso.Subdomains(half, ties=[("soft", [0], "stiff", [0])]), dt=0.01, t_end=0.1)
""",
    "ensemble": """
pendulum = iso.problems.get("pendulum").system()
iso.ensemble(pendulum, dt=0.01, t_end=0.1, v0=np.outer(np.linspace(0.0, 3.0, 20), pendulum.v0))
""",
    "ensemble of mechanisms": """
problem = iso.problems.get("four_bar")
iso.ensemble([problem.system() for _ in range(3)], dt=problem.dt, t_end=5 * problem.dt)
""",
    REDUCED: """
beam = iso.Beam([(0, 0), (1, 0)], elements=8, section=iso.Section(EA=1e4, EI=1.0, rhoA=1.0), gravity=(0, -9.81))
beam.clamp("start")
system = beam.compile()
full = iso.integrate(system, dt=2e-3, t_end=0.02)
iso.integrate(iso.reduce(system, iso.pod(full, rank=3, about=system.q0)), dt=2e-3, t_end=0.02)
""",
    "assembly": """
iso.integrate(iso.problems.get("four_bar").system(), dt=1e-4, t_end=3e-4, assemble=True)
""",
}
PROGRAM = """
import sys, warnings
import numpy as np
import isodyn as iso
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    exec(sys.argv[1])
for _, one in recorder.buffer:
    if one.is_start:
        print(one.data["dispatcher"])
"""


def cases() -> dict[str, str]:
    """Programs by name."""
    import isodyn as iso

    models = sorted((Path(__file__).parents[1] / "examples" / "models").glob("*.toml"))
    return {
        **{f"problem {name}": PROBLEM.format(name=name) for name in iso.problems.ALL},
        **{f"formulation {name}": FORMULATION.format(name=name) for name in FORMULATIONS},
        **{f"model {path.name}": MODEL.format(path=str(path)) for path in models},
        **OTHERS,
    }


def measured(program: str) -> tuple[float, str, str]:
    """Processor seconds, what was compiled, and what was said, of a program in an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, **ONE_THREAD, "NUMBA_CACHE_DIR": cache, "ISODYN_COMPILERS": "1"}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, program], env=environment, capture_output=True, text=True, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        kept = [path.name for path in Path(cache).rglob("*.kernel")]
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    compiled = [line for line in done.stdout.split("\n")[:-1] if not line.startswith(EVERY_TIME)] + kept
    return spent, " ".join(compiled), "" if done.returncode == 0 else done.stderr.strip().split("\n")[-1]


def main() -> bool:
    """Measure, print a line for each; whether nothing was compiled and none took too long."""
    from isodyn.kernels import shipped

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=None)
    given = parser.parse_args([x for x in sys.argv[1:] if x != "wheel"])
    if shipped.folder() is None:
        print("wheel: this isodyn brings no machine code for this processor; nothing to measure (make wheel-check)")
        return True
    met = True
    for name, program in cases().items():
        if given.only is not None and name not in given.only:
            continue
        spent, compiled, error = measured(program)
        good = not compiled and not error and spent <= (2.0 * MOST if name == REDUCED else MOST)
        met = met and good
        print(f"{name:44s}{spent:6.2f} s  {'ok' if good else 'NOT met'}  {compiled or error}", flush=True)
    return met


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
