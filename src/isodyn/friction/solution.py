"""What a run with friction returns: the motion, the modes and when they changed, the forces, and
where the energy went."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from isodyn.errors import InputError, PainleveError, SeparationError
from isodyn.friction.system import ModalSystem, Physics
from isodyn.gauss.contacts import Mode, Sliding
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.results.contacts import ContactView, of_directions
from isodyn.results.quantities import Of, Quantity, more_quantities
from isodyn.results.solution import Solution
from isodyn.results.statistics import Statistics
from isodyn.results.units import is_mechanism

AGAINST = 1e-6  # of the velocities at hand: slip against its own mode by more than this is an error


class Switch(NamedTuple):
    """A change of mode; `after` is None where the contact opens."""

    t: float
    contact: str
    before: Mode
    after: Mode | None
    what: str


class Phase(NamedTuple):
    """The modes of all contacts from t0 to t1."""

    t0: float
    t1: float
    modes: tuple[Mode, ...]


class ContactColumns(NamedTuple):
    """Where a contact stands: its columns in `normal`, and those in `friction` and `slip`."""

    name: str
    normal: slice
    tangent: slice


@dataclass(eq=False, repr=False)
class FrictionSolution(Solution):
    """A solution with friction.

    At a switch the row holds the values after it; those before are in `aux` ("a_left", "lam_left",
    "friction_left").

    Parameters
    ----------
    t, q, v, a, lam, system, scheme, stats, columns, aux, redundant, model, events
        As in `Solution`.
    normal
        Normal reactions N of all contacts side by side (k, Σ rows).
    friction
        Friction forces f (k, Σ d).
    slip
        Slip velocities u (k, Σ d).
    work
        Work of Fᴺ, Fᴸ and Fᶜ since the start (k, 3).
    mass_work
        ∫ ½vᵀṀv dt (k,), zero for constant M.
    kinetic
        Kinetic energy (k,).
    phases
        Modes of the contacts in order.
    switches
        When and why they changed.
    contacts
        Names of the contacts, and their columns in `normal`, `friction` and `slip`.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> block = iso.MechanicalSystem(
    ...     1.0, lambda q, v, t: np.array([0.0, -10.0]), [0.0, 0.0], [2.0, 0.0],
    ...     phi=lambda q, t: q[1:], G=lambda q, t: np.array([[0.0, 1.0]]), b=lambda q, v, t: np.zeros(1))
    >>> contact = iso.gauss.Contact(rows=0, tangent=[1.0, 0.0], mu=0.5, unilateral=True)
    >>> sol = iso.integrate_with_friction(block, contact, t_end=1.0)
    >>> len(sol.phases), bool(abs(sol.work_balance()).max() < 1e-9)
    (2, True)
    """

    normal: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    friction: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    slip: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    work: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    mass_work: FloatArray = field(default_factory=lambda: np.zeros(0))
    kinetic: FloatArray = field(default_factory=lambda: np.zeros(0))
    phases: tuple[Phase, ...] = ()
    switches: tuple[Switch, ...] = ()
    contacts: tuple[ContactColumns, ...] = ()

    def work_balance(self) -> FloatArray:
        """Return ½vᵀMv − ½v₀ᵀM₀v₀ less all work.

        Returns
        -------
        balance
            History (k,), zero except for the error of the integration.
        """
        return self.kinetic - self.kinetic[0] - self.work.sum(axis=1) - self.mass_work

    def energy_balance(self) -> FloatArray:
        """Return the same: friction is among the works, which are integrated with the motion.

        Returns
        -------
        balance
            History (k,).
        """
        return self.work_balance()

    def contact(self, name: str | int) -> ContactView:
        """Return one contact along the run.

        Parameters
        ----------
        name
            Name or number of the contact.

        Returns
        -------
        contact
            Its normal force, friction, slip and mode: 1 sticking, 2 sliding. It stays closed.

        Raises
        ------
        InputError
            If there is no such contact.
        """
        names = [contact.name for contact in self.contacts]
        if name not in names and not (isinstance(name, int) and 0 <= name < len(names)):
            raise InputError(f"there is no contact named {name!r}", hint=f"contacts: {', '.join(names)}")
        k = name if isinstance(name, int) else names.index(name)
        own = self.contacts[k]
        normal, friction, slip = self.normal[:, own.normal], self.friction[:, own.tangent], self.slip[:, own.tangent]
        sliding = np.array([isinstance(phase.modes[k], Sliding) for phase in self.phases])
        normal = of_directions(normal)
        return ContactView(
            own.name,
            self.t,
            np.zeros(self.t.size),
            normal,
            of_directions(friction),
            normal,
            np.where(sliding[phases_of(self)], 2, 1),
            slip=of_directions(slip),
            power=np.einsum("ki,ki->k", friction, slip),
        )

    def modes_at(self, t: float) -> tuple[Mode, ...]:
        """Return the modes of the contacts at a time; at a switch those after it.

        Parameters
        ----------
        t
            The time.

        Returns
        -------
        modes
            A mode for each contact.
        """
        for phase in reversed(self.phases):
            if t >= phase.t0:
                return phase.modes
        return self.phases[0].modes


class Recorder:
    """Collects phase after phase."""

    def __init__(self, physics: Physics, rtol: float, atol: float | None) -> None:
        self.physics, self.method = physics, (rtol, atol)
        self.t: list[float] = []
        self.rows: list[tuple[FloatArray, ...]] = []
        self.left: list[tuple[int, FloatArray, FloatArray, FloatArray]] = []
        self.phases: list[Phase] = []
        self.switches: list[Switch] = []
        self.widths: list[tuple[str, int, int]] = []  # of contacts: name, normal forces, tangents
        self.stats = Statistics()
        self.stopped: str | None = None

    def switch(self, switch: Switch) -> None:
        """Note a change of mode."""
        self.switches.append(switch)

    def add(self, modal: ModalSystem, sol: Solution) -> None:
        """The rows of a phase; its first row takes the place of the last one of the phase
        before."""
        nq, nv = modal.nq, modal.nv
        if self.t:
            _, _, a, lam, _, friction, *_ = self.rows.pop()
            self.t.pop()
            self.left.append((len(self.rows), a, lam, friction))
        for t, q, v in zip(sol.t, sol.q, sol.v, strict=True):
            self.t.append(float(t))
            self.rows.append(self.row(modal, float(t), q[:nq], v[:nv], v[nv:], inside=t < sol.t[-1]))
        self.phases.append(Phase(float(sol.t[0]), float(sol.t[-1]), tuple(modal.modes)))
        for name in ("steps", "iterations", "evaluations", "factorisations", "rejected", "seconds"):
            setattr(self.stats, name, getattr(self.stats, name) + getattr(sol.stats, name))
        self.stats.solver = sol.stats.solver

    def row(
        self, modal: ModalSystem, t: float, q: FloatArray, v: FloatArray, work: FloatArray, *, inside: bool
    ) -> tuple[FloatArray, ...]:
        """One row, and whether its modes are still the only ones possible."""
        result, physics = modal.result(t, q, v), self.physics
        slips = [contact.slip(q, v, t) for contact in physics.contacts]
        if not self.widths:
            sizes = zip(physics.contacts, result.normal, slips, strict=True)
            self.widths = [(contact.name, normal.size, slip.size) for contact, normal, slip in sizes]
        if inside:
            speed = AGAINST * max(float(np.abs(v).max()), 1e-3 * physics.speed)
            for contact, mode, slip in zip(physics.contacts, modal.modes, slips, strict=True):
                if isinstance(mode, Sliding) and slip.size == 1 and slip[0] * mode.direction[0] < -speed:
                    raise PainleveError(f"slip at {contact.name!r} runs against its own mode at t = {t:.6g}")
            modes = modal.current_modes(t, q, v)
            try:
                physics.solve(t, q, v, [Sliding(m.direction) if isinstance(m, Sliding) else m for m in modes])
            except (PainleveError, SeparationError) as error:
                error.args = (f"t = {t:.6g}: {error.args[0]}",)
                raise
        return (
            q.copy(),
            v.copy(),
            result.a,
            result.lam,
            np.concatenate(result.normal),
            np.concatenate(result.friction),
            np.concatenate(slips),
            work.copy(),
            np.array(physics.kinetic(t, q, v)),
        )

    def solution(self, stopped: str | None) -> FrictionSolution:
        """What was collected."""
        system = self.physics.system
        q, v, a, lam, normal, friction, slip, work, kinetic = (
            np.array([row[i] for row in self.rows]) for i in range(9)
        )
        numbers = {"q": system.nq, "v": system.nv, "a": system.nv, "lam": system.m}
        aux: dict[str, Any] = {}
        if self.left:
            aux["breakpoint_rows"] = np.array([row for row, *_ in self.left], dtype=np.float64)
            for i, name in enumerate(("a_left", "lam_left", "friction_left"), start=1):
                aux[name] = np.array([entry[i] for entry in self.left])
        self.stats.stopped = stopped
        return FrictionSolution(
            np.array(self.t),
            q,
            v,
            a,
            lam,
            system,
            self.method,
            self.stats,
            {name: np.arange(n) for name, n in numbers.items()},
            aux,
            (),
            normal=normal,
            friction=friction,
            slip=slip,
            work=work[:, :3],
            mass_work=work[:, 3],
            kinetic=kinetic,
            phases=tuple(self.phases),
            switches=tuple(self.switches),
            contacts=self.columns(),
        )

    def columns(self) -> tuple[ContactColumns, ...]:
        """Where the contacts stand in the tables."""
        found, normal, tangent = [], 0, 0
        for name, m, d in self.widths:
            found.append(ContactColumns(name, slice(normal, normal + m), slice(tangent, tangent + d)))
            normal, tangent = normal + m, tangent + d
        return tuple(found)


def phases_of(sol: FrictionSolution) -> IntArray:
    """The number of the phase of each row; at a switch that after it."""
    starts = np.array([phase.t0 for phase in sol.phases])
    return np.maximum(np.searchsorted(starts, sol.t, side="right") - 1, 0)


@more_quantities.register
def of_contacts(sol: FrictionSolution) -> list[Quantity]:
    """Normal force, friction, slip and mode of every contact, by its name."""
    found = []
    phase = phases_of(sol)
    force, speed = ("N", "m/s") if is_mechanism(sol.system) else ("", "")
    for k, contact in enumerate(sol.contacts):
        signs = np.array([_sign(one.modes[k]) for one in sol.phases])
        tables = [
            ("normal", sol.normal, contact.normal, force, "normal force"),
            ("friction", sol.friction, contact.tangent, force, "friction, along the tangent directions"),
            ("slip", sol.slip, contact.tangent, speed, "velocity of slip"),
        ]
        for what, table, own, unit, words in tables:
            values = table[:, own]
            several = tuple(str(i + 1) for i in range(values.shape[1])) if values.shape[1] > 1 else ()
            one = values if several else values[:, 0]
            found.append(Quantity(Of.CONTACT, contact.name, what, unit, words, lambda one=one: one, several))  # type: ignore[misc]
        words = "1 or −1 slides that way, 0 sticks"
        found.append(Quantity(Of.CONTACT, contact.name, "mode", "1", words, lambda signs=signs: signs[phase]))  # type: ignore[misc]
    return found


def _sign(mode: Mode) -> float:
    """Along its first direction; 1 for sliding in a plane."""
    if not isinstance(mode, Sliding):
        return 0.0
    return float(np.sign(mode.direction[0])) if len(mode.direction) == 1 else 1.0
