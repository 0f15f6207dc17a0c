"""Planar four-bars: a crank and rocker, and N parallelograms side by side, of planar bodies or of
spatial ones.

The N-four-bar has 2N + 1 equal uniform rods: N + 1 rockers with pivots at (i, 0), and N couplers.
On the branch where all are parallelograms one angle θ from the upward vertical tells everything,

    J θ'' = g W sin θ,    J = m L² ((N + 1)/3 + N),    W = m L ((N + 1)/2 + N)

Where the rods lie on one line the mechanism can leave that branch: there its freedom jumps from 1
to N + 1, and G loses N of its rank. With spatial bodies and hinges every loop has three rows too
many, which depend on the others on the constraints only.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.joints import Hinge
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.mechanism import Mechanism
from isodyn.problems.data import load
from isodyn.problems.problem import Problem, Reference
from isodyn.problems.quadratic_rows import conserved
from isodyn.schemes import Scheme

if TYPE_CHECKING:
    from isodyn.mechanism.mechanism import Mechanism
    from isodyn.mechanism.system import MechanismSystem

G, THICKNESS = 9.81, 0.05


def add_rod(
    mech: Mechanism, name: str, start: FloatArray, end: FloatArray, rates: tuple[FloatArray, FloatArray], spatial: bool
) -> None:
    """A uniform rod of 1 kg per metre between two points of the plane that move with these
    velocities."""
    along = end - start
    length = float(np.linalg.norm(along))
    angle = float(np.arctan2(along[1], along[0]))
    rate = float(along[0] * (rates[1] - rates[0])[1] - along[1] * (rates[1] - rates[0])[0]) / length**2
    position, velocity = 0.5 * (start + end), 0.5 * (rates[0] + rates[1])
    across = length**3 / 12
    if not spatial:
        mech.add_body(name, length, across, position, angle, velocity, rate, kind="planar")
        return
    R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    J = (length * THICKNESS**2 / 6, across, across)
    mech.add_body(name, length, J, position, R, velocity, (0.0, 0.0, rate))


def pin(mech: Mechanism, name: str, first: str, second: str, point: FloatArray) -> None:
    mech.add_joint(Hinge(name, first, second, point=(*point, 0.0), axis=(0.0, 0.0, 1.0)))


# ---- crank and rocker

GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.3, 0.9, 0.7


def four_bar(angle: float, rate: float, spatial: float) -> MechanismSystem:
    """Crank from the origin, rocker from (1, 0); the crank starts at an angle with a rate."""
    A, B, va, vb = crank_and_rocker(angle, rate)
    C, still = np.array([GROUND, 0.0]), np.zeros(2)
    mech = Mechanism(gravity=(0.0, -G, 0.0))
    add_rod(mech, "crank", np.zeros(2), A, (still, va), bool(spatial))
    add_rod(mech, "coupler", A, B, (va, vb), bool(spatial))
    add_rod(mech, "rocker", C, B, (still, vb), bool(spatial))
    for name, first, second, point in (
        ("O", "ground", "crank", np.zeros(2)),
        ("A", "crank", "coupler", A),
        ("B", "coupler", "rocker", B),
        ("C", "ground", "rocker", C),
    ):
        pin(mech, name, first, second, point)
    return mech.compile()


def crank_and_rocker(angle: float, rate: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Both moving pins, open branch, and their velocities."""
    A = CRANK * np.array([np.cos(angle), np.sin(angle)])
    va = rate * np.array([-A[1], A[0]])
    C = np.array([GROUND, 0.0])
    d = C - A
    far = float(np.linalg.norm(d))
    x = (COUPLER**2 - ROCKER**2 + far**2) / (2 * far)
    y = np.sqrt(COUPLER**2 - x**2)
    B = A + x * d / far + y * np.array([-d[1], d[0]]) / far
    vb = np.linalg.solve(np.array([B - A, B - C]), np.array([(B - A) @ va, 0.0]))
    return A, B, va, vb


# ---- N parallelograms


def n_four_bar(n: float, spatial: float) -> MechanismSystem:
    """All rockers up, their tips moving with 1 m/s to the right."""
    windows = int(n)
    if windows < 1 or windows != n:
        raise InputError(f"n must be a whole number of windows, received {n!r}")
    still, moving = np.zeros(2), np.array([1.0, 0.0])
    mech = Mechanism(gravity=(0.0, -G, 0.0))
    for i in range(windows + 1):
        foot, tip = np.array([i, 0.0]), np.array([i, 1.0])
        add_rod(mech, f"rocker {i}", foot, tip, (still, moving), bool(spatial))
        pin(mech, f"pivot {i}", "ground", f"rocker {i}", foot)
    for i in range(windows):
        left, right = np.array([i, 1.0]), np.array([i + 1.0, 1.0])
        add_rod(mech, f"coupler {i}", left, right, (moving, moving), bool(spatial))
        pin(mech, f"left {i}", f"rocker {i}", f"coupler {i}", left)
        pin(mech, f"right {i}", f"coupler {i}", f"rocker {i + 1}", right)
    return mech.compile()


def on_branch(theta: FloatArray, rate: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """q, v of the planar bodies on the parallelogram branch from θ (from up, clockwise) and its
    rate."""
    s, c = np.sin(theta), np.cos(theta)
    zero = np.zeros_like(theta)
    q, v = [], []
    for i in range(n + 1):
        q += [i + 0.5 * s, 0.5 * c, 0.5 * np.pi - theta]
        v += [0.5 * c * rate, -0.5 * s * rate, -rate]
    for i in range(n):
        q += [i + 0.5 + s, c, zero]
        v += [c * rate, -s * rate, zero]
    return np.stack(q, axis=-1), np.stack(v, axis=-1)


def tabulated(n: int) -> Reference:
    """The reduced equation, solved to more than twelve digits; n = 2 or 40."""
    data = load("iftomm.json")["n_four_bar"]
    t, theta, rate, _, _ = np.array(data[f"N{n}"]["rows"][1:], dtype=np.float64).T
    source = "IFToMM benchmark library, problem A02"
    return Reference(
        t, *on_branch(theta, rate, n), source, f"reduced equation; self-agreement {data['self_agreement']}"
    )


FOUR_BAR = Problem(
    name="four_bar",
    title="crank and rocker of planar bodies, turning freely",
    source="textbook; uniform rods of 1 kg per metre",
    build=four_bar,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.002,
    t_end=4.0,
    t_order=0.25,
    parameters=MappingProxyType({"angle": 1.0, "rate": 8.0, "spatial": 0.0}),
    conserved=conserved,
    plane=((0, 1), (3, 4), (6, 7)),
    units=("s", "m, rad"),
)
N_FOUR_BAR = Problem(
    name="n_four_bar",
    title="N parallelograms in a row, through their singular configurations",
    source="IFToMM benchmark library, problem A02",
    build=n_four_bar,
    scheme=Scheme.optimal(0.5),
    dt=0.001,
    t_end=10.0,
    t_order=0.4,
    parameters=MappingProxyType({"n": 2.0, "spatial": 0.0}),
    reference=tabulated(2),
    conserved=conserved,
    plane=((0, 1),),
    units=("s", "m, rad"),
)
