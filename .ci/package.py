"""The source archive and the wheel are whole: installed in an empty environment, where the source tree
is not to be seen, they bring every file and run.

    python .ci/package.py                build both without machine code, install each, run a pendulum from the wheel
    python .ci/package.py WHEEL          install this wheel, which brings machine code, and make first results of
                                         every kind with it: nothing is compiled (benchmarks/wheel.py)

The environment sees the installed dependencies of this Python and nothing of isodyn itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "isodyn"


def environment(place: Path, archive: Path) -> Path:
    """The folder of a new environment's programs, with the archive installed in it."""
    venv.create(place, with_pip=False)
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    packages = Path(run(programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # a plain line: .pth files of that folder, such as the one of an editable isodyn, are not read
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed"]
    run(sys.executable, "-m", "pip", "--python", programs / "python", "install", *options, archive)
    return programs


def run(*command: object, cwd: Path | None = None, **variables: str) -> str:
    """What a command prints; without the paths of the source tree."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env={**clean, **variables}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def installed(programs: Path, cwd: Path) -> Path:
    """Where the package lies that the environment imports."""
    return Path(run(programs / "python", "-c", "import isodyn; print(isodyn.__path__[0])", cwd=cwd).strip())


def files(folder: Path) -> set[str]:
    """All files of a package, without what Python and machine code add."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {str(path) for path in found if "__pycache__" not in path.parts and path.parts[0] != "machine_code"}


def whole(programs: Path, place: Path) -> None:
    """The environment's package is its own and has every file of the source tree."""
    package = installed(programs, place)
    if place not in package.parents:
        sys.exit(f"{package} was imported instead of the installed package")
    missing = files(SOURCES) ^ files(package)
    if missing:
        sys.exit(f"{package} and the source tree differ in {sorted(missing)}")


def check_archives(place: Path) -> None:
    """Build both archives; both install, and a pendulum runs from the wheel."""
    run(sys.executable, "-m", "hatchling", "build", "-d", place / "dist", cwd=ROOT, ISODYN_MACHINE_CODE="")
    (wheel,), (source,) = (place / "dist").glob("*.whl"), (place / "dist").glob("*.tar.gz")
    for archive in (wheel, source):
        home = place / archive.suffix[1:]
        programs = environment(home, archive)
        whole(programs, home)
        if archive == wheel:
            told = run(
                programs / "isodyn", "run", "pendulum", "--out", home / "out", cwd=home, NUMBA_CACHE_DIR=str(home)
            )
            if "error (maximum over time, relative)" not in told or not any((home / "out").iterdir()):
                sys.exit(f"the pendulum of {archive.name} tells\n{told}")
        else:
            run(programs / "isodyn", "list", cwd=home)
        print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB, whole, and runs", flush=True)


def check_machine_code(wheel: Path, place: Path) -> None:
    """Every kind of first result from a wheel with machine code."""
    programs = environment(place, wheel)
    whole(programs, place)
    command = [str(programs / "python"), "-m", "benchmarks.wheel"]
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    tag = "from isodyn.kernels import shipped; print(shipped.folder())"
    if run(programs / "python", "-c", tag, cwd=place).strip() == "None":
        sys.exit(f"{wheel.name} brings no machine code for this processor, Python and Numba")
    sys.exit(subprocess.run(command, cwd=ROOT, env=clean, check=False).returncode)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            check_machine_code(Path(sys.argv[1]).resolve(), Path(folder))
        else:
            check_archives(Path(folder))
