"""Derivatives of runs with constraints agree with complex steps through the whole discrete run.

The reference is written here once more, in complex numbers: the start in three stages, the first
step, the stabilised steps with corrections of q in the range of M(q_n)⁻¹G(q_n)ᵀ, and steps that
close γ₁φ + γ₂φ̇ + γ₃φ̈ without corrections.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from complex_safe_models import Andrews, FourBar, Pendulum, family
from isodyn.schemes import Scheme
from isodyn.stepping.coefficients import coefficients, starting_scheme

TINY = 1e-30


def solve(residual: Any, z: Any) -> Any:
    """Newton's iteration in complex numbers, to rounding of both parts."""
    z = z.astype(complex)
    for _ in range(40):
        r = residual(z)
        h, J = 1e-6, np.empty((z.size, z.size))
        for j in range(z.size):
            e = np.zeros(z.size)
            e[j] = h * max(1.0, abs(z[j].real))
            J[:, j] = (residual(z + e) - residual(z - e)).real / (2 * e[j])
        for _ in range(3):  # the matrix once more: derivatives converge as slowly as values do
            z = z - np.linalg.solve(J, r)
            r = residual(z)
        d = np.linalg.solve(J, r)
        small = np.abs(d.real).max() <= 1e-13 * np.abs(z.real).max()
        if small and np.abs(d.imag).max() <= 1e-12 * np.abs(z.imag).max() + 1e-300:
            return z - d
    return z - d


def reference(model: Any, scheme: Scheme, p: Any, dt: float, steps: int, levels: Any = None) -> list[Any]:
    """(q, v, a at t_n, lam) of all rows, in complex numbers; with γ₁, γ₂, γ₃ in `levels` of steps
    that close there."""
    n, m = model.n, model.m
    p = np.asarray(p, dtype=complex)
    q0, v0 = model.start(p)
    z = solve(lambda z: np.r_[model.M(z[:n], p) @ (z[:n] - q0) + model.G(z[:n], p).T @ z[n:], model.phi(z[:n], p)],
              np.r_[q0, np.zeros(m)])  # fmt: skip
    q = z[:n]
    M, G = model.M(q, p), model.G(q, p)
    v = v0 - np.linalg.solve(M, G.T @ np.linalg.solve(G @ np.linalg.solve(M, G.T), G @ v0))
    K = np.block([[M, G.T], [G, np.zeros((m, m))]])
    z = np.linalg.solve(K, np.r_[model.Q(q, v, 0.0, p), model.b(q, v, p)])
    a, lam, da = z[:n], z[n:], np.zeros(n, dtype=complex)
    rows = [(q, v, a, lam)]
    x = np.r_[np.zeros(n), lam, np.zeros(m)]
    main, first = coefficients(scheme), coefficients(starting_scheme(scheme))
    for k in range(steps):
        c = first if k == 0 else main
        B, t = np.linalg.solve(model.M(q, p), model.G(q, p).T), k * dt + c.W1 * dt

        def ends(z: Any, c: Any = c, q: Any = q, v: Any = v, a: Any = a, B: Any = B) -> Any:
            x, mu = z[:n], z[n + m :]
            return q + dt * v + dt**2 * (a / 2 + c.l3 * x - B @ mu), v + dt * (a + c.l5 * x)

        def residual(z: Any, c: Any = c, q: Any = q, v: Any = v, a: Any = a, t: float = t) -> Any:
            x, lt = z[:n], z[n : n + m]
            qt = q + c.W1 * dt * v + dt**2 * (c.W2L2 * a + c.W3L3 * x)
            vt, at = v + dt * (c.W1 * a + c.W2L5 * x), a + c.W1L6 * x
            q1, v1 = ends(z)
            r = model.M(qt, p) @ at + model.G(qt, p).T @ lt - model.Q(qt, vt, t, p)
            if levels is not None:
                second = model.G(q1, p) @ (a + (1 + c.phi) * x) - model.b(q1, v1, p)
                parts = model.phi(q1, p), model.G(q1, p) @ v1, second
                return np.r_[r, sum(x * y for x, y in zip(levels, parts, strict=True)), z[n + m :]]
            return np.r_[r, model.G(q1, p) @ v1 / dt, model.phi(q1, p) / dt**2]

        x = solve(residual, x)
        q, v = ends(x)
        da = x[:n]
        a, lam = a + da, lam + (x[n : n + m] - lam) / c.W1
        rows.append((q, v, a + c.phi * da, lam))
        if k == 0:
            a = a + (c.phi - main.phi) * da
    return rows


SCHEMES = (
    Scheme.U0(0.8, 0.8, 0.8),
    Scheme.U0(1.0, 1.0, 0.0),
    Scheme.V0(0.9, 1.0, 0.9),
    Scheme.midpoint_epa(),
    Scheme.U0(0.5, 0.5, 0.0),
)


def compared(model: Any, scheme: Scheme, dt: float, steps: int, formulation: Any = None) -> float:
    """Largest difference from complex steps, relative, over all parameters, variables and rows, of
    tangents; and of adjoints, of one number made of all variables at the end."""
    names, levels = list(model.names), None
    run: Any = {"dt": dt, "t_end": steps * dt, "assemble": True, "formulation": formulation}
    sol = iso.integrate(family(model), scheme, sensitivities=names, **run)
    if formulation is not None:
        closure = formulation.closure(dt)
        levels = closure.position, closure.velocity, closure.acceleration
    rng, worst = np.random.default_rng(4), 0.0
    of_all = {what: rng.uniform(0.5, 1.5, getattr(sol, what).shape[1]) for what in ("q", "v", "a", "lam")}
    for what, weights in of_all.items():
        weights /= np.abs(getattr(sol, what)).max()

    def output(found: Any) -> Any:
        return sum(getattr(found, what) @ weights for what, weights in of_all.items())

    gradient = iso.gradient(family(model), scheme, objective=output, parameters=names, **run)
    for j, name in enumerate(model.names):
        p = np.array(model.values, dtype=complex)
        scale = abs(p[j].real)
        p[j] += 1j * TINY * scale
        rows = reference(model, scheme, p, dt, steps, levels)
        found, total, sizes = sol.sensitivity(name), 0.0, 0.0
        for k, what in enumerate(("q", "v", "a", "lam")):
            exact = np.array([row[k].imag for row in rows]) / (TINY * scale)
            values = np.array([row[k].real for row in rows])
            assert np.abs(getattr(sol, what) - values).max() <= 1e-8 * np.abs(values).max()
            size = max(np.abs(exact).max(), 0.1 * np.abs(values).max() / scale)
            worst = max(worst, np.abs(getattr(found, what) - exact).max() / size)
            total, sizes = total + exact[-1] @ of_all[what], sizes + size * of_all[what].sum()
        worst = max(worst, abs(gradient[name] - total) / sizes)
    return worst


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: s.name)
def test_pendulum(scheme: Scheme) -> None:
    # at rounding: 1.1e-11 with the machine code of the oldest Numba, midpoint EPA; else below 1e-11
    assert compared(Pendulum(), scheme, 0.04, 20) <= 1.5e-11


LEVELS = {
    "velocity": iso.VelocityLevel(),
    "acceleration": iso.AccelerationLevel(),
    "baumgarte": iso.Baumgarte(12.0, 15.0),
}


@pytest.mark.parametrize("level", LEVELS)
def test_steps_that_close_other_levels(level: str) -> None:
    for scheme in (SCHEMES[0], SCHEMES[3]):
        assert compared(Pendulum(), scheme, 0.04, 10, LEVELS[level]) <= 3e-11


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [SCHEMES[0], pytest.param(SCHEMES[1], marks=pytest.mark.long)], ids=lambda s: s.name)
def test_four_bar_that_is_moved_to_its_start(scheme: Scheme) -> None:
    assert compared(FourBar(), scheme, 0.02, 12) <= 1e-10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "steps"), [(SCHEMES[0], 6), *(pytest.param(s, 12, marks=pytest.mark.long) for s in SCHEMES)], ids=str
)
def test_andrews(scheme: Scheme, steps: int) -> None:
    assert compared(Andrews(), scheme, 2e-4, steps) <= 1e-11
