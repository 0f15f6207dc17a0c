"""Forty short runs that cover problems, models, formulations, schemes and kinds of runs.

Each case is a function without arguments that gives a solution. The cases are deterministic and
take a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import isodyn as iso
from isodyn import problems
from isodyn.schemes import Composition
from linkages import four_bar, slider_crank
from subdomain_systems import THREE, chain

S = iso.Scheme
OPTIMAL = S.optimal(0.8)


def _problem(name: str, scheme: Any = OPTIMAL, formulation: Any = None, steps: int = 60, **options: Any) -> Any:
    parameters = options.pop("parameters", {})
    problem = problems.get(name)
    dt = options.pop("dt", problem.dt)
    return iso.integrate(problem.system(**parameters), scheme, formulation, dt=dt, t_end=steps * dt, **options)


def _case(name: str, *arguments: Any, **options: Any) -> Callable[[], Any]:
    return lambda: _problem(name, *arguments, **options)


def _first_order(name: str, scheme: Any, steps: int = 60) -> Any:
    problem = problems.get(name)
    return iso.integrate(problem.system(), scheme, dt=problem.dt, t_end=steps * problem.dt)


def _pendulum(angle: float = 0.7, derivatives: bool = True) -> iso.MechanicalSystem:
    """A point on a rod in the plane, with plain callables."""
    extra: dict[str, Any] = {"b": lambda q, v, t: np.array([-2.0 * (v @ v)])} if derivatives else {}
    return iso.MechanicalSystem(
        M=np.eye(2),
        Q=lambda q, v, t: np.array([0.0, -9.81]) - 0.05 * v,
        phi=lambda q, t: np.array([q @ q - 1.0]),
        G=lambda q, t: 2.0 * q[None],
        q0=[np.sin(angle), -np.cos(angle)],
        v0=[2.0 * np.cos(angle), 2.0 * np.sin(angle)],
        **extra,
    )


def _callables(formulation: Any = None, derivatives: bool = True, **newton: Any) -> Any:
    system = _pendulum(derivatives=derivatives)
    return iso.integrate(system, OPTIMAL, formulation, dt=0.01, t_end=0.4, newton=iso.Newton(**newton))


def _linkage(planar: bool, formulation: Any = None, **options: Any) -> Any:
    return iso.integrate(four_bar(planar).compile(), OPTIMAL, formulation, dt=0.005, t_end=0.2, **options)


def _members() -> Any:
    """Pendulums from four heights, at rest."""
    system = problems.get("pendulum").system()
    radius = np.linalg.norm(system.q0)
    angles = np.linspace(0.3, 1.2, 4)
    q0 = radius * np.column_stack([np.sin(angles), -np.cos(angles)])
    return iso.ensemble(system, OPTIMAL, q0=q0, v0=np.zeros((4, 2)), dt=0.01, t_end=0.4, threads=2)


def _three_domains() -> Any:
    sub = iso.partition(chain(), THREE)
    return iso.integrate(sub, OPTIMAL, dt=0.02, t_end=0.6, substeps={"left": 2, "middle": 1, "right": 4})


def _nonlinear_domains() -> Any:
    half = iso.MechanicalSystem(M=np.array([[0.5]]), Q=lambda q, v, t: -2.0 * q - q**3 + np.sin(t), q0=[1.0], v0=[0.2])
    line = iso.LinearSystem(0.4, None, 3.0, None, [1.0], [0.2])
    sub = iso.Subdomains({"a": half, "b": line}, ties=[("a", [0], "b", [0])])
    return iso.integrate(sub, OPTIMAL, dt=0.02, t_end=0.4, substeps={"a": 2, "b": 1})


def _clamped_beam(model: Any) -> Any:
    section = iso.Section(EA=1e4, EI=5.0, rhoA=1.0, damping=0.002)
    beam = iso.Beam([(0, 0), (1, 0)], elements=4, section=section, gravity=(0, -9.81), model=model)
    beam.clamp("start")
    beam.force("end", (0.0, 2.0), time=iso.Sine(1.0, 30.0))
    return iso.integrate(beam.compile(), OPTIMAL, dt=1e-3, t_end=0.04)


def _beam_in_mechanism() -> Any:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    section = iso.Section(EA=1e4, EI=5.0, rhoA=1.0, damping=0.002)
    mech.add_beam("rod", (0, 0), (1, 0), elements=3, section=section)
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start", axis=(0, 0, 1)))
    return iso.integrate(mech.compile(), OPTIMAL, dt=1e-3, t_end=0.04)


def _adaptive(name: str, t_end: float, **options: Any) -> Any:
    return iso.integrate_adaptive(problems.get(name).system(), rtol=1e-8, t_end=t_end, **options)


CASES: dict[str, Callable[[], Any]] = {
    # ---- without constraints
    "pleiades": _case("pleiades", steps=40, dt=0.002),
    "kepler, midpoint": _case("kepler", S.midpoint_epa()),
    "oscillator, forced": _case("oscillator_forced", OPTIMAL),
    "chain, reused matrix": _case("chain", newton=iso.Newton(reuse=True)),
    "chain, central difference": _case("chain", S.central_difference()),
    "kepler, composed midpoint": _case("kepler", Composition(S.V0(1, 1, 0), 4), steps=20),
    "plate": _case("plate", steps=10),
    "manufactured, displacement form": _case("manufactured", S.U0(0.5, 0.5, 0.5), newton=iso.Newton(form=3)),
    # ---- formulations
    "pendulum, stabilised": _case("pendulum", steps=200),
    "pendulum, position": _case("pendulum", OPTIMAL, iso.PositionLevel()),
    "pendulum, velocity": _case("pendulum", OPTIMAL, iso.VelocityLevel()),
    "pendulum, acceleration": _case("pendulum", OPTIMAL, iso.AccelerationLevel()),
    "pendulum, Baumgarte": _case("pendulum", OPTIMAL, iso.Baumgarte(5.0, 5.0)),
    "pendulum, projection": _case("pendulum", OPTIMAL, iso.Projection()),
    "pendulum, overdetermined": _case("pendulum", OPTIMAL, iso.Overdetermined()),
    "pendulum, GGL": _case("pendulum", OPTIMAL, iso.GGL()),
    "pendulum, penalty": _case("pendulum", OPTIMAL, iso.Penalty(1e-6)),
    "pendulum, null space": _case("pendulum", OPTIMAL, iso.NullSpace("qr")),
    "pendulum, Udwadia–Kalaba": _case("pendulum", OPTIMAL, iso.UdwadiaKalaba()),
    "callables without derivatives": lambda: _callables(derivatives=False),
    "callables, quasi-Newton": lambda: _callables(iso.GGL(S=np.diag([1.0, 2.0])), quasi=True),
    # ---- problems with constraints
    "rheonomic crank": _case("rheonomic_crank"),
    "pendulum, composed": _case("pendulum", Composition(S.central_difference(), 4), steps=20),
    "knife edge, V0": _case("knife_edge", S.V0(0.5, 0.5, 0.5)),
    "double pendulum, redundant rows": _case("double_pendulum_doubled"),
    "Andrews' squeezer": _case("andrews", steps=30),
    # ---- mechanisms and beams
    "planar chain": _case("planar_chain"),
    "spatial chain": _case("spatial_chain", steps=40),
    "spinning top": _case("spinning_top", steps=40),
    "planar four-bar, null space": lambda: _linkage(True, iso.NullSpace("svd")),
    "spatial four-bar": lambda: _linkage(False),
    "slider-crank with breakpoint": lambda: iso.integrate(
        slider_crank().compile(), S.V0(0.5, 0.5, 0.5), dt=0.005, t_end=0.2, breakpoints=(0.1,)
    ),
    "clamped beam": lambda: _clamped_beam("simplified"),
    "beam in a mechanism": _beam_in_mechanism,
    # ---- first order
    "Brusselator": lambda: _first_order("brusselator_stable", iso.FirstOrderScheme.crank_nicolson()),
    "index 2": lambda: _first_order("circle_index2", iso.FirstOrderScheme.crank_nicolson()),
    # ---- other kinds of runs
    "ensemble of pendulums": _members,
    "three subdomains": _three_domains,
    "nonlinear subdomains": _nonlinear_domains,
    "adaptive": lambda: _adaptive("pendulum", 0.5),
}
