"""Systems B x' = f(x, t) with a singular B, and numbers to compare with.

transistor_amplifier   eight voltages of a circuit with two transistors, five capacitors and nine
                       resistors; index 1. Each capacitor contributes C (u̇_i − u̇_j), so that B has
                       a null space that is no component. I(u) = β (e^{u/U_F} − 1) is the current
                       into a base, α of it goes on to the collector.

robertson              three reacting species, the third from x₁ + x₂ + x₃ = 1; index 1:
                       x₁' = −0.04 x₁ + 10⁴ x₂ x₃,
                       x₂' = 0.04 x₁ − 10⁴ x₂ x₃ − 3·10⁷ x₂²
"""

from __future__ import annotations

import math

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.problems.problem import Problem, Reference
from isodyn.schemes import Scheme
from isodyn.systems import ImplicitSystem

SUPPLY, THERMAL, GAIN, LEAK = 6.0, 0.026, 0.99, 1e-6  # U_b, U_F in V; α; β in A
SOURCE, RESISTANCE = 1000.0, 9000.0  # in front of the input, and everywhere else; in Ω
CAPACITORS = ((1e-6, 0, 1), (2e-6, 2, None), (3e-6, 3, 4), (4e-6, 5, None), (5e-6, 6, 7))  # F, and where


def _base_current(u: float) -> float:
    return LEAK * (math.exp(u / THERMAL) - 1.0)


def _amplifier_matrix() -> FloatArray:
    B = np.zeros((8, 8))
    for C, i, j in CAPACITORS:
        B[i, i] -= C
        if j is not None:
            B[j, j] -= C
            B[i, j] += C
            B[j, i] += C
    return B


def _amplifier_currents(u: FloatArray, t: float) -> FloatArray:
    """What flows out of the nodes through resistors and transistors, and into them from outside."""
    input_voltage = 0.1 * math.sin(200.0 * math.pi * t)
    first, second = _base_current(u[1] - u[2]), _base_current(u[4] - u[5])
    return np.array(
        [
            (u[0] - input_voltage) / SOURCE,
            (2.0 * u[1] - SUPPLY) / RESISTANCE - (GAIN - 1.0) * first,
            u[2] / RESISTANCE - first,
            (u[3] - SUPPLY) / RESISTANCE + GAIN * first,
            (2.0 * u[4] - SUPPLY) / RESISTANCE - (GAIN - 1.0) * second,
            u[5] / RESISTANCE - second,
            (u[6] - SUPPLY) / RESISTANCE + GAIN * second,
            u[7] / RESISTANCE,
        ]
    )


def amplifier() -> ImplicitSystem:
    """The transistor amplifier, from rest."""
    half = 0.5 * SUPPLY
    start = [0.0, half, half, SUPPLY, half, half, SUPPLY, 0.0]
    names = [f"u{k}" for k in range(1, 9)]
    return ImplicitSystem.from_mass(_amplifier_matrix(), _amplifier_currents, start, names=names)


def _amplifier_reference() -> Reference:
    """Voltages at t = 0.2 s, as combinations s that have rates and w that have none."""
    u = np.array(
        [
            -0.005562145012262709,
            3.006522471903042,
            2.849958788608128,
            2.926422536206241,
            2.704617865010554,
            2.761837778393145,
            4.770927631616772,
            1.236995868091548,
        ]
    )
    return Reference(
        t=np.array([0.2]),
        q=np.zeros((1, 0)),
        v=(u @ amplifier().V)[None],
        source="published reference of the test set of initial value problems",
        trust="runs with halved steps converge to it with second order",
    )


AMPLIFIER = Problem(
    name="transistor_amplifier",
    title="a transistor amplifier: B x' = f with a singular B, index 1",
    source="test set of initial value problems [Shimada2014 (3.10)]",
    build=amplifier,
    scheme=Scheme.optimal(0.8),
    dt=1e-4,
    t_end=0.2,
    t_order=0.01,
    reference=_amplifier_reference(),
    units=("s", "V"),
)


def robertson() -> ImplicitSystem:
    """Robertson's reaction with its sum in the place of the third equation."""

    def F(t: float, x: FloatArray, rate: FloatArray) -> FloatArray:
        slow, back, fast = 0.04 * x[0], 1e4 * x[1] * x[2], 3e7 * x[1] ** 2
        return np.array([rate[0] + slow - back, rate[1] - slow + back + fast, x[0] + x[1] + x[2] - 1.0])

    return ImplicitSystem(F, [1.0, 0.0, 0.0], [-0.04, 0.04, 0.0], names=("x1", "x2", "x3"))


ROBERTSON = Problem(
    name="robertson",
    title="Robertson's reaction with an algebraic equation: stiff, index 1",
    source="own form of the classical problem",
    build=robertson,
    scheme=Scheme.optimal(0.0),
    dt=2e-3,
    t_end=4.0,
    t_order=0.4,
    reference=Reference(
        t=np.array([0.4, 4.0]),
        q=np.zeros((2, 0)),
        v=np.array([[0.985172113861, 3.386395378975e-05], [0.905518678584, 2.240475687560e-05]]),
        source="SciPy's Radau at tolerances 1e-11, 1e-12, 3e-14 on the ordinary differential equation",
        trust="these agree to 1e-12",
    ),
)
