"""Energy and momenta of the energy–momentum step, its order, and the schemes beside it.

Largest change of T + V relative to the largest T, measured here; Kepler e = 0.6, 63 steps in a
revolution, three revolutions; two springs with cubic forces between three masses in space, Δt = 0.05
to 3 s:

    member               Kepler    springs
    EnergyMomentum       2e-15     3e-15
    U0(1,1,1)            2.2e-2    3.5e-3
    V0(1,1,0)            2.2e-2    3.5e-3
    optimal(0.5)         1.1e-2    2.3e-2
"""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.errors import ConvergenceError, InputError, SchemeError
from isodyn.report.html import report_page

S = iso.Scheme
OTHERS = [S.midpoint_epa(), S.V0(1, 1, 0), S.optimal(0.5)]
MASSES = np.repeat([1.0, 2.0, 0.5], 3)


def springs_potential(q):
    r, s = np.linalg.norm(q[:3] - q[3:6]), np.linalg.norm(q[3:6] - q[6:])
    return 50 * (r - 1) ** 2 + 20 * (r - 1) ** 4 + 30 * (s - 1.2) ** 2


def springs_force(q, v, t):
    r, s = np.linalg.norm(q[:3] - q[3:6]), np.linalg.norm(q[3:6] - q[6:])
    f = (100 * (r - 1) + 80 * (r - 1) ** 3) * (q[:3] - q[3:6]) / r
    g = 60 * (s - 1.2) * (q[3:6] - q[6:]) / s
    return np.concatenate([-f, f - g, g])


def springs(Q=springs_force, V=springs_potential, **rest):
    """Three masses in space on two springs; with `phi`, on something else besides."""
    v0 = [0.3, 0.8, 0.3, -1.3, 0.9, 0.4, -0.5, 0.6, 0.4] if "phi" not in rest else np.zeros(9)
    energy = rest.pop("energy", lambda q, v, t: (0.5 * v @ (MASSES * v), V(q)))
    return iso.MechanicalSystem(MASSES, Q, [0, 0, 0, 1.1, 0, 0.1, 1, 1.3, 0], v0, energy=energy, **rest)


def change(values):
    """Largest change of columns since the start."""
    return np.abs(values - values[0]).max()


def energy_change(sol):
    """Largest change of T + V, relative to the largest T."""
    return change(sum(sol.energy())) / sol.energy()[0].max()


def run(system, dt, t_end, points=None, **options):
    return iso.integrate(system, formulation=iso.EnergyMomentum(points), dt=dt, t_end=t_end, **options)


# ---- what is conserved


@pytest.mark.parametrize(("e", "dt"), [(0.0, 0.1), (0.3, 0.3), (0.6, 0.1), (0.9, 0.01)])
def test_orbits_keep_energy_and_angular_momentum(e, dt):
    """Also on the circle, where the way has no radial part, and with long steps; translations are no
    symmetry of a centre."""
    sol = run(problems.get("kepler").system(e=e), dt, 6 * np.pi, points=2)
    assert energy_change(sol) < 1e-13
    assert sol.aux["momenta"].shape[1] == 1
    assert change(sol.aux["momenta"]) < 1e-13
    J = sol.q[:, 0] * sol.v[:, 1] - sol.q[:, 1] * sol.v[:, 0]
    assert sol.aux["momenta"][:, 0] == pytest.approx(J, abs=1e-14)


def test_springs_in_space_keep_all_seven():
    """Energy, three angular and three linear momenta; without `points` energy alone."""
    sol, plain = (run(springs(), 0.05, 3.0, points) for points in (3, None))
    assert energy_change(sol) < 1e-13
    assert sol.aux["momenta"].shape[1] == 6
    assert change(sol.aux["momenta"]) < 1e-12
    assert energy_change(plain) < 1e-13
    assert "momenta" not in plain.aux
    p, v = plain.q.reshape(-1, 3, 3), (plain.v * MASSES).reshape(-1, 3, 3)
    assert change(np.cross(p, v).sum(axis=1)) > 1e-4


def test_a_triangle_turns_without_deformation():
    """No direction is left to correct along, in six directions of deformation: masses on a circle."""
    angles = np.array([0.0, 2.0, 4.0]) * np.pi / 3.0
    q0, sides = np.stack([np.cos(angles), np.sin(angles)], axis=1).ravel(), ((0, 1), (1, 2), (2, 0))

    def lengths(q):
        return [np.linalg.norm(q[2 * i : 2 * i + 2] - q[2 * j : 2 * j + 2]) for i, j in sides]

    def Q(q, v, t):
        out = np.zeros(6)
        for (i, j), r in zip(sides, lengths(q), strict=True):
            f = (q[2 * i : 2 * i + 2] - q[2 * j : 2 * j + 2]) / r**3
            out[2 * i : 2 * i + 2] -= f
            out[2 * j : 2 * j + 2] += f
        return out

    speed = 3.0**-0.25  # v² = 1/√3: the attraction of the other two
    v0 = speed * np.stack([-np.sin(angles), np.cos(angles)], axis=1).ravel()
    energy = lambda q, v, t: (0.5 * v @ v, -sum(1.0 / r for r in lengths(q)))  # noqa: E731
    sol = run(iso.MechanicalSystem(np.ones(6), Q, q0, v0, energy=energy), 0.1, 4.0, points=2)
    assert max(energy_change(sol), change(sol.aux["momenta"])) < 1e-12
    assert np.abs(np.hypot(sol.q[:, ::2], sol.q[:, 1::2]) - 1.0).max() < 1e-3


def test_gravity_leaves_one_turn_and_two_translations():
    """Of six rigid motions in space, those that do not go down."""

    def falling(q, v, t):
        return springs_force(q, v, t) - 9.81 * MASSES * np.tile([0.0, 0.0, 1.0], 3)

    sol = run(springs(falling, lambda q: springs_potential(q) + 9.81 * (MASSES * q)[2::3].sum()), 0.02, 1.0, points=3)
    assert sol.aux["momenta"].shape[1] == 3
    assert max(energy_change(sol), change(sol.aux["momenta"])) < 1e-12


@pytest.mark.parametrize(("length", "mass"), [(1e-6, 1e-3), (1e6, 1e3)])
def test_units_do_not_matter(length, mass):
    """The orbit in other units of length and mass."""
    other = iso.MechanicalSystem(
        [mass, mass],
        lambda q, v, t: -mass * length**3 * q / np.linalg.norm(q) ** 3,
        [0.4 * length, 0.0],
        [0.0, 2.0 * length],
        energy=lambda q, v, t: (0.5 * mass * v @ v, -mass * length**3 / np.linalg.norm(q)),
    )
    sol, usual = run(other, 0.1, 6.0, points=2), run(problems.get("kepler").system(e=0.6), 0.1, 6.0, points=2)
    assert energy_change(sol) < 1e-13
    assert sol.q / length == pytest.approx(usual.q, abs=1e-11)


def test_the_others_do_not():
    """Energy of the midpoint rule and of members of both families on orbit and springs; V0(1, 1, 0) keeps
    the angular momentum, as the midpoint rule does."""
    kepler = problems.get("kepler").system(e=0.6)
    for system, dt, t_end in ((kepler, 0.1, 6 * np.pi), (springs(), 0.05, 3.0)):
        assert energy_change(run(system, dt, t_end)) < 1e-13
        for scheme in OTHERS:
            assert energy_change(iso.integrate(system, scheme, dt=dt, t_end=t_end)) > 1e-3, scheme.name


# ---- order


def errors(sol, exact, names):
    return [np.abs(getattr(sol, name) - getattr(exact, name)).max() for name in names]


@pytest.mark.parametrize(
    ("name", "points", "names"),
    [("kepler", 2, "qva"), ("kepler", None, "qva"), ("pendulum", 2, ["q", "v", "a", "lam"])],
)
def test_second_order(name, points, names):
    """In q, v, a and λ, over all of time."""
    problem = problems.get(name)
    found = []
    for dt in (0.01, 0.005):
        sol = run(problem.system(), dt, 2.0, points)
        found.append(errors(sol, problem.exact(sol.t), names))
    assert np.log2(np.divide(*found)) == pytest.approx(2.0, abs=0.05)


def test_springs_against_steps_of_order_eight():
    exact = iso.integrate_adaptive(springs(), t_end=1.0, save=101, rtol=1e-11, atol=1e-12)
    found = []
    for dt in (0.01, 0.005):
        sol = run(springs(), dt, 1.0, points=3, save_every=round(0.01 / dt))
        found.append(errors(sol, exact, "qva"))
    assert np.log2(np.divide(*found)) == pytest.approx(2.0, abs=0.1)


# ---- constraints


def test_a_pendulum_keeps_its_energy_and_its_length():
    """φ̇ alternates with the second power of Δt; a and λ of the state do not."""
    sol = run(problems.get("pendulum").system(), 0.05, 10.0)
    assert energy_change(sol) < 1e-13
    assert sol.drift().position.max() < 1e-13
    speeds = [run(problems.get("pendulum").system(), dt, 1.0).drift().velocity.max() for dt in (0.02, 0.01)]
    assert np.log2(speeds[0] / speeds[1]) == pytest.approx(2.0, abs=0.1)


def test_rows_that_are_not_quadratic():
    """A bead on y = x⁴ in a spring's field: the discrete gradient of φ is more than G at the middle."""
    bead = iso.MechanicalSystem(
        np.eye(2),
        lambda q, v, t: np.array([0.0, -9.81]) - 3.0 * q,
        [1.0, 1.0],
        [0.0, 0.0],
        phi=lambda q, t: np.array([q[1] - q[0] ** 4]),
        energy=lambda q, v, t: (0.5 * v @ v, 9.81 * q[1] + 1.5 * q @ q),
    )
    sol = run(bead, 0.02, 3.0)
    assert energy_change(sol) < 1e-13
    assert sol.drift().position.max() < 1e-13
    # a row twice changes nothing, and shares the multiplier
    twice = iso.MechanicalSystem(
        np.eye(2), bead.Q, bead.q0, bead.v0, phi=lambda q, t: np.tile(q[1] - q[0] ** 4, 2), energy=bead.energy
    )
    same = run(twice, 0.02, 3.0)
    assert np.abs(same.q - sol.q).max() < 1e-9
    assert same.lam.sum(axis=1) == pytest.approx(sol.lam[:, 0], abs=1e-6)


# ---- runs and refusals


def test_rows_and_ends_of_a_run(tmp_path):
    kepler = problems.get("kepler").system()
    every = run(kepler, 0.1, 1.05)
    some = run(kepler, 0.1, 1.05, save_every=4)
    assert some.t == pytest.approx([0.0, 0.4, 0.8, 1.05])
    assert (some.q == every.q[[0, 4, 8, 11]]).all()
    ended = run(kepler, 0.1, 1.05, observe=lambda sample: sample.t > 0.45)
    assert ended.t[-1] == pytest.approx(0.5)
    assert "observe" in ended.stats.stopped
    every.save(tmp_path / "run.nc")
    kept = iso.load(tmp_path / "run.nc")
    assert kept.scheme == iso.EnergyMomentum()
    assert (kept.q == every.q).all()
    assert "EnergyMomentum" in report_page(every)


def test_a_step_that_does_not_converge_keeps_what_was_done():
    with pytest.raises(ConvergenceError, match=r"energy–momentum step from t = 0 with dt = 0\.2") as caught:
        run(problems.get("kepler").system(e=0.9), 0.2, 2.0)
    assert caught.value.partial.t.tolist() == [0.0]


def drag(q, v, t):
    return springs_force(q, v, t) - 0.1 * v


def wind(q, v, t):
    return springs_force(q, v, t) + np.sin(t)


@pytest.mark.parametrize(
    ("system", "match"),
    [
        (lambda: iso.MechanicalSystem(1.0, lambda q, v, t: -q, [1.0], [0.0]), "needs the energy of the system"),
        (lambda: springs(drag), "forces of this system depend on velocity or time"),
        (lambda: springs(wind), "forces of this system depend on velocity or time"),
        (lambda: springs(V=lambda q: 1.1 * springs_potential(q)), "forces must be −∂V/∂q"),
        (lambda: springs(energy=lambda q, v, t: (v @ v, springs_potential(q))), "the kinetic energy is"),
        (lambda: springs(phi=lambda q, t: np.array([q[0] - 0.1 * t * t])), "move with time"),
        (
            lambda: iso.MechanicalSystem(
                lambda q: np.eye(1) * (1 + q[0] ** 2), lambda q, v, t: -q, [1.0], [0.0], energy=lambda q, v, t: (0, 0)
            ),
            "needs a constant mass matrix",
        ),
    ],
)
def test_systems_without_an_energy_to_conserve(system, match):
    with pytest.raises(InputError, match=match):
        run(system(), 0.01, 0.1)


def test_forces_that_leave_the_potential_later():
    """A stop that the potential does not know, met on the way."""

    def stop(q, v, t):
        return -q - (50.0 * (q + 0.5) if q[0] < -0.5 else 0.0)

    system = iso.MechanicalSystem(1.0, stop, [1.0], [0.0], energy=lambda q, v, t: (0.5 * v @ v, 0.5 * q @ q))
    with pytest.raises(InputError, match="forces must be"):
        run(system, 0.01, 3.0)


def test_what_has_no_meaning_here():
    kepler, how = problems.get("kepler").system(), iso.EnergyMomentum()
    with pytest.raises(SchemeError, match="a step of its own"):
        iso.integrate(kepler, S.optimal(0.5), how, dt=0.1, t_end=1.0)
    with pytest.raises(InputError, match="takes no newton"):
        iso.integrate(kepler, None, how, dt=0.1, t_end=1.0, breakpoints=[0.5])
    with pytest.raises(InputError, match="steps of one size"):
        iso.integrate(kepler, None, how, dt=iso.StepTimes([0.3, 1.0]), t_end=1.0)
    with pytest.raises(InputError, match="points must be 1, 2 or 3"):
        iso.EnergyMomentum(4)
    with pytest.raises(InputError, match="2 coordinates are no points with 3"):
        run(kepler, 0.1, 1.0, points=3)
