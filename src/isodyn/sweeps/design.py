"""Points of a sweep: all combinations of given values, and samples of distributions.

    grid       all combinations
    random     independent samples
    latin      every 1/n of each distribution has one sample (Latin hypercube)
    sobol      a scrambled Sobol sequence, so many points as a power of two
    saltelli   what Sobol's indices need, n (d + 2) points, or n (2 d + 2) with second order   (SALib)
    morris     trajectories of n (d + 1) points for elementary effects                          (SALib)

Parameters with given values beside distributions make all combinations with all samples. The same
seed gives the same points.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later, load
from isodyn.memory import require_memory
from isodyn.sweeps.values import Distribution, read_values

qmc = Later("scipy.stats.qmc")
salib_sobol, salib_morris = Later("SALib.sample.sobol"), Later("SALib.sample.morris")

Sampling = Literal["grid", "random", "latin", "sobol", "saltelli", "morris"]
LEVELS = 4  # of Morris's grid
OPEN = 1e-9  # samples at the very ends of a distribution may be infinite


@dataclass(frozen=True, eq=False)
class Design:
    """Names of parameters and their values, a row for each point; `unit` are the shares of the
    distributions, by which indices are computed."""

    names: tuple[str, ...]
    values: FloatArray
    sampling: Sampling
    seed: int
    count: int | None = None
    unit: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def digest(self) -> str:
        """Tells designs apart."""
        text = repr((self.names, self.values.shape)).encode()
        return hashlib.sha256(text + np.ascontiguousarray(self.values).tobytes()).hexdigest()


def make_design(
    parameters: Mapping[str, Any], sampling: Sampling | None = None, count: int | None = None, seed: int = 0
) -> Design:
    """The points of these parameters."""
    if not parameters:
        raise InputError("a sweep needs parameters", hint='such as {"crank.mass": [0.5, 1.0, 2.0]}')
    if not all(isinstance(name, str) and name for name in parameters):
        raise InputError(f"parameters have names, received {list(parameters)!r}")
    read = {name: read_values(name, given) for name, given in parameters.items()}
    spread = {name: x for name, x in read.items() if isinstance(x, Distribution)}
    grids = {name: x for name, x in read.items() if not isinstance(x, Distribution)}
    chosen = _sampling(sampling, spread, grids)
    _check(chosen, count, seed)
    combined = math.prod(len(x) for x in grids.values())
    many = combined * (1 if count is None else _many(chosen, count, len(spread)))
    require_memory(many * 16.0 * len(read), f"{many} points of a sweep")
    unit = np.zeros((1, 0)) if chosen == "grid" else _unit(chosen, len(spread), int(count or 0), seed)
    samples = np.array([_sampled(x, unit[:, k], name) for k, (name, x) in enumerate(spread.items())])
    columns = dict(zip(spread, samples.reshape(len(spread), len(unit)), strict=True))
    places = np.unravel_index(np.arange(combined), tuple(len(x) for x in grids.values())) if grids else ()
    found = {name: np.tile(x, combined) for name, x in columns.items()}
    found |= {name: np.repeat(grids[name][at], len(unit)) for name, at in zip(grids, places, strict=True)}
    values = np.column_stack([found[name] for name in read])
    return Design(tuple(read), values, chosen, seed, count, unit if spread and not grids else None)


def _sampling(sampling: Sampling | None, spread: Mapping[str, Any], grids: Mapping[str, Any]) -> Sampling:
    if sampling is None:
        return "latin" if spread else "grid"
    if sampling not in get_args(Sampling):
        raise InputError(f"sampling must be one of {', '.join(get_args(Sampling))}, received {sampling!r}")
    if sampling == "grid" and spread:
        name = next(iter(spread))
        raise InputError(
            f"{name} has a distribution, which a grid cannot hold", hint="give values, or sampling='latin' and count="
        )
    if sampling != "grid" and not spread:
        raise InputError(f"sampling {sampling!r} needs a parameter with a distribution", hint="such as '0.5:2'")
    if sampling in ("saltelli", "morris") and grids:
        raise InputError(f"{next(iter(grids))} takes given values; {sampling!r} needs distributions of all parameters")
    return sampling


def _check(sampling: Sampling, count: int | None, seed: int) -> None:
    """InputError for numbers that do not go with a way of sampling."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number, at least 0, received {seed!r}")
    if sampling == "grid":
        if count is not None:
            raise InputError(f"a grid has as many points as its values make, received count = {count!r}")
        return
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise InputError(f"distributions need count=, how many samples, received {count!r}")
    if sampling in ("sobol", "saltelli") and count & (count - 1):
        near = 1 << int(count).bit_length()
        raise InputError(f"Sobol sequences come in powers of two, received count = {count}", hint=f"take {near}")


def _many(sampling: Sampling, count: int, d: int) -> int:
    """Samples of the distributions."""
    return {"saltelli": count * (2 * d + 2), "morris": count * (d + 1)}.get(sampling, count)


def _unit(sampling: Sampling, d: int, count: int, seed: int) -> FloatArray:
    """Samples in the unit cube."""
    if sampling == "random":
        return np.random.default_rng(seed).random((count, d))
    if sampling == "latin":
        return np.asarray(qmc.LatinHypercube(d, **_seeded(seed)).random(count))
    if sampling == "sobol":
        return np.asarray(qmc.Sobol(d, scramble=True, **_seeded(seed)).random_base2(count.bit_length() - 1))
    need_salib()
    problem = unit_problem(d)
    if sampling == "saltelli":
        return np.asarray(salib_sobol.sample(problem, count, seed=seed))
    return np.asarray(salib_morris.sample(problem, count, num_levels=LEVELS, seed=seed))


def _seeded(seed: int) -> dict[str, Any]:
    """The generator, by the name that this SciPy calls it."""
    name = "rng" if "rng" in inspect.signature(qmc.LatinHypercube).parameters else "seed"
    return {name: np.random.default_rng(seed)}


def unit_problem(d: int) -> dict[str, Any]:
    """The unit cube, as SALib describes it."""
    return {"num_vars": d, "names": [f"x{k}" for k in range(d)], "bounds": [[0.0, 1.0]] * d}


def need_salib() -> None:
    """InputError where SALib is not installed."""
    try:
        load(salib_sobol, salib_morris)
    except ImportError:
        raise InputError("Sobol's and Morris's indices need SALib", hint="pip install 'isodyn[sensitivity]'") from None


def _sampled(distribution: Distribution, u: FloatArray, name: str) -> FloatArray:
    values = np.asarray(distribution.ppf(np.clip(u, OPEN, 1.0 - OPEN)), dtype=np.float64)
    if values.shape != u.shape or not np.isfinite(values).all():
        raise InputError(f"the distribution of {name} gives values that are no finite numbers")
    return values
