"""The acceleration problem of Gauss' principle by itself: min ½(a − a_f)ᵀM(a − a_f) subject to A
a = b, a_f = M⁻¹Q.

A pendulum in Cartesian coordinates with its length written twice; the second row is found and the
multiplier shared:

>>> import numpy as np
>>> from isodyn import gauss
>>> A = np.array([[0.6, -0.8], [0.6, -0.8]])
>>> result = gauss.solve(M=2.0 * np.eye(2), Q=[0.0, -19.62], A=A, b=[-1.0, -1.0])
>>> result.rank, result.redundant, result.conflict
(1, (1,), None)
>>> bool(np.allclose(result.lam, result.lam[::-1])), bool(np.allclose(A @ result.a, -1.0))
(True, True)
>>> gauss.null_space(A, "svd").shape
(2, 1)
"""

from isodyn.gauss.acceleration import solve
from isodyn.gauss.bases import Basis
from isodyn.gauss.contacts import Contact, Sliding, Sticking
from isodyn.gauss.coordinates import Partition, null_space, partition
from isodyn.gauss.friction import FrictionResult, solve_with_friction
from isodyn.gauss.gear_trains import Circuit, GearTrain, Planet, Stability
from isodyn.gauss.methods import METHODS, Method, accelerations
from isodyn.gauss.projection import projector, proportionality_matrix, rewritten
from isodyn.gauss.result import Conflict, Result, Work
from isodyn.gauss.square_roots import Root, denman_beavers, schur_root, spectral
from isodyn.gauss.trials import trial_variables
from isodyn.gauss.underdetermined_systems import Underdetermined, underdetermined
from isodyn.linear_solvers.rank import Rank, decide

__all__ = [
    "METHODS",
    "Basis",
    "Circuit",
    "Conflict",
    "Contact",
    "FrictionResult",
    "GearTrain",
    "Method",
    "Partition",
    "Planet",
    "Rank",
    "Result",
    "Root",
    "Sliding",
    "Stability",
    "Sticking",
    "Underdetermined",
    "Work",
    "accelerations",
    "decide",
    "denman_beavers",
    "null_space",
    "partition",
    "projector",
    "proportionality_matrix",
    "rewritten",
    "schur_root",
    "solve",
    "solve_with_friction",
    "spectral",
    "trial_variables",
    "underdetermined",
]
