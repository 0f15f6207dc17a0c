"""Files that are there whole or not at all.

A file is written beside its place under a name of its own, brought to the disk, and moved into its
place in one step. So at every moment either the old or the new file is there, also when the program
is killed or the disk is full; what killed programs left is removed by the next one that writes the
same file. Everything that goes wrong is a `FileError` that says what to do.
"""

from __future__ import annotations

import errno
import hashlib
import io
import itertools
import os
import re
import shutil
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import FileError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import sparse
from isodyn.memory import in_words

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
OLD = 86_400.0  # seconds after which a leftover of another machine is nobody's
_CHUNK = 1 << 24
_number = itertools.count()  # of threads that write the same file


def write_file(path: Path | str, data: bytes | memoryview) -> Path:
    """Write a file, whole or not at all.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(Path(folder) / "a.txt", b"whole").read_bytes()
    b'whole'
    """
    with replacing(path, len(data)) as beside, beside.open("wb") as file:
        rest = memoryview(data)
        while rest:  # in pieces: some systems write at most 2 GB at a time
            rest = rest[file.write(rest[:_CHUNK]) :]
    return Path(path)


def arrays_bytes(**arrays: FloatArray) -> bytes:
    """What a `.npz` file of these arrays holds."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def matrix_bytes(matrix: Matrix) -> bytes:
    """What a `.npz` file of a sparse matrix holds."""
    buffer = io.BytesIO()
    sparse.save_npz(buffer, matrix)
    return buffer.getvalue()


@contextmanager
def replacing(path: Path | str, size: int = 0) -> Iterator[Path]:
    """A name beside `path`, with the same ending; what is written there takes the place of `path`
    when all went well.

    A link leads to the file behind it. Devices and pipes cannot be replaced: what is written goes
    to them directly.
    """
    path = Path(path)
    beside: Path | None = None
    try:
        place = _place(path)
        if _is_stream(place):
            yield place
            return
        mode = _writable(place)
        remove_leftovers(place)
        beside = place.with_name(_beside(place.name))
        yield beside
        if mode is not None:
            beside.chmod(mode)
        _to_disk(beside)
        beside.replace(place)
        _to_disk(place.parent)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise failed(path, error, size) from error
    finally:
        if beside is not None:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


def check_place(path: Path | str) -> None:
    """What would fail when a file is written, said before the run: its folder is made, and nothing
    else has its name."""
    path = Path(path)
    try:
        if path.parent.exists() and not path.parent.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"{path.parent} is no folder")
        make_folder(path.parent)
        place = _place(path)
        if not _is_stream(place):
            _writable(place)
            if not os.access(place.parent, os.W_OK):
                raise PermissionError(errno.EACCES, f"nothing can be written into {place.parent}")
    except OSError as error:
        raise error if isinstance(error, FileError) else failed(path, error) from error


def failed(path: Path | str, error: OSError, size: int = 0) -> FileError:
    """What an error of the system means for a file that was to be written."""
    path = Path(path)
    words = error.strerror or str(error)
    hint = "name a place that is yours to write"
    if error.errno in FULL:
        wanted = f": {in_words(size)} are needed" if size else ""
        with suppress(OSError):
            wanted += f"{', ' if wanted else ': '}{in_words(shutil.disk_usage(path.parent).free)} are free"
        words = "the disk, the quota or the largest size of a file is used up" + wanted
        hint = "make room, or name another place; what was there before is as it was"
    elif error.errno == errno.ENOENT and not path.parent.is_dir():
        hint = f"there is no folder {path.parent}"
    elif error.errno == errno.ENAMETOOLONG:
        hint = "choose a shorter name"
    return FileError(f"cannot write {path}: {words}", hint=hint)


def remove_leftovers(place: Path) -> None:
    """Files that writers of `place` left when they were killed: those whose process is gone, and
    old ones of other machines."""
    pattern = re.compile(re.escape(_stem(place.name)) + r"-([0-9a-f]{8})-(\d+)-\d+(\.\w{1,8})?")
    try:
        names = os.listdir(place.parent)
    except OSError:
        return
    for name in names:
        found = pattern.fullmatch(name)
        if found is None:
            continue
        left = place.with_name(name)
        with suppress(OSError):
            here = found[1] == _machine()
            if (here and not _alive(int(found[2]))) or time.time() - left.stat().st_mtime > OLD:
                left.unlink(missing_ok=True)


def is_file(path: Path | str) -> bool:
    """Whether a file can be read there; names that no file can have are none."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # too long, a byte 0, no right to look
        return False


def make_folder(folder: Path | str) -> Path:
    """A folder, made with those above it where they are missing."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"cannot make the folder {folder}: {error.strerror or error}", hint="name a place that is yours to write"
        ) from error
    return folder


# ---- names and states


def _stem(name: str) -> str:
    """Begin of the names of files beside; short, since names may be as long as they are allowed to
    be."""
    return f".isodyn-{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"


def _beside(name: str) -> str:
    ending = re.search(r"\.\w{1,8}$", name, re.ASCII)  # some writers choose the format by it
    return f"{_stem(name)}-{_machine()}-{os.getpid()}-{next(_number)}{ending[0] if ending else ''}"


def _machine() -> str:
    return hashlib.sha256(os.fsencode(socket.gethostname())).hexdigest()[:8]


def _alive(process: int) -> bool:
    if os.name == "nt" or process == os.getpid():
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _place(path: Path) -> Path:
    """The file behind a path and its links."""
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:  # a byte 0
        raise FileError(f"cannot write {str(path)!r}: {error}", hint="choose another name") from None


def _is_stream(place: Path) -> bool:
    """A device, pipe or socket."""
    try:
        mode = place.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _writable(place: Path) -> int | None:
    """The permissions of the file that is there, None where there is none; refused where it must
    not be changed."""
    try:
        found = place.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "there is a folder of this name", str(place))
    if not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, "the file that is there is read-only", str(place))
    return stat.S_IMODE(found.st_mode)


def _to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name == "nt":  # folders cannot be opened there
        return
    number = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(number)
    finally:
        os.close(number)
