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
FIRST = ("andrews_mechanism", "four_bar", "slider_crank_3d", "gyroscope", "spinning_top")  # of the machines

TOPICS = {
    "Machines and structures": (
        "rattleback",
        "contacts",
        "designs",
        "flexible_machines",
        "beams_in_space",
        "spin_up",
        "hydraulic_lift",
        "reduced_machines",
        "earthquake",
        "mass_chain",
        "thermoelastic_bar",
    ),
    "First steps and your own parts": (
        "first_run",
        "own_compiled_system",
        "own_joint",
        "own_load",
        "own_formulation",
        "own_policy",
        "environment",
    ),
    "Gauss' principle, friction, rotations": (
        "friction",
        "gear_train",
        "chaplygin_sleigh",
        "pendulum_all_methods",
        "rotation_parameters",
        "finite_volume_beam",
    ),
    "Figures of the thesis": (
        "fig_3_06_to_3_14_spinning_top",
        "fig_8_05_to_8_08_flying_rod",
        "fig_3_01_to_3_03_andrews",
        "fig_2_07_to_2_09_pleiades",
        "fig_2_13_to_2_15_kepler",
        "fig_4_03_to_4_11_split_oscillator",
        "fig_4_12_to_4_13_plate",
        "fig_2_10_to_2_12_brusselator",
        "fig_3_04_to_3_05_van_der_pol",
        "fig_c_04_to_c_09_clamped_bar",
        "fig_c_10_plate",
    ),
    "Inside the methods": ("conditioning",),
}
TITLES = {
    "first_run": "A first run",
    "rattleback": "A rattleback turns round",
    "contacts": "A pin with play and a woodpecker",
    "designs": "Designs found with gradients",
    "spin_up": "A flexible bar is brought to speed",
    "hydraulic_lift": "A hydraulic lift",
    "environment": "A cart and a pole for learning",
    "own_compiled_system": "A system in compiled code",
    "own_joint": "A joint of your own",
    "own_load": "A load of your own",
    "own_formulation": "A formulation of your own",
    "own_policy": "A step policy of your own",
    "earthquake": "A building in an earthquake",
    "mass_chain": "A chain cut into subdomains",
    "thermoelastic_bar": "A bar with waves and heat",
    "conditioning": "Condition of the matrix of a step",
    "friction": "Friction that sticks and slides",
    "gear_train": "A gear train",
    "chaplygin_sleigh": "Chaplygin's sleigh",
    "pendulum_all_methods": "One pendulum, all methods",
    "fig_3_06_to_3_14_spinning_top": "Spinning top (3.6–3.14)",
    "fig_8_05_to_8_08_flying_rod": "Flying rod (8.5–8.8)",
    "fig_3_01_to_3_03_andrews": "Andrews' mechanism (3.1–3.3)",
    "fig_2_07_to_2_09_pleiades": "Pleiades (2.7–2.9)",
    "fig_2_13_to_2_15_kepler": "Kepler (2.13–2.15)",
    "fig_4_03_to_4_11_split_oscillator": "Split oscillator (4.3–4.11)",
    "fig_4_12_to_4_13_plate": "Plate in subdomains (4.12–4.13)",
    "fig_2_10_to_2_12_brusselator": "Brusselator (2.10–2.12)",
    "fig_3_04_to_3_05_van_der_pol": "Van der Pol (3.4–3.5)",
    "fig_c_04_to_c_09_clamped_bar": "Clamped bar, reduced (C.4–C.9)",
    "fig_c_10_plate": "Plate, reduced (C.10)",
}


def plain(text: str) -> str:
    """Text that means nothing to Markdown; `code` stays code."""
    pieces = re.split(r"(`[^`]+`)", text)
    pieces[::2] = [re.sub(r"([\\*_\[\]<>$|`#])", r"\\\1", piece) for piece in pieces[::2]]
    return "".join(pieces)


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


def card(title: str, text: str, picture: str, link: str | None = None) -> list[str]:
    """One card of a grid."""
    lines = [f":::{{grid-item-card}} {title}", f":img-top: {picture}", ":img-alt: " + title]
    if link is not None:
        lines += [f":link: {link}", ":link-type: doc"]
    return [*lines, "", text, ":::", ""]


def short(name: str) -> str:
    """The title of an example on its card."""
    return TITLES.get(name, name.replace("_", " ").capitalize())


def write_index(examples: list[Path], problems: dict[str, Any]) -> None:
    """The page with all of them: a grid of cards for each topic, machines first."""
    lines = [
        "# Gallery",
        "",
        "Every picture is drawn by the code that it stands for. `isodyn run NAME --out FOLDER` runs a ready problem and"
        " writes its report with the animation.",
        "",
    ]
    drawn = [name for name in problems if (PAGES / "problems" / f"{name}.png").is_file()]
    machines = [name for name in drawn if is_machine(problems[name])]
    machines = [*(name for name in FIRST if name in machines), *(name for name in machines if name not in FIRST)]
    for title, names in (("Machines", machines), ("Points and stars", [x for x in drawn if x not in machines])):
        if names:
            lines += [f"## {title}", "", "::::{grid} 1 2 3 3", ":gutter: 2", ""]
            for name in names:
                text = plain(problems[name].title)
                lines += card(f"`{name}`", text[:1].upper() + text[1:], f"gallery/problems/{name}.png")
            lines += ["::::", ""]
    pages = {path.stem: path for path in examples if (PAGES / f"{path.stem}.md").is_file()}
    known = {name for names in TOPICS.values() for name in names}
    for topic, names in {**TOPICS, "More": [name for name in pages if name not in known]}.items():
        shown = [name for name in names if name in pages]
        if shown:
            lines += [f"## {topic}", "", "::::{grid} 1 2 3 3", ":gutter: 2", ""]
            for name in shown:
                heading = (PAGES / f"{name}.md").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
                pictures = sorted((PAGES / name).glob("*.png"))
                lines += card(short(name), heading, f"gallery/{name}/{pictures[0].name}", f"gallery/{name}")
            lines += ["::::", ""]
    lines += ["```{toctree}", ":hidden:", "", *(f"{short(name)} <gallery/{name}>" for name in pages), "```", ""]
    INDEX.write_text("\n".join(lines), encoding="utf-8")


def is_machine(problem: Any) -> bool:
    """Whether a problem is made of bodies, joints and beams."""
    from isodyn.beams.system import BeamSystem
    from isodyn.mechanism.system import MechanismSystem

    return isinstance(problem.system(), MechanismSystem | BeamSystem)


def main() -> int:
    """Write what is asked for; the number of examples that failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    from isodyn import problems

    PAGES.mkdir(parents=True, exist_ok=True)
    examples = sorted(path for path in EXAMPLES.rglob("*.py") if path.parent.name != "tasks")  # those: docs/tasks.md
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
