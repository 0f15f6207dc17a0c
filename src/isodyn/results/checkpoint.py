"""Checkpoints: a folder to which a run appends its rows and its complete state, and from which it goes on bit for bit.

    run.json        what was asked for: options, digest of the system, text of the model file if there was one
    rows-000001…    saved rows, a file per checkpoint; each begins with the last row of the one before, which a breakpoint may change
    state.npz       everything that a run carries from step to step; replaced last, in one move

A crash at any moment leaves the state of the last checkpoint and the rows that belong to it. At a checkpoint a run forgets its factors,
also when it is not interrupted; so the steps after it are the same in both cases.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.linear_solvers.rows import Rows

if TYPE_CHECKING:
    from isodyn.integrate.run import Run

FORMAT = 2
KEPT = ("n", "q", "m", "past")  # memory of a step that the next one goes on from
MOST_BETWEEN = 10_000  # steps between checkpoints where nothing is said
PARTS = 20


def replace(path: Path, data: bytes) -> None:
    """Write a file so that at every moment either the old or the new one is there."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    if os.name == "nt":  # folders cannot be opened there
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def packed(**arrays: Any) -> bytes:
    """Arrays as the bytes of an npz file."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def unpacked(path: Path) -> dict[str, Any]:
    """Arrays of an npz file."""
    try:
        with np.load(path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except FileNotFoundError:
        raise InputError(
            f"the checkpoint has no {path.name}", hint=f"{path.parent} was moved, or only a part of it"
        ) from None
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        raise InputError(
            f"{path} cannot be read: {error}", hint="it was not written by isodyn, or is damaged"
        ) from None


@dataclass(eq=False)
class Checkpoint:
    """A folder for the checkpoints of one run, every so many steps; `model` is the text it came from."""

    folder: Path
    every: int | None = None
    model: dict[str, Any] | None = None
    resumed: bool = False
    begun: bool = field(default=False, init=False)
    _chunks: int = field(default=0, init=False)
    _rows: int = field(default=0, init=False)  # how many are on disk
    _steps: int = field(default=0, init=False)

    def begin(self, system: Any, options: dict[str, Any]) -> None:
        """Set up the folder of a new run; that of another run is not overwritten."""
        from isodyn.results.inputs import fingerprint, to_json

        self.begun = True
        if self.resumed:
            return
        if self.every is not None and (
            isinstance(self.every, bool) or not isinstance(self.every, int) or self.every < 1
        ):
            raise InputError(f"checkpoints are made every so many steps, at least 1, received {self.every!r}")
        if (self.folder / "state.npz").exists():
            raise InputError(f"{self.folder} holds the checkpoint of a run", hint="resume it, or remove the folder")
        left = re.compile(
            r"run\.json|rows-\d+\.npz|\.(run\.json|rows-\d+\.npz|state\.npz)\.\d+"
        )  # of a run that saved no state
        if self.folder.exists() and (
            not self.folder.is_dir() or not all(left.fullmatch(path.name) for path in self.folder.iterdir())
        ):
            raise InputError(f"{self.folder} exists and is no empty folder", hint="name a new one for checkpoints")
        self.folder.mkdir(parents=True, exist_ok=True)
        document = {
            "format": FORMAT,
            "system": fingerprint(system),
            "options": {name: to_json(value) for name, value in options.items()},
            "every": self.every,
            "model": self.model,
        }
        replace(self.folder / "run.json", json.dumps(document, indent=1).encode())

    # ---- when

    def settle(self, total_steps: int) -> None:
        """Choose the distance of checkpoints where it was left open."""
        if self.every is None:
            self.every = max(1, min(MOST_BETWEEN, total_steps // PARTS))

    def room(self, steps: int) -> int:
        """Steps until the next checkpoint."""
        assert self.every is not None
        return self.every - steps % self.every

    def due(self, steps: int) -> bool:
        """Whether one belongs after so many steps."""
        assert self.every is not None
        return steps % self.every == 0

    # ---- out and in

    def write(self, run: Run) -> None:
        """Rows since the last checkpoint, then the state; the run forgets its factors."""
        from isodyn.integrate import work

        kept = {name: getattr(run.work, name).copy() for name in KEPT}
        run.renew_memory()
        for name, values in kept.items():
            getattr(run.work, name)[:] = values
        run.full = None
        k, steps = int(run.count[work.ROWS]), int(run.count[work.STEPS])
        begin = max(self._rows - 1, 0)
        rows = {name: values[begin:k] for name, values in zip(run.rows._fields, run.rows, strict=True)}
        replace(self._chunk(self._chunks + 1), packed(begin=begin, **rows))
        self._chunks, self._rows, self._steps = self._chunks + 1, k, steps
        independent = run.independent
        left = run.left
        replace(
            self.folder / "state.npz",
            packed(
                chunks=self._chunks,
                steps=steps,
                seconds=run.seconds(),
                **{f"state_{name}": value for name, value in zip(run.state._fields, run.state, strict=True)},
                phi=run.phi,
                chosen_at=run.chosen_at,
                count=run.count,
                chosen=independent.chosen,
                dropped=independent.dropped,
                diagonal=independent.diagonal,
                singular_values=independent.singular_values,
                merged=np.array(run.merged, dtype=np.int64).reshape(-1, 2),
                other=run.other is not None,
                near=run.work.near,
                refined=run.refinements(),
                **kept,
                ranks=run.ranks[:k],
                left_rows=np.array([row for row, _, _ in left], dtype=np.int64),
                left_a=np.array([a for _, a, _ in left]).reshape(len(left), run.rows.a.shape[1]),
                left_lam=np.array([lam for _, _, lam in left]).reshape(len(left), run.rows.lam.shape[1]),
            ),
        )

    def restore(self, run: Run) -> int:
        """The state of the last checkpoint into a run; how many steps are done. Nothing where there is none yet."""
        if not self.resumed or not (self.folder / "state.npz").exists():
            return 0
        from isodyn.linear_solvers.block_layout import REFINED

        found = unpacked(self.folder / "state.npz")
        self._chunks, self._steps = int(found["chunks"]), int(found["steps"])
        for number in range(1, self._chunks + 1):
            chunk = unpacked(self._chunk(number))
            begin = int(chunk["begin"])
            for name, values in zip(run.rows._fields, run.rows, strict=True):
                values[begin : begin + len(chunk[name])] = chunk[name]
            self._rows = begin + len(chunk["t"])
        for name, values in zip(run.state._fields, run.state, strict=True):
            values[:] = found[f"state_{name}"]
        run.phi, run.chosen_at = float(found["phi"]), float(found["chosen_at"])
        run.count[:] = found["count"]
        run.independent = Rows(*(found[name] for name in ("chosen", "dropped", "diagonal", "singular_values")))
        run.merged = [(int(a), int(b)) for a, b in found["merged"]]
        if found["other"]:
            run.take_superlu()
        run.renew_memory()
        for name in ("near", *KEPT):
            getattr(run.work, name)[:] = found[name]
        if run.model.sparsity is not None:
            run.pivots[REFINED] = int(found["refined"])
        run.ranks[: len(found["ranks"])] = found["ranks"]
        rows, a, lam = found["left_rows"], found["left_a"], found["left_lam"]
        run.left = [(int(row), a[k].copy(), lam[k].copy()) for k, row in enumerate(rows)]
        run.before = float(found["seconds"])
        return self._steps

    def finish(self, run: Run) -> None:
        """The last state, so that a finished run is found finished."""
        from isodyn.integrate import work

        if int(run.count[work.STEPS]) != self._steps:
            self.write(run)

    def _chunk(self, number: int) -> Path:
        return self.folder / f"rows-{number:06d}.npz"


def as_checkpoint(value: Any) -> Checkpoint | None:
    """A checkpoint from what users give: a path, or one of these."""
    if value is None or isinstance(value, Checkpoint):
        return value
    if not isinstance(value, str | Path):
        raise InputError(f"checkpoint takes the path of a folder, received {value!r}")
    return Checkpoint(Path(value))
