"""How the end of a system step answers to multipliers: columns of W for linear subdomains,
differences for others.

v_ℓ(λ_{n+1} + δ) = v_ℓ(λ_{n+1}) + W_v δ,       W from runs of one system step from rest, without loads, with λ rising from 0 to 1
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.stepping.memory import new_state
from isodyn.subdomains.system_step import SystemStep

if TYPE_CHECKING:
    from isodyn.subdomains.part import SubdomainPart

# per sub-step; beyond this, repeating the sub-steps is cheaper than a product with W
_MANY_COLUMNS = 64
_LITTLE_MEMORY = 2_000_000  # entries of W that are no burden in any case


@contextmanager
def aside(part: SubdomainPart, silent: bool) -> Iterator[None]:
    """What is done here leaves no trace but factorisations; `silent` without the subdomain's own
    loads."""
    end, counters, sounds = part.state.copy(), part.counters.copy(), part.load.silent
    part.load.silent = silent
    try:
        yield
    finally:
        part.load.silent = sounds
        part.state.copy_from(end)
        if silent:
            counters.factorisations = part.counters.factorisations
            part.counters.copy_from(counters)


def still(part: SubdomainPart, h: float, phi: float) -> None:
    """Rest at the origin, after a sub-step h, whatever was before."""
    part.state.copy_from(new_state(part.state.q.size, part.state.v.size, part.state.lam.size))
    part.state.t, part.state.dt, part.state.lag = 0.0, h, phi


def unit(m: int, row: int) -> FloatArray:
    """The multiplier one in a row."""
    e = np.zeros(m)
    e[row] = 1.0
    return e


def from_rest(part: SubdomainPart, step: SystemStep) -> tuple[FloatArray, ...]:
    """G V and, where it pays, W."""
    state, rows, m = part.state, part.rows, part.m
    columns: list[list[FloatArray]] = [[] for _ in part.moving()]
    keep = rows.size <= _MANY_COLUMNS * part.tau or rows.size * state.v.size <= _LITTLE_MEMORY
    velocities = []
    alike = SystemStep(0.0, step.dt, step.dt, step.first, step.last, np.inf)
    with aside(part, silent=True):
        for row in rows:
            still(part, step.dt / part.tau, 0.0 if step.first else part.main.phi)
            part.go(alike, np.zeros(m), unit(m, row))
            velocities.append(part.gap("v"))
            if keep:
                for kept, array in zip(columns, part.moving(), strict=True):
                    kept.append(array.copy())
    G_V = np.array(velocities).reshape(rows.size, m).T
    if not keep:
        return (G_V,)
    shapes = [(rows.size, array.size) for array in part.moving()]
    return (G_V, *(np.array(x).reshape(shape).T.copy() for x, shape in zip(columns, shapes, strict=True)))


def by_differences(
    part: SubdomainPart, step: SystemStep, lam_0: FloatArray, lam_1: FloatArray, size: float
) -> FloatArray:
    """∂(G_ℓ v_ℓ)/∂λ_{n+1} of a nonlinear subdomain, whose step is repeated with each multiplier
    changed by `size`."""
    v, columns = part.state.v.copy(), []
    with aside(part, silent=False):
        for row in part.rows:
            changed = lam_1.copy()
            changed[row] += size
            part.restore()
            part.go(step, lam_0, changed)
            columns.append(part.ties.gap(part.state.v - v, part.m) / (changed[row] - lam_1[row]))
    return np.array(columns).reshape(part.rows.size, part.m).T


def of_one_sub_step(part: SubdomainPart, step: SystemStep) -> FloatArray:
    """J⁻¹G_ℓᵀ of a linear subdomain: how Δa answers to constant multipliers in one sub-step from
    rest."""
    h, m, columns = step.dt / part.tau, part.m, []
    alike = SystemStep(0.0, step.dt, step.dt, False, False, np.inf)
    with aside(part, silent=True):
        for row in part.rows:
            still(part, h, part.main.phi)
            e = unit(m, row)
            part.load.set(0.0, h, e, e)
            part.take(np.array([h]), alike)
            columns.append(-part.state.da.copy())
    return np.array(columns).reshape(part.rows.size, part.state.v.size).T
