"""Models that answer φ and φ̇ together answer what they say to each question alone, bit for bit."""

import numpy as np
import pytest

from isodyn.kernels.compiled import KNOWS_LEVELS, LEVELS, OK, POSITION, VELOCITY
from isodyn.systems.model import from_python
from ready_systems import with_constraints

SYSTEMS = with_constraints()
KNOWING = [name for name, system in SYSTEMS.items() if system.model().traits & KNOWS_LEVELS]


def test_mechanisms_and_tables_of_rows_know_them():
    assert {"rigid_pendulum", "slider_crank", "planar_chain", "spatial_chain", "robot_arm", "beam_and_bodies"} <= set(
        KNOWING
    )


@pytest.mark.parametrize("name", KNOWING)
def test_levels(name):
    system, rng = SYSTEMS[name], np.random.default_rng(5)
    model, m = system.model(), system.m
    q = system.q0 + 0.1 * rng.standard_normal(system.nq)
    v, a, lam = rng.standard_normal(system.nv), rng.standard_normal(system.nv), rng.standard_normal(m)
    both, apart = np.full(2 * m, 7.0), np.zeros(2 * m)
    both[system.m_phi : m] = 0.0  # rows without φ are not written
    asked = 0.3, q, v, a, lam, np.ones(4), model.tables, model.scratch
    assert model.function(LEVELS, *asked, both) == OK
    assert model.function(POSITION, *asked, apart[:m]) == OK
    assert model.function(VELOCITY, *asked, apart[m:]) == OK
    assert np.array_equal(both, apart)
    assert np.abs(apart).max() > 1e-3


def test_models_in_python_are_asked_one_by_one():
    class Answers:
        solver = "none"

        def answer(self, *asked):
            return OK

    assert not from_python(Answers(), KNOWS_LEVELS).traits & KNOWS_LEVELS
