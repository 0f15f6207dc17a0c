"""A flexible rod and a machine with a flexible part, reduced: POD, sampled elements, an interface
that stays.

The rod: a cantilever of 120 elements falls under its weight; eight directions and a dozen weighted
elements follow it within one per cent. The machine: a slider–crank at 150 rad/s; the interior of
its rod moves in eight directions; ends, bodies and joints stay as they are.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.errors import coarse_steps_meant
from isodyn.report import figures


def falling_rod(elements: int = 120) -> iso.beams.BeamSystem:
    """Clamped at the left end, released from the horizontal."""
    section = iso.Section(EA=1e4, EI=1.0, rhoA=1.0)
    rod = iso.Beam([(0, 0), (1, 0)], elements=elements, section=section, gravity=(0, -9.81))
    rod.clamp("start")
    return rod.compile()


@coarse_steps_meant()  # stiff modes of the flexible parts are not followed, and need not be
def main(out: Path | None = None) -> dict[str, float]:
    """Draw the figures into `out` and return errors and sizes."""
    numbers: dict[str, float] = {}
    # ---- the rod
    rod, scheme = falling_rod(), iso.Scheme.optimal(0.8)
    full = iso.integrate(rod, scheme, dt=2e-3, t_end=2.0)
    basis = iso.pod(full, rank=8, about=rod.q0)
    sampling = iso.reduction.sample_elements(rod, basis, full, tolerance=3e-3)
    red = iso.reduce(rod, basis, sampling)
    back = basis.lift(iso.integrate(red, scheme, dt=2e-3, t_end=2.0))
    numbers["rod: elements used"] = sampling.elements.size
    numbers["rod: error in q"] = float(np.linalg.norm(back.q - full.q) / np.linalg.norm(full.q - rod.q0))
    # ---- the machine
    crank = iso.problems.get("flexible_slider_crank").system(elements=16.0)
    machine = iso.integrate(crank, iso.Scheme.U0(0.8, 0.8, 0.8), dt=1e-4, t_end=0.1)
    interior = np.arange(4, crank.q_of("rod.end").start)  # type: ignore[union-attr]
    inner = iso.pod(machine, rank=8, columns=interior)
    small = iso.reduce(crank, inner)
    moved = inner.lift(iso.integrate(small, iso.Scheme.U0(0.8, 0.8, 0.8), dt=1e-4, t_end=0.1))
    one, two = (sol.reaction("wrist pin").force[20:] for sol in (moved, machine))
    numbers["machine: velocities"] = small.nv
    numbers["machine: velocities of the full system"] = crank.nv
    rod_q = slice(0, crank.q_of("rod.end").stop)  # type: ignore[union-attr]
    gap, way = (np.abs((sol.q - other)[:, rod_q]).max() for sol, other in ((moved, machine.q), (machine, machine.q[0])))
    numbers["machine: error of the rod"] = float(gap / way)
    numbers["machine: error of the force on the slider"] = float(np.linalg.norm(one - two) / np.linalg.norm(two))
    numbers["machine: constraints"] = max(moved.drift().largest[:2])
    if out is not None:
        with figures.canvas(1, 2, size=(11.0, 4.5)) as (figure, (shape, force)):
            for k in range(0, 500, 60):
                shape.plot(*rod.nodes(full.q[k]).T, color="0.6", linewidth=3.0, label="full" if k == 0 else None)
                shape.plot(
                    *rod.nodes(back.q[k]).T, color="tab:blue", linewidth=1.0, label="reduced" if k == 0 else None
                )
            at = rod.nodes(back.q[480])
            for e in sampling.elements:
                shape.plot(*at[e : e + 2].T, color="tab:orange", linewidth=4.0)
            shape.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="falling rod, sampled elements in orange")
            shape.legend()
            force.plot(machine.t[20:], two[:, 0], color="0.6", linewidth=3.0, label="full")
            force.plot(machine.t[20:], one[:, 0], color="tab:blue", linewidth=1.0, label="reduced")
            force.set(xlabel="t [s]", ylabel="force along the guide [N]", title="slider–crank, force on the slider")
            force.legend(loc="lower right", bbox_to_anchor=(0.74, 0.0))
            figures.save(figure, out / "reduced_machines.png")
    return numbers


if __name__ == "__main__":
    for name, value in main(Path("out")).items():
        print(f"{name:45s} {value:.4g}")
