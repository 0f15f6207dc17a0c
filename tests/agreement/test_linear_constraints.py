"""Two oscillators tied by G q = 0 move as the one oscillator that they are together; the multiplier
is the force in the tie."""

import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso
from isodyn.errors import InputError


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_tied_masses_move_as_one(wrap):
    M, K = wrap(np.diag([1.0, 3.0])), wrap(np.diag([8.0, 4.0]))

    def load(t):
        return np.array([np.sin(t), 0.5])

    tied = iso.LinearSystem(M, None, K, load, [0.2, 0.2], [1.0, 1.0], G=[[1.0, -1.0]], row_names=["tie"])
    one = iso.LinearSystem(4.0, None, 12.0, lambda t: np.array([np.sin(t) + 0.5]), [0.2], [1.0])
    scheme = iso.Scheme.U0(0.5, 0.5, 0.5)
    sol, ref = (iso.integrate(system, scheme, dt=0.01, t_end=3.0) for system in (tied, one))
    for name in ("q", "v", "a"):
        assert np.allclose(getattr(sol, name), getattr(ref, name), rtol=0, atol=1e-10), name
    # f − M a − K q of the first mass is (Gᵀλ)₁ = λ
    force = np.sin(sol.t) - 1.0 * sol.a[:, 0] - 8.0 * sol.q[:, 0]
    errors = np.abs(sol.lam[:, 0] - force)
    assert errors.max() < 2e-3
    assert max(sol.drift().largest[:2]) < 1e-14


def test_shape_of_G():
    with pytest.raises(InputError, match=r"G must be a finite matrix with 1 columns, received shape \(1, 2\)"):
        iso.LinearSystem(1.0, None, 1.0, None, [0.0], [0.0], G=[[1.0, 2.0]])
