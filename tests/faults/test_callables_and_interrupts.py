"""A failing callable, Ctrl-C and a hard step leave the user with everything up to the last whole
step."""

import os
import signal
import threading

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import IsodynWarning


class FuelError(Exception):
    pass


def test_exception_arrives_unchanged_with_step_and_time():
    original = FuelError("tank 2")

    def force(q, v, t):
        if t > 0.34:
            raise original
        return -q

    system = iso.MechanicalSystem(M=1.0, Q=force, q0=[1.0], v0=[0.0])
    with pytest.raises(FuelError) as caught:
        iso.integrate(system, iso.Scheme.midpoint_epa(), dt=0.1, t_end=1.0)
    assert caught.value is original
    assert caught.value.__notes__ == ["in step 4 of 10, from t = 0.3"]
    assert caught.value.partial.t == pytest.approx([0, 0.1, 0.2, 0.3])


def test_exception_from_compiled_callable():
    @numba.njit
    def force(q, v, t):
        if t > 0.34:
            raise ValueError("tank 3")
        return -q

    system = iso.MechanicalSystem(M=1.0, Q=force, q0=[1.0], v0=[0.0])
    with pytest.raises(ValueError, match="tank 3") as caught:
        iso.integrate(system, iso.Scheme.midpoint_epa(), dt=0.1, t_end=1.0)
    assert "step 4 of 10" in caught.value.__notes__[0]
    assert caught.value.partial.t[-1] == pytest.approx(0.3)


def interrupt_after(seconds):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.fixture
def listening():
    """Python's own handler, also where the process was started with interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("compiled", [False, True])
def test_ctrl_c_returns_what_exists(compiled):
    def force(q, v, t):
        return -np.sin(q)

    Q = numba.njit(force) if compiled else force
    system = iso.MechanicalSystem(M=1.0, Q=Q, q0=[1.0], v0=[0.0])
    iso.integrate(system, dt=0.1, t_end=1.0)  # compiled before the clock starts
    interrupt_after(0.5)
    with pytest.warns(IsodynWarning, match=r"interrupted at t = .* after \d+ of \d+ steps"):
        sol = iso.integrate(system, dt=1e-5, t_end=1e3, save_every=1000)
    assert 1e-2 < sol.t[-1] < 1e3
    assert sol.stats.stopped.startswith("interrupted")
    # the last whole step is there, though not on the saved grid
    assert sol.stats.steps == round(sol.t[-1] / 1e-5)
    energy = 0.5 * sol.v**2 - np.cos(sol.q)
    assert np.ptp(energy) < 1e-4


def test_hard_step_is_halved_and_reported():
    """A stiff collision: the step into the wall needs smaller steps; energy tells that they were
    right."""

    def wall(q, v, t):
        return np.where(q < 0, 1e8 * q * q, 0.0)

    def energy(q, v, t):
        return 0.5 * v[0] ** 2, 1e8 / 3 * -(min(q[0], 0.0) ** 3)

    system = iso.MechanicalSystem(M=1.0, Q=wall, q0=[1.0], v0=[-10.0], energy=energy)
    sol = iso.integrate(system, iso.Scheme.midpoint_epa(), dt=0.004, t_end=0.2, newton=iso.Newton(max_iterations=6))
    assert sol.stats.halvings > 0
    kinetic, potential = sol.energy()
    assert kinetic[-1] + potential[-1] == pytest.approx(50.0, rel=0.1)
    assert sol.v[-1, 0] > 9.0
