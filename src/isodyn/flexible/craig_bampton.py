"""Craig and Bampton's reduction of finite elements to interfaces and modes.

An interface is a set of points that move like a rigid body: displacement d and rotation ϑ of its
centre. The first one is held, since the floating frame moves with it. The displacements of all
points are

    u = S p,   S = [constraint modes, fixed-interface modes]

A constraint mode is the static answer to a unit displacement or rotation of one interface; the
others are the lowest modes with all interfaces held, scaled so that their largest displacement is
one. All that inertia needs in the floating frame are sums over points, computed once
(isodyn.flexible.floating_frame).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.flexible.finite_elements import FiniteElements
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later, linalg, sparse_linalg
from isodyn.later import sparse as sp
from isodyn.real_numbers import real_array

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

graphs = Later("scipy.sparse.csgraph")
SOFT = 1e-15  # of the mean frequency² of single points: what rounding leaves of a motion without strain
FREE = 1e-14  # of the largest frequency² of the reduced body: the same for interfaces
EQUAL = 1e-6  # of a frequency²: modes that are nearer than this have no directions of their own
FURTHER = 4  # modes that are found beyond those asked for, in case the last ones are equal
LOCKED = 0.4  # of the strain energy in jumps of stress: frequencies are then some 40 % too high
DENSE = 400  # unknowns up to which modes are found by a full eigenvalue problem


@dataclass(frozen=True, eq=False)
class ReducedBody:
    """What is left of finite elements.

    Parameters
    ----------
    elements
        The finite elements.
    names, centres, sets
        Names, places and points of the interfaces.
    basis
        S, (n, 3, N).
    frequencies
        Angular frequencies of the modes with held interfaces.
    stiffness, damping
        K and D, (N, N).
    moments, inertia
        Σ m Ŝ, (3, N + 1), and Σ m Ŝ_αᵀŜ_β, (3, 3, N + 1, N + 1), from the first interface.
    stiffening
        Geometric stiffness under unit loads: body forces e_α (3) and X_β e_α (9), forces and
        torques on each interface but the first (6); (loads, N, N), or None.
    """

    elements: FiniteElements
    names: tuple[str, ...]
    centres: FloatArray
    sets: tuple[IntArray, ...]
    basis: FloatArray
    frequencies: FloatArray
    stiffness: FloatArray
    damping: FloatArray
    moments: FloatArray
    inertia: FloatArray
    stiffening: FloatArray | None

    @property
    def modes(self) -> int:
        """How many modes there are."""
        return self.frequencies.size

    @property
    def mass(self) -> float:
        """Mass of the body."""
        return self.elements.total_mass


def reduce_body(
    what: str,
    elements: FiniteElements,
    interface: Mapping[str, Any],
    modes: int,
    damping: float | tuple[float, float],
    stiffening: bool,
) -> ReducedBody:
    """Interfaces, modes, and all sums that the floating frame needs."""
    if not isinstance(stiffening, bool | np.bool_):
        raise InputError(f"{what}: stiffening must be True or False, received {stiffening!r}", argument="stiffening")
    names, sets = _interfaces(what, elements, interface)
    centres = np.array([elements.points[points].mean(axis=0) for points in sets])
    held = np.unique(np.concatenate(sets))
    free = np.setdiff1d(np.arange(len(elements.points)), held)
    if isinstance(modes, bool) or not isinstance(modes, int | np.integer) or not 0 <= modes <= 3 * free.size:
        raise InputError(
            f"{what}: modes must be a whole number from 0 to {3 * free.size}, received {modes!r}", argument="modes"
        )
    inside = (3 * free[:, None] + np.arange(3)).ravel()
    K_ii = sp.csc_array(elements.stiffness[inside][:, inside])
    M_ii = sp.csc_array(sp.kron(elements.mass[free][:, free], sp.eye_array(3)))
    _refuse_unconnected(what, elements.stiffness, held)
    factor = _factor(what, K_ii, M_ii)
    rigid = _rigid_sets(elements.points, sets, centres)
    fixed = np.zeros((3 * len(elements.points), rigid.shape[1] + modes))
    fixed[:, : rigid.shape[1]] = rigid
    if inside.size:
        fixed[inside, : rigid.shape[1]] = factor(-(elements.stiffness[inside] @ rigid))
    frequencies = np.zeros(0)
    if modes:
        squares, shapes = _lowest(K_ii, M_ii, modes, factor)
        frequencies, fixed[np.ix_(inside, np.arange(rigid.shape[1], fixed.shape[1]))] = np.sqrt(squares), shapes
    basis = fixed.reshape(len(elements.points), 3, -1)
    K = fixed.T @ (elements.stiffness @ fixed)
    K = 0.5 * (K + K.T)
    hat = np.concatenate([(elements.points - centres[0])[:, :, None], basis], axis=2)
    lines = [elements.mass @ hat[:, b] for b in range(3)]
    inertia = np.array([[hat[:, a].T @ lines[b] for b in range(3)] for a in range(3)])
    moments = np.array([np.asarray(line.sum(axis=0)).ravel() for line in lines])
    reduced_mass = np.einsum("aaij->ij", inertia)[1:, 1:]
    _refuse_soft(what, names, K, reduced_mass)
    _refuse_locked(what, elements, basis, K, reduced_mass)
    stiff = _stiffening(what, elements, sets[0], basis, centres[0], K, modes) if stiffening else None
    return ReducedBody(
        elements, names, centres, sets, basis, frequencies, K,
        _damping(what, damping, K, reduced_mass), moments, inertia, stiff,
    )  # fmt: skip


def _interfaces(
    what: str, elements: FiniteElements, interface: Mapping[str, Any]
) -> tuple[tuple[str, ...], tuple[IntArray, ...]]:
    """Names and points, checked."""
    if not isinstance(interface, Mapping) or not interface:
        raise InputError(
            f"{what} needs at least one interface, such as {{'left': lambda x: x[0] < 1e-6}}", argument="interface"
        )
    found: list[IntArray] = []
    for name, given in interface.items():
        points = _points(f"{what}: interface {name!r}", elements, given)
        for other, known in zip(interface, found, strict=False):
            if np.intersect1d(points, known).size:
                raise InputError(f"{what}: interfaces {other!r} and {name!r} share points", argument="interface")
        X = elements.points[points] - elements.points[points].mean(axis=0)
        if np.linalg.matrix_rank(X, tol=1e-9 * np.ptp(elements.points, axis=0).max()) < 2:
            raise InputError(
                f"{what}: interface {name!r} has {points.size} points on one line: its rotation has no stiffness",
                hint="choose at least three points that are not on a line",
                argument="interface",
            )
        found.append(points)
    return tuple(map(str, interface)), tuple(found)


def _points(what: str, elements: FiniteElements, given: Any) -> IntArray:
    """Numbers of the points of an interface: a function of (x, y, z) arrays, a mask, numbers, or
    the name of a boundary of the mesh."""
    chosen, places = given, elements.points
    if isinstance(given, str):
        if elements.solid is None:
            raise InputError(f"{what}: boundaries with names need a mesh", argument="interface")
        chosen = elements.solid.points_of(given)
    if isinstance(given, Callable):  # type: ignore[arg-type]
        chosen = np.asarray(given(places.T))
    chosen = np.asarray(chosen)
    if chosen.dtype == bool:
        if chosen.shape != (len(places),):
            raise InputError(f"{what}: expected one truth value for each of {len(places)} points", argument="interface")
        chosen = np.flatnonzero(chosen)
    chosen = np.unique(chosen)
    if chosen.size == 0:
        raise InputError(f"{what} has no points", hint="check the condition, and the units of the mesh")
    if not np.issubdtype(chosen.dtype, np.integer) or chosen.min() < 0 or chosen.max() >= len(places):
        raise InputError(f"{what}: numbers of points must be whole and below {len(places)}", argument="interface")
    return chosen.astype(np.int64)


def _rigid_sets(points: FloatArray, sets: tuple[IntArray, ...], centres: FloatArray) -> FloatArray:
    """Displacements of the points of all interfaces but the first, six columns each."""
    out = np.zeros((3 * len(points), 6 * (len(sets) - 1)))
    for j in range(1, len(sets)):
        x, y, z = (points[sets[j]] - centres[j]).T
        for k in range(3):
            out[3 * sets[j] + k, 6 * j - 6 + k] = 1.0
        out[3 * sets[j] + 1, 6 * j - 3], out[3 * sets[j] + 2, 6 * j - 3] = -z, y
        out[3 * sets[j], 6 * j - 2], out[3 * sets[j] + 2, 6 * j - 2] = z, -x
        out[3 * sets[j], 6 * j - 1], out[3 * sets[j] + 1, 6 * j - 1] = -y, x
    return out


def _factor(what: str, K: Matrix, M: Matrix) -> Callable[[FloatArray], FloatArray]:
    """K⁻¹ of the points inside; a InputError where something can move without strain."""
    if K.shape[0] == 0:
        return lambda b: b
    if M.diagonal().min() <= 0.0:
        raise InputError(f"{what}: some points have no mass", hint="give every point of the body a share of its mass")
    scale = float(np.mean(K.diagonal() / M.diagonal()))
    try:
        lu = sparse_linalg.splu(K, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}, diag_pivot_thresh=0.0)
    except RuntimeError:
        raise _loose(what) from None
    lowest = _lowest(K, M, 1, lu.solve)[0][0]
    if not np.isfinite(lowest) or abs(lowest) < SOFT * scale:
        raise _loose(what)
    if lowest < 0.0 or lu.U.diagonal().min() <= 0.0:  # the eigenvalue is the one nearest to zero
        raise _negative(what)
    return lu.solve


def _refuse_unconnected(what: str, K: Matrix, held: IntArray) -> None:
    """InputError for points that nothing connects to an interface."""
    points = sp.kron(sp.eye_array(K.shape[0] // 3), np.ones((1, 3)))
    count, part = graphs.connected_components(points @ abs(K) @ points.T, directed=False)
    loose = np.setdiff1d(np.arange(count), part[held])
    if loose.size:
        first = int(np.flatnonzero(part == loose[0])[0])
        raise InputError(
            f"{what}: {int(np.isin(part, loose).sum())} points are connected to no interface, the first is number {first}",
            hint="is the mesh in one piece?",
        )


def _refuse_locked(what: str, elements: FiniteElements, basis: FloatArray, K: FloatArray, M: FloatArray) -> None:
    """InputError for a mesh whose softest motion is mostly stress that jumps between elements."""
    if elements.solid is None or K.shape[0] == 0:
        return
    softest = linalg.eigh(K, M, subset_by_index=(0, 0))[1][:, 0]
    jumps = elements.solid.stress_jumps(basis @ softest)
    if jumps > LOCKED:
        raise InputError(
            f"{what}: its elements lock: {jumps:.0%} of the energy of its softest motion is in stresses that jump from "
            "element to element, so the body is far too stiff",
            hint="take quadratic elements (order=2), or a finer mesh",
            argument="mesh",
        )


def _refuse_soft(what: str, names: tuple[str, ...], K: FloatArray, M: FloatArray) -> None:
    """InputError for interfaces that move against the first one without strain, or by
    themselves."""
    if K.shape[0] == 0:
        return
    values, shapes = linalg.eigh(K, M)
    if values[0] < -FREE * values[-1]:
        raise _negative(what)
    if values[0] < FREE * values[-1]:
        moved = int(np.abs(shapes[:, 0] * np.sqrt(M.diagonal())).argmax())
        raise InputError(
            f"{what}: interface {names[min(moved // 6 + 1, len(names) - 1)]!r} can move against {names[0]!r} without"
            " strain: it has no stiffness",
            hint="is the mesh connected between them?",
            argument="interface",
        )


def _negative(what: str) -> InputError:
    return InputError(f"{what}: the stiffness matrix is not positive: the body would move away by itself")


def _loose(what: str) -> InputError:
    return InputError(
        f"{what}: a part of it can move without strain while all interfaces are held",
        hint="is the mesh connected, and does every part hang on an interface?",
    )


def _lowest(
    K: Matrix, M: Matrix, count: int, solve: Callable[[FloatArray], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Lowest eigenvalues, and modes whose largest component is one or minus one.

    Signs, and the modes of equal frequencies (those of a square bar), are the ones nearest to fixed
    random vectors: coordinates of saved runs mean the same wherever the body is reduced again.
    """
    n = K.shape[0]
    asked = min(n, count + FURTHER)
    random = np.random.default_rng(0).standard_normal((n, asked))
    if n <= DENSE or asked > n // 3:
        values, vectors = linalg.eigh(K.toarray(), M.toarray(), subset_by_index=(0, asked - 1))
    else:
        inverse = sparse_linalg.LinearOperator((n, n), matvec=solve)
        values, vectors = sparse_linalg.eigsh(K, asked, M, sigma=0.0, OPinv=inverse, v0=random.sum(axis=1))
        order = np.argsort(values)
        values, vectors = values[order], vectors[:, order]
    parts = vectors.T @ (M @ random)
    ends = np.flatnonzero(np.diff(values) > EQUAL * np.abs(values[1:])) + 1
    for group in np.split(np.arange(asked), ends):
        Q, R = np.linalg.qr(parts[np.ix_(group, group)])
        vectors[:, group] = vectors[:, group] @ (Q * np.where(np.diag(R) < 0, -1.0, 1.0))
    return values[:count], vectors[:, :count] / np.abs(vectors[:, :count]).max(axis=0)


def _damping(what: str, given: object, K: FloatArray, M: FloatArray) -> FloatArray:
    """D of a damping ratio, which all modes of the held body get, or of factors of M and K."""
    numbers = np.atleast_1d(real_array(f"{what}: damping", given, "a ratio, or factors of mass and stiffness"))
    if numbers.size not in (1, 2) or (numbers < 0).any():
        raise InputError(f"{what}: damping must be a ratio, or two factors, not negative, received {given!r}")
    if K.shape[0] == 0 or not numbers.any():
        return np.zeros_like(K)
    if numbers.size == 2:
        return np.asarray(numbers[0] * M + numbers[1] * K)
    values, shapes = linalg.eigh(K, M)
    return np.asarray((M @ shapes * (2 * numbers[0] * np.sqrt(np.maximum(values, 0.0)))) @ (shapes.T @ M))


def _stiffening(
    what: str,
    elements: FiniteElements,
    held: IntArray,
    basis: FloatArray,
    origin: FloatArray,
    K: FloatArray,
    modes: int,
) -> FloatArray:
    """Geometric stiffness of the stresses under body forces ρ e_α and ρ X_β e_α, and under unit
    loads on the other interfaces, the first interface being held."""
    if elements.solid is None:
        raise InputError(
            f"{what}: geometric stiffening needs stresses",
            hint="make the body with FiniteElements.from_mesh",
            argument="stiffening",
        )
    n = len(elements.points)
    free = np.setdiff1d(np.arange(n), held)
    inside = (3 * free[:, None] + np.arange(3)).ravel()
    solve = sparse_linalg.splu(
        sp.csc_array(elements.stiffness[inside][:, inside]), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}
    ).solve
    flat, found = basis.reshape(3 * n, -1), []
    X = np.concatenate([np.ones((n, 1)), elements.points - origin], axis=1)
    weights = elements.mass @ X
    for case in range(12):
        alpha, field = (case, 0) if case < 3 else (case // 3 - 1, 1 + case % 3)
        load, u = np.zeros((n, 3)), np.zeros(3 * n)
        load[:, alpha] = weights[:, field]
        u[inside] = solve(load.ravel()[inside])
        found.append(u)
    loaded = K.shape[0] - modes
    found += list((flat[:, :loaded] @ np.linalg.inv(K[:loaded, :loaded])).T)
    return np.array([flat.T @ (elements.solid.geometric_stiffness(u.reshape(n, 3)) @ flat) for u in found])
