"""Matrix Market files, read here: the reader of SciPy ends the program at a byte 0 among the
numbers.

    %%MatrixMarket matrix <coordinate | array> <real | integer | pattern | double> <general |
    symmetric | skew-symmetric> % comments
    rows columns entries          (array: rows columns)
    i j value                     (pattern: i j; array: one value, column by column)

Complex and Hermitian matrices are refused, since systems are real. The size in the head is compared
with what follows before any memory is asked for.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from isodyn.errors import InputError
from isodyn.memory import require_memory

if TYPE_CHECKING:
    from isodyn.kernels.compiled import FloatArray
    from isodyn.open_types import Matrix

FORMS = ("coordinate", "array")
FIELDS = ("real", "integer", "pattern", "double")
SYMMETRIES = ("general", "symmetric", "skew-symmetric")
LARGEST = 2**31 - 1  # rows or columns
_CHUNK = 1 << 24


def read_market(path: Path) -> Matrix:
    """The matrix of a .mtx or .mtx.gz file: sparse for coordinates, else an array."""
    head, _, rest = _bytes(path).partition(b"\n")
    words = head.decode("ascii", "replace").lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise InputError(
            f"{path} is no Matrix Market file", hint="it begins with %%MatrixMarket matrix coordinate real general"
        )
    form, field, symmetry = words[2:]
    for word, known in ((form, FORMS), (field, FIELDS), (symmetry, SYMMETRIES)):
        if word not in known:
            raise InputError(f"{path}: {word!r} matrices are not read", hint=f"one of {', '.join(known)}")
    while rest.lstrip().startswith(b"%"):
        rest = rest.lstrip().partition(b"\n")[2]
    sizes, _, body = rest.lstrip().partition(b"\n")
    shape = _sizes(path, sizes, 3 if form == "coordinate" else 2)
    if b"_" in body or b"\x00" in body:
        raise InputError(f"{path} holds signs that are no numbers")
    values = _numbers(path, body)
    if form == "coordinate":
        return _coordinates(path, shape, values, field, symmetry)
    return _array(path, shape, values, symmetry)


def _coordinates(path: Path, shape: tuple[int, ...], values: FloatArray, field: str, symmetry: str) -> Matrix:
    n, m, many = shape
    width = 2 if field == "pattern" else 3
    _require(path, values.size, width * many)
    table = values.reshape(many, width)
    places = table[:, :2]
    if many and not ((places >= 1).all() and (places <= (n, m)).all() and (places == np.floor(places)).all()):
        raise InputError(f"{path}: places must be whole numbers from 1 to {n} and {m}")
    i, j = (places - 1).astype(np.int64).T
    x = np.ones(many) if field == "pattern" else table[:, 2]
    if symmetry != "general":
        if n != m:
            raise InputError(f"{path}: a {symmetry} matrix is square, received {n} × {m}")
        beside = i != j
        sign = -1.0 if symmetry == "skew-symmetric" else 1.0
        i, j, x = np.r_[i, j[beside]], np.r_[j, i[beside]], np.r_[x, sign * x[beside]]
    require_memory(8.0 * n, f"{path}: a matrix of {n} rows")
    return sp.csr_matrix((x, (i, j)), shape=(n, m))


def _array(path: Path, shape: tuple[int, ...], values: FloatArray, symmetry: str) -> Matrix:
    n, m = shape
    if symmetry == "general":
        _require(path, values.size, n * m)
        return values.reshape(m, n).T.copy()
    if n != m:
        raise InputError(f"{path}: a {symmetry} matrix is square, received {n} × {m}")
    skew = symmetry == "skew-symmetric"
    _require(path, values.size, n * (n - 1) // 2 if skew else n * (n + 1) // 2)
    lower = np.zeros((n, n))
    j, i = np.triu_indices(n, 1 if skew else 0)  # the lower triangle, column by column
    lower[i, j] = values
    return lower - lower.T if skew else lower + np.tril(lower, -1).T


def _bytes(path: Path) -> bytes:
    """The bytes of a file, unpacked; not more than the memory holds."""
    if not path.name.endswith(".gz"):
        require_memory(40.0 * path.stat().st_size, f"reading {path}")
        return path.read_bytes()
    parts: list[bytes] = []
    try:
        with gzip.GzipFile(path) as file:
            while part := file.read(_CHUNK):
                parts.append(part)
                require_memory(40.0 * _CHUNK * len(parts), f"unpacking {path}")
    except (EOFError, zlib.error) as error:
        raise InputError(f"{path} is damaged: {error}") from None
    return b"".join(parts)


def _sizes(path: Path, line: bytes, many: int) -> tuple[int, ...]:
    words = line.split()
    if len(words) != many or not all(word.isdigit() and len(word) < 19 for word in words):
        raise InputError(f"{path}: {many} sizes are needed after the head, received {line[:60]!r}")
    found = tuple(int(word) for word in words)
    if not all(0 < n <= LARGEST for n in found[:2]):
        raise InputError(f"{path}: a matrix has 1 to {LARGEST} rows and columns, received {found[0]} × {found[1]}")
    return found


def _numbers(path: Path, body: bytes) -> Matrix:
    try:
        return np.array(body.split(), dtype=np.float64)
    except ValueError as error:
        raise InputError(f"{path}: {str(error)[:100]}") from None


def _require(path: Path, found: int, needed: int) -> None:
    if found != needed:
        raise InputError(
            f"{path} is cut off, or holds more than it says: {needed} numbers are needed, {found} are there"
        )
