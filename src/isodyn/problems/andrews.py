"""Andrews' squeezing mechanism in the seven angles of the test set.

    M(q) a + Gᵀλ = Q(q, v),    φ(q) = 0 (three loops, two rows each),    q = (β, Θ, γ, Φ, δ, Ω, ε)

with the formulas and numbers of the Test Set for IVP Solvers, problem Andrews; Θ, Φ, Ω are measured
from the neighbouring link, those of `isodyn.problems.andrews21` from the ground. Every term of φ is
an amplitude times the sine or cosine of an angle, so b is the same sum with every term multiplied
by the square of its rate. A constant torque drives β and a spring pulls on the third body; T + V
with V = ½c₀(L − ℓ₀)² − torque·β is conserved.

The functions exist compiled and, from the same source, as plain Python, which has no tangents.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import cos, sin
from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    MODEL,
    OK,
    POSITION,
    VELOCITY,
    FloatArray,
    kernel,
)
from isodyn.kernels.struct import Struct, reals
from isodyn.kernels.struct_types import opened
from isodyn.problems.data import load
from isodyn.problems.problem import Problem, Reference
from isodyn.problems.quadratic_rows import conserved
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem, MechanicalSystem

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
M1, M2, M3, M4, M5, M6, M7 = MASSES
I1, I2, I3, I4, I5, I6, I7 = INERTIAS
XA, YA, XB, YB, XC, YC = -0.06934, -0.00227, -0.03635, 0.03273, 0.01400, 0.07200
D, DA, E, EA, RR, RA = 0.02800, 0.01150, 0.02000, 0.01421, 0.00700, 0.00092
SS, SA, SB, SC, SD, TA, TB = 0.03500, 0.01874, 0.01043, 0.01800, 0.02000, 0.02308, 0.00916
U, UA, UB, ZF, ZT, FA = 0.04000, 0.01228, 0.00449, 0.02000, 0.04000, 0.01421
C0, L0, TORQUE = 4530.0, 0.07785, 0.03300
ANGLES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")
LOOPS = ("loop 1 x", "loop 1 y", "loop 2 x", "loop 2 y", "loop 3 x", "loop 3 y")


BT, PD, OE = 7, 8, 9  # places of β + Θ, Φ + δ and Ω + ε behind the seven angles themselves
FIXED = np.array([XB, YB, XA, YA, XA, YA])


class Scratch(Struct):
    """Sines and cosines of the angles and of their sums for the last q; memory for seven numbers,
    for the second derivatives of the loops along v, and for a matrix."""

    q, sines, cosines = reals(7), reals(10), reals(10)
    numbers, bends, matrix = reals(7), reals(6), reals(7, 7)


@kernel()
def fill_mass(s: FloatArray, c: FloatArray, M: FloatArray) -> None:
    """M(q)."""
    M[:] = 0.0
    M[0, 0] = M1 * RA**2 + M2 * (RR**2 - 2.0 * DA * RR * c[1] + DA**2) + I1 + I2
    M[0, 1] = M[1, 0] = M2 * (DA**2 - DA * RR * c[1]) + I2
    M[1, 1] = M2 * DA**2 + I2
    M[2, 2] = M3 * (SA**2 + SB**2) + I3
    M[3, 3] = M4 * (E - EA) ** 2 + I4
    M[3, 4] = M[4, 3] = M4 * ((E - EA) ** 2 + ZT * (E - EA) * s[3]) + I4
    M[4, 4] = M4 * (ZT**2 + 2.0 * ZT * (E - EA) * s[3] + (E - EA) ** 2) + M5 * (TA**2 + TB**2) + I4 + I5
    M[5, 5] = M6 * (ZF - FA) ** 2 + I6
    M[5, 6] = M[6, 5] = M6 * ((ZF - FA) ** 2 - U * (ZF - FA) * s[5]) + I6
    M[6, 6] = M6 * ((ZF - FA) ** 2 - 2.0 * U * (ZF - FA) * s[5] + U**2) + M7 * (UA**2 + UB**2) + I6 + I7


@kernel()
def fill_force(s: FloatArray, c: FloatArray, v: FloatArray, Q: FloatArray) -> None:
    """Torque, spring and the forces of velocity."""
    be, th, ph, de, om, ep = v[0], v[1], v[3], v[4], v[5], v[6]
    x, y = SD * c[2] + SC * s[2] + XB - XC, SD * s[2] - SC * c[2] + YB - YC
    x_, y_, length = SC * c[2] - SD * s[2], SD * c[2] + SC * s[2], math.sqrt(x * x + y * y)
    Q[0] = TORQUE - M2 * DA * RR * th * (th + 2.0 * be) * s[1]
    Q[1] = M2 * DA * RR * be**2 * s[1]
    Q[2] = -C0 * (length - L0) / length * (x * x_ + y * y_)
    Q[3] = M4 * ZT * (E - EA) * de**2 * c[3]
    Q[4] = -M4 * ZT * (E - EA) * ph * (ph + 2.0 * de) * c[3]
    Q[5] = -M6 * U * (ZF - FA) * ep**2 * c[5]
    Q[6] = M6 * U * (ZF - FA) * om * (om + 2.0 * ep) * c[5]


@kernel()
def fill_loops(s: FloatArray, c: FloatArray, w: FloatArray, out: FloatArray) -> None:
    """Sum of the terms of φ, each times the weight w of its angle (β, β+Θ, γ, Φ+δ, δ, Ω+ε, ε)."""
    x = w[0] * RR * c[0] - w[1] * D * c[BT]
    y = w[0] * RR * s[0] - w[1] * D * s[BT]
    out[0] = x - w[2] * SS * s[2]
    out[1] = y + w[2] * SS * c[2]
    out[2] = x - w[3] * E * s[PD] - w[4] * ZT * c[4]
    out[3] = y + w[3] * E * c[PD] - w[4] * ZT * s[4]
    out[4] = x - w[5] * ZF * c[OE] - w[6] * U * s[6]
    out[5] = y - w[5] * ZF * s[OE] + w[6] * U * c[6]


@kernel()
def fill_G(s: FloatArray, c: FloatArray, G: FloatArray) -> None:
    """∂φ/∂q."""
    G[:] = 0.0
    for k in range(0, 6, 2):
        G[k, 0], G[k, 1] = -RR * s[0] + D * s[BT], D * s[BT]
        G[k + 1, 0], G[k + 1, 1] = RR * c[0] - D * c[BT], -D * c[BT]
    G[0, 2], G[1, 2] = -SS * c[2], -SS * s[2]
    G[2, 3], G[2, 4] = -E * c[PD], -E * c[PD] + ZT * s[4]
    G[3, 3], G[3, 4] = -E * s[PD], -E * s[PD] - ZT * c[4]
    G[4, 5], G[4, 6] = ZF * s[OE], ZF * s[OE] - U * c[6]
    G[5, 5], G[5, 6] = -ZF * c[OE], -ZF * c[OE] - U * s[6]


@kernel()
def add_pair(J: FloatArray, i: int, j: int, value: float) -> None:
    """The second derivative along q_i + q_j."""
    J[i, i] += value
    J[j, j] += value
    J[i, j] += value
    J[j, i] += value


@kernel()
def add_tangents(
    s: FloatArray,
    c: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    weights: FloatArray,
    J: FloatArray,
) -> None:
    """J += c₁ ∂/∂v + c₂ ∂/∂q of M a + Gᵀλ − Q."""
    be, th, ph, de, om, ep = v[0], v[1], v[3], v[4], v[5], v[6]
    on_v, on_q = weights[1], weights[2]
    k1, k3, k5 = M2 * DA * RR, M4 * ZT * (E - EA), M6 * U * (ZF - FA)
    J[0, 0] += on_v * 2.0 * k1 * th * s[1]
    J[0, 1] += on_v * 2.0 * k1 * (th + be) * s[1]
    J[1, 0] -= on_v * 2.0 * k1 * be * s[1]
    J[3, 4] -= on_v * 2.0 * k3 * de * c[3]
    J[4, 3] += on_v * 2.0 * k3 * (ph + de) * c[3]
    J[4, 4] += on_v * 2.0 * k3 * ph * c[3]
    J[5, 6] += on_v * 2.0 * k5 * ep * c[5]
    J[6, 5] -= on_v * 2.0 * k5 * (om + ep) * c[5]
    J[6, 6] -= on_v * 2.0 * k5 * om * c[5]
    J[0, 1] += on_q * k1 * ((2.0 * a[0] + a[1]) * s[1] + th * (th + 2.0 * be) * c[1])
    J[1, 1] += on_q * k1 * (a[0] * s[1] - be**2 * c[1])
    J[3, 3] += on_q * k3 * (a[4] * c[3] + de**2 * s[3])
    J[4, 3] += on_q * k3 * ((a[3] + 2.0 * a[4]) * c[3] - ph * (ph + 2.0 * de) * s[3])
    J[5, 5] -= on_q * k5 * (a[6] * c[5] + ep**2 * s[5])
    J[6, 5] -= on_q * k5 * ((a[5] + 2.0 * a[6]) * c[5] - om * (om + 2.0 * ep) * s[5])
    x, y = SD * c[2] + SC * s[2] + XB - XC, SD * s[2] - SC * c[2] + YB - YC
    x_, y_, length = SC * c[2] - SD * s[2], SD * c[2] + SC * s[2], math.sqrt(x * x + y * y)
    along = x * x_ + y * y_  # half the derivative of length²; its own is x'² + y'² − x y' + y x'
    bend = x_ * x_ + y_ * y_ - x * y_ + y * x_
    J[2, 2] += on_q * C0 * ((1.0 - L0 / length) * bend + L0 * along * along / length**3)
    # every term of φ is minus its own second derivative
    lx, ly = lam[0] + lam[2] + lam[4], lam[1] + lam[3] + lam[5]
    J[0, 0] -= on_q * RR * (lx * c[0] + ly * s[0])
    add_pair(J, 0, 1, on_q * D * (lx * c[BT] + ly * s[BT]))
    J[2, 2] += on_q * SS * (lam[0] * s[2] - lam[1] * c[2])
    add_pair(J, 3, 4, on_q * E * (lam[2] * s[PD] - lam[3] * c[PD]))
    J[4, 4] += on_q * ZT * (lam[2] * c[4] + lam[3] * s[4])
    add_pair(J, 5, 6, on_q * ZF * (lam[4] * c[OE] + lam[5] * s[OE]))
    J[6, 6] += on_q * U * (lam[4] * s[6] - lam[5] * c[6])


@kernel()
def squared_rates(v: FloatArray, out: FloatArray) -> None:
    """Squares of the rates of the seven angles that φ is made of."""
    out[0], out[1], out[2], out[3] = v[0] ** 2, (v[0] + v[1]) ** 2, v[2] ** 2, (v[3] + v[4]) ** 2
    out[4], out[5], out[6] = v[4] ** 2, (v[5] + v[6]) ** 2, v[6] ** 2


@kernel()
def turn(q: FloatArray, memory: Scratch) -> None:
    """Sines and cosines for q, unless they are there."""
    known = True
    for i in range(7):
        known = known and memory.q[i] == q[i]
    if known:
        return
    for i in range(10):
        if i < 7:
            memory.q[i] = q[i]
        angle = q[i] if i < 7 else q[0] + q[1] if i == BT else q[3] + q[4] if i == PD else q[5] + q[6]
        memory.sines[i], memory.cosines[i] = sin(angle), cos(angle)


@kernel()
def balance(memory: Scratch, v: FloatArray, a: FloatArray, lam: FloatArray, out: FloatArray) -> None:
    """M a − Q + Gᵀλ."""
    sines, cosines, Q, matrix = memory.sines, memory.cosines, memory.numbers, memory.matrix
    fill_force(sines, cosines, v, Q)
    fill_mass(sines, cosines, matrix)
    for i in range(7):
        out[i] = -Q[i]
        for j in range(7):
            out[i] += matrix[i, j] * a[j]
    fill_G(sines, cosines, matrix)
    for k in range(6):
        for i in range(7):
            out[i] += matrix[k, i] * lam[k]


@kernel()
def along_rows(memory: Scratch, x: FloatArray, out: FloatArray) -> None:
    """G x."""
    G = memory.matrix
    fill_G(memory.sines, memory.cosines, G)
    for k in range(6):
        total = 0.0
        for i in range(7):
            total += G[k, i] * x[i]
        out[k] = total


@kernel(MODEL)
def model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    tables: StructAddress,
    scratch: StructAddress,
    out: FloatArray,
) -> int:
    """The mechanism."""
    memory = opened(Scratch, scratch)
    turn(q, memory)
    sines, cosines, numbers = memory.sines, memory.cosines, memory.numbers
    if what == JACOBIAN:
        J = out.reshape((7, 7))
        fill_mass(sines, cosines, J)
        J *= c[0]
        if c[1] != 0.0 or c[2] != 0.0:
            add_tangents(sines, cosines, v, a, lam, c, J)
    elif what == BALANCE:
        balance(memory, v, a, lam, out)
    elif what == CONSTRAINT:
        fill_G(sines, cosines, out.reshape((6, 7)))
    elif what == POSITION:
        for i in range(7):
            numbers[i] = 1.0
        fill_loops(sines, cosines, numbers, out)
        for k in range(6):
            out[k] -= FIXED[k]
    elif what == VELOCITY:
        along_rows(memory, v, out)
    elif what == ACCELERATION:
        squared_rates(v, numbers)
        fill_loops(sines, cosines, numbers, memory.bends)
        along_rows(memory, a, out)
        for k in range(6):
            out[k] -= memory.bends[k]
    return OK


# ---- the same functions by their source, as plain Python


def sines_and_cosines(q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of the seven angles and of β + Θ, Φ + δ, Ω + ε."""
    angles = np.array([*q, q[0] + q[1], q[3] + q[4], q[5] + q[6]])
    return np.sin(angles), np.cos(angles)


def filled(kernel: Callable[..., None], shape: int | tuple[int, ...], q: FloatArray, *more: FloatArray) -> FloatArray:
    """What the Python function of a kernel writes."""
    out = np.empty(shape)
    getattr(kernel, "py_func", kernel)(*sines_and_cosines(q), *more, out)
    return out


def plain_mass(q: FloatArray) -> FloatArray:
    """M(q)."""
    return filled(fill_mass, (7, 7), q)


def plain_force(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
    """Q(q, v)."""
    return filled(fill_force, 7, q, v)


def plain_G(q: FloatArray, t: float) -> FloatArray:
    """∂φ/∂q."""
    return filled(fill_G, (6, 7), q)


def plain_phi(q: FloatArray, t: float) -> FloatArray:
    """φ(q)."""
    return filled(fill_loops, 6, q, np.ones(7)) - FIXED


def plain_b(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
    """G a − φ̈."""
    return filled(fill_loops, 6, q, np.array([v[0], v[0] + v[1], v[2], v[3] + v[4], v[4], v[5] + v[6], v[6]]) ** 2)


def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
    """½ vᵀM v, and spring less work of the torque."""
    s, c = sin(q[2]), cos(q[2])
    length = math.hypot(SD * c + SC * s + XB - XC, SD * s - SC * c + YB - YC)
    return 0.5 * float(v @ plain_mass(q) @ v), 0.5 * C0 * (length - L0) ** 2 - TORQUE * float(q[0])


def start() -> FloatArray:
    """q(0) of the test set; everything is at rest."""
    return np.array(load("andrews.json")["q0"], dtype=np.float64)


def build() -> CompiledSystem:
    """With the functions compiled."""
    scratch = Scratch.filled(q=np.nan)  # known for no q
    return CompiledSystem(
        model,
        KNOWS_MASS | KNOWS_TANGENT,
        start(),
        np.zeros(7),
        scratch=scratch,
        energy=energy,
        names=ANGLES,
        m=6,
        m_phi=6,
        row_names=LOOPS,
    )


def plain_system() -> MechanicalSystem:
    """From plain Python functions, tangents by differences."""
    return MechanicalSystem(
        plain_mass,
        plain_force,
        start(),
        np.zeros(7),
        phi=plain_phi,
        G=plain_G,
        b=plain_b,
        energy=energy,
        names=ANGLES,
        row_names=LOOPS,
    )


def reference() -> Reference:
    """q, v, a, λ at ten times, computed in extended precision."""
    data = load("andrews.json")
    table = data["reference_80bit"]
    y = np.array(table["y"], dtype=np.float64)
    t = np.array(table["t"], dtype=np.float64)
    trust = f"{table['provenance']}; {table['measured_quality']['agreement_1e16_vs_1e17']}"
    return Reference(t, y[:, :7], y[:, 7:14], data["source"], trust, y[:, 14:21], y[:, 21:])


PROBLEM = Problem(
    name="andrews",
    title="Andrews' squeezing mechanism in seven angles",
    source="Test Set for IVP Solvers, problem Andrews; Example 3.5.1 [Shimada2014 (Ex. 3.5.1)]",
    citation="Shimada2014",
    build=build,
    scheme=Scheme.V0(1.0, 1.0, 0.0),
    dt=5e-6,
    t_end=0.03,
    t_order=0.004,
    reference=reference(),
    conserved=conserved,
    units=("s", "rad"),
)
