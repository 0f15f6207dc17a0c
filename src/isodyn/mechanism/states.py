"""Continuous states of first order in a mechanism: ż = rate(t, q, v, z), such as a pressure, a
filter, an integral.

A state is a velocity of its own, with the row ż − rate = 0 in the balance: it has the order of v,
and its rate that of a. Its integral stands in q. It has no mass, no weight and no energy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from isodyn.bodies.body import Body
from isodyn.errors import InputError, about
from isodyn.expressions.parser import CONSTANTS
from isodyn.joints import measures as words
from isodyn.joints.words import Pair, Word, ground_body
from isodyn.loads.formula_laws import formula_law, text_of
from isodyn.loads.part import Input, Law, LoadWorld
from isodyn.notebook_views import ShownInNotebooks
from isodyn.real_numbers import real_number


@dataclass(frozen=True, eq=False)
class ContinuousState(ShownInNotebooks):
    """A number with a rate; `Mechanism.add_state` makes it.

    Parameters
    ----------
    name
        Its name.
    rate
        Its rate: a formula of t, of names such as "pin.angle_rate" and "other.value", and of the
        name itself.
    initial
        Its value at the start.
    size
        About how large it becomes, which errors are compared with; the size of `initial`, or 1, if
        left out.
    parameters
        Values of names in the formula.

    Raises
    ------
    InputError
        If a number is not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.ContinuousState("pressure", "(2e5 - pressure)/0.1", initial=1e5)
    <ContinuousState 'pressure': rate (2e5 - pressure)/0.1, initial 1e+05>
    """

    name: str
    rate: str
    initial: float = 0.0
    size: float | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        what = self.what
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise InputError(f"{what}: a name without dots and blanks is needed, because formulas use it")
        if self.name == "t" or self.name in CONSTANTS:
            raise InputError(f"{what}: the name has a meaning in formulas already", hint="choose another name")
        initial = real_number(f"{what}: initial", self.initial)
        if self.size is not None and not real_number(f"{what}: size", self.size) > 0.0:
            raise InputError(f"{what}: size must be positive, received {self.size!r}", argument="size")
        object.__setattr__(self, "initial", initial)
        if not isinstance(self.parameters, Mapping):
            hint = 'such as {"k": 2.0}'
            raise InputError(
                f"{what}: parameters must be a dict, received {self.parameters!r}", hint=hint, argument="parameters"
            )
        object.__setattr__(self, "parameters", dict(self.parameters))

    def __repr__(self) -> str:
        return f"<ContinuousState {self.name!r}: rate {self.rate}, initial {self.initial:.4g}>"

    @property
    def what(self) -> str:
        """What it is, in words."""
        return f"state {self.name!r}"

    @property
    def typical(self) -> float:
        """What it is compared with."""
        return float(self.size if self.size is not None else abs(self.initial) or 1.0)

    @property
    def body(self) -> Body:
        """What carries it in the equations: one velocity."""
        zero = np.zeros(3)
        start, upright = np.array([self.initial, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])
        return Body(self.name, "state", 0.0, np.zeros((3, 3)), zero, upright, start, zero, zero)


def law_of_state(state: ContinuousState, world: LoadWorld) -> Law:
    """Its rate, as the force on the velocity that carries it."""
    word = word_of_state(state.body)
    with about(state.name, "rate"):
        own = {state.name: Input(word, rate=True)}
        return formula_law(state.name, word, text_of(state.rate), state.parameters, world, own, noun="state")


def word_of_state(body: Body) -> Word:
    """The measure whose rate is the state."""
    pair = Pair.of(body.name, body, ground_body(), body.position, None)
    return pair.word(words.POINT, u=np.eye(3)[0], s_j=np.zeros(3))


def input_of_state(what: str, state: ContinuousState, coordinate: str) -> Input:
    """ "value" and "integral" of a state in a formula; `what` asks for it."""
    if coordinate not in ("value", "integral"):
        raise InputError(f"{what}: state {state.name!r} has no {coordinate!r}", hint="it has value and integral")
    return Input(word_of_state(state.body), rate=coordinate == "value")
