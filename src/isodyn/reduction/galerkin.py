"""From a system and a basis to a smaller system of the same kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import SOLVES
from isodyn.marching.sampling import refuse_controllers
from isodyn.reduction.basis import Basis
from isodyn.reduction.constrained import close_start, rows_left
from isodyn.reduction.hyper import sampled_system  # loads the compiled model of beams
from isodyn.reduction.linear import ReducedLinearFirstOrderSystem, ReducedLinearSystem
from isodyn.reduction.nonlinear import (
    ReducedFirstOrderSystem,
    ReducedMechanicalSystem,
    ReducedSystem,
    reduced_system,
)
from isodyn.reduction.sampling import Sampling, refuse_unless_fitting
from isodyn.systems import (
    FirstOrderSystem,
    LinearFirstOrderSystem,
    LinearSystem,
    MechanicalSystem,
    as_system,
    is_system,
)
from isodyn.systems.contacts import refuse_contacts
from isodyn.systems.multiplier_forces import refuse_nonideal

Reduced = (
    ReducedLinearSystem
    | ReducedLinearFirstOrderSystem
    | ReducedSystem
    | ReducedMechanicalSystem
    | ReducedFirstOrderSystem
)
"""Every kind of reduced system; `full`, `basis` and `embedding` say where it came from."""


def reduce(system: Any, basis: Basis, sampling: Sampling | None = None, *, t0: float = 0.0) -> Reduced:
    """Return the system in the coordinates of a basis.

    Everything that runs on a system runs on it; `basis.lift` leads back. Linear systems stay
    linear, first-order systems stay of first order. Constraint rows stay with their multipliers,
    except for those that every direction of the basis satisfies.

    Parameters
    ----------
    system
        The full system.
    basis
        The directions.
    sampling
        Elements of a beam and their weights, from `isodyn.reduction.sample_elements`. A reduced
        beam then computes the forces of a few elements only.
    t0
        Time at which runs begin, if rows move.

    Returns
    -------
    system
        The reduced system.

    Raises
    ------
    LockingError
        If the basis would lock the constraints.

    Examples
    --------
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
        raise InputError(
            f"basis must be a Basis, received {type(basis).__name__}", hint="iso.pod makes one from a solution"
        )
    system = as_system(system)
    refuse_controllers(system, "a reduced model has no loads that it could write")
    if not is_system(system):
        raise InputError(
            f"a system is reduced, received {type(system).__name__}", hint="of subdomains, reduce each, then tie them"
        )
    refuse_contacts(system, "reduce")
    refuse_nonideal(system, "reduce")
    if not (isinstance(t0, int | float | np.number) and np.isfinite(t0)):
        raise InputError(f"t0 must be a finite number, received {t0!r}")
    if sampling is not None:
        refuse_unless_fitting(system, basis, sampling)
    if isinstance(system, LinearFirstOrderSystem):
        return ReducedLinearFirstOrderSystem(system, basis)
    if isinstance(system, FirstOrderSystem):
        return ReducedFirstOrderSystem(system, basis)
    if system.first_order:
        raise InputError(f"{type(system).__name__} of first order cannot be reduced", hint="use FirstOrderSystem")
    rows = rows_left(system, basis, t0)
    if isinstance(system, LinearSystem):
        return ReducedLinearSystem(system, basis, rows)
    if isinstance(system, MechanicalSystem) and system.model().traits & SOLVES:
        return ReducedMechanicalSystem(system, basis)
    reduced = close_start(reduced_system(system, basis, rows), t0)
    if sampling is None:
        return reduced
    return sampled_system(reduced, sampling)
