"""Breakpoints of a problem reach every run of it: order studies, comparisons and their reference,
the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.cli import main
from isodyn.studies import accurate_motion, compare, fine_motion, order_study

ROD = replace(problems.get("flying_rod"), parameters=MappingProxyType({"elements": 3.0}))
DTS = (4e-3, 2e-3, 1e-3)


def shifted(t: float) -> Any:
    """The rod with a load that ends at another time."""
    section = iso.Section(EA=1e4, EI=500.0, rhoA=0.7)

    def build(elements: float) -> Any:
        rod = iso.Beam([(0.0, 0.0), (14.0, 0.0)], elements=int(elements), section=section)
        rod.torque("end", 90.0, time=iso.Pulse(1.0, 0.0, t))
        rod.force("end", (5.0, 5.0), time=iso.Pulse(1.0, 0.0, t))
        return rod.compile()

    return replace(ROD, build=build, breakpoints=(t,), reference=None)


def test_order_two_over_the_jump() -> None:
    """In q, v and a at all times; a study that steps over the jump finds order one at best."""
    problem = shifted(0.0707)
    seen = order_study(problem, problem.scheme, DTS, t_end=0.1).cases[0]
    assert all(abs(seen.order(x) - 2.0) < 0.1 for x in "qva")
    reference = accurate_motion(problem.system(), 0.1, breakpoints=problem.breakpoints)
    blind = order_study(replace(problem, breakpoints=()), problem.scheme, DTS, reference, t_end=0.1).cases[0]
    assert blind.order("a") < 1.3


def test_compare_uses_them() -> None:
    """The same errors as an order study."""
    problem = shifted(0.0707)
    both = (
        compare(problem, problem.scheme, dts=DTS[:2], t_end=0.1).rows[0].case,
        order_study(problem, problem.scheme, DTS[:2], t_end=0.1).cases[0],
    )
    assert np.allclose(both[0].of("a"), both[1].of("a"), rtol=1e-6)


def test_the_reference_starts_anew() -> None:
    """DOP853 in two stretches against a run with very small steps; a after the jump."""
    problem = shifted(0.05)
    system, t = problem.system(), np.array([0.02, 0.05, 0.08])
    motion = accurate_motion(system, 0.08, breakpoints=(0.05,)).at(t)
    fine = fine_motion(system, problem.scheme, 0.01, 0.08, refinement=1000, breakpoints=(0.05,)).at(t)
    assert np.abs(motion.q - fine.q).max() < 1e-7
    assert np.abs(motion.a - fine.a).max() < 1e-4 * np.abs(fine.a).max()


def test_breaks_are_those_inside_a_run() -> None:
    problem = problems.get("flying_rod")
    assert (problem.breaks(5.0), problem.breaks(1.0), problem.breaks(0.5)) == ((1.0,), (), ())


def test_the_command_line_lands_on_the_jump(capsys: pytest.CaptureFixture[str]) -> None:
    """A row at t = 1, which is not on the grid, and the motion of a run with the breakpoint."""
    with pytest.raises(SystemExit):
        main(["run", "flying_rod", "--set", "elements=3", "--dt", "0.03", "--t-end", "1.2", "--json", "--no-progress"])
    found = json.loads(capsys.readouterr().out)
    sol = iso.integrate(ROD.system(), ROD.scheme, dt=0.03, t_end=1.2, breakpoints=[1.0])
    assert found["rows"] == sol.t.size == 42
    assert found["motion"]["dy3"]["q"]["max"] == pytest.approx(sol.q[:, -1].max(), rel=1e-12)
