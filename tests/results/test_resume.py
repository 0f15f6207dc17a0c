"""Checkpoints: a run that is killed and resumed gives bit for bit the rows of one that is not; what
does not fit is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.cli import main
from isodyn.errors import DamageError, InputError
from isodyn.results import Checkpoint

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"


# written and resumed in different ways, and quick
QUICK = ("python", "adaptive, redundant", "events", "ensemble", "subdomains, nonlinear", "sweep")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    ("kills", "kinds"),
    [
        pytest.param(8, QUICK, marks=pytest.mark.slow, id="some kinds"),
        pytest.param(20, (), marks=pytest.mark.long, id="all kinds"),
    ],
)
def test_killed_runs_are_resumed_bit_for_bit(tmp_path: Path, kills: int, kinds: tuple[str, ...]) -> None:
    """Signal 9 at random steps, inside writes and at random instants, up to three times in a row, with
    damaged files in between; every kind of run comes to the end that nobody disturbed."""
    script = Path(__file__).with_name("killed_runs.py")
    seed = str(np.random.SeedSequence().entropy % 1000)
    run = subprocess.run(
        [sys.executable, str(script), str(tmp_path), seed, str(kills), *kinds],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, f"seed {seed}: {run.stderr[-2000:]}"
    found = json.loads(run.stdout.splitlines()[-1])
    assert set(found["kinds"]) == set(kinds) or not kinds
    assert {name for name, one in found["kinds"].items() if not one["same"]} == set(), f"seed {seed}"
    assert found["deaths"] >= kills


def oscillator(k: float = 1.0) -> Any:
    return iso.LinearSystem(1.0, None, k, None, [1.0], [0.0])


def test_a_stop_by_ctrl_c_goes_on(tmp_path: Path) -> None:
    """An observer's word or an interrupt leaves the last checkpoint."""
    system, options = oscillator(), {"dt": 0.1, "t_end": 5.0}
    sol = iso.integrate(system, **options, checkpoint=Checkpoint(tmp_path / "c", 5), observe=lambda s: s.t > 2.2)
    assert sol.stats.stopped is not None
    whole = iso.resume(tmp_path / "c", system)
    assert np.array_equal(whole.q, iso.integrate(system, **options).q)
    assert whole.stats.stopped is None


def test_seconds_add_up(tmp_path: Path) -> None:
    """A run that is resumed counts the time of the one before it."""
    iso.integrate(oscillator(), dt=0.1, t_end=5.0, checkpoint=tmp_path / "c", observe=lambda s: time.sleep(2e-3))
    assert iso.resume(tmp_path / "c", oscillator()).stats.seconds >= 50 * 2e-3


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    """Another system, no system, a folder in use, damage."""
    place = tmp_path / "c"
    iso.integrate(oscillator(), dt=0.1, t_end=1.0, checkpoint=place)
    with pytest.raises(InputError, match="another system"):
        iso.resume(place, oscillator(1.1))
    with pytest.raises(InputError, match="system in Python"):
        iso.resume(place)
    with pytest.raises(InputError, match="holds the checkpoint of a run"):
        iso.integrate(oscillator(), dt=0.1, t_end=1.0, checkpoint=place)
    with pytest.raises(InputError, match="holds no checkpoint"):
        iso.resume(tmp_path / "nothing", oscillator())
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match="no empty folder"):
        iso.integrate(oscillator(), dt=0.1, t_end=1.0, checkpoint=tmp_path / "full")
    with pytest.raises(InputError, match="path of a folder"):
        iso.integrate(oscillator(), dt=0.1, t_end=1.0, checkpoint=3)
    with pytest.raises(InputError, match="at least 1"):
        iso.integrate(oscillator(), dt=0.1, t_end=1.0, checkpoint=Checkpoint(tmp_path / "d", 0))
    (place / "run.json").write_bytes(b"nonsense")
    with pytest.raises(DamageError, match="cannot be read"):
        iso.resume(place, oscillator())


def test_a_bad_run_leaves_the_folder_free(tmp_path: Path) -> None:
    """What fails before its first checkpoint can be started again."""
    with pytest.raises(InputError):
        iso.integrate(oscillator(), dt=0.1, t_end=1.0, formulation=iso.GGL(), checkpoint=tmp_path / "c")
    assert iso.integrate(oscillator(), dt=0.1, t_end=1.0, checkpoint=tmp_path / "c").t.size == 11


def test_the_command_line_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model file brings its system with it; a problem too; a Python file is named again."""

    def call(*arguments: str) -> dict[str, Any]:
        with pytest.raises(SystemExit) as leave:
            main([*arguments, "--json"])
        captured = capsys.readouterr()
        assert leave.value.code == 0, captured.err
        document: dict[str, Any] = json.loads(captured.out)
        return document

    one = call("run", str(MODELS / "spatial.toml"), "--t-end", "0.1", "--checkpoint", str(tmp_path / "m"))
    two = call("resume", str(tmp_path / "m"), "--save", str(tmp_path / "m.nc"))
    assert two["bodies"] == one["bodies"]
    assert two["files"] == [str(tmp_path / "m.nc")]
    call("run", "kepler", "--t-end", "1", "--checkpoint", str(tmp_path / "k"))
    assert call("resume", str(tmp_path / "k"))["steps"] > 0
    own = tmp_path / "own.py"
    own.write_text("import isodyn as iso\nsystem = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])\n")
    call("run", "--python", f"{own}:system", "--dt", "0.1", "--t-end", "1", "--checkpoint", str(tmp_path / "p"))
    assert call("resume", str(tmp_path / "p"), "--python", f"{own}:system")["steps"] == 10


def test_statistics_of_a_finished_run_stay(tmp_path: Path) -> None:
    problem = problems.get("andrews")
    sol = iso.integrate(problem.system(), dt=problem.dt, t_end=20 * problem.dt, checkpoint=tmp_path / "c")
    again = iso.resume(tmp_path / "c", problem.system())
    assert (again.stats.steps, again.stats.iterations) == (sol.stats.steps, sol.stats.iterations)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [iso.Scheme.V0(0.8, 0.8, 0.2), iso.Scheme.optimal(0.5)], ids=str)
def test_every_turn_of_a_run_can_be_resumed(
    scheme: iso.Scheme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stops after the first step, before, on and after breakpoints, where accelerations change
    their time level, and at the end."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    system, dt = problems.get("andrews").system(), problems.get("andrews").dt
    options = {"dt": dt, "t_end": 12 * dt, "breakpoints": [4.5 * dt, 5 * dt, 8 * dt], "scheme": scheme, "save_every": 2}
    plain, write = iso.integrate(system, **options), Checkpoint.write

    class StopError(Exception):
        pass

    for number in range(1, plain.stats.steps + 1):
        left = [number]

        def limited(self: Checkpoint, run: Any, left: list[int] = left) -> None:
            write(self, run)
            left[0] -= 1
            if left[0] == 0:
                raise StopError

        monkeypatch.setattr(Checkpoint, "write", limited)
        with pytest.raises(StopError):
            iso.integrate(system, **options, checkpoint=Checkpoint(tmp_path / str(number), 1))
        monkeypatch.setattr(Checkpoint, "write", write)
        sol = iso.resume(tmp_path / str(number), system)
        for name in ("t", "q", "v", "a", "lam"):
            assert np.array_equal(getattr(sol, name), getattr(plain, name)), (number, name)
        for name in plain.aux:
            assert np.array_equal(sol.aux[name], plain.aux[name]), (number, name)


def test_the_folder_of_a_checkpoint_may_be_text(tmp_path: Path) -> None:
    """It ended in a TypeError when the run began."""
    system = iso.problems.get("pendulum").system()
    whole = iso.integrate(system, dt=0.01, t_end=0.2, checkpoint=iso.results.Checkpoint(f"{tmp_path}/run", every=5))
    assert np.array_equal(iso.resume(tmp_path / "run", system).q, whole.q)
    with pytest.raises(InputError, match=r"takes the path of a folder, received 3"):
        iso.results.Checkpoint(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "way", [{"scheme": iso.Radau(1e-7)}, {"scheme": iso.Auto(1e-7)}, {"dt": iso.Adaptive(1e-4)}, {"dt": 0.01}]
)
def test_checkpoints_before_the_first_row(tmp_path, way):
    """Times of rows that begin late: there is a state to go on from, though no row yet; such runs began
    again at their start."""
    system = problems.get("pendulum").system()
    asked = {"t_end": 2.0, "save": [1.9, 2.0], **way}
    whole = iso.integrate(system, **asked, checkpoint=Checkpoint(tmp_path / "whole", 5))
    for file in sorted((tmp_path / "whole").glob("block-*"))[1:]:
        file.unlink()
    again = iso.resume(tmp_path / "whole", system)
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(whole, name), getattr(again, name)), name
