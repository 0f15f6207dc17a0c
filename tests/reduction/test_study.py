"""The strategy of Fig. C.1 in one call, and the picture of singular values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.problems import clamped_bar
from isodyn.reduction import reduction_study
from isodyn.report.reduction_figures import singular_values

COARSE, FINE = (iso.Scheme.optimal(0.9), 0.005), (iso.Scheme.V0(1, 1, 0), 0.002)


@pytest.fixture(scope="module")
def study() -> iso.reduction.ReductionStudy:
    return reduction_study(
        iso.problems.get("clamped_bar").system(), snapshots=COARSE, reduced=FINE, t_end=1.0, energy=0.99
    )


def test_runs_are_those_made_by_hand(study: iso.reduction.ReductionStudy) -> None:
    """Schemes, steps and basis as asked for; errors and energies of exactly these runs."""
    system = iso.problems.get("clamped_bar").system()
    seen = iso.integrate(system, COARSE[0], dt=COARSE[1], t_end=1.0)
    basis = iso.pod(seen, energy=0.99)
    back = basis.lift(iso.integrate(iso.reduce(system, basis), FINE[0], dt=FINE[1], t_end=1.0))
    full = iso.integrate(system, FINE[0], dt=FINE[1], t_end=1.0)
    np.testing.assert_array_equal(study.lifted.q, back.q)
    np.testing.assert_array_equal(study.benchmark.v, full.v)
    assert study.basis.rank == basis.rank
    assert study.basis.captured > 0.99 >= basis.truncated(basis.rank - 1).captured
    assert study.error("v", 2) == np.linalg.norm(back.v[:, 2] - full.v[:, 2]) / np.linalg.norm(full.v[:, 2])
    assert study.error("q") == np.linalg.norm(back.q - full.q) / np.linalg.norm(full.q)


def test_energy_of_the_study(study: iso.reduction.ReductionStudy) -> None:
    """The reduced run keeps its energy, which is below that of the full one; T + V is that of the
    lifted motion."""
    small, full = study.energy()
    np.testing.assert_allclose(small, sum(study.lifted.energy()), rtol=1e-12)
    assert small[0] < full[0]
    assert np.ptp(clamped_bar.energy(study.lifted)["energy"]) < 1e-12 * small[0]
    assert study.speed_up > 0
    assert "captured; relative errors: q" in str(study)


def test_messages(study: iso.reduction.ReductionStudy) -> None:
    system = iso.problems.get("clamped_bar").system()
    with pytest.raises(InputError, match=r"snapshots must be a pair \(scheme, step\)"):
        reduction_study(system, snapshots=COARSE[0], reduced=FINE, t_end=1.0)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="benchmark must have the times of the reduced run"):
        reduction_study(
            system, snapshots=COARSE, reduced=(FINE[0], 0.004), t_end=1.0, rank=3, benchmark=study.benchmark
        )


def test_figure_of_singular_values(study: iso.reduction.ReductionStudy, tmp_path: Path) -> None:
    assert singular_values(study.basis, tmp_path / "sigma.png").stat().st_size > 5000
    modes = iso.reduction.eigenmodes(study.benchmark.system, rank=3)
    with pytest.raises(InputError, match="'modes' has no singular values: it is made of eigenmodes"):
        singular_values({"modes": modes}, tmp_path / "none.png")
