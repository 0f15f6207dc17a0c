"""How many directions a basis has.

    ε(s) = Σ_{i>s} σ_i²,     ε(s)/Σσ² < 1 − energy                  [Shimada2014 (C.36), (C.37)]
    Σ_{i≤s} σ_i²/Σσ² > energy                                       [Shimada2014 (C.38)]

The smallest s that fulfils it; tails are summed from their small end, so that the criterion decides
by what was left out.
"""

from __future__ import annotations

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray


def tails(sigma: FloatArray) -> FloatArray:
    """ε(s) for s = 0, 1, …, d."""
    return np.concatenate([np.cumsum(sigma[::-1] ** 2)[::-1], [0.0]])


def by_energy(sigma: FloatArray, energy: float) -> int:
    """The smallest s that leaves less than 1 − energy out."""
    left_out = tails(sigma)  # [Shimada2014 (C.36)]
    return int(np.argmax(left_out[1:] < (1.0 - energy) * left_out[0])) + 1  # [Shimada2014 (C.37)]


def wanted(rank: int | None, energy: float | None, sigma: FloatArray, independent: int) -> int | None:
    """How many directions are asked for; None for all that rise above rounding."""
    if rank is not None:
        return rank
    return min(by_energy(sigma, energy), independent) if energy is not None and energy < 1.0 else None


def check(rank: int | None, energy: float | None, snapshots: int, coordinates: int) -> None:
    """Refuse what cannot be, before anything is computed."""
    if snapshots == 0:
        raise InputError("there are no snapshots", hint="a run with at least one saved row")
    if rank is not None and energy is not None:
        raise InputError(f"give rank or energy, not both; received {rank!r} and {energy!r}")
    if energy is not None and not (isinstance(energy, int | float | np.floating) and 0.0 < energy <= 1.0):
        raise InputError(f"energy must lie above 0 and not above 1, received {energy!r}", hint="0.99 is a usual choice")
    if rank is None:
        return
    if isinstance(rank, bool) or not isinstance(rank, int | np.integer) or rank < 1:
        raise InputError(f"rank must be a positive whole number, received {rank!r}")
    if rank > coordinates:
        raise InputError(f"rank {rank} was asked for, but there are only {coordinates} coordinates")
    if rank > snapshots:
        raise InputError(
            f"rank {rank} was asked for, but there are only {snapshots} snapshots", hint="save more rows of the run"
        )


def enough(rank: int, independent: int, sigma: FloatArray) -> None:
    """Refuse a rank beyond what the snapshots hold."""
    if rank > independent:
        next_one = float(sigma[independent]) if sigma.size > independent else 0.0
        raise InputError(
            f"rank {rank} was asked for, but the snapshots hold only {independent} independent directions: singular value "
            f"{independent + 1} is {next_one / sigma[0]:.1e} of the first",
            hint="ask for less, or let energy= decide",
        )
