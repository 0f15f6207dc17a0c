"""The names that users call, by task. Names without a group would come last, under "More"; a test
says which."""

from __future__ import annotations

from typing import Any

GROUPS: dict[str, tuple[str, ...]] = {
    "Run": (
        "integrate",
        "integrate_adaptive",
        "with_friction",
        "ensemble",
        "sweep",
        "sweeps",
        "fit",
        "Fit",
        "optimise",
        "Constraint",
        "floquet",
        "periodic_orbit",
        "lyapunov_exponents",
        "resume",
        "Stepper",
        "Newton",
    ),
    "Step sizes": ("Adaptive", "FixedSteps", "StepTimes", "StepPolicy"),
    "Events": ("Event", "Release", "Lock", "SwitchLoad", "SetInput"),
    "Controllers and states": ("Controller", "PID", "ContinuousState"),
    "Build a mechanism": (
        "Mechanism",
        "Sensor",
        "shapes",
        "joint_coordinates",
        "load_model",
        "load_urdf",
        "load_mjcf",
        "load_sdf",
    ),
    "Joints and rows": (
        *("Hinge", "Prismatic", "Spherical", "Cylindrical", "Universal", "Planar", "Fixed", "Screw", "Distance"),
        *("PointOnPlane", "RollingSphere", "RollingDisc", "RollingEllipsoid", "WheelOnRail", "Gear", "Pulley"),
        *("Coupling", "Drive", "UserRows"),
    ),
    "Contacts": (
        *("PointPlane", "SpherePlane", "DiscPlane", "CapsulePlane", "CylinderPlane", "BoxPlane", "PolygonPlane"),
        *("SphereSphere", "SphereBox", "SphereCapsule", "SphereMesh", "CapsuleMesh", "MeshContact"),
        *("WheelProfile", "Journal"),
        *("JointStop", "DryJoint", "Impacts"),
    ),
    "Loads": (
        *(
            "Spring",
            "JointSpring",
            "Motor",
            "GearMotor",
            "Force",
            "Torque",
            "JointLimit",
            "JointFriction",
            "Bushing",
            "Drag",
        ),
        *("DistributedForce", "Tension", "FormulaForce", "FormulaMotor", "FormulaTorque", "UserLoad"),
    ),
    "Functions of time": ("Polynomial", "Sine", "Ramp", "Pulse", "Table", "Staircase", "Formula"),
    "Beams and flexible bodies": ("Beam", "Section", "FiniteElements", "beams"),
    "Systems from functions and matrices": (
        *("MechanicalSystem", "LinearSystem", "FirstOrderSystem", "LinearFirstOrderSystem", "ImplicitSystem"),
        *("CompiledSystem",),
        *("from_lagrangian", "rayleigh", "rayleigh_from_ratios", "modal_damping"),
        *("base_excitation", "harmonic", "step_load", "tabulated"),
    ),
    "Schemes": ("Scheme", "FirstOrderScheme", "Composition", "DOP853", "Radau", "Auto", "analysis"),
    "How constraints enter": (
        *("Stabilised", "PositionLevel", "VelocityLevel", "AccelerationLevel", "Baumgarte", "Projection", "Penalty"),
        *("Overdetermined", "GGL", "Hamiltonian", "NullSpace", "UdwadiaKalaba", "AugmentedMultipliers", "Partitioning"),
        "EnergyMomentum",
    ),
    "Derivatives": ("Parametrised", "gradient", "Objective", "Gradient"),
    "Ask a model": (
        *("equilibrium", "follow_loads", "trace_loads", "linearise", "campbell", "spin"),
        *("inverse_dynamics", "kinematics"),
    ),
    "Results, files, pages": ("Solution", "Ensemble", "load", "report"),
    "Large systems": ("Subdomains", "partition", "pod", "reduce", "reduction", "subdomains"),
    "Problems and principles": ("problems", "gauss"),
    "Errors": ("IsodynError", "errors"),
}


def first_line(value: Any) -> str:
    """The first sentence of a docstring."""
    text = " ".join((value.__doc__ or "").strip().split("\n\n")[0].split())
    return text.split(". ")[0].rstrip(".").replace("|", "\\|")


def to_markdown() -> str:
    """A table for each group, with links to where the names are described."""
    import isodyn
    from isodyn import __all__ as every

    grouped = {name for names in GROUPS.values() for name in names}
    groups = {**GROUPS, "More": tuple(name for name in every if name not in grouped)}
    lines = []
    for title, names in groups.items():
        known = [name for name in names if name in every]
        if not known:
            continue
        lines += [f"## {title}", "", "| name | |", "|---|---|"]
        for name in known:
            value: Any = getattr(isodyn, name)
            place = value.__name__ if type(value).__name__ == "module" else f"{value.__module__}.{value.__qualname__}"
            lines.append(f"| {{py:obj}}`{name} <{place}>` | {first_line(value)} |")
        lines.append("")
    return "\n".join(lines)
