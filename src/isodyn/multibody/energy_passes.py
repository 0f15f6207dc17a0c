"""Energies of a mechanism along all rows of a solution, in one compiled pass; compiled when first
asked for."""

from __future__ import annotations

from numba import types

from isodyn.kernels.compiled import F2, F, FloatArray, kernel
from isodyn.multibody.model import mechanism_energy
from isodyn.multibody.tables import SCRATCH, TABLES, Scratch, Tables


@kernel(types.void(F, F2, F2, TABLES, SCRATCH, F, F2))
def energy_of_rows(
    t: FloatArray, q: FloatArray, v: FloatArray, tables: Tables, scratch: Scratch, work: FloatArray, out: FloatArray
) -> None:
    """Kinetic and potential energy of every row into the two rows of out."""
    for i in range(t.size):
        mechanism_energy(t[i], q[i], v[i], tables, scratch, work)
        out[0, i], out[1, i] = work[0], work[1]
