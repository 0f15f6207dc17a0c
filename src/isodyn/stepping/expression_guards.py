"""Expressions in names of a model as functions of a sample, for events: what sol.quantities()
knows, of one state at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from isodyn.errors import InputError
from isodyn.expressions import parse
from isodyn.expressions.parser import Tree
from isodyn.expressions.program import evaluate
from isodyn.results.quantities import NEEDS_PAST, Catalogue, Place
from isodyn.results.solution import Sample, Solution
from isodyn.results.statistics import Statistics
from isodyn.results.switched import NAME as LOADS_OFF
from isodyn.results.units import is_mechanism
from isodyn.systems.base import System


def loads_of(system: System) -> list[str]:
    """Names of the loads of a mechanism; other systems have none."""
    description = getattr(system, "description", None)
    return [] if description is None or not is_mechanism(system) else list(description.parts.loads)


def expression_guard(system: System, text: str, off: Collection[str] = ()) -> Callable[[Sample], float]:
    """The value of an expression at a sample, or of a quantity whose name is no formula, such as
    "joint-1.angle"; InputError for names that nothing has. A vector stands for its size. Loads that
    are off push nothing."""
    sizes = {"q": system.nq, "v": system.nv, "a": system.nv, "lam": system.m}
    switched = {LOADS_OFF: np.array([[name in off for name in loads_of(system)]])} if off else {}
    columns = {name: np.arange(size) for name, size in sizes.items()}
    places: dict[str, Place] = {}  # which are the same at all samples
    start = Sample(0.0, system.q0.copy(), system.v0.copy(), np.zeros(system.nv), np.zeros(system.m))

    def catalogue_at(sample: Sample) -> Catalogue:
        t, q, v, a, lam = (np.array(x, dtype=np.float64)[None] for x in sample)
        return Catalogue(Solution(t, q, v, a, lam, system, None, Statistics(), columns, switched))

    def value(tree: Tree, sample: Sample) -> float:
        catalogue = catalogue_at(sample)

        def of(name: str, column: int) -> float:
            if name == "t":
                return float(sample.t)
            if name not in places:
                places[name] = catalogue.find(name)
            values = catalogue.read(places[name]).values[0]
            if name.rpartition(".")[2] in NEEDS_PAST:
                raise InputError(
                    f"{name!r} is a sum over the past, which is not known at a single instant",
                    hint=f'add_state("{name.rpartition(".")[2]}", rate="…") with a formula of the power is',
                )
            return float(values if values.ndim == 0 else np.linalg.norm(values))

        return evaluate(tree, of)

    try:
        tree = parse(text)
        value(tree, start)  # names are looked up before the run
    except InputError:
        try:
            catalogue_at(start).find(text)
        except InputError:
            pass
        else:
            tree = ("name", text, 1)
            value(tree, start)
            return lambda sample: value(tree, sample)
        raise
    return lambda sample: value(tree, sample)
