"""A joint that is entered twice: redundant rows everywhere, multipliers of least norm."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="doubled_joint",
    topic="mechanisms",
    shows="A joint that is entered twice: redundant rows everywhere, multipliers of least norm.",
    source="own problem",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.01, 0.005, 0.0025),
    prepare=on_problem("double_pendulum_doubled", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=1.0, against="DOP853"),
    bounds={"q": 1.8e-5, "v": 8.5e-5, "a": 3.2e-4, "lam": 1.1e-4, "drift": 1e-12, "energy": 5.3e-5},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
    peers=(
        "Exudyn: of three linear solvers one passes redundant rows, EigenDense with ignoreSingularJacobian; Pinocchio accepts them",
    ),
)
