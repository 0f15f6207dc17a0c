"""The place of a mistake follows from the fields of the error, whatever its words are about."""

from __future__ import annotations

import re

import pytest

import isodyn as iso
from isodyn.errors import InputError, about
from isodyn.models.build import model_from_text
from isodyn.models.reader import ModelError

BODY = '[bodies."{name}"]\nmass = 1\ninertia = [1, 1, 1]\n'
RUN = "\n[run]\ndt = 0.01\nt_end = 0.1\n"

CASES = [
    (  # the message names a joint that is called like a key
        BODY.format(name="a")
        + '[joints.stiffness]\ntype = "spherical"\nbetween = ["ground", "a"]\n'
        + '[loads.s]\ntype = "joint_spring"\nstiffness = 3\njoint = "stiffness"\n',
        "loads.s.joint",
    ),
    (  # … a body
        '[bodies.torque]\nkind = "particle"\nmass = 1\n'
        + '[loads.t]\ntype = "torque"\ntorque = [0, 0, 1]\nbody = "torque"\n',
        "loads.t.body",
    ),
    (  # "axis and second_axis … must be perpendicular"
        BODY.format(name="a")
        + '[joints.cross]\ntype = "universal"\nbetween = ["ground", "a"]\naxis = [0, 0, 1]\nsecond_axis = [0, 0, 1]\n',
        "joints.cross.second_axis",
    ),
    (  # a formula stands twice in the file, the second one is wrong where it stands
        BODY.format(name="a")
        + '[loads.one]\ntype = "force"\nbody = "a"\nforce = ["a.vx", 0, 0]\n'
        + '[loads.two]\ntype = "torque"\nbody = "a"\ntorque = [0, "a.vx", "b.vx"]\n',
        "loads.two.torque[2]",
    ),
    (  # names with signs that messages are made of
        BODY.format(name="body 'x': mass must")
        + '[joints."it\'s: axis is"]\ntype = "screw"\nbetween = ["ground", "body \'x\': mass must"]\npitch = 1\n'
        + '[joints.w]\ntype = "coupling"\n'
        + '[joints.w.weights]\n"it\'s: axis is.turn" = 1\n',
        "joints.w.weights.it's: axis is.turn",
    ),
    (  # a function of time inside a load
        BODY.format(name="a")
        + '[loads.f]\ntype = "force"\nbody = "a"\nforce = [1, 0, 0]\n'
        + 'time = { type = "ramp", start = 0, end = 1, t0 = 2, t1 = 1 }\n',
        "loads.f.time.t1",
    ),
    (
        BODY.format(name="a") + '[start]\nhold = ["a"]\nrates = { "no.angle" = 1 }\n',
        "start.rates.no.angle",
    ),
    (
        '[bodies.b]\nshape = { type = "tube", radius = 0.1, length = 1, density = 1, inner = 0.2 }\n',
        "bodies.b.shape.inner",
    ),
]


@pytest.mark.parametrize(("text", "key"), CASES, ids=[key for _, key in CASES])
def test_the_place_is_that_of_the_argument(text: str, key: str) -> None:
    """Line and key, where words of the message would lead elsewhere."""
    with pytest.raises(ModelError) as caught:
        model_from_text(text + RUN, "wrong.toml").check()
    assert caught.value.key == key
    last = re.split(r"\.", re.sub(r"\[\d+\]$", "", key))[-1]
    line = (text + RUN).split("\n")[(caught.value.line or 0) - 1]
    assert re.match(rf'^"?.*\b{re.escape(last)}"? = |.*\b{re.escape(last)} = ', line), line


def test_errors_of_a_mechanism_carry_part_and_argument() -> None:
    """The same fields without a file."""
    mech = iso.Mechanism()
    mech.add_body("a", 1.0, (1, 1, 1))
    mech.add_joint(iso.Screw("s", "ground", "a", pitch=0.0))
    with pytest.raises(InputError, match="pitch of a screw") as caught:
        mech.compile()
    assert (caught.value.part, caught.value.argument) == ("s", ("pitch",))
    assert caught.value.message in str(caught.value)
    assert "hint" not in caught.value.message


def test_the_innermost_knows_best() -> None:
    """`about` fills what is not known and puts `inside` before."""
    with pytest.raises(InputError) as caught, about("load", "time"), about("other", "t0", inside=("time", 1)):
        raise InputError("wrong", argument="t1")
    assert (caught.value.part, caught.value.argument) == ("other", ("time", 1, "t1"))
    with pytest.raises(InputError) as caught, about("load", inside="time"), about(None, "t0"):
        raise InputError("wrong")
    assert (caught.value.part, caught.value.argument) == ("load", ("time", "t0"))
