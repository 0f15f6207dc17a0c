"""Machine code on disk that is what was compiled, or is compiled again.

One file for each kernel, Python, Numba and processor, in a folder of the user: NUMBA_CACHE_DIR
where it is set, else the folder that the system has for caches. A file begins with the stamp of the
sources that it was made from and ends with the SHA-256 of what is in it. What does not fit is
compiled and written again; where nothing can be written, kernels are compiled for this process
alone. Both are told in one line. Files are replaced whole, and a kernel that one process compiles
is waited for by others. Code in these files is run, so the folder is made for the user alone; one
that belongs to somebody else, or that others may write to, is not used, which is told.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

import numba

try:
    import fcntl
except ImportError:  # Windows: two processes may compile the same kernel, which costs time and nothing else
    fcntl = None  # type: ignore[assignment]

_SEAL = hashlib.sha256().digest_size
_POLL = 0.02  # seconds between two looks at a kernel that another process compiles
_told: list[str] = []

T = TypeVar("T")


def folder() -> Path:
    """Where kernels are kept."""
    if numba.config.CACHE_DIR:
        return Path(numba.config.CACHE_DIR) / "isodyn"
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "isodyn" / "kernels"


def doubt(place: Path) -> str:
    """Why code in a folder is not run; nothing where only this user, or the system, writes
    there."""
    if os.name != "posix":
        return ""
    try:
        found = place.stat()
    except OSError:
        return ""  # there is nothing to run
    if found.st_uid not in (os.getuid(), 0):
        return "it belongs to another user"
    return "others may write to it (chmod 700 keeps them out)" if found.st_mode & 0o022 else ""


def _made(place: Path) -> None:
    """Make a folder for this user alone; OSError where it cannot be trusted."""
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    if reason := doubt(place):
        raise OSError(reason)


class Entry:
    """The place of one kernel."""

    def __init__(self, source: str, name: str, machine: str, stamp: str) -> None:
        key = f"{source} {name} {machine} {sys.version} {numba.__version__}"
        digest = hashlib.sha256(key.encode()).hexdigest()[:20]
        self.shipped = False  # with the package, and as trustworthy as that
        self.path, self.stamp = folder() / f"{name.replace('<', '').replace('>', '')}-{digest}.kernel", stamp.encode()

    @classmethod
    def at(cls, path: Path, stamp: bytes) -> Entry:
        """One that is shipped with the package."""
        entry = cls.__new__(cls)
        entry.path, entry.stamp, entry.shipped = path, stamp, True
        return entry

    def known(self) -> bool:
        """Whether there is a file for this stamp."""
        if not self.shipped and doubt(self.path.parent):
            return False
        try:
            with self.path.open("rb") as file:
                return file.read(len(self.stamp)) == self.stamp
        except OSError:
            return False

    @contextmanager
    def alone(self, wait: bool = True) -> Iterator[bool]:
        """Whether this process may compile the kernel: one at a time does; with `wait`, the others
        come later and find what it wrote."""
        file = None
        if fcntl is not None:
            try:
                _made(self.path.parent)
                file = self.path.with_suffix(".lock").open("wb")
            except OSError:
                file = None  # no folder to write to, which is told when the kernel is to be kept
        if file is None:
            yield True
            return
        with file:
            while not (mine := _locked(file)) and wait:
                time.sleep(_POLL)
            try:
                yield mine
            finally:
                if mine:  # explicitly: a process that was forked meanwhile holds the same file open
                    fcntl.flock(file, fcntl.LOCK_UN)

    def read(self, rebuild: Callable[[memoryview], T]) -> T | None:
        """What `rebuild` makes of the file; None where there is none, or none that can be used."""
        try:
            if not self.shipped and (reason := doubt(self.path.parent)):
                raise OSError(reason)
            data = self.path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            tell(f"kernels in {self.path.parent} cannot be read and are compiled again: {_first_line(error)}")
            return None
        if not data.startswith(self.stamp):
            return None  # of another source
        body = memoryview(data)
        if hashlib.sha256(body[:-_SEAL]).digest() != data[-_SEAL:]:
            tell(f"kernels in {self.path.parent} are damaged and are compiled again")
            return None
        try:
            return rebuild(body[len(self.stamp) : -_SEAL])
        except Exception as error:  # written by a program with other types; there is no list of what pickle raises
            tell(f"kernels in {self.path.parent} cannot be used and are compiled again: {_first_line(error)}")
            return None

    def write(self, data: bytes) -> None:
        """Keep this, or tell that it cannot be kept."""
        data = self.stamp + data
        temporary = self.path.with_name(f"{self.path.name}.{uuid.uuid4().hex[:12]}")
        try:
            _made(self.path.parent)
            temporary.write_bytes(data + hashlib.sha256(data).digest())
            temporary.replace(self.path)
        except OSError as error:
            tell(f"kernels cannot be kept in {self.path.parent}, later runs compile them again: {_first_line(error)}")
            _remove(temporary)


def _locked(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return


def tell(words: str) -> None:
    """One line about the cache; the first one only."""
    if not _told:
        print(f"isodyn: {words}", file=sys.stderr, flush=True)
    _told.append(words)


def _first_line(error: Exception) -> str:
    return str(error).split("\n")[0]
