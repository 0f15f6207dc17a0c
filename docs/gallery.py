"""Run every example and draw every ready problem that has a look, and write the gallery of the
documentation.

    python docs/gallery.py            examples and problems that changed since the last time
    python docs/gallery.py --all      all of them
    python docs/gallery.py NAME …     these only

An example is one story: its docstring, its figures, its numbers and its source make a page
docs/_generated/gallery/NAME.md.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "numba"))
EXAMPLES = ROOT / "examples"
PAGES = ROOT / "docs" / "_generated" / "gallery"
INDEX = ROOT / "docs" / "_generated" / "gallery.md"
LONGEST = 4000  # steps of a problem for its picture


def plain(text: str) -> str:
    """Text that means nothing to Markdown."""
    return re.sub(r"([\\*_\[\]<>$|`#])", r"\\\1", text)


def story(text: str) -> tuple[str, str]:
    """The first sentence of a docstring, and the rest."""
    first, _, rest = text.strip().partition("\n\n")
    return " ".join(first.split()).rstrip("."), rest


def body(rest: str) -> str:
    """Paragraphs as text, indented blocks as they are laid out."""
    blocks = [block for block in re.split(r"\n\s*\n", rest) if block.strip()]
    return "\n\n".join(
        f"```text\n{block}\n```" if block.startswith(" ") else plain(" ".join(block.split())) for block in blocks
    )


def load(path: Path) -> Any:
    """An example as a module."""
    specification = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def page_of_example(path: Path, folder: Path) -> str:
    """Run an example into its folder; the text of its page."""
    module = load(path)
    with contextlib.redirect_stdout(sys.stderr):
        numbers = module.main(folder)
    title, rest = story(module.__doc__)
    figures = "\n\n".join(f"![{plain(f.stem)}]({path.stem}/{f.name})" for f in sorted(folder.glob("*.png")))
    rows = "\n".join(f"| {plain(str(name))} | {value:.6g} |" for name, value in numbers.items())
    source = os.path.relpath(path, PAGES)
    place = path.relative_to(ROOT).as_posix()
    return (
        f"# {plain(title)}\n\n{body(rest)}\n\n{figures}\n\n| | |\n|---|---|\n{rows}\n\n"
        f"`{place}`\n\n```{{literalinclude}} {source}\n:language: python\n```\n"
    )


def picture_of_problem(problem: Any, folder: Path) -> Path | None:
    """A ready problem after a third of its run, where it has a look."""
    import isodyn as iso
    from isodyn.errors import coarse_steps_meant
    from isodyn.report.animation import write_picture
    from isodyn.report.scenes import scene_of

    if problem.system().first_order:
        return None
    t_end = min(problem.t_end, LONGEST * problem.dt)
    # some problems are stated with steps that do not resolve all of the motion
    with coarse_steps_meant():
        short = iso.integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=2 * problem.dt)
        if scene_of(short, problem.plane) is None:
            return None
        sol = iso.integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=t_end)
    return write_picture(sol, folder / f"{problem.name}.png", problem=problem, size=(4.4, 3.2))


def write_index(examples: list[Path], problems: dict[str, Any]) -> None:
    """The page with all of them."""
    lines = [
        "# Gallery",
        "",
        "Every example is run for this page; each has its story, figures, numbers and source.",
        "",
    ]
    for title, wanted in (("Examples", False), ("Figures of the thesis", True)):
        lines += [f"## {title}", ""]
        for path in examples:
            page = PAGES / f"{path.stem}.md"
            if ("papers" in path.parts) != wanted or not page.is_file():
                continue
            heading = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
            lines += [f"**[{heading}](gallery/{path.stem}.md)**", ""]
            pictures = sorted((PAGES / path.stem).glob("*.png"))
            if pictures:
                lines += [f"```{{image}} gallery/{path.stem}/{pictures[0].name}", ":width: 420px", "```", ""]
    lines += [
        "## Ready problems that can be drawn",
        "",
        "`isodyn run NAME --out FOLDER` writes the report with the animation.",
        "",
    ]
    for name, problem in problems.items():
        if (PAGES / "problems" / f"{name}.png").is_file():
            lines += [f"`{name}`: {plain(problem.title)}", ""]
            lines += [f"```{{image}} gallery/problems/{name}.png", ":width: 330px", "```", ""]
    hidden = "\n".join(f"gallery/{path.stem}" for path in examples if (PAGES / f"{path.stem}.md").is_file())
    lines += ["```{toctree}", ":hidden:", "", hidden, "```", ""]
    INDEX.write_text("\n".join(lines), encoding="utf-8")


def main() -> int:
    """Write what is asked for; the number of examples that failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    from isodyn import problems

    PAGES.mkdir(parents=True, exist_ok=True)
    examples = sorted(EXAMPLES.rglob("*.py"))
    failed = 0
    for path in examples:
        page = PAGES / f"{path.stem}.md"
        stale = options.all or not page.is_file() or page.stat().st_mtime < path.stat().st_mtime
        if path.stem not in options.names if options.names else not stale:
            continue
        begin = time.perf_counter()
        try:
            page.write_text(page_of_example(path, PAGES / path.stem), encoding="utf-8")
            print(f"{path.stem}: {time.perf_counter() - begin:.1f} s", file=sys.stderr)
        except Exception as error:
            failed += 1
            print(f"{path.stem}: {type(error).__name__}: {error}", file=sys.stderr)
    for name, problem in problems.ALL.items():
        wanted = (
            name in options.names
            if options.names
            else options.all or not (PAGES / "problems" / f"{name}.png").is_file()
        )
        if wanted:
            picture_of_problem(problem, PAGES / "problems")
    write_index(examples, dict(problems.ALL))
    return failed


if __name__ == "__main__":
    sys.exit(main())
