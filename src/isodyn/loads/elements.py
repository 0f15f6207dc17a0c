"""Force elements between two bodies: springs, dampers, bushings along measures.

They act by a law f(x, ẋ, t) (isodyn.loads.laws); a positive f pulls the measure back.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from isodyn.errors import InputError, IsodynWarning, about
from isodyn.expressions.time import TimeFunction
from isodyn.joints import measures as words
from isodyn.joints.words import Pair, Word, between_points, length_of
from isodyn.kernels.compiled import FloatArray
from isodyn.loads.laws import SpringLaw
from isodyn.loads.part import Law, LoadForces, LoadPart, LoadWorld
from isodyn.parts import Keys, Value, load, optional, required
from isodyn.real_numbers import real_array, real_number

if TYPE_CHECKING:
    from isodyn.loads.on_joints import JointSpring
    from isodyn.open_types import Numbers


@load("spring")
@dataclass(frozen=True)
class Spring(LoadPart):
    """A spring and damper between two points.

    Parameters
    ----------
    stiffness
        Force per length.
    damping
        Force per rate of the length.
    rest
        Free length; that at the start if left out.
    cubic
        Force per cube of the stretch.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.Spring("spring", "ground", "rod", points=[(0.5, 0, 1), (0.5, 0, 0)], stiffness=10.0))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.load("spring").length.shape[0]
    11
    """

    name: str
    first: str
    second: str
    points: Any = None
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float | None = None
    cubic: float = 0.0
    line: ClassVar[str] = "spring"
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "points": optional(Value.TWO_VECTORS),
        "stiffness": optional(Value.NOT_NEGATIVE),
        "damping": optional(Value.NOT_NEGATIVE),
        "rest": optional(Value.NOT_NEGATIVE),
        "cubic": optional(Value.NUMBER),
    }

    def build(self, world: LoadWorld) -> LoadForces:
        pair = between_points(self.name, world.body(self.first), world.body(self.second), self.points)
        rest = length_of(pair) if self.rest is None else constant(self.name, "rest", self.rest)
        law = self._law(rest)
        if length_of(pair) == 0:
            raise InputError(
                f"spring {self.name!r}: its two points coincide at the start, so it has no direction",
                argument="points",
            )
        return LoadForces([Law(law, pair.length_word())])

    def _law(self, rest: float) -> SpringLaw:
        not_negative(self.name, stiffness=self.stiffness, damping=self.damping, rest=rest)
        warn_idle(self, "stiffness", "damping", "cubic")
        return SpringLaw(self.stiffness, self.damping, rest, self.cubic)

    def renumbered(self, old: Any, forces: LoadForces) -> LoadForces | None:
        same = type(old) is type(self) and (old.first, old.second, old.rest) == (self.first, self.second, self.rest)
        if not same or not (old.points is self.points or np.array_equal(old.points, self.points)):
            return None
        (law,) = forces.laws
        assert isinstance(law.force, SpringLaw)
        return LoadForces([Law(self._law(law.force.rest), law.word)])


@load("bushing")
@dataclass(frozen=True)
class Bushing(LoadPart):
    """Springs and dampers along and about three axes at a point.

    The third rotation, about `axis`, is an angle whose whole turns are counted. The other two are
    the tilts of `axis`, measured by their sines, which is right for small ones.

    Parameters
    ----------
    first, second
        Names of the bodies; the axes belong to the first.
    point
        Point in the world at the start.
    axis
        Third axis in the world at the start.
    stiffness
        Three translations, then three rotations.
    damping
        The same for rates.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_load(iso.Bushing("mount", "ground", "rod", axis=(0, 0, 1), stiffness=(100.0,) * 6))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.q.shape[0]
    11
    """

    name: str
    first: str
    second: str
    point: Any = None
    axis: Numbers | None = None
    stiffness: Numbers = (0.0,) * 6
    damping: Numbers = (0.0,) * 6
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "point": optional(Value.VECTOR),
        "axis": optional(Value.VECTOR),
        "stiffness": optional(Value.SIX),
        "damping": optional(Value.SIX),
    }

    def build(self, world: LoadWorld) -> LoadForces:
        pair = Pair.of(self.name, world.body(self.first), world.body(self.second), self.point, self.axis)
        pair.oriented("bushing")
        k, c = (six(self.name, what, getattr(self, what)) for what in ("stiffness", "damping"))
        not_negative(self.name, stiffness=k.min(), damping=c.min())
        warn_idle(self, "stiffness", "damping")
        along: list[Word] = [pair.offset_word(i) for i in (1, 2, 3)]
        tilts = [pair.word(words.AXES, a=x, c=pair.c[2]) for x in (-pair.a[1], pair.a[0])]
        turns = [*tilts, pair.twist_word()]
        measures = enumerate([*along, *turns])
        return LoadForces([Law(SpringLaw(k[i], c[i]), word) for i, word in measures if k[i] > 0 or c[i] > 0])


def warn_idle(part: Bushing | JointSpring | Spring, *numbers: str) -> None:
    """Warn of a spring of which none of these numbers was given; zeros that were given are meant.

    What was left out is the very default of the class.
    """
    if all(getattr(part, number) is getattr(type(part), number) for number in numbers):
        known = ", ".join(f"{number}=" for number in numbers)
        warnings.warn(f"load {part.name!r} does nothing: none of {known} is given", IsodynWarning, stacklevel=2)


def not_negative(name: str, **values: float) -> None:
    for what, value in values.items():
        with about(None, what):
            if constant(name, what, value) < 0:
                raise InputError(f"load {name!r}: {what} must not be negative, received {value:g}")


def constant(name: str, what: str, value: object) -> float:
    """A finite number; a function of time in its place is told where it goes."""
    if callable(value) or isinstance(value, TimeFunction):
        raise InputError(
            f"load {name!r}: {what} is a constant number, received a function of time",
            hint='take FormulaMotor(…, torque="50*(sin(t) - coordinate)") for a joint,'
            ' or Tension(…, "50*(length - 1 - 0.1*sin(t))") between two points',
            argument=what,
        )
    with about(None, what):
        return real_number(f"load {name!r}: {what}", value)


def six(name: str, what: str, value: object) -> FloatArray:
    """Six numbers, or one for all of them."""
    if callable(value) or isinstance(value, TimeFunction):
        constant(name, what, value)
    with about(None, what):
        array = real_array(f"load {name!r}: {what}", value, "6 numbers, or one for all")
        if array.shape not in ((), (6,)):
            raise InputError(f"load {name!r}: {what} must be 6 numbers, or one for all, received {value!r}")
    return np.broadcast_to(array, 6)
