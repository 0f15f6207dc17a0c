"""Arguments that are one value for all subdomains, or one for each by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.subdomains.ties import Subdomains


def by_name(what: str, value: object, sub: Subdomains, default: object) -> dict[str, Any]:
    """One value for each subdomain, from a mapping or one for all."""
    if value is None:
        value = default
    if not isinstance(value, Mapping):
        return dict.fromkeys(sub.systems, value)
    if set(value) != set(sub.systems):
        raise InputError(
            f"{what} must name every subdomain, expected {sorted(sub.systems)}, received {sorted(map(str, value))}"
        )
    return {name: value[name] for name in sub.systems}


def counted(substeps: object, sub: Subdomains) -> dict[str, int]:
    """τ_ℓ for each subdomain."""
    counts = by_name("substeps", substeps, sub, 1)
    for name, tau in counts.items():
        if isinstance(tau, bool) or not isinstance(tau, int | np.integer) or tau < 1:
            raise InputError(
                f"substeps of {name!r} must be a whole number of at least 1, received {tau!r}",
                hint="dt is the system step; subdomain steps are dt / substeps",
            )
    return {name: int(tau) for name, tau in counts.items()}
