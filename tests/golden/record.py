"""What a golden run leaves, and where it was frozen.

    PYTHONPATH=src:tests python -W ignore tests/golden/record.py     # freeze all cases again, into frozen.json

Freeze only when results are meant to change, with compiled code, and say in the message of the
commit why they do. Kept are the last q and λ, counters, and a SHA-256 of the bytes of all rows. On
the kind of processor and with the packages that are named in the file, where libm and LAPACK answer
as they did, every run must come to the same bits. Elsewhere the instructions that the compiler chooses and the sums inside BLAS and libm
differ, and so they do without compilation: there, last values are compared with a tolerance.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import binding

FROZEN = Path(__file__).parent / "frozen.json"
COUNTED = ("steps", "iterations", "evaluations", "factorisations", "halvings", "round_off_stops", "rescues", "rejected")


def place() -> dict[str, str]:
    """What last bits depend on."""
    features = binding.get_host_cpu_features().flatten()
    return {
        "processor": binding.get_host_cpu_name(),
        "features": hashlib.sha256(features.encode()).hexdigest()[:16],
        "compiled": str(os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"),
        "arithmetic": arithmetic(),
        **{name: version(name) for name in ("numba", "numpy", "scipy")},
    }


def arithmetic() -> str:
    """A digest of what libm and LAPACK answer: two machines of one kind of processor may differ in
    last bits."""
    x = np.linspace(-7.0, 7.0, 4001)
    digest = hashlib.sha256()
    for function in (math.sin, math.cos, math.tan, math.exp, math.tanh, math.atan, math.cbrt):
        digest.update(np.array([function(value) for value in x]).tobytes())
    digest.update(np.array([math.atan2(value, 1.5) + abs(value) ** 1.3 for value in x]).tobytes())
    for n in range(2, 25):
        A = np.sin(np.arange(1.0, n * n + 1) ** 2).reshape(n, n)
        for answer in (*np.linalg.svd(A), np.linalg.solve(A, A[0]), A @ A, A @ A[0], np.linalg.qr(A)[1]):
            digest.update(np.ascontiguousarray(answer).tobytes())
    return digest.hexdigest()[:16]


def outcome(sol: Any) -> dict[str, Any]:
    """The last q and λ, counters and a digest of all rows of a solution, an ensemble or the parts
    of a divided system."""
    if hasattr(sol, "counts"):  # an ensemble
        counters = {name: np.asarray(values).tolist() for name, values in sol.counts.items() if name in COUNTED}
        return _rows(sol, sol.q[:, -1], sol.lam[:, -1], [sol.q, sol.v, sol.a, sol.lam], counters)
    counters = {name: int(getattr(sol.stats, name)) for name in COUNTED}
    if hasattr(sol, "parts"):
        parts = list(sol.parts.values())
        rows = [x for part in parts for x in (part.q, part.v, part.a, part.lam)]
        q = np.concatenate([part.q[-1] for part in parts])
        return _rows(sol, q, sol.lam[-1], [*rows, sol.lam], counters)
    q = sol.q[-1] if sol.q.size else sol.v[-1]  # of a first-order system
    return _rows(sol, q, sol.lam[-1], [sol.q, sol.v, sol.a, sol.lam], counters)


def _rows(sol: Any, q: Any, lam: Any, rows: list[Any], counters: dict[str, Any]) -> dict[str, Any]:
    digest = hashlib.sha256(np.ascontiguousarray(sol.t).tobytes())
    for array in rows:
        digest.update(np.ascontiguousarray(array + 0.0).tobytes())  # −0 and 0 are the same
    return {"q": _exact(q), "lam": _exact(lam), "counters": counters, "rows": digest.hexdigest()}


def _exact(x: Any) -> list[str]:
    """At most forty numbers in hexadecimal, without loss."""
    return [float(value).hex() for value in np.ravel(x)[:40]]


def numbers(texts: list[str]) -> Any:
    """The numbers of `_exact`."""
    return np.array([float.fromhex(text) for text in texts])


def main() -> None:
    from golden.cases import CASES

    frozen = {"place": place(), "cases": {name: outcome(run()) for name, run in CASES.items()}}
    FROZEN.write_text(json.dumps(frozen, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
