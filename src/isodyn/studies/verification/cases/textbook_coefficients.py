"""Members of the family against the textbook coefficients of Newmark, HHT-α, WBZ-α and the
generalised-α method.

The α methods in their own words: with γ = ½ − α_m + α_f, β = ¼(1 − α_m + α_f)²,

    W1 = 1 − α_f,  W1L6 = 1 − α_m,  W2L2 = ½(1 − α_f),  W3L3 = β(1 − α_f),  W2L5 = γ(1 − α_f),
    l3 = β,  l5 = γ
"""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case, Measurement
from isodyn.studies.verification.runs import once


def alpha_method(alpha_m: float, alpha_f: float) -> dict[str, float]:
    gamma = 0.5 - alpha_m + alpha_f
    beta = 0.25 * (1.0 - alpha_m + alpha_f) ** 2
    w = 1.0 - alpha_f
    return {
        "W1": w,
        "W1L6": 1.0 - alpha_m,
        "W2L2": 0.5 * w,
        "W3L3": beta * w,
        "W2L5": gamma * w,
        "l3": beta,
        "l5": gamma,
    }


def gap(scheme: Scheme, expected: dict[str, float]) -> float:
    return max(abs(scheme.coefficients[name] - value) for name, value in expected.items())


def measure() -> Measurement:
    rhos = (0.5, 0.7, 0.9, 1.0)
    chung = [gap(Scheme.U0(r, r, r), alpha_method((2 * r - 1) / (r + 1), r / (r + 1))) for r in rhos]
    hht = [gap(Scheme.hht(r), alpha_method(0.0, (1 - r) / (1 + r))) for r in rhos]
    wbz = [gap(Scheme.wbz(r), alpha_method((r - 1) / (r + 1), 0.0)) for r in rhos]
    errors = {
        "generalised-α": max(chung),
        "HHT-α": max(hht),
        "WBZ-α": max(wbz),
        "Newmark": gap(Scheme.U0(1.0, 1.0, 0.0), alpha_method(0.0, 0.0)),
        "midpoint rule": gap(Scheme.U0(1.0, 1.0, 1.0), alpha_method(0.5, 0.5)),
        "both families at (ρ, 1, ρ)": max(
            gap(Scheme.V0(r, 1.0, r), Scheme.U0(r, 1.0, r).coefficients) for r in (0.0, *rhos)
        ),
    }
    return Measurement(errors=errors)


CASE = Case(
    name="textbook_coefficients",
    topic="integration",
    shows="All seven coefficients of classical members are those of the papers that introduced them.",
    source="Chung and Hulbert (1993), Hilber et al. (1977), Wood et al. (1980), Newmark (1959)",
    citation="ChungHulbert1993",
    reference="printed formulas",
    trust="published",
    steps=(0.0,),
    prepare=once(measure),
    bounds=dict.fromkeys(
        ("generalised-α", "HHT-α", "WBZ-α", "Newmark", "midpoint rule", "both families at (ρ, 1, ρ)"), 1e-14
    ),
)
