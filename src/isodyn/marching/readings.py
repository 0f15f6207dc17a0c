"""Values of a system by name while a run goes on: what formulas of loads may name is read by compiled
code, all else from the catalogue of results (isodyn.results.quantities)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isodyn.errors import InputError
from isodyn.kernels.calls import address_of_kernel
from isodyn.kernels.struct_types import number_of
from isodyn.marching.held_inputs import HeldInputs
from isodyn.results.solution import Sample
from isodyn.stepping.events import Event, compiled_guard
from isodyn.stepping.expression_guards import expression_guard
from isodyn.stepping.guards import Guards, value_of_guard
from isodyn.systems.base import System

Reading = Callable[[Sample], float]


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
        return slow_reading(text, inputs)
    guards = Guards(compiled=1, guards=1, nq=system.nq, nv=system.nv, m=system.m)
    guards.compiled, guards.number = [address_of_kernel(found.kernel)], [found.number]
    guards.tables, guards.scratch = [number_of(found.tables)], [number_of(found.scratch)]

    def value(sample: Sample) -> float:
        assert found is not None  # keeps its memory
        return float(value_of_guard(guards, 0, float(sample.t), sample.q, sample.v, sample.a, sample.lam))

    return value


def slow_reading(text: str, inputs: HeldInputs) -> Reading:
    """The same of names that compiled code does not know; loads are as inputs hold them."""
    kept: list[Any] = [None, None]  # a system, and the function that reads it

    def value(sample: Sample) -> float:
        system = inputs.shown()
        if kept[0] is not system:
            kept[:] = system, expression_guard(system, text)
        return float(kept[1](sample))

    return value
