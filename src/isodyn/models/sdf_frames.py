"""Names and frames of SDF: models inside models, links, joints and frames, each placed relative to
another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from isodyn.errors import InputError
from isodyn.models.import_summary import ImportSummary
from isodyn.models.lumps import WORLD, Frame
from isodyn.models.xml_source import Element, read_xml

MODEL, HERE = "__model__", "::"
DEEPEST = 20  # models inside each other


def pose_of(node: Element) -> tuple[Frame, str]:
    """<pose> of an element, and what it is relative to; empty where it does not say."""
    pose = node.find("pose")
    if pose is None:
        return WORLD, ""
    how = pose.get("rotation_format", "euler_rpy")
    x = pose.whole("pose", 7 if how == "quat_xyzw" else 6, (0.0,) * 6 if how != "quat_xyzw" else None)
    relative = pose.get("relative_to") or pose.get("frame") or ""
    if how == "quat_xyzw":
        if not np.linalg.norm(x[3:]) > 0:
            raise pose.wrong("the quaternion has no direction")
        return Frame.of(x[:3], Rotation.from_quat(x[3:]).as_matrix()), relative
    if how != "euler_rpy":
        raise pose.wrong(f"rotation_format must be euler_rpy or quat_xyzw, received {how!r}")
    return Frame.rpy(x[:3], np.radians(x[3:]) if pose.yes("degrees", False) else x[3:]), relative


class Scope:
    """A model or the world: what is called how in it, and where that is."""

    def __init__(self, node: Element, above: Scope | None, prefix: str, files: Files, depth: int = 0) -> None:
        if depth > DEEPEST:
            raise node.wrong(f"models lie more than {DEEPEST} deep in each other")
        self.node, self.above, self.prefix = node, above, prefix
        self.links, self.joints, self.frames = (self._named(tag) for tag in ("link", "joint", "frame"))
        self.models: dict[str, Scope] = {}
        self.known: dict[str, Frame] = {}
        alone = above is None and sum(child.tag in ("model", "include") for child in node) == 1
        for child in node:
            model = files.included(child) if child.tag == "include" else child if child.tag == "model" else None
            if model is None:
                continue
            name = model.get("name") or ""
            if not name or name in self.models or name in self.links or name in self.frames:
                raise child.wrong(f"every model needs a name of its own, received {name!r}")
            inside = "" if alone else f"{prefix}{name}{HERE}"  # a file with one model speaks of its links as such
            self.models[name] = Scope(model, self, inside, files, depth + 1)

    @property
    def is_world(self) -> bool:
        return self.node.tag != "model"

    def _named(self, tag: str) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for node in self.node.all(tag):
            name = node.get("name")
            if not name or name in found:
                raise node.wrong(f"every <{tag}> needs a name of its own, received {name!r}")
            found[name] = node
        return found

    # ---- where things are

    def pose(self, node: Element, name: str, before: tuple[str, ...] = ()) -> Frame:
        """The frame of a name in the world; `node` asks."""
        if name in ("world", "__root__"):
            return WORLD
        if name in ("", MODEL):
            return self.frame(before)
        if name in self.known:
            return self.known[name]
        key = self.prefix + name
        if key in before:
            raise node.wrong(f"frames are relative to each other in a circle: {', '.join((*before, key))}")
        inner, _, rest = name.partition(HERE)
        if rest and inner in self.models:
            return self.models[inner].pose(node, rest, before)
        if name in self.models:
            return self.models[name].frame(before)
        found = self.links.get(name) or self.frames.get(name) or self.joints.get(name)
        if found is None:
            raise node.wrong(f"there is no frame {name!r}", hint=f"known: {', '.join(self.names())}")
        own, relative = pose_of(found)
        usual = MODEL
        if found.tag == "joint":
            usual = _text(found, "child")
        elif found.tag == "frame":
            usual = found.get("attached_to") or MODEL
        self.known[name] = self.pose(found, relative or usual, (*before, key)).then(own)
        return self.known[name]

    def frame(self, before: tuple[str, ...] = ()) -> Frame:
        """That of the model itself."""
        if self.above is None:
            return WORLD
        if MODEL not in self.known:
            key = self.prefix + MODEL
            if key in before:
                raise self.node.wrong("its pose is relative to itself")
            own, relative = pose_of(self.node)
            outer = self.above.pose(self.node, relative, (*before, key))
            placed = outer.then(own)
            which = self.node.get("placement_frame")
            if which:
                self.known = {MODEL: WORLD}
                inner = self.pose(self.node, which, (*before, key))
                self.forget()
                placed = placed.then(inner.inverse())
            self.known[MODEL] = placed
        return self.known[MODEL]

    def forget(self) -> None:
        """Frames of a place that was tried."""
        self.known = {}
        for model in self.models.values():
            model.forget()

    def names(self) -> list[str]:
        return [*self.links, *self.frames, *self.joints, *self.models]

    # ---- which link carries a name

    def link(self, node: Element, name: str, depth: int = 0) -> str:
        """The full name of the link that a name is fixed to; empty for the world."""
        if name in ("world", "__root__") or (self.is_world and name in ("", MODEL)):
            return ""
        if name in self.links:
            return self.prefix + name
        inner, _, rest = name.partition(HERE)
        if inner in self.models:
            return self.models[inner].link(node, rest or MODEL, depth + 1)
        if depth > 100:
            raise node.wrong(f"frame {name!r} is attached to itself")
        if name in ("", MODEL):
            first = self.node.get("canonical_link") or next(iter((*self.links, *self.models)), None)
            if first is None:
                raise node.wrong(f"model {self.prefix!r} has no link")
            return self.link(node, first, depth + 1)
        found = self.frames.get(name) or self.joints.get(name)
        if found is None:
            raise node.wrong(f"there is no link {name!r}", hint=f"known: {', '.join(self.names())}")
        on = _text(found, "child") if found.tag == "joint" else found.get("attached_to") or MODEL
        return self.link(found, on, depth + 1)

    def everything(self) -> list[Scope]:
        """This and all inside it."""
        return [self, *(scope for model in self.models.values() for scope in model.everything())]


def _text(node: Element, tag: str) -> str:
    child = node.find(tag)
    text = "" if child is None else child.text.strip()
    if not text:
        raise node.wrong(f"<{tag}> is missing")
    return text


class Files:
    """Models that others include, by uri."""

    def __init__(self, folder: Path | None, packages: dict[str, Path], summary: ImportSummary) -> None:
        self.folder, self.packages, self.summary = folder, packages, summary
        self.open: list[Path] = []

    def included(self, node: Element) -> Element | None:
        """The model of an <include> with its name, pose and settings; None where there is no
        file."""
        uri = _text(node, "uri")
        if node.yes("merge", False):
            raise node.wrong("models that are merged are not read", hint="include without merge")
        path = self.find(uri)
        if path is None:
            self.summary.mend(f"<include> of {uri!r} is left out: there is no such file")
            return None
        root = read_xml(path, "SDF")
        model = root.find("model")
        if model is None:
            raise node.wrong(f"{path} has no <model>")
        replaced = {"pose": node.find("pose"), "static": node.find("static")}
        children = [child for child in model if replaced.get(child.tag) is None]
        children += [child for child in replaced.values() if child is not None]
        attributes = dict(model.attributes)
        for tag in ("name", "placement_frame"):
            child = node.find(tag)
            if child is not None and child.text.strip():
                attributes[tag] = child.text.strip()
        return Element("model", attributes, model.file, model.line, children)

    def find(self, uri: str) -> Path | None:
        name = uri.split("://", 1)[-1]
        first, _, rest = name.partition("/")
        places = [self.packages[first] / rest] if first in self.packages else []
        if self.folder is not None:
            places += [up / name for up in (self.folder, *self.folder.parents)]
        try:
            for place in places:
                for path in (place, place / "model.sdf"):
                    if path.is_file():
                        return path
        except (OSError, ValueError) as error:
            raise InputError(f"include {uri!r}: {error}") from None
        return None
