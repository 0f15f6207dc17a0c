"""Subdomains with schemes and steps of their own are second order in q, v, a of each and in λ, from
the first step on."""

import numpy as np
import pytest

import isodyn as iso
from subdomain_systems import THREE, chain, errors, split_oscillator

S = iso.Scheme
RATE, EPS = 2.0, 0.1
IMPLICIT = {
    "newmark + optimal": (S.implicit_newmark(), S.optimal(0.0), S.implicit_newmark()),
    "unlike W1": (S.U0(0.5, 0.5, 0.5), S.V0(1, 1, 0), S.V0(0, 0, 0)),
    "unlike W1, undamped": (S.midpoint_epa(), S.implicit_newmark(), S.V0(1, 1, 0)),
}
MIXED = {
    "explicit + implicit": (S.central_difference(), S.optimal(0.0), S.U0(0.5, 0.5, 0.5)),
    "implicit + explicit": (S.V0(0.3, 0.7, 0.1), S.U0(1, 1, 0.5, explicit=True), S.U0(0, 0, 0)),
    "explicit": (S.central_difference(), S.U0(1, 1, 0.5, explicit=True), S.U0(0.5, 0.5, 0, explicit=True)),
}


def measured(schemes, taus, formulation=None, dts=(0.005, 0.0025), t_end=0.5):
    elements = chain(damping=0.0 if any(s.explicit for s in schemes) else 0.02)
    sub, undivided = iso.partition(elements, THREE), elements.assemble()
    found = []
    for dt in dts:
        sol = iso.integrate(
            sub,
            dict(zip(THREE, schemes, strict=True)),
            formulation,
            substeps=dict(zip(THREE, taus, strict=True)),
            dt=dt,
            t_end=t_end,
        )
        found.append(errors(sol, undivided, sub.indices))
    return {key: np.log2(found[0][key] / found[1][key]) for key in found[0]}, sol


@pytest.mark.parametrize("taus", [(1, 1, 1), (1, 2, 4), (4, 1, 2)], ids=str)
@pytest.mark.parametrize("schemes", [*IMPLICIT.values(), *MIXED.values()], ids=[*IMPLICIT, *MIXED])
def test_second_order_in_all_variables(schemes, taus):
    orders, sol = measured(schemes, taus)
    assert orders == pytest.approx(dict.fromkeys(orders, RATE), abs=EPS)
    assert sol.drift().largest[1] < 1e-12


@pytest.mark.parametrize("taus", [(1, 1, 1), (4, 1, 2)], ids=str)
@pytest.mark.parametrize("schemes", [IMPLICIT["unlike W1"], MIXED["explicit + implicit"]], ids=["implicit", "mixed"])
def test_continuous_displacements_keep_the_order(schemes, taus):
    """Stabilised: both levels at rounding, and the same orders."""
    orders, sol = measured(schemes, taus, iso.Stabilised())
    assert orders == pytest.approx(dict.fromkeys(orders, RATE), abs=EPS)
    position, velocity, _ = sol.drift().largest
    assert position < 1e-14
    assert velocity < 1e-12


@pytest.mark.parametrize("taus", [(1, 1), (2, 4)], ids=str)
def test_the_first_step_alone(taus):
    """Errors at n = 1, a and λ included, fall with Δt² at least."""
    schemes = {"1": S.U0(0, 0, 0), "2": S.V0(0.3, 0.7, 0.1)}
    undivided = iso.LinearSystem(0.1, None, 50.0, lambda t: np.array([2 * np.sin(t)]), [1.0], [0.5])
    found = []
    for dt in (0.002, 0.001):
        sub = split_oscillator()
        sol = iso.integrate(sub, schemes, substeps=dict(zip("12", taus, strict=True)), dt=dt, t_end=dt)
        found.append(errors(sol, undivided, {"1": [0], "2": [0]}))
    for key in found[0]:
        assert np.log2(found[0][key] / found[1][key]) > RATE - EPS, key


def test_load_and_multiplier_must_be_taken_at_the_balance(monkeypatch):
    """λ at (m + 1)/τ, as (4.21) prints it, is first order where W₁ ≠ 1: the study can tell."""
    from isodyn.subdomains.interface_load import InterfaceLoad

    schemes = dict(zip(THREE, IMPLICIT["unlike W1, undamped"], strict=True))
    force = InterfaceLoad.force
    late = 0.0

    def printed(self, t):
        m = np.floor((t - self.t_0) / self.dt + 1e-9)
        return force(self, self.t_0 + (m + 1) * self.dt) if late and self.change.any() else force(self, t)

    monkeypatch.setattr(InterfaceLoad, "force", printed)
    # the way that asks for the load
    monkeypatch.setattr("isodyn.subdomains.part.tables_of", lambda system, ties: None)
    elements = chain()
    sub, undivided = iso.partition(elements, THREE), elements.assemble()
    for late, lowest, highest in ((0.0, 1.9, 2.1), (1.0, 0.5, 1.5)):  # noqa: B007
        found = [
            errors(iso.integrate(sub, schemes, dt=dt, t_end=1.0), undivided, sub.indices)["v left"]
            for dt in (0.02, 0.01)
        ]
        assert lowest < np.log2(found[0] / found[1]) < highest


def test_breakpoints_restart_both_sides():
    """A load that jumps: order two on both sides of it, also with W₁ > 1."""
    f = iso.step_load([1.0], t_on=0.35)
    undivided = iso.LinearSystem(2.0, None, 30.0, f, [0.1], [0.0])
    sub = iso.Subdomains(
        {
            "a": iso.LinearSystem(0.5, None, 20.0, f, [0.1], [0.0]),
            "b": iso.LinearSystem(1.5, None, 10.0, None, [0.1], [0.0]),
        },
        [("a", 0, "b", 0)],
    )
    w = np.sqrt(15.0)

    def motion(t):
        q = 0.1 * np.cos(w * t)
        return np.where(t > 0.35, q + (1 - np.cos(w * (t - 0.35))) / 30.0, q)

    assert undivided.nv == 1
    found = []
    for dt in (0.02, 0.01):
        sol = iso.integrate(
            sub,
            {"a": S.V0(0, 0, 0), "b": S.U0(0.5, 0.5, 0.5)},
            substeps={"a": 2, "b": 1},
            dt=dt,
            t_end=1.0,
            breakpoints=f.breakpoints,
        )
        exact_a = np.where(sol.t >= 0.35, 0.5, 0.0) - 15.0 * motion(sol.t)
        lam = np.where(sol.t >= 0.35, 1.0, 0.0) - 20.0 * motion(sol.t) - 0.5 * exact_a
        found.append(
            (
                abs(sol["a"].q[:, 0] - motion(sol.t)).max(),
                abs(sol["b"].a[:, 0] - exact_a).max(),
                abs(sol.lam[:, 0] - lam).max(),
            )
        )
    assert np.log2(np.divide(*found)) == pytest.approx([2.0] * 3, abs=0.15)
