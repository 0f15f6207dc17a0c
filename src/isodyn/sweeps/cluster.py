"""Workers of a Dask cluster: blocks of points as tasks. Workers need this package, and nothing of
the driver.

Tasks of workers that die are given to others by the scheduler; a block that ended several of them
is divided into its points. Where the scheduler is gone, so is the sweep, but not what it wrote: it
is resumed.
"""

from __future__ import annotations

import pickle
import queue
import time
from collections.abc import Iterable, Iterator
from typing import Any

from isodyn.errors import InputError, WorkersError
from isodyn.later import Later, load
from isodyn.sweeps.local import Backlog, Pace
from isodyn.sweeps.points import Outcome, Point, as_call

distributed = Later("distributed")

# A task costs the scheduler, its worker and this process some 13 ms of computing in all, however
# many points it has.
SECONDS = 2.0  # that a task takes
LARGEST = 512  # points of a task
AHEAD = 2  # tasks for every thread of the workers
PATIENCE = 10.0  # seconds without workers, or without the scheduler


class DaskWorkers:
    """The workers behind the address of a scheduler, or of a `distributed.Client`."""

    def __init__(self, task: bytes, scheduler: Any) -> None:
        try:
            load(distributed)
        except ImportError:
            raise InputError("clusters need Dask", hint="pip install 'isodyn[dask]'") from None
        self.task, self.own = task, isinstance(scheduler, str)
        self.client = self._connected(scheduler) if self.own else scheduler
        if not isinstance(self.client, distributed.Client):
            raise InputError(
                f"scheduler must be an address or a distributed.Client, received {type(scheduler).__name__}",
                hint="such as 'tcp://127.0.0.1:8786'",
            )

    def _connected(self, address: str) -> Any:
        try:
            return distributed.Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise WorkersError(
                f"no Dask scheduler answers at {address!r}: {error}", hint="dask scheduler, then dask worker ADDRESS"
            ) from None

    def threads(self) -> int:
        """Of all workers; WorkersError where there are none after a while."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            found = sum(self.client.nthreads().values()) if self._alive() else 0
            if found:
                return int(found)
            time.sleep(0.1)
        raise WorkersError("the cluster has no workers", hint="start some: dask worker ADDRESS")

    def _alive(self) -> bool:
        return str(self.client.status) == "running"

    def outcomes(self, points: Iterable[Point], many: int) -> Iterator[Outcome]:
        """What became of all points, in the order in which they are done."""
        try:
            yield from self._outcomes(points, many)
        finally:
            if self.own:
                self.client.close(timeout=2)

    def _outcomes(self, points: Iterable[Point], many: int) -> Iterator[Outcome]:
        threads = self.threads()
        backlog, pace, left = Backlog(points, many), Pace(threads, SECONDS, LARGEST), many
        heard: queue.Queue[Any] = queue.Queue()
        pending: dict[Any, list[Point]] = {}
        try:
            while left:
                while len(pending) < AHEAD * threads:
                    block = backlog.take(pace.block(backlog.left))
                    if not block:
                        break
                    # unpickled by the worker: the scheduler, which looks into tasks, needs nothing of this package
                    future = self.client.submit(pickle.loads, as_call(self.task, block), pure=False)
                    pending[future.key] = block
                    future.add_done_callback(heard.put)
                for outcome in self._heard(heard, pending, backlog):
                    pace.told(outcome)
                    left -= 1
                    yield outcome
        finally:
            heard.put(None)

    def _heard(self, heard: queue.Queue[Any], pending: dict[Any, list[Point]], backlog: Backlog) -> list[Outcome]:
        """Outcomes of the next task that is done."""
        quiet = time.monotonic()
        while True:
            try:
                future = heard.get(timeout=1.0)
                break
            except queue.Empty:
                if self._alive():
                    quiet = time.monotonic()
                elif time.monotonic() - quiet > PATIENCE:
                    raise _lost() from None
        block = pending.pop(future.key, None)
        if block is None:
            return []
        if future.status == "finished":
            try:
                return list(future.result(timeout=PATIENCE))
            except Exception:  # the worker that held the result is gone
                return self._again(block, backlog, "a worker ended")
        if future.status in ("cancelled", "lost"):
            if not self._alive():
                raise _lost()
            return self._again(block, backlog, "a worker ended")
        error = future.exception(timeout=PATIENCE)
        if type(error).__name__ == "KilledWorker":
            return self._again(block, backlog, "several workers ended")
        raise WorkersError(
            f"a worker of the cluster cannot run this sweep: {type(error).__name__}: {error}",
            hint="workers need the same isodyn and Python as this program",
        ) from error

    def _again(self, block: list[Point], backlog: Backlog, why: str) -> list[Outcome]:
        """Points of a lost task: one alone is blamed, several are run one by one."""
        if len(block) == 1:
            return backlog.lost(block, True, why)
        for number, _ in block:
            backlog.deaths.setdefault(number, 1)
        return backlog.lost(block, False, why)


def _lost() -> WorkersError:
    return WorkersError(
        "the scheduler of the cluster is gone; points that were done are kept",
        hint="start it again and resume: sweep(…, resume=True), isodyn sweep --resume FILE",
    )
