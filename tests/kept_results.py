"""Results of every kind of run, compared bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np

import isodyn as iso
from isodyn import sweeps
from isodyn.subdomains.solution import SubdomainSolution


def nonlinear_parts() -> Any:
    """A nonlinear subdomain tied to a linear one."""
    half = iso.MechanicalSystem(M=np.array([[0.5]]), Q=lambda q, v, t: -2.0 * q - q**3 + np.sin(t), q0=[1.0], v0=[0.2])
    line = iso.LinearSystem(0.4, None, 3.0, None, [1.0], [0.2])
    return iso.Subdomains({"a": half, "b": line}, ties=[("a", [0], "b", [0])])


def arrays_of(found: Any) -> dict[str, Any]:
    """All numbers of a result, by name."""
    if isinstance(found, sweeps.Sweep):
        return {name: found[name] for name in found if name != "run_seconds"}
    if isinstance(found, SubdomainSolution):
        own = {f"{name} {key}": x for name in found.parts for key, x in arrays_of(found[name]).items()}
        return {"t": found.t, "lam": found.lam, "counts": counts_of(found.stats), **own}
    rows = {name: getattr(found, name) for name in ("t", "q", "v", "a", "lam")}
    if isinstance(found, iso.Ensemble):
        return {**rows, **found.aux, **{f"count of {name}": x for name, x in found.counts.items()}}
    return {**rows, **found.aux, "counts": counts_of(found.stats)}


def counts_of(stats: Any) -> Any:
    return np.array([repr({**vars(stats), "seconds": 0.0})])


def same(one: Any, two: Any) -> bool:
    """Bit for bit: rows, further histories, counts."""
    a, b = arrays_of(one), arrays_of(two)
    kinds = all(np.asarray(x).dtype == np.asarray(b.get(name)).dtype for name, x in a.items())
    return a.keys() == b.keys() and kinds and all(_equal(x, b[name]) for name, x in a.items())


def _equal(x: Any, y: Any) -> bool:
    x, y = np.asarray(x), np.asarray(y)
    return bool(np.array_equal(x, y, equal_nan=x.dtype.kind == "f"))
