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

# ruff: noqa: I001 (`A as A` exports a name; many of them stand in one import)

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isodyn import errors as errors, notebook_views
from isodyn.errors import IsodynError as IsodynError
from isodyn.later import unknown_name
from isodyn.results import shown, stored_models
from isodyn.version import __version__ as __version__

if TYPE_CHECKING:
    from isodyn import (
        analysis as analysis,
        beams as beams,
        gauss as gauss,
        problems as problems,
        reduction as reduction,
        report as report,
        subdomains as subdomains,
        sweeps as sweeps,
    )
    from isodyn.api import (
        DOP853 as DOP853,
        Adaptive as Adaptive,
        Auto as Auto,
        Event as Event,
        FixedSteps as FixedSteps,
        Impacts as Impacts,
        Lock as Lock,
        Newton as Newton,
        Radau as Radau,
        Release as Release,
        SetInput as SetInput,
        Stepper as Stepper,
        StepPolicy as StepPolicy,
        StepTimes as StepTimes,
        SwitchLoad as SwitchLoad,
        integrate as integrate,
    )
    from isodyn.api.adaptive import integrate_adaptive as integrate_adaptive
    from isodyn.api.ensemble import ensemble as ensemble
    from isodyn.api.resuming import resume as resume
    from isodyn.api.sensitive import gradient as gradient
    from isodyn.beams import Beam as Beam, Section as Section
    from isodyn.bodies import shapes as shapes
    from isodyn.design import (
        Constraint as Constraint,
        Fit as Fit,
        fit as fit,
        floquet as floquet,
        lyapunov_exponents as lyapunov_exponents,
        optimise as optimise,
        periodic_orbit as periodic_orbit,
    )
    from isodyn.flexible import FiniteElements as FiniteElements
    from isodyn.formulations import (
        GGL as GGL,
        AccelerationLevel as AccelerationLevel,
        AugmentedMultipliers as AugmentedMultipliers,
        Baumgarte as Baumgarte,
        EnergyMomentum as EnergyMomentum,
        Hamiltonian as Hamiltonian,
        NullSpace as NullSpace,
        Overdetermined as Overdetermined,
        Partitioning as Partitioning,
        Penalty as Penalty,
        PositionLevel as PositionLevel,
        Projection as Projection,
        Stabilised as Stabilised,
        UdwadiaKalaba as UdwadiaKalaba,
        VelocityLevel as VelocityLevel,
    )
    from isodyn.friction import with_friction as with_friction
    from isodyn.joints import (
        BoxPlane as BoxPlane,
        CapsuleMesh as CapsuleMesh,
        CapsulePlane as CapsulePlane,
        Coupling as Coupling,
        CylinderPlane as CylinderPlane,
        Cylindrical as Cylindrical,
        DiscPlane as DiscPlane,
        Distance as Distance,
        Drive as Drive,
        DryJoint as DryJoint,
        Fixed as Fixed,
        Gear as Gear,
        Hinge as Hinge,
        JointStop as JointStop,
        Journal as Journal,
        MeshContact as MeshContact,
        Planar as Planar,
        PointOnPlane as PointOnPlane,
        PointPlane as PointPlane,
        PolygonPlane as PolygonPlane,
        Prismatic as Prismatic,
        Pulley as Pulley,
        RollingDisc as RollingDisc,
        RollingEllipsoid as RollingEllipsoid,
        RollingSphere as RollingSphere,
        Screw as Screw,
        SphereBox as SphereBox,
        SphereCapsule as SphereCapsule,
        SphereMesh as SphereMesh,
        SpherePlane as SpherePlane,
        SphereSphere as SphereSphere,
        Spherical as Spherical,
        Universal as Universal,
        UserRows as UserRows,
        WheelOnRail as WheelOnRail,
        WheelProfile as WheelProfile,
    )
    from isodyn.loads import (
        Bushing as Bushing,
        DistributedForce as DistributedForce,
        Drag as Drag,
        Force as Force,
        Formula as Formula,
        FormulaForce as FormulaForce,
        FormulaMotor as FormulaMotor,
        FormulaTorque as FormulaTorque,
        GearMotor as GearMotor,
        JointFriction as JointFriction,
        JointLimit as JointLimit,
        JointSpring as JointSpring,
        Motor as Motor,
        Polynomial as Polynomial,
        Pulse as Pulse,
        Ramp as Ramp,
        Sine as Sine,
        Spring as Spring,
        Staircase as Staircase,
        Table as Table,
        Tension as Tension,
        Torque as Torque,
        UserLoad as UserLoad,
    )
    from isodyn.mechanism.controllers import PID as PID, Controller as Controller
    from isodyn.mechanism.mechanism import Mechanism as Mechanism
    from isodyn.mechanism.sensors import Sensor as Sensor
    from isodyn.mechanism.states import ContinuousState as ContinuousState
    from isodyn.models import (
        load_mjcf as load_mjcf,
        load_model as load_model,
        load_sdf as load_sdf,
        load_urdf as load_urdf,
    )
    from isodyn.reduction import pod as pod, reduce as reduce
    from isodyn.results import Ensemble as Ensemble, Solution as Solution
    from isodyn.results.netcdf import load as load
    from isodyn.schemes import Composition as Composition, FirstOrderScheme as FirstOrderScheme, Scheme as Scheme
    from isodyn.sensitivities import Gradient as Gradient, Objective as Objective, Parametrised as Parametrised
    from isodyn.studies import (
        equilibrium as equilibrium,
        follow_loads as follow_loads,
        inverse_dynamics as inverse_dynamics,
        kinematics as kinematics,
        linearise as linearise,
    )
    from isodyn.studies.arc_length import trace_loads as trace_loads
    from isodyn.studies.campbell_diagram import campbell as campbell
    from isodyn.studies.turning import spin as spin
    from isodyn.subdomains import Subdomains as Subdomains, partition as partition
    from isodyn.sweeps.study import sweep as sweep
    from isodyn.systems import (
        CompiledSystem as CompiledSystem,
        FirstOrderSystem as FirstOrderSystem,
        ImplicitSystem as ImplicitSystem,
        LinearFirstOrderSystem as LinearFirstOrderSystem,
        LinearSystem as LinearSystem,
        MechanicalSystem as MechanicalSystem,
    )
    from isodyn.systems.damping import (
        modal_damping as modal_damping,
        rayleigh as rayleigh,
        rayleigh_from_ratios as rayleigh_from_ratios,
    )
    from isodyn.systems.lagrangian import from_lagrangian as from_lagrangian
    from isodyn.trees import joint_coordinates as joint_coordinates
    from isodyn.systems.loads import (
        base_excitation as base_excitation,
        harmonic as harmonic,
        step_load as step_load,
        tabulated as tabulated,
    )

# fmt: off
_JOINTS = (
    "BoxPlane", "CapsuleMesh", "CapsulePlane", "Coupling", "CylinderPlane", "Cylindrical", "DiscPlane", "Distance", "Drive",
    "DryJoint", "Fixed", "Gear", "Hinge", "JointStop", "Journal", "MeshContact", "Planar", "PointOnPlane",
    "PointPlane", "PolygonPlane", "Prismatic", "Pulley", "RollingDisc", "RollingEllipsoid", "RollingSphere", "Screw",
    "SphereBox", "SphereCapsule", "SphereMesh", "SpherePlane", "SphereSphere", "Spherical", "Universal", "UserRows",
    "WheelOnRail", "WheelProfile",
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
    **dict.fromkeys(("Radau", "Release", "SetInput", "StepPolicy", "StepTimes"), "isodyn.api"),
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
    "with_friction": "isodyn.friction",
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
    "joint_coordinates": "isodyn.trees",
    **dict.fromkeys(_JOINTS, "isodyn.joints"),
    **dict.fromkeys(_LOADS, "isodyn.loads"),
}

__all__ = sorted({"IsodynError", "errors", *_MODULES, *_LATER})  # type checkers read the imports above


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
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
