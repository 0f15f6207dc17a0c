"""Closed loops of hinges that move although counting says that they cannot: Bennett's four and
Bricard's six.

Bennett: opposite links are equal, a/sin α = b/sin β, and two neighbouring hinge angles keep

    tan(θ₁/2) tan(θ₂/2) = sin((β + α)/2)/sin((β − α)/2)

Bricard: six rods of length 1 along the edges of a cube, hinges across; one rod is the ground. Rows
18 and 30, rank 17 and 29.
"""

from __future__ import annotations

from math import asin, atan, cos, pi, sin, tan
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from isodyn.joints import Hinge
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.mechanism import Mechanism
from isodyn.problems.problem import Problem
from isodyn.problems.quadratic_rows import conserved
from isodyn.schemes import Scheme

if TYPE_CHECKING:
    from isodyn.mechanism.mechanism import Mechanism
    from isodyn.mechanism.system import MechanismSystem

G, THICKNESS = 9.81, 0.04


def add_rod(mech: Mechanism, name: str, start: FloatArray, end: FloatArray, mass: float) -> None:
    """A uniform square rod."""
    along = end - start
    length = float(np.linalg.norm(along))
    x = along / length
    y = np.eye(3)[int(np.argmin(np.abs(x)))]
    y = y - (y @ x) * x
    y /= np.linalg.norm(y)
    J = mass * (length**2 + THICKNESS**2) / 12
    R = np.column_stack([x, y, np.cross(x, y)])
    mech.add_body(name, mass, (mass * THICKNESS**2 / 6, J, J), 0.5 * (start + end), R)


# ---- Bennett

LONG, SHORT, TWIST = 1.0, 0.6, 1.2  # a, b, α


def ratio() -> float:
    """tan(θ₁/2) tan(θ₂/2) of the loop."""
    beta = asin(SHORT * sin(TWIST) / LONG)
    return sin(0.5 * (beta + TWIST)) / sin(0.5 * (beta - TWIST))


def bennett_frames(theta: float) -> list[FloatArray]:
    """Frames of the hinges (z along the axis), 4 × 4, the last one being the first again."""
    beta, other = asin(SHORT * sin(TWIST) / LONG), 2 * atan(ratio() / tan(0.5 * theta))
    frames = [np.eye(4)]
    for angle, length, twist in (
        (theta, LONG, TWIST),
        (other, SHORT, beta),
        (-theta, LONG, TWIST),
        (-other, SHORT, beta),
    ):
        c, s, ca, sa = cos(angle), sin(angle), cos(twist), sin(twist)
        step = [[c, -s * ca, s * sa, length * c], [s, c * ca, -c * sa, length * s], [0, sa, ca, 0], [0, 0, 0, 1]]
        frames.append(frames[-1] @ np.array(step))
    return frames


def bennett(theta: float) -> MechanismSystem:
    """At rest; the first hinge and the last one are on the ground."""
    frames = bennett_frames(theta)
    mech, before = Mechanism(gravity=(0.0, -G, 0.0)), "ground"
    for k in range(4):
        after = f"link {k + 1}" if k < 3 else "ground"
        if k < 3:
            add_rod(mech, after, frames[k][:3, 3], frames[k + 1][:3, 3], (LONG, SHORT)[k % 2])
        mech.add_joint(Hinge(f"hinge {k + 1}", before, after, point=frames[k][:3, 3], axis=frames[k][:3, 2]))
        before = after
    return mech.compile()


# ---- Bricard

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
AXES = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)


def bricard() -> MechanismSystem:
    """Five rods of 1 kg along the edges of a cube, at rest; the sixth edge is the ground."""
    mech, before = Mechanism(gravity=(0.0, -G, 0.0)), "ground"
    for k in range(6):
        after = f"rod {k + 1}" if k < 5 else "ground"
        if k < 5:
            add_rod(mech, after, CORNERS[k], CORNERS[k + 1], 1.0)
        mech.add_joint(Hinge(f"hinge {k + 1}", before, after, point=CORNERS[k], axis=AXES[k]))
        before = after
    return mech.compile()


BENNETT = Problem(
    name="bennett",
    title="Bennett's loop of four hinges",
    source="Bennett 1903; uniform rods of 1 kg per metre",
    build=bennett,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.002,
    t_end=2.0,
    t_order=0.4,
    parameters=MappingProxyType({"theta": 0.4 * pi}),
    conserved=conserved,
    units=("s", "m, –"),
)
BRICARD = Problem(
    name="bricard",
    title="Bricard's loop of six hinges on a cube",
    source="IFToMM benchmark library, problem A03",
    build=bricard,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.002,
    t_end=10.0,
    t_order=0.4,
    conserved=conserved,
    units=("s", "m, –"),
)
