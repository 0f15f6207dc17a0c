"""First-order DAEs of index 1, 2 and 3, and of several at once: the index is found, and s, s', z
are second order in the maximum norm.

Multipliers that vanish are among them: invariants of the motion kept as constraints. Before the
index was looked for, index 3 gave multipliers such as 5.3, 0.13, 5.1 … instead of 2.65, and rows
with vanishing multipliers were dropped.
"""

from __future__ import annotations

import numpy as np
import pytest

import first_order_daes as daes
import isodyn as iso

CASES = {
    "pendulum, index 1": (lambda: daes.pendulum(1), 1, (1,)),
    "pendulum, index 2": (lambda: daes.pendulum(2), 2, (0, 1)),
    "pendulum, index 3": (lambda: daes.pendulum(3), 3, (0, 0, 1)),
    "pendulum, index 3, other units of z": (lambda: daes.pendulum(3, unit=1e-9), 3, (0, 0, 1)),
    "pendulum, index 2, other units of z": (lambda: daes.pendulum(2, unit=1e9), 2, (0, 1)),
    "two invariants": (daes.kepler, 2, (0, 2)),
    "one invariant": (daes.spinning_body, 2, (0, 1)),
    "rows of index 1 and 2": (daes.mixed_1_and_2, 2, (1, 2)),
    "a combination of index 2": (daes.combined_1_and_2, 2, (1, 2)),
    "rows of index 2 and 3": (daes.mixed_2_and_3, 3, (0, 1, 2)),
    "rows of index 1 and 3": (daes.mixed_1_and_3, 3, (1, 1, 2)),
    "index 3 in curved coordinates": (daes.twisted_3, 3, (0, 0, 1)),
    "index 3, driven": (daes.driven_3, 3, (0, 0, 1)),
}
SCHEMES = [iso.Scheme.optimal(0.8), iso.Scheme.V0(1, 1, 0), iso.FirstOrderScheme.gear()]


@pytest.mark.parametrize("case", CASES)
def test_index(case):
    build, index, ranks = CASES[case]
    found = iso.analysis.index(build()[0])
    assert (found.index, found.ranks) == (index, ranks)
    assert str(found).startswith(f"index {index} (ranks ")


RUNS = [(case, SCHEMES[0]) for case in CASES]
RUNS += [
    (case, scheme)
    for case in ("pendulum, index 3", "two invariants", "rows of index 1 and 2")
    for scheme in SCHEMES[1:]
]


@pytest.mark.slow
@pytest.mark.parametrize(("case", "scheme"), RUNS, ids=lambda x: getattr(x, "name", x))
def test_second_order(case, scheme):
    """Errors relative to the largest value; absolute where the solution vanishes."""
    system, motion = CASES[case][0]()
    errors = []
    for dt in (0.00625, 0.003125):
        sol = iso.integrate(system, scheme, dt=dt, t_end=0.25)
        exact = motion(sol.t)
        errors.append(
            [
                np.abs(x - y).max() / (np.abs(y).max() if np.any(y) else 1.0)
                for x, y in zip((sol.s, sol.sdot, sol.z), exact, strict=True)
            ]
        )
        assert sol.stats.index is not None
        assert sol.stats.index.startswith(f"index {CASES[case][1]}")
    for name, coarse, fine in zip(("s", "s'", "z"), *errors, strict=True):
        assert fine < 1e-10 or np.log2(coarse / fine) > 1.88, name


@pytest.mark.parametrize("case", ["two invariants", "one invariant", "pendulum, index 2"])
def test_constraints_hold_where_multipliers_vanish(case):
    """|c| stays at rounding; it grew where the row was dropped."""
    system, _ = CASES[case][0]()
    sol = iso.integrate(system, dt=0.01, t_end=1.0)
    assert max(np.abs(system.c(s, z, t)).max() for t, s, z in zip(sol.t, sol.s, sol.z, strict=True)) < 1e-13


def test_index_3_keeps_both_levels_and_tells_mu():
    """μ of the stabilised form vanishes with Δt²."""
    system, _ = daes.pendulum(3)
    sizes = []
    for dt in (0.02, 0.01):
        sol = iso.integrate(system, dt=dt, t_end=0.6)
        position = np.abs(sol.s[:, 0] ** 2 + sol.s[:, 1] ** 2 - 1.0).max()
        velocity = np.abs(sol.s[:, 0] * sol.s[:, 2] + sol.s[:, 1] * sol.s[:, 3]).max()
        assert position < 1e-13
        assert velocity < 1e-11
        sizes.append(np.abs(sol.aux["mu"]).max())
    assert sol.z.shape == (sol.t.size, 1)
    assert sol.system is system
    assert np.log2(sizes[0] / sizes[1]) > 1.8


def test_a_right_start_of_index_3_stays():
    """z₀ of the motion is kept to nine digits, also from a wrong guess."""
    exact = daes.pendulum(3)[1](np.zeros(1))[2][0, 0]
    for guess in (exact, 0.0, -7.0):
        sol = iso.integrate(daes.pendulum(3, z0=guess)[0], dt=0.01, t_end=0.05)
        assert sol.z[0, 0] == pytest.approx(exact, rel=1e-9)
        assert np.abs(sol.z - daes.pendulum(3)[1](sol.t)[2]).max() < 2e-3


def test_fast_drive():
    """The scale of time is found where nothing but time moves: ω = 1000."""
    system, motion = daes.driven_3(1000.0)
    sol = iso.integrate(system, dt=1e-5, t_end=1e-3)
    s, _, z = motion(sol.t)
    assert np.abs(sol.s - s).max() < 1e-9 * np.abs(s).max()
    assert np.abs(sol.z - z).max() < 1e-4 * np.abs(z).max()


def test_index_of_mechanical_systems():
    import constrained_systems as known

    assert str(iso.analysis.index(known.pendulum_system())) == "index 3 (ranks 0, 0, 1 of 1)"
    assert iso.analysis.index(known.manufactured_system(rolling=True)).ranks == (0, 1, 2)
    assert str(iso.analysis.index(iso.FirstOrderSystem(lambda s, t: -s, [1.0]))) == "index 0"


@pytest.mark.parametrize(
    ("Q", "P", "expected"),
    [
        (np.eye(2), np.ones((2, 2)), "index 0"),
        (np.diag([1.0, 0.0]), [[1.0, 0.0], [1.0, -1.0]], "index 1 (ranks 1 of 1)"),
        ([[0.0, 1.0], [0.0, 0.0]], np.eye(2), "index 2 (ranks 0, 1 of 1)"),
        ([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]], np.eye(3), "index 3 (ranks 0, 0, 1 of 1)"),
        (np.zeros((2, 2)), np.eye(2), "index 1 (ranks 2 of 2)"),
    ],
)
def test_index_of_matrix_pencils(Q, P, expected):
    """Q s' + P s = r: the index of nilpotency of Q where P is the identity; not changed by other
    rows and unknowns."""
    n = len(Q)
    rng = np.random.default_rng(3)
    rows, unknowns = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    for left, right in ((np.eye(n), np.eye(n)), (rows, unknowns)):
        system = iso.LinearFirstOrderSystem(left @ Q @ right, left @ P @ right, None, rng.normal(size=n))
        assert str(iso.analysis.index(system)) == expected


def test_units_do_not_count():
    """Hamilton's form of Andrews' mechanism: lengths of centimetres, masses of 1e-2 and inertias of
    1e-6, forces of 1e2."""
    found = iso.analysis.index(iso.Hamiltonian().transform(iso.problems.get("andrews").system()))
    assert (found.index, found.ranks) == (2, (0, 12))
