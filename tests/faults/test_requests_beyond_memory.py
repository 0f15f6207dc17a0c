"""Requests that need more memory than there is are refused with the size, before anything is
computed."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn import memory
from isodyn.cli import main
from isodyn.errors import InputError
from isodyn.memory import available, require_memory
from isodyn.report.animation import write_gif


def oscillator(n: int = 1) -> iso.LinearSystem:
    return iso.LinearSystem(np.eye(n), None, np.eye(n), None, np.ones(n), np.zeros(n))


def test_the_rows_of_a_run() -> None:
    """1e11 steps of four columns; with few rows the same steps are a long run, but no large one."""
    with pytest.raises(InputError, match=r"1e\+11 steps give 1e\+11 rows of 4 columns: 3.2 TB of memory are needed"):
        iso.integrate(oscillator(), dt=1e-11, t_end=1.0)
    seen: list[float] = []
    sol = iso.integrate(
        oscillator(), dt=1e-9, t_end=1.0, save_every=10**6, observe=lambda s: seen.append(s.t) or len(seen) > 1
    )
    assert sol.t.size == 2


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    for dt, words in (("1e-12", "1e+12 are possible"), ("1e-10", "of memory are needed")):
        with pytest.raises(SystemExit) as leave:
            main(["run", "kepler", "--dt", dt, "--t-end", "10"])
        assert leave.value.code == 2
        assert words in capsys.readouterr().err


def test_ensembles() -> None:
    members = np.ones((1_000_000, 1))
    with pytest.raises(InputError, match="1000000 members with 1000001 rows of 3 columns: 24 TB of memory"):
        iso.ensemble(oscillator(), q0=members, v0=members, dt=1e-6, t_end=1.0)


def test_adaptive_grids() -> None:
    with pytest.raises(InputError, match=r"1e\+12 rows of 4 columns: 32 TB of memory"):
        iso.integrate_adaptive(oscillator(), t_end=1.0, save=10**12)


def test_subdomains() -> None:
    sub = iso.Subdomains({"a": oscillator(2), "b": oscillator(2)}, ties=[("a", [0], "b", [0])])
    with pytest.raises(InputError, match="of memory are needed"):
        iso.integrate(sub, dt=1e-11, t_end=1.0)


def test_elements_of_a_beam() -> None:
    section = iso.Section(EA=1e6, EI=800.0, rhoA=78.0)
    with pytest.raises(InputError, match=r"1000000000000 elements: .* of memory are needed"):
        iso.Beam([(0, 0), (2, 0)], elements=10**12, section=section)


def test_animations(tmp_path) -> None:
    mech = iso.Mechanism()
    mech.add_body("ball", mass=1.0, kind="particle")
    sol = iso.integrate(mech.compile(), dt=0.1, t_end=0.3)
    with pytest.raises(InputError, match=r"1e\+12 pictures: .* of memory are needed"):
        write_gif(sol, tmp_path / "a.gif", seconds=1e6, fps=10**6)
    assert list(tmp_path.iterdir()) == []


def test_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least of machine, container and limit; nothing is refused where nothing is known, and
    small requests never."""
    found = available()
    assert found is not None
    assert found > 0
    for parts, least in (((3e9, 2e9, None), 2e9), ((None, None, None), None), ((1e9, -5.0, 4e9), 0.0)):
        for name, value in zip(("_machine", "_group", "_limit"), parts, strict=True):
            monkeypatch.setattr(memory, name, lambda value=value: value)
        assert available() == least
    require_memory(1e7, "small")
    with pytest.raises(InputError, match="rows: 1 GB of memory are needed, 0 bytes are there"):
        require_memory(1e9, "rows")
    monkeypatch.setattr(memory, "available", lambda: None)
    require_memory(1e20, "rows")
