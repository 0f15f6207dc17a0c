"""Every public name says what it is, and the reference lists it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import isodyn

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def home(value: object) -> str | None:
    """The module that defines a public object; None for plain constants such as the version."""
    if isinstance(value, ModuleType):
        return value.__name__
    return getattr(value, "__module__", None) if callable(value) else None


def test_every_public_name_has_a_docstring() -> None:
    """Written text, not the signature that a dataclass puts there, and not the docstring of a base
    class."""
    public = {name: getattr(isodyn, name) for name in isodyn.__all__}
    texts = {name: value.__doc__ or "" for name, value in public.items() if home(value)}
    assert [name for name, text in texts.items() if not text.strip() or text.startswith(f"{name}(")] == []


def test_every_public_method_has_a_docstring() -> None:
    """Methods that a public class defines itself and offers without an underscore."""
    missing = []
    for name in isodyn.__all__:
        value = getattr(isodyn, name)
        if not inspect.isclass(value):
            continue
        for attribute, member in vars(value).items():
            method = inspect.isroutine(member) and not attribute.startswith("_")
            if method and not inspect.getdoc(getattr(value, attribute)):
                missing.append(f"{name}.{attribute}")
    assert missing == []


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference pages are not part of this tree")
def test_every_public_name_is_in_the_reference() -> None:
    """The module that defines a public name, or its package, stands in an automodule line of
    docs/reference.

    A line for a package covers all modules below it (docs/conf.py); the line for the root covers
    the root alone.
    """
    text = "\n".join(page.read_text(encoding="utf-8") for page in sorted(REFERENCE.glob("*.md")))
    listed = set(re.findall(r"automodule:: (\S+)", text))
    homes = {name: home(getattr(isodyn, name)) for name in isodyn.__all__}
    parts = {name: ".".join(where.split(".")[:2]) for name, where in homes.items() if where}
    assert {name: part for name, part in parts.items() if part not in listed} == {}
