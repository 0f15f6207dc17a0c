"""Settings that every test shares: one Numba cache, one thread, reproducible property tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

# Before anything imports numba or a BLAS: both read these once.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).resolve().parent.parent / ".cache" / "numba"))
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("ci")

# Kernels that compile long and that most workers need, for two processes about as long; what is
# missing here is compiled by the first worker that needs it, while others wait for it.
SHARED = (
    (
        "isodyn.integrate.newton.solve_step",
        "isodyn.integrate.loop.run",
        "isodyn.integrate.matrix.factorise_step",
        "isodyn.integrate.projection.polish",
        "isodyn.integrate.step.guess",
        "isodyn.integrate.initial.initial_acceleration",
        "isodyn.integrate.ensemble_loop.run_members",
    ),
    (
        "isodyn.multibody.model.mechanism_model",
        "isodyn.integrate.projection.project",
        "isodyn.integrate.initial.acceleration",
        "isodyn.integrate.initial.nearest_consistent",
        "isodyn.linear_solvers.block_lu.block_factor",
        "isodyn.linear_solvers.block_lu.block_solve",
    ),
)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile once for all workers, which would otherwise wait for each other."""
    if getattr(session.config.option, "numprocesses", None):
        from isodyn.kernels.helper import command

        helpers = [subprocess.Popen(command(names)) for names in SHARED]
        for helper in helpers:
            helper.wait()
