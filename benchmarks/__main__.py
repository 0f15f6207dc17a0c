"""Run every benchmark of this folder, or the ones named:
`python -m benchmarks [plate] [loop] [gauss_cost]`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from benchmarks.common import pin


def main() -> int:
    pin()
    names = sys.argv[1:] or sorted(
        path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in ("__main__", "__init__", "common")
    )
    failed = [name for name in names if not importlib.import_module(f"benchmarks.{name}").main()]
    for name in failed:
        print(f"{name}: a requirement is not met", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
