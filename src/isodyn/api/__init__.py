"""From a system and a scheme to a solution."""

from isodyn.api.driver import integrate
from isodyn.stepping.adaptive import Adaptive
from isodyn.stepping.newton_settings import Newton
from isodyn.stepping.policies import FixedSteps, StepPolicy, StepTimes

__all__ = ["Adaptive", "FixedSteps", "Newton", "StepPolicy", "StepTimes", "integrate"]
