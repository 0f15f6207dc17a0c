"""From a system and a basis to a smaller system of the same kind."""

from __future__ import annotations

from typing import Any

from isodyn.errors import InputError
from isodyn.reduction.basis import Basis
from isodyn.reduction.linear import ReducedLinearFirstOrderSystem, ReducedLinearSystem
from isodyn.systems import LinearFirstOrderSystem, LinearSystem


def reduce(system: Any, basis: Basis) -> Any:
    """The system in the coordinates of a basis: everything that runs on a system runs on it; `basis.lift` leads back.

    >>> import numpy as np, isodyn as iso
    >>> bar = iso.LinearSystem(np.eye(3), None, np.diag([1.0, 2.0, 3.0]), None, [1.0, 1.0, 0.0], np.zeros(3))
    >>> sol = iso.integrate(bar, iso.Scheme.optimal(1.0), dt=0.1, t_end=5.0)
    >>> basis = iso.pod(sol, rank=2)
    >>> red = iso.reduce(bar, basis)
    >>> back = basis.lift(iso.integrate(red, iso.Scheme.optimal(1.0), dt=0.1, t_end=5.0))
    >>> bool(abs(back.q - sol.q).max() < 1e-12)
    True
    """
    if not isinstance(basis, Basis):
        raise InputError(f"basis must be a Basis, received {basis!r}", hint="iso.pod makes one from a solution")
    if isinstance(system, LinearSystem):
        return ReducedLinearSystem(system, basis)
    if isinstance(system, LinearFirstOrderSystem):
        return ReducedLinearFirstOrderSystem(system, basis)
    raise InputError(f"{type(system).__name__} cannot be reduced")
