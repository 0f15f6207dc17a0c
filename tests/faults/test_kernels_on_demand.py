"""Kernels that are compiled when a run comes to them: what fails is a typed error, threads and
forked processes find the same code."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from numba import types

from isodyn.errors import KernelError
from isodyn.kernels.compiled import F, f8, i8, kernel
from isodyn.kernels.numba_internals.slots import EmptySlotError

SUM = f8(F, i8)


@kernel(SUM, inner=True, apart=True)
def sum_of(x, n):
    total = 0.0
    for i in range(n):
        total += x[i]
    return total


@kernel(SUM)
def through_slot(x, n):
    return sum_of(x, n)


@kernel(SUM, nogil=True)
def without_lock(x, n):
    return sum_of(x, n) + late(x, n)


@kernel(SUM, inner=True, apart=True)
def late(x, n):
    return 2.0 * x[n - 1]


@kernel(SUM, apart=True)
def broken(x, n):
    return there_is_no_such_name(x)  # noqa: F821


@kernel(SUM)
def calls_broken(x, n):
    return broken(x, n) if n > 1 else 7.0


@kernel(types.void(F), apart=True)
def interrupted(x):
    x[0] += 1.0


@kernel(f8(F))
def calls_interrupted(x):
    interrupted(x)
    return x[0]


def test_a_kernel_is_compiled_by_its_first_call_and_not_before():
    assert sum_of.origin is None
    assert through_slot.origin is None
    assert through_slot(np.arange(4.0), 4) == 6.0
    assert sum_of.origin in ("compiled", "loaded")


def test_a_compilation_that_fails_is_a_typed_error_each_time():
    """And nothing at all where the run does not come there."""
    x = np.arange(3.0)
    assert calls_broken(x, 1) == 7.0
    for _ in range(2):
        with pytest.raises(KernelError, match=r"compiling the kernel .*broken failed: TypingError.*") as caught:
            calls_broken(x, 2)
        assert "there_is_no_such_name" in str(caught.value.__cause__)


def test_a_kernel_that_python_calls_fails_by_the_same_error():
    with pytest.raises(KernelError, match=r"^compiling the kernel .*broken failed: TypingError") as caught:
        broken(np.arange(3.0), 3)
    assert "there_is_no_such_name" in str(caught.value.__cause__)


def test_an_interrupted_compilation_is_a_typed_error_and_can_be_repeated(monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    make = interrupted.make
    interrupted.make = interrupt
    with pytest.raises(EmptySlotError, match=r"interrupted was interrupted"):
        calls_interrupted(np.zeros(1))
    interrupted.make = make
    assert calls_interrupted(np.zeros(1)) == 1.0


def test_inner_kernels_refuse_python():
    with pytest.raises(TypeError, match="called by other kernels only"):
        sum_of(np.arange(3.0), 3)


def test_threads_without_the_interpreter_lock_come_to_the_same_slot():
    """Four threads at once, none of which holds the lock; `late` is compiled by one of them."""
    x, found, gate = np.arange(5.0), [], threading.Barrier(4)

    def work():
        gate.wait()
        found.append(without_lock(x, 5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [18.0] * 4


FORKED = textwrap.dedent(
    """
    import os, sys
    import numpy as np
    from isodyn.kernels.compiled import F, f8, kernel

    @kernel(f8(F), apart=True)
    def first(x):
        return x[0]

    @kernel(f8(F), apart=True)
    def second(x):
        return x[1]

    @kernel(f8(F))
    def both(x):
        return first(x) + (second(x) if x[0] > 1.0 else 0.0)

    assert both(np.array([1.0, 2.0])) == 1.0  # the parent has not come to `second`
    child = os.fork()
    if child == 0:
        os._exit(0 if both(np.array([2.0, 3.0])) == 5.0 else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert both(np.array([2.0, 5.0])) == 7.0
    print("both processes")
    """
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_fills_its_own_slots(tmp_path):
    (tmp_path / "forked.py").write_text(FORKED)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "forked.py")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "both processes\n", done.stderr


def test_nothing_is_compiled_or_loaded_at_import():
    """All modules with kernels: every kernel is still only declared."""
    script = textwrap.dedent(
        """
        import gc, importlib, pkgutil
        import isodyn
        from isodyn.kernels.numba_internals.dispatcher import Kernel
        for module in pkgutil.walk_packages(isodyn.__path__, "isodyn."):
            if not module.name.startswith(("isodyn.cli", "isodyn.__main__", "isodyn.report")):
                importlib.import_module(module.name)
        kernels = [x for x in gc.get_objects() if isinstance(x, Kernel)]
        assert len(kernels) > 300, len(kernels)
        print(sorted(x.name for x in kernels if x.overloads))
        """
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "[]\n", done.stderr
