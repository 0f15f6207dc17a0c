"""Results of many runs in one file, which grows point by point and survives whatever ends the
program.

The file is NetCDF in its classic format with 64-bit places, so that xarray, ncdump and others read
it. All numbers of a point lie together:

    header | values of fixed variables | record of point 0 | record of point 1 | … record:
    parameters, outputs, run_seconds, message, status, seal        big-endian, as the format wants

Records are written into their place, in one call each, when a point is done; the room for all of
them is taken at the start, with NaN for what is not known. A record counts if its seal, a checksum
of its other bytes, fits: one that was cut off or damaged is a point that is still to be run.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from isodyn.errors import DamageError, FileError, InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.results.files import failed, is_file, replacing

fcntl: ModuleType | None
try:
    fcntl = import_module("fcntl")
except ImportError:  # not on this system
    fcntl = None

WAITING, DONE, FAILED = range(3)
MESSAGE = 240  # bytes of a message
OWN = ("run_seconds", "message", "status", "seal")
_MAGIC, _DIMENSION, _VARIABLE, _ATTRIBUTE = b"CDF\x02", 10, 11, 12
_CHAR, _INT, _DOUBLE = 2, 4, 6
_LARGEST = 2**31 - 4  # bytes of a record, and number of records
_PIECE = 1 << 24  # bytes that are written at once


@dataclass(frozen=True)
class Variable:
    """A number for each point, or a history of so many rows."""

    name: str
    rows: int = 0
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Layout:
    """What a file of results holds."""

    parameters: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    points: int
    times: FloatArray  # of histories
    attributes: Mapping[str, str]

    @property
    def record(self) -> np.dtype[Any]:
        """The bytes of a point."""
        shapes = [(v.name, ">f8", (v.rows,) if v.rows else ()) for v in (*self.parameters, *self.outputs)]
        return np.dtype(
            [*shapes, ("run_seconds", ">f8"), ("message", f"S{MESSAGE}"), ("status", ">i4"), ("seal", ">u4")]
        )

    def check(self) -> None:
        """InputError for what a file cannot hold."""
        names = [v.name for v in (*self.parameters, *self.outputs)]
        for name in names:
            if name in (*OWN, "point", "time") or names.count(name) > 1:
                raise InputError(
                    f"{name!r} stands for something else already", hint='give outputs names: "peak = max(…)"'
                )
        if self.record.itemsize > _LARGEST or self.points > _LARGEST:
            raise InputError(f"{self.points} points of {self.record.itemsize} bytes are more than a file can hold")


# ---- the format


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">i", len(data)) + _padded(data)


def _attributes(given: Mapping[str, str]) -> bytes:
    if not given:
        return struct.pack(">ii", 0, 0)
    parts = [struct.pack(">ii", _ATTRIBUTE, len(given))]
    for name, text in given.items():
        parts += [_text(name), struct.pack(">i", _CHAR), _text(text)]
    return b"".join(parts)


def header(layout: Layout) -> tuple[bytes, int]:
    """The bytes before the first record, and how many they are."""
    dims = [("point", 0), ("time", max(layout.times.size, 1)), ("letters", MESSAGE)]
    record, first = layout.record, 8 * layout.times.size
    words = {"run_seconds": {"units": "s"}, "status": {"meaning": "0 waiting, 1 done, 2 failed"}}

    def variables(begin: int) -> bytes:
        found = []
        if layout.times.size:
            found.append(_variable("time", (1,), {}, _DOUBLE, first, begin))
        for name in record.names or ():
            of, offset = record.fields[name][:2]  # type: ignore[index]
            known = next((v.attributes for v in (*layout.parameters, *layout.outputs) if v.name == name), None)
            kind = _CHAR if name == "message" else _INT if name in ("status", "seal") else _DOUBLE
            more = (2,) if name == "message" else (1,) if of.shape else ()
            attributes = words.get(name, {}) if known is None else known
            found.append(_variable(name, (0, *more), attributes, kind, of.itemsize, begin + first + offset))
        return struct.pack(">ii", _VARIABLE, len(found)) + b"".join(found)

    head = _MAGIC + struct.pack(">iii", layout.points, _DIMENSION, len(dims))
    head += b"".join(_text(name) + struct.pack(">i", size) for name, size in dims) + _attributes(layout.attributes)
    begin = len(head) + len(variables(0))
    times = np.asarray(layout.times, dtype=">f8").tobytes()
    return head + variables(begin) + times, begin + first


def _variable(
    name: str, dims: tuple[int, ...], attributes: Mapping[str, str], kind: int, size: int, begin: int
) -> bytes:
    places = struct.pack(f">i{len(dims)}i", len(dims), *dims)
    return _text(name) + places + _attributes(attributes) + struct.pack(">iiq", kind, size, begin)


class _Head:
    """Reads a header of such a file."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path, self.data, self.at = path, data, 4
        if data[:4] != _MAGIC:
            raise DamageError(f"{path} is no file of a sweep", hint="iso.load reads single runs")

    def number(self, kind: str = ">i") -> int:
        size = struct.calcsize(kind)
        if self.at + size > len(self.data):
            raise DamageError(f"{self.path} is cut off within its header")
        (found,) = struct.unpack_from(kind, self.data, self.at)
        self.at += size
        return int(found)

    def text(self) -> str:
        size = self.number()
        if not 0 <= size <= len(self.data) - self.at:
            raise DamageError(f"{self.path} is damaged: a name of {size} bytes in its header")
        data = self.data[self.at : self.at + size]
        self.at += size + -size % 4
        return data.decode("utf-8", "replace")

    def attributes(self) -> dict[str, str]:
        self.number()
        found = {}
        for _ in range(self.number()):
            name = self.text()
            self.number()
            found[name] = self.text()
        return found


def read_layout(path: Path) -> tuple[Layout, int]:
    """What a file holds, and where its first record begins; DamageError where it was not written
    here."""
    try:
        with path.open("rb") as file:
            data = file.read(1 << 20)
            if len(data) == 1 << 20:
                data += file.read(1 << 26)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    head = _Head(path, data)
    points = head.number()
    head.number()
    dims = [(head.text(), head.number()) for _ in range(head.number())]
    attributes = head.attributes()
    try:
        described = json.loads(attributes["isodyn_sweep"])
        rows = int(described["rows"])
        made = Layout(
            tuple(Variable(name, 0, dict(about)) for name, about in described["parameters"]),
            tuple(Variable(name, rows if long else 0, dict(about)) for name, long, about in described["outputs"]),
            points,
            np.zeros(rows),
            attributes,
        )
        whole, begin = header(made)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise DamageError(f"{path} is no file of a sweep, or damaged: {error}") from None
    if data[: begin - 8 * rows] != whole[: begin - 8 * rows] or len(data) < begin or len(dims) != 3:
        raise DamageError(f"{path} is damaged: its header does not describe what it should")
    times = np.frombuffer(data[begin - 8 * rows : begin], dtype=">f8").astype(np.float64)
    return Layout(made.parameters, made.outputs, points, times, attributes), begin


# ---- the file


def create(path: Path, layout: Layout, values: FloatArray) -> None:
    """A file in which all points wait, with the values of their parameters; whole or not at all."""
    layout.check()
    head, _ = header(layout)
    record = layout.record
    many = max(1, _PIECE // record.itemsize)
    with replacing(path, len(head) + layout.points * record.itemsize) as beside, beside.open("wb") as file:
        file.write(head)
        for first in range(0, layout.points, many):
            rows = values[first : first + many]
            block = np.zeros(len(rows), dtype=record)
            for k, v in enumerate(layout.parameters):
                block[v.name] = rows[:, k]
            for v in layout.outputs:
                block[v.name] = np.nan
            block["run_seconds"] = np.nan
            file.write(block.tobytes())


def seal_of(record: FloatArray) -> int:
    """The checksum of a record without its seal."""
    return zlib.crc32(record.tobytes()[:-4])


class SweepWriter:
    """Writes records of points; nobody else writes the same file meanwhile."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.layout, self.begin = read_layout(path)
        self.record = self.layout.record
        try:
            self.file = path.open("r+b", buffering=0)
        except OSError as error:
            raise failed(path, error) from error
        if fcntl is not None:
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self.file.close()
                raise FileError(
                    f"another program writes {path}", hint="wait for it, or name another file with out="
                ) from None

    def write(self, number: int, values: Sequence[float], outputs: Sequence[Any] | None, **told: Any) -> None:
        """The record of one point; without outputs it failed."""
        block = np.zeros((), dtype=self.record)
        for v, x in zip(self.layout.parameters, values, strict=True):
            block[v.name] = x
        for k, v in enumerate(self.layout.outputs):
            block[v.name] = np.nan
            if outputs is not None:
                given = np.asarray(outputs[k], dtype=np.float64)
                if v.rows:
                    block[v.name][: given.size] = given[: v.rows]
                else:
                    block[v.name] = given
        block["run_seconds"] = told.get("seconds", np.nan)
        block["message"] = cut(str(told.get("message", "")))
        block["status"] = FAILED if outputs is None else DONE
        block["seal"] = seal_of(block)
        self.put(number, block.tobytes())

    def put(self, number: int, data: bytes) -> None:
        """The bytes of a record into their place, all of them."""
        try:
            os.lseek(self.file.fileno(), self.begin + number * self.record.itemsize, os.SEEK_SET)
            while data:  # a full disk may take some of them first
                data = data[self.file.write(data) or 0 :]
        except OSError as error:
            raise failed(self.path, error) from error

    def mend(self, values: FloatArray) -> None:
        """Let the file have its full length again where it was cut off."""
        size = self.begin + self.layout.points * self.record.itemsize
        there = max(0, (os.fstat(self.file.fileno()).st_size - self.begin) // self.record.itemsize)
        for number in range(there, self.layout.points):
            block = np.zeros((), dtype=self.record)
            for v, x in zip(self.layout.parameters, values[number], strict=True):
                block[v.name] = x
            for v in self.layout.outputs:
                block[v.name] = np.nan
            self.put(number, block.tobytes())
        os.ftruncate(self.file.fileno(), size)

    def to_disk(self) -> None:
        """Wait until all records are on the disk."""
        with suppress(OSError):
            os.fsync(self.file.fileno())

    def close(self) -> None:
        """Let go of the file."""
        self.to_disk()
        self.file.close()


def cut(text: str) -> bytes:
    """As much of a text as a record holds."""
    data = text.encode("utf-8", "replace")[:MESSAGE]
    return data.decode("utf-8", "ignore").encode()


class SweepReader:
    """Reads a file of results; arrays are read from the disk when they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.layout, self.begin = read_layout(path)
        record = self.layout.record
        there = (path.stat().st_size - self.begin) // record.itemsize if is_file(path) else 0
        self.missing = max(0, self.layout.points - there)
        shape = (self.layout.points - self.missing,)
        self.block = np.memmap(path, dtype=record, mode="r", offset=self.begin, shape=shape) if shape[0] else None

    def column(self, name: str) -> FloatArray:
        """Values of a variable, NaN where the file was cut off."""
        of = self.layout.record[name]
        kind = np.dtype(of.base.newbyteorder("="))
        found = np.full((self.layout.points, *of.shape), np.nan if kind.kind == "f" else 0, dtype=kind)
        if self.block is not None:
            found[: len(self.block)] = self.block[name]
        return found

    def status(self) -> IntArray:
        """WAITING, DONE or FAILED for each point; a point whose record is damaged waits."""
        found = np.zeros(self.layout.points, dtype=np.int64)
        if self.block is None:
            return found
        many = max(1, _PIECE // self.layout.record.itemsize)
        for first in range(0, len(self.block), many):
            block = np.array(self.block[first : first + many])
            for k in np.flatnonzero((block["status"] == DONE) | (block["status"] == FAILED)):
                if int(block["seal"][k]) == seal_of(block[k]):
                    found[first + k] = block["status"][k]
        return found

    def message(self, number: int) -> str:
        """What was told about a point."""
        if self.block is None or number >= len(self.block):
            return ""
        return bytes(self.block["message"][number]).rstrip(b"\0").decode("utf-8", "replace")
