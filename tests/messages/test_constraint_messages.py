"""Mistakes in constraints and formulations: which row, how much, and what to do.

A parallelogram folded flat, where its rows lose rank, is passed in motion and refused at the start
with the row's name.
"""

from __future__ import annotations

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso
from isodyn.errors import CallableError, ConflictError, InputError, NonFiniteError, SchemeError, StabilityWarning

S = iso.Scheme
MASS = np.diag([1.0, 3.0])
FAR_Q, FAR_V = np.array([1.1, 0.2]), np.array([0.3, 1.0])


def rod(**changes) -> iso.MechanicalSystem:
    """A pendulum with unequal masses in x and y, from (1, 0) upwards."""
    arguments = {
        "M": MASS,
        "Q": lambda q, v, t: np.array([0.0, -9.81]),
        "q0": [1.0, 0.0],
        "v0": [0.0, 1.0],
        "phi": lambda q, t: np.array([0.5 * (q @ q - 1.0)]),
        "row_names": ["rod"],
    }
    return iso.MechanicalSystem(**(arguments | changes))


def run(system, formulation=None, scheme=None, **settings):
    return iso.integrate(system, scheme or S.optimal(0.5), formulation, **({"dt": 0.01, "t_end": 0.1} | settings))


# ---- starts


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"q0": FAR_Q}, r"violates constraint 'rod' at position level by 0\.125"),
        ({"v0": FAR_V}, r"violates constraint 'rod' at velocity level by 0\.3"),
    ],
)
def test_inconsistent_start(changes, message):
    with pytest.raises(InputError, match=message) as caught:
        run(rod(**changes))
    assert "assemble=True" in caught.value.hint


def test_inconsistent_start_names_the_worst_row_and_counts_the_others():
    system = known.double_pendulum_system()
    system.q0[3:5] += [0.1, 0.02]
    with pytest.raises(InputError, match=r"'elbow x' at position level by -0\.1 \(and 1 more row\)"):
        run(system)


def assembled():
    sol = run(rod(q0=FAR_Q, v0=FAR_V), assemble=True, t_end=0.01)
    return sol.q[0], sol.v[0]


def test_assembled_start_is_consistent_and_its_velocity_the_nearest():
    """v moves by M⁻¹Gᵀ times something: no change along the constraint, in the metric of M."""
    q, v = assembled()
    along = np.array([-q[1], q[0]])
    assert abs(q @ q - 1.0) < 1e-12
    assert abs(q @ v) < 1e-11
    assert abs(along @ MASS @ (v - FAR_V)) < 1e-11
    assert np.abs(q - FAR_Q).max() < 0.15


def test_assembled_position_is_the_nearest():
    q, _ = assembled()
    along = np.array([-q[1], q[0]])
    assert abs(along @ MASS @ (q - FAR_Q)) < 1e-10


def test_rounding_of_the_input_is_taken_away_silently():
    sol = run(rod(q0=[1.0 + 1e-9, 0.0], v0=[1e-9, 1.0]))
    assert max(sol.drift().largest[:2]) < 1e-12


@pytest.mark.parametrize("formulation", [iso.Hamiltonian(), iso.Penalty()], ids=repr)
def test_assembly_with_transforms(formulation):
    sol = run(rod(q0=FAR_Q, v0=FAR_V), formulation, assemble=True, t_end=0.01)
    assert sol.drift().position[0] < 1e-8


def test_inconsistent_start_with_hamiltonian_names_the_row():
    with pytest.raises(InputError, match="violates constraint") as caught:
        run(rod(q0=FAR_Q), iso.Hamiltonian())
    assert "'rod'" in str(caught.value)


def test_index_2_start_off_its_constraint():
    system = iso.FirstOrderSystem(
        lambda s, z, t: np.array([z[0], 0.0]), s0=[1.0, 0.0], z0=[1.0], c=lambda s, z, t: s[:1], row_names=["pin"]
    )
    with pytest.raises(InputError, match="violates constraint 'pin' by 1") as caught:
        run(system)
    assert "index 2" in caught.value.hint


# ---- conflicts


@pytest.mark.parametrize("assemble", [False, True])
def test_conflicting_joints_are_both_named(assemble):
    with pytest.raises(ConflictError, match=r"'elbow again x' is off by 0\.\d+ at position level where 'elbow x' hold"):
        run(known.double_pendulum_system(2, offset=0.1), assemble=assemble)


def test_conflict_later_in_the_motion():
    """Two rows that agree until t = 0.03; the error says when, and carries what was done."""
    system = iso.MechanicalSystem(
        M=np.eye(2),
        Q=lambda q, v, t: np.zeros(2),
        q0=[0.0, 0.0],
        v0=[0.0, 0.0],
        phi=lambda q, t: np.array([q[0], q[0] - max(0.0, t - 0.03) ** 2]),
        row_names=["fixed", "moved"],
    )
    with pytest.raises(ConflictError, match=r"conflict at t = 0\.0[34]: 'moved' .* where 'fixed' hold") as caught:
        run(system)
    assert caught.value.partial.t.size >= 3


# ---- what functions return


SMOOTH = {
    "phi": lambda q, t: np.array([0.5 * (q @ q - 1.0)]),
    "G": lambda q, t: q[None, :],
    "b": lambda q, v, t: np.array([-(v @ v)]),
    "phi_t": lambda q, t: np.zeros(1),
}


def spoilt(name, since):
    """The function with NaN from a time on."""
    function = SMOOTH[name]
    return lambda *state: function(*state) * (np.nan if state[-1] >= since else 1.0)


@pytest.mark.parametrize(
    ("name", "since"),
    [
        ("phi", 0.0),
        ("G", 0.0),
        ("b", 0.0),
        ("phi", 0.045),
        ("G", 0.045),
        ("b", 0.045),
    ],
)
def test_nan_from_a_constraint_function(name, since):
    system = rod(**(SMOOTH | {name: spoilt(name, since)}))
    with pytest.raises(NonFiniteError, match="NaN"):
        run(system, iso.Overdetermined())


@pytest.mark.parametrize(
    "phi",
    [
        lambda q, t: 0.5 * (q @ q - 1.0),
        lambda q, t: np.zeros((1, 1)),
        lambda q, t: np.zeros(0),
        lambda q, t: None,
    ],
    ids=["scalar", "matrix", "empty", "nothing"],
)
def test_phi_of_wrong_shape(phi):
    with pytest.raises(InputError, match="phi must return a vector with one number per constraint, received shape"):
        rod(phi=phi)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"phi": lambda q, t: np.zeros(1 if t < 0.03 else 2)}, r"phi returned shape \(2,\) at t = 0\.03"),
        ({"G": lambda q, t: q}, r"G returned shape \(2,\) at t = 0, expected numbers of shape \(1, 2\)"),
        ({"G": SMOOTH["G"], "b": lambda q, v, t: None}, r"b returned NoneType None at t = 0"),
        ({"phi_t": lambda q, t: 0.0}, r"phi_t returned shape \(\)"),
        ({"psi": lambda q, v, t: v[:1] * 0.0, "psi_v": lambda q, v, t: v, "row_names": None}, r"psi_v returned shape"),
    ],
)
def test_wrong_shapes_in_the_run(changes, message):
    with pytest.raises(CallableError, match=message):
        run(rod(**changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"phi": 3}, "phi must be a function, received 3"),
        ({"phi": None, "G": lambda q, t: q, "row_names": None}, "G, b and phi_t belong to phi"),
        ({"psi_v": lambda q, v, t: v}, "psi_v and psi_rest belong to psi"),
        ({"row_names": ["rod", "bar"]}, "names must have 1 entries"),
    ],
)
def test_arguments_of_the_system(changes, message):
    with pytest.raises(InputError, match=message):
        rod(**changes)


# ---- combinations


FREE = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
COMBINATIONS = [
    (
        rod,
        iso.PositionLevel(),
        S.central_difference(),
        SchemeError,
        "PositionLevel cannot run with the explicit scheme",
    ),
    (
        rod,
        iso.NullSpace(discrete=True),
        S.central_difference(),
        SchemeError,
        "NullSpace.* cannot run with the explicit scheme",
    ),
    (rod, iso.Hamiltonian(), S.U0(0.5, 0.5, 0.5), SchemeError, "does not adapt to first-order systems"),
    (lambda: FREE, iso.Stabilised(), None, InputError, r"no constraints, so formulation must be None, received Stab"),
    (lambda: FREE, iso.Penalty(), None, InputError, "needs a mechanical system with constraints"),
    (known.index_2_system, iso.Stabilised(), None, SchemeError, "Stabilised is for second-order systems"),
    (known.index_2_system, iso.Hamiltonian(), None, InputError, "needs a mechanical system with constraints"),
    (known.knife_edge_system, iso.Hamiltonian(), None, SchemeError, "holonomic constraints only; .* 1 nonholonomic"),
    (known.knife_edge_system, iso.Penalty(), None, SchemeError, "holonomic constraints only; .* 1 nonholonomic"),
    (
        known.knife_edge_system,
        iso.NullSpace(discrete=True),
        None,
        SchemeError,
        "holonomic constraints only; .* 1 nonholonomic",
    ),
    (rod, "stabilised", None, InputError, "formulation must be one of isodyn's, received 'stabilised'"),
    (rod, iso.Stabilised, None, InputError, "formulation must be one of isodyn's, received <class"),
]


@pytest.mark.parametrize(("system", "formulation", "scheme", "error", "message"), COMBINATIONS)
def test_combinations_that_do_not_exist(system, formulation, scheme, error, message):
    with pytest.raises(error, match=message):
        run(system(), formulation, scheme)


def test_hints_of_combinations():
    with pytest.raises(SchemeError) as caught:
        run(known.index_2_system(), iso.GGL())
    assert (
        caught.value.hint == "first-order systems take: VelocityLevel, AccelerationLevel, Baumgarte, or no formulation"
    )
    with pytest.raises(SchemeError) as caught:
        run(rod(), iso.PositionLevel(), S.central_difference())
    assert "Stabilised()" in caught.value.hint


@pytest.mark.parametrize("formulation", [iso.AccelerationLevel(), iso.Baumgarte()], ids=repr)
def test_derivative_of_c_for_index_1(formulation):
    """c contains z: its derivative at fixed z is no closure."""
    with pytest.raises(SchemeError, match="index 1"):
        run(known.van_der_pol_system(), formulation)


def test_algebraic_unknowns_need_equations():
    with pytest.raises(InputError, match="z0 and c come as a pair"):
        iso.FirstOrderSystem(lambda s, z, t: -z, s0=[1.0], z0=[1.0])
    with pytest.raises(InputError, match="z0 and c come as a pair"):
        iso.FirstOrderSystem(lambda s, z, t: -z, s0=[1.0], c=lambda s, z, t: s - z)


@pytest.mark.parametrize("formulation", [iso.UdwadiaKalaba("cholesky"), iso.Hamiltonian()], ids=repr)
def test_select_with_transforms(formulation):
    with pytest.raises(InputError, match=r"needs all columns .* select must be None"):
        run(rod(), formulation, select=[0])


@pytest.mark.parametrize("formulation", [iso.Penalty(), iso.UdwadiaKalaba(), iso.NullSpace("svd")], ids=repr)
def test_select_where_the_step_closes_itself(formulation):
    """These need no other columns, also for multipliers."""
    some, every = (run(rod(), formulation, select=select) for select in ([0], None))
    assert some.q.shape == (every.t.size, 1)
    assert np.array_equal(some.q[:, 0], every.q[:, 0])
    assert np.array_equal(some.lam, every.lam)


def test_drift_needs_all_columns():
    with pytest.raises(InputError, match=r"drift\(\) needs all of q, but only 1 of 2"):
        run(rod(), select=[0]).drift()


def test_gains():
    for name in ("alpha", "beta"):
        with pytest.raises(InputError, match=f"{name} must be positive, received -1.0"):
            iso.Baumgarte(**{name: -1.0})
    with pytest.warns(StabilityWarning, match="gains are stiff for this step: alpha dt = 100"):
        run(rod(), iso.Baumgarte(alpha=1e4, beta=1.0), t_end=0.02)
    for name in ("p", "omega"):
        with pytest.raises(InputError, match=f"{name} must be positive"):
            iso.Penalty(**{name: 0.0})
    with pytest.raises(InputError, match=r"NullSpace\(discrete=True\) reduces the step with basis='qr'"):
        iso.NullSpace(basis="svd", discrete=True)


def test_penalty_with_a_constraint_that_turns():
    """A bead on a rod that turns: G depends on time."""

    def bead():
        return rod(phi=lambda q, t: np.array([q[1] * np.cos(t) - q[0] * np.sin(t)]))

    penalised, exact = run(bead(), iso.Penalty(), dt=0.005, t_end=1.0), run(bead(), dt=0.005, t_end=1.0)
    np.testing.assert_allclose(penalised.q, exact.q, rtol=0, atol=1e-4)


def test_hamiltonian_with_redundant_rows():
    sol = run(known.double_pendulum_system(2), iso.Hamiltonian())
    assert max(sol.drift().largest[:2]) < 1e-12


# ---- folded flat


@pytest.mark.parametrize("redundant", [False, True])
@pytest.mark.parametrize("formulation", [iso.Stabilised(), iso.GGL(), iso.Projection(), iso.Overdetermined()], ids=repr)
def test_parallelogram_moves_through_its_flat_position(formulation, redundant):
    """All bars in one line at t = 0.09: rank 4 of 5 there. It stays a parallelogram, with a few
    halvings at most."""
    system = known.three_bars_system(redundant=redundant, angle=0.3, speed=-3.0)
    sol = iso.integrate(system, S.optimal(0.5), formulation, dt=0.01, t_end=0.4)
    assert sol.q[0, 1] > 0 > sol.q[-1, 1]
    np.testing.assert_allclose(
        sol.q[:, 3:] - sol.q[:, :3], np.tile([2.0, 0.0, 0.0], (sol.t.size, 1)), rtol=0, atol=1e-9
    )
    assert sol.drift().largest[0] < 1e-12
    assert sol.stats.halvings <= 4


@pytest.mark.parametrize("redundant", [False, True])
def test_parallelogram_that_starts_flat(redundant):
    """One row too many is dropped at the start, where it depends on the others; a step later it
    does not hold, and is taken up."""
    sol = iso.integrate(
        known.three_bars_system(redundant=redundant, angle=0.0, speed=3.0), S.optimal(0.5), dt=0.01, t_end=0.4
    )
    assert max(sol.drift().largest[:2]) < 1e-12
    assert "coupler" not in sol.redundant


def test_assembly_of_a_loop_whose_rows_depend_only_on_the_manifold():
    """Off the manifold more rows are independent than on it: a rough start must not be taken for a
    singular configuration."""
    system = known.three_bars_system(redundant=True, angle=0.8, speed=1.0)
    system.q0 = system.q0 + 1e-2 * np.array([1.0, -0.5, 0.3, 0.2, 0.7, -0.4])
    sol = iso.integrate(system, S.optimal(0.5), dt=0.01, t_end=0.2, assemble=True)
    assert max(sol.drift().largest[:2]) < 1e-12
    assert len(sol.redundant) == 3
    assert np.abs(sol.q[0] - system.q0).max() < 0.03
