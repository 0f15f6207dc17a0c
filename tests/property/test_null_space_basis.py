"""The bases of reduced steps, by QR and by SVD: orthonormal rows that G does not see, for every
shape."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isodyn.stepping.null_space import qr_basis, svd_basis


@given(n=st.integers(1, 8), share=st.floats(0.0, 1.0), seed=st.integers(0, 2**31), zeros=st.booleans())
def test_orthonormal_and_unseen(n, share, seed, zeros):
    rng = np.random.default_rng(seed)
    m = round(share * n)
    G = rng.standard_normal((m, n))
    if zeros:
        G[np.abs(G) < 0.7] = 0.0
        G[np.arange(m), np.arange(m)] += 3.0  # sparse, still of full rank
    for basis in (qr_basis, svd_basis) if m else (qr_basis,):
        N = basis(G)
        assert N.shape == (n - m, n)
        assert np.abs(N @ N.T - np.eye(n - m)).max(initial=0.0) < 1e-13
        assert np.abs(G @ N.T).max(initial=0.0) < 1e-12 * max(1.0, np.abs(G).max(initial=0.0))
