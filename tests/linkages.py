"""Textbook mechanisms that several tests share."""

from __future__ import annotations

import numpy as np

import isodyn as iso


def add_bar(mech: iso.Mechanism, name: str, A, B, mass: float = 1.0, planar: bool = False) -> None:
    """A slender bar from A to B; its first axis points along it."""
    A, B = np.array(A, dtype=float), np.array(B, dtype=float)
    d = B - A
    length = float(np.linalg.norm(d))
    if planar:
        mech.add_body(name, mass, mass * length**2 / 12, (A + B) / 2, np.arctan2(d[1], d[0]), kind="planar")
        return
    e1 = d / length
    e2 = np.cross(np.eye(3)[np.argmin(np.abs(e1))], e1)
    e2 /= np.linalg.norm(e2)
    R = np.column_stack([e1, e2, np.cross(e1, e2)])
    J = mass * length**2 / 12
    mech.add_body(name, mass, (J / 100, J, J), (A + B) / 2, R)


FOUR_BAR = ((0, 0, 0), (0, 0.3, 0), (0.8, 0.5, 0), (0.9, 0, 0))
BARS = ("crank", "coupler", "rocker")


def four_bar(planar: bool = False, points=FOUR_BAR, gravity=(0, -9.81, 0)) -> iso.Mechanism:
    """Hinges A, B, C, D about z."""
    mech = iso.Mechanism(gravity=gravity)
    for name, A, B in zip(BARS, points[:-1], points[1:], strict=True):
        add_bar(mech, name, A, B, planar=planar)
    chain = ("ground", *BARS, "ground")
    for k, point in enumerate(points):
        mech.add_joint(iso.Hinge("ABCD"[k], chain[k], chain[k + 1], point=point, axis=(0, 0, 1)))
    return mech


def slider_crank(planar: bool = True, angle: float = 0.7, r: float = 0.2, length: float = 0.5) -> iso.Mechanism:
    """Crank r, rod, slider along x; hinges "crank pin", "knee", "wrist", slide "slide"."""
    B = np.array([r * np.cos(angle), r * np.sin(angle), 0.0])
    C = np.array([B[0] + np.sqrt(length**2 - B[1] ** 2), 0.0, 0.0])
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    add_bar(mech, "crank", (0, 0, 0), B, 1.5, planar)
    add_bar(mech, "rod", B, C, 0.8, planar)
    if planar:
        mech.add_body("slider", 0.6, 0.01, C, kind="planar")
    else:
        mech.add_body("slider", 0.6, (0.01, 0.01, 0.01), C)
    for name, first, second, point in (
        ("crank pin", "ground", "crank", (0, 0, 0)),
        ("knee", "crank", "rod", B),
        ("wrist", "rod", "slider", C),
    ):
        mech.add_joint(iso.Hinge(name, first, second, point=point, axis=(0, 0, 1)))
    mech.add_joint(iso.Prismatic("slide", "ground", "slider", point=C, axis=(1, 0, 0)))
    return mech


def bennett(a: float = 1.0, b: float = 0.6, alpha: float = 0.7, theta: float = 1.1) -> iso.Mechanism:
    """Bennett's spatial loop of four hinges: opposite sides alike, twists with sin β = (b/a) sin α;
    one freedom against −2 by count."""
    beta = np.arcsin(b / a * np.sin(alpha))
    # tan(θ/2) tan(φ/2) = sin((β+α)/2)/sin((β−α)/2): the closing angle
    phi = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2))

    def screw(turn: float, length: float, twist: float) -> np.ndarray:
        c, s, ca, sa = np.cos(turn), np.sin(turn), np.cos(twist), np.sin(twist)
        return np.array(
            [[c, -s * ca, s * sa, length * c], [s, c * ca, -c * sa, length * s], [0, sa, ca, 0], [0, 0, 0, 1.0]]
        )

    frames = [np.eye(4)]
    for turn, length, twist in ((theta, a, alpha), (phi, b, beta), (-theta, a, alpha), (-phi, b, beta)):
        frames.append(frames[-1] @ screw(turn, length, twist))
    mech = iso.Mechanism()
    hinges = frames[:4]
    names = ("one", "two", "three")
    for k, name in enumerate(names):
        add_bar(mech, name, hinges[k][:3, 3], hinges[k + 1][:3, 3])
    chain = ("ground", *names, "ground")
    for k in range(4):
        mech.add_joint(iso.Hinge("ABCD"[k], chain[k], chain[k + 1], point=hinges[k][:3, 3], axis=hinges[k][:3, 2]))
    mech.closing_error = float(np.abs(frames[4] - np.eye(4)).max())
    return mech


def double_wishbone(steering_held: bool = True) -> iso.Mechanism:
    """Two arms on the chassis (ground), an upright between them by balls, a tie rod by distance."""
    mech = iso.Mechanism()
    add_bar(mech, "lower arm", (0, 0.3, 0.0), (0, 0.8, 0.0))
    add_bar(mech, "upper arm", (0, 0.35, 0.3), (0, 0.75, 0.32))
    add_bar(mech, "upright", (0, 0.8, 0.0), (0, 0.75, 0.32))
    mech.add_joint(iso.Hinge("lower", "ground", "lower arm", point=(0, 0.3, 0.0), axis=(1, 0, 0)))
    mech.add_joint(iso.Hinge("upper", "ground", "upper arm", point=(0, 0.35, 0.3), axis=(1, 0, 0)))
    mech.add_joint(iso.Spherical("lower ball", "lower arm", "upright", point=(0, 0.8, 0.0)))
    mech.add_joint(iso.Spherical("upper ball", "upper arm", "upright", point=(0, 0.75, 0.32)))
    if steering_held:
        mech.add_joint(iso.Distance("tie rod", "ground", "upright", points=((0.15, 0.33, 0.1), (0.15, 0.78, 0.1))))
    return mech
