"""Linear systems from files: matrices of other programs, and meshes.

    M q'' + C q' + K q = f(t)      M, C, K from Matrix Market (.mtx, .mtx.gz), SciPy sparse (.npz) or NumPy (.npy, .npz) files

`elastic_body` assembles mass and stiffness of an isotropic elastic body on a mesh that meshio
reads, with linear elements of scikit-fem: K = ∫ σ(u):ε(w),  σ = λ tr ε I + 2μ ε,  M = ∫ ρ u·w.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.later import Later
from isodyn.later import load as load_modules
from isodyn.models.matrix_market import read_market
from isodyn.results.files import is_file
from isodyn.systems.linear import LinearSystem

if TYPE_CHECKING:
    from meshio import Mesh
    from skfem import Basis
    from skfem import Mesh as Domain

    from isodyn.kernels.compiled import FloatArray, IntArray
    from isodyn.open_types import Matrix

meshio, skfem, skfem_helpers = Later("meshio"), Later("skfem"), Later("skfem.helpers")
skfem_meshio, elasticity = Later("skfem.io.meshio"), Later("skfem.models.elasticity")

UNREADABLE = (
    ValueError,
    OSError,
    EOFError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    MemoryError,
)
UNREADABLE += (zipfile.BadZipFile, zlib.error, RecursionError, NotImplementedError, SyntaxError, TokenError)  # type: ignore[assignment]


def read_matrix(path: str | Path) -> Matrix:
    """Read a matrix or vector from a file, sparse if the file is.

    Parameters
    ----------
    path
        Matrix Market (.mtx, .mtx.gz), SciPy sparse (.npz) or NumPy (.npy, .npz).

    Returns
    -------
    matrix
        The matrix.

    Raises
    ------
    InputError
        If the file cannot be read.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from isodyn.models import read_matrix
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/K.npy", np.eye(2))
    ...     K = read_matrix(f"{folder}/K.npy")
    >>> K.shape
    (2, 2)
    """
    path = Path(path)
    if not is_file(path):
        raise InputError(f"there is no file {path}")
    try:
        if path.suffix == ".npy":
            return _numbers(path, np.load(path, allow_pickle=False))
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as found:
                if "format" in found.files:
                    return _sparse(path)
                if len(found.files) != 1:
                    raise InputError(
                        f"{path} holds {len(found.files)} arrays: {', '.join(found.files)}", hint="one to a file"
                    )
                return _numbers(path, found[found.files[0]])
        if path.name.endswith((".mtx", ".mtx.gz")):
            return read_market(path)
    except UNREADABLE as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} cannot be read: {str(error)[:200] or type(error).__name__}") from None
    raise InputError(f"{path} has an ending that is not known", hint=".mtx, .mtx.gz, .npz or .npy")


def _numbers(path: Path, found: FloatArray) -> FloatArray:
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "biufc" or not 1 <= found.ndim <= 2:
        raise InputError(f"{path} holds no matrix or vector of numbers")
    return found


def _sparse(path: Path) -> Matrix:
    """A matrix of `scipy.sparse.save_npz`; places outside of it would be written to memory that is
    not its own."""
    found = sp.load_npz(path)
    if found.format in ("csr", "csc", "bsr"):
        found.check_format(full_check=True)
    elif (
        found.format == "coo"
        and found.nnz
        and not (
            (found.row >= 0).all()
            and (found.col >= 0).all()
            and found.row.max() < found.shape[0]
            and found.col.max() < found.shape[1]
        )
    ):
        raise InputError(f"{path} has places outside of its {found.shape[0]} × {found.shape[1]}")
    _numbers(path, np.atleast_1d(found.data))
    return sp.csr_matrix(found)


def linear_system(
    M: Matrix,
    K: Matrix,
    C: Matrix | None = None,
    f: object | None = None,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    *,
    G: Matrix | None = None,
    names: Sequence[str] | None = None,
    indefinite: bool = False,
) -> LinearSystem:
    """Return a `LinearSystem` whose matrices and vectors may be files.

    Parameters
    ----------
    M, K, C
        Matrices, or paths.
    f
        Load: a constant vector, a path, a function of time or None.
    q0, v0
        Start, or paths; at rest in zero if left out.
    G
        Matrix of constraints, or a path.
    names
        Names of the coordinates.
    indefinite
        Accept a K with a negative eigenvalue.

    Returns
    -------
    system
        The system.

    Raises
    ------
    InputError
        If a file cannot be read, or sizes do not fit.

    Examples
    --------
    >>> from isodyn.models import linear_system
    >>> linear_system([[1.0]], [[4.0]], q0=[1.0]).nq
    1
    """
    given = {"M": M, "K": K, "C": C, "f": f, "q0": q0, "v0": v0, "G": G}
    found = {name: read_matrix(x) if isinstance(x, str | Path) else x for name, x in given.items()}
    size = np.shape(found["M"])
    for name in ("M", "K", "C"):
        x = found[name]
        if x is None:
            continue
        shape = np.shape(x)
        if len(shape) != 2 or shape[0] != shape[1] or shape != size:
            source = f" ({given[name]})" if isinstance(given[name], str | Path) else ""
            raise InputError(
                f"{name}{source} has the shape {shape}; all matrices must be square and as large as M, {size}"
            )
        values = x.data if sp.issparse(x) else np.asarray(x)
        if np.iscomplexobj(values):
            raise InputError(f"{name} is complex", hint="real matrices are needed")
        if not np.isfinite(values).all():
            raise InputError(f"{name} has entries that are not finite")
    n = size[0]
    for name in ("f", "q0", "v0"):
        if found[name] is not None and not callable(found[name]):
            found[name] = np.ravel(found[name].toarray() if sp.issparse(found[name]) else found[name])
    q, v = (np.zeros(n) if found[name] is None else found[name] for name in ("q0", "v0"))
    return LinearSystem(
        found["M"], found["C"], found["K"], found["f"], q, v, G=found["G"], names=names, indefinite=indefinite
    )


def elastic_body(
    mesh: str | Path | Mesh,
    *,
    E: float,
    nu: float,
    rho: float,
    fixed: str | Callable[[Any], Any] | None = None,
    f: object | None = None,
    thickness: float = 1.0,
    plane: str = "stress",
    damping: Mapping[str, float] | None = None,
) -> LinearSystem:
    """Return an elastic body on a mesh of triangles, quadrilaterals, tetrahedra or hexahedra.

    Parameters
    ----------
    mesh
        A file that meshio reads, or a mesh of meshio.
    E
        Modulus of elasticity.
    nu
        Poisson's ratio.
    rho
        Density.
    fixed
        A named group of the boundary, or a function of coordinates (dim, k) that is true for fixed
        nodes.
    f
        Constant force per volume.
    thickness
        Thickness of a body in the plane.
    plane
        "stress" or "strain".
    damping
        alpha and beta of C = αM + βK.

    Returns
    -------
    system
        The system.

    Raises
    ------
    InputError
        If the mesh cannot be used, a number is out of range, or a package is missing.

    Examples
    --------
    >>> import meshio, numpy as np
    >>> from isodyn.models import elastic_body
    >>> points = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> mesh = meshio.Mesh(points, [("quad", np.array([[0, 1, 2, 3]]))])
    >>> elastic_body(mesh, E=1e6, nu=0.3, rho=1.0, fixed=lambda x: x[0] < 1e-9).nq
    4
    """
    try:
        load_modules(meshio, skfem)
    except ImportError:
        raise InputError("meshes need meshio and scikit-fem", hint="pip install 'isodyn[interchange,fem]'") from None
    for name, value in (("E", E), ("rho", rho), ("thickness", thickness)):
        if not (np.isfinite(value) and value > 0):
            raise InputError(f"{name} must be positive, received {value!r}")
    if not -1 < nu < 0.5:
        raise InputError(f"nu must lie between -1 and 0.5, received {nu!r}")
    if plane not in ("stress", "strain"):
        raise InputError(f"plane must be 'stress' or 'strain', received {plane!r}")
    domain, element = _domain(mesh)
    dim = domain.p.shape[0]
    lam, mu = elasticity.lame_parameters(E, nu)
    if dim == 2 and plane == "stress":
        lam = 2 * lam * mu / (lam + 2 * mu)
    basis = skfem.Basis(domain, skfem.ElementVector(element), intorder=2)
    t = thickness if dim == 2 else 1.0
    K = t * elasticity.linear_elasticity(lam, mu).assemble(basis)
    M = t * rho * skfem.BilinearForm(lambda u, w, _: skfem_helpers.dot(u, w)).assemble(basis)
    load = None
    if f is not None:
        force = np.asarray(f, dtype=np.float64)
        if force.shape != (dim,):
            raise InputError(f"f must be {dim} numbers, a force per volume, received {f!r}")
        load = t * skfem.LinearForm(lambda w, _: sum(force[i] * w[i] for i in range(dim))).assemble(basis)
    free = np.setdiff1d(np.arange(basis.N), _held(basis, domain, fixed))
    if free.size == 0:
        raise InputError("nothing of the body is free to move")
    places = {int(k): f"{int(node)}.{'xyz'[i]}" for i, row in enumerate(basis.nodal_dofs) for node, k in enumerate(row)}
    M, K = (sp.csr_matrix(x)[free][:, free] for x in (M, K))
    zero = np.zeros(free.size)
    return LinearSystem(
        M,
        _damping(damping, M, K),
        K,
        None if load is None else load[free],
        zero,
        zero,
        names=[places[int(k)] for k in free],
    )


def _domain(mesh: str | Path | Mesh) -> tuple[Any, Any]:
    """The mesh of scikit-fem and its scalar element."""
    if isinstance(mesh, str | Path):
        if not Path(mesh).is_file():
            raise InputError(f"there is no file {mesh}")
        try:
            mesh = meshio.read(mesh)
        except Exception as error:  # meshio raises what its readers raise
            raise InputError(f"{mesh} cannot be read as a mesh: {error}") from error
    try:
        domain = skfem_meshio.from_meshio(mesh)
    except (NotImplementedError, KeyError, ValueError) as error:
        raise InputError(
            f"scikit-fem cannot use this mesh: {error}", hint="triangles, quadrilaterals, tetrahedra, hexahedra"
        ) from error
    elements = {
        skfem.MeshTri1: skfem.ElementTriP1,
        skfem.MeshQuad1: skfem.ElementQuad1,
        skfem.MeshTet1: skfem.ElementTetP1,
        skfem.MeshHex1: skfem.ElementHex1,
    }
    if type(domain) not in elements:
        raise InputError(
            f"elements of the kind {type(domain).__name__} are not covered", hint="linear ones in plane or space"
        )
    return domain, elements[type(domain)]()


def _damping(damping: Mapping[str, float] | None, M: Matrix, K: Matrix) -> Matrix:
    """αM + βK."""
    if damping is None:
        return None
    unknown = set(damping) - {"alpha", "beta"}
    if unknown:
        raise InputError(f"damping has alpha and beta, received {', '.join(sorted(unknown))}")
    return damping.get("alpha", 0.0) * M + damping.get("beta", 0.0) * K


def _held(basis: Basis, domain: Domain, fixed: str | Callable[[FloatArray], ArrayLike] | None) -> IntArray:
    if fixed is None:
        return np.zeros(0, dtype=np.int64)
    if isinstance(fixed, str):
        groups = domain.boundaries or {}
        if fixed not in groups:
            raise InputError(
                f"the mesh has no boundary {fixed!r}", hint=f"it has: {', '.join(groups) or 'none with a name'}"
            )
        return basis.get_dofs(fixed).flatten()
    nodes = np.flatnonzero(np.asarray(fixed(domain.p)))
    if nodes.size == 0:
        raise InputError("no node of the mesh is fixed by the function")
    return basis.nodal_dofs[:, nodes].ravel()
