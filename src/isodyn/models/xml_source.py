"""XML of other people's robots, read with care: elements know their file and line, and nothing is
expanded or fetched.

A document type brings entities with it, which make a gigabyte of a line or read other files; the
formats read here need none, so that every <!DOCTYPE> is refused. What is wrong with an element is
told with its file, its line and what it belongs to.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray

DEEPEST = 200  # elements inside each other; a deeper text is no robot


@dataclass(eq=False)
class Element:
    """An element: tag, attributes, children, text, and where it stands."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def __iter__(self) -> Iterator[Element]:
        return iter(self.children)

    def find(self, tag: str) -> Element | None:
        """The first child of this tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> list[Element]:
        """All children of this tag."""
        return [child for child in self.children if child.tag == tag]

    def get(self, key: str, default: str | None = None) -> str | None:
        """An attribute."""
        return self.attributes.get(key, default)

    @property
    def called(self) -> str:
        """How messages speak of it: joint 'elbow', or <origin>."""
        name = self.get("name")
        return f"{self.tag} {name!r}" if name else f"<{self.tag}>"

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}, line {self.line}" if self.file else f"line {self.line}"

    def wrong(self, message: str, hint: str | None = None) -> InputError:
        """An error about this element."""
        return InputError(f"{self.place}: {self.called}: {message}", hint=hint, part=self.get("name"))

    # ---- numbers

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number of an attribute; an error where it is missing and has no default."""
        text = self.get(key)
        if text is None or (not text.strip() and default is not None):
            if default is None:
                raise self.wrong(f"{key} is missing")
            return default
        return self.one_number(key, text)

    def one_number(self, what: str, text: str) -> float:
        """A finite number of a text of this element."""
        try:
            value = float(text)
        except ValueError:
            raise self.wrong(f"{what}: a number is needed, received {text!r}") from None
        if not np.isfinite(value):
            raise self.wrong(f"{what}: a finite number is needed, received {text!r}")
        return value

    def numbers(self, key: str, count: int | None, default: object | None = None) -> FloatArray:
        """So many finite numbers of an attribute, any number of them where count is None."""
        text = self.get(key)
        if text is None or not text.strip():
            if default is None:
                raise self.wrong(f"{key} is missing")
            return np.array(default, dtype=np.float64)
        return self.all_numbers(key, text, count)

    def all_numbers(self, what: str, text: str, count: int | None) -> FloatArray:
        """So many finite numbers of a text of this element."""
        parts = text.split()
        if count is not None and len(parts) != count:
            words = {2: "two", 3: "three", 4: "four", 6: "six"}
            raise self.wrong(f"{what}: {words.get(count, str(count))} numbers are needed, received {text!r}")
        return np.array([self.one_number(what, part) for part in parts], dtype=np.float64)

    def whole(self, what: str, count: int | None = None, default: object | None = None) -> FloatArray:
        """The numbers that its text is."""
        if not self.text.strip() and default is not None:
            return np.array(default, dtype=np.float64)
        return self.all_numbers(what, self.text, count)

    def yes(self, key: str, default: bool) -> bool:
        """An attribute that is true or false."""
        text = self.get(key)
        if text is None:
            return default
        if text.strip().lower() not in ("true", "false", "1", "0"):
            raise self.wrong(f"{key} must be true or false, received {text!r}")
        return text.strip().lower() in ("true", "1")


def read_xml(source: Path | bytes | str, what: str) -> Element:
    """The root element of a file, or of its text or bytes; `what` is the name of the format."""
    text, name = _text(source, what)
    return parse_xml(text, name)


def parse_xml(text: str | bytes, name: str) -> Element:
    """The root element of a text."""
    if not text.strip():
        raise InputError(f"{name or 'the text'} is empty", hint="was it saved, or downloaded to its end?")
    builder = _Builder(name)
    try:
        builder.parser.Parse(text, True)
    except (expat.ExpatError, ValueError, LookupError) as error:  # also unknown encodings, surrogates in a text
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name + ': ' if name else ''}this is not XML: {error}") from None
    assert builder.root is not None  # expat refuses a text without one
    return builder.root


class _Builder:
    """Elements from the events of the parser."""

    def __init__(self, name: str) -> None:
        self.name, self.root, self.open = name, None, []  # type: str, Element | None, list[Element]
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.data

    def doctype(self, name: str, *rest: object) -> NoReturn:
        raise InputError(
            f"{self.name + ': ' if self.name else ''}a robot has no <!DOCTYPE>, received that of {name!r}",
            hint="remove it and its entities",
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        node = Element(tag, attributes, self.name, self.parser.CurrentLineNumber)
        if len(self.open) >= DEEPEST:
            raise node.wrong(f"elements lie more than {DEEPEST} deep in each other")
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)

    def end(self, tag: str) -> None:
        self.open.pop()

    def data(self, text: str) -> None:
        self.open[-1].text += text


def _text(source: Any, what: str) -> tuple[str | bytes, str]:
    """The text of a file and its name; bytes where the encoding stands in it."""
    if isinstance(source, bytes | bytearray | memoryview):
        source = bytes(source)
        if b"<" in source or b"\x00" in source:
            return source, ""
        source = os.fsdecode(source)
    if isinstance(source, str) and "<" in source:
        return source, ""
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"{what} is read from a path or a text, received {type(source).__name__}")
    if isinstance(source, str) and not source.strip():
        raise InputError(f"{what}: the text is empty")
    path = Path(source)
    try:
        if not path.is_file():
            raise InputError(f"{path} is a folder, not a file" if path.is_dir() else f"there is no file {path}")
        return path.read_bytes(), str(path)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None
