"""Ready problems that are the numerical examples of the works that the project implements."""

from __future__ import annotations

from functools import partial

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case, of_order
from isodyn.studies.verification.runs import on_problem

DAMPED = Scheme.U0(0.8, 0.8, 0.8)
MIDPOINT = Scheme.V0(1.0, 1.0, 0.0)
shown = partial(Case, topic="documents")
dop853 = partial(shown, reference="DOP853, rtol = 1e-13", trust="computed")

CASES = (
    shown(
        name="andrews_angles",
        shows="Andrews' squeezing mechanism in seven angles, up to t = 0.03.",
        source="Shimada (2014), example 3.5.1; Test Set for IVP Solvers, problem Andrews",
        citation="Shimada2014",
        link="https://archimede.uniba.it/~testset/",
        reference="80-bit computation, 14 digits",
        trust="computed",
        prepare=on_problem("andrews", MIDPOINT, Stabilised(), t_end=0.03, against="table", save_every=10, energy=False),
        peers=(
            "SUNDIALS IDA on index 1: 4.6e-6 in q at tol 1e-7 in 0.69 s, index 2 did not return within 120 s",
            "Radau of solve_dae, stabilised index 1: 4.4e-9 in q at tol 1e-7 in 16 s; direct index 3, 2, 1 and GGL forms fail",
        ),
        **of_order(2, 5e-06, q=1.9e-7, v=1.4e-6, a=6.4e-5, lam=1.2e-5, drift=1e-12),
    ),
    shown(
        name="andrews_bodies",
        shows="The same mechanism in 21 coordinates with 20 rows.",
        source="Shimada (2014), (3.208) to (3.212)",
        citation="Shimada2014",
        reference="80-bit computation, 14 digits",
        trust="computed",
        prepare=on_problem(
            "andrews21", MIDPOINT, Stabilised(), t_end=0.01, against="table", save_every=10, energy=False
        ),
        **of_order(2, 5e-06, q=1.3e-6, v=1.4e-6, drift=1e-12),
    ),
    dop853(
        name="brusselator_cycle",
        shows="The same reaction on its limit cycle.",
        source="Shimada (2014), example 2.3.2",
        citation="Shimada2014",
        prepare=on_problem("brusselator_unstable", Scheme.optimal(0.5), t_end=10.0, against="DOP853"),
        **of_order(2, 0.005, v=8.4e-5, a=3.6e-4),
    ),
    dop853(
        name="brusselator_stable",
        shows="A reaction that comes to rest, by a scheme of second-order systems adapted to first order.",
        source="Shimada (2014), example 2.3.2",
        citation="Shimada2014",
        prepare=on_problem("brusselator_stable", Scheme.optimal(0.5), t_end=10.0, against="DOP853"),
        **of_order(2, 0.025, v=2.9e-5, a=1.9e-4),
    ),
    shown(
        name="clamped_bar_in_time",
        shows="A clamped bar whose fifth node is struck: all 30 modes at once, by the midpoint rule.",
        source="Shimada (2014), example C.4.1",
        citation="Shimada2014",
        reference="sum of modes",
        trust="exact",
        prepare=on_problem("clamped_bar", MIDPOINT, t_end=0.2),
        **of_order(2, 0.00025, q=4.6e-5, v=7.4e-5, a=1.7e-4, energy=4e-12),
    ),
    dop853(
        name="flying_rod",
        shows="A free rod of 14 m, thrown by a torque and a force.",
        source="Shimada (2014), example 8.1.1",
        citation="Shimada2014",
        prepare=on_problem(
            "flying_rod", Scheme.midpoint_epa(), t_end=0.1, against="DOP853", parameters={"elements": 7.0}
        ),
        steps=(0.0004, 0.0002, 0.0001),
        bounds={"q": 2.9e-5, "v": 4.6e-3, "a": 8.7e-2, "energy": 4.3e-6},
        orders={"q": 2, "v": 2},
    ),
    shown(
        name="kepler_ellipse",
        shows="One turn on the ellipse of eccentricity 0.6 by the midpoint rule.",
        source="Shimada (2014), example 2.4.1",
        citation="Shimada2014",
        reference="Kepler's equation",
        trust="exact",
        prepare=on_problem("kepler", MIDPOINT, t_end=6.283185307179586),
        peers=("SciPy's DOP853: 2.6e-7 in q at rtol = 1e-6 with 329 evaluations, 6.7e-9 at rtol = 1e-9 with 644",),
        **of_order(2, 0.0025, q=8e-4, v=2.1e-3, a=3.2e-3),
    ),
    shown(
        name="kepler_long_ellipse",
        shows="Half a turn on the ellipse of eccentricity 0.9, from the near point to the far one.",
        source="Shimada (2014), example 2.4.1",
        citation="Shimada2014",
        reference="Kepler's equation",
        trust="exact",
        prepare=on_problem("kepler_eccentric", MIDPOINT, t_end=3.141592653589793),
        **of_order(2, 0.00025, q=2e-4, v=5.8e-5, a=1.6e-4),
    ),
    shown(
        name="pennestri_pendulum",
        shows="The benchmark of all methods of coordinate reduction, with the reaction of its pin.",
        source="Pennestrì and Valentini (2008), section 8",
        citation="Pennestri2008",
        reference="elliptic functions",
        trust="exact",
        prepare=on_problem("rigid_pendulum", DAMPED, Stabilised(), t_end=2.0),
        peers=(
            "Exudyn, generalised-α index 3, h = 0.001 over 10 s: 8.7e-5 rad in the angle, 3.4e-4 in the multiplier "
            "(8.5e-5 with tight Newton)",
            "MuJoCo Euler with joint coordinates, h = 0.001: 1.3e-3 rad",
        ),
        **of_order(2, 0.0025, q=3.4e-5, v=7.6e-5, a=1.2e-4, lam=7.8e-5, drift=1e-12, energy=8.3e-6),
    ),
    dop853(
        name="pleiades_unit_masses",
        shows="Seven stars of mass 1, by the midpoint rule.",
        source="Shimada (2014), example 2.3.1",
        citation="Shimada2014",
        prepare=on_problem("pleiades_unit", Scheme.midpoint_epa(), t_end=1.0, against="DOP853"),
        **of_order(2, 0.001, q=1.4e-8, v=9.8e-9, a=1.2e-6, energy=2.5e-9),
    ),
    dop853(
        name="spinning_top",
        shows="A top on its tip, 1200 turns a minute: rotations by a retraction.",
        source="Shimada (2014), example 3.5.3",
        citation="Shimada2014",
        prepare=on_problem("spinning_top", Scheme.optimal(0.0), Stabilised(), t_end=0.1, against="DOP853"),
        **of_order(2, 0.00025, q=8.9e-5, v=1.4e-5, a=4.3e-4, lam=2.1e-4, drift=1e-12, energy=4.4e-7),
    ),
    shown(
        name="van_der_pol_index_1",
        shows="An algebraic equation of index 1, away from its impasse.",
        source="Shimada (2014), example 3.5.2",
        citation="Shimada2014",
        reference="Lambert's function",
        trust="exact",
        prepare=on_problem("vdpol_dae", MIDPOINT, t_end=0.5),
        **of_order(2, 0.005, v=1.3e-6, a=6.1e-6, lam=2.8e-7, drift=2.9e-11),
    ),
)
