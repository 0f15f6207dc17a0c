"""How packages run nets of n × n parts.

The cloth: particles of 10 g, 0.1 m apart, joined by rods along both directions, in a trough whose
section is a quarter of a circle, two corners held, falling. The grid: bodies of 0.1 kg in a plane,
joined by balls that lie above and below it, one corner held by a ball. The tree: the same bodies in a
comb, every row on the first body of its own, these in a column: no loops. A case answers with the
places of all parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SPACING, GRAVITY, DT = 0.1, 9.81, 1e-3
PARTICLE, BODY = 0.01, 0.1
INERTIA = BODY * SPACING**2 / 12 * np.array([1.0, 1.0, 2.0])
WAVE = 0.3 * SPACING  # how far balls lie off the plane


def pairs(net: str, n: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Neighbours along both directions; of the tree those along rows, and in the first column."""
    found = [((i, j), (i + 1, j)) for i in range(n - 1) for j in range(1 if net == "tree" else n)]
    return found + [((i, j), (i, j + 1)) for i in range(n) for j in range(n - 1)]


def place(net: str, n: int, i: int, j: int) -> tuple[float, float, float]:
    """Where a part begins."""
    if net != "cloth":
        return i * SPACING, j * SPACING, 0.0
    turn = 0.5 * np.pi / (n - 1)
    radius = 0.5 * SPACING / np.sin(0.5 * turn)
    angle = turn * j - 0.75 * np.pi
    return i * SPACING, float(radius * np.cos(angle)), float(radius * np.sin(angle))


def ball(one: tuple[int, int], two: tuple[int, int]) -> tuple[float, float, float]:
    """Where two bodies are joined."""
    i, j = 0.5 * (one[0] + two[0]), 0.5 * (one[1] + two[1])
    return i * SPACING, j * SPACING, float(WAVE * np.sin(1.7 * i + 2.3 * j))


class Isodyn:
    """A mechanism of particles and rods, or of bodies and balls."""

    def __init__(self, net: str, n: int, radii: list[float], family: str = "U0", **newton: Any) -> None:
        import isodyn as iso

        mech = iso.Mechanism(gravity=(0.0, 0.0, -GRAVITY))
        for i in range(n):
            for j in range(n):
                at = place(net, n, i, j)
                if net == "cloth":
                    mech.add_body(f"{i} {j}", PARTICLE, kind="particle", position=at)
                else:
                    mech.add_body(f"{i} {j}", BODY, tuple(INERTIA), at)
        for one, two in pairs(net, n):
            ends = f"{one[0]} {one[1]}", f"{two[0]} {two[1]}"
            name = f"{ends[0]} to {ends[1]}"
            if net == "cloth":
                mech.add_joint(iso.Distance(name, *ends))
            else:
                mech.add_joint(iso.Spherical(name, *ends, point=ball(one, two)))
        for corner in ((0, 0), (0, n - 1))[: 2 if net == "cloth" else 1]:
            point = place(net, n, *corner) if net == "cloth" else ball((-1, 0), (0, 0))
            mech.add_joint(iso.Spherical(f"held {corner}", "ground", f"{corner[0]} {corner[1]}", point=point))
        self.system, self.width = mech.compile(), 3 if net == "cloth" else 7
        self.integrate, self.scheme, self.newton = (
            iso.integrate,
            getattr(iso.Scheme, family)(*radii),
            iso.Newton(**newton),
        )

    def run(self, steps: float) -> dict[str, float]:
        k = int(steps)
        self.sol = self.integrate(self.system, self.scheme, dt=DT, t_end=k * DT, save_every=k, newton=self.newton)
        return {"iterations": self.sol.stats.iterations, "factorisations": self.sol.stats.factorisations}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        return {"places": self.sol.q[-1].reshape(-1, self.width)[:, :3], "drift": self.sol.drift().largest}


class Exudyn:
    """Mass points and distance connectors, or rigid bodies with a node of the type asked for and
    spherical joints."""

    def __init__(self, net: str, n: int, node: str = "point", **settings: Any) -> None:
        from benchmarks.peers import with_exudyn

        items = with_exudyn.items
        self.container, mbs = with_exudyn.new_system()
        ground = mbs.AddObject(items.ObjectGround())
        self.parts: dict[tuple[int, int], Any] = {}
        for i in range(n):
            for j in range(n):
                at = list(place(net, n, i, j))
                if net == "cloth":
                    number = mbs.AddNode(items.NodePoint(referenceCoordinates=at))
                    part = items.ObjectMassPoint(physicsMass=PARTICLE, nodeNumber=number)
                else:
                    kind, turned = {
                        "euler parameters": (items.NodeRigidBodyEP, [1.0, 0.0, 0.0, 0.0]),
                        "rotation vector": (items.NodeRigidBodyRotVecLG, [0.0, 0.0, 0.0]),
                        "angles": (items.NodeRigidBodyRxyz, [0.0, 0.0, 0.0]),
                    }[node]
                    number = mbs.AddNode(kind(referenceCoordinates=[*at, *turned]))
                    inertia = [*INERTIA, 0.0, 0.0, 0.0]
                    part = items.ObjectRigidBody(physicsMass=BODY, physicsInertia=inertia, nodeNumber=number)
                self.parts[i, j] = body = mbs.AddObject(part)
                mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
                mbs.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[0.0, 0.0, -GRAVITY]))

        def marker(body: Any, at: Any, point: Any) -> Any:
            local = [float(a - b) for a, b in zip(point, at, strict=True)]
            return mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=local))

        for one, two in pairs(net, n):
            starts = [place(net, n, *one), place(net, n, *two)]
            points = starts if net == "cloth" else [ball(one, two)] * 2
            ends = [
                marker(self.parts[k], start, point) for k, start, point in zip((one, two), starts, points, strict=True)
            ]
            if net == "cloth":
                mbs.AddObject(items.ObjectConnectorDistance(markerNumbers=ends, distance=SPACING))
            else:
                mbs.AddObject(items.ObjectJointSpherical(markerNumbers=ends))
        for corner in ((0, 0), (0, n - 1))[: 2 if net == "cloth" else 1]:
            at = place(net, n, *corner)
            point = at if net == "cloth" else ball((-1, 0), (0, 0))
            ends = [marker(ground, (0.0, 0.0, 0.0), point), marker(self.parts[corner], at, point)]
            mbs.AddObject(items.ObjectJointSpherical(markerNumbers=ends))
        mbs.Assemble()
        self.position = with_exudyn.exu.OutputVariableType.Position
        self.timed = with_exudyn.Run(mbs, dt=DT, **settings)

    def run(self, steps: float) -> dict[str, float]:
        return self.timed.go(int(steps))

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        ask = self.timed.system.GetObjectOutputBody
        return {"places": np.array([ask(part, self.position, localPosition=[0, 0, 0]) for part in self.parts.values()])}


PACKAGES = {"isodyn": Isodyn, "exudyn": Exudyn}


# ---- the reference


def reference(net: str, n: int, steps: int) -> np.ndarray:
    """Places after so many steps of `DT`, from steps of a tenth of it."""
    case = Isodyn(net, n, radii=[1.0, 1.0, 0.0], family="V0", rtol=1e-12)
    finer = case.integrate(
        case.system, case.scheme, dt=DT / 10, t_end=steps * DT, save_every=10 * steps, newton=case.newton
    )
    return np.asarray(finer.q[-1].reshape(-1, case.width)[:, :3])
