"""Which kernels a run will need, in the order in which it comes to them: for the count of what is
compiled, and to share it out."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from isodyn.formulations.closure import Closure
from isodyn.kernels.compiled import COUNTS_TURNS, GENERAL, KNOWS_MASS, KNOWS_TANGENT, RETRACTS, SOLVES, SPARSE
from isodyn.kernels.helper import expect
from isodyn.linear_solvers import block_lu, choice, front_lu, front_solves
from isodyn.marching import march
from isodyn.stepping import initial, matrix, newton, null_space, projection, step
from isodyn.systems.model import Model

# by the function of a model: traits, whether there are constraints, and how they close a step
_announced: WeakKeyDictionary[object, set[tuple[int, bool, Closure]]] = WeakKeyDictionary()


def expect_kernels(model: Model, m: int, closure: Closure) -> None:
    """Announce the kernels of a run of a system with m constraint rows."""
    known, kind = _announced.setdefault(model.function, set()), (model.traits, m > 0, closure)
    if model.sparsity is None and kind in known:
        return
    expect(kernels_of(model, m, closure))
    known.add(kind)


def kernels_of(model: Model, m: int, closure: Closure) -> list[Any]:
    """Kernels that every such run needs; what depends on its course is not among them."""
    traits, general = model.traits, bool(model.traits & GENERAL and m)
    found = [model.function]
    if m and not general and traits & (RETRACTS | COUNTS_TURNS):  # other starts may be consistent
        found += [initial.nearest_consistent, projection.project]
    if traits & SPARSE:
        found += [choice.sparse_factor, choice.sparse_solve, *lu_kernels(model)]
    if not general:
        found += [initial.initial_acceleration, initial.acceleration]
    found += [march.write_start, march.march, step.advance, step.guess, newton.solve_step]
    if not (m == 0 and traits & SOLVES):
        found.append(matrix.factorise_step)
    if general or not traits & (KNOWS_TANGENT | KNOWS_MASS | SOLVES):
        found.append(matrix.difference_jacobian)
    if closure.eliminate:
        found += [null_space.null_space_matrix, null_space.eliminate]
    if m and not general and not closure.eliminate and not closure.at_balance and not closure.project:
        found.append(projection.polish)
    return found


def lu_kernels(model: Model) -> list[Any]:
    """Those of the LU that a sparse model will most likely get."""
    assert model.sparsity is not None
    packed = choice.pattern_for(model.sparsity, np.arange(model.sparsity.m))
    if len(packed.fronts) > 0:
        return [front_lu.front_factor, front_solves.front_solve]
    return [block_lu.block_factor, block_lu.block_solve]
