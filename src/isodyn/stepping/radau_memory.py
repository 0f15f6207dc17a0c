"""Coefficients and named memory of Radau IIA of order 5 (isodyn.stepping.radau).

    A⁻¹ = T diag(γ₁, Γ) T⁻¹,    γ₁ = 3 + 3^(2/3) − 3^(1/3),    γ₂ = 3 + (3^(1/3) − 3^(2/3))/2 + i (3^(5/6) + 3^(7/6))/2

The first column of T is the eigenvector x₁ of γ₁, the others are Re x₂ and Im x₂. With W = T⁻¹Z the
rows W₂ + i W₃ are multiplied by the conjugate of γ₂ [Hairer1996 Sec. IV.8].
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.struct import Struct, integer, integers, real, reals

STAGES = 3
LAST = STAGES - 1  # which is the end of the step
ROOT = float(np.sqrt(6.0))
NODES = np.array([(4.0 - ROOT) / 10.0, (4.0 + ROOT) / 10.0, 1.0])
WEIGHTS = np.array(
    [
        [(88.0 - 7.0 * ROOT) / 360.0, (296.0 - 169.0 * ROOT) / 1800.0, (-2.0 + 3.0 * ROOT) / 225.0],
        [(296.0 + 169.0 * ROOT) / 1800.0, (88.0 + 7.0 * ROOT) / 360.0, (-2.0 - 3.0 * ROOT) / 225.0],
        [(16.0 - ROOT) / 36.0, (16.0 + ROOT) / 36.0, 1.0 / 9.0],
    ]
)
INVERSE = np.linalg.inv(WEIGHTS)
# weights of the stages in the embedded error [Hairer1996 Sec. IV.8]
EMBEDDED = np.array([-13.0 - 7.0 * ROOT, -13.0 + 7.0 * ROOT, -1.0]) / 3.0
GAMMA = float(3.0 + 3.0 ** (2 / 3) - 3.0 ** (1 / 3))
GAMMA_RE = float(3.0 + 0.5 * (3.0 ** (1 / 3) - 3.0 ** (2 / 3)))
GAMMA_IM = float(0.5 * (3.0 ** (5 / 6) + 3.0 ** (7 / 6)))


def _transformation() -> FloatArray:
    """T: eigenvectors as products of two rows of A⁻¹ − γ, which they are orthogonal to."""
    columns = []
    for gamma in (GAMMA, GAMMA_RE + 1j * GAMMA_IM):
        rows = INVERSE - gamma * np.eye(STAGES)
        x = np.cross(rows[0], rows[1])
        columns.append(x / x[2])
    first, other = columns
    return np.ascontiguousarray(np.array([first.real, other.real, other.imag]).T)


T = _transformation()
T_INVERSE = np.linalg.inv(T)

# the polynomial through the values at 0 and at the nodes: from values to powers 0 … 3
TO_POWERS = np.linalg.inv(np.vander(np.concatenate([[0.0], NODES]), increasing=True))
# and what the embedded error adds to it, so that its rate at 0 is the one there too:
# γ₁ ∫₀ˣ Π (1 − s/c_i) ds in powers 0 … 4, which is zero at the end
BENT: FloatArray = np.asarray(np.polynomial.Polynomial.fromroots(NODES).integ().coef) * (-GAMMA / np.prod(NODES))

# algebraic unknowns at the end of a step: those of the last stage, or from rows of one kind each
# (isodyn.stepping.radau_algebraic)
STAGE, ROW_BY_ROW = range(2)


class Collocation(Struct):
    """Memory of the method: what it is asked for, the stages of the last step with the polynomials
    through them, and matrices that serve as long as the iteration converges with them."""

    rtol, tolerance = real, real  # of components; of the iteration, as a part of the error allowed
    inside = real  # errors allowed in a step, as a part of those of the motion
    rounding = real  # where so much is left, one more correction is the last; not below the tolerance
    floor = real  # the same in this step, with what the rows carry
    of_rows = real  # what rounding of the rows may leave; corrections of that size shrink no more
    # what rows carry, in typical sizes: at rest, and of the speed; NaN: not known yet
    grain_at_rest, grain = real, real
    reach = real  # how far q was from zero then, in typical sizes; rounding of q comes in beyond that
    fastest, carried = real, real  # the largest speed so far, and the most that rows carried
    project = integer  # as in isodyn.stepping.dop853
    # how algebraic unknowns follow from s; and how many of them c determines as it stands
    algebraic, determined = integer, integer
    atol = reals("components")  # errors allowed of what is nearly zero
    scale = reals("components")  # errors allowed in this step
    error = reals("components")  # estimate
    # ---- the step
    t_0, t_1 = real, real
    q_0, v_0 = reals("nq"), reals("nv")
    q_rate, v_rate = reals("nq"), reals("nv")  # their rates at t_0
    Z = reals(STAGES, "nv")  # V_i − v_n
    V, V_rate = reals(STAGES, "nv"), reals(STAGES, "nv")
    Q, Q_rate, Q_before = reals(STAGES, "nq"), reals(STAGES, "nq"), reals(STAGES, "nq")
    L = reals(STAGES, "m")
    balance, gap = reals(STAGES, "nv"), reals(STAGES, "m")
    # right-hand sides, and changes of W and of the transformed multipliers
    x, x_re, x_im = reals("unknowns"), reals("unknowns"), reals("unknowns")
    size_before = real  # of the last correction
    left = real  # by the iteration, after it
    contraction = real  # θ of the iteration
    trust = real  # θ/(1 − θ), or what is expected of it at the first correction
    # the largest of these in the last iteration: its last corrections shrink faster than the first one of
    # the next, for which the matrices are older
    expected = real
    pushed, pushed_before = real, real  # what the last two corrections of algebraic unknowns did to Z
    iterations = integer
    # ---- the last accepted step, with which guesses go on
    end, length, last_error = real, real, real
    v_powers, lam_powers, q_powers = reals(4, "nv"), reals(4, "m"), reals(4, "nq")
    bend = reals("components")  # its embedded error, which the polynomials of q and v lack
    looked = reals("components")  # q and v at its second node
    longest = real  # a bound of steps, after one with which the iteration did not converge; 0: none
    asks_in = integer  # steps until it asks whether an explicit method would do; negative: never
    # ---- matrices: derivatives of the balance by a, v, q and λ; of the rows by v, q and λ
    M, C, K, B = reals("block"), reals("block"), reals("block"), reals("rows_block")
    G, H, D = reals("rows_block"), reals("rows_block"), reals("corner")
    known_at = real  # when they were computed; NaN: not at all
    renew = integer  # whether the next step needs new ones
    factors_for = real  # the step that the factors are for; NaN: there are none
    factors, factors_re, factors_im = reals("square"), reals("square"), reals("square")
    pivots, complex_pivots = integers("unknowns"), integers("unknowns")
    # addresses of sparse matrices (isodyn.stepping.radau_sparse), one in pairs; 0: they are full
    real_matrix, pair_matrix = integer, integer
    # columns of G of which no two of a colour meet in a row
    colours, colour = integer, integers("nv")
    # the enforced rows that the factors are of
    enforced, rows = integer, integers("m")
    c = reals(4)  # coefficients of a question to the model
    # memory of differences
    plus, gap_plus, moved = reals("nv"), reals("m"), reals("nq")


def memory_of(nq: int, nv: int, m: int, entries: tuple[int, int] | None = None) -> Collocation:
    """New memory, without matrices and guesses; for sparse ones how many entries J and G have."""
    unknowns = nv + m
    of_J, of_G = (nv * nv, m * nv) if entries is None else entries
    own = Collocation(
        components=nq + nv,
        nq=nq,
        nv=nv,
        m=m,
        unknowns=unknowns,
        block=of_J,
        rows_block=of_G,
        corner=m * m if entries is None else 0,
        square=unknowns * unknowns if entries is None else 0,
    )
    own.grain_at_rest = own.grain = np.nan
    own.reach = 1.0
    forget(own)
    return own


def forget(own: Collocation) -> None:
    """Nothing is known of steps before this one."""
    own.t_0 = own.end = own.known_at = own.factors_for = np.nan
    own.trust = own.expected = 1.0
    own.length = own.last_error = own.longest = 0.0
