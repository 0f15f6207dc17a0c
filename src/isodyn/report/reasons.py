"""Why a scheme: what its three radii do to modes that the step resolves and to those that it does
not, in sentences with numbers."""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files

import numpy as np

from isodyn.analysis.behaviour import overshoot_class
from isodyn.schemes import (
    Composition,
    FirstOrderScheme,
    Scheme,
    critical_frequency,
    damping_ratio,
    first_order_critical_step,
    period_error,
    spectral_radius,
)
from isodyn.stepping.methods import DOP853, Auto, Radau, StepMethod

RESOLVED = 0.5  # Ω of a mode that counts as resolved: 12.6 steps in a period
OVERSHOOT = {
    "U0V0": "Neither displacement nor velocity of an unresolved mode overshoots.",
    "V0U0": "Neither displacement nor velocity of an unresolved mode overshoots.",
    "U0V1": "Displacements of unresolved modes do not overshoot; their velocities may in the first steps.",
    "V0U1": "Velocities of unresolved modes do not overshoot; their displacements may in the first steps.",
}


def reasons(scheme: Scheme | FirstOrderScheme) -> list[str]:
    """Sentences on what a scheme does.

    >>> reasons(Scheme.U0(1, 1, 0))[0]
    'It does not damp: linear oscillations keep their energy at every frequency.'
    """
    if isinstance(scheme, Composition):
        return [
            f"{scheme.base} composed symmetrically to order {scheme.order}: few, long steps for smooth motions without damping."
        ]
    if isinstance(scheme, FirstOrderScheme):
        limit = first_order_critical_step(scheme)
        stable = "stable for every step" if limit == math.inf else f"stable up to λΔt = {limit:.4g}"
        radii = "" if scheme.radii is None else f", radii at infinity {scheme.radii[0]:g} and {scheme.radii[1]:g}"
        return [f"A member of GS4-1 for first-order systems, {stable}{radii}."]
    return _of_second_order(scheme) if isinstance(scheme, Scheme) else []


def _of_second_order(s: Scheme) -> list[str]:
    limit = critical_frequency(s)
    found = []
    if limit == 0.0:
        found.append("It is unstable: linear oscillations grow for every step, however small.")
    elif limit < math.inf:
        found.append(
            f"It is explicit: no equations are solved for it, and it is stable up to Ω = ωΔt = {limit:.4g}."
            if s.explicit
            else f"It is stable up to Ω = ωΔt = {limit:.4g}."
        )
    elif np.abs(spectral_radius(s, np.array([0.1, 1.0, 10.0])) - 1.0).max() < 1e-9:
        found.append("It does not damp: linear oscillations keep their energy at every frequency.")
    else:
        far = float(spectral_radius(s, 1e6))
        kept = "keeps its amplitude" if far > 1 - 1e-4 else f"keeps {100 * far:.3g} % of its amplitude in each step"
        near = float(spectral_radius(s, 10.0))
        found.append(
            f"A mode far beyond what the step resolves {kept}; at Ω = 10 it is {100 * near:.3g} %."
            " It is stable for every step."
        )
    if limit > RESOLVED:
        ratio, longer = float(damping_ratio(s, RESOLVED)), float(period_error(s, RESOLVED))
        lost = 100 * (1 - math.exp(-4 * math.pi * max(ratio, 0.0)))
        damped = "loses no energy" if abs(ratio) < 1e-12 else f"loses {lost:.2g} % of its energy in a period"
        found.append(
            f"A mode that is resolved by 12.6 steps in a period {damped} and is {abs(100 * longer):.2g} %"
            f" {'longer' if longer > 0 else 'shorter'} than it should be."
        )
    if limit == math.inf and (kind := overshoot_class(s)) in OVERSHOOT:
        found.append(OVERSHOOT[kind or ""])
    order = "All of q, v, a and λ are second order accurate at t_n" if s.order == 2 else "It is first order accurate"
    found.append(f"{order}; forces are balanced at t_n + {s.W1:.4g} Δt.")
    return found


# ---- citations

METHODS: dict[type, tuple[str, ...]] = {
    DOP853: ("Hairer1993",),
    Radau: ("Hairer1996",),
    Auto: ("Hairer1993", "Hairer1996"),
}


@cache
def works() -> dict[str, dict[str, str]]:
    """The works that reports cite, by key; the same text as in docs/references.json."""
    text = (files("isodyn.report") / "assets" / "citations.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def cited(scheme: Scheme | FirstOrderScheme | StepMethod | None, extra: str | None = None) -> list[dict[str, str]]:
    """The works behind a scheme: GS4, and who first described the classical ones; or behind a
    method that chooses its steps."""
    keys = list(METHODS[type(scheme)]) if type(scheme) in METHODS else ["Shimada2014"]
    name = str(getattr(scheme, "name", ""))
    for start, key in (
        ("Newmark", "Newmark1959"),
        ("implicit Newmark", "Newmark1959"),
        ("HHT", "Hilber1977"),
        ("WBZ", "Wood1981"),
        ("generalised-alpha", "ChungHulbert1993"),
    ):
        if name.startswith(start):
            keys.append(key)
    if isinstance(scheme, Scheme) and scheme.family == "U0" and scheme.radii is not None:
        low, high, spurious = scheme.radii
        if low == high == spurious < 1 and not scheme.explicit:
            keys.append("ChungHulbert1993")
    if isinstance(scheme, Composition):
        keys.append("Suzuki1990" if scheme.order == 4 else "KahanLi1997")
    if extra is not None:
        keys.append(extra)
    return [works()[key] for key in dict.fromkeys(keys) if key in works()]


def works_in_words(scheme: Scheme | FirstOrderScheme | StepMethod | None, extra: str | None = None) -> list[str]:
    """The same, a line for each."""
    return [
        f"{w['authors']} ({w['year']}): {w['title']}. {w['where']}." + (f" doi:{w['doi']}" if "doi" in w else "")
        for w in cited(scheme, extra)
    ]
