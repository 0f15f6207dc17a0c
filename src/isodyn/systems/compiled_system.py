"""Systems that the library builds: from a model function that is compiled already, or from an
object that answers in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.struct import Nothing, Struct
from isodyn.systems.base import BaseSystem, System
from isodyn.systems.checks import velocity_names
from isodyn.systems.model import Answers, Model, from_python
from isodyn.systems.scales import Scales, ordinary


@dataclass(frozen=True, eq=False, repr=False)
class CompiledSystem(BaseSystem):
    """A system from a compiled function, its numbers and its traits.

    The package's own problems and mechanisms are such systems. Users take `MechanicalSystem`,
    `LinearSystem` or `FirstOrderSystem` instead.

    Parameters
    ----------
    function
        A function of the type `isodyn.kernels.compiled.MODEL`.
    traits
        What the function can answer, as bits of `isodyn.kernels.compiled`.
    q0
        Initial position.
    v0
        Initial velocity; of a first-order system its state.
    tables
        Numbers of the function, which no run changes.
    scratch
        Numbers that the function works with.
    energy
        Function (q, v, t) → (kinetic, potential).
    retract
        Function (q, d) → q ⊕ d for coordinates that are not a vector space.
    difference
        Function (q₁, q₂) → d that undoes it.
    names
        Names of the coordinates.
    first_order
        Whether it is a first-order system.
    m
        Number of constraint rows.
    m_phi
        Number of the holonomic ones among them, which come first.
    row_names
        Names of the constraint rows.
    v_names
        Names of the velocities, if they differ from those of the coordinates.
    alike
        A number for each velocity; those with the same number have the same unit. Empty if units
        are not known.
    elastic
        Whether it has springs or beams, whose forces are read from the balance.
    scales
        Typical sizes of the components.
    turns
        Number of counted angles at the end of q.
    whole_turns
        Function (q, t) → q that chooses the whole turns that rows leave free at the start.
    fastest
        Function (q, d) → name, told and seen turn of the counted angle that d determines least.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> isinstance(pendulum, iso.CompiledSystem), pendulum.nq, pendulum.m
    (True, 2, 1)
    """

    function: Any
    traits: int
    q0: FloatArray
    v0: FloatArray
    tables: Struct = field(default_factory=Nothing)
    scratch: Struct = field(default_factory=Nothing)
    energy: Any = None
    retract: Any = None
    difference: Callable[..., Any] | None = None
    names: tuple[str, ...] = ()
    first_order: bool = False
    m: int = 0
    m_phi: int = 0
    row_names: tuple[str, ...] = ()
    v_names: tuple[str, ...] = ()  # where there are more or fewer velocities than coordinates
    # velocities with the same number have the same unit; empty where that is not known
    alike: tuple[int, ...] = ()
    # has springs or beams, whose forces are read from the balance (isodyn.results.at_balance)
    elastic: bool = False
    scales: Scales = None  # type: ignore[assignment]  # ones where left out
    turns: int = 0  # how many angles are counted over whole turns; they come last in q
    whole_turns: Callable[..., Any] | None = (
        # (q, t) ↦ q with the turns that its rows leave free at the start, nearest to what they ask
        # for
        None
    )
    # (q, d) ↦ name, told and seen turn of the counted angle of which d tells least
    fastest: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        if not self.names:
            letter, n = ("s", self.v0.size) if self.first_order else ("q", self.q0.size)
            object.__setattr__(self, "names", tuple(f"{letter}{i}" for i in range(n)))
        if not self.v_names:
            object.__setattr__(self, "v_names", velocity_names(self.names, self.v0.size))
        if not self.row_names:
            object.__setattr__(self, "row_names", tuple(f"row {i}" for i in range(self.m)))
        if self.scales is None:
            object.__setattr__(self, "scales", ordinary(self.q0, self.v0.size))

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.q0.size

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.v0.size

    def model(self) -> Model:
        """Return the function that the compiled loop calls, with its numbers.

        Returns
        -------
        model
            The function, its numbers and its traits.
        """
        return Model(self.function, self.traits, self.tables, self.scratch.copy())


@dataclass(frozen=True, eq=False, repr=False)
class PythonSystem(BaseSystem):
    """A system from a Python object that answers the questions of `isodyn.kernels.compiled`, with
    its traits."""

    answers: Answers
    traits: int
    q0: FloatArray
    v0: FloatArray
    energy: Any = None
    retract: Any = None
    difference: Callable[..., Any] | None = None
    names: tuple[str, ...] = ()
    scales: Scales = None  # type: ignore[assignment]  # ones where left out
    given_v_names: tuple[str, ...] = ()  # where there are fewer velocities than coordinates
    turns: int = 0  # as above

    first_order = False
    m = m_phi = 0
    row_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.scales is None:
            object.__setattr__(self, "scales", ordinary(self.q0, self.v0.size))

    @property
    def v_names(self) -> tuple[str, ...]:
        """Names of the components of v."""
        return self.given_v_names or velocity_names(self.names, self.nv)

    @property
    def nq(self) -> int:
        return self.q0.size

    @property
    def nv(self) -> int:
        return self.v0.size

    def model(self) -> Model:
        """The function that the loop calls."""
        return from_python(self.answers, self.traits)


def settled(system: System, q: FloatArray) -> FloatArray:
    """q with its counted angles as the rest of q says, in the turn that is nearest to what they
    are: q may come from a user's hands."""
    if not isinstance(system, CompiledSystem | PythonSystem) or system.turns == 0:
        return q
    first = q.size - system.turns
    return np.concatenate([q[:first], system.retract(q, np.zeros(system.nv))[first:]])


def started(system: System, q: FloatArray, t: float) -> FloatArray:
    """q as a run starts from it at t."""
    if not isinstance(system, CompiledSystem) or system.whole_turns is None:
        return q
    return np.asarray(system.whole_turns(q, t))
