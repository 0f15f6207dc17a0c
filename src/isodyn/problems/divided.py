"""Problems that come in parts: elements, the sets that make subdomains of them, and the exact
motion of the whole.

    stiff–soft bar      wall – steel rod – heavy flange – long rubber strand – free end; lumped masses
    chain of masses     masses between springs, stiff ones in the middle; one end held, the other free

Without loads and damping the motion is a sum of modes, K x = ω² M x with diagonal M; tridiagonal,
so also large ones are solved exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh_tridiagonal

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.problems.problem import Motion
from isodyn.subdomains import Elements, Subdomains, partition
from isodyn.systems import LinearSystem


@dataclass(frozen=True, eq=False)
class Divided:
    """Elements of a line, sets of them by name, and where the unknowns are."""

    elements: Elements
    sets: dict[str, Any]
    x: FloatArray

    def subdomains(self) -> Subdomains:
        """Tied parts."""
        return partition(self.elements, self.sets)

    def whole(self) -> LinearSystem:
        """The same undivided."""
        return self.elements.assemble()

    def exact(self, t: ArrayLike) -> Motion:
        """q, v, a of all unknowns at the times t, by modes."""
        system = self.whole()
        root = 1.0 / np.sqrt(system.M.diagonal())
        scaled = system.K.diagonal() * root**2, system.K.diagonal(1) * root[:-1] * root[1:]
        values, modes = eigh_tridiagonal(*scaled)
        w, X = np.sqrt(np.abs(values)), root[:, None] * modes
        c, s = (modes / root[:, None]).T @ system.q0, (modes / root[:, None]).T @ system.v0 / w
        phase = np.outer(np.atleast_1d(np.asarray(t, dtype=np.float64)), w)
        q = c * np.cos(phase) + s * np.sin(phase)
        v = w * (s * np.cos(phase) - c * np.sin(phase))
        return Motion(q @ X.T, v @ X.T, -(w**2) * q @ X.T)


def _line(stiffness: FloatArray, masses: FloatArray, q0: FloatArray, v0: FloatArray) -> Elements:
    """Elements of two unknowns with half of their mass at each end; the first end is held."""
    n = stiffness.size
    dofs = np.column_stack([np.arange(-1, n - 1), np.arange(n)])
    K = stiffness[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    M = masses[:, None, None] * np.array([[0.5, 0.0], [0.0, 0.5]])
    return Elements(dofs, M, K, q0, v0)


def stiff_soft_bar(stiff: int = 20, soft: int = 2000, flange: float = 20.0) -> Divided:
    """A steel rod that rings, and a rubber strand on its flange along which a hump travels.

    Steel: 0.2 m, 1e-4 m², E = 210 GPa, ρ = 7850 kg/m³, from rest with the velocity sin(πx/ℓ) m/s.
    Rubber: 2 m, 1e-3 m², E = 5 MPa, ρ = 1100 kg/m³, a hump of 5 mm at 0.6 m. The rod's first period
    is 78 µs, the hump needs 30 ms along the strand; the heavy flange keeps the ringing in the rod:
    it reaches the strand with a two-hundredth of its velocity.

    >>> stiff_soft_bar(4, 10).subdomains().row_names
    ('stiff.q3 = soft.q3',)
    """
    if min(stiff, soft) < 2:
        raise InputError(f"a bar needs two elements at least on both sides, received {stiff} and {soft}")
    lengths = np.concatenate([np.full(stiff, 0.2 / stiff), np.full(soft, 2.0 / soft)])
    steel = np.arange(stiff + soft) < stiff
    x: FloatArray = np.cumsum(lengths)
    hump = 5e-3 * np.exp(-(((x - 0.8) / 0.15) ** 2))
    q0, v0 = np.where(x > 0.2 + 1e-9, hump, 0.0), np.where(x < 0.2 - 1e-9, np.sin(np.pi * x / 0.2), 0.0)
    elements = _line(np.where(steel, 2.1e7, 5e3) / lengths, np.where(steel, 0.785, 1.1) * lengths, q0, v0)
    elements.M[stiff - 1, 1, 1] += flange
    return Divided(elements, {"stiff": np.arange(stiff), "soft": np.arange(stiff, stiff + soft)}, x)


def mass_chain(masses: int = 30, stiff: float = 400.0) -> Divided:
    """Unit masses between unit springs, those of the middle third stiffer by `stiff`; the last mass
    is pulled by 1 and let go.

    >>> list(mass_chain(9).sets)
    ['left', 'middle', 'right']
    """
    if masses < 6:
        raise InputError(f"a chain in three parts needs six masses at least, received {masses}")
    third = masses // 3
    k = np.ones(masses)
    k[third : masses - third] = stiff
    force = 1.0 / np.sum(1.0 / k)
    elements = _line(k, np.ones(masses), force * np.cumsum(1.0 / k), np.zeros(masses))
    elements.M[-1, 1, 1] += 0.5
    numbers = np.arange(masses)
    sets = {"left": numbers[:third], "middle": numbers[third : masses - third], "right": numbers[masses - third :]}
    x: FloatArray = np.arange(1.0, masses + 1.0)
    return Divided(elements, sets, x)
