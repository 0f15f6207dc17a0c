"""Solvers of ordinary differential equations y' = f(t, y) that several problems are given to;
`amount` is the relative tolerance.

The absolute one is a tenth of it. Right-hand sides are compiled: by Numba for SciPy and SUNDIALS
(the call from Python remains), by XLA for diffrax, as an expression graph for CasADi. A problem
passes its equations as an object with y0, t_end and the functions `compiled()`, `traced(t, y)` and
`symbolic(casadi, y)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_STEPS = 1_000_000
COMPILED: dict[str, Any] = {"jit": True, "compiler": "shell", "jit_options": {"flags": ["-O3", "-march=native"]}}
"""Of CasADi: its functions as C, by the compiler of the system."""


class Scipy:
    """solve_ivp with a method, or odeint (LSODA without the loop in Python)."""

    def __init__(self, equations: Any, method: str) -> None:
        from scipy import integrate

        self.integrate, self.method, self.equations = integrate, method, equations
        self.f = equations.compiled()
        self.f(0.0, equations.y0)

    def run(self, tolerance: float) -> dict[str, float]:
        case, rtol, atol = self.equations, tolerance, 0.1 * tolerance
        if self.method == "odeint":
            y, told = self.integrate.odeint(
                self.f,
                case.y0,
                [0.0, case.t_end],
                tfirst=True,
                rtol=rtol,
                atol=atol,
                mxstep=MOST_STEPS,
                full_output=True,
            )
            self.y = y[-1]
            return {"evaluations": int(told["nfe"][-1])}
        found = self.integrate.solve_ivp(self.f, (0.0, case.t_end), case.y0, method=self.method, rtol=rtol, atol=atol)
        if not found.success:
            raise RuntimeError(found.message)
        self.y = found.y[:, -1]
        return {"steps": found.t.size - 1, "evaluations": int(found.nfev)}

    def answer(self, tolerance: float) -> dict[str, Any]:
        self.run(tolerance)
        return {"y": self.y}


class Sundae:
    """CVODE of SUNDIALS, Adams or BDF."""

    def __init__(self, equations: Any, method: str) -> None:
        from sksundae.cvode import CVODE

        self.make, self.method, self.equations = CVODE, method, equations
        f = equations.compiled()
        f(0.0, equations.y0)

        def fill(t: float, y: np.ndarray, out: np.ndarray) -> None:
            out[:] = f(t, y)

        self.fill = fill

    def run(self, tolerance: float) -> dict[str, float]:
        case = self.equations
        solver = self.make(
            self.fill, method=self.method, rtol=tolerance, atol=0.1 * tolerance, max_num_steps=MOST_STEPS
        )
        found = solver.solve(np.array([0.0, case.t_end]), case.y0)
        self.y = found.y[-1]
        return {"evaluations": int(found.nfev)}

    def answer(self, tolerance: float) -> dict[str, Any]:
        self.run(tolerance)
        return {"y": self.y}


class Casadi:
    """CVODES on the graph of the right-hand side, with its derivative; as C code, compiled, if asked
    for."""

    def __init__(self, equations: Any, compiled: bool = False) -> None:
        import casadi

        self.casadi, self.equations, self.made = casadi, equations, {}
        self.compiled = COMPILED if compiled else {}
        self.y_symbol = casadi.SX.sym("y", equations.y0.size)
        self.right = equations.symbolic(casadi, self.y_symbol)

    def run(self, tolerance: float) -> dict[str, float]:
        if tolerance not in self.made:
            options = {"reltol": tolerance, "abstol": 0.1 * tolerance, "max_num_steps": MOST_STEPS, **self.compiled}
            problem = {"x": self.y_symbol, "ode": self.right}
            self.made[tolerance] = self.casadi.integrator(
                "solver", "cvodes", problem, 0.0, self.equations.t_end, options
            )
        self.y = np.array(self.made[tolerance](x0=self.equations.y0)["xf"]).ravel()
        return {}

    def answer(self, tolerance: float) -> dict[str, Any]:
        self.run(tolerance)
        return {"y": self.y}


class Diffrax:
    """An explicit method with adaptive steps, in double precision; compiled once, for all
    tolerances."""

    def __init__(self, equations: Any, method: str) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        import diffrax

        self.jax, self.equations = jax, equations
        solver = getattr(diffrax, method)()
        term = diffrax.ODETerm(lambda t, y, _: equations.traced(t, y))

        def solve(y0: Any, tolerance: Any) -> Any:
            control = diffrax.PIDController(rtol=tolerance, atol=0.1 * tolerance)
            found = diffrax.diffeqsolve(
                term,
                solver,
                0.0,
                equations.t_end,
                None,
                y0,
                stepsize_controller=control,
                saveat=diffrax.SaveAt(t1=True),
                max_steps=MOST_STEPS,
                throw=False,
            )
            return found.ys[-1], found.stats["num_steps"]

        self.solve = jax.jit(solve)

    def run(self, tolerance: float) -> dict[str, float]:
        y, steps = self.jax.block_until_ready(self.solve(self.equations.y0, tolerance))
        self.y = np.asarray(y)
        return {"steps": int(steps)}

    def answer(self, tolerance: float) -> dict[str, Any]:
        self.run(tolerance)
        return {"y": self.y}
