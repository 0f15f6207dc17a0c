"""Model files: TOML, checked against the schema; every message names file, line and key."""

from __future__ import annotations

import difflib
import re
import tomllib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from isodyn.errors import InputError
from isodyn.models import positions as at
from isodyn.results.files import write_file

LONGEST = 5_000_000  # characters of a file
DEEPEST = 60  # parts of a key
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DEEP = re.compile(rf"""(?<![A-Za-z0-9_."'-])(?>{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{DEEPEST}}})""")


class ModelError(InputError):
    """A mistake in a model file: `line` and `key` say where."""

    def __init__(self, source: str, line: int | None, key: str, message: str, hint: str | None = None) -> None:
        where = source if line is None else f"{source}, line {line}"
        super().__init__(f"{where}: {f'{key}: ' if key else ''}{message}", hint=hint)
        self.source, self.line, self.key = source, line, key


@dataclass(frozen=True, eq=False)
class Source:
    """The text of a model file, what it means and where its keys stand."""

    name: str
    text: str
    data: dict[str, Any]
    places: dict[at.Path, at.Place] = field(repr=False)
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)  # kept with the text, by their names

    @contextmanager
    def file(self, name: str) -> Iterator[Path]:
        """The path of a file that the model names: beside the model unless it is absolute, or one
        that is kept with the text."""
        if name not in self.files:
            yield Path(self.name).parent / name
            return
        with TemporaryDirectory() as folder:
            path = Path(folder, Path(name).name)
            yield write_file(path, self.files[name])

    def line_of(self, path: at.Path) -> int | None:
        """The line of a key, or of the nearest table around it."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places[path].line if path else None

    def error(self, path: at.Path, message: str, hint: str | None = None) -> ModelError:
        """The error that names a key."""
        return ModelError(self.name, self.line_of(path), shown(path), message, hint)

    def value(self, path: at.Path) -> Any:
        """What stands at a path; None where nothing does."""
        value: Any = self.data
        for key in path:
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                return None
        return value


def shown(path: at.Path) -> str:
    """A path as users write it.

    >>> shown(("joints", "pin", "axis", 1))
    'joints.pin.axis[1]'
    """
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f"{'.' if text else ''}{key}"
    return text


def parse_text(text: str, name: str = "model", files: Mapping[str, bytes] | None = None) -> Source:
    """A TOML text with the places of its keys, and the files that are kept with it."""
    if len(text) > LONGEST:
        raise ModelError(name, None, "", f"the file has {len(text)} characters, at most {LONGEST} are read")
    if (long := _DEEP.search(text)) is not None:
        line = text.count("\n", 0, long.start()) + 1
        raise ModelError(name, line, "", f"a key of more than {DEEPEST} parts", "keys here have at most four")
    try:
        data = tomllib.loads(text)
        places = at.positions(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(text, name, str(error)[:300]) from None
    except RecursionError:
        raise ModelError(name, None, "", "arrays or tables stand too deep within each other") from None
    except ValueError as error:  # whole numbers of thousands of digits, dates that do not exist
        raise ModelError(name, None, "", f"this is not TOML: {error}") from None
    return Source(name, text, data, places, files or {})


def packed(files: Mapping[str, bytes]) -> dict[str, str]:
    """Contents of files as texts, for JSON."""
    return {name: b64encode(zlib.compress(content)).decode("ascii") for name, content in files.items()}


def unpacked(texts: Mapping[str, str]) -> dict[str, bytes]:
    """The way back.

    >>> unpacked(packed({"a": b"some bytes"}))
    {'a': b'some bytes'}
    """
    return {name: zlib.decompress(b64decode(text)) for name, text in texts.items()}


def read_source(path: str | Path) -> Source:
    """The TOML file at a path."""
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        similar = difflib.get_close_matches(path.name, [p.name for p in _toml_files(path.parent)], n=1)
        hint = f"did you mean {path.with_name(similar[0])}?" if similar else "give the path of a TOML file"
        raise InputError(f"there is no file {path}", hint=hint) from None
    except (OSError, ValueError) as error:  # ValueError: a byte 0 in the name
        if isinstance(error, UnicodeDecodeError):
            line = error.object[: error.start].count(b"\n") + 1
            raise ModelError(path.name, line, "", "the file is not UTF-8 text") from None
        there = ", ".join(sorted(p.name for p in _toml_files(path))[:5]) if isinstance(error, IsADirectoryError) else ""
        text = f"cannot read {path}: {getattr(error, 'strerror', None) or error}"
        raise InputError(text, hint=f"name a model file in it: {there}" if there else None) from None
    return parse_text(text, str(path))


def _toml_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.toml")) if folder.is_dir() else []


def _not_toml(text: str, name: str, message: str) -> ModelError:
    """The words of tomllib, with the key of the line that it stopped at."""
    found = re.search(r"\(at line (\d+), column \d+\)", message)
    lines = text.split("\n")
    line = int(found[1]) if found else len(lines)
    if not found:  # at the end of the document: the last line that is not empty
        while line > 1 and not lines[line - 1].strip():
            line -= 1
    words = re.sub(r" ?\(at [^)]*\)", "", message)
    key = re.match(r"\s*\[{0,2}\s*([\w.\"'-]+)", lines[line - 1]) if line <= len(lines) else None
    if "overwrite" in words or "declare" in words.lower() or "twice" in words:
        words = f"{words}: this key is there already"
    return ModelError(
        name, line, key[1][:60] if key else "", f"this is not TOML: {words}", "strings stand in quotes; see toml.io"
    )
