"""All that can be read from a solution, by name: one catalogue for plots, tables, CSV and NetCDF.

A quantity belongs to an owner (a part of a mechanism, or nobody) and has a name of its own:
("pin", "force") is called "pin.force". Vectors have components, "pin.force_x", and a size,
"|pin.force|". States are called q(name), v(name), a(name), lam(name). Names are looked up whole, so
that parts may have any name; where two read alike, the pair (owner, what) tells them apart.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, cached_property, singledispatch
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.contacts import contact_view
from isodyn.results.units import STATES, is_mechanism, is_whole, labels, units

quantities_of_parts = Later("isodyn.results.quantities_of_parts")  # which needs this module

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

NEEDS_PAST = ("work",)  # quantities that no single instant knows
NEAR = 5  # so many names are offered where one is unknown
SIMILAR, CLOSE = 0.5, 0.75  # how like they are, by difflib: to any name, and to those of the part that was named


class Of(Enum):
    """What a quantity tells about."""

    STATE = auto()
    BODY = auto()
    BEAM = auto()
    JOINT = auto()
    LOAD = auto()
    SENSOR = auto()
    CONTACT = auto()
    ENERGY = auto()


class Curve(NamedTuple):
    """A quantity along a run: its name, values (times,) or (times, components), unit, and names of
    the components."""

    name: str
    values: FloatArray
    unit: str
    components: tuple[str, ...] = ()

    def __repr__(self) -> str:
        parts = f" × ({', '.join(self.components)})" if self.components else ""
        unit = f" in {self.unit}" if self.unit else ""
        return f"<Curve {self.name!r}{unit}: {len(self.values)} rows{parts}>"

    def columns(self) -> Iterator[tuple[str, FloatArray, str]]:
        """Name, values and unit of every component."""
        if self.values.ndim == 1:
            yield self.name, self.values, self.unit
            return
        of_each = self.unit.split(", ") if ", " in self.unit else [self.unit] * len(self.components)
        for k, (component, unit) in enumerate(zip(self.components, of_each, strict=True)):
            yield f"{self.name}_{component}", self.values[:, k], unit


@dataclass(frozen=True, eq=False)
class Quantity(ShownInNotebooks):
    """What can be read: `read` gives its values when they are asked for."""

    of: Of
    owner: str
    what: str
    unit: str
    words: str
    read: Callable[[], FloatArray]
    components: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As it is called in tables and plots."""
        return f"{self.owner}.{self.what}" if self.owner else self.what

    @cached_property
    def curve(self) -> Curve:
        """The values."""
        return Curve(self.name, np.asarray(self.read(), dtype=np.float64), self.unit, self.components)


class Place(NamedTuple):
    """A quantity by its number and by what it belongs to, and which component of it ("" is all,
    "||" the size)."""

    number: int
    of: Of
    owner: str
    what: str
    component: str = ""


UNNUMBERED = -1  # a place that was found by its part alone
ENERGY = "_energy"  # quantities of parts that stand apart from them
XYZ, WXYZ = ("x", "y", "z"), ("w", "x", "y", "z")


@singledispatch
def more_quantities(sol: Solution) -> list[Quantity]:
    """What a kind of solution knows besides states and parts; kinds register themselves."""
    return []


def _by_name(quantities: Iterable[Quantity]) -> dict[Any, list[tuple[Quantity, str]]]:
    """Quantities and their components by whole names, pairs and triples."""
    found: dict[Any, list[tuple[Quantity, str]]] = {}
    for quantity in quantities:
        ways = [("", quantity.name), *((c, f"{quantity.name}_{c}") for c in quantity.components)]
        if quantity.components == XYZ:
            ways.append(("||", f"|{quantity.name}|"))
        for component, text in ways:
            pair = (quantity.owner, quantity.what, component) if component else (quantity.owner, quantity.what)
            for key in (text, pair):
                found.setdefault(key, []).append((quantity, component))
    return found


class Catalogue:
    """The quantities of a solution; nothing is computed before it is asked for."""

    def __init__(self, sol: Solution) -> None:
        self.sol = sol
        self.whole = is_whole(sol)

    @cached_property
    def all(self) -> list[Quantity]:
        """In the order of tables: states, parts, energies."""
        found = list(_states(self.sol))
        if self.whole and is_mechanism(self.sol.system):
            # compiled code of mechanisms, which other systems do not need
            found += quantities_of_parts.of_parts(self.sol)
        found += [*more_quantities(self.sol), *_contacts(self.sol)]
        return found + list(_energies(self.sol, self.whole))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of all quantities."""
        return tuple(quantity.name for quantity in self.all)

    @cached_property
    def _index(self) -> dict[Any, list[tuple[Quantity, str]]]:
        """By whole names, pairs and triples: a quantity, and which component of it ("" is all, "||"
        the size)."""
        found = _by_name(self.all)
        names = labels(self.sol)
        states = [*names["q"], *names["v"]]  # the first of all quantities
        for name, column in zip(states, self.all, strict=False):  # "theta" for "q(theta)", "arm.vx" for "v(arm.vx)"
            if name not in found:
                found[name] = [(column, "")]
        return found

    def curve(self, name: Sequence[str] | str) -> Curve:
        """A quantity, a component or a size by its name."""
        return self.read(self.find(name))

    def find(self, name: Sequence[str] | str) -> Place:
        """Where a name stands; the same for all solutions of the same parts."""
        key = tuple(name) if isinstance(name, list | tuple) else name
        known = self._of_named_part(key) if isinstance(key, str) else None
        if known is not None:
            return known
        try:
            found = self._index.get(key, [])
        except TypeError:
            found = []
        if not found:
            raise self._unknown(key)
        if len(found) > 1:
            pairs = " or ".join(repr((q.owner, q.what, *([c] if c else []))) for q, c in found)
            raise InputError(f"{name!r} is the name of {len(found)} quantities", hint=f"write {pairs}")
        quantity, component = found[0]
        number = next(k for k, one in enumerate(self.all) if one is quantity)
        return Place(number, quantity.of, quantity.owner, quantity.what, component)

    def _of_named_part(self, key: str) -> Place | None:
        """Where a name stands that begins with a body, joint, load or sensor, without a look at the
        other parts; None where it is not the name of exactly one quantity of these."""
        system = self.sol.system
        if "all" in self.__dict__ or not self.whole or not is_mechanism(system) or key.endswith(ENERGY):
            return None
        owners = [key[:k].lstrip("|") for k, letter in enumerate(key) if letter == "."]
        parts = [pair for owner in owners for pair in quantities_of_parts.named(system, owner)]
        found = [x for of, owner in parts for x in _by_name(self._part(of, owner)).get(key, ())]
        if len(found) != 1:
            return None
        quantity, component = found[0]
        return Place(UNNUMBERED, quantity.of, quantity.owner, quantity.what, component)

    def _part(self, of: Of, owner: str) -> list[Quantity]:
        """The quantities of one part."""
        if (of, owner) not in self._by_part:
            self._by_part[of, owner] = list(quantities_of_parts.of_part(self.sol, of, owner))
        return self._by_part[of, owner]

    def read(self, place: Place) -> Curve:
        """The values at a place."""
        quantity, component = self._at(place), place.component
        curve = quantity.curve
        if component == "||":
            return Curve(f"|{quantity.name}|", np.linalg.norm(curve.values, axis=1), quantity.unit)
        if component:
            title, values, unit = list(curve.columns())[quantity.components.index(component)]
            return Curve(title, values, unit)
        return curve

    def _at(self, place: Place) -> Quantity:
        """The quantity at a place; of a body, joint, load or sensor without a look at the other
        parts."""
        numbered = place.number != UNNUMBERED
        if numbered and (
            "all" in self.__dict__ or not place.owner or not self.whole or not is_mechanism(self.sol.system)
        ):
            return self.all[place.number]
        found = [one for one in self._part(place.of, place.owner) if one.what == place.what]
        return self.all[place.number] if numbered and len(found) != 1 else found[0]

    @cached_property
    def _by_part(self) -> dict[tuple[Of, str], list[Quantity]]:
        return {}

    def _unknown(self, name: object) -> InputError:
        text = f"there is no quantity named {name!r}"
        if not self.whole and is_mechanism(self.sol.system):
            return InputError(text, hint="only some columns were saved (select=): parts of the mechanism are not known")
        owners = {quantity.owner for quantity in self.all if quantity.owner}
        owner = next((part for part in _beginnings(str(name)) if part in owners), "")
        known = [key for key in self._index if isinstance(key, str) and key.lstrip("|").startswith(owner)]
        similar = difflib.get_close_matches(str(name), known, n=NEAR, cutoff=CLOSE if owner else SIMILAR)
        if similar:
            return InputError(text, hint=f"did you mean {', '.join(map(repr, similar))}?")
        if owner:
            own = [quantity.what for quantity in self.all if quantity.owner == owner]
            return InputError(text, hint=f"{owner!r} has {', '.join(own)}: {owner}.{own[0]}")
        some = ", ".join(map(repr, self.names[:NEAR])) + (" …" if len(self.names) > NEAR else "")
        return InputError(text, hint=f"there are {some}; all are in sol.quantities()")


def _beginnings(name: str) -> list[str]:
    """A name, and what stands before each of its dots, longest first."""
    words = name.strip("|").split(".")
    return [".".join(words[:k]) for k in range(len(words), 0, -1)]


def _states(sol: Solution) -> Iterator[Quantity]:
    names, of = labels(sol), units(sol.system)
    for symbol in STATES:
        for k, name in enumerate(names[symbol]):
            yield Quantity(
                Of.STATE,
                "",
                f"{symbol}({name})",
                of[symbol][sol.columns[symbol][k]],
                STATES[symbol],
                lambda symbol=symbol, k=k: getattr(sol, symbol)[:, k],  # type: ignore[misc]
            )


def _contacts(sol: Solution) -> Iterator[Quantity]:
    """Gaps, forces and what they do, of contacts."""
    if "contact_gap" not in sol.aux or not is_whole(sol):
        return
    known = sol.system.contacts
    for k, owner in enumerate(known.names):
        view = cache(lambda k=k: contact_view(sol, k))
        directions = int(known.tangent[k + 1] - known.tangent[k])
        parts = tuple(str(i + 1) for i in range(directions)) if directions > 1 else ()
        yield Quantity(Of.CONTACT, owner, "gap", "m", "gap", lambda view=view: view().gap)  # type: ignore[misc]
        yield Quantity(Of.CONTACT, owner, "normal", "N", "normal force", lambda view=view: view().normal)  # type: ignore[misc]
        words = "0 open, 1 sticking, 2 sliding or without friction"
        yield Quantity(Of.CONTACT, owner, "mode", "1", words, lambda view=view: view().mode * 1.0)  # type: ignore[misc]
        if directions:
            words = "tangential force"
            yield Quantity(Of.CONTACT, owner, "friction", "N", words, lambda view=view: view().tangential, parts)  # type: ignore[misc]
            words = "tangential velocity"
            yield Quantity(Of.CONTACT, owner, "slip", "m/s", words, lambda view=view: view().slip, parts)  # type: ignore[misc]


def _energies(sol: Solution, whole: bool) -> Iterator[Quantity]:
    if sol.system.energy is None or sol.system.first_order or not whole:
        return
    unit = "J" if is_mechanism(sol.system) else ""
    for k, what in enumerate(("kinetic_energy", "potential_energy")):
        yield Quantity(Of.ENERGY, "", what, unit, what.replace("_", " "), lambda k=k: sol.energy()[k])  # type: ignore[misc]
