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

In Python numbers and arrays are views of the block, made when they are first asked for;
isodyn.kernels.struct_layout says where they lie. The name of the type that Numba sees contains a
digest of the fields and of the files that lay them out: machine code on disk is not used for
another layout. It knows nothing of this file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt

from isodyn.errors import InputError
from isodyn.kernels.struct_layout import (
    WORD,
    Field,
    digest_of,
    integer,
    integers,
    lay_out,
    many,
    one,
    real,
    reals,
)

__all__ = [
    "LINE",
    "WORD",
    "Field",
    "Many",
    "Nothing",
    "Struct",
    "StructAddress",
    "StructClass",
    "integer",
    "integers",
    "many",
    "one",
    "real",
    "reals",
]

LINE = 128  # bytes that processors fetch together: blocks of different threads share none
# words of blocks whose headers are kept to be copied, and how many are kept of a class
SMALL, MOST_HEADERS = 100_000, 64
NUMBERS = {"f": np.dtype(np.float64), "i": np.dtype(np.int64)}

Self = TypeVar("Self", bound="Struct")
Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]


class _Place(NamedTuple):
    """The words of a field in a block of given sizes, and how they are seen."""

    first: int
    last: int
    kind: str
    shape: tuple[int, ...]
    of: type[Struct] | None
    sizes: dict[str, int]  # of a struct


class _Header(NamedTuple):
    """A new block: how many words, which of them are not zero, those, and its sizes."""

    length: int
    filled: npt.NDArray[np.intp]
    values: Integers
    sizes: dict[str, int]


class _Number:
    """Reads a number."""

    def __init__(self, field: Field) -> None:
        self.at, self.view = field.offset, "_reals" if field.kind == "f" else "_integers"

    def __get__(self, struct: Struct | None, owner: object = None) -> object:
        return self if struct is None else struct.__dict__[self.view][self.at]


class _Values:
    """Finds an array or structs when they are first asked for: from then on they are attributes of
    their own."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, struct: Struct | None, owner: object = None) -> object:
        if struct is None:
            return self
        found = struct.__dict__[self.name] = struct._part(self.name)
        return found


class StructClass(type):
    """The type of classes with declared fields: what compiled code knows them by."""


class Struct(metaclass=StructClass):
    """A block of memory with named fields; subclasses declare them, `Subclass(size=…)` allocates
    one filled with zeros."""

    _fields: dict[str, Field]
    _numbers: dict[str, tuple[str, int]]  # of those that are numbers: the view, and the word
    _sizes: dict[str, int]  # names of sizes, and the word of each
    _header: int  # words
    _digest: str
    _headers: dict[tuple[tuple[str, int], ...], _Header]  # by sizes as they were given
    _places: dict[tuple[int, ...], dict[str, _Place]]  # by sizes in their own order

    def __init_subclass__(cls) -> None:
        declared: dict[str, Field] = {}
        for base in reversed(cls.__mro__):
            declared.update(vars(base).get("_fields", {}))
            declared.update({name: field for name, field in vars(base).items() if isinstance(field, Field)})
        for name in declared:
            if hasattr(Struct, name):
                raise InputError(f"a field of {cls.__name__} cannot have the name {name!r}")
        cls._fields, cls._sizes, cls._header = lay_out(declared)
        cls._numbers, cls._headers, cls._places = {}, {}, {}
        for name, field in cls._fields.items():
            if field.shape or field.of:
                setattr(cls, name, _Values(name))
            else:
                number = _Number(field)
                setattr(cls, name, number)
                cls._numbers[name] = number.view, number.at
        cls._digest = digest_of(f"{cls.__module__}\n{cls.__qualname__}", cls._fields)

    def __init__(self, **sizes: int) -> None:
        key = tuple(sizes.items())
        header = self._headers.get(key)
        if header is None or any(type(n) is not int for n in sizes.values()):
            known = self._checked(sizes)
            words, address = _aligned(self._words_for(known))
            self._attach(words, known, address)
            self._write_header()
            if words.size <= SMALL:
                whole = self.__dict__["_integers"]
                filled = np.flatnonzero(whole)
                if len(self._headers) >= MOST_HEADERS:
                    self._headers.clear()
                self._headers[key] = _Header(whole.size, filled, whole[filled], known)
            return
        words, address = _aligned(header.length)
        self._attach(words, header.sizes, address)
        self.__dict__["_integers"][header.filled] = header.values

    @classmethod
    def _checked(cls, sizes: dict[str, int]) -> dict[str, int]:
        """The sizes as whole numbers, in the order of the class."""
        if unknown := sorted(set(sizes) ^ set(cls._sizes)):
            raise InputError(
                f"{cls.__name__} takes the sizes {', '.join(cls._sizes) or 'none'}; wrong or missing: {unknown[0]!r}"
            )
        for name, n in sizes.items():
            if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
                raise InputError(f"the size {name!r} of {cls.__name__} must be a whole number, received {n!r}")
        return {name: int(sizes[name]) for name in cls._sizes}

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

    def __setattr__(self, name: str, value: object) -> None:
        number = self._numbers.get(name)
        if number is not None:
            self.__dict__[number[0]][number[1]] = value
            return
        field = self._fields.get(name)
        if field is None:
            raise InputError(f"{type(self).__name__} has no field {name!r}", hint=f"it has {', '.join(self._fields)}")
        if field.of is not None:
            raise InputError(f"{type(self).__name__}.{name} holds structs: write to their fields")
        values, array = np.asarray(value), getattr(self, name)
        if values.ndim and values.shape != array.shape:
            raise InputError(f"{type(self).__name__}.{name} has the shape {array.shape}, received {values.shape}")
        array[...] = values

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes by their names."""
        return dict(self.__dict__["_known"])

    def values(self) -> dict[str, Any]:
        """Numbers and arrays by the names of their fields; arrays are views."""
        return {name: getattr(self, name) for name, field in self._fields.items() if field.of is None}

    @property
    def words(self) -> Integers:
        """The whole block, header included, as whole numbers: for comparisons of all bits."""
        words: Integers = self.__dict__["_integers"]
        return words

    def copy(self: Self) -> Self:
        """Another block with the same contents."""
        known, other = self.__dict__, object.__new__(type(self))
        words, address = _aligned(known["_integers"].size)
        words[:] = known["_reals"]
        other._attach(words, known["_known"], address)
        return other

    def alike(self, other: object) -> bool:
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
    def over(cls: type[Self], words: Floats | Integers) -> Self:
        """The struct whose words (`words`) these are; no copy."""
        sizes = {name: int(words.view(np.int64)[at]) for name, at in cls._sizes.items()}
        return cls._attached(words.view(np.float64), sizes)

    @classmethod
    def _attached(cls: type[Self], words: Floats, sizes: dict[str, int]) -> Self:
        """The struct in a block of numbers that is one already."""
        struct = object.__new__(cls)
        struct._attach(words, sizes, words.__array_interface__["data"][0])
        return struct

    @classmethod
    def _words_for(cls, sizes: dict[str, int]) -> int:
        return cls._header + sum(field.words(sizes) for field in cls._fields.values() if field.sized)

    @classmethod
    def _places_for(cls, sizes: dict[str, int]) -> dict[str, _Place]:
        """Where the values of all fields lie."""
        key = tuple(sizes.values())
        found = cls._places.get(key)
        if found is None:
            found, end = {}, cls._header
            for name, field in cls._fields.items():
                length = field.words(sizes)
                first = end if field.sized else field.offset
                end += length if field.sized else 0
                own = {n: sizes[n] for n in field.of._sizes} if field.of is not None and field.kind == "one" else {}
                found[name] = _Place(first, first + length, field.kind, field.dimensions(sizes), field.of, own)
            if len(cls._places) >= MOST_HEADERS:
                cls._places.clear()
            cls._places[key] = found
        return found

    def _write_header(self) -> None:
        """Write sizes and places into the header of a new block, and of the structs inside it."""
        whole, sizes = self.__dict__["_integers"], self.__dict__["_known"]
        whole[0] = whole.size
        for name, at in self._sizes.items():
            whole[at] = sizes[name]
        places = self._places_for(sizes)
        for name, field in self._fields.items():
            place = places[name]
            if field.sized:
                whole[field.offset] = WORD * place.first
            if field.of is None:
                continue
            if field.kind == "one":
                self._part(name)._write_header()
            elif place.shape[0]:
                whole[place.first : place.last].reshape(-1, field.of._header)[:] = field.of().words

    def _attach(self, words: Floats, sizes: dict[str, int], address: int) -> None:
        """Take a block of numbers."""
        self.__dict__.update(_reals=words, _integers=words.view(np.int64), _address=address, _known=sizes)

    def _part(self, name: str) -> Any:
        """A view of a field."""
        known = self.__dict__
        places = known.get("_found")
        if places is None:
            places = known["_found"] = self._places_for(known["_known"])
        first, last, kind, shape, of, sizes = places[name]
        if of is None:
            words = known["_integers" if kind == "i" else "_reals"][first:last]
            return words if len(shape) == 1 else words.reshape(shape)
        words = known["_reals"][first:last]
        return of._attached(words, sizes) if kind == "one" else Many(of, words)


class Many(Sequence[Self]):
    """Structs one after the other."""

    def __init__(self, of: type[Self], words: Floats) -> None:
        self.of, self.blocks = of, words.reshape(-1, of._header)
        self.items: dict[int, Self] = {}  # made when first asked for: there may be thousands

    def __len__(self) -> int:
        return len(self.blocks)

    def __iter__(self) -> Iterator[Self]:
        return map(self.__getitem__, range(len(self.blocks)))

    @overload
    def __getitem__(self, k: int) -> Self: ...
    @overload
    def __getitem__(self, k: slice) -> list[Self]: ...
    def __getitem__(self, k: int | slice) -> Self | list[Self]:
        if type(k) is int and k in self.items:
            return self.items[k]
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        if not -len(self) <= k < len(self):
            raise IndexError(f"there are {len(self)} {self.of.__name__}, received the number {k}")
        k = int(k) % len(self)
        if k not in self.items:
            self.items[k] = self.of._attached(self.blocks[k], {})
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


def _restored(of: type[Struct], sizes: dict[str, int], words: Integers) -> Struct:
    """A struct from its sizes and contents, in another process for instance."""
    struct = of(**sizes)
    struct.__dict__["_integers"][:] = words
    return struct


def _aligned(words: int) -> tuple[Floats, int]:
    """Zeros in cache lines of their own, and their address."""
    block = np.zeros(words + 2 * LINE // WORD)
    address = block.__array_interface__["data"][0]
    first = -address % LINE // WORD
    return block[first : first + words], address + WORD * first


class Nothing(Struct):
    """Placeholder for models without tables, or without scratch."""


StructAddress: TypeAlias = Struct | Integers
"""Where a struct lies: an address in compiled code; in Python the struct itself, or its words."""
