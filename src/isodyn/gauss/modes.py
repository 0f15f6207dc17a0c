"""Which modes contacts take up: stick where the cone allows, else slip along the force that pulls.

A contact without slip may stick or begin to slip. A choice is consistent where

    sticking     |f| ≤ μ_s |N|
    slipping     u̇ · d ≥ 0, so that slip grows in the direction that the friction force opposes

Choices are tried from all sticking to all slipping, and the first consistent one is taken; with
μ_s > μ sticking and slipping can both be consistent, and rest is then kept. In two tangent
directions d is found by iteration, d ← u̇/|u̇|.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from isodyn.errors import PainleveError
from isodyn.gauss.contacts import ContactPoint, Mode, Sliding, Sticking
from isodyn.gauss.friction import FrictionResult

MARGIN = (
    # of the forces and accelerations at hand: what still counts as inside the cone, or as not
    # against the slip
    1e-9
)

Solver = Callable[[Sequence[Mode]], FrictionResult]


def choose(
    points: Sequence[ContactPoint],
    modes: Sequence[Mode],
    at_rest: Sequence[int],
    must_slip: Sequence[int],
    solve: Solver,
) -> list[Mode]:
    """Modes for the contacts `at_rest`, of which `must_slip` have left their cones; the others keep
    theirs."""
    stuck: list[Mode] = [Sticking() if k in at_rest else mode for k, mode in enumerate(modes)]
    refused: list[str] = []
    for count in range(len(at_rest) + 1):
        for slipping in itertools.combinations(at_rest, count):
            if not set(must_slip) <= set(slipping):
                continue
            for candidate in _directions(points, stuck, slipping, solve):
                try:
                    result = solve(candidate)
                except PainleveError as error:
                    refused.append(str(error).split("\n")[0])
                    continue
                if consistent(points, candidate, at_rest, result):
                    return candidate
    raise PainleveError(
        f"no mode of {', '.join(repr(points[k].name) for k in at_rest)} is consistent: it can neither stick nor slip",
        hint=refused[0] if refused else "the rigid model does not decide here",
    )


def consistent(
    points: Sequence[ContactPoint], modes: Sequence[Mode], at_rest: Sequence[int], result: FrictionResult
) -> bool:
    """Sticking contacts inside their cones, beginning slip not against itself."""
    for k in at_rest:
        mode = modes[k]
        if isinstance(mode, Sticking):
            if result.slack[k] < -margin(points[k], k, result):
                return False
        else:
            size = np.abs(points[k].tangent) @ np.abs(result.a) + np.abs(points[k].rest)
            if result.slip_rate[k] @ np.array(mode.direction) < -MARGIN * np.linalg.norm(size):
                return False
    return True


def margin(point: ContactPoint, k: int, result: FrictionResult) -> float:
    """How far the slack of a sticking contact k may fall below zero by rounding."""
    return MARGIN * float(point.mu_static * np.linalg.norm(result.normal[k]) + np.linalg.norm(result.friction[k]))


def _directions(
    points: Sequence[ContactPoint], stuck: Sequence[Mode], slipping: Sequence[int], solve: Solver
) -> Iterator[list[Mode]]:
    """Candidate modes in which the contacts `slipping` begin to slip."""
    if not slipping:
        yield list(stuck)
        return
    lines = [k for k in slipping if points[k].tangent.shape[0] == 1]
    planes = [k for k in slipping if points[k].tangent.shape[0] == 2]
    pull = solve(stuck).friction
    for signs in itertools.product((1.0, -1.0), repeat=len(lines)):
        candidate = list(stuck)
        for k, sign in zip(lines, signs, strict=True):
            candidate[k] = Sliding(
                (sign * (-1.0 if pull[k][0] > 0.0 else 1.0),)
            )  # against the force that held it first
        for k in planes:
            candidate[k] = Sliding.along(-pull[k]) if np.linalg.norm(pull[k]) > 0.0 else Sliding((1.0, 0.0))
        for _ in range(100 if planes else 0):
            rates = solve(candidate).slip_rate
            new = {k: Sliding.along(rates[k]) for k in planes if np.linalg.norm(rates[k]) > 0.0}
            change = max(
                (np.abs(np.subtract(new[k].direction, _direction(candidate[k]))).max() for k in new), default=0.0
            )
            for k, mode in new.items():
                candidate[k] = mode
            if change < 1e-14:
                break
        yield candidate


def _direction(mode: Mode) -> tuple[float, ...]:
    assert isinstance(mode, Sliding)
    return mode.direction
