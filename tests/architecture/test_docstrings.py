"""Every public name is documented as numpydoc asks: a summary of one line, parameters that match the
signature, returns, and an example for classes and functions.

Public are the names of the root and of the packages below, with the public methods and properties
of their classes and of bases within isodyn. A method that says no more than the method of its base that it overrides has no
text of its own: `help` and the reference show that of the base. Types stand in the signature alone;
doctest runs the examples, as a user would paste them (tests/conftest.py).
"""

from __future__ import annotations

import inspect
from doctest import DocTestFinder, DocTestRunner
from importlib import import_module
from importlib.util import find_spec

from numpydoc.validate import validate

from public_places import PACKAGES, as_pasted, classes_and_functions

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
    for place, value in classes_and_functions().items():
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


def rate(x: float) -> float:
    """Stand for a public name whose example lacks an import.

    >>> rate(1.0)
    1.0
    """
    return x


def test_an_example_without_its_import_fails() -> None:
    """Only where the name is public: helpers may use the names of their module."""
    for places, failures in (({}, 0), ({"rate": rate}, 1)):
        (test,) = DocTestFinder().find(rate, "rate", globs=dict(globals()))
        as_pasted(test, places)
        assert DocTestRunner(verbose=False).run(test, out=lambda _: None).failed == failures


def test_no_public_function_is_hidden_by_a_module() -> None:
    """An import of a module `isodyn.package.name` puts the module in the place of the public
    `package.name`, where the package loads that when it is asked for."""
    same = [
        f"{package}.{name}"
        for package in PACKAGES
        for name in import_module(f"isodyn.{package}").__all__
        if find_spec(f"isodyn.{package}.{name}") is not None
    ]
    assert same == []
