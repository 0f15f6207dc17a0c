"""One beam in several forms: formulations, full and sparse matrices, plane and space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels.compiled import CONSTRAINT, JACOBIAN
from isodyn.systems.questions import Questions

SECTION = iso.Section(EA=1e4, EI=10.0, rhoA=1.0, damping=0.002)


def frame() -> Any:
    """Two welded pieces, clamped at one end."""
    beam = iso.Beam([(0, 0), (0, 1), (1, 1)], elements=8, section=SECTION, gravity=(0, -9.81))
    beam.clamp("start")
    beam.torque("end", 3.0)
    return beam.compile()


@pytest.mark.parametrize(
    "formulation",
    [
        iso.VelocityLevel(),
        iso.Baumgarte(),
        iso.Projection(),
        iso.Overdetermined(),
        iso.GGL(),
        iso.AccelerationLevel(),
    ],
    ids=lambda f: type(f).__name__,
)
def test_formulations_agree(formulation: Any) -> None:
    """With the default, to a part of the step's error."""
    runs = [
        iso.integrate(frame(), scheme=iso.Scheme.optimal(0.8), formulation=f, dt=1e-3, t_end=0.1)
        for f in (None, formulation)
    ]
    assert np.abs(runs[0].q[-1] - runs[1].q[-1]).max() < 1e-5
    assert runs[0].drift().position.max() < 1e-12


def test_sparse_matrices_equal_full_ones() -> None:
    """J and G of a frame, with multipliers of the welded corner."""
    system = frame()
    full, sparse = Questions(system), Questions(system, sparse=True)
    rng = np.random.default_rng(1)
    q, v, a = system.q0 + 0.1 * rng.normal(size=system.nq), rng.normal(size=system.nv), rng.normal(size=system.nv)
    lam, n, p = rng.normal(size=system.m), system.nv, system.layout.sparsity
    for weights in ((1, 0, 0), (0.3, 0.2, 0.1)):
        J = full.ask(JACOBIAN, 0.0, q, v, a, n * n, lam, weights).reshape(n, n)
        values = sparse.ask(JACOBIAN, 0.0, q, v, a, p.J_columns.size, lam, weights)
        rows = np.repeat(np.arange(n), np.diff(p.J_starts))
        other = np.zeros((n, n))
        other[rows, p.J_columns] = values
        assert np.array_equal(J, other)
    assert np.array_equal(full.G(0.0, q, v), sparse.G(0.0, q, v).toarray())
    h = 1e-5
    phi = np.array([(full.position(0.0, q + h * e, v) - full.position(0.0, q - h * e, v)) / (2 * h) for e in np.eye(n)])
    assert np.abs(phi.T - full.ask(CONSTRAINT, 0.0, q, v, a, system.m * n).reshape(-1, n)).max() < 1e-9


def test_cable_in_a_plane_of_space_moves_like_the_planar_beam() -> None:
    """A swinging flexible pendulum in the plane and in a turned plane of space."""
    section = iso.Section(EA=1e4, EI=1.0, rhoA=1.0)
    c, s = np.cos(0.7), np.sin(0.7)
    to_space = np.array([[c, 0.0], [s, 0.0], [0.0, 1.0]])
    flat = iso.Beam([(0, 0), (1, 0)], elements=6, section=section, gravity=(0, -9.81))
    space = iso.Beam([(0, 0, 0), (c, s, 0)], elements=6, section=section, gravity=(0, 0, -9.81))
    runs = []
    for beam in (flat, space):
        beam.hinge("start")
        runs.append(iso.integrate(beam.compile(), scheme=iso.Scheme.optimal(0.8), dt=1e-3, t_end=0.3))
    moved = runs[0].q.reshape(-1, 14, 2) @ to_space.T
    assert np.abs(moved - runs[1].q.reshape(-1, 14, 3)).max() < 1e-9
    assert runs[0].q[-1, -3] < -0.3
