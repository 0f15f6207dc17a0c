"""What a solution says about rods: forces in equilibrium with accelerations, energies, momenta, loads,
pictures and files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.report.scenes import scene_of
from isodyn.results.load_on_body import read_loads

SECTION = iso.Section.rectangle(E=2e8, G=8e7, rho=1000.0, width=0.02, height=0.05, damping=(0.0, 0.002))


def arc(s: float) -> tuple[float, float, float]:
    return np.sin(s), 1 - np.cos(s), 0.3 * s


def clamped(model: str = "exact", **line: Any) -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_beam("rod", elements=4, section=SECTION, model=model, **(line or {"curve": arc}))
    mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
    mech.add_load(iso.Force("pull", "rod.end", force=(3.0, 2.0, 5.0)))
    return mech


@pytest.fixture(scope="module")
def sol() -> Any:
    mech = clamped()
    mech.add_load(iso.DistributedForce("wind", "rod", (0.0, 2.0, -1.0), frame="body", time=iso.Sine(1.0, 3.0)))
    return iso.integrate(mech.compile(), dt=2e-3, t_end=0.3)


def test_forces_at_ends_are_in_equilibrium_with_accelerations(sol: Any) -> None:
    """Newton and Euler for a node: what elements exert, loads, weight and inertia sum to zero at t_n."""
    force, moment = sol.beam("rod").at_ends()
    R, system = sol.beam("rod").frames, sol.system
    f = np.einsum("keij,kej->kei", R[:, :-1], force[:, :, 0])  # at the start of elements, then at the end
    g = np.einsum("keij,kej->kei", R[:, 1:], force[:, :, 1])
    a = np.stack([sol.a[:, system.v_of(f"rod[{k}]")] for k in range(5)], axis=1)
    sixth = SECTION.rhoA * system.rods["rod"].lengths / 6
    for k in (1, 2, 3):
        node = system.rods["rod"].nodes[k]
        coupled = sixth[k - 1] * (a[:, k - 1, :3] - a[:, k, :3]) + sixth[k] * (a[:, k + 1, :3] - a[:, k, :3])
        wind = read_loads(sol, system, "wind")[k][:, :3]
        left = node.mass * (a[:, k, :3] - [0, 0, -9.81]) + coupled - wind + g[:, k - 1] - f[:, k]
        assert np.abs(left).max() < 1e-9 * np.abs(f).max()
        w = sol.v[:, system.v_of(node.name)][:, 3:]
        inertia = a[:, k, 3:] @ node.inertia + np.cross(w, w @ node.inertia)
        assert np.abs(inertia + moment[:, k - 1, 1] - moment[:, k, 0]).max() < 1e-9 * np.abs(moment).max()


def test_the_end_carries_its_load_and_the_clamp_the_rest(sol: Any) -> None:
    """The reaction of the clamp is the force in the first cross-section and the inertia of its node."""
    view = sol.beam("rod")
    force, moment = view.at_ends()
    R = view.frames
    assert np.isfinite(force).all()
    node = sol.system.rods["rod"].nodes[0]
    a = sol.a[:, sol.system.v_of("rod[1]")][:, :3]
    sixth = SECTION.rhoA * sol.system.rods["rod"].lengths[0] / 6
    wind = read_loads(sol, sol.system, "wind")[0][:, :3]
    cut = np.einsum("kij,kj->ki", R[:, 0], force[:, 0, 0])
    reaction = sol.reaction("clamp")
    expected = -cut - wind + sixth * a - node.mass * np.array([0, 0, -9.81])
    assert np.abs(reaction.force - expected).max() < 1e-8 * np.abs(expected).max()
    torque = -np.einsum("kij,kj->ki", R[:, 0], moment[:, 0, 0])
    assert np.abs(reaction.torque - torque).max() < 1e-8 * np.abs(torque).max()


@pytest.mark.parametrize("model", ["exact", "absolute-nodal"])
def test_energies_by_part_add_up(model: str) -> None:
    mech = clamped(model)
    mech.add_load(iso.DistributedForce("wind", "rod", (0.0, 2.0, -1.0)))
    sol = iso.integrate(mech.compile(), dt=2e-3, t_end=0.1)
    parts = sol.energy_by_part()
    assert list(parts) == ["rod"]
    for part, whole in zip(parts["rod"], sol.energy(), strict=True):
        assert np.abs(part - whole).max() < 1e-12 * np.abs(whole).max() + 1e-12
    taken = sol.beam("rod").energies.dissipated
    gained = sol.load("wind").work + sol.load("pull").work
    total = sum(sol.energy())
    assert np.abs(total + taken - gained - total[0]).max() < 3e-3 * np.abs(gained).max()


def test_free_rods_keep_their_momenta() -> None:
    """Angular momentum counts what a consistent mass couples: constant to second order and better."""
    drift = []
    for model in ("exact", "absolute-nodal"):
        mech = iso.Mechanism(gravity=(0, 0, 0), cayley=True)
        mech.add_beam(
            "rod", curve=arc, elements=3, section=SECTION, model=model, velocity=(1, 2, 3), angular_velocity=(1, 2, 4)
        )
        sol = iso.integrate(mech.compile(), iso.Scheme.midpoint_epa(), dt=1e-3, t_end=0.1)
        linear, angular = sol.momentum()
        assert np.abs(linear - linear[0]).max() < 1e-10 * np.abs(linear).max()
        drift.append(np.abs(angular - angular[0]).max() / np.abs(angular).max())
    assert max(drift) < 1e-4


@pytest.mark.parametrize("model", ["exact", "absolute-nodal"])
def test_statics_of_a_straight_cantilever(model: str) -> None:
    """Small load: moments P(L − x), shear P, stress M c/I, to second order in nothing but the load."""
    P = 1e-5
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=4, section=SECTION, model=model)
    mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
    mech.add_load(iso.Force("pull", "rod.end", force=(0.0, P, 2 * P)))
    view = iso.follow_loads(mech, steps=1).as_solution().beam("rod")
    lever = 1 - (np.arange(4) + 0.5) / 4
    assert np.allclose(view.force[-1], [0.0, P, 2 * P], atol=4e-4 * P if model != "exact" else 2e-5 * P)
    assert np.allclose(
        view.moment[-1], np.outer(lever, [0.0, -2 * P, P]), atol=4e-4 * P if model != "exact" else 2e-5 * P
    )
    corner = 2 * P * lever * 0.01 / (0.05 * 0.02**3 / 12) + P * lever * 0.025 / (0.02 * 0.05**3 / 12)
    assert np.allclose(view.stress()[-1, :, 1], corner, rtol=1e-4)
    assert np.allclose(view.stress(y=0.0, z=0.01)[-1], -2 * P * lever * 0.01 / (0.05 * 0.02**3 / 12), rtol=1e-4)


def test_curves_are_arcs() -> None:
    """The axis of an element that is part of a circle is that circle, also between its nodes."""
    mech = iso.Mechanism(gravity=(0, 0, 0))

    def circle(s: float) -> tuple[float, float, float]:
        return 2 * np.cos(2 * s), 2 * np.sin(2 * s), 0.0

    mech.add_beam("rod", curve=circle, elements=3, section=SECTION, model="exact")
    curve = iso.integrate(mech.compile(), dt=1e-3, t_end=1e-3).beam("rod").curve(7)
    assert np.abs(np.linalg.norm(curve, axis=-1) - 2).max() < 1e-12


def test_scene_has_colours_and_no_boxes_for_nodes(sol: Any) -> None:
    scene = scene_of(sol)
    assert scene is not None
    assert [curve.name for curve in scene.curves] == ["rod"]
    assert all(body.node for body in scene.bodies)
    assert scene.curves[0].values is not None
    assert scene.curves[0].values.shape[1] == 4
    assert scene.curves[0].values.max() == 1.0
    assert "axial stress, 0 to" in scene.curves[0].label


def test_quantities_of_rods_have_names(sol: Any) -> None:
    names = set(sol.quantities())
    assert {"rod(1).force", "rod(4).moment", "rod(2).strain", "rod.kinetic_energy"} <= names
    table = sol.to_dataframe("rod(1).moment_My")
    assert np.allclose(np.asarray(table).T[-1], sol.beam("rod").moment[:, 0, 1])


def test_named_errors(sol: Any) -> None:
    with pytest.raises(InputError, match="there is no beam named 'rot'"):
        sol.beam("rot")
    other = iso.integrate(clamped("absolute-nodal").compile(), dt=1e-3, t_end=1e-3)
    with pytest.raises(InputError, match="forces at ends are for model='exact'"):
        other.beam("rod").at_ends()
    mech = clamped("absolute-nodal")
    mech.add_load(iso.DistributedForce("wind", "rod", (0.0, 2.0, -1.0), frame="body"))
    with pytest.raises(InputError, match="needs a rod whose nodes are bodies"):
        mech.compile()
    bare = iso.Section(EA=1.0, GAy=1.0, GAz=1.0, GJ=1.0, EIy=1.0, EIz=1.0, rhoA=1.0, rhoIy=1.0, rhoIz=1.0)
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=1, section=bare, model="exact")
    with pytest.raises(InputError, match="stresses need E="):
        iso.integrate(mech.compile(), dt=1e-3, t_end=1e-3).beam("rod").stress()
