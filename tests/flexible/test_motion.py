"""Flexible bodies from finite elements against closed forms, rods, rigid bodies and conservation laws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
from flexible_solids import ENDS, HEIGHT, NU, RHO, WIDTH, E, L, bar, swinging
from isodyn.report.scenes import scene_of

I_Y, I_Z, A = WIDTH * HEIGHT**3 / 12, HEIGHT * WIDTH**3 / 12, WIDTH * HEIGHT
G = E / (2 * (1 + NU))


def cantilever(elements: int = 8, modes: int = 6, **more: object) -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_flexible_body("bar", bar(elements), interface=ENDS, modes=modes, **more)
    mech.add_joint(iso.Fixed("clamp", "ground", "bar.left", point=(0, 0, 0)))
    return mech


def test_cantilever_sags_and_swings_like_a_beam_with_shear() -> None:
    system = cantilever().compile()
    tip = iso.equilibrium(system).q[system.q_of("bar.right")][2]
    line = RHO * A * 9.81
    beam = -line * L**4 / (8 * E * I_Y) - line * L**2 / (2 * 5 / 6 * G * A)
    assert tip == pytest.approx(beam, rel=5e-3)
    lowest = np.sort(iso.linearise(system).frequencies)[:2] * 2 * np.pi
    slender = 1.8751041**2 * np.sqrt(E * np.array([I_Y, I_Z]) / (RHO * A)) / L**2
    assert np.allclose(lowest, slender, rtol=0.01)  # shear and rotary inertia: some thousandths lower
    assert (lowest < slender * 1.002).all()


def test_stress_of_a_bent_bar_is_that_of_a_beam() -> None:
    """σ = M z/I at the corners, on both sides; a force across the tip of a clamped bar."""
    system, force = cantilever(8, 0), 3.0
    system.gravity = (0, 0, 0)
    system.add_load(iso.Force("push", "bar.right", (0, 0, force)))
    compiled = system.compile()
    rest = iso.equilibrium(compiled)
    still = iso.integrate(replace(compiled, q0=rest.q), dt=1e-4, t_end=2e-4)
    view = still.flexible_body("bar")
    corners = view.reduced.elements.solid.mesh.p.T
    inside = (corners[:, 0] > 0.2 * L) & (corners[:, 0] < 0.8 * L)
    expected = -force * (L - corners[:, 0]) * corners[:, 2] / I_Y  # x grows from the clamp; pushed up: below pulled
    found = view.stress(0)[:, 0, 0]
    assert np.abs(found - expected)[inside].max() < 0.01 * np.abs(expected).max()
    assert view.von_mises(0)[inside].max() == pytest.approx(np.abs(expected)[inside].max(), rel=0.02)


@pytest.mark.parametrize("stiffening", [False, True])
def test_free_flight_keeps_momenta_and_energy(stiffening: bool) -> None:
    """Energy is that of the finite elements themselves, not of the reduced sums; stiffening has none."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_flexible_body(
        "bar", bar(), interface=ENDS, modes=3, velocity=(1, 2, 3), angular_velocity=(3, 5, 9), stiffening=stiffening
    )
    sol = iso.integrate(mech, iso.Scheme.midpoint_mpa(), dt=5e-4, t_end=0.3, save_every=20)
    view = sol.flexible_body("bar")
    p, h = sol.momentum()
    assert np.abs(p - p[0]).max() < 1e-10 * np.abs(p[0]).max()
    kinetic, potential = sol.energy()
    np.testing.assert_allclose(view.kinetic_energy, kinetic, rtol=1e-12)
    np.testing.assert_allclose(view.strain_energy, potential, atol=1e-12 * kinetic[0])
    if not stiffening:
        assert np.ptp(kinetic + potential) < 2e-5 * kinetic[0]
        assert np.abs(h - h[0]).max() < 2e-5 * np.abs(h[0]).max()


def test_errors_of_free_flight_are_of_second_order_in_the_step() -> None:
    found = []
    for dt in (1e-3, 5e-4):
        mech = iso.Mechanism(gravity=(0, 0, 0))
        mech.add_flexible_body("bar", bar(2), interface=ENDS, modes=0, angular_velocity=(3, 5, 9))
        sol = iso.integrate(mech, iso.Scheme.midpoint_mpa(), dt=dt, t_end=0.2)
        found.append(np.abs(sol.momentum()[1] - sol.momentum()[1][0]).max())
    assert found[0] / found[1] > 3.5


def test_stiff_body_moves_like_a_rigid_one() -> None:
    """A spinning bar under weight on a ball joint, ten thousand times stiffer: what differs is of second order in dt."""
    spin, points = np.array([2.0, 1.0, 5.0]), bar(2)
    stiff = iso.FiniteElements(points.points, 1e4 * points.stiffness, points.mass)
    flexible, rigid = iso.Mechanism(), iso.Mechanism()
    flexible.add_flexible_body("bar", stiff, interface=ENDS, modes=0, angular_velocity=spin)
    mass = RHO * A * L
    centre = np.array([L / 2, 0, 0])
    inertia = mass / 12 * np.array([WIDTH**2 + HEIGHT**2, L**2 + HEIGHT**2, L**2 + WIDTH**2])
    rigid.add_body("bar", mass, inertia, centre, velocity=np.cross(spin, centre), angular_velocity=spin)
    for mech, name in ((flexible, "bar.left"), (rigid, "bar")):
        mech.add_joint(iso.Spherical("ball", "ground", name, point=(0, 0, 0)))
    one, other = (iso.integrate(mech, dt=2.5e-4, t_end=1.0, save_every=8) for mech in (flexible, rigid))
    tips = one.body("bar.right").position, other.body("bar").point((L, 0, 0)).position
    assert np.abs(tips[0] - tips[1]).max() < 5e-6
    # the body starts without strain, so its forces swing at first; the scheme damps that
    late = [sol.reaction("ball").force[100:] for sol in (one, other)]
    assert np.abs(late[0] - late[1]).max() < 2e-3 * mass * 9.81


@pytest.mark.parametrize("scheme", [iso.Scheme.default(), iso.Scheme.optimal(0.6)], ids=["default", "optimal"])
@pytest.mark.slow
def test_second_order_in_all_variables(scheme: iso.Scheme) -> None:
    system = swinging(stiffening=True, modes=2, damping=0.02).compile()
    runs = [iso.integrate(system, scheme, dt=1e-4 / 2**k, t_end=0.02, save_every=2**k) for k in (0, 1, 2, 5)]
    for name in ("q", "v", "a", "lam"):
        reference = getattr(runs[-1], name)
        errors = [np.abs(getattr(run, name) - reference).max() for run in runs[:3]]
        slope = np.log2(errors[1] / errors[2])
        assert slope > 1.85, (name, errors)
    assert np.max(runs[0].drift().position) < 1e-12


def spin_up(**body: object) -> iso.Mechanism:
    """A bar that a motor brings from rest to 60 rad/s in one second."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    if "stiffening" in body:
        mech.add_flexible_body("bar", bar(8), interface=ENDS, modes=4, **body)
    else:
        section = iso.Section(
            EA=E * A, GAy=5 / 6 * G * A, GAz=5 / 6 * G * A, GJ=0.2 * G * A * HEIGHT**2, EIy=E * I_Y, EIz=E * I_Z,
            rhoA=RHO * A, rhoIy=RHO * I_Y, rhoIz=RHO * I_Z,
        )  # fmt: skip
        mech.add_beam("bar", (0, 0, 0), (L, 0, 0), elements=16, section=section, model="exact")
    root = "bar.left" if "stiffening" in body else "bar.start"
    mech.add_joint(iso.Hinge("hub", "ground", root, point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("spin", "hub", f"60*(t^2/2 + {1 / (2 * np.pi) ** 2}*(cos({2 * np.pi}*t) - 1))"))
    return mech


def tip_across(sol: iso.Solution, name: str) -> np.ndarray:
    angle, x = sol.joint("hub").angle, sol.body(name).position
    return np.asarray(np.cos(angle) * x[:, 1] - np.sin(angle) * x[:, 0])


@pytest.mark.slow
def test_spin_up_needs_geometric_stiffness() -> None:
    """Against rods, which are exact: a bar that turns faster than its first frequency would fly off."""
    rods, stiffened = (iso.integrate(mech, dt=2e-3, t_end=1.0) for mech in (spin_up(), spin_up(stiffening=True)))
    exact = tip_across(rods, "bar.end")
    assert np.abs(exact).max() > 0.02
    assert np.abs(tip_across(stiffened, "bar.right") - exact).max() < 0.02 * np.abs(exact).max()
    try:
        without = np.abs(tip_across(iso.integrate(spin_up(stiffening=False), dt=2e-3, t_end=1.0), "bar.right")).max()
    except iso.IsodynError:
        without = np.inf
    assert without > 3 * np.abs(exact).max()


def test_report_and_files_show_the_body(tmp_path: Path) -> None:
    mech = swinging(modes=1)
    sol = iso.integrate(mech, dt=1e-3, t_end=0.01)
    iso.report.write_report(sol, tmp_path / "run.html")
    assert "bar" in (tmp_path / "run.html").read_text(encoding="utf-8")
    assert set(sol.energy_by_part()) == {"bar", "bob"}
    total = sum(part.kinetic + part.potential for part in sol.energy_by_part().values())
    np.testing.assert_allclose(total, sum(sol.energy()), rtol=1e-10)
    written = sol.flexible_body("bar").write_vtk(tmp_path / "vtk", rows=[0, -1])
    meshio = pytest.importorskip("meshio")
    first = meshio.read(tmp_path / "vtk" / "bar_000000.vtu")
    assert written.name == "bar.pvd"
    np.testing.assert_allclose(first.points, sol.flexible_body("bar").positions(0)[: len(first.points)], atol=1e-6)
    last = meshio.read(tmp_path / "vtk" / "bar_000010.vtu").point_data
    view = sol.flexible_body("bar")
    np.testing.assert_allclose(last["von Mises"], view.von_mises(-1), rtol=1e-6)
    np.testing.assert_allclose(last["stress"].reshape(-1, 3, 3), view.stress(-1), rtol=1e-6, atol=1.0)
    assert np.abs(view.stress(-1)).max() > 1e3


def test_a_damping_ratio_is_that_of_every_mode() -> None:
    """Poles −ζω ± iω√(1 − ζ²) of the body held at its first interface; factors of mass and stiffness likewise."""
    for given in (0.03, (0.5, 1e-4)):
        mech = cantilever(4, 2, damping=given)
        mech.gravity = (0, 0, 0)
        poles = iso.linearise(mech).poles
        size = np.abs(poles)
        assert size.size == 8
        expected = given * size if isinstance(given, float) else (given[0] + given[1] * size**2) / 2
        swinging_ones = np.abs(poles.imag) > 0
        np.testing.assert_allclose(-poles.real[swinging_ones], expected[swinging_ones], rtol=1e-6)
        assert swinging_ones.sum() >= 6


def test_modes_are_shown() -> None:
    """The first mode of a clamped bar, as a run whose surface moves up and down in colours of its stress."""
    shown = iso.linearise(cantilever(4, 2)).motion(0, amplitude=0.1, rows=9)
    height = shown.body("bar.right").position[:, 2]
    assert 0.05 < np.ptp(height) < 0.5
    scene = scene_of(shown)
    assert scene is not None
    assert [skin.name for skin in scene.skins] == ["bar"]
