"""Keys of a part in a model file, each with what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto


class Value(Enum):
    """What a key of a table holds."""

    NUMBER = auto()
    POSITIVE = auto()
    NOT_NEGATIVE = auto()
    NOT_ZERO = auto()
    VECTOR = auto()  # two or three numbers
    TWO_VECTORS = auto()
    NUMBERS = auto()  # any number of them
    POINTS = auto()  # vectors, any number of them, or their numbers one after the other
    TRUTH = auto()  # true or false
    SIX = auto()  # one number for six, or six
    CHOICE = auto()  # one of some texts
    TEXT = auto()
    FORMULA = auto()  # of the time and of coordinates
    FORMULAS = auto()  # components of a vector, each a number or a formula
    TIME = auto()  # a function of time
    TIME_OR_STATE = auto()  # a function of time, or a formula that names coordinates
    BODY = auto()  # the name of a body or of a node of a beam
    BODIES = auto()  # two of them, or one and the ground: `first` and `second` of the part
    BEAM = auto()
    JOINT = auto()
    JOINTS = auto()  # two of them: `first` and `second` of the part
    WEIGHTS = auto()  # numbers by joint, or by "joint.coordinate"


@dataclass(frozen=True)
class Key:
    """What a key holds, and whether a file must have it; where it need not, the default of the
    class's field counts."""

    value: Value
    required: bool = False
    choices: tuple[str, ...] = ()


Keys = Mapping[str, Key]


def required(value: Value) -> Key:
    """A key that a file must have."""
    return Key(value, required=True)


def optional(value: Value, *choices: str) -> Key:
    """A key that a file may leave out."""
    return Key(value, choices=choices)
