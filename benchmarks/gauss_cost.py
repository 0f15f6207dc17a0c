"""What the forms of Gauss' principle cost, against the operation counts printed in §6 of Fumagalli
and Masarati (2009).

    form                      printed count, full matrices
    square root, spectral     12 n³              + 2n²m + SVD,    SVD = 4n²m + 8nm² + 9m³
    square root, Schur        50/3 n³            + 2n²m + SVD
    square root, D.–B.        7 × 2 n³           + 2n²m + SVD     (no count is printed: two inverses of n³ each in every iteration)
    Cholesky                  n³/3               +  n²m + SVD
    range space, printed      n³/3               +  n²m + nm² + 12 m³      pseudo-inverse of A M⁻¹Aᵀ by its spectrum
    range space, isodyn       n³/3               +  n²m + nm² + m³/3       Cholesky of the independent rows

Times are processor times on one thread, without the rank decision, which has a line of its own: a
pivoted QR, 2nm². The claims to be checked: the range-space form costs least, then Cholesky, then
every square root; a Cholesky factor is more than 30 times cheaper than a root.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.common import RESULTS, seconds, write
from scipy.linalg import lapack

from isodyn.gauss import decide, denman_beavers, schur_root, spectral
from isodyn.gauss.formulas import factor
from isodyn.gauss.methods import formula

SIZES = (10, 20, 50, 100, 200, 400, 800)
SHARES = (0.1, 0.25, 0.5)
SAMPLES, BUDGET = 5, 0.05  # medians of this many stretches of at least so many seconds
ITERATIONS = 7  # of Denman and Beavers, typical for the masses below


def singular_values(n: int, m: int) -> float:
    return 4.0 * n**2 * m + 8.0 * n * m**2 + 9.0 * m**3


COUNTS: dict[str, Callable[[int, int], float]] = {
    "square root, spectral": lambda n, m: 12 * n**3 + 2 * n**2 * m + singular_values(n, m),
    "square root, Schur": lambda n, m: 50 / 3 * n**3 + 2 * n**2 * m + singular_values(n, m),
    "square root, D.–B.": lambda n, m: 2 * ITERATIONS * n**3 + 2 * n**2 * m + singular_values(n, m),
    "Cholesky": lambda n, m: n**3 / 3 + n**2 * m + singular_values(n, m),
    "range space, printed": lambda n, m: n**3 / 3 + n**2 * m + n * m**2 + 12 * m**3,
    "range space, isodyn": lambda n, m: n**3 / 3 + n**2 * m + n * m**2 + m**3 / 3,
}


def printed_range_space(M: Any, Q: Any, A: Any, b: Any, rank: Any) -> Any:
    """(46) with the pseudo-inverse of the whole A M⁻¹Aᵀ, from its eigenvalues."""
    U = factor(M)
    a_f = lapack.dpotrs(U, Q)[0]
    H = lapack.dtrtrs(U, A.T, trans=1)[0]
    lam = -np.linalg.pinv(H.T @ H, rcond=1e-14, hermitian=True) @ (b - A @ a_f)
    return a_f - lapack.dtrtrs(U, H @ lam)[0], lam


FORMS: dict[str, Any] = {
    "square root, spectral": formula("square-root"),
    "square root, Schur": formula("square-root/schur"),
    "square root, D.–B.": formula("square-root/denman-beavers"),
    "Cholesky": formula("cholesky"),
    "range space, printed": printed_range_space,
    "range space, isodyn": formula("range-space"),
}


def problem(n: int, m: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n + m)
    X = rng.standard_normal((n, n))
    M = X @ X.T / n + np.eye(n)
    A = rng.standard_normal((m, n))
    return M, rng.standard_normal(n), A, rng.standard_normal(m), decide(A, M.diagonal())


def median(function: Callable[[], Any]) -> float:
    function()
    once = max(seconds(function), 1e-6)
    calls = max(1, round(BUDGET / once))
    return float(np.median([seconds(function, calls) for _ in range(SAMPLES if once < 1.0 else 2)]))


def measure() -> dict[str, Any]:
    """Seconds by share m/n, then form, one entry for each size; and those of the factors of M
    alone."""
    times: dict[str, dict[str, list[float]]] = {}
    for share in SHARES:
        table: dict[str, list[float]] = {name: [] for name in [*FORMS, "rank decision"]}
        for n in SIZES:
            M, Q, A, b, rank = problem(n, max(1, round(share * n)))
            answers = []
            for name, apply in FORMS.items():
                answers.append(apply(M, Q, A, b, rank)[0])
                table[name].append(median(lambda apply=apply: apply(M, Q, A, b, rank)))  # noqa: B023
            table["rank decision"].append(median(lambda: decide(A, M.diagonal())))  # noqa: B023
            assert all(np.allclose(a, answers[0], rtol=1e-8, atol=1e-8) for a in answers)
        times[f"{share:g}"] = table
    roots = {"Cholesky factor": factor, "spectral": spectral, "Schur": schur_root, "D.–B.": denman_beavers}
    alone: dict[str, list[float]] = {name: [] for name in roots}
    for n in SIZES:
        M = problem(n, 1)[0]
        for name, function in roots.items():
            alone[name].append(median(lambda function=function: function(M)))  # noqa: B023
    return {"times": times, "factors": alone}


def table(times: dict[str, dict[str, list[float]]]) -> str:
    """Milliseconds, and in brackets how often the range-space form of isodyn fits in:
    measured / counted."""
    last = "range space, isodyn"
    lines = []
    for share, rows in times.items():
        lines.append(f"\nm = {share} n, milliseconds (measured / printed multiples of the last form)")
        lines.append(f"{'':24s}" + "".join(f"{f'n = {n}':>22s}" for n in SIZES))
        for name in FORMS:
            cells = []
            for k, n in enumerate(SIZES):
                m = max(1, round(float(share) * n))
                counted = COUNTS[name](n, m) / COUNTS[last](n, m)
                ratio = f"({rows[name][k] / rows[last][k]:.1f}/{counted:.1f})"
                cells.append(f"{1e3 * rows[name][k]:9.3f} {ratio:>12s}")
            lines.append(f"{name:24s}" + "".join(cells))
        lines.append(f"{'rank decision':24s}" + "".join(f"{1e3 * x:9.3f} {'':12s}" for x in rows["rank decision"]))
    return "\n".join(lines)


def figure(times: dict[str, dict[str, list[float]]]) -> None:
    """Measured times as lines, printed counts dotted, at the speed that the Cholesky form reaches
    at the largest n."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, len(times), figsize=(12, 4.2), sharey=True, layout="constrained")
    for axis, (share, rows) in zip(axes, times.items(), strict=True):
        m = [max(1, round(float(share) * n)) for n in SIZES]
        speed = COUNTS["Cholesky"](SIZES[-1], m[-1]) / rows["Cholesky"][-1]
        for name in FORMS:
            (line,) = axis.loglog(SIZES, rows[name], "o-", ms=3, lw=1.2, label=name)
            counted = [COUNTS[name](n, k) / speed for n, k in zip(SIZES, m, strict=True)]
            axis.loglog(SIZES, counted, ":", lw=1, color=line.get_color())
        axis.loglog(SIZES, rows["rank decision"], "k--", lw=0.8, label="rank decision (pivoted QR)")
        axis.set(title=f"m = {share} n", xlabel="coordinates n", ylim=(5e-6, 2))
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("seconds, one thread; dotted: printed counts")
    axes[0].legend(fontsize=7)
    RESULTS.mkdir(exist_ok=True)
    fig.savefig(RESULTS / "gauss_cost.png", dpi=110)
    plt.close(fig)


def main() -> bool:
    measured = measure()
    times, factors = measured["times"], measured["factors"]
    print("Gauss' principle: cost of the forms")
    print(table(times))
    print("\nfactor of M alone, milliseconds")
    for name, row in factors.items():
        print(f"{name:24s}" + "".join(f"{1e3 * x:10.3f}" for x in row))
    gain = {name: factors[name][-1] / factors["Cholesky factor"][-1] for name in factors if name != "Cholesky factor"}
    print(
        "at the largest n a root costs as many Cholesky factors: " + ", ".join(f"{k} {v:.0f}" for k, v in gain.items())
    )
    orders = {}
    for share, rows in times.items():
        orders[share] = {str(n): sorted(FORMS, key=lambda name: rows[name][k]) for k, n in enumerate(SIZES)}
        print(f"m = {share} n, n = {SIZES[-1]}, cheapest first: " + " < ".join(orders[share][str(SIZES[-1])]))
    figure(times)
    write(
        "gauss_cost",
        {
            "clock": "processor time of the thread, rank decision apart",
            "sizes": list(SIZES),
            "seconds": {s: {k: [float(f"{x:.4g}") for x in v] for k, v in rows.items()} for s, rows in times.items()},
            "factors of M": {k: [float(f"{x:.4g}") for x in v] for k, v in factors.items()},
            "cheapest first": {s: o[str(SIZES[-1])] for s, o in orders.items()},
        },
    )
    large = [k for k, n in enumerate(SIZES) if n >= 100]
    return all(
        rows["range space, isodyn"][k] < rows["Cholesky"][k] < min(rows[name][k] for name in list(FORMS)[:3])
        for rows in times.values()
        for k in large
    )


if __name__ == "__main__":
    from benchmarks.common import pin

    pin()
    raise SystemExit(0 if main() else 1)
