"""A mechanism or a beam may stand wherever a system is asked for; the numbers are those of its
system."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError


@pytest.fixture(scope="module")
def rod() -> iso.Mechanism:
    mech = iso.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.3, 0, -0.4))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    return mech


def cantilever() -> iso.Beam:
    beam = iso.Beam([(0.0, 0.0), (1.0, 0.0)], elements=2, section=iso.Section(EA=1e5, EI=10.0, rhoA=1.0))
    beam.clamp("start")
    beam.force("end", (0.0, -1.0))
    return beam


RUNS = {
    "integrate": lambda x: iso.integrate(x, dt=0.01, t_end=0.1).q,
    "a formulation that makes another system": lambda x: (
        iso.integrate(x, formulation=iso.UdwadiaKalaba(), dt=0.01, t_end=0.1).q
    ),
    "integrate_adaptive": lambda x: iso.integrate_adaptive(x, t_end=0.1, save=3).q,
    "ensemble": lambda x: iso.ensemble(x, dt=0.01, t_end=0.1).q,
    "equilibrium": lambda x: iso.equilibrium(x).q,
    "linearise": lambda x: iso.linearise(x).omega,
}


@pytest.mark.parametrize("run", RUNS)
def test_a_mechanism_stands_for_its_system(rod: iso.Mechanism, run: str) -> None:
    assert np.array_equal(RUNS[run](rod), RUNS[run](rod.compile()))


def test_of_a_sequence_each_is_compiled(rod: iso.Mechanism) -> None:
    both = iso.ensemble([rod, rod.compile()], dt=0.01, t_end=0.1)
    assert np.array_equal(both.q[0], both.q[1])


def test_parts_that_are_added_later_count(rod: iso.Mechanism) -> None:
    before = iso.integrate(rod, dt=0.01, t_end=0.1).v[-1]
    rod.add_load(iso.JointSpring("spring", "pin", stiffness=50.0))
    try:
        assert np.abs(iso.integrate(rod, dt=0.01, t_end=0.1).v[-1] - before).max() > 0.1
    finally:
        del rod.loads["spring"]


def test_inverse_dynamics_kinematics_and_index() -> None:
    mech = iso.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    mech.add_joint(iso.Drive("drive", "pin", iso.Polynomial(0.0, 2.0)))
    system = mech.compile()
    moved = iso.kinematics(mech, [0.0, 0.1])
    assert np.array_equal(moved.q, iso.kinematics(system, [0.0, 0.1]).q)
    asked = iso.inverse_dynamics(mech, 0.0, moved.q[0], moved.v[0], moved.a[0])
    assert np.array_equal(asked.lam, moved.lam[0])
    assert iso.analysis.index(mech) == iso.analysis.index(system)


def test_a_beam_stands_for_its_system() -> None:
    beam = cantilever()
    assert np.array_equal(iso.follow_loads(beam).q, iso.follow_loads(beam.compile()).q)
    assert np.array_equal(
        iso.integrate(beam, dt=1e-3, t_end=0.01).q, iso.integrate(beam.compile(), dt=1e-3, t_end=0.01).q
    )


def test_what_describes_no_system_is_refused() -> None:
    import re

    other: Any = re  # has a `compile` of another kind
    with pytest.raises(InputError, match="must be one of isodyn's systems, received module"):
        iso.integrate(other, dt=0.1, t_end=1.0)
