"""The driver's side of the workers: start them on one core and one thread, ask, and notice when
they end."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from benchmarks.common import ONE_THREAD

ROOT = Path(__file__).parents[2]
FLAGS = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
PATIENCE = 900.0  # seconds for one answer


class WorkerError(RuntimeError):
    """A case could not be run: the message of the package, or that its process ended."""


class Worker:
    """The process of one package."""

    def __init__(self, package: str, core: int | None, environment: dict[str, str] | None = None) -> None:
        self.package, self.core, self.environment = package, core, environment or {}
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> subprocess.Popen[str]:
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, **ONE_THREAD, "XLA_FLAGS": FLAGS, "PYTHONPATH": paths, **self.environment}
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.peers.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
            cwd=ROOT,
            env=environment,
        )
        if self.core is not None:
            os.sched_setaffinity(process.pid, {self.core})
        return process

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        """One request, one reply; a process that ended or takes too long is an error, and a new one
        starts with the next request."""
        self.send(do, **request)
        return self.receive()

    def send(self, do: str, **request: Any) -> None:
        if self.process is None:
            self.process = self.start()
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps({"do": do, **request}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.end()
            raise WorkerError(f"{self.package}: its process ended") from None

    def receive(self) -> dict[str, Any]:
        assert self.process is not None
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            self.end()
            raise WorkerError(f"{self.package}: no answer in {PATIENCE:g} s")
        line = self.process.stdout.readline()
        if not line:
            code = self.end()
            raise WorkerError(f"{self.package}: its process ended with code {code}")
        reply = json.loads(line)
        if "error" in reply:
            raise WorkerError(f"{self.package}: {reply['error']}")
        return reply

    def end(self) -> int | None:
        """End the process if there is one."""
        if self.process is None:
            return None
        process, self.process = self.process, None
        with suppress(BrokenPipeError, subprocess.TimeoutExpired):
            process.communicate(timeout=5)  # closes both pipes; the worker ends with its lines
        if process.poll() is None:
            process.kill()
            process.communicate()
        return process.returncode


class Workers:
    """One worker for each package, started when first asked for, all on the same core: they never
    run at the same time."""

    def __init__(self, packages: Iterable[str], pinned: bool = True) -> None:
        self.core = last_core() if pinned else None
        self.by_name = {package: Worker(package, self.core) for package in packages}

    def __getitem__(self, package: str) -> Worker:
        return self.by_name[package]

    def __contains__(self, package: str) -> bool:
        return package in self.by_name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.by_name.values():
            worker.end()


def last_core() -> int | None:
    """The highest core that this process may use; None where processes cannot be bound to cores."""
    return max(os.sched_getaffinity(0)) if sys.platform == "linux" else None
