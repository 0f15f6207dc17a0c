"""The constraint matrices, their levels and the tangents that problems bring along are derivatives
of each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from constrained_systems import STIFF
from isodyn import problems
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    OK,
    POSITION,
    VELOCITY,
)
from isodyn.problems import andrews
from ready_systems import with_constraints

SYSTEMS: dict[str, Any] = with_constraints()
# mechanisms in space have coordinates of another kind:
# tests/derivatives/test_mechanism_derivatives.py
SYSTEMS = {name: system for name, system in SYSTEMS.items() if not system.first_order and system.retract is None}
SYSTEMS["double_pendulum_tripled"] = problems.get("double_pendulum_doubled").system(copies=3.0)
SYSTEMS["planar_loop_minimal"] = problems.get("planar_loop_in_space").system(minimal=1.0)
SYSTEMS["andrews_plain"] = andrews.plain_system()
H = 1e-5


class State:
    """A random state near the start, off the constraints, and questions about it."""

    def __init__(self, name: str, seed: int = 3) -> None:
        rng = np.random.default_rng(seed)
        self.system = SYSTEMS[name]
        model = self.system.model()
        self.model = model if model.dense is None else model.dense()
        self.n, self.m, self.m_phi = self.system.nv, self.system.m, self.system.m_phi
        self.t = 0.4
        self.q = self.system.q0 + 0.1 * rng.standard_normal(self.n)
        self.v, self.a = (
            rng.standard_normal(self.n) + (self.system.v0 if not name.endswith("slider_crank") else 0.0),
            rng.standard_normal(self.n),
        )
        self.lam = rng.standard_normal(self.m)

    def ask(self, what: int, size: int, c: Any = (1.0, 0.0, 0.0, 1.0), **changes: Any) -> np.ndarray:
        x = {"t": self.t, "q": self.q, "v": self.v, "a": self.a, "lam": self.lam} | changes
        out = np.full(size, np.nan)
        arguments = (x["t"], x["q"], x["v"], x["a"], x["lam"], np.array(c), self.model.tables, self.model.scratch, out)
        assert self.model.function(what, *arguments) == OK
        return out

    def ahead(self, h: float) -> dict[str, Any]:
        """The state h later on the path with this velocity and acceleration."""
        return {
            "t": self.t + h,
            "q": self.q + h * self.v + 0.5 * h * h * self.a,
            "v": self.v + h * self.a,
        }

    def G(self) -> np.ndarray:
        return self.ask(CONSTRAINT, self.m * self.n).reshape(self.m, self.n)

    def mass(self) -> np.ndarray:
        return self.ask(JACOBIAN, self.n**2).reshape(self.n, self.n)


def close(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-7) -> bool:
    return bool(np.abs(found - expected).max() <= tolerance * max(1e-3, np.abs(expected).max(), np.abs(found).max()))


@pytest.mark.parametrize("name", SYSTEMS)
def test_constraint_matrix(name: str) -> None:
    """∂φ/∂q of the holonomic rows, ∂ψ/∂v of the others, against central differences."""
    s = State(name)
    columns = []
    for e in np.eye(s.n):
        phi = [s.ask(POSITION, s.m, q=s.q + h * e)[: s.m_phi] for h in (H, -H)]
        psi = [s.ask(VELOCITY, s.m, v=s.v + h * e)[s.m_phi :] for h in (H, -H)]
        columns.append(np.concatenate([phi[0] - phi[1], psi[0] - psi[1]]) / (2 * H))
    assert close(s.G(), np.array(columns).T)


@pytest.mark.parametrize("name", [name for name, system in SYSTEMS.items() if system.m_phi])
def test_velocity_level_is_the_rate_of_the_position_level(name: str) -> None:
    """G v + φ_t against differences of φ along the motion."""
    s = State(name)
    ends = [s.ask(POSITION, s.m, **s.ahead(h)) for h in (H, -H)]
    assert close(s.ask(VELOCITY, s.m), (ends[0] - ends[1]) / (2 * H))


@pytest.mark.parametrize("name", SYSTEMS)
def test_acceleration_level_is_the_rate_of_the_velocity_level(name: str) -> None:
    """G a − b against differences of φ̇ and ψ along the motion, and of φ a second time."""
    s = State(name)
    found = s.ask(ACCELERATION, s.m)
    ends = [s.ask(VELOCITY, s.m, **s.ahead(h)) for h in (H, -H)]
    assert close(found, (ends[0] - ends[1]) / (2 * H))
    if s.m_phi:
        h = 1e-4
        path = [s.ask(POSITION, s.m, **s.ahead(k * h)) for k in (-1, 0, 1)]
        assert close(found, (path[0] - 2 * path[1] + path[2]) / h**2, 1e-5)


@pytest.mark.parametrize("name", SYSTEMS)
def test_balance_by_parts(name: str) -> None:
    """M a + Gᵀλ − Q, where −Q is the balance at a = 0, λ = 0; M is symmetric and positive."""
    s = State(name)
    M = s.mass()
    assert np.allclose(M, M.T, rtol=1e-14)
    assert np.linalg.eigvalsh(M).min() > 0
    force = -s.ask(BALANCE, s.n, a=np.zeros(s.n), lam=np.zeros(s.m))
    assert close(s.ask(BALANCE, s.n), M @ s.a + s.G().T @ s.lam - force, 1e-13)


# a motor; loads and internal damping of beams
NO_POTENTIAL = ("andrews_mechanism", "elastica", "roll_up")


@pytest.mark.parametrize(
    "name", [name for name, system in SYSTEMS.items() if system.energy is not None and name not in NO_POTENTIAL]
)
def test_forces_and_masses_belong_to_the_energy(name: str) -> None:
    """d/dt (T + V) along a motion is vᵀ(M a − Q): forces of velocity do no work that M(q) does not
    account for."""
    s = State(name)
    if name == "andrews21":  # the point of the spring belongs to body 3 on the constraints only
        s.q = s.system.q0
        s.v -= np.linalg.pinv(s.G()) @ s.G() @ s.v
    h = H
    if name.startswith("andrews"):  # light bodies: fast enough for forces of velocity to count
        s.v, h = 300.0 * s.v, 1e-7
    ends = [s.ahead(x) for x in (h, -h)]
    total = [sum(s.system.energy(x["q"], x["v"], x["t"])) for x in ends]
    power = s.v @ s.ask(BALANCE, s.n, lam=np.zeros(s.m))
    assert (total[0] - total[1]) / (2 * h) == pytest.approx(power, rel=1e-6, abs=1e-10)


# in stiff beams a random state makes forces too large for differences: test_beam_elements,
# tests/beams/test_node_derivatives.py
@pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in STIFF])
def test_tangents(name: str) -> None:
    """c₀ ∂/∂a + c₁ ∂/∂v + c₂ ∂/∂q of the whole balance, multipliers included, against central
    differences."""
    s = State(name)
    assert s.model.traits & KNOWS_MASS
    weights = [(1.0, 0.0, 0.0, 1.0)]
    if s.model.traits & KNOWS_TANGENT:
        weights += [(0.7, 0.3, 0.2, 1.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)]
    for c in weights:
        J = s.ask(JACOBIAN, s.n**2, c).reshape(s.n, s.n)
        columns = []
        for e in np.eye(s.n):
            ends = [
                s.ask(BALANCE, s.n, q=s.q + h * c[2] * e, v=s.v + h * c[1] * e, a=s.a + h * c[0] * e) for h in (H, -H)
            ]
            columns.append((ends[0] - ends[1]) / (2 * H))
        assert close(J, np.array(columns).T), c
