"""Stability of a two-speed drive: the epicyclic train of Pennestrì and Valentini (2008), section 6,
from its table of circuits.

Two motors drive shafts 2 and 4, the load is on shaft 6. The table of fundamental circuits gives all
speeds; with it the inertias and the slopes of the torque curves are reduced to the two motors. A
load whose torque falls with speed by more than the motors can make good lets disturbances grow. The
growth rates are those of 𝓜 Δω' = 𝓚 Δω; a run of all shafts with their constraints shows the same.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.gauss import GearTrain
from isodyn.report import figures

TRAIN = GearTrain(
    circuits=[(2, 3, 1, -0.6), (5, 4, 3, 1.7), (5, 6, 3, -0.9)],
    inertia={2: 1.0, 3: 0.7, 4: 1.4, 5: 0.2, 6: 0.5},
    drives=(2, 4),
    planets=[(5, 3, 1.1, 0.3)],
)
MOTORS = {2: -0.8, 4: -0.5}  # slopes of the torque curves of both motors


def run(load: float, start: np.ndarray, t_end: float) -> iso.Solution:
    """Disturbances of all shafts, held together by the circuits."""
    Psi, k = TRAIN.constraints, np.array([{**MOTORS, 6: load}.get(link, 0.0) for link in TRAIN.links])
    n = len(TRAIN.links)
    system = iso.MechanicalSystem(
        TRAIN.mass, lambda q, v, t: k * v, np.zeros(n), TRAIN.speeds @ start,
        psi=lambda q, v, t: Psi @ v, psi_v=lambda q, v, t: Psi, psi_rest=lambda q, v, t: np.zeros(len(Psi)),
    )  # fmt: skip
    return iso.integrate_adaptive(system, t_end=t_end, rtol=1e-11, save=201)


def main(out: Path | None = None) -> dict[str, float]:
    """Draw rates over the slope of the load, and two runs, into `out`; return the slope at which
    stability is lost."""
    alpha, beta = TRAIN.speeds[TRAIN.links.index(6)]
    critical = -MOTORS[2] * MOTORS[4] / (MOTORS[2] * beta**2 + MOTORS[4] * alpha**2)
    loads = np.linspace(-0.1, 2.5 * critical, 60)
    rates = np.array([TRAIN.stability({**MOTORS, 6: load}).rates for load in loads])
    below, above = (TRAIN.stability({**MOTORS, 6: factor * critical}) for factor in (0.5, 2.0))
    calm, wild = (run(factor * critical, s.shapes[:, -1], 4.0) for factor, s in ((0.5, below), (2.0, above)))
    grown = {s: float(np.log(sol.v[-1, 0] / sol.v[0, 0]) / 4.0) for s, sol in (("below", calm), ("above", wild))}
    if out is not None:
        with figures.canvas(1, 2, size=(10.5, 3.8)) as (figure, (left, right)):
            left.plot(loads, rates)
            left.axhline(0.0, color="k", linewidth=0.8)
            left.axvline(critical, color="k", linestyle=":", label="det 𝓚 = 0".replace("𝓚", "K"))
            left.set(xlabel="slope of the torque on shaft 6", ylabel="growth rates", title="eigenvalues")
            left.legend()
            right.plot(calm.t, calm.v[:, 4] / calm.v[0, 4], label="half the critical slope")
            right.plot(wild.t, wild.v[:, 4] / wild.v[0, 4], label="twice the critical slope")
            right.set(xlabel="t", ylabel="disturbance of shaft 6 / start", title="runs of all shafts")
            right.legend()
            figures.save(figure, out / "gear_train.png")
    return {
        "mobility": float(TRAIN.mobility),
        "critical slope of the load": float(critical),
        "growth rate at half of it": float(below.rates[-1]),
        "growth rate at twice": float(above.rates[-1]),
        "rate measured in the runs, largest difference": max(
            abs(grown["below"] - below.rates[-1]), abs(grown["above"] - above.rates[-1])
        ),
    }


if __name__ == "__main__":
    for name, value in main(Path("out/gear_train")).items():
        print(f"{name:50s} {value:.6g}")
