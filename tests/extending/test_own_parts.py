"""Parts written outside the package, each in one file: in Python, from TOML, written back, drawn,
read out; and refused by name."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

import isodyn as iso
from isodyn.bodies.solids import Solid, shape
from isodyn.errors import InputError
from isodyn.joints import Joint
from isodyn.joints.words import Pair, Row
from isodyn.loads import LoadPart
from isodyn.models import model_from_text, to_toml
from isodyn.models.reader import ModelError
from isodyn.models.schema import schema
from isodyn.parts import JOINTS, Keys, Part, Value, joint, load, optional, required
from isodyn.report.scenes import scene_of
from registries import as_before

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "extending"


def example(name: str) -> ModuleType:
    """An example as a module; a second time it registers its class again."""
    specification = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[module.__name__] = module
    specification.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Registries as they were."""
    with as_before():
        yield


def again(mech: iso.Mechanism) -> iso.Mechanism:
    """Written to a file and read."""
    return model_from_text(to_toml(mech, dt=0.01, t_end=1.0)).mechanism()


def test_a_joint_of_another_file() -> None:
    """Its way, its reaction, its table, its drawing."""
    own = example("own_joint")
    mech = own.mechanism()
    assert again(mech).joints == mech.joints
    sol = iso.integrate(again(mech).compile(), dt=0.01, t_end=0.5)
    assert sol.joint("slot").coordinate("travel")[-1] == pytest.approx(0.5 * 9.81 * 0.5 * 0.25, rel=1e-12)
    assert np.linalg.norm(sol.reaction("slot").force[-1]) == pytest.approx(2 * 9.81 * np.cos(np.pi / 6), rel=1e-9)
    scene = scene_of(sol)
    assert scene is not None
    assert [(mark.name, mark.kind.value) for mark in scene.marks] == [("slot", "slider")]
    assert scene.marks[0].reach[1] == pytest.approx(sol.joint("slot").coordinate("travel").max())
    assert sol.quantity("slot.travel").unit == "m"
    assert "Slot" in schema()["$defs"]


def test_a_load_of_another_file() -> None:
    """Its force, its table, its drawing."""
    own = example("own_load")
    mech = again(own.mechanism())
    assert mech.loads["pull"] == own.mechanism().loads["pull"]
    sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.2)
    assert sol.load("pull").tension[0] == pytest.approx(0.75)
    scene = scene_of(sol)
    assert scene is not None
    assert [line.kind for line in scene.lines] == ["rope"]


def test_mistakes_in_own_tables_have_their_place() -> None:
    """The same messages as for the parts of the library."""
    own = example("own_load")
    for old, new, key, match in (
        ("strength = 3", "strenght = 3", "loads.pull.strenght", "did you mean strength"),
        ("strength = 3", "strength = -3", "loads.pull.strength", "must be positive"),
        ("strength = 3\n", "", "loads.pull.strength", "missing"),
        ('"heavy"]', '"heavier"]', "loads.pull.between[1]", "there is no body named 'heavier'"),
        ('type = "magnet"', 'type = "magent"', "loads.pull.type", "did you mean magnet"),
    ):
        with pytest.raises(ModelError, match=match) as caught:
            model_from_text(own.MODEL.replace(old, new)).check()
        assert caught.value.key == key


@pytest.mark.parametrize("name", ["type", "a:b", "a/b", "axis", "größe ⟂", "x.y", "between", "it's", " "])
def test_odd_names(name: str) -> None:
    """Types, joints and bodies with signs that could mean something."""

    @joint(name)
    @dataclass(frozen=True)
    class Odd(Joint):
        """A joint."""

        def rows(self, pair: Pair) -> list[Row]:
            return pair.coincide()

    mech = iso.Mechanism()
    mech.add_body(f"body {name}", 1.0, (1, 1, 1), (0.5, 0, 0))
    mech.add_joint(Odd(name, "ground", f"body {name}", point=(0, 0, 0)))
    system = again(mech).compile()
    assert system.row_names == (f"{name}: point x", f"{name}: point y", f"{name}: point z")
    sol = iso.integrate(system, dt=0.01, t_end=0.02)
    assert sol.reaction(name).force.shape == (3, 3)
    text = to_toml(mech, dt=0.01, t_end=1.0)
    assert tomllib.loads(text)["joints"][name]["type"] == name
    with pytest.raises(ModelError) as caught:
        model_from_text(text.replace("point = [", "ponit = [")).check()
    assert caught.value.key == f"joints.{name}.ponit"


def test_what_cannot_be_registered() -> None:
    """Types that are taken, classes that are no parts, keys without fields."""

    @dataclass(frozen=True)
    class Other(Joint):
        """A joint."""

        def rows(self, pair: Pair) -> list[Row]:
            return []

    with pytest.raises(InputError, match=r"joints of type 'hinge' are read by isodyn.joints.pairs.Hinge already"):
        joint("hinge")(Other)
    with pytest.raises(InputError, match="a text that is not empty"):
        joint("")(Other)
    with pytest.raises(InputError, match="no dataclass below"):
        load("number")(int)  # type: ignore[type-var]

    @dataclass(frozen=True)
    class Keyed(Other):
        """A joint with a key that it has no field for."""

        keys: ClassVar[Keys] = {**Joint.keys, "size": required(Value.POSITIVE)}

    with pytest.raises(InputError, match="keys without a field: size"):
        joint("keyed")(Keyed)

    @dataclass(frozen=True, kw_only=True)
    class Sized(Other):
        """A joint with a field that no table gives."""

        size: float
        frame: str = "world"

    with pytest.raises(InputError, match="fields without a key and without a default: size"):
        joint("sized")(Sized)
    for keys, match in (
        ({"size": optional(Value.POSITIVE)}, "size may be left out of a table, but its field has no default"),
        ({"size": required(Value.POSITIVE), "type": optional(Value.TEXT)}, "'type' is a key of every table"),
        ({"size": required(Value.POSITIVE), "frame": optional(Value.CHOICE)}, "no choices for frame"),
    ):
        Sized.keys = {**Joint.keys, **keys}
        with pytest.raises(InputError, match=match):
            joint("sized")(Sized)
    mech = iso.Mechanism()
    mech.add_body("a", 1.0, (1, 1, 1))
    mech.add_joint(Other("o", "ground", "a"))
    with pytest.raises(InputError, match="joints: Other is a class that model files do not know") as caught:
        to_toml(mech, dt=0.1, t_end=1.0)
    assert caught.value.part == "o"
    with pytest.raises(InputError, match="add_joint takes a joint"):
        mech.add_joint(iso.Spring("s", "ground", "a"))  # type: ignore[arg-type]


def test_the_class_of_a_notebook_may_be_written_again() -> None:
    """The same class a second time replaces the first."""
    first, second = example("own_joint").Slot, example("own_joint").Slot
    assert first is not second
    assert JOINTS.types()["slot"] is second
    assert first not in JOINTS.classes()


def test_a_shape_of_another_file() -> None:
    """Mass, inertia and drawing follow from the class, its table from its fields."""

    @shape("cube")
    @dataclass(frozen=True, eq=False)
    class Cube(Solid):
        """Three equal edges."""

        edge: float

        @property
        def volume(self) -> float:
            return self.edge**3

        @property
        def gyration(self) -> Any:
            return self.edge**2 / 6 * np.eye(3)

        def triangles(self, n: int = 24) -> Any:
            return iso.shapes.Box(self.edge, self.edge, self.edge, mass=1.0).triangles(n)

    mech = iso.Mechanism()
    mech.add_body("die", shape=Cube(2.0, density=3.0))
    body = again(mech).bodies["die"]
    assert body.mass == 24.0
    assert (body.shape.edge, type(body.shape)) == (2.0, Cube)
    text = to_toml(mech, dt=0.1, t_end=1.0)
    with pytest.raises(ModelError, match="must be positive") as caught:
        model_from_text(text.replace("edge = 2.0", "edge = -2.0"))
    assert caught.value.key == "bodies.die.shape.edge"
    assert scene_of(iso.integrate(again(mech).compile(), dt=0.1, t_end=0.2)) is not None


def test_a_class_may_read_its_table_as_it_likes() -> None:
    """`from_table`, `to_table` and `check_table` of a class count."""

    @load("pair_of_springs")
    @dataclass(frozen=True)
    class Springs(LoadPart):
        """Two springs as one table."""

        name: str
        keys: ClassVar[Keys] = {"between": required(Value.BODIES), "stiffness": optional(Value.SIX)}

        @classmethod
        def defaults(cls) -> dict[str, Any]:
            return {"stiffness": 1.0}

        @classmethod
        def check_table(cls, given: Any) -> None:
            if np.ndim(given["stiffness"]) != 0:
                raise InputError("one number will do", argument="stiffness")

        @classmethod
        def from_table(cls, name: str, given: Any, parameters: Any) -> list[Part]:
            first, second = given["between"]
            return [iso.Spring(f"{name}{k}", first, second, stiffness=given["stiffness"]) for k in "ab"]

        def build(self, world: Any) -> Any:
            raise AssertionError

    text = """
    [bodies.a]
    mass = 1
    inertia = [1, 1, 1]
    position = [1, 0, 0]
    [loads.s]
    type = "pair_of_springs"
    between = ["ground", "a"]
    stiffness = 4
    [run]
    dt = 0.1
    t_end = 1
    """
    assert [spring.stiffness for spring in model_from_text(text).mechanism().loads.values()] == [4.0, 4.0]
    with pytest.raises(ModelError, match="one number will do") as caught:
        model_from_text(text.replace("= 4", "= [1, 2, 3, 4, 5, 6]"))
    assert caught.value.key == "loads.s.stiffness"
