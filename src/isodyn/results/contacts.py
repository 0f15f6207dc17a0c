"""Contacts in a solution: gaps, forces, what they do, and impacts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.open_types import BoolArray
    from isodyn.results.solution import Solution
    from isodyn.systems.contacts import ContactSet

RATES = "contact_rates"  # where a solution remembers `rates_of`


@dataclass(frozen=True)
class Impact:
    """One contact in one impact.

    Parameters
    ----------
    t
        When.
    index
        Number of the contact.
    normal
        Normal impulse.
    tangential
        Tangential impulse.
    lost
        Energy that the contact took.

    Examples
    --------
    >>> import isodyn as iso
    >>> ball = iso.MechanicalSystem(1.0, lambda q, v, t: [-9.81], [1.0], [0.0], gap=lambda q, t: q, restitution=0.5)
    >>> first = iso.integrate(ball, dt=0.02, t_end=0.5).contact(0).impacts[0]
    >>> round(first.normal, 3), round(first.lost, 4)
    (6.644, 7.3575)
    """

    t: float
    index: int
    normal: float
    tangential: FloatArray
    lost: float


@dataclass(frozen=True, eq=False)
class ContactView:
    """One contact along a solution.

    Parameters
    ----------
    name
        Its name.
    t
        Times (k,).
    gap
        The gap (k,), zero where it is closed.
    normal
        Normal force at t_n (k,), never negative.
    tangential
        Tangential force at t_n: (k,) where there is one direction, (k, 2) where there are two, (k,
        0) without friction.
    at_balance
        Normal force as it balanced the last step (k,).
    mode
        0 open, 1 sticking, 2 sliding or without friction (k,).
    impacts
        Its impacts.
    slip
        Tangential velocity, of the same shape.
    power
        Power of its forces on the system (k,): friction takes energy, so that it is negative,
        unless what it rubs on moves.

    Examples
    --------
    >>> import isodyn as iso
    >>> block = iso.MechanicalSystem(2.0, lambda q, v, t: [-9.81 * 2.0], [0.0], [0.0], gap=lambda q, t: q)
    >>> foot = iso.integrate(block, dt=0.02, t_end=0.1).contact(0)
    >>> round(float(foot.normal[-1]), 9), bool(foot.closed.all())
    (19.62, True)
    """

    name: str
    t: FloatArray
    gap: FloatArray
    normal: FloatArray
    tangential: FloatArray
    at_balance: FloatArray
    mode: IntArray
    impacts: tuple[Impact, ...] = field(default=())
    slip: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    power: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def closed(self) -> BoolArray:
        """Whether it is closed (k,)."""
        return self.mode > 0

    @property
    def impulse(self) -> float:
        """Sum of the normal impulses of its impacts."""
        return float(sum(one.normal for one in self.impacts))

    @property
    def lost(self) -> float:
        """Energy that its impacts took."""
        return float(sum(one.lost for one in self.impacts))


def history_of(kept: Any, rows: int, happened: list[Impact], left: dict[int, FloatArray]) -> dict[str, Any]:
    """What a solution keeps of contacts in `aux`; `left` are forces before the event in a row."""
    before = kept.force[:rows].copy()
    for row, force in left.items():
        if row < rows:
            before[row] = force
    width = max((one.tangential.size for one in happened), default=0)
    slips = np.zeros((len(happened), width))
    for i, one in enumerate(happened):
        slips[i, : one.tangential.size] = one.tangential
    return {
        "contact_gap": kept.gap[:rows].copy(),
        "contact_force": kept.force[:rows].copy(),
        "contact_force_left": before,
        "contact_balance": kept.balance[:rows].copy(),
        "contact_mode": kept.mode[:rows].astype(np.int64),
        "impact_t": np.array([one.t for one in happened]),
        "impact_contact": np.array([one.index for one in happened], dtype=np.int64),
        "impact_normal": np.array([one.normal for one in happened]),
        "impact_tangential": slips,
        "impact_lost": np.array([one.lost for one in happened]),
    }


def impacts_in(aux: dict[str, Any], known: ContactSet) -> list[Impact]:
    """The impacts that `history_of` wrote."""
    found = []
    for i, k in enumerate(aux["impact_contact"]):
        many = int(known.tangent[k + 1] - known.tangent[k])
        t, normal, lost = (float(aux[f"impact_{name}"][i]) for name in ("t", "normal", "lost"))
        found.append(Impact(t, int(k), normal, aux["impact_tangential"][i][:many], lost))
    return found


def contacts_at(sol: Solution, times: FloatArray, q: FloatArray, v: FloatArray) -> dict[str, Any]:
    """What a solution keeps of contacts, at other times with their states: forces in straight lines
    between rows, where a contact does in both the same."""
    aux = sol.aux
    if "contact_gap" not in aux:
        return {}
    ask, known = Questions(sol.system.contacts.twin), sol.system.contacts
    many, after = len(known.names), np.searchsorted(sol.t, times, side="left")
    before = np.maximum(after - 1, 0)
    width = sol.t[after] - sol.t[before]
    x = np.where(width > 0.0, (times - sol.t[before]) / np.where(width > 0.0, width, 1.0), 1.0)[:, None]
    mode = np.where(x == 1.0, aux["contact_mode"][after], aux["contact_mode"][before])
    same = aux["contact_mode"][after] == aux["contact_mode"][before]
    owner = np.concatenate([np.arange(many), np.repeat(np.arange(many), np.diff(known.tangent))])
    part = np.where(x == 1.0, 1.0, x * same[:, owner])
    found = {f"contact_{name}": _between(aux[f"contact_{name}"], before, after, part) for name in ("force", "balance")}
    found["contact_gap"] = np.array([ask.position(t, *s)[:many] for t, *s in zip(times, q, v, strict=True)])
    kept = {name: value for name, value in aux.items() if name.startswith("impact_")}
    return {**found, "contact_mode": mode, **kept}


def _between(values: FloatArray, before: IntArray, after: IntArray, part: FloatArray) -> FloatArray:
    """Values between two rows."""
    return (1.0 - part) * values[before] + part * values[after]


def rates_of(sol: Solution) -> tuple[FloatArray, FloatArray]:
    """Rates of gaps and slips in all rows, and the part of them that is the system's own motion, J
    v."""
    known, key = sol.system.contacts, RATES
    if key not in vars(sol):
        ask = Questions(known.twin)
        rows = list(zip(sol.t, sol.q, sol.v, strict=True))
        rates = np.array([ask.velocity(*row) for row in rows]).reshape(len(rows), known.rows)
        own = np.array([ask.G(*row) @ row[2] for row in rows]).reshape(len(rows), known.rows)
        object.__setattr__(sol, key, (rates, own))
    found: tuple[FloatArray, FloatArray] = vars(sol)[key]
    return found


def power_of_contacts(sol: Solution) -> FloatArray:
    """Power of the forces of all contacts on the system, in all rows."""
    if "contact_force" not in sol.aux:
        return np.zeros(sol.t.size)
    return power_of(sol.aux["contact_force"], rates_of(sol)[1]).sum(axis=1)


def power_of(force: FloatArray, rate: FloatArray) -> FloatArray:
    """Power of forces along rates; none where nothing acts, also where an open contact has no
    direction and its rates are no numbers (a journal in the middle of its bearing)."""
    return np.multiply(force, rate, out=np.zeros(force.shape), where=force != 0.0)


def lost_in_impacts(sol: Solution) -> FloatArray:
    """Energy that impacts have taken since the first time, in all rows."""
    if "impact_t" not in sol.aux:
        return np.zeros(sol.t.size)
    done = np.searchsorted(sol.aux["impact_t"], sol.t, side="right")
    found: FloatArray = np.concatenate([[0.0], np.cumsum(sol.aux["impact_lost"])])[done]
    return found


def number_of(known: ContactSet, name: str) -> int:
    """The number of a contact by its name or number."""
    if isinstance(name, int) and 0 <= name < len(known.names):
        return name
    if name not in known.names:
        few = ", ".join(map(repr, known.names[:6]))
        raise InputError(f"no contact {name!r}; there are {few}" + (", …" if len(known.names) > 6 else ""))
    return known.names.index(name)


def of_directions(values: FloatArray) -> FloatArray:
    """(k,) along one direction."""
    return values[:, 0] if values.shape[1] == 1 else values


def contact_view(sol: Solution, name: str) -> ContactView:
    """One contact of a solution."""
    known = sol.system.contacts
    if known is None or "contact_gap" not in sol.aux:
        raise InputError("this solution has no contacts", hint="gap= of a system, or mech.add_contact")
    k, aux = number_of(known, name), sol.aux
    tangents = slice(int(known.tangent[k]), int(known.tangent[k + 1]))
    impacts = tuple(one for one in impacts_in(aux, known) if one.index == k)
    rates, velocities = rates_of(sol)
    own = [k, *range(tangents.start, tangents.stop)]
    return ContactView(
        known.names[k],
        sol.t,
        aux["contact_gap"][:, k],
        np.maximum(aux["contact_force"][:, k], 0.0),
        of_directions(aux["contact_force"][:, tangents]),
        aux["contact_balance"][:, k],
        aux["contact_mode"][:, k],
        impacts,
        of_directions(rates[:, tangents]),
        power_of(aux["contact_force"][:, own], velocities[:, own]).sum(axis=1),
    )
