"""Worker processes of this machine, which may die: what they had is given to others.

Points go out in blocks of about half a second. A process that dies is replaced. The point that it
was at is tried again elsewhere, and is told as failed when it ended several processes.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from isodyn.errors import WorkersError
from isodyn.sweeps.points import Outcome, Point
from isodyn.sweeps.worker import read_frame, write_frame

SECONDS = 0.4  # that a block of points takes
SHORTEST = 0.05  # of a block near the end, of which there are the fewer
LARGEST = 256  # points of a block
AHEAD = 2  # blocks that a worker has in hand
LEAVING = 5.0  # seconds that a process may take to end after its last word
DEATHS = 3  # of workers at the same point, after which it has failed
BARREN, KILLED = 3, 90  # workers in a row that ended by themselves, or were killed, before they were ready
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Pace:
    """How many points make a block: so many as take the wished seconds by the last ones; fewer near
    the end, so that workers end together.

    The first point of every worker is much slower than the others, since it loads the kernels: as
    many of the slowest as there are workers do not count.
    """

    def __init__(self, workers: int, seconds: float = SECONDS, largest: int = LARGEST) -> None:
        self.workers, self.wanted, self.largest = workers, seconds, largest
        self.last: deque[float] = deque(maxlen=max(8, 4 * workers))

    def told(self, outcome: Outcome) -> None:
        """A point has come back."""
        if outcome.seconds == outcome.seconds:
            self.last.append(outcome.seconds)

    def block(self, left: int) -> int:
        """Points of the next block, when so many are left."""
        if not self.last:
            return 1
        counted = sorted(self.last)[: max(1, len(self.last) - self.workers)]
        many = len(counted) / max(sum(counted), 1e-6)  # in a second
        shortest, wished = int(SHORTEST * many), int(self.wanted * many)
        return max(1, min(wished, self.largest, max(shortest, left // (2 * self.workers) + 1)))


class Backlog:
    """Points that are still to be given out: first those that came back undone."""

    def __init__(self, points: Iterable[Point], many: int) -> None:
        self.fresh, self.left = iter(points), many
        self.again: deque[Point] = deque()
        self.deaths: dict[int, int] = {}

    def take(self, many: int) -> list[Point]:
        """At most so many points."""
        block: list[Point] = []
        while len(block) < many:
            if self.again:
                block.append(self.again.popleft())
                if self.deaths.get(block[-1][0]):  # one that ended a worker goes alone
                    break
                continue
            point = next(self.fresh, None)
            if point is None:
                break
            block.append(point)
        self.left -= len(block)
        return block

    def lost(self, points: Iterable[Point], began: bool, why: str) -> list[Outcome]:
        """Points of a worker that is gone come back; those that ended too many of them have
        failed."""
        points, failed = list(points), []
        if began and points:
            number = points[0][0]
            self.deaths[number] = self.deaths.get(number, 0) + 1
            if self.deaths[number] >= DEATHS:
                words = f"{why} while it ran, {DEATHS} times"
                failed.append(Outcome(number, None, f"WorkersError: {words}"))
                points = points[1:]
        self.left += len(points)
        self.again.extendleft(reversed(points))
        return failed


class _Worker:
    """One process, the thread that listens to it, and the points that it has."""

    def __init__(self, task: bytes, heard: queue.Queue[tuple[_Worker, Any]]) -> None:
        environment = {**os.environ, **{name: os.environ.get(name, "1") for name in ONE_THREAD}}
        command = [sys.executable, "-c", "from isodyn.sweeps.worker import main; main()"]
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [package, environment.get("PYTHONPATH")]))
        # in a session of its own: Ctrl-C is for this process, whose end is that of its workers
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
        )
        self.points: deque[Point] = deque()
        self.blocks: deque[int] = deque()  # points of each block that are left
        self.ready = False
        self.listener = threading.Thread(target=self._listen, args=(heard,), daemon=True)
        self.listener.start()
        self.tell({"path": sys.path, "task": task})

    def _listen(self, heard: queue.Queue[tuple[_Worker, Any]]) -> None:
        assert self.process.stdout is not None
        try:
            while True:
                heard.put((self, read_frame(self.process.stdout)))
        except (EOFError, OSError, ValueError):
            self.process.stdout.close()
            heard.put((self, None))

    def tell(self, value: object) -> None:
        """Send something; that it is gone is heard elsewhere."""
        assert self.process.stdin is not None
        with suppress(OSError):
            write_frame(self.process.stdin, value)

    def end(self) -> None:
        """Now."""
        self.process.kill()
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        self.process.wait()
        self.listener.join()


class LocalWorkers:
    """So many processes of this machine."""

    def __init__(self, task: bytes, workers: int) -> None:
        self.task, self.workers = task, workers
        self.pool: list[_Worker] = []
        self.barren = 0

    def outcomes(self, points: Iterable[Point], many: int) -> Iterator[Outcome]:
        """What became of all points, in the order in which they are done."""
        backlog, pace = Backlog(points, many), Pace(self.workers)
        heard: queue.Queue[tuple[_Worker, Any]] = queue.Queue()
        self.pool = [_Worker(self.task, heard) for _ in range(min(self.workers, many))]
        left = many
        try:
            while left:
                self._give(backlog, pace)
                worker, said = heard.get()
                found = self._gone(worker, backlog, heard) if said is None else self._heard(worker, said)
                for outcome in found:
                    pace.told(outcome)
                    left -= 1
                    yield outcome
        finally:
            for worker in self.pool:
                worker.end()

    def _give(self, backlog: Backlog, pace: Pace) -> None:
        """Blocks to all that have few; a worker that is still starting gets one."""
        for ahead in range(1, AHEAD + 1):
            for worker in self.pool:
                if len(worker.blocks) < ahead and (ahead == 1 or worker.ready):
                    block = backlog.take(pace.block(backlog.left))
                    if not block:
                        return
                    worker.points.extend(block)
                    worker.blocks.append(len(block))
                    worker.tell(block)

    def _heard(self, worker: _Worker, said: Any) -> list[Outcome]:
        if said == "ready":
            worker.ready, self.barren = True, 0
            return []
        found = []
        for outcome in said:
            if worker.points and worker.points[0][0] == outcome.number:
                found.append(outcome)
                worker.points.popleft()
                worker.blocks[0] -= 1
                if not worker.blocks[0]:
                    worker.blocks.popleft()
        return found

    def _gone(self, worker: _Worker, backlog: Backlog, heard: queue.Queue[tuple[_Worker, Any]]) -> list[Outcome]:
        with suppress(subprocess.TimeoutExpired):
            worker.process.wait(LEAVING)  # what it ended by
        worker.end()
        code = worker.process.returncode
        why = f"the worker process was ended by signal {-code}" if code and code < 0 else f"the worker ended ({code})"
        if not worker.ready:
            self.barren += 1 if code < 0 else KILLED // BARREN
            if self.barren >= KILLED:
                raise WorkersError(f"workers end before they begin: {why}", hint="workers=0 shows what goes wrong")
        failed = backlog.lost(worker.points, worker.ready, why)
        self.pool = [_Worker(self.task, heard) if one is worker else one for one in self.pool]
        return failed
