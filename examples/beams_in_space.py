"""Beams in space: published problems of statics, buckling and rotation, with two kinds of elements.

The 45° bend under a tip load converges to the published place with rods and with absolute nodal
coordinates. The beam of the Princeton experiments bends and twists under a load at every angle. A
shallow arch snaps through, followed past its limit points by arc length. The frequencies of a blade
rise with its speed. A helix falls and rings, in colours of its stress.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import isodyn as iso
from isodyn.errors import coarse_steps_meant
from isodyn.report import figures, write_picture

NONE = (0.0, 0.0, 0.0)
LOAD = 40.0  # on the crown of the arch


def bend(model: Any, elements: int, load: float = 600.0) -> np.ndarray:
    """Tip of the 45° bend under a tip load."""
    E, R = 1e7, 100.0
    section = iso.Section(
        EA=E, GAy=E / 2, GAz=E / 2, GJ=E / 12, EIy=E / 12, EIz=E / 12, rhoA=1.0, rhoIy=1 / 12, rhoIz=1 / 12
    )

    def arc(s: float) -> tuple[float, float, float]:
        return R * np.sin(s * np.pi / 4), R * (1 - np.cos(s * np.pi / 4)), 0.0

    mech = iso.Mechanism(gravity=NONE)
    mech.add_beam("bend", curve=arc, elements=elements, section=section, model=model)
    mech.add_joint(iso.Fixed("clamp", "ground", "bend.start"))
    mech.add_load(iso.Force("tip", "bend.end", force=(0.0, 0.0, load)))
    return iso.follow_loads(mech, steps=6).as_solution().beam("bend").nodes[-1, -1]


def princeton(load: float, degrees: float, elements: int = 8) -> tuple[float, float, float]:
    """Deflections of the Princeton beam in its stiff and soft direction [m], and its twist [rad]."""
    E, length = 71.7e9, 0.508
    section = iso.Section.rectangle(E=E, G=E / 2.62, rho=2700.0, width=12.377e-3, height=3.2024e-3)
    angle = np.radians(degrees)
    mech = iso.Mechanism(gravity=NONE)
    mech.add_beam("beam", (0, 0, 0), (length, 0, 0), elements=elements, section=section, model="exact")
    mech.add_joint(iso.Fixed("clamp", "ground", "beam.start"))
    mech.add_load(iso.Force("tip", "beam.end", force=load * np.array([0.0, np.sin(angle), -np.cos(angle)])))
    view = iso.follow_loads(mech, steps=4).as_solution().beam("beam")
    (_, soft, stiff), R = view.nodes[-1, -1], view.frames[-1, -1]
    return -float(stiff), float(soft), float(np.arctan2(R[2, 1], R[1, 1]))


def arch() -> iso.analysis.LoadPath:
    """Snap-through of a shallow, hinged arch under a load at its crown, in the plane."""
    section = iso.Section.rectangle(E=2e9, G=8e8, rho=1000.0, width=0.05, height=0.01)

    def arc(s: float) -> tuple[float, float, float]:
        return s - 0.5, 0.02 * (1 - (2 * s - 1) ** 2), 0.0

    mech = iso.Mechanism(gravity=NONE)
    mech.add_beam("arch", curve=arc, elements=16, section=section, model="exact")
    mech.add_joint(iso.Hinge("left", "ground", "arch.start", axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("right", "ground", "arch.end", axis=(0, 0, 1)))
    mech.add_joint(iso.Prismatic("guide", "ground", "arch[8]", axis=(0, 1, 0)))  # keeps it symmetric
    mech.add_load(iso.Force("crown", "arch[8]", force=(0.0, -LOAD, 0.0)))
    return iso.trace_loads(mech, first=0.02, steps=80, least=-2.0, most=3.0)


def blade(speed: float) -> iso.Mechanism:
    """A blade of length 1 on a hub that turns about z; EI = ρA = 1."""
    section = iso.Section(EA=1e5, GAy=1e5, GAz=1e5, GJ=0.05, EIy=1.0, EIz=4.0, rhoA=1.0, rhoIy=1e-4, rhoIz=4e-4)
    mech = iso.Mechanism(gravity=NONE)
    mech.add_beam("blade", (0, 0, 0), (1, 0, 0), elements=8, section=section, model="exact")
    mech.add_joint(iso.Hinge("hub", "ground", "blade.start", axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("motor", "hub", iso.Polynomial(0, speed)))
    return mech


def falling_helix() -> iso.Solution:
    """A clamped helix that falls and rings."""
    section = iso.Section.circle(E=5e6, G=2e6, rho=1000.0, diameter=0.02, damping=0.01)

    def helix(s: float) -> tuple[float, float, float]:
        return 0.3 * np.sin(12 * s), 0.3 * (1 - np.cos(12 * s)), -0.6 * s

    mech = iso.Mechanism()
    mech.add_beam("helix", curve=helix, elements=48, section=section, model="exact")
    mech.add_joint(iso.Fixed("clamp", "ground", "helix.start"))
    return iso.integrate(mech.compile(), dt=2e-3, t_end=1.0)


@coarse_steps_meant()  # waves along the wire are not followed, and need not be
def main(out: Path | None = None) -> dict[str, float]:
    """Return tips, deflections, limit loads and frequencies."""
    found: dict[str, float] = {}
    for model in ("exact", "absolute-nodal"):
        coarse, fine = bend(model, 8), bend(model, 16)
        limit = fine + (fine - coarse) / 3
        found |= {f"45° bend, {model}: {axis}": float(x) for axis, x in zip("xyz", limit, strict=True)}
    table = {}
    for load in (4.448, 8.896, 13.345):
        rows = table[load] = np.array([[degrees, *princeton(load, degrees)] for degrees in range(0, 91, 15)])
        found[f"Princeton, {load:g} N: stiff at 0° [mm]"] = float(1e3 * rows[0, 1])
        found[f"Princeton, {load:g} N: soft at 90° [mm]"] = float(1e3 * rows[-1, 2])
        found[f"Princeton, {load:g} N: largest twist [°]"] = float(np.degrees(np.abs(rows[:, 3]).max()))
    path = arch()
    top = int(np.flatnonzero(np.diff(path.factor) < 0)[0])
    found |= {"arch: limit load [N]": LOAD * path.factor[top], "arch: lowest load [N]": LOAD * path.factor.min()}
    diagram = iso.campbell(blade, np.linspace(0.5, 12.0, 8), modes=5)
    found["blade at Ω = 12: flapping"] = float(diagram.omega[-1, 1])
    sol = falling_helix()
    found["helix: largest force at the clamp [N]"] = float(
        np.linalg.norm(sol.beam("helix").at_ends()[0][:, 0, 0], axis=1).max()
    )
    if out is not None:
        draw(path, diagram, table, out / "beams_in_space.png")
        write_picture(sol, out / "helix.png", t=0.35)
    return found


def draw(path: iso.analysis.LoadPath, diagram: Any, table: dict[float, np.ndarray], to: Path) -> None:
    """Load path of the arch, Campbell diagram of the blade, deflections of the Princeton beam."""
    with figures.canvas(1, 3, size=(14.0, 4.4)) as (figure, (left, middle, right)):
        crown = path.as_solution().beam("arch").nodes[:, 8, 1]
        drop, load = 1e3 * (crown[0] - crown), LOAD * path.factor
        left.plot(drop, load, color="#999999", linewidth=1.0)
        for stable, colour in ((True, figures.COLOURS[0]), (False, figures.COLOURS[1])):
            some = path.stable == stable
            left.plot(drop[some], load[some], ".", color=colour, label="stable" if stable else "unstable")
        left.set(xlabel="drop of the crown [mm]", ylabel="load [N]", title="arch that snaps through")
        left.legend()
        diagram.plot(middle)
        middle.set(title="blade on a hub, EI = ρA = L = 1")
        for k, (load, rows) in enumerate(table.items()):
            for column, style, way in ((1, "o-", "stiff"), (2, "s--", "soft")):
                colour = figures.COLOURS[k]
                right.plot(
                    rows[:, 0], 1e3 * rows[:, column], style, color=colour, markersize=3, label=f"{load:g} N, {way}"
                )
        right.set(xlabel="load angle [°]", ylabel="deflection of the tip [mm]", title="Princeton beam")
        right.legend(fontsize=7)
        figures.save(figure, to)


if __name__ == "__main__":
    for name, value in main(Path("out/examples")).items():
        print(f"{name:60s} {value:.6g}")
