"""Where every key of a TOML text stands: a path such as ("joints", "pin", "axis", 1) to its line
and column.

tomllib says what a text means, this says where. The scanner reads headers, keys, strings, arrays
and inline tables; it trusts that tomllib has accepted the text and ignores everything else.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from dataclasses import dataclass, field

Path = tuple[str | int, ...]
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Place:
    """A line and a column, both from 1."""

    line: int
    column: int


@dataclass
class _Scanner:
    text: str
    at: int = 0
    found: dict[Path, Place] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list, init=False)  # of lines
    # how many tables an array of tables has so far
    tables: dict[Path, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ends = [k for k, sign in enumerate(self.text) if sign == "\n"]

    def place(self, at: int) -> Place:
        line = bisect_left(self.ends, at)
        return Place(line + 1, at - (self.ends[line - 1] if line else -1))

    def put(self, path: Path, at: int) -> None:
        self.found.setdefault(path, self.place(at))

    # ---- blanks

    def skip(self, signs: str = " \t") -> None:
        while self.at < len(self.text) and self.text[self.at] in signs:
            self.at += 1

    def skip_lines(self) -> None:
        """Blanks, ends of lines and comments."""
        while True:
            self.skip(" \t\r\n")
            if self.at < len(self.text) and self.text[self.at] == "#":
                self.to_end_of_line()
            else:
                return

    def to_end_of_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def here(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    # ---- keys

    def keys(self) -> list[tuple[str, int]]:
        """A dotted key: its parts and where each starts."""
        parts = []
        while True:
            self.skip()
            start = self.at
            if self.text[self.at] in "\"'":
                parts.append((self.string(), start))
            else:
                match = _BARE.match(self.text, self.at)
                assert match is not None
                self.at = match.end()
                parts.append((match[0], start))
            self.skip()
            if not self.here("."):
                return parts
            self.at += 1

    def string(self) -> str:
        """The text of a string; escapes are decoded by tomllib where they matter, in keys."""
        start = self.at
        quote = self.text[start]
        long = self.text.startswith(quote * 3, start)
        end = quote * 3 if long else quote
        at = start + len(end)
        while not self.text.startswith(end, at):
            at += 2 if quote == '"' and self.text[at] == "\\" else 1
        at += len(end)
        # up to two quotes may stand before the closing three
        while long and self.text.startswith(quote, at):
            at += 1
        self.at = at
        inner = self.text[start + len(end) : at - len(end)]
        if quote == '"' and "\\" in inner:
            return str(tomllib.loads(f"x = {self.text[start:at]}")["x"])
        return inner

    # ---- values

    def value(self, path: Path) -> None:
        self.skip()
        if self.here("["):
            self.at += 1
            k = 0
            while True:
                self.skip_lines()
                if self.here("]"):
                    self.at += 1
                    return
                self.put((*path, k), self.at)
                self.value((*path, k))
                k += 1
                self.skip_lines()
                if self.here(","):
                    self.at += 1
        elif self.here("{"):
            self.at += 1
            while True:
                self.skip_lines()
                if self.here("}"):
                    self.at += 1
                    return
                self.pair(path)
                self.skip_lines()
                if self.here(","):
                    self.at += 1
        elif self.text[self.at] in "\"'":
            self.string()
        else:
            while self.at < len(self.text) and self.text[self.at] not in ",]}#\n":
                self.at += 1

    def pair(self, table: Path) -> None:
        """key = value inside a table."""
        path = table
        for key, start in self.keys():
            path = (*path, key)
            self.put(path, start)
        self.skip()
        self.at += 1  # =
        self.value(path)

    def resolved(self, keys: list[tuple[str, int]], *, array: bool) -> Path:
        """The path of a header; names of arrays of tables stand for their last table."""
        path: Path = ()
        for number, (key, start) in enumerate(keys):
            path = (*path, key)
            last = number == len(keys) - 1
            self.put(path, start)
            if last and array:
                k = self.tables.get(path, 0)
                self.tables[path] = k + 1
                path = (*path, k)
                self.put(path, start)
            elif path in self.tables:
                path = (*path, self.tables[path] - 1)
        return path

    def whole(self) -> dict[Path, Place]:
        table: Path = ()
        while True:
            self.skip_lines()
            if self.at >= len(self.text):
                return self.found
            if self.here("["):
                array = self.here("[[")
                self.at += 2 if array else 1
                table = self.resolved(self.keys(), array=array)
                self.to_end_of_line()
            else:
                self.pair(table)
                self.to_end_of_line()


def positions(text: str) -> dict[Path, Place]:
    """Places of all keys, tables and entries of arrays of a valid TOML text.

    >>> places = positions('a = 1\\n[b]\\nc = [1,\\n 2]\\n[[d]]\\n[[d]]\\ne = {f = 3}')
    >>> places[("b", "c", 1)].line, places[("d", 1, "e", "f")].line
    (4, 7)
    """
    return _Scanner(text).whole()
