"""What a fit found: values, how well data know them, and what is left over.

C = (JᵀJ)⁻¹           covariance; J = ∂(residual/noise)/∂θ at the end of the fit, priors among its rows
θ ± t(1 − α/2) √C     confidence intervals; t of Student with n − p degrees, normal if the noise is known;
                      their ends are followed by the sum of squares (isodyn.design.profiles)
J diag θ = U S Vᵀ     relative changes V_k of the parameters that data see with S_k: unseen if S_k is zero
bias = −C Jᵀ e        what the error e of the steps makes of the values
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isodyn.design.compared import ChannelFit
from isodyn.design.minima import Minimum, Searched
from isodyn.design.profiles import Profile
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.solution import Solution

stats = Later("scipy.stats")

RANK = 1e-8  # of the largest singular value: Jacobians are not better known than this
WEAK = 0.5  # a relative change that data leave open by more than this is hardly seen
PART = 0.05  # parts of a direction that are smaller are not named
AT_BOUND = "at its bound"  # said of parameters instead of an error
CURVED = 0.3  # of its width: an interval whose ends differ from those of the linearised model by more is told


@dataclass(frozen=True, eq=False)
class Direction:
    """A combination of parameters: relative changes by name, and how far data leave it open
    (standard error of the relative change, infinite where data do not see it)."""

    changes: dict[str, float]
    error: float

    def __str__(self) -> str:
        largest = max(abs(x) for x in self.changes.values())
        return ", ".join(f"{name} {x / largest:+.2f} %" for name, x in self.changes.items())


def directions(J: FloatArray, values: FloatArray, names: Sequence[str]) -> list[Direction]:
    """Combinations of parameters, the least seen first."""
    sizes = np.where(values != 0.0, np.abs(values), 1.0)
    _, S, Vt = np.linalg.svd(J * sizes, full_matrices=True)
    S = np.append(S, np.zeros(len(names) - S.size))
    largest = S.max(initial=0.0)
    found = []
    for k in np.argsort(S):
        error = np.inf if S[k] <= RANK * largest or largest == 0.0 else 1.0 / S[k]
        V = Vt[k] * np.sign(Vt[k][np.abs(Vt[k]).argmax()])
        found.append(Direction({n: float(x) for n, x in zip(names, V, strict=True) if abs(x) > PART}, float(error)))
    return found


def covariance_of(J: FloatArray, values: FloatArray) -> FloatArray:
    """(JᵀJ)⁻¹, infinite for parameters in directions that J does not see."""
    sizes = np.where(values != 0.0, np.abs(values), 1.0)
    _, S, Vt = np.linalg.svd(J * sizes, full_matrices=True)
    S = np.append(S, np.zeros(values.size - S.size))
    seen = RANK * S.max(initial=0.0) < S
    V = Vt[seen].T * sizes[:, None]
    C = np.asarray((V / S[seen] ** 2) @ V.T)
    lost = np.abs(Vt[~seen]).max(axis=0, initial=0.0) > PART
    C[lost, :] = C[:, lost] = 0.0
    C[lost, lost] = np.inf
    return C


@dataclass(frozen=True, eq=False)
class Fit(ShownInNotebooks):
    """What a fit found.

    Parameters
    ----------
    parameters
        Names of the parameters.
    values, start
        Their values, and those that the fit began with.
    covariance
        Of the values; infinite where data do not see a parameter, NaN for those at a bound.
    degrees
        Degrees of freedom of the noise; infinite where the noise was given.
    channels
        Samples, what the model says, and the noise, channel by channel.
    bias
        What the error of the steps makes of the values, estimated from a run with half the step.
    at_bound
        Names of parameters that ended at a bound.
    directions
        Combinations of parameters, the least seen first.
    runs
        Number of runs.
    message
        Why the fit ended.
    solution
        The run with the values found.
    model
        The model with the values found, as `integrate` takes it.
    confidence
        Of intervals, unless said otherwise.
    profiles
        How far parameters may go, by their places; those of the linearised model elsewhere.
    starts
        Number of searches.
    searches
        With several starts: where searches began and ended, the one from the initial values first.
    minima
        Other minima that searches ended in, the lowest first.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> def oscillator(k):
    ...     return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -k * q, q0=[1.0], v0=[0.0], names=["x"])
    >>> t = np.linspace(0, 2, 21)
    >>> noise = 0.01 * np.random.default_rng(1).standard_normal(t.size)
    >>> found = iso.fit(
    ...     iso.Parametrised(oscillator, k=3.0), {"t": t, "q(x)": np.cos(2 * t) + noise}, ["k"], dt=0.01
    ... )
    >>> low, high = found.interval("k")
    >>> low < 4.0 < high
    True
    """

    parameters: tuple[str, ...]
    values: FloatArray
    start: FloatArray
    covariance: FloatArray
    degrees: float
    channels: tuple[ChannelFit, ...]
    bias: FloatArray
    at_bound: tuple[str, ...]
    directions: tuple[Direction, ...]
    runs: int
    message: str
    solution: Solution
    model: Any
    confidence: float = 0.95
    profiles: Mapping[int, Profile] = field(default_factory=dict)
    starts: int = 1
    searches: tuple[Searched, ...] = ()
    minima: tuple[Minimum, ...] = ()

    def __repr__(self) -> str:
        errors = self.standard_errors
        found = ", ".join(
            f"{name} = {x:.6g} " + (AT_BOUND if name in self.at_bound else f"± {e:.2g}")
            for name, x, e in zip(self.parameters, self.values, errors, strict=True)
        )
        return f"<Fit: {found}>"

    def _place(self, name: str) -> int:
        if name not in self.parameters:
            raise InputError(f"{name!r} was not fitted", hint=f"parameters: {', '.join(self.parameters)}")
        return self.parameters.index(name)

    def __getitem__(self, name: str) -> float:
        return float(self.values[self._place(name)])

    @property
    def standard_errors(self) -> FloatArray:
        """Standard errors, in the order of the parameters."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def correlation(self) -> FloatArray:
        """Correlations of the values; zero for parameters that data do not determine."""
        errors = self.standard_errors
        good = np.isfinite(errors) & (errors > 0.0)
        found = np.eye(errors.size)
        found[np.ix_(good, good)] = self.covariance[np.ix_(good, good)] / np.outer(errors[good], errors[good])
        return found

    def interval(self, name: str, confidence: float | None = None) -> tuple[float, float]:
        """Return the confidence interval of a parameter.

        Parameters
        ----------
        name
            Name of the parameter.
        confidence
            Share of the intervals that hold the truth; that of the fit if left out.

        Returns
        -------
        interval
            Lower and upper end; NaN for a parameter at its bound, infinite where data set no end.

        Raises
        ------
        InputError
            If there is no such parameter, or the share is not between 0 and 1.
        """
        share = self.confidence if confidence is None else confidence
        if not 0.0 < share < 1.0:
            raise InputError(f"confidence must be between 0 and 1, received {share!r}", hint="such as 0.95")
        k = self._place(name)
        level = float(stats.t.ppf(0.5 + 0.5 * share, self.degrees))
        return self.profiles[k].interval(level) if k in self.profiles else self._linear(k, level)

    def _linear(self, k: int, level: float) -> tuple[float, float]:
        """The interval of the linearised model."""
        width = level * float(self.standard_errors[k])
        return float(self.values[k]) - width, float(self.values[k]) + width

    @property
    def unseen(self) -> tuple[Direction, ...]:
        """Combinations of parameters that data do not see at all."""
        return tuple(one for one in self.directions if not np.isfinite(one.error))

    @property
    def remarks(self) -> list[str]:
        """What a reader must know in addition to the numbers."""
        found = [f"the data do not determine this change of parameters: {one}" for one in self.unseen]
        weak = [one for one in self.directions if np.isfinite(one.error) and one.error > WEAK]
        found += [
            f"the data determine this change of parameters only to ±{100 * one.error:.0f} %: {one}" for one in weak
        ]
        found += [f"{name} ended at its bound" for name in self.at_bound]
        if np.isfinite(self.degrees) and np.isinf(self.standard_errors).all() and not self.unseen:
            found.append("there are as many parameters as samples: the noise is not known, nor are errors; give noise=")
        found += self._curved()
        errors = self.standard_errors
        for name, bias, error in zip(self.parameters, self.bias, errors, strict=True):
            if np.isfinite(error) and abs(bias) > 0.5 * error:
                found.append(
                    f"the step moves {name} by about {bias:.2g}; its standard error is {error:.2g}: take smaller steps"
                )
        found += self._as_good()
        for channel in self.channels:
            found += channel.doubts(given=np.isinf(self.degrees))
            kept, held = channel.rms(False), channel.rms(True)
            if held > 1.5 * kept:
                found.append(f"{channel.name}: residuals of the held-out samples are {held / kept:.1f} times as large")
        return found

    def _curved(self) -> list[str]:
        """Intervals that the linearised model does not tell."""
        found = []
        for k in self.profiles:
            name = self.parameters[k]
            (low, high), level = self.interval(name), float(stats.t.ppf(0.5 + 0.5 * self.confidence, self.degrees))
            a, b = self._linear(k, level)
            if not max(abs(low - a), abs(high - b)) <= CURVED * (b - a):
                found.append(
                    f"{name} may lie anywhere between {low:.4g} and {high:.4g}: the sum of squares hardly rises there, "
                    f"and there may be several minima (the linearised model says {a:.4g} to {b:.4g})"
                )
        return found

    @property
    def search_taken(self) -> str:
        """Which of several searches led here; empty for one alone."""
        if not self.searches:
            return ""
        k = next(k for k, one in enumerate(self.searches) if one.taken)
        began = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.parameters, self.searches[k].start, strict=True))
        which = "the initial values" if k == 0 else "a point of its own"
        lost = sum(one.end is None for one in self.searches)
        told = f"search {k + 1} of {self.starts} was taken; it began at {which}: {began}"
        return told + (f"; {lost} did not end" if lost else "")

    def _as_good(self) -> list[str]:
        """Minima that explain the data as well, outside of the intervals."""
        found = []
        for one in (minimum for minimum in self.minima if minimum.as_good):
            ends = [self.interval(name) for name in self.parameters]
            if all(low <= x <= high for x, (low, high) in zip(one.values, ends, strict=True)):
                continue
            told = ", ".join(f"{name} = {x:.5g}" for name, x in zip(self.parameters, one.values, strict=True))
            found.append(
                f"another minimum explains the data as well: {told} (its sum of squares is larger by "
                f"{max(one.excess, 0.0):.2g} squares of the noise)"
            )
        return found

    def summary(self) -> dict[str, Any]:
        """Return all numbers as plain data.

        Returns
        -------
        summary
            Parameters, channels, remarks and counts.
        """
        parameters = {
            name: {
                "value": float(self.values[k]),
                "at_bound": name in self.at_bound,
                "standard_error": float(self.standard_errors[k]),
                "interval": list(self.interval(name)),
                "start": float(self.start[k]),
                "bias_of_steps": float(self.bias[k]),
            }
            for k, name in enumerate(self.parameters)
        }
        channels = {
            one.name: {
                "unit": one.unit,
                "samples": int((~one.held).sum()),
                "held_out": int(one.held.sum()),
                "noise": one.noise,
                "rms": one.rms(False),
                "rms_held_out": one.rms(True),
                "likeness": one.likeness,
            }
            for one in self.channels
        }
        return {
            "parameters": parameters,
            "channels": channels,
            "confidence": self.confidence,
            "correlation": self.correlation.tolist(),
            "unseen": [one.changes for one in self.unseen],
            "starts": self.starts,
            "searches": [
                {
                    "start": dict(zip(self.parameters, one.start.tolist(), strict=True)),
                    "end": None if one.end is None else dict(zip(self.parameters, one.end.tolist(), strict=True)),
                    "taken": one.taken,
                }
                for one in self.searches
            ],
            "minima": [
                {
                    "values": dict(zip(self.parameters, one.values.tolist(), strict=True)),
                    "excess": one.excess,
                    "searches": one.searches,
                    "as_good": one.as_good,
                }
                for one in self.minima
            ],
            "remarks": self.remarks,
            "runs": self.runs,
            "message": self.message,
        }
