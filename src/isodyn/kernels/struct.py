"""Named memory: a class with declared fields is one block of memory, which kernels receive as one
address.

    class Body(Struct):
        mass = real
        inertia = reals(3, 3)

    class Tables(Struct):
        gravity = reals(3)
        bodies = many(Body, "bodies")        # as many as the size "bodies" says
        weights = reals("bodies")            # a vector of the same size

    tables = Tables(bodies=10)
    tables.bodies[3].mass = 2.0              # the same in Python and in kernels

A block begins with a header: numbers and arrays of constant shape in their places, for every array
with named sizes a word that tells where it begins, and a word for every size. Places and sizes
never change, so that compiled code reads them once. All numbers take eight bytes. In Python numbers
and arrays are views of the same block. The name of the type that Numba sees contains a digest of
the fields and of the files that lay them out: machine code on disk is not used for another layout.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from isodyn.errors import InputError

WORD = 8  # bytes of a number, a place or a size
LINE = 128  # bytes that processors fetch together: blocks of different threads share none
# words of blocks whose headers are kept to be copied, and how many are
SMALL, MOST_HEADERS = 100_000, 256
NUMBERS = {"f": np.dtype(np.float64), "i": np.dtype(np.int64)}
SOURCE = b"".join(Path(__file__).with_name(name).read_bytes() for name in ("struct.py", "struct_types.py"))

_headers: dict[
    Any, tuple[int, Any, Any]
] = {}  # by class and sizes: words of a new block, which of them are not zero, and those

Self = TypeVar("Self", bound="Struct")


class Field:
    """A number, an array of numbers, a struct or many structs; shapes consist of numbers and names
    of sizes."""

    def __init__(self, kind: str, shape: tuple[int | str, ...] = (), of: Any = None) -> None:
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
        if self.kind == "one":
            yield from self.of._sizes

    def words(self, sizes: dict[str, int]) -> int:
        """How many words its values take."""
        if self.kind == "one":
            return int(self.of._words_for(sizes))
        each: int = self.of._header if self.kind == "many" else 1
        return each * math.prod(self.dimensions(sizes)) if self.shape else each

    def dimensions(self, sizes: dict[str, int]) -> tuple[int, ...]:
        """The shape in numbers."""
        return tuple(sizes[n] if isinstance(n, str) else n for n in self.shape)

    def description(self) -> str:
        """All that its layout depends on."""
        return f"{self.kind} {self.shape} {'' if self.of is None else self.of._digest}"


real: Any = Field("f")
"""A floating-point number."""
integer: Any = Field("i")
"""A whole number."""


def reals(*shape: int | str) -> Any:
    """An array of floating-point numbers."""
    return Field("f", shape)


def integers(*shape: int | str) -> Any:
    """An array of whole numbers."""
    return Field("i", shape)


def one(of: type[Struct]) -> Any:
    """A struct inside a struct; sizes of the same name are the same."""
    return Field("one", (), of)


def many(of: type[Struct], size: str) -> Any:
    """As many structs, of a class without sizes, as the size of this name says."""
    if of._sizes:
        raise InputError(f"many() takes structs of constant size, {of.__name__} has the sizes {', '.join(of._sizes)}")
    return Field("many", (size,), of)


class _Number:
    """Access to a number from Python."""

    def __init__(self, field: Field) -> None:
        self.at, self.view = field.offset, "_reals" if field.kind == "f" else "_integers"

    def __get__(self, struct: Any, owner: Any = None) -> Any:
        return self if struct is None else struct.__dict__[self.view][self.at]

    def __set__(self, struct: Any, value: Any) -> None:
        struct.__dict__[self.view][self.at] = value


class _Values:
    """Access to an array or to structs from Python; an array is written by its values."""

    def __init__(self, name: str, field: Field) -> None:
        self.name, self.field = name, field

    def __get__(self, struct: Any, owner: Any = None) -> Any:
        if struct is None:
            return self
        known = struct.__dict__
        if self.name not in known:
            known[self.name] = struct._part(self.field)
        return known[self.name]

    def __set__(self, struct: Any, value: Any) -> None:
        if self.field.of is not None:
            raise InputError(f"{type(struct).__name__}.{self.name} holds structs: write to their fields")
        values, array = np.asarray(value), self.__get__(struct)
        if values.ndim and values.shape != array.shape:
            raise InputError(
                f"{type(struct).__name__}.{self.name} has the shape {array.shape}, received {values.shape}"
            )
        array[...] = values


class StructClass(type):
    """The type of classes with declared fields: what compiled code knows them by."""


class Struct(metaclass=StructClass):
    """A block of memory with named fields; subclasses declare them, `Subclass(size=…)` allocates
    one filled with zeros."""

    _fields: dict[str, Field]
    _sizes: dict[str, int]  # names of sizes, and the word of each
    _header: int  # words
    _digest: str

    def __init_subclass__(cls) -> None:
        declared: dict[str, Field] = {}
        for base in reversed(cls.__mro__):
            declared.update(vars(base).get("_fields", {}))
            declared.update({name: field for name, field in vars(base).items() if isinstance(field, Field)})
        cls._fields, cls._sizes, at = {}, {}, 1  # the first word tells how many there are
        for name, template in declared.items():
            if hasattr(Struct, name):
                raise InputError(f"a field of {cls.__name__} cannot have the name {name!r}")
            field = cls._fields[name] = Field(template.kind, template.shape, template.of)
            field.offset = at
            at += 1 if field.sized else field.words({})
            cls._sizes.update(dict.fromkeys(field.names(), 0))
            setattr(cls, name, _Values(name, field) if field.shape or field.of else _Number(field))
        for name in cls._sizes:
            cls._sizes[name], at = at, at + 1
        cls._header = at
        parts = [cls.__module__, cls.__qualname__, *(f"{name} {f.description()}" for name, f in cls._fields.items())]
        cls._digest = hashlib.sha256("\n".join(parts).encode() + SOURCE).hexdigest()[:16]

    def __init__(self, **sizes: int) -> None:
        if unknown := sorted(set(sizes) ^ set(self._sizes)):
            raise InputError(
                f"{type(self).__name__} takes the sizes {', '.join(self._sizes) or 'none'}; wrong or missing: {unknown[0]!r}"
            )
        for name, n in sizes.items():
            if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
                raise InputError(f"the size {name!r} of {type(self).__name__} must be a whole number, received {n!r}")
        sizes = {name: int(sizes[name]) for name in self._sizes}
        key = type(self), *sizes.values()
        known = _headers.get(key)
        if known is not None:
            length, filled, values = known
            self._attach(_aligned(length), sizes)
            self.__dict__["_integers"][filled] = values
            return
        self._open(_aligned(self._words_for(sizes)), sizes)
        whole = self.__dict__["_integers"]
        if whole.size <= SMALL:
            filled = np.flatnonzero(whole)
            if len(_headers) >= MOST_HEADERS:
                _headers.clear()
            _headers[key] = whole.size, filled, whole[filled]

    @classmethod
    def filled(cls: type[Self], **values: Any) -> Self:
        """One with these numbers and arrays, whose sizes are those of the arrays; many structs are
        given by dictionaries of their numbers."""
        sizes: dict[str, int] = {}
        for name, value in values.items():
            named = cls._fields[name].shape if name in cls._fields else ()
            sizes |= {
                n: length
                for n, length in zip(named, np.shape(value), strict=False)
                if isinstance(n, str) and n not in sizes
            }
        struct = cls(**sizes)
        for name, value in values.items():
            if name in cls._fields and cls._fields[name].kind == "many":
                for each, numbers in zip(getattr(struct, name), value, strict=True):
                    for number, x in numbers.items():
                        setattr(each, number, x)
            else:
                setattr(struct, name, value)
        return struct

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._fields:
            raise InputError(f"{type(self).__name__} has no field {name!r}", hint=f"it has {', '.join(self._fields)}")
        object.__setattr__(self, name, value)

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes by their names."""
        return dict(self.__dict__["_known"])

    def values(self) -> dict[str, Any]:
        """Numbers and arrays by the names of their fields; arrays are views."""
        return {name: getattr(self, name) for name, field in self._fields.items() if field.of is None}

    @property
    def words(self) -> Any:
        """The whole block, header included, as whole numbers: for comparisons of all bits."""
        return self.__dict__["_integers"]

    def copy(self: Self) -> Self:
        """Another block with the same contents."""
        other = type(self)(**self.sizes)
        other.copy_from(self)
        return other

    def alike(self, other: Any) -> bool:
        """Whether the other is of the same class and sizes."""
        return type(other) is type(self) and other.sizes == self.sizes

    def copy_from(self: Self, other: Self) -> None:
        """Take over the contents of a struct of the same class and sizes."""
        if not self.alike(other):
            raise InputError(f"a {type(self).__name__} of other sizes, or something else, cannot be copied into this")
        self.__dict__["_integers"][:] = other.__dict__["_integers"]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.sizes, self.__dict__["_integers"].copy())

    @classmethod
    def over(cls: type[Self], words: Any) -> Self:
        """The struct whose words (`words`) these are; no copy."""
        return cls._opened(
            words.view(np.float64), {name: int(words.view(np.int64)[at]) for name, at in cls._sizes.items()}
        )

    @classmethod
    def _opened(cls: type[Self], words: Any, sizes: dict[str, int]) -> Self:
        struct = object.__new__(cls)
        struct._open(words, sizes)
        return struct

    @classmethod
    def _words_for(cls, sizes: dict[str, int]) -> int:
        return cls._header + sum(field.words(sizes) for field in cls._fields.values() if field.sized)

    def _open(self, words: Any, sizes: dict[str, int]) -> None:
        """Lay the fields into a block of numbers; the places are written into its header."""
        self._attach(words, sizes)
        whole, end = self.__dict__["_integers"], self._header
        whole[0] = words.size
        for name, at in self._sizes.items():
            whole[at] = sizes[name]
        for field in self._fields.values():
            length = field.words(sizes) if field.sized else 0
            if field.sized:
                whole[field.offset], end = WORD * end, end + length
            if field.kind == "one":
                self._part(field)  # writes its header
            elif field.kind == "many":
                self._words_of(field).reshape(-1, field.of._header)[:, 0].view(np.int64)[:] = field.of._header

    def _attach(self, words: Any, sizes: dict[str, int]) -> None:
        """Take a block of numbers."""
        address = words.ctypes.data
        self.__dict__.update(_reals=words, _integers=words.view(np.int64), _address=address, _known=sizes)

    def _words_of(self, field: Field) -> Any:
        """The part of the block that a field takes."""
        whole, sizes = self.__dict__["_integers"], self.__dict__["_known"]
        first = int(whole[field.offset]) // WORD if field.sized else field.offset
        return self.__dict__["_reals"][first : first + field.words(sizes)]

    def _part(self, field: Field) -> Any:
        """A view of a field."""
        words, sizes = self._words_of(field), self.__dict__["_known"]
        if field.of is None:
            return words.view(NUMBERS[field.kind]).reshape(field.dimensions(sizes))
        if field.kind == "one":
            return field.of._opened(words, {name: sizes[name] for name in field.of._sizes})
        return _Many(field.of, words)


class _Many(Sequence[Any]):
    """Structs one behind the other."""

    def __init__(self, of: type[Struct], words: Any) -> None:
        self.of, self.blocks = of, words.reshape(-1, of._header)
        self.items: dict[int, Any] = {}  # made when first asked for: there may be thousands

    def __len__(self) -> int:
        return len(self.blocks)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        if not -len(self) <= k < len(self):
            raise IndexError(f"there are {len(self)} {self.of.__name__}, received the number {k}")
        k = int(k) % len(self)
        if k not in self.items:
            self.items[k] = self.of._opened(self.blocks[k], {})
        return self.items[k]

    def column(self, name: str) -> Any:
        """A field of all structs as one array, a view: (count, …); of structs inside them their
        words."""
        field = self.of._fields[name]
        words = self.blocks[:, field.offset : field.offset + field.words({})]
        if field.of is not None:
            return words.view(np.int64)
        found = words.view(NUMBERS[field.kind])
        return found.reshape(len(self), *field.shape) if field.shape else found[:, 0]

    def fill(self, **columns: Any) -> None:
        """Write fields of all structs at once: a value or a struct for each of them."""
        for name, given in columns.items():
            if len(given) != len(self):
                raise InputError(f"{self.of.__name__}.{name}: there are {len(self)}, received {len(given)}")
            if len(self):
                structs = self.of._fields[name].of is not None
                self.column(name)[...] = np.stack([x.words for x in given]) if structs else np.asarray(given)


def _restored(of: type[Struct], sizes: dict[str, int], words: Any) -> Struct:
    """A struct from its sizes and contents, in another process for instance."""
    struct = of(**sizes)
    struct.__dict__["_integers"][:] = words
    return struct


def _aligned(words: int) -> Any:
    """Zeros, in cache lines of their own."""
    block = np.zeros(WORD * words + 2 * LINE, dtype=np.uint8)
    first = -block.ctypes.data % LINE
    return block[first : first + WORD * words].view(np.float64)


class Nothing(Struct):
    """What a model takes that needs no tables, or no scratch."""
