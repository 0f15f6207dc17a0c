"""Ensembles in parts: one made of several, and the numbers of one as arrays for a file and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from isodyn.errors import MemberError
from isodyn.kernels.compiled import FloatArray
from isodyn.memory import FEWER_ROWS, require_memory
from isodyn.results.ensemble import STACKED, Ensemble
from isodyn.results.inputs import from_json, to_json
from isodyn.results.solution import Solution
from isodyn.results.statistics import Statistics


def joined(parts: Sequence[Ensemble], systems: tuple[Any, ...], q0: FloatArray, v0: FloatArray) -> Ensemble:
    """One ensemble of the members of several, in their order."""
    last = next((part for part in parts if part.scheme is not None), parts[-1])
    t = [part.t for part in parts]
    if not all(x.ndim == 1 and np.array_equal(x, t[0]) for x in t):
        k = max(x.shape[-1] for x in t)
        t = [_padded(np.broadcast_to(x, (len(part), x.shape[-1])), k) for x, part in zip(t, parts, strict=True)]
        stacked = [[_padded(getattr(part, name), k) for part in parts] for name in STACKED]
        times = np.concatenate(t)
    else:
        times, stacked = t[0], [[getattr(part, name) for part in parts] for name in STACKED]
    require_memory(sum(x.nbytes for rows in stacked for x in rows), f"{len(q0)} members", hint=FEWER_ROWS)
    first = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    moved = [
        {int(at) + i: x for at, part in zip(first[:-1], parts, strict=True) for i, x in getattr(part, name).items()}
        for name in ("errors", "single", "redundant")
    ]
    q, v, a, lam = (np.concatenate(rows) for rows in stacked)
    whole = Ensemble(
        times,
        q,
        v,
        a,
        lam,
        systems=systems,
        q0=q0,
        v0=v0,
        scheme=last.scheme,
        columns=last.columns,
        ok=np.concatenate([part.ok for part in parts]),
        counts={name: np.concatenate([part.counts[name] for part in parts]) for name in last.counts},
        errors=moved[0],
        single=moved[1],
        seconds=sum(part.seconds for part in parts),
        threads=max(part.threads for part in parts),
        solver=last.solver,
        redundant=moved[2],
    )
    kept = set(parts[0].aux).intersection(*(part.aux for part in parts))
    whole.aux = {name: np.concatenate([part.aux[name] for part in parts]) for name in sorted(kept)}
    judged = [part.judged for part in parts if part.judged is not None]
    if len(judged) == len(parts):
        whole.judged = np.concatenate(judged)
    return whole


def _padded(rows: FloatArray, k: int) -> FloatArray:
    """The same with k rows a member, NaN behind the last."""
    more = [(0, 0), (0, k - rows.shape[1])] + [(0, 0)] * (rows.ndim - 2)
    return np.pad(rows, more, constant_values=np.nan)


def to_arrays(ens: Ensemble) -> dict[str, Any]:
    """All numbers of an ensemble by name."""
    single = {str(i): asdict(sol.stats) for i, sol in ens.single.items()}
    said = {str(i): [_kind(error), str(error).removeprefix(f"{_kind(error)}: ")] for i, error in ens.errors.items()}
    words = {
        "scheme": to_json(ens.scheme),
        "columns": {name: np.asarray(x).tolist() for name, x in ens.columns.items()},
        "errors": said,
        "single": single,
        "of_single": {str(i): list(sol.redundant) for i, sol in ens.single.items()},
        "schemes": {str(i): to_json(sol.scheme) for i, sol in ens.single.items() if sol.scheme is not ens.scheme},
        "redundant": {str(i): list(names) for i, names in ens.redundant.items()},
        "threads": ens.threads,
        "solver": ens.solver,
        "seconds": ens.seconds,
    }
    found = {"t": ens.t, **{name: getattr(ens, name) for name in STACKED}, "ok": ens.ok, "words": json.dumps(words)}
    found |= {f"count_{name}": x for name, x in ens.counts.items()}
    found |= {f"aux_{name}": x for name, x in ens.aux.items()}
    if ens.judged is not None:
        found["judged"] = ens.judged
    for i, sol in ens.single.items():
        numbers = {name: np.asarray(x) for name, x in sol.aux.items() if not isinstance(x, list)}
        found |= {f"member_{i}_{name}": x for name, x in numbers.items() if x.dtype.kind in "fib"}
    return found


def happened(ens: Ensemble) -> dict[int, tuple[Any, dict[str, Any]]]:
    """Events of the members that had some, which are no arrays: what happened, and lists by
    name."""
    lists = {i: {name: x for name, x in sol.aux.items() if isinstance(x, list)} for i, sol in ens.single.items()}
    return {i: (sol.events, lists[i]) for i, sol in ens.single.items() if sol.events or lists[i]}


def with_events(ens: Ensemble, found: dict[int, tuple[Any, dict[str, Any]]]) -> Ensemble:
    """The same with what `happened` told."""
    for i, (events, lists) in found.items():
        ens.single[i].events = events
        ens.single[i].aux |= lists
    return ens


def _kind(error: Exception) -> str:
    return error.kind if isinstance(error, MemberError) else type(error).__name__


def from_arrays(found: dict[str, Any], systems: tuple[Any, ...], q0: FloatArray, v0: FloatArray) -> Ensemble:
    """What `to_arrays` took apart."""
    words = json.loads(str(found["words"]))
    columns = {name: np.array(x, dtype=np.int64) for name, x in words["columns"].items()}
    q, v, a, lam = (found[name] for name in STACKED)
    ens = Ensemble(
        found["t"],
        q,
        v,
        a,
        lam,
        systems=systems,
        q0=q0,
        v0=v0,
        scheme=from_json(words["scheme"]),
        columns=columns,
        ok=found["ok"],
        counts={name.removeprefix("count_"): x for name, x in found.items() if name.startswith("count_")},
        errors={int(i): MemberError(*said) for i, said in words["errors"].items()},
        single={},
        seconds=float(words["seconds"]),
        threads=int(words["threads"]),
        solver=words["solver"],
        aux={name.removeprefix("aux_"): x for name, x in found.items() if name.startswith("aux_")},
        judged=found.get("judged"),
        redundant={int(i): tuple(names) for i, names in words["redundant"].items()},
    )
    own: dict[str, dict[str, Any]] = {key: {} for key in words["single"]}
    for name, x in found.items():
        if name.startswith("member_"):
            _, key, of = name.split("_", 2)
            own[key][of] = x
    for key, counted in words["single"].items():
        i = int(key)
        ens.single[i] = _member(ens, i, Statistics(**counted), own[key], tuple(words["of_single"][key]))
        if key in words["schemes"]:
            ens.single[i].scheme = from_json(words["schemes"][key])
    return ens


def _member(ens: Ensemble, i: int, stats: Statistics, aux: dict[str, Any], redundant: tuple[str, ...]) -> Solution:
    """A member that was run by itself."""
    t = ens.t if ens.t.ndim == 1 else ens.t[i]
    k = int(np.isfinite(t).sum())
    q, v, a, lam = (getattr(ens, name)[i, :k].copy() for name in STACKED)
    return Solution(t[:k].copy(), q, v, a, lam, ens.system(i), ens.scheme, stats, ens.columns, aux, redundant)
