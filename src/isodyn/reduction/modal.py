"""Bases of modes: eigenmodes, and fixed-interface modes with constraint modes.

    K x = ω² M x                                                    lowest frequencies; xᵀM x = 1
    Craig and Bampton [Craig1968], coordinates split into interface b and interior i:
        q_i = Φ η + Ψ q_b,    Ψ = −K_ii⁻¹ K_ib,    K_ii Φ = M_ii Φ Ω²

so that the interface stays as it is and constraints on it keep all their freedom. M and K are those
of a linear system, or of small motions about a configuration of any other; constraint rows are then
part of the motion, G x = 0, or belong to the interface. Snapshots can take the place of
fixed-interface modes: Φ is then the POD of q_i − Ψ q_b.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from isodyn.errors import InputError, SingularError
from isodyn.kernels.compiled import FloatArray
from isodyn.linear_solvers.sparse import factorise
from isodyn.reduction import rank as ranks
from isodyn.reduction.basis import Basis, from_matrix
from isodyn.reduction.decomposition import gram_schmidt
from isodyn.reduction.snapshots import Witness, chosen, matrix, solutions, witnesses
from isodyn.studies.tangents import multipliers, tangents
from isodyn.systems import LinearSystem, System, as_system, checks, is_system
from isodyn.systems.manifold import freedoms
from isodyn.systems.multiplier_forces import refuse_nonideal
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.open_types import Matrix
    from isodyn.systems.description import Description


def small_motions(
    system: System | Description, q: ArrayLike | None = None, t: float = 0.0
) -> tuple[Any, Any, FloatArray, FloatArray]:
    """M, K and G at a configuration, and what it is: zero for linear systems, q0 for others where q
    is left out."""
    system = as_system(system)
    if not is_system(system):
        raise InputError(f"modes are those of a system, received {type(system).__name__}")
    if system.first_order:
        raise InputError(f"modes belong to second-order systems, received {type(system).__name__}")
    refuse_nonideal(system, "the search for modes", at_rest=True)
    if system.nq != system.nv:
        raise InputError("modes need coordinates that add like vectors", hint="reduce the columns of the flexible part")
    if isinstance(system, LinearSystem):
        G = np.zeros((0, system.nv)) if system.G is None else system.G
        at = np.zeros(system.nq) if q is None else _configuration(q, system.nq)
        return system.M, system.K, G, at
    at = system.q0.copy() if q is None else _configuration(q, system.nq)
    ask, still = Questions(system), np.zeros(system.nv)
    G = ask.G(t, at, still)
    lam = multipliers(system, G, ask.balance(t, at, still, still)) if system.m else np.zeros(0)
    found = tangents(ask, t, at, lam)
    return found.M, found.K, G, at


def _configuration(q: ArrayLike, n: int) -> FloatArray:
    at = checks.vector("q", q)
    if at.size != n:
        raise InputError(f"q must have {n} entries, received {at.size}")
    return at


def eigenmodes(system: System, rank: int, q: ArrayLike | None = None) -> Basis:
    """Return the modes of lowest frequency.

    Parameters
    ----------
    system
        The system.
    rank
        Number of modes.
    q
        Configuration about which they are taken; q0 if left out, zero for linear systems.

    Returns
    -------
    basis
        The modes, with their frequencies.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> bar = iso.LinearSystem(np.eye(3), None, np.diag([1.0, 4.0, 9.0]), None, [1.0, 1.0, 1.0], np.zeros(3))
    >>> iso.reduction.eigenmodes(bar, rank=2).omega.round(12).tolist()
    [1.0, 2.0]
    """
    M, K, G, at = small_motions(system, q)
    _count(rank, system.nv)
    if G.shape[0]:
        N = freedoms(G, system.scales.v)[0]
        _count(rank, N.shape[1])
        omega, X = lowest(N.T @ (K @ N), N.T @ (M @ N), rank)
        X = N @ X
    else:
        omega, X = lowest(K, M, rank)
    return Basis(X, at, M, None, omega=omega, method="eigenvalues", name="eigenmodes")


def craig_bampton(
    system: System, interface: Any, rank: int, q: ArrayLike | None = None, *, snapshots: Any = None
) -> Basis:
    """Return a basis of static shapes and fixed-interface modes.

    Reduced coordinates are [modes; interface]; those of the interface stay as they are.

    Parameters
    ----------
    system
        The system.
    interface
        Coordinates of the interface.
    rank
        Number of modes.
    q
        Configuration about which the modes are taken; q0 if left out.
    snapshots
        A solution, or several. POD directions of the motion of the interior that is not in the
        static shapes then take the place of modes.

    Returns
    -------
    basis
        The basis.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> bar = iso.LinearSystem(np.eye(3), None, K, None, np.zeros(3), np.zeros(3))
    >>> iso.reduction.craig_bampton(bar, interface=[2], rank=1).V.round(3).tolist()
    [[0.707, 0.333], [0.707, 0.667], [0.0, 1.0]]
    """
    M, K, _, at = small_motions(system, q)
    n = system.nv
    b = chosen(interface, n)
    if b is None:
        raise InputError("the interface has all coordinates: nothing is left to reduce")
    i = np.setdiff1d(np.arange(n), b)
    _count(rank, i.size)
    K_ii, K_ib = K[i][:, i], K[i][:, b]
    K_ib = K_ib.toarray() if sp.issparse(K_ib) else K_ib
    try:
        factors = factorise(K_ii)
    except SingularError as error:
        raise SingularError(
            "the interior moves freely when the interface is held: its stiffness is singular",
            hint="more interface coordinates, so that no rigid motion of the interior is left",
        ) from error
    Psi = -np.column_stack([factors.solve(np.ascontiguousarray(column)) for column in K_ib.T])
    M_ii, omega = M[i][:, i], np.zeros(0)
    states: tuple[Witness, ...] = ()
    if snapshots is None:
        omega, Phi = lowest(K_ii, M_ii, rank)
    else:
        several = solutions(snapshots)
        A = matrix(several, "q", None)
        if A.shape[0] != n:
            raise InputError(f"snapshots must be of this system with {n} coordinates, received {A.shape[0]}")
        A = A - at[:, None]
        ranks.check(rank, None, A.shape[1], i.size)
        states = witnesses(several)
        Phi = from_matrix(A[i] - Psi @ A[b], M_ii, rank, None, at[i], None, "", states).V
    V = np.zeros((n, rank + b.size))
    V[i, :rank], V[i, rank:], V[b, rank + np.arange(b.size)] = Phi, Psi, 1.0
    left = np.zeros((rank + b.size, n))
    left[:rank, i] = (M_ii @ Phi).T  # η = ΦᵀM_ii(q_i − Ψ q_b), and the interface as it is
    left[:rank, b] = -left[:rank, i] @ Psi
    left[rank + np.arange(b.size), b] = 1.0
    kind = "fixed-interface modes" if snapshots is None else "fixed-interface POD"
    name = f"{kind} and interface"
    more: dict[str, Any] = {
        "method": "Craig and Bampton",
        "name": name,
        "witnesses": states,
        "left": left,
        "interface": b,
    }
    return Basis(V, at, M, None, omega=omega, **more)


def lowest(K: Matrix, M: Matrix, rank: int) -> tuple[FloatArray, FloatArray]:
    """The lowest frequencies and their modes, of unit modal mass."""
    n = M.shape[0]
    if sp.issparse(K) and sp.issparse(M) and rank < n - 1:
        largest = float((np.abs(K.diagonal()) / M.diagonal()).max())
        start = np.random.default_rng(0).standard_normal(n)  # the same modes in every run
        squares, X = eigsh(sp.csc_array(K), rank, sp.csc_array(M), sigma=-1e-8 * largest, which="LM", v0=start)
        order = np.argsort(squares)
        squares, X = squares[order], X[:, order]
    else:
        K, M = (A.toarray() if sp.issparse(A) else np.asarray(A) for A in (K, M))
        try:
            squares, X = eigh(0.5 * (K + K.T), 0.5 * (M + M.T), subset_by_index=(0, rank - 1))
        except np.linalg.LinAlgError as error:
            raise SingularError(
                "modes need a positive definite mass matrix", hint="every coordinate needs inertia"
            ) from error
    X, _ = gram_schmidt(X, M)
    return np.sqrt(np.maximum(squares, 0.0)), X * np.sign(X[np.abs(X).argmax(axis=0), np.arange(rank)])


def _count(rank: int, most: int) -> None:
    if isinstance(rank, bool) or not isinstance(rank, int | np.integer) or not 1 <= rank <= most:
        raise InputError(f"rank must be a whole number from 1 to {most}, received {rank!r}")
