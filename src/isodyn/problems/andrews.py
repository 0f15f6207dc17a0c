"""Andrews' squeezing mechanism in the seven angles of the test set.

    M(q) a + Gᵀλ = Q(q, v),    φ(q) = 0 (three loops, two rows each),    q = (β, Θ, γ, Φ, δ, Ω, ε)

with the formulas and numbers of the Test Set for IVP Solvers, problem Andrews; Θ, Φ, Ω are measured from the neighbouring link, those of
`isodyn.problems.andrews21` from the ground. Every term of φ is an amplitude times the sine or cosine of an angle, so b is the same
sum with every term multiplied by the square of its rate. A constant torque drives β and a spring pulls on the third body;
T + V with V = ½c₀(L − ℓ₀)² − torque·β is conserved.

The functions exist compiled and, from the same source, as plain Python.
"""

from __future__ import annotations

import math
from math import cos, sin

import numpy as np

from isodyn.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    KNOWS_MASS,
    MODEL,
    OK,
    POSITION,
    VELOCITY,
    FloatArray,
    IntArray,
    kernel,
)
from isodyn.problems.data import load
from isodyn.problems.problem import Problem, Reference
from isodyn.problems.quadratic_rows import conserved
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem, MechanicalSystem

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


def plain_mass(q: FloatArray) -> FloatArray:
    """M(q)."""
    M = np.zeros((7, 7))
    M[0, 0] = M1 * RA**2 + M2 * (RR**2 - 2.0 * DA * RR * cos(q[1]) + DA**2) + I1 + I2
    M[0, 1] = M[1, 0] = M2 * (DA**2 - DA * RR * cos(q[1])) + I2
    M[1, 1] = M2 * DA**2 + I2
    M[2, 2] = M3 * (SA**2 + SB**2) + I3
    M[3, 3] = M4 * (E - EA) ** 2 + I4
    M[3, 4] = M[4, 3] = M4 * ((E - EA) ** 2 + ZT * (E - EA) * sin(q[3])) + I4
    M[4, 4] = M4 * (ZT**2 + 2.0 * ZT * (E - EA) * sin(q[3]) + (E - EA) ** 2) + M5 * (TA**2 + TB**2) + I4 + I5
    M[5, 5] = M6 * (ZF - FA) ** 2 + I6
    M[5, 6] = M[6, 5] = M6 * ((ZF - FA) ** 2 - U * (ZF - FA) * sin(q[5])) + I6
    M[6, 6] = M6 * ((ZF - FA) ** 2 - 2.0 * U * (ZF - FA) * sin(q[5]) + U**2) + M7 * (UA**2 + UB**2) + I6 + I7
    return M


def plain_force(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
    """Torque, spring and the forces of velocity."""
    be, th, ph, de, om, ep = v[0], v[1], v[3], v[4], v[5], v[6]
    s, c = sin(q[2]), cos(q[2])
    x, y = SD * c + SC * s + XB - XC, SD * s - SC * c + YB - YC
    length = math.sqrt(x * x + y * y)
    pull = -C0 * (length - L0) / length
    Q = np.empty(7)
    Q[0] = TORQUE - M2 * DA * RR * th * (th + 2.0 * be) * sin(q[1])
    Q[1] = M2 * DA * RR * be**2 * sin(q[1])
    Q[2] = pull * x * (SC * c - SD * s) + pull * y * (SD * c + SC * s)
    Q[3] = M4 * ZT * (E - EA) * de**2 * cos(q[3])
    Q[4] = -M4 * ZT * (E - EA) * ph * (ph + 2.0 * de) * cos(q[3])
    Q[5] = -M6 * U * (ZF - FA) * ep**2 * cos(q[5])
    Q[6] = M6 * U * (ZF - FA) * om * (om + 2.0 * ep) * cos(q[5])
    return Q


def plain_loops(q: FloatArray, w: FloatArray) -> FloatArray:
    """Sum of the terms of φ, each times the weight w of its angle (β, β+Θ, γ, Φ+δ, δ, Ω+ε, ε)."""
    bt, pd, oe = q[0] + q[1], q[3] + q[4], q[5] + q[6]
    x = w[0] * RR * cos(q[0]) - w[1] * D * cos(bt)
    y = w[0] * RR * sin(q[0]) - w[1] * D * sin(bt)
    out = np.empty(6)
    out[0] = x - w[2] * SS * sin(q[2])
    out[1] = y + w[2] * SS * cos(q[2])
    out[2] = x - w[3] * E * sin(pd) - w[4] * ZT * cos(q[4])
    out[3] = y + w[3] * E * cos(pd) - w[4] * ZT * sin(q[4])
    out[4] = x - w[5] * ZF * cos(oe) - w[6] * U * sin(q[6])
    out[5] = y - w[5] * ZF * sin(oe) + w[6] * U * cos(q[6])
    return out


def plain_G(q: FloatArray, t: float) -> FloatArray:
    """∂φ/∂q."""
    bt, pd, oe = q[0] + q[1], q[3] + q[4], q[5] + q[6]
    G = np.zeros((6, 7))
    for k in range(0, 6, 2):
        G[k, 0], G[k, 1] = -RR * sin(q[0]) + D * sin(bt), D * sin(bt)
        G[k + 1, 0], G[k + 1, 1] = RR * cos(q[0]) - D * cos(bt), -D * cos(bt)
    G[0, 2], G[1, 2] = -SS * cos(q[2]), -SS * sin(q[2])
    G[2, 3], G[2, 4] = -E * cos(pd), -E * cos(pd) + ZT * sin(q[4])
    G[3, 3], G[3, 4] = -E * sin(pd), -E * sin(pd) - ZT * cos(q[4])
    G[4, 5], G[4, 6] = ZF * sin(oe), ZF * sin(oe) - U * cos(q[6])
    G[5, 5], G[5, 6] = -ZF * cos(oe), -ZF * cos(oe) - U * sin(q[6])
    return G


mass, force = kernel(allocates=True)(plain_mass), kernel(allocates=True)(plain_force)
loops, matrix = kernel(allocates=True)(plain_loops), kernel(allocates=True)(plain_G)
FIXED = np.array([XB, YB, XA, YA, XA, YA])


def plain_phi(q: FloatArray, t: float) -> FloatArray:
    """φ(q)."""
    return plain_loops(q, np.ones(7)) - FIXED


def plain_b(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
    """G a − φ̈."""
    return plain_loops(q, np.array([v[0], v[0] + v[1], v[2], v[3] + v[4], v[4], v[5] + v[6], v[6]]) ** 2)


@kernel(MODEL, allocates=True)
def model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    pf: FloatArray,
    pi: IntArray,
    out: FloatArray,
) -> int:
    """The mechanism; pf holds the fixed points of the loops. Tangents are left to differences."""
    if what == JACOBIAN:
        M = mass(q)
        for i in range(7):
            for j in range(7):
                out[7 * i + j] = c[0] * M[i, j]
    elif what == POSITION:
        phi = loops(q, np.ones(7))
        for k in range(6):
            out[k] = phi[k] - pf[k]
    else:
        G = matrix(q, t)
        if what == BALANCE:
            M, Q = mass(q), force(q, v, t)
            for i in range(7):
                out[i] = -Q[i]
                for j in range(7):
                    out[i] += M[i, j] * a[j]
                for k in range(6):
                    out[i] += G[k, i] * lam[k]
        elif what == ACCELERATION:
            rates = np.array([v[0], v[0] + v[1], v[2], v[3] + v[4], v[4], v[5] + v[6], v[6]])
            b = loops(q, rates * rates)
            for k in range(6):
                out[k] = -b[k]
                for i in range(7):
                    out[k] += G[k, i] * a[i]
        elif what in (CONSTRAINT, VELOCITY):
            for k in range(6):
                if what == VELOCITY:
                    out[k] = 0.0
                for i in range(7):
                    if what == CONSTRAINT:
                        out[7 * k + i] = G[k, i]
                    else:
                        out[k] += G[k, i] * v[i]
    return OK


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
    q0, v0, pf = start(), np.zeros(7), FIXED.copy()
    return CompiledSystem(model, KNOWS_MASS, q0, v0, pf=pf, energy=energy, names=ANGLES, m=6, m_phi=6, row_names=LOOPS)


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
