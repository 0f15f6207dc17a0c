"""Systems at other values of a parameter, and the differences that they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.errors import InputError, IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.sensitivities.parameters import Family, NamedParts

FAR = 64.0  # times that distance: what equations are linear in needs one other point
PART = 1e-3  # of a parameter: distance of the points of a difference
LEAST = 1e-2  # beside which a parameter is small
CENTRAL = ((1.0, -1.0, 2.0, -2.0), (8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0), 0.0)
FORWARD = ((1.0, 2.0, 3.0, 4.0), (4.0, -3.0, 4.0 / 3.0, -0.25), -25.0 / 12.0)
BACKWARD = tuple(-x for x in FORWARD[0]), tuple(-x for x in FORWARD[1]), 25.0 / 12.0


@dataclass(frozen=True, eq=False)
class Far:
    """One system at a value far away: f(far)·weight − f·weight is the derivative of what is
    linear."""

    system: Any
    weight: float


@dataclass(frozen=True, eq=False)
class Variation:
    """A parameter, and systems at the points of a difference: ∂f/∂θ = Σ weight·f."""

    name: str
    value: float
    h: float
    systems: tuple[Any, ...]
    weights: tuple[float, ...]  # of these, and that of the system itself last
    far: Far | None = None  # where the equations of motion are linear in the parameter

    @property
    def in_equations(self) -> tuple[tuple[Any, ...], tuple[float, ...], float]:
        """Systems, their weights and that of the system itself, for differences of the equations
        of motion."""
        if self.far is not None:
            return (self.far.system,), (self.far.weight,), -self.far.weight
        return self.systems, self.weights[:-1], self.weights[-1]

    def difference(self, function: Callable[[Any], FloatArray], itself: Any) -> FloatArray:
        """∂(function of the system)/∂θ."""
        total: Any = 0.0
        for system, weight in zip((*self.systems, itself), self.weights, strict=True):
            if weight != 0.0:
                total = total + weight * np.asarray(function(system))
        return np.asarray(total)


def vary(family: Family, name: str, scale: float | None = None) -> Variation:
    """Systems at other values of a parameter; on one side only where the other side is refused."""
    value = family.value(name)
    h = PART * max(abs(value), LEAST if scale is None else scale)
    linear = isinstance(family, NamedParts) and family.is_linear(name)
    far = Far(family.at({name: value + FAR * h}), 1.0 / (FAR * h)) if linear else None
    refused: IsodynError | None = None
    for points, weights, own in (CENTRAL, FORWARD, BACKWARD):
        try:
            systems = tuple(family.at({name: value + k * h}) for k in points)
        except IsodynError as error:
            refused = error
            continue
        return Variation(name, value, h, systems, (*(w / h for w in weights), own / h), far)
    assert refused is not None
    raise InputError(f"{name} = {value:g} cannot be varied: {refused}", hint="choose a value inside its range")
