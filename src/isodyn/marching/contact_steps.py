"""The memory of a run with contacts: kernels, starts, rows, and what went wrong
(isodyn.marching.contact_run says what happens on the way)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import AccuracyWarning, ConvergenceError, InputError, PainleveError
from isodyn.kernels.compiled import GENERAL, NONIDEAL, FloatArray
from isodyn.kernels.struct_types import number_of
from isodyn.linear_solvers.rank import decide
from isodyn.marching import contact_march
from isodyn.marching.contact_march import TAKEN, ContactRows
from isodyn.marching.last_step import lengthened
from isodyn.marching.near_contacts import NearContacts
from isodyn.marching.run import Run
from isodyn.multibody.rows import FAR
from isodyn.results.contacts import Impact, history_of, impacts_in
from isodyn.stepping import contact_jump
from isodyn.stepping.contact_memory import NO_PUSH, OPEN, Contacts
from isodyn.stepping.contact_step import NO_SOLUTION
from isodyn.stepping.impacts import Impacts
from isodyn.systems.base import System
from isodyn.systems.model import Met
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.marching.schedule import Stretch
    from isodyn.results.solution import Solution
    from isodyn.stepping.memory import State

NOTHING_MET = Met(np.zeros(0, dtype=np.int64), False)
TOUCHES = 1e-10  # of the size of a gap: smaller ones are closed
CARRIED = ("closed", "mode", "force", "balance", "fastest", "gap", "rate")  # from step to step
MADE = 1e-9  # of the energies of impacts: more than this is no rounding
BELOW = 1e-8  # of the size of a gap: a start may be so far below zero


class ContactSteps(Run):
    """A run with contacts."""

    touches = own_march = True
    unlocated = 0  # steps that were taken to their ends although gaps closed in them
    unpaid = 0.0  # the largest energy that moving bodies out of obstacles added in a step
    released = 0  # steps whose contacts were let go, because their forces were not found
    parts = (*Run.parts, "contacts")

    def __init__(self, system: System, *given: Any, impacts: Impacts, **options: Any) -> None:
        self.impacts, self.known = impacts, system.contacts
        twin = self.twin = self.known.twin.model()
        many, rows = len(self.known.names), self.known.rows
        starts, columns = np.arange(rows + 1) * system.nv, np.tile(np.arange(system.nv), rows)
        if twin.sparsity is not None:
            starts, columns = twin.sparsity.G_starts, twin.sparsity.G_columns
        self.nearby = NearContacts(self.known, twin)
        carriers = [self.known.carriers.get(k, ()) for k in range(many)]
        bears = np.concatenate([[0], np.cumsum([len(one) for one in carriers])]).astype(np.int64)
        self.two_sided = np.diff(bears) > 0
        sizes = {"ends": many + 1, "rows": rows, "row_ends": rows + 1, "values": columns.size}
        sizes["bearings"] = int(bears[-1])
        self.contacts = Contacts(contacts=many, places=self.nearby.places.size, **sizes)
        self.contacts.starts, self.contacts.columns, self.contacts.places = starts, columns, self.nearby.places
        for name in ("mu", "mu_static", "restitution", "tangent"):
            setattr(self.contacts, name, getattr(self.known, name))
        self.contacts.size, self.contacts.bears = self.known.sizes, bears
        self.contacts.bearings = np.array([row for one in carriers for row, _ in one], dtype=np.int64)
        self.contacts.levers = np.array([factor for one in carriers for _, factor in one], dtype=np.float64)
        self.contacts.tables, self.contacts.scratch = number_of(self.twin.tables), number_of(self.twin.scratch)
        super().__init__(system, *given, **options)
        refuse_beside_contacts(self)
        refuse_shared(self)
        k = self.rows.t.size
        self.kept = ContactRows(np.zeros((k, many)), np.zeros((k, rows)), np.zeros((k, rows)), np.zeros((k, many)))
        self.happened: list[Impact] = []
        self.forces_left: dict[int, FloatArray] = {}  # by row, where forces jump
        self.located, self.located_in = 0, -1  # impacts in a step of the grid, and which

    # ---- kernels

    @property
    def touching(self) -> tuple[Any, ...]:
        """The contacts as kernels take them."""
        return self.twin.function, self.contacts

    @property
    def physics_with(self) -> tuple[Any, ...]:
        """The model as kernels take it."""
        model = self.other or self.model
        return model.function, model.tables, model.scratch

    def look_at(self, state: State) -> None:
        """Gaps, rates and rows of the contacts at a state."""
        self.check(
            int(contact_jump.look_at_contacts(float(state.t), state, self.memory, *self.touching)), state.t, state.t
        )

    def warn(self, sol: Solution) -> None:
        """Warn of what any run is not sure of, of impacts that were not located although they
        should have been, and of those that made energy."""
        super().warn(sol)
        if self.impacts.locate and self.unlocated:
            warnings.warn(
                f"{self.unlocated} steps had more than {self.impacts.max_located} impacts, and were taken to their ends"
                " without locating them, to first order\nhint: smaller steps, or iso.Impacts(max_located=…)",
                AccuracyWarning,
                stacklevel=5,
            )
        if self.unpaid > MADE * energies_of(self.happened, sol):
            warnings.warn(
                f"steps that were taken to their ends raised the energy, by up to {self.unpaid:.3g} J, when bodies were"
                " moved out of each other\nhint: smaller steps, or iso.Impacts(locate=True)",
                AccuracyWarning,
                stacklevel=5,
            )
        if self.released or self.contacts.rough:
            warnings.warn(
                f"Coulomb's law of many contacts was obeyed only roughly: to 1 % in {int(self.contacts.rough)} impacts and"
                f" starts, by impacts at the end in {self.released} steps\nhint: smaller steps, or less friction",
                AccuracyWarning,
                stacklevel=5,
            )
        warn_of_energy(self.happened, self.known.names, sol)

    def step_again(self, t_1: float) -> bool:
        """The last step, to another end; False where there is no such step."""
        return self.step_to(t_1) in TAKEN

    def step_to(self, t_1: float) -> int:
        """The last step, to another end; its status."""
        contacts, state, memory = self.contacts, self.state, self.memory
        state.copy_from(memory.before)
        contact_march.forget_step(contacts)
        memory.factors_good = 0
        tables: tuple[Any, ...] = self.plan, t_1, state, memory, self.counters
        margin, contacts.margin = contacts.margin, np.inf
        status = int(contact_march.step_with_contacts(*self.physics_with, *tables, *self.touching))
        contacts.margin = margin
        if status not in TAKEN:
            self.check(status, float(memory.before.t), t_1)
        return status

    # ---- what is near

    def choose_near(self, *, wider: bool = False) -> None:
        """Choose the contacts that are looked at in the next steps."""
        if self.nearby.many and self.rows.q.shape[1] == self.system.nq:
            self.nearby.choose(self.contacts, self.twin.scratch, self.state.q, wider=wider)

    def fill_gaps(self, rows: int) -> None:
        """Gaps that nobody looked at, from the states of their rows."""
        if not self.nearby.many and self.twin.meet is None:
            return
        ask, many, kept = Questions(self.known.twin), len(self.known.names), self.kept.gap
        for row in np.flatnonzero((kept[:rows] >= FAR).any(axis=1)):
            kept[row] = ask.position(float(self.rows.t[row]), self.rows.q[row], self.rows.v[row])[:many]

    # ---- what is closed

    def meet(self, state: State, *, first: bool = False) -> Met:
        """Choose where meshes touch at a state; what was known of points that are others now is
        forgotten."""
        if self.twin.meet is None:
            return NOTHING_MET
        met, contacts = self.twin.meet(np.array(state.q), np.array(state.v), first), self.contacts
        if not met.missed:
            closed, mode = contacts.closed.copy(), contacts.mode.copy()
            closed[met.moved], mode[met.moved] = 0, OPEN
            contacts.closed, contacts.mode = closed, mode
        return met

    def close_and_open(self, state: State) -> None:
        """Which contacts are closed at a state: no gap, and it does not grow."""
        contacts, n = self.contacts, len(self.known.names)
        self.meet(state)
        self.look_at(state)
        speed = self.see_speeds(state)
        rates = contacts.rate[:n]
        closed = (contacts.gap <= TOUCHES * contacts.size) & (rates <= NO_PUSH * speed)
        contacts.mode = np.where(closed, np.maximum(contacts.mode, 2), OPEN)
        contacts.closed = closed.astype(np.int64)
        contacts.force, contacts.balance = 0.0, 0.0

    def see_speeds(self, state: State) -> FloatArray:
        """The largest speeds of each contact so far, with those of a state."""
        contacts = self.contacts
        many = contacts.size.size
        one = np.abs(contacts.J * state.v[contacts.columns])[: contacts.starts[many]]
        speed = np.bincount(np.repeat(np.arange(many), np.diff(contacts.starts[: many + 1])), one, many)
        contacts.fastest = np.fmax(contacts.fastest, np.where(np.isfinite(speed), speed, 0.0))
        return contacts.fastest.copy()

    def note(self, impulse: FloatArray, lost: FloatArray) -> None:
        """Keep what an impact did."""
        t, n = float(self.state.t), len(self.known.names)
        for k in range(n):
            tangents = slice(int(self.contacts.tangent[k]), int(self.contacts.tangent[k + 1]))
            if impulse[k] > 0.0:
                self.happened.append(Impact(t, k, float(impulse[k]), impulse[tangents].copy(), float(lost[k])))

    # ---- starts

    @property
    def takes_whole_steps(self) -> bool:
        """Whether impacts of this step are not located: it has too many, or none are to be."""
        many = self.located_in == self.state.step and self.located >= self.impacts.max_located
        return many or not self.impacts.locate

    def accelerate(self, state: State) -> None:
        """Accelerations, multipliers and forces of contacts at a state."""
        self.contacts.uncut = self.typical_dt if self.takes_whole_steps else 0.0
        leg = self.physics(self.closure)[3]
        tables: tuple[Any, ...] = leg, float(state.t), state, self.memory, self.counters, *self.touching
        status = int(contact_jump.contact_acceleration(*self.physics_with, *tables))
        self.check(status, float(state.t), float(state.t))

    def refuse_below(self, t: float) -> None:
        """InputError for a start with negative gaps."""
        self.look_at(self.state)
        gaps = self.contacts.gap / self.contacts.size
        worst = int(gaps.argmin())
        if gaps[worst] < -BELOW:
            raise InputError(
                f"contact {self.known.names[worst]!r} is closed too far at the start, t = {t:.6g}: its gap is"
                f" {self.contacts.gap[worst]:.3g}, expected at least 0",
                hint="move the bodies apart",
            )

    def has_new_accelerations(self, t: float) -> bool:
        """Never without the contacts."""
        return False

    def acceleration_at(self, t: float, there: State) -> FloatArray | None:
        """Accelerations at a state near that of the run, with the contacts that are closed."""
        contacts = self.contacts
        kept = contacts.copy()
        there.t = t
        self.accelerate(there)
        self.contacts.copy_from(kept)
        return np.array(there.a)

    # ---- checkpoints

    def carried(self) -> dict[str, Any]:
        """All that a checkpoint holds, with the contacts."""
        rows = int(self.counters.rows)
        self.fill_gaps(rows)
        mine = {f"contacts_{name}": getattr(self.contacts, name).copy() for name in CARRIED}
        return {**super().carried(), **mine, **history_of(self.kept, rows, self.happened, self.forces_left)}

    def put_back(self, found: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        for name in CARRIED:
            setattr(self.contacts, name, found[f"contacts_{name}"])
        rows = len(found["contact_gap"])
        self.make_room(rows)
        for name, values in zip(self.kept._fields, self.kept, strict=True):
            values[:rows] = found[f"contact_{name}"]
        self.happened = impacts_in(found, self.known)
        before, after = found["contact_force_left"], found["contact_force"]
        self.forces_left = {int(row): before[row] for row in np.flatnonzero((before != after).any(axis=1))}
        super().put_back(found)

    # ---- rows

    def make_room(self, k: int) -> None:
        """Memory for k rows; impacts have rows of their own."""
        if k <= self.rows.t.size:
            return
        k = max(k, self.rows.t.size + self.rows.t.size // 2)
        self.ranks = lengthened(self.ranks, k) if self.ranks.size else self.ranks
        self.rows = type(self.rows)(*(lengthened(x, k) for x in self.rows))
        self.kept = ContactRows(*(lengthened(x, k) for x in self.kept))

    def keep_row(self) -> None:
        """The state as a row, if it is none yet, with its contacts."""
        k = int(self.counters.rows)
        super().keep_row()
        if int(self.counters.rows) > k:
            contact_march.write_contacts(self.contacts, self.kept, k)

    def note_left(self, row: int) -> None:
        """Keep a row as the left-hand limits there, with its contacts."""
        super().note_left(row)
        self.forces_left.setdefault(row, self.kept.force[row].copy())

    def show_start(self, row: int) -> None:
        """A start in a row, with its contacts."""
        super().show_start(row)
        contact_march.write_contacts(self.contacts, self.kept, row)

    def start(self, stretch: Stretch, *, first: bool) -> None:
        """A start of a stretch, with its contacts in the row."""
        super().start(stretch, first=first)
        contact_march.write_contacts(self.contacts, self.kept, int(self.counters.rows) - 1)

    def show_last(self, k: int) -> None:
        """The state as row k, where the run was stopped."""
        super().show_last(k)
        contact_march.write_contacts(self.contacts, self.kept, k)

    def aux_of(self, rows: int) -> dict[str, Any]:
        """Histories of the contacts."""
        self.fill_gaps(rows)
        return history_of(self.kept, rows, self.happened, self.forces_left)

    # ---- what went wrong

    def check(self, status: int, t: float, t_next: float) -> None:
        """Turn a status into the error that says what happened where."""
        raised = self.twin.raised
        if raised is not None:
            raise raised
        if status == NO_SOLUTION:
            concerned = self.contacts.closed if t_next > t else self.contacts.hit | self.contacts.closed
            names = ", ".join(repr(self.known.names[k]) for k in np.flatnonzero(concerned)) or "that close"
            where = f"at t = {t:.6g}" + ("" if t_next == t else f" (dt = {t_next - t:.3g})")
            if self.known.mu.any():
                raise PainleveError(
                    f"no forces of the contacts {names} were found {where} that obey Coulomb's law",
                    hint="friction too large for rigid bodies in this position (Painlevé); a smaller mu, or smaller steps",
                )
            raise ConvergenceError(
                f"no forces of the contacts {names} were found {where}",
                hint="do joints hold them closed and open at once?",
            )
        super().check(status, t, t_next)


def energies_of(happened: list[Impact], sol: Solution) -> float:
    """How large the energies of impacts are."""
    return sum(abs(one.lost) + abs(one.normal) * float(np.abs(sol.v).max()) for one in happened)


def warn_of_energy(happened: list[Impact], names: tuple[str, ...], sol: Solution) -> None:
    """Warn of impacts in which energy grew: restitution and friction that do not fit together."""
    at: dict[float, float] = {}
    for one in happened:
        at[one.t] = at.get(one.t, 0.0) + one.lost
    made = {t: -lost for t, lost in at.items() if lost < 0.0}
    if not made:
        return
    total = energies_of(happened, sol)
    t = max(made, key=lambda one: made[one])
    if made[t] > MADE * total:
        who = ", ".join(sorted({repr(names[one.index]) for one in happened if one.t == t}))
        warnings.warn(
            f"{sum(x > MADE * total for x in made.values())} impacts made energy, most of them that of {who} at"
            f" t = {t:.6g}, {made[t]:.3g} J: restitution and friction do not fit together\n"
            "hint: iso.Impacts(law='poisson') never makes energy; or less restitution, or less friction",
            AccuracyWarning,
            stacklevel=6,
        )


def refuse_shared(run: ContactSteps) -> None:
    """InputError for two-sided contacts on constraints that depend on others: what they carry is
    not determined."""
    if not run.two_sided.any():
        return
    system, start = run.system, run.state
    G = Questions(system).G(float(start.t), np.array(system.q0), np.array(system.v0))
    rank = decide(np.asarray(G))
    for k, carriers in run.known.carriers.items():
        for row, _ in carriers:
            others = rank.relatives(row)
            if others and run.known.mu_static[k] > 0.0:
                names = ", ".join(repr(system.row_names[one]) for one in others)
                raise InputError(
                    f"the normal force of {run.known.names[k]!r} is not determined: row {system.row_names[row]!r}"
                    f" depends on {names}",
                    hint="leave redundant rows out, so that each reaction with friction has one value",
                )


def refuse_beside_contacts(run: ContactSteps) -> None:
    """InputError for what does not go with contacts."""
    closure, coefficients = run.closure, run.method.main.coefficients
    if run.system.m and not (closure.velocity == 1.0 and closure.keep_position and not closure.at_balance):
        raise InputError("contacts need the formulation Stabilised()", hint="leave the formulation out")
    if coefficients.W3L3 == 0.0 or run.method.composition is not None:
        raise InputError("contacts need an implicit scheme", hint="iso.Scheme.optimal(0.8), or leave it out")
    at_end = coefficients.W1 == 1.0 and coefficients.l5 == coefficients.W2L5 and coefficients.l3 == coefficients.W3L3
    if run.sizes is not None and not at_end:
        raise InputError(
            "adaptive steps with contacts need a scheme whose balance is at the end of a step",
            hint="leave the scheme out, or iso.Scheme.U0(0, 0.5, 0)",
        )
    if run.model.traits & (GENERAL | NONIDEAL):
        raise InputError("contacts are for mechanical systems whose forces do not depend on multipliers")
