"""Overshoot of an undamped stiff mode, Ω = ω Δt up to 10⁴: the start of `integrate` is of the same
class as the textbook one.

The textbook start is a₀ = −ω² q₀ followed by powers of the amplification matrix
[Shimada2014 (2.39)]; `integrate` takes its first step with the midpoint member. The class is the
power of Ω with which the largest |q_n| and |v_n| of the first steps grow, for q₀ alone and for v₀
alone, relative to the exact amplitudes; a positive power is an overshoot. Measured: equal for all
members below; among them U0V0 (no overshoot), U0V1 (velocity, from q₀) and V0U1 (displacement, from
v₀).
"""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels.compiled import FloatArray
from isodyn.schemes.spectral import amplification_matrix

STEPS = 30
STARTS = [(1.0, 0.0), (0.0, 1.0)]  # (q₀, v₀) with ω = 1: exact amplitudes of q and v are 1
S = iso.Scheme

NONE, VELOCITY, DISPLACEMENT = ((0, 0), (0, 0)), ((0, 1), (0, 0)), ((0, 0), (1, 0))
"""Positive powers of Ω in (q, v), from q₀ and from v₀."""

MEMBERS = [
    (S.U0(1, 1, 0), NONE),
    (S.U0(1, 1, 0.5), NONE),
    (S.U0(1, 1, 1), NONE),
    (S.V0(1, 1, 0), NONE),
    (S.V0(1, 1, 0.5), NONE),
    (S.optimal(0.0), NONE),
    (S.optimal(0.5), NONE),
    (S.V0(0.8, 1, 0.8), NONE),
    (S.newmark(), NONE),
    (S.midpoint_mpa(), NONE),
    (S.U0(0.5, 0.5, 0.5), VELOCITY),
    (S.U0(0, 0, 0), VELOCITY),
    (S.U0(0.5, 0.8, 0.2), VELOCITY),
    (S.hht(0.6), VELOCITY),
    (S.wbz(0.6), VELOCITY),
    (S.V0(0.5, 0.5, 0.5), DISPLACEMENT),
    (S.V0(0.5, 0.5, 0.2), DISPLACEMENT),
]


def computed(s: iso.Scheme, Omega: float, q0: float, v0: float) -> FloatArray:
    """(q_n, v_n) of `integrate`."""
    sol = iso.integrate(iso.LinearSystem(1.0, None, 1.0, None, [q0], [v0]), s, dt=Omega, t_end=STEPS * Omega)
    return np.hstack([sol.q, sol.v])


def textbook(s: iso.Scheme, Omega: float, q0: float, v0: float) -> FloatArray:
    """(q_n, v_n) of the recurrence from a₀ = −ω² q₀."""
    A = amplification_matrix(s, Omega)
    y = [np.array([q0, Omega * v0, -(Omega**2) * q0])]
    for _ in range(STEPS):
        y.append(A @ y[-1])
    return np.array(y)[:, :2] / [1.0, Omega]


def powers(states: tuple[FloatArray, FloatArray]) -> tuple[int, int]:
    """Growth of max|q|, max|v| from Ω = 10³ to 10⁴ as powers of Ω; no growth counts as 0."""
    small, large = (np.abs(x).max(axis=0) for x in states)
    slopes = np.log10(large / small)
    assert np.abs(slopes - np.rint(slopes)).max() < 0.02
    q, v = np.maximum(np.rint(slopes), 0).astype(int)
    return int(q), int(v)


@pytest.mark.parametrize(("scheme", "expected"), MEMBERS, ids=[s.name for s, _ in MEMBERS])
def test_overshoot_class_with_our_start_and_the_textbook_one(
    scheme: iso.Scheme, expected: tuple[tuple[int, int], ...]
) -> None:
    for start, answer in zip(STARTS, expected, strict=True):
        ours = powers((computed(scheme, 1e3, *start), computed(scheme, 1e4, *start)))
        theirs = powers((textbook(scheme, 1e3, *start), textbook(scheme, 1e4, *start)))
        assert ours == theirs == answer


@pytest.mark.parametrize("start", STARTS, ids=["q0", "v0"])
@pytest.mark.parametrize("scheme", [s for s, _ in MEMBERS[:5]], ids=lambda s: s.name)
def test_energy_of_members_without_overshoot_and_damping_stays(scheme: iso.Scheme, start: tuple[float, float]) -> None:
    """E/E₀ = 1 at Ω = 10⁴, up to eps·Ω², the rounding of Δt² a next to q."""
    Omega = 1e4
    energy = (computed(scheme, Omega, *start) ** 2).sum(axis=1)
    assert np.abs(energy - 1.0).max() <= 8.0 * np.finfo(float).eps * Omega**2
