"""The falling cantilever of benchmarks/rods.py with Exudyn: `python rods_exudyn.py kind elements steps dt setting
rounds`.

Prints processor seconds of a step, the tip at the end and the steps that were taken, as JSON. Kinds: "exact",
geometrically exact beams on rotation vectors; "absolute-nodal", position and two slopes at every node. Settings:
what Newton's iteration looks at, with its tolerance: "own", "increments 1e-6", "residual 1e-3".
"""

from __future__ import annotations

import json
import math
import sys
import time

sys.exudynFast = True  # type: ignore[attr-defined]  # no range checks, AVX2

import exudyn as exu  # noqa: E402
import exudyn.itemInterface as items  # noqa: E402, N813

E, G, RHO, D, LENGTH = 2.1e9, 8e8, 7850.0, 0.02, 2.0


def build(kind: str, elements: int) -> tuple[object, int]:
    """The system, and its last node."""
    system = exu.SystemContainer().AddSystem()
    area, second = math.pi * D**2 / 4, math.pi * D**4 / 64
    section = exu.BeamSection()
    section.massPerLength = RHO * area
    section.inertia = [[2 * RHO * second, 0, 0], [0, RHO * second, 0], [0, 0, RHO * second]]
    stiff = (E * area, 0.9 * G * area, 0.9 * G * area, 2 * G * second, E * second, E * second)
    section.stiffnessMatrix = [[stiff[i] if i == j else 0.0 for j in range(6)] for i in range(6)]
    nodes = []
    for k in range(elements + 1):
        place = [LENGTH * k / elements, 0, 0]
        if kind == "exact":
            node = items.NodeRigidBodyRotVecLG(referenceCoordinates=[*place, 0, 0, 0])
        else:
            node = items.NodePointSlope23(referenceCoordinates=[*place, 0, 1, 0, 0, 0, 1])
        nodes.append(system.AddNode(node))
    element = items.ObjectBeamGeometricallyExact if kind == "exact" else items.ObjectANCFBeam
    for k in range(elements):
        beam = system.AddObject(element(nodeNumbers=nodes[k : k + 2], length=LENGTH / elements, sectionData=section))
        marker = system.AddMarker(items.MarkerBodyMass(bodyNumber=beam))
        system.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[0, 0, -9.81]))
    ground = system.AddMarker(
        items.MarkerNodeCoordinate(nodeNumber=system.AddNode(items.NodePointGround()), coordinate=0)
    )
    for k in range(6 if kind == "exact" else 9):
        marker = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        system.AddObject(items.CoordinateConstraint(markerNumbers=[ground, marker]))
    system.Assemble()
    return system, nodes[-1]


def run(kind: str, elements: int, steps: int, dt: float, setting: str) -> tuple[float, float, int]:
    """Processor seconds, height of the tip, own steps."""
    system, last = build(kind, elements)
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = steps * dt
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    newton = settings.timeIntegration.newton
    newton.useModifiedNewton = True
    if setting != "own":
        looks_at, tolerance = setting.split()
        newton.newtonResidualMode = 1 if looks_at == "increments" else 0
        newton.relativeTolerance = newton.absoluteTolerance = float(tolerance)
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    began = time.process_time()
    system.SolveDynamic(settings, storeSolver=True)
    spent = time.process_time() - began
    tip = system.GetNodeOutput(last, exu.OutputVariableType.Position)
    return spent, float(tip[2]), int(system.sys["dynamicSolver"].it.currentStepIndex) - 1


def main() -> None:
    kind, elements, steps, dt, setting = (
        sys.argv[1],
        int(sys.argv[2]),
        int(sys.argv[3]),
        float(sys.argv[4]),
        sys.argv[5],
    )
    rounds = int(sys.argv[6])
    short = min(run(kind, elements, 2, dt, setting)[0] for _ in range(rounds))
    spent, tip, taken = min(run(kind, elements, steps, dt, setting) for _ in range(rounds))
    print(
        json.dumps({"step": (spent - short) / (steps - 2), "tip": tip, "own steps": taken, "version": exu.__version__})
    )


if __name__ == "__main__":
    main()
