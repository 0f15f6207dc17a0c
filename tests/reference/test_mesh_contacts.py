"""Convex meshes that touch balls and each other."""

import itertools

import numpy as np
import pytest

import isodyn as iso
from isodyn.bodies.rotations import matrix
from isodyn.errors import InputError
from isodyn.joints.hulls import Hull
from isodyn.kernels.compiled import ACCELERATION, POSITION, VELOCITY
from isodyn.models import model_from_text, to_toml

SLAB = np.array([(x, y, z) for x in (-2, 2) for y in (-2, 2) for z in (-1, 0)])
CUBE = np.array([*itertools.product((-0.5, 0.5), repeat=3)])
TETRA = 0.5 * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])


def falling(contact, position=(2.1, 0.3, 0.9), gravity=9.81, inertia=(0.1, 0.1, 0.1), **given):
    mech = iso.Mechanism(gravity=(0, 0, -gravity))
    mech.add_body("body", 1.0, inertia, position, **given)
    mech.add_contact(contact)
    return mech


def pushes(sol, name="touch"):
    """Normal forces of all points of a contact, (rows, points)."""
    names = [one for one in sol.system.contacts.names if one.startswith(f"{name}[")]
    return np.column_stack([sol.contact(one).normal for one in names])


def turns(sol):
    """Rotations of the body, body → world."""
    return np.array([matrix(one) for one in sol.body("body").orientation])


def turned(rng):
    """A random rotation."""
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


# ---- shapes


@pytest.mark.parametrize("corners", [[(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [(0, 0)], [(0, 0, np.nan)] * 4])
def test_what_is_no_body(corners):
    with pytest.raises(InputError, match="corners must"):
        falling(iso.SphereMesh("touch", "body", "ground", 0.5, corners)).compile()
    with pytest.raises(InputError, match="others must"):
        falling(iso.MeshContact("touch", "body", "ground", CUBE, corners)).compile()


def test_bodies_in_the_plane_are_refused():
    mech = iso.Mechanism()
    mech.add_body("flat", 1.0, 1.0, (0, 2), kind="planar")
    mech.add_contact(iso.MeshContact("touch", "flat", "ground", CUBE, SLAB))
    with pytest.raises(InputError, match="'flat' must be a body in space"):
        mech.compile()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_faces_of_hulls(scale):
    """Coplanar triangles are one face, in any size; points inside are none."""
    R = turned(np.random.default_rng(1))
    hull = Hull.of("box", scale * np.concatenate([CUBE, 0.3 * CUBE]) @ R.T + scale)
    assert len(hull.corners) == 8
    assert [len(loop) for loop in hull.loops] == [4] * 6
    assert len(hull.sides[0]) == 12
    for n, loop, d in zip(hull.normals, hull.loops, hull.offsets, strict=True):
        a, b, c = hull.corners[loop[:3]]
        assert np.allclose(np.cross(b - a, c - b) / scale**2, n, atol=1e-12)
        assert np.allclose(hull.corners[loop] @ n, d, atol=1e-12 * scale)


class Two:
    """Two bodies of unit mass whose contact is asked at any state, without a run."""

    def __init__(self, contact):
        mech = iso.Mechanism(gravity=(0, 0, 0))
        for name in ("one", "two"):
            mech.add_body(name, 1.0, (1, 1, 1), (0, 0, 0), orientation=(1, 0, 0, 0))
        mech.add_contact(contact)
        self.system = mech.compile()
        self.twin, self.gaps = self.system.contacts.twin, len(self.system.contacts.names)
        self.model = self.twin.model()

    def ask(self, what, q, v, a=None):
        out, c = np.zeros(self.twin.m), np.array([1.0, 0.0, 0.0, 1.0])
        a = np.zeros(12) if a is None else a
        self.model.function(what, 0.0, q, v, a, np.zeros(0), c, self.model.tables, self.model.scratch, out)
        return out

    def gap(self, q):
        """The smallest gap, of whatever is nearest."""
        self.model.scratch.hulls.chosen = 0
        return self.ask(POSITION, q, np.zeros(12))[: self.gaps].min()

    def bring_together(self, rng):
        """A random state at which they touch."""
        q, way = rng.normal(size=14), rng.normal(size=3)
        for k in (3, 10):
            q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
        q[:3], low, high = 0.0, 0.0, 20.0
        for _ in range(60):
            x = 0.5 * (low + high)
            q[7:10] = x * way
            low, high = (x, high) if self.gap(q) < 0.0 else (low, x)
        return q


def stones(rng):
    """Contacts of every kind that meshes have."""
    one, two = rng.normal(size=(2, 9, 3))
    yield iso.MeshContact("touch", "one", "two", one, two, mu=0.3)
    yield iso.CapsuleMesh("touch", "one", "two", 0.3, 1.5, two, (1, 2, 3), mu=0.3)
    yield iso.SphereMesh("touch", "one", "two", 3.0, two, mu=0.3)


def test_gaps_and_slips_change_as_their_rates_say():
    """Random stones, balls and capsules that touch: rates of gaps, and accelerations of gaps and
    slips, are derivatives along the motion, while what touches stays the same."""
    rng, kinds, h = np.random.default_rng(5), set(), 1e-4
    for _ in range(12):
        for contact in stones(rng):
            two = Two(contact)
            q, v = two.bring_together(rng), rng.normal(size=12)
            two.model.meet(q, v, True)
            two.model.scratch.hulls.held[:] = 1
            kinds |= {int(touch.kind) for touch in two.model.scratch.hulls.touches}
            ends = [two.system.retract(q, s * v) for s in (h, -h, 2 * h, -2 * h)]
            for what, rate, rows in ((POSITION, VELOCITY, two.gaps), (VELOCITY, ACCELERATION, two.twin.m)):
                a, b, c, d = (two.ask(what, x, v)[:rows] for x in ends)
                along = (8.0 * (a - b) - (c - d)) / (12.0 * h)
                found = two.ask(rate, q, v)[:rows]
                size = 1.0 + np.abs(two.ask(ACCELERATION, q, v)).max()
                assert np.abs(along - found).max() < 1e-7 * size
    assert kinds == set(range(7))  # corners, edges and faces with each other


def test_bodies_may_be_given_in_any_order():
    """The same gap, and forces that are opposite."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        first, second = rng.normal(size=(2, 8, 3))
        one = Two(iso.MeshContact("touch", "one", "two", first, second))
        two = Two(iso.MeshContact("touch", "two", "one", second, first))
        q = one.bring_together(rng)
        for x in (1.0, 1.3):
            q[7:10] *= x
            assert abs(one.gap(q) - two.gap(q)) < 1e-12


# ---- balls


def test_a_mesh_of_a_box_is_a_box():
    """Over its edge, with friction and restitution: the same run as with the compiled box, also from
    a file."""
    touch = {"mu": 0.2, "restitution": 0.3}
    mesh = falling(iso.SphereMesh("touch", "body", "ground", 0.5, SLAB, **touch))
    box = falling(iso.SphereBox("touch", "body", "ground", 0.5, (4, 4, 1), box_centre=(0, 0, -0.5), **touch))
    again = model_from_text(to_toml(mesh, dt=0.01, t_end=0.6)).mechanism()
    one, two, three = (iso.integrate(x, dt=0.01, t_end=0.6) for x in (mesh, box, again))
    assert len(one.contact("touch").impacts) > 1
    assert one.t.size == two.t.size
    assert np.abs(one.q - two.q).max() < 1e-9
    assert np.abs(one.v - two.v).max() < 1e-8
    assert one.contact("touch").gap.min() > -1e-12
    assert np.array_equal(one.q, three.q)


def test_a_ball_pushes_a_mesh_away():
    """Both move; momentum and, with e = 1, energy are kept."""
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


# ---- mesh against mesh


@pytest.mark.parametrize("swapped", [False, True])
def test_a_box_falls_as_on_a_plane(swapped):
    """Turning, without friction, through thirteen impacts of its corners: the same run as with the
    compiled box above a plane, until all of the face hits at once and impulses are not unique."""
    given = {"position": (0, 0, 0.8), "velocity": (0.3, 0.1, 0), "angular_velocity": (0.5, 1.0, 0.3)}
    meshes = ("ground", "body", SLAB, CUBE) if swapped else ("body", "ground", CUBE, SLAB)
    mesh = falling(iso.MeshContact("touch", *meshes, restitution=0.2), **given)
    plane = falling(iso.BoxPlane("touch", "body", "ground", size=(1, 1, 1), restitution=0.2), **given)
    one, two = (iso.integrate(x, dt=0.02, t_end=0.35) for x in (mesh, plane))
    assert one.t.size == two.t.size
    assert one.aux["impact_t"].size == 13
    assert np.abs(one.t - two.t).max() < 1e-11
    assert np.abs(one.q - two.q).max() < 1e-10
    assert np.abs(one.v - two.v).max() < 1e-9


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_a_tetrahedron_comes_to_rest_on_a_face(scale):
    """On a corner first, then on a face, with friction and coarse steps; sizes do not matter."""
    start = {"position": (0, 0, 1.2 * scale), "velocity": (0.5 * scale, 0, 0), "angular_velocity": (1, 2, 0.5)}
    touch = iso.MeshContact("touch", "body", "ground", scale * TETRA, 4.0 * scale * SLAB, mu=0.4)
    mech = falling(touch, gravity=9.81 * scale, inertia=[x * scale**2 for x in (0.15, 0.2, 0.25)], **start)
    sol = iso.integrate(mech, dt=0.05, t_end=1.5)
    N = pushes(sol)[-1]
    assert np.count_nonzero(N / scale > 1e-3) == 3
    assert abs(N.sum() - 9.81 * scale) < 1e-9 * scale
    assert np.abs(sol.v[-1]).max() < 1e-9 * scale
    impacts = sol.aux["impact_t"]
    assert (impacts == impacts[0]).sum() == 1  # one corner
    heights = sol.body("body").position[-1, 2] + (turns(sol)[-1] @ (scale * TETRA).T)[2]
    assert np.abs(np.sort(heights)[:3]).max() < 1e-11 * scale


def test_a_box_slides_on_another_and_tips_over_its_edge():
    """As far as friction lets it; a faster one tips forward once its weight and friction, which act
    half a length above the ground, meet the ground beyond the edge, and not before."""
    mu, g, v = 0.25, 9.81, 1.5
    mech = falling(iso.MeshContact("touch", "body", "ground", CUBE, SLAB, mu=mu), (0, 0, 0.5), velocity=(v, 0, 0))
    sol = iso.integrate(mech, dt=0.05, t_end=0.8)
    assert abs(sol.body("body").position[-1, 0] - v**2 / (2.0 * mu * g)) < 1e-9
    assert abs(pushes(sol)[-1].sum() - g) < 1e-9
    mech = falling(iso.MeshContact("touch", "body", "ground", CUBE, SLAB, mu=mu), (1.7, 0.1, 0.5), velocity=(v, 0, 0))
    sol = iso.integrate(mech, dt=0.025, t_end=0.5)
    tilt, x = turns(sol)[:, 0, 2], sol.body("body").position[:, 0]
    assert np.abs(tilt[x < 2.0 - 0.5 * mu]).max() < 1e-10
    assert tilt[-1] > 0.02
    low = [sol.contact(name).gap.min() for name in sol.system.contacts.names]
    assert min(low) > -1e-9


def test_a_stack_of_meshes_carries_its_weight():
    """Three boxes of other sizes, one turned by an eighth so that only edges cross: each pair carries
    what is above it."""
    mech = iso.Mechanism()
    half = np.pi / 8.0
    mech.add_body("low", 3.0, (1, 1, 1), (0, 0, 0.5))
    mech.add_body("high", 2.0, (1, 1, 1), (0, 0, 1.5), orientation=(np.cos(half), 0, 0, np.sin(half)))
    mech.add_body("top", 1.0, (1, 1, 1), (0.1, 0.1, 2.25))
    mech.add_contact(iso.MeshContact("floor", "low", "ground", CUBE, SLAB, mu=0.3))
    mech.add_contact(iso.MeshContact("middle", "low", "high", CUBE, CUBE, mu=0.3))
    mech.add_contact(iso.MeshContact("up", "top", "high", 0.5 * CUBE, CUBE, mu=0.3))
    sol = iso.integrate(mech, dt=0.05, t_end=0.2)
    for name, mass in (("floor", 6.0), ("middle", 3.0), ("up", 1.0)):
        assert np.abs(pushes(sol, name).sum(axis=1) - 9.81 * mass).max() < 1e-9
    assert (pushes(sol, "middle")[-1] > 0.0).sum() == 8
    assert np.abs(sol.v).max() < 1e-12


def test_a_run_with_meshes_goes_on_from_a_file(tmp_path):
    """Bit for bit, from where meshes touch; also a model from a file."""
    start = {"position": (0, 0, 0.6), "velocity": (1, 0, 0), "angular_velocity": (0.5, 0.2, 0.1)}
    mech = falling(iso.MeshContact("touch", "body", "ground", CUBE, SLAB, mu=0.3, restitution=0.2), **start)
    whole = iso.integrate(mech, dt=0.02, t_end=0.24)
    again = model_from_text(to_toml(mech, dt=0.02, t_end=0.24)).mechanism()
    assert np.array_equal(iso.integrate(again, dt=0.02, t_end=0.24).q, whole.q)
    stepper = iso.Stepper(mech, dt=0.02)
    stepper.run_until(0.2)
    kept = stepper.save()
    stepper.run_until(0.24)
    stepper.restore(kept)
    stepper.run_until(0.24)
    assert np.array_equal(stepper.state.q, whole.q[-1])


def test_forces_of_meshes_are_drawn():
    """Arrows stand at the corners, and hold the weight."""
    from isodyn.results.contact_forces import forces_of_contacts

    mech = falling(iso.MeshContact("touch", "ground", "body", SLAB, CUBE, mu=0.3), (0.2, 0, 0.5))
    sol = iso.integrate(mech, dt=0.05, t_end=0.1)
    found = list(forces_of_contacts(sol))
    assert len(found) == 4
    assert np.allclose(sum(force[-1] for _, _, force in found), (0, 0, 9.81))
    assert np.allclose(sum(place[-1] for _, place, _ in found) / 4.0, (0.2, 0, 0))


# ---- capsules


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_capsule_falls_as_on_a_plane(mu):
    """On a face: as the compiled capsule above a plane, through several impacts of its ends; then it
    rests on both."""
    given = {"position": (0, 0, 0.6), "velocity": (0.3, 0.1, 0), "angular_velocity": (0.5, 0.4, 0.3)}
    touch = {"restitution": 0.2, "mu": mu}
    mesh = falling(iso.CapsuleMesh("touch", "body", "ground", 0.2, 1.0, 3 * SLAB, (1, 0.5, 0.2), **touch), **given)
    plane = falling(iso.CapsulePlane("touch", "body", "ground", 0.2, 1.0, (1, 0.5, 0.2), **touch), **given)
    one, two = (iso.integrate(x, dt=0.02, t_end=0.34) for x in (mesh, plane))
    assert one.aux["impact_t"].size == two.aux["impact_t"].size >= 4
    assert np.abs(one.aux["impact_t"] - two.aux["impact_t"]).max() < 1e-9
    assert np.abs(one.q[-1] - two.q[-1]).max() < 1e-8
    assert np.abs(one.v[-1] - two.v[-1]).max() < 1e-7
    N = pushes(iso.integrate(mesh, dt=0.02, t_end=0.6))[-1]
    assert abs(N.sum() - 9.81) < 1e-6
    assert (N > 4.0).sum() == 2


def test_a_capsule_is_two_balls_and_what_is_between():
    """Gaps of capsules to a mesh: the smallest distance of points of the line, less the radius; a
    line through the mesh has a negative one."""
    rng = np.random.default_rng(8)
    for _ in range(8):
        stone, length, radius = rng.normal(size=(12, 3)), 2.5, 0.2
        capsule = Two(iso.CapsuleMesh("touch", "one", "two", radius, length, stone, (0, 0, 1)))
        ball = Two(iso.SphereMesh("touch", "one", "two", radius, stone))
        for factor in (0.0, 0.97, 1.0, 1.5):
            q = capsule.bring_together(rng)
            q[7:10] *= factor
            axis, centre = matrix(q[3:7])[:, 2], q.copy()
            found = []
            for s in np.linspace(-0.5, 0.5, 201):
                centre[:3] = q[:3] + s * length * axis
                found.append(ball.gap(centre))
            gap = capsule.gap(q)
            if min(found) > -radius:
                assert min(found) - 1e-3 < gap < min(found) + 1e-12
            else:
                assert gap <= -radius


def test_a_capsule_lies_across_two_bars():
    """It touches two edges only, each of which carries what the lever says, with friction and
    slides off when one of them is lower."""
    mech = iso.Mechanism()
    mech.add_body("log", 1.0, (0.01, 0.1, 0.1), (0, 0, 0.1))
    for name, x in (("left", -0.3), ("right", 0.2)):
        bar = np.array([(x + a, b, c) for a in (-0.05, 0.05) for b in (-1, 1) for c in (-0.1, 0)])
        mech.add_contact(iso.CapsuleMesh(name, "log", "ground", 0.1, 1.0, bar, mu=0.5))
    sol = iso.integrate(mech, dt=0.01, t_end=0.1)
    left, right = pushes(sol, "left")[-1], pushes(sol, "right")[-1]
    assert abs(left.sum() + right.sum() - 9.81) < 1e-9
    assert (left > 0.0).sum() <= 2
    assert np.abs(sol.v).max() < 1e-10
    lean = sum(N * x for N, x in ((left.sum(), -0.3), (right.sum(), 0.2)))
    assert abs(lean) < 0.05 * 9.81  # within half the width of the bars


@pytest.mark.parametrize("number", [0.0, -1.0, np.inf])
def test_a_capsule_without_size_is_refused(number):
    with pytest.raises(InputError, match="length must be positive"):
        falling(iso.CapsuleMesh("touch", "body", "ground", 0.5, number, SLAB)).compile()
    with pytest.raises(InputError, match="radius must be positive"):
        falling(iso.CapsuleMesh("touch", "body", "ground", number, 1.0, SLAB)).compile()


# ---- steps that impacts cut


def free_fall(start, gap):
    """When a function of the position and rotation of a free body becomes zero, by SciPy."""
    from scipy.integrate import solve_ivp

    J = np.array(start["inertia"])

    def rates(t, y):
        R, w = y[6:15].reshape(3, 3), y[15:]
        turning = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([y[3:6], [0, 0, -9.81], (R @ turning).ravel(), np.cross(J * w, w) / J])

    def event(t, y):
        return gap(y[:3], y[6:15].reshape(3, 3))

    event.terminal = True
    y = np.concatenate([start["position"], start["velocity"], np.eye(3).ravel(), start["angular_velocity"]])
    return float(solve_ivp(rates, (0, 2), y, "DOP853", rtol=1e-13, atol=1e-13, events=event).t_events[0][0])


def test_impacts_of_meshes_are_found_to_second_order():
    """An edge of a body on an edge of the ground, and a corner on a face: the time of the first
    impact against another integrator."""
    wedge = np.array([(0, -3, 0), (0, 3, 0), (-1, -3, -1), (-1, 3, -1), (1, -3, -1), (1, 3, -1)])
    bar = np.array([(-2, 0, -0.3), (2, 0, -0.3), (-2, -0.4, 0.3), (-2, 0.4, 0.3), (2, -0.4, 0.3), (2, 0.4, 0.3)])
    start = {"position": (0.1, 0, 1.0), "velocity": (0.2, 0.1, 0), "angular_velocity": (0.6, 0.3, 2.0)}

    def edges(r, R):
        n = np.cross(R[:, 0], (0.0, 1.0, 0.0))
        return n @ (r + R @ (0, 0, -0.3)) / np.linalg.norm(n) * np.sign(n[2])

    def corner(r, R):
        return (r[2] + (R @ TETRA.T)[2]).min()

    for shape, ground, gap in ((bar, wedge, edges), (TETRA, 3 * SLAB, corner)):
        inertia = (0.1, 0.25, 0.3)
        exact = free_fall({**start, "inertia": inertia}, gap)
        mech = falling(iso.MeshContact("touch", "body", "ground", shape, ground), inertia=inertia, **start)
        found = [iso.integrate(mech, dt=0.04 / n, t_end=exact + 0.01).aux["impact_t"][0] for n in (1, 2, 4, 8)]
        errors = np.abs(np.array(found) - exact)
        assert np.log2(errors[:-1] / errors[1:]).min() > 1.9
        assert errors[-1] < 1e-5
