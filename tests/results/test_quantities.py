"""What a solution tells by name: loads, drives, sensors and energies of parts, alike in views, tables
and files.

The machine has one load of every kind, a drive, a beam and names that files find hard.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.results.load_views import names_of_loads


def machine(dt: float = 0.002, t_end: float = 0.4, *, user: bool = True, **options: Any) -> iso.Solution:
    mech = iso.Mechanism(gravity=(0.3, -0.2, -9.81))
    mech.add_body("rod/é", 1.0, (0.01, 0.09, 0.08), (0.5, 0, 0))
    mech.add_body("the ball", 0.5, kind="particle", position=(1.0, 0, -1))
    mech.add_body("wheel", 0.5, (0.02, 0.02, 0.04), (0, 3, 0), angular_velocity=(0, 0, 1.0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod/é", axis=(0, 1, 0)))
    mech.add_joint(iso.Hinge("axle", "ground", "wheel", point=(0, 3, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("turn", "axle", iso.Polynomial(0, 1.0, 1.0)))
    mech.add_load(iso.JointSpring("coil", "pin", stiffness=1.0, damping=0.1))
    points = ((1, 0, 0), (1, 0, -1))
    mech.add_load(iso.Spring("spring", "rod/é", "the ball", points=points, stiffness=50.0, damping=0.1, cubic=3.0))
    mech.add_load(iso.Force("push", "the ball", (1, 2, 3), time=iso.Sine(1, 3.0)))
    mech.add_load(iso.Force("follow", "rod/é", (1, 2, 3), point=(1, 0, 0), frame="body"))
    mech.add_load(iso.Torque("twist", "rod/é", (1, 2, 3)))
    mech.add_load(iso.Drag("drag", "the ball", 0.3))
    mech.add_load(iso.Motor("motor", "pin", torque=iso.Sine(2, 3)))
    mech.add_load(iso.JointFriction("rub", "pin", mu=0.2, radius=0.02, creep=0.1))
    mech.add_load(iso.JointLimit("stop", "pin", -9.0, 0.05, stiffness=40.0))
    mech.add_load(iso.FormulaForce("gust", "the ball", ("sin(t)", "-0.2*push_", 0.0), parameters={"push_": 0.7}))
    mech.add_load(iso.Bushing("soft", "ground", "wheel", point=(0, 3, 0), stiffness=(0, 0, 9, 0, 0, 0.5)))
    if user:
        mech.add_load(iso.UserLoad("own", "the ball", lambda t, pose: -0.1 * pose.velocity))
    mech.add_beam("beam", (0, 0, 2), (1, 0, 2), elements=2, section=iso.Section(EA=1e3, EI=1.0, rhoA=1.0))
    mech.add_joint(iso.Spherical("hang", "ground", "beam.start", point=(0, 0, 2)))
    mech.add_load(iso.DistributedForce("wind", "beam", (0, 1, 0.2), time=iso.Sine(1, 2.0)))
    mech.add_sensor(iso.Sensor("tip", "rod/é", point=(1, 0, 0), to="the ball"))
    mech.add_sensor(iso.Sensor("wheel against rod", "wheel", to="rod/é", axis=(0, 0, 1)))
    mech.add_sensor(iso.Sensor("end", "beam.end"))
    return iso.integrate(mech.compile(), dt=dt, t_end=t_end, **options)


@pytest.fixture(scope="module")
def sol() -> iso.Solution:
    return machine()


@pytest.fixture(scope="module")
def plain() -> iso.Solution:
    return machine(0.01, 0.1, user=False)


def test_works_of_all_loads_and_drives_close_the_energy_balance(sol: iso.Solution) -> None:
    """E − E₀ = Σ work of what stores nothing + Σ (work + stored energy) of the rest."""
    views = [sol.load(name) for name in names_of_loads(sol.system)]
    assert len(views) == 14
    work = sum(view.work + getattr(view, "energy", 0.0) - np.ravel(getattr(view, "energy", 0.0))[0] for view in views)
    total = sum(sol.energy())
    assert np.abs(total - total[0]).max() > 1.0
    np.testing.assert_allclose(total - total[0], work, atol=2e-4)


def test_energies_of_parts_add_up(sol: iso.Solution) -> None:
    parts = sol.energy_by_part()
    assert {"rod/é", "the ball", "wheel", "beam", "spring", "coil", "stop", "soft"} == set(parts)
    for k, whole in enumerate(sol.energy()):
        np.testing.assert_allclose(sum(part[k] for part in parts.values()), whole, rtol=1e-12, atol=1e-12)


def test_drive_and_motor_have_torque_and_power(sol: iso.Solution) -> None:
    """The wheel turns by t + t² against a spring of 0.5 N m: Jθ̈ + cθ."""
    drive, motor = sol.load("turn"), sol.load("motor")
    needed = 0.04 * 2.0 + 0.5 * (sol.t + sol.t**2)
    np.testing.assert_allclose(drive.effort, needed, rtol=1e-6)
    np.testing.assert_allclose(drive.power, needed * (1 + 2 * sol.t), rtol=1e-6)
    np.testing.assert_allclose(motor.effort, 2 * np.sin(3 * sol.t), atol=1e-12)
    np.testing.assert_allclose(motor.power, motor.effort * sol.joint("pin").angle_rate, atol=1e-12)


def test_friction_tells_its_mode(sol: iso.Solution) -> None:
    rub, rate = sol.load("rub"), sol.joint("pin").angle_rate
    assert set(np.unique(rub.mode)) == {0, 1}
    assert (rub.mode == np.where(abs(rate) <= 0.1, 0, np.sign(rate))).all()
    with pytest.raises(InputError, match=r"'spring' is no friction"):
        _ = sol.load("spring").mode


def test_sensors_measure_what_bodies_do(sol: iso.Solution) -> None:
    tip, turn = sol.sensor("tip"), sol.sensor("wheel against rod")
    rod, ball = sol.body("rod/é"), sol.body("the ball")
    np.testing.assert_allclose(tip.position, rod.position + 0.5 * rod.R[:, :, 0], atol=1e-12)
    np.testing.assert_allclose(tip.distance, np.linalg.norm(tip.position - ball.position, axis=1), rtol=1e-12)
    np.testing.assert_allclose(np.gradient(tip.distance, sol.t)[5:-5], tip.distance_rate[5:-5], atol=2e-3)
    np.testing.assert_allclose(np.gradient(tip.velocity, sol.t, axis=0)[5:-5], tip.acceleration[5:-5], atol=0.2)
    # the rod turns about y, and the wheel about z: turning back, then forth, the twists add up
    np.testing.assert_allclose(turn.angle, sol.joint("axle").angle, atol=1e-9)
    np.testing.assert_allclose(sol.sensor("end").position, sol.beam("beam").nodes[:, -1], atol=1e-14)
    with pytest.raises(InputError, match=r"measures no distance\nhint: iso.Sensor"):
        _ = sol.sensor("end").distance
    with pytest.raises(InputError, match="measures no angle"):
        _ = sol.sensor("tip").angle
    with pytest.raises(InputError, match=r"no sensor named 'tips'\nhint: did you mean 'tip'"):
        sol.sensor("tips")


def test_unknown_quantities_offer_near_ones(sol: iso.Solution) -> None:
    with pytest.raises(InputError, match=r"no quantity named 'pin.forse'\nhint: did you mean 'pin.force'"):
        sol.quantity("pin.forse")
    with pytest.raises(InputError, match=r"'spring' has length, rate, tension, force"):
        sol.quantity("spring")
    with pytest.raises(InputError, match=r"hint: 'pin' has angle, angle_rate, .*: pin.angle$"):
        sol.quantity("pin.position")
    with pytest.raises(AttributeError, match=r"'pin' \(Hinge\) has no 'position'; it has angle, angle_rate"):
        _ = sol.joint("pin").position
    with pytest.raises(InputError, match=r"no quantity named 7"):
        sol.quantity(7)
    with pytest.raises(InputError, match=r"plot\(\) needs names"):
        sol.plot()
    with pytest.raises(InputError, match=r"'pin' is a joint, not a load"):
        sol.load("pin")


def test_components_of_q_and_v_have_plain_names(sol: iso.Solution) -> None:
    for symbol, names in (("q", sol.system.names), ("v", sol.system.v_names)):
        for k, name in enumerate(names):
            np.testing.assert_array_equal(sol.quantity(name).values, getattr(sol, symbol)[:, k])


def test_names_that_read_alike_are_told_apart_by_pairs() -> None:
    mech = iso.Mechanism()
    mech.add_body("a", 1.0, kind="particle")
    mech.add_body("a.position_x", 1.0, kind="particle")
    mech.add_body("a.position", 1.0, kind="particle", velocity=(1, 0, 0))
    mech.add_sensor(iso.Sensor("a.position_y", "a"))
    sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.02)
    assert sol.quantity(("a", "position", "x")).values.shape == (3,)
    assert sol.quantity("a.position.velocity_x").values[0] == 1.0
    twins = iso.integrate(
        iso.MechanicalSystem(M=np.eye(2), Q=lambda q, v, t: -q, q0=[1, 2], v0=[0, 0], names=["x", "x"]),
        dt=0.1,
        t_end=0.2,
    )
    with pytest.raises(InputError, match=r"is the name of 2 quantities"):
        twins.quantity("q(x)")


def test_parts_of_selected_columns_are_not_known() -> None:
    some = machine(0.01, 0.05, user=False, select={"q": [0]})
    assert some.quantity(some.quantities()[0]).values.shape == (6,)
    with pytest.raises(InputError, match="only some columns were saved"):
        some.quantity("pin.force")


def test_csv_and_frames_hold_the_same_columns(plain: iso.Solution, tmp_path: Path) -> None:
    path = plain.save(tmp_path / "run.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    frame = plain.to_dataframe()
    assert [name.split(" [")[0] for name in rows[0][1:]] == list(frame.columns)
    np.testing.assert_array_equal(np.array(rows[1:], dtype=float)[:, 1:], frame.to_numpy())
    for name, unit in (("turn.effort", "N m"), ("spring.work", "J"), ("tip.distance", "m"), ("rub.mode", "1")):
        assert frame.attrs["units"][name] == unit
        np.testing.assert_array_equal(frame[name], plain.quantity(name).values)
    assert frame.attrs["units"]["soft.tension_1"] == "N"
    assert frame.attrs["units"]["soft.tension_2"] == "N m"
    assert np.isfinite(frame.to_numpy()).all()


def test_parquet_comes_back(plain: iso.Solution, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    again = pandas.read_parquet(plain.save(tmp_path / "run.parquet"))
    np.testing.assert_array_equal(again.to_numpy(), plain.to_dataframe().to_numpy())
    assert again.index.name == "t"


def test_a_plot_is_the_current_figure_of_pyplot(plain: iso.Solution, tmp_path: Path) -> None:
    """As scripts expect that go on with plt.savefig or plt.show."""
    matplotlib = pytest.importorskip("matplotlib")
    before = matplotlib.get_backend()
    matplotlib.use("agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    try:
        figure = plain.plot("pin.force")
        assert pyplot.gcf() is figure
        pyplot.savefig(tmp_path / "force.png")
        image = pyplot.imread(tmp_path / "force.png")
        assert (image[..., :3].min(axis=2) < 0.5).mean() > 0.01
    finally:
        pyplot.close("all")
        matplotlib.use(before)


def test_plots_have_an_axes_for_each_unit(plain: iso.Solution, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = plain.plot("pin.force", "wheel against rod.angle", "|spring.force|", title="all")
    assert [len(axes.lines) for axes in figure.axes] == [4, 1]
    page = plain.plot("pin.force", "wheel against rod.angle", interactive=True)
    assert page.plots == 2
    assert "pin.force_x" in page.save(tmp_path / "figure.html").read_text(encoding="utf-8")
    assert "iframe" in page._repr_html_()


@pytest.mark.parametrize(
    ("sensor", "message"),
    [
        (iso.Sensor("s", "arm"), r"sensor 's': there is no body named 'arm'"),
        (iso.Sensor("s", "rod", axis=(0, 0, 1)), r"sensor 's': axis needs `to`"),
        (iso.Sensor("s", "rod", to="rod"), r"sensor 's' measures 'rod' against itself"),
        (iso.Sensor("s", "dot", to="rod", axis=(0, 0, 1)), r"'dot' is a particle and has no angle"),
        (iso.Sensor("rod", "rod"), r"already a body named 'rod'"),
        ("tip", r"add_sensor takes an iso.Sensor, received str"),
    ],
)
def test_sensors_that_make_no_sense_are_refused(sensor: Any, message: str) -> None:
    mech = iso.Mechanism()
    mech.add_body("rod", 1.0, (0.01, 0.09, 0.08), (0.5, 0, 0))
    mech.add_body("dot", 1.0, kind="particle", position=(0, 1, 0))
    with pytest.raises(InputError, match=message):
        mech.add_sensor(sensor)
