"""Kernels read the tables of a model and write to its scratch memory only: threads and members of an
ensemble may share tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels.compiled import JACOBIAN, RATE, RETRACT, RETRACTS
from isodyn.models import model_from_text
from isodyn.systems.questions import Questions
from model_texts import EVERYTHING


def clamped_beam() -> Any:
    section = iso.Section(EA=1e4, EI=5.0, rhoA=0.7, damping=1e-3)
    beam = iso.Beam([(0, 0), (1, 0)], elements=3, section=section, model="green-lagrange", gravity=(0, -9.81))
    beam.clamp("start")
    beam.torque("end", 0.3, time=iso.Formula("sin(5*t)"))
    return beam.compile()


@pytest.mark.parametrize("make", [lambda: model_from_text(EVERYTHING).system(), clamped_beam])
def test_questions_leave_the_tables_as_they_are(make: Any) -> None:
    system, rng = make(), np.random.default_rng(1)
    q, v, a = system.q0, rng.normal(size=system.nv), rng.normal(size=system.nv)
    for model in (system.sparse_model(), system.dense_model()):
        before = model.tables.words.copy()
        ask = Questions(system, model, sparse=True)
        lam = rng.normal(size=system.m)
        ask.balance(0.3, q, v, a, lam)
        ask.ask(JACOBIAN, 0.3, q, v, a, model.tables.J_size, lam, (1.0, 0.5, 0.25))
        ask.G(0.3, q, v)
        for rows in (ask.position(0.3, q, v), ask.velocity(0.3, q, v), ask.acceleration(0.3, q, v, a)):
            assert np.isfinite(rows).all()
        if model.traits & RETRACTS:
            ask.ask(RETRACT, 0.3, q, 1e-3 * v, a, system.nq)
            ask.ask(RATE, 0.3, q, v, a, system.nq)
        assert np.array_equal(model.tables.words, before)
        assert not np.shares_memory(model.scratch.words, system.scratch.words)


def test_load_factors_of_statics_stay_with_statics() -> None:
    """A load path scales the loads in tables of its own."""
    system = clamped_beam()
    iso.follow_loads(system)
    assert (system.tables.load_factor, system.model().tables.load_factor) == (1.0, 1.0)
