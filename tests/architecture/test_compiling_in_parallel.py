"""What is told about compiling, what a run's cost contains, and kernels that another process has in
hand."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels import build as kernel_build
from isodyn.kernels import cache as kernel_cache
from isodyn.kernels import compiled
from isodyn.kernels import helper as kernel_helper
from isodyn.kernels import progress as kernel_progress
from isodyn.kernels.compiled import F, f8, kernel
from isodyn.kernels.numba_internals.dispatcher import Kernel
from isodyn.marching import kernel_plan


@kernel(f8(F))
def slow_to_come(x):
    return x[0] + 0.5


@pytest.fixture
def fresh(monkeypatch):
    """Nothing expected, nothing done."""
    for name, value in (("_expected", []), ("_done", 0), ("_took", 0.0), ("_usual_of_done", 0.0), ("_depth", 0)):
        monkeypatch.setattr(kernel_progress, name, value)


def test_the_line_counts_kernels_and_tells_the_time_that_remains(fresh, capsys):
    kernel_progress.expect(["a", "b", "c"], 1)
    with kernel_progress.compiling("a"):
        time.sleep(0.05)
    assert 0.08 <= kernel_progress.remaining() <= 0.5  # two more like the first
    with kernel_progress.compiling("b"), kernel_progress.compiling("inner"):
        pass
    kernel_progress.arrived("c")  # the helper has compiled it
    first, last = capsys.readouterr().err.splitlines()
    assert (
        first
        == f"isodyn: compiling 3 kernels once for this machine, about {3 * kernel_progress.usual_seconds('a'):.0f} s"
    )
    assert last.startswith("isodyn: compiled 4 kernels in 0.")


def test_kernels_that_were_on_disk_are_not_told(fresh, capsys):
    kernel_progress.arrived("loaded")
    kernel_progress.announce_end()
    assert capsys.readouterr().err == ""


def test_the_cost_of_a_run_contains_no_compiling(monkeypatch):
    """A kernel that takes a second to come while the clock of the run goes."""
    clock, wall = kernel_progress.run_clock(), time.perf_counter()
    with kernel_progress.compiling("something"):
        time.sleep(0.3)
    assert time.perf_counter() - wall >= 0.3
    assert kernel_progress.run_clock() - clock < 0.1


def test_the_cost_of_a_run_contains_no_loading(capsys):
    clock = kernel_progress.run_clock()
    with kernel_progress.loading():
        time.sleep(0.3)
    assert kernel_progress.run_clock() - clock < 0.1
    assert capsys.readouterr().err == ""


def test_a_kernel_in_another_hand_is_waited_for(tmp_path):
    """A second holder of the lock is refused at once, or comes when the first has finished."""
    entry = kernel_cache.Entry("source", "name", "machine", "stamp")
    entry.path = tmp_path / "one.kernel"
    hold = (
        "import fcntl, sys, time; f = open(sys.argv[1], 'wb'); fcntl.flock(f, fcntl.LOCK_EX);"
        "print('held', flush=True); time.sleep(1.0)"
    )
    lock = str(entry.path.with_suffix(".lock"))
    with subprocess.Popen([sys.executable, "-c", hold, lock], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with entry.alone(wait=False) as mine:
            assert not mine
        begun = time.perf_counter()
        with entry.alone() as mine:
            assert mine
        assert time.perf_counter() - begun > 0.3


TWICE = """
import time
from isodyn.kernels.compiled import f8, kernel

@kernel(f8(f8))
def doubled(x):
    return 2.0 * x

compile_it = doubled.compile_declared
doubled.compile_declared = lambda: (time.sleep(1.0), compile_it())[1]  # long enough for the other to come
input()  # until both are here
print(doubled(2.0), doubled.origin)
"""


@pytest.mark.slow
def test_two_processes_at_once_compile_a_kernel_once(tmp_path):
    (tmp_path / "twice.py").write_text(TWICE, encoding="utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, str(tmp_path / "twice.py")]
    both = [subprocess.Popen(command, env=environment, **pipes) for _ in range(2)]
    for process in both:
        process.stdin.write("\n")
        process.stdin.flush()
    assert sorted(process.communicate(timeout=120)[0] for process in both) == ["4.0 compiled\n", "4.0 loaded\n"]


def test_the_helper_compiles_by_name(tmp_path):
    """In a process of its own, as it does: here others have used the kernel already."""
    name = "isodyn.linear_solvers.dependent_rows.find_dependent"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(
        kernel_helper.command([name, "isodyn.kernels.compiled.OK"]), env=environment, check=True, timeout=300
    )
    (file,) = (tmp_path / "isodyn").glob("*.kernel")
    assert file.name.startswith(name)


def test_what_is_missing_is_compiled_ahead(monkeypatch):
    """The longest first; what is on disk is passed over."""
    known = {"isodyn.marching.march.march"}
    named = ["isodyn.linear_solvers.dependent_rows.find_dependent", *known, "isodyn.stepping.newton.solve_step"]
    places = [name.rpartition(".") for name in named]
    kernels = {name: getattr(import_module(place[0]), place[2]) for name, place in zip(named, places, strict=True)}
    asked = []
    monkeypatch.setattr(kernel_build, "declared", lambda: kernels)
    monkeypatch.setattr(kernel_build, "compile_named", asked.extend)
    monkeypatch.setattr(compiled, "place_of", lambda one: SimpleNamespace(known=lambda: one.name in known))
    monkeypatch.setattr(sys, "argv", ["build", "--here"])
    kernel_build.main()
    assert asked == [named[2], named[0]]


def test_expected_kernels_are_those_that_a_run_loads():
    """Of a pendulum: nothing more is loaded by its run than was expected, but small ones between
    the kernels."""
    system = iso.problems.get("pendulum").system()
    closure = iso.Stabilised().closure(0.01)
    expected = {one.name for one in kernel_plan.kernels_of(system.model(), system.m, closure)}
    assert {
        "isodyn.stepping.newton.solve_step",
        "isodyn.marching.march.march",
        "isodyn.stepping.projection.polish",
    } <= expected
    assert not {name for name in expected if "null_space" in name or "block_lu" in name}


def test_kernels_that_are_named_exist():
    """In lists of names, where a name that is gone would be passed over or be told wrongly."""
    named = {name for names in kernel_helper.COMMON for name in names} | set(kernel_progress._SECONDS)
    for name in named:
        module, _, function = name.rpartition(".")
        assert isinstance(getattr(import_module(module), function, None), Kernel), name


def test_one_core_needs_no_helper(monkeypatch):
    monkeypatch.setenv("ISODYN_COMPILERS", "1")
    assert kernel_helper.cores() == 1
    started = []
    monkeypatch.setattr(kernel_helper, "_there", set())  # as in a new process
    monkeypatch.setattr(kernel_helper, "_start", started.append)
    monkeypatch.setattr(type(slow_to_come), "ready_soon", lambda self: False)
    monkeypatch.setattr(kernel_progress, "expect", lambda names, processes: None)
    kernels = kernel_plan.kernels_of(iso.problems.get("pendulum").system().model(), 1, iso.Stabilised().closure(0.01))
    kernel_helper.expect(kernels)
    assert started == []
    monkeypatch.setenv("ISODYN_COMPILERS", "2")
    kernel_helper.expect(kernels)
    (names,) = started
    assert names[0] == kernels[-1].name  # from the end
    assert kernels[0].name not in names  # the run begins with it
    assert slow_to_come(np.ones(1)) == 1.5


def test_a_kernel_that_captures_variables_is_refused():
    factor = 2.0

    @kernel(f8(f8))
    def scaled(x):
        return factor * x

    with pytest.raises(TypeError, match="captures variables"):
        compiled.place_of(scaled)


def test_runs_that_need_the_same_kernels_start_one_helper(monkeypatch):
    """A run that fails before it compiles leaves its kernels missing; the next one finds a helper at
    work, or one that has tried them."""
    started, state = [], [None]

    class Process:
        def __init__(self, command, **_):
            started.append(command)

        def poll(self):
            return state[0]

        def terminate(self):
            pass

    monkeypatch.setattr(kernel_helper.subprocess, "Popen", Process)
    monkeypatch.setattr(kernel_helper.atexit, "register", lambda *_: None)
    monkeypatch.setattr(kernel_helper, "_given", set())
    monkeypatch.setattr(kernel_helper, "_helpers", [])
    for _ in range(3):
        kernel_helper._start(["isodyn.a", "isodyn.b"])
    assert len(started) == 1
    kernel_helper._start(["isodyn.c"])  # one is at work
    assert len(started) == 1
    state[0] = 0
    kernel_helper._start(["isodyn.b"])  # it has tried this one
    assert len(started) == 1
    kernel_helper._start(["isodyn.c"])
    assert len(started) == 2
