"""Mechanisms with one joint of every class that `add_joint` takes, built from the fields of the
class.

A new class enters by itself. A field that nobody has told a value for is an error here that asks
for one.
"""

from __future__ import annotations

from dataclasses import fields
from itertools import product
from typing import Any

import numpy as np

import isodyn as iso
from isodyn.errors import InputError
from isodyn.joints.joint import Joint
from isodyn.joints.words import triad
from isodyn.parts import JOINTS

GRAVITY = np.array([0.6, -7.0, -5.0])
PUSH = np.array([1.0, 2.0, -3.0])  # on every body, at its mass centre
DRIVEN = iso.Polynomial(0.0, 0.4, 0.9)  # of drives: rate 0.4 + 1.8 t
KINDS = ("ground", "spatial", "planar", "particle", "node", "cable")
SECTION = iso.Section(EA=40.0, EI=0.5, rhoA=0.8)
# fields whose defaults stay; so does `points` of pairs that have a `point`; users give φ or ψ, and
# rows ψ are compared with RollingSphere (tests/agreement/test_user_parts_vs_built_in.py)
LEFT = {"axes", "length", "scale", "psi"}


def classes() -> list[type]:
    """All leaves of what `add_joint` takes."""
    return [*(cls for cls in JOINTS.classes() if cls.__module__.startswith("isodyn.")), iso.UserRows]


def make(cls: type, kinds: tuple[str, str], seed: int) -> iso.Mechanism:
    """Two bodies of these kinds, moving, with a joint "j" of this class; an InputError where it has
    no meaning between them."""
    try:
        return _between_bodies(cls, kinds, seed)
    except InputError as error:
        if "there is no joint named" not in str(error):
            raise
    return _between_joints(cls, kinds, seed)


def _between_bodies(cls: type, kinds: tuple[str, str], seed: int) -> iso.Mechanism:
    rng = np.random.default_rng(seed)
    mech = iso.Mechanism(gravity=GRAVITY)
    at = rng.normal(size=3) * (1 if {"spatial", "particle", "cable"} & set(kinds) else (1, 1, 0))
    meet = at if kinds == ("particle", "particle") and _has_point(cls) else None
    names = (_body(mech, "one", kinds[0], rng, meet), _body(mech, "two", kinds[1], rng, meet))
    places = [_position(mech, name) for name in names]
    loose = [p for p, kind in zip(places, kinds, strict=True) if kind in ("particle", "node", "cable")]
    at = places[kinds.index("particle")] if "particle" in kinds else at
    ends = [
        p if kind in ("particle", "node", "cable") else p + 0.3 * rng.normal(size=3)
        for p, kind in zip(places, kinds, strict=True)
    ]
    ends = ends if not set(kinds) <= {"ground", "planar", "node"} else [p * (1, 1, 0) for p in ends]
    moving = next(name for name in names if name != "ground")
    given = _values(rng, _position(mech, moving)) | {
        "first": [names[0]],
        "second": [names[1]],
        "body": [moving],
        "on": [next(name for name in names if name != moving)],
        "bodies": [names if seed % 2 or "ground" not in names else moving],
        "point": [at, *loose],
        "points": [ends],
        "over": [[ends[0] + (0.3, 0.9, 0), ends[1] + (0.5, 1.5, 0)]],
        "joint": ["base"],
    }
    if "ground" in names:  # beside a ball, the point that touches could not follow
        given |= {"lift": [DRIVEN, 0.0], "slide": [DRIVEN, 0.0]}
    if "body" in {f.name for f in fields(cls)} and "ground" not in names:
        mech.add_joint(iso.Spherical("ball", *names, point=[at, *loose][-1]))
    return _with_one(mech, cls, given)


def _between_joints(cls: type, kinds: tuple[str, str], seed: int) -> iso.Mechanism:
    """A joint that works on joints: "base" between two bodies, "other" and "third" between these
    and one more."""
    rng, way = np.random.default_rng(seed), ("angle", "displacement")[seed % 2]
    mech = iso.Mechanism(gravity=GRAVITY)
    if not set(kinds) <= {"ground", "spatial", "planar"}:
        raise InputError("bodies that joints with coordinates need orientations")
    flat = "spatial" not in kinds
    one, two = _body(mech, "one", kinds[0], rng), _body(mech, "two", kinds[1], rng)
    _body(mech, "three", "planar" if flat else "spatial", rng)
    P, axis = rng.normal(size=(4, 3)) * ((1, 1, 0) if flat else 1), rng.normal(size=3)
    hinge = (0, 0, 1.0) if flat else rng.normal(size=3)
    if not flat:
        mech.add_joint(iso.Cylindrical("base", one, two, point=P[0], axis=axis))
    elif cls is iso.Gear or way == "angle":
        way = "angle"
        mech.add_joint(iso.Hinge("base", one, two, point=P[0], axis=hinge))
    else:
        mech.add_joint(iso.Prismatic("base", one, two, point=P[0], axis=axis * (1, 1, 0)))
    mech.add_joint(iso.Hinge("other", two, "three", point=P[1], axis=hinge))
    mech.add_joint(iso.Distance("third", one, "three", points=(P[2], P[3] + (1.0, 1.0, 0.0))))
    weights: dict[Any, float] = {("base", way): 0.8, ("other", "angle"): -0.6, "third": 0.9}
    given = _values(rng, np.zeros(3)) | {
        "first": ["base"],
        "second": ["other"],
        "joint": ["base"],
        "coordinate": [way],
        "weights": [weights if flat else {**weights, ("base", "displacement"): 1.3}],
    }
    return _with_one(mech, cls, given)


def _with_one(mech: iso.Mechanism, cls: type, given: dict[str, list[Any]]) -> iso.Mechanism:
    """The first way to fill the fields that the class and its bodies accept."""
    for name, body in mech.bodies.items():
        if body.kind != "planar":
            mech.add_load(iso.Force(f"push {name}", name, PUSH))
    refused = InputError("nothing was tried")
    left = LEFT | ({"points"} if _has_point(cls) else set())
    names = [f.name for f in fields(cls) if f.name not in left]
    unknown = [name for name in names if name not in given]
    assert not unknown, f"{cls.__name__} has fields {unknown} that tests/every_joint.py has no values for"
    for found in product(*(given[name] for name in names)):
        try:
            mech.joints.pop("j", None)
            mech.add_joint(cls(**dict(zip(names, found, strict=True))))
            mech.compile()
            return mech
        except InputError as error:
            refused = error
    raise refused


def _has_point(cls: type) -> bool:
    return issubclass(cls, Joint) and cls is not iso.Distance


def _values(rng: np.random.Generator, centre: Any) -> dict[str, list[Any]]:
    """By field, what it may be; not what a joint is between."""
    axis, angle, normal = rng.normal(size=3), rng.uniform(0, 2 * np.pi), triad(rng.normal(size=3))[2]
    centre, radius = centre + 0.2 * rng.normal(size=3), 0.3 + rng.random()
    across = normal - (normal @ axis) * axis / (axis @ axis)
    return {
        "name": ["j"],
        "point": [None],
        "axis": [axis, (0, 0, 1.0), (np.cos(angle), np.sin(angle), 0.0)],
        "second_axis": [np.cross(axis, rng.normal(size=3)), (1.0, 0, 0)],
        "pitch": [0.25],
        "start": [0.0, 0.3],
        "ratio": [1.7],
        "radius": [radius],
        "centre": [centre],
        "normal": [normal],
        "plane_point": [centre - radius * across / np.linalg.norm(across)],
        "coordinate": ["angle"],
        "value": [DRIVEN],
        "weights": [{"base": 1.0}],
        "phi": [UsersRows()],
        "direction": [rng.normal(size=3)],
        "along": [rng.normal(size=3)],
        "lift": [0.0],
        "slide": [0.0],
        "half_axes": [radius * np.array([1.0, 0.8, 0.6])],
        "profile": [(0.0, 0.1, -0.3)],
        "tread": [0.05],
        "barrel": [0.2],
        "across": [True],
    }


class UsersRows:
    """Zero at the start: a squared length between two bodies; of one body a sum that knows where
    the world is."""

    def __init__(self) -> None:
        self.start: Any = None

    def __call__(self, *given: Any) -> Any:
        *bodies, _ = given
        P = bodies[0].point((0.1, 0.0, 0.0))
        if len(bodies) > 1:
            d = P - bodies[1].point((-0.2, 0.0, 0.0))
            now = np.array([d @ d])
        else:
            now = np.array([P @ P + bodies[0].position @ [1.0, 2.0, 0.5]])
        self.start = now if self.start is None else self.start
        return now - self.start


def _body(mech: iso.Mechanism, name: str, kind: str, rng: np.random.Generator, at: Any = None) -> str:
    """A body of this kind, moving; by what name a joint calls it."""
    if kind == "ground":
        return kind
    r, v, w = rng.normal(size=(3, 3))
    r = r if at is None else at
    if kind == "node":
        mech.add_beam(name, r[:2], r[:2] + np.array([0.8, 0.3]), elements=2, section=SECTION, angular_velocity=w[2])
        return f"{name}.end"
    if kind == "cable":
        mech.add_beam(name, r, r + np.array([0.7, 0.3, 0.4]), elements=2, section=SECTION, angular_velocity=w)
        return f"{name}.end"
    mass, L, e = 1.0 + rng.random(), rng.normal(size=(3, 3)), rng.normal(size=4)
    if kind == "planar":
        mech.add_body(name, mass, 0.3, r[:2], e[0], v * (1, 1, 0), w[2], kind="planar")
    elif kind == "particle":
        mech.add_body(name, mass, position=r, velocity=v, kind="particle")
    else:
        J = np.trace(L @ L.T) * np.eye(3) - L @ L.T
        mech.add_body(name, mass, J, r, e / np.linalg.norm(e), v, w)
    return name


def _position(mech: iso.Mechanism, name: str) -> Any:
    return np.zeros(3) if name == "ground" else mech._parts.body(name).position
