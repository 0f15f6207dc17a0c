"""Models with constraints as functions of real or complex numbers, and as systems with parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

import isodyn as iso


class Pendulum:
    """A point on a rod; the start lies on the circle."""

    names = ("m", "L", "g", "th")
    values = (1.3, 0.9, 9.81, 1.2)
    n, m = 2, 1

    def start(self, p):
        return np.array([p[1] * np.sin(p[3]), -p[1] * np.cos(p[3])]), np.zeros(2, dtype=p.dtype)

    def M(self, q, p):
        return p[0] * np.eye(2)

    def Q(self, q, v, t, p):
        return np.array([0.0 * p[0], -p[0] * p[2]])

    def phi(self, q, p):
        return np.array([(q @ q - p[1] ** 2) / 2])

    def G(self, q, p):
        return q[None]

    def b(self, q, v, p):
        return np.array([-(v @ v)])


class FourBar:
    """Three planar bodies on four pins, a torsion spring, a driven crank, a rough start that is moved."""

    names = ("m2", "L1", "L2", "k", "drive", "omega", "theta")
    values = (0.8, 0.4, 1.2, 6.0, 2.0, 3.0, 0.7)
    n, m = 9, 8
    L3, D = 1.1, 1.3

    def lengths(self, p):
        return p[1], p[2], self.L3 + 0 * p[0]

    def start(self, p):
        L1, L2, om, th = p[1], p[2], p[5], p[6]
        c, s, one = np.cos(th), np.sin(th), 1 + 0 * p[0]
        q = np.array(
            [
                L1 / 2 * c,
                L1 / 2 * s,
                th,
                L1 * c + L2 / 2 * np.cos(0.5 * one),
                L1 * s + L2 / 2 * np.sin(0.5 * one),
                0.5 * one,
                1.15 * one,
                0.55 * one,
                1.7 * one,
            ]
        )
        v = np.zeros(9, dtype=p.dtype)
        v[2] = om
        return q, v

    def M(self, q, p):
        m = (1.0 + 0 * p[0], p[0], 1.5 + 0 * p[0])
        return np.diag([x for mass, L in zip(m, self.lengths(p), strict=False) for x in (mass, mass, mass * L**2 / 12)])

    def Q(self, q, v, t, p):
        m, g = (1.0 + 0 * p[0], p[0], 1.5 + 0 * p[0]), 9.81
        spring = -p[3] * (q[8] - 2.0) - 0.05 * v[8]
        zero = 0 * p[0]
        return np.array([zero, -m[0] * g, p[4] * np.sin(3 * t), zero, -m[1] * g, zero, zero, -m[2] * g, spring])

    def ends(self):
        """(body, which end) of the rows, first with plus, second with minus; −1 is the ground."""
        return ((0, -1), None), ((0, 1), (1, -1)), ((1, 1), (2, 1)), ((2, -1), None)

    def phi(self, q, p):
        L, out = self.lengths(p), []
        for k, (one, two) in enumerate(self.ends()):
            point = self.point(q, L, one) - (self.point(q, L, two) if two else np.array([self.D * (k == 3), 0.0]))
            out.extend(point)
        return np.array(out)

    def point(self, q, L, end):
        i, s = end
        x, y, a = q[3 * i : 3 * i + 3]
        return np.array([x + s * L[i] / 2 * np.cos(a), y + s * L[i] / 2 * np.sin(a)])

    def G(self, q, p):
        L, G = self.lengths(p), np.zeros((8, 9), dtype=np.result_type(q, p))
        for k, pair in enumerate(self.ends()):
            for sign, end in zip((1, -1), pair, strict=False):
                if end:
                    i, s = end
                    a = q[3 * i + 2]
                    G[2 * k, 3 * i] = G[2 * k + 1, 3 * i + 1] = sign
                    G[2 * k, 3 * i + 2] = -sign * s * L[i] / 2 * np.sin(a)
                    G[2 * k + 1, 3 * i + 2] = sign * s * L[i] / 2 * np.cos(a)
        return G

    def b(self, q, v, p):
        L, b = self.lengths(p), np.zeros(8, dtype=np.result_type(q, v, p))
        for k, pair in enumerate(self.ends()):
            for sign, end in zip((1, -1), pair, strict=False):
                if end:
                    i, s = end
                    a, w = q[3 * i + 2], v[3 * i + 2]
                    b[2 * k] += sign * s * L[i] / 2 * np.cos(a) * w * w
                    b[2 * k + 1] += sign * s * L[i] / 2 * np.sin(a) * w * w
        return b


class Andrews:
    """Andrews' squeezer [Hairer1996, VII.7] with its spring, seven angles and three loops."""

    names = ("c0", "m2", "m4", "rr", "mom", "l0")
    n, m = 7, 6

    def __init__(self) -> None:
        self.d = {
            "m1": 0.04325, "m3": 0.02373, "m5": 0.07050, "m6": 0.00706, "m7": 0.05498,
            "i1": 2.194e-6, "i2": 4.410e-7, "i3": 5.255e-6, "i4": 5.667e-7, "i5": 1.169e-5, "i6": 5.667e-7, "i7": 1.912e-5,
            "xa": -0.06934, "ya": -0.00227, "xb": -0.03635, "yb": 0.03273, "xc": 0.014, "yc": 0.072,
            "d": 28e-3, "da": 115e-4, "e": 2e-2, "ea": 1421e-5, "ra": 92e-5, "ss": 35e-3, "sa": 1874e-5, "sb": 1043e-5,
            "sc": 18e-3, "sd": 2e-2, "ta": 2308e-5, "tb": 916e-5, "u": 4e-2, "ua": 1228e-5, "ub": 449e-5,
            "zf": 2e-2, "zt": 4e-2, "fa": 1421e-5,
        }  # fmt: skip
        self.values = (4530.0, 0.00365, 0.00706, 7e-3, 0.033, 0.07785)
        self.q0 = np.array(
            [
                -0.06171389001427645,
                0,
                0.45527981916307037,
                0.22266839016588588,
                0.48736497954384256,
                -0.22266839016588588,
                1.2305474445498212,
            ]
        )

    def start(self, p):
        return self.q0 + 0 * p[0], np.zeros(7) + 0 * p[0]

    def M(self, q, p):
        k, (_be, Th, _ga, Ph, _de, Om, _ep) = self.d, q
        m2, m4, rr = p[1], p[2], p[3]
        M = np.zeros((7, 7), dtype=np.result_type(q, p))
        M[0, 0] = (
            k["m1"] * k["ra"] ** 2 + m2 * (rr**2 - 2 * k["da"] * rr * np.cos(Th) + k["da"] ** 2) + k["i1"] + k["i2"]
        )
        M[0, 1] = M[1, 0] = m2 * (k["da"] ** 2 - k["da"] * rr * np.cos(Th)) + k["i2"]
        M[1, 1] = m2 * k["da"] ** 2 + k["i2"]
        M[2, 2] = k["m3"] * (k["sa"] ** 2 + k["sb"] ** 2) + k["i3"]
        r, z = k["e"] - k["ea"], k["zt"]
        M[3, 3] = m4 * r**2 + k["i4"]
        M[3, 4] = M[4, 3] = m4 * (r**2 + z * r * np.sin(Ph)) + k["i4"]
        M[4, 4] = (
            m4 * (z**2 + 2 * z * r * np.sin(Ph) + r**2) + k["m5"] * (k["ta"] ** 2 + k["tb"] ** 2) + k["i4"] + k["i5"]
        )
        r, u = k["zf"] - k["fa"], k["u"]
        M[5, 5] = k["m6"] * r**2 + k["i6"]
        M[5, 6] = M[6, 5] = k["m6"] * (r**2 - u * r * np.sin(Om)) + k["i6"]
        M[6, 6] = (
            k["m6"] * (r**2 - 2 * u * r * np.sin(Om) + u**2)
            + k["m7"] * (k["ua"] ** 2 + k["ub"] ** 2)
            + k["i6"]
            + k["i7"]
        )
        return M

    def Q(self, q, v, t, p):
        k, (_be, Th, ga, Ph, _de, Om, _ep) = self.d, q
        bd, Td, _gd, Pd, dd, Od, ed = v
        c0, m2, m4, rr, mom, l0 = p
        xd = k["sd"] * np.cos(ga) + k["sc"] * np.sin(ga) + k["xb"]
        yd = k["sd"] * np.sin(ga) - k["sc"] * np.cos(ga) + k["yb"]
        L = np.sqrt((xd - k["xc"]) ** 2 + (yd - k["yc"]) ** 2)
        F = -c0 * (L - l0) / L
        fx, fy = F * (xd - k["xc"]), F * (yd - k["yc"])
        r, z, u, s = k["e"] - k["ea"], k["zt"], k["u"], k["zf"] - k["fa"]
        return np.array(
            [
                mom - m2 * k["da"] * rr * Td * (Td + 2 * bd) * np.sin(Th),
                m2 * k["da"] * rr * bd**2 * np.sin(Th),
                fx * (k["sc"] * np.cos(ga) - k["sd"] * np.sin(ga)) + fy * (k["sd"] * np.cos(ga) + k["sc"] * np.sin(ga)),
                m4 * z * r * dd**2 * np.cos(Ph),
                -m4 * z * r * Pd * (Pd + 2 * dd) * np.cos(Ph),
                -k["m6"] * u * s * ed**2 * np.cos(Om),
                k["m6"] * u * s * Od * (Od + 2 * ed) * np.cos(Om),
            ]
        )

    def chains(self, q, p):
        """Rows as sums of (factor, angles, 'c' or 's')."""
        k, rr = self.d, p[3]
        x = [(rr, (0,), "c"), (-k["d"], (0, 1), "c")]
        y = [(rr, (0,), "s"), (-k["d"], (0, 1), "s")]
        return (
            [*x, (-k["ss"], (2,), "s")],
            [*y, (k["ss"], (2,), "c")],
            [*x, (-k["e"], (3, 4), "s"), (-k["zt"], (4,), "c")],
            [*y, (k["e"], (3, 4), "c"), (-k["zt"], (4,), "s")],
            [*x, (-k["zf"], (5, 6), "c"), (-k["u"], (6,), "s")],
            [*y, (-k["zf"], (5, 6), "s"), (k["u"], (6,), "c")],
        )

    def phi(self, q, p):
        k, out = self.d, []
        ends = (k["xb"], k["yb"], k["xa"], k["ya"], k["xa"], k["ya"])
        for row, end in zip(self.chains(q, p), ends, strict=False):
            out.append(sum(f * (np.cos if w == "c" else np.sin)(sum(q[i] for i in a)) for f, a, w in row) - end)
        return np.array(out)

    def G(self, q, p):
        G = np.zeros((6, 7), dtype=np.result_type(q, p))
        for r, row in enumerate(self.chains(q, p)):
            for f, angles, w in row:
                s = sum(q[i] for i in angles)
                for i in angles:
                    G[r, i] += f * (-np.sin(s) if w == "c" else np.cos(s))
        return G

    def b(self, q, v, p):
        b = np.zeros(6, dtype=np.result_type(q, v, p))
        for r, row in enumerate(self.chains(q, p)):
            for f, angles, w in row:
                s, rate = sum(q[i] for i in angles), sum(v[i] for i in angles)
                b[r] += f * (np.cos(s) if w == "c" else np.sin(s)) * rate**2
        return b


def family(model: Any) -> iso.Parametrised:
    """The model as a system of isodyn."""

    def build(**numbers: float) -> iso.MechanicalSystem:
        p = np.array([numbers[name] for name in model.names])
        q0, v0 = model.start(p)
        return iso.MechanicalSystem(
            M=lambda q: model.M(q, p),
            Q=lambda q, v, t: model.Q(q, v, t, p),
            q0=q0,
            v0=v0,
            phi=lambda q, t: model.phi(q, p),
            G=lambda q, t: model.G(q, p),
            b=lambda q, v, t: model.b(q, v, p),
        )

    return iso.Parametrised(build, **dict(zip(model.names, model.values, strict=False)))
