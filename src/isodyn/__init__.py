"""isodyn: constrained mechanical dynamics with isochronous time integration.

A pendulum in its angle, forced and damped, with a scheme that damps the highest frequencies to 0.8
per step:

>>> import numpy as np
>>> import isodyn as iso
>>> def Q(q, v, t):
...     return np.array([-9.81 * np.sin(q[0]) - 0.1 * v[0] + np.cos(2 * t)])
>>> system = iso.MechanicalSystem(M=np.eye(1), Q=Q, q0=[1.0], v0=[0.0])
>>> sol = iso.integrate(system, scheme=iso.Scheme.U0(0.8, 0.8, 0.8), dt=0.01, t_end=10.0)
>>> sol.q.shape, sol.stats.halvings
((1001, 1), 0)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isodyn import errors, notebook_views
from isodyn.errors import IsodynError
from isodyn.later import unknown_name
from isodyn.results import shown, stored_models
from isodyn.version import __version__ as __version__

if TYPE_CHECKING:
    from isodyn import analysis, beams, gauss, problems, reduction, report, subdomains, sweeps
    from isodyn.api import (
        DOP853,
        Adaptive,
        Auto,
        Event,
        FixedSteps,
        Impacts,
        Lock,
        Newton,
        Radau,
        Release,
        Stepper,
        StepPolicy,
        StepTimes,
        SwitchLoad,
        integrate,
    )
    from isodyn.api.adaptive import integrate_adaptive
    from isodyn.api.ensemble import ensemble
    from isodyn.api.resuming import resume
    from isodyn.api.sensitive import gradient
    from isodyn.beams import Beam, Section
    from isodyn.bodies import shapes
    from isodyn.design import (
        Constraint,
        Fit,
        fit,
        floquet,
        lyapunov_exponents,
        optimise,
        periodic_orbit,
    )
    from isodyn.flexible import FiniteElements
    from isodyn.formulations import (
        GGL,
        AccelerationLevel,
        AugmentedMultipliers,
        Baumgarte,
        EnergyMomentum,
        Hamiltonian,
        NullSpace,
        Overdetermined,
        Partitioning,
        Penalty,
        PositionLevel,
        Projection,
        Stabilised,
        UdwadiaKalaba,
        VelocityLevel,
    )
    from isodyn.friction import FrictionSolution, integrate_with_friction
    from isodyn.joints import (
        BoxPlane,
        CapsulePlane,
        Coupling,
        Cylindrical,
        Distance,
        Drive,
        Fixed,
        Gear,
        Hinge,
        JointStop,
        Journal,
        Planar,
        PointOnPlane,
        PointPlane,
        Prismatic,
        Pulley,
        RollingDisc,
        RollingEllipsoid,
        RollingSphere,
        Screw,
        SpherePlane,
        SphereSphere,
        Spherical,
        Universal,
        UserRows,
        WheelOnRail,
        WheelProfile,
    )
    from isodyn.loads import (
        Bushing,
        DistributedForce,
        Drag,
        Force,
        Formula,
        FormulaForce,
        FormulaMotor,
        FormulaTorque,
        GearMotor,
        JointFriction,
        JointLimit,
        JointSpring,
        Motor,
        Polynomial,
        Pulse,
        Ramp,
        Sine,
        Spring,
        Staircase,
        Table,
        Tension,
        Torque,
        UserLoad,
    )
    from isodyn.mechanism.controllers import PID, Controller
    from isodyn.mechanism.mechanism import Mechanism
    from isodyn.mechanism.sensors import Sensor
    from isodyn.mechanism.states import ContinuousState
    from isodyn.models import load_mjcf, load_model, load_sdf, load_urdf
    from isodyn.reduction import pod, reduce
    from isodyn.results import Ensemble, Solution
    from isodyn.results.netcdf import load
    from isodyn.schemes import Composition, FirstOrderScheme, Scheme
    from isodyn.sensitivities import Gradient, Objective, Parametrised
    from isodyn.studies import equilibrium, follow_loads, inverse_dynamics, kinematics, linearise
    from isodyn.studies.arc_length import trace_loads
    from isodyn.studies.turning import campbell, spin
    from isodyn.subdomains import Subdomains, partition
    from isodyn.sweeps.study import sweep
    from isodyn.systems import (
        CompiledSystem,
        FirstOrderSystem,
        ImplicitSystem,
        LinearFirstOrderSystem,
        LinearSystem,
        MechanicalSystem,
    )
    from isodyn.systems.damping import modal_damping, rayleigh, rayleigh_from_ratios
    from isodyn.systems.lagrangian import from_lagrangian
    from isodyn.systems.loads import base_excitation, harmonic, step_load, tabulated


__all__ = [
    "DOP853",
    "GGL",
    "PID",
    "AccelerationLevel",
    "Adaptive",
    "AugmentedMultipliers",
    "Auto",
    "Baumgarte",
    "Beam",
    "BoxPlane",
    "Bushing",
    "CapsulePlane",
    "CompiledSystem",
    "Composition",
    "Constraint",
    "ContinuousState",
    "Controller",
    "Coupling",
    "Cylindrical",
    "Distance",
    "DistributedForce",
    "Drag",
    "Drive",
    "EnergyMomentum",
    "Ensemble",
    "Event",
    "FiniteElements",
    "FirstOrderScheme",
    "FirstOrderSystem",
    "Fit",
    "Fixed",
    "FixedSteps",
    "Force",
    "Formula",
    "FormulaForce",
    "FormulaMotor",
    "FormulaTorque",
    "FrictionSolution",
    "Gear",
    "GearMotor",
    "Gradient",
    "Hamiltonian",
    "Hinge",
    "Impacts",
    "ImplicitSystem",
    "IsodynError",
    "JointFriction",
    "JointLimit",
    "JointSpring",
    "JointStop",
    "Journal",
    "LinearFirstOrderSystem",
    "LinearSystem",
    "Lock",
    "MechanicalSystem",
    "Mechanism",
    "Motor",
    "Newton",
    "NullSpace",
    "Objective",
    "Overdetermined",
    "Parametrised",
    "Partitioning",
    "Penalty",
    "Planar",
    "PointOnPlane",
    "PointPlane",
    "Polynomial",
    "PositionLevel",
    "Prismatic",
    "Projection",
    "Pulley",
    "Pulse",
    "Radau",
    "Ramp",
    "Release",
    "RollingDisc",
    "RollingEllipsoid",
    "RollingSphere",
    "Scheme",
    "Screw",
    "Section",
    "Sensor",
    "Sine",
    "Solution",
    "SpherePlane",
    "SphereSphere",
    "Spherical",
    "Spring",
    "Stabilised",
    "Staircase",
    "StepPolicy",
    "StepTimes",
    "Stepper",
    "Subdomains",
    "SwitchLoad",
    "Table",
    "Tension",
    "Torque",
    "UdwadiaKalaba",
    "Universal",
    "UserLoad",
    "UserRows",
    "VelocityLevel",
    "WheelOnRail",
    "WheelProfile",
    "analysis",
    "base_excitation",
    "beams",
    "campbell",
    "ensemble",
    "equilibrium",
    "errors",
    "fit",
    "floquet",
    "follow_loads",
    "from_lagrangian",
    "gauss",
    "gradient",
    "harmonic",
    "integrate",
    "integrate_adaptive",
    "integrate_with_friction",
    "inverse_dynamics",
    "kinematics",
    "linearise",
    "load",
    "load_mjcf",
    "load_model",
    "load_sdf",
    "load_urdf",
    "lyapunov_exponents",
    "modal_damping",
    "optimise",
    "partition",
    "periodic_orbit",
    "pod",
    "problems",
    "rayleigh",
    "rayleigh_from_ratios",
    "reduce",
    "reduction",
    "report",
    "resume",
    "shapes",
    "spin",
    "step_load",
    "subdomains",
    "sweep",
    "sweeps",
    "tabulated",
    "trace_loads",
]


# fmt: off
_JOINTS = (
    "BoxPlane", "CapsulePlane", "Coupling", "Cylindrical", "Distance", "Drive", "Fixed", "Gear", "Hinge",
    "JointStop", "Journal", "Planar", "PointOnPlane", "PointPlane", "Prismatic", "Pulley", "RollingDisc",
    "RollingEllipsoid", "RollingSphere", "Screw", "SpherePlane", "SphereSphere", "Spherical", "Universal",
    "UserRows", "WheelOnRail", "WheelProfile",
)
_LOADS = (
    "Bushing", "DistributedForce", "Drag", "Force", "Formula", "FormulaForce", "FormulaMotor",
    "FormulaTorque", "GearMotor", "JointFriction", "JointLimit", "JointSpring", "Motor", "Polynomial",
    "Pulse", "Ramp", "Sine", "Spring", "Staircase", "Table", "Tension", "Torque", "UserLoad",
)
# fmt: on
_MODULES = {
    **{
        name: f"isodyn.{name}"
        for name in ("analysis", "beams", "gauss", "problems", "reduction", "report", "subdomains", "sweeps")
    },
    "shapes": "isodyn.bodies.shapes",
}
_LATER = {
    **dict.fromkeys(("Adaptive", "Auto", "DOP853", "Event", "FixedSteps", "Impacts", "Lock", "Newton"), "isodyn.api"),
    **dict.fromkeys(("Radau", "Release", "StepPolicy", "StepTimes"), "isodyn.api"),
    **dict.fromkeys(("Stepper", "SwitchLoad", "integrate"), "isodyn.api"),
    **dict.fromkeys(("PID", "Controller"), "isodyn.mechanism.controllers"),
    **dict.fromkeys(
        ("GGL", "AccelerationLevel", "AugmentedMultipliers", "Baumgarte", "EnergyMomentum"), "isodyn.formulations"
    ),
    **dict.fromkeys(("Hamiltonian", "NullSpace", "Overdetermined", "Partitioning", "Penalty"), "isodyn.formulations"),
    **dict.fromkeys(
        ("PositionLevel", "Projection", "Stabilised", "UdwadiaKalaba", "VelocityLevel"), "isodyn.formulations"
    ),
    **dict.fromkeys(("Composition", "FirstOrderScheme", "Scheme"), "isodyn.schemes"),
    **dict.fromkeys(("CompiledSystem", "FirstOrderSystem", "ImplicitSystem"), "isodyn.systems"),
    **dict.fromkeys(("LinearFirstOrderSystem", "LinearSystem", "MechanicalSystem"), "isodyn.systems"),
    **dict.fromkeys(("Ensemble", "Solution"), "isodyn.results"),
    **dict.fromkeys(("Beam", "Section"), "isodyn.beams"),
    "FiniteElements": "isodyn.flexible",
    **dict.fromkeys(("FrictionSolution", "integrate_with_friction"), "isodyn.friction"),
    **dict.fromkeys(("Gradient", "Objective", "Parametrised"), "isodyn.sensitivities"),
    "gradient": "isodyn.api.sensitive",
    **dict.fromkeys(("Constraint", "Fit", "fit", "floquet"), "isodyn.design"),
    **dict.fromkeys(("lyapunov_exponents", "optimise", "periodic_orbit"), "isodyn.design"),
    "sweep": "isodyn.sweeps.study",
    "ensemble": "isodyn.api.ensemble",
    "integrate_adaptive": "isodyn.api.adaptive",
    **dict.fromkeys(("pod", "reduce"), "isodyn.reduction"),
    **dict.fromkeys(("Subdomains", "partition"), "isodyn.subdomains"),
    **dict.fromkeys(("equilibrium", "follow_loads", "inverse_dynamics", "kinematics", "linearise"), "isodyn.studies"),
    **dict.fromkeys(("campbell", "spin", "trace_loads"), "isodyn.studies"),
    "from_lagrangian": "isodyn.systems.lagrangian",
    "Mechanism": "isodyn.mechanism.mechanism",
    "Sensor": "isodyn.mechanism.sensors",
    "ContinuousState": "isodyn.mechanism.states",
    **dict.fromkeys(("modal_damping", "rayleigh", "rayleigh_from_ratios"), "isodyn.systems.damping"),
    **dict.fromkeys(("base_excitation", "harmonic", "step_load", "tabulated"), "isodyn.systems.loads"),
    "load": "isodyn.results.netcdf",
    **dict.fromkeys(("load_mjcf", "load_model", "load_sdf", "load_urdf"), "isodyn.models"),
    "resume": "isodyn.api.resuming",
    **dict.fromkeys(_JOINTS, "isodyn.joints"),
    **dict.fromkeys(_LOADS, "isodyn.loads"),
}


notebook_views.register(lambda: import_module("isodyn.report.notebook").html_of)
shown.register(lambda: import_module("isodyn.report.curves").plot)
stored_models.register(lambda: import_module("isodyn.models.stored"))


def __getattr__(name: str) -> Any:
    """Load what is asked for, the first time: `isodyn --help` needs no kernels, a pendulum no
    beams."""
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _LATER:
        raise unknown_name("isodyn", name, __all__)
    value = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
