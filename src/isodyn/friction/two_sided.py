"""Friction on constraints as contacts of a system, for runs with a scheme and steps
(`isodyn.marching.contact_run`): no phases, no enumeration, second order in the step."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.gauss.contacts import Contact
from isodyn.kernels.compiled import FloatArray
from isodyn.systems.base import System
from isodyn.systems.contacts import ContactSet, gap_sizes
from isodyn.systems.description import as_system
from isodyn.systems.mechanical import MechanicalSystem, no_force


def with_friction(system: System, contacts: Sequence[Contact] | Contact) -> System:
    """Return a system with friction on its constraints, to integrate with a scheme.

    Contacts stick and slide by what the constraints carry; steps end where slip comes to rest, and
    are of second order.

    Parameters
    ----------
    system
        A mechanical system without gaps, with the constraints that carry the normal forces.
    contacts
        Where friction acts: one or several `Contact` that push and pull, with numbers for `scale`.

    Returns
    -------
    system
        The system with contacts.

    Raises
    ------
    InputError
        If a contact is unilateral, or the system has gaps already.

    Examples
    --------
    >>> import numpy as np
    >>> import isodyn as iso
    >>> block = iso.MechanicalSystem(
    ...     1.0, lambda q, v, t: np.array([0.0, -10.0]), [0.0, 0.0], [2.0, 0.0],
    ...     phi=lambda q, t: q[1:], G=lambda q, t: np.array([[0.0, 1.0]]), b=lambda q, v, t: np.zeros(1))
    >>> rough = iso.with_friction(block, iso.gauss.Contact(rows=0, tangent=[1.0, 0.0], mu=0.5, name="floor"))
    >>> sol = iso.integrate(rough, dt=0.03, t_end=1.0)
    >>> round(float(sol.q[-1, 0]), 9), int(sol.contact("floor").mode[-1])
    (0.4, 1)
    """
    contacts = (contacts,) if isinstance(contacts, Contact) else tuple(contacts)
    system = as_system(system)
    _check(system, contacts)
    if isinstance(system, MechanicalSystem):
        return system.rubbing(lambda changed: _contacts(changed, contacts))
    found = _contacts(system, contacts)
    if is_dataclass(system):
        return replace(system, contacts=found)
    rough: Any = copy.copy(system)
    rough.contacts = found
    return rough


def _contacts(system: System, contacts: tuple[Contact, ...]) -> ContactSet:
    """What slips, with its laws and the rows that carry it, as contacts of a system."""
    many = len(contacts)
    widths = [contact.slip(system.q0, system.v0, 0.0).size for contact in contacts]
    known = all(c.rest is not None or not (callable(c.tangent) or callable(c.surface)) for c in contacts)

    def slip(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        return np.concatenate([c.slip(q, v, t) for c in contacts])

    def slip_v(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        return np.concatenate([c.directions(q, t) for c in contacts])

    def slip_rest(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        return np.concatenate([c.at(q, v, t, (0,)).rest for c in contacts])

    twin = MechanicalSystem(
        np.ones(system.nv),
        no_force,
        system.q0,
        system.v0,
        phi=lambda q, t: np.zeros(many),
        G=lambda q, t: np.zeros((many, system.nv)),
        b=lambda q, v, t: np.zeros(many),
        psi=slip,
        psi_v=slip_v,
        psi_rest=slip_rest if known else None,
        retract=system.retract,
        difference=system.difference,
        scales=system.scales.v,
    )
    return ContactSet(
        tuple(contact.name for contact in contacts),
        twin,
        np.zeros(many),
        np.array([contact.mu for contact in contacts]),
        many + np.concatenate([[0], np.cumsum(widths)]).astype(np.int64),
        gap_sizes(twin, system.scales.v),
        np.array([contact.mu_static for contact in contacts]),
        {
            k: tuple((row, float(contact.scale)) for row in contact.numbers(system.row_names, system.m))  # type: ignore[arg-type]
            for k, contact in enumerate(contacts)
        },
    )


def _check(system: System, contacts: tuple[Contact, ...]) -> None:
    if not contacts or not all(isinstance(contact, Contact) for contact in contacts):
        raise InputError("friction needs one or more Contact objects")
    if len({contact.name for contact in contacts}) != len(contacts):
        raise InputError("contacts need different names", hint="Contact(…, name=…)")
    if system.first_order or system.m == 0:
        raise InputError(
            "friction needs a mechanical system with constraints that carry the normal reactions",
            hint="pass phi= to MechanicalSystem",
        )
    if system.contacts is not None:
        raise InputError(
            "the system has contacts already", hint="in a mechanism, add_contact(DryJoint(…)) beside others"
        )
    for contact in contacts:
        if contact.unilateral:
            raise InputError(
                f"contact {contact.name!r} is unilateral",
                hint="give it as gap=, slip= and mu= of the system, without its constraint; it may open and close then",
            )
        if callable(contact.scale):
            raise InputError(
                f"scale of {contact.name!r} must be a number", hint="write the constraint as a distance, or as an angle"
            )
