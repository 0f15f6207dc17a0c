"""Kernels that Python hands over to others, a model to a march for instance: their addresses.

Numba looks for the address of such an argument at every call, and asks each type of its signature
whether it is known: about as long as all other arguments together take. A kernel with a declared
signature has one address, which is kept here when it was found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from numba.experimental import function_type

from isodyn.kernels.numba_internals.dispatcher import Kernel

if TYPE_CHECKING:
    from isodyn.kernels.numba_internals.interfaces import Signature


def remember_addresses() -> None:
    """Let Numba ask here first."""
    for name in ("_get_wrapper_address", "_get_jit_address"):
        ask = getattr(function_type, name, None)  # the second one is not in all versions
        if ask is not None and ask.__module__ == function_type.__name__:
            setattr(function_type, name, _remembering(name, ask))


def _remembering(name: str, ask: Callable[[object, Signature], int]) -> Callable[[object, Signature], int]:
    """The function `ask` of Numba, which is asked once for every declared kernel."""
    place = f"address by {name}"

    def address(function: object, signature: Signature) -> int:
        if not isinstance(function, Kernel) or function.declared is None:
            return ask(function, signature)
        known = function.__dict__
        found: int | None = known.get(place)
        if found is None:
            found = known[place] = ask(function, signature)
        return found

    return address
