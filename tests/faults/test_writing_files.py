"""Files are written whole or not at all: full disks, killed writers, links, devices, read-only
places."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import isodyn as iso
from isodyn.errors import FileError
from isodyn.report.animation import write_gif
from isodyn.report.html import write_report
from isodyn.results import Checkpoint
from isodyn.results.files import check_place, replacing, write_file

pytest.importorskip("h5netcdf")


@contextmanager
def little_room(size: int) -> Iterator[None]:
    """No file may become larger than this, as on a disk that is nearly full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture(scope="module")
def pendulum() -> iso.Solution:
    mech = iso.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    return iso.integrate(mech.compile(), dt=0.01, t_end=1.0)


def write(sol: iso.Solution, path: Path) -> Any:
    if path.suffix == ".html":
        return write_report(sol, path)
    return write_gif(sol, path, seconds=1.0, fps=4) if path.suffix == ".gif" else sol.save(path)


@pytest.mark.parametrize("name", ["run.nc", "run.csv", "run.html", "run.gif"])
def test_a_full_disk_is_an_error_and_leaves_what_was_there(pendulum: iso.Solution, name: str, tmp_path: Path) -> None:
    """NetCDF ended Python with a segmentation fault here."""
    path = tmp_path / name
    path.write_bytes(b"before")
    with little_room(4096), pytest.raises(FileError, match=r"used up.*are free\nhint: make room"):
        write(pendulum, path)
    assert path.read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir()] == [name]
    write(pendulum, path)
    assert path.stat().st_size > 4096


def test_a_full_disk_ends_a_run_with_what_it_has(tmp_path: Path) -> None:
    """A checkpoint that finds no room: the error carries the solution, and the blocks before are
    sound."""
    system = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
    with little_room(40_000), pytest.raises(FileError, match="block-000002") as caught:
        iso.integrate(
            system, dt=0.01, t_end=20.0, checkpoint=Checkpoint(tmp_path / "c", 40), observe=lambda s: _room(s.t)
        )
    assert caught.value.partial is not None
    assert caught.value.partial.t.size == 81
    whole = iso.resume(tmp_path / "c", system)
    assert whole.t.size == 2001


def _room(t: float) -> None:
    """Less room after the first block."""
    if t > 0.5:
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))


def test_leftovers_of_killed_writers_are_removed(tmp_path: Path) -> None:
    """A writer that dies in its work leaves a file beside; the next one takes it away, but not that
    of a living one."""
    program = (
        "import os, sys; from isodyn.results.files import replacing\n"
        "with replacing(sys.argv[1]) as beside:\n"
        "    beside.write_bytes(b'half'); os.kill(os.getpid(), 9)"
    )
    path = tmp_path / ("ü" * 127)  # as long as names may be
    subprocess.run([sys.executable, "-c", program, str(path)], check=False, capture_output=True)
    (left,) = tmp_path.iterdir()
    assert left.read_bytes() == b"half"
    with replacing(path) as mine:
        mine.write_bytes(b"mine")
        assert not left.exists()
        write_file(path, b"whole")
        assert mine.exists()
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_links_lead_to_their_file_and_permissions_stay(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "a.csv", tmp_path / "a.csv"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    write_file(link, b"after")
    assert link.is_symlink()
    assert target.read_bytes() == b"after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    (tmp_path / "round").symlink_to(tmp_path / "round")
    with pytest.raises(FileError, match="cannot write"):
        write_file(tmp_path / "round", b"x")


def test_devices_and_pipes_are_written_to_and_not_replaced(tmp_path: Path) -> None:
    """`--csv /dev/null` must not put a file in the place of the device."""
    write_file("/dev/null", b"x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    if Path("/dev/full").exists():
        with pytest.raises(FileError, match="used up"):
            write_file("/dev/full", b"x")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_file(tmp_path / "pipe", b"through")
        assert os.read(reader, 10) == b"through"
    finally:
        os.close(reader)


def test_places_that_cannot_be_written_are_told_before_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for path, words in (
        (tmp_path / "file" / "a.nc", "is no folder"),
        (tmp_path / "folder", "there is a folder of this name"),
        (Path("/proc") / "nothing" / "a.nc", "cannot make the folder"),
        (tmp_path / ("n" * 300), "too long"),
        (tmp_path / "a\x00b", "null byte"),
    ):
        with pytest.raises(FileError, match=words):
            check_place(path)
        with pytest.raises(FileError):
            write_file(path, b"x")
    assert {p.name for p in tmp_path.iterdir()} == {"file", "folder"}
