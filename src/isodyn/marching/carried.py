"""What a run carries from step to step, as arrays for a checkpoint: its state and counters, and the
choice of rows and pivots, which its memory is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.linear_solvers.rows import Rows

if TYPE_CHECKING:
    from isodyn.marching.run import Run

CHOICE = ("chosen", "dropped", "diagonal", "singular_values")


def carried(run: Run) -> dict[str, Any]:
    """All that a checkpoint holds. The run forgets its factors, so that its next steps are the same
    as those of a run that is resumed here."""
    run.renew_memory()
    left = run.left
    return {
        **{f"state_{name}": value for name, value in run.state.values().items()},
        **{f"counters_{name}": value for name, value in run.counters.values().items()},
        **{name: getattr(run.independent, name) for name in CHOICE},
        "chosen_at": run.chosen_at,
        "merged": np.array(run.merged, dtype=np.int64).reshape(-1, 2),
        "other": run.other is not None,
        "refined": run.refinements(),
        "index": "" if run.index is None else str(run.index),
        "left_rows": np.array([row for row, _, _ in left], dtype=np.int64),
        "left_a": np.array([a for _, a, _ in left]).reshape(len(left), run.rows.a.shape[1]),
        "left_lam": np.array([lam for _, _, lam in left]).reshape(len(left), run.rows.lam.shape[1]),
    }


def put_back(run: Run, found: dict[str, Any]) -> None:
    """Let a run go on from a checkpoint."""
    for name in run.counters.values():
        setattr(run.counters, name, found[f"counters_{name}"])
    run.chosen_at = float(found["chosen_at"])
    run.independent = Rows(*(found[name] for name in CHOICE))
    run.merged = [(int(a), int(b)) for a, b in found["merged"]]
    if found["other"]:
        run.take_superlu()
    run.renew_memory()
    for name in run.state.values():
        setattr(run.state, name, found[f"state_{name}"])
    if run.model.sparsity is not None:
        run.memory.blocks.refined = int(found["refined"])
    rows, a, lam = found["left_rows"], found["left_a"], found["left_lam"]
    run.left = [(int(row), a[k].copy(), lam[k].copy()) for k, row in enumerate(rows)]
    run.index = str(found["index"]) or None
    run.return_to_state()
