"""Every error and warning that isodyn raises on purpose.

A message says what went wrong, where, what was expected and received, and ends with a `hint:` line
where one is useful. Errors of a run carry the solution up to the last whole step in `.partial`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

Argument = str | tuple[str | int, ...]
"""An argument by its name, or by its name and where in it."""


class Rows(Protocol):
    """What an error knows of a solution: its rows in time."""

    t: Any
    q: Any
    v: Any
    a: Any
    lam: Any


class IsodynError(Exception):
    """Root of all errors of this package.

    Parameters
    ----------
    message
        What went wrong, where, what was expected and received.
    hint
        What to do about it, printed on a line of its own.
    partial
        The solution up to the last whole step, if a run failed.

    Examples
    --------
    >>> import isodyn as iso
    >>> try:
    ...     iso.problems.get("pendulums")
    ... except iso.IsodynError as error:
    ...     print(error.hint)
    did you mean pendulum or rigid_pendulum or flexible_pendulum?
    """

    def __init__(self, message: str, *, hint: str | None = None, partial: Rows | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\nhint: {hint}")
        self.message = message
        self.hint = hint
        self.partial = partial


class InputError(IsodynError, ValueError):
    """An argument has the wrong shape, type, sign or value.

    `part` is the name of the part of a mechanism that has it, where there is one. `argument` is its
    name, and where in it the mistake is: ("force", 1) is the second component of a force. Both are
    empty where they are not known.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        partial: Rows | None = None,
        part: str | None = None,
        argument: Argument = (),
    ) -> None:
        super().__init__(message, hint=hint, partial=partial)
        self.part = part
        self.argument = (argument,) if isinstance(argument, str) else argument


@contextmanager
def about(part: str | None = None, argument: Argument = (), *, inside: Argument = ()) -> Iterator[None]:
    """Input errors that pass by are about this part and argument, unless they know better; `inside`
    goes before their argument."""
    try:
        yield
    except InputError as error:
        error.part = part if error.part is None else error.part
        for more in (argument if not error.argument else (), inside):
            error.argument = ((more,) if isinstance(more, str) else more) + error.argument
        raise


class FileError(IsodynError, OSError):
    """A file or folder cannot be written: no room, no right, no such place."""


class MemberError(IsodynError):
    """The error of a member that was run elsewhere or earlier; `kind` names the type that it had.

    Examples
    --------
    >>> from isodyn.errors import MemberError
    >>> MemberError("ConvergenceError", "Newton stopped at t = 1").kind
    'ConvergenceError'
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind

    def __reduce__(self) -> tuple[Any, ...]:
        return MemberError, (self.kind, str(self).removeprefix(f"{self.kind}: "))


class DamageError(InputError):
    """A file of results is not as it was written: cut off, changed, or mixed with another."""


class SchemeError(IsodynError, ValueError):
    """The chosen coefficients do not form an admissible scheme, or not for this kind of system."""


class CallableError(IsodynError):
    """A user's function returned something that is not what the system needs."""


class ConflictError(IsodynError):
    """Constraints contradict each other."""


class BranchError(ConflictError):
    """A motion cannot begin here: several branches cross, and the velocities lead onto none of
    them, or do not say which one.

    `branches` holds the choices, each as rates by name; it is empty where they cannot be listed.
    """

    def __init__(self, message: str, *, branches: tuple[dict[str, float], ...] = (), hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.branches = branches


class NotSteadyError(InputError):
    """A motion that was given as a steady one is none."""


class LockingError(ConflictError):
    """A basis takes freedom that constrained motion needs."""


class SingularError(IsodynError):
    """A matrix that has to be inverted is singular."""


class BucklingError(SingularError):
    """An equilibrium that is followed along growing loads becomes unstable; `factor` is the part of
    the load at which it does."""

    def __init__(self, message: str, *, factor: float, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.factor = factor


class PainleveError(IsodynError):
    """Rigid contacts with Coulomb friction, or forces that depend on multipliers, admit no
    acceleration, or several."""


class SeparationError(IsodynError):
    """A contact that can only push would have to pull; `opening` holds the numbers of the contacts
    that open."""

    def __init__(self, message: str, *, opening: tuple[int, ...] = (), hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.opening = opening


class ConvergenceError(IsodynError):
    """Newton's iteration did not converge, also not after halving the step."""


class SensitivityError(InputError):
    """A run or an output that cannot be differentiated; the message says why."""


class NonFiniteError(IsodynError):
    """A NaN or an infinity appeared in the motion or in what a user's function returned."""


class KernelError(IsodynError):
    """A kernel could not be compiled when a run came to it, or compiling it was interrupted."""


class WorkersError(IsodynError):
    """Worker processes, or the cluster that they belong to, cannot be reached or do not stay."""


class IsodynWarning(UserWarning):
    """Root of all warnings of this package."""


class InterruptedWarning(IsodynWarning):
    """Ctrl-C ended a run; the result holds what was done."""


class RecoveryWarning(IsodynWarning):
    """Something on the disk is damaged; what could be saved is used, the rest is computed again."""


class MendedWarning(IsodynWarning):
    """Numbers of a file of another program cannot be those of a body, and were mended; or parts of
    it that matter for the motion were left out."""


class StabilityWarning(IsodynWarning):
    """The scheme, or the scheme with this step, amplifies some motions."""


class AccuracyWarning(IsodynWarning):
    """The scheme is not second order in all variables, or numbers at t_n are not what they seem."""


class ChordStrainWarning(AccuracyWarning):
    """Positions at t_n strain a part more than its forces do, because the balance holds on chords
    of the motion."""


class CoarseStepWarning(AccuracyWarning):
    """The local error of a run is not small: its steps are too coarse for what moves."""


class LooseToleranceWarning(AccuracyWarning):
    """Errors of adaptive steps were compared with sizes far larger than the motion."""


@contextmanager
def coarse_steps_meant() -> Iterator[None]:
    """For studies that look at coarse steps on purpose: runs inside warn neither of them nor of
    chords.

    It serves as a context (`with coarse_steps_meant():`) and as a decorator
    (`@coarse_steps_meant()`).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoarseStepWarning)
        warnings.simplefilter("ignore", ChordStrainWarning)
        yield


class SingularityWarning(IsodynWarning):
    """Angles are asked for where they are not unique."""
