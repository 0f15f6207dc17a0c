"""What is said about first-order DAEs that cannot be started or closed."""

from __future__ import annotations

import numpy as np
import pytest

import first_order_daes as daes
import isodyn as iso
from isodyn.errors import InputError, NonFiniteError, SchemeError, SingularError

F = iso.FirstOrderSystem


def run(system, **more):
    return iso.integrate(system, dt=0.01, t_end=0.05, **more)


def test_index_above_3():
    system = F(
        lambda s, z, t: np.array([s[1], s[2], z[0]]),
        [0.0, 1.0, 0.0],
        z0=[0.0],
        c=lambda s, z, t: np.array([s[0] - np.sin(t)]),
        row_names=["jerk drive"],
    )
    with pytest.raises(
        SingularError, match=r"ranks are 0, 0, 0 of 1 \(rows 'jerk drive'\)(.|\n)*hint: the index is above 3"
    ):
        run(system)


def test_dependent_rows():
    system = F(
        lambda s, z, t: np.array([s[1] - s[0] * (z[0] + z[1]), -s[0] - s[1] * (z[0] + z[1])]),
        [0.0, 1.0],
        z0=[0.0, 0.0],
        c=lambda s, z, t: np.array([s @ s - 1.0, 2.0 * (s @ s) - 2.0]),
    )
    with pytest.raises(SingularError, match=r"ranks are 0, 1, 1 of 2(.|\n)*rows depend on each other"):
        run(system)


def test_unknown_that_appears_nowhere():
    system = F(lambda s, z, t: -s, [1.0], z0=[0.0], c=lambda s, z, t: s - np.exp(-t))
    with pytest.raises(SingularError, match=r"algebraic unknown 0 \('z0'\) appears neither in h nor in c"):
        run(system)


@pytest.mark.parametrize(
    ("s0", "message"),
    [
        ([1.0, 0.1, 0.0, 0.0], r"violates constraint 'rod' by 0.01\nhint: it does not contain .* \(index 3"),
        ([1.0, 0.0, 0.3, 0.0], "violates the derivative of constraint 'rod' by 0.6"),
    ],
)
def test_start_off_the_constraints(s0, message):
    given, _ = daes.pendulum(3)
    with pytest.raises(InputError, match=message):
        run(F(given.h, s0, z0=[0.0], c=given.c, row_names=["rod"]))


def test_formulations_that_do_not_fit_the_index():
    with pytest.raises(SchemeError, match=r"index 3 \(ranks 0, 0, 1 of 1\)(.|\n)*hint: leave the formulation out"):
        run(daes.pendulum(3)[0], formulation=iso.VelocityLevel())
    with pytest.raises(SchemeError, match=r"index 1 in 1 of 2(.|\n)*hint: leave the formulation out"):
        run(daes.mixed_1_and_2()[0], formulation=iso.AccelerationLevel())
    with pytest.raises(InputError, match="index 3 needs all columns"):
        run(daes.pendulum(3)[0], select=[0])


def test_no_solution_near_the_guess():
    system = F(lambda s, z, t: -z, [1.0], z0=[0.5], c=lambda s, z, t: z**2 + s)
    with pytest.raises(
        SingularError, match=r"no consistent algebraic unknowns near z0(.|\n)*hint: start from another z0"
    ):
        run(system)


def test_numbers_that_are_none():
    with pytest.raises(NonFiniteError, match="h returned nan in component 0 at the start"):
        run(F(lambda s, z, t: s * np.nan, [1.0], z0=[0.0], c=lambda s, z, t: s - z))
    with pytest.raises(InputError, match="index is for one of isodyn's systems, received str"):
        iso.analysis.index("pendulum")
