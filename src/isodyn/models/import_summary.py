"""The result of reading a file of another program: a `Mechanism` with a summary of what was read,
changed and ignored."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field

from isodyn.errors import MendedWarning
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.mechanism import Mechanism
from isodyn.notebook_views import ShownInNotebooks


@dataclass(frozen=True, eq=False)
class Place:
    """Where a link or site is: the body that carries it, and its frame in that of the body."""

    body: str
    position: FloatArray
    orientation: FloatArray


@dataclass(frozen=True)
class Limits:
    """What a file says about the range of a joint; None where it says nothing."""

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None


@dataclass(eq=False)
class ImportSummary(ShownInNotebooks):
    """Which parts of a file are in a mechanism.

    Parameters
    ----------
    format, name, file
        The format, the name of the model in the file, and the file.
    read
        How many elements of each kind became a part.
    changed
        What is other than the file says: merged links, mended inertias, names that were taken.
    ignored
        What a mechanism does not have, element by element.
    joints, links
        From names in the file to those in the mechanism: joints by name, links to their `Place`.
    limits
        Limits of joints by name in the mechanism; they act only where that was asked for.
    positions
        Named configurations of the file (keyframes): coordinates of joints by name.
    mended
        Numbers that were wrong and were corrected, and constraints and springs that were left out.

    Examples
    --------
    >>> import isodyn as iso
    >>> body = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    >>> joint = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    >>> mech = iso.load_urdf(f"<robot name='r'><link name='a'/><link name='b'>{body}</link>{joint}</robot>")
    >>> print(mech.import_summary)
    URDF model 'r': 1 joint, 2 links
    changed: link 'a' belongs to the ground
    """

    format: str
    name: str = ""
    file: str = ""
    read: Counter[str] = field(default_factory=Counter)
    changed: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    joints: dict[str, str] = field(default_factory=dict)
    links: dict[str, Place] = field(default_factory=dict)
    limits: dict[str, Limits] = field(default_factory=dict)
    positions: dict[str, dict[str, float]] = field(default_factory=dict)
    mended: list[str] = field(default_factory=list)

    def ignore(self, what: str) -> None:
        """Note something that the mechanism does not have.

        Parameters
        ----------
        what
            What it is, in words.
        """
        self.ignored.append(what)

    def leave_out(self, what: str) -> None:
        """Note a joint, constraint or spring that the mechanism does not have; `warn` names all.

        The mechanism then moves otherwise than the file says.

        Parameters
        ----------
        what
            What it is, in words.
        """
        self.ignored.append(what)
        self.mended.append(f"{what} is left out")

    def change(self, what: str) -> None:
        """Note something that differs from the file.

        Parameters
        ----------
        what
            What it is, in words.
        """
        self.changed.append(what)

    def mend(self, what: str) -> None:
        """Note a number that was wrong and was corrected; `warn` names all of them.

        Parameters
        ----------
        what
            What it is, in words.
        """
        self.changed.append(what)
        self.mended.append(what)

    def warn(self) -> None:
        """Warn once of everything that was mended or left out."""
        if self.mended:
            shown = [*self.mended[:8], *([f"and {len(self.mended) - 8} more"] if len(self.mended) > 8 else [])]
            where = self.file or f"{self.format} {self.name!r}"
            warnings.warn(f"{where}: {'; '.join(shown)}", MendedWarning, stacklevel=4)

    def __str__(self) -> str:
        counts = ", ".join(f"{n} {kind if n == 1 else _plural(kind)}" for kind, n in sorted(self.read.items()) if n)
        lines = [f"{self.format} model {self.name!r}: {counts or 'nothing'}"]
        lines += [f"changed: {what}" for what in self.changed]
        lines += [f"ignored: {what}" for what in self.ignored]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{self.format} {self.name!r}: {len(self.changed)} changed, {len(self.ignored)} ignored>"


def _plural(word: str) -> str:
    return {"body": "bodies", "inertia": "inertias"}.get(word, f"{word}s")


@dataclass(eq=False, repr=False)
class ImportedMechanism(Mechanism):
    """A `Mechanism` from a file of another program, with `import_summary`.

    Parameters
    ----------
    gravity, cayley
        As in `Mechanism`.

    Examples
    --------
    >>> import isodyn as iso
    >>> body = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    >>> joint = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    >>> text = f"<robot name='r'><link name='a'/><link name='b'>{body}</link>{joint}</robot>"
    >>> iso.load_urdf(text).import_summary.name
    'r'
    """

    import_summary: ImportSummary = field(default_factory=lambda: ImportSummary(""), init=False)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.import_summary.name!r}: {self._parts.in_words()}>"
