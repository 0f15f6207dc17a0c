"""Options of coupled runs: saved rows, observers, partial solutions, interrupts, energy across the
interface."""

import signal

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, IsodynWarning
from isodyn.problems.divided import mass_chain
from subdomain_systems import THREE, chain

S = iso.Scheme
TAUS = dict(zip(THREE, (1, 2, 4), strict=True))


@pytest.fixture
def sub():
    return iso.partition(chain(), THREE)


@pytest.mark.parametrize("threads", [1, 2])
def test_fewer_rows_are_the_same_rows(sub, threads):
    options = {"substeps": TAUS, "dt": 0.01, "t_end": 0.5, "threads": threads}
    every = iso.integrate(sub, S.optimal(0.5), **options)
    some = iso.integrate(sub, S.optimal(0.5), save_every=7, **options)
    rows = [*range(0, 50, 7), 50]
    assert (some.t == every.t[rows]).all()
    assert (some.lam == every.lam[rows]).all()
    for name in THREE:
        assert (some[name].a == every[name].a[rows]).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_fewer_columns_are_the_same_columns(sub, threads):
    """By subdomain; multipliers stay, and the observer sees everything."""
    options, seen = {"substeps": TAUS, "dt": 0.01, "t_end": 0.5, "threads": threads}, []
    scheme = S.V0(0.3, 0.6, 0.1)
    every = iso.integrate(sub, scheme, **options)
    select = {"left": {"q": [2], "v": [], "a": [0, -1]}, "right": []}
    some = iso.integrate(sub, scheme, select=select, observe=seen.append, **options)
    assert (some["left"].q == every["left"].q[:, [2]]).all()
    assert (some["left"].a == every["left"].a[:, [0, 2]]).all()
    assert [some[name].v.shape[1] for name in THREE] == [0, 3, 0]
    for key in "qva":
        assert (getattr(some["middle"], key) == getattr(every["middle"], key)).all()
        assert (np.array([getattr(sample["right"], key) for sample in seen]) == getattr(every["right"], key)).all()
    assert (some.lam == every.lam).all()
    assert (np.array([sample.lam for sample in seen]) == every.lam).all()
    for question, what in (
        (some.drift, "q of all tied coordinates, but 'q4' of 'right'"),
        (some.interface_power, "v of all tied coordinates, but 'q2' of 'left'"),
        (some.gather, "all of q, but only 1 of 3 columns of 'left'"),
        (some.energy, "all of q, but only 1 of 3"),
    ):
        with pytest.raises(InputError, match=what):
            question()
    tied = iso.integrate(sub, scheme, select={"left": [2], "middle": [0, 2], "right": [0]}, **options)
    assert tied.drift().largest == every.drift().largest
    assert (tied.interface_power()["middle"] == every.interface_power()["middle"]).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_multipliers_are_the_forces_between_the_parts(sub, threads):
    """λ of every saved row, the first one too, balances the part beside it; at t_n to second order
    only."""
    sol = iso.integrate(sub, S.optimal(1.0), dt=0.002, t_end=0.1, threads=threads)
    right = sub.systems["right"]
    balance = right.M @ sol["right"].a.T + right.C @ sol["right"].v.T + right.K @ sol["right"].q.T
    force = np.array([right.f(t) for t in sol.t]).T - balance  # Gᵀλ
    assert abs(sub.G["right"].T @ sol.lam.T - force).max() < 1e-3 * abs(force).max()
    assert abs(sol.lam[[0, 1, -1]]).min() > 1.0


@pytest.mark.parametrize("threads", [1, 2])
def test_an_observer_sees_saved_states_and_may_end_the_run(sub, threads):
    seen = []

    def observe(sample):
        seen.append(sample)
        return sample.t > 0.299

    sol = iso.integrate(
        sub, S.optimal(0.5), substeps=TAUS, dt=0.01, t_end=0.5, save_every=5, observe=observe, threads=threads
    )
    assert sol.stats.stopped == "stopped by observe at t = 0.3 after 30 of 50 steps"
    assert [sample.t for sample in seen] == sol.t.tolist() == pytest.approx(np.arange(0, 0.301, 0.05))
    assert (seen[-1]["middle"].q == sol["middle"].q[-1]).all()
    assert (seen[-1].lam == sol.lam[-1]).all()
    with pytest.raises(InputError, match="no subdomain 'top'"):
        seen[0]["top"]


class LoadError(Exception):
    pass


def failing(late):
    """A chain whose load fails after a while."""

    def f(t):
        if t > late:
            raise LoadError("no more load")
        return np.zeros(7)

    elements = chain()
    return iso.partition(
        iso.subdomains.Elements(elements.dofs, elements.M, elements.K, elements.q0, elements.v0, f=f), THREE
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_carries_what_was_done(threads):
    with pytest.raises(LoadError) as caught:
        iso.integrate(failing(0.3), S.optimal(0.5), dt=0.01, t_end=0.5, threads=threads)
    partial = caught.value.partial
    assert partial.t[-1] == pytest.approx(0.3)
    assert np.isfinite(partial.lam).all()
    assert partial["right"].q.shape == (partial.t.size, 3)
    assert caught.value.__notes__ == ["in subdomain 'left', in system step 31 from t = 0.3"]


def test_an_interrupt_returns_what_was_done(sub):
    def observe(sample):
        if sample.t > 0.2:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(IsodynWarning, match="interrupted at t = 0.21 after 21 of 50 steps"):
        sol = iso.integrate(sub, S.optimal(0.5), dt=0.01, t_end=0.5, observe=observe)
    assert sol.t[-1] == pytest.approx(0.21)


def test_energy_across_the_interface():
    """Works of the interface add to nothing, and the energy of each part follows from its works, to
    second order."""
    found = []
    for dt in (0.1, 0.05):
        sol = iso.integrate(
            mass_chain(12).subdomains(),
            {"left": S.central_difference(), "middle": S.implicit_newmark(), "right": S.central_difference()},
            substeps={"left": 1, "middle": 4, "right": 1},
            dt=dt,
            t_end=20.0,
        )
        balance = sol.energy_balance()
        assert max(abs(work).max() for work in balance.work.values()) > 0.01
        assert abs(balance.transfer).max() < 1e-14
        found.append([*(abs(r).max() for r in balance.residual.values()), abs(balance.total).max()])
        # what a part gets from the others is no error of its energy: that had read "NOT GOOD", 0.9
        assert all(part.quality().energy.good for part in sol.values())
    assert np.divide(*found) == pytest.approx([4.0] * 4, rel=0.25)
    assert "energy balance of all subdomains open by" in str(balance)


def test_bars_and_chains_with_their_exact_motion():
    """Second order against the sum of modes, stiff parts in sub-steps."""
    problem = mass_chain(12)
    sub, found = problem.subdomains(), []
    for dt in (0.02, 0.01):
        sol = iso.integrate(sub, S.U0(0.8, 0.8, 0.8), substeps={"left": 1, "middle": 4, "right": 2}, dt=dt, t_end=4.0)
        exact = problem.exact(sol.t)
        found.append([abs(sol.gather(key) - getattr(exact, key)).max() for key in "qva"])
    assert np.log2(np.divide(*found)) == pytest.approx([2.0] * 3, abs=0.1)
