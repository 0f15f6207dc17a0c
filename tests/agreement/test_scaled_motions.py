"""Problems in other units of length, time, rows and unknowns give the same motion, by every method
that chooses its steps."""

import math
import warnings

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import LooseToleranceWarning
from isodyn.results import Checkpoint

ROWS = np.linspace(0.0, 1.0, 7)


def run(system, method, t_end):
    given = {"dt": method} if isinstance(method, iso.Adaptive) else {"scheme": method}
    return iso.integrate(system, t_end=t_end, save=t_end * ROWS, **given)


def circle(length, time, unknown, row):
    """`circle_index2` in other units, and its motion in units of one."""

    def h(s, z, t):
        s, z, t = s / length, z / unknown, t / time
        alpha, rate, p = t + 0.5 * math.sin(1.3 * t), 1.0 + 0.65 * math.cos(1.3 * t), 1.0 + 0.7 * math.sin(1.7 * t)
        turn, growth = rate + 2.0 * (s[0] * math.sin(alpha) - s[1] * math.cos(alpha)), p - z[0]
        return length / time * np.array([growth * s[0] - turn * s[1], growth * s[1] + turn * s[0]])

    def c(s, z, t):
        return np.array([0.5 * row * (s @ s - length * length)])

    return iso.FirstOrderSystem(h, [length, 0.0], z0=[unknown], c=c)


@pytest.mark.parametrize("method", [iso.Radau(rtol=1e-6), iso.Adaptive(1e-3)], ids=str)
@pytest.mark.parametrize(
    "units", [(1e6, 1.0, 1.0, 1e12), (1e-6, 1.0, 1.0, 1e-12), (1.0, 1e9, 1.0, 1.0), (1e8, 1e-9, 1e-6, 1e8)], ids=str
)
def test_index_2_in_other_units(method, units):
    length, time, unknown, _ = units
    sol, t = run(circle(*units), method, 2.0 * time), 2.0 * ROWS
    alpha = t + 0.5 * np.sin(1.3 * t)
    exact = np.stack([np.cos(alpha), np.sin(alpha)], axis=1)
    own, of_z = (1e-9, 1e-10) if isinstance(method, iso.Radau) else (1e-4, 3e-4)
    assert np.abs(sol.v / length - exact).max() < own
    assert np.abs(sol.lam[:, 0] / unknown - 1.0 - 0.7 * np.sin(1.7 * t)).max() < of_z


def test_a_constraint_that_moves_faster_than_s_tells():
    """s rests at t = 0, where nothing but c itself knows in which time c changes."""
    fast = 1e-6
    moved = iso.FirstOrderSystem(
        lambda s, z, t: np.array([z[0]]), [1.0], z0=[0.0], c=lambda s, z, t: np.array([s[0] - math.cos(t / fast)])
    )
    sol = run(moved, iso.Radau(rtol=1e-8), 3.0 * fast)
    assert np.abs(sol.lam[:, 0] * fast + np.sin(3.0 * ROWS)).max() < 1e-6


def spring(length, time):
    def force(q, v, t):
        r = math.hypot(*q)
        return (-100.0 * (r - length) / r * q - np.array([0.0, 9.81 * length])) / time**2

    return iso.MechanicalSystem(M=np.eye(2), Q=force, q0=[1.05 * length, 0.0], v0=[0.0, 0.0])


def swing(length, time):
    return iso.FirstOrderSystem(
        lambda s, t: np.array([s[1], -length * math.sin(s[0] / length)]) / time, [0.5 * length, 0.0]
    )


@pytest.mark.parametrize("method", [iso.DOP853(rtol=1e-7), iso.Radau(rtol=1e-5), iso.Auto(rtol=1e-7)], ids=str)
@pytest.mark.parametrize("make", [spring, swing])
@pytest.mark.parametrize("units", [(1e-9, 1.0), (1e-6, 1e9), (1e6, 1e-9)], ids=str)
def test_motions_of_any_size(make, method, units):
    length, time = units
    sol, one = run(make(*units), method, 1.5 * time), run(make(1.0, 1.0), iso.DOP853(rtol=1e-11), 1.5)
    speed = length if one.q.size == 0 else length / time
    assert np.abs(sol.q / length - one.q).max(initial=0.0) < 1e-6
    assert np.abs(sol.v / speed - one.v).max() < 1e-5


def test_adaptive_steps_of_a_small_motion_that_begins_as_nothing():
    small = iso.FirstOrderSystem(lambda s, t: 1e-9 * math.cos(t) - s, [0.0])
    sol = run(small, iso.Adaptive(1e-3), 3.0)
    t = sol.t
    exact = 0.5 * (np.cos(t) + np.sin(t) - np.exp(-t))
    assert np.abs(sol.v[:, 0] / 1e-9 - exact).max() < 1e-3


@pytest.mark.parametrize("method", [iso.DOP853(rtol=1e-7), iso.Radau(rtol=1e-7), iso.Auto(rtol=1e-7)], ids=str)
def test_motions_that_begin_as_nothing_and_stay_small_are_told(method):
    """Nothing tells their size; with one that is named they are right, and nothing is said."""
    small = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: 1e-9 * np.sin(2.0 * t) - q, q0=[0.0], v0=[0.0])
    with pytest.warns(LooseToleranceWarning, match=f"iso.{method.name}"):
        run(small, method, 3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sol = run(small, type(method)(rtol=1e-7, atol=1e-17), 3.0)
    exact = (2.0 * np.sin(sol.t) - np.sin(2.0 * sol.t)) / 3.0
    assert np.abs(sol.q[:, 0] / 1e-9 - exact).max() < 1e-6


@pytest.mark.parametrize("method", [iso.DOP853, iso.Radau, iso.Auto])
def test_without_an_absolute_error(method):
    """What is zero has no relative error: rounding of typical sizes takes its place."""
    pendulum = iso.MechanicalSystem(
        M=np.eye(2),
        Q=lambda q, v, t: np.array([0.0, -1.0]),
        q0=[1.0, 0.0],
        v0=[0.0, 0.0],
        phi=lambda q, t: np.array([0.5 * (q @ q - 1.0)]),
        G=lambda q, t: q[None, :].copy(),
    )
    found, known = (run(pendulum, method(rtol=1e-7, atol=atol), 1.5) for atol in (0.0, 1e-12))
    assert np.abs(found.q - known.q).max() < 1e-6


@pytest.mark.parametrize("at_once", [0.0, 1e-12], ids=["at rest", "pushed"])
def test_adaptive_steps_of_states_that_nothing_but_the_slope_of_their_rates_tells(at_once):
    """States, and their rates too, begin as nothing; errors were compared with one."""
    small = iso.FirstOrderSystem(lambda s, t: np.array([s[1], 1e-12 * t - s[0]]), [0.0, at_once])
    sol = run(small, iso.Adaptive(1e-3), 5.0)
    exact = 1e-12 * (sol.t - np.sin(sol.t)) + at_once * np.sin(sol.t)
    assert np.abs(sol.v[:, 0] - exact).max() < 1e-3 * np.abs(exact).max()


def test_states_that_begin_as_nothing_and_stay_small_are_told():
    """Nothing tells their size; what stays nothing needs no word."""
    small = iso.FirstOrderSystem(lambda s, t: np.array([1e-9 * max(t - 1.0, 0.0) - s[0]]), [0.0])
    with pytest.warns(LooseToleranceWarning, match=r"states stayed below .*\nhint: name a size by atol="):
        run(small, iso.Adaptive(1e-3), 3.0)
    for still in (
        iso.FirstOrderSystem(lambda s, t: -s, [0.0]),
        iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[0.0], v0=[0.0]),
    ):
        assert not run(still, iso.Adaptive(1e-3), 3.0).v.any()


def test_states_that_are_nothing_until_a_breakpoint():
    """What begins there tells their size, as a start does; errors were compared with one."""
    load = iso.FirstOrderSystem(lambda s, t: np.array([(1e-9 if t > 1.0 else 0.0) - s[0]]), [0.0])
    sol = iso.integrate(load, dt=iso.Adaptive(1e-3), t_end=3.0, breakpoints=[1.0])
    exact = 1e-9 * (1.0 - np.exp(-np.maximum(sol.t - 1.0, 0.0)))
    assert np.abs(sol.v[:, 0] - exact).max() < 1e-3 * exact.max()


@pytest.mark.parametrize(
    "method", [iso.Adaptive(1e-4), iso.DOP853(rtol=1e-2), iso.DOP853(rtol=1e-6), iso.Radau(rtol=1e-4)], ids=str
)
def test_motions_in_seconds_of_calendars(method):
    """At 1.7e9 s neighbouring times are 0.24 µs apart. Sizes of adaptive steps did not add up to the
    time that passed (0.5 % of q), and first steps of DOP853 that were shorter than that never ended."""
    t_0, system = 1.7e9, iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -400.0 * q, q0=[1.0], v0=[0.0])
    given = {"dt": method} if isinstance(method, iso.Adaptive) else {"scheme": method}
    sol = iso.integrate(system, t0=t_0, t_end=t_0 + 2.0, **given)
    assert np.abs(sol.q[:, 0] - np.cos(20.0 * (sol.t - t_0))).max() < 10.0 * method.rtol


def cart(length):
    """A pendulum on a cart, whose positions may have any unit, and whose angle has its own."""

    def mass(q):
        return np.array([[3.0 / length**2, math.cos(q[1]) / length], [math.cos(q[1]) / length, 1.0]])

    def force(q, v, t):
        return np.array([(v[1] ** 2 * math.sin(q[1]) - 40.0 * q[0] / length) / length, -9.81 * math.sin(q[1])])

    start = {"q0": [0.1 * length, 0.3], "v0": [2.0 * length, 0.0]}
    return iso.MechanicalSystem(M=mass, Q=force, scales=[length, 1.0], **start)


@pytest.mark.parametrize("length", [2.0**-20, 2.0**10, 2.0**20])
def test_coordinates_of_different_units_with_typical_sizes(length):
    """Errors of the angle were compared with positions, whatever `scales` said: in millimetres it
    was off by a hundred times rtol."""
    one, other = (iso.integrate(cart(size), dt=iso.Adaptive(1e-3), t_end=2.0) for size in (1.0, length))
    assert np.abs(other.t - one.t).max() < 1e-9
    assert np.abs(other.q[:, 1] - one.q[:, 1]).max() < 1e-9
    assert other.quality().local_error.value == pytest.approx(one.quality().local_error.value, rel=1e-6)


def reaction(size, time):
    """Two rates that F does not solve for, from a start where nothing tells how fast they are."""

    def F(t, x, rate):
        x, rate, t = x / size, rate * time / size, t / time
        first = (1.0 + 0.3 * x[0] ** 2) * rate[0] + 0.2 * rate[1] + x[0] - math.sin(t)
        return np.array([first, rate[1] + 50.0 * (x[1] - x[0])])

    return iso.ImplicitSystem(F, [size, size])


@pytest.mark.parametrize("method", [iso.Radau(rtol=1e-6), iso.Adaptive(1e-3)], ids=str)
@pytest.mark.parametrize("units", [(1e5, 1e-5), (1e6, 1e-7), (1e-4, 1e6)], ids=str)
def test_implicit_systems_in_other_units(method, units):
    """Differences by rates over a unit of them were rounding where rates are 1e10, and the system
    had "an index above 3"."""
    size, time = units
    sol, one = run(reaction(*units), method, time), run(reaction(1.0, 1.0), method, 1.0)
    assert np.abs(sol.v / size - one.v).max() < 1e-6


def current(unit):
    """An unknown in a unit in which it is small, of equations that bend over its own size."""
    return iso.FirstOrderSystem(
        lambda s, z, t: np.array([-1.3 * s[0] + z[0] / unit - s[1], 50.0 * (s[0] - s[1])]),
        [1.0, 0.3],
        z0=[unit],
        c=lambda s, z, t: np.array([z[0] / unit + (z[0] / unit) ** 3 - 2.0 * s[0] - math.sin(2.0 * t)]),
    )


@pytest.mark.parametrize("how", [{"scheme": iso.Radau(rtol=1e-6)}, {"dt": iso.Adaptive(1e-2)}, {"dt": 0.01}], ids=str)
@pytest.mark.parametrize("unit", [1e-9, 1e-14, 1e6], ids=str)
def test_algebraic_unknowns_of_any_size(how, unit):
    """Differences along them went over 1e-8, whatever their size: adaptive runs of a current of
    1e-12 were off by all of it, without a word."""
    sol, one = (iso.integrate(current(size), t_end=1.0, save=7, **how) for size in (unit, 1.0))
    assert np.abs(sol.v - one.v).max() < 1e-8
    assert np.abs(sol.lam / unit - one.lam).max() < 1e-8


def test_a_run_with_a_small_unknown_is_resumed_bit_for_bit(tmp_path):
    given = {"dt": iso.Adaptive(1e-2), "t_end": 1.0}
    whole = iso.integrate(current(1e-12), **given)
    kept = Checkpoint(tmp_path / "c", 5)
    iso.integrate(current(1e-12), **given, checkpoint=kept, observe=lambda s: s.t > 0.5)
    assert np.array_equal(iso.resume(tmp_path / "c", current(1e-12)).lam, whole.lam)
