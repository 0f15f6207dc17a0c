"""Loads on bodies and along joints, and functions of time."""

from isodyn.expressions.time import Formula, Polynomial, Pulse, Ramp, Sine, Staircase, Table
from isodyn.loads.elements import Bushing, Spring
from isodyn.loads.formula import FormulaForce, FormulaMotor, FormulaTorque, Tension
from isodyn.loads.formula_laws import formula_law
from isodyn.loads.geared import GearMotor
from isodyn.loads.on_bodies import DistributedForce, Drag, Force, Torque
from isodyn.loads.on_joints import JointFriction, JointLimit, JointSpring, Motor
from isodyn.loads.part import Input, JointLoad, Law, LoadForces, LoadPart, LoadWorld
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
    "GearMotor",
    "Input",
    "JointFriction",
    "JointLimit",
    "JointLoad",
    "JointSpring",
    "Law",
    "LoadForces",
    "LoadPart",
    "LoadWorld",
    "Motor",
    "Polynomial",
    "Pulse",
    "Ramp",
    "Sine",
    "Spring",
    "Staircase",
    "Table",
    "Tension",
    "Torque",
    "UserLoad",
    "formula_law",
]
