"""What is wrong with a flexible body is said by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from flexible_solids import ENDS, L, bar
from isodyn.errors import InputError


def add(elements: Any, interface: Any = ENDS, **more: Any) -> iso.Mechanism:
    mech = iso.Mechanism()
    mech.add_flexible_body("bar", elements, interface=interface, **more)
    return mech


def test_interfaces() -> None:
    body = bar(2)
    with pytest.raises(InputError, match="needs at least one interface"):
        add(body, {})
    with pytest.raises(InputError, match=r"interface 'left' has no points\nhint: check the condition"):
        add(body, {"left": lambda x: x[0] < -1})
    with pytest.raises(InputError, match="share points"):
        add(body, {"left": ENDS["left"], "other": lambda x: x[0] < L / 3})
    with pytest.raises(InputError, match="on one line: its rotation has no stiffness"):
        add(body, {"left": [0]})
    with pytest.raises(InputError, match="must be whole and below"):
        add(body, {"left": [0, 1, 100000]})


def test_elements_and_numbers() -> None:
    with pytest.raises(InputError, match=r"needs iso.FiniteElements, received dict"):
        add({})
    with pytest.raises(InputError, match="modes must be a whole number from 0 to"):
        add(bar(2), modes=100000)
    with pytest.raises(InputError, match="damping must be a ratio, or two factors"):
        add(bar(2), modes=1, damping=-0.1)
    body = bar(2)
    with pytest.raises(InputError, match=r"geometric stiffening needs stresses\nhint: .*from_mesh"):
        add(iso.FiniteElements(body.points, body.stiffness, body.mass), modes=0, stiffening=True)


def test_bodies_that_do_not_hang_together() -> None:
    body, n = bar(2), len(bar(2).points)
    two = np.kron(np.eye(2), body.stiffness.toarray())
    points = np.concatenate([body.points, body.points + np.array([0, 5.0, 0])])
    apart = iso.FiniteElements(points, two, np.kron(np.eye(2), body.mass.toarray()))
    with pytest.raises(InputError, match=rf"{n} points are connected to no interface, the first is number {n}"):
        add(apart, {"left": np.flatnonzero((points[:, 0] < 1e-9) & (points[:, 1] < 1))})
    negative = -body.stiffness
    with pytest.raises(InputError, match="not positive: the body would move away by itself"):
        add(iso.FiniteElements(body.points, negative, body.mass), modes=1)
    hinged = np.zeros((9, 9))
    hinged[np.ix_([0, 3, 6], [0, 3, 6])] = [[1, -1, 0], [-1, 2, -1], [0, -1, 1]]
    loose = iso.FiniteElements([(0, 0, 0), (1, 0, 0), (2, 0, 0)], hinged, np.eye(3))
    with pytest.raises(InputError, match="on one line"):
        add(loose, {"left": [0]})


def test_interfaces_without_stiffness() -> None:
    """Points that no element reaches, and a part that hangs on an edge."""
    body, far = bar(2), np.array([[5.0, 5, 5], [6, 5, 5], [5, 6, 5]])
    n = len(body.points)
    K, M = np.zeros((3 * n + 9, 3 * n + 9)), np.eye(n + 3)
    K[:-9, :-9], M[:-3, :-3] = body.stiffness.toarray(), body.mass.toarray()
    lonely = iso.FiniteElements(np.concatenate([body.points, far]), K, M)
    with pytest.raises(
        InputError, match=r"'far' can move against 'left' without strain.*\nhint: is the mesh connected"
    ):
        add(lonely, {"left": ENDS["left"], "far": [n, n + 1, n + 2]}, modes=2)
    skfem = pytest.importorskip("skfem")
    one, other = (
        skfem.MeshHex.init_tensor(np.linspace(0, 1, 3), *(np.linspace(a, a + 0.1, 2),) * 2) for a in (0.0, 0.1)
    )
    hinged = iso.FiniteElements.from_mesh(one + other, E=1e9, nu=0.3, rho=1e3)
    with pytest.raises(InputError, match="can move without strain while all interfaces are held"):
        add(hinged, {"left": lambda x: (x[0] < 1e-9) & (x[1] < 0.099)}, modes=2)
    with pytest.raises(InputError, match="stiffening must be True or False, received 'no'"):
        add(body, modes=1, stiffening="no")


@pytest.mark.parametrize("size", [2, 16])
@pytest.mark.parametrize("which", [8, 60, -1])
def test_one_negative_eigenvalue(size: int, which: int) -> None:
    """Soft or stiff, inside or at the interfaces; small and large matrices take other routes."""
    body = bar(size)
    K = body.stiffness.toarray()
    values, shapes = np.linalg.eigh(K)
    x = shapes[:, which]
    with pytest.raises(InputError, match="not positive: the body would move away by itself"):
        add(iso.FiniteElements(body.points, K - 2 * values[which] * np.outer(x, x), body.mass), modes=2)


def test_matrices() -> None:
    with pytest.raises(InputError, match=r"points must be finite, of shape \(n, 3\), received shape \(2, 2\)"):
        iso.FiniteElements(points=[(0, 0), (1, 0)], stiffness=np.eye(6), mass=np.eye(2))
    with pytest.raises(InputError, match=r"stiffness must have the shape \(6, 6\), received \(5, 5\)"):
        iso.FiniteElements(points=np.eye(2, 3), stiffness=np.eye(5), mass=np.eye(2))
    with pytest.raises(InputError, match="stiffness must be symmetric"):
        iso.FiniteElements(points=np.eye(2, 3), stiffness=np.triu(np.ones((6, 6))), mass=np.eye(2))
    with pytest.raises(InputError, match=r"mass must be the same in x, y and z.*\nhint: lump the masses"):
        iso.FiniteElements(points=np.eye(2, 3), stiffness=np.eye(6), mass=np.diag([1.0, 2, 3, 1, 2, 3]))
    skfem = pytest.importorskip("skfem")
    with pytest.raises(InputError, match=r"needs E > 0, −1 < nu < 0.5 and rho > 0"):
        iso.FiniteElements.from_mesh(skfem.MeshTet(), E=1.0, nu=0.5, rho=1.0)
    with pytest.raises(InputError, match="a mesh of tetrahedra or hexahedra, received MeshTri1"):
        iso.FiniteElements.from_mesh(skfem.MeshTri(), E=1.0, nu=0.3, rho=1.0)


def test_supports_inside_the_stiffness() -> None:
    """A matrix with its supports, or with springs that notice turning, would give the wrong motion without a word."""
    body = bar(2)
    held = body.stiffness.toarray()
    held[:3, :3] += 1e9 * np.eye(3)
    with pytest.raises(InputError, match=r"resists when the whole body is moved: .*\nhint: leave supports"):
        iso.FiniteElements(body.points, held, body.mass)
    turning = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.eye(3))
    with pytest.raises(InputError, match="resists when the whole body is turned"):
        iso.FiniteElements([(0, 0, 0), (1, 0, 0)], turning, np.eye(2))
    far = iso.FiniteElements(body.points + 1e3, body.stiffness, body.mass)
    assert far.total_mass == body.total_mass


def test_elements_that_lock() -> None:
    """Four linear elements bend with four times the frequency; 64 with 12 % more."""
    with pytest.raises(InputError, match=r"its elements lock: [78]\d% of the energy.*\nhint: take quadratic elements"):
        add(bar(4, order=1), modes=2)
    add(bar(64, order=1), modes=2)


def test_names() -> None:
    mech = add(bar(2), modes=0)
    with pytest.raises(InputError, match=r"'bar' is a flexible body\nhint: name an interface: 'bar.left', 'bar.right'"):
        mech.add_joint(iso.Spherical("ball", "ground", "bar", point=(0, 0, 0)))
    with pytest.raises(InputError, match="already a flexible body named 'bar'"):
        mech.add_body("bar", 1.0, (1, 1, 1))
    sol = iso.integrate(mech, dt=1e-3, t_end=2e-3)
    with pytest.raises(InputError, match=r"no flexible body named 'rod'\nhint: known: bar"):
        sol.flexible_body("rod")
