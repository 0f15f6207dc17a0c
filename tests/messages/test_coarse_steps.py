"""A run whose local error is not small says so, with the number, the component and the time; one
that resolves its motion does not."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import CoarseStepWarning

pytestmark = pytest.mark.filterwarnings("error::isodyn.errors.CoarseStepWarning")


def oscillator(omega: float = 1.0) -> iso.LinearSystem:
    return iso.LinearSystem([[1.0]], None, [[omega**2]], None, [1.0], [0.0])


def van_der_pol(mu: float) -> iso.FirstOrderSystem:
    def h(s: np.ndarray, t: float) -> np.ndarray:
        return np.array([s[1], mu * (1.0 - s[0] ** 2) * s[1] - s[0]])

    return iso.FirstOrderSystem(h, [2.0, 0.0])


def robertson(s: np.ndarray, t: float) -> np.ndarray:
    x, y, z = s
    return np.array([-0.04 * x + 1e4 * y * z, 0.04 * x - 1e4 * y * z - 3e7 * y * y, 3e7 * y * y])


def test_few_steps_in_a_period() -> None:
    with pytest.warns(
        CoarseStepWarning, match=r"the steps are coarse: the local error reaches .* % .* of 'q0' at t = "
    ):
        sol = iso.integrate(oscillator(), dt=1.2, t_end=30.0)
    check = sol.quality().local_error
    assert not check.good
    assert "of 'q0'" in check.where


@pytest.mark.parametrize("scheme", [iso.Scheme.default(), iso.Scheme.optimal(0.8), iso.Scheme.central_difference()])
def test_thirty_steps_in_a_period_are_enough(scheme: iso.Scheme) -> None:
    sol = iso.integrate(oscillator(), scheme, dt=0.2, t_end=30.0)
    assert 1e-3 < sol.stats.local_error < 0.05
    assert sol.quality().local_error.good


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("in_coordinates", [False, True])
def test_rotations_that_are_rounding_are_no_motion(length: float, in_coordinates: bool) -> None:
    """A slide and a ball on a body in free fall: nothing turns but by rounding, which no step
    resolves."""
    mech = iso.Mechanism(gravity=(0.0, 0.0, -9.81 * length))
    of, at = 0.1 * length**2, {"base": (0, 0, 1), "slide": (0.5, 0, 1), "ball": (0.5, 0.3, 0.7)}
    for mass, (name, place) in enumerate(at.items(), 1):
        inertia = (of, 2.0 * of, 2.5 * of)
        mech.add_body(name, mass=float(mass), inertia=inertia, position=length * np.array(place))
    mech.add_joint(iso.Prismatic("rail", "slide", "base", point=(0.2 * length, 0, length), axis=(1, 0, 0)))
    mech.add_joint(iso.Spherical("socket", "slide", "ball", point=(0.5 * length, 0, length)))
    system = iso.joint_coordinates(mech) if in_coordinates else mech.compile()
    sol = iso.integrate(system, dt=1e-3, t_end=0.3)
    assert sol.stats.local_error < 1e-3


def test_van_der_pol_with_jumps_between_its_steps() -> None:
    with pytest.warns(CoarseStepWarning, match=r"of 's"):
        iso.integrate(van_der_pol(1000.0), dt=0.2, t_end=1000.0)


def test_robertson_with_a_transient_shorter_than_a_step() -> None:
    with pytest.warns(CoarseStepWarning, match=r"of 's"):
        iso.integrate(iso.FirstOrderSystem(robertson, [1.0, 0.0, 0.0]), dt=0.01, t_end=2.0)


def test_members_of_an_ensemble() -> None:
    system = iso.problems.get("pendulum").system()
    speeds = np.outer([0.1, 12.0], system.v0 / np.abs(system.v0).max())
    with pytest.warns(CoarseStepWarning, match=r"the steps of 1 of 2 members are coarse: .* member 1"):
        ens = iso.ensemble(system, dt=0.07, t_end=4.0, v0=speeds)
    assert ens[0].quality().local_error.good
    assert not ens[1].quality().local_error.good


def test_a_resumed_run_reports_the_same(tmp_path: Path) -> None:
    system = iso.problems.get("pendulum").system()
    whole = iso.integrate(system, dt=0.01, t_end=2.0)

    def stop(sample: object) -> bool:
        return sample.t > 1.0  # type: ignore[attr-defined]

    folder = tmp_path / "run"
    iso.integrate(system, dt=0.01, t_end=2.0, checkpoint=iso.results.Checkpoint(folder, every=10), observe=stop)
    resumed = iso.resume(folder, system)
    assert resumed.stats.local_error == pytest.approx(whole.stats.local_error, rel=1e-9)
    assert resumed.stats.local_error_at == whole.stats.local_error_at


def test_stiff_modes_that_rest_are_no_reason() -> None:
    """A slow motion beside a mode of Ω = 10⁴ that is hardly excited."""
    M, K = np.eye(2), np.array([[1.0, 0.0], [0.0, 1e12]])
    system = iso.LinearSystem(M, None, K, None, [1.0, 1e-9], [0.0, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        iso.integrate(system, dt=0.1, t_end=20.0)


@pytest.mark.parametrize("dt", [0.02, 0.1])
def test_the_estimate_is_the_local_error(dt: float) -> None:
    """e_q and e_v of q'' = −q against the Taylor expansion of the exact motion: −cos in steps of
    dt."""
    scheme = iso.Scheme.U0(0.6, 0.8, 0)
    sol = iso.integrate(oscillator(), scheme, dt=dt, t_end=20.0)
    of_q, of_v = abs(1 / 6 + scheme.phi / 2 - scheme.l3), 1 / 12 + scheme.phi / 2
    expected = max(of_q, of_v) * dt**2  # of changes v dt and a dt
    assert sol.stats.local_error == pytest.approx(expected, rel=0.1)
