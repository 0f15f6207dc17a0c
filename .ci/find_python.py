"""Print the path of a Python of the version that is asked for: `python3 .ci/find_python.py 3.12`.

It is looked for on the PATH, and among the versions that pyenv keeps (their names on the PATH may be there and not
run). Ends with 1 and says so where there is none.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def candidates(version: str) -> Iterator[str]:
    """Where it may be, the newest first."""
    found = shutil.which(f"python{version}")
    if found is not None:
        yield found
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    kept = [path for path in root.glob(f"{version}.*") if re.fullmatch(r"\d+(\.\d+)+", path.name)]
    for path in sorted(kept, key=lambda path: [int(x) for x in path.name.split(".")], reverse=True):
        yield str(path / "bin" / "python")


def runs(python: str, version: str) -> bool:
    """Whether it is that Python, and can make environments."""
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.strip() == version


def main(version: str) -> int:
    """Print the first that runs."""
    for python in candidates(version):
        if runs(python, version):
            print(python)
            return 0
    print(f"Python {version}: not found, left out", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
