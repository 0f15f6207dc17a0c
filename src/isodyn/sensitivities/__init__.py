"""Derivatives of runs with respect to parameters: tangents, adjoints, and what they are for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.later import names_from

if TYPE_CHECKING:
    from isodyn.sensitivities.gradient import Gradient, Objective
    from isodyn.sensitivities.parameters import Parametrised

__all__ = ["Gradient", "Objective", "Parametrised"]

__getattr__ = names_from(__name__, {"Gradient": "gradient", "Objective": "gradient", "Parametrised": "parameters"})
