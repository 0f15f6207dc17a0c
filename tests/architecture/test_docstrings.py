"""Every public name is documented as numpydoc asks: a summary of one line, parameters that match the
signature, returns, and an example for classes and functions.

Public are the names of the root and of the packages below, with the public methods and properties
of their classes and of bases within isodyn. A method that says no more than the method of its base that it overrides has no
text of its own: `help` and the reference show that of the base. Types stand in the signature alone;
doctest runs the examples.
"""

from __future__ import annotations

import inspect
from importlib import import_module

from numpydoc.validate import validate

import isodyn

PACKAGES = (
    "analysis",
    "beams",
    "gauss",
    "models",
    "problems",
    "reduction",
    "report",
    "results",
    "studies",
    "subdomains",
)
CHECKS = {
    "GL08": "no docstring",
    "SS01": "no summary",
    "SS02": "the summary begins with a small letter",
    "SS03": "the summary has no full stop",
    "SS04": "the summary is indented",
    "SS05": "the summary does not begin with a plain verb",
    "SS06": "the summary takes more than one line",
    "PR01": "parameters are missing",
    "PR02": "parameters are unknown",
    "PR03": "parameters are in another order",
    "PR10": "a colon without a blank before it",
    "RT01": "no returns",
    "EX01": "no example",
}
# these may only become fewer
LEFT: frozenset[str] = frozenset()


def described(cls: type, key: str) -> str:
    """Place of the text of a member: its own, or that of the nearest base that has one."""
    texts = [base for base in cls.__mro__ if key in vars(base) and getattr(vars(base)[key], "__doc__", None)]
    base = (texts or [cls])[0]
    return f"{base.__module__}.{base.__qualname__}.{key}"


def public() -> dict[str, bool]:
    """Places of public names; whether each is a class or function by itself."""
    found: dict[str, bool] = {}
    for module in (isodyn, *(import_module(f"isodyn.{name}") for name in PACKAGES)):
        for name in module.__all__:
            value = getattr(module, name)
            if not (inspect.isclass(value) or inspect.isroutine(value)) or not value.__module__.startswith("isodyn"):
                continue
            place = f"{value.__module__}.{value.__qualname__}"
            found[place] = True
            if inspect.isclass(value):
                found |= {
                    described(value, key): False
                    for base in value.__mro__
                    if base.__module__.startswith("isodyn.")
                    for key, member in vars(base).items()
                    if not key.startswith("_")
                    and (inspect.isroutine(member) or hasattr(type(member), "__get__"))
                    and not inspect.isclass(member)
                    and not inspect.ismemberdescriptor(member)
                    and type(member).__name__ != "_tuplegetter"
                }
    return found


def mistakes(place: str, by_itself: bool) -> list[str]:
    """What numpydoc finds; members need no examples of their own."""
    wanted = set(CHECKS) if by_itself else set(CHECKS) - {"EX01"}
    return [f"{code} ({text})" for code, text in validate(place)["errors"] if code in wanted]


def test_every_public_name_is_documented() -> None:
    found = {place: mistakes(place, by_itself) for place, by_itself in public().items() if place not in LEFT}
    wrong = {place: texts for place, texts in found.items() if texts}
    assert not wrong, "\n".join(f"{place}: {'; '.join(texts)}" for place, texts in wrong.items())


def test_the_check_sees_what_is_missing() -> None:
    """The checker itself, on a function that is not public and has no sections."""
    found = " ".join(mistakes("isodyn.errors.about", True))
    assert "PR01" in found
    assert "EX01" in found
