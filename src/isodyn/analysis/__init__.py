"""What a scheme does, by theory and by computation.

The linear theory (amplification matrix, roots, damping, period error, stability limits) comes from
`isodyn.schemes`; overshoot, order, symplecticity, momentum and drift of energy are found by runs;
`describe` puts everything side by side.

>>> import isodyn as iso
>>> from isodyn import analysis
>>> analysis.amplification_matrix(iso.Scheme.midpoint_mpa(), Omega=0.5, xi=0.0).shape
(3, 3)
>>> analysis.overshoot_class(iso.Scheme.U0(0.8, 0.8, 0.8))
'U0V1'
"""

from isodyn.analysis.behaviour import (
    MeasuredOrder,
    OrbitBehaviour,
    conserves_angular_momentum,
    energy_drift,
    measured_order,
    momentum_error,
    orbit_behaviour,
    overshoot_class,
    overshoot_exponents,
)
from isodyn.analysis.conditioning import StepMatrix, condition_number, step_matrix
from isodyn.analysis.description import Description, FirstOrderDescription
from isodyn.analysis.differentiation_index import index
from isodyn.analysis.first_order_map import first_order_symplecticity
from isodyn.analysis.one_step_map import Symplecticity, is_symplectic, symplecticity
from isodyn.analysis.scheme_facts import describe
from isodyn.schemes import (
    ThreeStepForm,
    amplification_matrix,
    bifurcation_frequency,
    characteristic_coefficients,
    critical_frequency,
    damping_ratio,
    first_order_amplification_matrix,
    first_order_critical_step,
    first_order_roots_at_infinity,
    first_order_spectral_radius,
    load_operator,
    period_error,
    position_level_roots,
    roots_at_infinity,
    satisfies_symplectic_condition,
    spectral_radius,
    three_step_form,
)
from isodyn.systems.derivative_chain import Index

__all__ = [
    "Description",
    "FirstOrderDescription",
    "Index",
    "MeasuredOrder",
    "OrbitBehaviour",
    "StepMatrix",
    "Symplecticity",
    "ThreeStepForm",
    "amplification_matrix",
    "bifurcation_frequency",
    "characteristic_coefficients",
    "condition_number",
    "conserves_angular_momentum",
    "critical_frequency",
    "damping_ratio",
    "describe",
    "energy_drift",
    "first_order_amplification_matrix",
    "first_order_critical_step",
    "first_order_roots_at_infinity",
    "first_order_spectral_radius",
    "first_order_symplecticity",
    "index",
    "is_symplectic",
    "load_operator",
    "measured_order",
    "momentum_error",
    "orbit_behaviour",
    "overshoot_class",
    "overshoot_exponents",
    "period_error",
    "position_level_roots",
    "roots_at_infinity",
    "satisfies_symplectic_condition",
    "spectral_radius",
    "step_matrix",
    "symplecticity",
    "three_step_form",
]
