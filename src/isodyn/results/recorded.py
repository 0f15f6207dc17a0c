"""A system that is not there: what a file knows of it."""

from __future__ import annotations

from dataclasses import dataclass

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray


@dataclass(frozen=True, eq=False)
class Recorded:
    """What a file knows about a system that is not available: sizes and names."""

    nq: int
    nv: int
    m: int
    m_phi: int
    names: tuple[str, ...]
    v_names: tuple[str, ...]
    row_names: tuple[str, ...]
    first_order: bool
    q0: FloatArray
    v0: FloatArray
    missing: str = ""  # why the file does not hold the system
    energy = None
    retract = None

    def difference(self, q1: FloatArray, q2: FloatArray) -> FloatArray:
        """Between rows; without the system only where coordinates add like vectors."""
        if self.nq != self.nv:
            raise InputError("this file does not tell how coordinates add up", hint="iso.load(path, system=system)")
        return q2 - q1
