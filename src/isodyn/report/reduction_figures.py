"""Figures of model reduction: singular values of snapshots, and what a rank leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.reduction import Basis
from isodyn.reduction.rank import tails
from isodyn.report.figures import canvas, save

if TYPE_CHECKING:
    from isodyn.reduction import Basis


def singular_values(bases: Basis | Mapping[str, Basis], path: Path | str) -> Path:
    """σ_i/σ₁, and the part Σ_{i>s}σ²/Σσ² of the snapshots that rank s leaves out; the rank of each
    basis is marked."""
    several = {bases.name: bases} if isinstance(bases, Basis) else dict(bases)
    for name, basis in several.items():
        if basis.singular_values.size == 0:
            raise InputError(f"{name!r} has no singular values: it is made of {basis.name}")
    with canvas(1, 2, size=(9.5, 3.8)) as (figure, (values, left)):
        for name, basis in several.items():
            sigma = basis.singular_values
            shown = sigma > 1e-17 * sigma[0]
            number = np.arange(1, sigma.size + 1)[shown]
            (line,) = values.semilogy(number, sigma[shown] / sigma[0], ".-", label=name)
            part = tails(sigma)[1:] / tails(sigma)[0]
            shown = part > 1e-34
            left.semilogy(np.arange(1, sigma.size + 1)[shown], part[shown], ".-", color=line.get_color())
            for axes, y in ((values, sigma[basis.rank - 1] / sigma[0]), (left, part[basis.rank - 1])):
                if y > 0.0:
                    axes.plot(basis.rank, y, "o", markersize=9, markerfacecolor="none", color=line.get_color())
        values.set(xlabel="i", ylabel="$\\sigma_i/\\sigma_1$")
        left.set(xlabel="rank s", ylabel="left out, $\\sum_{i>s}\\sigma_i^2/\\sum\\sigma^2$")
        values.legend()
        return save(figure, path)
