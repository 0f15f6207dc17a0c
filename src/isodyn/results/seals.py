"""Seals: the SHA-256 of a file behind its last byte.

    … bytes of the file …  "\\nisodyn sha256 " 64 hexadecimal digits "\\n"

What does not fit its seal is not read: the libraries below give other numbers, wait for ever or end
the program where a byte is changed.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from isodyn.errors import DamageError, InputError

MARK = b"\nisodyn sha256 "
SEAL = len(MARK) + 64 + 1
_CHUNK = 1 << 22
UNFIT = (KeyError, ValueError, TypeError, IndexError, OverflowError, zipfile.BadZipFile, EOFError, OSError)


def sealed(image: io.BytesIO) -> memoryview:
    """The bytes of a file and its seal behind them.

    >>> import io
    >>> bytes(sealed(io.BytesIO(b"numbers")))[:22]
    b'numbers\\nisodyn sha256 '
    """
    digest = hashlib.sha256(image.getbuffer()).hexdigest()
    image.seek(0, io.SEEK_END)
    image.write(MARK + digest.encode() + b"\n")
    return image.getbuffer()


def check_seal(path: Path, hint: str | None = None) -> None:
    """DamageError where a file is not as it was written; it is read in pieces, since it may be
    larger than the memory."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        left = max(path.stat().st_size - SEAL, 0)
        while left and (chunk := file.read(min(left, _CHUNK))):
            digest.update(chunk)
            left -= len(chunk)
        seal = file.read(SEAL + 1)
    if not seal.startswith(MARK) or len(seal) != SEAL:
        raise DamageError(
            f"{path} ends without a checksum of isodyn: it is cut off, damaged, or another program wrote it", hint=hint
        )
    if seal[len(MARK) : -1] != digest.hexdigest().encode():
        raise DamageError(f"{path} is damaged: its bytes do not have the checksum written with them", hint=hint)


def opened(path: Path) -> bytes:
    """The bytes of a sealed file, without the seal."""
    try:
        check_seal(path)
        return path.read_bytes()[:-SEAL]
    except FileNotFoundError:
        raise DamageError(
            f"the checkpoint has no {path.name}", hint=f"{path.parent} was moved, or only a part of it"
        ) from None
    except OSError as error:
        raise DamageError(f"{path} cannot be read: {error}") from None


def sealed_json(document: dict[str, Any]) -> tuple[str, bytes]:
    """The checksum of a document, and its text with the checksum in it."""
    digest = _digest(document)
    return digest, json.dumps({**document, "sha256": digest}, indent=1).encode()


def opened_json(path: Path, formats: int) -> tuple[str, dict[str, Any]]:
    """Checksum and content of a document that `sealed_json` wrote in this format."""
    try:
        document = json.loads(path.read_bytes().decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DamageError(f"{path} cannot be read: {error}") from None
    if not isinstance(document, dict) or document.get("format") != formats:
        raise InputError(f"{path} was written by another version of isodyn, or is damaged")
    digest = document.pop("sha256", None)
    if digest != _digest(document):
        raise DamageError(f"{path} is damaged, or was changed by hand: its checksum is another")
    return str(digest), document


def _digest(document: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def packed(**arrays: object) -> memoryview:
    """Arrays as the bytes of an npz file, with a seal."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return sealed(buffer)


def unpacked(path: Path) -> dict[str, Any]:
    """Arrays of a sealed npz file."""
    data = opened(path)
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except UNFIT as error:
        raise DamageError(f"{path} cannot be read: {error}", hint="it was not written by isodyn") from None
