"""Trees of n × n bodies on balls (net_models): no loops, measured and gated as nets are. There is no
limit for them; the ratio and the growth are reported."""

from __future__ import annotations

from benchmarks.peers.measure import Bench
from benchmarks.peers.problems.net_models import PACKAGES
from benchmarks.peers.problems.nets import claims, measure_nets

__all__ = ["NAME", "PACKAGES", "TITLE", "claims", "measure"]

NAME, TITLE = "trees", "Tree of bodies on balls"
SIZES = {"tree": (8, 16, 32)}


def measure(bench: Bench) -> None:
    measure_nets(bench, NAME, SIZES)
