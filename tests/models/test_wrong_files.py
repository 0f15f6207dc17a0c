"""Mistakes in model files, made by mutating valid ones: each gives one message with the right line
and key; valid variants pass.

Kinds of mistakes: misspelt keys, types and names; values of the wrong type, sign and size; missing,
doubled and foreign keys; broken formulas, specifications and TOML.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from isodyn.cli import main
from isodyn.models.build import model_from_text
from isodyn.models.positions import positions
from isodyn.models.reader import ModelError, shown
from model_texts import EVERYTHING
from struct_contents import contents

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "models"
FREE = ("parameters",)  # tables whose keys are names of the user's


class Mistake(NamedTuple):
    """A wrong text, and where it must be told."""

    kind: str
    text: str
    line: int
    key: str


def leaves(text: str) -> Iterator[tuple[tuple[str | int, ...], int, str]]:
    """Keys that stand alone on their line, their lines (from 0) and values."""
    lines = text.split("\n")
    for path, place in positions(text).items():
        found = re.match(r"^([\w\"'.]+) = (.+)$", lines[place.line - 1])
        if found and isinstance(path[-1], str) and place.column == 1 and found[1] == path[-1] and path[0] not in FREE:
            yield path, place.line - 1, found[2]


def changed(text: str, line: int, new: str) -> str:
    """The text with another line, or with several in its place."""
    lines = text.split("\n")
    return "\n".join([*lines[:line], new, *lines[line + 1 :]])


def single(value: str) -> bool:
    return value.count("[") == value.count("]") and value.count("{") == value.count("}")


REQUIRED = {"mass", "elements", "section", "type", "between", "joint", "body", "radius", "dt", "t_end", "beam", "force"}
REQUIRED |= {"torque", "coefficient", "tension", "low", "high", "mu", "value", "weights", "parameter", "start", "end"}
NAMES = {"body", "joint", "beam", "parameter"}
SIGNED = {
    "mass",
    "radius",
    "dt",
    "length",
    "elements",
    "save_every",
    "coefficient",
    "damping",
    "stiffness",
    "mu",
    "rest",
}
FORMULAS = {"tension", "value"}


def mistakes(text: str) -> Iterator[Mistake]:
    """All mutations of one valid text."""
    data = tomllib.loads(text)
    for path, line, value in leaves(text):
        key, name = str(path[-1]), shown(path)
        table = data
        for part in path[:-1]:
            table = table[part]  # type: ignore[index, call-overload]
        is_text, is_flag, is_list = value.startswith('"'), value in ("true", "false"), value.startswith("[")
        if single(value):
            yield Mistake("misspelt key", changed(text, line, f"{key}e = {value}"), line + 1, f"{name}e")
            wrong = "3" if is_flag else "true"
            yield Mistake("wrong type", changed(text, line, f"{key} = {wrong}"), line + 1, name)
            yield Mistake("doubled key", changed(text, line, f"{key} = {value}\n{key} = {value}"), line + 2, key)
            yield Mistake("no equals sign", changed(text, line, f"{key} {value}"), line + 1, key)
        if is_list and single(value) and "[[" not in value and key not in ("values", "breakpoints", "hold"):
            yield Mistake("too long an array", changed(text, line, f"{key} = [1, 2, 3, 4, 5, 6, 7]"), line + 1, name)
            yield Mistake("empty array", changed(text, line, f"{key} = []"), line + 1, name)
        if re.fullmatch(r"-?[\d.e+-]+", value):
            if not isinstance(table[key], int) or key not in ("elements", "save_every", "count", "checkpoint_every"):
                yield Mistake("not a number", changed(text, line, f"{key} = nan"), line + 1, name)
                yield Mistake("foreign name", changed(text, line, f'{key} = "2*foreign"'), line + 1, name)
            if key in SIGNED:
                yield Mistake("wrong sign", changed(text, line, f"{key} = -1"), line + 1, name)
        if is_text and key in NAMES:
            yield Mistake("foreign name", changed(text, line, f'{key} = "nobody"'), line + 1, name)
        if key == "between":
            first = tomllib.loads(f"x = {value}")["x"]
            wrong = f'{key} = ["{first[0]}", "nobody"]'
            yield Mistake("foreign name", changed(text, line, wrong), line + 1, f"{name}[1]")
            yield Mistake(
                "joined to itself", changed(text, line, f'{key} = ["{first[1]}", "{first[1]}"]'), line + 1, name
            )
        if key == "type":
            yield Mistake("foreign type", changed(text, line, 'type = "nothing"'), line + 1, name)
        if is_text and key in FORMULAS:
            for broken in ("2*", "t..x", "open(t)", "(t", "unknown_name*t"):
                yield Mistake("broken formula", changed(text, line, f'{key} = "{broken}"'), line + 1, name)
        if key in ("scheme", "formulation"):
            for broken in ("nothing", "U0(", "U0(2, 2, 2)"):
                yield Mistake("broken specification", changed(text, line, f'{key} = "{broken}"'), line + 1, name)
        if is_text and single(value):
            yield Mistake("open quotes", changed(text, line, f"{key} = {value[:-1]}"), line + 1, key)
        if key in REQUIRED and path[0] != "beams" and not ("shape" in table and key == "mass"):
            header = next(k for k in range(line, -1, -1) if text.split("\n")[k].startswith("["))
            gone = "\n".join(row for k, row in enumerate(text.split("\n")) if k != line)
            if path[0] in ("bodies", "joints", "loads", "run") and name != "loads.rub.radius":
                yield Mistake("missing key", gone, header + 1, shown(path[:-1]))
    for k, row in enumerate(text.split("\n")):
        found = re.match(r"^\[(bodies|joints|loads|beams)\.(\w+)\]$", row)
        if found:
            wrong = f"[{found[1]}x.{found[2]}]"
            yield Mistake("foreign table", changed(text, k, wrong), k + 1, f"{found[1]}x")
            yield Mistake("doubled table", changed(text, k, f"{row}\n{row}"), k + 2, found[1])
            yield Mistake("open bracket", changed(text, k, row[:-1]), k + 1, found[1])


ONE_BY_ONE = [
    ("orientation = [1, 0, 0, 0]", "orientation = [2, 0, 0, 0]", "bodies.a.orientation"),
    (
        "inertia = [0.1, 0.1, 0.1]\nposition = [0, 0, 0]",
        "inertia = [0.1, 0.1, 9]\nposition = [0, 0, 0]",
        "bodies.a.inertia",
    ),
    ("radius = 0.1, length", "radus = 0.1, length", "bodies.b.shape.radus"),
    ("radius = 0.1, length", "radius = -0.1, length", "bodies.b.shape.radius"),
    ("radius = 0.1, length", "length", "bodies.b.shape.radius"),
    ('type = "cylinder", radius', 'type = "cylindr", radius', "bodies.b.shape.type"),
    (", density = 7800 }", " }", "bodies.b.shape"),
    ('length = "l", density', 'length = "ll", density', "bodies.b.shape.length"),
    ("axis = [0, 0, 1], angle", "axis = [0, 0], angle", "bodies.b.orientation.axis"),
    ("axis = [0, 0, 1], angle", "axis = [0, 0, 0], angle", "bodies.b.orientation.axis"),
    ('angle = "30 deg" }', 'angle = "30 degrees" }', "bodies.b.orientation.angle"),
    ('angle = "30 deg" }', 'angel = "30 deg" }', "bodies.b.orientation.angel"),
    ("  [0, 0.1, 0],", "  [0, 0.1],", "bodies.disc.inertia[1]"),
    ("  [0, 0.1, 0],", "  [0, true, 0],", "bodies.disc.inertia[1][1]"),
    ("  [0, 0.1, 0],", "  [0, -0.1, 0],", "bodies.disc.inertia"),
    ('kind = "particle"\nmass', 'kind = "particel"\nmass', "bodies.p.kind"),
    ("mass = 0.3\nposition", "mass = 0.3\ninertia = [1, 1, 1]\nposition", "bodies.p.inertia"),
    ("inertia = 0.1\norientation", "inertia = [1, 1, 1]\norientation", "bodies.flat.inertia"),
    ("EA = 1e5", "EA = 0", "beams.rod.section.EA"),
    ("EA = 1e5, ", "", "beams.rod.section.EA"),
    ("damping = [1e-3, 1e-3]", "damping = [1e-3]", "beams.rod.section.damping"),
    ('type = "circle"', 'type = "cirle"', "beams.frame.section.type"),
    ("diameter = 0.02", "diametre = 0.02", "beams.frame.section.diametre"),
    ("line = [[0, 3], [1, 3], [1, 4]]", "line = [[0, 3], [1], [1, 4]]", "beams.frame.line[1]"),
    ("line = [[0, 3], [1, 3], [1, 4]]", "line = [[0, 3]]", "beams.frame.line"),
    ("start = [0, 2]\nend = [1, 2]", "start = [0, 2]", "beams.rod"),
    ("start = [0, 2]\nend = [1, 2]", "start = [0, 2]\nend = [1, 2]\nline = [[0, 2], [1, 2]]", "beams.rod.line"),
    ('model = "simplified"', 'model = "simple"', "beams.rod.model"),
    ("axis = [0, 1, 0]\n\n[joints.slide]", "axis = [0, 0, 0]\n\n[joints.slide]", "joints.pin.axis"),
    ("point = [0, 0, 0]\naxis", "point = [0, 0, 0]\npoints = [[0, 0, 0], [0, 0, 0]]\naxis", "joints.pin.points"),
    ("slide = 1.0", "slyde = 1.0", "joints.sum.weights.slyde"),
    ("slide = 1.0", "slide = 0", "joints.sum.weights.slide"),
    ('"pin.angle" = -0.2', '"pin.angle" = "x"', "joints.sum.weights.pin.angle"),
    ('coordinate = "angle"', 'coordinate = "slide"', "joints.turn.coordinate"),
    ('value = "0.1*sin(2*t)"', 'value = "0.1*a.x"', "joints.turn.value"),
    ('"2*a.vx"', '"2*nobody.vx"', "loads.push.force[1]"),
    ('"2*a.vx"', '"2*a.vq"', "loads.push.force[1]"),
    ('"sin(t)"]', '"sin(t"]', "loads.push.force[2]"),
    ('frame = "body"', 'frame = "moon"', "loads.twist.frame"),
    ("amplitude = 1, ", "amplitud = 1, ", "loads.twist.time.amplitud"),
    ("times = [0, 1, 2]", "times = [0, 2, 1]", "loads.snow.time.times"),
    ("values = [0, 1, 1]", "values = [0, 1]", "loads.snow.time.values"),
    ("force = [0, -1]\n", "force = [0, -1, 3]\n", "loads.snow.force"),
    ("high = 1\n", "high = -2\n", "loads.stop.high"),
    ("gain = 0.5", "gain = 0", "loads.engine.speed"),
    ("speed = 3\n", "speed = 3\ntorque = 1\n", "loads.engine"),
    ("mu = 0.1\n", "mu = 0.1\nmu_static = 0.05\n", "loads.rub.mu_static"),
    ("t_end = 0.05", "t_end = -1", "run.t_end"),
    ("breakpoints = [0.02]", "breakpoints = [0.5]", "run.breakpoints[0]"),
    ("rtol = 1e-10", "rtol = 2", "run.newton.rtol"),
    ("rtol = 1e-10", "rtl = 1e-10", "run.newton.rtl"),
    ('parameter = "l"\nvalues', 'parameter = "k"\nvalues', "sweeps[0].parameter"),
    ("count = 2", "count = 1", "sweeps[1].count"),
    ("count = 2", "cout = 2", "sweeps[1].cout"),
    ("stop = 0.3\n", "", "sweeps[1]"),
    ("l = 0.5\n", "t = 0.5\n", "parameters.t"),
    ("l = 0.5\n", "l = inf\n", "parameters.l"),
    ('half = "l/2"', 'half = "k/2"', "parameters.half"),
    ('half = "l/2"', '"a b" = 1', "parameters.a b"),
    ("[joints.rope]", "[joints.a]", "joints.a"),
    ("[loads.air]", "[loads.ground]", "loads.ground"),
    ("gravity = [0, 0, -9.81]", 'problem = "andrews"', "bodies"),
    ("assemble = true", "assemble = true\nrates = { pen = 1 }", "start.rates.pen"),
    ("assemble = true", 'assemble = true\nhold = ["nobody"]', "start.hold"),
]


def one_by_one() -> Iterator[Mistake]:
    """Mistakes that are made by hand; the line follows from the first character that differs, or
    from the key's table."""
    for old, new, key in ONE_BY_ONE:
        assert EVERYTHING.count(old) == 1, old
        text = EVERYTHING.replace(old, new)
        place = {shown(path): place.line for path, place in positions(text).items()}
        line = place.get(key) or place[key.rpartition(".")[0]]
        yield Mistake("by hand", text, line, key)


def all_mistakes() -> list[Mistake]:
    texts = [EVERYTHING, *(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.toml")))]
    return [*one_by_one(), *(mistake for text in texts for mistake in mistakes(text))]


def test_there_are_enough_of_every_kind() -> None:
    """At least two hundred, and no kind of which there is one only."""
    kinds = Counter(mistake.kind for mistake in all_mistakes())
    assert sum(kinds.values()) >= 200
    assert min(kinds.values()) >= 3, kinds


@pytest.mark.slow
def test_every_mistake_is_told_with_its_line_and_key() -> None:
    """One message each: file, line, key; nothing passes."""
    wrong = []
    for mistake in all_mistakes():
        try:
            model_from_text(mistake.text, "wrong.toml").check()
        except ModelError as error:
            text = str(error)
            if error.line != mistake.line or mistake.key not in error.key or not text.startswith("wrong.toml, line"):
                wrong.append((mistake.kind, mistake.line, mistake.key, "told as", error.line, error.key, text))
        except Exception as error:
            wrong.append((mistake.kind, mistake.line, mistake.key, "raised", type(error).__name__, str(error)))
        else:
            wrong.append((mistake.kind, mistake.line, mistake.key, "passed"))
    assert not wrong, f"{len(wrong)} of {len(all_mistakes())}:\n" + "\n".join(map(str, wrong[:40]))


@pytest.mark.parametrize("number", [0, 2, 30, 60, 200, 350])
def test_the_command_line_says_it_once(number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, nothing on standard output, one error with file, line and key."""
    mistake = all_mistakes()[number]
    path = tmp_path / "wrong.toml"
    path.write_text(mistake.text, encoding="utf-8")
    with pytest.raises(SystemExit) as leave:
        main(["run", str(path)])
    captured = capsys.readouterr()
    assert (leave.value.code, captured.out) == (2, "")
    assert captured.err.count("error:") == 1
    assert f"wrong.toml, line {mistake.line}: " in captured.err


VALID = [
    lambda text: text.replace("\n", "\r\n"),
    lambda text: text.replace(" = ", "="),
    lambda text: text.replace(" = ", "\t =  ") + "\n# the end",
    lambda text: re.sub(r"^(\w+) = ", r'"\1" = ', text, flags=re.M),
    lambda text: re.sub(r"^\[joints\.(\w+)\]$", r'[ joints . "\1" ]  # a joint', text, flags=re.M),
    lambda text: text.replace("[0, 0, -9.81]", "[\n  0,  # x\n  0,\n  -9.81,\n]"),
    lambda text: text.replace("mass = 1.0\n", "mass = 1\n"),
    lambda text: text.replace("mass = 1.0\n", 'mass = "2*half*2"\n'),
    lambda text: text.replace("[output]", "[output]\ncheckpoint = '''a'b'''"),
    lambda text: text.replace('title = "Everything"', 'title = """Every\n"thing\\" """'),
    lambda text: text.replace("[run]\ndt = 0.01", "[run]\ndt = 1e-2"),
    lambda text: "\n\n\n" + text,
]


@pytest.mark.parametrize("number", range(len(VALID)))
def test_valid_variants_are_accepted_and_mean_the_same(number: int) -> None:
    """Other ways to write the same model: same system; and a mistake behind them still has its
    line."""
    variant = VALID[number](EVERYTHING)
    one, two = model_from_text(EVERYTHING).system(), model_from_text(variant).system()
    assert one.tables.sizes == two.tables.sizes
    for (name, a), (_, b) in zip(contents(one.tables), contents(two.tables), strict=True):
        assert np.array_equal(a, b), name
    line = next(k for k, row in enumerate(variant.split("\n"), start=1) if re.match(r"^\"?mu\"?\s*=", row))
    wrong = "\n".join(row if k != line else "mue = 0.1" for k, row in enumerate(variant.split("\n"), start=1))
    with pytest.raises(ModelError) as caught:
        model_from_text(wrong)
    assert (caught.value.line, caught.value.key) == (line, "loads.rub.mue")
    assert "did you mean mu" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[simulation]\ndt = 0.1", "did you mean [run]?"),
        ("t_end = 1.0", "did you mean t_end in [run]?"),
        ("[springs.one]\nstiffness = 3", "did you mean [loads.NAME]?"),
        ('[bodies.rod]\nmass = "1 kg"', "units are SI and not written"),
        ('[bodies.rod]\nmass = "1kg"', "units are SI and not written"),
    ],
)
def test_first_guesses_are_led_to_the_right_place(text: str, told: str) -> None:
    with pytest.raises(ModelError, match=re.escape(told)):
        model_from_text(text, "guess.toml")
