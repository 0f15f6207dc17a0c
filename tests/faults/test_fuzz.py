"""2,000 damaged texts and files of every format, and all kept cases: read rightly or refused in
words of our own, none too slow."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_eight_hundred_inputs(tmp_path: Path) -> None:
    """`make fuzz` takes 25 times as many, from the same beginning."""
    command = [sys.executable, "-m", "fuzz", "--inputs", "800", "--out", str(tmp_path)]
    path = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    counted = sum(int(line.split()[1]) for line in done.stdout.splitlines() if " inputs: " in line)
    assert counted >= 800


def test_the_fuzzer_sees_faults(tmp_path: Path) -> None:
    """A reader that lets an error through, gives other numbers or does not end is told, with its
    input."""
    program = (
        "import sys, time; from fuzz import __main__ as m; from fuzz.formats import Format\n"
        "make = lambda rng, folder: rng.randbytes(3)\n"
        "def slow(data, folder): time.sleep(9)\n"
        "def busy(data, folder):\n    while True: pass\n"
        "def raw(data, folder): raise KeyError('x')\n"
        "m.all_formats = lambda: (Format('slow', 0.0, make, slow), Format('busy', 0.0, make, busy), Format('raw', 0.0, make, raw))\n"
        f"sys.argv = ['fuzz', '--inputs', '1', '--seconds', '0.1', '--out', {str(tmp_path)!r}]; sys.exit(m.main())"
    )
    path = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("HangError: it took too long") == 2
    assert "KeyError: 'x'" in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == ["busy-17-0", "raw-17-0", "slow-17-0"]
