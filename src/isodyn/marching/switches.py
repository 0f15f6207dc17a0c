"""Actions of events that change the system: joints are released and locked, loads are switched off
and on, or get other numbers.

A released row is not enforced and its multiplier is zero; nobody looks whether it holds. When it is
locked again, φ = 0 must hold there (an event of its own gap sees to that), and velocities jump onto
φ̇ = 0 by the least change in the mass norm: an impact without rebound. Loads that are switched off
are left out of the mechanism that the steps see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import ConflictError, InputError
from isodyn.kernels.compiled import IntArray
from isodyn.later import Later
from isodyn.marching.start import SMALL, gaps
from isodyn.notebook_views import Told
from isodyn.results.units import is_mechanism
from isodyn.systems.base import System

if TYPE_CHECKING:
    from isodyn.marching.last_step import LastStep
    from isodyn.results.solution import Sample

switched_off = Later("isodyn.mechanism.switched_off")  # mechanisms only


class SystemSwitch(Told):
    """An action that changes the system of a run."""

    def __call__(self, sample: Sample) -> None:
        """Leave the state as it is.

        Parameters
        ----------
        sample
            The state.
        """

    def apply(self, run: LastStep) -> None:
        """Change the system of a run.

        Parameters
        ----------
        run
            The run.
        """
        raise NotImplementedError

    def check(self, system: System) -> None:
        """Look up names before the run.

        Parameters
        ----------
        system
            The system of the run.

        Raises
        ------
        InputError
            If there is nothing of this name.
        """


@dataclass(frozen=True)
class Release(SystemSwitch):
    """Release a joint, or a row of constraints, where an event happens.

    Parameters
    ----------
    joint
        Name of the joint, or of the row.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> cut = iso.Event(lambda t, q, v: q[0], direction=-1, action=iso.Release(pendulum.row_names[0]))
    >>> sol = iso.integrate(pendulum, dt=0.01, t_end=1.0, events=[cut])
    >>> float(sol.lam[-1, 0])
    0.0
    """

    joint: str

    def __post_init__(self) -> None:
        _check_name("a joint or a row", self.joint)

    def check(self, system: System) -> None:
        rows_of(system, self.joint)

    def apply(self, run: LastStep) -> None:
        run.hold(rows_of(run.system, self.joint), False)


@dataclass(frozen=True)
class Lock(SystemSwitch):
    """Lock a joint, or a row of constraints, that was released; velocities jump as in an impact.

    Parameters
    ----------
    joint
        Name of the joint, or of the row.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.Lock("latch")
    Lock('latch')
    """

    joint: str

    def __post_init__(self) -> None:
        _check_name("a joint or a row", self.joint)

    def check(self, system: System) -> None:
        rows_of(system, self.joint)

    def apply(self, run: LastStep) -> None:
        rows, state = rows_of(run.system, self.joint), run.state
        t = float(state.t)
        _, gap, raw = gaps(run.ask, t, state.q, state.v, run.slowest)[0]
        held = np.arange(gap.size) if run.held is None else run.held
        known = np.setdiff1d(rows[rows < gap.size], held)  # those that are held stay so
        if known.size and np.abs(gap[known]).max() > SMALL:
            worst = int(known[np.abs(gap[known]).argmax()])
            raise ConflictError(
                f"{self.joint!r} cannot be locked at t = {t:.6g}: row {run.system.row_names[worst]!r} is off by {raw[worst]:.3g}",
                hint="let the event be the zero of that gap",
            )
        run.hold(rows, True)


@dataclass(frozen=True)
class SwitchLoad(SystemSwitch):
    """Switch a load of a mechanism off or on where an event happens.

    Parameters
    ----------
    load
        Name of the load.
    on
        Whether it acts from now on.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.SwitchLoad("motor", on=False)
    SwitchLoad('motor')
    """

    load: str
    on: bool = False

    def __post_init__(self) -> None:
        _check_name("a load", self.load)
        if not isinstance(self.on, bool | np.bool_):
            raise InputError(f"a load is switched on or off by True or False, received on={self.on!r}")

    def check(self, system: Any) -> None:
        if not is_mechanism(system) or getattr(system, "description", None) is None:
            raise InputError(
                "loads are switched in mechanisms; this is another system",
                hint="let an action set a variable that the force reads",
            )
        if self.load not in system.description.parts.loads:
            known = ", ".join(map(repr, system.description.parts.loads)) or "none"
            raise InputError(f"there is no load {self.load!r} to switch", hint=f"loads are {known}")

    def apply(self, run: LastStep) -> None:
        off = set(run.loads_off) - {self.load} if self.on else {*run.loads_off, self.load}
        run.take_model(switched_off.without_loads(run.system, off), tuple(sorted(off)))


@dataclass(frozen=True)
class SetInput(SystemSwitch):
    """Give a load of a mechanism another number where an event happens.

    It holds that number from then on. Loads are those that a controller can write: the torque or
    speed of a `Motor`, the command of a `GearMotor`, a `Force`, a `Torque`, as long as the model
    gives them as plain numbers.

    Parameters
    ----------
    load
        Name of the load.
    value
        A number, or three for a force or a torque; one number scales the vector that it was given.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, 0))
    >>> _ = mech.add_body("sled", mass=2.0, kind="particle")
    >>> _ = mech.add_load(iso.Force("push", "sled", (4, 0, 0)))
    >>> brake = iso.Event("sled.vx - 1", direction=1, action=iso.SetInput("push", (-1, 0, 0)))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=1.5, events=[brake])
    >>> round(float(sol.v[-1, 0]), 12)
    0.5
    """

    load: str
    value: float | Sequence[float]

    def apply(self, run: LastStep) -> None:
        assert run.sampling is not None  # made with the run
        run.sampling.write(self.load, self.value)


def _check_name(of: str, given: object) -> None:
    """InputError for what cannot be a name."""
    if not isinstance(given, str):
        raise InputError(f"{of} is named by a text, received {given!r}", hint="one action for each")


def as_names(released: object) -> tuple[str, ...]:
    """Names of joints or rows, from one or several."""
    given = tuple(released) if isinstance(released, Iterable) and not isinstance(released, str) else (released,)
    names = tuple(name for name in given if isinstance(name, str))
    if len(names) < len(given):
        raise InputError(f"released takes names of joints or rows, received {released!r}")
    return names


def rows_of(system: System, name: str) -> IntArray:
    """Numbers of the rows of a joint, or of the row with this name."""
    joints = getattr(system, "joints", {}) or {}
    if name in joints:
        return np.array(joints[name].rows, dtype=np.int64)
    if name in system.row_names:
        return np.array([list(system.row_names).index(name)], dtype=np.int64)
    known = ", ".join(map(repr, [*joints, *system.row_names][:8])) or "none"
    raise InputError(f"there is no joint and no row named {name!r}", hint=f"there are {known}")
