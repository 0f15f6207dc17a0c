"""A process that runs points of a sweep, started by isodyn.sweeps.local.

It reads frames from standard input and answers on what was standard output; what models print goes
to standard error. It ends when nobody is there to read.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import sys
import threading
import time
import traceback
from typing import IO, Any

from isodyn.sweeps.points import task_of

OFTEN = 0.2  # seconds for which outcomes are collected


def write_frame(stream: IO[bytes], value: object) -> None:
    """A value, with its size before it."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(struct.pack(">Q", len(data)) + data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any:
    """The next value; EOFError where there is none."""
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    (size,) = struct.unpack(">Q", head)
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


def _listen(stream: IO[bytes], blocks: queue.Queue[Any]) -> None:
    """Take blocks as they come; the end of the driver is the end of this process, at once."""
    while True:
        try:
            blocks.put(read_frame(stream))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)


def main() -> None:
    """Run blocks of points until there are no more. The thread that listens ends with the process,
    at once."""
    try:
        _main()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def _main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    source = sys.stdin.buffer
    first = read_frame(source)
    sys.path[:] = first["path"]
    blocks: queue.Queue[Any] = queue.Queue()
    threading.Thread(target=_listen, args=(source, blocks), daemon=True).start()
    task = task_of(first["task"])
    write_frame(answers, "ready")
    collected: list[Any] = []
    sent = time.monotonic()
    while (block := blocks.get()) is not None:
        for point in block:
            collected.append(task.run(point))
            if time.monotonic() - sent > OFTEN:
                write_frame(answers, collected)
                collected, sent = [], time.monotonic()
        write_frame(answers, collected)
        collected, sent = [], time.monotonic()
