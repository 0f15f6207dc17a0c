"""Small motions against closed forms: frequencies, damping, modes, response to loads and drives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

import isodyn as iso
import linkages
from isodyn.errors import InputError

G = 9.81


def rod(damping: float = 0.0) -> iso.Mechanism:
    """A rod of length 1 hanging in a hinge about y."""
    mech = iso.Mechanism()
    linkages.add_bar(mech, "rod", (0, 0, 0), (0, 0, -1.0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    if damping:
        mech.add_load(iso.JointSpring("oil", "pin", damping=damping))
    return mech


def test_physical_pendulum():
    """ω² = m g s/(J + m s²) = 3g/2l of a rod."""
    lin = iso.linearise(rod().compile())
    assert lin.omega == pytest.approx([np.sqrt(1.5 * G)], rel=1e-12)
    assert lin.damping_ratios == pytest.approx([0.0])
    assert lin.stability == "stable"
    shape = lin.modes[:, 0] / lin.modes[4, 0]
    assert abs(shape[0] * lin.modes[4, 0]) == pytest.approx(0.5 * abs(lin.modes[4, 0]), rel=1e-9)
    assert "rod" in str(lin)


def test_damped_pendulum():
    """J θ̈ + c θ̇ + k θ = 0: ζ = c/2√(kJ)."""
    c, J, k = 0.4, 1.0 / 3.0, G / 2
    lin = iso.linearise(rod(c).compile())
    assert lin.omega == pytest.approx([np.sqrt(k / J)], rel=1e-10)
    assert lin.damping_ratios == pytest.approx([c / 2 / np.sqrt(k * J)], rel=1e-10)
    over = iso.linearise(rod(20.0).compile())
    assert over.poles.imag == pytest.approx([0, 0])
    assert over.poles.real == pytest.approx(sorted(np.roots([J, 20.0, k]).real, reverse=True), rel=1e-9)


@pytest.mark.parametrize("planar", [True, False])
def test_double_pendulum(planar):
    """Two rods: the 2 × 2 problem in angles."""
    mech = iso.Mechanism(gravity=(0, -G, 0))
    linkages.add_bar(mech, "upper", (0, 0, 0), (0, -1.0, 0), 1.0, planar)
    linkages.add_bar(mech, "lower", (0, -1.0, 0), (0, -1.7, 0), 2.0, planar)
    mech.add_joint(iso.Hinge("shoulder", "ground", "upper", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("elbow", "upper", "lower", point=(0, -1.0, 0), axis=(0, 0, 1)))
    lin = iso.linearise(mech.compile())
    m1, m2, l1, l2 = 1.0, 2.0, 1.0, 0.7
    M = np.array([[m1 * l1**2 / 3 + m2 * l1**2, m2 * l1 * l2 / 2], [m2 * l1 * l2 / 2, m2 * l2**2 / 3]])
    K = np.diag([(m1 / 2 + m2) * G * l1, m2 * G * l2 / 2])
    assert lin.omega == pytest.approx(np.sqrt(eigh(K, M)[0]), rel=1e-10)
    X = eigh(K, M)[1]
    turns = lin.modes[[2, 5]] if planar else np.array([linkages_turn(lin, body) for body in ("upper", "lower")])
    for k in range(2):
        assert abs(turns[0, k] / turns[1, k]) == pytest.approx(abs(X[0, k] / X[1, k]), rel=1e-9)


def linkages_turn(lin, body):
    """Turn about world z of a body, by mode."""
    system = lin.system
    R = system.bodies[system.layout.number[body]].R
    return (R @ lin.modes[system.v_of(body)][3:])[2]


def test_body_on_springs_has_six_known_frequencies():
    """Stiffnesses along and about the axes through the mass centre: ω² = k/m and k/J; no weight."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("block", 3.0, (0.2, 0.3, 0.4))
    k = (300.0, 420.0, 540.0, 10.0, 20.0, 30.0)
    mech.add_load(iso.Bushing("mount", "ground", "block", axis=(0, 0, 1), stiffness=k))
    lin = iso.linearise(mech.compile())
    assert lin.omega.size == 6
    translations = sorted(np.sqrt(np.array(k[:3]) / 3.0))
    # the bushing's axes are those of the joint's triad; moments about them
    from isodyn.joints.words import triad as make_triad

    axes = make_triad(np.array([0.0, 0.0, 1.0]))
    J = np.diag([0.2, 0.3, 0.4])
    rotations = [np.sqrt(k[3 + i] / (axes[i] @ J @ axes[i])) for i in range(3)]
    assert np.sort(lin.omega) == pytest.approx(np.sort([*translations, *rotations]), rel=1e-10)


def test_a_free_body_is_neutral_with_six_zeros():
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("block", 3.0, (0.2, 0.3, 0.4))
    lin = iso.linearise(mech.compile())
    assert lin.omega == pytest.approx(np.zeros(6))
    assert lin.stability == "neutral"


def test_geometric_stiffness_counts():
    """A bead on a massless rod (distance row): all of its stiffness is that of the multiplier; also
    for a user's own equations."""
    mech = iso.Mechanism()
    mech.add_body("bead", 2.0, position=(0, 0, -0.7), kind="particle")
    mech.add_joint(iso.Distance("rod", "ground", "bead", points=((0, 0, 0), (0, 0, -0.7))))
    assert iso.linearise(mech.compile()).omega == pytest.approx([np.sqrt(G / 0.7)] * 2, rel=1e-10)
    own = {"M": 2.0 * np.eye(3), "Q": lambda q, v, t: np.array([0, 0, -2.0 * G]), "q0": [0, 0, -0.7], "v0": [0, 0, 0.0]}
    rod = {"phi": lambda q, t: np.array([np.sqrt(q @ q) - 0.7])}
    for more in ({}, {"Q_q": lambda q, v, t: np.zeros((3, 3))}):
        assert iso.linearise(iso.MechanicalSystem(**own, **rod, **more)).omega == pytest.approx(
            [np.sqrt(G / 0.7)] * 2, rel=1e-7
        )


def test_small_motion_of_a_run_has_the_frequency():
    """A four-bar let go near its equilibrium swings with the period of the linearisation."""
    system = linkages.four_bar(planar=True).compile()
    found = iso.equilibrium(system)
    lin = found.linearisation
    from dataclasses import replace

    from isodyn.systems.manifold import close
    from isodyn.systems.questions import Questions

    mode = lin.modes[:, 0] / np.abs(lin.modes[:, 0]).max()
    start = close(Questions(system), 0.0, found.q + 1e-4 * mode).q
    period = 2 * np.pi / lin.omega[0]
    sol = iso.integrate(replace(system, q0=start, v0=np.zeros(9)), dt=period / 2000, t_end=period)
    assert (sol.q[-1] - found.q) @ mode == pytest.approx((sol.q[0] - found.q) @ mode, rel=1e-4)
    assert (sol.q[1000] - found.q) @ mode == pytest.approx(-(sol.q[0] - found.q) @ mode, rel=1e-3)


# ---- response


def test_response_to_a_load_against_the_linear_system():
    """Two masses on springs and dampers, as parts and as matrices."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    for k, m in enumerate((1.0, 2.0)):
        mech.add_body(f"m{k}", m, (0.1, 0.1, 0.1), (k + 1.0, 0, 0))
        mech.add_joint(iso.Prismatic(f"guide{k}", "ground", f"m{k}", axis=(1, 0, 0)))
    ends = ((0, 0, 0), (1.0, 0, 0), (2.0, 0, 0))
    mech.add_load(iso.Spring("s0", "ground", "m0", points=ends[:2], stiffness=50.0, damping=0.5))
    mech.add_load(iso.Spring("s1", "m0", "m1", points=ends[1:], stiffness=80.0, damping=0.2))
    M, C = np.diag([1.0, 2.0]), np.array([[0.7, -0.2], [-0.2, 0.2]])
    K = np.array([[130.0, -80.0], [-80.0, 80.0]])
    omega = np.linspace(0.5, 20.0, 7)
    exact = np.array([np.linalg.solve(K + 1j * w * C - w * w * M, [0.0, 1.0]) for w in omega])
    parts = iso.linearise(mech.compile()).response(omega, force={"m1.vx": 1.0})
    assert np.column_stack([parts.of("m0.vx"), parts.of("m1.vx")]) == pytest.approx(exact, rel=1e-9)
    matrices = iso.linearise(iso.LinearSystem(M, C, K, None, [0, 0], [0, 0]))
    assert matrices.response(omega, force=[0.0, 1.0]).d == pytest.approx(exact, rel=1e-9)
    by_poles = np.roots(np.poly(matrices.poles.tolist() + matrices.poles.conj().tolist()))
    assert np.sort(np.abs(by_poles)) == pytest.approx(np.sort(np.abs(np.repeat(matrices.poles, 2))), rel=1e-7)


def test_response_to_a_driven_base():
    """A base that slides by u: transmissibility of mass, spring and damper."""
    m, c, k = 2.0, 1.5, 90.0
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("base", 1.0, (0.1, 0.1, 0.1))
    mech.add_body("mass", m, (0.1, 0.1, 0.1), (1, 0, 0))
    mech.add_joint(iso.Prismatic("rail", "ground", "base", axis=(1, 0, 0)))
    mech.add_joint(iso.Prismatic("guide", "base", "mass", point=(1, 0, 0), axis=(1, 0, 0)))
    mech.add_joint(iso.Drive("shaker", "rail", 0.0))
    mech.add_load(iso.JointSpring("spring", "guide", stiffness=k, damping=c))
    omega = np.linspace(1.0, 15.0, 6)
    found = iso.linearise(mech.compile()).response(omega, drive="shaker")
    s = 1j * omega
    exact = (c * s + k) / (m * s**2 + c * s + k)
    assert found.of("mass.vx") == pytest.approx(exact, rel=1e-9)
    assert found.of("base.vx") == pytest.approx(np.ones(6), rel=1e-12)
    row = found.lam[:, mech.compile().row_names.index("shaker: drive")]
    assert -row == pytest.approx(s**2 * (1.0 + m * exact), rel=1e-9)  # force of the shaker


def test_messages():
    lin = iso.linearise(rod().compile())
    with pytest.raises(InputError, match=r"no component named 'rod\.vq'"):
        lin.response(1.0, force={"rod.vq": 1.0})
    with pytest.raises(InputError, match="no drive or row named 'motor'"):
        lin.response(1.0, drive="motor")
    with pytest.raises(InputError, match="either force= or drive="):
        lin.response(1.0)
    tilted = iso.Mechanism()
    linkages.add_bar(tilted, "rod", (0, 0, 0), (0.5, 0, -0.5))
    tilted.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    system = tilted.compile()
    with pytest.raises(
        InputError, match=r"q is no position of rest at t = 0: a force of .* is left over on 'rod\."
    ) as caught:
        iso.linearise(system, system.q0)
    assert "iso.equilibrium" in caught.value.hint
