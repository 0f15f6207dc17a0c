"""What `integrate_adaptive`, `UdwadiaKalaba` and `NullSpace` say to bad arguments."""

from __future__ import annotations

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso
from isodyn.errors import InputError

FREE = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"t_end": -1.0}, "t_end must lie after t0, received t0 = 0, t_end = -1\nhint: time runs forward"),
        ({"t_end": np.nan}, "t_end must be a finite number, received nan"),
        ({"t0": "now"}, "t0 must be a finite number, received 'now'"),
        ({"rtol": 1e-16}, "rtol must lie between 1e-13 and 1, received 1e-16\nhint: rounding"),
        ({"rtol": 2.0}, "rtol must lie between 1e-13 and 1, received 2.0\nhint: larger ones"),
        ({"rtol": "1e-3"}, "rtol must be a finite number, received '1e-3'"),
        ({"atol": -1.0}, r"atol must be a number of at least 0, or 2 of them for \(q, v\), received -1"),
        ({"atol": [1e-9] * 3}, "or 2 of them"),
        ({"atol": "x"}, "atol must be a number"),
        ({"save": 1}, "save must be at least 2 times, received 1\nhint: both ends count"),
        ({"save": True}, "save takes times, how many of them, or None, received True"),
        ({"save": [0.5, 0.2]}, "save must hold ascending times between t0 = 0 and t_end = 1"),
        ({"save": [0.5, 2.0]}, "save must hold ascending times"),
        ({"save": []}, "save must hold ascending times"),
        ({"save": "all"}, "save must be times, how many of them, or None, received 'all'"),
        ({"first_step": 0.0}, "first_step must be a positive number, received 0.0"),
        ({"max_step": -1}, "max_step must be a positive number, received -1"),
        ({"formulation": iso.Stabilised()}, r"by UdwadiaKalaba\(form\) or NullSpace\(basis\), received Stabilised"),
        ({"formulation": iso.NullSpace(discrete=True)}, "received NullSpace: "),
        ({"formulation": "qr"}, "received a value: 'qr'"),
        ({"formulation": iso.UdwadiaKalaba()}, "needs a mechanical system with constraints"),
    ],
)
def test_bad_arguments(settings, message):
    with pytest.raises(InputError, match=message):
        iso.integrate_adaptive(FREE, **{"t_end": 1.0, **settings})


def test_systems_that_do_not_fit():
    with pytest.raises(InputError, match="system must be one of isodyn's systems, received str"):
        iso.integrate_adaptive("pendulum", t_end=1.0)
    with pytest.raises(
        InputError, match=r"takes no algebraic unknowns, received a system with 1 of them\nhint: integrate"
    ):
        iso.integrate_adaptive(known.van_der_pol_system(), t_end=1.0)


def test_formulations():
    with pytest.raises(InputError, match=r"form must be one of 'square-root', .*, received 'qr'"):
        iso.UdwadiaKalaba("qr")
    with pytest.raises(InputError, match=r"basis must be one of 'partitioning', 'qr', .*, received 'lu'"):
        iso.NullSpace("lu")
    for made in (iso.UdwadiaKalaba, iso.NullSpace):
        with pytest.raises(InputError, match="alpha must be 0 or positive, received -1"):
            made(alpha=-1)
    with pytest.raises(InputError, match="needs a mechanical system with constraints"):
        iso.integrate(FREE, formulation=iso.UdwadiaKalaba(), dt=0.1, t_end=1.0)
    with pytest.raises(InputError, match="UdwadiaKalaba needs all columns"):
        iso.integrate(known.pendulum_system(), formulation=iso.UdwadiaKalaba("cholesky"), dt=0.1, t_end=1.0, select=[0])


def test_text_of_a_solution():
    sol = iso.integrate_adaptive(FREE, t_end=1.0, rtol=1e-8)
    assert str(sol.scheme) == "DOP853, rtol = 1e-08, atol = 1e-12 of typical sizes"
    sol.stats.rejected = 3
    assert "3 rejected steps" in str(sol.stats)
