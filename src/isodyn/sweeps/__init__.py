"""Many runs of one model: points, workers, results in one file, indices."""

from isodyn.sweeps.result import Sweep
from isodyn.sweeps.result import load_sweep as load
from isodyn.sweeps.study import sweep
from isodyn.sweeps.values import Distribution, LogNormal, LogUniform, Normal, Triangular, Uniform

__all__ = ["Distribution", "LogNormal", "LogUniform", "Normal", "Sweep", "Triangular", "Uniform", "load", "sweep"]
