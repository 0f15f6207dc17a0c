"""A mass matrix that is not symmetric by nature: the inertia of a finite-volume beam element,
straight and curved.

Each node takes the forces and moments of the piece of beam around it. Forces of inertia have an arm
about the node, so moments depend on linear accelerations while forces do not depend on angular
ones: nothing is wrong, and nothing is symmetric. Added up over the nodes, the element still has the
mass and the moments of its line; made rigid by constraints, it accelerates like a rigid body.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from isodyn import gauss
from isodyn.gauss.finite_volume_beam import element_inertia
from isodyn.gauss.rotation_parameters import cross
from isodyn.report import figures

MASS, J = 2.1, np.diag([0.04, 0.01, 0.03])
STRAIGHT = np.array([[0.0, 0.0, 0.0], [0.8, 0.0, 0.0], [1.6, 0.0, 0.0]])
ARC = np.array([[np.sin(x), 1.0 - np.cos(x), 0.0] for x in (0.0, 0.8, 1.6)])


def rigid_modes(p: np.ndarray) -> np.ndarray:
    """Accelerations of the nodes when the line moves as one body, seen from the origin."""
    blocks = [np.block([[np.eye(3), -cross(point)], [np.zeros((3, 3)), np.eye(3)]]) for point in p]
    return np.concatenate(blocks)


def main(out: Path | None = None) -> dict[str, float]:
    """Asymmetry, totals, and the acceleration of the element made rigid; pictures of both matrices
    into `out`."""
    numbers, matrices = {}, {}
    for name, p in (("straight", STRAIGHT), ("arc", ARC)):
        M, Z = element_inertia(p, MASS, J), rigid_modes(p)
        total = Z.T @ M @ Z
        A = np.linalg.svd(Z.T)[2][6:]  # rows that leave rigid motions only
        Q = np.zeros(18)
        Q[14] = 5.0  # a force across the line, at the last node
        found = gauss.solve(M, Q, A, np.zeros(12), "non-symmetric")
        rigid = Z @ np.linalg.solve(total, Z.T @ Q)
        numbers[f"{name}: largest entry of M − Mᵀ"] = float(np.abs(M - M.T).max())
        numbers[f"{name}: total mass"] = float(total[0, 0])
        numbers[f"{name}: asymmetry of the totals"] = float(np.abs(total - total.T).max())
        numbers[f"{name}: acceleration of the end"] = float(found.a[14])
        numbers[f"{name}: difference from a rigid body"] = float(np.abs(found.a - rigid).max())
        matrices[name] = M
    if out is not None:
        with figures.canvas(1, 2, size=(10.0, 4.6)) as (figure, axes):
            for axis, (name, M) in zip(axes, matrices.items(), strict=True):
                size = np.abs(M).max()
                image = axis.imshow(np.sign(M) * np.abs(M / size) ** 0.4, cmap="RdBu", vmin=-1, vmax=1)
                for edge in (5.5, 11.5):
                    axis.axhline(edge, color="0.4", linewidth=0.8)
                    axis.axvline(edge, color="0.4", linewidth=0.8)
                axis.set(title=name, xlabel="accelerations of the nodes", ylabel="forces and moments of the nodes")
                axis.grid(False)
            figure.colorbar(image, ax=axes, label="sign(M) |M / largest|^0.4", shrink=0.8)
            figures.save(figure, out / "finite_volume_beam.png")
    return numbers


if __name__ == "__main__":
    for name, value in main(Path("out/finite_volume_beam")).items():
        print(f"{name:45s} {value:.6g}")
