"""The Python of the pages runs as it stands, and their links lead somewhere."""

from __future__ import annotations

import importlib.util
import re
import sys
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from registries import as_before

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    *(
        DOCS / name
        for name in (
            "index.md",
            "mechanisms.md",
            "beams.md",
            "subdomains.md",
            "reduction.md",
            "model_files.md",
            "reading_results.md",
            "reports.md",
            "sweeps.md",
            "contacts.md",
            "sensitivities.md",
            "flexible_bodies.md",
            "robots.md",
            "one_step_by_hand.md",
            "choosing_a_scheme.md",
            "extending.md",
            "fitting.md",
            "formulations.md",
            "friction.md",
            "gauss.md",
            "gear_trains.md",
            "rotations.md",
            "verification.md",
        )
    ),
]
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
EXECUTED = [*PAGES, *TUTORIALS, *sorted((DOCS / "coming_from").glob("*.md"))]
LONG = ("beams.md", "flexible_bodies.md")  # up to a minute each: part of `make full`
BUILT = re.compile(r"(^|/)_(generated|build)/")  # written by make docs


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def of_docs(name: str) -> Any:
    """A module of the documentation."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=named(page), marks=pytest.mark.long if page.name in LONG else ()) for page in EXECUTED],
)
def test_python_of_the_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page one after the other, asserts included; files go to a folder of their
    own."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("matplotlib.pyplot").switch_backend("agg")
    names: dict[str, Any] = {}
    with as_before():
        for block in blocks:
            exec(compile(block, str(page), "exec", dont_inherit=True), names)
    sys.modules["matplotlib.pyplot"].close("all")


CHECKED = re.compile(r"```\{testcode\}[^\n]*\n(.*?)```(?:\s*```\{testoutput\}[^\n]*\n(.*?)```)?", re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in sorted(DOCS.glob("*.md")) if "{testcode}" in page.read_text(encoding="utf-8")], ids=named
)
def test_blocks_print_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Blocks with their output, which `make docs` runs too; those of the first page are such."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    capsys.readouterr()
    with as_before():
        for block, output in CHECKED.findall(page.read_text(encoding="utf-8")):
            exec(compile(block, str(page), "exec", dont_inherit=True), names)
            printed = capsys.readouterr().out
            assert OutputChecker().check_output(output, printed, ELLIPSIS), f"{output} is {printed}"


@pytest.mark.parametrize("page", TUTORIALS, ids=named)
def test_a_tutorial_is_a_notebook(page: Path) -> None:
    """Its cells are the blocks of the page; nothing of Sphinx is left in the text."""
    module = of_docs("tutorials")
    text = page.read_text(encoding="utf-8")
    found = module.notebook(module.cells(text))["cells"]
    code = ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]
    assert len(code) == text.count("```python\n") > 2
    assert "".join(code) == "".join(block.rstrip() for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    assert not any("{doc}" in line for cell in found for line in cell["source"])
    assert "## Exercises" in text


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *sorted(DOCS.rglob("*.md"))], ids=named)
def test_links_and_figures_of_the_page(page: Path) -> None:
    """Every relative link names a file of the repository."""
    if BUILT.search(page.as_posix()):
        pytest.skip("written by make docs, which checks it")
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    targets += [f"{name}.md" for name in re.findall(r"\{doc\}`(?:[^`<]*<)?([^`>]+)>?`", text)]
    for target in targets:
        if re.match(r"[a-z]+:", target) or BUILT.search(target) or target.startswith("_generated"):
            continue
        place = DOCS / target.removeprefix("/") if target.startswith("/") else page.parent / target
        assert place.exists(), f"{named(page)} names {target}"


def test_the_moving_picture_is_small() -> None:
    picture = (DOCS / "images" / "squeezer.gif").read_bytes()
    assert picture[:6] == b"GIF89a"
    assert len(picture) <= 1_000_000


@pytest.mark.slow
def test_the_moving_picture_is_that_of_make_picture() -> None:
    """One of its pictures, drawn again; the stored one has fewer colours."""
    Image = pytest.importorskip("PIL.Image")
    pytest.importorskip("matplotlib")
    module = of_docs("moving_picture")
    k = module.PICTURES // 3
    (drawn,) = module.pictures(module.run(), slice(k, k + 1))
    with Image.open(DOCS / "images" / "squeezer.gif") as stored:
        assert stored.n_frames == module.PICTURES
        stored.seek(k)
        known = np.asarray(stored.convert("RGB"), dtype=float)
    other = (np.abs(np.asarray(drawn, dtype=float) - known) > 60.0).any(axis=2)
    assert other.mean() < 5e-4


def test_the_reference_has_every_public_name_once() -> None:
    """In its group."""
    import isodyn

    module = of_docs("public_names")
    grouped = [name for names in module.GROUPS.values() for name in names]
    assert len(set(grouped)) == len(grouped)
    assert set(grouped) == set(isodyn.__all__)
    text = module.to_markdown()
    assert all(text.count(f"{{py:obj}}`{name} <") == 1 for name in isodyn.__all__)


def test_the_reference_of_the_command_line_has_every_command_and_option() -> None:
    import click

    from isodyn.cli import cli

    text, group = of_docs("commands").to_markdown(), click.Context(cli)
    for name in cli.list_commands(group):
        command = cli.get_command(group, name)
        assert command is not None
        assert f"## isodyn {name}\n" in text
        for option in command.params:
            assert not isinstance(option, click.Option) or max(option.opts, key=len) in text
