"""Nonlinear and first-order subdomains: the tied parts move like the whole."""

import numpy as np
import pytest

import isodyn as iso

S = iso.Scheme
TIGHT = iso.Newton(rtol=1e-13)
STIFF = np.array([40.0, 15.0, 60.0, 25.0])


def duffing_chain(springs, held, masses, q0, v0):
    """Springs k d + 5 d³ between masses; the first is held where `held`."""

    def Q(q, v, t):
        x = np.concatenate([[0.0], q]) if held else q
        d = np.diff(x)
        tension = springs * d + 5.0 * d**3
        force = np.zeros(x.size)
        force[:-1] += tension
        force[1:] -= tension
        return force[1:] if held else force

    return iso.MechanicalSystem(M=np.diag(masses), Q=Q, q0=q0, v0=v0)


def whole_and_halves():
    q0, v0 = np.array([0.3, -0.2, 0.5, 0.8]), np.array([0.5, 1.0, -1.0, 0.2])
    whole = duffing_chain(STIFF, True, np.array([1.0, 2.0, 1.5, 0.8]), q0, v0)
    left = duffing_chain(STIFF[:2], True, np.array([1.0, 1.2]), q0[:2], v0[:2])
    right = duffing_chain(STIFF[2:], False, np.array([0.8, 1.5, 0.8]), q0[1:], v0[1:])
    return whole, iso.Subdomains({"left": left, "right": right}, [("left", 1, "right", 0)])


@pytest.mark.parametrize(
    "scheme", [S.optimal(0.5), S.U0(0.5, 0.5, 0.5), S.V0(0, 0, 0), S.central_difference()], ids=str
)
def test_nonlinear_halves_move_like_the_whole(scheme):
    whole, sub = whole_and_halves()
    expected = iso.integrate(whole, scheme, dt=0.01, t_end=0.5, newton=TIGHT)
    sol = iso.integrate(sub, scheme, dt=0.01, t_end=0.5, newton=TIGHT)
    for key in "qva":
        joined = np.hstack([getattr(sol["left"], key), getattr(sol["right"], key)[:, 1:]])
        reference = getattr(expected, key)
        assert abs(joined - reference).max() < 1e-9 * abs(reference).max(), key


def test_nonlinear_sub_cycling_is_second_order():
    whole, sub = whole_and_halves()
    schemes, found = {"left": S.U0(0.5, 0.5, 0.5), "right": S.central_difference()}, []
    fine = iso.integrate(whole, S.optimal(1.0), dt=0.0002, t_end=0.4, save_every=25)
    for dt in (0.01, 0.005):
        sol = iso.integrate(sub, schemes, substeps={"left": 1, "right": 4}, dt=dt, t_end=0.4)
        rows = slice(None, None, round(dt / 0.005))
        found.append([abs(getattr(sol["right"], k)[:, 1] - getattr(fine, k)[rows, 2]).max() for k in "qva"])
    assert np.log2(np.divide(*found)) == pytest.approx([2.0] * 3, abs=0.15)


def test_heat_in_two_rods():
    """First-order subdomains through the adaptation process: a rod in halves is the rod; with
    sub-cycling it is second order."""
    n = 9
    K = 20.0 * (np.diag([2.0] * n) - np.eye(n, k=1) - np.eye(n, k=-1))
    C, s0 = np.eye(n), np.sin(np.linspace(0.3, 2.5, n))
    rod = iso.LinearFirstOrderSystem(C, K, None, s0)
    share = np.ones(5)
    share[4] = 0.5
    A, B = K[:5, :5].copy(), K[4:, 4:].copy()
    A[4, 4] *= 0.5
    B[0, 0] *= 0.5
    halves = {
        "hot": iso.LinearFirstOrderSystem(np.diag(share), A, None, s0[:5]),
        "cold": iso.LinearFirstOrderSystem(np.diag(share[::-1]), B, None, s0[4:]),
    }
    sub = iso.Subdomains(halves, [("hot", 4, "cold", 0)])
    scheme = S.optimal(0.5)
    expected = iso.integrate(rod, scheme, dt=0.005, t_end=0.1)
    sol = iso.integrate(sub, scheme, dt=0.005, t_end=0.1)
    assert abs(sol["hot"].s - expected.s[:, :5]).max() < 1e-12
    assert abs(sol["cold"].sdot - expected.sdot[:, 4:]).max() < 1e-10
    values, modes = np.linalg.eigh(K)
    found = []
    for dt in (0.00125, 0.000625):
        sol = iso.integrate(
            sub, {"hot": scheme, "cold": iso.FirstOrderScheme.gear()}, substeps={"hot": 3, "cold": 1}, dt=dt, t_end=0.1
        )
        exact = (np.exp(-np.outer(sol.t, values)) * (modes.T @ s0)) @ modes.T
        found.append([abs(sol["hot"].s - exact[:, :5]).max(), abs(sol["cold"].s - exact[:, 4:]).max()])
    assert np.log2(np.divide(*found)) == pytest.approx([2.0, 2.0], abs=0.1)


def test_advice():
    soft, stiff = (iso.LinearSystem(1.0, None, k, None, [0.0], [0.0]) for k in (1.0, 1e4))
    sub = iso.Subdomains({"soft": soft, "stiff": stiff}, ties=[("soft", 0, "stiff", 0)])
    schemes = {"soft": S.optimal(0.5), "stiff": S.central_difference()}
    advice = iso.subdomains.advise(sub, schemes, {"soft": 1, "stiff": 2}, dt=0.1)
    assert advice.parts[0].limit == np.inf
    assert advice.parts[1].limit == pytest.approx(0.02)
    assert (advice.parts[1].stable, advice.parts[1].needed, advice.same_W1) == (False, 5, False)
    assert "beyond its limit 0.02 (omega_max = 100): 5 sub-steps at least" in str(advice)
    grows = iso.subdomains.advise(sub, S.U0(0.5, 0.5, 0.5, explicit=True), dt=0.1)
    assert grows.parts[0].limit == 0.0
    for rho, rho_2 in ((0.5, 0.8), (0.2, 1.0), (0.3, 0.6)):
        rho_1 = iso.subdomains.matching_rho(rho, rho_2)
        p = (1 + rho_1) * (1 + rho_2)
        assert (3 + rho_1 + rho_2 - rho_1 * rho_2) / (2 * p) == pytest.approx(1 / (1 + rho))


def test_a_subdomain_that_the_motion_has_not_reached():
    """Ahead of the front there are 1e-30 of the rest; differences that look for tangents must not
    get lost in rounding."""
    n = 20
    K = 50.0 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    K[-1, -1] = 50.0
    zero, end = np.zeros(n), np.eye(n)[-1]
    quiet = iso.MechanicalSystem(np.eye(n), lambda q, v, t: -K @ q - q**3, zero, zero)
    linear = iso.LinearSystem(np.eye(n), None, K, None, zero, zero)
    loaded = iso.LinearSystem(np.eye(n), None, K[::-1, ::-1], lambda t: 1e-4 * end * np.sin(t), zero, zero)
    ties = [("far", n - 1, "near", 0)]
    sol, like = (
        iso.integrate(iso.Subdomains({"far": far, "near": loaded}, ties), S.optimal(0.8), dt=0.05, t_end=5.0)
        for far in (quiet, linear)
    )
    size = abs(like["far"].q).max()
    assert 0.0 < abs(sol["far"].q[2]).max() < 1e-25 * size
    assert abs(sol["far"].q - like["far"].q).max() < 1e-6 * size


def test_a_subdomain_with_constraints_of_its_own():
    """A pendulum bob tied to springs: order two in q, v, a and in its own multiplier, against the
    bob with the springs on it."""
    springs, weight = np.array([3.0, 4.0]), np.array([0.0, -19.62])
    start = {"q0": [1.0, 0.0], "v0": [0.0, 0.5]}

    def phi(q, t):
        return np.array([q @ q - 1.0])

    bob = iso.MechanicalSystem(2.0 * np.eye(2), lambda q, v, t: weight - 0.3 * v, phi=phi, **start)
    frame = iso.LinearSystem([0.5, 0.7], None, springs, None, **start)
    both = iso.MechanicalSystem(np.diag([2.5, 2.7]), lambda q, v, t: weight - 0.3 * v - springs * q, phi=phi, **start)
    sub = iso.Subdomains({"bob": bob, "frame": frame}, [("bob", [0, 1], "frame", [0, 1])])
    fine, found = iso.integrate(both, S.optimal(0.5), dt=0.00025, t_end=0.3), []
    for n in (20, 10):
        sol = iso.integrate(sub, S.optimal(0.5), substeps={"bob": 1, "frame": 3}, dt=0.00025 * n, t_end=0.3)
        found.append([abs(getattr(sol["bob"], key) - getattr(fine, key)[::n]).max() for key in ("q", "v", "a", "lam")])
        assert sol["bob"].drift().largest[0] < 1e-12
    assert abs(fine.lam).max() > 1.0
    assert np.log2(np.divide(*found)) == pytest.approx([2.0] * 4, abs=0.1)
