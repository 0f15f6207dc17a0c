"""Ways to damage bytes and texts, all decided by one source of random numbers."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

NUMBERS = (
    "1e400",
    "-1e400",
    "nan",
    "inf",
    "-inf",
    "0",
    "-0.0",
    "1" + "0" * 400,
    "9" * 5000,
    "1e-400",
    "0x" + "f" * 300,
    "1_0",
)
NUMBERS += (
    "1e308",
    "-1",
    "0.5",
    "2147483648",
    "1000000000000",
    "1e9",
    "true",
    "'x'",
    '""',
    "[]",
    "{}",
    "1979-05-27",
    "٣",
    "½",
)
WORDS = (
    "\x00",
    "\ufeff",
    "\u202e",
    "é",
    "𝔘",
    "/",
    "..",
    "../..",
    "%s",
    "{0}",
    "$(x)",
    "\\",
    "'",
    '"',
    '"""',
    "\r",
    "\x7f",
)
WORDS += (
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "&a;",
    "<!DOCTYPE a [<!ENTITY a 'b'>]>",
    "#",
    "=",
    ".",
    ",",
    "*",
    "**",
    "^",
    "-",
    "~",
)
WORDS += (
    "ground",
    "lambda:0",
    "__import__",
    "None",
    "explicit",
    "qr",
    "deg",
    "pi",
    "if(",
    "sin(",
    "\n",
    "\n\n",
    "\t",
    "NaN",
)
NESTS = (
    ("[", "]"),
    ("(", ")"),
    ("{a=", "}"),
    ("<a>", "</a>"),
    ('{"a":', "}"),
    ("-", ""),
    ("a.", "a"),
    ("1+", "1"),
    ("2^", "1"),
)
_NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Bytes with one or a few of them changed, lost, doubled, zeroed or added."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at, many = rng.randrange(len(found) + 1), rng.choice((1, 1, 8, 64, 512))
        how = rng.randrange(7)
        if how == 0 and at < len(found):
            found[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            del found[at:]
        elif how == 2:
            found[at : at + many] = bytes(len(found[at : at + many]))
        elif how == 3:
            found[at : at + many] = rng.randbytes(many)
        elif how == 4:
            del found[at : at + many]
        elif how == 5:
            found[at:at] = found[at : at + many]
        else:
            other = rng.randrange(len(found) + 1)
            found[at : at + many], found[other : other + many] = found[other : other + many], found[at : at + many]
    return bytes(found)


def twisted(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    """A text with other numbers, words, lines, nests and pieces of other texts in it."""
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        text = _TWISTS[rng.randrange(len(_TWISTS))](text, seeds, rng)
    return text[:200_000]


def _number(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    places = list(_NUMBER.finditer(text))
    if not places:
        return text + rng.choice(NUMBERS)
    place = rng.choice(places)
    return text[: place.start()] + rng.choice(NUMBERS) + text[place.end() :]


def _word(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(WORDS) + text[at + rng.choice((0, 0, 1, 5)) :]


def _lines(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    lines = text.split("\n")
    one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
    how = rng.randrange(3)
    if how == 0:
        lines[one], lines[two] = lines[two], lines[one]
    elif how == 1:
        del lines[one]
    else:
        lines.insert(one, lines[two])
    return "\n".join(lines)


def _nest(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    first, last = rng.choice(NESTS)
    many, at = rng.choice((2, 30, 90, 400, 3000)), rng.randrange(len(text) + 1)
    return text[:at] + first * many + "1" + last * rng.choice((many, many, 0)) + text[at:]


def _splice(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    other = rng.choice(seeds)
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]


def _cut(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    one, two = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    return text[:one] + text[two:] if rng.random() < 0.5 else text[:two]


def _renamed(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    words = re.findall(r"[A-Za-z_]\w*", text)
    if not words:
        return text
    return re.sub(rf"\b{re.escape(rng.choice(words))}\b", lambda _: rng.choice(words), text)


def _bytes(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    return damaged(text.encode("utf-8", "surrogatepass"), rng).decode("utf-8", "replace")


_TWISTS = (_number, _number, _word, _word, _lines, _nest, _splice, _cut, _renamed, _bytes)
