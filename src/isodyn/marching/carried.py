"""What a run carries from step to step, as arrays for a checkpoint: its state and counters, and the
choice of rows and pivots, which its memory is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.later import Later
from isodyn.linear_solvers.rows import Rows

if TYPE_CHECKING:
    from isodyn.marching.run import Run

switched_off = Later("isodyn.mechanism.switched_off")  # mechanisms only

LEFT = ("q", "v", "a", "lam")
CHOICE = ("chosen", "dropped", "diagonal")


def carried(run: Run) -> dict[str, Any]:
    """All that a checkpoint holds. The run forgets its factors, so that its next steps are the same
    as those of a run that is resumed here."""
    run.forget()
    left = run.left
    return {
        **{f"state_{name}": value for name, value in run.state.values().items()},
        **{f"counters_{name}": value for name, value in run.counters.values().items()},
        **{name: getattr(run.independent, name) for name in CHOICE},
        "chosen_at": run.chosen_at,
        "independence": run.independence,
        "merged": np.array(run.merged, dtype=np.int64).reshape(-1, 2),
        "patient": run.patient,
        "other": run.other is not None,
        "refined": run.refinements(),
        "index": "" if run.index is None else str(run.index),
        "left_rows": np.array([limits[0] for limits in left], dtype=np.int64),
        **{
            f"left_{name}": np.array([limits[k] for limits in left]).reshape(len(left), rows.shape[1])
            for k, (name, rows) in enumerate(zip(LEFT, run.rows[1:5], strict=True), start=1)
        },
        "hold_rows": np.array([row for row, _ in run.holds], dtype=np.int64),
        "hold_masks": np.array([held for _, held in run.holds], dtype=np.int64).reshape(len(run.holds), run.system.m),
        "loads_off": np.array(run.loads_off, dtype=str),
        "switch_rows": np.array([row for row, _ in run.switched], dtype=np.int64),
        "switched": np.array(["\n".join(off) for _, off in run.switched], dtype=str),
        **({} if run.watch is None else run.watch.carried()),
        **({} if run.sampling is None else run.sampling.carried()),
    }


def put_back(run: Run, found: dict[str, Any]) -> None:
    """Let a run go on from a checkpoint."""
    for name in run.counters.values():
        setattr(run.counters, name, found[f"counters_{name}"])
    run.chosen_at, run.independence = float(found["chosen_at"]), float(found["independence"])
    run.holds = [
        (int(row), held.astype(bool)) for row, held in zip(found["hold_rows"], found["hold_masks"], strict=True)
    ]
    run.held = np.flatnonzero(run.holds[-1][1]) if run.holds else None
    if run.sampling is not None:
        run.sampling.put_back(found)
    if found["loads_off"].size:
        off = {str(name) for name in found["loads_off"]}
        run.take_model(switched_off.without_loads(run.system, off), tuple(sorted(off)))
    run.switched = [
        (int(row), tuple(str(off).split("\n")) if str(off) else ())
        for row, off in zip(found["switch_rows"], found["switched"], strict=True)
    ]
    run.independent = Rows(*(found[name] for name in CHOICE))
    run.merged = [(int(a), int(b)) for a, b in found["merged"]]
    run.patient = bool(found["patient"])
    if found["other"]:
        run.take_superlu()
    run.renew_memory()
    for name in run.state.values():
        setattr(run.state, name, found[f"state_{name}"])
    if run.model.sparsity is not None:
        run.memory.blocks.refined = int(found["refined"])
    limits = [found[f"left_{name}"] for name in LEFT]
    run.left = [(int(row), *(x[k].copy() for x in limits)) for k, row in enumerate(found["left_rows"])]
    if run.watch is not None:
        run.watch.put_back(found)
    run.index = str(found["index"]) or None
    run.return_to_state()
