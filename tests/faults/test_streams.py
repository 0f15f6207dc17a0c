"""The command line and its surroundings: closed pipes, full outputs, narrow or plain terminals,
arguments that are no text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from isodyn import cli
from isodyn.errors import InputError

START = [sys.executable, "-c", "from isodyn.cli import main; main()"]


def called(arguments: list[Any], **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **options.pop("env", {})}
    return subprocess.run([*START, *arguments], env=environment, check=False, stderr=subprocess.PIPE, **options)


def test_a_reader_that_goes_away_is_no_error() -> None:
    """`isodyn list | head -1`: no traceback, also not at the end of the interpreter."""
    read, write = os.pipe()
    os.close(read)
    done = called(["list"], stdout=write)
    os.close(write)
    assert done.returncode == cli.BROKEN_PIPE
    assert done.stderr == b""


def test_an_output_that_is_full_is_one_message() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full on this system")
    with open("/dev/full", "wb") as full:
        done = called(["cite"], stdout=full)
    assert done.returncode == 1
    assert done.stderr.decode() == "error: cannot write the output: No space left on device\n"


@pytest.mark.slow
def test_terminals_that_know_little() -> None:
    """ASCII alone, no colours, one column: everything is told all the same; a name that is no UTF-8
    too."""
    plain = {"PYTHONIOENCODING": "ascii", "NO_COLOR": "1", "COLUMNS": "1", "TERM": "dumb"}
    done = called(["run", b"n\xff\xfe.toml"], env=plain, stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: there is no file n")
    done = called(["list"], env=plain, stdout=subprocess.PIPE)
    assert done.returncode == 0
    assert b"kepler" in done.stdout
    assert b"\x1b" not in done.stdout


def test_a_closed_output_is_no_fault() -> None:
    done = called(["cite"], preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, b"")


# ---- in this process


def failing(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> None:
        raise error

    monkeypatch.setattr(cli.cli, "main", fail)


def test_faults_are_one_message_and_can_be_traced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What nobody thought of ends with a code of its own."""
    failing(KeyError("x"), monkeypatch)
    assert cli._run([]) == cli.FAULT == 70
    assert capsys.readouterr().err == (
        "error: KeyError: 'x'\nhint: this should not happen; ISODYN_TRACEBACK=1 shows where, please report it\n"
    )
    monkeypatch.setenv("ISODYN_TRACEBACK", "1")
    with pytest.raises(KeyError):
        cli._run([])
    failing(MemoryError("Unable to allocate 8 TiB"), monkeypatch)
    assert cli._run([]) == 1
    assert capsys.readouterr().err == "error: there is not enough memory: Unable to allocate 8 TiB\n"


def test_python_files_that_leave_or_fail_are_told(tmp_path: Path) -> None:
    """A file that ends the program ended isodyn, with its code and no word."""
    from isodyn.cli.models import system_of_python

    for text, words in (
        ("import sys; sys.exit(0)", "failed: SystemExit"),
        ("def system(): return 1 / 0", r"system\(\) of .* failed: ZeroDivisionError"),
        ("def system(): raise SystemExit(3)", r"system\(\) of .* failed: SystemExit"),
    ):
        (tmp_path / "own.py").write_text(text)
        with pytest.raises(InputError, match=words):
            system_of_python(f"{tmp_path / 'own.py'}:system")


def test_outputs_are_checked_before_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file in the place of a folder, a folder in the place of a file, names without an end."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder.csv").mkdir()
    for option, value, words in (
        ("--csv", tmp_path / "file" / "a.csv", "is no folder"),
        ("--csv", tmp_path / "folder.csv", "is a directory"),
        ("--save", tmp_path / "file" / "b" / "a.nc", "cannot make the folder"),
        ("--checkpoint", tmp_path / "file" / "c", "cannot make the folder"),
        ("--report", ".", "must end in .html"),
        ("--animation", "x.avi", "must end in .gif"),
        ("--out", tmp_path / "file", "file"),
    ):
        code = cli._run(["run", "kepler", "--t-end", "0.1", option, str(value)])
        assert code in (1, 2)
        err = capsys.readouterr().err
        assert err.startswith("error: "), (option, err)
        assert words in err
    long = "n" * 5000
    for arguments in (
        ["report", "."],
        ["report", long],
        ["resume", long],
        ["run", f"{long}.toml"],
        ["cite", "a\x00b"],
        ["report", "/"],
        ["resume", str(tmp_path)],
        ["cite", "\udcff"],
    ):
        assert cli._run(arguments) == 2
        assert capsys.readouterr().err.startswith("error: ")
