"""Rigid bodies in space with joints of points and axes, and springs between points, once more in
complex numbers: runs of the stabilised step with corrections in the range of M⁻¹G_nᵀ.

Numbers of bodies and geometry of rows are read from a compiled mechanism; masses, weights and
stiffnesses may be complex. A configuration is a list (r, R) of bodies, rotations move by
R exp(d).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.joints.measures import AXES, OFFSET, POINT
from isodyn.stepping.coefficients import coefficients, starting_scheme

TINY = 1e-30
E3 = np.eye(3)


def cross(a: Any, b: Any) -> Any:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def exp(d: Any) -> Any:
    """The rotation by a vector."""
    s = d @ d
    if abs(s) < 1e-8:
        a, b = 1 - s / 6 + s * s / 120, 0.5 - s / 24 + s * s / 720
    else:
        angle = np.sqrt(s)
        a, b = np.sin(angle) / angle, (1 - np.cos(angle)) / s
    W = np.array([[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]])
    return E3 + a * W + b * (W @ W)


class ComplexMechanism:
    """`changed` are complex numbers by name: "body.mass", "gravity.z", "spring.stiffness"."""

    def __init__(self, system: Any, changed: dict[str, complex]) -> None:
        layout, parts = system.layout, system.description.parts
        self.bodies, self.n, self.m = layout.bodies, system.nv, system.m
        self.mass = [changed.get(f"{body.name}.mass", body.mass) for body in self.bodies]
        self.inertia = [body.inertia for body in self.bodies]
        self.gravity = layout.gravity.astype(complex)
        self.gravity[2] = changed.get("gravity.z", self.gravity[2])
        self.rows = [row.terms[0][1] for row in layout.rows]
        assert all(len(row.terms) == 1 and row.terms[0][0] == 1.0 for row in layout.rows)
        self.place = {**{body.name: k for k, body in enumerate(self.bodies)}, "ground": -1}
        self.springs = []
        for name, load in parts.loads.items():
            law = system.loads[name].laws[0]
            stiffness = changed.get(f"{name}.stiffness", load.stiffness)
            self.springs.append((law.word, stiffness, load.damping, law.force.rest))
        M = np.zeros((self.n, self.n), dtype=complex)
        for k in range(len(self.bodies)):
            M[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = self.mass[k] * E3
            M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = self.inertia[k]
        self.M = M

    def start(self, rows: Any) -> tuple[Any, Any]:
        """Places, which must lie on the constraints, and velocities, which are moved onto them."""
        q = [(body.position.astype(complex), body.R.astype(complex)) for body in self.bodies]
        v = np.concatenate([body.v0 for body in self.bodies]).astype(complex)
        G = self.levels(q, v)[1][rows]
        B = np.linalg.solve(self.M, G.T)
        return q, v - B @ np.linalg.solve(G @ B, G @ v)

    @staticmethod
    def moved(q: Any, d: Any) -> Any:
        return [(r + d[6 * k : 6 * k + 3], R @ exp(d[6 * k + 3 : 6 * k + 6])) for k, (r, R) in enumerate(q)]

    def at(self, q: Any, v: Any, name: str) -> Any:
        """Place, rotation, velocity and turning of a body."""
        k = self.place[name]
        if k < 0:
            return np.zeros(3), E3, np.zeros(3), np.zeros(3), None
        return *q[k], v[6 * k : 6 * k + 3], v[6 * k + 3 : 6 * k + 6], 6 * k

    def measure(self, word: Any, q: Any, v: Any) -> tuple[Any, Any, Any]:
        """Value, gradient (n,) and rest of a measure; those of a distance for springs."""
        ri, Ri, vi, wi, i = self.at(q, v, word.first)
        rj, Rj, vj, wj, j = self.at(q, v, word.second)
        x, g = word.numbers, np.zeros(self.n, dtype=complex)

        def put(k: int | None, of_r: Any, of_w: Any) -> None:
            if k is not None:
                g[k : k + 3] += of_r
                g[k + 3 : k + 6] += of_w

        if word.kind == AXES:
            a, c = Ri @ x.a, Rj @ x.c
            put(i, 0, cross(x.a, Ri.T @ c))
            put(j, 0, cross(x.c, Rj.T @ a))
            rates = Ri @ cross(wi, x.a), Rj @ cross(wj, x.c)
            rest = (Ri @ cross(wi, cross(wi, x.a))) @ c + 2 * rates[0] @ rates[1] + a @ (Rj @ cross(wj, cross(wj, x.c)))
            return a @ c, g, rest
        d = rj + Rj @ x.s_j - ri - Ri @ x.s_i
        rate = vj + Rj @ cross(wj, x.s_j) - vi - Ri @ cross(wi, x.s_i)
        bent = Rj @ cross(wj, cross(wj, x.s_j)) - Ri @ cross(wi, cross(wi, x.s_i))
        if word.kind == OFFSET:
            a = Ri @ x.a
            put(i, -a, cross(x.a, Ri.T @ d) - cross(x.s_i, x.a))
            put(j, a, cross(x.s_j, Rj.T @ a))
            turned = Ri @ cross(wi, cross(wi, x.a))
            return a @ d, g, turned @ d + 2 * (Ri @ cross(wi, x.a)) @ rate + a @ bent
        u, sign = (x.u, -1.0) if word.kind == POINT else (d / np.sqrt(d @ d), 1.0)
        put(i, -sign * u, -sign * cross(x.s_i, Ri.T @ u))
        put(j, sign * u, sign * cross(x.s_j, Rj.T @ u))
        return (sign * u @ d if word.kind == POINT else np.sqrt(d @ d)), g, sign * u @ bent

    def levels(self, q: Any, v: Any) -> tuple[Any, Any, Any]:
        """φ, G, and φ̈ without accelerations."""
        found = [self.measure(word, q, v) for word in self.rows]
        return tuple(np.array(x) for x in zip(*found, strict=True))

    def forces(self, q: Any, v: Any) -> Any:
        """Weights, gyroscopic moments and springs."""
        out = np.zeros(self.n, dtype=complex)
        for k in range(len(self.bodies)):
            w = v[6 * k + 3 : 6 * k + 6]
            out[6 * k : 6 * k + 3] += self.mass[k] * self.gravity
            out[6 * k + 3 : 6 * k + 6] -= cross(w, self.inertia[k] @ w)
        for word, stiffness, damping, rest in self.springs:
            length, g, _ = self.measure(word, q, v)
            out -= g * (stiffness * (length - rest) + damping * (g @ v))
        return out


def solve(residual: Any, z: Any) -> Any:
    """Newton's iteration; derivatives of the residual in real numbers, until both parts stand."""
    z = z.astype(complex)
    J = np.empty((z.size, z.size))
    for j in range(z.size):
        e = np.zeros(z.size)
        e[j] = 1e-5 * max(1.0, abs(z[j].real))
        J[:, j] = (residual(z + e) - residual(z - e)).real / (2 * e[j])
    before = np.inf
    for _ in range(30):
        d = np.linalg.solve(J, residual(z))
        z = z - d
        change = np.abs(d.real).max() / np.abs(z.real).max() + np.abs(d.imag).max() / (np.abs(z.imag).max() + 1e-300)
        if change < 1e-15 or (change < 1e-10 and change > 0.5 * before):
            break
        before = change
    return z


def reference(
    system: Any, changed: dict[str, complex], scheme: Any, dt: float, steps: int, rows: Any
) -> list[tuple[Any, ...]]:
    """(places, v, a, λ of least norm) of all rows; `rows` are those that are enforced."""
    model, m = ComplexMechanism(system, changed), len(rows)
    n, M = model.n, model.M
    q, v = model.start(rows)
    _, G, rest = model.levels(q, v)
    K = np.block([[M, G[rows].T], [G[rows], np.zeros((m, m))]])
    z = np.linalg.solve(K, np.r_[model.forces(q, v), -rest[rows]])
    a, lam, da = z[:n], z[n:], np.zeros(n, dtype=complex)
    found = [(q, v, a, shared(system, G, lam, rows))]
    x = np.r_[np.zeros(n), lam, np.zeros(m)]
    main, first = coefficients(scheme), coefficients(starting_scheme(scheme))
    for k in range(steps):
        c = first if k == 0 else main
        B = np.linalg.solve(M, model.levels(q, v)[1][rows].T)

        def ends(z: Any, c: Any = c, q: Any = q, v: Any = v, a: Any = a, B: Any = B) -> Any:
            x, mu = z[:n], z[n + m :]
            return model.moved(q, dt * v + dt**2 * (a / 2 + c.l3 * x - B @ mu)), v + dt * (a + c.l5 * x)

        def residual(z: Any, c: Any = c, q: Any = q, v: Any = v, a: Any = a, ends: Any = ends) -> Any:
            x, lt = z[:n], z[n : n + m]
            qt = model.moved(q, c.W1 * dt * v + dt**2 * (c.W2L2 * a + c.W3L3 * x))
            vt, at = v + dt * (c.W1 * a + c.W2L5 * x), a + c.W1L6 * x
            q1, v1 = ends(z)
            phi, G1, _ = model.levels(q1, v1)
            r = M @ at + model.levels(qt, vt)[1][rows].T @ lt - model.forces(qt, vt)
            return np.r_[r, G1[rows] @ v1 / dt, phi[rows] / dt**2]

        x = solve(residual, x)
        q, v = ends(x)
        da = x[:n]
        a, lam = a + da, lam + (x[n : n + m] - lam) / c.W1
        found.append((q, v, a + c.phi * da, shared(system, model.levels(q, v)[1], lam, rows)))
        if k == 0:
            a = a + (c.phi - main.phi) * da
    return found


def shared(system: Any, G: Any, lam: Any, rows: Any) -> Any:
    """Multipliers of least norm, in units of work along typical sizes, of the force of the enforced
    rows; without conjugates, so that derivatives go through."""
    r = np.ones(len(G)) if system.scales.rows is None else system.scales.rows
    B = G * (system.scales.v / r[:, None])
    f, C = B[rows].T @ (r[rows] * lam), B[rows]
    return B @ C.T @ np.linalg.solve(C @ B.T @ B @ C.T, C @ f) / r
