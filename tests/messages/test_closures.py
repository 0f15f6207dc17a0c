"""Closures by names: what formulations ask for, and combinations that make no sense."""

from __future__ import annotations

import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.formulations.closure import Closure, Elimination, InBalance, Where


def test_formulations_are_closures_by_names() -> None:
    assert iso.Stabilised().closure(0.1) == Closure(velocity=1.0, keep_position=True)
    assert iso.Baumgarte(3.0, 4.0).closure(0.1) == Closure(acceleration=1.0, velocity=6.0, position=16.0)
    assert iso.NullSpace("svd").closure(0.1).eliminate is Elimination.SVD
    assert iso.GGL().closure(0.1).in_balance is InBalance.STEP
    assert iso.Penalty(1e-4).closure(0.1).where is Where.BALANCE


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "one of them not zero"),
        ({"velocity": float("nan")}, "finite weights"),
        ({"velocity": 1.0, "project": 1}, "none, two or three"),
        ({"velocity": 1.0, "compliance": -1.0}, "not negative"),
        ({"velocity": 1.0, "compliance": 1.0}, "belongs to closures at the balance"),
        ({"velocity": 1.0, "where": Where.BALANCE, "keep_position": True}, "keep or project nothing"),
        ({"velocity": 1.0, "where": Where.BALANCE, "project": 2}, "keep or project nothing"),
        ({"velocity": 1.0, "keep_position": True, "project": 2}, "needs no corrections"),
        ({"velocity": 1.0, "keep_position": True, "eliminate": Elimination.QR}, "which are eliminated"),
        ({"velocity": 1.0, "in_balance": InBalance.STEP}, "only a correction of q"),
    ],
)
def test_senseless_combinations_are_refused(fields, words) -> None:
    with pytest.raises(InputError, match=words):
        Closure(**fields)
