"""One rigid body, three mass matrices, one motion: angles as coordinates, after Appendix 2 of
Fumagalli and Masarati (2009).

Newton's and Euler's equations in the angles have the mass J Γ, which is not symmetric (64);
multiplied by Γᵀ it is (68); in the angular velocity it is J itself (61). All three move alike, free
and with a point of the body held. The explicit solution (60) as printed has b where b* = b + A*γ
belongs; then the held point is lost.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from isodyn.gauss.rotation_parameters import RigidBody, rate_matrix, rotation
from isodyn.report import figures

MASS, PIVOT = 1.3, np.array([0.2, -0.1, 0.4])
INERTIA = np.array([[0.9, 0.1, -0.05], [0.1, 0.7, 0.08], [-0.05, 0.08, 0.5]])
ANGLES, RATES = np.array([0.3, 1.1, -0.7]), np.array([0.9, -0.4, 1.6])
TIMES = np.linspace(0.0, 1.0, 101)


def loads(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Gravity with a varying force, and a varying moment."""
    force = MASS * np.array([0.0, 0.0, -9.81]) + np.array([np.sin(2 * t), 0.7 * np.cos(3 * t), 0.4])
    return force, np.array([0.3 * np.cos(t), -0.2, 0.5 * np.sin(4 * t)])


def run(body: RigidBody, form: Any, *, as_printed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """x and R along the times. In the ω-form the rates of the angles are Γ⁻¹ω."""
    arm = np.zeros(3) if body.pivot is None else rotation(ANGLES) @ body.pivot
    omega = rate_matrix(ANGLES) @ RATES
    spin = omega if form == "omega" else RATES

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        _, g, v, w = y.reshape(4, 3)
        dg = np.linalg.solve(rate_matrix(g), w) if form == "omega" else w
        return np.concatenate([v, dg, body.acceleration(g, dg, *loads(t), form, as_printed=as_printed).a])

    y0 = np.concatenate([-arm, ANGLES, -np.cross(omega, arm), spin])
    y = solve_ivp(rhs, (0.0, 1.0), y0, method="DOP853", rtol=1e-11, atol=1e-13, t_eval=TIMES).y.T
    return y[:, :3], np.array([rotation(g) for g in y[:, 3:6]])


def main(out: Path | None = None) -> dict[str, float]:
    """Differences from the ω-form, and how far the held point moves; its path in time into
    `out`."""
    free, held = RigidBody(MASS, INERTIA), RigidBody(MASS, INERTIA, PIVOT)
    J = rotation(ANGLES) @ INERTIA @ rotation(ANGLES).T @ rate_matrix(ANGLES)
    numbers, drifts = {"largest entry of JΓ − (JΓ)ᵀ at the start": float(np.abs(J - J.T).max())}, {}
    for name, body in (("free", free), ("held", held)):
        _, R_ref = run(body, "omega")
        for label, form, as_printed in (
            ("non-symmetric (64)", "non-symmetric", False),
            ("symmetric (68)", "symmetric", False),
            ("(60) as printed", "non-symmetric", True),
        ):
            x, R = run(body, form, as_printed=as_printed)
            numbers[f"{name}, {label}: difference of R"] = float(np.abs(R - R_ref).max())
            if body is held:
                drifts[label] = np.linalg.norm(x + R @ PIVOT, axis=1)
                numbers[f"{name}, {label}: drift of the point"] = float(drifts[label].max())
    if out is not None:
        with figures.canvas(size=(7.0, 3.8)) as (figure, axes):
            for (label, drift), stroke in zip(drifts.items(), ("-", "--", "-"), strict=True):
                axes.semilogy(TIMES[1:], np.maximum(drift[1:], 1e-17), stroke, label=label)
            axes.set(xlabel="t", ylabel="distance of the held point from its place")
            axes.legend()
            figures.save(figure, out / "rotation_parameters.png")
    return numbers


if __name__ == "__main__":
    for name, value in main(Path("out/rotation_parameters")).items():
        print(f"{name:55s} {value:.2g}")
