"""What an ensemble refuses, and what it says when it is interrupted."""

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, IsodynWarning
from isodyn.problems import pendulum

TWO = {"dt": 0.01, "t_end": 0.02}


@pytest.fixture
def system():
    return pendulum.planar(1.0, 1.0, 0.5, 1.0)


def test_members_must_fit(system):
    with pytest.raises(InputError, match=r"q0 must have the shape \(members, 2\), received \(3,\)"):
        iso.ensemble(system, q0=[1.0, 2.0, 3.0], **TWO)
    with pytest.raises(InputError, match=r"as many as there are members, or one(.|\n)*hint: q0 does not fit 3 members"):
        iso.ensemble(system, q0=np.zeros((2, 2)), v0=np.zeros((3, 2)), **TWO)
    with pytest.raises(InputError, match="q0 must be an array"):
        iso.ensemble(system, q0="circle", **TWO)
    with pytest.raises(InputError, match="the sequence of systems is empty"):
        iso.ensemble([], **TWO)
    with pytest.raises(InputError, match=r"system 0 has nq, nv, m = \(2, 2, 1\), system 1 has \(3, 3, 1\)"):
        iso.ensemble([system, pendulum.spherical(1.0, 1.0, 1.0, 1.0, 0.0)], **TWO)
    for bad in (3, [system, "top"]):
        with pytest.raises(InputError, match="system must be one of isodyn's systems or a sequence of them"):
            iso.ensemble(bad, **TWO)


@pytest.mark.parametrize("threads", [0, 1.5, True])
def test_threads_are_counted(system, threads):
    with pytest.raises(InputError, match="threads must be a whole number of at least 1"):
        iso.ensemble(system, threads=threads, **TWO)


def test_members_have_numbers(system):
    ens = iso.ensemble(system, v0=np.outer([1.0, 0.5], system.v0), **TWO)
    assert np.array_equal(ens[-1].q, ens.q[1])
    assert [sol.t.size for sol in ens] == [3, 3]
    for i in (2, -3, 0.5, True):
        with pytest.raises(IndexError, match=r"members are numbered 0…1"):
            ens[i]


@pytest.fixture
def listening():
    """Python's own handler, also where the process was started with interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_ctrl_c_keeps_the_members_that_are_done(system):
    iso.ensemble(system, threads=2, **TWO)  # compiled before the clock starts
    v0 = np.outer(np.linspace(0.5, 1.0, 20_000), system.v0)
    options = {"dt": 1e-3, "t_end": 0.4, "save_every": 200}  # some seconds also on a fast machine
    threading.Timer(0.8, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.warns(IsodynWarning, match=r"interrupted after \d+ of 20000 members; the ensemble holds what was done"):
        ens = iso.ensemble(system, v0=v0, threads=2, **options)
    assert ens.stopped.startswith("interrupted")
    assert 0 < ens.ok.sum() < 20_000
    done, left = int(np.flatnonzero(ens.ok)[0]), int(np.flatnonzero(~ens.ok)[0])
    assert np.array_equal(ens[done].q, iso.integrate(ens.system(done), **options).q)
    assert np.isnan(ens.q[left]).all()
    with pytest.raises(InputError, match=f"member {left} was not run to its end: interrupted"):
        ens[left]
    assert "interrupted" in repr(ens)


@pytest.mark.usefixtures("listening")
def test_ctrl_c_does_not_wait_for_long_members(system):
    """Members of ten million steps are given up after a few; the kernels are there before, or
    Ctrl-C would come while they compile."""
    iso.ensemble(system, v0=np.outer([1.0, 0.5], system.v0), dt=1e-4, t_end=1e-3, threads=2)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.warns(IsodynWarning, match="interrupted after 0 of 2 members"):
        ens = iso.ensemble(system, v0=np.outer([1.0, 0.5], system.v0), dt=1e-4, t_end=1e3, save_every=10**6, threads=2)
    assert not ens.ok.any()
    assert ens.seconds < 10.0


def test_progress_counts_members(system, capsys):
    ens = iso.ensemble(system, v0=np.outer([1.0, 0.5], system.v0), progress=True, **TWO)
    assert len(ens) == 2
    assert "t =" not in capsys.readouterr().err


def test_tables_of_ensembles(tmp_path: Any) -> None:
    """One line for each member, or for each member and time; what does not fit is refused."""
    drop = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: np.array([-9.81]), q0=[0.0], v0=[0.0])
    ens = iso.ensemble(drop, dt=0.1, t_end=1.0, v0=[[0.0], [9.81], [5.0]])
    table = ens.table({"height": lambda sol: sol.q[-1, 0]}, speed=[0.0, 9.81, 5.0])
    assert table["height"] == pytest.approx([-4.905, 4.905, 5.0 - 4.905])
    path = ens.to_csv(tmp_path / "all.csv", speed=["slow", "fast", "middling"])
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("member,speed,t,q(")
    assert len(lines) == 1 + 3 * ens.t.size
    assert lines[-1].startswith("2,middling,1.0,")
    with pytest.raises(
        InputError, match=r"column 'speed' must have 3 values, one for each member, received shape \(2,\)"
    ):
        ens.table(speed=[1, 2])
    with pytest.raises(InputError, match="output 'q' of member 0 must be one number, received shape"):
        ens.table({"q": lambda sol: sol.q})
    with pytest.raises(InputError, match="outputs must be functions by name, received list"):
        ens.table([lambda sol: 1.0])
    with pytest.raises(InputError, match="two columns are called 'member'"):
        ens.table({"member": lambda sol: 1.0})
    with pytest.raises(InputError, match="output 'q' must be a function of a solution, received 3"):
        ens.table({"q": 3})


def test_failed_members_have_no_numbers() -> None:
    def force(q: Any, v: Any, t: float) -> Any:
        return np.array([np.nan if q[0] > 1.0 else 0.0])

    ens = iso.ensemble(iso.MechanicalSystem(1.0, force, [0.0], [0.0]), dt=0.1, t_end=1.0, v0=[[0.0], [2.0]])
    table = ens.table({"q": lambda sol: sol.q[-1, 0]})
    assert table["ok"].tolist() == [True, False]
    assert np.isnan(table["q"][1])
