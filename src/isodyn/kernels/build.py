"""Compile every kernel of the package for a wheel:
`python -m isodyn.kernels.build FOLDER [--only NAME …]`.

The kernels are compiled for a level of processors (isodyn.kernels.shipped) and kept in
FOLDER/cache, so that a second build compiles what has changed; FOLDER/machine_code is what goes
into the wheel.

`python -m isodyn.kernels.build --here` compiles them for this machine instead, in one process, into
the folder that runs read: ahead of many runs.
"""

from __future__ import annotations

import gc
import os
import pkgutil
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from isodyn.kernels import compiled
from isodyn.kernels import shipped as shipped_kernels
from isodyn.kernels.helper import command, compile_named, cores
from isodyn.kernels.numba_internals.dispatcher import Kernel
from isodyn.kernels.progress import usual_seconds

_WITHOUT_KERNELS = ("isodyn.cli", "isodyn.report", "isodyn.__main__", "isodyn.kernels.build")


def declared() -> dict[str, Kernel]:
    """All kernels of the package that are compiled on their own, by name."""
    for module in pkgutil.walk_packages([str(Path(__file__).parents[1])], "isodyn."):
        if not module.name.startswith(_WITHOUT_KERNELS):
            import_module(module.name)
    found = (one for one in gc.get_objects() if isinstance(one, Kernel) and one.declared is not None)
    return {one.name: one for one in sorted(found, key=lambda one: one.name) if one.name.startswith("isodyn.")}


def missing_of(kernels: dict[str, Kernel]) -> list[str]:
    """Those that are not on disk; a long one that begins last would be waited for."""
    missing = [name for name, one in kernels.items() if not compiled.place_of(one).known()]
    return sorted(missing, key=usual_seconds, reverse=True)


def build(place: Path, only: list[str]) -> list[Path]:
    """Compile, in as many processes as there are cores, and collect."""
    kernels = {name: one for name, one in declared().items() if not only or name in only}
    missing = missing_of(kernels)
    # each process goes round the same list from another place, and passes over what others have in hand
    begins = range(0, len(missing), max(1, -(-len(missing) // cores())))
    running = [subprocess.Popen(command(missing[k:] + missing[:k])) for k in begins]
    if any(process.wait() for process in running):
        raise SystemExit("a kernel could not be compiled")
    to = place / "machine_code" / shipped_kernels.tag()
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    return [Path(shutil.copyfile(compiled.place_of(one).path, to / f"{name}.kernel")) for name, one in kernels.items()]


def main() -> None:
    """Start again with Numba's settings for the level, then build; or compile for this machine."""
    place, *rest = sys.argv[1:]
    if place == "--here":
        compile_named(missing_of(declared()))
        return
    only = [word for word in rest if word != "--only"]
    wanted = {**shipped_kernels.settings(), "NUMBA_CACHE_DIR": str(Path(place).resolve() / "cache")}
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        os.execve(
            sys.executable, [sys.executable, "-m", "isodyn.kernels.build", *sys.argv[1:]], {**os.environ, **wanted}
        )
    files = build(Path(place), only)
    print(f"{len(files)} kernels, {sum(file.stat().st_size for file in files) / 1e6:.1f} MB in {files[0].parent}")


if __name__ == "__main__":
    main()
