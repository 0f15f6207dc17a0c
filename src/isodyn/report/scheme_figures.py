"""Figures of schemes: roots, algorithmic damping, period error, and a stiff mode.

    x'' + 2 xi w x' + w^2 x = 0,   Omega = w dt,   zeta(Omega) the roots of det(zeta I − A) = 0          [Shimada2014 (2.42)]
    algorithmic damping ratio and (T_computed − T)/T from the principal pair, up to where it becomes
    real or a root leaves the circle stiff mode: (E_n from q_0 alone + E_n from v_0 alone) / (2 E_0)
    for Omega = 1000, run by `integrate` with its own start

First-order schemes: the roots for s' = −lambda s over z = lambda dt.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from isodyn.analysis.behaviour import unstable_allowed
from isodyn.api import integrate
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.report.figures import COLOURS, canvas, save
from isodyn.schemes import (
    FirstOrderScheme,
    Scheme,
    amplification_matrix,
    critical_frequency,
    damping_ratio,
    first_order_amplification_matrix,
    period_error,
)
from isodyn.systems import LinearSystem

lines = Later("matplotlib.lines")

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ComplexArray = npt.NDArray[np.complex128]

STIFF = 1e3
STEPS = 20
LINES = ("-", "--", "-.")


def plot_scheme(
    schemes: Sequence[Scheme] | Sequence[FirstOrderScheme] | Scheme | FirstOrderScheme,
    path: Path | str,
    xi: float = 0.0,
) -> Path:
    """Write one figure that compares schemes.

    Parameters
    ----------
    schemes
        One scheme or several of the same kind.
    path
        The file; its ending gives the format.
    xi
        Physical damping ratio of the oscillator.

    Returns
    -------
    path
        The file that was written.

    Raises
    ------
    InputError
        If the schemes are of different kinds, or the file cannot be written.

    Examples
    --------
    >>> import isodyn as iso, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = iso.report.plot_scheme(iso.Scheme.optimal(0.8), f"{folder}/scheme.png")
    ...     path.stat().st_size > 1000
    True
    """
    members = [schemes] if isinstance(schemes, Scheme | FirstOrderScheme) else list(schemes)
    second = [s for s in members if isinstance(s, Scheme)]
    first = [s for s in members if isinstance(s, FirstOrderScheme)]
    if len(second) == len(members) and second:
        with canvas(2, 2, size=(10.0, 7.6)) as (figure, axes):
            _roots(axes[0, 0], second, xi)
            _damping(axes[0, 1], second, xi)
            _period(axes[1, 0], second, xi)
            _stiff_mode(axes[1, 1], second)
            _legend(figure, [s.name for s in second])
            return save(figure, path)
    if len(first) == len(members) and first:
        with canvas(size=(7.0, 4.8)) as (figure, axes):
            _first_order_roots(axes, first)
            _legend(figure, [s.name for s in first])
            return save(figure, path)
    raise InputError(
        f"plot_scheme compares schemes of one kind, received {len(second)} of second order and {len(first)} of first order",
        hint="draw them in two figures, or use Scheme.first_order()",
    )


def line(k: int) -> dict[str, str]:
    """Colour and stroke of the k-th scheme: the same in every panel."""
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": LINES[k // len(COLOURS) % len(LINES)]}


# ---- panels


def _roots(axes: Axes, schemes: Sequence[Scheme], xi: float) -> None:
    Omega = np.logspace(-2, 4, 1500)
    for k, s in enumerate(schemes):
        _moduli(axes, k, Omega, np.linalg.eigvals(amplification_matrix(s, Omega, xi)).astype(np.complex128))
    damped = f", $\\xi$ = {xi:g}" if xi else ""
    axes.set(
        xlabel=r"$\Omega = \omega\,\Delta t$", ylabel=r"$|\zeta|$", title=f"roots, the spurious one dotted{damped}"
    )
    _finish_roots(axes)


def _first_order_roots(axes: Axes, schemes: Sequence[FirstOrderScheme]) -> None:
    z = np.logspace(-2, 4, 1500)
    for k, s in enumerate(schemes):
        _moduli(axes, k, z, np.linalg.eigvals(first_order_amplification_matrix(s, z)).astype(np.complex128))
    axes.set(
        xlabel=r"$z = \lambda\,\Delta t$",
        ylabel=r"$|\zeta|$",
        title=r"roots for $\dot s = -\lambda s$, the spurious one dotted",
    )
    _finish_roots(axes)


def _moduli(axes: Axes, k: int, x: FloatArray, roots: ComplexArray) -> None:
    """Principal roots in full strokes, the spurious one dotted; principal means close to one for
    small steps."""
    moduli = np.abs(_followed(roots))
    order = np.argsort(-np.abs(moduli[0]))
    for i in order[:-1]:
        axes.semilogx(x, moduli[:, i], linewidth=1.6, **line(k))
    axes.semilogx(x, moduli[:, order[-1]], linewidth=1.1, color=line(k)["color"], linestyle=(0, (1, 1.6)))


def _followed(roots: ComplexArray) -> ComplexArray:
    """Columns that follow each root along the rows, each continued in its own direction."""
    followed = roots.copy()
    orders = [list(p) for p in permutations(range(roots.shape[1]))]
    for n in range(1, len(followed)):
        expected = followed[n - 1] if n == 1 else 2.0 * followed[n - 1] - followed[n - 2]
        costs = [float(np.sum(np.abs(followed[n][p] - expected) ** 2)) for p in orders]
        followed[n] = followed[n][orders[int(np.argmin(costs))]]
    return followed


def _finish_roots(axes: Axes) -> None:
    axes.axhline(1.0, color="#666666", linewidth=0.7, zorder=0)
    axes.set(xlim=(1e-2, 1e4), ylim=(0.0, 1.3))


def _damping(axes: Axes, schemes: Sequence[Scheme], xi: float) -> None:
    Omega = np.logspace(-2, 3, 800)
    for k, s in enumerate(schemes):
        ratio = _where_stable(s, xi, Omega, damping_ratio(s, Omega, xi))
        axes.semilogx(Omega, ratio, **line(k))
        _mark_end(axes, k, Omega, ratio)
    low, high = axes.get_ylim()
    axes.set(xlim=(Omega[0], Omega[-1]), ylim=(min(low, -0.005), max(high, 0.05)))
    physical = f"\nphysical ratio $\\xi$ = {xi:g} included" if xi else ""
    axes.set(xlabel=r"$\Omega$", ylabel=r"$\bar\xi$", title=f"algorithmic damping ratio{physical}")


def _period(axes: Axes, schemes: Sequence[Scheme], xi: float) -> None:
    Omega = np.logspace(-1, np.log10(np.pi), 400)
    for k, s in enumerate(schemes):
        error = _where_stable(s, xi, Omega, 100.0 * period_error(s, Omega, xi))
        axes.semilogx(Omega, error, **line(k))
        _mark_end(axes, k, Omega, error)
    axes.axhline(0.0, color="#666666", linewidth=0.7, zorder=0)
    ticks = [0.1, 0.2, 0.5, 1.0, 2.0, np.pi]
    axes.set_xticks(ticks, ["0.1", "0.2", "0.5", "1", "2", r"$\pi$"])
    axes.minorticks_off()
    axes.set_xlim(0.095, 1.03 * np.pi)
    axes.set(xlabel=r"$\Omega$", ylabel=r"$(\bar T - T)/T$ [%]", title="relative period error")


def _where_stable(s: Scheme, xi: float, Omega: FloatArray, values: FloatArray) -> FloatArray:
    """NaN beyond the stability limit, where another root grows; members that are never stable are
    drawn in full."""
    limit = critical_frequency(s, xi)
    return np.where((Omega <= limit) | (limit == 0.0), values, np.nan)


def _mark_end(axes: Axes, k: int, x: FloatArray, y: FloatArray) -> None:
    """A dot where a curve stops: at the stability limit, or where the principal pair becomes
    real."""
    known = np.flatnonzero(np.isfinite(y))
    if known.size and known[-1] < x.size - 1:
        axes.plot(x[known[-1]], y[known[-1]], "o", markersize=4, color=line(k)["color"])


def _stiff_mode(axes: Axes, schemes: Sequence[Scheme]) -> None:
    """Energy for a large Omega; where every scheme has a stability limit, just below it."""
    limits = [critical_frequency(s) for s in schemes]
    unlimited = [k for k, limit in enumerate(limits) if limit == np.inf]
    title = rf"stiff mode, $\Omega$ = {STIFF:g}, undamped"
    for k in unlimited:
        axes.semilogy(stiff_energy(schemes[k]), marker="o", markersize=3, **line(k))
    if not unlimited:
        title = "undamped mode at 90 % of the stability limit"
        for k, s in enumerate(schemes):
            axes.semilogy(stiff_energy(s, 0.9 * limits[k] or 1.0), marker="o", markersize=3, **line(k))
    axes.set(xlabel="step n", ylabel=r"$E_n / E_0$", title=title)
    axes.set_xticks(range(0, STEPS + 1, 5))
    low, high = axes.get_ylim()
    axes.set_ylim(min(max(low, 1e-8), 0.1), max(high, 10.0))
    remark = "members with a stability limit are left out" if 0 < len(unlimited) < len(schemes) else ""
    if not unlimited and 0.0 in limits:
        remark = "unstable members at $\\Omega$ = 1"
    axes.text(0.02, 0.03, remark, transform=axes.transAxes, ha="left", va="bottom", fontsize=8.5, color="#555555")


def stiff_energy(s: Scheme, Omega: float = STIFF) -> FloatArray:
    """E_n / E_0 over 20 steps, mean of the runs from a displacement alone and from a velocity
    alone."""
    total = np.zeros(STEPS + 1)
    for q0, v0 in ((1.0, 0.0), (0.0, Omega)):
        with unstable_allowed():
            sol = integrate(LinearSystem(1.0, None, Omega**2, None, [q0], [v0]), s, dt=1.0, t_end=float(STEPS))
        total += 0.5 * (sol.q[:, 0] ** 2 + (sol.v[:, 0] / Omega) ** 2)
    return total


def _legend(figure: Figure, names: Sequence[str]) -> None:
    handles = [lines.Line2D([], [], linewidth=2.0, **line(k)) for k in range(len(names))]
    figure.legend(handles, names, loc="outside upper center", ncols=min(len(names), 4), fontsize=10)
