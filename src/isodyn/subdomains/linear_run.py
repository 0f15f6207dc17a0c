"""Many system steps of linear subdomains at a time, in one compiled loop.

Possible where all subdomains live here, have narrow bands and keep their answers W. Own loads that
are functions of time are computed ahead for a block of steps: the times of all balances are known.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import OK, FloatArray
from isodyn.subdomains import linear_kernels as lk
from isodyn.subdomains.interface import InterfaceOperator
from isodyn.subdomains.linear_tables import LOAD_TABLE, linear
from isodyn.subdomains.part import SubdomainPart
from isodyn.subdomains.record import Record

# entries of W below this part of the largest are nothing beside rounding: far from the interface,
# where λ is not felt
_NOTHING = 1e-20


class LinearRun:
    """System steps of one size with the kernels of `linear_kernels`."""

    def __init__(
        self, parts: list[SubdomainPart], dt: float, operator: InterfaceOperator, positions: InterfaceOperator | None
    ) -> None:
        self.kernels, self.parts, self.dt = lk, parts, dt
        kind, m = (dt, False, False), parts[0].m
        given = []
        for part in parts:
            assert part.tables is not None
            s, h = part.main, dt / part.tau
            part.packed_for(s, h)
            given.append((part.tables, s, h, part.tau, part.tables.factors_for(s, h)[0]))
        self.linear, self.work = linear(given)
        self.theta = np.zeros((len(parts), max(part.tau for part in parts)))
        for k, part in enumerate(parts):
            self.theta[k, : part.tau] = (np.arange(part.tau) + part.main.W1) / part.tau
        at, moved, answers, bases, first = np.zeros((len(parts) + 1, 2), dtype=np.int64), [], [], [], 0
        for k, part in enumerate(parts):
            _, q, v, a, _, da = part.answers[kind]
            W = [q if q.size else np.zeros_like(v), v, a, da]
            B = part.bases[dt] if positions is not None else np.zeros_like(v)
            felt = np.any([np.abs(x) > _NOTHING * np.abs(x).max(axis=0, initial=0.0) for x in (*W, B)], axis=(0, 2))
            rows = np.flatnonzero(felt)
            answers.append(np.array([x[rows].T.ravel() for x in W]))
            bases.append(B[rows].T.ravel())
            moved.append(first + rows)
            at[k + 1] = at[k] + (rows.size, answers[-1].shape[1])
            first += part.system.nv
        self.interface = lk.Interface(
            self.theta,
            operator.inverse(),
            np.ascontiguousarray(at[:, 0]),
            np.ascontiguousarray(at[:, 1]),
            np.concatenate(moved).astype(np.int64),
            np.ascontiguousarray(np.hstack(answers)),
            np.zeros((0, 0)) if positions is None else positions.inverse(),
            np.concatenate(bases),
            *(np.zeros(m) for _ in range(5)),
        )
        self.motion = np.zeros((4, sum(part.system.nv for part in parts)))
        self.entries = sum(part.tau * part.system.nv for part in parts if part.tables is not None and part.tables.load)

    @property
    def longest(self) -> int:
        """How many steps of loads fit into the table."""
        return max(1, LOAD_TABLE // self.entries) if self.entries else 1_000_000

    def loads(self, times: FloatArray) -> FloatArray:
        """Own loads of all steps that begin at the given times."""
        table = np.zeros((times.size, self.entries))
        at = 0
        for k, part in enumerate(self.parts):
            if part.tables is None or part.tables.load is None:
                continue
            width = part.tau * part.system.nv
            for n, t in enumerate(times.tolist()):
                table[n, at : at + width] = part.loads(t + self.theta[k, : part.tau] * self.dt)
            at += width
        return table

    def go(
        self, loads: FloatArray, times: FloatArray, save: FloatArray, lam: FloatArray, rate: FloatArray, record: Record
    ) -> tuple[int, int, int]:
        """Steps to each of the times; λ and its rate are brought up to date. Status, whole steps,
        corrections."""
        interface, motion = self.interface, self.motion
        interface.lam[:], interface.rate[:] = lam, rate
        first = 0
        for part in self.parts:
            motion[:, first : first + part.system.nv] = part.motion
            first += part.system.nv
        counts = lk.StepCounts.filled(rows=record.k)
        phi = np.concatenate([np.full(part.system.nv, part.main.phi) for part in self.parts])[record.at_a]
        at = record.at_q, record.at_v, record.at_a
        saved = self.kernels.Saved(record.q, record.v, record.a, record.lam, *at, phi)
        status = self.kernels.system_steps(
            self.linear, interface, self.work, self.dt, loads, motion, save, saved, counts
        )
        done, corrections, rows = int(counts.steps), int(counts.corrections), int(counts.rows)
        record.t[record.k : rows] = times[save][: rows - record.k]
        record.k = rows
        if status == OK:
            lam[:], rate[:] = interface.lam, interface.rate
            first = 0
            for part in self.parts:
                part.motion = motion[:, first : first + part.system.nv]
                part.state.t, part.state.dt = times[-1], self.dt / part.tau
                counters = part.counters
                counters.steps += done * part.tau
                counters.iterations += done * part.tau
                counters.evaluations += done * part.tau
                first += part.system.nv
        return status, done, corrections


def possible(parts: list[SubdomainPart], kind: tuple[float, bool, bool]) -> bool:
    """Whether these subdomains can go this way."""
    return bool(parts) and all(part.tables is not None and len(part.answers.get(kind, ())) > 1 for part in parts)
