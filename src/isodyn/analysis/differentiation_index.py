"""The differentiation index of a system at its start: how often constraints have to be
differentiated to determine all unknowns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError, SingularError
from isodyn.formulations.protocol import Formulation, facts_of
from isodyn.kernels.compiled import KNOWS_MASS, FloatArray, IntArray
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.rows import choose
from isodyn.marching.at_rest import AtRest
from isodyn.systems import FirstOrderSystem, LinearFirstOrderSystem, System, as_system, is_system
from isodyn.systems.consistent_values import chain_of, settled
from isodyn.systems.derivative_chain import Index, equilibrated
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.systems.description import Description

SINGULAR = 1e-12  # singular values of Q below this, relative, are none


def index(system: System | Description, t0: float = 0.0, formulation: Formulation | None = None) -> Index:
    """Return the differentiation index at the start, with the chain of ranks.

    Parameters
    ----------
    system
        One of isodyn's systems.
    t0
        Time of the start.
    formulation
        A formulation that makes another system, such as `Hamiltonian()`: the index is that of the
        system which it makes.

    Returns
    -------
    index
        The index is 0 without constraints. With algebraic unknowns, `ranks` are those of ∂c/∂z,
        then of the rows that are differentiated because they are free of z, and so on, until z is
        determined; `differentiate` names these rows. A mechanical system has index 3 with holonomic
        rows, and 2 with nonholonomic rows only; its last rank is below `m` if rows follow from
        others.

    Examples
    --------
    A pendulum with its constraint at position, velocity and acceleration level:

    >>> import isodyn as iso
    >>> import numpy as np
    >>> def h(s, z, t):
    ...     return np.array([s[2], s[3], -s[0] * z[0], -9.81 - s[1] * z[0]])
    >>> levels = (
    ...     lambda s, z, t: np.array([s[0] ** 2 + s[1] ** 2 - 1]),
    ...     lambda s, z, t: np.array([s[0] * s[2] + s[1] * s[3]]),
    ...     lambda s, z, t: np.array([s[2] ** 2 + s[3] ** 2 - 9.81 * s[1] - z[0] * (s[0] ** 2 + s[1] ** 2)]),
    ... )
    >>> for c in levels:
    ...     print(iso.analysis.index(iso.FirstOrderSystem(h, [1, 0, 0, 0], z0=[0], c=c)))
    index 3 (ranks 0, 0, 1 of 1)
    index 2 (ranks 0, 1 of 1)
    index 1 (ranks 1 of 1)
    """
    system = as_system(system)
    if not is_system(system):
        raise InputError(f"index is for one of isodyn's systems, received {type(system).__name__}")
    if formulation is not None:
        if not facts_of(formulation).transforms:
            raise InputError(
                f"{formulation!r} closes steps of the system itself, whose index does not depend on it",
                hint="leave the formulation out",
            )
        system = formulation.transform(system)
    if isinstance(system, LinearFirstOrderSystem):
        return _of_matrices(system, t0)
    if system.m == 0:
        return Index(0, 0, (), ())
    if isinstance(system, FirstOrderSystem):
        return settled(system, t0, system.v0, system.z0).index()
    return _of_constraints(system, t0)


def _of_constraints(system: System, t0: float) -> Index:
    """Of M a + Gᵀλ = Q with φ = 0, ψ = 0: λ appears in the second derivatives of φ and in the first
    ones of ψ [Shimada2014 (3.88)]."""
    ask, names, m = Questions(system), tuple(system.row_names), system.m_phi
    q, v = system.q0, system.v0
    G = np.asarray(full(ask.G(t0, q, v)))
    by_velocity, rows = choose(G[m:]).rank, choose(G)
    if system.model().traits & KNOWS_MASS:
        _refuse_singular(ask, t0, rows.chosen)
    ranks = (0, by_velocity, rows.rank) if m else (0, by_velocity)
    return Index(len(ranks), system.m, ranks, (), (names, names[:m])[: len(ranks) - 1])


def _refuse_singular(ask: Questions, t: float, chosen: IntArray) -> None:
    """SingularError where second derivatives do not determine a and λ: coordinates without inertia,
    or forces that depend on multipliers and jam."""
    q, v, lam = ask.system.q0, ask.system.v0, np.zeros(ask.system.m)
    n, m = ask.system.nv, chosen.size
    if ask.system.nonideal:
        lam = started(ask.system, t)
    whole = np.zeros((n + m, n + m))
    whole[:n, :n] = full(ask.mass(t, q, v))
    whole[:n, n:] = np.asarray(ask.columns(t, q, v, lam))[:, chosen]
    whole[n:, :n] = np.asarray(full(ask.G(t, q, v)))[chosen]
    values = np.linalg.svd(equilibrated(whole)[1], compute_uv=False)
    if values[-1] <= SINGULAR * values[0]:
        raise SingularError(
            f"[M, Gᵀ − ∂Q/∂λ; G, 0] is singular at t = {t:g} (smallest of its singular values {values[-1] / values[0]:.1e}, relative)",
            hint="every coordinate needs inertia, or a constraint that holds it",
        )


def started(system: System, t: float) -> FloatArray:
    """Multipliers at the start of a system whose forces depend on them."""
    rest = AtRest(system)
    rest.state.t = t
    rest.look(t)
    rest.initial_values(t, True)
    return rest.state.lam.copy()


def _of_matrices(system: LinearFirstOrderSystem, t0: float) -> Index:
    """Of Q s' + P s = r: with Q = U Σ Vᵀ, rows and unknowns without Σ are the constraints and the
    algebraic unknowns."""
    Q, P = (np.asarray(full(A)) for A in (system.Q, system.P))
    U, values, V = np.linalg.svd(Q)
    rank = int((values > SINGULAR * max(float(values[0]), 1e-300)).sum())
    if rank == system.nv:
        return Index(0, 0, (), ())
    slope, sigma, x = U.T @ P @ V.T, values[:rank], V @ system.v0

    def rest(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
        r = np.zeros(system.nv) if system.r is None else system.r(t) if callable(system.r) else system.r
        return np.asarray(U.T @ r - slope @ np.concatenate([s, z]))

    if rank == 0:
        rank_P = int(np.linalg.matrix_rank(P))
        if rank_P < system.nv:
            raise SingularError(f"nothing determines s: Q is zero and P has rank {rank_P} of {system.nv}")
        return Index(1, system.nv, (rank_P,), ())
    names = [f"combination {i} of the rows without s'" for i in range(system.nv - rank)]
    divided = FirstOrderSystem(
        lambda s, z, t: rest(s, z, t)[:rank] / sigma,
        x[:rank],
        z0=x[rank:],
        c=lambda s, z, t: rest(s, z, t)[rank:],
        row_names=names,
    )
    return chain_of(divided, t0, divided.v0, divided.z0).index()
