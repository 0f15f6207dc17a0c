"""A coupled run as a checkpoint sees it: rows, states of all subdomains, and the interface.

Factors, and answers of linear subdomains to multipliers, follow from matrices and sizes of steps;
they are made again when a run goes on. Operators of the interface are kept: those of nonlinear
subdomains come from differences at the state of some earlier step.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.kernels.progress import run_clock
from isodyn.kernels.struct import Struct, integer
from isodyn.linear_solvers.rows import Rows
from isodyn.marching.carried import CHOICE
from isodyn.subdomains import responses
from isodyn.subdomains.system_step import SystemStep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isodyn.subdomains.coupled import CoupledRun
    from isodyn.subdomains.part import SubdomainPart


class Place(Struct):
    """How far a run is."""

    step = integer


class Written(Struct):
    """How many rows it has."""

    rows = integer


class KeptRun:
    """What `isodyn.results.checkpoint` asks of a run."""

    def __init__(self, run: CoupledRun) -> None:
        self.run, self.before, self.started = run, 0.0, run_clock()
        self.total_steps = sum(stretch.steps for stretch in run.stretches)
        record = run.record
        own = {f"own_{k}": x for k, x in enumerate(record.own)}
        named = {"t": record.t, "lam": record.lam, "q": record.q, "v": record.v, "a": record.a, **own}
        self.rows = namedtuple("rows", list(named))(**named)
        self.ranks = np.zeros(0, dtype=np.int64)

    @property
    def state(self) -> Place:
        """Steps that are done."""
        return Place.filled(step=self.run.steps)

    @property
    def counters(self) -> Written:
        """Rows that are written."""
        return Written.filled(rows=self.run.record.k)

    def seconds(self) -> float:
        """How long the run has taken, with what was done before a checkpoint."""
        return run_clock() - self.started + self.before

    def make_room(self, k: int) -> None:
        """All rows have their places."""

    def forget(self) -> None:
        """Factors of the parts, which forget them when they are asked for the rest."""
        self.run.team.ask("carried")

    def carried(self) -> dict[str, Any]:
        """All that the run needs to go on. Parts forget their factors, so that the next steps are
        those of a run that is resumed here."""
        run = self.run
        found: dict[str, Any] = {
            "state_step": run.steps,
            "counters_rows": run.record.k,
            "lam": run.lam,
            "rate": run.rate,
            "t": run.t,
            "iterations": run.iterations,
            "largest_response": run.largest_response,
            **_written("operator", run.operators),
            **_written("position", run.positions),
        }
        for k, part in enumerate(run.team.ask("carried")):
            found |= {f"part_{k}_{name}": x for name, x in part.items()}
        return found

    def put_back(self, found: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        run = self.run
        parts = {}
        for k, name in enumerate(run.team.names):
            head = f"part_{k}_"
            parts[name] = {key.removeprefix(head): x for key, x in found.items() if key.startswith(head)}
        run.team.ask("put_back", parts, float(run.stretches[0].t_start))
        run.steps, run.record.k = int(found["state_step"]), int(found["counters_rows"])
        run.lam, run.rate, run.t = found["lam"].copy(), found["rate"].copy(), float(found["t"])
        run.iterations, run.largest_response = int(found["iterations"]), float(found["largest_response"])
        run.operators = {_kind(x): run.operator_of(H, float(x[0])) for x, H in _read("operator", found)}
        run.positions = {float(x[0]): run.positions_of(H) for x, H in _read("position", found)}


def _written(name: str, operators: dict[Any, Any]) -> dict[str, Any]:
    """Operators by kinds of steps as arrays."""
    kinds = np.array([np.resize(kind, 3) if np.ndim(kind) else (kind, 0, 0) for kind in operators], dtype=np.float64)
    return {
        f"{name}_kinds": kinds.reshape(len(operators), 3),
        **{f"{name}_{k}": operator.H for k, operator in enumerate(operators.values())},
    }


def _read(name: str, found: dict[str, Any]) -> list[tuple[Any, Any]]:
    return [(kind, found[f"{name}_{k}"]) for k, kind in enumerate(found[f"{name}_kinds"])]


def _kind(x: Sequence[float]) -> tuple[float, bool, bool]:
    return float(x[0]), bool(x[1]), bool(x[2])


def carried(part: SubdomainPart) -> dict[str, Any]:
    """What a subdomain needs to go on; it forgets its factors."""
    rest = part.rest
    rest.renew_memory()
    kinds = np.array([(dt, first, last) for dt, first, last in part.answers], dtype=np.float64)
    return {
        **{f"state_{name}": value for name, value in rest.state.values().items()},
        **{f"counters_{name}": value for name, value in rest.counters.values().items()},
        **{name: getattr(rest.independent, name) for name in CHOICE},
        "refined": rest.refinements(),
        "kinds": kinds.reshape(len(part.answers), 3),
        "mass_response": part.mass_response,
        "base_steps": np.array(list(part.bases), dtype=np.float64),
        **({} if part.linear else {f"base_{k}": x for k, x in enumerate(part.bases.values())}),
    }


def put_back(part: SubdomainPart, found: dict[str, Any], t0: float) -> None:
    """Let a subdomain of a run that began at t0 go on from there."""
    rest = part.rest
    rest.look(t0)
    rest.enforce(Rows(*(found[name] for name in CHOICE)))
    part.mass_response = found["mass_response"]
    for kind in map(_kind, found["kinds"]):
        dt, first, last = kind
        part.answers[kind] = responses.from_rest(part, SystemStep(0.0, dt, dt, first, last, np.inf))
    for k, dt in enumerate(found["base_steps"].tolist()):
        step = SystemStep(0.0, dt, dt, False, False, np.inf)
        part.bases[dt] = responses.of_one_sub_step(part, step) if part.linear else found[f"base_{k}"]
    rest.renew_memory()
    if rest.model.sparsity is not None:
        rest.memory.blocks.refined = int(found["refined"])
    for name in rest.state.values():
        setattr(rest.state, name, found[f"state_{name}"])
    for name in rest.counters.values():
        setattr(rest.counters, name, found[f"counters_{name}"])
