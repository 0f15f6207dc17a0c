"""The torque that drives a slider-crank steadily, over a whole turn: from a run, and by power in
closed form.

T ω = d(kinetic + potential)/dt
"""

from __future__ import annotations

import math

import numpy as np

import isodyn as iso
from isodyn.kernels.compiled import FloatArray
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

R, L, OMEGA, START, G = 0.2, 0.5, 4.0, 0.7, 9.81
CRANK, ROD, SLIDER = 1.5, 0.8, 0.6  # kg


def energy(t: FloatArray) -> FloatArray:
    """Kinetic and potential, of the angle START + OMEGA t."""
    angle = START + OMEGA * t
    B = R * np.stack([np.cos(angle), np.sin(angle)])
    vB = OMEGA * R * np.stack([-np.sin(angle), np.cos(angle)])
    beta = np.arcsin(B[1] / L)
    rate = vB[1] / (L * np.cos(beta))
    vC = vB[0] - L * np.sin(beta) * rate
    middle = 0.5 * (vB + np.stack([vC, 0 * vC]))
    kinetic = 0.5 * CRANK * R**2 / 3 * OMEGA**2 + 0.5 * ROD * (middle**2).sum(axis=0)
    kinetic = kinetic + 0.5 * ROD * L**2 / 12 * rate**2 + 0.5 * SLIDER * vC**2
    return np.asarray(kinetic + G * (CRANK * 0.5 * B[1] + ROD * 0.5 * B[1]))


def torque(t: FloatArray) -> FloatArray:
    """By differences of eighth order."""
    h, weights = 1e-3, (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    terms = [w * (energy(t + (k + 1) * h) - energy(t - (k + 1) * h)) for k, w in enumerate(weights)]
    return np.asarray(np.sum(terms, axis=0) / h / OMEGA)


def engine() -> iso.Mechanism:
    B = np.array([R * math.cos(START), R * math.sin(START), 0.0])
    C = np.array([B[0] + math.sqrt(L**2 - B[1] ** 2), 0.0, 0.0])
    mech = iso.Mechanism(gravity=(0, -G, 0))
    for name, mass, P, S in (("crank", CRANK, np.zeros(3), B), ("rod", ROD, B, C)):
        d = S - P
        length = float(np.linalg.norm(d))
        mech.add_body(name, mass, mass * length**2 / 12, 0.5 * (P + S), math.atan2(d[1], d[0]), kind="planar")
    mech.add_body("slider", SLIDER, 0.01, C, kind="planar")
    for name, first, second, point in (
        ("A", "ground", "crank", (0, 0, 0)),
        ("B", "crank", "rod", B),
        ("C", "rod", "slider", C),
    ):
        mech.add_joint(iso.Hinge(name, first, second, point=point, axis=(0, 0, 1)))
    mech.add_joint(iso.Prismatic("slide", "ground", "slider", point=C, axis=(1, 0, 0)))
    mech.add_joint(iso.Drive("motor", "A", iso.Polynomial(0.0, OMEGA)))
    return mech


def prepare() -> Run:
    system = engine().assemble().system
    turn = np.linspace(0.0, 2 * math.pi / OMEGA, 41)

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.8, 1.0, 0.0), iso.Stabilised(), dt=dt, t_end=1.5)
        row = system.row_names.index("motor: drive")
        moved = iso.kinematics(system, turn)
        inverse = iso.inverse_dynamics(system, turn, moved.q, moved.v, moved.a).drive("motor")
        errors = {
            "multiplier of the drive": compared(-sol.lam[:, row], torque(sol.t)),
            "inverse dynamics": compared(inverse, torque(turn)),
            "slider": compared(sol.body("slider").position[:, 0], slider(sol.t)),
        }
        return measured(sol, errors)

    return run


def slider(t: FloatArray) -> FloatArray:
    angle = START + OMEGA * t
    return np.asarray(R * np.cos(angle) + np.sqrt(L**2 - (R * np.sin(angle)) ** 2))


CASE = Case(
    name="torque_of_a_driven_crank",
    topic="mechanisms",
    shows="A crank at constant speed: its torque from multipliers of a run and from inverse dynamics, through both dead centres.",
    source="textbook",
    reference="power of the closed motion",
    trust="exact",
    steps=(0.01, 0.005, 0.0025),
    prepare=prepare,
    bounds={"multiplier of the drive": 5.7e-5, "inverse dynamics": 1e-9, "slider": 1e-12, "drift": 1e-12},
    orders={"multiplier of the drive": 2},
)
