"""Events in model files: the same as from Python; expressions that cannot be read are told with their
place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
from isodyn.cli import main
from isodyn.errors import InputError
from isodyn.models import model_from_text

TEXT = """
[bodies.rod]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]
[joints.pin]
type = "hinge"
between = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]
[events.low]
expression = "rod.z + 0.3"
direction = -1
terminal = true
[run]
dt = 0.01
t_end = 2.0
"""


def test_a_terminal_event() -> None:
    model = model_from_text(TEXT)
    sol = iso.integrate(model.mechanism().compile(), **model.options())
    assert sol.events[0].name == "low"
    assert sol.body("rod").position[-1, 2] == pytest.approx(-0.3, abs=1e-14)
    assert sol.stats.stopped.startswith("stopped by low at t = 0.305")
    # the same expression by what sol.quantities() knows, in Python
    slow = iso.Event(lambda s: s.q[2] + 0.3, -1, True)
    same = iso.integrate(model.mechanism().compile(), **{**model.options(), "events": [slow]})
    assert same.t[-1] == pytest.approx(sol.t[-1], abs=1e-14)


def test_what_cannot_be_read() -> None:
    with pytest.raises(InputError, match=r"line 12: events.low.expression"):
        model_from_text(TEXT.replace("rod.z + 0.3", "rod.z + ")).options()
    with pytest.raises(InputError, match="direction"):
        model_from_text(TEXT.replace("direction = -1", "direction = 3"))
    wrong = model_from_text(TEXT.replace("rod.z", "rot.z"))
    with pytest.raises(InputError, match=r"no quantity named 'rot.z'(.|\n)*did you mean 'rod"):
        iso.integrate(wrong.mechanism().compile(), **wrong.options())


def test_a_stopped_run_with_events_goes_on_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such runs were refused: the events of the file did not come with its system."""
    path, kept = tmp_path / "model.toml", tmp_path / "kept"
    path.write_text(TEXT + f"[output]\ncheckpoint = {str(kept)!r}\ncheckpoint_every = 2\n")
    with pytest.raises(SystemExit):
        main(["run", str(path), "--save", str(tmp_path / "whole.nc"), "--json"])
    for block in sorted(kept.glob("block-*"))[2:]:
        block.unlink()
    with pytest.raises(SystemExit) as leave:
        main(["resume", str(kept), "--save", str(tmp_path / "again.nc"), "--json"])
    assert not leave.value.code, capsys.readouterr().err
    whole, again = iso.load(tmp_path / "whole.nc"), iso.load(tmp_path / "again.nc")
    np.testing.assert_array_equal(again.q, whole.q)
    assert again.body("rod").position[-1, 2] == pytest.approx(-0.3, abs=1e-14)
    assert "stopped by low" in capsys.readouterr().out
