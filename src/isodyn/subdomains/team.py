"""Where the subdomains of a run live: in this process one after the other, in threads, or as actors
on a Dask cluster.

All are asked the same thing at the same time and answer with numbers at the interface. States,
matrices and factors stay where they are; an actor is made once. A system step of linear subdomains
costs it one round trip: what needs no answer goes with the next question.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from isodyn.errors import InputError
from isodyn.subdomains.part import SubdomainPart


class Team:
    """Parts in this process; with `threads` > 1 they work side by side."""

    def __init__(self, given: list[tuple[Any, ...]], threads: int = 1) -> None:
        self.parts = [SubdomainPart(*arguments) for arguments in given]
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self.names = [part.name for part in self.parts]
        self.alone = self.pool is None  # nothing happens beside the calls of `ask`
        self.defers = False  # whether orders that need no answer wait for the next question
        self.phase = "the start"

    def ask(self, what: str, *arguments: object) -> list[Any]:
        """The answers of all parts, in their order."""

        def one(part: SubdomainPart) -> Any:
            with self.named(part.name):
                return getattr(part, what)(*arguments)

        return [one(part) for part in self.parts] if self.pool is None else list(self.pool.map(one, self.parts))

    def order(self, what: str, *arguments: object) -> None:
        """Something to be done that needs no answer."""
        self.ask(what, *arguments)

    @contextmanager
    def named(self, name: str) -> Iterator[None]:
        """The name of the subdomain as a note on what goes wrong in it."""
        try:
            yield
        except Exception as error:
            error.add_note(f"in subdomain {name!r}, {self.phase}")
            raise

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown()


class DaskTeam(Team):
    """Parts as actors on the workers of a `distributed.Client`, one worker after the other."""

    def __init__(self, given: list[tuple[Any, ...]], client: Any) -> None:
        workers = list(client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise InputError("the Dask client has no workers", hint="start some, or wait: client.wait_for_workers(1)")
        self.names = [arguments[0] for arguments in given]
        self.alone, self.defers, self.phase, self.pool = False, True, "the start", None
        self.waiting: tuple[Any, ...] | None = None
        self.parts = []
        futures = [
            client.submit(SubdomainPart, *arguments, actor=True, pure=False, workers=[workers[k % len(workers)]])
            for k, arguments in enumerate(given)
        ]
        self.actors: list[Any] = []
        for name, future in zip(self.names, futures, strict=True):
            with self.named(name):
                self.actors.append(future.result())

    def ask(self, what: str, *arguments: object) -> list[Any]:
        """All actors are asked before the first answer is waited for."""
        before, self.waiting = self.waiting, None
        asked = [actor.after(before, what, *arguments) for actor in self.actors]
        answers = []
        for name, future in zip(self.names, asked, strict=True):
            with self.named(name):
                answers.append(future.result())
        return answers

    def order(self, what: str, *arguments: object) -> None:
        """Something to be done before the next question is answered."""
        if self.waiting is not None:
            self.ask("corrects", None)
        self.waiting = (what, *arguments)

    def close(self) -> None:
        self.actors.clear()


def team(given: list[tuple[Any, ...]], threads: int, executor: Any) -> Team:
    """Parts where they were asked to live."""
    if executor is None:
        return Team(given, threads)
    if not _is_dask_client(executor):
        raise InputError(
            f"executor must be a distributed.Client or None, received {type(executor).__name__}",
            hint="from distributed import Client; or threads= for several threads of this process",
        )
    if threads > 1:
        raise InputError(f"with an executor its workers are the threads, received threads = {threads}")
    return DaskTeam(given, executor)


def _is_dask_client(executor: object) -> bool:
    """Does not import Dask if it is not loaded yet."""
    return any(base.__module__ == "distributed.client" and base.__name__ == "Client" for base in type(executor).__mro__)
