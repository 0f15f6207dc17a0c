"""A damaged kernel cache is compiled again and an unwritable one is bypassed, with one line; never
run as it is."""

from __future__ import annotations

import os
import runpy
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

from isodyn.kernels import cache as kernel_cache

KERNEL = """
from isodyn.kernels.compiled import f8, kernel

@kernel(f8(f8))
def multiplied(x):
    return {factor} * x

answer = multiplied(21.0)
hits = multiplied.origin == "loaded"
"""
Run = Callable[..., tuple[float, list[str], bool]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Answer of the kernel, lines about its cache, and whether its code came from there; as in a
    new process."""

    def answer(cache: Path = tmp_path / "cache", factor: float = 2.0) -> tuple[float, list[str], bool]:
        monkeypatch.setattr(numba.core.config, "CACHE_DIR", str(cache))
        monkeypatch.setattr(kernel_cache, "_told", [])
        from isodyn.kernels.compiled import _seen_from, _stamp

        for cached in (_stamp, _seen_from):
            cached.cache_clear()
        source = tmp_path / "multiplied.py"
        source.write_text(KERNEL.format(factor=factor))
        found = runpy.run_path(str(source))
        lines = [line for line in capsys.readouterr().err.splitlines() if "compil" in line and "once" not in line]
        return found["answer"], lines, bool(found["hits"])

    return answer


def flipped(data: bytes) -> bytes:
    """Eight bits changed in the middle and near the end."""
    found = bytearray(data)
    for at in (len(data) // 2, len(data) - 40):
        found[at] ^= 0x10
    return bytes(found)


@pytest.mark.parametrize("damage", [flipped, lambda data: data[:-7], lambda data: b""], ids=["bits", "end", "empty"])
def test_a_damaged_cache_is_compiled_again(run: Run, damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """Changed, cut off, empty: Numba alone raises, or runs the changed code."""
    assert run() == (42.0, [], False)
    assert run() == (42.0, [], True)
    (file,) = (tmp_path / "cache").rglob("*.kernel")
    hurt = damage(file.read_bytes())
    file.write_bytes(hurt)
    answer, lines, hit = run()
    assert (answer, hit) == (42.0, False)
    looks_stale = not hurt  # a file without its head is that of another source
    assert [line.endswith("are damaged and are compiled again") for line in lines] == [True] * (not looks_stale)
    assert run() == (42.0, [], True)


def test_code_of_an_older_source_is_not_run(run: Run, tmp_path: Path) -> None:
    """An older file in the place of the new one, as a backup brings it back."""
    assert run()[0] == 42.0
    (file,) = (tmp_path / "cache").rglob("*.kernel")
    old = file.read_bytes()
    assert run(factor=3.0)[0] == 63.0
    (file,) = (tmp_path / "cache").rglob("*.kernel")
    file.write_bytes(old)
    assert run(factor=3.0) == (63.0, [], False)


def test_an_unwritable_cache_is_bypassed_with_one_line(run: Run, tmp_path: Path) -> None:
    """A file in the place of the folder."""
    (tmp_path / "file").write_text("x")
    answer, (line,), hit = run(tmp_path / "file" / "cache")
    assert (answer, hit) == (42.0, False)
    assert line.startswith("isodyn: kernels cannot be kept in ")
    assert "later runs compile them again: " in line


def test_a_cache_that_cannot_be_written_later_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full when the code is to be saved."""

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    answer, (line,), _ = run()
    assert answer == 42.0
    assert "later runs compile them again: [Errno 28] No space left on device" in line


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_cache_that_others_may_write_to_is_not_run(run: Run, tmp_path: Path) -> None:
    """The folder is made for the user alone; once others may write there, nothing of it is run."""
    assert run() == (42.0, [], False)
    (file,) = (tmp_path / "cache").rglob("*.kernel")
    assert file.parent.stat().st_mode & 0o777 == 0o700
    file.parent.chmod(0o770)
    answer, lines, hit = run()
    assert (answer, hit) == (42.0, False)
    assert lines[0].endswith("compiled again: others may write to it (chmod 700 keeps them out)")
    file.parent.chmod(0o700)
    assert run() == (42.0, [], True)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_cache_of_another_user_is_not_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run() == (42.0, [], False)
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    if owner != 0:
        assert run()[2] is False
    monkeypatch.setattr(Path, "stat", lambda self, stat=Path.stat, **given: _owned(stat(self, **given), owner + 7))
    answer, lines, hit = run()
    assert (answer, hit) == (42.0, False)
    assert lines[0].endswith("it belongs to another user")


def _owned(found: os.stat_result, user: int) -> os.stat_result:
    return os.stat_result((*found[:4], user, *found[5:10]))
