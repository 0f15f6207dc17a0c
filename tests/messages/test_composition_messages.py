"""What cannot be composed, and why."""

import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso
from isodyn import problems
from isodyn.errors import ConvergenceError, InputError, NonFiniteError, SchemeError

CENTRAL, MIDPOINT = iso.Scheme.central_difference(), iso.Scheme.V0(1, 1, 0)


@pytest.mark.parametrize("order", [2, 3, 8, 4.5, "4", True])
def test_orders(order):
    with pytest.raises(SchemeError, match="compositions have order 4 or 6"):
        iso.Composition(CENTRAL, order)


@pytest.mark.parametrize(
    "base",
    [iso.Scheme.optimal(0.8), iso.Scheme.U0(1, 1, 0.5), iso.Scheme.V0(0.9, 1, 0.9), iso.Scheme.newmark()],
    ids=str,
)
def test_bases_that_damp_or_remember(base):
    with pytest.raises(
        SchemeError, match=r"is not a symmetric map of \(q, v\)(.|\n)*hint: take Scheme.V0\(1, 1, rho\)"
    ):
        iso.Composition(base, 4)


def test_base_is_a_scheme():
    with pytest.raises(InputError, match="base must be a Scheme"):
        iso.Composition(0.8, 4)


def run(name, base, formulation=None, **options):
    return iso.integrate(
        problems.get(name).system(), iso.Composition(base, 4), formulation, **({"dt": 0.01, "t_end": 0.02} | options)
    )


def test_systems_on_which_the_base_is_not_symmetric():
    with pytest.raises(SchemeError, match=r"V0\(1, 1, 0\) is not symmetric with constraints(.|\n)*central_difference"):
        run("pendulum", MIDPOINT)
    with pytest.raises(SchemeError, match="not symmetric with this retraction: half an increment twice"):
        run("free_body", MIDPOINT)
    with pytest.raises(SchemeError, match="holonomic constraints only; this system has 1 nonholonomic rows"):
        run("knife_edge", CENTRAL)
    with pytest.raises(SchemeError, match="central difference is for second-order systems"):
        run("brusselator_stable", CENTRAL)
    with pytest.raises(SchemeError, match="closes constraints in its own way, received VelocityLevel"):
        run("pendulum", CENTRAL, iso.VelocityLevel())
    sparse = iso.MechanicalSystem(M=sp.eye_array(2), Q=lambda q, v, t: -q, q0=[1.0, 0.0], v0=[0.0, 1.0])
    with pytest.raises(SchemeError, match="needs the mass matrix"):
        iso.integrate(sparse, iso.Composition(CENTRAL, 4), dt=0.1, t_end=1.0)
    assert run("pendulum", CENTRAL, iso.Stabilised()).stats.steps == 2


def test_steps_that_are_too_long():
    with pytest.raises((ConvergenceError, NonFiniteError), match=r"at t = 0 \(step 1, dt = 3\)") as caught:
        run("pendulum", CENTRAL, dt=3.0, t_end=6.0)
    assert caught.value.partial.t.tolist() == [0.0]


def test_ensembles_and_transforms_of_compositions():
    """Members run alone; a transform to an ordinary differential equation composes too."""
    system, scheme = problems.get("pendulum").system(), iso.Composition(CENTRAL, 4)
    ens = iso.ensemble(system, scheme, v0=np.outer([1.0, 0.5], system.v0), dt=0.01, t_end=0.1)
    alone = iso.integrate(ens.system(1), scheme, dt=0.01, t_end=0.1)
    assert np.array_equal(ens[1].q, alone.q)
    midpoint = iso.Composition(MIDPOINT, 6)
    free = iso.integrate(system, midpoint, iso.NullSpace("svd"), dt=0.02, t_end=0.1)
    assert np.abs(free.q[-1] - iso.integrate(system, scheme, dt=0.005, t_end=0.1).q[-1]).max() < 1e-8
