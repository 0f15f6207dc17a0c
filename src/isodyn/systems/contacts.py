"""Contacts of a system: gaps g(q, t) ≥ 0 with restitution and friction.

Their rows are those of a system of its own with the same coordinates: gaps are its φ, slips its ψ.
So derivatives, compiled functions and retractions are the same as for constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.systems import checks
from isodyn.systems.base import System
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@dataclass(frozen=True, eq=False)
class ContactSet:
    """Names and numbers of contacts, and the system whose rows are theirs.

    Contact k has the normal row k and the tangents tangent[k] … tangent[k + 1]; `sizes` are typical
    lengths of the gaps. Contacts at rest have the friction `mu_static`, those that slide `mu`. The
    normal force of a two-sided contact is |N|, N the multipliers of constraints times a factor:
    `carriers` are these rows and factors, by its number. Its gap is always zero.
    """

    names: tuple[str, ...]
    twin: Any
    restitution: FloatArray
    mu: FloatArray
    tangent: IntArray
    sizes: FloatArray
    mu_static: FloatArray
    carriers: Mapping[int, tuple[tuple[int, float], ...]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.tangent[-1])


def numbers(name: str, given: object, many: int, largest: float) -> FloatArray:
    """One number for all contacts, or one for each, between 0 and `largest`."""
    found = np.asarray(0.0 if given is None else given, dtype=np.float64)
    if found.shape not in ((), (many,)) or not (np.isfinite(found).all() and (found >= 0).all()):
        raise InputError(f"{name} must be one number or {many}, none of them negative, received {given!r}")
    if (found > largest).any():
        raise InputError(f"{name} must be at most {largest:g}, received {given!r}")
    return np.broadcast_to(found, (many,)).copy()


def names_of(given: Sequence[str] | None, many: int) -> tuple[str, ...]:
    """Names of contacts; numbered ones if they are left out."""
    if given is None:
        return tuple(f"contact {k}" for k in range(many))
    found = (given,) if isinstance(given, str) else tuple(given)
    if len(found) != many or len(set(found)) != many:
        raise InputError(f"gap_names must be {many} different names, received {given!r}")
    return found


def static_friction(given: object, mu: FloatArray) -> FloatArray:
    """Coefficients of friction at rest; those of sliding if left out."""
    found = mu if given is None else numbers("mu_static", given, mu.size, np.inf)
    if (found < mu).any():
        raise InputError(
            f"mu_static must not be less than mu = {mu.tolist()}, received {given!r}",
            argument="mu_static",
            hint="a contact that sticks holds at least as well as one that slides",
        )
    return found.copy()


def make_contacts(
    twin: System,
    names: Sequence[str] | None,
    restitution: Numbers,
    mu: Numbers,
    mu_static: Numbers,
    v_sizes: FloatArray,
) -> ContactSet:
    """Contacts whose rows are those of `twin`."""
    many, tangents = twin.m_phi, twin.m - twin.m_phi
    if tangents % many or tangents // many > 2:
        raise InputError(
            f"slip must have one or two components for each of the {many} gaps, received {tangents} in all",
            hint="slip(q, v, t): one velocity in the plane, two in space, contact by contact",
        )
    mu = numbers("mu", mu, many, np.inf)
    mu_static = static_friction(mu_static, mu)
    if tangents == 0 and mu_static.any():
        raise InputError("mu needs slip=, the tangential velocities of the contacts", hint="slip=lambda q, v, t: v[:1]")
    tangent = many + np.arange(many + 1, dtype=np.int64) * (tangents // many)
    sizes = gap_sizes(twin, v_sizes)
    e = numbers("restitution", restitution, many, 1.0)
    return ContactSet(names_of(names, many), twin, e, mu, tangent, sizes, mu_static)


def gap_sizes(twin: System, v_sizes: FloatArray) -> FloatArray:
    """Typical lengths of gaps, from typical sizes of increments."""
    ask = Questions(twin)
    sizes = np.abs(np.asarray(ask.G(0.0, twin.q0, twin.v0))[: twin.m_phi] * v_sizes).max(axis=1)
    sizes[~(np.isfinite(sizes) & (sizes > 0.0))] = float(np.max(v_sizes))
    return sizes


def refuse_contacts(system: System, what: str) -> None:
    """InputError for a system with contacts where nothing is known of them."""
    if system.contacts is not None:
        raise InputError(
            f"{what} knows nothing of contacts, and this system has {len(system.contacts.names)}",
            hint="integrate(...) with a scheme and a number for dt",
        )


def refuse_alone(gap: Callable[..., Any] | None, **others: object) -> None:
    """InputError for numbers of contacts without gaps."""
    checks.functions(gap=gap)
    for name, value in others.items():
        if gap is None and value is not None:
            raise InputError(f"{name} was given without gap", hint="gap=g, a function g(q, t) >= 0")
