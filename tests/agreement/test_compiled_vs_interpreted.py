"""The compiled step equals the same source run without Numba, on one step from random states of every problem, to 1e-12."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

STATES = 100
FEWER = 3  # of mechanisms, whose kernels take a thousand times as long without Numba
PROGRAM = (
    textwrap.dedent(
        """
    import sys
    import numpy as np
    import isodyn as iso
    from isodyn import problems
    from isodyn.integrate.driver import _closures
    from isodyn.integrate.run import Run
    from isodyn.integrate.schedule import plan
    from isodyn.mechanism.system import MechanismSystem

    SCATTER = {"circle_index2": 0.0}  # index 2: no start but s0 itself satisfies its constraint; the others are assembled
    results = {}
    for name, problem in problems.ALL.items():
        system = problem.system()
        nq, nv = system.nq, system.nv
        rng = np.random.default_rng(20)
        rows = []
        for k in range(STATES if not isinstance(system, MechanismSystem) else FEWER):
            scheme = iso.Scheme.V0(0.3, 1.0, 0.1) if k % 2 else iso.Scheme.optimal(0.4)
            scheme = scheme.first_order() if system.first_order else scheme
            (stretch,) = plan(0.1, 0.101, 0.001, (), 1)
            closure, _ = _closures(system, scheme, None, 0.001)
            run = Run(system, scheme, [stretch], None, iso.Newton(rtol=1e-12, max_halvings=0), None, closure, closure, True)
            scatter = SCATTER.get(name, 1e-3 if system.m else 0.1) * rng.standard_normal(nq + 2 * nv)
            run.state.q[:] += scatter[:nq]
            run.state.v[:] += scatter[nq : nq + nv]
            run.start(stretch, first=True)
            run.state.da[:] = scatter[nq + nv :]
            run.state.clock[1] = 0.002
            status = run.loop.run(
                *run.physics(closure), run.main, run.controls, np.inf, np.array([0.101]), np.ones(1, dtype=bool),
                run.state, run.work, run.pivots, run.columns, run.rows, run.count,
            )
            assert status == 0, (name, k, status)
            rows.append(np.concatenate([run.rows.q[1], run.rows.v[1], run.rows.a[1], run.rows.lam[1]]))
        results[name] = np.array(rows)
    np.savez(sys.argv[1], **results)
    """
    )
    .replace("STATES", str(STATES))
    .replace("FEWER", str(FEWER))
)


def results(path, **environment):
    subprocess.run([sys.executable, "-c", PROGRAM, str(path)], check=True, env=os.environ | environment)
    return np.load(path)


@pytest.mark.slow
def test_one_step_of_every_problem(tmp_path):
    from isodyn import problems

    compiled = results(tmp_path / "compiled.npz")
    interpreted = results(tmp_path / "interpreted.npz", NUMBA_DISABLE_JIT="1")
    assert set(compiled.files) == set(interpreted.files) == set(problems.ALL)
    for name in compiled.files:
        assert compiled[name].shape[0] in (STATES, FEWER)
        scale = np.abs(compiled[name]).max()
        assert np.abs(compiled[name] - interpreted[name]).max() <= 1e-12 * scale, name
