"""Machine code that came with the package is used where it fits, and compiled anew where it does
not."""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

from isodyn.kernels import cache as kernel_cache
from isodyn.kernels import compiled
from isodyn.kernels import shipped as shipped_kernels

KERNEL = """
from isodyn.kernels.compiled import f8, kernel

@kernel(f8(f8))
def raised(x):
    return x + {what}

answer, origin = raised(40.0), raised.origin
place = raised
"""
Run = Callable[..., tuple[float, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Answer and origin of a kernel, with a cache of its own and what was shipped in
    tmp_path/shipped; as in a new process."""
    monkeypatch.setattr(kernel_cache, "_told", [])
    source = tmp_path / "raised.py"

    def answer(cache: str = "cache", what: float = 2.0) -> tuple[float, str]:
        monkeypatch.setattr(numba.core.config, "CACHE_DIR", str(tmp_path / cache))
        for cached in (compiled._stamp, compiled._seen_from):
            cached.cache_clear()
        source.write_text(KERNEL.format(what=what))
        found = runpy.run_path(str(source))
        return found["answer"], found["origin"]

    return answer


@pytest.fixture
def ship(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the kernel, in the place of shipped ones."""
    assert run("build") == (42.0, "compiled")
    (made,) = (tmp_path / "build").rglob("*.kernel")
    place = tmp_path / "shipped"
    place.mkdir()
    monkeypatch.setattr(shipped_kernels, "folder", lambda: place)
    return Path(shutil.copyfile(made, place / "<run_path>.raised.kernel"))


def test_shipped_code_is_loaded_and_nothing_is_written(run: Run, ship: Path, tmp_path: Path) -> None:
    assert run() == (42.0, "loaded")
    assert not (tmp_path / "cache").exists()


def test_damaged_code_is_compiled_with_one_line(run: Run, ship: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = bytearray(ship.read_bytes())
    data[len(data) // 2] ^= 0x10
    ship.write_bytes(bytes(data))
    assert run() == (42.0, "compiled")
    told = [line for line in capsys.readouterr().err.splitlines() if "damaged" in line]
    assert len(told) == 1


def test_changed_sources_are_compiled(run: Run, ship: Path) -> None:
    assert run(what=3.0) == (43.0, "compiled")


def test_processors_below_the_level_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped_kernels, "__file__", str(tmp_path / "kernels" / "shipped.py"))
    (tmp_path / "machine_code" / shipped_kernels.tag()).mkdir(parents=True)
    needed = dict.fromkeys(next(iter(shipped_kernels.LEVELS.values()))[2].split(), True)
    monkeypatch.setattr(shipped_kernels.platform, "machine", lambda: "x86_64")
    (tmp_path / "machine_code" / shipped_kernels.tag()).mkdir(parents=True, exist_ok=True)
    for features, usable in ((needed, True), ({**needed, "avx2": False}, False), ({}, False)):
        shipped_kernels.folder.cache_clear()
        monkeypatch.setattr(shipped_kernels.binding, "get_host_cpu_features", lambda features=features: features)
        assert (shipped_kernels.folder() is not None) == usable
    shipped_kernels.folder.cache_clear()


def test_other_versions_and_systems_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code lies in a folder that is named after what it was made for."""
    monkeypatch.setattr(shipped_kernels, "__file__", str(tmp_path / "kernels" / "shipped.py"))
    monkeypatch.setattr(shipped_kernels.platform, "machine", lambda: "x86_64")
    needed = dict.fromkeys(shipped_kernels.LEVELS["x86_64"][2].split(), True)
    monkeypatch.setattr(shipped_kernels.binding, "get_host_cpu_features", lambda: needed)
    (tmp_path / "machine_code" / shipped_kernels.tag()).mkdir(parents=True)
    shipped_kernels.folder.cache_clear()
    assert shipped_kernels.folder() is not None
    others = (
        (shipped_kernels.numba, "__version__", "0.99.0"),
        (shipped_kernels.sys, "version_info", (3, 99, 0, "final", 0)),
        (shipped_kernels.platform, "system", lambda: "Plan9"),
        (shipped_kernels.platform, "machine", lambda: "aarch64"),
        (shipped_kernels.platform, "machine", lambda: "riscv64"),
        (shipped_kernels.numba.config, "CPU_NAME", "generic"),  # Numba was told another processor
    )
    for owner, name, value in others:
        with monkeypatch.context() as other:
            other.setattr(owner, name, value)
            shipped_kernels.folder.cache_clear()
            assert shipped_kernels.folder() is None, name
    shipped_kernels.folder.cache_clear()


def test_what_is_compiled_instead_goes_into_the_users_cache(run: Run, ship: Path, tmp_path: Path) -> None:
    """The installation may be read-only: nothing is written or removed there."""
    ship.write_bytes(ship.read_bytes()[:-1])
    before = {path: path.read_bytes() for path in ship.parent.iterdir()}
    assert run() == (42.0, "compiled")
    assert {path: path.read_bytes() for path in ship.parent.iterdir()} == before
    assert len(list((tmp_path / "cache").rglob("*.kernel"))) == 1
    assert run() == (42.0, "loaded")


def test_a_pure_wheel_has_none() -> None:
    shipped_kernels.folder.cache_clear()
    assert shipped_kernels.folder() is None  # of this checkout
