"""How packages run Andrews' mechanism: equations in seven angles, or seven planar bodies.

`terms` writes M, Q, G, b once for arrays that are traced or symbolic; compiled ones are isodyn's
own functions; a test compares both.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from benchmarks.peers import with_ode

T_END = 0.03


def terms(
    q: Any, v: Any, sin: Any, cos: Any, sqrt: Any
) -> tuple[list[list[Any]], list[Any], list[list[Any]], list[Any]]:
    """M, Q, G and b as lists of expressions; numbers and equations of the Test Set for IVP
    Solvers."""
    from isodyn.problems import andrews as a

    be, th, ga, ph, de, om, ep = (q[i] for i in range(7))
    w = (v[0], v[0] + v[1], v[2], v[3] + v[4], v[4], v[5] + v[6], v[6])
    k, z = a.E - a.EA, a.ZF - a.FA
    M: list[list[Any]] = [[0.0] * 7 for _ in range(7)]
    M[0][0] = a.M1 * a.RA**2 + a.M2 * (a.RR**2 - 2 * a.DA * a.RR * cos(th) + a.DA**2) + a.I1 + a.I2
    M[0][1] = M[1][0] = a.M2 * (a.DA**2 - a.DA * a.RR * cos(th)) + a.I2
    M[1][1] = a.M2 * a.DA**2 + a.I2
    M[2][2] = a.M3 * (a.SA**2 + a.SB**2) + a.I3
    M[3][3] = a.M4 * k**2 + a.I4
    M[3][4] = M[4][3] = a.M4 * (k**2 + a.ZT * k * sin(ph)) + a.I4
    M[4][4] = a.M4 * (a.ZT**2 + 2 * a.ZT * k * sin(ph) + k**2) + a.M5 * (a.TA**2 + a.TB**2) + a.I4 + a.I5
    M[5][5] = a.M6 * z**2 + a.I6
    M[5][6] = M[6][5] = a.M6 * (z**2 - a.U * z * sin(om)) + a.I6
    M[6][6] = a.M6 * (z**2 - 2 * a.U * z * sin(om) + a.U**2) + a.M7 * (a.UA**2 + a.UB**2) + a.I6 + a.I7
    x = a.SD * cos(ga) + a.SC * sin(ga) + a.XB - a.XC
    y = a.SD * sin(ga) - a.SC * cos(ga) + a.YB - a.YC
    length = sqrt(x * x + y * y)
    pull = -a.C0 * (length - a.L0) / length
    Q = [
        a.TORQUE - a.M2 * a.DA * a.RR * v[1] * (v[1] + 2 * v[0]) * sin(th),
        a.M2 * a.DA * a.RR * v[0] ** 2 * sin(th),
        pull * x * (a.SC * cos(ga) - a.SD * sin(ga)) + pull * y * (a.SD * cos(ga) + a.SC * sin(ga)),
        a.M4 * a.ZT * k * v[4] ** 2 * cos(ph),
        -a.M4 * a.ZT * k * v[3] * (v[3] + 2 * v[4]) * cos(ph),
        -a.M6 * a.U * z * v[6] ** 2 * cos(om),
        a.M6 * a.U * z * v[5] * (v[5] + 2 * v[6]) * cos(om),
    ]
    # points of the loops: amplitude, angle; x = Re, y = Im of the sum of A exp(iα)
    arms = {
        0: (a.RR, be),
        1: (-a.D, be + th),
        2: (a.SS, ga),
        3: (a.E, ph + de),
        4: (-a.ZT, de),
        5: (-a.ZF, om + ep),
        6: (a.U, ep),
    }
    turned = (2, 3, 6)  # measured from the y axis
    moves = {0: (0,), 1: (0, 1), 2: (2,), 3: (3, 4), 4: (4,), 5: (5, 6), 6: (6,)}
    G: list[list[Any]] = [[0.0] * 7 for _ in range(6)]
    b: list[Any] = [0.0] * 6
    for loop, parts in enumerate(((0, 1, 2), (0, 1, 3, 4), (0, 1, 5, 6))):
        for i in parts:
            size, angle = arms[i]
            re, im = (-size * sin(angle), size * cos(angle)) if i in turned else (size * cos(angle), size * sin(angle))
            b[2 * loop] = b[2 * loop] + w[i] ** 2 * re
            b[2 * loop + 1] = b[2 * loop + 1] + w[i] ** 2 * im
            for j in moves[i]:
                G[2 * loop][j] = G[2 * loop][j] - im
                G[2 * loop + 1][j] = G[2 * loop + 1][j] + re
    return M, Q, G, b


class Equations:
    """y = (q, v) with the accelerations of M a + Gᵀλ = Q, G a = b: nothing holds the constraints,
    they drift."""

    t_end = T_END

    def __init__(self) -> None:
        from isodyn.problems import andrews

        self.andrews = andrews
        self.y0 = np.concatenate([andrews.start(), np.zeros(7)])

    def compiled(self) -> Any:
        return _compiled()

    def traced(self, t: Any, y: Any) -> Any:
        import jax.numpy as jnp

        M, Q, G, b = terms(y[:7], y[7:], jnp.sin, jnp.cos, jnp.sqrt)
        M, G = jnp.array(M), jnp.array(G)
        K = jnp.block([[M, G.T], [G, jnp.zeros((6, 6))]])
        return jnp.concatenate([y[7:], jnp.linalg.solve(K, jnp.array(Q + b))[:7]])

    def symbolic(self, casadi: Any, y: Any) -> Any:
        M, Q, G, b = self.rows(casadi, y)
        K = casadi.vertcat(casadi.horzcat(M, G.T), casadi.horzcat(G, casadi.SX(6, 6)))
        return casadi.vertcat(y[7:], casadi.solve(K, casadi.vertcat(Q, b))[:7])

    def rows(self, casadi: Any, y: Any) -> tuple[Any, Any, Any, Any]:
        M, Q, G, b = terms(casadi.vertsplit(y[:7]), casadi.vertsplit(y[7:]), casadi.sin, casadi.cos, casadi.sqrt)
        matrix = lambda rows: casadi.vertcat(*(casadi.horzcat(*row) for row in rows))  # noqa: E731
        return matrix(M), casadi.vertcat(*Q), matrix(G), casadi.vertcat(*b)


@lru_cache
def _compiled() -> Any:
    """(t, y) → y' by Numba, with the KKT matrix solved by LAPACK."""
    import numba

    from isodyn.problems.andrews import fill_force, fill_G, fill_loops, fill_mass, squared_rates

    @numba.njit
    def f(t, y):  # type: ignore[no-untyped-def]
        q, v = y[:7], y[7:]
        K, r, M, G, w = np.zeros((13, 13)), np.empty(13), np.empty((7, 7)), np.empty((6, 7)), np.empty(7)
        angles = np.empty(10)
        angles[:7] = q
        angles[7], angles[8], angles[9] = q[0] + q[1], q[3] + q[4], q[5] + q[6]
        s, c = np.sin(angles), np.cos(angles)
        fill_mass(s, c, M)
        fill_G(s, c, G)
        K[:7, :7], K[7:, :7] = M, G
        K[:7, 7:] = K[7:, :7].T
        fill_force(s, c, v, r[:7])
        squared_rates(v, w)
        fill_loops(s, c, w, r[7:])
        out = np.empty(14)
        out[:7], out[7:] = v, np.linalg.solve(K, r)[:7]
        return out

    return f


class Isodyn:
    """GS4 with fixed steps, or adaptive steps of order 8, on the angles or on the bodies."""

    def __init__(self, model: str = "andrews", scheme: tuple[str, list[float]] | None = None, **newton: Any) -> None:
        import isodyn as iso

        self.iso, self.system = iso, iso.problems.get(model).system()
        self.newton = iso.Newton(**newton)
        self.scheme = None if scheme is None else getattr(iso.Scheme, scheme[0])(*scheme[1])

    def run(self, amount: float, rows: int = 1) -> dict[str, float]:
        if self.scheme is None:
            save = 2 if rows == 1 else None  # both ends, or every step
            sol = self.iso.integrate_adaptive(self.system, t_end=T_END, rtol=amount, atol=0.1 * amount, save=save)
        else:
            n = int(amount)
            sol = self.iso.integrate(
                self.system, self.scheme, dt=T_END / n, t_end=T_END, save_every=max(1, n // rows), newton=self.newton
            )
        self.sol = sol
        return {
            "steps": sol.stats.steps,
            "iterations": sol.stats.iterations,
            "factorisations": sol.stats.factorisations,
        }

    def answer(self, amount: float) -> dict[str, Any]:
        self.run(amount, rows=100)
        q, v = (from_bodies(x[-1, 2::3]) if x.shape[1] == 21 else x[-1] for x in (self.sol.q, self.sol.v))
        return {"y": np.concatenate([q, v]), "drift": self.sol.drift().largest}


def from_bodies(angles: Any) -> np.ndarray:
    """The angles of the test set from those of the bodies against the ground."""
    a = np.asarray(angles)
    return np.array([a[0], a[1] - a[0], a[2], a[3] - a[4], a[4], a[5] - a[6], a[6]])


def turn(angle: float, x: float, y: float) -> np.ndarray:
    """A vector of a body in the axes of the ground."""
    return np.array([x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)])


class Exudyn:
    """Seven RigidBody2D, ten RevoluteJoint2D, a spring and a torque."""

    def __init__(self, **settings: Any) -> None:
        from benchmarks.peers import with_exudyn

        from isodyn.problems import andrews as a

        items = with_exudyn.items
        self.container, mbs = with_exudyn.new_system()
        ground = mbs.AddObject(items.ObjectGround())
        be, th, ga, ph, de, om, ep = a.start()
        A, B = np.array([a.XA, a.YA]), np.array([a.XB, a.YB])
        inner = (  # angle, point on the axis, mass centre from there in body axes
            (be, np.zeros(2), (a.RA, 0.0)),
            (be + th, turn(be, a.RR, 0.0), (-a.DA, 0.0)),
            (ga, B, (a.SB, -a.SA)),
            (ph + de, A + turn(de, a.ZT, 0.0), (0.0, a.EA - a.E)),
            (de, A, (a.TA, a.TB)),
            (om + ep, A + turn(ep, 0.0, -a.U), (a.ZF - a.FA, 0.0)),
            (ep, A, (a.UA, -a.UB)),
        )
        bodies = []
        for (angle, hinge, centre), m, J in zip(inner, a.MASSES, a.INERTIAS, strict=True):
            place = hinge + turn(angle, *centre)
            node = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[*place, angle]))
            bodies.append(mbs.AddObject(items.ObjectRigidBody2D(physicsMass=m, physicsInertia=J, nodeNumber=node)))

        def on(body: int, x: float, y: float) -> int:
            """A marker on a body, at a point given from its axis."""
            dx, dy = inner[body - 1][2]
            return mbs.AddMarker(
                items.MarkerBodyPosition(bodyNumber=bodies[body - 1], localPosition=[x - dx, y - dy, 0.0])
            )

        def fixed(x: float, y: float) -> int:
            return mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[x, y, 0.0]))

        for pair in (
            (fixed(0.0, 0.0), on(1, 0.0, 0.0)),
            (on(1, a.RR, 0.0), on(2, 0.0, 0.0)),
            (fixed(*B), on(3, 0.0, 0.0)),
            (fixed(*A), on(5, 0.0, 0.0)),
            (fixed(*A), on(7, 0.0, 0.0)),
            (on(5, a.ZT, 0.0), on(4, 0.0, 0.0)),
            (on(7, 0.0, -a.U), on(6, 0.0, 0.0)),
            (on(2, -a.D, 0.0), on(3, 0.0, -a.SS)),
            (on(2, -a.D, 0.0), on(4, 0.0, -a.E)),
            (on(2, -a.D, 0.0), on(6, a.ZF, 0.0)),
        ):
            mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=list(pair)))
        spring = [fixed(a.XC, a.YC), on(3, a.SD, -a.SC)]
        mbs.AddObject(
            items.ObjectConnectorSpringDamper(markerNumbers=spring, stiffness=a.C0, damping=0.0, referenceLength=a.L0)
        )
        crank = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=bodies[0]))
        mbs.AddLoad(items.LoadTorqueVector(markerNumber=crank, loadVector=[0.0, 0.0, a.TORQUE]))
        mbs.Assemble()
        self.timed = with_exudyn.Run(mbs, t_end=T_END, **settings)

    def run(self, steps: float) -> dict[str, float]:
        return {"steps": int(steps), **self.timed.go(int(steps))}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        rates = np.array(self.timed.system.systemData.GetODE2Coordinates_t())
        return {"y": np.concatenate([from_bodies(self.timed.coordinates()[2::3]), from_bodies(rates[2::3])])}


class CasadiIdas:
    """IDAS on the equations with accelerations and multipliers as algebraic unknowns (index 1)."""

    def __init__(self, compiled: bool = False) -> None:
        import casadi as ca

        self.compiled = with_ode.COMPILED if compiled else {}

        self.ca, equations = ca, Equations()
        self.y0, self.made = equations.y0, {}
        y, a, lam = ca.SX.sym("y", 14), ca.SX.sym("a", 7), ca.SX.sym("lam", 6)
        M, Q, G, b = equations.rows(ca, y)
        rows = ca.vertcat(M @ a + G.T @ lam - Q, G @ a - b)
        self.problem = {"x": y, "z": ca.vertcat(a, lam), "ode": ca.vertcat(y[7:], a), "alg": rows}
        start = equations.andrews
        K = np.block(
            [
                [start.plain_mass(self.y0[:7]), start.plain_G(self.y0[:7], 0.0).T],
                [start.plain_G(self.y0[:7], 0.0), np.zeros((6, 6))],
            ]
        )
        self.z0 = np.linalg.solve(K, np.concatenate([start.plain_force(self.y0[:7], self.y0[7:], 0.0), np.zeros(6)]))

    def run(self, tolerance: float) -> dict[str, float]:
        if tolerance not in self.made:
            options = {"reltol": tolerance, "abstol": 0.1 * tolerance, "max_num_steps": with_ode.MOST_STEPS}
            options |= self.compiled
            self.made[tolerance] = self.ca.integrator("solver", "idas", self.problem, 0.0, T_END, options)
        self.y = np.array(self.made[tolerance](x0=self.y0, z0=self.z0)["xf"]).ravel()
        return {}

    def answer(self, tolerance: float) -> dict[str, Any]:
        self.run(tolerance)
        return {"y": self.y}


def casadi(method: str, compiled: bool = False) -> Any:
    return CasadiIdas(compiled) if method == "idas" else with_ode.Casadi(Equations(), compiled)


PACKAGES = {
    "isodyn": Isodyn,
    "exudyn": Exudyn,
    "scipy": lambda method: with_ode.Scipy(Equations(), method),
    "sundae": lambda method: with_ode.Sundae(Equations(), method),
    "diffrax": lambda method: with_ode.Diffrax(Equations(), method),
    "casadi": casadi,
}
