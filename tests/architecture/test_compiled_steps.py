"""What the table says about compiled steps, measured: how often a run asks Python, for every
formulation and every kind of system."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from functools import cache
from typing import Any

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.formulations.table import SYSTEMS, TABLE, runs_compiled
from isodyn.problems import four_bars
from isodyn.systems import model as models

pytestmark = pytest.mark.filterwarnings("ignore:multipliers and accelerations of position level")


def rod(wrap: Any = lambda function: function) -> iso.MechanicalSystem:
    """A pendulum from functions."""
    return iso.MechanicalSystem(
        np.ones(2),
        wrap(lambda q, v, t: np.array([0.0, -9.81])),
        [0.6, -0.8],
        [0.8, 0.6],
        phi=wrap(lambda q, t: np.array([0.5 * (q @ q - 1.0)])),
        G=wrap(lambda q, t: q.copy().reshape(1, 2)),
        b=wrap(lambda q, v, t: np.array([-(v @ v)])),
        phi_t=wrap(lambda q, t: np.zeros(1)),
    )


@cache
def compiled_rod() -> iso.MechanicalSystem:
    return rod(numba.njit)


def arm() -> iso.Mechanism:
    """One spatial link on a ball."""
    mech = iso.Mechanism()
    mech.add_body("link", 1.0, (0.01, 0.1, 0.1), (0.5, 0, 0), angular_velocity=(1.0, 0, 0))
    mech.add_joint(iso.Spherical("ball", "ground", "link", point=(0, 0, 0)))
    return mech


def pushed() -> Any:
    mech = arm()
    mech.add_load(iso.UserLoad("push", "link", lambda t, pose: (np.array([1.0, 0, 0]), np.zeros(3))))
    return mech.compile()


def cantilever() -> Any:
    section = iso.Section(EA=1e3, EI=0.1, rhoA=0.1)
    beam = iso.Beam([(0, 0), (1, 0)], elements=2, section=section, gravity=(0, -9.81))
    beam.clamp(0)
    return beam.compile()


KINDS = {
    "problems of the library": [lambda: problems.get("pendulum").system(), lambda: problems.get("andrews").system()],
    "mechanisms, with full and with sparse matrices": [
        lambda: four_bars.n_four_bar(1, 0),
        lambda: four_bars.n_four_bar(3, 0),
        lambda: arm().compile(),
    ],
    "beams": [cantilever],
    "`MechanicalSystem` from functions compiled by `@njit`, with G and b": [compiled_rod],
    "`MechanicalSystem` from plain functions": [rod],
    "mechanisms in angles or Euler parameters, or with plain `UserRows` and `UserLoad`": [
        lambda: arm().compile("bryant-123"),
        pushed,
    ],
    "`LinearSystem` with constraints": [
        lambda: iso.LinearSystem(np.eye(2), None, np.eye(2), None, [1.0, -1.0], [0.0, 0.0], G=[[1.0, 1.0]])
    ],
    "`FirstOrderSystem` with algebraic unknowns": [lambda: problems.get("circle_index2").system()],
}


@pytest.fixture
def asked(monkeypatch):
    """How often Python was asked since the last look."""
    calls = [0]

    class Counting:
        def __init__(self, model: Any) -> None:
            self.model, self.solver = model, model.solver

        def answer(self, *question: Any) -> int:
            calls[0] += 1
            return int(self.model.answer(*question))

    begin = models.Callback.__init__
    monkeypatch.setattr(models.Callback, "__init__", lambda self, model: begin(self, Counting(model)))

    def look() -> int:
        found, calls[0] = calls[0], 0
        return found

    return look


def runs(row: Any, system: Any) -> bool:
    """Combinations that there are."""
    if system.first_order:
        return row.facts.first_order
    if row.formulation is iso.Hamiltonian or row.formulation is iso.Partitioning:
        return system.nq == system.nv and system.retract is None
    return row.facts.nonholonomic or system.m == system.m_phi


def test_every_kind_of_system_is_measured():
    assert list(KINDS) == [name for name, _ in SYSTEMS]


@pytest.mark.slow
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
@pytest.mark.parametrize("kind", SYSTEMS, ids=lambda kind: kind[0])
def test_python_is_asked_where_the_table_says_so(row, kind, asked):
    """Nothing at all for compiled formulations on compiled systems; something in all other
    cases."""
    name, compiled = kind
    scheme = iso.Scheme.optimal(0.5)
    for make in KINDS[name]:
        system, formulation = make(), row.example()
        if not runs(row, system):
            continue
        expected = row.facts.compiled and compiled
        assert runs_compiled(formulation, system) == expected
        asked()
        iso.integrate(system, scheme, formulation, dt=1e-4, t_end=1e-3)
        assert (asked() == 0) == expected


CACHED = textwrap.dedent(
    """
    from isodyn.kernels.compiled import f8, kernel

    @kernel(f8(f8))
    def twice(x):
        return 2.0 * x

    @kernel(f8(f8))
    def thrice(x):
        return 3.0 * x

    print(twice(2.0) + thrice(1.0))
    """
)


@pytest.mark.slow
def test_compiling_is_announced_once_with_what_it_took(tmp_path, monkeypatch):
    """A word when it begins, one with the seconds when it is done; a later process is silent; a
    changed file begins anew."""
    module = tmp_path / "kernels.py"
    module.write_text(CACHED)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))

    def run() -> list[str]:
        done = subprocess.run([sys.executable, str(module)], check=True, capture_output=True, text=True)
        assert done.stdout == "7.0\n"
        return done.stderr.splitlines()

    first = run()
    assert first[0] == "isodyn: compiling once for this machine"
    assert len(first) == 2
    assert first[1].startswith("isodyn: compiled 2 kernels in ")
    assert first[1].endswith(" s; later runs start from the cache")
    assert run() == []
    module.write_text(CACHED.replace("2.0 * x", "x + x"))
    assert len(run()) == 2
