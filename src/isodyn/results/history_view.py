"""What views of parts along a run have in common: one line that says what they are, and a table of
their histories in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from isodyn.kernels.compiled import FloatArray
from isodyn.notebook_views import ShownInNotebooks


class HistoryView(ShownInNotebooks):
    """A part along a run; `t` are the times of its histories."""

    t: FloatArray

    def about(self) -> str:
        """Which part it is, in words."""
        raise NotImplementedError

    def histories(self) -> tuple[str, ...]:
        """Attributes that are arrays with the times first."""
        raise NotImplementedError

    def title(self) -> str:
        """What it is and when."""
        rows = f"{self.t.size} rows" + (f" from t = {self.t[0]:g} to {self.t[-1]:g}" if self.t.size else "")
        return f"{type(self).__name__} {self.about()}, {rows}"

    def __repr__(self) -> str:
        return f"<{self.title()}: {', '.join(self.histories())}>"

    if not TYPE_CHECKING:  # checkers know all attributes

        def __getattr__(self, name: str) -> NoReturn:
            """The error for an attribute that a part does not have, with those that it has."""
            if name.startswith("_") or "t" not in vars(self):
                raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
            known = self.histories()
            told = f"; it has {', '.join(known)}" if known else ""
            raise AttributeError(f"{self.about()} has no {name!r}{told}")
