"""Machine code that came with the package: compiled when the wheel was built, for a level of
processors instead of a single one.

It lies in `machine_code` beside this file, in a folder whose name tells Python, Numba, system and
level, and is looked at before the user's own (isodyn.kernels.cache): the same files with the same
stamps of sources and the same checksums. For processors below the level, other versions, changed
sources and damaged files, kernels are compiled as they are without it. The files are code, and as
trustworthy as the rest of the wheel. `python -m isodyn.kernels.build` makes them.
"""

from __future__ import annotations

import platform
import sys
from functools import cache
from pathlib import Path

import numba
from llvmlite import binding

from isodyn.kernels.cache import Entry

# by machine: name of the level, of the processor for LLVM, and what a processor must have
LEVELS = {
    "x86_64": ("v3", "x86-64-v3", "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sse4.2 xsave"),
    "aarch64": ("v8", "generic", "neon"),
    "arm64": ("v8", "generic", "neon"),
}


def tag() -> str:
    """The folder for this Python, Numba and system."""
    machine = platform.machine().lower().replace("amd64", "x86_64")
    level = LEVELS[machine][0] if machine in LEVELS else "none"
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return f"{python}-numba{numba.__version__}-{platform.system().lower()}-{machine}-{level}"


def settings() -> dict[str, str]:
    """Environment in which Numba compiles for the level of this machine."""
    _, processor, features = LEVELS[platform.machine().lower().replace("amd64", "x86_64")]
    return {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in features.split())}


@cache
def folder() -> Path | None:
    """Where shipped kernels for this process are; None where there are none, or none that this
    processor can run."""
    place = Path(__file__).parents[1] / "machine_code" / tag()
    if not place.is_dir() or numba.config.CPU_NAME or numba.config.CPU_FEATURES:
        return None
    features = binding.get_host_cpu_features()
    needed = LEVELS[platform.machine().lower().replace("amd64", "x86_64")][2].split()
    return place if all(features.get(name) for name in needed) else None


def shipped(name: str, stamp: bytes) -> Entry | None:
    """The file of a kernel that came with the package."""
    place = folder()
    return None if place is None else Entry.at(place / f"{name}.kernel", stamp)
