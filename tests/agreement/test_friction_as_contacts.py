"""Friction on constraints as contacts of a run, against numbers of high precision and closed forms:
two-sided contacts, whose normal force N has either sign and |f| ≤ μ|N|."""

import math

import numpy as np
import pytest

import isodyn as iso
from friction_systems import GRAVITY, hoop, rotating_wire
from isodyn.errors import InputError
from isodyn.gauss import Contact
from isodyn.models import model_from_text, to_toml


def ring():
    """A bead on a level ring: two rows carry it."""
    R, m = 0.5, 0.9
    system = iso.MechanicalSystem(
        m,
        lambda q, v, t: np.array([0.0, 0.0, -m * GRAVITY]),
        [R, 0.0, 0.0],
        [0.0, 4.0, 0.0],
        phi=lambda q, t: np.array([(q[0] ** 2 + q[1] ** 2 - R**2) / (2 * R), q[2]]),
        G=lambda q, t: np.array([[q[0] / R, q[1] / R, 0.0], [0.0, 0.0, 1.0]]),
        b=lambda q, v, t: np.array([-(v[0] ** 2 + v[1] ** 2) / R, 0.0]),
    )
    return system, Contact((0, 1), lambda q, t: np.array([-q[1], q[0], 0.0]) / R, 0.3)


def guide():
    """Two sleeves of a rod, pulled off the line between them: each takes part of the load, and
    friction of one loads the other."""
    m, J, arm = 1.5, 0.2, 0.3
    A = np.array([[0.0, 1.0, -0.4], [0.0, 1.0, 0.5]])
    system = iso.MechanicalSystem(
        np.diag([m, m, J]),
        lambda q, v, t: np.array([-4.0 * q[0], -m * GRAVITY, 3.0 * math.sin(3.0 * t) + 2.0]),
        np.zeros(3),
        [2.0, 0.0, 0.0],
        phi=lambda q, t: A @ q,
        G=lambda q, t: A,
        b=lambda q, v, t: np.zeros(2),
    )
    return system, [Contact(k, [1.0, 0.0, arm * (-1) ** k], 0.25, name=f"sleeve {k}") for k in range(2)]


CASES = {
    # the reaction changes sides twice, slip turns once
    "hoop": (lambda: hoop(9.0, 0.15, 0.7), 0.9, 0.01),
    # slip and reaction vanish together; the row moves
    "wire": (lambda: rotating_wire(2.0, 0.8, -1.1, 0.35), 1.0, 0.04),
    # |N| of two rows, to rest
    "ring": (ring, 1.0, 0.02),
    "guide": (guide, 0.5, 0.02),
}


# q, v, a, λ and |N| at the end, from a method of order eight between located switches, with
# tolerances of 1e-10 and 1e-12, which differ by less than 2e-11
EXACT = {
    "hoop": (
        [0.6068292757460126, 0.34893871968809903],
        [0.905660531496681, -1.5750081415187354],
        [0.13830209333955834, -9.70026314741475],
        [-0.32424970361802197],
        [0.22697479253261535],
    ),
    "wire": (
        [-0.48189503951015583, 1.0529598712376753],
        [-2.7342099273730596, 0.4090490206771333],
        [-4.611750139932987, -4.43513547916726],
        [-3.6234720808304957],
        [3.6234720808304957],
    ),
    "ring": (
        [-0.4998783980433068, -0.011026657229520183, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, -8.829],
        [8.829],
    ),
    "guide": (
        [0.6026290948944736, 0.0, 0.0],
        [0.27508681085623155, 0.0, 0.0],
        [-4.059510919718598, 0.0, 0.0],
        [-12.812961866487775, -1.902038133512226],
        [12.812961866487775, 1.902038133512226],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_all_is_of_second_order(case):
    make, t_end, dt = CASES[case]
    system, contacts = make()
    rough, missed = iso.with_friction(system, contacts), []
    for part in (1, 2, 4):
        sol = iso.integrate(rough, dt=dt / part, t_end=t_end)
        normal = [sol.contact(name).normal[-1] for name in sol.system.contacts.names]
        found = sol.q[-1], sol.v[-1], sol.a[-1], sol.lam[-1], normal
        missed.append([np.abs(np.subtract(x, y)).max() for x, y in zip(found, EXACT[case], strict=True)])
        assert max(sol.drift().largest[:2]) < 1e-14
    missed = np.array(missed)
    small = missed[0] < 1e-11  # at rest, or straight
    assert (np.log2(missed[0, ~small] / missed[-1, ~small]) > 2 * 1.9).all()
    assert (missed[:, small] < 1e-10).all()


def wheel(**dry):
    """A wheel on an upright axle, which carries its weight."""
    mech = iso.Mechanism()
    mech.add_body("wheel", 3.0, (0.2, 0.2, 0.4), angular_velocity=(0, 0, 5.0))
    mech.add_joint(iso.Hinge("axle", "ground", "wheel", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_contact(iso.DryJoint("rust", "axle", **dry))
    return mech


def test_a_wheel_on_a_dry_axle_stops():
    """Torque μ r m g: it stops after ω₀I/M, having turned by ω₀²I/2M, and friction has taken ½Iω₀²."""
    mu, r = 0.3, 0.1
    sol = iso.integrate(wheel(mu=mu, radius=r), dt=0.07, t_end=3.0)
    M = mu * r * 3.0 * GRAVITY
    assert abs(sol.joint("axle").angle[-1] - 5.0**2 * 0.4 / (2 * M)) < 1e-12
    assert np.abs(sol.v[sol.t > 5.0 * 0.4 / M]).max() < 1e-14
    rust = sol.contact("rust")
    assert rust.mode[-1] == 1
    assert np.abs(rust.normal - 3.0 * GRAVITY).max() < 1e-12
    assert np.abs(rust.tangential[sol.t < 2.0] + mu * 3.0 * GRAVITY).max() < 1e-12
    assert np.abs(sol.energy_balance()).max() < 3e-4 * 5.0  # the row of rest is not kept


def test_a_dry_joint_takes_part_in_impacts():
    """A stop throws a heavy rod back; what the hinge carries of the impact rubs, and energy only
    falls. Without friction it is lost nowhere."""
    lost = []
    for mu in (0.0, 0.4):
        mech = iso.Mechanism()
        mech.add_body("rod", 2.0, (0.02, 0.3, 0.3), position=(0.6, 0, 0))
        mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
        mech.add_contact(iso.JointStop("stop", "pin", high=0.4, restitution=1.0))
        mech.add_contact(iso.DryJoint("dry", "pin", mu=mu, radius=0.1))
        sol = iso.integrate(mech, dt=0.01, t_end=1.5)
        energy = np.sum(sol.energy(), axis=0)
        assert len(sol.contact("stop").impacts) > 1
        assert sol.contact("stop").gap.min() > -1e-13
        assert np.diff(energy).max() < (1e-4 if mu == 0.0 else 1e-12) * 10.0
        assert sol.contact("dry").lost >= 0.0
        lost.append(sol.contact("dry").lost)
    assert lost[0] < 1e-12
    assert lost[1] > 0.01


def test_dry_joints_in_model_files():
    """Written and read, they give the same run."""
    mech = wheel(mu=0.3, radius=0.1, mu_static=0.5)
    again = model_from_text(to_toml(mech, dt=0.05, t_end=0.5)).mechanism()
    one, two = (iso.integrate(x, dt=0.05, t_end=0.5) for x in (mech, again))
    assert np.array_equal(one.q, two.q)
    assert two.contact("rust").mode[-1] == 2


def test_what_cannot_be_is_told():
    system, contact = hoop(3.0, 0.1, 0.5)
    with pytest.raises(InputError, match="'wire' is unilateral"):
        iso.with_friction(system, Contact(0, [1.0, 0.0], 0.2, unilateral=True, name="wire"))
    with pytest.raises(InputError, match="scale of 'contact' must be a number"):
        iso.with_friction(system, Contact(0, [1.0, 0.0], 0.2, scale=lambda q, t: 1.0))
    with pytest.raises(InputError, match="has contacts already"):
        iso.with_friction(iso.with_friction(system, contact), contact)
    twice = iso.MechanicalSystem(
        1.0,
        lambda q, v, t: np.array([0.0, -1.0]),
        np.zeros(2),
        np.zeros(2),
        phi=lambda q, t: np.array([q[1], 2.0 * q[1]]),
    )
    with pytest.raises(InputError, match="normal force of 'contact' is not determined"):
        iso.integrate(iso.with_friction(twice, Contact(0, [1.0, 0.0], 0.2)), dt=0.1, t_end=1.0)
    mech = iso.Mechanism()
    mech.add_body("rod", 1.0, (0.1, 0.1, 0.1), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_contact(iso.DryJoint("dry", "pin", mu=0.1, radius=-1.0))
    with pytest.raises(InputError, match="radius must be positive"):
        mech.compile()


@pytest.mark.parametrize("dt", [0.02, 0.05, 0.083, 0.1])
def test_slip_ends_at_its_place_whatever_the_step(dt):
    """A block on a slope rests at v²/2d to rounding: the end of slip is found as well as times can be
    told, also where a step obeys the laws of sliding and of rest within its tolerance."""
    angle, mu, speed, m = 0.5, 0.9, 3.0, 2.0
    down, normal = np.array([np.cos(angle), -np.sin(angle)]), np.array([np.sin(angle), np.cos(angle)])
    system = iso.MechanicalSystem(
        m,
        lambda q, v, t: np.array([0.0, -m * 9.81]),
        [0.0, 0.0],
        speed * down,
        phi=lambda q, t: np.array([normal @ q]),
        G=lambda q, t: normal[None],
        b=lambda q, v, t: np.zeros(1),
    )
    sol = iso.integrate(iso.with_friction(system, iso.gauss.Contact(0, down, mu)), dt=dt, t_end=1.3)
    brake = 9.81 * (mu * np.cos(angle) - np.sin(angle))
    assert abs(sol.q[-1] @ down - speed**2 / (2.0 * brake)) < 1e-13
