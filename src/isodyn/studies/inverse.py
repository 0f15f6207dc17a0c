"""Forces of a given motion.

    M a − Q = −Gᵀλ + B u + f

λ are the multipliers of all rows, those of drives among them, u the efforts of actuators on joint
coordinates, f what neither can bring. Least norms where rows are redundant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.assembly import find_coordinate
from isodyn.mechanism.poses import coordinate_at
from isodyn.mechanism.system import MechanismSystem
from isodyn.notebook_views import ShownInNotebooks
from isodyn.studies.tangents import DEPENDENT, second_order
from isodyn.systems.base import System
from isodyn.systems.compiled_system import settled
from isodyn.systems.questions import Questions
from isodyn.systems.scales import row_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isodyn.open_types import Numbers

ITERATIONS = 30  # for forces that depend on multipliers: friction


@dataclass(frozen=True, eq=False)
class InverseDynamics(ShownInNotebooks):
    """Forces of a given motion.

    Histories have a row per time; one state gives vectors.

    Parameters
    ----------
    force
        What must act besides rows and actuators, a column per component of v.
    lam
        Multipliers.
    effort
        Efforts of the actuators.
    row_names
        Names of the constraint rows.
    actuators
        Names of the actuators.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> pendulum = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -9.81 * np.sin(q), q0=[0.0], v0=[0.0])
    >>> found = iso.inverse_dynamics(pendulum, 0.0, [np.pi / 2], [0.0], [0.0])
    >>> found.force
    array([9.81])
    """

    force: FloatArray
    lam: FloatArray
    effort: FloatArray
    row_names: tuple[str, ...]
    actuators: tuple[str, ...]

    def drive(self, name: str) -> FloatArray:
        """Return the torque or force of a drive, −λ of its row.

        Parameters
        ----------
        name
            Name of the drive.

        Returns
        -------
        effort
            Positive in the direction of its coordinate.

        Raises
        ------
        InputError
            If there is no such drive.
        """
        for known in (f"{name}: drive", name):
            if known in self.row_names:
                return -self.lam[..., self.row_names.index(known)]
        raise InputError(
            f"there is no drive or row named {name!r}", hint=f"rows: {', '.join(self.row_names) or 'none'}"
        )

    def __getitem__(self, actuator: str) -> FloatArray:
        """Effort of an actuator by name."""
        if actuator not in self.actuators:
            raise InputError(
                f"there is no actuator {actuator!r}", hint=f"actuators: {', '.join(self.actuators) or 'none'}"
            )
        return np.asarray(self.effort[..., self.actuators.index(actuator)])

    def __repr__(self) -> str:
        most = float(np.abs(self.force).max(initial=0.0))
        return f"<InverseDynamics: {self.lam.shape[-1]} multipliers, {len(self.actuators)} actuators, force left {most:.3g}>"


def inverse_dynamics(
    system: System, t: ArrayLike, q: Numbers, v: Numbers, a: Numbers, *, actuators: Sequence[Any] = ()
) -> InverseDynamics:
    """Return the forces that make a system move as given.

    Parameters
    ----------
    system
        The system.
    t
        One time, or times (k,).
    q, v, a
        One state, or histories with k rows.
    actuators
        Joints of a mechanism that exert efforts on their coordinates, such as "elbow" or ("screw",
        "angle").

    Returns
    -------
    found
        Forces, multipliers and efforts.

    Raises
    ------
    InputError
        If sizes do not fit, or the actuators cannot exert the forces.

    Examples
    --------
    >>> import numpy as np
    >>> import isodyn as iso
    >>> pendulum = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -9.81 * np.sin(q), q0=[0.0], v0=[0.0])
    >>> iso.inverse_dynamics(pendulum, 0.0, [np.pi / 2], [0.0], [2.0]).force
    array([11.81])
    """
    system = second_order("inverse_dynamics", system)
    single = np.ndim(q) == 1
    times, states = np.atleast_1d(np.asarray(t, dtype=np.float64)), []
    for name, value, n in (("q", q, system.nq), ("v", v, system.nv), ("a", a, system.nv)):
        rows = np.atleast_2d(np.ascontiguousarray(value, dtype=np.float64))
        if rows.shape != (times.size, n) or not np.isfinite(rows).all():
            raise InputError(
                f"{name} must be finite, with {n} entries for each of {times.size} times; received shape {np.shape(value)}"
            )
        states.append(np.array([settled(system, x) for x in rows]) if name == "q" else rows)
    ask, names = Questions(system), tuple(str(x[0] if isinstance(x, tuple) else x) for x in actuators)
    force, lam = np.zeros((times.size, system.nv)), np.zeros((times.size, system.m))
    effort = np.zeros((times.size, len(names)))
    for k, (tk, qk, vk, ak) in enumerate(zip(times, *states, strict=True)):
        B = _actuation(system, actuators, qk)
        force[k], lam[k], effort[k] = _at(ask, float(tk), qk, vk, ak, B)
    if single:
        force, lam, effort = force[0], lam[0], effort[0]
    return InverseDynamics(force, lam, effort, system.row_names, names)


def _at(
    ask: Questions, t: float, q: FloatArray, v: FloatArray, a: FloatArray, B: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    m = ask.system.m
    across = np.hstack([ask.G(t, q, v).T, -B])
    x, r = np.zeros(across.shape[1]), ask.balance(t, q, v, a)
    if not across.size:
        return r, x[:m], x[m:]
    s = ask.system.scales.v  # unknowns and equations in units of work along typical sizes
    rows = ask.system.scales.rows if ask.system.scales.rows is not None else np.ones(m)
    units = 1.0 / np.concatenate([rows, row_sizes(B.T, s)])
    inverse = units[:, None] * np.linalg.pinv(s[:, None] * across * units, rcond=DEPENDENT) * s
    for _ in range(ITERATIONS):
        change = inverse @ (r - B @ x[m:])
        x = x - change
        r = ask.balance(t, q, v, a, x[:m])
        if np.abs(change / units).max() <= 1e-14 * max(np.abs(x / units).max(), 1e-300):
            break
    return r - B @ x[m:], x[:m], x[m:]


def _actuation(system: System, actuators: Sequence[Any], q: FloatArray) -> FloatArray:
    """B: a column for each actuator, the gradient of its coordinate."""
    if not len(actuators):
        return np.zeros((system.nv, 0))
    if not isinstance(system, MechanismSystem):
        raise InputError(f"actuators are joints of a mechanism; this is a {type(system).__name__}")
    return np.array([coordinate_at(system, find_coordinate(system, key), q)[1] for key in actuators]).T
