"""What a factorisation with two solutions costs node by node and front by front, on nets, chains,
trees, stars and random graphs: the numbers that isodyn.linear_solvers.choice reckons with.

`python -m benchmarks.factors` prints measured and reckoned times, and a fit of the numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import nnls

from isodyn.linear_solvers import choice, front_tree
from isodyn.linear_solvers.blocks import Sparsity, nodes_of, pack, storage_of
from isodyn.linear_solvers.fronts import eliminate, pack_fronts
from isodyn.linear_solvers.many_solves import factorise


def joints(kind: str, n: int, rng: Any) -> tuple[int, list[tuple[int, ...]]]:
    """How many bodies, and which of them each joint joins."""
    if kind == "chain":
        return n, [(k - 1, k) if k else (0,) for k in range(n)]
    if kind == "tree":
        return n, [((k - 1) // 2, k) if k else (0,) for k in range(n)]
    if kind == "star":
        return n, [(0, k) if k else (0,) for k in range(n)]
    if kind == "ring":
        return n, [((k - 1) % n, k) for k in range(n)]
    if kind == "random":
        found = [(int(rng.integers(0, k)), k) if k else (0,) for k in range(n)]
        return n, found + [tuple(sorted(rng.choice(n, 2, replace=False).tolist())) for _ in range(n // 4)]
    if kind == "strip":
        pairs = [(3 * i + j, 3 * i + j + 1) for i in range(n) for j in range(2)]
        return 3 * n, [*pairs, *((3 * i + j, 3 * i + 3 + j) for i in range(n - 1) for j in range(3))]
    pairs = [(i * n + j, i * n + j + 1) for i in range(n) for j in range(n - 1)]
    return n * n, [*pairs, *((i * n + j, i * n + n + j) for i in range(n - 1) for j in range(n))]


def matrix(kind: str, n: int, size: int, rows: int, stiff: bool) -> tuple[Sparsity, Any, Any]:
    """Pattern and values; with `stiff`, bodies that share a joint share entries of J too."""
    rng = np.random.default_rng(0)
    bodies, pairs = joints(kind, n, rng)
    near: list[set[int]] = [{k} for k in range(bodies)]
    for pair in pairs if stiff else ():
        for body in pair:
            near[body] |= set(pair)
    unknowns = [np.concatenate([np.arange(size * b, size * b + size) for b in sorted(s)]) for s in near]
    J_lines = [unknowns[k] for k in range(bodies) for _ in range(size)]
    G_lines = [
        np.concatenate([np.arange(size * b, size * b + size) for b in pair]) for pair in pairs for _ in range(rows)
    ]
    J_starts, G_starts = (np.concatenate([[0], np.cumsum([x.size for x in y])]) for y in (J_lines, G_lines))
    J_columns, G_columns = np.concatenate(J_lines), np.concatenate(G_lines)
    J, G = 0.02 * rng.normal(size=J_columns.size), rng.normal(size=G_columns.size)
    J[np.repeat(np.arange(size * bodies), np.diff(J_starts)) == J_columns] += 2.0
    edges = size * np.arange(bodies + 1), rows * np.arange(len(pairs) + 1)
    return Sparsity(J_starts, J_columns, G_starts, G_columns, *edges), J, G


def seconds(run: Callable[[], Any], rounds: int = 9) -> float:
    """CPU time, the least of some rounds, each long enough to be measured."""
    run()
    begin = time.process_time()
    run()
    repeats = max(1, int(2e-3 / max(time.process_time() - begin, 1e-6)))
    found = []
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(repeats):
            run()
        found.append((time.process_time() - begin) / repeats)
    return min(found)


CASES = [
    *(("chain", n, size, rows, stiff) for n in (12, 100) for size, rows, stiff in ((3, 2, False), (6, 3, False), (6, 5, True))),
    *(("tree", n, size, rows, False) for n in (15, 127) for size, rows in ((3, 2), (6, 3))),
    *(("star", n, 6, 3, False) for n in (4, 8, 24)),
    *(("ring", n, 6, 3, False) for n in (6, 50)),
    *(("random", n, size, rows, False) for n in (10, 40, 120) for size, rows in ((3, 1), (6, 3))),
    *(("strip", n, 6, 2, False) for n in (8, 60)),
    *(("grid", n, 3, 1, True) for n in (3, 4, 6, 8, 16)),
    *(("grid", n, 6, 3, False) for n in (2, 3, 4, 6, 8, 12, 16)),
]  # fmt: skip


def main() -> None:
    """Measure, fit, print."""
    rows_of: dict[bool, list[Any]] = {False: [], True: []}
    times: dict[bool, list[float]] = {False: [], True: []}
    for case in CASES:
        pattern, J, G = matrix(*case)
        chosen = np.arange(pattern.m)
        nodes = nodes_of(pattern, chosen)
        waiting, found = eliminate(pattern, nodes, False), eliminate(pattern, nodes, True)
        widths, heights = choice.fronts_of(nodes, found)
        rows_of[False].append(
            [1, nodes.sizes.size, (waiting.length**2).sum(), front_tree.work_of(nodes.sizes, waiting.below)]
        )
        rows_of[True].append([1, nodes.node_of.size, front_tree.work_of(widths, heights)])
        for fronts in (False, True):
            packed = pack_fronts(pattern, nodes, found, True) if fronts else pack(pattern, chosen)
            A, fault, sizes = np.zeros(storage_of(packed)), np.zeros(1, dtype=np.int64), np.ones(packed.size)
            x, y, soft = np.ones(packed.size), np.ones(packed.size), np.zeros(pattern.m)

            def run(
                S: Any = packed,
                A: Any = A,
                given: Any = (J, G, G, soft, sizes),
                fault: Any = fault,
                x: Any = x,
                y: Any = y,
            ) -> None:
                factorise(*given, S, A, fault)
                choice.sparse_solve(A, S, np.int64(0), x, y)
                x[:] = y[:] = 1.0

            times[fronts].append(seconds(run))
    for fronts in (False, True):
        t = 1e9 * np.array(times[fronts])
        fit = nnls(np.array(rows_of[fronts], dtype=float) / t[:, None], np.ones(t.size))[0]
        print(
            "front by front:" if fronts else "node by node:", *(f"{number:.3g}" for number in fit[1:])
        )  # after the call
    for i, case in enumerate(CASES):
        pattern = matrix(*case)[0]
        nodes = nodes_of(pattern, np.arange(pattern.m))
        blocks = choice.reckoned_for_blocks(nodes, eliminate(pattern, nodes, False))
        fronts = choice.reckoned_for_fronts(nodes, eliminate(pattern, nodes, True))
        taken = "fronts" if fronts * choice.MARGIN < blocks else "blocks"
        measured = f"blocks {1e6 * times[False][i]:9.1f} fronts {1e6 * times[True][i]:9.1f} µs"
        print(f"{case!s:32} {measured}; reckoned {blocks / 1e3:9.1f} {fronts / 1e3:9.1f}: {taken}")


if __name__ == "__main__":
    main()
