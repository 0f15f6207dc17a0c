"""Strain of springs and beams that comes from chords of the motion (isodyn.results.at_balance),
beside their elastic strain.

At t_n a part is longer than where the balance holds. Forces are read from the balance; but
positions at t_n, and what users compute of them, contain that strain. A run in which it exceeds the
elastic one says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from isodyn.beams.system import BeamSystem
from isodyn.errors import ChordStrainWarning
from isodyn.kernels.compiled import FloatArray
from isodyn.loads.laws import SPRING
from isodyn.mechanism.system import MechanismSystem
from isodyn.results.beam_view import BeamView
from isodyn.results.load_view import LoadView
from isodyn.results.quality import Check

if TYPE_CHECKING:
    from isodyn.results.solution import Solution


def strains(sol: Solution) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Of every spring and beam: its name, and along time its strain by chords, and that by
    forces."""
    system = sol.system
    if isinstance(system, MechanismSystem):
        for name in dict.fromkeys(law.load for law in system.layout.laws if law.kind == SPRING):
            load = LoadView(sol, name)
            lengths, chords, elongations = (
                np.abs(x.reshape(sol.t.size, len(load.numbers))) for x in (load.length, load.chord, load.elongation)
            )
            length = lengths.max(axis=0, initial=1e-300)
            yield f"load {name!r}", (chords / length).max(axis=1), (elongations / length).max(axis=1)
    beams: list[str | None] = list(system.beams) if isinstance(system, MechanismSystem) else []
    for beam in [None] if isinstance(system, BeamSystem) else beams:
        view = BeamView(sol, beam)
        at_rows, by_forces = view.shape.strain(view.q, _ENDS), view.strain(2)
        yield (
            "the beam" if beam is None else f"beam {beam!r}",
            np.abs(at_rows - by_forces).max(axis=(1, 2)),
            np.abs(by_forces).max(axis=(1, 2)),
        )


_ENDS = np.array([0.0, 1.0])
SMALLEST = 1e-9  # strain by chords that is worth a word


def largest_chord_strain(sol: Solution) -> Check | None:
    """The part whose chord strain is largest compared with its elastic strain."""
    worst = None
    for name, chord, elastic in strains(sol):
        i = int(chord.argmax())
        most = float(elastic.max())
        ratio = float(chord[i]) / most if most > 0.0 and chord[i] > SMALLEST else 0.0
        if worst is None or ratio > worst.value:
            where = f"{name}, t = {sol.t[i]:.6g}: {chord[i]:.3g} by chords, {most:.3g} by forces"
            worst = Check(ratio, 1.0, where)
    return worst


def warn_of_chord_strain(sol: Solution, stacklevel: int) -> None:
    """Say so where chords strain a part more than its forces do."""
    found = largest_chord_strain(sol)
    if found is not None and not found.good:
        warnings.warn(
            f"positions at t_n strain {found.where}: {found.value:.3g} times as much; forces are read from the balance and do not"
            " contain it\nhint: a scheme with its balance at t_{n+1}, such as Scheme.default(), or a smaller dt",
            ChordStrainWarning,
            stacklevel=stacklevel,
        )
