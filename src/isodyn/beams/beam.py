"""Beams and cables from a line or polyline: named places, supports and loads; `compile` makes the
system.

Every straight piece of the line is divided into elements of equal length. Where pieces meet, two
nodes lie in the same place, hinged or welded. A beam in the plane resists bending; a line in space
is a cable, which resists bending too, but not twisting.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from isodyn.beams.layout import BeamLayout, Load, Row, Torque
from isodyn.beams.mesh import Energy, Place, lay, spread
from isodyn.beams.section import Section
from isodyn.beams.system import BeamSystem, make_system
from isodyn.described import counted
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.notebook_views import ShownInNotebooks
from isodyn.real_numbers import real_array
from isodyn.systems.description import Description

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@dataclass(eq=False, repr=False)
class Beam(ShownInNotebooks, Description):
    """A beam along the points of a line in the plane, or a cable in space.

    Places are "start", "end", the number of a node, or the length from the start as a float.

    Parameters
    ----------
    line
        Points (k, 2) of a beam, (k, 3) of a cable.
    elements
        Number of elements, in all or for each piece.
    section
        Stiffness and mass.
    model
        Strain energy. "simplified" converges to the beam, the others have limits of their own.
    gravity
        Acceleration, (2,) or (3,).
    corners
        Whether pieces are welded or hinged where they meet.

    Raises
    ------
    InputError
        If the line, the elements or the section are not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> section = iso.Section(EA=1e6, EI=800.0, rhoA=78.0)
    >>> beam = iso.Beam([(0, 0), (2, 0)], elements=8, section=section, gravity=(0, -9.81))
    >>> beam.clamp("start")
    >>> beam.compile().nq
    36
    """

    line: Any
    elements: Any
    section: Section
    model: Energy = "simplified"
    gravity: Numbers | None = None
    corners: Literal["weld", "hinge"] = "weld"
    rows: list[Row] = field(default_factory=list, init=False)
    loads: list[Load] = field(default_factory=list, init=False)
    torques: list[Torque] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.mesh = lay(self.line, self.elements, self.section, self.model, self.corners)
        self._dim, self.arc, self.length = self.mesh.dim, self.mesh.arc, self.mesh.length
        self.q0 = np.stack([self.mesh.positions, self.mesh.slopes], axis=1).ravel()
        for k, (one, other) in enumerate(self.mesh.corners):
            self._join(f"corner {k + 1}", one, other)

    def __repr__(self) -> str:
        parts = f"{counted(len(self.mesh.elements), 'element')}, length {self.length:.4g}"
        return f"<Beam: {parts}, {counted(len(self.rows), 'row')} of constraints, {counted(len(self.loads), 'load')}>"

    def _join(self, name: str, one: int, other: int) -> None:
        b, d = 2 * self._dim, self._dim
        for i in range(d):
            self.rows.append(Row(name, "xyz"[i], ((b * one + i, 1.0), (b * other + i, -1.0))))
        if self.corners == "hinge":
            return
        s, t = b * one + d, b * other + d
        u, w = self.q0[s : s + 2], self.q0[t : t + 2]
        c, x = float(u @ w), float(u[0] * w[1] - u[1] * w[0])
        # (turned first slope) × (second slope) = 0 with the angle of the undeformed corner
        products = ((s, t + 1, c), (s + 1, t + 1, -x), (s, t, -x), (s + 1, t, -c))
        self.rows.append(Row(name, "angle", (), tuple(p for p in products if p[2] != 0.0)))

    def node(self, place: Place) -> int:
        """Return the number of the node at a place.

        Parameters
        ----------
        place
            The place.

        Returns
        -------
        node
            Its number.

        Raises
        ------
        InputError
            If there is no node.
        """
        return self.mesh.node(place)

    def hinge(self, place: Place, *, position: Numbers | None = None, name: str | None = None) -> None:
        """Hold the position of a node.

        Parameters
        ----------
        place
            The node.
        position
            Numbers or functions of time in place of its position at the start.
        name
            Name of the rows.
        """
        k = self.node(place)
        first = 2 * self._dim * k
        targets = self.q0[first : first + self._dim] if position is None else list(position)
        if len(targets) != self._dim:
            raise InputError(f"position must have {self._dim} entries, received {position!r}")
        label = name or f"hinge {place}"
        for i, x in enumerate(targets):
            self.rows.append(Row(label, "xyz"[i], ((first + i, 1.0),), (), x))

    def clamp(self, place: Place, *, stretch: bool = False, name: str | None = None) -> None:
        """Hold the position and the direction of a node.

        Parameters
        ----------
        place
            The node.
        stretch
            Hold the length of the slope too, which may change otherwise.
        name
            Name of the rows.
        """
        label = name or f"clamp {place}"
        self.hinge(place, name=label)
        first = 2 * self._dim * self.node(place) + self._dim
        slope = self.q0[first : first + self._dim]
        for k, across in enumerate(_across(slope)):
            terms = tuple((first + i, float(x)) for i, x in enumerate(across) if x != 0.0)
            self.rows.append(Row(label, f"turn {k + 1}", terms))
        if stretch:
            terms = tuple((first + i, float(x)) for i, x in enumerate(slope) if x != 0.0)
            self.rows.append(Row(label, "stretch", terms, (), 1.0))

    def guide(self, place: Place, normal: ArrayLike, *, name: str | None = None) -> None:
        """Hold the position of a node along a normal, so that it slides across it.

        Parameters
        ----------
        place
            The node.
        normal
            Direction along which it is held.
        name
            Name of the row.
        """
        first = 2 * self._dim * self.node(place)
        n = self._vector("normal", normal)
        size = float(np.linalg.norm(n))
        if size == 0.0:
            raise InputError("normal must not be zero")
        n = n / size
        terms = tuple((first + i, float(x)) for i, x in enumerate(n) if x != 0.0)
        target = float(n @ self.q0[first : first + self._dim])
        self.rows.append(Row(name or f"guide {place}", "normal", terms, (), target))

    def force(self, place: Place, force: ArrayLike, *, time: object | None = None) -> None:
        """Add a dead force at a node.

        Parameters
        ----------
        place
            The node.
        force
            The force.
        time
            Function of time that scales it.
        """
        self.loads.append(Load(2 * self._dim * self.node(place), self._vector("force", force), time))

    def torque(self, place: Place, torque: float, *, time: object | None = None) -> None:
        """Add a torque at a node.

        Parameters
        ----------
        place
            The node.
        torque
            The torque, counter-clockwise; a vector in space.
        time
            Function of time that scales it.
        """
        vector = np.zeros(3)
        try:
            if self._dim == 2:
                vector[2] = float(torque)
            else:
                vector[:] = self._vector("torque", torque)
        except TypeError:
            raise InputError(f"torque must be a number in the plane, received {torque!r}") from None
        self.torques.append(Torque(self.node(place), vector, time))

    def distributed(self, force: ArrayLike, *, time: object | None = None) -> None:
        """Add a dead force per length of the undeformed beam, all along it.

        Parameters
        ----------
        force
            The force per length.
        time
            Function of time that scales it.
        """
        self.loads.append(Load(0, self._spread(self._vector("force", force), 1.0), time))

    def _spread(self, force: FloatArray, mass: float | None) -> FloatArray:
        """Nodal loads of a force per length, or per mass where mass is None."""
        return spread(self.mesh.elements, self.arc.size, force, per_mass=mass is None)

    def compile(self, *, q0: FloatArray | None = None, v0: FloatArray | None = None) -> BeamSystem:
        """Return the system.

        Parameters
        ----------
        q0, v0
            Nodal coordinates and velocities at the start; undeformed and at rest if left out.

        Returns
        -------
        system
            The system.
        """
        n = self.q0.size
        q = self.q0 if q0 is None else self._nodal("q0", q0, n)
        v = np.zeros(n) if v0 is None else self._nodal("v0", v0, n)
        weight = np.zeros(n) if self.gravity is None else self._spread(self._vector("gravity", self.gravity), None)
        layout = BeamLayout(
            self._dim,
            self.mesh.energy,
            self.arc.size,
            list(self.mesh.elements),
            list(self.rows),
            list(self.loads),
            list(self.torques),
            weight,
        )
        return make_system(layout, q.copy(), v.copy(), self.arc)

    def _nodal(self, what: str, value: object, n: int) -> FloatArray:
        array = real_array(what, value, f"{n} finite numbers").ravel()
        if array.size != n or not np.isfinite(array).all():
            raise InputError(
                f"{what} must be {n} finite numbers, position and slope of every node; received {array.size}"
            )
        return array

    def _vector(self, what: str, value: object) -> FloatArray:
        array = real_array(what, value, f"{self._dim} finite numbers")
        if array.shape != (self._dim,) or not np.isfinite(array).all():
            raise InputError(f"{what} must be {self._dim} finite numbers, received {value!r}")
        return array


def _across(t: FloatArray) -> FloatArray:
    """Unit vectors across t: one in the plane, two in space."""
    t = t / np.linalg.norm(t)
    if t.size == 2:
        return np.array([[-t[1], t[0]]])
    helper = np.eye(3)[int(np.abs(t).argmin())]
    one = np.cross(t, helper)
    one /= np.linalg.norm(one)
    return np.array([one, np.cross(t, one)])
