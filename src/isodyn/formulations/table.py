"""Which formulation goes with which scheme and system, and what order it has. Tests, docs and messages read this table.

Orders are in the maximum norm over all of time, (q, v, a, λ); None: no order is claimed. They hold with the start of
`isodyn.integrate` and were measured on the planar pendulum, a rheonomic problem with M(q) and Andrews' mechanism.

Compiled formulations run without Python between the first and the last step of a block where the functions of the system are compiled
too (`SYSTEMS`); plain functions are called from the same loop. The others ask Python for every evaluation, whatever the system is.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, get_args

from isodyn.errors import SchemeError
from isodyn.formulations.gauss import COMPILED_BASES, COMPILED_FORM, Basis, Form, NullSpace, UdwadiaKalaba
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
    """One formulation: what it keeps at t_n, with which schemes it runs, and its orders in q, v, a, λ.

    `settings` tells for which values of its arguments the row speaks; the first of them are its example.
    """

    formulation: type
    keeps: str
    explicit: bool
    first_order: bool
    nonholonomic: bool
    compiled: bool
    orders: Orders
    remark: str = ""
    settings: tuple[tuple[str, tuple[Any, ...]], ...] = ()

    @property
    def name(self) -> str:
        """As it is written in code."""
        usual = {field.name: field.default for field in fields(self.formulation)}
        settings = ", ".join(f"{name}={values[0]!r}" for name, values in self.settings if values[0] != usual[name])
        return self.formulation.__name__ + (f"({settings})" if settings else "")

    def example(self) -> Any:
        """The formulation with its settings, and defaults for the rest."""
        return self.formulation(**{name: values[0] for name, values in self.settings})

    def covers(self, formulation: Any) -> bool:
        """Whether the row speaks of this formulation."""
        same = type(formulation) is self.formulation
        return same and all(getattr(formulation, name) in values for name, values in self.settings)


OTHER_FORMS = tuple(sorted(set(get_args(Form)) - {COMPILED_FORM}))
OTHER_BASES = tuple(sorted(set(get_args(Basis)) - set(COMPILED_BASES)))


TABLE: tuple[Entry, ...] = (
    Entry(Stabilised, "φ, φ̇", True, False, True, True, (2, 2, 2, 2), "default"),
    Entry(
        PositionLevel,
        "φ",
        False,
        False,
        True,
        True,
        (2, 2, 1, 1),
        "a, λ: U0 with ρmax < 1 is second order after the transient; V0 and ρmax = 1 alternate undamped",
    ),
    Entry(
        NullSpace,
        "φ",
        False,
        False,
        False,
        True,
        (2, 2, 1, 1),
        "equals position level",
        (("discrete", (True,)),),
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
        "gains 1/Δt: first order in a, λ in about ten steps after the start only; second order throughout with gains that do not grow",
    ),
    Entry(Projection, "φ, φ̇", True, False, True, True, (2, 2, 2, 2)),
    Entry(Overdetermined, "φ, φ̇, φ̈", True, False, True, True, (2, 2, 2, 2)),
    Entry(GGL, "φ, φ̇", True, False, True, True, (2, 2, 2, 2)),
    Entry(
        UdwadiaKalaba,
        "",
        True,
        False,
        True,
        True,
        (2, 2, 2, 2),
        "φ and φ̇ drift; range space, closed at the balance",
        (("form", (COMPILED_FORM,)),),
    ),
    Entry(
        NullSpace,
        "",
        True,
        False,
        True,
        True,
        (2, 2, 2, 2),
        "the same motion, to rounding; bases " + " and ".join(f'"{basis}"' for basis in COMPILED_BASES),
        (("basis", COMPILED_BASES),),
    ),
    Entry(
        UdwadiaKalaba,
        "",
        True,
        False,
        True,
        False,
        (2, 2, 2, 2),
        "other ways to the same accelerations, in Python: " + ", ".join(f'"{form}"' for form in OTHER_FORMS),
        (("form", OTHER_FORMS),),
    ),
    Entry(
        NullSpace,
        "",
        True,
        False,
        True,
        False,
        (2, 2, 2, 2),
        "the same with other bases, in Python: " + ", ".join(f'"{basis}"' for basis in OTHER_BASES),
        (("basis", OTHER_BASES),),
    ),
    Entry(Penalty, "", True, False, False, True, (None, None, None, None), "converges to the penalised motion"),
    Entry(Hamiltonian, "φ, φ̇", False, False, False, False, (2, 2, 2, 2), "for schemes that Table 2.5 adapts"),
)

SYSTEMS: tuple[tuple[str, bool], ...] = (
    ("problems of the library", True),
    ("mechanisms, with full and with sparse matrices", True),
    ("beams", True),
    ("`MechanicalSystem` from functions compiled by `@njit`, with G and b", True),
    ("`MechanicalSystem` from plain functions", False),
    ("mechanisms in angles or Euler parameters, or with `UserRows` and `UserLoad`", False),
    ("`LinearSystem` with constraints", False),
    ("`FirstOrderSystem` with algebraic unknowns", False),
)
"""Kinds of constrained systems, and whether their functions are compiled."""


def entry(formulation: Any) -> Entry:
    """The row of a formulation."""
    return next(row for row in TABLE if row.covers(formulation))


def runs_compiled(formulation: Any, system: Any) -> bool:
    """Whether steps of this system run without Python."""
    return entry(formulation).compiled and system.model().callback is None


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
    lines += ["", "| system | its functions are compiled |", "|---|---|"]
    lines += [
        f"| {name} | {'yes' if compiled else 'no: called from the compiled loop'} |" for name, compiled in SYSTEMS
    ]
    return "\n".join(lines)
