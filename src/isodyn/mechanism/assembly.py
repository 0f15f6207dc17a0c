"""Consistent starts of a mechanism from rough ones: positions, then velocities.

    positions    steps of least mass norm onto φ = 0 (isodyn.systems.manifold); bodies that are held stay where they are
    velocities   the nearest to the given ones in the mass norm with φ̇ = 0, ψ = 0 and given rates of joint coordinates

Loops have several branches: the one that rough positions are nearest to is found, which need not be
the one meant. Whoever wants another starts nearer to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from isodyn.bodies.rotations import increment
from isodyn.errors import ConflictError, InputError, about
from isodyn.joints.measures import PLANAR_ANGLE, WHOLE_TURNS
from isodyn.joints.words import Word
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.beam_part import resolve
from isodyn.mechanism.poses import coordinate_at
from isodyn.mechanism.system import MechanismSystem
from isodyn.notebook_views import ShownInNotebooks
from isodyn.parts.part import joined
from isodyn.real_numbers import real_number
from isodyn.systems.branch_choices import examples, refusal
from isodyn.systems.branches import OFF, crossing, off_branch
from isodyn.systems.manifold import CONFLICT, close, freedoms, norm, refuse_open
from isodyn.systems.questions import Questions
from isodyn.systems.scales import natural_pace, pace, sizes_of_rows

Rates = Mapping[Any, float]

SLOWEST = 1e-6  # of the pace of weight and loads: slower velocities count as rest


@dataclass(frozen=True, eq=False)
class Assembly(ShownInNotebooks):
    """A mechanism put together: `system` starts there. `moved` says by body how far (metres,
    radians), by beam the most of its nodes. `rates` are those of all joint coordinates at the
    start, by ("pin", "angle"); `given` names those that were asked for, the others follow from
    them. `undetermined` counts the velocities that neither joints nor given rates fix: these stay
    as near to the velocities of the bodies as they can, in the mass norm.
    """

    system: MechanismSystem
    moved: dict[str, tuple[float, float]]
    gap_before: float
    steps: int
    rates: dict[tuple[str, str], float] = field(default_factory=dict)
    given: tuple[tuple[str, str], ...] = ()
    undetermined: int = 0

    @property
    def q(self) -> FloatArray:
        """Positions of the assembled start."""
        return self.system.q0

    @property
    def v(self) -> FloatArray:
        """Velocities of the assembled start."""
        return self.system.v0

    def __str__(self) -> str:
        head = f"assembled in {self.steps} steps; the largest gap was {self.gap_before:.3g}"
        lines = [head, *(f"  {name}: moved {r:.3g}, turned {turn:.3g} rad" for name, (r, turn) in self.moved.items())]
        return "\n".join([*lines, *(self._told_rates() if self.given else [])])

    def _told_rates(self) -> list[str]:
        """Which rates were given, what follows from them, and what they leave open."""
        solved = [key for key in self.rates if key not in self.given]
        lines = [f"rates given: {', '.join(self._rate(key) for key in self.given)}"]
        if solved:
            lines.append(f"rates that follow: {', '.join(self._rate(key) for key in solved)}")
        if self.undetermined:
            many = "1 velocity is" if self.undetermined == 1 else f"{self.undetermined} velocities are"
            lines.append(f"{many} fixed by neither joints nor rates: the nearest to those of the bodies was taken")
        return lines

    def _rate(self, key: tuple[str, str]) -> str:
        return f"{key[0]} {key[1]} {self.rates[key]:.6g}"

    def __repr__(self) -> str:
        return f"<Assembly: {self}>"


def assemble(
    system: MechanismSystem,
    hold: Iterable[str] = (),
    positions: Rates | None = None,
    rates: Rates | None = None,
    t: float = 0.0,
) -> Assembly:
    """The system with a consistent start; see `Mechanism.assemble`."""
    ask = Questions(system)
    held = np.zeros(system.nv)
    for name in [hold] if isinstance(hold, str) else hold:
        if name in system.lines:
            for node in system.lines[name].nodes:
                held[system.v_of(node.name)] = 1.0
            continue
        if resolve(name, system.lines) not in system.layout.number or name == "ground":
            known = [*(b.name for b in system.bodies if b.is_body), *system.lines]
            raise InputError(
                f"hold: there is no body named {name!r}", hint=f"bodies: {', '.join(known)}", argument="hold"
            )
        held[system.v_of(name)] = 1.0
    wanted = []
    for key, value in (positions or {}).items():
        with about(None, ("positions", joined(key))):
            wanted.append((find_coordinate(system, key), real_number(f"position of {_name(key)}", value), key))

    def extra(q: FloatArray) -> tuple[FloatArray, FloatArray]:
        found = [(coordinate_at(system, word, q), value) for word, value, _ in wanted]
        gap = [_wrapped(word, x - value) for (word, _, _), ((x, _), value) in zip(wanted, found, strict=True)]
        return np.array(gap), np.array([g for (_, g), _ in found])

    before = float(np.abs(ask.position(t, system.q0, system.v0)).max(initial=0.0))
    closed = close(ask, t, system.q0, held=held, extra=extra if wanted else None)
    if wanted and closed.relative[system.m_phi :].max() > CONFLICT:
        worst = int(closed.relative[system.m_phi :].argmax())
        _, value, key = wanted[worst]
        raise ConflictError(
            f"no position has {_name(key)} = {value:g}: the nearest misses it by {closed.gap[system.m_phi + worst]:.3g}",
            hint="out of reach of the other joints, or of held bodies",
        )
    refuse_open(ask, t, closed._replace(gap=closed.gap[: system.m_phi]))
    v = consistent_velocity(system, ask, t, closed.q, rates or {})
    start = replace(system, q0=closed.q, v0=v)
    given = tuple(_full_key(system, key) for key in rates or {})
    found = {
        (name, which): float(coordinate_at(system, word, closed.q)[1] @ v)
        for name, parts in system.joints.items()
        for which, word in parts.coordinates.items()
    }
    fixed = [coordinate_at(system, find_coordinate(system, key), closed.q)[1] for key in given]
    rows = np.vstack([ask.G(t, closed.q, v), *fixed])
    undetermined = freedoms(rows, system.scales.v)[0].shape[1] if given else 0
    return Assembly(start, _moved(system, closed.q), before, closed.steps, found, given, undetermined)


def _full_key(system: MechanismSystem, key: str | tuple[str, str]) -> tuple[str, str]:
    """A joint and the name of its coordinate."""
    if isinstance(key, tuple):
        return key[0], key[1]
    return key, next(iter(system.joints[key].coordinates))


def consistent_velocity(system: MechanismSystem, ask: Questions, t: float, q: FloatArray, rates: Rates) -> FloatArray:
    """The velocity nearest to system.v0 in the mass norm that keeps the rows and has the given
    rates."""
    G, gap = ask.G(t, q, system.v0), ask.velocity(t, q, system.v0)
    names = list(system.row_names)
    for key, rate in rates.items():
        with about(None, ("rates", joined(key))):
            _, g = coordinate_at(system, find_coordinate(system, key), q)
            wanted = real_number(f"rate of {_name(key)}", rate)
        G, gap = np.vstack([G, g]), np.append(gap, g @ system.v0 - wanted)
        names.append(f"rate of {_name(key)}")
    if not names:
        return system.v0.copy()
    root = np.linalg.cholesky(norm(system, ask.mass(t, q, system.v0)))  # M = L Lᵀ, least |Lᵀ dv|
    sizes = sizes_of_rows(system, G)
    eased = np.linalg.solve(root, G.T).T / sizes[:, None]
    v = system.v0 - np.linalg.solve(root.T, np.linalg.lstsq(eased, gap / sizes, rcond=1e-9)[0])
    left = (gap + G @ (v - system.v0)) / sizes
    asked = np.array([float(rate) for rate in rates.values()]) / sizes[sizes.size - len(rates) :]
    fast = max(pace(system, v), float(np.abs(asked).max(initial=0.0)), SLOWEST * natural_pace(ask, t, q, system.v0))
    if np.abs(left).max() > CONFLICT * fast:
        worst = int(np.abs(left).argmax())
        raise ConflictError(
            f"no velocity keeps all joints and the given rates: {names[worst]!r} is off by {left[worst] * sizes[worst]:.3g}",
            hint="fewer rates, or ones that agree: mech.mobility() tells how many are free",
        )
    return _on_a_branch(system, ask, t, q, np.asarray(v), rates, G[system.m :])


def _on_a_branch(
    system: MechanismSystem, ask: Questions, t: float, q: FloatArray, v: FloatArray, rates: Rates, rows: FloatArray
) -> FloatArray:
    """In a singular position: the velocity of the one branch that has the given rates, or of the
    one that system.v0 is on."""
    if off_branch(ask, t, q, v) <= OFF:
        return v
    M, wanted = ask.mass(t, q, v), np.array(list(rates.values()), dtype=np.float64)
    branches = crossing(ask, t, q)
    ways = [] if branches is None else [branch.nearest(system.v0, M, rows, wanted) for branch in branches]
    size = max(1e-300, float(np.abs(wanted).max(initial=0.0)), float(np.abs(system.v0).max(initial=0.0)))
    fit = [way for way in ways if np.abs(rows @ way - wanted).max(initial=0.0) <= OFF * size]
    at_start = [way for way in fit if np.abs(way - system.v0).max() <= OFF * size]
    if len(fit) == 1 or len(at_start) == 1:
        return (at_start or fit)[0]
    given = ", ".join(f"{_name(key)} {rate:g}" for key, rate in rates.items()) or "the velocities of the bodies"
    many = "several" if branches is None else str(len(branches))
    what = f"{many} branches of motion meet in this position, and {given} {'belong to several of' if fit else 'lead onto none of'} them"
    choices = None if branches is None else (fit or examples(branches, M, v))
    raise refusal(system, q, what, choices, "give rates of further joints that tell one branch, such as those above")


def find_coordinate(system: MechanismSystem, key: str | tuple[str, str]) -> Word:
    """The coordinate "pin" or ("pin", "angle") of a compiled mechanism."""
    joint, which = key if isinstance(key, tuple) else (key, None)
    if joint not in system.joints:
        raise InputError(f"there is no joint named {joint!r}", hint=f"joints: {', '.join(system.joints)}")
    known = system.joints[joint].coordinates
    if not known or (which is not None and which not in known):
        raise InputError(
            f"joint {joint!r} has no coordinate{'' if which is None else f' {which!r}'}",
            hint=f"it has: {', '.join(known) or 'none'}",
        )
    return known[which] if which is not None else next(iter(known.values()))


def _name(key: str | tuple[str, str]) -> str:
    return repr(key) if not isinstance(key, tuple) else f"{key[0]!r} ({key[1]})"


def _wrapped(word: Word, x: float) -> float:
    """Angles differ up to whole turns."""
    turns = word.kind in (*WHOLE_TURNS, PLANAR_ANGLE)
    return float(np.remainder(x + np.pi, 2 * np.pi) - np.pi) if turns else x


def _moved(system: MechanismSystem, q: FloatArray) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for body in system.bodies:
        old, new = system.q0[system.q_of(body.name)], q[system.q_of(body.name)]
        k, turn = 3, 0.0
        if body.is_mode:
            continue
        if body.of_beam:
            k = new.size // 2
            turn = float(
                np.arccos(np.clip(old[k:] @ new[k:] / np.linalg.norm(old[k:]) / np.linalg.norm(new[k:]), -1, 1))
            )
        elif body.kind == "planar":
            k, turn = 2, abs(float(new[2] - old[2]))
        elif body.kind == "spatial":
            turn = float(np.linalg.norm(increment(old[3:], new[3:])))
        name = body.name[: body.name.rindex("[")] if body.of_beam else body.name
        most = found.get(name, (0.0, 0.0))
        found[name] = (max(most[0], float(np.linalg.norm(new[:k] - old[:k]))), max(most[1], turn))
    return found
