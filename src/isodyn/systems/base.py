"""What every system tells: the protocol that runs rely on, and what holds where a system does not
say otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from isodyn.errors import InputError
from isodyn.notebook_views import ShownSystem

if TYPE_CHECKING:
    from isodyn.kernels.compiled import FloatArray
    from isodyn.systems.model import Model
    from isodyn.systems.scales import Scales


class System(Protocol):
    """What runs, studies and reports know of a system, whichever kind it is.

    Everything is read only: a system remembers nothing of a run. Of a first-order system, `v0` is
    the state.
    """

    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def m(self) -> int: ...
    @property
    def m_phi(self) -> int: ...
    @property
    def q0(self) -> FloatArray: ...
    @property
    def v0(self) -> FloatArray: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def v_names(self) -> tuple[str, ...]: ...
    @property
    def row_names(self) -> tuple[str, ...]: ...
    @property
    def first_order(self) -> bool: ...
    @property
    def scales(self) -> Scales: ...
    @property
    def energy(self) -> Any: ...
    @property
    def retract(self) -> Any: ...
    @property
    def difference(self) -> Any: ...
    @property
    def elastic(self) -> bool: ...
    @property
    def states(self) -> int: ...
    @property
    def alike(self) -> tuple[int, ...]: ...
    @property
    def contacts(self) -> Any: ...
    @property
    def nonideal(self) -> bool: ...
    @property
    def ideal_at_rest(self) -> bool: ...
    def model(self) -> Model: ...


class BaseSystem(ShownSystem):
    """Base of all systems.

    elastic : it has stiff elastic parts, whose forces are right at the balances of steps
    states : how many of its velocities, the last ones, are states of first order
    alike : a number for each velocity; those with the same number have the same unit. Empty if
        units are not known
    contacts : its unilateral constraints (isodyn.systems.contacts), or None
    nonideal : its forces depend on multipliers, as friction by a reaction does
    ideal_at_rest : such forces vanish where nothing moves, and so do their derivatives by
        multipliers
    """

    elastic: bool = False
    states: int = 0
    alike: tuple[int, ...] = ()
    contacts: Any = None
    nonideal: bool = False
    ideal_at_rest: bool = False


def is_system(given: object) -> TypeGuard[System]:
    """Whether this is a system, ready to be integrated."""
    return isinstance(given, BaseSystem)


def no_system(given: object) -> InputError:
    """What to tell somebody who gave something else."""
    hint = (
        f"a ready problem is iso.problems.get({given!r}).system(), a model file iso.load_model(path).system()"
        if isinstance(given, str)
        else "such as iso.Mechanism, iso.MechanicalSystem, iso.LinearSystem or iso.FirstOrderSystem"
    )
    return InputError(f"system must be one of isodyn's systems, received {type(given).__name__}", hint=hint)
