"""A system whose closed contacts are constraints: what it is between two changes of its contacts.

    M a + Gᵀλ + Dᵀλ_N + Tᵀλ_T = Q,    φ = 0,  g = 0 of contacts that push,  slip = 0 of those that stick
    λ_N = −p_N;    λ_T = −p_T, free where a contact sticks, −μ s λ_N where it slides along s

All contacts have rows, those of one stretch of the run are held (isodyn.marching.enforced_rows):
[φ; gaps; ψ; slips]. s is fixed where a contact has one tangent, and the direction of the slip where
it has two.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import SensitivityError
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    GENERAL,
    IDEAL,
    JACOBIAN,
    KNOWS_LEVELS,
    KNOWS_TANGENT,
    MODEL,
    MULTIPLIERS,
    NONIDEAL,
    OK,
    POSITION,
    SKETCHES_TANGENT,
    SOLVES,
    SPARSE,
    VELOCITY,
    FloatArray,
    IntArray,
    Traits,
    kernel,
)
from isodyn.kernels.struct import Struct, integer, integers, reals
from isodyn.kernels.struct_types import number_of, opened, struct_at
from isodyn.multibody.model import mechanism_model
from isodyn.stepping.closure import fill_with
from isodyn.stepping.contact_memory import SLIP, STICK
from isodyn.systems.base import BaseSystem, System
from isodyn.systems.mechanical import MechanicalSystem
from isodyn.systems.model import Model
from isodyn.systems.scales import Scales
from isodyn.systems.trampoline import python_model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isodyn.kernels.struct import StructAddress
    from isodyn.open_types import Compiled
    from isodyn.sensitivities.parameters import Family

REST = 1e-12  # of the size of v: slower slips have the direction that is kept


class Modes(Struct):
    """What contacts do in a stretch of the run; all models of the run read the same one."""

    mode, direction = integers("contacts"), reals("rows")


class ClosedTables(Struct):
    """Addresses of two models, places of their rows, and numbers of contacts."""

    base, base_scratch, contacts, contacts_scratch, modes = (integer,) * 5
    places, contact_places = integers("m"), integers("rows")
    holonomic, knows_tangent = integer, integer
    tangent, mu = integers("ends"), reals("contacts")


class ClosedScratch(Struct):
    """Memory for answers."""

    lam, answer = reals("m"), reals("answer")
    contact_lam, s, J = reals("rows"), reals("rows"), reals("values")
    K = reals("square")
    still = reals("nv")


@kernel()
def put_directions(
    contacts: Compiled, t: float, q: FloatArray, v: FloatArray, c: FloatArray, of: ClosedTables, work: ClosedScratch
) -> int:
    """work.s: where contacts slide to."""
    modes, asked, status = opened(Modes, struct_at(of.modes)), False, OK
    tables, scratch = struct_at(of.contacts), struct_at(of.contacts_scratch)
    fill_with(work.s, 0.0)
    if c[3] == IDEAL:
        return OK
    for k in range(of.mu.size):
        begin, end = of.tangent[k], of.tangent[k + 1]
        if modes.mode[k] != SLIP or begin == end:
            continue
        for j in range(begin, end):
            work.s[j] = modes.direction[j]
        if end - begin < 2:
            continue
        if not asked:
            status = contacts(
                VELOCITY, t, q, v, work.still, work.contact_lam, c, tables, scratch, work.answer[: work.s.size]
            )
            asked = True
        if status != OK:
            return status
        size, most = 0.0, 0.0
        for i in range(v.size):
            most = max(most, abs(v[i]))
        for j in range(begin, end):
            size += work.answer[j] ** 2
        size = np.sqrt(size)
        if size > REST * most:
            for j in range(begin, end):
                work.s[j] = work.answer[j] / size
    return status


@kernel()
def put_multipliers(lam: FloatArray, of: ClosedTables, work: ClosedScratch) -> None:
    """Multipliers of both models."""
    modes = opened(Modes, struct_at(of.modes))
    for i in range(of.places.size):
        work.lam[i] = lam[of.places[i]]
    for j in range(of.contact_places.size):
        work.contact_lam[j] = lam[of.contact_places[j]]
    for k in range(of.mu.size):
        if modes.mode[k] == SLIP:
            for j in range(of.tangent[k], of.tangent[k + 1]):
                work.contact_lam[j] = -of.mu[k] * work.s[j] * work.contact_lam[k]


@kernel()
def add_forces(n: int, work: ClosedScratch, out: FloatArray) -> None:
    """out += Jᵀλ of the contacts."""
    for j in range(work.contact_lam.size):
        if work.contact_lam[j] != 0.0:
            for i in range(n):
                out[i] += work.J[j * n + i] * work.contact_lam[j]


@kernel()
def put_matrix(n: int, of: ClosedTables, work: ClosedScratch, forces: bool, out: FloatArray) -> None:
    """Rows of both models, base rows being in work.answer; with `forces` sliding contacts have
    their friction in the rows of their normals."""
    for i in range(of.places.size):
        for j in range(n):
            out[of.places[i] * n + j] = work.answer[i * n + j]
    for k in range(of.contact_places.size):
        for j in range(n):
            out[of.contact_places[k] * n + j] = work.J[k * n + j]
    for k in range(of.mu.size if forces else 0):
        for row in range(of.tangent[k], of.tangent[k + 1]):
            for j in range(n):
                out[of.contact_places[k] * n + j] -= of.mu[k] * work.s[row] * work.J[row * n + j]


@kernel()
def add_curvature(
    contacts: Compiled, t: float, q: FloatArray, v: FloatArray, c: FloatArray, of: ClosedTables, work: ClosedScratch,
    out: FloatArray,
) -> int:  # fmt: skip
    """out += the part of c₁C + c₂K that the forces of the contacts make."""
    if of.knows_tangent == 0 or (c[1] == 0.0 and c[2] == 0.0):
        return OK
    tables, scratch = struct_at(of.contacts), struct_at(of.contacts_scratch)
    for sign in (1.0, -1.0):
        if sign < 0.0:
            fill_with(work.contact_lam, 0.0)
        status: int = contacts(JACOBIAN, t, q, v, work.still, work.contact_lam, c, tables, scratch, work.K)
        if status != OK:
            return status
        for i in range(work.K.size):
            out[i] += sign * work.K[i]
    return OK


@kernel()
def put_rows(what: int, of: ClosedTables, work: ClosedScratch, out: FloatArray) -> None:
    """Values of the rows of both models, which are in work.answer and work.J."""
    gaps, position = of.mu.size, what == POSITION
    for i in range(of.holonomic if position else of.places.size):
        out[of.places[i]] = work.answer[i]
    for j in range(gaps if position else of.contact_places.size):
        out[of.contact_places[j]] = work.J[j]


@kernel()
def ask_rows(
    base: Compiled, what: int, t: float, q: FloatArray, v: FloatArray, a: FloatArray, c: FloatArray, of: ClosedTables,
    work: ClosedScratch, out: FloatArray,
) -> int:  # fmt: skip
    """What the system itself answers about its rows, if it has any."""
    if of.places.size == 0:
        return OK
    status: int = base(what, t, q, v, a, work.lam, c, struct_at(of.base), struct_at(of.base_scratch), out)
    return status


@kernel()
def answer(
    base: Compiled, contacts: Compiled, what: int, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray,
    c: FloatArray, of: ClosedTables, work: ClosedScratch, out: FloatArray,
) -> int:  # fmt: skip
    """What a system with closed contacts answers, from the models of the system and of its
    contacts."""
    base_tables, base_scratch = struct_at(of.base), struct_at(of.base_scratch)
    own, own_scratch, n, status = struct_at(of.contacts), struct_at(of.contacts_scratch), v.size, OK
    m, rows = of.places.size, of.contact_places.size
    if what in (BALANCE, JACOBIAN, MULTIPLIERS):
        status = put_directions(contacts, t, q, v, c, of, work)
        if status == OK and what != MULTIPLIERS:
            put_multipliers(lam, of, work)
    if status == OK and what in (BALANCE, CONSTRAINT, MULTIPLIERS):
        status = contacts(CONSTRAINT, t, q, v, a, work.contact_lam, c, own, own_scratch, work.J[: rows * n])
    if status != OK:
        return status
    if what in (BALANCE, JACOBIAN):
        status = base(what, t, q, v, a, work.lam, c, base_tables, base_scratch, out)
        if what == BALANCE:
            add_forces(n, work, out)
        elif status == OK:
            status = add_curvature(contacts, t, q, v, c, of, work, out)
    elif what in (CONSTRAINT, MULTIPLIERS):
        status = ask_rows(base, CONSTRAINT, t, q, v, a, c, of, work, work.answer[: m * n])
        put_matrix(n, of, work, what == MULTIPLIERS, out)
    elif what in (POSITION, VELOCITY, ACCELERATION):
        status = ask_rows(base, what, t, q, v, a, c, of, work, work.answer[:m])
        if status == OK:
            status = contacts(what, t, q, v, a, work.contact_lam, c, own, own_scratch, work.J[:rows])
        put_rows(what, of, work, out)
    else:
        status = base(what, t, q, v, a, lam, c, base_tables, base_scratch, out)
    return status


@kernel(MODEL)
def closed_mechanism(
    what: int, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, c: FloatArray, tables: StructAddress,
    scratch: StructAddress, out: FloatArray,
) -> int:  # fmt: skip
    """A mechanism with its contacts as rows."""
    of, work = opened(ClosedTables, tables), opened(ClosedScratch, scratch)
    return answer(mechanism_model, mechanism_model, what, t, q, v, a, lam, c, of, work, out)


@kernel(MODEL)
def closed_functions(
    what: int, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, c: FloatArray, tables: StructAddress,
    scratch: StructAddress, out: FloatArray,
) -> int:  # fmt: skip
    """A system of users' functions with its contacts as rows."""
    of, work = opened(ClosedTables, tables), opened(ClosedScratch, scratch)
    return answer(python_model, python_model, what, t, q, v, a, lam, c, of, work, out)


def closed_model(base: Model, contacts: Model) -> Compiled:
    """The function of a system with closed contacts."""
    functions = base.function, contacts.function
    for known, joined in ((mechanism_model, closed_mechanism), (python_model, closed_functions)):
        if all(one is known for one in functions):
            return joined
    raise SensitivityError("contacts of such a system are not differentiated", hint="MechanicalSystem, or a mechanism")


class BothRaise:
    """Exceptions of the Python functions of two models."""

    def __init__(self, *models: Model) -> None:
        self.models = [model.callback for model in models if model.callback is not None]

    @property
    def raised(self) -> BaseException | None:
        return next((one.raised for one in self.models if one.raised is not None), None)


@dataclass(frozen=True, eq=False)
class JoinedModel(Model):
    """A model that reads the memory of others, and keeps them."""

    made_of: tuple[Any, ...] = ()


def plain_model(system: System) -> Model:
    """The model of a system with full matrices; users' functions are called from Python, so that
    all values of parameters have the same function."""
    if isinstance(system, MechanicalSystem):
        return system.model(plain=True)
    model: Model = system.model()
    return model if model.dense is None else model.dense()


@dataclass(frozen=True, eq=False, repr=False)
class ClosedSystem(BaseSystem):
    """A system with its contacts as rows."""

    inner: System
    modes: Modes
    m: int = 0
    m_phi: int = 0
    row_names: tuple[str, ...] = ()
    places: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    contact_places: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    first_order = False
    contacts = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    @property
    def scales(self) -> Scales:
        """Typical sizes; those of rows are looked at."""
        return replace(self.inner.scales, rows=None)

    @property
    def elastic(self) -> bool:  # type: ignore[override]
        return False  # forces are not read from balances

    def rows_held(self, mode: IntArray) -> IntArray:
        """Rows that are enforced where contacts do this."""
        known, rows = self.inner.contacts, list(self.places)
        for k in np.flatnonzero(mode):
            rows.append(self.contact_places[k])
            if mode[k] == STICK:
                rows += list(self.contact_places[known.tangent[k] : known.tangent[k + 1]])
        return np.array(sorted(rows), dtype=np.int64)

    def model(self) -> Model:
        """The joined model; it keeps those that it is made of."""
        inner, known = self.inner, self.inner.contacts
        base, contacts = plain_model(inner), plain_model(known.twin)
        n, m, rows = inner.nv, inner.m, known.rows
        tables = ClosedTables(m=m, rows=rows, contacts=known.mu.size, ends=known.mu.size + 1)
        tables.base, tables.base_scratch = number_of(base.tables), number_of(base.scratch)
        tables.contacts, tables.contacts_scratch = number_of(contacts.tables), number_of(contacts.scratch)
        tables.modes, tables.places, tables.contact_places = number_of(self.modes), self.places, self.contact_places
        tables.holonomic, tables.tangent, tables.mu = inner.m_phi, known.tangent, known.mu
        knows = bool(base.traits & contacts.traits & KNOWS_TANGENT)
        tables.knows_tangent = int(knows)
        sizes = {"m": m, "rows": rows, "answer": max(m * n, m, rows), "values": max(rows * n, rows)}
        scratch = ClosedScratch(**sizes, square=n * n, nv=n)
        traits = base.traits & ~(KNOWS_LEVELS | SPARSE | SOLVES | GENERAL)
        if not knows and traits & KNOWS_TANGENT:
            traits = (traits & ~KNOWS_TANGENT) | SKETCHES_TANGENT
        traits |= NONIDEAL if known.mu.any() else 0
        function, both = closed_model(base, contacts), BothRaise(base, contacts)
        callback: Any = both if both.models else None
        made_of = base, contacts, self.modes
        return JoinedModel(function, Traits(traits), tables, scratch, callback, made_of=made_of)


def closed(inner: System, modes: Modes) -> ClosedSystem:
    """A system with its contacts as rows; what they do is in `modes`."""
    known, m, m_phi = inner.contacts, inner.m, inner.m_phi
    gaps, slips = known.mu.size, known.rows - known.mu.size
    names, own = inner.row_names, known.twin.row_names
    row_names = (*names[:m_phi], *own[:gaps], *names[m_phi:], *own[gaps:])
    places = np.concatenate([np.arange(m_phi), np.arange(m_phi, m) + gaps]).astype(np.int64)
    contact_places = np.concatenate([m_phi + np.arange(gaps), m + gaps + np.arange(slips)]).astype(np.int64)
    return ClosedSystem(inner, modes, m + known.rows, m_phi + gaps, row_names, places, contact_places)


class ClosedFamily:
    """A family of systems with their contacts as rows."""

    def __init__(self, inner: Family, modes: Modes) -> None:
        self.inner, self.modes = inner, modes

    def value(self, name: str) -> float:
        """The value of a parameter."""
        return self.inner.value(name)

    def at(self, changes: Mapping[str, float]) -> ClosedSystem:
        """The system with other values of these parameters."""
        return closed(self.inner.at(changes), self.modes)
