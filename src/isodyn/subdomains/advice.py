"""What to expect of a choice of schemes and sub-steps, before a run.

Δt_ℓ ≤ Ω_crit / ω_max,ℓ                                          explicit members; ω_max of each subdomain by itself
Σ G a_{n+1} = (λ₅ − 1)/λ₅ Σ G a_n                                [Shimada2014 (4.29)]
Σ G q_{n+1} = Σ G q_n + Δt² (½ − λ₃/λ₅) Σ G a_n                  [Shimada2014 (4.28)], one scheme, no sub-cycling
V0(ρ̂, ρ₂, ·) has the W₁ = 1/(1 + ρ) of U0(·, ·, ρ) for ρ̂ = (1 − ρ₂ + ρ(ρ₂ + 3))/(1 + 3ρ₂ + ρ(ρ₂ − 1))      [Shimada2014 (4.26)]
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, splu

from isodyn.described import described
from isodyn.errors import InputError, SingularError, StabilityWarning
from isodyn.notebook_views import ShownInNotebooks
from isodyn.schemes import Scheme
from isodyn.schemes.stability_limits import critical_frequency
from isodyn.subdomains.per_subdomain import by_name, counted
from isodyn.subdomains.ties import Subdomains
from isodyn.systems import LinearSystem

if TYPE_CHECKING:
    from isodyn.schemes.gs4_1 import FirstOrderScheme


@dataclass(frozen=True)
class SubdomainAdvice:
    """Numbers for one subdomain.

    Parameters
    ----------
    name
        Name of the subdomain.
    scheme
        Name of its scheme.
    W1
        Its balance holds at t_n + W1 dt.
    dt
        Its sub-step.
    omega_max
        Its highest frequency, if it is known.
    limit
        Largest stable sub-step; inf for any, 0 for none.
    needed
        Sub-steps that keep the limit.
    acceleration_factor, displacement_factor
        Factors of the drift of the interface to expect.

    Examples
    --------
    >>> import isodyn as iso
    >>> half = iso.LinearSystem(1.0, None, 2.0, None, [1.0], [0.0])
    >>> sub = iso.Subdomains({"left": half, "right": half}, ties=[("left", 0, "right", 0)])
    >>> iso.subdomains.advise(sub, dt=0.1).parts[0].stable
    True
    """

    name: str
    scheme: str
    W1: float
    dt: float
    omega_max: float | None
    limit: float | None
    needed: int | None
    acceleration_factor: float
    displacement_factor: float

    @property
    def stable(self) -> bool | None:
        """Whether the sub-step is inside the limit; None if the limit is not known."""
        return None if self.limit is None else self.dt <= self.limit


@dataclass(frozen=True)
class Advice(ShownInNotebooks):
    """Advice for every subdomain; `str` puts it into words.

    Parameters
    ----------
    parts
        Numbers for each subdomain.
    same_W1
        Whether balances are taken at one time.
    sub_cycling
        Whether subdomains take different numbers of steps.

    Examples
    --------
    >>> import isodyn as iso
    >>> half = iso.LinearSystem(1.0, None, 2.0, None, [1.0], [0.0])
    >>> sub = iso.Subdomains({"left": half, "right": half}, ties=[("left", 0, "right", 0)])
    >>> iso.subdomains.advise(sub, dt=0.1).same_W1
    True
    """

    parts: tuple[SubdomainAdvice, ...]
    same_W1: bool
    sub_cycling: bool

    __repr__ = described

    def __str__(self) -> str:
        lines = []
        for p in self.parts:
            lines.append(f"{p.name}: {p.scheme}, sub-step {p.dt:.4g}, W1 = {p.W1:.4g}")
            if p.limit is None:
                lines.append("  stability limit not known: the subdomain is not linear")
            elif p.limit == 0.0:
                lines.append("  unstable for every step; take another member, for example the central difference")
            elif np.isinf(p.limit):
                lines.append("  stable for every step")
            else:
                word = "inside" if p.stable else "beyond"
                lines.append(
                    f"  {word} its limit {p.limit:.4g} (omega_max = {p.omega_max:.4g}): {p.needed} sub-steps at least"
                )
            lines.append(
                f"  a jump of acceleration at the interface changes by {p.acceleration_factor:.4g} in a step,"
                f" displacement drifts by {p.displacement_factor:.4g} dt² times it"
            )
        lines.append("balances are taken at one time" if self.same_W1 else "balances are taken at unlike times (W1)")
        finite = [p for p in self.parts if p.limit is not None and np.isfinite(p.limit)]
        if len({p.scheme for p in finite}) > 1:
            lines.append(
                "unlike explicit members may grow together inside their limits: watch the energy, or use Stabilised()"
            )
        if self.sub_cycling or not self.same_W1:
            lines.append("second order all the same; expect displacement gaps of O(dt²), or none with Stabilised()")
        return "\n".join(lines)


def advise(
    sub: Subdomains, scheme: Scheme | FirstOrderScheme | None = None, substeps: object = None, *, dt: float
) -> Advice:
    """Return stability limits, necessary sub-steps, and the drift of the interface to expect.

    Limits are those of the subdomains by themselves, undamped and linear. They are necessary, not
    sufficient: different explicit members may excite each other through the interface and grow
    slowly inside them. `Stabilised()` was seen to prevent it.

    Parameters
    ----------
    sub
        The subdomains.
    scheme
        One scheme for all, or by name.
    substeps
        Number of sub-steps, one for all or by name.
    dt
        The step.

    Returns
    -------
    advice
        Advice for every subdomain.

    Raises
    ------
    InputError
        If an argument is not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> soft, stiff = (iso.LinearSystem(1.0, None, k, None, [0.0], [0.0]) for k in (1.0, 1e4))
    >>> sub = iso.Subdomains({"soft": soft, "stiff": stiff}, ties=[("soft", 0, "stiff", 0)])
    >>> iso.subdomains.advise(sub, iso.Scheme.central_difference(), dt=0.1).parts[1].needed
    5
    """
    if not isinstance(sub, Subdomains):
        raise InputError(f"advise takes Subdomains, received {type(sub).__name__}")
    if sub.first_order:
        raise InputError("advise covers subdomains of second order")
    if not (isinstance(dt, int | float | np.number) and 0.0 < dt < np.inf):
        raise InputError(f"dt must be positive, received {dt!r}")
    counts = counted(substeps, sub)
    parts = []
    for name, s in by_name("scheme", scheme, sub, Scheme.default()).items():
        if not isinstance(s, Scheme):
            raise InputError(
                f"scheme of {name!r} must be a Scheme, received {s!r}", hint="for example iso.Scheme.optimal(0.8)"
            )
        system, omega = sub.systems[name], None
        limit: float | None = None
        if isinstance(system, LinearSystem):
            critical = float(critical_frequency(s))
            try:
                omega = largest_frequency(system)
            except (np.linalg.LinAlgError, RuntimeError) as error:
                raise SingularError(
                    f"the mass matrix of subdomain {name!r} is singular: it has no largest frequency",
                    hint="every coordinate needs inertia",
                ) from error
            limit = critical if critical in (0.0, np.inf) else critical / omega if omega > 0.0 else np.inf
        needed = None if not limit else max(1, int(np.ceil(dt / limit * (1 - 1e-12))))
        parts.append(
            SubdomainAdvice(
                name,
                s.name,
                s.W1,
                dt / counts[name],
                omega,
                limit,
                needed,
                (s.l5 - 1.0) / s.l5,  # [Shimada2014 (4.29)]
                0.5 - s.l3 / s.l5,  # [Shimada2014 (4.28)]
            )
        )
    W1 = [part.W1 for part in parts]
    return Advice(tuple(parts), max(W1) - min(W1) < 1e-12, len(set(counts.values())) > 1)


def largest_frequency(system: LinearSystem) -> float:
    """√ of the largest |eigenvalue| of M⁻¹K; of large systems to four digits, or a bound from above
    where that takes long."""
    M, K, n = system.M, system.K, system.nv
    if n < 200:
        M, K = (A.toarray() if sp.issparse(A) else A for A in (M, K))
        return float(np.sqrt(np.abs(scipy.linalg.eigvals(np.linalg.solve(M, K))).max()))
    lu, K = splu(sp.csc_array(M)), sp.csr_array(K)
    operator = LinearOperator((n, n), matvec=lambda x: lu.solve(K @ x))
    start = np.random.default_rng(0).standard_normal(n)  # a constant one may be a rigid motion
    try:
        value = eigs(operator, 1, which="LM", return_eigenvectors=False, tol=1e-4, v0=start, maxiter=300)
    except ArpackNoConvergence:
        bound = frequency_bound(system)
        if bound is not None:
            return bound
        value = eigs(operator, 1, which="LM", return_eigenvectors=False, tol=1e-2, v0=start, maxiter=10 * n)
    return float(np.sqrt(abs(value[0])))


def frequency_bound(system: LinearSystem) -> float | None:
    """√ of the largest row sum of |M⁻¹K| (Gershgorin), at no cost, for diagonal M; None for
    others."""
    M, K = sp.csr_array(system.M), sp.csr_array(system.K)
    M.eliminate_zeros()
    diagonal = M.diagonal()
    if M.nnz > system.nv or not (diagonal > 0.0).all():
        return None
    return float(np.sqrt((np.asarray(abs(K).sum(axis=1)).ravel() / diagonal).max()))


def warn_beyond_limits(sub: Subdomains, schemes: dict[str, Any], substeps: dict[str, int], dt: float) -> None:
    """A warning for every explicit linear subdomain whose sub-step lies beyond the limit that it
    has by itself."""
    for name, s in schemes.items():
        system = sub.systems[name]
        if not isinstance(system, LinearSystem) or s.W3L3 != 0.0:
            continue
        critical, h = float(critical_frequency(s)), dt / substeps[name]
        bound = frequency_bound(system)
        if critical in (0.0, np.inf) or (bound is not None and h * bound <= critical):
            continue
        try:
            omega = largest_frequency(system)
        except (np.linalg.LinAlgError, RuntimeError):  # no inertia somewhere: the start will say where
            continue
        if omega * h > critical * (1 + 1e-6):
            warnings.warn(
                f"sub-steps of {name!r} with {s.name}, {h:.4g}, lie beyond their limit {critical / omega:.4g}: motions will grow\n"
                f"hint: at least {int(np.ceil(dt * omega / critical))} sub-steps, or an implicit scheme",
                StabilityWarning,
                stacklevel=4,
            )


def matching_rho(rho: float, rho_2: float) -> float:
    """Return ρ̂ for which V0(ρ̂, ρ₂, ·) has the W₁ of U0(·, ·, ρ).

    Parameters
    ----------
    rho
        ρ of the U0 member.
    rho_2
        ρ₂ of the V0 member.

    Returns
    -------
    rho_hat
        ρ̂.

    Examples
    --------
    >>> from isodyn.subdomains import matching_rho
    >>> matching_rho(0.5, 1.0)
    0.5
    """
    for name, value in (("rho", rho), ("rho_2", rho_2)):
        if not (isinstance(value, int | float | np.number) and 0.0 <= value <= 1.0):
            raise InputError(f"{name} must lie between 0 and 1, received {value!r}")
    # [Shimada2014 (4.26)]
    return (1.0 - rho_2 + rho * (rho_2 + 3.0)) / (1.0 + 3.0 * rho_2 + rho * (rho_2 - 1.0))
