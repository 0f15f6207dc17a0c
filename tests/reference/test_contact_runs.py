"""Runs with contacts beside events, controllers, checkpoints, adaptive steps, steppers and ensembles,
and friction of rest above that of sliding, against closed forms."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.results import Checkpoint

G = 9.81
FIRST = np.sqrt(2.0 / G)


def ball(e=0.9):
    return iso.MechanicalSystem(
        1.0,
        lambda q, v, t: [-G],
        [1.0],
        [0.0],
        gap=lambda q, t: q,
        gap_q=lambda q, t: np.eye(1),
        restitution=e,
    )


def crossings(height, e, t_end):
    """When a ball from height 1 is at a height."""
    found, t, u = [np.sqrt(2.0 * (1.0 - height) / G)], FIRST, e * G * FIRST
    while t < t_end and u * u > 2.0 * G * height:
        root = np.sqrt(u * u - 2.0 * G * height)
        found += [t + (u - root) / G, t + (u + root) / G]
        t, u = t + 2.0 * u / G, e * u
    return [t for t in found if t < t_end]


def rod_on_a_stop(high, e, motor=False):
    mech = iso.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_contact(iso.JointStop("stop", "pin", high=high, restitution=e))
    if motor:
        mech.add_load(iso.Motor("motor", "pin", torque=0.0))
    return mech


def test_events_between_impacts():
    """All crossings of a height are found, also in steps that end at impacts."""
    sol = iso.integrate(ball(), dt=0.1, t_end=2.0, events=[iso.Event(lambda s: s.q[0] - 0.3)])
    assert np.abs(sol.aux["event_times"][0] - crossings(0.3, 0.9, 2.0)).max() < 1e-13


def test_events_that_act():
    """One ends the run at the first apex; one puts the ball on the floor, which is an impact."""
    top = iso.Event(lambda s: s.v[0], direction=-1, terminal=1)
    sol = iso.integrate(ball(), dt=0.02, t_end=2.0, events=[top])
    assert abs(sol.t[-1] - 1.9 * FIRST) < 1e-14
    down = iso.Event(lambda s: s.q[0] - 0.5, direction=-1, action=lambda s: s._replace(q=np.zeros(1)))
    sol = iso.integrate(ball(0.5), dt=0.02, t_end=0.4, events=[down])
    (hit,) = sol.contact(0).impacts
    assert abs(hit.t - np.sqrt(1.0 / G)) < 1e-14
    assert abs(hit.normal - 1.5 * np.sqrt(G)) < 1e-13
    assert abs(sol.q[-1, 0] - (0.5 * np.sqrt(G) * (0.4 - hit.t) - 0.5 * G * (0.4 - hit.t) ** 2)) < 1e-13


def test_adaptive_steps_find_impacts_to_their_tolerance():
    """Errors of the times of impacts are proportional to rtol; rest and its force at rounding."""
    mech = rod_on_a_stop(0.5, 0.3)
    found = {}
    for rtol in (1e-6, 1e-5, 1e-4, 1e-3):
        sol = iso.integrate(mech, dt=iso.Adaptive(rtol=rtol), t_end=1.5)
        stop = sol.contact("stop")
        found[rtol] = np.array([one.t for one in stop.impacts[:4]])
        assert stop.gap.min() > -1e-13
        assert abs(stop.normal[-1] - 0.5 * G * np.cos(0.5)) < 1e-12
    errors = [np.abs(found[rtol] - found[1e-6]).max() for rtol in (1e-5, 1e-4, 1e-3)]
    assert 7.0 < errors[2] / errors[1] < 13.0
    assert 7.0 < errors[1] / errors[0] < 16.0
    assert errors[2] < 1e-4


def test_adaptive_steps_follow_all_bounces():
    """Free flight needs few steps, each of which may be as long as many bounces."""
    sol = iso.integrate(ball(), dt=iso.Adaptive(rtol=1e-3), t_end=9.0)
    floor = sol.contact(0)
    assert abs(floor.impacts[5].t - FIRST * (1.0 + 2.0 * sum(0.9**k for k in range(1, 6)))) < 1e-12
    rest = sol.t[np.flatnonzero(floor.mode > 0)[0]]
    assert 0.0 < FIRST * 1.9 / 0.1 - rest < 0.01
    assert abs(floor.normal[-1] - G) < 1e-9


def test_adaptive_steps_need_a_balance_at_the_end():
    with pytest.raises(InputError, match="a scheme whose balance is at the end"):
        iso.integrate(rod_on_a_stop(0.5, 0.3), iso.Scheme.optimal(0.8), dt=iso.Adaptive(rtol=1e-3), t_end=0.1)


@pytest.mark.parametrize("dt", [0.02, iso.Adaptive(rtol=1e-3)], ids=["fixed", "adaptive"])
def test_checkpoints_go_on_bit_for_bit(tmp_path, dt):
    """Through impacts to rest; laws of impacts and what is closed go with them."""
    given = {"dt": dt, "t_end": 3.0, "impacts": iso.Impacts(law="newton")}
    whole = iso.integrate(ball(0.6), checkpoint=Checkpoint(tmp_path / "whole", every=7), **given)
    kept = Checkpoint(tmp_path / "part", every=7)
    iso.integrate(ball(0.6), checkpoint=kept, observe=lambda s: s.t > 1.2, **given)
    again = iso.resume(tmp_path / "part", ball(0.6))
    assert again.q.tobytes() == whole.q.tobytes()
    one, two = again.contact(0), whole.contact(0)
    assert one.normal.tobytes() == two.normal.tobytes()
    assert [hit.t for hit in one.impacts] == [hit.t for hit in two.impacts]
    with pytest.raises(InputError, match="belongs to another system"):
        iso.resume(tmp_path / "part", ball(0.7))


def test_stepper_and_ensemble_take_the_same_steps():
    """A stone that hops and slides: bit for bit the run of `integrate`; a saved state goes on alike."""
    mech = iso.Mechanism()
    mech.add_body("stone", mass=1.0, kind="particle", position=(0, 0, 0.5), velocity=(1, 0, 0))
    mech.add_contact(iso.PointPlane("floor", "stone", "ground", restitution=0.5, mu=0.3))
    system = mech.compile()
    sol = iso.integrate(system, dt=0.01, t_end=1.2)
    grid = [int(np.argmin(np.abs(sol.t - 0.01 * n))) for n in range(121)]
    stepper = iso.Stepper(system, dt=0.01)
    for n in range(1, 121):
        stepper.step()
        assert (stepper.state.q == sol.q[grid[n]]).all()
        assert (stepper.state.a == sol.a[grid[n]]).all()
        if n == 30:
            saved = stepper.save()
    last = stepper.state
    stepper.restore(saved)
    stepper.run_until(1.2)
    assert (stepper.state.q == last.q).all()
    v0 = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, -1.0]])
    ens = iso.ensemble(system, dt=0.01, t_end=1.0, v0=v0)
    for k in range(2):
        alone = iso.integrate(dataclasses.replace(system, v0=v0[k]), dt=0.01, t_end=1.0)
        assert (ens[k].q[-1] == alone.q[-1]).all()
        assert ens[k].contact("floor").lost == alone.contact("floor").lost


def test_controller_pulls_a_joint_off_its_stop():
    """Forces change at samples, with contacts closed: second order, and the stop opens."""
    ends = {}
    for dt in (0.02, 0.01, 0.005):
        mech = rod_on_a_stop(0.3, 0.0, motor=True)
        law = lambda t, x: 0.0 if t < 0.49 else -20.0  # noqa: E731
        mech.add_controller("pull", every=0.1, reads=("pin.angle",), writes=("motor",), law=law)
        sol = iso.integrate(mech, dt=dt, t_end=0.7)
        held = np.flatnonzero(np.abs(sol.t - 0.4) < 1e-9)[0]
        assert abs(sol.contact("stop").normal[held] - 0.5 * G * np.cos(0.3)) < 1e-12
        assert sol.contact("stop").mode[-1] == 0
        ends[dt] = sol.joint("pin").angle[-1]
    assert 1.9 < np.log2((ends[0.02] - ends[0.01]) / (ends[0.01] - ends[0.005])) < 2.1


def test_rows_at_named_times():
    """Gaps and forces at times that lie between steps."""
    sol = iso.integrate(ball(0.0), dt=0.02, t_end=1.0, save=[0.0, 0.333, 0.777, 1.0])
    floor = sol.contact(0)
    assert np.abs(floor.gap - [1.0, 1.0 - 0.5 * G * 0.333**2, 0.0, 0.0]).max() < 1e-12
    assert np.abs(floor.normal - [0.0, 0.0, G, G]).max() < 1e-9
    assert floor.mode.tolist() == [0, 0, 2, 2]


def belt(speed=0.2, k=10.0, **friction):
    """A mass on a spring, on a belt."""
    return iso.MechanicalSystem(
        np.eye(2),
        lambda q, v, t: np.array([-k * q[0], -G]),
        [0.0, 0.0],
        [speed, 0.0],
        gap=lambda q, t: q[1:],
        gap_q=lambda q, t: np.array([[0.0, 1.0]]),
        slip=lambda q, v, t: v[:1] - speed,
        slip_v=lambda q, v, t: np.array([[1.0, 0.0]]),
        **friction,
    )


def test_stick_and_slip_on_a_belt():
    """mu_static > mu: torn loose, sliding, stuck again, in closed form; second order."""
    k, speed, mu, rest = 10.0, 0.2, 0.3, 0.5
    w, far, middle = np.sqrt(k), rest * G / k, mu * G / k
    A, torn = far - middle, far / speed
    phase = 2.0 * np.arctan2(A * w, speed)  # sliding ends where the speed is that of the belt again
    slide = (2.0 * np.pi - phase) / w
    back = middle + A * np.cos(w * slide) + speed / w * np.sin(w * slide)
    period = slide + (far - back) / speed

    def exact(t):
        s = (t - torn) % period
        if t <= torn or s > slide:
            return speed * t if t <= torn else back + speed * (s - slide)
        return middle + A * np.cos(w * s) + speed / w * np.sin(w * s)

    errors = []
    for dt in (0.08, 0.04, 0.02):
        sol = iso.integrate(belt(mu=mu, mu_static=rest), dt=dt, t_end=6.0)
        errors.append(np.abs(sol.q[:, 0] - [exact(t) for t in sol.t]).max())
        assert np.count_nonzero(np.diff(sol.contact(0).mode)) == 3
    assert np.log2(np.array(errors[:-1]) / errors[1:]).min() > 1.9
    with pytest.raises(InputError, match="mu_static must not be less than mu"):
        belt(mu=0.5, mu_static=0.3)


def test_friction_of_rest_in_space():
    """A block on a tilted plane holds below mu_static and, once it slides, is slowed by mu."""
    for slope, slides in ((0.45, False), (0.6, True)):
        mech = iso.Mechanism(gravity=(G * np.sin(np.arctan(slope)), 0, -G * np.cos(np.arctan(slope))))
        mech.add_body("block", 1.0, kind="particle")
        mech.add_contact(iso.PointPlane("plane", "block", "ground", mu=0.3, mu_static=0.5))
        sol = iso.integrate(mech, dt=0.02, t_end=0.5)
        a = G * (np.sin(np.arctan(slope)) - 0.3 * np.cos(np.arctan(slope))) if slides else 0.0
        assert np.abs(sol.a[:, 0] - a).max() < 1e-10
        assert sol.contact("plane").mode[-1] == (2 if slides else 1)
    mech.add_contact(iso.PointPlane("other", "block", "ground", mu=0.3, mu_static=0.2))
    with pytest.raises(InputError, match="mu_static must not be less than mu"):
        mech.compile()


ALONE = """
import sys, isodyn as iso
mech = iso.Mechanism()
mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
iso.integrate(mech, dt=0.01, t_end=0.1)
below = [name for name in sys.modules if name.startswith(("isodyn.stepping.", "isodyn.marching.", "isodyn.linear_solvers."))]
print(len(below), [name for name in below if "contact" in name or name.endswith(("complementarity", "lemke"))])
"""


def test_runs_without_contacts_load_nothing_of_them():
    """Their steps, marches and solvers are other kernels, which such a run does not even load."""
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    many, found = done.stdout.split(maxsplit=1)
    assert int(many) > 20
    assert found.strip() == "[]"
