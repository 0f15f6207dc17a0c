"""The compiled step equals the same source run without Numba, on one step from random states of every problem, to 1e-12."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

STATES = 100
PROGRAM = textwrap.dedent(
    """
    import sys
    import numpy as np
    import isodyn as iso
    from isodyn import problems
    from isodyn.compiled import State
    from isodyn.integrate import loop, newton, step
    from isodyn.integrate.coefficients import coefficients

    results = {}
    for name, problem in problems.ALL.items():
        system = problem.system()
        model, (nq, nv) = system.model(), (system.nq, system.nv)
        physics = (model.function, model.traits, model.pf, model.pi)
        rng = np.random.default_rng(20)
        rows = []
        for k in range(STATES):
            scheme = iso.Scheme.V0(0.3, 1.0, 0.1) if k % 2 else iso.Scheme.optimal(0.4)
            scheme = scheme.first_order() if system.first_order else scheme
            scatter = 0.1 * rng.standard_normal(nq + 2 * nv)
            state = State(
                np.array([0.1, 0.01]), system.q0 + scatter[:nq],
                system.v0 + scatter[nq:nq + nv], np.zeros(nv), np.zeros(0), scatter[nq + nv:]
            )
            work, pivots = newton.allocate_work(nq, nv, not model.traits & 8), np.zeros(nv, dtype=np.int64)
            controls, count = newton.Controls(1e-12, 30, 0, 0, 0), np.zeros(newton.COUNTERS, dtype=np.int64)
            columns = loop.Columns(np.arange(nq), np.arange(nv), np.arange(nv), np.arange(0))
            out = loop.Rows(np.zeros(1), np.zeros((1, nq)), np.zeros((1, nv)), np.zeros((1, nv)), np.zeros((1, 0)))
            status = step.initial_acceleration(*physics, 0.1, state, work, pivots, controls, count)
            assert status == 0, (name, k, status)
            times, save = np.array([0.101]), np.ones(1, dtype=bool)
            status = loop.run(
                *physics, coefficients(scheme), controls, np.inf, times, save, state, work, pivots, columns, out, count
            )
            assert status == 0, (name, k, status)
            rows.append(np.concatenate([out.q[0], out.v[0], out.a[0]]))
        results[name] = np.array(rows)
    np.savez(sys.argv[1], **results)
    """
).replace("STATES", str(STATES))


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
        assert compiled[name].shape[0] == STATES
        scale = np.abs(compiled[name]).max()
        assert np.abs(compiled[name] - interpreted[name]).max() <= 1e-12 * scale, name
