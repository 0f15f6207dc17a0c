"""How packages run the strip: 1 m × 10 mm × 1 mm of steel, hinged at one end, level and straight at
rest, swinging down for a second.

    ρA = 0.078 kg/m, EA = 2.07e6 N, EI = 0.1725 N m², g = 9.81 m/s²

Both packages have N cubic elements with positions and slopes of N + 1 nodes as coordinates and the
same mass matrix. Their strain energies are two discretisations of the same beam:

    isodyn   EA (ℓ − ℓ₀)²/2ℓ₀ of the chord ℓ of an element + ½EI ∫ |r''|² dX
    Exudyn   ½EA ∫ (|r'| − 1)² dX + ½EI ∫ (r' × r''/|r'|²)² dX

A case answers with the place of the tip every 0.05 s.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

LENGTH, RHO_A, EA, EI, GRAVITY, DT, EVERY = 1.0, 0.078, 2.07e6, 0.1725, 9.81, 1e-3, 0.05


class Isodyn:
    """The problem of the library, Newton's iteration with its default tolerance."""

    def __init__(self, elements: int, family: str, radii: list[float], dt: float = DT, **newton: Any) -> None:
        import isodyn as iso

        self.system = iso.problems.get("flexible_pendulum").system(elements=float(elements))
        self.scheme, self.dt = getattr(iso.Scheme, family)(*radii), dt
        self.integrate, self.newton = iso.integrate, iso.Newton(**newton)

    def run(self, steps: float, every: int | None = None) -> dict[str, float]:
        n = int(steps)
        self.sol = self.integrate(
            self.system, self.scheme, dt=self.dt, t_end=n * self.dt, save_every=every or n, newton=self.newton
        )
        return {"iterations": self.sol.stats.iterations, "factorisations": self.sol.stats.factorisations}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps, round(EVERY / self.dt))
        return {"tip": self.sol.q[1:, -4:-2], "halvings": self.sol.stats.halvings}


class Exudyn:
    """ANCFCable2D, two coordinates of its first node held."""

    def __init__(self, elements: int, quadrature: int = 0, dt: float = DT, **settings: Any) -> None:
        from benchmarks.peers import with_exudyn

        self.make, self.elements, self.quadrature = with_exudyn, elements, quadrature
        self.dt, self.settings = dt, settings
        self.timed, *self.kept = self._model(None)

    def _model(self, sensors: float | None) -> tuple[Any, int, Any]:
        items, n = self.make.items, self.elements
        container, mbs = self.make.new_system()
        nodes = [
            mbs.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[LENGTH * i / n, 0.0, 1.0, 0.0]))
            for i in range(n + 1)
        ]
        for pair in pairwise(nodes):
            cable = items.ObjectANCFCable2D(
                length=LENGTH / n,
                massPerLength=RHO_A,
                bendingStiffness=EI,
                axialStiffness=EA,
                nodeNumbers=list(pair),
                useReducedOrderIntegration=self.quadrature,
            )
            mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=mbs.AddObject(cable)))
            mbs.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[0.0, -GRAVITY, 0.0]))
        fixed = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround()), coordinate=0))
        for i in range(2):
            held = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=i))
            mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[fixed, held]))
        sensor = -1
        if sensors is not None:
            kind = self.make.exu.OutputVariableType.Position
            sensor = mbs.AddSensor(items.SensorNode(nodeNumber=nodes[-1], storeInternal=True, outputVariableType=kind))
        mbs.Assemble()
        return self.make.Run(mbs, dt=self.dt, sensors=sensors, **self.settings), sensor, container

    def run(self, steps: float) -> dict[str, float]:
        return self.timed.go(int(steps))

    def answer(self, steps: float) -> dict[str, Any]:
        run, sensor, _ = self._model(EVERY)
        run.go(int(steps))
        return {"tip": run.system.GetSensorStoredData(sensor)[1:, 1:3]}


PACKAGES = {"isodyn": Isodyn, "exudyn": Exudyn}


# ---- the reference


def reference(t_end: float, modes: int = 14) -> np.ndarray:
    """Places of the tip every 0.05 s of the continuous beam that does not stretch, (times, 2); 14
    modes are right to 1e-6 m.

    The angle θ(X, t) = Σ c_k(t) θ_k(X) of the tangent, r = ∫ (cos θ, sin θ) dX, the hinge and the
    free end by the weak form:

        ρA ∫ r_k·r̈ dX = −ρA g ∫ y_k dX − EI ∫ θ_k' θ' dX,    r_k = ∂r/∂c_k

    θ_k are the lowest natural modes of the level strip, found in polynomials of Legendre; DOP853 at
    1e-9 does the rest. The strip stretches by less than 2e-6 under its own tension.
    """
    from numpy.polynomial import legendre
    from scipy.integrate import solve_ivp
    from scipy.linalg import eigh

    degree = 2 * modes + 4
    m = degree + 16
    x, w = legendre.leggauss(m)
    w *= 0.5 * LENGTH
    each = np.eye(m)
    values = legendre.legvander(x, m - 1)
    slopes = np.stack([legendre.legval(x, legendre.legder(row)) for row in each], axis=1) * 2.0 / LENGTH
    areas = np.stack([legendre.legval(x, legendre.legint(row, lbnd=-1)) for row in each], axis=1) * 0.5 * LENGTH
    from_start = areas @ np.linalg.inv(values)  # f at the points → ∫₀ f dX at the points
    bending = EI * (slopes[:, :degree].T * w) @ slopes[:, :degree]
    lever = areas[:, :degree]
    squares, shapes = eigh(bending, RHO_A * (lever.T * w) @ lever)
    theta, stiffness = values[:, :degree] @ shapes[:, :modes], squares[:modes]

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        c, rate = y[:modes], y[modes:]
        angle, turning = theta @ c, theta @ rate
        cos, sin = np.cos(angle), np.sin(angle)
        x_k, y_k = from_start @ (-sin[:, None] * theta), from_start @ (cos[:, None] * theta)
        # r̈ = Σ r_k c̈_k + this
        x_2, y_2 = from_start @ (-cos * turning**2), from_start @ (-sin * turning**2)
        mass = RHO_A * ((x_k.T * w) @ x_k + (y_k.T * w) @ y_k)
        force = -RHO_A * (x_k.T @ (w * x_2) + y_k.T @ (w * (y_2 + GRAVITY))) - stiffness * c
        return np.concatenate([rate, np.linalg.solve(mass, force)])

    times = np.arange(1, round(t_end / EVERY) + 1) * EVERY
    found = solve_ivp(rhs, (0.0, times[-1]), np.zeros(2 * modes), method="DOP853", t_eval=times, rtol=1e-9, atol=1e-11)
    angle = theta @ found.y[:modes]
    return np.stack([w @ np.cos(angle), w @ np.sin(angle)], axis=1)
