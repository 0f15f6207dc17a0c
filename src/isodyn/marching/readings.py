"""Values of a system by name while a run goes on: what formulas of loads may name is read by
compiled code, all else from the catalogue of results (isodyn.results.quantities)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isodyn.errors import InputError
from isodyn.expressions.parser import parse
from isodyn.expressions.program import names_of
from isodyn.kernels.calls import address_of_kernel
from isodyn.kernels.struct_types import number_of
from isodyn.marching.held_inputs import HeldInputs
from isodyn.results.solution import Sample
from isodyn.stepping.events import Event, compiled_guard
from isodyn.stepping.expression_guards import expression_guard, loads_of
from isodyn.stepping.guards import Guards, value_of_guard
from isodyn.systems.base import System

Reading = Callable[[Sample], float]
Loads = tuple[HeldInputs | None, tuple[str, ...]]  # what inputs loads hold, and which loads are off


def reading(system: System, text: str, inputs: HeldInputs, what: str) -> Reading:
    """The value of an expression at a sample; `what` asks for it, in words."""
    if not isinstance(text, str):
        raise InputError(f"{what}: a name such as 'pin.angle' is needed, received {text!r}")
    found = compiled_guard(Event(text), system)
    if found is None:
        try:
            expression_guard(system, text)  # names are looked up now
        except InputError as error:
            raise InputError(f"{what}: {error.message}", hint=error.hint) from None
        return slow_reading(system, text, lambda: (inputs, inputs.loads_off))
    guards = Guards(compiled=1, guards=1, nq=system.nq, nv=system.nv, m=system.m)
    guards.compiled, guards.number = [address_of_kernel(found.kernel)], [found.number]
    guards.tables, guards.scratch = [number_of(found.tables)], [number_of(found.scratch)]

    def value(sample: Sample) -> float:
        assert found is not None  # keeps its memory
        return float(value_of_guard(guards, 0, float(sample.t), sample.q, sample.v, sample.a, sample.lam))

    return value


def slow_reading(system: System, text: str, loads: Callable[[], Loads]) -> Reading:
    """The same of names that compiled code does not know. `loads` tells which inputs loads hold and
    which loads are off."""
    kept: list[Any] = [None, None, None]  # a system, loads that are off, and the function that reads it
    names_loads = reads_loads(system, text)

    def value(sample: Sample) -> float:
        inputs, off = loads()
        now = inputs.shown() if names_loads and inputs is not None else system
        if kept[0] is not now or kept[1] != off:
            kept[:] = now, off, expression_guard(now, text, off)
        return float(kept[2](sample))

    return value


def reads_loads(system: System, text: str) -> bool:
    """Whether an expression, or a quantity whose name is no formula, reads what a load does."""
    loads = tuple(f"{name}." for name in loads_of(system))
    try:
        names = [text, *names_of(parse(text))]
    except InputError:
        names = [text]
    return any(name.startswith(loads) for name in names)
