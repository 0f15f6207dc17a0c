"""What views of parts along a run have in common: one line that says what they are, and a table of
their histories in notebooks."""

from __future__ import annotations

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
