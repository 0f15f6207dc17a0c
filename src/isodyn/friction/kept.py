"""Checkpoints of runs with friction: phases that are done, and the run of the present one.

    run.json        what was asked for; the same call goes on
    block-000001…   phases since the block before: times, positions, velocities and works of their rows, and what ended them
    phase-000007…   checkpoints of a phase that lasts (isodyn.results.checkpoint)

Forces and modes follow from the rows. They are computed again when a run goes on, and so are phases
that ended too soon to be written.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.friction.system import Physics
from isodyn.results.checkpoint import FORMAT, PARTS, Checkpoint, as_checkpoint
from isodyn.results.files import is_file
from isodyn.results.identity import identity as identity_of
from isodyn.results.inputs import to_json
from isodyn.results.seals import opened_json
from isodyn.results.solution import Solution
from isodyn.results.statistics import Statistics

if TYPE_CHECKING:
    from pathlib import Path

COUNTED = ("steps", "iterations", "evaluations", "factorisations", "rejected", "seconds")
AT_MOST = 200  # steps of a phase between checkpoints, where nothing is said


class KeptPhases:
    """The folder of a run with friction."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.found: list[Solution] = []  # phases of an earlier life, in order
        self.waiting: list[Solution] = []  # phases that are in no file yet
        self.number, self.replayed = 0, False  # the present phase, and whether it was found

    def begin(self, physics: Physics, options: dict[str, Any]) -> None:
        """A new folder, or all phases of one that the same run has begun."""
        kept = self.checkpoint
        digest, written = _digest(physics), {name: to_json(x) for name, x in options.items()}
        if is_file(kept.folder / "run.json"):
            identity, document = opened_json(kept.folder / "run.json", FORMAT)
            if document.get("system") != digest or document.get("options") != {**written, "friction": True}:
                raise InputError(
                    f"{kept.folder} holds another run: the system, its contacts or options differ",
                    hint="name another folder, or call again as the run was begun",
                )
            kept.identity, kept.every, kept.resumed = identity, document.get("every"), True
        kept.begin(digest, {**options, "friction": True})
        kept.settle(PARTS * AT_MOST)
        if kept.resumed:
            kept.read(lambda block: self._take(block, physics))

    def _take(self, block: dict[str, Any], physics: Physics) -> float:
        """Phases of a block."""
        found, nq, nv = [], physics.system.nq, physics.system.nv
        for k in range(int(block["phases"])):
            t, q, v, ended = (block[f"{name}_{k}"] for name in ("t", "q", "v", "ended"))
            if q.shape != (t.size, nq + 4) or v.shape != (t.size, nv + 4) or t.size < 2:
                raise ValueError(f"phase {k + 1} has the shapes {q.shape}, {v.shape}")
            numbers = dict(zip(COUNTED, block[f"counts_{k}"].tolist(), strict=True))
            whole: dict[str, Any] = {name: x if name == "seconds" else int(x) for name, x in numbers.items()}
            stats = Statistics(**whole, solver=str(block[f"solver_{k}"]))
            aux = {"event_times": [t[-1:] if over else t[:0] for over in ended]}
            zeros = np.zeros((t.size, 0))
            found.append(Solution(t, q, v, zeros, zeros, physics.system, None, stats, {}, aux))
        self.found += found
        return float(found[-1].t[-1])

    def next_phase(self) -> tuple[Solution | None, Checkpoint]:
        """The present phase as an earlier life had it, if it had; else where its run is kept."""
        self.number, self.replayed = self.number + 1, bool(self.found)
        if self.found:
            return self.found.pop(0), self.checkpoint
        return None, self.checkpoint.inside(f"phase-{self.number:06d}")

    def done(self, sol: Solution) -> None:
        """The present phase came to its end."""
        if self.replayed:
            return
        self.waiting.append(sol)
        if self.checkpoint.is_time():
            self.write()

    def write(self) -> None:
        """All phases that are in no file yet; what was kept of them on their way is no longer
        needed."""
        if not self.waiting:
            return
        block: dict[str, Any] = {"phases": len(self.waiting)}
        for k, sol in enumerate(self.waiting):
            times = sol.aux.get("event_times", [])
            block |= {f"t_{k}": sol.t, f"q_{k}": sol.q, f"v_{k}": sol.v, f"solver_{k}": sol.stats.solver}
            block[f"ended_{k}"] = np.array([len(x) > 0 for x in times], dtype=bool)
            block[f"counts_{k}"] = np.array([getattr(sol.stats, name) for name in COUNTED], dtype=np.float64)
        self.checkpoint.append(block)
        self.waiting = []
        for folder in self.checkpoint.folder.glob("phase-*"):
            shutil.rmtree(folder, ignore_errors=True)


def kept_phases(checkpoint: Checkpoint | str | Path | None) -> KeptPhases | None:
    """From what users give."""
    kept = as_checkpoint(checkpoint)
    return None if kept is None else KeptPhases(kept)


def _digest(physics: Physics) -> str:
    """What tells a system with its contacts from others."""
    system, found = physics.system, hashlib.sha256(identity_of(physics.system).encode())
    for contact, rows in zip(physics.contacts, physics.rows, strict=True):
        given = contact.name, rows, contact.mu, contact.mu_static, contact.unilateral
        found.update(repr(given).encode())
        for k in range(2):
            v = system.v0 + 0.1 * k * np.sin(1.0 + np.arange(system.nv))
            values: Sequence[Any] = (contact.directions(system.q0, 0.1 * k), contact.slip(system.q0, v, 0.1 * k))
            for value in values:
                found.update(" ".join(f"{x:.10g}" for x in np.ravel(value)).encode())
    return found.hexdigest()
