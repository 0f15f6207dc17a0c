"""`python -m fuzz`: run the kept cases, then so many inputs; print counts and the first
failures."""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from types import FrameType

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
os.environ.setdefault("NUMBA_CACHE_DIR", str(HERE.parent / ".cache" / "numba"))

from fuzz.formats import Format, all_formats  # noqa: E402
from isodyn.errors import IsodynError  # noqa: E402
from isodyn.kernels import progress as kernel_progress  # noqa: E402

SHOWN = 10  # failures
COMPILING = 600.0  # seconds that the kernels of an input may take at most
ASLEEP = 15.0  # limits by the clock, for inputs that wait for something: of those of the processor


class HangError(BaseException):
    """An input took too long; no reader may take this for an error of its own."""


class Limit:
    """Seconds of the processor that an input may take, whatever else runs, less those of compiling
    kernels that it is the first to need."""

    seconds, compiled = 0.0, 0.0

    def begin(self, seconds: float) -> None:
        """From now on."""
        self.seconds, self.compiled = seconds, kernel_progress.seconds()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, ASLEEP * seconds)

    def end(self) -> None:
        """No longer."""
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.setitimer(signal.ITIMER_REAL, 0.0)

    def over(self, number: int, frame: FrameType | None) -> None:
        """The alarm: another time where kernels were compiled, or are, since the last one."""
        if kernel_progress.busy() or kernel_progress.seconds() > self.compiled:
            self.begin(self.seconds)
        else:
            raise HangError("it took too long")


LIMIT = Limit()


def tried(fmt: Format, data: bytes, folder: Path, seconds: float) -> tuple[str, str]:
    """What became of an input: read, refused or failed, and why."""
    LIMIT.begin(seconds)
    try:
        fmt.read(data, folder)
        return "read", ""
    except IsodynError:
        return "refused", ""
    except (Exception, HangError, SystemExit) as error:
        trace = traceback.extract_tb(error.__traceback__)
        inside = [f"{Path(line.filename).name}:{line.lineno}" for line in trace if "isodyn" in line.filename][-3:]
        return "failed", f"{type(error).__name__}: {str(error)[:200]} ({', '.join(inside)})"
    finally:
        LIMIT.end()


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--seconds", type=float, default=20.0, help="of the processor, for one input")
    parser.add_argument("--only", help="one format")
    parser.add_argument("--out", type=Path, default=HERE.parent / "out" / "fuzz", help="folder for inputs that fail")
    options = parser.parse_args()
    formats = [one for one in all_formats() if options.only in (None, one.name)]
    if not formats:
        parser.error(f"there is no format {options.only!r}: {', '.join(one.name for one in all_formats())}")
    for alarm in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(alarm, LIMIT.over)
    warnings.simplefilter("ignore")
    os.fsync = lambda file: None  # no machine dies here
    options.out.mkdir(parents=True, exist_ok=True)
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for fmt in formats:
            failures += _format(fmt, options, Path(folder))
    (options.out / "current").unlink(missing_ok=True)
    for line in failures[:SHOWN]:
        print(line)
    print(f"{len(failures)} failures" if failures else "no failures")
    return 1 if failures else 0


def _format(fmt: Format, options: argparse.Namespace, folder: Path) -> list[str]:
    """All inputs of one format; one line for each that failed."""
    kept = sorted((HERE / "cases" / fmt.name).glob("*"))
    many = max(1, round(fmt.share * options.inputs)) if options.only is None else options.inputs
    counts, failures, began = {"read": 0, "refused": 0, "failed": 0}, [], time.perf_counter()
    for number in range(-len(kept), many):
        rng = random.Random(f"{options.seed}/{fmt.name}/{number}")
        data = kept[number].read_bytes() if number < 0 else fmt.make(rng, folder)
        # what is left here when the process ends without a word
        (options.out / "current").write_bytes(data)
        faulthandler.dump_traceback_later(3 * ASLEEP * options.seconds + COMPILING, exit=True)
        verdict, why = tried(fmt, data, folder, options.seconds)
        faulthandler.cancel_dump_traceback_later()
        counts[verdict] += 1
        if verdict == "failed":
            place = options.out / f"{fmt.name}-{options.seed}-{number}"
            place.write_bytes(data)
            failures.append(f"{fmt.name} {place if number >= 0 else kept[number]}: {why}")
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    print(f"{fmt.name:12} {sum(counts.values()):6} inputs: {words}; {time.perf_counter() - began:.1f} s", flush=True)
    return failures


if __name__ == "__main__":
    sys.exit(main())
