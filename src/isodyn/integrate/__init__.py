"""From a system and a scheme to a solution."""

from isodyn.integrate.driver import integrate
from isodyn.integrate.newton_settings import Newton
from isodyn.integrate.policies import FixedSteps, StepPolicy, StepTimes

__all__ = ["FixedSteps", "Newton", "StepPolicy", "StepTimes", "integrate"]
