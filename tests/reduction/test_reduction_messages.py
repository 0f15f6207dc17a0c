"""Bad snapshots and bad ranks are refused by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, LockingError


def bar(**start: Any) -> iso.LinearSystem:
    given = {"q0": np.zeros(4), "v0": [0.0, 1.0, 0.0, 0.0], **start}
    K = np.diag([2.0] * 4) - np.eye(4, k=1) - np.eye(4, k=-1)
    return iso.LinearSystem(np.eye(4), None, K, None, **given)


@pytest.fixture(scope="module")
def sol() -> iso.Solution:
    return iso.integrate(bar(), iso.Scheme.midpoint_epa(), dt=0.1, t_end=2.0)


def test_fewer_snapshots_than_modes(sol: iso.Solution) -> None:
    few = iso.integrate(bar(), iso.Scheme.midpoint_epa(), dt=0.1, t_end=0.2)
    with pytest.raises(InputError, match="rank 4 was asked for, but there are only 3 snapshots"):
        iso.pod(few, rank=4)


def test_no_snapshots(sol: iso.Solution) -> None:
    none = replace(sol, t=sol.t[:0], q=sol.q[:0], v=sol.v[:0], a=sol.a[:0], lam=sol.lam[:0])
    with pytest.raises(InputError, match="there are no snapshots"):
        iso.pod(none, rank=1)
    with pytest.raises(InputError, match="sequence of solutions is empty"):
        iso.pod([], rank=1)
    with pytest.raises(InputError, match="there are no snapshots"):
        iso.reduction.Snapshots().basis(rank=1)


def test_all_snapshots_zero() -> None:
    still = iso.integrate(bar(v0=np.zeros(4)), iso.Scheme.midpoint_epa(), dt=0.1, t_end=1.0)
    with pytest.raises(InputError, match="all snapshots are zero"):
        iso.pod(still, rank=1)
    seen = iso.reduction.Snapshots()
    seen.add(still)
    with pytest.raises(InputError, match="all snapshots are zero"):
        seen.basis(rank=1)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_not_a_number(sol: iso.Solution, value: float) -> None:
    q = sol.q.copy()
    q[3, 2] = value
    with pytest.raises(InputError, match=r"must be finite, received q\[2\] = (nan|inf) at t = 0.3"):
        iso.pod(replace(sol, q=q), rank=2)
    seen = iso.reduction.Snapshots()
    with pytest.raises(InputError, match=r"received q\[2\] = (nan|inf) at t = 0.3"):
        seen.add(replace(sol, q=q))


def test_rank_beyond_what_exists(sol: iso.Solution) -> None:
    with pytest.raises(InputError, match="rank 5 was asked for, but there are only 4 coordinates"):
        iso.pod(sol, rank=5)
    q = sol.q.copy()
    q[:, 2:] = 0.0
    poor = replace(sol, q=q)
    with pytest.raises(InputError, match="rank 3 was asked for, but the snapshots hold only 2 independent directions"):
        iso.pod(poor, rank=3)
    seen = iso.reduction.Snapshots()
    seen.add(poor)
    with pytest.raises(InputError, match="hold only 2 independent directions"):
        seen.basis(rank=3)


@pytest.mark.parametrize("rank", [0, -1, 2.5, True, "7"])
def test_rank_is_a_positive_whole_number(sol: iso.Solution, rank: Any) -> None:
    with pytest.raises(InputError, match="rank must be a positive whole number"):
        iso.pod(sol, rank=rank)


@pytest.mark.parametrize("energy", [0.0, -0.1, 1.1, float("nan"), "0.99"])
def test_energy_is_a_part(sol: iso.Solution, energy: Any) -> None:
    with pytest.raises(InputError, match="energy must lie above 0 and not above 1"):
        iso.pod(sol, energy=energy)


def test_other_arguments(sol: iso.Solution) -> None:
    with pytest.raises(InputError, match="rank or energy, not both"):
        iso.pod(sol, rank=2, energy=0.9)
    with pytest.raises(InputError, match="are of 'q', 'v' or 'a', received 'lam'"):
        iso.pod(sol, of="lam", rank=2)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="from a solution or a sequence of solutions"):
        iso.pod(np.zeros((3, 3)), rank=1)
    with pytest.raises(InputError, match="'v' cannot be centred"):
        iso.pod(sol, of="v", rank=2, centred=True)
    with pytest.raises(InputError, match="centred or about, not both"):
        iso.pod(sol, rank=2, centred=True, about=np.zeros(4))
    with pytest.raises(InputError, match="about must have 4 entries, received 3"):
        iso.pod(sol, rank=2, about=np.zeros(3))
    with pytest.raises(InputError, match="inner must be a matrix of 4 × 4"):
        iso.pod(sol, rank=2, inner=np.eye(3))
    with pytest.raises(InputError, match="finite symmetric matrix"):
        iso.pod(sol, rank=2, inner=np.triu(np.ones((4, 4))))
    with pytest.raises(InputError, match="positive definite"):
        iso.pod(sol, rank=2, inner=-np.eye(4))
    with pytest.raises(InputError, match="positive definite"):
        iso.pod(sol, rank=2, inner=np.ones((4, 4)) - 0.5 * np.eye(4))
    with pytest.raises(InputError, match="between 0 and 3"):
        iso.pod(sol, rank=2, columns=[1, 7])


def test_solution_with_some_columns_only() -> None:
    few = iso.integrate(bar(), iso.Scheme.midpoint_epa(), dt=0.1, t_end=2.0, select={"q": [0, 1]})
    with pytest.raises(InputError, match="only 2 of 4 columns were saved"):
        iso.pod(few, rank=1)


def test_basis_and_system_have_to_fit(sol: iso.Solution) -> None:
    basis = iso.pod(sol, rank=2)
    other = iso.LinearSystem(np.eye(3), None, np.eye(3), None, np.zeros(3), np.zeros(3))
    with pytest.raises(InputError, match="the basis has 4 coordinates, the system 3"):
        iso.reduce(other, basis)
    with pytest.raises(InputError, match="basis must be a Basis"):
        iso.reduce(sol.system, np.eye(4))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="does not belong to a system that was reduced with this basis"):
        basis.lift(sol)
    with pytest.raises(InputError, match="whole number from 1 to 2"):
        basis.truncated(3)
    with pytest.raises(InputError, match="belongs to bases from snapshots"):
        _ = iso.reduction.eigenmodes(bar(), rank=2).captured


def test_an_offset_has_to_fulfil_the_rows() -> None:
    G = np.array([[1.0, 0.0, 0.0, -1.0]])
    held = iso.LinearSystem(np.eye(4), None, np.eye(4), None, np.zeros(4), [0, 1, 0, 0], G=G, row_names=["tie"])
    tied = iso.integrate(held, iso.Scheme.midpoint_epa(), dt=0.1, t_end=2.0)
    with pytest.raises(
        LockingError, match="cannot fulfil constraint 'tie': no direction changes it, and it is off by 1 at t = 0"
    ):
        iso.reduce(held, replace(iso.pod(tied, rank=1), mean=np.array([1.0, 0.0, 0.0, 0.0])))


def test_things_of_another_kind(sol: iso.Solution) -> None:
    """What is no system, solution, basis or matrix is refused by its type, arrays of another length
    by theirs."""
    basis: Any = iso.pod(sol, rank=2)
    system: Any = sol.system
    other = iso.LinearSystem(np.eye(3), None, np.eye(3), None, np.ones(3), np.zeros(3))
    run = iso.integrate(other, dt=0.1, t_end=1.0)
    modes: Any = iso.reduction.eigenmodes
    for question, message in (
        (lambda: iso.pod(sol, rank=2, inner="mass"), "inner must be a matrix of 4 × 4, received 'mass'"),
        (lambda: iso.pod({"a": sol}, rank=1), 'received dict\nhint: of subdomains one: sol\\["name"\\]'),
        (lambda: basis.lift(None), "a solution of the reduced system, received NoneType"),
        (lambda: basis.coordinates(np.zeros(3)), "q must have 4 entries, received 3"),
        (lambda: basis.rates(np.zeros(5)), "v must have 4 entries, received 5"),
        (lambda: iso.pod(sol, rank=1, columns=[1, 2]).rates(np.zeros(2)), "v must have 3 entries at least, received 2"),
        (lambda: modes(None, 2), "modes are those of a system, received NoneType"),
        (lambda: modes(system, 2, q=[1.0]), "q must have 4 entries, received 1"),
        (lambda: iso.reduction.craig_bampton(system, [3], 2, snapshots=run), "with 4 coordinates, received 3"),
        (lambda: iso.reduce(system, basis, t0=float("nan")), "t0 must be a finite number, received nan"),
        (lambda: iso.reduce(None, basis), "a system is reduced, received NoneType"),
    ):
        with pytest.raises(InputError, match=message):
            question()


def test_questions_to_a_study(sol: iso.Solution) -> None:
    pair = (iso.Scheme.midpoint_epa(), 0.1)
    study: Any = iso.reduction.reduction_study(sol.system, snapshots=pair, reduced=pair, t_end=1.0, rank=2)
    with pytest.raises(InputError, match="errors are of 'q', 'v' or 'a', received 'x'"):
        study.error("x")
    with pytest.raises(InputError, match="column must be a whole number from 0 to 3, received 9"):
        study.error("q", 9)
    with pytest.raises(InputError, match="benchmark must be a solution of the full system, received str"):
        iso.reduction.reduction_study(
            sol.system,
            snapshots=pair,
            reduced=pair,
            t_end=1.0,
            rank=2,
            benchmark="x",  # type: ignore[arg-type]
        )
