"""MJCF, the format of MuJoCo: bodies, joints, geoms, equalities, tendons and actuators to a
`Mechanism`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.models.import_summary import ImportedMechanism, ImportSummary
from isodyn.models.mjcf_bodies import MjcfBodies
from isodyn.models.mjcf_relations import MjcfRelations
from isodyn.models.mjcf_source import Compiler, list_sections, read_with_includes
from isodyn.models.robot_parts import Built
from isodyn.models.xml_source import Element

if TYPE_CHECKING:
    from isodyn.kernels.compiled import FloatArray

SECTIONS = ("compiler", "option", "default", "asset", "worldbody", "equality", "tendon", "actuator", "keyframe")


def load_mjcf(
    path: str | bytes | Path,
    *,
    gravity: ArrayLike | None = None,
    controls: Mapping[str, float | str] | None = None,
    limit_stiffness: float | None = None,
    limit_damping: float = 0.0,
) -> ImportedMechanism:
    """The mechanism of an MJCF file.

    Equalities hold exactly. The rotor inertia of a joint (`armature`) becomes a flywheel on the
    ground that turns with it, which is exact in the mass matrix. Coordinates of joints are those of
    the file, `ref` at the start; `mech.assemble(positions=mech.import_summary.positions["home"])`
    goes to a keyframe.

    Parameters
    ----------
    path
        The file, or its text.
    gravity
        In place of that of the file.
    controls
        Controls of actuators by name, numbers or formulas of t such as "sin(2*t)"; zero where
        nothing is said.
    limit_stiffness, limit_damping
        Joint limits act as springs and dampers of this strength; without them they are only listed
        in `import_summary.limits`.

    Returns
    -------
    ImportedMechanism
        A `Mechanism`; its `import_summary` says what was read, changed and ignored.

    Raises
    ------
    InputError
        With file, line and element, where the file is no MJCF, contradicts itself, or has elements
        that would add bodies which are not read.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.load_mjcf('''
    ...   <mujoco><worldbody><body name="rod"><joint name="pin" axis="0 1 0" armature="0.02"/>
    ...     <geom type="capsule" size="0.05" fromto="0 0 0 1 0 0"/></body></worldbody></mujoco>''')
    >>> sorted(mech.bodies)
    ['pin_rotor', 'rod']
    >>> round(mech.bodies["rod"].mass, 3)
    8.378
    """
    root = read_with_includes(path)
    folder = Path(root.file).resolve().parent if root.file else None
    summary = ImportSummary("MJCF", root.get("model") or "MuJoCo Model", root.file)
    list_sections(root, SECTIONS, summary)
    for asset in root.all("asset"):
        for node in asset:
            if node.tag not in ("mesh", "material", "texture"):
                summary.ignore(f"asset {node.called}")
    bodies = MjcfBodies(root, Compiler.of(root, folder), summary)
    bodies.robot.gravity = _gravity(root, summary) if gravity is None else gravity
    bodies.robot.limit_stiffness, bodies.robot.limit_damping = limit_stiffness, limit_damping
    built = Built(bodies.robot)
    built.refuse_nothing(root)
    MjcfRelations(bodies, built, controls or {})
    summary.warn()
    return built.mech


def _gravity(root: Element, summary: ImportSummary) -> FloatArray:
    """That of the options; other options are listed."""
    found = np.array([0.0, 0.0, -9.81])
    for option in root.all("option"):
        found = option.numbers("gravity", 3, found)
        for key in option.attributes:
            if key != "gravity":
                summary.ignore(f"<option> {key}")
        for flag in option.all("flag"):
            if flag.get("gravity") == "disable":
                found = np.zeros(3)
            other = [key for key in flag.attributes if key != "gravity"]
            if other:
                summary.ignore(f"<option> <flag> {', '.join(other)}")
    return found
