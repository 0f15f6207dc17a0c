"""Model reduction: bases from snapshots and modes, reduced systems that are systems, and the way
back.

>>> import isodyn as iso
>>> system = iso.problems.get("clamped_bar").system()
>>> sol = iso.integrate(system, iso.Scheme.optimal(0.9), dt=0.005, t_end=1.0)
>>> basis = iso.pod(sol, of="v", rank=7)
>>> red_sol = iso.integrate(iso.reduce(system, basis), iso.Scheme.V0(1, 1, 0), dt=0.001, t_end=1.0)
>>> basis.lift(red_sol).q.shape
(1001, 30)
"""

from isodyn.reduction.basis import Basis, pod
from isodyn.reduction.galerkin import reduce
from isodyn.reduction.modal import craig_bampton, eigenmodes
from isodyn.reduction.sampling import Sampling, sample_elements
from isodyn.reduction.streaming import Snapshots
from isodyn.reduction.study import ReductionStudy, reduction_study

__all__ = [
    "Basis",
    "ReductionStudy",
    "Sampling",
    "Snapshots",
    "craig_bampton",
    "eigenmodes",
    "pod",
    "reduce",
    "reduction_study",
    "sample_elements",
]
