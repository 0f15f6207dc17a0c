"""Steps of every compiled formulation equal the same source run without Numba."""

import os
import subprocess
import sys
import textwrap

import numpy as np

PROGRAM = textwrap.dedent(
    """
    import sys, warnings
    import numpy as np
    import isodyn as iso
    from isodyn import problems
    from isodyn.formulations.table import TABLE

    warnings.simplefilter("ignore")
    results = {}
    for formulation in [*(row.example() for row in TABLE if row.facts.compiled), iso.NullSpace("svd")]:
        for name, dt in (("pendulum", 1e-3), ("andrews", 1e-5)):
            sol = iso.integrate(problems.get(name).system(), iso.Scheme.optimal(0.4), formulation, dt=dt, t_end=4 * dt)
            results[f"{name} {formulation!r}"] = np.hstack([sol.q, sol.v, sol.a, sol.lam])
    np.savez(sys.argv[1], **results)
    """
)


def results(path, **environment):
    subprocess.run([sys.executable, "-c", PROGRAM, str(path)], check=True, env=os.environ | environment)
    return np.load(path)


def test_four_steps_of_every_compiled_formulation(tmp_path):
    """Accelerations and multipliers of Andrews' mechanism are large, so differences are compared
    with each column."""
    compiled = results(tmp_path / "compiled.npz")
    interpreted = results(tmp_path / "interpreted.npz", NUMBA_DISABLE_JIT="1")
    assert len(compiled.files) >= 2 * 12
    for name in compiled.files:
        gap = np.abs(compiled[name] - interpreted[name]) / np.maximum(1.0, np.abs(compiled[name]).max(axis=0))
        assert gap.max() <= 1e-10, name
