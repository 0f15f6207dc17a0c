"""Rods against published and closed-form results: buckling, limit points, frequencies, turning blades,
helices, closed cycles of loads, and the two models against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.errors import BucklingError, InputError

NONE = (0.0, 0.0, 0.0)


def section(**given: float) -> iso.Section:
    usual = {"EA": 1e6, "GAy": 1e6, "GAz": 1e6, "GJ": 1.0, "EIy": 1.0, "EIz": 1.0, "rhoA": 1.0}
    return iso.Section(**{**usual, "rhoIy": 1e-6, "rhoIz": 1e-6, **given})


def critical(mech: iso.Mechanism) -> float:
    with pytest.raises(BucklingError) as found:
        iso.follow_loads(mech)
    return float(found.value.factor)


def extrapolated(coarse: float, fine: float) -> float:
    """The limit of a sequence of second order from one and twice as many elements."""
    return fine + (fine - coarse) / 3


@pytest.mark.slow
def test_a_narrow_cantilever_buckles_sideways() -> None:
    """P = 4.0126 √(EI_y GJ)/L² [Timoshenko, Gere 1961, section 6.3], EI_z ≫ EI_y, second order."""
    factors = []
    for n in (6, 12):
        mech = iso.Mechanism(gravity=NONE)
        of = section(EIy=1.0, EIz=1e4, GJ=0.8, EA=1e8, GAy=1e8, GAz=1e8)
        mech.add_beam("strip", (0, 0, 0), (1, 0, 0), elements=n, section=of, model="exact")
        mech.add_joint(iso.Fixed("clamp", "ground", "strip.start"))
        mech.add_load(iso.Force("f", "strip.end", force=(0.0, 10.0 * np.sqrt(0.8), 0.0)))
        factors.append(10 * critical(mech))
    assert abs(factors[1] / 4.0126 - 1) < 0.01
    assert abs(extrapolated(*factors) / 4.0126 - 1) < 1e-3


def test_a_right_angle_frame_buckles_out_of_its_plane() -> None:
    """1.088 N [Argyris et al. 1979], 1.09 N [Simo, Vu-Quoc 1986]: legs of 240 mm, section 30 × 0.6 mm, a load
    in the plane at the free end."""
    E, G = 71240.0, 71240.0 / (2 * 1.31)
    strip = iso.Section.rectangle(E=E, G=G, rho=1e-9, width=0.6, height=30.0)
    factors = []
    for n in (5, 10):
        mech = iso.Mechanism(gravity=NONE)
        # y of the sections is in the plane of the frame: high there, thin across
        mech.add_beam("one", (0, 0, 0), (240, 0, 0), elements=n, section=strip, model="exact")
        mech.add_beam("two", (240, 0, 0), (240, 240, 0), elements=n, section=strip, model="exact")
        mech.add_joint(iso.Fixed("clamp", "ground", "one.start"))
        mech.add_joint(iso.Fixed("corner", "one.end", "two.start"))
        mech.add_load(iso.Force("f", "two.end", force=(2.0, 0.0, 0.0)))
        factors.append(2 * critical(mech))
    assert abs(extrapolated(*factors) - 1.088) < 0.01


@pytest.mark.slow
def test_a_deep_arch_reaches_its_limit_load() -> None:
    """897 EI/(100 R²) of a clamped and hinged arch of 215° [DaDeppo, Schmidt 1975]; the path goes on."""
    R, peaks = 100.0, []
    of = iso.Section(EA=1e8, GA=5e7, EI=1e6, rhoA=1.0, rhoI=0.01, GAz=5e7, GJ=1e8, EIy=1e8, rhoIy=0.01)

    def arc(s: float) -> tuple[float, float, float]:
        angle = np.radians(215.0) * (s - 0.5)
        return R * np.sin(angle), R * np.cos(angle), 0.0

    for n in (12, 24):
        mech = iso.Mechanism(gravity=NONE)
        mech.add_beam("arch", curve=arc, elements=n, section=of, model="exact")
        mech.add_joint(iso.Fixed("clamp", "ground", "arch.start"))
        mech.add_joint(iso.Hinge("pin", "ground", "arch.end", axis=(0, 0, 1)))
        mech.add_load(iso.Force("f", f"arch[{n // 2}]", force=(0.0, -1000.0, 0.0)))
        path = iso.trace_loads(mech, steps=75, most=1.5)
        top = int(np.flatnonzero(np.diff(path.factor) < 0)[0])
        assert path.factor[-1] < path.factor[top] - 0.05  # well past the limit
        assert path.stable[: top - 1].all()
        assert not path.stable[top + 2]
        c = np.polyfit([-1, 0, 1], path.factor[top - 1 : top + 2], 2)
        peaks.append(1000 * (c[2] - c[1] ** 2 / (4 * c[0])))
    assert abs(extrapolated(*peaks) - 897.0) < 6.0


def test_frequencies_of_straight_rods() -> None:
    """Cantilever 3.5160, 22.034 √(EI/ρAL⁴), both planes, torsion π/2 √(GJ/ρJ), second order; and a hinged
    column under thrust."""
    found = []
    for n in (8, 16):
        mech = iso.Mechanism(gravity=NONE)
        of = section(EIz=4.0, GJ=1e-4, rhoIy=1e-6, rhoIz=1e-6)
        mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=n, section=of, model="exact")
        mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
        found.append(iso.linearise(mech).omega[:4])
    limit = extrapolated(*found)
    expected = [3.5160, 2 * 3.5160, np.pi / 2 * np.sqrt(1e-4 / 2e-6), 22.034]
    assert np.allclose(limit, expected, rtol=2e-3)
    mech = iso.Mechanism(gravity=NONE)
    mech.add_beam("rod", (0, 0), (1, 0), elements=16, section=section(), model="exact")
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start", axis=(0, 0, 1)))
    mech.add_joint(iso.PointOnPlane("guide", "ground", "rod.end", axis=(0, 1, 0)))
    mech.add_load(iso.Force("f", "rod.end", force=(-5.0, 0.0, 0.0)))
    omega = iso.linearise(mech).omega[0]
    assert abs(omega / (np.pi**2 * np.sqrt(1 - 5.0 / np.pi**2)) - 1) < 1e-2


def test_frequencies_of_a_ring() -> None:
    """ω² = n²(n² − 1)²/(n² + 1) EI/(ρA R⁴) in the plane, n = 2, 3, twice each [Love, article 293].
    With 16 and 32 elements the limit is off by 0.4 %: what is left is of fourth order."""
    found = []
    for n in (32, 64):
        mech = iso.Mechanism(gravity=NONE)

        def ring(s: float) -> tuple[float, float, float]:
            return np.cos(2 * np.pi * s), np.sin(2 * np.pi * s), 0.0

        of = section(EIy=1e3, GJ=1e3)  # stiff out of its plane
        mech.add_beam("ring", curve=ring, elements=n, section=of, model="exact")
        mech.add_joint(iso.Fixed("close", "ring.start", "ring.end"))
        lin = iso.linearise(mech, mech.compile().q0)
        found.append(lin.omega[lin.omega > 0.1][:4])
    expected = [np.sqrt(n**2 * (n**2 - 1) ** 2 / (n**2 + 1)) for n in (2, 2, 3, 3)]
    assert np.allclose(extrapolated(*found), expected, rtol=5e-4)


def test_frequencies_of_a_turning_blade() -> None:
    """Flapping at Ω = 3, 12 √(EI/ρAL⁴): 4.7973, 13.1702 [Wright et al. 1982]; lagging ω² = flapping² − Ω²,
    and mode shapes can be shown."""
    found = []
    for n in (6, 12):

        def blade(speed: float, n: int = n) -> iso.Mechanism:
            mech = iso.Mechanism(gravity=NONE)
            mech.add_beam("blade", (0, 0, 0), (1, 0, 0), elements=n, section=section(), model="exact")
            mech.add_joint(iso.Hinge("hub", "ground", "blade.start", axis=(0, 0, 1)))
            mech.add_joint(iso.Drive("motor", "hub", iso.Polynomial(0, speed)))
            return mech

        diagram = iso.campbell(blade, [3.0, 12.0], modes=2)
        found.append(diagram.omega)
        assert np.abs(diagram.poles.real).max() < 1e-6
    limit = extrapolated(*found)
    lag, flap = limit[:, 0], limit[:, 1]
    assert np.allclose(flap, [4.7973, 13.1702], rtol=2e-3)
    assert np.allclose(lag**2, flap**2 - np.array([9.0, 144.0]), rtol=2e-3)
    shown = diagram.motions[1].linear.motion(1, amplitude=0.2, rows=9)
    assert np.abs(shown.beam("blade").nodes[0, -1, 2]) > 0.1
    with pytest.raises(InputError, match="speeds must be ascending"):
        iso.campbell(blade, [3.0, 2.0])
    with pytest.raises(InputError, match="mode must be a number from 0"):
        diagram.motions[1].linear.motion(10_000)


def test_a_free_top_nutates() -> None:
    """Seen by someone who turns along with the speed Ω, a symmetric top nutates with (C/A − 1) Ω, and goes straight
    on with Ω."""
    mech = iso.Mechanism(gravity=NONE)
    mech.add_body("top", 2.0, (1.0, 1.0, 1.6))
    omega = iso.spin(mech, 5.0).linear.omega
    assert np.abs(omega - 3.0).min() < 1e-9
    assert np.abs(omega - 5.0).min() < 1e-4  # a double pole
    assert omega.max() < 5.01


def test_a_helix_unrolls() -> None:
    """A moment about the axis of a helix whose section is as stiff in torsion as in bending takes curvature
    and torsion out in proportion, until it is straight: exact with any number of elements."""
    R, pitch, turns, n = 0.2, 0.1, 1.5, 9
    poses = []
    for angle in np.linspace(0.0, 2 * np.pi * turns, n + 1):
        e, normal = (
            np.array([-R * np.sin(angle), R * np.cos(angle), pitch]),
            np.array([-np.cos(angle), -np.sin(angle), 0]),
        )
        e /= np.linalg.norm(e)
        axes = np.column_stack([e, normal, np.cross(e, normal)])
        turn = Rotation.from_matrix(axes).as_quat()[[3, 0, 1, 2]]
        poses.append([R * np.cos(angle), R * np.sin(angle), pitch * angle, *turn])
    mech = iso.Mechanism(gravity=NONE)
    rod = mech.add_beam("rod", curve=poses, elements=n, section=section(), model="exact")
    mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
    screw = rod.unstrained[0] / rod.lengths[0]
    mech.add_load(iso.Torque("m", "rod.end", torque=-screw[3:], frame="body"))
    path = iso.trace_loads(mech, first=0.02, longest=4.0, most=1.0)
    view = path.as_solution().beam("rod")
    assert np.abs(view.strain[:, :, 3:] + path.factor[:, None, None] * screw[3:]).max() < 1e-6
    assert path.factor[-1] > 1.0
    at = int(np.abs(path.factor - 1).argmin())
    nodes, length = view.nodes[at], 2 * np.pi * turns * np.hypot(R, pitch)
    assert np.linalg.norm(nodes[-1] - nodes[0]) > 0.97 * length


@pytest.mark.parametrize("model", ["exact", "absolute-nodal"])
@pytest.mark.slow
def test_closed_cycles_of_loads_lead_back(model: Any) -> None:
    """Loads that go around a square in load space leave the unstrained rod, to rounding: no path
    dependence."""
    mech = iso.Mechanism(gravity=NONE)
    of = section(EIz=3.0, GJ=0.7, EA=1e4, GAy=1e4, GAz=1e4, rhoIy=1e-2, rhoIz=1e-2)
    mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=6, section=of, model=model)
    mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
    one, two = iso.Table([0, 1, 2, 3, 4], [0, 6, 6, 0, 0]), iso.Table([0, 1, 2, 3, 4], [0, 0, 6, 6, 0])
    mech.add_load(iso.Force("y", "rod.end", force=(0, 1, 0), time=one))
    mech.add_load(iso.Force("z", "rod.end", force=(0, 0, 1), time=two))
    system = mech.compile()
    q = system.q0
    seen = {}
    for t in np.arange(0.25, 4.01, 0.25):
        q = iso.equilibrium(system, q, t=float(t)).q
        seen[float(t)] = q
    assert np.abs(q - system.q0).max() < 1e-8
    straight = iso.equilibrium(system, t=2.0).q  # on one ray of growing loads
    assert np.abs(seen[2.0] - straight).max() < 1e-8


def test_both_models_agree_where_strains_are_small() -> None:
    """The same rod under forces in three directions: both converge to the same tip."""
    tips = {}
    for model in ("exact", "absolute-nodal"):
        found = []
        for n in (8, 16):
            mech = iso.Mechanism(gravity=NONE)
            of = section(EIz=2.0, GJ=0.7, EA=1e5, GAy=1e5, GAz=1e5, rhoIy=1e-2, rhoIz=1e-2)
            mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=n, section=of, model=model)
            mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
            mech.add_load(iso.Force("f", "rod.end", force=(0.5, 2.0, 1.5)))
            found.append(iso.follow_loads(mech).as_solution().beam("rod").nodes[-1, -1])
        tips[model] = extrapolated(*found)
    assert np.abs(tips["exact"] - tips["absolute-nodal"]).max() < 1e-3


def test_absolute_nodal_beams_roll_up_with_second_order() -> None:
    """An end moment bends a strip into two fifths of a circle: second order in the length of elements. A moment
    whose axis stays in space makes a round rod buckle sideways at half a circle; with its tip kept in the
    plane it does so where the circle closes (at 0.90, 0.97, 0.99 of it with 8, 16, 32 elements)."""
    errors, k = [], 0.8 * np.pi
    for n in (8, 16, 32):
        mech = iso.Mechanism(gravity=NONE)
        of = section(EA=1e5, GAy=1e5, GAz=1e5, rhoIy=1e-2, rhoIz=1e-2)
        mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=n, section=of, model="absolute-nodal")
        mech.add_body("tip", 1.0, (1, 1, 1), (1, 0, 0))
        mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
        mech.add_joint(iso.Fixed("weld", "rod.end", "tip"))
        mech.add_load(iso.Torque("m", "tip", torque=(0, 0, k)))
        view = iso.follow_loads(mech, steps=20).as_solution().beam("rod")
        errors.append(np.abs(view.nodes[-1, -1] - [np.sin(k) / k, (1 - np.cos(k)) / k, 0.0]).max())
    assert 3.7 < (errors[0] - errors[1]) / (errors[1] - errors[2]) < 4.3, errors
    assert abs(extrapolated(*errors[1:])) < 1e-3  # strains of 1e-3 lie between the two models


def test_an_offset_shear_centre_twists() -> None:
    """A force on the reference line twists a cantilever by P y_s L/GJ, and one at the shear centre does
    not."""
    of = section(GJ=0.5).with_offsets(shear_centre=(0.02, 0.0))
    turns = []
    for place in (0.0, 0.02):
        mech = iso.Mechanism(gravity=NONE)
        mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=8, section=of, model="exact")
        mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
        mech.add_load(iso.Force("f", "rod.end", force=(0.0, 0.0, 1e-3), point=(1.0, place, 0.0)))
        R = iso.follow_loads(mech).as_solution().beam("rod").frames[-1, -1]
        turns.append(R[2, 1])
    assert abs(turns[0] / (-1e-3 * 0.02 / 0.5) - 1) < 1e-3
    assert abs(turns[1]) < 1e-8


def test_shear_and_rotary_inertia_in_the_plane() -> None:
    """Tip of a short cantilever: PL³/3EI + PL/GA; and Timoshenko's first frequency is below Euler's."""
    of = iso.Section(EA=1e4, EI=1.0, GA=30.0, rhoA=1.0, rhoI=1e-2)
    found, tips = [], []
    for n in (8, 16):
        mech = iso.Mechanism(gravity=NONE)
        mech.add_beam("rod", (0, 0), (1, 0), elements=n, section=of, model="exact")
        mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
        found.append(iso.linearise(mech).omega[:2])
        mech.add_load(iso.Force("f", "rod.end", force=(0.0, 1e-4)))
        tips.append(iso.follow_loads(mech).as_solution().beam("rod").nodes[-1, -1, 1])
    assert abs(extrapolated(*tips) / (1e-4 * (1 / 3 + 1 / 30)) - 1) < 1e-5
    assert np.allclose(extrapolated(*found), timoshenko(1.0, 30.0, 1.0, 1e-2), rtol=2e-3)


def timoshenko(EI: float, GA: float, rhoA: float, rhoI: float) -> list[float]:
    """First two frequencies of a cantilever of length one: zeros of the determinant of its boundary
    conditions, by the matrix exponential of (w, ψ, M, Q)."""

    def determinant(omega: float) -> float:
        # w' = ψ + Q/GA, ψ' = M/EI, M' = −Q − ρIω²ψ, Q' = −ρAω²w
        A = np.array([[0, 1, 0, 1 / GA], [0, 0, 1 / EI, 0], [0, -rhoI * omega**2, 0, -1], [-rhoA * omega**2, 0, 0, 0]])
        return float(np.linalg.det(expm(A)[2:, 2:]))

    grid = np.linspace(0.5, 40.0, 400)
    signs = np.sign([determinant(x) for x in grid])
    return [float(brentq(determinant, grid[k], grid[k + 1])) for k in np.flatnonzero(np.diff(signs))[:2]]


def test_bad_input_is_named() -> None:
    mech = iso.Mechanism()
    ends = {"start": (0, 0, 0), "end": (1, 0, 0)}
    with pytest.raises(InputError, match="lacks GA, rhoI"):
        mech.add_beam("a", (0, 0), (1, 0), elements=1, section=iso.Section(EA=1, EI=1, rhoA=1), model="exact")
    with pytest.raises(InputError, match="must not lead out of it"):
        mech.add_beam("a", (0, 0), (1, 0), elements=1, section=section(coupling=np.ones((6, 6))), model="exact")
    with pytest.raises(InputError, match="up and twist are for rods in space"):
        mech.add_beam("a", (0, 0), (1, 0), elements=1, section=section(), model="exact", twist=1.0)
    with pytest.raises(InputError, match="is planar: it moves in the plane"):
        mech.add_beam("a", (0, 0), (1, 0), elements=1, section=section(), model="exact", velocity=(0, 0, 1))
    with pytest.raises(InputError, match="absolute nodal coordinates are for rods in space"):
        mech.add_beam("a", (0, 0), (1, 0), elements=1, section=section(), model="absolute-nodal")
    with pytest.raises(InputError, match=r"poses .* of its 3 nodes"):
        mech.add_beam("a", curve=[[0, 0, 0, 1, 0, 0, 0]] * 2, elements=2, section=section(), model="exact")
    with pytest.raises(InputError, match="say where axes point"):
        mech.add_beam("a", curve=np.eye(3, 7), elements=2, section=section(), model="exact", twist=0.1)
    with pytest.raises(InputError, match="a quaternion that is zero"):
        mech.add_beam("a", curve=np.eye(3, 7), elements=2, section=section(), model="exact")
    mech.add_beam("a", **ends, elements=1, section=section(), model="absolute-nodal")
    mech.add_beam("b", (1, 0, 0), (2, 0, 0), elements=1, section=section(), model="absolute-nodal")
    mech.add_joint(iso.Fixed("weld", "a.end", "b.start"))
    with pytest.raises(InputError, match="can be welded to a body, not to another"):
        mech.compile()
    with pytest.raises(InputError, match="load paths are for beams"):
        iso.trace_loads(iso.LinearSystem(M=1.0, C=None, K=4.0, f=None, q0=[0.0], v0=[0.0]))
    with pytest.raises(InputError, match="takes \\(y, z\\) of shear centre"):
        section().with_offsets(shear_centre=(1, 2, 3))
    with pytest.raises(InputError, match="spin is for mechanisms"):
        iso.spin(iso.LinearSystem(M=1.0, C=None, K=4.0, f=None, q0=[0.0], v0=[0.0]), 1.0)


def around(turns: float) -> Any:
    return lambda s: (np.cos(2 * np.pi * turns * s), np.sin(2 * np.pi * turns * s), 0.1 * s)


@pytest.mark.parametrize("model", ["exact", "absolute-nodal"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"curve": around(1.0), "elements": 1}, "'a' turns by more than 120° in one element"),
        ({"curve": around(2.9), "elements": 3}, "'a' turns by more than 120° in one element"),
        ({"curve": around(1.0), "elements": 2}, "'a' turns by more than 120° in one element"),
        ({"start": (0, 0, 0), "end": (1, 0, 0), "twist": 6.3, "elements": 1}, "'a' is twisted by more than 120°"),
        ({"start": (0, 0, 0), "end": (1, 0, 0), "twist": -9.0, "elements": 4}, "'a' is twisted by more than 120°"),
        ({"curve": [[x, 0, 0, 1, 0, 0, 0] for x in (5.0, 5 + 1e-15)], "elements": 1}, "two of its nodes are the same"),
    ],
)
def test_elements_that_turn_too_far_are_refused(model: Any, given: Any, said: str) -> None:
    """An element only sees how its ends stand to each other: a full turn in it was none, without a word."""
    with pytest.raises(InputError, match=said):
        iso.Mechanism().add_beam("a", **given, section=section(), model=model)


def test_elements_that_turn_by_a_third_of_a_circle() -> None:
    mech = iso.Mechanism()
    mech.add_beam("a", curve=around(0.99), elements=3, section=section(), model="exact")
    mech.add_beam("b", (0, 0, 0), (1, 0, 0), elements=3, section=section(), model="exact", twist=-6.0)
    assert mech.compile().nv == 48
