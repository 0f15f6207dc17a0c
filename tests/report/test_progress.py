"""The bar of a run: in notebooks by what they bring, elsewhere on standard error."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import isodyn as iso
from isodyn.marching import progress


def test_notebooks_show_a_bar_and_take_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    def display(picture: Any, display_id: bool) -> Any:
        assert display_id
        shown.append(picture)
        return SimpleNamespace(update=shown.append)

    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    monkeypatch.setattr(progress, "OFTEN", 0.0)
    system = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
    iso.integrate(system, dt=0.01, t_end=10.0, progress=True)
    assert len(shown) > 2
    assert "<progress max='1' value='0.0000'" in shown[0]._repr_html_()
    assert repr(shown[-2]).startswith("t = 10, 100 %")
    assert shown[-1]._repr_html_() == ""


def test_terminals_of_ipython_are_no_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=SimpleNamespace))
    assert progress.notebook_display() is None
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert progress.notebook_display() is None
