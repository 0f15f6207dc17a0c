"""URDF, the format of robots: links and joints to a `Mechanism`; what has no counterpart is named.

A link's frame is that of its joint to the parent. Its inertia is given about its mass centre in
axes of its own. Revolute and continuous joints are hinges, floating ones none at all; a mimic joint
is a coupling. Links that are fixed to another are a part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from isodyn.bodies.rotations import matrix, quaternion_of
from isodyn.errors import InputError
from isodyn.mechanism.mechanism import Mechanism
from isodyn.models.import_summary import ImportedMechanism
from isodyn.models.lumps import Frame
from isodyn.models.urdf_reader import UrdfReader, everything
from isodyn.models.xml_source import read_xml


@dataclass(frozen=True, eq=False)
class Urdf:
    """A mechanism from a URDF file.

    Parameters
    ----------
    mechanism
        The mechanism.
    name
        Name of the robot.
    unsupported
        What the file has and the mechanism does not.
    ground
        Names of the links that stand still.

    Examples
    --------
    >>> from isodyn.models import read_urdf
    >>> body = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    >>> joint = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    >>> text = f"<robot name='r'><link name='a'/><link name='b'>{body}</link>{joint}</robot>"
    >>> read_urdf(text).name
    'r'
    """

    mechanism: Mechanism
    name: str
    unsupported: tuple[str, ...]
    ground: tuple[str, ...]


def read_urdf(
    source: str | bytes | Path,
    *,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    positions: Mapping[str, float] | None = None,
    fixed_base: bool = True,
    limit_stiffness: float | None = None,
) -> Urdf:
    """Read the mechanism of a URDF file, or of its text; `load_urdf` returns the mechanism itself.

    Parameters
    ----------
    source
        The file, or its text.
    gravity
        Acceleration of gravity.
    positions
        Coordinates of joints at the start, by name.
    fixed_base
        Whether the first link stands still.
    limit_stiffness
        Stiffness of springs that act at joint limits; none if left out.

    Returns
    -------
    urdf
        The mechanism, and what it does not have.

    Raises
    ------
    InputError
        If the file is not a URDF, or contradicts itself.

    Examples
    --------
    >>> from isodyn.models import read_urdf
    >>> body = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    >>> joint = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    >>> text = f"<robot name='r'><link name='a'/><link name='b'>{body}</link>{joint}</robot>"
    >>> sorted(read_urdf(text).mechanism.joints)
    ['j']
    """
    mech = load_urdf(source, not fixed_base, gravity=gravity, start=positions, limit_stiffness=limit_stiffness)
    found = mech.import_summary
    ground = tuple(link for link, place in found.links.items() if place.body == "ground")
    return Urdf(mech, found.name, (*found.changed, *found.ignored), ground)


def load_urdf(
    path: str | bytes | Path,
    floating: bool = False,
    *,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    start: Mapping[str, float] | None = None,
    position: Any = (0.0, 0.0, 0.0),
    orientation: ArrayLike | None = None,
    limit_stiffness: float | None = None,
    limit_damping: float = 0.0,
    packages: Mapping[str, str | Path] | None = None,
    meshes: bool = True,
) -> ImportedMechanism:
    """The mechanism of a robot from a URDF file.

    Links that are fixed to each other are one body. Links without mass, with moments of zero or
    below are mended, with a `MendedWarning` that names them. Joint coordinates are those of the
    file; `mech.assemble(positions={…})` sets them.

    Parameters
    ----------
    path
        The file, or its text.
    floating
        The first link moves freely; otherwise it stands still.
    gravity
        As of `Mechanism`.
    start
        Coordinates of joints at the start, by name; zero where nothing is said. Joints that mimic
        others follow them.
    position, orientation
        Where the frame of the first link is in the world.
    limit_stiffness, limit_damping
        Joint limits act as springs and dampers of this strength; without them they are only listed
        in `import_summary.limits`.
    packages
        Folders of packages, for meshes at package://NAME/…; parent folders of the file are searched
        too.
    meshes
        Read visual meshes, for drawing.

    Returns
    -------
    ImportedMechanism
        A `Mechanism`; its `import_summary` says what was read, changed and ignored.

    Raises
    ------
    InputError
        With file, line and element, where the file is no URDF or contradicts itself.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.load_urdf('''
    ...   <robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0.5 0 0"/>
    ...     <mass value="1"/><inertia ixx="0.01" iyy="0.09" izz="0.09"/></inertial></link>
    ...   <joint name="pin" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
    ...   </robot>''')
    >>> sorted(mech.bodies), sorted(mech.joints)
    (['rod'], ['pin'])
    >>> system = mech.assemble(positions={"pin": 0.3}, rates={"pin": 1.0}).system
    """
    root = read_xml(path, "URDF")
    if root.tag != "robot":
        raise InputError(f"{root.place}: a URDF file begins with <robot>, received <{root.tag}>")
    if any("xacro" in node.tag for node in everything(root)):
        raise InputError(
            f"{root.file or 'the text'}: this is a xacro file", hint="expand it first: xacro robot.xacro > robot.urdf"
        )
    base = Frame.of(position, matrix(quaternion_of(orientation, "orientation")))
    folder = Path(root.file).resolve().parent if root.file else None
    reader = UrdfReader(root, dict(start or {}), folder, {k: Path(p) for k, p in (packages or {}).items()}, meshes)
    reader.robot.gravity = gravity
    reader.robot.limit_stiffness, reader.robot.limit_damping = limit_stiffness, limit_damping
    return reader.mechanism(base, floating)
