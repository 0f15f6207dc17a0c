"""Where the blocks of bodies and nodes stand in the matrix J of a model, full or sparse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isodyn.kernels.compiled import IntArray


class BlockPattern:
    """`first` tells where the components of every node begin, and where the last end; `neighbours`
    of a node, itself among them, have blocks in its rows."""

    def __init__(self, first: IntArray, neighbours: Sequence[set[int]]) -> None:
        self.first = first
        self.widths = np.diff(first)
        self.neighbours = [sorted(near) for near in neighbours]
        self.lengths = [int(self.widths[near].sum()) for near in self.neighbours]
        starts = np.cumsum([0, *(int(w) * n for w, n in zip(self.widths, self.lengths, strict=True))])
        self.starts_of_nodes = starts  # in the values of the sparse matrix

    def starts(self) -> IntArray:
        """Where the rows of the sparse matrix begin."""
        return np.concatenate([[0], np.cumsum(np.repeat(self.lengths, self.widths))]).astype(np.int64)

    def columns(self) -> IntArray:
        """Columns of the sparse matrix, row by row."""
        lines = [np.concatenate([np.arange(*self.first[[j, j + 1]]) for j in near]) for near in self.neighbours]
        tiled = [np.tile(line, width) for line, width in zip(lines, self.widths, strict=True)]
        return np.concatenate(tiled).astype(np.int64)

    def size(self, sparse: bool) -> int:
        """How many entries there are."""
        return int(self.starts_of_nodes[-1] if sparse else self.first[-1] ** 2)

    def stride(self, i: int, sparse: bool) -> int:
        """Length of the rows of node i."""
        return self.lengths[i] if sparse else int(self.first[-1])

    def block(self, i: int, j: int, sparse: bool) -> int:
        """First entry of the block of nodes i, j; −1 where there is none."""
        if not (0 <= i < len(self.widths) and 0 <= j < len(self.widths)) or j not in self.neighbours[i]:
            return -1
        if not sparse:
            return int(self.first[i] * self.first[-1] + self.first[j])
        before = sum(int(self.widths[k]) for k in self.neighbours[i] if k < j)
        return int(self.starts_of_nodes[i]) + before
