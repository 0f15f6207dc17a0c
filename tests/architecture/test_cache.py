"""Machine code is kept on disk: a second process compiles nothing, and a changed kernel anywhere makes all stale."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import isodyn

PROGRAM = textwrap.dedent(
    """
    import isodyn as iso
    from isodyn import problems
    iso.integrate(problems.get("manufactured").system(), dt=0.1, t_end=1.0)
    iso.integrate(iso.MechanicalSystem(1.0, lambda q, v, t: -q, [1.0], [0.0]), dt=0.1, t_end=1.0)
    from isodyn.integrate.loop import run
    print(sum(run.stats.cache_hits.values()), sum(run.stats.cache_misses.values()))
    """
)


def hits_and_misses(package_parent, cache):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(package_parent)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True)
    announced = "compiling once" in done.stderr
    hits, misses = map(int, done.stdout.split())
    return hits, misses, announced


@pytest.mark.slow
def test_second_process_starts_from_the_cache_until_a_kernel_changes(tmp_path):
    package = tmp_path / "lib" / "isodyn"
    shutil.copytree(Path(isodyn.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    cache = tmp_path / "cache"
    assert hits_and_misses(package.parent, cache) == (0, 1, True)
    assert hits_and_misses(package.parent, cache) == (1, 0, False)
    newton = package / "integrate" / "newton.py"  # not the file of the loop, but called by it
    newton.write_text(newton.read_text() + "\n# changed\n")
    hits, misses, _ = hits_and_misses(package.parent, cache)
    assert (hits, misses) == (0, 1)
