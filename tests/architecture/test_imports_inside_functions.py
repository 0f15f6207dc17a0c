"""Imports stand at the top of a module; inside functions they are few and of optional packages.

What takes long to load, or is not always installed, is named at the top too, by
`isodyn.later.Later`, and loaded when something of it is used.
"""

from __future__ import annotations

import re
import tomllib

from architecture_source import PACKAGE, imports_inside_functions

MOST = 20
PROJECT = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# the module of a package, where its name is another one
MODULES = {"scikit-fem": "skfem"}

# these may only become fewer
LEFT: set[tuple[str, str]] = set()


def optional() -> set[str]:
    """Modules of the packages that are extras."""
    wanted = [text for texts in PROJECT["optional-dependencies"].values() for text in texts]
    names = {re.split(r"[<>=!~\[;]", text)[0].strip() for text in wanted} - {"isodyn"}
    return {MODULES.get(name, name) for name in names}


def found() -> list[tuple[str, str]]:
    """(file, module) for every import inside a function."""
    return [
        (path.relative_to(PACKAGE).as_posix(), module)
        for path in sorted(PACKAGE.rglob("*.py"))
        for module, _ in imports_inside_functions(path)
    ]


def test_few_imports_stand_inside_functions() -> None:
    assert len(found()) <= MOST


def test_imports_inside_functions_are_of_optional_packages() -> None:
    allowed = optional()
    other = {(place, module) for place, module in found() if module.split(".")[0] not in allowed}
    assert not other - LEFT, "put these imports at the top of their modules"
    assert not LEFT - other, "these are at the top now; take them off the list"


def test_an_import_inside_a_function_is_seen(tmp_path) -> None:
    """The reader itself: one at the top, one in a method, one in a function inside a function."""
    path = tmp_path / "module.py"
    text = "import a\nclass C:\n    def f(self):\n        from b.c import d\n        def g():\n            import e\n"
    path.write_text(text, encoding="utf-8")
    assert list(imports_inside_functions(path)) == [("b.c", 4), ("e", 6)]
