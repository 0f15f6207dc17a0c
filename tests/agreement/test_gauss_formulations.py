"""`UdwadiaKalaba` and `NullSpace` as ordinary differential equations: one motion for all forms and
bases, to rounding.

Against acceleration level they are O(Δt²) apart, and equal to rounding for U0(1,1,0), which has its
balance at t_{n+1}.
"""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso
import rotating_bodies as rotating
from isodyn import problems
from isodyn.errors import AccuracyWarning, ConflictError
from isodyn.formulations.gauss import Basis, Form
from isodyn.formulations.gauss_reduction import Reduction
from isodyn.systems.questions import Questions

S = iso.Scheme
TIGHT = iso.Newton(rtol=1e-14)
EVERY = [*map(iso.UdwadiaKalaba, get_args(Form)), *map(iso.NullSpace, get_args(Basis))]
SYSTEMS = {
    "pendulum": known.pendulum_system,
    "rheonomic M(q)": known.manufactured_system,
    "mixed": lambda: known.manufactured_system(rolling=True),
    "knife edge": known.knife_edge_system,
    "redundant": lambda: known.double_pendulum_system(2),
    "loop": lambda: problems.get("planar_loop_in_space").system(),
    "top": rotating.top_system,
}


OPTIMAL = S.optimal(0.5)


def run(make, formulation, scheme=OPTIMAL, dt=0.01, t_end=0.1):
    return iso.integrate(make(), scheme, formulation, dt=dt, t_end=t_end, newton=TIGHT)


def apart(one, two, names=("q", "v", "a", "lam")):
    return max(np.abs(getattr(one, x) - getattr(two, x)).max() / max(1.0, np.abs(getattr(two, x)).max()) for x in names)


@pytest.mark.parametrize("scheme", [S.optimal(0.5), S.central_difference()], ids=lambda s: s.name)
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_form_and_basis_gives_the_same_motion(name, scheme):
    first, *others = (run(SYSTEMS[name], formulation, scheme) for formulation in EVERY)
    assert max(apart(first, other) for other in others) < 1e-10
    assert np.abs(np.diff(first.q, axis=0)).max() > 1e-3


@pytest.mark.parametrize("name", ["pendulum", "rheonomic M(q)"])
@pytest.mark.parametrize("formulation", [iso.UdwadiaKalaba(), iso.NullSpace("svd")], ids=repr)
def test_against_acceleration_level(name, formulation):
    """O(Δt²) apart in general; the same equations for U0(1,1,0)."""
    gaps = [
        apart(run(SYSTEMS[name], formulation, dt=dt), run(SYSTEMS[name], iso.AccelerationLevel(), dt=dt), ("q",))
        for dt in (0.01, 0.005, 0.0025)
    ]
    assert gaps[-1] > 1e-9
    assert np.log2(gaps[1] / gaps[2]) == pytest.approx(2.0, abs=0.2)
    same = [run(SYSTEMS[name], f, S.U0(1, 1, 0)) for f in (formulation, iso.AccelerationLevel())]
    assert apart(*same, ("q", "v")) < 1e-12
    assert apart(*same, ("a", "lam")) < 1e-10


def curve_system(redundant=True):
    """A point on x² + y² = 1, z = x², and a third row that follows from these where z = x²
    alone."""

    def phi(q, t):
        x, y, z = q
        off = z - x * x
        return np.array([0.5 * (x * x + y * y - 1), off, x * x + y * y - 1 + x * off])[: 2 + redundant]

    def G(q, t):
        x, y, z = q
        return np.array([[x, y, 0], [-2 * x, 0, 1], [2 * x + z - 3 * x * x, 2 * y, x]])[: 2 + redundant]

    def b(q, v, t):
        (x, _, _), (u, w, s) = q, v
        return -np.array([u * u + w * w, -2 * u * u, 2 * (u * u + w * w) - 6 * x * u * u + 2 * u * s])[: 2 + redundant]

    q0, v0 = [0.6, 0.8, 0.36], [-1.6, 1.2, -1.92]
    return iso.MechanicalSystem(1.0, lambda q, v, t: np.array([0.3, -9.81, -0.2]), q0, v0, phi=phi, G=G, b=b)


def test_the_tolerance_of_the_rank_follows_the_drift():
    """Off z = x² the third row is independent by as much as the drift; enforced, it would stop the
    point. Rank 2 throughout, order two."""
    fine = iso.integrate_adaptive(curve_system(False), t_end=0.5, save=[0.5])
    errors = []
    for dt in (0.01, 0.005):
        sol, minimal = (run(lambda r=r: curve_system(r), iso.UdwadiaKalaba(), dt=dt, t_end=0.5) for r in (True, False))
        assert set(sol.aux["rank"]) == {2}
        assert sol.drift().largest[0] > 1e-6
        errors.append([np.abs(one.q[-1] - fine.q[-1]).max() for one in (sol, minimal)])
    assert np.log2(np.divide(*errors)) == pytest.approx([2.0] * 2, abs=0.2)
    adaptive = iso.integrate_adaptive(curve_system(), iso.NullSpace(), t_end=0.5, save=[0.5])
    assert np.abs(adaptive.q - fine.q).max() < 1e-8


def test_rows_in_use_are_kept():
    """Along the curve another pair would be chosen at places; the first one stays while it is
    independent."""
    kept = Reduction(iso.UdwadiaKalaba(), Questions(curve_system()))
    anew, used = set(), set()
    for angle in np.linspace(0.3, 1.2, 40):
        q = np.array([np.cos(angle), np.sin(angle), np.cos(angle) ** 2])
        v = np.array([-q[1], q[0], -2 * q[0] * q[1]])
        kept.solve(0.0, q, v)
        fresh = Reduction(iso.UdwadiaKalaba(), kept.ask)
        fresh.solve(0.0, q, v)
        anew.add(tuple(fresh.rows))
        used.add(tuple(kept.rows))
    assert len(used) == 1 < len(anew)


def test_conflicting_rows():
    """Rows that depend on each other and ask for different accelerations, where positions and
    velocities still agree."""
    system = iso.MechanicalSystem(
        1.0,
        lambda q, v, t: np.array([0.0, -1.0]),
        [0.0, 0.0],
        [0.0, 0.0],
        phi=lambda q, t: np.array([q[0], 2 * q[0]]),
        G=lambda q, t: np.array([[1.0, 0.0], [2.0, 0.0]]),
        b=lambda q, v, t: np.array([0.0, max(0.0, t - 0.05)]),
        row_names=["wall", "piston"],
    )
    message = r"conflict at t = 0\.\d+: '(wall|piston)' asks for .* at acceleration level where '(wall|piston)' give"
    with pytest.raises(ConflictError, match=message) as caught:
        run(lambda: system, iso.NullSpace())
    assert caught.value.partial.lam.shape[1] == 2


@pytest.mark.parametrize("formulation", [iso.UdwadiaKalaba(), iso.NullSpace()], ids=repr)
def test_a_conflict_that_builds_up_is_not_taken_for_drift(formulation):
    """x = sin t and x = sin t + t⁴: no row is off at the start, and what the second is off later is
    its own doing."""
    system = iso.MechanicalSystem(
        1.0,
        lambda q, v, t: np.array([0.0, -1.0]),
        [0.0, 0.0],
        [1.0, 0.0],
        phi=lambda q, t: q[0] - np.sin(t) - np.array([0.0, t**4]),
        G=lambda q, t: np.array([[1.0, 0.0], [1.0, 0.0]]),
        phi_t=lambda q, t: -np.cos(t) - np.array([0.0, 4 * t**3]),
        b=lambda q, v, t: -np.sin(t) + np.array([0.0, 12 * t**2]),
    )
    with pytest.raises(ConflictError, match=r"constraints conflict at t = 0\.01"):
        iso.integrate(system, S.midpoint_epa(), formulation, dt=0.01, t_end=1.0)


def parallelogram(speed):
    """Two cranks of length 1 and a coupler of length 2 with masses at its ends; flat at angles 0
    and π, where it could branch."""
    c, s = np.cos(1.0), np.sin(1.0)
    return iso.MechanicalSystem(
        1.0,
        lambda q, v, t: np.array([0.0, -9.81, 0.0, -9.81]),
        [c, s, 2 + c, s],
        [-speed * s, speed * c, -speed * s, speed * c],
        phi=lambda q, t: (
            0.5 * np.array([q[:2] @ q[:2] - 1, (q[2] - 2) ** 2 + q[3] ** 2 - 1, (q[2:] - q[:2]) @ (q[2:] - q[:2]) - 4])
        ),
        G=lambda q, t: np.array(
            [[q[0], q[1], 0, 0], [0, 0, q[2] - 2, q[3]], [q[0] - q[2], q[1] - q[3], q[2] - q[0], q[3] - q[1]]]
        ),
        b=lambda q, v, t: -np.array([v[:2] @ v[:2], v[2:] @ v[2:], (v[2:] - v[:2]) @ (v[2:] - v[:2])]),
    )


@pytest.mark.parametrize("formulation", [iso.UdwadiaKalaba(), iso.NullSpace()], ids=repr)
def test_a_step_beside_a_loss_of_rank_is_reported(formulation):
    """Steps that end near the flat position; with others the run passes it on its branch and says
    nothing."""
    flat = parallelogram(8.0)
    flat.q0, flat.v0 = np.array([1.0, 1e-5, 3.0, 1e-5]), np.array([0.0, 8.0, 0.0, 8.0])
    with pytest.warns(AccuracyWarning, match=r"losing rank at t = .*: the motion from there on"):
        iso.integrate(flat, S.midpoint_epa(), formulation, dt=1e-3, t_end=0.01, assemble=True)
    sol = iso.integrate(parallelogram(8.0), S.midpoint_epa(), formulation, dt=2e-3, t_end=0.5)
    assert np.abs(sol.q[:, 2] - sol.q[:, 0] - 2.0).max() < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [S.midpoint_epa(), S.optimal(0.5)], ids=lambda s: s.name)
@pytest.mark.parametrize("formulation", [iso.UdwadiaKalaba(), iso.NullSpace(), iso.NullSpace("svd")], ids=repr)
def test_every_passage_of_the_flat_position_stays_on_the_branch(formulation, scheme):
    """Three passages, with steps that meet them in different ways: no smaller steps, and cranks
    that stay parallel."""
    for speed, dt in ((8.0, 1e-3), (9.0, 3e-3), (10.0, 2e-3), (12.0, 5e-3)):
        sol = iso.integrate(parallelogram(speed), scheme, formulation, dt=dt, t_end=1.0)
        assert np.abs(sol.q[:, 2] - sol.q[:, 0] - 2.0).max() < 1e-8
        assert sol.stats.halvings == 0
        assert np.count_nonzero(np.diff(np.sign(sol.q[:, 1]))) >= 2


def test_rows_that_depend_on_others_on_the_constraints_only():
    """The drift makes them independent by as much as itself: the tolerance of the rank follows it.
    Order two, rank 5 of 7."""
    problem = problems.get("planar_loop_in_space")
    errors = []
    for dt in (0.02, 0.01):
        sol = run(problem.system, iso.UdwadiaKalaba(), dt=dt, t_end=1.0)
        exact = problem.exact(sol.t)
        errors.append([np.abs(getattr(sol, x) - getattr(exact, x)).max() for x in ("q", "v", "a", "lam")])
        assert set(sol.aux["rank"]) == {5}
        assert len(sol.redundant) == 2
    assert np.log2(np.divide(*errors)) == pytest.approx([2.0] * 4, abs=0.1)


def test_gains_pull_the_drift_back():
    """α and β of Baumgarte in b̂: the same order with less drift."""
    formulations = (iso.UdwadiaKalaba(), iso.NullSpace(alpha=20, beta=20))
    free, held = (run(known.pendulum_system, f, S.U0(1, 1, 0), t_end=2.0) for f in formulations)
    assert held.drift().largest[0] < 0.1 * free.drift().largest[0]
    exact = known.pendulum_motion(held.t)
    assert np.abs(held.q - exact.q).max() < 5e-3


def test_multipliers_at_breakpoints_have_both_limits():
    """A load that jumps: right-hand limit in the row, left-hand one beside it, and `at` between."""

    def load(q, v, t):
        return np.array([0.0, -9.81 if t <= 0.1 else -20.0])

    system = iso.MechanicalSystem(
        1.0, load, [1.0, 0.0], [0.0, 0.0], phi=lambda q, t: np.array([0.5 * (q @ q - 1)]), G=lambda q, t: q[None, :]
    )
    sol = iso.integrate(system, S.optimal(0.5), iso.UdwadiaKalaba(), dt=0.01, t_end=0.2, breakpoints=[0.1])
    row = int(sol.aux["breakpoint_rows"][0])
    jump = sol.lam[row] - sol.aux["lam_left"][0]
    assert jump == pytest.approx((-20.0 + 9.81) * sol.q[row, 1] / (sol.q[row] @ sol.q[row]), rel=1e-9)
    assert sol.at(0.105).lam.shape == (1,)


@pytest.mark.parametrize("formulation", EVERY[1:], ids=repr)
def test_adaptive_route(formulation):
    """Every form and basis along the adaptive route: the compiled accelerations give the same steps
    and the same motion."""
    system = known.manufactured_system(rolling=True)
    here, there = (iso.integrate_adaptive(system, f, t_end=1.0, save=5) for f in (None, formulation))
    assert apart(here, there) < 1e-9
    assert abs(here.stats.steps - there.stats.steps) <= 1
    assert max(there.drift().largest) < 1e-13
