"""Sweeps: the same numbers as single runs, whoever computes them; files; failures; resuming."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import sweeps
from isodyn.errors import DamageError, FileError, InputError, MendedWarning
from isodyn.models import model_from_text
from isodyn.results.sweep_file import SweepReader, SweepWriter
from isodyn.sweeps.models import subject_of
from sweep_models import OUTPUTS, RUN, made, swing

GRID = {"rod.mass": [0.5, 1.0, 2.0], "spring.stiffness": [10.0, 40.0]}
FOUR_BAR = Path(__file__).parents[2] / "examples" / "models" / "four_bar.toml"


def numbers(found: Any) -> Any:
    return np.column_stack([found[name] for name in found])


@pytest.fixture(scope="module")
def here() -> Any:
    return iso.sweep(swing(), GRID, OUTPUTS, workers=0, **RUN)


def test_points_are_single_runs(here: Any) -> None:
    assert here.ok.all()
    for k in range(len(here)):
        point = here.point(k)
        mech = swing(stiffness=point["spring.stiffness"])
        mech.bodies["rod"] = iso.Mechanism().add_body("rod", point["rod.mass"], 0.1, (0.5, 0.0), 0.0, kind="planar")
        sol = iso.integrate(mech, **RUN)
        assert here["swing"][k] == sol.joint("pin").angle[-1]
        assert here["peak"][k] == np.linalg.norm(sol.reaction("pin").force, axis=1).max()


@pytest.mark.slow
def test_processes_find_the_same_bits(here: Any) -> None:
    found = iso.sweep(swing(), GRID, OUTPUTS, workers=2, **RUN)
    assert numbers(found).tobytes() == numbers(here).tobytes()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("k", 700.0),
        ("spring.damping", 3.0),
        ("crank.mass", 0.7),
        ("a", 0.105),
        ("rocker.inertia", 2e-3),
        ("motor.torque", 0.1),
    ],
)
def test_a_model_file_with_other_numbers(name: str, value: float) -> None:
    """In the tables, or laid out again: as if the file had said so."""
    changed = {"k": ("k = 800", "k = 700"), "a": ("a = 0.10", "a = 0.105")}
    changed |= {"spring.damping": ("damping = 2", "damping = 3"), "crank.mass": ("mass = 0.4", "mass = 0.7")}
    changed |= {"rocker.inertia": ("inertia = 4e-3", "inertia = 2e-3")}
    changed |= {"motor.torque": ('"0.2*(12*tanh(2*t) - A.angle_rate)"', "0.1")}
    text = FOUR_BAR.read_text()
    assert changed[name][0] in text
    one = subject_of(FOUR_BAR, (name,)).prepared({name: value})[0]
    other = model_from_text(text.replace(*changed[name])).system()
    assert np.array_equal(one.tables.words, other.tables.words)
    assert np.array_equal(one.q0, other.q0)
    assert np.array_equal(one.v0, other.v0)


def test_a_parameter_in_a_formula_of_a_load() -> None:
    text = FOUR_BAR.read_text().replace("k = 800", "k = 800\nw = 12").replace("12*tanh", "w*tanh")
    one = subject_of(model_from_text(text), ("w",)).prepared({"w": 7.0})[0]
    other = model_from_text(text.replace("w = 12", "w = 7")).system()
    assert np.array_equal(one.tables.words, other.tables.words)


BALL = """
parameters = {e = 0.5, g = 10}
gravity = [0, 0, "-g"]
bodies.ball = {kind = "particle", mass = 1, position = [0, 0, 1]}
contacts.floor = {type = "point_plane", between = ["ball", "ground"], restitution = "e"}
run = {dt = 0.01, t_end = 1}
"""


@pytest.mark.parametrize("name", ["e", "floor.restitution", "g", "ball.mass", "ball.position[2]"])
def test_what_is_neither_body_nor_load_follows_its_parameters(name: str) -> None:
    """Each parameter of a file with a contact, as if the file had said so; the points before it do
    not matter."""
    written = {"e": ("e = 0.5", "e = 0.9"), "floor.restitution": ('"e"', "0.9"), "g": ("g = 10", "g = 0.9")}
    written |= {"ball.mass": ("mass = 1", "mass = 0.9"), "ball.position[2]": ("0, 1]", "0, 0.9]")}
    subject = subject_of(model_from_text(BALL), (name,))
    subject.prepared({name: 0.7})
    system, options = subject.prepared({name: 0.9})
    other = model_from_text(BALL.replace(*written[name]))
    expected = iso.integrate(other.system(), **other.options())
    assert np.array_equal(iso.integrate(system, **options).q, expected.q)


def test_joints_and_contacts_of_a_mechanism() -> None:
    found = iso.sweep(swing(), {"pin.point[0]": [0.0, 0.1]}, OUTPUTS, workers=0, **RUN)
    other = swing()
    other.joints["pin"] = replace(other.joints["pin"], point=(0.1, 0.0))
    assert found["peak"][1] == np.linalg.norm(iso.integrate(other, **RUN).reaction("pin").force, axis=1).max()
    mech = iso.Mechanism()
    mech.add_body("ball", 1.0, position=(0, 0, 1), kind="particle")
    mech.add_contact(iso.PointPlane("floor", "ball", "ground", restitution=0.5))
    ends = iso.sweep(
        mech, {"floor.restitution": [0.2, 0.9]}, ["z = last(ball.position_z)"], workers=0, dt=0.01, t_end=1
    )
    mech.contacts["floor"] = replace(mech.contacts["floor"], restitution=0.9)
    assert ends["z"][1] == iso.integrate(mech, dt=0.01, t_end=1).q[-1, 2]


def test_a_mass_scales_the_inertia_of_a_shape() -> None:
    mech = iso.Mechanism()
    mech.add_body("ball", shape=iso.shapes.Sphere(0.1, density=1000.0))
    mech.add_joint(iso.Spherical("tie", "ground", "ball", point=(0, 0, 1)))
    mass = mech.bodies["ball"].mass
    system = subject_of(mech, ("ball.mass",)).prepared({"ball.mass": 2 * mass})[0]
    assert np.allclose(system.tables.bodies[0].inertia, 2 * mech.bodies["ball"].inertia, rtol=1e-15)


def test_problems_and_functions() -> None:
    found = iso.sweep("pendulum", {"theta0": "0.1:0.3:3"}, ["max(kinetic_energy)"], workers=0, t_end=0.5)
    problem = iso.problems.get("pendulum")
    for k, theta0 in enumerate(found["theta0"]):
        sol = iso.integrate(problem.system(theta0=theta0), problem.scheme, dt=problem.dt, t_end=0.5)
        assert found["max(kinetic_energy)"][k] == sol.energy()[0].max()
    one = iso.sweep(made, {"stiffness": [10.0, 40.0]}, OUTPUTS, workers=0, **RUN)
    other = iso.sweep(swing(), {"spring.stiffness": [10.0, 40.0]}, OUTPUTS, workers=0, **RUN)
    assert one["peak"].tolist() == other["peak"].tolist()


@pytest.mark.slow
def test_functions_of_a_script_go_to_other_processes() -> None:
    scale = 2.0

    def system(k: float) -> Any:
        return swing(stiffness=scale * k)

    one, other = (iso.sweep(system, {"k": [5.0, 20.0]}, OUTPUTS, workers=n, **RUN) for n in (0, 1))
    assert one["peak"].tolist() == other["peak"].tolist()


def test_failed_points_are_kept_with_their_errors_and_run_again(tmp_path: Path) -> None:
    given = {"stiffness": [-1.0, 10.0, -2.0, 20.0]}
    found = iso.sweep(made, given, OUTPUTS, workers=0, out=tmp_path / "a.nc", **RUN)
    assert found.ok.tolist() == [False, True, False, True]
    assert found.errors == {0: "RuntimeError: no spring pushes", 2: "RuntimeError: no spring pushes"}
    assert np.isnan(found["peak"][[0, 2]]).all()
    before = (tmp_path / "a.nc").read_bytes()
    again = iso.sweep(made, given, OUTPUTS, workers=0, out=tmp_path / "a.nc", resume=True, **RUN)
    assert (tmp_path / "a.nc").read_bytes() == before
    again = iso.sweep(made, given, OUTPUTS, workers=0, out=tmp_path / "a.nc", resume=True, retry=True, **RUN)
    assert sorted(again.errors) == [0, 2]
    assert (tmp_path / "a.nc").read_bytes() != before  # other seconds


def test_other_programs_read_the_file(tmp_path: Path, here: Any) -> None:
    xarray = pytest.importorskip("xarray")
    found = iso.sweep(swing(), GRID, [*OUTPUTS, "pin.angle"], workers=0, out=tmp_path / "a.nc", save_every=5, **RUN)
    with xarray.open_dataset(tmp_path / "a.nc") as data:
        assert data["peak"].values.tolist() == found["peak"].tolist()
        assert data["pin.angle"].dims == ("point", "time")
        assert np.allclose(data["time"], [0.0, 0.05, 0.1, 0.15, 0.2])
        assert data["pin.angle"].values[:, -1].tolist() == here["swing"].tolist()
        assert data["status"].values.tolist() == [1] * 6
    own = found.to_xarray()
    assert own["pin.angle"].values.tolist() == found["pin.angle"].tolist()


def test_tables(tmp_path: Path, here: Any) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(here.save(tmp_path / "a.csv"))
    assert np.array_equal(table["peak"], here["peak"])
    assert pandas.read_parquet(here.save(tmp_path / "a.parquet"))["rod.mass"].tolist() == here["rod.mass"].tolist()
    with pytest.raises(InputError, match=r"tables of sweeps are written as \.csv or \.parquet"):
        here.save(tmp_path / "a.txt")


@pytest.mark.slow
def test_whole_solutions_on_request(tmp_path: Path) -> None:
    given = {"rod.mass": [1.0, 2.0]}
    found = iso.sweep(swing(), given, OUTPUTS, workers=1, out=tmp_path / "a.nc", solutions=True, **RUN)
    sol = found.solution(1)
    assert sol.joint("pin").angle[-1] == found["swing"][1]
    assert sol.system.bodies[0].mass == 2.0
    with pytest.raises(InputError, match="there is no solution of point 7"):
        found.solution(7)


def test_a_history_ends_where_an_event_ends_the_run() -> None:
    stop = iso.Event("pin.angle + 0.1", terminal=True)
    found = iso.sweep(swing(), {"rod.mass": [1.0]}, ["pin.angle"], workers=0, events=[stop], **RUN)
    values = found["pin.angle"][0]
    known = np.isfinite(values)
    assert known[0]
    assert not known[-1]
    assert (values[known] > -0.1).all()


@pytest.mark.parametrize("every", [1, 4])
def test_histories_of_impacts_have_the_times_of_steps(every: int) -> None:
    """Rows of impacts are at other times in each point: histories ended at the first of them."""

    def ball(e: float) -> iso.Mechanism:
        mech = iso.Mechanism()
        mech.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1.5))
        mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.5, restitution=e))
        return mech

    run: dict[str, Any] = {"dt": 0.03, "t_end": 1.0, "save_every": every}
    given = {"floor.restitution": [0.3, 0.6]}
    found = iso.sweep(ball(0.5), given, ["ball.z"], workers=0, **run)
    assert np.abs(found.t - [*np.arange(0.0, 1.0, 0.03 * every), 1.0]).max() < 1e-15
    for k, e in enumerate(given["floor.restitution"]):
        sol = iso.integrate(ball(e), **run)
        rows = np.flatnonzero(np.isin(sol.t, found.t))
        assert rows.size == found.t.size < sol.t.size
        assert (found["ball.z"][k] == sol.q[rows, 2]).all()


# ---- files that were damaged


def written(tmp_path: Path) -> tuple[Path, Any]:
    path = tmp_path / "a.nc"
    return path, iso.sweep(swing(), GRID, OUTPUTS, workers=0, out=path, **RUN)


def test_a_flipped_bit_is_seen_and_its_point_runs_again(tmp_path: Path) -> None:
    path, found = written(tmp_path)
    reader, before = SweepReader(path), numbers(found).copy()
    data = bytearray(path.read_bytes())
    size = reader.layout.record.itemsize
    rng = np.random.default_rng(1)
    for k in range(6):
        place = reader.begin + k * size + int(rng.integers(size))
        data[place] ^= 1 << int(rng.integers(8))
    path.write_bytes(data)
    damaged = sweeps.load(path)
    assert not damaged.ok.any()
    assert np.isnan(damaged["peak"]).all()
    mended = iso.sweep(swing(), GRID, OUTPUTS, workers=0, out=path, resume=True, **RUN)
    assert numbers(mended).tobytes() == before.tobytes()


@pytest.mark.parametrize("left", [0, 1, 700])
def test_a_file_that_is_cut_off_is_made_whole(tmp_path: Path, left: int) -> None:
    path, found = written(tmp_path)
    before, begin = numbers(found).copy(), SweepReader(path).begin
    path.write_bytes(path.read_bytes()[: begin + left])
    assert sweeps.load(path).counts["waiting"] == 6 - left // SweepReader(path).layout.record.itemsize
    with pytest.warns(MendedWarning, match="is cut off"):
        mended = iso.sweep(swing(), GRID, OUTPUTS, workers=0, out=path, resume=True, **RUN)
    assert numbers(mended).tobytes() == before.tobytes()


def test_every_cut_and_flip_of_the_header_is_told(tmp_path: Path) -> None:
    path, _ = written(tmp_path)
    data, begin = path.read_bytes(), SweepReader(path).begin
    rng = np.random.default_rng(2)
    for k in range(200):
        if k % 2:
            path.write_bytes(data[: int(rng.integers(begin))])
        else:
            changed = bytearray(data)
            changed[int(rng.integers(begin))] ^= 1 << int(rng.integers(8))
            path.write_bytes(changed)
        try:
            sweeps.load(path)
        except DamageError:
            continue
        assert not k % 2, "a cut header must not be read"
    path.write_bytes(b"")
    with pytest.raises(DamageError, match="is no file of a sweep"):
        sweeps.load(path)


# ---- what is refused


def test_files_are_not_overwritten(tmp_path: Path) -> None:
    path, _ = written(tmp_path)
    with pytest.raises(FileError, match=r"a.nc already exists\nhint: resume=True"):
        iso.sweep(swing(), GRID, OUTPUTS, workers=0, out=path, **RUN)
    with pytest.raises(InputError, match="is the file of another sweep"):
        iso.sweep(swing(), GRID, OUTPUTS, workers=0, out=path, resume=True, dt=0.005, t_end=0.2)
    with pytest.raises(InputError, match="is the file of another sweep"):
        iso.sweep(swing(damping=0.3), GRID, OUTPUTS, workers=0, out=path, resume=True, **RUN)


def test_files_of_many_runs_are_no_single_runs(tmp_path: Path) -> None:
    iso.sweep(swing(), {"rod.mass": [1.0]}, OUTPUTS, out=tmp_path / "sweep.nc", workers=0, **RUN)
    with pytest.raises(InputError, match=r"holds a sweep, not a single run\nhint: iso.sweeps.load"):
        iso.load(tmp_path / "sweep.nc")
    iso.ensemble(swing(), **RUN).save(tmp_path / "ensemble.nc")
    with pytest.raises(InputError, match=r"holds an ensemble, not a single run\nhint: xarray.open_dataset"):
        iso.load(tmp_path / "ensemble.nc")


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    path, _ = written(tmp_path)
    writer = SweepWriter(path)
    with pytest.raises(FileError, match="another program writes"):
        iso.sweep(swing(), GRID, OUTPUTS, workers=0, out=path, resume=True, **RUN)
    writer.close()


@pytest.mark.parametrize(
    ("model", "parameters", "outputs", "more", "match"),
    [
        (
            swing(),
            {"rod.mas": [1]},
            OUTPUTS,
            RUN,
            r"body 'rod' has no parameter 'rod.mas'\nhint: did you mean rod.mass",
        ),
        (swing(), {"gravity.y": [1]}, OUTPUTS, RUN, "the mechanism has no parameter 'gravity.y'"),
        (swing(), {"mass": [1]}, OUTPUTS, RUN, "the mechanism has no parameter 'mass'"),
        (swing(), {"rod.velocity": [1]}, OUTPUTS, RUN, r"several numbers\nhint: name one of them: rod.velocity\[0\]"),
        (swing(), {"rod.velocity[7]": [1]}, OUTPUTS, RUN, "rod.velocity"),
        (swing(), {"rod.mass": [1]}, [], RUN, "a sweep needs outputs"),
        (swing(), {"rod.mass": [1]}, ["max(pin.angel)"], RUN, "no quantity named 'pin.angel'"),
        (swing(), {"rod.mass": [1]}, OUTPUTS, {"dt": 0.1}, "t_end is missing"),
        (swing(), {"rod.mass": [1]}, OUTPUTS, {"t_end": 0.1}, "dt is missing"),
        (swing(), {"rod.mass": [1]}, ["rod.mass = steps"], RUN, "'rod.mass' stands for something else already"),
        (swing(), {"rod.mass": [1]}, OUTPUTS, {**RUN, "workers": -1}, "workers must be a whole number"),
        (swing(), {"rod.mass": [1]}, OUTPUTS, {**RUN, "observe": print}, "observe is for single runs"),
        (swing(), {"rod.mass": [1]}, OUTPUTS, {**RUN, "out": "a.txt"}, "sweeps are written as NetCDF"),
        (swing().compile(), {"rod.mass": [1]}, OUTPUTS, RUN, "a compiled system has no parameters"),
        ("pendulum", {"thet0": [1]}, OUTPUTS, RUN, "no parameter 'thet0'\nhint: did you mean theta0"),
        (7, {"a": [1]}, OUTPUTS, RUN, "a sweep needs a model with parameters, received int"),
    ],
)
def test_what_makes_no_sense(model: Any, parameters: Any, outputs: Any, more: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        iso.sweep(model, parameters, outputs, **{"workers": 0, **more})


def test_a_file_says_how_it_was_made(here: Any) -> None:
    assert here.about["sampling"] == "grid"
    assert json.dumps(here.about)
    assert repr(here) == "<Sweep of rod.mass, spring.stiffness: 6 done>"


# ---- indices


@pytest.mark.slow
def test_sobol_indices_of_ishigami_like_sums() -> None:
    """y = a + 3 b with a, b uniform: shares 0.1 and 0.9 of the variance, nothing together."""
    pytest.importorskip("SALib")
    outputs = {"y": "{spring.damping} + 3*{spring.stiffness}"}
    given = {"spring.damping": "0:1", "spring.stiffness": "10:11"}
    more: dict[str, Any] = {"workers": 0, "dt": 0.01, "t_end": 0.01, "count": 64}
    found = iso.sweep(swing(), given, outputs, sampling="saltelli", **more)
    indices = found.sobol("y")
    for name, share in (("spring.damping", 0.1), ("spring.stiffness", 0.9)):
        assert abs(indices[name]["first"] - share) < 0.03
        assert abs(indices[name]["total"] - share) < 0.03
    with pytest.raises(InputError, match="sampled by 'saltelli'"):
        found.morris("y")
    effects = iso.sweep(swing(), given, outputs, sampling="morris", **{**more, "count": 6}).morris("y")
    assert abs(effects["spring.damping"]["mu_star"] - 1.0) < 1e-6
    assert abs(effects["spring.stiffness"]["mu"] - 3.0) < 1e-6
    assert effects["spring.stiffness"]["sigma"] < 1e-6
