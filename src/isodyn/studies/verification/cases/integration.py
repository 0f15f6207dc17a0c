"""Ready problems by compositions and by an explicit member: orders 2, 4 and 6."""

from __future__ import annotations

from functools import partial

from isodyn.formulations import Stabilised
from isodyn.schemes import Composition, Scheme
from isodyn.studies.verification.case import Case, of_order
from isodyn.studies.verification.runs import on_problem

MIDPOINT = Scheme.V0(1.0, 1.0, 0.0)
dop853 = partial(Case, reference="DOP853, rtol = 1e-13", trust="computed")

CASES = (
    Case(
        name="composition_of_order_4",
        topic="integration",
        shows="Midpoint steps composed to order 4: order 4 in q, v and a.",
        source="Suzuki (1990)",
        citation="Suzuki1990",
        reference="Kepler's equation",
        trust="exact",
        prepare=on_problem("kepler", Composition(MIDPOINT, order=4), t_end=3.0),
        steps=(0.04, 0.02, 0.01),
        bounds={"q": 7.8e-8, "v": 4.3e-8, "a": 1.2e-8, "energy": 1.5e-8},
        orders={"q": 4, "v": 4, "a": 4, "energy": 4},
    ),
    Case(
        name="composition_of_order_6",
        topic="integration",
        shows="Midpoint steps composed to order 6: order 6 in q, v and a.",
        source="Kahan and Li (1997)",
        citation="KahanLi1997",
        reference="Kepler's equation",
        trust="exact",
        prepare=on_problem("kepler", Composition(MIDPOINT, order=6), t_end=3.0),
        **of_order(6, 0.02, q=7.6e-9, v=2.9e-9, a=1.8e-9),
    ),
    dop853(
        name="composition_with_constraints",
        topic="integration",
        shows="Rattle steps composed to order 4 on a top: order 4 in rotations and multipliers, constraints at rounding.",
        source="Suzuki (1990); Andersen (1983)",
        citation="Andersen1983",
        prepare=on_problem(
            "spinning_top", Composition(Scheme.central_difference(), order=4), t_end=0.1, against="DOP853"
        ),
        **of_order(4, 0.001, q=3.6e-9, v=9.1e-11, a=4.6e-9, lam=1.6e-9),
    ),
    Case(
        name="explicit_member",
        topic="integration",
        shows="The explicit member U0(1, 1, 0.5) on a pendulum: second order in all four, constraints at rounding.",
        source="Shimada (2014), (2.58)",
        citation="Shimada2014",
        reference="elliptic functions",
        trust="exact",
        prepare=on_problem("pendulum", Scheme.U0(1.0, 1.0, 0.5, explicit=True), Stabilised(), t_end=2.0),
        **of_order(2, 0.0025, q=3.9e-5, v=3.9e-5, a=7.2e-5, lam=3.2e-5, drift=1e-12, energy=1.2e-5),
    ),
)
