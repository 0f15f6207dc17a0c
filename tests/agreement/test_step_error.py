"""Estimated local errors of q and v are the true ones, for every member, with steps of changing
size, with and without constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.stepping.close_look import is_familiar
from isodyn.stepping.memory import new_state

MEMBERS = [
    iso.Scheme.U0(0.0, 0.5, 0.0),
    iso.Scheme.U0(0.5, 0.5, 0.5),
    iso.Scheme.U0(0.5, 1.0, 0.5),
    iso.Scheme.V0(0.5, 1.0, 0.5),
    iso.Scheme.V0(0.3, 0.7, 0.1),
]


@dataclass(frozen=True)
class Watched(iso.StepPolicy):
    """Steps of any size, and what they say of their errors."""

    first_step: float = 4e-3
    estimates = True

    def accept(self, step: Any) -> float:
        seen.append((step.before.t, step.before.q.copy(), step.before.v.copy(), step.t, step.error_q, step.error_v))
        after.append((step.after.q.copy(), step.after.v.copy()))
        size = 4e-3 * (0.6 + 0.9 * (0.618 * len(seen) % 1.0))
        return float(size / step.dt)


seen: list[Any] = []
after: list[Any] = []


@numba.njit
def bent(q: Any, v: Any, t: float) -> Any:
    return -np.sin(q) - 0.1 * v * np.abs(v) + 0.3 * np.cos(1.3 * t) - 0.5 * q**3


def free() -> Any:
    return iso.MechanicalSystem(M=1.0, Q=bent, q0=[1.0], v0=[0.3])


def misses(system: Any, scheme: Any) -> tuple[float, float]:
    """How far estimates of q and v are from the errors, relative to the largest error."""
    seen.clear()
    after.clear()
    iso.integrate(system, scheme, dt=Watched(), t_end=0.12)
    rows = []
    for (t, q, v, t_1, e_q, e_v), (q_1, v_1) in list(zip(seen, after, strict=True))[3:-1]:
        if system.m:
            start = iso.MechanicalSystem(
                M=np.eye(2),
                Q=lambda q, v, t: np.array([0.0, -9.81]),
                q0=q,
                v0=v,
                phi=lambda x, t, r=q @ q: np.array([0.5 * (x @ x - r)]),
                G=lambda q, t: q[None, :],
            )
        else:
            start = iso.MechanicalSystem(M=1.0, Q=bent, q0=q, v0=v)
        exact = iso.integrate_adaptive(start, t0=t, t_end=t_1, rtol=1e-13, save=2)
        off = exact.v[-1] - v_1
        if system.m:  # v is tangent at another point, by the error of q
            off = off - q_1 * (q_1 @ off) / (q_1 @ q_1)
        rows.append((exact.q[-1] - q_1, e_q, off, e_v))
    q, e_q, v, e_v = (np.array(x) for x in zip(*rows, strict=True))
    return float(np.abs(q - e_q).max() / np.abs(q).max()), float(np.abs(v - e_v).max() / np.abs(v).max())


@pytest.mark.parametrize("scheme", MEMBERS, ids=lambda scheme: scheme.name)
def test_free(scheme: Any) -> None:
    of_q, of_v = misses(free(), scheme)
    assert of_q < 0.05
    assert of_v < 0.05


def test_with_constraints() -> None:
    """U0 and V0 on a pendulum: errors that are tangent to the constraint."""
    for scheme in (MEMBERS[0], MEMBERS[3]):
        of_q, of_v = misses(problems.get("pendulum").system(), scheme)
        assert of_q < 0.1
        assert of_v < 0.1


@pytest.mark.parametrize(
    ("changed", "familiar"),
    [
        ({}, True),
        ({"left_v": 0.1}, False),
        ({"left_q": 0.1}, False),
        ({"raw_v": 0.05}, False),
        ({"raw_q": 0.05}, False),
        ({"since_look": 5}, False),
        ({"since_look": 0}, False),
        ({"dt": 0.2}, False),
    ],
    ids=str,
)
def test_which_errors_are_known_without_a_close_look(changed: dict[str, float], familiar: bool) -> None:
    """Those like the last ones that were looked at, in steps of one size, where stiff parts do not
    take most of them; never next to a repeated step."""
    before, state = new_state(1, 1, 0), new_state(1, 1, 0)
    before.dt, before.last_error = 0.1, 0.2
    state.dt, state.raw_q, state.raw_v, state.left_q, state.left_v, state.since_look = 0.1, 0.1, 0.1, 1.0, 0.5, 1
    for name, value in changed.items():
        setattr(state, name, value)
    assert is_familiar(0.1, 0.1, before, state) == familiar
    before.last_error = 0.6
    assert not is_familiar(0.1, 0.1, before, state)
