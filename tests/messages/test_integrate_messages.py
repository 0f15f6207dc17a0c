"""Bad input to systems and to `integrate` is answered by a typed error that says what, where,
expected and received."""

import numba
import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso
from isodyn.errors import (
    AccuracyWarning,
    CallableError,
    ConvergenceError,
    InputError,
    NonFiniteError,
    SchemeError,
    SingularError,
    StabilityWarning,
)


def spring(q, v, t):
    return -q


def oscillator(**changes):
    arguments = {"M": 1.0, "Q": spring, "q0": [1.0], "v0": [0.0]} | changes
    return iso.MechanicalSystem(**arguments)


def run(system=None, **changes):
    arguments = {"scheme": iso.Scheme.midpoint_epa(), "dt": 0.1, "t_end": 1.0} | changes
    return iso.integrate(system if system is not None else oscillator(), **arguments)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"scales": [1.0, 2.0]},
            r"scales must be 1 positive numbers, one for each component of v(.|\n)*hint: typical sizes",
        ),
        ({"scales": [0.0]}, r"scales must be 1 positive numbers"),
        ({"q0": [[1.0]]}, r"q0 must be a vector, received an array of shape \(1, 1\)"),
        ({"q0": [1.0, 2.0]}, r"same length, received 2 and 1(.|\n)*hint: .*retract="),
        ({"q0": ["one"]}, r"q0 must be a vector of numbers, received \['one'\]"),
        ({"v0": [np.nan]}, r"v0 must be finite, received v0\[0\] = nan"),
        ({"q0": [], "v0": []}, "no coordinates"),
        ({"M": np.eye(2)}, r"M must have shape \(1, 1\), received \(2, 2\)"),
        ({"M": [[np.inf]]}, r"M must be finite, received M\[0, 0\] = inf(.|\n)*hint"),
        ({"M": sp.csr_array([[np.nan]])}, r"M must be finite, received M\[0, 0\] = nan(.|\n)*hint"),
        ({"M": "heavy"}, "M must be a matrix of numbers or a function, received 'heavy'"),
        ({"Q": 3.0}, "Q must be a function, received 3.0"),
        ({"Q": None}, "Q must be a function, received None"),
        ({"Q_v": lambda q, v, t: np.eye(1)}, "Q_v was given without Q_q"),
        ({"retract": lambda q, d: q + d}, "retract and difference come as a pair"),
        ({"names": ["x", "y"]}, "names must have 1 entries, one per coordinate"),
        ({"names": "bob"}, r"names must be a list of texts, received 'bob'\nhint: \['bob'\]"),
        ({"Q": lambda t, q, v: -q}, r"Q is called as Q\(q, v, t\), received a function of \(t, q, v\)"),
        ({"Q": numba.njit(lambda q, t, v: -q)}, r"Q is called as Q\(q, v, t\), received a function of \(q, t, v\)"),
        ({"energy": lambda t, q, v: (0.0, 0.0)}, r"energy is called as energy\(q, v, t\)"),
        ({"phi": lambda t, q: q, "Q": lambda x, u, t: -x}, r"phi is called as phi\(q, t\)"),
        ({"psi": lambda v, q, t: v}, r"psi is called as psi\(q, v, t\)"),
        ({"phi": lambda q, t: q, "b": lambda t, q, v: q}, r"b is called as b\(q, v, t\)"),
    ],
)
def test_system_refuses(changes, message):
    """Functions of time first, as events have them and SciPy, ran with t for q."""
    with pytest.raises(InputError, match=message):
        oscillator(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dt": 0.0}, r"dt must be positive, received dt = 0\nhint: about a twentieth of the shortest period"),
        (
            {"dt": 1e-300},
            r"dt = 1e-300 means 1.0e\+300 steps .* at most 1e\+12 are possible(.|\n)*hint: use a larger dt",
        ),
        ({"dt": -0.1}, "dt must be positive, received dt = -0.1"),
        ({"dt": np.nan}, "dt must be a finite number, received nan"),
        ({"dt": "fast"}, "dt must be a finite number, received 'fast'"),
        ({"t_end": -1.0}, r"t_end must lie after t0, received t0 = 0, t_end = -1(.|\n)*hint"),
        ({"t_end": np.inf}, "t_end must be a finite number"),
        ({"save_every": 0}, "save_every must be a whole number of at least 1, received 0"),
        ({"breakpoints": [2.0]}, "breakpoints must lie between t0 = 0 and t_end = 1, received 2"),
        ({"breakpoints": ["noon"]}, r"breakpoints must be times, received \['noon'\]"),
        ({"select": [1]}, r"select\['q'\] must lie in 0…0, received 1…1"),
        ({"select": {"w": [0]}}, "select knows q, v, a, lam, received 'w'"),
        ({"select": {"q": ["x"]}}, "must hold column numbers"),
        ({"scheme": "U0"}, "scheme must be a Scheme, received 'U0'"),
        ({"scheme": iso.Scheme.newmark}, r"scheme must be a Scheme(.|\n)*hint: call it: iso.Scheme.newmark\(\)"),
        ({"formulation": "stabilised"}, "has no constraints, so formulation must be None"),
    ],
)
def test_integrate_refuses(changes, message):
    with pytest.raises(InputError, match=message):
        run(**changes)


@pytest.mark.parametrize(
    ("misplaced", "message"),
    [
        ({"dt": iso.Adaptive}, r"dt must be an object, received the class Adaptive\nhint: dt=Adaptive\("),
        ({"scheme": iso.Radau}, r"scheme must be an object, received the class Radau\nhint: scheme=Radau\("),
        ({"dt": iso.Radau(1e-4)}, r"dt says how long steps are; Radau\(.*\nhint: scheme=Radau\("),
        ({"dt": iso.Scheme.U0(0.8, 0.8, 0.8)}, r"dt says how long steps are; .* is what takes them\nhint: scheme="),
        ({"scheme": iso.Adaptive(1e-3)}, r"scheme is what takes the steps; Adaptive\(.*\nhint: dt=Adaptive\("),
        ({"scheme": iso.FixedSteps(0.1), "dt": 0.1}, r"scheme is what takes the steps; FixedSteps\("),
    ],
)
def test_methods_and_sizes_that_change_places(misplaced, message):
    for run in (iso.integrate, iso.ensemble):
        with pytest.raises(InputError, match=message):
            run(oscillator(), t_end=1.0, **misplaced)


def test_what_is_not_a_system():
    with pytest.raises(InputError, match="one of isodyn's systems, received dict"):
        run({})


@pytest.mark.parametrize("arguments", [{"rtol": 0.0}, {"rtol": 2.0}, {"max_iterations": 0}, {"max_halvings": -1}])
def test_newton_settings(arguments):
    with pytest.raises(InputError, match=next(iter(arguments))):
        iso.Newton(**arguments)


def test_scheme_and_system_of_different_order():
    first = iso.FirstOrderSystem(lambda s, t: -s, s0=[1.0])
    with pytest.raises(SchemeError, match=r"for first-order systems(.|\n)*hint: take a Scheme"):
        run(scheme=iso.FirstOrderScheme.gear())
    with pytest.raises(SchemeError, match=r"U0\(0.5, 0.5, 0.5\)"):
        run(first, scheme=iso.Scheme.U0(0.5, 0.5, 0.5))


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (np.zeros(2), r"Q returned shape \(2,\) at t = 0, expected numbers of shape \(1,\)"),
        (None, r"Q returned NoneType None at t = 0"),
        ("force", r"Q returned str 'force'"),
        (0.0, r"Q returned shape \(\) at t = 0"),
        (np.array([1j]), r"Q returned ndarray array\(\[0.\+1.j\]\) at t = 0"),
    ],
)
def test_garbage_from_a_callable(returned, message):
    with pytest.raises(CallableError, match=message) as caught:
        run(oscillator(Q=lambda q, v, t: returned))
    assert any("step 1 of 10, from t = 0" in note for note in caught.value.__notes__)


def test_garbage_from_a_compiled_callable():
    @numba.njit
    def too_long(q, v, t):
        return np.zeros(2)

    with pytest.raises(CallableError, match=r"wrong shape at the start, t = 0(.|\n)*hint: call M, Q"):
        run(oscillator(Q=too_long))


def test_nan_at_the_start_and_later():
    with pytest.raises(NonFiniteError, match=r"at the start, t = 0 in the balance of 'x'"):
        run(oscillator(Q=lambda q, v, t: q * np.nan, names=["x"]))
    with pytest.raises(NonFiniteError, match=r"at t = 0.5 \(step 6, dt = 0.1\)(.|\n)*hint: check what") as caught:
        run(oscillator(Q=lambda q, v, t: -q if t < 0.5 else q * np.nan))
    partial = caught.value.partial
    assert partial.t[-1] == pytest.approx(0.5)
    assert partial.stats.steps == 5


def test_singular_mass_names_the_coordinate():
    with pytest.raises(
        SingularError,
        match=r"singular at the start, t = 0: no pivot for 'y'(.|\n)*hint: look at its row and column: every coordinate",
    ):
        run(iso.MechanicalSystem(M=[1.0, 0.0], Q=spring, q0=[1, 1], v0=[0, 0], names=["x", "y"]))


def test_no_convergence_says_where_and_keeps_what_was_done():
    def jumpy(q, v, t):
        return -1e6 * np.sign(q)

    with pytest.raises(
        ConvergenceError,
        match=r"Newton stopped at t = .* \(step \d+, dt = 0.01\): correction (.|\n)*largest component: 'x'(.|\n)*hint",
    ) as caught:
        run(oscillator(Q=jumpy, names=["x"]), dt=0.01, newton=iso.Newton(max_iterations=5, max_halvings=2))
    assert caught.value.partial.t[-1] < 1.0
    assert "stopped by an error" in str(caught.value.partial.stats)


def test_unstable_explicit_member_warns():
    with pytest.warns(
        StabilityWarning, match=r"U0\(0.5, 0.5, 0.5\).* is unstable(.|\n)*hint: explicit schemes that do not"
    ):
        run(scheme=iso.Scheme.U0(0.5, 0.5, 0.5, explicit=True))


def test_first_order_newmark_warns():
    with pytest.warns(AccuracyWarning, match="l5"):
        iso.Scheme.newmark(0.3025, 0.6)


def test_views_that_do_not_apply():
    sol = run()
    with pytest.raises(InputError, match="belongs to first-order systems"):
        _ = sol.s
    with pytest.raises(InputError, match=r"no energy function(.|\n)*hint: pass energy="):
        sol.energy()
    with pytest.raises(InputError, match="t = 2 lies outside the solution, which covers 0 to 1"):
        sol.at(2.0)
    with pytest.raises(InputError, match="same columns of q, v and a"):
        run(select={"v": []}).at(0.5)


@pytest.mark.parametrize("released", [3, None, [1.5], [None]])
def test_released_takes_names(released: object) -> None:
    system = iso.problems.get("pendulum").system()
    with pytest.raises(InputError, match="released takes names of joints or rows, received"):
        iso.integrate(system, dt=0.1, t_end=0.2, released=released)


def test_functions_with_their_arguments_in_another_order_are_refused():
    """They ran with t for s."""
    with pytest.raises(InputError, match=r"h is called as h\(s, t\), received a function of \(t, s\)"):
        iso.FirstOrderSystem(lambda t, s: -s, [1.0])
    with pytest.raises(InputError, match=r"F is called as F\(t, x, rate\), received a function of \(x, rate, t\)"):
        iso.ImplicitSystem(lambda x, rate, t: x + rate, [1.0])
