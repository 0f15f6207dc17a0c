"""What a run was asked to do, as JSON and back; and a digest that tells systems apart."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError, IsodynError
from isodyn.schemes import Composition, FirstOrderScheme, Scheme
from isodyn.stored import KINDS, stored_with_runs
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.systems.base import System

DIGITS = 10  # of sampled forces that must agree


for _kind in (Scheme, FirstOrderScheme, Composition):
    stored_with_runs(_kind)


def to_json(value: object) -> Any:
    """Plain data; schemes, formulations and settings by name and fields."""
    if is_dataclass(value) and not isinstance(value, type):
        if type(value).__name__ not in KINDS:
            raise InputError(f"{type(value).__name__} cannot be written with a run")
        return {
            "type": type(value).__name__,
            **{f.name: to_json(getattr(value, f.name)) for f in fields(value) if f.init},
        }
    if isinstance(value, np.ndarray | np.generic):
        return to_json(value.tolist())
    if isinstance(value, dict):
        return {"type": "dict", "items": [[to_json(key), to_json(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple | range):
        return [to_json(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise InputError(f"{value!r} cannot be written with a run")


def from_json(value: object) -> Any:
    """What `to_json` wrote; only isodyn's own types are made."""
    if isinstance(value, list):
        return tuple(from_json(item) for item in value)
    if not isinstance(value, dict):
        return value
    kind = value.get("type")
    if kind == "dict":
        return {from_json(key): from_json(item) for key, item in value["items"]}
    if kind not in KINDS:
        raise InputError(f"the file names a type that is not known: {kind!r}")
    return KINDS[kind](**{key: from_json(item) for key, item in value.items() if key != "type"})


def fingerprint(system: System) -> str:
    """A digest of names, sizes, start, and of forces and constraints at sampled states.

    >>> import isodyn as iso
    >>> one = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
    >>> fingerprint(one) == fingerprint(iso.LinearSystem(1.0, None, 4.1, None, [1.0], [0.0]))
    False
    """
    digest = hashlib.sha256()
    digest.update(repr((type(system).__name__, system.nq, system.nv, system.m, system.m_phi)).encode())
    digest.update(repr((tuple(system.names), tuple(system.row_names))).encode())
    for start in (system.q0, system.v0):
        digest.update(np.ascontiguousarray(start, dtype=np.float64).tobytes())
    ask = Questions(system)
    for k in range(3):
        wave = np.sin(1.0 + k + np.arange(system.nv))
        t, q, v = 0.1 * k, system.q0, system.v0 + 0.1 * k * wave
        if k:
            q = q + 1e-3 * wave if system.retract is None and system.nq else q
            q = system.retract(system.q0.copy(), 1e-3 * wave) if system.retract is not None else q
        lam = 0.1 * np.ones(system.m)
        try:
            values = [ask.balance(t, q, v, wave, lam)]
            values += [ask.velocity(t, q, v, lam) if system.first_order else ask.position(t, q, v)] if system.m else []
        except (IsodynError, ArithmeticError, ValueError) as error:
            values = [np.array([len(str(type(error)))], dtype=np.float64)]
        for value in values:
            digest.update(" ".join(f"{x:.{DIGITS}g}" for x in np.ravel(value)).encode())
    if system.contacts is not None:
        known = system.contacts
        gaps = Questions(known.twin).position(0.0, system.q0, system.v0)
        for value in (known.restitution, known.mu, known.mu_static, gaps):
            digest.update(" ".join(f"{x:.{DIGITS}g}" for x in np.ravel(value)).encode())
    return digest.hexdigest()
