"""Structs: the same words in Python, in kernels and in uncompiled runs; wrong names and sizes are
refused."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numba
import numpy as np
import pytest

import isodyn
from isodyn.errors import InputError
from isodyn.kernels.compiled import I, f8, kernel
from isodyn.kernels.struct import LINE, Struct, integer, integers, many, one, real, reals
from isodyn.kernels.struct_types import ADDRESS, StructType, address_at, address_of, addresses, copy_struct, opened

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="looks at compiled code")


class Body(Struct):
    mass, kind = real, integer
    inertia = reals(3, 3)


class Motion(Struct):
    t = real
    q, v = reals("nq"), reals("nv")


class Tables(Struct):
    gravity = reals(3)
    count = integer
    bodies = many(Body, "bodies")
    places = integers("bodies", 2)
    ground = one(Body)
    motion = one(Motion)


class Longer(Motion):
    """Fields of the base come first."""

    more = reals(2, "nv")


def tables() -> Tables:
    found = Tables(bodies=3, nq=4, nv=2)
    found.bodies[1].mass = 2.5
    found.bodies[2].inertia[0, 2] = 7.0
    found.ground.kind = 3
    found.motion.q = [1.0, 2.0, 3.0, 4.0]
    found.places[2, 1] = 9
    return found


class Around(Struct):
    """Another struct's words inside this one's."""

    factor = real
    inside = integers("words")


@kernel(f8(ADDRESS))
def sum_of_q(given):
    """Of a struct that only this function knows."""
    motion = opened(Motion, given)
    return motion.t + motion.q.sum()


@kernel(f8(ADDRESS))
def around_it(given):
    around = opened(Around, given)
    return around.factor * sum_of_q(address_of(around.inside))


@kernel(f8(I))
def at_places(places):
    total = 0.0
    for k in range(len(places)):
        total += sum_of_q(address_at(places[k]))
    return total


def test_addresses_are_opened_as_the_struct_that_is_there() -> None:
    """From Python, at places in numbers, and inside the words of another struct, which may be
    copied."""
    motions = [Motion.filled(t=float(k), q=[1.0, 2.0], v=np.zeros(3)) for k in range(3)]
    assert [sum_of_q(motion) for motion in motions] == [3.0, 4.0, 5.0]
    assert at_places(addresses(motions)) == 12.0
    around = Around.filled(factor=2.0, inside=motions[2].words)
    assert around_it(around) == around_it(around.copy()) == around_it(pickle.loads(pickle.dumps(around))) == 10.0
    assert Motion.over(around.inside).q.tolist() == [1.0, 2.0]


def test_filled_takes_sizes_from_arrays() -> None:
    found = Longer.filled(t=1.0, q=[1.0], v=[2.0, 3.0], more=np.ones((2, 2)))
    assert found.sizes == {"nq": 1, "nv": 2}
    assert found.more.sum() == 4.0
    with pytest.raises(InputError, match="missing: 'nv'"):
        Motion.filled(q=[1.0])
    with pytest.raises(InputError, match="has no field 'mass'"):
        Motion.filled(q=[1.0], v=[1.0], mass=1.0)
    with pytest.raises(InputError, match=r"has the shape \(2, 3\), received \(2, 2\)"):
        Longer.filled(q=[1.0], v=[2.0, 3.0, 4.0], more=np.ones((2, 2)))


def test_python_reads_what_it_wrote() -> None:
    found = tables()
    assert found.bodies[1].mass == 2.5
    assert found.bodies[2].inertia[0, 2] == 7.0
    assert found.ground.kind == 3
    assert found.motion.q.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert found.motion.v.tolist() == [0.0, 0.0]
    assert (len(found.bodies), found.places.shape) == (3, (3, 2))
    assert found.places.dtype == np.int64
    assert found.sizes == {"bodies": 3, "nq": 4, "nv": 2}
    assert found.count == 0


def visit(t: Tables) -> float:
    """Reads and writes of every kind of field."""
    t.count += 2
    t.motion.t = 1
    for k in range(len(t.bodies)):
        t.bodies[k].kind = 10 * k
        t.places[k, 0] = k
    t.gravity[2] = -t.bodies[1].mass
    t.motion.v[1] = t.motion.q[3] + t.bodies[2].inertia[0, 2]
    return t.motion.q.size + t.places.shape[0]


@pytest.mark.parametrize(
    "function", [visit, pytest.param(numba.njit(visit), marks=compiled)], ids=["python", "compiled"]
)
def test_kernels_write_where_python_reads(function) -> None:
    found = tables()
    assert function(found) == 7
    assert found.count == 2
    assert found.motion.t == 1.0
    assert [body.kind for body in found.bodies] == [0, 10, 20]
    assert found.places.tolist() == [[0, 0], [1, 0], [2, 9]]
    assert found.gravity.tolist() == [0.0, 0.0, -2.5]
    assert found.motion.v.tolist() == [0.0, 11.0]
    assert found.motion.q.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_fields_of_a_base_come_first() -> None:
    found = Longer(nq=0, nv=3)
    assert list(found.values()) == ["t", "q", "v", "more"]
    assert found.more.shape == (2, 3)
    assert found.q.shape == (0,)


def test_copies_are_equal_and_apart() -> None:
    first = tables()
    second = first.copy()
    assert np.array_equal(first.words, second.words)
    second.motion.q[0] = 5.0
    assert first.motion.q[0] == 1.0
    first.copy_from(second)
    assert first.motion.q[0] == 5.0
    again = pickle.loads(pickle.dumps(first))
    assert np.array_equal(again.words, first.words)
    again.bodies[0].mass = 1.0
    assert first.bodies[0].mass == 0.0


@compiled
def test_kernels_copy_whole_structs() -> None:
    first, second = tables(), Tables(bodies=3, nq=4, nv=2)
    numba.njit(lambda a, b: copy_struct(a, b))(first, second)
    assert np.array_equal(first.words, second.words)


def test_blocks_begin_in_lines_of_their_own() -> None:
    assert all(tables().words.ctypes.data % LINE == 0 for _ in range(20))


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"nq": 1}, "takes the sizes nq, nv; wrong or missing: 'nv'"),
        ({"nq": 1, "nv": 1, "m": 1}, "wrong or missing: 'm'"),
        ({"nq": 1, "nv": -1}, "the size 'nv' of Motion must be a whole number, received -1"),
        ({"nq": 1, "nv": 1.0}, "must be a whole number, received 1.0"),
    ],
)
def test_wrong_sizes_are_refused(sizes, words) -> None:
    with pytest.raises(InputError, match=words):
        Motion(**sizes)


def test_wrong_names_and_shapes_are_refused() -> None:
    found = tables()
    with pytest.raises(InputError, match=r"Tables has no field 'bodys'(.|\n)*it has gravity, count, bodies"):
        found.bodys = 1
    with pytest.raises(AttributeError):
        _ = found.bodys
    with pytest.raises(InputError, match=r"Motion.q has the shape \(4,\), received \(3,\)"):
        found.motion.q = [1.0, 2.0, 3.0]
    with pytest.raises(InputError, match=r"Tables.bodies holds structs"):
        found.bodies = 1.0
    with pytest.raises(InputError, match="other sizes"):
        found.copy_from(Tables(bodies=1, nq=4, nv=2))
    with pytest.raises(InputError, match="structs of constant size, Motion has the sizes nq, nv"):
        many(Motion, "motions")
    with pytest.raises(InputError, match="cannot have the name 'copy'"):
        type("Wrong", (Struct,), {"copy": real})
    with pytest.raises(InputError, match=r"numbers and of names of sizes, received 1\.5"):
        reals(1.5)


@compiled
def test_wrong_fields_do_not_compile() -> None:
    with pytest.raises(numba.core.errors.TypingError, match="bodys"):
        numba.njit(lambda t: t.bodys)(tables())


def test_the_type_knows_the_fields() -> None:
    names = {StructType(type("Body", (Struct,), {"mass": real, "x": f})).name for f in (real, integer, reals(2))}
    assert len(names) == 3


PROGRAM = textwrap.dedent(
    """
    import sys
    sys.path.insert(0, sys.argv[1])
    import declared
    numbers = declared.Numbers(n=2)
    numbers.b = 5.0
    print(declared.read(numbers), sum(declared.read.stats.cache_hits.values()))
    """
)
DECLARED = textwrap.dedent(
    """
    import numba
    from isodyn.kernels.struct import Struct, real, reals
    from isodyn.kernels.struct_types import StructType

    class Numbers(Struct):
        FIELDS

    @numba.njit(numba.float64(StructType(Numbers)), cache=True)
    def read(numbers):
        return numbers.b
    """
)


@pytest.mark.slow
@compiled
def test_machine_code_on_disk_is_not_used_for_other_fields(tmp_path) -> None:
    """Numba knows the time and size of the source only: here both stay the same."""
    file, found = tmp_path / "declared.py", []
    environment = {"PYTHONPATH": str(Path(isodyn.__file__).parents[1]), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for fields in (
        "a, b, c = real, real, reals('n')",
        "a, b, c = real, real, reals('n')",
        "b, a, c = real, real, reals('n')",
    ):
        file.write_text(DECLARED.replace("FIELDS", fields))
        shutil.copystat(Path(isodyn.__file__), file)
        done = subprocess.run(
            [sys.executable, "-B", "-c", PROGRAM, str(tmp_path)],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        found.append(done.stdout.split())
    assert found == [["5.0", "0"], ["5.0", "1"], ["5.0", "0"]]


def test_many_structs_are_filled_field_by_field() -> None:
    found = Tables(bodies=3, nq=0, nv=0)
    found.bodies.fill(mass=[1.0, 2.0, 3.0], inertia=[k * np.eye(3) for k in range(3)])
    assert [body.mass for body in found.bodies] == [1.0, 2.0, 3.0]
    assert found.bodies[2].inertia[1, 1] == 2.0
    found.bodies.column("mass")[:] *= 2.0
    assert found.bodies[-1].mass == 6.0
    with pytest.raises(InputError, match=r"Body.mass: there are 3, received 2"):
        found.bodies.fill(mass=[1.0, 2.0])
    with pytest.raises(IndexError, match="there are 3 Body, received the number 3"):
        found.bodies[3]


def test_structs_inside_structs_are_filled_whole() -> None:
    class Frame(Struct):
        body = one(Body)

    class Frames(Struct):
        frames = many(Frame, "frames")

    bodies = [Body(), Body()]
    bodies[1].mass = 4.0
    found = Frames(frames=2)
    found.frames.fill(body=bodies)
    assert [frame.body.mass for frame in found.frames] == [0.0, 4.0]
    found.frames[0].body.mass = 1.0
    assert bodies[0].mass == 0.0  # a copy
