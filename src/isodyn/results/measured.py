"""Tables of measured data: CSV files with a heading, and empty cells for samples that were not
taken."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from isodyn.errors import InputError
from isodyn.results.files import is_file

EMPTY = ("", "nan", "NaN", "NA", "-")


def read_csv(path: Path | str) -> dict[str, list[float]]:
    """Columns of a CSV file by their headings; empty cells are NaN."""
    if not is_file(path):
        raise InputError(f"there is no file {path}")
    with open(path, newline="", encoding="utf-8-sig") as file:
        text = file.read()
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if len(lines) < 2:
        raise InputError(f"{path} has no table: a heading and at least one row are needed")
    mark = max(",;\t", key=lines[0].count)
    rows = list(csv.reader(lines, delimiter=mark))
    heads = rows[0]
    columns: dict[str, list[float]] = {head: [] for head in heads}
    if len(columns) < len(heads):
        twice = next(head for head in heads if heads.count(head) > 1)
        raise InputError(f"{path}: the column {twice!r} is there twice")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(heads):
            raise InputError(f"{path}, row {number}: {len(row)} cells below {len(heads)} headings")
        for head, cell in zip(heads, row, strict=True):
            columns[head].append(_number(cell.strip(), path, number, head))
    return columns


def _number(cell: str, path: Path | str, row: int, head: str) -> float:
    if cell in EMPTY:
        return np.nan
    try:
        return float(cell)
    except ValueError:
        raise InputError(f"{path}, row {row}: {head!r} is no number but {cell!r}") from None
