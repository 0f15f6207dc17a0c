"""Checkpoints of subdomain runs: gone on with bit for bit wherever they were stopped; what does not fit
is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.results import Checkpoint
from kept_results import nonlinear_parts, same
from subdomain_systems import THREE, chain

OPTIMAL = iso.Scheme.optimal(0.8)
FULL = np.ones((6, 6)) + np.diag(np.arange(6) + 1.0)


def wide_parts() -> Any:
    """Two subdomains whose matrices have no narrow bands."""
    half = iso.LinearSystem(np.eye(6), 0.1 * np.eye(6), FULL, lambda t: np.sin(t) * np.ones(6), np.ones(6), np.zeros(6))
    return iso.Subdomains({"a": half, "b": half}, ties=[("a", [0, 5], "b", [0, 5])])


def pendulums() -> Any:
    """Two with constraints of their own, tied by a third coordinate."""

    def one() -> Any:
        return iso.MechanicalSystem(
            np.eye(3),
            lambda q, v, t: np.array([0.0, -9.81, -(q[2] ** 3)]),
            [1.0, 0.0, 1.0],
            np.zeros(3),
            phi=lambda q, t: np.array([q[0] ** 2 + q[1] ** 2 - 1.0]),
            G=lambda q, t: np.array([[2 * q[0], 2 * q[1], 0.0]]),
            b=lambda q, v, t: np.array([-2 * (v[0] ** 2 + v[1] ** 2)]),
        )

    return iso.Subdomains({"a": one(), "b": one()}, ties=[("a", [2], "b", [2])])


STABILISED = {"formulation": iso.Stabilised(), "breakpoints": [0.105, 0.2]}
DIVIDED: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "narrow bands": (lambda: iso.partition(chain(), THREE), {"substeps": {"left": 2, "middle": 1, "right": 4}}),
    "breakpoints": (lambda: iso.partition(chain(), THREE), {**STABILISED, "save_every": 3}),
    "nonlinear": (nonlinear_parts, {"substeps": {"a": 2, "b": 1}}),
    "full matrices, threads": (wide_parts, {**STABILISED, "threads": 2}),
    "constraints": (pendulums, STABILISED),
}


@pytest.mark.parametrize("kind", DIVIDED)
def test_subdomains_go_on_bit_for_bit(kind: str, tmp_path: Path) -> None:
    """Stopped before, at and behind breakpoints; rows, multipliers and counts are those of the run
    that nobody stopped, and the numbers those of a run without checkpoints."""
    make, given = DIVIDED[kind]
    options = {"scheme": OPTIMAL, "dt": 0.02, "t_end": 0.3, **given}
    plain = iso.integrate(make(), **options)
    whole = iso.integrate(make(), **options, checkpoint=Checkpoint(tmp_path / "whole", 3))
    assert all(np.array_equal(whole[name].q, plain[name].q) for name in plain.parts)
    for stop in (0.1, 0.25):
        kept = Checkpoint(tmp_path / f"{stop}", 3)
        part = iso.integrate(make(), **options, checkpoint=kept, observe=lambda s: s.t >= stop)  # noqa: B023
        assert part.stats.stopped is not None
        assert same(whole, iso.resume(tmp_path / f"{stop}", make()))


def test_other_subdomains_are_refused(tmp_path: Path) -> None:
    options = {"dt": 0.02, "t_end": 0.1}
    iso.integrate(nonlinear_parts(), **options, checkpoint=tmp_path / "c")
    with pytest.raises(InputError, match="belongs to another system"):
        iso.resume(tmp_path / "c", wide_parts())
    with pytest.raises(InputError, match=r"was made in this process, where rounding differs\nhint: executor="):
        iso.resume(tmp_path / "c", nonlinear_parts(), executor=object())
    with pytest.raises(InputError, match=r"save is not for subdomains\nhint: rows of subdomains are ends of steps"):
        iso.integrate(nonlinear_parts(), **options, save=5)
