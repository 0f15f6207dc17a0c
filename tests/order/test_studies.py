"""The measuring instrument itself: errors, slopes, references."""

from __future__ import annotations

import json

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.errors import AccuracyWarning, InputError
from isodyn.problems import Motion, manufactured
from isodyn.studies import (
    ReferenceMotion,
    accurate_motion,
    errors_of,
    exact_motion,
    fine_motion,
    order_study,
    relative_error,
)


def test_relative_error_divides_by_the_largest_reference() -> None:
    """max|Δ| / max|ref|; |Δ| alone for a zero reference; shapes must agree."""
    assert relative_error(np.array([[1.0, 3.0]]), np.array([[1.0, 4.0]])) == 0.25
    assert relative_error(np.array([[0.5]]), np.array([[0.0]])) == 0.5
    assert relative_error(np.zeros((3, 0)), np.zeros((3, 0))) == 0.0
    with pytest.raises(InputError, match="one shape"):
        relative_error(np.zeros(2), np.zeros(3))


def test_errors_at_the_first_step_use_the_same_scale() -> None:
    """Row 1 alone, divided by the maximum over all rows."""
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: np.zeros(1), q0=[0.0], v0=[1.0])
    sol = iso.integrate(system, dt=0.5, t_end=2.0)
    shifted = sol.q.copy()
    shifted[1] += 0.1
    shifted[3] += 0.4
    e = errors_of(sol, shifted, sol.v, sol.a)
    assert e.q_1 == pytest.approx(0.1 / 2.0)
    assert e.q == pytest.approx(0.4 / 2.0)
    assert (e.v, e.a_1) == (0.0, 0.0)


def test_a_first_order_scheme_is_seen() -> None:
    """Newmark with γ = 0.6 has slope 1: the instrument can tell."""
    with pytest.warns(AccuracyWarning):
        scheme = iso.Scheme.newmark(0.3025, 0.6)
    study = order_study(problems.get("oscillator_forced"), scheme, [0.01, 0.005])
    assert study.cases[0].order("q") == pytest.approx(1.0, abs=0.1)


def test_a_first_order_start_is_seen_at_the_first_step() -> None:
    """A reference whose acceleration is off by dt near the start gives slope 1 there and in the
    maximum."""
    exact = exact_motion(problems.get("manufactured"))

    def spoilt(t: np.ndarray) -> Motion:
        motion = exact.at(t)
        motion.a[1] += t[1]
        return motion

    study = order_study(
        problems.get("manufactured"), iso.Scheme.midpoint_epa(), [0.01, 0.005], ReferenceMotion(spoilt, "spoilt")
    )
    assert study.cases[0].order("a_1") == pytest.approx(1.0, abs=0.1)
    assert study.cases[0].order("a") == pytest.approx(1.0, abs=0.1)
    assert study.cases[0].order("q") == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(
    "name",
    [
        "manufactured",
        "kepler",
        "oscillator_forced",
        "chain",
        "thermoelastic_bar",
        "pendulum",
        "knife_edge",
        "planar_loop_in_space",
    ],
)
def test_high_order_reference_is_the_exact_motion(name: str) -> None:
    """DOP853 on the system's own balance against the formula, in q, v, a and multipliers, of least
    norm where rows are dependent."""
    problem = problems.get(name)
    t = np.linspace(0.0, 2.0, 30)
    accurate, exact = accurate_motion(problem.system(), 2.0).at(t), exact_motion(problem).at(t)
    assert (accurate.lam is None) == (exact.lam is None) == (problem.system().m == 0)
    for x, y in zip(accurate, exact, strict=True):
        assert x is y is None or relative_error(x, y) < 1e-9


def test_high_order_reference_of_plain_functions() -> None:
    """Without a known mass matrix, and with a sparse one."""
    import scipy.sparse as sp

    plain = manufactured.plain_system()
    t = np.linspace(0.0, 1.0, 5)
    assert relative_error(accurate_motion(plain, 1.0).at(t).a, problems.get("manufactured").exact(t).a) < 1e-10  # type: ignore[union-attr]
    chain = problems.get("chain").system()
    assert isinstance(chain, iso.LinearSystem)
    sparse = iso.LinearSystem(
        sp.csr_array(chain.M), sp.csr_array(chain.C), sp.csr_array(chain.K), None, chain.q0, chain.v0
    )
    assert relative_error(accurate_motion(sparse, 1.0).at(t).a, problems.get("chain").exact(t).a) < 1e-10  # type: ignore[union-attr]


def test_fine_reference_gives_the_same_order() -> None:
    """A run 16 times finer than the finest step serves where there is nothing better, and says
    so."""
    problem = problems.get("manufactured")
    reference = fine_motion(problem.system(), problem.scheme, 0.01, 2.0)
    assert "16 times finer than 0.01" in reference.kind
    study = order_study(problem, problem.scheme, [0.04, 0.02, 0.01], reference)
    for quantity in ("q", "v", "a"):
        assert study.cases[0].order(quantity) == pytest.approx(2.0, abs=0.1)
    with pytest.raises(InputError, match=r"multiples of dt = 0.01 only"):
        reference.at(np.array([0.0, 0.013]))


def test_study_as_text_and_as_json() -> None:
    """The table names problem, reference, schemes and slopes; the dictionary is JSON."""
    study = order_study(
        problems.get("brusselator_stable"), [iso.Scheme.optimal(0), iso.Scheme.optimal(1)], [0.05, 0.025], t_end=2.0
    )
    text = str(study)
    for part in ("brusselator_stable to t = 2", "DOP853, rtol = 1e-13", "optimal(0)", "s' at n=1", "2.0"):
        assert part in text
    document = json.loads(json.dumps(study.to_dict()))
    assert document["cases"][1]["scheme"] == "optimal(1)"
    assert list(document["cases"][0]["slopes"]) == ["s", "s'"]
    with pytest.raises(InputError, match=r"no scheme 'U0'"):
        study.case("U0")


@pytest.mark.parametrize("dts", [[0.1], [0.01, 0.02], [0.1, 0.0]])
def test_steps_go_from_coarse_to_fine(dts: list[float]) -> None:
    """At least two, positive, falling."""
    with pytest.raises(InputError, match="at least two positive steps from coarse to fine"):
        order_study(problems.get("kepler"), iso.Scheme.optimal(1), dts)


def test_a_system_needs_an_end() -> None:
    """A problem brings its own t_end, a system does not."""
    with pytest.raises(InputError, match="needs t_end="):
        order_study(problems.get("kepler").system(), iso.Scheme.optimal(1), [0.02, 0.01])


def test_no_formula_is_said() -> None:
    """Asking for the exact motion of a problem without one."""
    with pytest.raises(InputError, match="pleiades has no exact solution"):
        exact_motion(problems.get("pleiades"))
