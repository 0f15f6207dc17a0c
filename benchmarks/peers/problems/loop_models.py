"""How packages run mechanisms with closed loops, each told once for all packages: bodies, joints and
springs in space.

    four-bar     three bars on four hinges: three rows too many
    Bricard      five rods on the edges of a cube, six hinges: one row too many
    Stewart      a platform on six legs of two bodies, ball–slide–ball, with springs; released off its rest
    hexapod      a trunk on six legs of three links, eighteen hinges, feet on the ground by balls: loops
                 through the ground
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

DT, GRAVITY, THICKNESS = 1e-3, 9.81, 0.04


@dataclass
class Told:
    """A mechanism: (name, mass, moments, place, axes), (kind, first, second, point, axis), (first,
    second, point, point, stiffness, damping, length)."""

    gravity: np.ndarray
    bodies: list[tuple[str, float, np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)
    joints: list[tuple[str, str, str, np.ndarray, np.ndarray]] = field(default_factory=list)
    springs: list[tuple[str, str, np.ndarray, np.ndarray, float, float, float]] = field(default_factory=list)

    def rod(self, name: str, start: Any, end: Any, mass: float) -> None:
        start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        R = frame(end - start)[:, [2, 0, 1]]  # the first axis along it
        length = float(np.linalg.norm(end - start))
        J = mass * (length**2 + THICKNESS**2) / 12
        self.bodies.append((name, mass, np.array([mass * THICKNESS**2 / 6, J, J]), 0.5 * (start + end), R))

    def join(self, kind: str, first: str, second: str, point: Any, axis: Any = (0.0, 0.0, 1.0)) -> None:
        self.joints.append((kind, first, second, np.asarray(point, dtype=float), np.asarray(axis, dtype=float)))


def frame(axis: Any) -> np.ndarray:
    """A rotation whose last column points along the axis."""
    z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def ring(points: Any, axes: Any, names: str) -> Told:
    """A loop of hinges from the ground to the ground."""
    told, before = Told(np.array([0.0, -GRAVITY, 0.0])), "ground"
    for k, (point, axis) in enumerate(zip(points, axes, strict=True)):
        after = f"{names} {k + 1}" if k + 1 < len(points) else "ground"
        if after != "ground":
            told.rod(after, point, points[k + 1], 1.0)
        told.join("hinge", before, after, point, axis)
        before = after
    return told


def four_bar() -> Told:
    points = [(0.0, 0.0, 0.0), (0.0, 0.3, 0.0), (0.8, 0.5, 0.0), (0.9, 0.0, 0.0)]
    return ring(points, [(0.0, 0.0, 1.0)] * 4, "bar")


def bricard() -> Told:
    corners = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    return ring(corners, [(0, 1, 0), (0, 0, 1), (1, 0, 0)] * 2, "rod")


def stewart() -> Told:
    told, height = Told(np.array([0.0, 0.0, -GRAVITY])), 0.6
    told.bodies.append(("platform", 8.0, np.array([0.16, 0.16, 0.32]), np.array([0.0, 0.0, height]), np.eye(3)))
    for k in range(6):
        low, high = (np.pi / 3) * (2 * ((k + 1) // 2)) + (-0.15 if k % 2 else 0.15), (np.pi / 3) * k + np.pi / 6
        foot = np.array([0.5 * np.cos(low), 0.5 * np.sin(low), 0.0])
        top = np.array([0.3 * np.cos(high), 0.3 * np.sin(high), height])
        middle, along = 0.5 * (foot + top), top - foot
        told.rod(f"cylinder {k}", foot, middle + 0.05 * along, 0.8)
        told.rod(f"piston {k}", middle - 0.05 * along, top, 0.4)
        told.join("ball", "ground", f"cylinder {k}", foot)
        told.join("slide", f"cylinder {k}", f"piston {k}", middle, along)
        told.join("ball", f"piston {k}", "platform", top)
        length = float(np.linalg.norm(along))
        told.springs.append((f"cylinder {k}", f"piston {k}", foot, top, 2e4, 400.0, length + 2e-3))
    return told


def hexapod() -> Told:
    told = Told(np.array([0.0, 0.0, -GRAVITY]))
    told.bodies.append(("trunk", 3.0, np.array([0.03, 0.05, 0.07]), np.array([0.0, 0.0, 0.2]), np.eye(3)))
    for k in range(6):
        side = np.array([np.cos(np.pi / 3 * k), np.sin(np.pi / 3 * k), 0.0])
        hip, knee = 0.15 * side + [0.0, 0.0, 0.2], 0.22 * side + [0.0, 0.0, 0.2]
        ankle, foot = 0.36 * side + [0.0, 0.0, 0.3], 0.45 * side
        across = np.cross([0.0, 0.0, 1.0], side)
        for name, start, end, mass in (
            ("coxa", hip, knee, 0.1),
            ("femur", knee, ankle, 0.2),
            ("tibia", ankle, foot, 0.2),
        ):
            told.rod(f"{name} {k}", start, end, mass)
        told.join("hinge", "trunk", f"coxa {k}", hip, (0.0, 0.0, 1.0))
        told.join("hinge", f"coxa {k}", f"femur {k}", knee, across)
        told.join("hinge", f"femur {k}", f"tibia {k}", ankle, across)
        told.join("ball", "ground", f"tibia {k}", foot)
    return told


HELD = {"hinge": [1, 1, 1, 1, 1, 0], "slide": [1, 1, 0, 1, 1, 1]}
TOLD = {"four-bar": four_bar, "Bricard": bricard, "Stewart": stewart, "hexapod": hexapod}


class Isodyn:
    """A mechanism of bodies, joints and springs."""

    def __init__(self, name: str, radii: list[float], family: str = "U0", **newton: Any) -> None:
        import isodyn as iso

        told, kinds = TOLD[name](), {"hinge": iso.Hinge, "slide": iso.Prismatic}
        mech = iso.Mechanism(gravity=tuple(told.gravity))
        for body, mass, moments, at, axes in told.bodies:
            mech.add_body(body, mass, tuple(moments), at, axes)
        for k, (kind, first, second, point, axis) in enumerate(told.joints):
            if kind == "ball":
                mech.add_joint(iso.Spherical(f"joint {k}", first, second, point=point))
            else:
                mech.add_joint(kinds[kind](f"joint {k}", first, second, point=point, axis=axis))
        for k, (first, second, one, two, stiffness, damping, length) in enumerate(told.springs):
            mech.add_load(
                iso.Spring(
                    f"spring {k}", first, second, points=(one, two), stiffness=stiffness, damping=damping, rest=length
                )
            )
        self.system, self.integrate, self.poses = mech.compile(), iso.integrate, 7 * len(told.bodies)
        self.scheme, self.newton = getattr(iso.Scheme, family)(*radii), iso.Newton(**newton)

    def run(self, steps: float, dt: float = DT) -> dict[str, float]:
        k = int(steps)
        self.sol = self.integrate(self.system, self.scheme, dt=dt, t_end=k * dt, save_every=k, newton=self.newton)
        return {"iterations": self.sol.stats.iterations, "factorisations": self.sol.stats.factorisations}

    def answer(self, steps: float, dt: float = DT) -> dict[str, Any]:
        self.run(steps, dt)
        return {"places": self.sol.q[-1, : self.poses].reshape(-1, 7)[:, :3], "drift": self.sol.drift().largest}


class Exudyn:
    """Rigid bodies, generic and spherical joints, spring-dampers."""

    def __init__(self, name: str, node: str = "rotation vector", **settings: Any) -> None:
        from benchmarks.peers import with_exudyn

        told, items = TOLD[name](), with_exudyn.items
        self.container, mbs = with_exudyn.new_system()
        ground = mbs.AddObject(items.ObjectGround())
        self.parts: dict[str, tuple[Any, np.ndarray, np.ndarray]] = {"ground": (ground, np.zeros(3), np.eye(3))}
        for body, mass, moments, at, axes in told.bodies:
            # moments of bodies lie in their axes; nodes begin unturned, so that they are turned here
            J = axes @ np.diag(moments) @ axes.T
            kind, turned = {
                "euler parameters": (items.NodeRigidBodyEP, [1.0, 0.0, 0.0, 0.0]),
                "rotation vector": (items.NodeRigidBodyRotVecLG, [0.0, 0.0, 0.0]),
                "angles": (items.NodeRigidBodyRxyz, [0.0, 0.0, 0.0]),
            }[node]
            number = mbs.AddNode(kind(referenceCoordinates=[*map(float, at), *turned]))
            inertia = [J[0, 0], J[1, 1], J[2, 2], J[1, 2], J[0, 2], J[0, 1]]
            part = items.ObjectRigidBody(physicsMass=mass, physicsInertia=inertia, nodeNumber=number)
            self.parts[body] = mbs.AddObject(part), np.asarray(at, dtype=float), np.eye(3)
            mark = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=self.parts[body][0]))
            mbs.AddLoad(items.LoadMassProportional(markerNumber=mark, loadVector=list(told.gravity)))

        def marker(body: str, point: np.ndarray, kind: Any) -> Any:
            number, at, _ = self.parts[body]
            return mbs.AddMarker(kind(bodyNumber=number, localPosition=[float(x) for x in point - at]))

        for kind, first, second, point, axis in told.joints:
            rigid = items.MarkerBodyPosition if kind == "ball" else items.MarkerBodyRigid
            ends = [marker(first, point, rigid), marker(second, point, rigid)]
            if kind == "ball":
                mbs.AddObject(items.ObjectJointSpherical(markerNumbers=ends))
            else:
                R = frame(axis)
                mbs.AddObject(
                    items.ObjectJointGeneric(
                        markerNumbers=ends, constrainedAxes=HELD[kind], rotationMarker0=R, rotationMarker1=R
                    )
                )
        for first, second, one, two, stiffness, damping, length in told.springs:
            ends = [marker(first, one, items.MarkerBodyPosition), marker(second, two, items.MarkerBodyPosition)]
            mbs.AddObject(
                items.ObjectConnectorSpringDamper(
                    markerNumbers=ends, stiffness=stiffness, damping=damping, referenceLength=length
                )
            )
        mbs.Assemble()
        self.position = with_exudyn.exu.OutputVariableType.Position
        self.timed = with_exudyn.Run(mbs, dt=DT, **settings)

    def run(self, steps: float) -> dict[str, float]:
        return self.timed.go(int(steps))

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        ask = self.timed.system.GetObjectOutputBody
        bodies = [number for name, (number, *_) in self.parts.items() if name != "ground"]
        return {"places": np.array([ask(number, self.position, localPosition=[0, 0, 0]) for number in bodies])}


PACKAGES = {"isodyn": Isodyn, "exudyn": Exudyn}


def reference(name: str, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Places at the start and after so many steps of `DT`, from steps of a tenth of it."""
    case = Isodyn(name, radii=[1.0, 1.0, 0.0], family="V0", rtol=1e-12)
    start = np.array([at for _, _, _, at, _ in TOLD[name]().bodies])
    return start, np.asarray(case.answer(10 * steps, 0.1 * DT)["places"])
