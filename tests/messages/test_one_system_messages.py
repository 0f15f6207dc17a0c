"""Questions about one system are refused for anything else, by name."""

from __future__ import annotations

from typing import Any

import pytest

import isodyn as iso
from isodyn.errors import InputError


@pytest.mark.parametrize("ask", [iso.linearise, iso.equilibrium])
def test_subdomains_are_no_single_system(ask: Any) -> None:
    one = iso.LinearSystem(M=[[1.0]], C=None, K=[[4.0]], f=None, q0=[0.0], v0=[0.0])
    both = iso.Subdomains({"left": one, "right": one}, ties=[("left", [0], "right", [0])])
    with pytest.raises(InputError, match=f"{ask.__name__} needs one system, received Subdomains"):
        ask(both)
