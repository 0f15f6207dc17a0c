"""Ready problems whose motion is known by a formula."""

from __future__ import annotations

from functools import partial

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case, of_order
from isodyn.studies.verification.runs import on_problem

DAMPED = Scheme.U0(0.8, 0.8, 0.8)
MIDPOINT = Scheme.V0(1.0, 1.0, 0.0)
exact = partial(Case, topic="closed forms", trust="exact")

CASES = (
    exact(
        name="chaplygin_sleigh",
        shows="Energy is kept and the motion settles all the same.",
        source="textbook on nonholonomic mechanics",
        reference="hyperbolic functions, quadrature of the path",
        prepare=on_problem("chaplygin_sleigh", DAMPED, Stabilised(), t_end=2.0),
        **of_order(2, 0.005, q=3.3e-6, v=6.6e-6, a=4.5e-5, lam=2.7e-5, drift=1e-12, energy=3.8e-6),
    ),
    exact(
        name="constant_speed",
        shows="A constraint that is nonlinear in velocities.",
        source="own problem",
        reference="hyperbolic functions",
        prepare=on_problem("constant_speed", DAMPED, Stabilised(), t_end=1.0),
        **of_order(2, 0.005, q=8.1e-6, v=1.1e-5, a=4.3e-5, lam=3e-5, drift=1e-12, energy=2e-5),
    ),
    exact(
        name="driven_crank",
        shows="M(q), damping and a constraint that moves with time.",
        source="method of manufactured solutions",
        reference="chosen motion",
        prepare=on_problem("rheonomic_crank", Scheme.V0(0.7, 0.9, 0.2), Stabilised(), t_end=2.0),
        **of_order(2, 0.005, q=6.3e-6, v=1.5e-5, a=1.6e-5, lam=1.5e-5, drift=1e-12),
    ),
    exact(
        name="knife_edge",
        shows="A blade on a slope: a constraint on velocities.",
        source="textbook on nonholonomic mechanics",
        reference="cycloid",
        prepare=on_problem("knife_edge", DAMPED, Stabilised(), t_end=2.0),
        **of_order(2, 0.005, q=3.6e-6, v=7.1e-6, a=6.1e-5, lam=9.1e-6, drift=1e-12, energy=2.9e-5),
    ),
    exact(
        name="manufactured_links",
        shows="Two links with M(q), forces of v² and v³ and a load in time; strongly damped member.",
        source="method of manufactured solutions",
        reference="chosen motion",
        prepare=on_problem("manufactured", Scheme.U0(0.3, 0.6, 0.1), t_end=2.0),
        **of_order(2, 0.005, q=2.5e-5, v=3.7e-5, a=8.4e-5),
    ),
    exact(
        name="moving_guide",
        shows="A rod whose end runs in a guide that goes up and down.",
        source="method of manufactured solutions",
        reference="chosen motion",
        prepare=on_problem("moving_guide", DAMPED, Stabilised(), t_end=2.0),
        **of_order(2, 0.005, q=1.1e-5, v=1.2e-5, a=3.3e-5, lam=1.1e-5, drift=1e-12),
    ),
    exact(
        name="oscillator_chain",
        shows="A chain of masses with damping: all modes at once.",
        source="textbook",
        reference="sum of modes",
        prepare=on_problem("chain", Scheme.U0(0.9, 1.0, 0.0), t_end=6.0),
        **of_order(2, 0.0125, q=8.6e-5, v=5.2e-4, a=9.1e-4, energy=8e-6),
    ),
    exact(
        name="oscillator_damped",
        shows="Viscous damping, with three different radii: every coefficient of the velocity enters.",
        source="textbook",
        reference="damped cosine",
        prepare=on_problem("oscillator_damped", Scheme.U0(0.5, 0.9, 0.2), t_end=6.0),
        **of_order(2, 0.0125, q=3.4e-4, v=3.9e-4, a=3.5e-4, energy=3.2e-4),
    ),
    exact(
        name="oscillator_forced",
        shows="A harmonic load, balanced beyond the end of the step by a V0 member.",
        source="textbook",
        reference="particular and free solution",
        prepare=on_problem("oscillator_forced", Scheme.V0(0.6, 1.0, 0.3), t_end=6.0),
        **of_order(2, 0.0125, q=2.2e-4, v=2.9e-4, a=4.2e-4, energy=1.9e-4),
    ),
    exact(
        name="oscillator_free",
        shows="A free oscillator with a damped member: the error is the scheme's alone.",
        source="textbook",
        reference="cosine",
        prepare=on_problem("oscillator", Scheme.optimal(0.8), t_end=6.0),
        **of_order(2, 0.0125, q=7.4e-4, v=6.8e-4, a=7.4e-4, energy=2.9e-6),
    ),
    exact(
        name="pendulum_elliptic",
        shows="A point on a rod in Cartesian coordinates, multipliers too.",
        source="textbook",
        reference="elliptic functions",
        prepare=on_problem("pendulum", DAMPED, Stabilised(), t_end=2.0),
        **of_order(2, 0.005, q=1.2e-4, v=1.2e-4, a=2.8e-4, lam=6.8e-5, drift=1e-12, energy=2.7e-5),
    ),
    exact(
        name="pendulum_newmark",
        shows="The same with a member whose balance holds at the end of the step.",
        source="textbook",
        reference="elliptic functions",
        prepare=on_problem("pendulum", Scheme.U0(0.8, 1.0, 0.0), Stabilised(), t_end=2.0),
        **of_order(2, 0.005, q=3e-4, v=3e-4, a=5.7e-4, lam=1.9e-4, drift=1e-12, energy=1.1e-4),
    ),
    exact(
        name="planar_loop_in_space",
        shows="A planar loop entered with spatial rows: rank 5 of 7, multipliers of least norm.",
        source="own problem",
        reference="elliptic functions",
        prepare=on_problem("planar_loop_in_space", DAMPED, Stabilised(), t_end=2.0),
        **of_order(2, 0.005, q=6.5e-5, v=1.3e-4, a=2.8e-4, lam=7e-5, drift=1e-12, energy=1.1e-5),
    ),
    exact(
        name="rolling_disc",
        shows="An upright disc rolls on a plane: two constraints on velocities, reactions too.",
        source="textbook on nonholonomic mechanics",
        reference="circle",
        prepare=on_problem("rolling_disc", DAMPED, Stabilised(), t_end=2.0),
        steps=(0.02, 0.01, 0.005),
        bounds={"q": 1.5e-6, "v": 2.9e-9, "a": 9.8e-6, "lam": 9.8e-6, "drift": 1e-12, "energy": 5.9e-9},
        orders={"q": 2, "a": 2, "lam": 2, "v": 3, "energy": 3},
    ),
    exact(
        name="thermoelastic_bar",
        shows="Waves and heat in one run: rows of second and of first order.",
        source="own problem after Shimada (2014), example 2.3.3",
        citation="Shimada2014",
        reference="chosen motion of the discrete equations",
        prepare=on_problem("thermoelastic_bar", Scheme.optimal(0.5), energy=False),
        **of_order(2, 0.005, q=6.8e-5, v=4.6e-5, a=5.7e-5),
    ),
    Case(
        name="circle_index_2",
        topic="first order",
        shows="Index 2, the unknown in both signs and cubed.",
        source="own problem",
        reference="chosen motion",
        trust="exact",
        prepare=on_problem("circle_index2", MIDPOINT, t_end=2.0),
        **of_order(2, 0.005, v=1.8e-6, a=3e-5, lam=5.6e-6, drift=1e-12),
    ),
)
