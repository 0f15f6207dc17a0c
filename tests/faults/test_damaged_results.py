"""Damaged files of results are recognised or recovered: never read with other numbers, whatever
byte was hit."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import DamageError, InputError, RecoveryWarning
from isodyn.results import Checkpoint, seals
from isodyn.results.checkpoint import FORMAT

pytest.importorskip("h5netcdf")
NUMBERS = ("t", "q", "v", "a", "lam")


def oscillator() -> Any:
    return iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, iso.Solution]:
    folder = tmp_path_factory.mktemp("whole")
    sol = iso.integrate(oscillator(), dt=0.1, t_end=4.0, checkpoint=Checkpoint(folder / "run", 8))
    sol.save(folder / "run.nc")
    return folder, sol


def damaged(data: bytes, rng: random.Random, how: int) -> bytes:
    """A bit, the end, or a stretch of bytes."""
    found, at = bytearray(data), rng.randrange(len(data))
    if how == 0:
        found[at] ^= 1 << rng.randrange(8)
    elif how == 1:
        del found[at:]
    else:
        n = rng.choice([1, 8, 64, 512])
        found[at : at + n] = bytes(len(found[at : at + n]))
    return bytes(found)


def same(one: iso.Solution, two: iso.Solution) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in NUMBERS)


def test_a_damaged_netcdf_file_is_never_read_with_other_numbers(
    whole: tuple[Path, iso.Solution], tmp_path: Path
) -> None:
    """175 damages, of which 41 gave other numbers before files had checksums; others ended in raw
    errors or did not end."""
    folder, sol = whole
    data, rng = (folder / "run.nc").read_bytes(), random.Random(1)
    for k in range(175):
        hurt = damaged(data, rng, k % 3)
        (tmp_path / "hurt.nc").write_bytes(hurt)
        if hurt == data:  # zeros were zeros
            assert same(iso.load(tmp_path / "hurt.nc"), sol)
        else:
            with pytest.raises(DamageError):
                iso.load(tmp_path / "hurt.nc")


@pytest.mark.parametrize("number", [1, 3, 5])
def test_a_damaged_block_costs_time_and_no_numbers(
    whole: tuple[Path, iso.Solution], number: int, tmp_path: Path
) -> None:
    """The run goes on from the block before, says so, and comes to the same rows; a missing block
    alike."""
    folder, sol = whole
    rng = random.Random(number)
    for k in range(4):
        place = tmp_path / str(k)
        shutil.copytree(folder / "run", place)
        block = place / f"block-{number:06d}.npz"
        hurt = damaged(block.read_bytes(), rng, k) if k < 2 else b""
        block.write_bytes(hurt) if k < 3 else block.unlink()
        if k == 3 and number == 5:  # the end is missing, which is nothing to speak of
            assert same(iso.resume(place, oscillator()), sol)
            continue
        with pytest.warns(RecoveryWarning, match=r"goes on from (the beginning|block \d, t =)"):
            again = iso.resume(place, oscillator())
        assert same(again, sol)
        assert same(iso.resume(place, oscillator()), sol)  # what was written anew is sound


def test_a_block_of_another_run_is_not_taken(whole: tuple[Path, iso.Solution], tmp_path: Path) -> None:
    """The same system with another step: its blocks are sound, but not of this run."""
    folder, sol = whole
    shutil.copytree(folder / "run", tmp_path / "one")
    iso.integrate(oscillator(), dt=0.05, t_end=2.0, checkpoint=Checkpoint(tmp_path / "two", 8))
    shutil.copy(tmp_path / "two" / "block-000002.npz", tmp_path / "one" / "block-000002.npz")
    with pytest.warns(RecoveryWarning, match="belongs to another run"):
        assert same(iso.resume(tmp_path / "one", oscillator()), sol)


def test_a_changed_description_is_refused(whole: tuple[Path, iso.Solution], tmp_path: Path) -> None:
    """A step changed by hand or by damage would give other numbers under the same name."""
    shutil.copytree(whole[0] / "run", tmp_path / "run")
    document = tmp_path / "run" / "run.json"
    text = document.read_text()
    document.write_text(text.replace('"dt": 0.1', '"dt": 0.2'))
    assert document.read_text() != text
    with pytest.raises(DamageError, match="its checksum is another"):
        iso.resume(tmp_path / "run", oscillator())
    document.write_text(text.replace(f'"format": {FORMAT}', '"format": 2'))
    with pytest.raises(InputError, match="another version"):
        iso.resume(tmp_path / "run", oscillator())


def test_a_description_that_makes_no_sense_is_refused(whole: tuple[Path, iso.Solution], tmp_path: Path) -> None:
    """With a right checksum too: unknown options, missing ones, wrong types."""
    _, document = seals.opened_json(whole[0] / "run" / "run.json", FORMAT)
    options = document["options"]
    for changed in (
        {**options, "system": 1},
        {key: x for key, x in options.items() if key != "t_end"},
        {**options, "newton": {"type": "Newton", "speed": 3}},
        {**options, "scheme": {"type": "os.system"}},
        {**options, "select": {"type": "dict"}},
        [],
    ):
        (tmp_path / "run.json").write_bytes(seals.sealed_json({**document, "options": changed})[1])
        with pytest.raises(InputError):
            iso.resume(tmp_path, oscillator())


def test_files_that_others_wrote_anew_are_read_on_request(whole: tuple[Path, iso.Solution], tmp_path: Path) -> None:
    """Another program keeps the numbers but not the checksum: refused, unless one says that it may
    be."""
    xr = pytest.importorskip("xarray")
    with xr.open_dataset(whole[0] / "run.nc") as data:
        data.load().to_netcdf(tmp_path / "again.nc", engine="h5netcdf")
    with pytest.raises(DamageError, match=r"ends without a checksum.*\nhint: .*unchecked=True"):
        iso.load(tmp_path / "again.nc")
    assert same(iso.load(tmp_path / "again.nc", unchecked=True), whole[1])
