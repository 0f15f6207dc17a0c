"""Numbers that no run can be right with are refused where they enter: complex, masked, text, too
large; indefinite matrices; times that floats cannot tell apart.

A complex M or K lost its imaginary part in silence, an indefinite one gave motions of negative
mass, and t0 = 1e9 with dt = 1e-8 gave 85 distinct times of 1002.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso
from isodyn.errors import InputError
from isodyn.real_numbers import real_array, real_number

I2 = np.eye(2)
COMPLEX = I2 + np.array([[0.0, 0.5j], [0.5j, 0.0]])


def linear(M=I2, C=None, K=I2, f=None, q0=(0.0, 0.0), v0=(0.0, 0.0), **more):
    return iso.LinearSystem(M, C, K, f, q0, v0, **more)


def mechanical(M=I2, q0=(0.0, 0.0), v0=(0.0, 0.0), **more):
    return iso.MechanicalSystem(M, lambda q, v, t: -q, q0, v0, **more)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array, sp.coo_array, sp.lil_array], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", ["M", "C", "K"])
def test_complex_matrices(name, convert):
    with pytest.raises(InputError, match=rf"{name} must be real, received the complex entry 0.5j at"):
        linear(**{name: convert(COMPLEX)})


@pytest.mark.parametrize(
    ("build", "what"),
    [
        (lambda z: linear(q0=z), "q0"),
        (lambda z: linear(v0=z), "v0"),
        (lambda z: linear(f=z), "f"),
        (lambda z: linear(G=[z]), "G"),
        (lambda z: mechanical(q0=z), "q0"),
        (lambda z: mechanical(M=np.outer(z, z)), "M"),
        (lambda z: mechanical(phi=lambda q, t: q + z), "what phi returns"),
        (lambda z: iso.FirstOrderSystem(lambda s, t: -s, z), "s0"),
        (lambda z: iso.FirstOrderSystem(lambda s, z, t: -s, [1.0], z0=z, c=lambda s, z, t: z), "z0"),
        (lambda z: iso.LinearFirstOrderSystem(np.outer(z, z), I2, None, [1.0, 1.0]), "Q"),
        (lambda z: iso.GGL(S=np.outer(z, z)), "S"),
        (lambda z: iso.ensemble(mechanical(), dt=0.1, t_end=1.0, v0=[z]), "v0"),
        (lambda z: iso.Mechanism().add_body("b", mass=1.0, inertia=np.diag([1, *z]), position=(0, 0, 0)), "inertia"),
        (lambda z: iso.Mechanism().add_body("b", mass=1.0, inertia=(1, 1, 1), position=np.array([0, *z])), "position"),
    ],
)
def test_complex_vectors(build, what):
    with pytest.raises(InputError, match=rf"{what}.* must be real, received the complex entry"):
        build(np.array([1.0, 2.0 + 1.0j]))


def test_complex_scalars():
    """float() of a complex NumPy number drops the imaginary part."""
    number = np.complex128(1 + 1j)
    with pytest.raises(InputError, match=r"body 'b': mass must be a finite number"):
        iso.Mechanism().add_body("b", mass=number, inertia=(1, 1, 1), position=(0, 0, 0))
    with pytest.raises(InputError, match="EA must be a finite number"):
        iso.Section(EA=number, EI=1.0, rhoA=1.0)
    with pytest.raises(InputError, match="dt must be a finite number"):
        iso.integrate(mechanical(), dt=number, t_end=1.0)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.ma.array([1.0, 2.0], mask=[False, True]), r"must have all its entries, received a masked one at \[1\]"),
        (["1.0", "2.0"], "must be .* received .*: entries of type"),
        ([10**400, 1.0], "must be .* received"),
        ([[1.0], [1.0, 2.0]], "must be .* received"),
        ([1.0, None], "must be .* received"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "must be .* received"),
        (np.array([1 + 0j]), "must be real, received numbers of type complex128"),
    ],
)
def test_what_is_no_array_of_numbers(value, message):
    with pytest.raises(InputError, match="x " + message):
        real_array("x", value)


def test_what_is_an_array_of_numbers():
    given = np.ma.array([1.0, 2.0], mask=False)
    assert real_array("x", given).tolist() == [1.0, 2.0]
    assert real_array("x", [Fraction(1, 2), True, np.float32(2)]).tolist() == [0.5, 1.0, 2.0]
    source = np.zeros(2)
    real_array("x", source)[0] = 1.0
    assert source[0] == 0.0


@pytest.mark.parametrize("value", [True, "1", None, 1j, np.nan, np.inf, 10**400, np.array([1.0])], ids=repr)
def test_what_is_no_number(value):
    with pytest.raises(InputError, match="x must be a finite number"):
        real_number("x", value)


def test_what_is_a_number():
    assert [real_number("x", x) for x in (1, np.int8(1), np.float32(1), Fraction(1), np.array(1.0))] == [1.0] * 5


# ---- indefinite matrices


@pytest.mark.parametrize("n", [2, 500])
@pytest.mark.parametrize("convert", [np.array, sp.csr_array], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", ["M", "K"])
def test_indefinite_matrices(name, convert, n):
    """Positive on the diagonal, with an eigenvalue −1 in the last two coordinates."""
    A = np.eye(n)
    A[-1, -2] = A[-2, -1] = 2.0
    start = {"q0": np.zeros(n), "v0": np.zeros(n)}
    with pytest.raises(
        InputError, match=rf"{name} is indefinite: .* = -1 in a direction with its largest part in 'q{n - 1}|{n - 2}'"
    ):
        linear(**{"M": np.eye(n), "K": np.eye(n), name: convert(A), **start})
    if name == "M":
        with pytest.raises(InputError, match="M is indefinite"):
            mechanical(M=convert(A), **start)


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (-1.0, r"K is indefinite: .* = -1 in a direction with its largest part in 'q0' \(diagonal entry -1\)"),
        ([[1.0, 0.0], [0.0, -1e-3]], "largest part in 'q1'"),
        ([[0.0, 1.0], [1.0, 1.0]], r"'q0' \(diagonal entry 0\)"),
        ([[0.0, 1.0], [1.0, 0.0]], "K is indefinite"),
        (1e20 * np.array([[1.0, 2.0], [2.0, 1.0]]), r"= -1e\+20"),
        (1e-20 * np.array([[1.0, 2.0], [2.0, 1.0]]), "= -1e-20"),
        (np.array([[1.0, 2e6], [2e6, 1e12]]), "K is indefinite"),
    ],
)
def test_indefinite_stiffness(K, message):
    with pytest.raises(InputError, match=message):
        linear(K=K)


def test_indefinite_stiffness_that_is_meant():
    """An inverted pendulum falls: cosh t."""
    sol = iso.integrate(iso.LinearSystem(1.0, None, -1.0, None, [1.0], [0.0], indefinite=True), dt=0.001, t_end=1.0)
    assert sol.q[-1, 0] == pytest.approx(np.cosh(1.0), rel=1e-6)


def test_what_is_not_indefinite():
    """Free bodies, scales far apart, rounding, and matrices that are not symmetric."""
    free = np.array([[1.0, -1.0], [-1.0, 1.0]])
    linear(K=free)
    linear(K=1e12 * free + 1e-6)
    linear(K=np.diag([1e-12, 1e12]))
    linear(K=np.zeros((2, 2)))
    linear(M=[[1.0, 3.0], [0.0, 1.0]], K=[[0.0, 1.0], [-1.0, 0.0]])
    n = 600
    stretch = sp.diags_array(
        [np.full(n - 1, -1.0), np.r_[1.0, np.full(n - 2, 2.0), 1.0], np.full(n - 1, -1.0)], offsets=[-1, 0, 1]
    )
    linear(M=sp.eye_array(n), K=stretch, q0=np.zeros(n), v0=np.zeros(n))


@pytest.mark.parametrize("go", [iso.integrate, iso.integrate_adaptive, iso.ensemble], ids=lambda f: f.__name__)
def test_indefinite_mass_function(go):
    system = mechanical(M=lambda q: np.array([[1.0, 2.0 + q[0]], [2.0 + q[0], 1.0]]))
    with pytest.raises(InputError, match=r"M is indefinite: .* = -1(.|\n)*hint: masses are positive"):
        go(system, t_end=1.0, **({} if go is iso.integrate_adaptive else {"dt": 0.1}))


# ---- times


HALF = {name: iso.LinearSystem(1.0, None, 1.0, None, [0.0], [0.0]) for name in "ab"}


@pytest.mark.parametrize(
    "run",
    [
        lambda **k: iso.integrate(mechanical(), dt=1e-8, **k),
        lambda **k: iso.ensemble(mechanical(), dt=1e-8, **k),
        lambda **k: iso.integrate(iso.Subdomains(HALF, ties=[("a", [0], "b", [0])]), dt=1e-8, **k),
        lambda **k: iso.integrate(iso.Subdomains(HALF, ties=[("a", [0], "b", [0])]), dt=2e-5, substeps=100, **k),
        lambda **k: iso.integrate_adaptive(mechanical(), max_step=1e-8, **k),
        lambda **k: iso.integrate_adaptive(mechanical(), first_step=1e-8, **k),
        lambda **k: iso.integrate_adaptive(mechanical(), save=1002, **k),
    ],
    ids=["one system", "ensemble", "subdomains", "sub-steps", "largest step", "first step", "saved times"],
)
def test_steps_below_the_resolution_of_time(run):
    with pytest.raises(
        InputError, match=r"too small for times between 1e\+09 .* are 1.19e-07 apart(.|\n)*hint: start at t0 = 0"
    ):
        run(t0=1e9, t_end=1e9 + 1e-5)


def test_steps_just_above_the_resolution_of_time():
    """Steps of 100 units and more are all there, and the last one is no crumb: it was of length
    zero at t0 = 1e11."""
    for t0, dt in ((1e9, 1.2e-5), (1e11, 0.01), (-1e11, 0.01)):
        sol = iso.integrate(mechanical(phi=lambda q, t: q[:1]), dt=dt, t0=t0, t_end=t0 + 10 * dt)
        assert sol.t.size == 11
        assert np.diff(sol.t).min() > 0.9 * dt


def test_masses_of_compiled_systems():
    """A compiled model is asked for its masses where a run begins, whatever the method; a negative one had run."""
    system = iso.problems.get("rigid_pendulum").system(inertia=-1.0)
    for scheme in (iso.Scheme.default(), iso.DOP853(rtol=1e-6)):
        with pytest.raises(InputError, match=r"M is indefinite: .* largest part in 'theta'"):
            iso.integrate(system, scheme, t_end=0.1, **({"dt": 0.01} if isinstance(scheme, iso.Scheme) else {}))


@pytest.mark.parametrize("value", [np.nan, "1", None, 1j])
def test_parameters_of_problems_are_numbers(value):
    with pytest.raises(InputError, match="parameter 'm' of pendulum must be a finite number"):
        iso.problems.get("pendulum").system(m=value)


def test_no_exact_motion_without_gravity():
    assert iso.problems.get("rigid_pendulum").exact([0.0, 0.1], gravity=0.0) is None
