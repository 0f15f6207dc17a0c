"""From a system and a scheme to a solution."""

from isodyn.api.driver import integrate
from isodyn.api.stepper import Stepper
from isodyn.marching.switches import Lock, Release, SetInput, SwitchLoad
from isodyn.stepping.adaptive import Adaptive
from isodyn.stepping.events import Event
from isodyn.stepping.impacts import Impacts
from isodyn.stepping.methods import DOP853, Auto, Radau
from isodyn.stepping.newton_settings import Newton
from isodyn.stepping.policies import FixedSteps, StepPolicy, StepTimes

__all__ = [
    "DOP853",
    "Adaptive",
    "Auto",
    "Event",
    "FixedSteps",
    "Impacts",
    "Lock",
    "Newton",
    "Radau",
    "Release",
    "SetInput",
    "StepPolicy",
    "StepTimes",
    "Stepper",
    "SwitchLoad",
    "integrate",
]
