"""Sweeps whose workers, driver or cluster are killed: every point is there once, with the numbers
that it has in peace."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import sweeps
from isodyn.errors import InputError, WorkersError
from isodyn.results.sweep_file import SweepWriter
from isodyn.sweeps import local
from sweep_models import OUTPUTS, RUN, made, swing

DRIVER = Path(__file__).with_name("killed_driver.py")


def peaceful(points: int) -> Any:
    return iso.sweep(swing(), {"rod.mass": np.linspace(0.5, 2.0, points)}, OUTPUTS, workers=0, **RUN)


def same(one: Any, other: Any) -> None:
    assert one.ok.all(), one.errors
    for name in one:
        assert one[name].tobytes() == other[name].tobytes()


class Killer(threading.Thread):
    """Kills workers of a sweep, so many in all: each a random moment after some more points have
    come, so that workers on any machine have time to begin."""

    def __init__(self, pool: list[Any], writes: dict[int, int], kills: int, points: int) -> None:
        super().__init__(daemon=True)
        self.pool, self.writes, self.left, self.killed = pool, writes, kills, 0
        self.random, self.over = random.Random(kills), threading.Event()
        self.between = 0.9 * points / kills

    def run(self) -> None:
        wanted = 0.0
        while self.left and not self.over.wait(self.random.uniform(0.0, 0.05)):
            alive = [one for one in self.pool if one.process.poll() is None]
            if alive and len(self.writes) > wanted:
                self.random.choice(alive).process.kill()
                self.left, self.killed = self.left - 1, self.killed + 1
                wanted += self.random.uniform(0.0, 2.0) * self.between


def killed_sweep(monkeypatch: Any, kills: int, points: int) -> tuple[Any, int, dict[int, int]]:
    """A sweep under fire; how many workers were killed, and how often each point was written."""
    pool: list[Any] = []
    writes: dict[int, int] = {}
    born, write = local._Worker.__init__, SweepWriter.write

    def noted(self: Any, *given: Any) -> None:
        born(self, *given)
        pool.append(self)

    def counted(self: Any, number: int, *given: Any, **told: Any) -> None:
        writes[number] = writes.get(number, 0) + 1
        write(self, number, *given, **told)

    monkeypatch.setattr(local._Worker, "__init__", noted)
    monkeypatch.setattr(SweepWriter, "write", counted)
    killer = Killer(pool, writes, kills, points)
    killer.start()
    found = iso.sweep(made, {"stiffness": np.linspace(5.0, 50.0, points), "pause": [0.02]}, OUTPUTS, workers=2, **RUN)
    killer.over.set()
    killer.join()
    return found, killer.killed, writes


@pytest.mark.slow
@pytest.mark.parametrize(("kills", "points"), [(3, 60), pytest.param(110, 3000, marks=pytest.mark.long)])
def test_killed_workers(monkeypatch: Any, kills: int, points: int) -> None:
    found, killed, writes = killed_sweep(monkeypatch, kills, points)
    assert killed >= min(kills, 100) - 2
    assert writes == dict.fromkeys(range(points), 1)
    quiet = iso.sweep(swing(), {"spring.stiffness": np.linspace(5.0, 50.0, points)}, OUTPUTS, workers=0, **RUN)
    assert found.ok.all(), found.errors
    for name in ("peak", "swing"):
        assert found[name].tobytes() == quiet[name].tobytes()
    print(f"{killed} workers killed, {points} points once each")


@pytest.mark.slow
def test_a_point_that_ends_its_worker_is_told() -> None:
    found = iso.sweep(made, {"stiffness": [10.0], "deadly": [0.0, 1.0]}, OUTPUTS, workers=2, **RUN)
    assert found.ok.tolist() == [True, False]
    assert "ended by signal 9 while it ran, 3 times" in found.errors[1]


@pytest.mark.slow
def test_workers_that_cannot_begin_are_told(monkeypatch: Any) -> None:
    monkeypatch.setattr("isodyn.sweeps.study.packed", lambda task: b"no task")
    with pytest.raises(WorkersError, match=r"workers end before they begin: the worker ended \(1\)\nhint: workers=0"):
        iso.sweep(swing(), {"rod.mass": [1.0, 2.0]}, OUTPUTS, workers=1, **RUN)


@pytest.mark.long
def test_a_killed_driver_is_resumed(tmp_path: Path) -> None:
    """Killed at several instants; the workers end with it, and what was done stays."""
    path, points = tmp_path / "a.nc", 300
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done: list[int] = []
    for wait in (0.0, 0.15, 0.4):
        process = subprocess.Popen(
            [sys.executable, str(DRIVER), str(path), str(points)], env=environment, start_new_session=True
        )
        before = done[-1] if done else 0
        until = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < until:
            if path.is_file() and sweeps.load(path).counts["done"] > before:
                break
            time.sleep(0.02)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        done.append(sweeps.load(path).counts["done"])
        assert done[-1] >= before
    assert 0 < done[0] <= done[-1]
    subprocess.run([sys.executable, str(DRIVER), str(path), str(points)], env=environment, check=True, timeout=200)
    same(sweeps.load(path), peaceful(points))


# ---- a cluster of processes on loopback

distributed = pytest.importorskip("distributed")
from dask_processes import cluster  # noqa: E402


@pytest.mark.slow
def test_a_cluster_and_its_killed_workers() -> None:
    points = 120
    with cluster(2) as made_cluster:
        given = {"stiffness": np.linspace(5.0, 50.0, points), "pause": [0.02]}

        def kill() -> None:
            time.sleep(2.0)
            made_cluster.add_worker()
            made_cluster.workers[0].kill()
            made_cluster.workers.pop(0).wait()

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        found = iso.sweep(made, given, OUTPUTS, scheduler=made_cluster.address, **RUN)
        killer.join()
    quiet = iso.sweep(swing(), {"spring.stiffness": given["stiffness"]}, OUTPUTS, workers=0, **RUN)
    assert found.ok.all(), found.errors
    assert found["peak"].tobytes() == quiet["peak"].tobytes()


@pytest.mark.long
def test_a_killed_scheduler_is_told_and_the_sweep_resumed(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("isodyn.sweeps.cluster.PATIENCE", 5.0)
    path, points = tmp_path / "a.nc", 200
    given = {"stiffness": np.linspace(5.0, 50.0, points), "pause": [0.02]}
    with cluster(1) as made_cluster:

        def kill() -> None:
            until = time.monotonic() + 60
            while time.monotonic() < until and not (path.is_file() and sweeps.load(path).counts["done"]):
                time.sleep(0.05)
            made_cluster.scheduler.kill()

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        with (
            distributed.Client(made_cluster.address, set_as_default=False) as client,
            pytest.raises(WorkersError, match="the scheduler of the cluster is gone; points that were done are kept"),
        ):
            iso.sweep(made, given, OUTPUTS, scheduler=client, out=path, **RUN)
        killer.join()
    assert 0 < sweeps.load(path).counts["done"] < points
    found = iso.sweep(made, given, OUTPUTS, workers=1, out=path, resume=True, **RUN)
    quiet = iso.sweep(swing(), {"spring.stiffness": given["stiffness"]}, OUTPUTS, workers=0, **RUN)
    assert found.ok.all()
    assert found["peak"].tobytes() == quiet["peak"].tobytes()


def test_clusters_that_are_not_there(monkeypatch: Any) -> None:
    monkeypatch.setattr("isodyn.sweeps.cluster.PATIENCE", 0.5)
    with pytest.raises(WorkersError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9'"):
        iso.sweep(swing(), {"rod.mass": [1.0]}, OUTPUTS, scheduler="tcp://127.0.0.1:9", **RUN)
    with pytest.raises(InputError, match=r"scheduler must be an address or a distributed.Client, received int"):
        iso.sweep(swing(), {"rod.mass": [1.0]}, OUTPUTS, scheduler=3, **RUN)
    with pytest.raises(InputError, match="scheduler and workers exclude each other"):
        iso.sweep(swing(), {"rod.mass": [1.0]}, OUTPUTS, scheduler="tcp://127.0.0.1:9", workers=2, **RUN)
