"""The text of MJCF before it means anything: included files, default classes, compiler settings,
orientations in their five ways."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.models.import_summary import ImportSummary
from isodyn.models.lumps import Frame
from isodyn.models.xml_source import Element, read_xml

MAIN = "main"  # the class of everything that names none
ALIKE = {"freejoint": "joint", "motor": "general", "position": "general", "velocity": "general"}


def read_with_includes(source: Path | bytes | str) -> Element:
    """The root of a file with everything that it includes, each file once."""
    root = read_xml(source, "MJCF")
    if root.tag != "mujoco":
        raise InputError(f"{root.place}: an MJCF file begins with <mujoco>, received <{root.tag}>")
    folder = Path(root.file).resolve().parent if root.file else None
    _include(root, folder, {str(Path(root.file).resolve())} if root.file else set())
    return root


def _include(node: Element, folder: Path | None, seen: set[str]) -> None:
    found: list[Element] = []
    for child in node.children:
        if child.tag != "include":
            _include(child, folder, seen)
            found.append(child)
            continue
        name = child.get("file")
        if not name or folder is None:
            raise child.wrong(f"file {name!r} cannot be found", hint="a text has no folder; give the path of the model")
        path = (folder / name).resolve()
        if str(path) in seen:
            raise child.wrong(f"{path} is included twice")
        if not path.is_file():
            raise child.wrong(f"there is no file {path}")
        seen.add(str(path))
        other = read_xml(path, "MJCF")
        _include(other, folder, seen)
        found += other.children
    node.children = found


@dataclass(frozen=True)
class Compiler:
    """How numbers of the file are meant."""

    degrees: bool = True
    eulerseq: str = "xyz"
    inertiafromgeom: str = "auto"
    groups: tuple[int, int] = (0, 5)
    boundmass: float = 0.0
    boundinertia: float = 0.0
    balance: bool = False
    total: float = -1.0
    autolimits: bool = True
    meshes: Path | None = None

    @classmethod
    def of(cls, root: Element, folder: Path | None) -> Compiler:
        """From all <compiler> elements, the later ones winning."""
        made, where = cls(meshes=folder), ""
        for node in root.all("compiler"):
            angle = node.get("angle", "degree" if made.degrees else "radian")
            if angle not in ("degree", "radian"):
                raise node.wrong(f"angle must be degree or radian, received {angle!r}")
            if node.get("coordinate", "local") != "local":
                raise node.wrong("global coordinates are not read", hint="save the model with a newer MuJoCo")
            seq = node.get("eulerseq", made.eulerseq) or ""
            if len(seq) != 3 or set(seq.lower()) - set("xyz"):
                raise node.wrong(f"eulerseq must be three letters of xyzXYZ, received {seq!r}")
            groups = node.numbers("inertiagrouprange", 2, made.groups)
            where = node.get("meshdir") or node.get("assetdir") or where
            made = replace(
                made,
                degrees=angle == "degree",
                eulerseq=seq,
                inertiafromgeom=(node.get("inertiafromgeom") or made.inertiafromgeom).lower(),
                groups=(int(groups[0]), int(groups[1])),
                boundmass=node.number("boundmass", made.boundmass),
                boundinertia=node.number("boundinertia", made.boundinertia),
                balance=node.yes("balanceinertia", made.balance),
                total=node.number("settotalmass", made.total),
                autolimits=node.yes("autolimits", made.autolimits),
            )
        return replace(made, meshes=None if folder is None else folder / where)

    def angle(self, x: FloatArray | float) -> Any:
        """An angle of the file in radians."""
        return np.radians(x) if self.degrees else x

    def rotation(self, node: Element) -> FloatArray:
        """quat, axisangle, xyaxes, zaxis or euler."""
        given = [key for key in ("quat", "axisangle", "xyaxes", "zaxis", "euler") if node.get(key)]
        if not given:
            return np.eye(3)
        if len(given) > 1:
            raise node.wrong(f"its orientation is given twice: {', '.join(given)}")
        key = given[0]
        if key == "euler":
            R = np.eye(3)
            for letter, x in zip(self.eulerseq, self.angle(node.numbers(key, 3)), strict=True):
                one = Rotation.from_rotvec(x * np.eye(3)["xyz".index(letter.lower())]).as_matrix()
                R = R @ one if letter.islower() else one @ R
            return R
        x = node.numbers(key, {"quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3}[key])
        if not np.linalg.norm(x[:3] if key != "quat" else x) > 0:
            raise node.wrong(f"{key} has no direction")
        if key == "quat":
            return Rotation.from_quat([*x[1:], x[0]]).as_matrix()
        if key == "axisangle":
            return Rotation.from_rotvec(self.angle(x[3]) * x[:3] / np.linalg.norm(x[:3])).as_matrix()
        return along_z(x) if key == "zaxis" else _from_xy(node, x)

    def frame(self, node: Element) -> Frame:
        """pos and orientation of an element."""
        return Frame.of(node.numbers("pos", 3, (0.0, 0.0, 0.0)), self.rotation(node))


def _from_xy(node: Element, x: FloatArray) -> FloatArray:
    e1 = x[:3] / np.linalg.norm(x[:3])
    e2 = x[3:] - (x[3:] @ e1) * e1
    if not np.linalg.norm(e2) > 0:
        raise node.wrong("xyaxes: the two axes are parallel")
    e2 /= np.linalg.norm(e2)
    return np.column_stack([e1, e2, np.cross(e1, e2)])


def along_z(z: FloatArray) -> FloatArray:
    """The least rotation that takes z there."""
    e = z / np.linalg.norm(z)
    axis, cosine = np.cross([0.0, 0.0, 1.0], e), float(e[2])
    size = float(np.linalg.norm(axis))
    if size < 1e-15:
        return np.eye(3) if cosine > 0 else np.diag([1.0, -1.0, -1.0])
    return Rotation.from_rotvec(axis / size * np.arctan2(size, cosine)).as_matrix()


@dataclass(eq=False)
class Defaults:
    """Attributes by class and tag, each class with those of the class around it."""

    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {MAIN: {}})

    @classmethod
    def of(cls, root: Element) -> Defaults:
        """From all <default> elements."""
        made = cls()
        for node in root.all("default"):
            made._read(node, None)
        return made

    def _read(self, node: Element, around: str | None) -> None:
        name = node.get("class") or (MAIN if around is None else "")
        if not name:
            raise node.wrong("a default inside another needs a class")
        own = {tag: dict(x) for tag, x in self.classes.get(around or name, {}).items()}
        for child in node:
            if child.tag != "default":
                tag = ALIKE.get(child.tag, child.tag)
                own[tag] = {**own.get(tag, {}), **child.attributes}
        self.classes[name] = own
        for child in node.all("default"):
            self._read(child, name)

    def filled(self, node: Element, around: str) -> Element:
        """An element with the attributes of its class, or of the class around it."""
        name = node.get("class") or around
        if name not in self.classes:
            raise node.wrong(f"there is no default class {name!r}", hint=f"classes: {', '.join(self.classes)}")
        given = self.classes[name].get(ALIKE.get(node.tag, node.tag), {})
        if any(node.get(key) for key in ("quat", "axisangle", "xyaxes", "zaxis", "euler")):
            given = {k: x for k, x in given.items() if k not in ("quat", "axisangle", "xyaxes", "zaxis", "euler")}
        return Element(node.tag, {**given, **node.attributes}, node.file, node.line, node.children, node.text)


def list_sections(root: Element, known: tuple[str, ...], summary: ImportSummary) -> None:
    """Note sections of a file that nothing reads."""
    for node in root:
        if node.tag not in known:
            inside = sorted({child.tag for child in node})
            summary.ignore(f"<{node.tag}>" + (f" with {', '.join(f'<{x}>' for x in inside)}" if inside else ""))
