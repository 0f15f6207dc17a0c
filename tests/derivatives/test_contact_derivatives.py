"""Gaps and slips of contacts: rates are derivatives of gaps, accelerations those of rates, and the
stiffness is that of the gradient; on faces, edges and corners, inside and outside."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.joints.balls import ball_stiffness
from isodyn.joints.measures import BALL, BALL_SLIP, Pose, WordNumbers, measure
from isodyn.systems.questions import Questions

CONTACTS = {
    "balls": iso.SphereSphere("c", "one", "two", radii=(0.2, 0.3), mu=0.3),
    "face": iso.SphereBox("c", "one", "two", radius=0.2, size=(3, 3, 0.4), mu=0.3),
    "edge": iso.SphereBox("c", "one", "two", radius=0.2, size=(0.2, 3, 0.4), rounding=0.1, mu=0.3),
    "corner": iso.SphereBox("c", "one", "two", radius=0.2, size=(0.2, 0.1, 0.4), mu=0.3),
    "inside": iso.SphereBox("c", "one", "two", radius=0.2, size=(3, 3, 4), mu=0.3),
    "capsule": iso.SphereCapsule("c", "one", "two", radii=(0.2, 0.1), length=2.0, mu=0.3),
    "cap": iso.SphereCapsule("c", "one", "two", radii=(0.2, 0.1), length=0.1, mu=0.3),
    "journal": iso.Journal("c", "one", "two", clearance=1.5, radius=0.3, axis=(0.3, 0.2, 1.0), mu=0.3),
    "cylinder": iso.CylinderPlane("c", "one", "two", radius=0.2, length=0.5, axis=(0.3, 1, 0.2), mu=0.3),
    "polygon": iso.PolygonPlane("c", "one", "two", corners=((1, 0, 0), (0, 1, 0.2)), mu=0.3),
}


def two_bodies(part):
    mech = iso.Mechanism()
    turned = Rotation.from_rotvec([0.2, -0.4, 0.3])
    mech.add_body("one", 1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.9), turned, velocity=(0.3, -0.2, 0.1))
    mech.add_body("two", 2.0, (0.3, 0.2, 0.4), (-0.1, 0.1, 0.0), Rotation.from_rotvec([0.1, 0.2, 0.1]))
    mech.add_contact(part)
    return mech.compile()


@pytest.mark.parametrize("kind", CONTACTS)
def test_rates_and_accelerations(kind):
    """Along a motion with constant accelerations of the coordinates of v."""
    system = two_bodies(CONTACTS[kind])
    twin = system.contacts.twin
    ask, rng = Questions(twin), np.random.default_rng(5)
    v, a, h = rng.normal(size=system.nv), rng.normal(size=system.nv), 1e-5
    many = len(system.contacts.names)

    def at(s):
        return system.retract(system.q0, s * v + 0.5 * s * s * a), v + s * a

    rates, before, after = ask.velocity(0.0, *at(0.0)), at(-h), at(h)
    gaps = [ask.position(0.0, *x)[:many] for x in (before, after)]
    assert np.abs((gaps[1] - gaps[0]) / (2 * h) - rates[:many]).max() < 1e-9 * (1 + np.abs(rates).max())
    slopes = (ask.velocity(0.0, *after) - ask.velocity(0.0, *before)) / (2 * h)
    found = ask.acceleration(0.0, *at(0.0), a)
    assert np.abs(slopes - found).max() < 1e-8 * (1 + np.abs(found).max())
    assert np.abs(ask.G(0.0, *at(0.0)) @ v - rates).max() < 1e-13 * (1 + np.abs(rates).max())


def poses(d):
    """Poses of two bodies, moved by d."""
    found = []
    for k, turn in enumerate(([0.2, -0.4, 0.3], [0.1, 0.2, 0.1])):
        pose = Pose()
        pose.position = np.array([[0.3, 0.4, 0.9], [-0.1, 0.1, 0.0]][k]) + d[6 * k : 6 * k + 3]
        pose.R = (Rotation.from_rotvec(turn) * Rotation.from_rotvec(d[6 * k + 3 : 6 * k + 6])).as_matrix()
        found.append(pose)
    return found


@pytest.mark.parametrize("sliding", [False, True])
@pytest.mark.parametrize("half", [(0, 0, 0), (1.5, 1.5, 0.2), (0.1, 1.5, 0.2), (0.1, 0.05, 0.2), (0, 0, np.inf)])
def test_stiffness_of_balls(half, sliding):
    """Against differences of the gradient."""
    word = WordNumbers()
    word.s_i, word.s_j, word.half, word.radius = [0.1, 0.0, -0.1], [0.0, 0.2, 0.1], half, 0.3
    word.c1, word.c, word.along, word.facing = [1.0, 0, 0], [0, 0, 1.0], [0.8, 0, -0.6], [0.6, 0, 0.8]
    K, h = np.zeros((12, 12)), 1e-6
    ball_stiffness(sliding, *poses(np.zeros(12)), word, K)
    for k in range(12):
        ends = []
        for side in (-h, h):
            d, g = np.zeros(12), np.zeros(12)
            d[k] = side
            measure(BALL_SLIP if sliding else BALL, *poses(d), word, g)
            ends.append(g)
        assert np.abs((ends[1] - ends[0]) / (2 * h) - K[:, k]).max() < 1e-8
