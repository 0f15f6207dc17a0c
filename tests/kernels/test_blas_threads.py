"""SciPy's BLAS has one thread while a run with fronts is marching, and as many as before after it."""

from __future__ import annotations

import threading

import pytest

import isodyn as iso
from isodyn.kernels.blas_threads import number_of_threads, one_thread
from isodyn.marching.at_rest import AtRest

told = pytest.mark.skipif(number_of_threads() is None, reason="another BLAS")


@told
def test_one_thread_inside_and_as_many_as_before_behind_it():
    before = number_of_threads()
    with one_thread():
        assert number_of_threads() == 1
        with one_thread():
            assert number_of_threads() == 1
        assert number_of_threads() == 1
    assert number_of_threads() == before
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert number_of_threads() == before


@told
def test_the_last_of_several_threads_sets_it_back():
    before, entered, leave = number_of_threads(), threading.Event(), threading.Event()

    def other() -> None:
        with one_thread():
            entered.set()
            leave.wait(10.0)

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(10.0)
    with one_thread():
        pass
    assert number_of_threads() == 1
    leave.set()
    thread.join()
    assert number_of_threads() == before


@told
def test_runs_whose_fronts_call_blas_ask_for_it():
    run = AtRest(iso.problems.get("pendulum").system())
    before = number_of_threads()
    assert run.answer(number_of_threads) == before
    run.memory.blocks.gemm = 1
    assert run.answer(number_of_threads) == 1
    assert number_of_threads() == before
