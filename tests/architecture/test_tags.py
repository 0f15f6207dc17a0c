"""Every equation tag in the source leads to a work that can be looked up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "equation_index.py"


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_all_tags_of_the_source_resolve() -> None:
    """No unknown key and no malformed tag in src."""
    run = check()
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x = 1  # [Nobody1900 (1.2)]", "unknown key 'Nobody1900'"),
        ("x = 1  # [Nobody1900]", "unknown key 'Nobody1900'"),
        ("x = 1  # [Shimada2014 2.5a]", "is not a tag"),
        ("x = 1  # [Shimada2014 (2.5a) changed]", "is not a tag"),
        ("x = 1  # [Shimada2014 (2.5a) and (2.5b)]", "is not a tag"),
    ],
)
def test_a_bad_tag_is_named_with_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    """A key that nobody can look up, or a tag that the index would miss, fails with its place."""
    (tmp_path / "module.py").write_text(f'"""Text."""\n{line}\n', encoding="utf-8")
    run = check("--source", str(tmp_path))
    assert run.returncode == 1
    assert "module.py:2:" in run.stderr
    assert message in run.stderr


def test_good_tags_are_counted(tmp_path: Path) -> None:
    """Tags in comments and docstrings count, several on a line too; indexing code is not a tag."""
    source = '"""a₁ = a + Δa [Shimada2014 (2.5g)], cf. [Hairer2006]."""\n'
    source += "y = 1  # [Shimada2014 (2.5a)] [Shimada2014 (2.39) adapted]\nz = table[Nobody1900]\n"
    source += "w = 1  # [Shimada2014 (2.5a)–(2.5g), Alg. 2.3.1, Table 2.5]\n"
    (tmp_path / "module.py").write_text(source, encoding="utf-8")
    run = check("--source", str(tmp_path))
    assert run.returncode == 0, run.stderr
    assert "6 equation tags, 1 works" in run.stdout
