"""Matrices, meshes and URDF from other programs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import mmwrite
from scipy.linalg import eigh

import isodyn as iso
from isodyn.errors import InputError
from isodyn.models import elastic_body, linear_system, read_urdf

# ---- matrices


def chain(n: int) -> tuple[Any, Any]:
    K = sp.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1], format="csr")
    return sp.identity(n, format="csr") * 0.5, K * 100.0


@pytest.mark.parametrize("kind", ["mtx", "npz", "dense npz", "npy", "mtx.gz"])
def test_matrices_of_files_make_the_same_run(kind: str, tmp_path: Path) -> None:
    """Matrix Market, SciPy sparse and NumPy files against the matrices themselves."""
    M, K = chain(5)
    paths = {}
    for name, matrix in (("M", M), ("K", K), ("C", 0.01 * K)):
        path = tmp_path / f"{name}.{kind.split()[-1]}"
        if kind == "mtx":
            mmwrite(path, matrix, symmetry="symmetric")
        elif kind == "mtx.gz":
            import gzip

            mmwrite(tmp_path / f"{name}.mtx", matrix)
            path.write_bytes(gzip.compress((tmp_path / f"{name}.mtx").read_bytes()))
        elif kind == "npz":
            sp.save_npz(path, matrix)
        elif kind == "dense npz":
            np.savez(path, matrix.toarray())
        else:
            np.save(path, matrix.toarray())
        paths[name] = path
    start = np.linspace(0, 1, 5)
    system = linear_system(**paths, q0=start)
    assert sp.issparse(system.K) == (kind in ("mtx", "npz", "mtx.gz"))
    one = iso.integrate(system, dt=0.01, t_end=0.5)
    two = iso.integrate(iso.LinearSystem(M, 0.01 * K, K, None, start, np.zeros(5)), dt=0.01, t_end=0.5)
    assert one.q == pytest.approx(two.q, abs=1e-12)


def test_matrices_that_do_not_fit(tmp_path: Path) -> None:
    M, _ = chain(4)
    mmwrite(tmp_path / "K.mtx", chain(5)[1])
    with pytest.raises(InputError, match=r"K \(.*K.mtx\) has the shape \(5, 5\)"):
        linear_system(M, tmp_path / "K.mtx")
    with pytest.raises(InputError, match="there is no file"):
        linear_system(M, tmp_path / "nothing.mtx")
    (tmp_path / "broken.mtx").write_text("broken")
    with pytest.raises(InputError, match="is no Matrix Market file"):
        linear_system(M, tmp_path / "broken.mtx")
    (tmp_path / "K.mat").write_text("x")
    with pytest.raises(InputError, match="ending that is not known"):
        linear_system(M, tmp_path / "K.mat")
    np.savez(tmp_path / "two.npz", a=np.eye(4), b=np.eye(4))
    with pytest.raises(InputError, match="holds 2 arrays"):
        linear_system(M, tmp_path / "two.npz")
    mmwrite(tmp_path / "complex.mtx", sp.csr_matrix(1j * np.eye(4)))
    with pytest.raises(InputError, match=r"complex.* matrices are not read"):
        linear_system(M, tmp_path / "complex.mtx")
    with pytest.raises(InputError, match="not finite"):
        linear_system(M, np.full((4, 4), np.nan))


# ---- meshes


def test_an_elastic_bar_has_the_frequencies_of_theory(tmp_path: Path) -> None:
    """Longitudinal vibration of a clamped bar, ω = (π/2l)√(E/ρ), from a mesh file; statics under
    its weight."""
    meshio = pytest.importorskip("meshio")
    skfem = pytest.importorskip("skfem")
    length, E, rho = 1.0, 2e5, 7.8
    mesh = skfem.MeshQuad.init_tensor(np.linspace(0, length, 41), np.linspace(0, 0.02, 2))
    cells = [("quad", mesh.t.T)]
    meshio.Mesh(mesh.p.T, cells).write(tmp_path / "bar.vtk")
    options = {"E": E, "nu": 0.0, "rho": rho, "fixed": lambda x: x[0] < 1e-9, "thickness": 0.1}
    system = elastic_body(tmp_path / "bar.vtk", **options, f=(3.0, 0.0))
    assert system.nv == 80 * 2
    M, K = system.M.toarray(), system.K.toarray()
    values, shapes = eigh(K, M)
    along = [name.endswith(".x") for name in system.names]
    share = (shapes[along] ** 2).sum(axis=0) / (shapes**2).sum(axis=0)
    first = np.sqrt(values[share > 0.99][0])
    assert first == pytest.approx(np.pi / 2 / length * np.sqrt(E / rho), rel=2e-4)
    tip = np.linalg.solve(K, system.f)[[k for k, name in enumerate(system.names) if name.endswith(".x")]].max()
    assert tip == pytest.approx(3.0 * length**2 / (2 * E), rel=1e-3)
    assert M.sum() / 2 == pytest.approx(rho * length * 0.02 * 0.1, rel=0.03)
    iso.integrate(system, dt=1e-3, t_end=0.01)


def test_meshes_that_do_not_fit(tmp_path: Path) -> None:
    pytest.importorskip("meshio")
    skfem = pytest.importorskip("skfem")
    mesh = skfem.MeshTet.init_tensor(*(np.linspace(0, 1, 2),) * 3)
    meshio_mesh = import_module("skfem.io.meshio").to_meshio(mesh)
    with pytest.raises(InputError, match="no boundary 'left'"):
        elastic_body(meshio_mesh, E=1.0, nu=0.3, rho=1.0, fixed="left")
    with pytest.raises(InputError, match="no node"):
        elastic_body(meshio_mesh, E=1.0, nu=0.3, rho=1.0, fixed=lambda x: x[0] > 9)
    with pytest.raises(InputError, match="nu must lie"):
        elastic_body(meshio_mesh, E=1.0, nu=0.5, rho=1.0)
    with pytest.raises(InputError, match="there is no file"):
        elastic_body(tmp_path / "no.msh", E=1.0, nu=0.3, rho=1.0)
    free = elastic_body(meshio_mesh, E=1.0, nu=0.3, rho=2.0)
    assert (np.abs(np.linalg.eigvalsh(free.K.toarray())) < 1e-12).sum() == 6  # rigid motions
    assert free.M.sum() == pytest.approx(3 * 2.0)


# ---- URDF

ARM = """
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 -0.25" rpy="0 0 0.3"/><mass value="2"/>
      <inertia ixx="0.05" iyy="0.04" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <link name="lower">
    <inertial><origin xyz="0 0 -0.2"/><mass value="1"/>
      <inertia ixx="0.02" iyy="0.02" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="tool"/>
  <link name="finger">
    <inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1" rpy="0 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 -0.5"/><axis xyz="0 1 0"/></joint>
  <joint name="mount" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 -0.4"/></joint>
  <joint name="grip" type="prismatic"><parent link="tool"/><child link="finger"/><axis xyz="1 0 0"/></joint>
  <transmission name="t1"/>
</robot>
"""


def by_hand(first: float, second: float) -> iso.Mechanism:
    """The same arm with the API, at these angles."""

    def turn(angle: float) -> Any:
        c, s = np.cos(angle), np.sin(angle)
        return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])

    mech = iso.Mechanism()
    c, s = np.cos(0.3), np.sin(0.3)
    Z = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    R1, R2 = turn(first), turn(first + second)
    elbow = np.array([0, 0, 1]) + R1 @ [0, 0, -0.5]
    tool = elbow + R2 @ [0, 0, -0.4]
    J = Z @ np.diag([0.05, 0.04, 0.01]) @ Z.T
    mech.add_body("upper", 2.0, 0.5 * (J + J.T), (0, 0, 1), R1, centre_of_mass=(0, 0, -0.25))
    mech.add_body("lower", 1.0, (0.02, 0.02, 0.005), elbow, R2, centre_of_mass=(0, 0, -0.2))
    mech.add_body("finger", 0.1, (1e-4, 1e-4, 1e-4), tool, R2)
    mech.add_joint(iso.Hinge("shoulder", "ground", "upper", point=(0, 0, 1), axis=(0, 1, 0), start=first))
    mech.add_joint(iso.Hinge("elbow", "upper", "lower", point=elbow, axis=(0, 1, 0), start=second))
    mech.add_joint(iso.Prismatic("grip", "lower", "finger", point=tool, axis=R2 @ [1, 0, 0]))
    mech.add_load(iso.JointSpring("shoulder_damping", "shoulder", damping=0.1))
    friction = "-0.2*tanh(shoulder.angle_rate/0.01)"
    mech.add_load(iso.FormulaMotor("shoulder_friction", "shoulder", friction))
    return mech


def test_an_arm_from_urdf_moves_like_the_one_made_by_hand(tmp_path: Path) -> None:
    """Frames, inertias in axes of their own, massless tool, damping; start by forward
    kinematics."""
    (tmp_path / "arm.urdf").write_text(ARM)
    found = read_urdf(tmp_path / "arm.urdf", positions={"shoulder": 0.4, "elbow": -0.9})
    sols = [iso.integrate(mech.compile(), dt=0.005, t_end=0.5) for mech in (found.mechanism, by_hand(0.4, -0.9))]
    assert sols[0].q == pytest.approx(sols[1].q, abs=1e-10)
    assert found.ground == ("base",)
    text = "; ".join(found.unsupported)
    for word in ("<transmission>", "friction", "limits", "effort"):
        assert word in text


def test_limits_mimics_and_floating_bases() -> None:
    limited = read_urdf(ARM, limit_stiffness=1e3).mechanism
    assert "shoulder_limit" in limited.loads
    mimic = ARM.replace(
        '<axis xyz="0 1 0"/></joint>', '<axis xyz="0 1 0"/><mimic joint="shoulder" multiplier="-2"/></joint>'
    )
    mech = read_urdf(mimic).mechanism
    sol = iso.integrate(mech.compile(), dt=0.005, t_end=0.2)
    assert sol.joint("elbow").angle == pytest.approx(-2 * sol.joint("shoulder").angle, abs=1e-9)
    assert read_urdf(mimic, positions={"shoulder": 0.4}).mechanism.joints["elbow"].start == pytest.approx(-0.8)
    with pytest.raises(InputError, match=r"must start at -0\.8"):
        read_urdf(mimic, positions={"shoulder": 0.4, "elbow": 0.0})
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    heavy = f'<link name="base"><inertial><mass value="5"/>{inertia}</inertial></link>'
    free = ARM.replace('<link name="base"/>', heavy)
    assert "base" in read_urdf(free, fixed_base=False).mechanism.bodies


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<parent link="base"/>', '<parent link="bse"/>', "its parent 'bse' is no link"),
        ('type="revolute"', 'type="rotary"', "no type 'rotary'"),
        ('<mass value="2"/>', '<mass value="two"/>', "a number is needed, received 'two'"),
        ('<axis xyz="1 0 0"/>', '<axis xyz="0 0 0"/>', "no direction"),
        ('<axis xyz="1 0 0"/>', '<axis xyz="1 0"/>', "three numbers"),
        ("<robot", "<robt", "not XML|begins with <robot>"),
        ('<link name="tool"/>', '<link name="tool"/><link name="tool"/>', "a name of its own"),
        ('<link name="tool"/>', '<link name="tool"/><link name="alone"/>', "one link without parent"),
        ('<child link="finger"/>', '<child link="lower"/>', "two parents"),
    ],
)
def test_mistakes_in_urdf_are_named(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_urdf(ARM.replace(old, new, 1))
