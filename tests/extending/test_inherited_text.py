"""Parts outside the package: what their docstring says is kept, and what it leaves out comes from the base."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from isodyn.inherited_text import complete
from isodyn.joints import Joint


@complete
@dataclass(frozen=True)
class Slot(Joint):
    """A slot.

    Parameters
    ----------
    second : str
        The body with the pin.
    beside
        How far
        beside.

    Notes
    -----
    Words of its own.
    """

    beside: float = 0.0

    def rows(self, pair):
        return []


def test_own_words_stay_and_others_are_added_in_order() -> None:
    heads = [line for line in Slot.__doc__.splitlines() if line and not line.startswith((" ", "-"))]
    arguments = ["name", "first", "second : str", "beside", "point", "axis", "points, axes"]
    assert heads == ["A slot.", "Parameters", *arguments, "Raises", "InputError", "Notes", "Words of its own."]
    assert "beside\n    How far\n    beside.\npoint\n    Point of the joint" in Slot.__doc__
    assert 'first\n    Names of the bodies, or "ground".\nsecond : str\n    The body with the pin.' in Slot.__doc__


@pytest.mark.parametrize("text", [None, "Only a summary."])
def test_arguments_that_nobody_knows_are_not_invented(text: str | None) -> None:
    """No docstring stays none; any arguments stay undescribed."""

    class Loose(Slot):
        def __init__(self, *args, **more) -> None:
            pass

    Loose.__doc__ = text
    assert (complete(Loose).__doc__ or "").partition("\n")[0] == (text or "")
    assert "Parameters" not in (Loose.__doc__ or "")
