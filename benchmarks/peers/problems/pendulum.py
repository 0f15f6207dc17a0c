"""A rigid body on a pin in x, y, θ: m = 10, I = 0.1, L = 0.5 from the pin to the mass centre,
g = 9.8, from rest at θ = −45°, 10 s.

Cost per step at h = 1e-3; errors are the largest over samples every 0.05 s, of θ in rad, of λ
(force of the pin) over the largest λ. The reference is exact, by elliptic functions. MuJoCo has the
angle alone and no multipliers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from benchmarks.peers.claims import Claim, at_least
from benchmarks.peers.measure import Bench, Row, Way, best, ratio

NAME, TITLE = "pendulum", "Planar pendulum in x, y, θ"
M, INERTIA, LENGTH, GRAVITY, THETA0, T_END, DT = 10.0, 0.1, 0.5, 9.8, -0.25 * math.pi, 10.0, 1e-3
EVERY = 0.05
GATE = {"theta": 1e-3, "lam": 1e-3}

TIGHT = {"rtol": 1e-12, "atol": 1e-14}
WAYS = (
    Way("isodyn", "U0(0.8, 0.8, 0.8)", {"radii": [0.8, 0.8, 0.8], "family": "U0"}),
    Way("isodyn", "V0(1, 1, 0)", {"radii": [1.0, 1.0, 0.0], "family": "V0"}),
    Way("isodyn", "V0(1, 1, 0), Newton to 1e-8", {"radii": [1.0, 1.0, 0.0], "family": "V0", "rtol": 1e-8}),
    Way("isodyn", "V0(1, 1, 0), Jacobian kept", {"radii": [1.0, 1.0, 0.0], "family": "V0", "reuse": True}),
    Way("isodyn", "V0(1, 1, 0), planar body and hinge", {"radii": [1.0, 1.0, 0.0], "family": "V0", "mechanism": True}),
    Way("exudyn", "generalised-α 0.9", {"solver": "GeneralizedAlpha"}),
    Way("exudyn", "generalised-α 0.9, tight Newton", {"solver": "GeneralizedAlpha", **TIGHT}),
    Way("exudyn", "trapezoidal index 2", {"solver": "TrapezoidalIndex2"}),
    Way("exudyn", "trapezoidal index 2, tight Newton", {"solver": "TrapezoidalIndex2", **TIGHT}),
    Way("exudyn", "trapezoidal index 2, full Newton", {"solver": "TrapezoidalIndex2", "modified": False}),
    Way("mujoco", "hinge, semi-implicit Euler", {"integrator": "Euler"}),
    Way("mujoco", "hinge, RK4", {"integrator": "RK4"}),
)


# ---- how packages run it


class Isodyn:
    """The problem of the library, or the same from a planar body and a hinge."""

    def __init__(self, family: str, radii: list[float], mechanism: bool = False, **newton: Any) -> None:
        import isodyn as iso

        self.scheme = getattr(iso.Scheme, family)(*radii)
        self.newton = iso.Newton(**newton)
        self.integrate = iso.integrate
        if mechanism:
            mech = iso.Mechanism(gravity=(0.0, -GRAVITY, 0.0))
            centre = LENGTH * np.array([math.cos(THETA0), math.sin(THETA0)])
            mech.add_body("body", M, INERTIA, centre, THETA0, kind="planar")
            mech.add_joint(iso.Hinge("pin", "ground", "body", point=(0.0, 0.0)))
            self.system = mech.compile()
        else:
            self.system = iso.problems.get("rigid_pendulum").system()

    def run(self, steps: float, every: int | None = None) -> dict[str, float]:
        n = int(steps)
        self.sol = self.integrate(
            self.system, self.scheme, dt=DT, t_end=n * DT, save_every=every or n, newton=self.newton
        )
        return {"iterations": self.sol.stats.iterations, "factorisations": self.sol.stats.factorisations}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps, round(EVERY / DT))
        return {"t": self.sol.t, "theta": self.sol.q[:, 2], "lam": self.sol.lam}


class Exudyn:
    """RigidBody2D and RevoluteJoint2D."""

    def __init__(self, **settings: Any) -> None:
        from benchmarks.peers import with_exudyn

        self.make, self.settings = with_exudyn, settings
        self.timed, *_ = self._model(None)

    def _model(self, sensors: float | None) -> tuple[Any, int, int, Any]:
        exu, items = self.make.exu, self.make.items
        container, mbs = self.make.new_system()
        ground = mbs.AddObject(items.ObjectGround())
        start = [LENGTH * math.cos(THETA0), LENGTH * math.sin(THETA0), THETA0]
        node = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=start))
        body = mbs.AddObject(items.ObjectRigidBody2D(physicsMass=M, physicsInertia=INERTIA, nodeNumber=node))
        pin = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=ground))
        end = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[-LENGTH, 0, 0]))
        joint = mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=[pin, end]))
        centre = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body))
        mbs.AddLoad(items.LoadForceVector(markerNumber=centre, loadVector=[0, -M * GRAVITY, 0]))
        s1 = s2 = -1
        if sensors is not None:
            kinds = exu.OutputVariableType
            s1 = mbs.AddSensor(
                items.SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=kinds.Coordinates)
            )
            s2 = mbs.AddSensor(
                items.SensorObject(objectNumber=joint, storeInternal=True, outputVariableType=kinds.Force)
            )
        mbs.Assemble()
        return self.make.Run(mbs, dt=DT, sensors=sensors, **self.settings), s1, s2, container

    def run(self, steps: float) -> dict[str, float]:
        return self.timed.go(int(steps))

    def answer(self, steps: float) -> dict[str, Any]:
        run, s1, s2, _ = self._model(EVERY)
        run.go(int(steps))
        places, forces = run.system.GetSensorStoredData(s1), run.system.GetSensorStoredData(s2)
        return {"t": places[:, 0], "theta": places[:, 3] + THETA0, "lam": -forces[:, 1:3]}


class Mujoco:
    """A hinge: one angle, no constraint."""

    def __init__(self, integrator: str) -> None:
        import mujoco

        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{DT}" gravity="0 -{GRAVITY} 0" integrator="{integrator}"><flag contact="disable"/></option>'
            f'<worldbody><body><inertial pos="{LENGTH} 0 0" mass="{M}" diaginertia="0.1 0.1 {INERTIA}"/>'
            '<joint type="hinge" axis="0 0 1"/></body></worldbody></mujoco>'
        )
        self.data = mujoco.MjData(self.model)

    def run(self, steps: float) -> dict[str, float]:
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[0] = THETA0
        self.mujoco.mj_step(self.model, self.data, nstep=int(steps))
        return {}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(0)
        rows, each = [THETA0], round(EVERY / DT)
        for _ in range(int(steps) // each):
            self.mujoco.mj_step(self.model, self.data, nstep=each)
            rows.append(float(self.data.qpos[0]))
        return {"t": np.arange(len(rows)) * EVERY, "theta": rows, "lam": None}


PACKAGES = {"isodyn": Isodyn, "exudyn": Exudyn, "mujoco": Mujoco}

# ---- what is measured


def errors(answer: dict[str, Any]) -> tuple[dict[str, float], bool]:
    """Against the exact motion."""
    from isodyn import problems

    exact = problems.get("rigid_pendulum").exact(np.array(answer["t"]))
    assert exact is not None
    assert exact.lam is not None
    found = {"theta": float(np.abs(np.array(answer["theta"]) - exact.q[:, 2]).max())}
    if answer["lam"] is not None:
        lam = np.array(answer["lam"])
        signs = np.sign(np.sum(lam * exact.lam, axis=0))  # of the packages
        found["lam"] = float(np.abs(lam * signs - exact.lam)[1:].max() / np.abs(exact.lam).max())
    return found, all(size <= GATE[key] for key, size in found.items())


def measure(bench: Bench) -> None:
    steps = 1000 if bench.quick else round(T_END / DT)
    ready = bench.prepare(NAME, WAYS, None)
    ready = bench.check(ready, steps, errors)
    bench.per_step(ready, 100 if bench.quick else 1000, steps, more=1 if bench.quick else 5)


def claims(rows: list[Row]) -> list[Claim]:
    own, other = best(rows, "isodyn"), best(rows, "exudyn")
    if own is None or other is None:
        return []
    accurate = own.gate and own.errors["theta"] <= other.errors["theta"] and own.errors["lam"] < other.errors["lam"]
    note = (
        f"error in θ {own.errors['theta']:.1e} against {other.errors['theta']:.1e}, in λ {own.errors['lam']:.1e} against"
        f" {other.errors['lam']:.1e}; {own.median * 1e6:.1f} µs against {other.median * 1e6:.1f} µs"
    )
    return [at_least("pendulum, h = 1e-3: times faster than Exudyn per step", ratio(other, own), 2.5, accurate, note)]
