"""Ensembles in portions: kept in a folder as they are done, or run by the workers of a Dask
cluster.

Members do not know of each other, so an ensemble in portions is the same ensemble. A folder holds
`run.json` with a digest of what was asked for, and one sealed file for each portion that is done;
the same call goes on with those that are missing.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isodyn.errors import DamageError, InputError, RecoveryWarning
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.marching.progress import Progress
from isodyn.results.checkpoint import LEFT, Checkpoint
from isodyn.results.ensemble import STACKED, Ensemble
from isodyn.results.ensemble_parts import from_arrays, happened, joined, to_arrays, with_events
from isodyn.results.files import make_folder, write_file
from isodyn.results.identity import identity
from isodyn.results.inputs import to_json
from isodyn.results.seals import UNFIT, opened_json, packed, sealed_json, unpacked

distributed = Later("distributed")

FORMAT = 2
PORTIONS, MOST = 10, 10_000  # how many there are, and members in one, where nothing is said
PER_WORKER = 8  # portions of each worker: few enough to cost nothing, enough to end together

Call = Callable[[tuple[Any, ...], FloatArray, FloatArray], Ensemble]


@dataclass(frozen=True, eq=False)
class Asked:
    """An ensemble that is run in portions: `call` runs some of the members."""

    systems: tuple[Any, ...]
    q0: FloatArray
    v0: FloatArray
    call: Call
    options: dict[str, Any]  # that tell this ensemble from others

    def part(self, first: int, last: int) -> tuple[tuple[Any, ...], FloatArray, FloatArray]:
        """Systems and starts of some members."""
        systems = self.systems[first:last] if len(self.systems) > 1 else self.systems
        return systems, self.q0[first:last], self.v0[first:last]


def in_portions(asked: Asked, kept: Checkpoint | None, executor: Any, progress: bool) -> Ensemble:
    """Run all portions that are not kept yet; the ensemble of all."""
    n, workers = len(asked.q0), 0 if executor is None else workers_of(executor)
    folder = None if kept is None else PortionFolder(kept, asked)
    size = max(1, min(MOST, -(-n // (PER_WORKER * workers or PORTIONS))))
    size = size if folder is None else folder.settled(size)
    cuts = [(first, min(first + size, n)) for first in range(0, n, size)]
    parts: dict[int, Ensemble] = {} if folder is None else folder.found(cuts)
    left = [k for k in range(len(cuts)) if k not in parts]
    with Progress(len(cuts), progress, "portions") as bar:
        for k, part in _run(asked, cuts, left, executor):
            if part.stopped is not None:
                break
            parts[k] = part
            if folder is not None:
                folder.write(k, part)
            bar.update(len(parts), len(parts))
    done = [parts.get(k) or _undone(asked, *cuts[k], parts) for k in range(len(cuts))]
    whole = joined(done, asked.systems, asked.q0, asked.v0)
    if len(parts) < len(cuts):
        whole.stopped = f"interrupted after {int(whole.ok.sum()) + len(whole.errors)} of {n} members"
    return whole


def _run(asked: Asked, cuts: list[tuple[int, int]], left: list[int], executor: Any) -> Iterator[tuple[int, Ensemble]]:
    """Portions as they are done."""
    if executor is None:
        for k in left:
            yield k, asked.call(*asked.part(*cuts[k]))
        return
    shared = executor.scatter((asked.call, asked.systems if len(asked.systems) == 1 else None), broadcast=True)
    futures = {}
    for k in left:
        systems, q0, v0 = asked.part(*cuts[k])
        futures[executor.submit(_there, shared, None if len(asked.systems) == 1 else systems, q0, v0, pure=False)] = k
    for future, (arrays, events) in distributed.as_completed(list(futures), with_results=True):
        k = futures[future]
        yield k, with_events(from_arrays(arrays, *asked.part(*cuts[k])), events)
        future.release()


def _there(
    shared: tuple[Call, Any], systems: tuple[Any, ...] | None, q0: FloatArray, v0: FloatArray
) -> tuple[Any, Any]:
    """A portion on a worker, as arrays, and its events."""
    call, same = shared
    ens = call(same if systems is None else systems, q0, v0)
    return to_arrays(ens), happened(ens)


def _undone(asked: Asked, first: int, last: int, parts: dict[int, Ensemble]) -> Ensemble:
    """Members that were not run."""
    if not parts:
        raise KeyboardInterrupt
    like = next(iter(parts.values()))
    n = last - first
    q, v, a, lam = (np.full((n, *getattr(like, name).shape[1:]), np.nan) for name in STACKED)
    counts = {name: np.zeros(n, dtype=np.int64) for name in like.counts}
    systems, q0, v0 = asked.part(first, last)
    t = like.t if like.t.ndim == 1 else np.full((n, like.t.shape[1]), np.nan)
    ok = np.zeros(n, dtype=bool)
    return Ensemble(t, q, v, a, lam, systems, q0, v0, like.scheme, like.columns, ok, counts, {}, {})


def workers_of(executor: Any) -> int:
    """How many workers a cluster has; InputError for what is no client of one."""
    kinds = {(base.__module__, base.__name__) for base in type(executor).__mro__}
    if ("distributed.client", "Client") not in kinds:
        raise InputError(
            f"executor must be a distributed.Client or None, received {type(executor).__name__}",
            hint="from distributed import Client; or threads= for several threads of this process",
        )
    return max(1, len(executor.scheduler_info(n_workers=-1)["workers"]))


class PortionFolder:
    """The folder of an ensemble."""

    def __init__(self, kept: Checkpoint, asked: Asked) -> None:
        self.folder, self.asked, self.every = Path(kept.folder), asked, kept.every
        if self.every is not None and (isinstance(self.every, bool) or int(self.every) < 1):
            raise InputError(f"checkpoints are made every so many members, at least 1, received {self.every!r}")
        digest = hashlib.sha256()
        for x in (asked.q0, asked.v0):
            digest.update(np.ascontiguousarray(x).tobytes())
        for system in asked.systems:
            digest.update(identity(system).encode())
        options = {name: to_json(value) for name, value in asked.options.items()}
        self.identity = sealed_json({"members": digest.hexdigest(), "options": options})[0]
        self.document = {"format": FORMAT, "kind": "ensemble", "identity": self.identity, "size": len(asked.q0)}

    def settled(self, size: int) -> int:
        """Members in a portion: as they were when the folder was begun."""
        path = self.folder / "run.json"
        if path.exists():
            _, document = opened_json(path, FORMAT)
            if document.get("kind") != "ensemble" or document.get("identity") != self.identity:
                raise InputError(
                    f"{self.folder} holds another run",
                    hint="name a new folder, or make the same call: systems, starts and options",
                )
            return int(document["every"])
        if self.folder.exists() and not all(LEFT.fullmatch(path.name) for path in self.folder.iterdir()):
            raise InputError(f"{self.folder} exists and is no empty folder", hint="name a new one for checkpoints")
        make_folder(self.folder)
        every = size if self.every is None else int(self.every)
        write_file(path, sealed_json({**self.document, "every": every})[1])
        return every

    def path(self, k: int) -> Path:
        """The file of a portion."""
        return self.folder / f"portion-{k + 1:06d}.npz"

    def write(self, k: int, part: Ensemble) -> None:
        """Keep a portion."""
        write_file(self.path(k), packed(identity=self.identity, number=k, **to_arrays(part)))

    def found(self, cuts: list[tuple[int, int]]) -> dict[int, Ensemble]:
        """Portions that are there and sound; others are run again."""
        there = {}
        for k, cut in enumerate(cuts):
            if not self.path(k).exists():
                continue
            try:
                arrays = unpacked(self.path(k))
                if str(arrays["identity"]) != self.identity or int(arrays["number"]) != k:
                    raise DamageError(f"{self.path(k)} belongs to another run")
                there[k] = from_arrays(arrays, *self.asked.part(*cut))
            except (DamageError, *UNFIT) as error:
                said = str(error).split("\n")[0]
                warnings.warn(f"{said}\nhint: its members are run again", RecoveryWarning, stacklevel=5)
                self.path(k).unlink(missing_ok=True)
        return there
