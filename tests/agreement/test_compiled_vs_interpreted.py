"""The compiled step equals the same source run without Numba, on one step from random states of every
problem, to 1e-12: from a dozen and from 100, in `make full`.

Mechanisms take long without Numba: all but a few of their states start from what the compiled run
found, and only the step is repeated. A composed step is compared on the few. A second process gives
the same bits.
"""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

FEWER = 3  # starts of mechanisms, and composed steps
PROGRAM = textwrap.dedent(
    """
    import sys
    import numpy as np
    import isodyn as iso
    from isodyn import problems
    from isodyn.errors import SchemeError
    from isodyn.marching.composition import check_composition
    from isodyn.marching.method import settle
    from isodyn.marching.plan import lay_legs
    from isodyn.marching.run import Run
    from isodyn.marching.schedule import plan
    from isodyn.mechanism.system import MechanismSystem

    BEAMS = ("flying_rod", "elastica", "roll_up", "flexible_pendulum", "flexible_slider_crank", "beam_and_bodies")
    SCATTER = dict.fromkeys(BEAMS, 1e-10)  # stretched far, they have no step of this size
    SCATTER["robertson"] = 1e-9  # stiff: from farther away it has no step of this size
    SCATTER["circle_index2"] = 0.0  # index 2: no start but s0 itself satisfies its constraint; the others are assembled
    COMPOSED = iso.Composition(iso.Scheme.central_difference(), 4)
    known = np.load(sys.argv[3]) if len(sys.argv) > 3 else None
    results = {}

    def prepared(system, scheme, composition):
        method = settle(system, scheme, None, 0.001, composition)
        newton = iso.Newton(rtol=1e-9 if name in BEAMS else 1e-13, max_halvings=0)
        run = Run(system, method, plan(0.1, 0.101, 0.001, (), 1), newton=newton, assemble=True)
        run.enter(0, start=False)
        lay_legs(run.plan, 0, 1, start=False, stop=False)  # by the scheme itself
        return run

    def row(run):
        return np.concatenate([run.rows.q[1], run.rows.v[1], run.rows.a[1], run.rows.lam[1]])

    for name, problem in problems.ALL.items():
        system = problem.system()
        nq, nv = system.nq, system.nv
        rng = np.random.default_rng(20)
        rows, starts, composed_rows = [], [], []
        try:
            check_composition(system, COMPOSED, None)
            composed = True
        except SchemeError:
            composed = False
        for k in range(int(sys.argv[2])):
            scheme = iso.Scheme.V0(0.3, 1.0, 0.1) if k % 2 else iso.Scheme.optimal(0.4)
            run = prepared(system, scheme, None)
            state = run.state
            scatter = SCATTER.get(name, 1e-3 if system.m else 0.1) * rng.standard_normal(nq + 2 * nv)
            if known is None or k < FEWER or not isinstance(system, MechanismSystem):
                state.q[:] += scatter[:nq]
                state.v[:] += scatter[nq : nq + nv]
                run.start(run.stretches[0], first=True)
            else:
                state.q[:], state.v[:], state.a[:], state.lam[:] = np.split(
                    known[name + " starts"][k], np.cumsum([nq, nv, nv])
                )
                state.t = 0.1
                run.counters.rows = 1
                run.enforce(run.independent_rows(0.1))
            starts.append(np.concatenate([state.q, state.v, state.a, state.lam]))
            if composed and k < FEWER:
                other = prepared(system, COMPOSED.base, COMPOSED)
                other.state.q[:], other.state.v[:] = state.q, state.v
                other.start(other.stretches[0], first=True)
                status = other.march(1)
                assert status == 0, (name, "composed", k, status)
                composed_rows.append(row(other))
            state.da[:] = scatter[nq + nv :]
            state.dt = 0.002
            status = run.march(1)
            assert status == 0, (name, k, status)
            rows.append(row(run))
        results[name] = np.array(rows)
        results[name + " starts"] = np.array(starts)
        if composed_rows:
            results[name + " composed"] = np.array(composed_rows)
    np.savez(sys.argv[1], **results)
    """
).replace("FEWER", str(FEWER))


BEAMS = ("flying_rod", "elastica", "roll_up", "flexible_pendulum", "flexible_slider_crank", "beam_and_bodies")


def results(to, states, *known, **environment):
    command = [sys.executable, "-c", PROGRAM, *map(str, (to, states, *known))]
    subprocess.run(command, check=True, env=os.environ | environment)
    return np.load(to)


@pytest.mark.parametrize(
    "states", [pytest.param(12, marks=pytest.mark.long), pytest.param(100, marks=pytest.mark.long)]
)
def test_one_step_of_every_problem(tmp_path, states):
    from isodyn import problems

    compiled = results(tmp_path / "compiled.npz", states)
    interpreted = results(tmp_path / "interpreted.npz", states, tmp_path / "compiled.npz", NUMBA_DISABLE_JIT="1")
    assert set(compiled.files) == set(interpreted.files) >= set(problems.ALL)
    assert sum(name.endswith(" composed") for name in compiled.files) > 25
    for name in compiled.files:
        assert compiled[name].shape[0] == (FEWER if name.endswith(" composed") else states)
        scale = np.abs(compiled[name]).max()
        allowed = (
            5e-12 if name == "slider_crank_3d" else 1e-12
        )  # fused products round otherwise; its matrix adds a digit
        if (
            name.split(" ")[0] in BEAMS
        ):  # their iteration ends at 1e-9; composed, at rounding times the condition of the matrix
            allowed = 1e-8 if name.endswith(" composed") else 1e-9
        assert np.abs(compiled[name] - interpreted[name]).max() <= allowed * scale, name
    again = results(tmp_path / "again.npz", states)
    assert all(np.array_equal(compiled[name], again[name]) for name in compiled.files)
