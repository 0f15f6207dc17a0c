"""Everything that runs on a system runs on the reduced one: all formulations, compositions, other
schemes."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.formulations.table import TABLE, Entry

SCHEME = iso.Scheme.optimal(0.8)
# answered in Python
SLOW = {"UdwadiaKalaba(form='cholesky')", "NullSpace(basis='partitioning')", "Hamiltonian"}


@pytest.fixture(scope="module")
def strip() -> tuple[iso.Solution, iso.reduction.Basis]:
    """A hinged strip whose hinge node stays, and the motion of its reduced system."""
    beam = iso.Beam([(0, 0), (1, 0)], elements=6, section=iso.Section(EA=1e3, EI=5.0, rhoA=1.0), gravity=(0, -9.81))
    beam.hinge("start")
    system = beam.compile()
    seen = iso.integrate(system, SCHEME, dt=0.004, t_end=0.3)
    basis = iso.pod(seen, rank=6, columns=np.arange(4, system.nv), about=system.q0)
    return iso.integrate(iso.reduce(system, basis), SCHEME, dt=0.004, t_end=0.1), basis


@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
@pytest.mark.parametrize("row", [row for row in TABLE if row.name not in SLOW], ids=lambda row: row.name)
def test_every_formulation_runs(strip: tuple[iso.Solution, iso.reduction.Basis], row: Entry) -> None:
    """Rows of a hinge are linear: every exact formulation gives one motion."""
    reference, basis = strip
    sol = iso.integrate(reference.system, SCHEME, row.example(), dt=0.004, t_end=0.1)
    gap = np.abs(sol.q - reference.q).max()
    assert gap < (1e-4 if row.name == "Penalty" else 1e-10)
    assert basis.lift(sol).drift().position.max() < (1e-4 if row.name == "Penalty" else 1e-12)
