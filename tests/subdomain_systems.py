"""Linear systems cut into subdomains, with exact motions and multipliers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import expm

import isodyn as iso


def chain(load: bool = True, damping: float = 0.02) -> iso.subdomains.Elements:
    """Seven masses between springs of unlike stiffness, as elements of two coordinates; the left
    end is held."""
    stiffness = np.array([40.0, 15.0, 60.0, 25.0, 30.0, 80.0, 20.0])
    masses = np.array([1.0, 2.0, 1.5, 1.0, 3.0, 1.2, 0.8])
    dofs = np.column_stack([np.arange(-1, 6), np.arange(7)])
    K = stiffness[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    M = masses[:, None, None] * np.array([[0.3, 0.1], [0.1, 0.5]])
    amplitude = np.array([0.5, 0.0, 2.0, 1.0, -1.5, 0.0, 1.0])
    f = (lambda t: amplitude * np.sin(t)) if load else None
    q0, v0 = np.array([0.1, 0.2, 0.1, -0.1, 0.3, 0.2, 0.4]), np.array([0.5, -0.2, 0.3, 0.1, -0.4, 0.2, 0.6])
    return iso.subdomains.Elements(dofs, M, K, q0, v0, C=damping * K, f=f)


THREE = {"left": [0, 1, 2], "middle": [3, 4], "right": [5, 6]}  # elements
TWO = {"left": [0, 1, 2, 3], "right": [4, 5, 6]}


def split_oscillator(load: bool = True, q0: float = 1.0, v0: float = 0.5) -> iso.Subdomains:
    """The oscillator of Shimada2014, example 4.5.1, in two halves."""
    f = (lambda t: np.array([np.sin(t)])) if load else None
    halves = {name: iso.LinearSystem(m, None, k, f, [q0], [v0]) for name, m, k in (("1", 0.095, 5), ("2", 0.005, 45))}
    return iso.Subdomains(halves, ties=[("1", [0], "2", [0])])


def exact(system: iso.LinearSystem, times: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, v, a of M a + C v + K q = p sin t on a uniform grid that starts at 0; p is read off the
    load."""
    M, C, K = (0.0 * system.M if A is None else A for A in (system.M, system.C, system.K))
    M, C, K = (A.toarray() if hasattr(A, "toarray") else A for A in (M, C, K))
    n = system.nv
    p = np.zeros(n) if system.f is None else np.asarray(system.f(np.pi / 2))
    A = np.zeros((2 * n + 2, 2 * n + 2))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n, :n], A[n : 2 * n, n : 2 * n] = -np.linalg.solve(M, K), -np.linalg.solve(M, C)
    A[n : 2 * n, 2 * n] = np.linalg.solve(M, p)
    A[2 * n, 2 * n + 1], A[2 * n + 1, 2 * n] = 1.0, -1.0
    y = np.zeros((times.size, 2 * n + 2))
    y[0] = np.concatenate([system.q0, system.v0, [0.0, 1.0]])
    forward = expm((times[1] - times[0]) * A)
    for k in range(1, times.size):
        y[k] = forward @ y[k - 1]
    return y[:, :n], y[:, n : 2 * n], (y @ A.T)[:, n : 2 * n]


def errors(sol: Any, undivided: iso.LinearSystem, places: dict[str, Any]) -> dict[str, float]:
    """Largest error over time of q, v, a in every subdomain and of λ, relative to the largest
    value."""
    motion = dict(zip("qva", exact(undivided, sol.t), strict=True))
    found = {}
    forces, G = [], []
    for name, at in places.items():
        part = sol.subdomains.systems[name]
        for key, values in motion.items():
            found[f"{key} {name}"] = abs(getattr(sol[name], key) - values[:, at]).max() / abs(values).max()
        q, v, a = (motion[key][:, at] for key in "qva")
        load = np.zeros(q.shape) if part.f is None else np.array([part.f(t) for t in sol.t])
        C = 0.0 * part.M if part.C is None else part.C
        forces.append(load - (part.M @ a.T + C @ v.T + part.K @ q.T).T)
        G.append(sol.subdomains.G[name].toarray())
    lam = np.linalg.lstsq(np.hstack(G).T, np.hstack(forces).T, rcond=None)[0].T
    found["lam"] = abs(sol.lam - lam).max() / abs(lam).max()
    return found
