"""Loads on bodies and along joints, and functions of time."""

from isodyn.loads.elements import (
    Bushing,
    DistributedForce,
    Drag,
    Force,
    JointFriction,
    JointLimit,
    JointSpring,
    Motor,
    Spring,
    Torque,
)
from isodyn.loads.formula import FormulaForce, FormulaMotor, FormulaTorque, Tension
from isodyn.loads.time import Formula, Polynomial, Pulse, Ramp, Sine, Table
from isodyn.loads.user import UserLoad

__all__ = [
    "Bushing",
    "DistributedForce",
    "Drag",
    "Force",
    "Formula",
    "FormulaForce",
    "FormulaMotor",
    "FormulaTorque",
    "JointFriction",
    "JointLimit",
    "JointSpring",
    "Motor",
    "Polynomial",
    "Pulse",
    "Ramp",
    "Sine",
    "Spring",
    "Table",
    "Tension",
    "Torque",
    "UserLoad",
]
