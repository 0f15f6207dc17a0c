"""Heavy top: m = 15, J = diag(0.234375, 0.46875, 0.234375) about the mass centre, which lies 1 m
along the y axis from the fixed point, spinning with (0, 150, −4.61538) rad/s in body axes,
g = 9.81; 2 s. Time to an error of 1e-9 in the place of the mass centre at the end.

The reference is DOP853 on the quaternion with rtol = 2.3e-14 (1e-12 differs by 7e-12). Solvers of
ordinary equations have the quaternion and the angular velocity as unknowns; isodyn also runs the
body on its ball joint, in coordinates of the joint's seven numbers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from benchmarks.peers import with_ode
from benchmarks.peers.claims import Claim
from benchmarks.peers.measure import Bench, Row, Way
from benchmarks.peers.smooth import measure_smooth, smooth_claims

NAME, TITLE = "top", "Heavy spinning top"
MASS, GRAVITY, T_END, TARGET = 15.0, 9.81, 2.0, 1e-9
INERTIA, ARM = np.array([0.234375, 0.46875, 0.234375]), np.array([0.0, 1.0, 0.0])
SPIN = np.array([0.0, 150.0, -4.61538])
ABOUT = INERTIA + MASS * np.array([1.0, 0.0, 1.0])  # about the fixed point

WAYS = (
    Way("isodyn", "adaptive, order 8, quaternion", {"body": False}),
    Way("isodyn", "adaptive, order 8, body on a ball joint", {"body": True}),
    Way("scipy", "DOP853", {"method": "DOP853"}),
    Way("scipy", "LSODA (odeint)", {"method": "odeint"}),
    Way("sundae", "CVODE Adams", {"method": "Adams"}),
    Way("casadi", "CVODES", {}),
    Way("diffrax", "Dopri8", {"method": "Dopri8"}),
    Way("diffrax", "Tsit5", {"method": "Tsit5"}),
)
FIXED = (
    Way("exudyn", "rotation vector (Lie group), RK67", {"solver": "RK67"}),
    Way("exudyn", "rotation vector (Lie group), RK44", {"solver": "RK44"}),
    Way("mujoco", "ball, RK4", {}),
)
STEPS = (2000, 4000, 8000, 16000, 32000, 64000)


def rates(w: Any, x: Any, y: Any, z: Any, p: Any, q: Any, r: Any) -> tuple[Any, ...]:
    """(quaternion, angular velocity in body axes)': Euler's equations about the fixed point with
    the torque of the weight."""
    a, b, c = 15.234375, 0.46875, 15.234375  # ABOUT
    down_x = -147.15 * 2.0 * (x * z - w * y)  # weight in body axes
    down_z = -147.15 * (1.0 - 2.0 * (x * x + y * y))
    return (
        -0.5 * (x * p + y * q + z * r),
        0.5 * (w * p - z * q + y * r),
        0.5 * (z * p + w * q - x * r),
        0.5 * (-y * p + x * q + w * r),
        (down_z - (c - b) * q * r) / a,
        -(a - c) * p * r / b,
        (-down_x - (b - a) * p * q) / c,
    )


class Equations:
    """y = (quaternion, angular velocity)."""

    y0, t_end = np.concatenate([[1.0, 0.0, 0.0, 0.0], SPIN]), T_END

    def compiled(self) -> Any:
        return _compiled()

    def traced(self, t: Any, y: Any) -> Any:
        import jax.numpy as jnp

        return jnp.array(rates(*y))

    def symbolic(self, casadi: Any, y: Any) -> Any:
        return casadi.vertcat(*rates(*casadi.vertsplit(y)))


@lru_cache
def _compiled() -> Any:
    import numba

    inner = numba.njit(rates)

    @numba.njit
    def f(t, y):  # type: ignore[no-untyped-def]
        return np.array(inner(y[0], y[1], y[2], y[3], y[4], y[5], y[6]))

    return f


def centre(y: Any) -> np.ndarray:
    """The mass centre, from a quaternion."""
    w, x, y_, z = np.array(y[:4]) / np.linalg.norm(y[:4])
    return np.array([2 * (x * y_ - w * z), 1 - 2 * (x * x + z * z), 2 * (y_ * z + w * x)])


class Isodyn:
    """The quaternion as a first-order system, or a body on a ball joint."""

    def __init__(self, body: bool) -> None:
        import isodyn as iso

        self.iso, self.body = iso, body
        if body:
            mech = iso.Mechanism(gravity=(0.0, 0.0, -GRAVITY))
            mech.add_body("top", MASS, INERTIA, ARM, velocity=np.cross(SPIN, ARM), angular_velocity=SPIN)
            mech.add_joint(iso.Spherical("tip", "ground", "top", point=(0.0, 0.0, 0.0)))
            self.system = mech.compile()
        else:
            import numba

            f = _compiled()

            @numba.njit
            def h(s, t):  # type: ignore[no-untyped-def]
                return f(t, s)

            self.system = iso.FirstOrderSystem(h, Equations.y0)

    def run(self, tolerance: float) -> dict[str, float]:
        self.sol = self.iso.integrate_adaptive(self.system, t_end=T_END, rtol=tolerance, atol=0.1 * tolerance, save=2)
        return {"steps": self.sol.stats.steps, "evaluations": self.sol.stats.evaluations}

    def answer(self, tolerance: float) -> dict[str, Any]:
        self.run(tolerance)
        return {"centre": self.sol.q[-1, :3] if self.body else centre(self.sol.v[-1])}


class Exudyn:
    """A body whose reference point is fixed by coordinate constraints: explicit methods take no
    joints."""

    def __init__(self, solver: str) -> None:
        from benchmarks.peers import with_exudyn

        items = with_exudyn.items
        self.container, mbs = with_exudyn.new_system()
        start = {"referenceCoordinates": [0.0] * 6, "initialVelocities": [0.0, 0.0, 0.0, *SPIN]}
        node = mbs.AddNode(items.NodeRigidBodyRotVecLG(**start))
        inertia = [*ABOUT, 0.0, 0.0, 0.0]
        self.top = mbs.AddObject(items.ObjectRigidBody(physicsMass=MASS, physicsInertia=inertia, nodeNumber=node))
        at = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=self.top, localPosition=list(ARM)))
        mbs.AddLoad(items.LoadForceVector(markerNumber=at, loadVector=[0.0, 0.0, -MASS * GRAVITY]))
        ground = mbs.AddNode(items.NodePointGround(referenceCoordinates=[0.0, 0.0, 0.0]))
        fixed = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
        for i in range(3):
            moving = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=i))
            mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[fixed, moving]))
        mbs.Assemble()
        self.place = with_exudyn.exu.OutputVariableType.Position
        self.timed = with_exudyn.Run(mbs, t_end=T_END, solver=solver)

    def run(self, steps: float) -> dict[str, float]:
        return {"steps": int(steps), **self.timed.go(int(steps))}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        return {"centre": self.timed.system.GetObjectOutputBody(self.top, self.place, localPosition=list(ARM))}


class Mujoco:
    """A ball joint."""

    def __init__(self) -> None:
        import mujoco

        self.mujoco = mujoco
        moments = " ".join(map(str, INERTIA))
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><option gravity="0 0 -{GRAVITY}" integrator="RK4"><flag contact="disable"/></option><worldbody><body>'
            f'<inertial pos="0 1 0" mass="{MASS}" diaginertia="{moments}"/><joint type="ball"/></body></worldbody></mujoco>'
        )
        self.data = mujoco.MjData(self.model)

    def run(self, steps: float) -> dict[str, float]:
        self.mujoco.mj_resetData(self.model, self.data)
        self.model.opt.timestep = T_END / steps
        self.data.qvel[:] = SPIN
        self.mujoco.mj_step(self.model, self.data, nstep=int(steps))
        return {"steps": int(steps)}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        return {"centre": centre(self.data.qpos)}


PACKAGES = {
    "isodyn": Isodyn,
    "exudyn": Exudyn,
    "mujoco": Mujoco,
    "scipy": lambda method: with_ode.Scipy(Equations(), method),
    "sundae": lambda method: with_ode.Sundae(Equations(), method),
    "casadi": lambda: with_ode.Casadi(Equations()),
    "diffrax": lambda method: with_ode.Diffrax(Equations(), method),
}


@lru_cache
def reference() -> np.ndarray:
    """The mass centre at the end."""
    from scipy.integrate import solve_ivp

    def f(t: float, y: np.ndarray) -> tuple[Any, ...]:
        return rates(*y)

    found = solve_ivp(f, (0.0, T_END), Equations.y0, method="DOP853", rtol=2.3e-14, atol=1e-14)
    return centre(found.y[:4, -1])


def error(answer: dict[str, Any]) -> float:
    places = answer["centre"] if "centre" in answer else centre(answer["y"])
    size = float(np.linalg.norm(np.array(places) - reference()))
    return size if np.isfinite(size) else np.inf


def measure(bench: Bench) -> None:
    measure_smooth(bench, NAME, WAYS, TARGET, error, [10.0**-k for k in range(6, 13)], FIXED, STEPS)


def claims(rows: list[Row]) -> list[Claim]:
    return smooth_claims(rows, NAME, "heavy top", TARGET, PACKAGES)
