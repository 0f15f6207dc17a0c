"""Every example runs, draws its figures and gives the numbers that it talks about."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from registries import as_before

ROOT = Path(__file__).resolve().parent.parent / "examples"
EXAMPLES = sorted(path for path in ROOT.rglob("*.py") if path.parent.name != "tasks")  # those: test_tasks.py

# example → {name of a number: (lowest, highest)}
EXPECTED: dict[str, dict[str, tuple[float, float]]] = {
    "rattleback": {
        "wrong way: spin at 5 s": (1.5, 4.5),
        "good way: spin at 5 s": (4.5, 5.0),
        "wrong way: largest slip": (0.0, 1e-9),
        "good way: largest slip": (0.0, 1e-9),
        "wrong way: change of energy, relative": (0.0, 3e-3),
        **{f"order in {name}": (1.9, 2.1) for name in ("q", "v", "a", "lam")},
    },
    "contacts": {
        "woodpecker: way down [mm]": (75.0, 90.0),
        "woodpecker: hits of the beak": (4, 4),
        "woodpecker: smallest gap": (-1e-13, 1e-12),
        "clearance: impacts": (2, 100),
        "clearance: smallest gap": (-1e-13, 1e-12),
        "clearance: drift": (0.0, 1e-13),
    },
    "spin_up": {
        "largest deflection, finite elements with stiffening [m]": (0.5721, 0.5741),
        "largest deflection, rod [m]": (0.5731, 0.5751),
        "difference between the two [m]": (0.0, 0.01),
        "without stiffening the run ends at [s]": (5.0, 14.0),
        "largest von Mises' stress in the middle of the run [MPa]": (10.0, 200.0),
    },
    "designs": {
        "largest error of a length": (0.0, 2e-4),
        "runs for the coupler curve": (5, 60),
        "effort beside the exact one": (0.998, 1.005),
        "product of the multipliers beside exp(−cT/J)": (0.995, 1.005),
    },
    "hydraulic_lift": {
        "lifted [mm]": (279.0, 281.5),
        "difference from Radau [mm]": (0.0, 0.05),
        "largest pressure [MPa]": (7.6, 7.76),
        "pressure at the end, beside what carries the load": (0.999, 1.001),
    },
    "environment": {"without a law [s]": (2.0, 2.4), "with a law [s]": (10.0, 10.1)},
    "first_run": {
        "angle at the end": (0.327, 0.330),
        "change with steps four times finer": (1e-5, 2e-3),
    },
    "joint_coordinates": {
        "coordinates of joints": (5, 5),
        "velocities and rows of bodies": (43, 43),
        "largest difference of the load's place [m]": (0.0, 5e-3),
        "order of the difference": (1.8, 2.2),
        "drift of the lifted run": (0.0, 1e-13),
    },
    "own_compiled_system": {
        "largest difference between plain and compiled": (0.0, 0.0),
        "largest deviation of energy": (1e-6, 2e-4),
    },
    "own_joint": {
        "error of the way": (0.0, 1e-12),
        "error of the reaction": (0.0, 1e-10),
        "difference between Python and file": (0.0, 1e-15),
    },
    "own_formulation": {
        "drift of velocity level": (2e-4, 6e-4),
        "drift of the own formulation": (4e-5, 1.3e-4),
        **{f"order in {name}": (1.9, 2.1) for name in ("q", "v", "a", "lam")},
    },
    "own_policy": {
        "steps": (300, 700),
        "steps taken again": (1, 100),
        "largest step over smallest": (30.0, 200.0),
        "missed with chosen steps": (0.0, 3e-3),
        "missed with equal steps": (5e-2, 1.0),
    },
    "own_load": {
        "error of the force": (0.0, 1e-9),
        "largest deviation of energy": (0.0, 1e-6),
        "difference between Python and file": (0.0, 0.0),
    },
    "thermoelastic_bar": {
        "largest rise of energy in a step, relative": (-1.0, 0.0),
        "energy left": (0.42, 0.45),
        "order in displacement": (1.9, 2.1),
        "order in velocity and temperature": (1.9, 2.1),
        "order in their rates": (1.9, 2.1),
    },
    "earthquake": {
        "largest drift of a storey [mm]": (19.5, 19.8),
        "largest acceleration of the roof [m/s²]": (11.2, 11.5),
        "change of the drift with finer steps [mm]": (0.0, 0.05),
    },
    "fig_2_07_to_2_09_pleiades": {
        "midpoint EPA: angular momentum": (0.0, 1e-12),
        "midpoint MPA: angular momentum": (0.0, 1e-12),
        "optimal(0): angular momentum": (1e-4, 1e-2),
        "midpoint EPA: star 2 ends at x": (2.353, 2.354),
        "midpoint EPA: order in q": (1.9, 2.1),
        "midpoint MPA: order in v": (1.9, 2.1),
        "optimal(0): order in a": (1.9, 2.1),
    },
    "fig_2_10_to_2_12_brusselator": {
        **{f"algorithm {k}: order in {s}": (1.9, 2.1) for k in range(1, 6) for s in ("s", "s'")},
        **{f"brusselator_stable, algorithm {k}: last X": (0.999, 1.001) for k in range(1, 6)},
        **{f"brusselator_unstable, algorithm {k}: swing of X": (3.2, 3.5) for k in range(1, 6)},
    },
    "fig_2_13_to_2_15_kepler": {
        **{f"V0(1, 1, {rho}), e = {e}: angular momentum": (0.0, 1e-12) for rho in (1, 0.5, 0) for e in (0.9, 0.6)},
        **{f"U0(1, 1, {rho}), e = {e}: angular momentum": (1e-5, 0.1) for rho in (0.5, 0) for e in (0.9, 0.6)},
        "V0(1, 1, 0), e = 0.6: energy": (4.0e-4, 4.4e-4),
        "optimal(0.7), e = 0.6: angular momentum": (1e-6, 1e-3),
    },
    "conditioning": {
        **{
            f"as printed, index {index}, {form}-form, m = 1: exponent": (k - 0.02, k + 0.02)
            for index, form, k in [
                (3, "a", 2),
                (3, "v", 3),
                (3, "d", 4),
                (2, "a", 1),
                (2, "v", 2),
                (2, "d", 3),
                (1, "a", 0),
                (1, "v", 1),
                (1, "d", 2),
            ]
        },
        **{
            f"scaled, index {index}, a-form, m = {m}: exponent": (-0.01, 0.01)
            for index in (1, 2, 3)
            for m in (1e-06, 0.001, 1, 1000)
        },
        "scaled, index 3, a-form, m = 1: largest": (2.0, 3.0),
        "as printed, index 3, d-form, m = 1: largest": (9.0e24, 9.8e24),
    },
    "fig_3_01_to_3_03_andrews": {
        **{f"3.1, MPR-MPA, position level: order in {x}": (1.9, 2.1) for x in ("q", "v", "a")},
        "3.1, MPR-MPA, position level: order in lam": (0.8, 1.2),
        "3.1, MPR-MPA, position level: error in λ, dt = 1.25e-6 over 2e-5": (5.0, 500.0),
        **{
            f"{case}: order in {x}": (1.9, 2.1)
            for case in (
                "3.2, optimal (0, 1, 0), position level",
                "3.3, MPR-MPA, Hamilton's form",
                "3.3, Gear, Hamilton's form",
            )
            for x in ("q", "v", "a", "lam")
        },
        **{f"{case}, position level: φ": (0.0, 1e-15) for case in ("3.1, MPR-MPA", "3.2, optimal (0, 1, 0)")},
        **{f"{case}, position level: φ̇": (4e-6, 6e-6) for case in ("3.1, MPR-MPA", "3.2, optimal (0, 1, 0)")},
        **{
            f"3.3, {case}, Hamilton's form: {level}": (0.0, 1e-13)
            for case in ("MPR-MPA", "Gear")
            for level in ("φ", "φ̇")
        },
        "3.1, MPR-MPA, position level: energy": (1e-5, 3e-5),
    },
    "fig_3_06_to_3_14_spinning_top": {
        **{f"{name}: order in {x}": (1.9, 2.1) for name in ("index 1", "gains kept") for x in ("q", "v", "a", "lam")},
        **{f"stabilised index 1: order in {x}": (1.9, 2.1) for x in ("q", "v")},
        **{f"stabilised index 1: order in {x}": (0.9, 1.1) for x in ("a", "lam")},
        **{f"stabilised index 1: order in {x} behind 16 steps": (1.9, 2.1) for x in ("a", "lam")},
        "index 1: φ": (0.5, 2.0),
        "index 1: φ̈": (0.0, 1e-13),
        "stabilised index 1: φ": (1e-2, 4e-2),  # of the length of the top, 1/16 m
        "stabilised index 1: φ̇": (5e-3, 2e-2),
        "lowest tilt [deg]": (22.49, 22.51),
        "largest tilt [deg]": (29.0, 29.3),
    },
    "fig_3_04_to_3_05_van_der_pol": {
        **{
            f"{name}, η(0) = {start}: order in {x}": (1.9, 2.1)
            for name in ("MPR-MPA", "Gear")
            for start in ("0.5", "2")
            for x in ("s", "η")
        },
        **{f"Gear, η(0) = {start}: order in s'": (1.9, 2.1) for start in ("0.5", "2")},
        "MPR-MPA, η(0) = 0.5: order in s'": (1.8, 2.1),
        "MPR-MPA, η(0) = 0.5: η at the end": (0.868, 0.869),
        "Gear, η(0) = 2: constraint": (0.0, 1e-9),
    },
    "fig_4_03_to_4_11_split_oscillator": {
        **{
            f"4.{k}: {name}": (low, high)
            for k in range(3, 12)
            for name, low, high in (
                ("lowest order", 1.9, 2.1),
                ("highest order", 1.9, 2.1),
                ("velocity gap", 0.0, 1e-12),
            )
        },
        **{f"4.{k}: energy at t = 20 over energy at the start": (0.5, 1.0) for k in range(3, 9)},
        **{f"4.{k}: energy at t = 20 over energy at the start": (4.0, 1e5) for k in (9, 10, 11)},
    },
    "fig_4_12_to_4_13_plate": {
        **{
            f"case {case}, {point}: order in {x}": (1.9, 2.1)
            for case in ("1", "2'")
            for point in ("A", "B")
            for x in ("q", "v", "a")
        },
        **{f"case {case}: sum of the works of the interface, relative": (0.0, 1e-13) for case in ("1", "2'")},
        **{f"case {case}: open energy balance, relative": (0.0, 1e-5) for case in ("1", "2'")},
        "case 2': smallest limit of the step": (4.7e-5, 4.8e-5),
        "case 2', dt = 4e-05: largest energy over its bound until t = 0.02": (0.9, 1.0),
        "case 2, dt = 2e-05: largest energy over its bound until t = 0.02": (1e5, 1e6),
        "case 2, dt = 0.01 as printed: energy over its bound after 4 steps": (1e30, np.inf),
    },
    "mass_chain": {
        **{
            f"cut by {cut}: difference from the undivided chain": (0.0, 1e-12)
            for cut in ("elements", "bodies", "index sets")
        },
        "limit of the step in the soft thirds": (1.0, 1.01),
        "order in q": (1.9, 2.1),
        "order in v": (1.9, 2.1),
        "velocity gap": (0.0, 1e-15),
        "displacement gap": (1e-7, 1e-5),
        "displacement gap, stabilised": (0.0, 1e-12),
        "largest work of the interface": (0.01, 0.02),
        "sum of these works": (0.0, 1e-15),
        "open energy balance": (0.0, 1e-6),
    },
    "fig_8_05_to_8_08_flying_rod": {
        **{f"{rule}, 14 elements: x of the right end": (3.69934, 3.69936) for rule in ("EPA", "MPA")},
        **{f"{rule}, 7 elements: x of the right end": (3.76025, 3.76027) for rule in ("EPA", "MPA")},
        **{f"{rule}, 14 elements: energy after the load, lowest": (168.0, 168.1) for rule in ("EPA", "MPA")},
        **{f"{rule}, 14 elements: energy after the load, highest": (169.0, 169.1) for rule in ("EPA", "MPA")},
        **{f"{rule}, 7 elements: momentum, largest deviation": (0.0, 1e-8) for rule in ("EPA", "MPA")},
    },
    "fig_c_04_to_c_09_clamped_bar": {
        **{
            f"ρ∞ = {rho}, {kind}: {name}": (value - slack, value + slack)
            for kind, name, value, slack in (
                ("displacement", "error in q5", 0.2425, 0.002),
                ("displacement", "error in v5", 0.779, 0.001),
                ("velocity", "error in v5", 0.755, 0.095),
                ("acceleration", "error in a5", 0.327, 0.005),
                ("displacement", "energy over full energy", 0.569, 0.002),
                ("velocity", "energy over full energy", 0.655, 0.03),
                ("acceleration", "energy over full energy", 0.303, 0.004),
            )
            for rho in ("0.9", "0.5", "0")
        },
        **{
            f"ρ∞ = {rho}, {kind}: change of energy": (0.0, 1e-13)
            for kind in ("displacement", "velocity", "acceleration")
            for rho in ("0.9", "0.5", "0")
        },
    },
    "fig_c_10_plate": {
        **{f"ρ∞ = {rho}: error in q of the tip": (2.40e-3, 2.43e-3) for rho in ("1", "0.5", "0")},
        **{f"ρ∞ = {rho}: error in q": (2.6e-3, 2.8e-3) for rho in ("1", "0.5", "0")},
        **{f"ρ∞ = {rho}: error in v of the tip": (0.128, 0.130) for rho in ("1", "0.5", "0")},
        **{f"ρ∞ = {rho}: error in a of the tip": (0.95, 0.97) for rho in ("1", "0.5", "0")},
        **{f"ρ∞ = {rho}: error in a of the tip, later": (0.16, 0.17) for rho in ("1", "0.5", "0")},
        **{f"ρ∞ = {rho}: difference of energy over kinetic": (0.0, 1e-8) for rho in ("1", "0.5", "0")},
    },
    "reduced_machines": {
        "rod: elements used": (5, 20),
        "rod: error in q": (0.0, 0.01),
        "machine: velocities": (22, 22),
        "machine: error of the rod": (0.0, 1e-3),
        "machine: error of the force on the slider": (0.0, 0.02),
        "machine: constraints": (0.0, 1e-12),
    },
    "beams_in_space": {
        **{f"45° bend, {model}: x": (47.05, 47.25) for model in ("exact", "absolute-nodal")},
        **{f"45° bend, {model}: y": (15.6, 15.8) for model in ("exact", "absolute-nodal")},
        **{f"45° bend, {model}: z": (53.35, 53.6) for model in ("exact", "absolute-nodal")},
        "Princeton, 13.345 N: stiff at 0° [mm]": (15.8, 16.2),
        "Princeton, 13.345 N: soft at 90° [mm]": (199.0, 201.0),
        "Princeton, 13.345 N: largest twist [°]": (2.7, 3.0),
        "arch: limit load [N]": (28.0, 29.0),
        "arch: lowest load [N]": (-28.0, -27.0),
        "blade at Ω = 12: flapping": (13.16, 13.25),
        "helix: largest force at the clamp [N]": (40.0, 50.0),
    },
    "flexible_machines": {
        "largest bending of the rod [mm]": (1.5, 1.6),
        "largest stress of the rod [MPa]": (138.0, 146.0),
        "slider, largest difference from a rigid rod [mm]": (0.015, 0.025),
        "slider at the end, difference from the test set [m]": (0.0, 2e-6),
        "chain: energy lost, relative to the largest kinetic energy": (0.0, 2e-4),
        "chain: largest energy of bending [J]": (0.05, 0.08),
    },
    "friction": {
        "block: place of rest, difference": (0.0, 1e-12),
        # of 81; 2.05e-2, 5.14e-3, 1.29e-3 with steps of 4, 2 and 1 ms
        "bead: θ'² on the way up, largest difference": (0.0, 6e-3),
        "bead: energy that friction took, part of the first": (0.5, 1.0),
        "belt: period, difference": (0.0, 0.005),
    },
    "gear_train": {
        "mobility": (2, 2),
        "critical slope of the load": (0.0276, 0.0278),
        "growth rate at half of it": (-0.03, -0.01),
        "growth rate at twice": (0.03, 0.06),
        "rate measured in the runs, largest difference": (0.0, 1e-10),
    },
    "chaplygin_sleigh": {
        "fixed steps: error in q": (1e-5, 1e-3),
        "fixed steps: side slip of the blade": (0.0, 1e-14),
        "adaptive steps: error in q": (0.0, 1e-9),
        "adaptive steps: change of energy": (0.0, 1e-10),
        "last rate of turning / first": (0.0, 1e-4),
    },
    "rotation_parameters": {
        "largest entry of JΓ − (JΓ)ᵀ at the start": (0.5, 1.5),
        **{
            f"free, {form}: difference of R": (0.0, 1e-10)
            for form in ("non-symmetric (64)", "symmetric (68)", "(60) as printed")
        },
        **{f"held, {form}: difference of R": (0.0, 1e-10) for form in ("non-symmetric (64)", "symmetric (68)")},
        **{f"held, {form}: drift of the point": (0.0, 1e-11) for form in ("non-symmetric (64)", "symmetric (68)")},
        "held, (60) as printed: difference of R": (0.1, 2.0),
        "held, (60) as printed: drift of the point": (0.1, 5.0),
    },
    "finite_volume_beam": {
        **{f"{line}: largest entry of M − Mᵀ": (0.1, 0.2) for line in ("straight", "arc")},
        **{f"{line}: asymmetry of the totals": (0.0, 1e-14) for line in ("straight", "arc")},
        **{f"{line}: difference from a rigid body": (0.0, 1e-12) for line in ("straight", "arc")},
        "straight: total mass": (3.36 - 1e-12, 3.36 + 1e-12),
    },
    "pendulum_all_methods": {
        "largest error in q of a run": (0.0, 1e-7),
        "largest difference of an acceleration": (0.0, 1e-12),
        "constraints, position and velocity": (0.0, 1e-13),
        "runs": (12, 12),
    },
}


def load(path: Path) -> Any:
    specification = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


LONG = {  # more than four seconds each: not part of the fast loop
    "beams_in_space",
    "conditioning",
    "fig_3_01_to_3_03_andrews",
    "fig_3_06_to_3_14_spinning_top",
    "fig_4_03_to_4_11_split_oscillator",
    "friction",
    "pendulum_all_methods",
}
# more than five seconds each: part of `make full`
LONGEST = {
    "fig_2_07_to_2_09_pleiades",  # these four: tests/reference and tests/invariants have the problems
    "fig_2_13_to_2_15_kepler",
    "fig_3_04_to_3_05_van_der_pol",
    "fig_c_04_to_c_09_clamped_bar",
    "designs",
    "spin_up",
    "fig_3_06_to_3_14_spinning_top",
    "beams_in_space",
    "friction",  # the same in tests/reference/test_friction_closed_forms.py
    "conditioning",
    "fig_3_01_to_3_03_andrews",
    "fig_4_03_to_4_11_split_oscillator",
    "pendulum_all_methods",
}


def marks_of(stem: str) -> Any:
    """How long an example takes."""
    return pytest.mark.long if stem in LONGEST else pytest.mark.slow if stem in LONG else ()


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=p.stem, marks=marks_of(p.stem)) for p in EXAMPLES],
)
def test_example(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers in their ranges, and at least one figure, all of them in the folder that was asked
    for."""
    monkeypatch.chdir(tmp_path)
    with as_before():
        module = load(path)
        assert module.__doc__
        numbers = module.main(tmp_path / "figures")
    for name, (lowest, highest) in EXPECTED[path.stem].items():
        assert lowest <= numbers[name] <= highest, f"{name}: {numbers[name]}"
    written = list((tmp_path / "figures").glob("*.png"))
    assert written
    assert all(figure.stat().st_size > 5000 for figure in written)
    assert [entry.name for entry in tmp_path.iterdir()] == ["figures"]


def test_every_expected_example_exists() -> None:
    """No entry of the table is left over."""
    assert {path.stem for path in EXAMPLES} == set(EXPECTED)
