"""Checkpoints: a folder to which a run appends its rows and its complete state, and from which it
goes on bit for bit.

    run.json        what was asked for: options, digest of the system, text of the model file if there was one
    block-000001…   a file per checkpoint: the rows since the one before, beginning with its last row, which a breakpoint may change;
                    and everything that a run carries from step to step

Every file is written whole and carries a checksum (isodyn.results.seals). A crash at any moment
leaves the blocks of the checkpoints before. A block that is damaged or missing ends what is known:
the run goes on from the block before it, says so, and comes to the same numbers. At a checkpoint a
run forgets its factors, also when it is not interrupted; so the steps after it are the same in both
cases. Where nobody said how often, a file is left out that would come too soon after the one
before; what is forgotten is the same.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from isodyn.errors import DamageError, InputError, RecoveryWarning
from isodyn.results.files import failed, make_folder, write_file
from isodyn.results.inputs import to_json
from isodyn.results.seals import UNFIT, packed, sealed_json, unpacked

if TYPE_CHECKING:
    from isodyn.kernels.compiled import IntArray

FORMAT = 6
# steps between checkpoints where nothing is said; where nobody knows how many there will be
MOST_BETWEEN, OF_UNKNOWN, ABSURD = 50_000, 5_000, 1 << 50
PARTS = 20
# where nothing is said: how long a run goes on after a file, beside what the file took; and at first
PATIENCE, AT_FIRST = 100.0, 0.2
BLOCK = re.compile(r"block-(\d{6,})\.npz")
# what a run that saved no state may leave
LEFT = re.compile(r"run\.json|phase-\d+|\.isodyn-[0-9a-f-]+(\.\w+)?")


class Resumable(Protocol):
    """A run that can be stored: rows, numbers by name, and what it carries besides."""

    rows: Any  # a named tuple of arrays, as many rows as will be written
    ranks: IntArray
    state: Any
    counters: Any
    total_steps: int
    before: float  # seconds that were spent before the last checkpoint

    def seconds(self) -> float:
        """How long the run has taken."""
        ...

    def forget(self) -> None:
        """Factors, and whatever else a run that goes on from a file does not have."""
        ...

    def carried(self) -> dict[str, Any]:
        """All that it needs to go on, as arrays; it forgets the rest."""
        ...

    def make_room(self, k: int) -> None:
        """Memory for k rows, if their number is not known in advance."""
        ...

    def put_back(self, found: dict[str, Any]) -> None:
        """Go on from there."""
        ...


@dataclass(eq=False)
class Checkpoint:
    """A folder for the checkpoints of one run.

    Parameters
    ----------
    folder
        The folder; it is made if it is missing.
    every
        Steps between two checkpoints; chosen by the length of the run if left out.
    model
        The text that the run came from, as `Solution.model` holds it.
    resumed
        Whether the run goes on from this folder.

    Examples
    --------
    >>> import isodyn as iso, tempfile
    >>> from isodyn.results import Checkpoint
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = Checkpoint(f"{folder}/run", every=5)
    ...     sol = iso.integrate(pendulum, dt=0.01, t_end=0.1, checkpoint=kept)
    ...     again = iso.resume(f"{folder}/run", pendulum)
    >>> bool((again.q == sol.q).all())
    True
    """

    folder: Path
    every: int | None = None
    model: dict[str, Any] | None = None
    resumed: bool = False
    begun: bool = field(default=False, init=False)
    identity: str = field(default="", init=False)  # of the run that the blocks belong to
    _blocks: int = field(default=0, init=False)
    _rows: int = field(default=0, init=False)  # how many are on disk
    _steps: int = field(default=0, init=False)
    _next: float = field(default=0.0, init=False)  # when a file is due, by the clock

    def __post_init__(self) -> None:
        if not isinstance(self.folder, str | Path):
            raise InputError(f"a checkpoint takes the path of a folder, received {self.folder!r}")
        self.folder = Path(self.folder)

    def begin(self, digest: str, options: dict[str, Any], events: int = 0, *, executor: bool = False) -> None:
        """Set up the folder of a new run.

        Parameters
        ----------
        digest
            What tells the system of the run from others.
        options
            The arguments of `integrate`.
        events
            How many events the run has.
        executor
            Whether workers of a cluster run it.

        Raises
        ------
        InputError
            If the folder holds another run.
        """
        self.begun = True
        if self.every is not None and (
            isinstance(self.every, bool) or not isinstance(self.every, int) or self.every < 1
        ):
            raise InputError(f"checkpoints are made every so many steps, at least 1, received {self.every!r}")
        if self.resumed:
            return
        if self._numbers():
            raise InputError(f"{self.folder} holds the checkpoint of a run", hint="resume it, or remove the folder")
        if self.folder.exists() and (
            not self.folder.is_dir() or not all(LEFT.fullmatch(path.name) for path in self._inside())
        ):
            raise InputError(f"{self.folder} exists and is no empty folder", hint="name a new one for checkpoints")
        make_folder(self.folder)
        document = {
            "format": FORMAT,
            "system": digest,
            "options": {name: to_json(value) for name, value in options.items()},
            "every": self.every,
            "events": events,
            "executor": executor,
            "model": self.model,
        }
        self.identity, text = sealed_json(document)
        write_file(self.folder / "run.json", text)

    # ---- when

    def settle(self, total_steps: int) -> None:
        """Choose the distance of checkpoints if it was left open.

        Parameters
        ----------
        total_steps
            Steps of the run; an absurd number where nobody knows.
        """
        if self.every is None:
            most = MOST_BETWEEN if total_steps < ABSURD else OF_UNKNOWN
            self.every = max(1, min(most, total_steps // PARTS))
            self._next = perf_counter() + AT_FIRST

    def room(self, steps: int) -> int:
        """Return the steps until the next checkpoint.

        Parameters
        ----------
        steps
            Those that are done.

        Returns
        -------
        steps
            Those that are left.
        """
        assert self.every is not None
        return self.every - steps % self.every

    def due(self, steps: int) -> bool:
        """Return whether a checkpoint is due.

        Parameters
        ----------
        steps
            Steps that are done.

        Returns
        -------
        due
            Whether it is.
        """
        assert self.every is not None
        return steps % self.every == 0

    # ---- out and in

    def write(self, run: Resumable) -> None:
        """Write the rows since the last checkpoint, and what the run carries.

        Where a file is left out, the run forgets what it would have forgotten.

        Parameters
        ----------
        run
            The run.
        """
        if self.is_time():
            self._put(run, run.carried())
        else:
            run.forget()

    def is_time(self) -> bool:
        """Return whether a file may be written now.

        Returns
        -------
        is_time
            Whether it may: not too soon after the one before, where nobody said how often.
        """
        return perf_counter() >= self._next

    def _put(self, run: Resumable, carried: dict[str, Any]) -> None:
        """Rows and state, as one more file."""
        k, steps, begin = int(run.counters.rows), int(run.state.step), max(self._rows - 1, 0)
        rows = {f"rows_{name}": values[begin:k] for name, values in zip(run.rows._fields, run.rows, strict=True)}
        self.append({"begin": begin, "ranks": run.ranks[begin:k], **rows, "seconds": run.seconds(), **carried})
        self._rows, self._steps = k, steps

    def append(self, arrays: dict[str, Any]) -> None:
        """Write one more file.

        Parameters
        ----------
        arrays
            What it holds.
        """
        started = perf_counter()
        if not self._blocks:
            make_folder(self.folder)
        head = {"identity": self.identity, "number": self._blocks + 1}
        write_file(self._block(self._blocks + 1), packed(**head, **arrays))
        self._blocks += 1
        self._next = 0.0 if self._next == 0.0 else perf_counter() + PATIENCE * (perf_counter() - started)

    def restore(self, run: Resumable) -> bool:
        """Let a run go on from its last checkpoint.

        Parameters
        ----------
        run
            The run.

        Returns
        -------
        found
            False if there is no checkpoint yet.
        """
        found = self.read(lambda block: self._take(block, run)) if self.resumed else None
        if found is None:
            return False
        run.put_back(found)
        run.before, self._steps = float(found["seconds"]), int(run.state.step)
        return True

    def finish(self, run: Resumable) -> None:
        """Write the last state, so that a finished run is found finished.

        Parameters
        ----------
        run
            The run.
        """
        if int(run.state.step) != self._steps:
            self._put(run, run.carried())

    def _take(self, block: dict[str, Any], run: Resumable) -> float:
        """Rows of a block into a run; the time that they go to."""
        _fit(block, run)
        begin, ranks, times = int(block["begin"]), block["ranks"], block["rows_t"]
        for name, values in zip(run.rows._fields, run.rows, strict=True):
            values[begin : begin + len(block[f"rows_{name}"])] = block[f"rows_{name}"]
        run.ranks[begin : begin + len(ranks)] = ranks
        self._rows = begin + len(times)
        return float(times[-1] if len(times) else block["state_t"])  # rows may begin later

    def read(self, take: Callable[[dict[str, Any]], float]) -> dict[str, Any] | None:
        """Hand over all blocks up to the first that is not sound.

        Parameters
        ----------
        take
            Takes what a block holds and returns the time that it goes to; an error says that it
            does not fit.

        Returns
        -------
        last
            The last sound block, None where there is none.
        """
        last, wrong, t = None, "", 0.0
        numbers = self._numbers()
        for number in range(1, max(numbers, default=0) + 1):
            try:
                block = unpacked(self._block(number))
                if str(block["identity"]) != self.identity or int(block["number"]) != number:
                    raise DamageError(f"{self._block(number)} belongs to another run")
                t = take(block)
            except DamageError as error:
                wrong = str(error).split("\n")[0]
                break
            except UNFIT as error:
                wrong = f"{self._block(number)} does not fit the run: {error}"
                break
            last, self._blocks = block, number
        if wrong:
            where = "the beginning" if last is None else f"block {self._blocks}, t = {t:g}"
            warnings.warn(
                f"{wrong}\nhint: the run goes on from {where}, and is the same", RecoveryWarning, stacklevel=5
            )
            for number in numbers:
                if number > self._blocks:
                    self._block(number).unlink(missing_ok=True)
        return last

    def _inside(self) -> list[Path]:
        try:
            return list(self.folder.iterdir())
        except OSError as error:
            raise failed(self.folder, error) from error

    def _numbers(self) -> list[int]:
        """Numbers of the blocks that are there."""
        if not self.folder.is_dir():
            return []
        return [int(found[1]) for path in self._inside() if (found := BLOCK.fullmatch(path.name))]

    def _block(self, number: int) -> Path:
        return self.folder / f"block-{number:06d}.npz"


def _fit(block: dict[str, Any], run: Resumable) -> None:
    """Whether the numbers of a block have the places of a run: all of them, before any is taken."""
    begin, many = int(block["begin"]), len(block["rows_t"])
    run.make_room(begin + many)
    wanted = {f"rows_{name}": (many, *x.shape[1:]) for name, x in zip(run.rows._fields, run.rows, strict=True)}
    for word, struct in (("state", run.state), ("counters", run.counters)):
        wanted |= {f"{word}_{name}": x.shape for name, x in struct.values().items()}
    for name, shape in wanted.items():
        if block[name].shape != shape or block[name].dtype.kind not in "fi":
            raise ValueError(f"{name} has the shape {block[name].shape}, {shape} is needed")
    if (
        begin < 0
        or many < min(begin, 1)
        or begin + many > len(run.rows.t)
        or not 0 <= int(block["state_step"]) <= run.total_steps
    ):
        raise ValueError(f"it holds {many} rows from {begin} on, of {len(run.rows.t)}")


def as_checkpoint(value: object) -> Checkpoint | None:
    """A checkpoint from what users give: a path, or one of these."""
    if value is None or isinstance(value, Checkpoint):
        return value
    if not isinstance(value, str | Path):
        raise InputError(f"checkpoint takes the path of a folder, received {value!r}")
    return Checkpoint(Path(value))
