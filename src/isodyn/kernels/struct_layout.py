"""Where the fields of a struct lie in its block of memory: all that compiled code knows of structs
beside what isodyn.kernels.struct_types makes of it. Machine code on disk is stamped with this file.

A block begins with a header: numbers and arrays of constant shape in their places, for every array
with named sizes a word that tells where it begins, and a word for every size. Places and sizes
never change, so that compiled code reads them once. All numbers take eight bytes.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from isodyn.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from isodyn.kernels.struct import Many, Struct

    Real: TypeAlias = float | np.floating[Any] | np.integer[Any]
    Whole: TypeAlias = int | np.integer[Any]

S = TypeVar("S", bound="Struct")
Read = TypeVar("Read", covariant=True)
Written = TypeVar("Written", contravariant=True)

WORD = 8  # bytes of a number, a place or a size
SOURCE = b"".join(Path(__file__).with_name(name).read_bytes() for name in ("struct_layout.py", "struct_types.py"))


class Field:
    """A number, an array of numbers, a struct or many structs; shapes consist of numbers and names
    of sizes."""

    def __init__(self, kind: str, shape: tuple[int | str, ...] = (), of: type[Struct] | None = None) -> None:
        for n in shape:
            if isinstance(n, bool) or not isinstance(n, int | str) or (isinstance(n, int) and n < 0):
                raise InputError(f"a shape consists of numbers and of names of sizes, received {n!r}")
        self.kind, self.shape, self.of = kind, shape, of
        self.offset = -1  # of the value in the header, or of the word that tells where it is
        own = {} if of is None or kind == "many" else of._sizes
        self.sized = bool(own) or any(isinstance(n, str) for n in shape)

    def names(self) -> Iterator[str]:
        """Names of the sizes that it depends on."""
        yield from (n for n in self.shape if isinstance(n, str))
        if self.kind == "one" and self.of is not None:
            yield from self.of._sizes

    def words(self, sizes: dict[str, int]) -> int:
        """How many words its values take."""
        if self.of is None:
            return math.prod(self.dimensions(sizes))
        if self.kind == "one":
            return self.of._words_for(sizes)
        return self.of._header * math.prod(self.dimensions(sizes))

    def dimensions(self, sizes: dict[str, int]) -> tuple[int, ...]:
        """The shape in numbers."""
        return tuple(sizes[n] if isinstance(n, str) else n for n in self.shape)

    def description(self) -> str:
        """All that its layout depends on."""
        return f"{self.kind} {self.shape} {'' if self.of is None else self.of._digest}"


class Declared(Protocol[Read, Written]):
    """A field as type checkers see it: what reading it from a struct gives, and what may be
    assigned to it."""

    def __get__(self, struct: object, owner: object = None, /) -> Read: ...
    def __set__(self, struct: object, value: Written, /) -> None: ...


def _declared(kind: str, shape: tuple[int | str, ...] = (), of: type[Struct] | None = None) -> Any:
    """A field: the class that declares it puts what reads and writes it into its place."""
    return Field(kind, shape, of)


real: Declared[float, Real] = _declared("f")
"""A floating-point number."""
integer: Declared[int, Whole] = _declared("i")
"""A whole number."""


def reals(*shape: int | str) -> Declared[npt.NDArray[np.float64], npt.ArrayLike]:
    """An array of floating-point numbers."""
    return _declared("f", shape)


def integers(*shape: int | str) -> Declared[npt.NDArray[np.int64], npt.ArrayLike]:
    """An array of whole numbers."""
    return _declared("i", shape)


def one(of: type[S]) -> S:
    """A struct inside a struct; sizes of the same name are the same."""
    return _declared("one", (), of)


def many(of: type[S], size: str) -> Many[S]:
    """As many structs, of a class without sizes, as the size of this name says."""
    if of._sizes:
        raise InputError(f"many() takes structs of constant size, {of.__name__} has the sizes {', '.join(of._sizes)}")
    return _declared("many", (size,), of)


def lay_out(declared: dict[str, Field]) -> tuple[dict[str, Field], dict[str, int], int]:
    """The fields in their places, the word of each size, and how many words the header has."""
    fields: dict[str, Field] = {}
    sizes: dict[str, int] = {}
    at = 1  # the first word tells how many there are
    for name, template in declared.items():
        field = fields[name] = Field(template.kind, template.shape, template.of)
        field.offset = at
        at += 1 if field.sized else field.words({})
        sizes.update(dict.fromkeys(field.names(), 0))
    for name in sizes:
        sizes[name], at = at, at + 1
    return fields, sizes, at


def digest_of(name: str, fields: dict[str, Field]) -> str:
    """A digest of all that the layout of a class of this name depends on."""
    parts = [name, *(f"{key} {field.description()}" for key, field in fields.items())]
    return hashlib.sha256("\n".join(parts).encode() + SOURCE).hexdigest()[:16]
