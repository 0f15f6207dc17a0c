"""Which formulation goes with which scheme and system, and what order it has. Tests, docs and
messages read this table.

Orders are in the maximum norm over all of time, (q, v, a, λ); None: no order is claimed. They hold
with the start of `isodyn.integrate` and were measured on the planar pendulum, a rheonomic problem
with M(q) and Andrews' mechanism.

Compiled formulations run without Python between the first and the last step of a block where the
functions of the system are compiled too (`SYSTEMS`); plain functions are called from the same loop.
The others ask Python for every evaluation, whatever the system is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from isodyn.errors import SchemeError
from isodyn.formulations.protocol import REGISTRY, Facts, Formulation, facts_of, facts_of_class
from isodyn.systems.base import System
from isodyn.systems.multiplier_forces import SUCH_FORCES


@dataclass(frozen=True)
class Entry:
    """One row: a formulation with some values of its arguments, and the facts about it."""

    formulation: type[Formulation]
    facts: Facts

    @property
    def name(self) -> str:
        """As it is written in code."""
        usual = {field.name: field.default for field in fields(self.formulation)}  # type: ignore[arg-type]
        settings = ", ".join(
            f"{name}={values[0]!r}" for name, values in self.facts.settings if values[0] != usual[name]
        )
        return self.formulation.__name__ + (f"({settings})" if settings else "")

    def example(self) -> Formulation:
        """The formulation with its settings, and defaults for the rest."""
        return self.formulation(**{name: values[0] for name, values in self.facts.settings})


class _Table(Sequence[Entry]):
    """All registered formulations, in the order of registration; several rows where facts depend on
    arguments."""

    def rows(self) -> list[Entry]:
        """As they are now."""
        return [Entry(cls, facts) for cls in REGISTRY.values() for facts in facts_of_class(cls)]

    def __len__(self) -> int:
        return len(self.rows())

    def __getitem__(self, number: Any) -> Any:
        return self.rows()[number]


TABLE = _Table()

SYSTEMS: tuple[tuple[str, bool], ...] = (
    ("problems of the library", True),
    ("mechanisms, with full and with sparse matrices", True),
    ("beams", True),
    ("`MechanicalSystem` from functions compiled by `@njit`, with G and b", True),
    ("`MechanicalSystem` from plain functions", False),
    ("mechanisms in angles or Euler parameters, or with plain `UserRows` and `UserLoad`", False),
    ("`LinearSystem` with constraints", False),
    ("`FirstOrderSystem` with algebraic unknowns", False),
)
"""Kinds of constrained systems, and whether their functions are compiled."""


def entry(formulation: Formulation) -> Entry:
    """The row of a formulation."""
    return Entry(type(formulation), facts_of(formulation))


def runs_compiled(formulation: Formulation, system: System) -> bool:
    """Whether steps of this system run without Python."""
    return facts_of(formulation).compiled and system.model().callback is None


def check_combination(formulation: Formulation, scheme: Any, system: System) -> None:
    """SchemeError for a formulation that cannot run with this scheme on this system, with the
    reason."""
    row = facts_of(formulation)
    name = entry(formulation).name if type(formulation) in REGISTRY.values() else repr(formulation)
    if system.first_order and not row.first_order:
        allowed = ", ".join(r.name for r in TABLE if r.facts.first_order)
        raise SchemeError(
            f"{name} is for second-order systems", hint=f"first-order systems take: {allowed}, or no formulation"
        )
    if scheme.explicit and not row.explicit:
        raise SchemeError(
            f"{name} cannot run with the explicit scheme {scheme.name}: q at the end of the step does not depend on Δa there",
            hint="use Stabilised(), or an implicit member",
        )
    if system.m > system.m_phi and not row.nonholonomic:
        raise SchemeError(
            f"{name} covers holonomic constraints only; this system has {system.m - system.m_phi} nonholonomic rows"
        )
    if system.nonideal and not row.nonideal:
        allowed = ", ".join(r.name for r in TABLE if r.facts.nonideal)
        raise SchemeError(
            f"{name} has no multipliers, or alternating ones, for {SUCH_FORCES}",
            hint=f"such systems take: {allowed}",
        )


def to_markdown() -> str:
    """The table for the documentation."""
    titles = "explicit members", "first-order DAEs", "nonholonomic", "Q(q, v, t, λ)", "compiled"
    lines = [f"| formulation | keeps at t_n | {' | '.join(titles)} | order in q, v, a, λ | remark |"]
    lines.append("|---|---|---|---|---|---|---|---|---|")
    for row in TABLE:
        facts = row.facts
        flags = (facts.explicit, facts.first_order, facts.nonholonomic, facts.nonideal, facts.compiled)
        marks = ["yes" if flag else "no" for flag in flags]
        orders = ", ".join("–" if order is None else f"{order:g}" for order in facts.orders)
        lines.append(f"| `{row.name}` | {facts.keeps or '–'} | {' | '.join(marks)} | {orders} | {facts.remark} |")
    lines += ["", "| system | its functions are compiled |", "|---|---|"]
    lines += [
        f"| {name} | {'yes' if compiled else 'no: called from the compiled loop'} |" for name, compiled in SYSTEMS
    ]
    return "\n".join(lines)
