"""Load the robots of a folder and compare joint accelerations with its reference.json:
`python -m benchmarks.robots FOLDER [NAME …]`.

reference.json has {"robots": {FILE: {joints, theta, rates, accelerations, finite}}}: a fixed base
under gravity (0, 0, −9.81), joint coordinates and rates by name, no joint torques, mimic and limits
left out. Robots are compared twice: with constraints, and in joint coordinates
(`iso.joint_coordinates`). Robots whose own mass matrix is singular ("finite": false) have to load
only; files that the reference calls no model ("error") have to be refused.

    hinge   θ̈ = e·(ω̇_j − ω̇_i) + (ω_i × e)·ω_j
    slide   ẍ = e·(a_j − a_i) + 2 (ω_i × e)·(v_j − v_i) + (ω̇_i × e + ω_i × (ω_i × e))·(P_j − P_i)
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import isodyn as iso
from isodyn.errors import IsodynError, MendedWarning
from isodyn.systems.questions import Questions

AGREES = 1e-8  # relative to the largest acceleration of the robot
NEARLY_SINGULAR = 1e7  # condition of a mass matrix above which the table says so


def motion(sol: Any, name: str, point: Any) -> tuple[Any, ...]:
    """R, P, v, a of a point of the start, and ω, ω̇ in the world, of a body at the first row."""
    if name == "ground":
        zero = np.zeros(3)
        return np.eye(3), np.asarray(point), zero, zero, zero, zero
    body = sol.body(name)
    at, R = body.point(point), body.R[0]
    return (
        R,
        at.position[0],
        at.velocity[0],
        at.acceleration[0],
        R @ body.angular_velocity[0],
        R @ body.angular_acceleration[0],
    )


def acceleration(sol: Any, mech: Any, name: str) -> float:
    """Of the coordinate of a hinge or slide, from the motion of its two bodies."""
    joint = mech.joints[name]
    R_i, P_i, v_i, a_i, w_i, dw_i = motion(sol, joint.first, joint.point)
    _, P_j, v_j, a_j, w_j, dw_j = motion(sol, joint.second, joint.point)
    start = np.eye(3) if joint.first == "ground" else mech.bodies[joint.first].R
    e = R_i @ start.T @ np.asarray(joint.axis)
    if isinstance(joint, iso.Hinge):
        return float(e @ (dw_j - dw_i) + np.cross(w_i, e) @ w_j)
    turning = np.cross(w_i, e)
    along = np.cross(dw_i, e) + np.cross(w_i, turning)
    return float(e @ (a_j - a_i) + 2 * turning @ (v_j - v_i) + along @ (P_j - P_i))


def in_joints(mech: Any, names: list[str], theta: Any, rates: Any) -> Any:
    """Accelerations of these joints in joint coordinates, M q̈ = −h."""
    system = iso.joint_coordinates(mech)
    nodes = [next(node for node in system.forest.nodes if node.owner == name and node.nv) for name in names]
    q, v = system.q0.copy(), system.v0.copy()
    for node, x, rate in zip(nodes, theta, rates, strict=True):
        q[node.first_q], v[node.first_v] = x, rate
    ask = Questions(system)
    a = np.linalg.solve(ask.mass(0.0, q, v), -ask.balance(0.0, q, v, np.zeros(system.nv)))
    return a[[node.first_v for node in nodes]]


def compare(path: Path, reference: dict[str, Any]) -> tuple[str, float | None]:
    """What happened in words, and the largest difference relative to the largest acceleration."""
    mech = iso.load_urdf(path, meshes=False)
    for name in [name for name, joint in mech.joints.items() if isinstance(joint, iso.Coupling)]:
        del mech.joints[name]
    mech.loads.clear()
    names = [mech.import_summary.joints[name] for name in reference["joints"]]
    given = [dict(zip(names, reference[key], strict=True)) for key in ("theta", "rates")]
    system = mech.assemble(positions=given[0], rates=given[1]).system
    sol = iso.integrate(system, dt=1e-7, t_end=1e-7)
    # points and axes of joints belong to the pose in which they were written
    found = np.array([acceleration(sol, mech, name) for name in names])
    told = f"{len(names):3d} joints, {len(mech.bodies):3d} bodies"
    if mech.import_summary.mended:
        told += f", {len(mech.import_summary.mended)} links mended"
    if not reference["finite"]:
        return f"{told}, its own mass matrix is singular", None
    wanted = np.array(reference["accelerations"], dtype=np.float64)
    if reference["cond_M"] > NEARLY_SINGULAR:
        told += f", nearly singular: condition {reference['cond_M']:.0e}"
    size = max(np.abs(wanted).max(), np.square(reference["rates"]).max())  # a robot may be balanced
    joints = in_joints(mech, names, reference["theta"], reference["rates"])
    off = [float(np.abs(x - wanted).max() / size) for x in (found, joints)]
    return f"{told}; joint coordinates {off[1]:.1e}", max(off)


def main() -> int:
    if len(sys.argv) < 2 or not (Path(sys.argv[1]) / "reference.json").is_file():
        print("usage: python -m benchmarks.robots FOLDER [NAME …]   (FOLDER has a reference.json)", file=sys.stderr)
        return 2
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    robots = json.loads((folder / "reference.json").read_text())["robots"]
    loaded, agree, wrong = 0, 0, []
    chosen = [name for name in robots if not wanted or any(part in name for part in wanted)]
    for name in chosen:
        reference, before = robots[name], time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MendedWarning)
                said, difference = (
                    compare(folder / name, reference) if "joints" in reference else _refused(folder / name)
                )
            loaded += "joints" in reference
        except IsodynError as error:
            said, difference = f"{type(error).__name__}: {error.message}", np.inf
        took = time.perf_counter() - before
        bad = difference is not None and not difference <= AGREES
        agree += difference is not None and not bad
        wrong += [name] if bad else []
        shown = "" if difference is None else f"{difference:9.1e}"
        print(f"{name:36s} {'WRONG' if bad else 'ok':6s} {shown:9s} {took:6.2f} s   {said}", flush=True)
    print(f"\n{loaded} of {len(chosen)} loaded; accelerations of {agree} agree to {AGREES:g}")
    if wrong:
        print(f"wrong: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


def _refused(path: Path) -> tuple[str, float | None]:
    """A file that is no model must be refused."""
    try:
        iso.load_urdf(path, meshes=False)
    except iso.errors.InputError as error:
        return f"refused, as by the reference: {error.message}", None
    return "loaded, though the reference refuses it", np.inf


if __name__ == "__main__":
    sys.exit(main())
