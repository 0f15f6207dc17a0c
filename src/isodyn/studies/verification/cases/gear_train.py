"""The epicyclic train of a two-speed drive: printed matrices, and the growth of a disturbance in a
run of all shafts."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

import isodyn as iso
from isodyn.gauss import GearTrain
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

T1, T2, T3 = -0.6, 1.7, -0.9
I2, I3, I4, I5, I6, M5, ARM = 1.0, 0.7, 1.4, 0.2, 0.5, 1.1, 0.3
# of the torque curves: two motors and the load
SLOPES: dict[int | str, float] = {2: -0.8, 4: -0.5, 6: 0.9}


def printed() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """V, 𝓜 and 𝓚 of section 6.1."""
    V = np.array([[1, 0], [1 / T1, 0], [0, 1], [(1 - T2) / T1, T2], [(T3 - T2) / (T1 * T3), T2 / T3]])
    M = np.diag([I2, I3 + M5 * ARM**2, I4, I5, I6])
    return V, V.T @ M @ V, V.T @ np.diag([SLOPES.get(k, 0.0) for k in range(2, 7)]) @ V


def prepare() -> Run:
    train = GearTrain(
        circuits=[(2, 3, 1, T1), (5, 4, 3, T2), (5, 6, 3, T3)],
        inertia={2: I2, 3: I3, 4: I4, 5: I5, 6: I6},
        drives=(2, 4),
        planets=[(5, 3, M5, ARM)],
    )
    V, M, K = printed()
    start = np.array([1.0, -0.5])
    slopes = np.array([SLOPES.get(link, 0.0) for link in train.links])
    Psi, n = train.constraints, len(train.links)
    system = iso.MechanicalSystem(
        train.mass,
        lambda q, v, t: slopes * v,
        np.zeros(n),
        train.speeds @ start,
        psi=lambda q, v, t: Psi @ v,
        psi_v=lambda q, v, t: Psi,
    )

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.8, 1.0, 0.0), iso.Stabilised(), dt=dt, t_end=2.0)
        exact = np.array([V @ expm(np.linalg.solve(M, K) * t) @ start for t in sol.t])
        errors = {
            "speeds": compared(train.speeds, V),
            "reduced mass": compared(train.reduced_mass, M),
            "reduced slopes": compared(train.reduced_slope(SLOPES), K),
            "v": compared(sol.v, exact),
        }
        return measured(sol, errors, energy=False)

    return run


CASE = Case(
    name="gear_train",
    topic="documents",
    shows="Stability of an epicyclic gear train: reduced matrices as printed, disturbances of all shafts as they predict.",
    source="Pennestrì and Valentini (2008), section 6",
    citation="Pennestri2008",
    reference="printed matrices, matrix exponential",
    trust="published",
    steps=(0.04, 0.02, 0.01),
    prepare=prepare,
    bounds={"speeds": 1e-13, "reduced mass": 1e-13, "reduced slopes": 1e-13, "v": 7.3e-5, "drift": 1e-12},
    orders={"v": 2},
)
