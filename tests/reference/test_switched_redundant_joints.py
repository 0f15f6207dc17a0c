"""Joints that events lock and release in mechanisms whose rows depend on each other: the motion is
that of a twin with as many rows as it needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso


def four_bar(redundant: bool) -> iso.Mechanism:
    """Four hinges about y in space, of which three rows are too many, or the last one by two rows;
    and a stop for the middle of the crank."""
    mech = iso.Mechanism()
    for name, at in (("crank", (0, 0, 0.5)), ("rod", (1, 0, 1)), ("rocker", (2, 0, 0.75))):
        mech.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=at)
    ends = {"A": ("ground", "crank", (0, 0, 0)), "B": ("crank", "rod", (0, 0, 1)), "D": ("ground", "rocker", (2, 0, 0))}
    for name, (one, two, point) in ends.items():
        mech.add_joint(iso.Hinge(name, one, two, point=point, axis=(0, 1, 0)))
    if redundant:
        mech.add_joint(iso.Hinge("C", "rod", "rocker", point=(2, 0, 1), axis=(0, 1, 0)))
    else:
        for name, axis in (("Cx", (1, 0, 0)), ("Cz", (0, 0, 1))):
            mech.add_joint(iso.PointOnPlane(name, "rod", "rocker", point=(2, 0, 1), axis=axis))
    mech.add_joint(iso.PointOnPlane("stop", "ground", "crank", point=(0, 0, 0.5), axis=(1, 0, 0), lift=0.2))
    mech.add_load(iso.Motor("motor", "A", torque=4.0))
    return mech


STEPS: dict[str, dict[str, Any]] = {
    "fixed": {"dt": 0.01},
    "adaptive": {"dt": iso.Adaptive(1e-3)},
    "Radau": {"scheme": iso.Radau(1e-7)},
    "order 8": {"scheme": iso.DOP853(1e-9)},
}


@pytest.mark.parametrize("how", STEPS)
def test_a_stop_holds_a_loop_and_lets_go(how: str) -> None:
    """The crank comes to the stop, stands there, and goes on."""
    found = []
    for redundant in (True, False):
        events = [
            iso.Event("crank.x - 0.2", direction=1, action=iso.Lock("stop"), name="lock"),
            iso.Event(lambda t, q, v: t - 1.2, action=iso.Release("stop"), name="release"),
        ]
        sol = iso.integrate(four_bar(redundant), t_end=1.5, released=["stop"], events=events, **STEPS[how])
        found.append(sol)
    many, few = found
    assert len(many.redundant) >= 3 > len(few.redundant)
    for sol in found:  # what was held at zero and is let go passes no zero: rounding once locked it again
        assert [event.name for event in sol.events] == ["lock", "release"]
    np.testing.assert_allclose([x.t for x in many.events], [x.t for x in few.events], rtol=1e-9)
    for name in ("q", "v", "a"):
        one, two = (getattr(sol, name) for sol in found)
        np.testing.assert_allclose(one[-1][:18], two[-1][:18], rtol=1e-6, atol=1e-8)
    forces = [sol.lam[:, list(sol.system.row_names).index("stop: offset along axis 3")] for sol in found]
    assert np.abs(forces[0]).max() > 1.0
    standing = [(sol.t > many.events[0].t) & (sol.t < 1.19) for sol in found]
    assert np.abs(many.v[standing[0]]).max() < 1e-10
    np.testing.assert_allclose(forces[0][standing[0]].mean(), forces[1][standing[1]].mean(), rtol=1e-7)
    loose = [(sol.t < many.events[0].t) | (sol.t > 1.21) for sol in found]
    assert not forces[0][loose[0]].any()


@pytest.mark.parametrize("method", [iso.Radau(1e-6), iso.DOP853(1e-9)], ids=["Radau", "order 8"])
def test_ranks_of_rows_before_a_release(method: Any) -> None:
    """Rows that were saved since the march was called last had the rank after the release."""
    mech = iso.Mechanism()
    for k in range(2):
        mech.add_body(f"link{k}", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(k + 0.5, 0, 0))
        first = f"link{k - 1}" if k else "ground"
        mech.add_joint(iso.Hinge(f"pin{k}", first, f"link{k}", point=(k, 0, 0), axis=(0, 1, 0)))
    cut = iso.Event(lambda t, q, v: t - 0.3, action=iso.Release("pin1"))
    sol = iso.integrate(mech, method, t_end=0.5, events=[cut])
    assert np.array_equal(sol.aux["rank"], np.where(sol.t < 0.3, 10, 5))
