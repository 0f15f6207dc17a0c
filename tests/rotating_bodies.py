"""A rigid body on a pivot in (position, quaternion), with retraction and difference, and the same
motion without constraints."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import isodyn as iso

MASS, INERTIA, CENTRE, GRAVITY = 2.0, np.array([0.3, 0.4, 0.1]), np.array([0.0, 0.0, 0.5]), 9.81
START = np.array([np.cos(0.3), np.sin(0.3), 0.0, 0.0])
SPIN = np.array([0.5, 0.1, 12.0])


def product(p, q):
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def rotation(p):
    w, u = p[0], p[1:]
    return (w * w - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * hat(u)


def hat(x):
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def retract(q, d):
    half = 0.5 * np.linalg.norm(d[3:])
    turn = np.concatenate([[np.cos(half)], 0.5 * d[3:] * np.sinc(half / np.pi)])
    return np.concatenate([q[:3] + d[:3], product(q[3:], turn)])


def difference(q_1, q_2):
    p = product(q_1[3:] * [1, -1, -1, -1], q_2[3:])
    sine = np.linalg.norm(p[1:])
    turn = 2 * np.arctan2(sine, p[0]) * p[1:] / sine if sine > 0 else np.zeros(3)
    return np.concatenate([q_2[:3] - q_1[:3], turn])


def top_system() -> iso.MechanicalSystem:
    """The pivot is a constraint on position and quaternion: r = R c."""

    def Q(q, v, t):
        return np.concatenate([[0.0, 0.0, -MASS * GRAVITY], -np.cross(v[3:], INERTIA * v[3:])])

    def energy(q, v, t):
        return 0.5 * (MASS * v[:3] @ v[:3] + v[3:] @ (INERTIA * v[3:])), MASS * GRAVITY * q[2]

    R = rotation(START)
    return iso.MechanicalSystem(
        np.array([MASS] * 3 + list(INERTIA)),
        Q,
        np.concatenate([R @ CENTRE, START]),
        np.concatenate([R @ np.cross(SPIN, CENTRE), SPIN]),
        phi=lambda q, t: q[:3] - rotation(q[3:]) @ CENTRE,
        G=lambda q, t: np.hstack([np.eye(3), rotation(q[3:]) @ hat(CENTRE)]),
        b=lambda q, v, t: rotation(q[3:]) @ np.cross(v[3:], np.cross(v[3:], CENTRE)),
        retract=retract,
        difference=difference,
        energy=energy,
    )


def top_end(t_end):
    """Quaternion and angular velocity by Euler's equations about the pivot, without constraints."""
    about_pivot = np.diag(INERTIA) - MASS * hat(CENTRE) @ hat(CENTRE)

    def rate(t, y):
        p, w = y[:4] / np.linalg.norm(y[:4]), y[4:]
        torque = np.cross(CENTRE, rotation(p).T @ [0.0, 0.0, -MASS * GRAVITY]) - np.cross(w, about_pivot @ w)
        return np.concatenate([0.5 * product(p, np.concatenate([[0.0], w])), np.linalg.solve(about_pivot, torque)])

    y = solve_ivp(rate, (0, t_end), np.concatenate([START, SPIN]), method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return y[:4] / np.linalg.norm(y[:4]), y[4:]
