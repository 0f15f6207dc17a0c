"""Time-integration schemes: coefficients, classical names and linear theory. Imports nothing of
isodyn but errors."""

from isodyn.schemes.composition import Composition
from isodyn.schemes.first_order_spectral import (
    first_order_amplification_matrix,
    first_order_critical_step,
    first_order_roots_at_infinity,
    first_order_spectral_radius,
)
from isodyn.schemes.gs4_1 import FirstOrderScheme
from isodyn.schemes.gs4_2 import Scheme
from isodyn.schemes.named import (
    AlphaParameters,
    NewmarkParameters,
    V0Parameters,
    alpha_parameters,
    newmark_parameters,
    v0_parameters,
)
from isodyn.schemes.spectral import (
    ThreeStepForm,
    amplification_matrix,
    characteristic_coefficients,
    damping_ratio,
    load_operator,
    period_error,
    position_level_roots,
    roots_at_infinity,
    spectral_radius,
    three_step_form,
)
from isodyn.schemes.stability_limits import bifurcation_frequency, critical_frequency
from isodyn.schemes.symplectic import satisfies_symplectic_condition

__all__ = [
    "AlphaParameters",
    "Composition",
    "FirstOrderScheme",
    "NewmarkParameters",
    "Scheme",
    "ThreeStepForm",
    "V0Parameters",
    "alpha_parameters",
    "amplification_matrix",
    "bifurcation_frequency",
    "characteristic_coefficients",
    "critical_frequency",
    "damping_ratio",
    "first_order_amplification_matrix",
    "first_order_critical_step",
    "first_order_roots_at_infinity",
    "first_order_spectral_radius",
    "load_operator",
    "newmark_parameters",
    "period_error",
    "position_level_roots",
    "roots_at_infinity",
    "satisfies_symplectic_condition",
    "spectral_radius",
    "three_step_form",
    "v0_parameters",
]
