"""Reduced parts tied to others: a reduced system is a system, as a subdomain too."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.reduction import craig_bampton

N = 12
K = 50.0 * (2.0 * np.eye(N) - np.eye(N, k=1) - np.eye(N, k=-1))
K[-1, -1] = 50.0
SCHEME = iso.Scheme.optimal(0.8)


def line() -> iso.MechanicalSystem:
    """Springs with a cubic part to the ground, in Python."""
    return iso.MechanicalSystem(np.eye(N), lambda q, v, t: -K @ q - q**3, np.zeros(N), np.zeros(N))


def straight() -> iso.LinearSystem:
    return iso.LinearSystem(np.eye(N), None, K, None, np.zeros(N), np.zeros(N))


def run(left: object, interface: int | str) -> iso.subdomains.SubdomainSolution:
    force = np.eye(N)[3]
    loaded = iso.LinearSystem(np.eye(N), None, K[::-1, ::-1], lambda t: force * np.sin(t), np.zeros(N), np.zeros(N))
    sub = iso.Subdomains({"left": left, "right": loaded}, [("left", interface, "right", 0)])  # type: ignore[dict-item]
    return iso.integrate(sub, SCHEME, substeps={"left": 1, "right": 2}, dt=0.05, t_end=2.0)


@pytest.mark.parametrize("make", [line, straight])
def test_all_directions_are_the_full_subdomain(make: object) -> None:
    system = make()  # type: ignore[operator]
    whole = run(system, N - 1)
    basis = craig_bampton(system, [N - 1], N - 1)
    sol = run(iso.reduce(system, basis), "q11")  # the interface keeps its name
    assert np.abs(basis.lift(sol["left"]).q - whole["left"].q).max() < 1e-12 * np.abs(whole["left"].q).max()
    assert np.abs(sol.lam - whole.lam).max() < 1e-11 * np.abs(whole.lam).max()


def test_few_directions_come_close() -> None:
    """Fixed-interface modes, and directions of the interior from the coupled run itself."""
    whole, errors = run(line(), N - 1), []
    for basis in (craig_bampton(line(), [N - 1], 5), iso.pod(whole["left"], rank=5, columns=range(N - 1))):
        sol = run(iso.reduce(line(), basis), 5)
        errors.append(np.abs(basis.lift(sol["left"]).q - whole["left"].q).max() / np.abs(whole["left"].q).max())
    assert max(errors) < 5e-3


def test_what_goes_wrong_inside_comes_out() -> None:
    class LoadError(Exception):
        pass

    def Q(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
        if t > 0.3:
            raise LoadError
        return -K @ q

    system = iso.MechanicalSystem(np.eye(N), Q, np.zeros(N), np.zeros(N))
    with pytest.raises(LoadError) as caught:
        run(iso.reduce(system, craig_bampton(system, [N - 1], 3)), 3)
    assert "in subdomain 'left'" in caught.value.__notes__[0]
