"""Ready problems of bodies, beams and stars, against other computations and test sets."""

from __future__ import annotations

from functools import partial

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case, of_order
from isodyn.studies.verification.runs import on_problem

DAMPED = Scheme.U0(0.8, 0.8, 0.8)
MIDPOINT = Scheme.V0(1.0, 1.0, 0.0)
dop853 = partial(Case, reference="DOP853, rtol = 1e-13", trust="computed")

CASES = (
    Case(
        name="andrews_mechanism",
        topic="mechanisms",
        shows="The same mechanism of planar bodies, ten hinges, a spring and a motor.",
        source="Test Set for IVP Solvers, problem Andrews",
        citation="TestSet",
        link="https://archimede.uniba.it/~testset/",
        reference="80-bit computation, 14 digits",
        trust="computed",
        prepare=on_problem(
            "andrews_mechanism",
            MIDPOINT,
            Stabilised(),
            t_end=0.01,
            against="table",
            save_every=10,
            energy=False,
        ),
        **of_order(2, 5e-06, q=1.3e-6, v=1.4e-6, drift=1e-12),
    ),
    dop853(
        name="bennett_loop",
        topic="mechanisms",
        shows="Four hinges in space that move although counting says they cannot.",
        source="Bennett's linkage",
        prepare=on_problem("bennett", DAMPED, Stabilised(), t_end=0.4, against="DOP853"),
        **of_order(2, 0.001, q=1.6e-6, v=1.9e-6, a=6e-6, lam=5.9e-6, drift=1e-12, energy=1.2e-6),
    ),
    dop853(
        name="chain_in_space",
        topic="mechanisms",
        shows="Spatial rods, hinges across and across again.",
        source="own problem",
        prepare=on_problem("spatial_chain", DAMPED, Stabilised(), t_end=0.1, against="DOP853", parameters={"n": 4.0}),
        **of_order(2, 0.0005, q=3.5e-8, v=1.5e-7, a=5e-6, lam=1.1e-5, drift=1e-12, energy=1.8e-7),
    ),
    dop853(
        name="chain_of_rods",
        topic="mechanisms",
        shows="Planar rods in a row, hinged.",
        source="textbook",
        prepare=on_problem("planar_chain", DAMPED, Stabilised(), t_end=0.2, against="DOP853", parameters={"n": 6.0}),
        **of_order(2, 0.0005, q=2.4e-6, v=3.3e-5, a=4.6e-5, lam=1.2e-5, drift=1e-12, energy=2.7e-7),
    ),
    dop853(
        name="doubled_joint",
        topic="mechanisms",
        shows="A joint that is entered twice: redundant rows everywhere, multipliers of least norm.",
        source="own problem",
        prepare=on_problem("double_pendulum_doubled", DAMPED, Stabilised(), t_end=1.0, against="DOP853"),
        peers=(
            "Exudyn: of three linear solvers one passes redundant rows, EigenDense with ignoreSingularJacobian; Pinocchio accepts them",
        ),
        **of_order(2, 0.0025, q=1.8e-5, v=8.5e-5, a=3.2e-4, lam=1.1e-4, drift=1e-12, energy=5.3e-5),
    ),
    dop853(
        name="four_bar_planar",
        topic="mechanisms",
        shows="Crank and rocker of planar bodies.",
        source="textbook",
        prepare=on_problem("four_bar", DAMPED, Stabilised(), t_end=0.5, against="DOP853"),
        **of_order(2, 0.0005, q=2.8e-6, v=1.2e-5, a=1.7e-4, lam=5.9e-5, drift=1e-12, energy=1.8e-5),
    ),
    dop853(
        name="four_bar_spatial",
        topic="mechanisms",
        shows="The same four-bar of spatial bodies and hinges: three rows too many, dependent on the constraints only.",
        source="textbook",
        prepare=on_problem("four_bar", DAMPED, Stabilised(), t_end=0.5, against="DOP853", parameters={"spatial": 1.0}),
        **of_order(2, 0.0005, q=1.7e-5, v=1.2e-5, a=1.7e-4, lam=5.9e-5, drift=1e-12, energy=1.8e-5),
    ),
    dop853(
        name="free_body",
        topic="mechanisms",
        shows="A body that nothing holds, about its middle axis, by the Cayley map.",
        source="Euler's equations",
        prepare=on_problem("free_body", MIDPOINT, t_end=2.0, against="DOP853"),
        **of_order(2, 0.005, q=4.2e-5, v=4e-7, a=2.3e-6, energy=5.8e-13),
    ),
    dop853(
        name="gyroscope",
        topic="mechanisms",
        shows="A fast rotor in two gimbals, pushed: it nods.",
        source="textbook",
        prepare=on_problem("gyroscope", DAMPED, Stabilised(), t_end=0.1, against="DOP853", parameters={"push": 1.3}),
        **of_order(2, 0.00025, q=3.7e-6, v=1.3e-6, a=4.5e-4, lam=4.8e-5, drift=1e-12, energy=7e-9),
    ),
    dop853(
        name="robot_arm",
        topic="mechanisms",
        shows="An arm with driven joints and a motor: moving constraints in space.",
        source="own problem",
        prepare=on_problem("robot_arm", DAMPED, Stabilised(), t_end=0.4, against="DOP853"),
        **of_order(2, 0.001, q=1.2e-6, v=4.8e-6, a=9.7e-6, lam=1.1e-6, drift=1e-12, energy=2.1e-6),
    ),
    dop853(
        name="slider_crank",
        topic="mechanisms",
        shows="Crank, rod and slider as planar bodies.",
        source="masses and lengths of the Test Set for IVP Solvers, problem Crank",
        citation="TestSet",
        link="https://archimede.uniba.it/~testset/",
        prepare=on_problem("slider_crank", DAMPED, Stabilised(), t_end=0.1, against="DOP853"),
        order_within=0.2,
        **of_order(2, 0.000125, q=3.6e-6, v=4.7e-6, a=1.4e-4, lam=5.5e-5, drift=1e-12, energy=3.7e-6),
    ),
    dop853(
        name="spherical_pendulum",
        topic="mechanisms",
        shows="A point on a rod in space, swinging around.",
        source="textbook",
        prepare=on_problem("spherical_pendulum", Scheme.V0(0.8, 0.9, 0.5), Stabilised(), t_end=1.5, against="DOP853"),
        **of_order(2, 0.005, q=1.4e-4, v=1.8e-4, a=2.3e-4, lam=6.7e-5, drift=1e-12, energy=1.7e-5),
    ),
    dop853(
        name="wheel_suspension",
        topic="mechanisms",
        shows="A wheel on its arms, spring and damper, on a road that moves.",
        source="own problem",
        prepare=on_problem("suspension", DAMPED, Stabilised(), t_end=0.1, against="DOP853"),
        **of_order(2, 0.00025, q=3.5e-7, v=5.5e-7, a=5.6e-5, lam=4.7e-6, drift=1e-12, energy=6.3e-8),
    ),
    dop853(
        name="beam_and_bodies",
        topic="beams",
        shows="An arm, a soft beam and a bob on hinges.",
        source="own problem",
        prepare=on_problem("beam_and_bodies", DAMPED, Stabilised(), t_end=0.004, against="DOP853"),
        **of_order(2, 1e-05, q=1.9e-9, v=1.1e-5, a=2.3e-5, lam=5.5e-7, drift=1e-12, energy=5.6e-11),
    ),
    dop853(
        name="flexible_rod_of_a_crank",
        topic="beams",
        shows="A slider-crank whose rod of steel bends and stretches.",
        source="section and start of the Test Set for IVP Solvers, problem Crank",
        citation="TestSet",
        link="https://archimede.uniba.it/~testset/",
        prepare=on_problem("flexible_slider_crank", DAMPED, Stabilised(), t_end=4e-05, against="DOP853"),
        **of_order(2, 2e-07, q=5.8e-8, v=1.6e-4, a=4e-3, lam=5.3e-5, drift=1e-12, energy=8.6e-12),
    ),
    dop853(
        name="bricard_loop",
        topic="test sets",
        shows="Six hinges, rank 29 of 30: Bricard's mechanism.",
        source="IFToMM library of benchmarks, A03",
        citation="IFToMM",
        prepare=on_problem("bricard", DAMPED, Stabilised(), t_end=0.2, against="DOP853"),
        **of_order(2, 0.001, q=3.4e-8, v=4.8e-7, a=1.3e-6, lam=1.2e-7, drift=1e-12, energy=6.8e-8),
    ),
    Case(
        name="pleiades_test_set",
        topic="test sets",
        shows="Seven stars of masses 1 to 7 up to t = 3, through their close encounters.",
        source="Test Set for IVP Solvers, problem Pleiades",
        citation="TestSet",
        link="https://archimede.uniba.it/~testset/",
        reference="published digits at t = 3",
        trust="published",
        prepare=on_problem("pleiades", MIDPOINT, t_end=3.0, against="table", save_every=50, energy=False),
        **of_order(2, 5e-05, q=4.4e-4, v=1.2e-3),
    ),
    dop853(
        name="slider_crank_in_space",
        topic="test sets",
        shows="Hinge, ball, universal joint and guide: one freedom in space.",
        source="IFToMM library of benchmarks, spatial slider-crank with the data of Haug",
        citation="IFToMM",
        prepare=on_problem("slider_crank_3d", DAMPED, Stabilised(), t_end=0.4, against="DOP853"),
        **of_order(2, 0.001, q=1.2e-4, v=2.4e-4, a=2.2e-3, lam=5.4e-4, drift=1e-12, energy=1.8e-4),
    ),
)
