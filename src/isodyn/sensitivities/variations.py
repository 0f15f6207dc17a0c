"""Systems at other values of a parameter, and the differences that they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError, IsodynError, SensitivityError
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.system import MechanismSystem
from isodyn.sensitivities.differentiable import OTHER_MODES, without_contacts
from isodyn.sensitivities.parameters import Family, NamedParts
from isodyn.sensitivities.pieces import Piece

if TYPE_CHECKING:
    from isodyn.systems.base import System

FAR = 64.0  # times that distance: what equations are linear in needs one other point
PART = 3e-4  # of a parameter: distance of the points of a difference
PART_OF_MODES = 1e-2  # … where modes of flexible bodies depend on it, which are known to 1e-11 only
ROUGH = 1e-3  # of what values change: a smooth curve through the others misses the one between them by less …
NOISE = 1e-8  # … or by less than this part of them
EPS = float(np.finfo(np.float64).eps)
LEAST = 1e-2  # beside which a parameter is small
CENTRAL = ((1.0, -1.0, 2.0, -2.0), (8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0), 0.0)
FORWARD = ((1.0, 2.0, 3.0, 4.0), (4.0, -3.0, 4.0 / 3.0, -0.25), -25.0 / 12.0)
BACKWARD = tuple(-x for x in FORWARD[0]), tuple(-x for x in FORWARD[1]), 25.0 / 12.0


@dataclass(frozen=True, eq=False)
class Variation:
    """A parameter, and how derivatives by it are made of values at other points:
    ∂f/∂θ = Σ weight·f, the weight of the system itself last."""

    family: Family
    name: str
    value: float
    h: float
    points: tuple[float, ...]  # in units of h
    weights: tuple[float, ...]
    # of the equations of motion, which may be linear where others are not
    of_equations: tuple[tuple[float, ...], tuple[float, ...]]
    piece: Piece | None = None  # of the equations, at these points

    @cached_property
    def systems(self) -> tuple[Any, ...]:
        """The system at the points."""
        return self.made(self.points)

    @cached_property
    def in_equations(self) -> tuple[Any, ...]:
        """The system at the points of the equations of motion."""
        points = self.of_equations[0]
        return self.systems if points == self.points else self.made(points)

    def made(self, points: tuple[float, ...]) -> tuple[Any, ...]:
        """Systems at some points."""
        return tuple(self.family.at({self.name: self.value + k * self.h}) for k in points)

    def difference(self, function: Callable[[Any], FloatArray], itself: System) -> FloatArray:
        """∂(function of the system)/∂θ."""
        total: float | FloatArray = 0.0
        for system, weight in zip((*self.systems, itself), self.weights, strict=True):
            if weight != 0.0:
                total = total + weight * np.asarray(function(system))
        return np.asarray(total)

    def given_start(self, system: System) -> tuple[FloatArray, FloatArray]:
        """Derivatives of the start of a mechanism, as it is given."""
        assert isinstance(self.family, NamedParts)
        dq, dv = np.zeros(system.nv), np.zeros(system.nv)
        for k, weight in zip(self.points, self.weights, strict=False):
            q, v = self.family.start(self.name, self.value + k * self.h)
            dv += weight * (v - system.v0)
            if not np.array_equal(q, system.q0):
                d = q - system.q0 if system.difference is None else system.difference(system.q0.copy(), q)
                dq += weight * d
        return dq, dv


class Roughness:
    """Whether values at the points of a parameter lie on a smooth curve through the one at its own
    value, as they do where there is a derivative."""

    def __init__(self, one: Variation, given: tuple[float, ...]) -> None:
        self.one, points = one, np.array(given)
        # of the polynomial through the values at the points, at the parameter's own value
        self.weights = np.array(
            [np.prod(np.delete(points, k) / (np.delete(points, k) - x)) for k, x in enumerate(points)]
        )

    def refuse(self, values: list[FloatArray], sizes: float | FloatArray = 0.0) -> None:
        """SensitivityError for values that jump or bend, the one of the system itself last; what is
        rounding beside their typical sizes does not."""
        others, own = np.array(values[:-1]), values[-1]
        if len(others) < len(CENTRAL[0]):  # linear
            return
        apart = np.abs(self.weights @ others - own)
        gap = float(apart.max(initial=0.0, where=apart > EPS * np.asarray(sizes)))
        moved = float(np.abs(others - own).max(initial=0.0))
        if gap > ROUGH * moved and gap > NOISE * float(np.abs(own).max(initial=0.0)):
            raise SensitivityError(
                f"the system jumps or has a kink at {self.one.name} = {self.one.value:g}: it has no derivative by that",
                hint="choose a value beside it; does the function that builds the system branch there?",
            )


def modes_of(system: System) -> list[FloatArray]:
    """Shapes that flexible bodies of a mechanism are reduced to."""
    inner = without_contacts(system)
    return [part.reduced.basis for part in inner.layout.flexible] if isinstance(inner, MechanismSystem) else []


def looks_at_modes(systems: tuple[System, ...]) -> bool:
    """Whether a parameter changes modes of flexible bodies."""
    pairs = zip(*(modes_of(system) for system in systems[:2]), strict=True)
    return any(not np.array_equal(*pair) for pair in pairs)


def clear_of_modes(one: Variation) -> Variation:
    """The same with points farther apart, so that the rounding of modes counts less; unless modes
    change much on the way, as where two of them are about to change places."""
    by = PART_OF_MODES / PART
    weights = tuple(weight / by for weight in one.weights)
    try:
        wide = replace(one, h=by * one.h, weights=weights, of_equations=(one.points, weights))
        near, far = modes_of(one.in_equations[0]), (modes_of(system) for system in wide.in_equations)
    except IsodynError:  # values that a part does not take
        return one
    pairs = [pair for others in far for pair in zip(near, others, strict=True)]
    gentle = all(x.shape == y.shape and np.abs(x - y).max() <= OTHER_MODES * np.abs(x).max() for x, y in pairs)
    return wide if gentle else one


def vary(family: Family, name: str, scale: float | None = None) -> Variation:
    """A parameter with points on both sides; on one side only where the other side is refused."""
    value = family.value(name)
    h = PART * max(abs(value), LEAST if scale is None else scale)
    named = family if isinstance(family, NamedParts) else None
    is_linear = named is not None and named.is_linear(name, value + FAR * h)
    far = ((FAR,), (1.0 / (FAR * h), -1.0 / (FAR * h))) if is_linear else None
    refused: IsodynError | None = None
    for points, weights, own in (CENTRAL, FORWARD, BACKWARD):
        all_weights = (*(w / h for w in weights), own / h)
        of_equations = (points, all_weights) if far is None else far
        try:
            if named is not None:
                named.check(name, [value + k * h for k in (min(points), max(points))])
            piece = None if named is None else named.piece(name, [value + k * h for k in of_equations[0]])
            found = Variation(family, name, value, h, points, all_weights, of_equations, piece)
            if piece is None:
                found = clear_of_modes(found) if looks_at_modes(found.in_equations) else found
        except IsodynError as error:
            refused = error
            continue
        return found
    assert refused is not None
    raise InputError(f"{name} = {value:g} cannot be varied: {refused}", hint="choose a value inside its range")
