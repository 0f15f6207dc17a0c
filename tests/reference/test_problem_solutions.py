"""What problems say about their motion is true."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.errors import InputError
from isodyn.kernels.compiled import BALANCE, OK
from isodyn.problems import manufactured, oscillator

# springs of 1e7 N/m: rounding is that of forces, not of accelerations
OF_LARGE_FORCES = ("clamped_bar",)
WITH_FORMULA = [name for name, problem in problems.ALL.items() if problem.motion is not None]


@pytest.mark.parametrize("name", WITH_FORMULA)
def test_exact_motion_satisfies_the_equations(name: str) -> None:
    """The balance at the exact q, v, a, λ is zero to rounding, and the start is that of the
    system."""
    problem = problems.get(name)
    system = problem.system()
    t = np.linspace(0.0, problem.t_end, 50)
    exact = problem.exact(t)
    assert exact is not None
    assert np.allclose(exact.q[0], system.q0, rtol=0, atol=1e-14)
    assert np.allclose(exact.v[0], system.v0, rtol=0, atol=1e-14)
    model, out = system.model(), np.zeros(system.nv)
    for k in range(t.size):
        lam = np.zeros((t.size, 0)) if exact.lam is None else exact.lam
        row = [np.ascontiguousarray(x[k]) for x in (exact.q, exact.v, exact.a, lam)]
        assert model.function(BALANCE, t[k], *row, np.zeros(4), model.tables, model.scratch, out) == OK
        size = max(1.0, np.abs(exact.a).max())
        if name in OF_LARGE_FORCES:
            size = max(size, np.abs(system.M @ exact.a[k]).max())
        assert np.abs(out).max() <= 1e-11 * size


@pytest.mark.parametrize("name", WITH_FORMULA)
def test_exact_velocity_and_acceleration_are_derivatives(name: str) -> None:
    """Central differences of q give v, of v give a."""
    problem = problems.get(name)
    fastest = 1e6 if name == "oscillator_stiff" else 30.0
    t, h = np.linspace(0.1, min(1.0, problem.t_end), 40), 1e-4 / fastest
    before, now, after = problem.exact(t - h), problem.exact(t), problem.exact(t + h)
    assert before is not None
    assert now is not None
    assert after is not None
    rounding = 1e-15 * fastest * np.abs(t).max() / h  # of t itself
    for x, y in (("v", "a"),) if problem.system().first_order else (("q", "v"), ("v", "a")):
        slope = (getattr(after, x) - getattr(before, x)) / (2 * h)
        scale = np.abs(getattr(now, y)).max()
        assert np.abs(slope - getattr(now, y)).max() <= 1e-5 * scale + rounding * np.abs(getattr(now, x)).max()


@pytest.mark.parametrize("xi", [0.0, 0.3, 1.0, 2.5])
def test_oscillator_formula_below_at_and_above_critical_damping(xi: float) -> None:
    """All kinds of damping, under a load, against a fine run."""
    parameters = {"xi": xi, "F": 1.0, "Omega": 1.1, "v0": -0.3}
    problem = problems.get("oscillator")
    sol = iso.integrate(problem.system(**parameters), iso.Scheme.midpoint_epa(), dt=1e-3, t_end=5.0)
    exact = problem.exact(sol.t, **parameters)
    assert exact is not None
    assert np.abs(sol.q - exact.q).max() < 1e-5
    assert np.abs(sol.a - exact.a).max() < 1e-5


def test_undamped_resonance_is_refused() -> None:
    """There the motion grows without bound and the formula divides by zero."""
    with pytest.raises(InputError, match="resonance"):
        oscillator.motion(np.zeros(1), omega=2.0, xi=0.0, F=1.0, Omega=2.0, q0=0.0, v0=0.0)


@pytest.mark.parametrize(
    "scheme", [iso.Scheme.U0(0.8, 0.8, 0.8), iso.Scheme.V0(0.3, 0.6, 0.1), iso.Scheme.central_difference()], ids=str
)
def test_plain_and_compiled_functions_give_the_same_bits(scheme: iso.Scheme) -> None:
    """The two-link problem from Python functions and from the same functions compiled."""
    plain = iso.integrate(manufactured.plain_system(), scheme, dt=0.02, t_end=2.0)
    compiled = iso.integrate(manufactured.compiled_system(), scheme, dt=0.02, t_end=2.0)
    for x in ("q", "v", "a"):
        assert np.array_equal(getattr(plain, x), getattr(compiled, x))
    exact_tangents = iso.integrate(manufactured.build(), scheme, dt=0.02, t_end=2.0)
    assert np.abs(plain.q - exact_tangents.q).max() < 1e-11


def test_initial_jerk_of_the_manufactured_problem() -> None:
    """Not zero, or the order of a at the start would be no test."""
    h = 1e-5
    a = problems.get("manufactured").exact(np.array([-h, h]))
    assert a is not None
    assert np.abs((a.a[1] - a.a[0]) / (2 * h)).min() > 0.5


def test_problems_have_the_names_they_are_found_by() -> None:
    assert [problem.name for problem in problems.ALL.values()] == list(problems.ALL)
    assert len(problems.ALL) == len(set(problems.ALL)) > 40
    assert "kepler" in problems.ALL
    assert "keplr" not in problems.ALL


def test_unknown_problem() -> None:
    """Near names are offered."""
    with pytest.raises(InputError, match=r"no problem named 'keppler'\nhint: did you mean kepler"):
        problems.get("keppler")


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("kepler", {"E": 0.5}, r"kepler has no parameter 'E'\nhint: its parameters: e = 0.6"),
        ("manufactured", {"E": 0.5}, r"hint: its parameters: none"),
        ("oscillator", {"omega": -1.0}, "omega must be positive"),
        ("chain", {"n": 2.5}, "n must be a whole number"),
        ("thermoelastic_bar", {"elements": 0.0}, "elements must be a positive whole number"),
    ],
)
def test_bad_parameters(name: str, parameters: dict[str, float], message: str) -> None:
    """Unknown names and impossible values are refused."""
    problem = problems.get(name)
    with pytest.raises(InputError, match=message):
        problem.exact(0.0, **parameters) if name == "chain" else problem.system(**parameters)
