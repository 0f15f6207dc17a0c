"""Events of accelerations where a sampled controller lets forces jump."""

from typing import Any

import numpy as np
import pytest

import isodyn as iso


def pushed() -> iso.Mechanism:
    """A block on a rail; the force on it is 1 N, then −1 N, and changes at 0.15 s, 0.35 s, …"""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("block", 1.0, 0.1, (0, 0), kind="planar")
    mech.add_joint(iso.Prismatic("rail", "ground", "block", point=(0, 0, 0), axis=(1, 0, 0)))
    mech.add_load(iso.Motor("push", "rail", torque=0.0))
    way = lambda t, x: 1.0 if int(5.0 * t + 0.25 + 1e-9) % 2 == 0 else -1.0  # noqa: E731
    mech.add_controller("bang", every=0.05, reads=["block.x"], writes=["push"], law=way)
    return mech


@pytest.mark.parametrize("acts", [False, True])
@pytest.mark.parametrize("kind", [{"dt": 0.05}, {"dt": iso.Adaptive(1e-3)}, {"scheme": iso.Radau(1e-6)}], ids=str)
def test_jumps_at_samples_are_found_once(kind: dict[str, Any], acts: bool) -> None:
    """The acceleration passes ½ at each jump; the first sample, at the start, is part of the start."""
    action = (lambda sample: sample) if acts else None
    event = iso.Event(lambda sample: sample.a[0] - 0.5, action=action)
    sol = iso.integrate(pushed(), t_end=1.0, events=[event], **kind)
    assert [one.t for one in sol.events] == pytest.approx([0.15, 0.35, 0.55, 0.75, 0.95])
    assert np.abs(sol.q[-1, 0] - 0.0575) < 1e-9


@pytest.mark.parametrize("kind", [{"dt": 0.05}, {"dt": iso.Adaptive(1e-3)}, {"scheme": iso.Radau(1e-6)}], ids=str)
@pytest.mark.filterwarnings("ignore:the .* rows that were saved")  # forces are constant between them
def test_work_to_rows_at_samples(kind: dict[str, Any]) -> None:
    """0.05 · 3 and 0.15 are two times: a row with the one had the force after a jump at the other as the one
    before it, and the balance was off by up to a third of the energy, without a word. The event sets
    another load at 0.3, which is no 0.05 · 6."""
    mech = pushed()
    mech.add_load(iso.Force("wind", "block", (0.3, 0, 0)))
    event = iso.Event(lambda t, q, v: t - 0.3, action=iso.SetInput("wind", (-0.2, 0, 0)))
    save = [0.0, 0.15, 0.3, 0.35, 0.55, 0.6, 0.7, 0.75, 0.95, 1.0]
    sol = iso.integrate(mech, t_end=1.0, save=save, events=[event], **kind)
    assert np.abs(sol.energy_balance()).max() < 1e-14
    work = sum(sol.quantity(f"{name}.work").values for name in ("push", "wind"))
    assert work == pytest.approx(sol.energy()[0], abs=1e-14)
    pushes = sol.quantity("push.effort").values + sol.quantity("wind.force_x").values
    assert pushes == pytest.approx(sol.a[:, 0], abs=1e-12)  # the forces after a jump, as accelerations are
