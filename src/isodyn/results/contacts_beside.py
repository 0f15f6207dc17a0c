"""Contacts of solutions beside a given one: with another motion, other forces, or another system.

Each contact goes on doing what it does: one that sticks has the tangential force it is given, one
that slides has T = −μ N u/|u| of its normal force and its slip u.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.results.contacts import rates_of
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

SLIDING = 2  # as in sol.aux["contact_mode"]
REST = 1e-12  # of the fastest slip: slower ones have the direction that their force tells


def contacts_beside(sol: Solution, other: Solution, change: FloatArray | float = 0.0) -> dict[str, Any]:
    """What `other` has to keep of its contacts, if `sol` is beside it; `change` is what is added to
    normal forces and to those of contacts that stick (k, rows). Nothing without contacts."""
    aux, known = sol.aux, sol.system.contacts
    if known is None or "contact_gap" not in aux:
        return {}
    many = len(known.names)
    force = np.array(aux["contact_force"], dtype=np.float64)
    normal = slice(0, many)
    open_or_held = force + change
    force[:, normal] = open_or_held[:, normal]
    before, after = _friction(sol, aux["contact_force"]), _friction(other, force, like=aux["contact_force"])
    for k in range(many):
        own = slice(int(known.tangent[k]), int(known.tangent[k + 1]))
        slides = (aux["contact_mode"][:, k] == SLIDING)[:, None]
        slid = force[:, own] + after[:, own] - before[:, own]
        force[:, own] = np.where(slides, slid, open_or_held[:, own])
    gap = aux["contact_gap"] + _gaps(other)[:, :many] - _gaps(sol)[:, :many]
    return {**aux, "contact_gap": gap, "contact_force": force}


def _gaps(sol: Solution) -> FloatArray:
    ask = Questions(sol.system.contacts.twin)
    return np.array([ask.position(t, q.copy(), v.copy()) for t, q, v in zip(sol.t, sol.q, sol.v, strict=True)])


def _friction(sol: Solution, force: FloatArray, like: FloatArray | None = None) -> FloatArray:
    """−μ N u/|u| of all contacts (k, rows); where they hardly slip, along the forces `like`."""
    known, out = sol.system.contacts, np.zeros_like(force)
    like = force if like is None else like
    rates = rates_of(sol)[0]
    fastest = float(np.nanmax(np.abs(rates), initial=0.0))  # a journal in the middle of its bearing has no direction
    for k, mu in enumerate(known.mu):
        own = slice(int(known.tangent[k]), int(known.tangent[k + 1]))
        u, along = rates[:, own], -like[:, own]
        u = np.where(np.linalg.norm(u, axis=1, keepdims=True) > REST * fastest, u, along)
        size = np.linalg.norm(u, axis=1, keepdims=True)
        out[:, own] = -mu * force[:, k : k + 1] * np.divide(u, size, out=np.zeros_like(u), where=size > 0.0)
    return out
