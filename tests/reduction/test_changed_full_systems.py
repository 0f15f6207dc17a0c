"""A full system that was changed after it was reduced: the reduced one would have numbers of before
and functions of after."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso
from isodyn.errors import InputError


def first_order():
    return iso.FirstOrderSystem(lambda s, t: -s * np.arange(1.0, 4.0), [1.0, 1.0, 1.0])


def linear_first_order():
    return iso.LinearFirstOrderSystem(1.0, [1.0, 2.0, 3.0], None, [1.0, 1.0, 1.0])


def linear():
    return iso.LinearSystem(np.eye(3), None, np.diag([1.0, 2.0, 3.0]), None, np.ones(3), np.zeros(3))


def mechanical(M=1.0):
    return iso.MechanicalSystem(M * np.eye(3), lambda q, v, t: -q * np.arange(1.0, 4.0), np.ones(3), np.zeros(3))


def sparse_mechanical():
    slopes = -sp.diags_array(np.arange(1.0, 4.0)).tocsr()
    return iso.MechanicalSystem(
        sp.eye_array(3).tocsr(), mechanical().Q, np.ones(3), np.zeros(3), Q_q=lambda q, v, t: slopes
    )


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (first_order, "h", lambda s, t: -s),
        (linear_first_order, "P", 2.0),
        (linear, "K", 2.0),
        (linear, "v0", np.ones(3)),
        (mechanical, "Q", lambda q, v, t: -q),
        (mechanical, "M", 2.0),
        (mechanical, "q0", np.zeros(3)),
        (sparse_mechanical, "M", 2.0 * sp.eye_array(3).tocsr()),
        (sparse_mechanical, "Q", lambda q, v, t: -q),
    ],
)
def test_a_full_system_that_was_changed_is_reduced_again(make, name, value):
    """Forces of the new system met masses and starts of the old one."""
    system, options = make(), {"dt": 0.1, "t_end": 0.5}
    basis = iso.pod(iso.integrate(system, **options), of="v", rank=2)
    reduced = iso.reduce(system, basis)
    sol = iso.integrate(reduced, **options)
    basis.lift(sol)
    setattr(system, name, value)
    for ask in (lambda: iso.integrate(reduced, **options), lambda: basis.lift(sol)):
        with pytest.raises(InputError, match=f"{name} of the full system was changed after the system was reduced"):
            ask()
    iso.integrate(iso.reduce(system, basis), **options)


def test_numbers_of_a_full_system_that_were_changed_in_place_are_noticed():
    system = linear()
    basis = iso.pod(iso.integrate(system, dt=0.1, t_end=0.5), rank=2)
    reduced = iso.reduce(system, basis)
    system.K[0, 0] = 5.0
    with pytest.raises(InputError, match="K of the full system was changed"):
        iso.integrate(reduced, dt=0.1, t_end=0.5)
