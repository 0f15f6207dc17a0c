"""Balls on convex meshes, whose distances come from coal."""

import sys

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.models import model_from_text, to_toml

SLAB = [(x, y, z) for x in (-2, 2) for y in (-2, 2) for z in (-1, 0)]


def ball(contact, position=(2.1, 0.3, 0.9)):
    mech = iso.Mechanism()
    mech.add_body("ball", 1.0, (0.1, 0.1, 0.1), position)
    mech.add_contact(contact)
    return mech


def test_without_the_library(monkeypatch):
    """A named error, with what to install."""
    monkeypatch.setitem(sys.modules, "coal", None)
    with pytest.raises(InputError, match="'touch' needs coal, which is not installed"):
        ball(iso.SphereMesh("touch", "ball", "ground", 0.5, SLAB)).compile()


@pytest.mark.parametrize("corners", [[(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [(0, 0)], [(0, 0, np.nan)] * 4])
def test_what_is_no_body(corners):
    with pytest.raises(InputError, match="corners must"):
        ball(iso.SphereMesh("touch", "ball", "ground", 0.5, corners)).compile()


def test_a_mesh_of_a_box_is_a_box():
    """Over its edge, with friction and restitution: the same run as with the compiled box, also from
    a file."""
    pytest.importorskip("coal")
    touch = {"mu": 0.2, "restitution": 0.3}
    mesh = ball(iso.SphereMesh("touch", "ball", "ground", 0.5, SLAB, **touch))
    box = ball(iso.SphereBox("touch", "ball", "ground", 0.5, (4, 4, 1), box_centre=(0, 0, -0.5), **touch))
    again = model_from_text(to_toml(mesh, dt=0.01, t_end=0.6)).mechanism()
    one, two, three = (iso.integrate(x, dt=0.01, t_end=0.6) for x in (mesh, box, again))
    assert len(one.contact("touch").impacts) > 1
    assert one.t.size == two.t.size
    assert np.abs(one.q - two.q).max() < 1e-9
    assert np.abs(one.v - two.v).max() < 1e-8
    assert one.contact("touch").gap.min() > -1e-9
    assert np.array_equal(one.q, three.q)


def test_a_ball_pushes_a_mesh_away():
    """Both move; momentum and, with e = 1, energy are kept."""
    pytest.importorskip("coal")
    points = np.random.default_rng(3).normal(size=(30, 3)) * 0.4
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("ball", 1.0, (0.1, 0.1, 0.1), (-2, 0.1, 0.2), velocity=(3, 0, 0))
    mech.add_body("stone", 2.0, (0.2, 0.3, 0.4), (0, 0, 0), angular_velocity=(0.1, 0.4, -0.3))
    mech.add_contact(iso.SphereMesh("touch", "ball", "stone", 0.3, points, restitution=1.0))
    sol = iso.integrate(mech, dt=0.02, t_end=1.0)
    assert len(sol.contact("touch").impacts) == 2
    momentum = sol.v[:, :3] + 2.0 * sol.v[:, 6:9]
    assert np.abs(momentum - momentum[0]).max() < 1e-12
    energy = np.sum(sol.energy(), axis=0)
    assert np.abs(energy - energy[0]).max() < 1e-4 * energy[0]
    assert abs(sol.contact("touch").lost) < 1e-10
