"""Which formulation goes with which scheme and system, and what order it has. Tests, docs and messages read this table.

Orders are in the maximum norm over all of time, (q, v, a, λ); None: no order is claimed. They hold with the start of
`isodyn.integrate` and were measured on the planar pendulum, a rheonomic problem with M(q) and Andrews' mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isodyn.errors import SchemeError
from isodyn.formulations.gauss import NullSpace, UdwadiaKalaba
from isodyn.formulations.policies import (
    GGL,
    AccelerationLevel,
    Baumgarte,
    Overdetermined,
    Penalty,
    PositionLevel,
    Projection,
    Stabilised,
    VelocityLevel,
)
from isodyn.formulations.transforms import Hamiltonian

Orders = tuple[float | None, float | None, float | None, float | None]


@dataclass(frozen=True)
class Entry:
    """One formulation: what it keeps at t_n, with which schemes it runs, and its orders in q, v, a, λ."""

    formulation: type
    keeps: str
    explicit: bool
    first_order: bool
    nonholonomic: bool
    compiled: bool
    orders: Orders
    remark: str = ""
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """As it is written in code."""
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings)
        return self.formulation.__name__ + (f"({settings})" if settings else "")

    def example(self) -> Any:
        """The formulation with its settings, and defaults for the rest."""
        return self.formulation(**dict(self.settings))

    def covers(self, formulation: Any) -> bool:
        """Whether the row speaks of this formulation."""
        same = type(formulation) is self.formulation
        return same and all(getattr(formulation, name) == value for name, value in self.settings)


TABLE: tuple[Entry, ...] = (
    Entry(Stabilised, "φ, φ̇", True, False, True, True, (2, 2, 2, 2), "default"),
    Entry(PositionLevel, "φ", False, False, True, True, (2, 2, 1, 1), "a, λ oscillate undamped where ρmin = ρmax = 1"),
    Entry(
        NullSpace,
        "φ",
        False,
        False,
        False,
        True,
        (2, 2, 1, 1),
        "equals position level",
        (("discrete", True),),
    ),
    Entry(VelocityLevel, "φ̇", True, True, True, True, (2, 2, 2, 2), "φ drifts"),
    Entry(AccelerationLevel, "φ̈", True, True, True, True, (2, 2, 2, 2), "φ and φ̇ drift"),
    Entry(
        Baumgarte,
        "",
        True,
        True,
        True,
        True,
        (2, 2, 1, 1),
        "gains 1/Δt; second order in a, λ with gains that do not grow",
    ),
    Entry(Projection, "φ, φ̇", True, False, True, True, (2, 2, 2, 2)),
    Entry(Overdetermined, "φ, φ̇, φ̈", True, False, True, True, (2, 2, 2, 2)),
    Entry(GGL, "φ, φ̇", True, False, True, True, (2, 2, 2, 2)),
    Entry(UdwadiaKalaba, "", True, False, True, False, (2, 2, 2, 2), "φ and φ̇ drift; accelerations in Python"),
    Entry(NullSpace, "", True, False, True, False, (2, 2, 2, 2), "the same motion as `UdwadiaKalaba`, to rounding"),
    Entry(Penalty, "", True, False, False, False, (None, None, None, None), "converges to the penalised motion"),
    Entry(Hamiltonian, "φ, φ̇", False, False, False, False, (2, 2, 2, 2), "for schemes that Table 2.5 adapts"),
)


def entry(formulation: Any) -> Entry:
    """The row of a formulation."""
    return next(row for row in TABLE if row.covers(formulation))


def check_combination(formulation: Any, scheme: Any, system: Any) -> None:
    """SchemeError for a formulation that cannot run with this scheme on this system, with the reason."""
    row = entry(formulation)
    name = row.name
    if system.first_order and not row.first_order:
        allowed = ", ".join(r.name for r in TABLE if r.first_order)
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


def to_markdown() -> str:
    """The table for the documentation."""
    lines = [
        "| formulation | keeps at t_n | explicit members | first-order DAEs | nonholonomic | compiled | order in q, v, a, λ | remark |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|")
    for row in TABLE:
        marks = ["yes" if flag else "no" for flag in (row.explicit, row.first_order, row.nonholonomic, row.compiled)]
        orders = ", ".join("–" if order is None else f"{order:g}" for order in row.orders)
        lines.append(f"| `{row.name}` | {row.keeps or '–'} | {' | '.join(marks)} | {orders} | {row.remark} |")
    return "\n".join(lines)
