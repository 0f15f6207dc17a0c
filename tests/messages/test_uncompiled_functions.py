"""Users' functions under @njit that Numba cannot compile end in one error of ours: which function,
where, what Numba said in a line, and what to do. Once it was Numba's own, pages long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import CallableError
from isodyn.systems.questions import Questions


@numba.njit
def of_state(q, v, t):
    return np.array([q.nothing])


@numba.njit
def of_time(q, t):
    return np.array([q.nothing])


@numba.njit
def of_position(q):
    return np.array([[unknown_name(q[0])]])  # noqa: F821


@numba.njit
def guard(t, q, v):
    return q.nothing - 1.0


@numba.njit
def sampled(s):
    return s.nothing


@numba.njit
def rates(s, z, t):
    return s.nothing


@numba.njit
def rows(s, z, t):
    return s - z


@numba.njit
def law(t, height):
    return height.nothing


@numba.njit
def pushing(t, pose):
    return pose.nothing


@numba.njit
def guiding(pose, t):
    return pose.nothing


@numba.njit
def energy(q, v, t):
    return q.nothing, 0.0


def run(**given: Any) -> None:
    one = {"M": 1.0, "Q": lambda q, v, t: -q, "q0": [0.0], "v0": [0.0]} | given
    iso.integrate(iso.MechanicalSystem(**one), dt=0.1, t_end=1.0).energy()


def watched(g: Any) -> None:
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    iso.integrate(system, dt=0.1, t_end=1.0, events=[iso.Event(g)])


def body_with(part: Any = None, controller: Any = None) -> None:
    mech = iso.Mechanism()
    mech.add_body("block", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0))
    if isinstance(part, iso.UserRows):
        mech.add_joint(part)
    elif part is not None:
        mech.add_load(part)
    if controller is not None:
        mech.add_load(iso.Force("push", "block", force=(0, 0, 0)))
        mech.add_controller("pd", every=0.1, reads=["block.z"], writes=["push"], law=controller)
    iso.integrate(mech, dt=0.05, t_end=0.2)


def dae() -> None:
    iso.integrate(iso.FirstOrderSystem(rates, [1.0], z0=[1.0], c=rows), dt=0.1, t_end=1.0)


CASES: dict[str, tuple[Any, int, str, Callable[[], None]]] = {
    "Q": (of_state, 2, "Unknown attribute 'nothing'", lambda: run(Q=of_state)),
    "phi": (of_time, 2, "Unknown attribute 'nothing'", lambda: run(phi=of_time)),
    "psi": (of_state, 2, "Unknown attribute 'nothing'", lambda: run(psi=of_state)),
    "M": (of_position, 0, "NameError: name 'unknown_name'", lambda: run(M=of_position)),
    "energy": (energy, 2, "Unknown attribute 'nothing'", lambda: run(energy=energy)),
    "event": (guard, 2, "Unknown attribute 'nothing'", lambda: watched(guard)),
    "event of a sample": (sampled, 2, "Unknown attribute 'nothing'", lambda: watched(sampled)),
    "first-order": (rates, 2, "Unknown attribute 'nothing'", dae),
    "controller": (law, 2, "Unknown attribute 'nothing'", lambda: body_with(controller=law)),
    "UserLoad": (pushing, 2, "Unknown attribute 'nothing'", lambda: body_with(iso.UserLoad("wind", "block", pushing))),
    "UserRows": (guiding, 2, "Unknown attribute 'nothing'", lambda: body_with(iso.UserRows("rail", "block", guiding))),
}


@pytest.mark.parametrize("case", CASES)
def test_a_function_that_does_not_compile_is_named(case: str) -> None:
    function, line, said, do = CASES[case]
    with pytest.raises(CallableError) as raised:
        do()
    told, code = str(raised.value), function.py_func.__code__
    assert (
        f"the function {code.co_name!r} ({code.co_filename}, line {code.co_firstlineno + line}) does not compile: {said}"
        in told
    )
    assert "\nhint: Numba knows a part of Python and NumPy; without @njit" in told
    assert len(told.splitlines()) == 2


@pytest.mark.parametrize(
    ("answer", "said"),
    [(lambda q, v, t: -q[0], "float64"), (lambda q, v, t: None, "none"), (lambda q, v, t: (-q[0],), "Tuple")],
)
def test_an_answer_that_compiled_code_cannot_use(answer: Any, said: str) -> None:
    """The function compiles, and what it returns has no components."""
    with pytest.raises(
        CallableError, match=rf"the function '<lambda>' \(.*, line \d+\) does not return what is needed: .*{said}"
    ):
        run(Q=numba.njit(answer))


def test_an_event_must_return_a_number() -> None:
    with pytest.raises(CallableError, match="does not return what is needed: No conversion from array"):
        watched(numba.njit(lambda t, q, v: q))


def test_questions_look_at_the_status() -> None:
    """A compiled force with too many components at some times: a question to the model once
    returned zeros."""

    @numba.njit
    def force(q, v, t):
        return np.zeros(3) if t > 0.5 else -q

    ask = Questions(iso.MechanicalSystem(M=np.eye(2), Q=force, q0=[1.0, 0.0], v0=[0.0, 0.0]))
    one = np.ones(2)
    assert ask.balance(0.0, one, one, one).tolist() == [2.0, 2.0]
    with pytest.raises(CallableError, match="an array of the wrong shape at t = 1"):
        ask.balance(1.0, one, one, one)
