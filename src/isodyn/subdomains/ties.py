"""Subdomains and what ties them: a signed Boolean matrix for each.

    M_ℓ a_ℓ + G_ℓᵀ λ = Q_ℓ(q_ℓ, v_ℓ, t),      Σ_ℓ G_ℓ q_ℓ = 0                    [Shimada2014 (4.1)], the sign of λ turned

A tie ("a", i, "b", j) makes coordinate i of subdomain "a" equal to coordinate j of subdomain "b":
one row with +1 in G_a and −1 in G_b. Multipliers are system quantities, one per row; −G_ℓᵀλ is the
force of the interface on subdomain ℓ.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from isodyn.api.divided import RunSettings
from isodyn.described import counted
from isodyn.errors import InputError
from isodyn.kernels.compiled import IntArray
from isodyn.later import Later
from isodyn.marching.sampling import refuse_controllers
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.identity import identity
from isodyn.systems import System, as_system, is_system
from isodyn.systems.contacts import refuse_contacts

if TYPE_CHECKING:
    from isodyn.subdomains.solution import SubdomainSolution

coupled_runs = Later("isodyn.subdomains.run")  # which knows this module

Tie = tuple[str, Any, str, Any]


class Subdomains(ShownInNotebooks):
    """Systems by name, and ties between their coordinates; `integrate` takes it like a system.

    Ties that follow from others, as around a point where several subdomains meet, are allowed: an
    independent set is enforced, and multipliers are those of least norm. All subdomains are of
    second order, or all of first order.

    Parameters
    ----------
    systems
        The systems by name.
    ties
        Each tie names two subdomains and as many coordinates of one as of the other, by numbers or
        by names ("cart.x", or "cart" for all of a body).

    Raises
    ------
    InputError
        If a name or a coordinate is unknown, or the orders differ.

    Examples
    --------
    >>> import isodyn as iso
    >>> half = iso.LinearSystem(M=1.0, C=None, K=2.0, f=None, q0=[1.0], v0=[0.0])
    >>> sub = iso.Subdomains({"left": half, "right": half}, ties=[("left", [0], "right", [0])])
    >>> sub.G["left"].toarray().tolist(), sub.G["right"].toarray().tolist()
    ([[1.0]], [[-1.0]])
    """

    def __init__(self, systems: Mapping[str, System], ties: Iterable[Tie]) -> None:
        if not isinstance(systems, Mapping):
            raise InputError(
                f"subdomains must be a mapping of systems by name, received {type(systems).__name__}",
                hint='iso.Subdomains({"left": ..., "right": ...}, ties=[("left", [0], "right", [0])])',
            )
        self.systems: dict[str, Any] = {name: as_system(system) for name, system in systems.items()}
        if not self.systems:
            raise InputError("Subdomains needs at least one subdomain, received none")
        for name, system in self.systems.items():
            _check_system(name, system)
            refuse_contacts(system, f"subdomain {name!r}")
            refuse_controllers(system, "subdomains have system steps of their own")
        kinds = {name: bool(system.first_order) for name, system in self.systems.items()}
        if len(set(kinds.values())) > 1:
            raise InputError(
                "subdomains must all be of second order, or all of first order, received "
                + ", ".join(f"{name!r}: {'first' if kind else 'second'}" for name, kind in kinds.items()),
                hint="velocities on one side cannot equal states of another kind on the other",
            )
        self.first_order = any(kinds.values())
        if isinstance(ties, str) or not isinstance(ties, Iterable):
            raise InputError(f"ties must be a list of (subdomain, indices, subdomain, indices), received {ties!r}")
        self.ties = tuple(ties)
        # places in an undivided system, known after `partition`
        self.indices: dict[str, IntArray] | None = None
        self.undivided = 0
        entries, self.row_names = self._rows()
        self.m = len(self.row_names)
        self.G = {
            name: sp.csr_array(
                (
                    np.array([entry[2] for entry in entries[name]]),
                    (
                        np.array([entry[0] for entry in entries[name]], dtype=np.int64),
                        np.array([entry[1] for entry in entries[name]], dtype=np.int64),
                    ),
                ),
                shape=(self.m, system.nv),
            )
            for name, system in self.systems.items()
        }
        for name in self.systems:
            if len(self.systems) > 1 and not entries[name]:
                raise InputError(
                    f"subdomain {name!r} is tied to nothing",
                    hint="integrate it by itself, or name its interface in ties=",
                )

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name!r} ({system.nv})" for name, system in self.systems.items())
        return f"<Subdomains {sizes}: {counted(self.m, 'row')} between them>"

    def run(self, settings: RunSettings) -> SubdomainSolution:
        """Integrate the subdomains together; `integrate` calls this.

        Parameters
        ----------
        settings
            What `integrate` was asked for.

        Returns
        -------
        SubdomainSolution
            The solutions of all subdomains, and the multipliers of the ties.
        """
        solution: SubdomainSolution = coupled_runs.run_subdomains(self, settings)
        return solution

    def digest(self) -> str:
        """Return what tells these subdomains from others.

        Returns
        -------
        digest
            Of all systems, their names and their ties.
        """
        found = hashlib.sha256(repr(self.row_names).encode())
        for name, system in self.systems.items():
            found.update(f"{name} {identity(system)}".encode())
        return found.hexdigest()

    def _rows(self) -> tuple[dict[str, list[tuple[int, int, float]]], tuple[str, ...]]:
        """(row, column, ±1) by subdomain, and a name for each row."""
        entries: dict[str, list[tuple[int, int, float]]] = {name: [] for name in self.systems}
        names: list[str] = []
        for tie in self.ties:
            if not isinstance(tie, tuple | list) or len(tie) != 4:
                raise InputError(
                    f"a tie is (subdomain, indices, subdomain, indices), received {tie!r}",
                    hint="ties is a list of them, also where there is one only",
                )
            first, i, second, j = tie
            i, j = self._indices(first, i), self._indices(second, j)
            if i.size != j.size:
                raise InputError(
                    f"the interface of {first!r} and {second!r} does not match: {i.size} coordinates tied to {j.size}",
                    hint="give the coordinates of both sides in the same order, one for one",
                )
            for left, right in zip(i.tolist(), j.tolist(), strict=True):
                if first == second and left == right:
                    raise InputError(f"coordinate {left} of {first!r} is tied to itself")
                row = len(names)
                entries[first].append((row, left, 1.0))
                entries[second].append((row, right, -1.0))
                sides = ((first, left), (second, right))
                names.append(" = ".join(f"{name}.{self.systems[name].v_names[k]}" for name, k in sides))
        return entries, tuple(names)

    def _indices(self, name: str, indices: object) -> IntArray:
        if not isinstance(name, str) or name not in self.systems:
            raise InputError(
                f"a tie names the subdomain {name!r}, which is none of {', '.join(map(repr, self.systems))}"
            )
        system, n = self.systems[name], self.systems[name].nv
        if named(indices):
            indices = named_coordinates(name, indices, system.names, system.v_names)
        array = np.atleast_1d(np.asarray(indices))
        if array.ndim != 1 or array.dtype.kind not in "iu" or (array.size and not (array >= 0).all()):
            raise InputError(
                f"coordinates of {name!r} in a tie must be whole numbers from 0 to {n - 1}, received {indices!r}"
            )
        if array.size and array.max() >= n:
            raise InputError(f"a tie names coordinate {array.max()} of {name!r}, which has {n} (0 to {n - 1})")
        return array.astype(np.int64)


def named(indices: object) -> bool:
    """Whether names stand in the places of numbers."""
    return isinstance(indices, str) or any(
        isinstance(item, str) for item in np.atleast_1d(np.asarray(indices, dtype=object))
    )


def named_coordinates(name: str, wanted: Any, names: Sequence[str], of_rates: Sequence[str] = ()) -> list[int]:
    """Numbers of the coordinates that go by these names, or whose rates do, or that belong to
    bodies of these names."""
    found: list[int] = []
    for item in [wanted] if isinstance(wanted, str) else wanted:
        own = [i for i, known in enumerate(names) if item in (known, str(known).rpartition(".")[0])]
        own = own or [i for i, known in enumerate(of_rates) if item == known]
        own = own or [i for i, known in enumerate(names) if str(known).startswith(f"{item}.")]
        if not isinstance(item, str) or not own:
            similar = difflib.get_close_matches(
                str(item), {str(known).rpartition(".")[0] for known in names} | set(names), n=3
            )
            raise InputError(
                f"{name!r} has neither a coordinate nor a body {item!r}",
                hint=f"did you mean {' or '.join(map(repr, similar))}?"
                if similar
                else f"coordinates: {', '.join(names[:8])} …",
            )
        found += own
    return found


def _check_system(name: str, system: System) -> None:
    if not isinstance(name, str):
        raise InputError(f"subdomains have names, received {name!r}")
    if not is_system(system):
        raise InputError(f"subdomain {name!r} must be one of isodyn's systems, received {type(system).__name__}")
    if system.retract is not None:
        raise InputError(
            f"subdomain {name!r} has coordinates with a retraction; ties by index need plain coordinates",
            hint="tie bodies by joints of a mechanism instead",
        )
