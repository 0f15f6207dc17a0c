"""Machine code is kept on disk: a later process compiles nothing, and a changed kernel anywhere
makes the loop stale."""

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
    import gc
    from isodyn.kernels.numba_internals.dispatcher import Kernel
    print(*sorted({x.origin for x in gc.get_objects() if isinstance(x, Kernel) and x.origin}))
    """
)


@pytest.mark.slow
def test_another_process_starts_from_the_cache():
    # fills the cache
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["loaded"]
    assert "compiling" not in done.stderr


def stamps(package, files=("marching/march.py", "problems/kepler.py")):
    """The stamps of the loop's file and of a problem's, or of others, for a copy of the package, in
    a process of its own."""
    program = (
        "from pathlib import Path; import isodyn.kernels.compiled as c; p = Path(c.__file__).parents[1];"
        f"print(*(c._stamp(str(p / file)) for file in {files}))"
    )
    environment = {"PYTHONPATH": str(package.parent), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)
    return done.stdout.split()


@pytest.mark.slow
def test_a_changed_kernel_makes_every_caller_stale(tmp_path):
    package = tmp_path / "lib" / "isodyn"
    shutil.copytree(Path(isodyn.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    loop, kepler = stamps(package)
    assert stamps(package) == [loop, kepler]
    driver = package / "api" / "driver.py"
    driver.write_text(driver.read_text() + "\n# no kernels here, and no kernel imports from it\n")
    assert stamps(package) == [loop, kepler]
    newton = package / "stepping" / "newton.py"  # not the file of the loop, but called by it
    newton.write_text(newton.read_text() + "\n# changed\n")
    changed = stamps(package)
    assert changed[0] != loop
    assert changed[1] == kepler  # which does not call it
    layout = package / "stepping" / "memory.py"  # numbers that kernels read
    layout.write_text(layout.read_text() + "\n# changed\n")
    assert stamps(package)[0] != changed[0]
    changed = stamps(package)
    problem = package / "problems" / "kepler.py"
    problem.write_text(problem.read_text() + "\n# changed\n")
    assert stamps(package) == [changed[0], stamps(package)[1]]
    assert stamps(package)[1] != changed[1]


@pytest.mark.slow
def test_a_changed_measure_makes_mechanisms_stale_and_nothing_else(tmp_path):
    """The model of a mechanism is built from kernels of three parts; the loop does not know
    them."""
    package = tmp_path / "lib" / "isodyn"
    shutil.copytree(Path(isodyn.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    files = ("multibody/model.py", "marching/march.py")
    before = stamps(package, files)
    for part in ("joints/measures.py", "bodies/rotation_kernels.py", "loads/laws.py", "expressions/program.py"):
        kernels = package / part
        kernels.write_text(kernels.read_text() + "\n# changed\n")
        after = stamps(package, files)
        assert after[0] != before[0], part
        assert after[1] == before[1]
        before = after


@pytest.mark.slow
def test_changed_places_of_numbers_make_kernels_stale(tmp_path):
    """Constants are frozen into compiled code: with an old one it would read and write
    elsewhere."""
    package = tmp_path / "lib" / "isodyn"
    shutil.copytree(Path(isodyn.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    files = ("reduction/kernels.py", "multibody/model.py")
    before = stamps(package, files)
    for places, changed in (
        ("reduction/tables.py", [True, False]),
        ("beams/tables.py", [False, True]),
        ("stepping/memory.py", [False, False]),  # the memory of a step, which no model reads
    ):
        (package / places).write_text((package / places).read_text() + "\n# changed\n")
        after = stamps(package, files)
        assert [one != other for one, other in zip(before, after, strict=True)] == changed, places
        before = after


KERNEL = """
from collections import namedtuple
from numba import types
from isodyn.kernels.compiled import f8, kernel
Pair = namedtuple("Pair", "x y")

@kernel(f8(types.NamedUniTuple(f8, 2, Pair)))
def add(pair):
    return pair.x + pair.y

print(add(Pair(1.0, 2.0)))
"""


def test_a_cache_that_knows_types_which_are_gone_is_stale(tmp_path):
    """Renaming a type of a signature must not leave an index behind that cannot be read."""
    for text in (KERNEL, KERNEL.replace("Pair", "Two")):
        (tmp_path / "sums.py").write_text(text)
        done = subprocess.run(
            [sys.executable, "-c", "import sums"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.stdout == "3.0\n", done.stderr
