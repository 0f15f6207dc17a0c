"""The slider-crank with a flexible rod of the test set, in its own seven coordinates: two angles,
the slide, four of elasticity.

Bending q₁ sin πξ + q₂ sin 2πξ and stretching 4 q₃ ξ(1 − ξ) + q₄ ξ(2ξ − 1) of the rod, ξ = x/ℓ₂,
with linear elasticity, in the frame that its first end carries along. Constraints: ℓ₁ sin
φ₁ + (ℓ₂ + q₄) sin φ₂ = 0, x₃ = ℓ₁ cos φ₁ + (ℓ₂ + q₄) cos φ₂, φ₁ = Ωt. Numbers as in the test set:
its π has eight digits, and its masses of stretching are fifteen times the integrals of the shapes;
the published digits belong to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import isodyn as iso
from isodyn.kernels.compiled import FloatArray
from isodyn.problems.data import load
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured


@dataclass(frozen=True)
class Crank:
    """Masses, lengths, and the integrals ∫ρu, ∫ρv, ∫ρxu, ∫ρxv, ∫ρ(u δv − v δu) of the shapes over
    the rod."""

    p: dict[str, float]
    M: FloatArray
    K: FloatArray
    u: FloatArray
    v: FloatArray
    xu: FloatArray
    xv: FloatArray
    B: FloatArray

    def mass(self, x: FloatArray) -> FloatArray:
        l1, q = self.p["L1"], x[3:]
        c, s = np.cos(x[0] - x[1]), np.sin(x[0] - x[1])
        A = np.zeros((7, 7))
        A[0, 0] = self.p["J1"] + self.p["M2"] * l1**2
        A[0, 1] = A[1, 0] = 0.5 * l1 * self.p["L2"] * self.p["M2"] * c + l1 * (s * (self.v @ q) + c * (self.u @ q))
        A[1, 1] = self.p["J2"] + q @ self.M @ q + 2 * self.xu @ q
        A[2, 2] = self.p["M3"]
        A[0, 3:] = A[3:, 0] = l1 * (c * self.v - s * self.u)
        A[1, 3:] = A[3:, 1] = self.xv + q @ self.B
        A[3:, 3:] = self.M
        return A

    def force(self, x: FloatArray, rate: FloatArray, t: float) -> FloatArray:
        l1, q, dq = self.p["L1"], x[3:], rate[3:]
        c, s = np.cos(x[0] - x[1]), np.sin(x[0] - x[1])
        one, two = rate[0], rate[1]
        half = 0.5 * l1 * self.p["L2"] * self.p["M2"] * s
        uq, vq, du, dv = self.u @ q, self.v @ q, self.u @ dq, self.v @ dq
        F = np.zeros(7)
        F[0] = -half * two**2 + l1 * two**2 * (c * vq - s * uq) - 2 * l1 * two * (c * du + s * dv)
        F[1] = half * one**2 + l1 * one**2 * (s * uq - c * vq) - 2 * two * (self.xu @ dq + dq @ self.M @ q)
        F[3:] = two**2 * (self.M @ q + self.xu) + l1 * one**2 * (c * self.u + s * self.v) + 2 * two * (self.B @ dq)
        F[3:] -= self.K @ q
        return F

    def phi(self, x: FloatArray, t: float) -> FloatArray:
        l1, rod = self.p["L1"], self.p["L2"] + x[6]
        across = l1 * np.sin(x[0]) + rod * np.sin(x[1])
        return np.array([across, x[2] - l1 * np.cos(x[0]) - rod * np.cos(x[1]), x[0] - self.p["OMEGA"] * t])

    def G(self, x: FloatArray, t: float) -> FloatArray:
        l1, rod = self.p["L1"], self.p["L2"] + x[6]
        (c1, c2), (s1, s2) = np.cos(x[:2]), np.sin(x[:2])
        return np.array(
            [[l1 * c1, rod * c2, 0, 0, 0, 0, s2], [l1 * s1, rod * s2, 1, 0, 0, 0, -c2], [1.0, 0, 0, 0, 0, 0, 0]]
        )

    def b(self, x: FloatArray, rate: FloatArray, t: float) -> FloatArray:
        l1, rod = self.p["L1"], self.p["L2"] + x[6]
        (c1, c2), (s1, s2) = np.cos(x[:2]), np.sin(x[:2])
        one, two, grow = rate[0], rate[1], rate[6]
        across = l1 * s1 * one**2 + rod * s2 * two**2 - 2 * grow * c2 * two
        return np.array([across, -(l1 * c1 * one**2 + rod * c2 * two**2 + 2 * grow * s2 * two), 0.0])


def crank(p: dict[str, float], pi: float) -> Crank:
    length, section = p["L2"], p["BB"] * p["HH"]
    m, k, h = p["RHO"] * section * length, p["EE"] * section / length, p["HH"] / length
    M, K, B = (
        np.diag([0.5, 0.5, 8.0, 2.0]),
        np.diag([pi**4 / 24 * h**2, pi**4 * 2 / 3 * h**2, 16 / 3, 7 / 3]),
        np.zeros((4, 4)),
    )
    M[2, 3] = M[3, 2] = 1.0
    K[2, 3] = K[3, 2] = -8 / 3
    B[2, 0], B[3, 0], B[3, 1] = 16 / pi**3, 1 / pi - 8 / pi**3, -0.5 / pi
    u, v = np.array([0, 0, 2 / 3, 1 / 6]), np.array([2 / pi, 0, 0, 0])
    xu, xv = length * np.array([0, 0, 1 / 3, 1 / 6]), length * np.array([1 / pi, -0.5 / pi, 0, 0])
    return Crank(p, m * M, k * K, m * u, m * v, m * xu, m * xv, m * (B - B.T))


def prepare() -> Run:
    data: dict[str, Any] = load("crank.json")
    model = crank(data["parameters"], data["PI_used_in_source"])
    start = np.array([float(x) for x in data["y0_init1"]])
    end = np.array([float(x) for x in data["reference_t0_1"]["values"]])
    drive = np.array([0.0, 0.0, -model.p["OMEGA"]])
    system = iso.MechanicalSystem(
        model.mass, model.force, start[:7], start[7:14], phi=model.phi, G=model.G, b=model.b, phi_t=lambda q, t: drive
    )

    def run(rtol: float) -> Measurement:
        sol = iso.integrate_adaptive(system, t_end=0.1, rtol=rtol, atol=1e-3 * rtol, save=[0.0, 0.1], assemble=True)
        errors = {
            "φ₂, x₃": compared(sol.q[-1, 1:3], end[1:3]),
            "bending": compared(sol.q[-1, 3:5], end[3:5]),
            "stretching": compared(sol.q[-1, 5:7], end[5:7]),
            "v": compared(sol.v[-1], end[7:14]),
            "lam": compared(sol.lam[-1], end[21:]),
        }
        return measured(sol, errors)

    return run


CASE = Case(
    name="crank_of_simeon",
    topic="test sets",
    shows="A slider-crank with an elastic rod at 150 rad/s, adaptive steps (tolerances in the place of steps).",
    source="Test Set for IVP Solvers, problem Crank; Simeon (1996)",
    citation="TestSet",
    link="https://archimede.uniba.it/~testset/",
    reference="published digits at t = 0.1",
    trust="published",
    steps=(1e-5,),
    prepare=prepare,
    bounds={"φ₂, x₃": 1e-8, "bending": 1e-6, "stretching": 1e-4, "v": 1e-6, "lam": 1e-4, "drift": 1e-12},
)
