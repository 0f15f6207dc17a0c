"""Matrices that are kept over steps of nets and of slow motions: the same motion within the
tolerance, with far fewer factorisations; the same numbers again after a checkpoint and step by step."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.results import Checkpoint

NAMES = ("q", "v", "a", "lam")
FAR_LESS = 0.35


def cloth(n: int, spin: float = 0.0):
    """Particles and rods in a trough; two corners held, or turning about the middle as a whole."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    turn = 0.5 * np.pi / (n - 1)
    radius = 0.05 / np.sin(0.5 * turn)
    for i in range(n):
        for j in range(n):
            angle = turn * j - 0.75 * np.pi
            at = np.array([0.1 * i, radius * np.cos(angle), radius * np.sin(angle)])
            velocity = np.cross((0.0, 0.0, spin), at)
            mech.add_body(f"{i} {j}", 0.01, kind="particle", position=tuple(at), velocity=tuple(velocity))
    rods = [((i, j), (i + 1, j)) for i in range(n - 1) for j in range(n)]
    for one, two in rods + [((i, j), (i, j + 1)) for i in range(n) for j in range(n - 1)]:
        ends = f"{one[0]} {one[1]}", f"{two[0]} {two[1]}"
        mech.add_joint(iso.Distance(" to ".join(ends), *ends))
    for name in () if spin else ("0 0", f"0 {n - 1}"):
        mech.add_joint(iso.Spherical(f"held {name}", "ground", name, point=mech.bodies[name].position))
    return mech.compile()


def grid(n: int):
    """Bodies on balls off their plane, hanging at a corner."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    for i in range(n):
        for j in range(n):
            mech.add_body(f"{i} {j}", 0.1, (1e-4, 1e-4, 2e-4), (0.1 * i, 0.1 * j, 0.0))
    pairs = [((i, j), (i + 1, j)) for i in range(n - 1) for j in range(n)]
    for one, two in pairs + [((i, j), (i, j + 1)) for i in range(n) for j in range(n - 1)]:
        x, y = 0.5 * (one[0] + two[0]), 0.5 * (one[1] + two[1])
        point = 0.1 * x, 0.1 * y, 0.03 * float(np.sin(1.7 * x + 2.3 * y))
        ends = f"{one[0]} {one[1]}", f"{two[0]} {two[1]}"
        mech.add_joint(iso.Spherical(" to ".join(ends), *ends, point=point))
    mech.add_joint(iso.Spherical("held", "ground", "0 0", point=(-0.05, 0.0, 0.01)))
    return mech.compile()


def platform():
    """A plate on six damped legs of two bodies, ball, slide and ball; released off its rest."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("plate", 8.0, (0.16, 0.16, 0.32), (0, 0, 0.6))
    for k in range(6):
        low, high = (np.pi / 3) * (2 * ((k + 1) // 2)) + (-0.15 if k % 2 else 0.15), (np.pi / 3) * k + np.pi / 6
        foot, top = np.array([np.cos(low), np.sin(low), 0.0]) / 2, np.array([np.cos(high), np.sin(high), 2.0]) * 0.3
        names, middle, along = (f"cylinder {k}", f"piston {k}"), 0.5 * (foot + top), top - foot
        for name, mass, at in zip(names, (0.8, 0.4), (0.7 * foot + 0.3 * top, 0.3 * foot + 0.7 * top), strict=True):
            mech.add_body(name, mass, (0.01, 0.01, 0.01), at)
        mech.add_joint(iso.Spherical(f"foot {k}", "ground", names[0], point=foot))
        mech.add_joint(iso.Prismatic(f"slide {k}", *names, point=middle, axis=along))
        mech.add_joint(iso.Spherical(f"top {k}", names[1], "plate", point=top))
        rest = float(np.linalg.norm(along)) + 2e-3
        mech.add_load(iso.Spring(f"spring {k}", *names, points=(foot, top), stiffness=2e4, damping=400.0, rest=rest))
    return mech.compile()


NETS = {"cloth": lambda: cloth(8), "grid": lambda: grid(8)}


def run(system, **options):
    options = {"dt": 1e-3, "t_end": 0.04, **options}
    return iso.integrate(system, iso.Scheme.V0(1, 1, 0), **options)


def apart(one, other) -> dict[str, float]:
    """Largest differences, beside the largest of all."""
    pairs = {name: (getattr(one, name), getattr(other, name)) for name in NAMES}
    return {name: float(np.abs(x - y).max() / np.abs(y).max()) for name, (x, y) in pairs.items()}


@pytest.mark.parametrize("formulation", [iso.Stabilised(), iso.Overdetermined(), iso.VelocityLevel()], ids=repr)
@pytest.mark.parametrize("net", NETS)
def test_the_same_motion_with_fewer_factorisations(net, formulation):
    """As near to an iteration down to rounding as one with a matrix per step."""
    system = NETS[net]()
    exact = run(system, formulation=formulation, newton=iso.Newton(rtol=1e-13, reuse=False))
    found = run(system, formulation=formulation)
    steps = found.stats.steps
    assert exact.stats.factorisations >= steps
    # corrections of v begin from nothing in every step, which takes more of them
    assert found.stats.factorisations <= (0.6 if isinstance(formulation, iso.Overdetermined) else FAR_LESS) * steps
    differences = apart(found, exact)
    assert max(differences["q"], differences["v"]) < 5e-11, differences
    assert max(differences["a"], differences["lam"]) < 1e-9, differences
    kept = slice(1, 2) if isinstance(formulation, iso.VelocityLevel) else slice(2)
    assert max(found.drift().largest[kept]) < 1e-14


def test_fast_motion_gets_its_own_matrices():
    """A turn in 16 steps: an old matrix is of no use, is left soon, and costs no digits."""
    system, options = cloth(8, spin=40.0), {"dt": 0.01, "t_end": 0.4}
    exact = run(system, **options, newton=iso.Newton(rtol=1e-13, reuse=False))
    found = run(system, **options)
    assert found.stats.factorisations > 0.7 * found.stats.steps
    assert found.stats.iterations < 1.3 * run(system, **options, newton=iso.Newton(reuse=False)).stats.iterations
    differences = apart(found, exact)
    assert max(differences.values()) < 1e-8, differences


def test_second_order_in_everything():
    """Over all of time, with matrices that serve for many steps."""
    system = cloth(6)
    fine = run(system, dt=1.25e-4, newton=iso.Newton(rtol=1e-12, reuse=False))
    errors = {}
    for k in (16, 8):
        coarse = run(system, dt=k * 1.25e-4, t_end=0.04, newton=iso.Newton(rtol=1e-11, reuse=True))
        assert coarse.stats.factorisations <= 0.5 * coarse.stats.steps
        errors[k] = [float(np.abs(getattr(coarse, name)[2:] - getattr(fine, name)[::k][2:]).max()) for name in NAMES]
    slopes = np.log2(np.array(errors[16]) / np.array(errors[8]))
    assert slopes == pytest.approx([2.0] * 4, abs=0.15), slopes


def test_checkpoints_and_single_steps_repeat_it(tmp_path):
    """Bit for bit: a run that is resumed, and one that is taken step by step."""
    system = cloth(8)
    options = {"checkpoint": Checkpoint(tmp_path / "whole", 15), "t_end": 0.04}
    whole = run(system, **options)
    assert whole.stats.factorisations < FAR_LESS * whole.stats.steps
    options["checkpoint"] = Checkpoint(tmp_path / "part", 15)
    stopped = run(system, **options, observe=lambda sample: sample.t > 0.0345)
    assert stopped.stats.stopped is not None
    resumed = iso.resume(tmp_path / "part", system)
    for name in NAMES:
        assert np.array_equal(getattr(resumed, name), getattr(whole, name)), name
    stepper = iso.Stepper(system, iso.Scheme.V0(1, 1, 0), dt=1e-3)
    plain = run(system, t_end=0.02)
    for row in range(1, 11):
        stepper.step()
        assert np.array_equal(stepper.state.q, plain.q[row])
    saved = stepper.save()
    for _ in range(2):
        for row in range(11, 21):
            stepper.step()
            assert np.array_equal(stepper.state.v, plain.v[row])
        stepper.restore(saved)


def test_small_systems_factorise_every_step():
    """Where a factorisation costs little nothing is kept, and nothing changes."""
    problem = iso.problems.get("spatial_chain")
    one, two = (
        iso.integrate(problem.system(), dt=problem.dt, t_end=20 * problem.dt, newton=iso.Newton(reuse=reuse))
        for reuse in (None, False)
    )
    assert one.stats.factorisations == two.stats.factorisations >= 20
    assert np.array_equal(one.a, two.a)


def test_a_platform_that_comes_to_rest_keeps_its_matrix():
    """Six damped legs: near rest one correction a step and hardly a factorisation, to the same
    place; it took 3.4 corrections and 1.3 factorisations a step of what is rounding there."""
    system, options = platform(), {"t_end": 0.6}
    found = run(system, **options)
    exact = run(system, **options, newton=iso.Newton(rtol=1e-13, reuse=False))
    assert found.stats.factorisations <= 0.5 * found.stats.steps
    assert found.stats.iterations <= 2.0 * found.stats.steps
    differences = apart(found, exact)
    assert max(differences["q"], differences["v"]) < 5e-11, differences
    assert max(differences["a"], differences["lam"]) < 1e-9, differences


def test_motions_below_rounding_of_the_place_are_motions():
    """A spring of 1 m that swings by 1e-9 m in steps so small that its acceleration moves q by less
    than an eps in each: one correction is enough for all digits that the place leaves."""
    mech = iso.Mechanism()
    at = 1.0 + 1e-9, 0.0, 0.0
    mech.add_body("mass", 1.0, (0.1, 0.1, 0.1), at)
    mech.add_load(iso.Spring("spring", "ground", "mass", points=((0, 0, 0), at), stiffness=1.0, rest=1.0))
    mech.add_joint(iso.Prismatic("rail", "ground", "mass", point=at, axis=(1, 0, 0)))
    sol = iso.integrate(mech.compile(), iso.Scheme.V0(1, 1, 0), dt=1e-4, t_end=1.0, save_every=1000)
    assert sol.stats.iterations <= 1.1 * sol.stats.steps
    # with corrections until they no longer shrink it is 1.06e-6, too
    assert np.abs(sol.v[:, 0] + 1e-9 * np.sin(sol.t)).max() < 1.2e-6 * 1e-9


def test_full_matrices_of_large_systems_are_kept():
    """Sixty bodies' worth of unknowns without a pattern: the same motion with fewer factorisations."""
    n = 60
    K = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    system = iso.MechanicalSystem(
        np.eye(n),
        lambda q, v, t: -K @ q - 0.1 * (K @ q) ** 3,
        0.1 * np.sin(np.arange(n)),
        np.zeros(n),
        Q_q=lambda q, v, t: -K - 0.3 * ((K @ q) ** 2)[:, None] * K,
        Q_v=lambda q, v, t: np.zeros((n, n)),
        phi=lambda q, t: np.array([q[0] ** 2 + q[1] ** 2 - 0.01 * np.sin(1.0) ** 2]),
        G=lambda q, t: np.concatenate([2.0 * q[:2], np.zeros(n - 2)])[None, :],
        b=lambda q, v, t: np.array([-2.0 * (v[0] ** 2 + v[1] ** 2)]),
    )
    found = run(system, dt=1e-3, t_end=0.05)
    exact = run(system, dt=1e-3, t_end=0.05, newton=iso.Newton(rtol=1e-13, reuse=False))
    assert found.stats.factorisations <= 0.6 * found.stats.steps
    differences = apart(found, exact)
    assert max(differences.values()) < 1e-9, differences
