"""Which components of the state a run keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.marching.march import Columns

if TYPE_CHECKING:
    from isodyn.open_types import Selection


def columns(select: Selection | None, nq: int, nv: int, m: int) -> Columns:
    """Saved columns of q, v, a, lam for what the user selected."""
    sizes = {"q": nq, "v": nv, "a": nv, "lam": m}
    if select is None:
        return Columns(*(np.arange(n) for n in sizes.values()))
    if not isinstance(select, Mapping):
        select = {name: select for name, n in sizes.items() if n > 0}
    if unknown := set(select) - set(sizes):
        raise InputError(f"select knows q, v, a, lam, received {sorted(unknown, key=str)[0]!r}")
    chosen = []
    for name, n in sizes.items():
        try:
            given = np.asarray(select.get(name, np.arange(n))).reshape(-1)
            with np.errstate(invalid="ignore"):
                columns = given.astype(np.int64)
            whole = given.dtype.kind in "iu" or bool((given.astype(np.float64) == columns).all())
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"select[{name!r}] must hold column numbers, received {select[name]!r}") from error
        if given.dtype.kind == "b" or not whole:
            raise InputError(f"select[{name!r}] must hold column numbers, received {select[name]!r}")
        if columns.size and (columns.min() < -n or columns.max() >= n):
            raise InputError(f"select[{name!r}] must lie in 0…{n - 1}, received {columns.min()}…{columns.max()}")
        chosen.append(np.ascontiguousarray(columns % n) if columns.size else columns)
    return Columns(*chosen)
