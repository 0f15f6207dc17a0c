"""One channel beside the model: residuals, and whether they look like noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.open_types import BoolArray

stats = Later("scipy.stats")

UNLIKELY = 1e-4  # chance of residuals that do not fit to the noise that was given
WHITE = 0.3  # residuals whose neighbours are alike by more than this are no noise
SPREAD = 2.5  # by so many standard deviations noise may be alike by chance, each 1/√n
ROUGH = 1.5  # residuals that are larger than the scatter of neighbouring samples by more are no noise
ENOUGH = 10  # samples, to tell their scatter from


@dataclass(frozen=True, eq=False)
class ChannelFit:
    """One channel compared with the model: samples, what the model says, and which samples were
    held out."""

    name: str
    unit: str
    t: FloatArray
    data: FloatArray
    model: FloatArray
    held: BoolArray
    noise: float

    @property
    def residual(self) -> FloatArray:
        """Data minus model."""
        return self.data - self.model

    def rms(self, held: bool) -> float:
        """Root mean square of the residuals, of the samples that were fitted or of those held
        out."""
        chosen = self.residual[self.held if held else ~self.held]
        return float(np.sqrt(np.mean(chosen**2))) if chosen.size else np.nan

    @property
    def missed(self) -> float:
        """Root mean square of the residuals in parts of what the fitted samples vary by."""
        varied = float(np.std(self.data[~self.held])) if (~self.held).any() else 0.0
        return self.rms(False) / varied if varied > 0.0 else 0.0

    @property
    def likeness(self) -> float:
        """Correlation of neighbouring residuals of the fitted samples: near zero for noise."""
        r = self.residual[~self.held]
        r = r - r.mean() if r.size else r
        size = float(r @ r)
        return float(r[1:] @ r[:-1] / size) if r.size > 3 and size > 0.0 else 0.0

    @property
    def roughness(self) -> float:
        """How far the fitted samples scatter about the straight lines between their neighbours, as
        the noise of a sample: what the motion bends by is in it, so noise is not above."""
        t, x = self.t[~self.held], self.data[~self.held]
        if t.size < 3:
            return 0.0
        span = t[2:] - t[:-2]
        part = np.where(span > 0.0, (t[1:-1] - t[:-2]) / np.where(span > 0.0, span, 1.0), 0.5)
        off = x[1:-1] - (1.0 - part) * x[:-2] - part * x[2:]
        return float(np.sqrt(np.mean(off**2 / (1.0 + part**2 + (1.0 - part) ** 2))))

    def doubts(self, given: bool) -> list[str]:
        """Return what speaks against the residuals being noise.

        Parameters
        ----------
        given
            Whether the noise was given, not estimated.

        Returns
        -------
        doubts
            Sentences; none if there is nothing.
        """
        found, rms, rough = [], self.rms(False), self.roughness
        kept = int((~self.held).sum())
        if abs(self.likeness) > max(WHITE, SPREAD / np.sqrt(max(kept, 1))):
            found.append(
                f"residuals of {self.name} are not noise (neighbours correlate by {self.likeness:.2f}): the model "
                "misses something, or the fit ended in another minimum; the intervals are too narrow"
            )
        elif kept >= ENOUGH and rms > ROUGH * rough > 0.0:
            found.append(
                f"residuals of {self.name} are {rms / rough:.2g} times what neighbouring samples scatter by: the fit "
                "ended in another minimum, or the model misses something"
            )
        known = given and kept > 0 and np.isfinite(self.noise)
        if known and float(stats.chi2.sf(kept * (rms / self.noise) ** 2, kept)) <= UNLIKELY:
            found.append(
                f"residuals of {self.name} are {rms / self.noise:.2g} times the given noise: the fit ended in another "
                "minimum, the model misses something, or there is more noise; the intervals are too narrow"
            )
        return found
