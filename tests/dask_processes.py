"""A Dask scheduler and workers as processes of their own, on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Cluster:
    """Processes by name; each can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / "scheduler.json"
        self.scheduler = self._scheduler(0)
        self.workers: list[Any] = []

    def _start(self, module: str, *arguments: str, before: str = "") -> Any:
        code = f"{before}import runpy; runpy.run_module('distributed.cli.{module}', run_name='__main__')"
        command = [sys.executable, "-c", code, *arguments]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, env=environment, cwd=self.folder, start_new_session=True, **quiet)

    def _scheduler(self, port: int) -> Any:
        self.file.unlink(missing_ok=True)
        options = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--scheduler-file", str(self.file)]
        # a scheduler needs nothing of this package
        process = self._start("dask_scheduler", *options, before="import sys; sys.modules['isodyn'] = None; ")
        until = time.monotonic() + 60
        while not self.file.is_file() or not self.file.read_text().strip():
            assert time.monotonic() < until, "the scheduler does not start"
            assert process.poll() is None, "the scheduler ended"
            time.sleep(0.05)
        return process

    @property
    def address(self) -> str:
        return str(json.loads(self.file.read_text())["address"])

    def add_worker(self) -> Any:
        options = [self.address, "--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard", "--no-nanny"]
        self.workers.append(self._start("dask_worker", *options, "--death-timeout", "30"))
        return self.workers[-1]

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def cluster(workers: int) -> Iterator[Cluster]:
    """A scheduler with so many workers."""
    with tempfile.TemporaryDirectory() as folder:
        made = Cluster(Path(folder))
        try:
            for _ in range(workers):
                made.add_worker()
            yield made
        finally:
            made.end()
