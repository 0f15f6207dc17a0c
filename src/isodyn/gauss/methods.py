"""Every method by its name, as a plain function on arrays.

    accelerations(method)(M, Q, A, b, rcond) -> a, λ         with M a + Aᵀλ = Q and A a = b

No argument is checked here; `solve` does that and explains the answer. For all methods alike: b is
replaced by the nearest right-hand side that the rows can meet, so A a minimises |A a − b|₂ and a
minimises Gauss' function among such; λ has least Euclidean norm in the user's rows. Both follow
from one rank decision (`rank.decide`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import scipy.sparse as sp

from isodyn.gauss import checks, formulas, square_roots
from isodyn.gauss.formulas import Answer
from isodyn.gauss.regularised import regularised
from isodyn.gauss.sparse_mass import sparse_non_symmetric, sparse_range_space
from isodyn.linear_solvers.rank import FloatArray, Rank, decide

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

Method = Literal[
    "square-root",
    "square-root/denman-beavers",
    "square-root/schur",
    "cholesky",
    "range-space",
    "regularised",
    "block-cholesky",
    "non-symmetric",
    "null-space/partitioning",
    "null-space/qr",
    "null-space/putd",
    "null-space/zero-eigenvalue",
    "null-space/svd",
    "null-space/schur",
]
METHODS: tuple[Method, ...] = get_args(Method)
# keep sparse matrices sparse
SPARSE: tuple[Method, ...] = ("range-space", "regularised", "non-symmetric")

Formula = Callable[[Any, FloatArray, Any, FloatArray, Rank], Answer]


def formula(method: Method) -> Formula:
    """The formula of a method, for right-hand sides that can be met, on a rank that is decided."""
    checks.method_name(method, METHODS)
    return BY_NAME[method]


def accelerations(method: Method) -> Callable[..., Answer]:
    """Return the function (M, Q, A, b, rcond=None) → (a, λ) of a method.

    It takes float64 arrays; M and A may be sparse for the methods in `SPARSE`. The function of
    "non-symmetric" takes A_star as a further argument.

    Parameters
    ----------
    method
        Name of the method.

    Returns
    -------
    function
        The function.

    Raises
    ------
    InputError
        If the method is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import accelerations
    >>> a, lam = accelerations("range-space")(np.eye(1), np.ones(1), np.ones((1, 1)), np.zeros(1))
    >>> a.tolist(), lam.tolist()
    ([0.0], [1.0])
    """
    apply = formula(method)

    def solve(M: Matrix, Q: FloatArray, A: Matrix, b: FloatArray, rcond: float | None = None) -> Answer:
        return on_rank(apply, M, Q, A, b, decide(A, M.diagonal(), rcond))

    def solve_non_symmetric(
        M: Matrix, Q: FloatArray, A: Matrix, b: FloatArray, rcond: float | None = None, A_star: Matrix | None = None
    ) -> Answer:
        return on_rank(with_trial_rows(A_star), M, Q, A, b, decide(A, None, rcond))

    return solve if method != "non-symmetric" else solve_non_symmetric


def on_rank(apply: Formula, M: Matrix, Q: FloatArray, A: Matrix, b: FloatArray, rank: Rank) -> Answer:
    """The formula between the two projections that redundant rows need."""
    a, lam = apply(M, Q, A, rank.attainable(b), rank)
    return a, rank.least_norm(lam)


def _range_space(M: Matrix, Q: FloatArray, A: Matrix, b: FloatArray, rank: Rank) -> Answer:
    sparse = sp.issparse(M) or sp.issparse(A)
    return (sparse_range_space if sparse else formulas.range_space)(M, Q, A, b, rank)


def _non_symmetric(
    M: Matrix, Q: FloatArray, A: Matrix, b: FloatArray, rank: Rank, A_star: FloatArray | None = None
) -> Answer:
    sparse = sp.issparse(M) or sp.issparse(A) or sp.issparse(A_star)
    return (sparse_non_symmetric if sparse else formulas.non_symmetric)(M, Q, A, b, rank, A_star)


def with_trial_rows(A_star: Matrix) -> Formula:
    """The non-symmetric formula with rows A* in the trial variables."""
    return partial(_non_symmetric, A_star=A_star)


BY_NAME: dict[Method, Formula] = {
    "square-root": partial(formulas.square_root, root=square_roots.spectral),
    "square-root/denman-beavers": partial(formulas.square_root, root=square_roots.denman_beavers),
    "square-root/schur": partial(formulas.square_root, root=square_roots.schur_root),
    "cholesky": formulas.cholesky,
    "range-space": _range_space,
    "regularised": regularised,
    "block-cholesky": formulas.block_cholesky,
    "non-symmetric": _non_symmetric,
    "null-space/partitioning": partial(formulas.null_space, basis="partitioning"),
    "null-space/qr": partial(formulas.null_space, basis="qr"),
    "null-space/putd": partial(formulas.null_space, basis="putd"),
    "null-space/zero-eigenvalue": partial(formulas.null_space, basis="zero-eigenvalue"),
    "null-space/svd": partial(formulas.null_space, basis="svd"),
    "null-space/schur": partial(formulas.null_space, basis="schur"),
}
