"""`Stepper`: single steps of the march."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import isodyn as iso
from control_systems import arm
from isodyn.errors import InputError

DT = 2.0**-7


@pytest.mark.parametrize("formulation", [None, iso.VelocityLevel(), iso.AccelerationLevel()])
@pytest.mark.parametrize("scheme", [None, iso.Scheme.V0(0.9, 0.9, 0.5)])
def test_steps_are_those_of_integrate_bit_for_bit(scheme: iso.Scheme | None, formulation: object) -> None:
    system = arm("2*sin(3*t)").compile()
    sol = iso.integrate(system, scheme, formulation, dt=DT, t_end=40 * DT)
    stepper = iso.Stepper(system, scheme, formulation, dt=DT)
    for k in range(41):
        state = stepper.state
        assert state.t == sol.t[k]
        for name in ("q", "v", "a", "lam"):
            np.testing.assert_array_equal(getattr(state, name), getattr(sol, name)[k], err_msg=f"{name} at row {k}")
        stepper.step()


def test_run_until_is_many_steps() -> None:
    one, two = iso.Stepper(arm(1.0), dt=DT), iso.Stepper(arm(1.0), dt=DT)
    one.run_until(20 * DT)
    for _ in range(20):
        two.step()
    assert one.t == two.t == 20 * DT
    np.testing.assert_array_equal(one.state.q, two.state.q)
    one.run_until(20 * DT)  # nothing to do
    assert one.t == 20 * DT
    one.run_until(20.5 * DT)
    assert one.t == 21 * DT
    with pytest.raises(InputError, match="goes forward"):
        one.run_until(0.0)


def test_inputs_are_those_of_a_load_that_jumps_at_breakpoints() -> None:
    times, values = [0.0, 8 * DT, 24 * DT], [1.0, -2.0, 0.5]
    sol = iso.integrate(arm(iso.Staircase(times, values)), dt=DT, t_end=40 * DT, breakpoints=times[1:])
    stepper = iso.Stepper(arm(), dt=DT)
    for k in range(40):
        if k * DT in times:
            stepper.inputs["motor"] = values[times.index(k * DT)]
        stepper.step()
        np.testing.assert_allclose(stepper.state.q, sol.q[k + 1], atol=1e-13)
        np.testing.assert_allclose(stepper.state.v, sol.v[k + 1], atol=1e-12)
    assert abs(sol.joint("pin").angle[-1]) > 0.1
    np.testing.assert_allclose(stepper.state.lam, sol.lam[-1], atol=1e-9)


def test_saved_states_have_the_same_future_bit_for_bit() -> None:
    stepper = iso.Stepper(arm(), dt=DT)
    stepper.inputs["motor"] = 3.0
    stepper.run_until(10 * DT)
    saved = stepper.save()

    def future() -> list[np.ndarray]:
        found = []
        for k in range(20):
            if k == 10:
                stepper.inputs["motor"] = -1.0
            stepper.step()
            found.append(np.concatenate([*stepper.state[1:]]))
        return found

    first = future()
    stepper.restore(saved)
    assert stepper.t == 10 * DT
    assert stepper.inputs["motor"] == 3.0
    np.testing.assert_array_equal(first, future())
    other = iso.Stepper(arm(), dt=DT)
    with pytest.raises(InputError, match="another stepper"):
        other.restore(saved)


def test_reset_goes_back_to_the_start() -> None:
    stepper = iso.Stepper(arm(1.0), dt=DT)
    stepper.inputs["motor"] = 5.0
    stepper.run_until(10 * DT)
    stepper.reset()
    assert stepper.t == 0.0
    assert stepper.inputs["motor"] is None
    stepper.run_until(10 * DT)
    sol = iso.integrate(arm(1.0), dt=DT, t_end=10 * DT)
    np.testing.assert_array_equal(stepper.state.q, sol.q[-1])


def test_values_are_read_by_name_and_loads_as_they_are_held() -> None:
    stepper = iso.Stepper(arm(), dt=DT)
    stepper.inputs["motor"] = 2.0
    stepper.run_until(20 * DT)
    assert stepper.read("pin.angle") == pytest.approx(np.arctan2(-stepper.state.q[2], stepper.state.q[0]), abs=1e-12)
    assert stepper.read("2*pin.angle_rate") == pytest.approx(2 * stepper.state.v[4], abs=1e-12)
    assert abs(stepper.read("motor.tension")) == pytest.approx(2.0, abs=1e-12)
    power = stepper.read("motor.power")
    assert power == pytest.approx(2.0 * stepper.read("pin.angle_rate"), rel=1e-12)
    with pytest.raises(InputError, match="angle_rate"):
        stepper.read("pin.angle_rat")


def test_a_force_takes_one_number_along_its_vector_or_three() -> None:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("ball", mass=2.0, kind="particle")
    mech.add_load(iso.Force("push", "ball", force=(0, 3.0, 0)))
    stepper = iso.Stepper(mech, dt=DT)
    stepper.inputs["push"] = 2.0
    stepper.step()
    np.testing.assert_allclose(stepper.state.a, [0, 3.0, 0], atol=1e-13)
    stepper.inputs["push"] = (4.0, 0.0, -2.0)
    stepper.step()
    np.testing.assert_allclose(stepper.state.a, [2.0, 0, -1.0], atol=1e-12)
    stepper.inputs["push"] = None
    stepper.step()
    np.testing.assert_allclose(stepper.state.a, [0, 1.5, 0], atol=1e-12)


def test_other_systems_have_no_inputs_and_shared_tables_stay() -> None:
    system = arm(1.0).compile()
    before = bytes(system.tables.copy().__dict__["_integers"])
    one, two = iso.Stepper(system, dt=DT), iso.Stepper(system, dt=DT)
    one.inputs["motor"] = 7.0
    one.step()
    two.step()
    assert one.state.v[4] > 2 * two.state.v[4]
    assert bytes(system.tables.__dict__["_integers"]) == before
    plain = iso.Stepper(iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0]), dt=DT)
    plain.run_until(1.0)
    assert plain.state.q[0] == pytest.approx(np.cos(1.0), abs=1e-4)
    with pytest.raises(InputError, match="no input named 'motor'"):
        plain.inputs["motor"] = 1.0


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [("moter", 1.0, "did you mean 'motor'"), ("motor", np.nan, "finite"), ("motor", (1, 2, 3), "one number")],
)
def test_bad_inputs_are_refused(name: str, value: object, words: str) -> None:
    stepper = iso.Stepper(arm(), dt=DT)
    with pytest.raises(InputError, match=words):
        stepper.inputs[name] = value


def test_inputs_of_controllers_are_refused() -> None:
    """They were taken, and overwritten before the next step."""
    mech = arm()
    mech.add_load(iso.Motor("free", "pin", torque=0.0))
    mech.add_controller("pd", every=2 * DT, writes="motor", law="-3*pin.angle")
    stepper = iso.Stepper(mech, dt=DT)
    with pytest.raises(InputError, match="controller 'pd' writes 'motor': what is set here would be lost"):
        stepper.inputs["motor"] = 1.0
    stepper.inputs["free"] = 1.0
    stepper.run_until(4 * DT)
    assert stepper.inputs["motor"] != 0.0


def test_a_number_cannot_scale_a_vector_of_zeros() -> None:
    mech = iso.Mechanism()
    mech.add_body("ball", mass=2.0, kind="particle")
    mech.add_load(iso.Force("push", "ball", force=(0, 0, 0)))
    with pytest.raises(InputError, match="which is zero"):
        iso.Stepper(mech, dt=DT).inputs["push"] = 1.0


@pytest.mark.parametrize("dt", [0.0, -1.0, np.nan, np.inf])
def test_bad_steps_are_refused(dt: float) -> None:
    with pytest.raises(InputError):
        iso.Stepper(arm(), dt=dt)


def test_a_formulation_of_another_system_is_refused() -> None:
    with pytest.raises(InputError, match="another system"):
        iso.Stepper(arm(), formulation=iso.Hamiltonian(), dt=DT)


@pytest.mark.parametrize("t0", [1e6, -1e7, 3e8])
def test_the_number_of_steps_does_not_depend_on_the_start(t0: float) -> None:
    """Where floats are far apart a rounded time cost one step more."""
    stepper = iso.Stepper(arm(), dt=0.01, t0=t0)
    for k in range(1, 30):
        stepper.run_until(t0 + 0.01 * k)
        assert round((stepper.t - t0) / 0.01) == k


def test_times_beyond_all_steps_are_refused() -> None:
    """Steps were taken until the billionth, and then none, for ever."""
    stepper = iso.Stepper(arm(), dt=0.01)
    with pytest.raises(InputError, match=r"a stepper takes up to 1e\+09 steps of dt = 0.01, received t = 1.01e\+07"):
        stepper.run_until(1.01e7)


def test_inputs_are_cleared() -> None:
    """It never came to an end."""
    stepper = iso.Stepper(arm(1.0), dt=DT)
    stepper.inputs["motor"] = 3.0
    stepper.inputs.clear()
    assert stepper.inputs["motor"] is None
    stepper.step()
    other = iso.Stepper(arm(1.0), dt=DT)
    other.step()
    np.testing.assert_allclose(stepper.state.q, other.state.q, atol=1e-14)
    mech = arm(1.0)
    mech.add_controller("own", every=DT, writes="motor", law=lambda t: 2.0)
    controlled = iso.Stepper(mech, dt=DT)
    controlled.step()
    controlled.inputs.clear()
    assert controlled.inputs["motor"] == 2.0


def test_copies_are_refused() -> None:
    """What a deep copy had read before showed the inputs of the first stepper."""
    stepper = iso.Stepper(arm(1.0), dt=DT)
    for way in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(InputError, match=r"cannot be copied or pickled\n.*save\(\)"):
            way(stepper)


def test_readings_of_loads_compile_and_look_up_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reading made the list of all quantities, and each new input compiled the mechanism: 10 ms a sample."""
    mech = arm()
    mech.add_load(iso.Force("push", "rod", force=(0, 0, 1.0)))
    stepper = iso.Stepper(mech, dt=0.01)
    names = ("motor.effort", "push.force_z", "2*motor.effort - push.force_z")
    assert [stepper.read(name) for name in names] == [0.0, 1.0, -1.0]

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("isodyn.mechanism.inputs.compile_parts", refuse)
    monkeypatch.setattr("isodyn.results.quantities.Catalogue.all", property(refuse))
    for value in (2.0, 3.0):
        stepper.inputs["motor"], stepper.inputs["push"] = value, (0.0, 0.0, -value)
        assert [stepper.read(name) for name in names] == [value, -value, 3.0 * value]
    stepper.inputs.clear()
    assert [stepper.read(name) for name in names] == [0.0, 1.0, -1.0]


def test_a_state_belongs_to_the_inputs_as_they_are() -> None:
    """Accelerations were those before the input, beside its torque; who reads changes nothing."""
    read, other = (iso.Stepper(arm(gravity=(0, 0, 0)), dt=DT) for _ in range(2))
    for value in (0.7, -0.35, None):
        for stepper in (read, other):
            stepper.inputs["motor"] = value
        assert read.state.a[4] == pytest.approx((value or 0.0) / 0.35, abs=1e-12)
        for stepper in (read, other):
            stepper.step()
        for name in ("q", "v", "a", "lam"):
            np.testing.assert_array_equal(getattr(read.state, name), getattr(other.state, name))
