"""Every mistake on the command line gets one message with a hint, and the right exit code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import isodyn
from isodyn import cli, errors, problems
from isodyn.problems import kepler
from isodyn.report import figures


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as leave:
        cli.main(list(arguments))
    captured = capsys.readouterr()
    return int(leave.value.code or 0), captured.out, captured.err


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        ("run plejades", "there is no problem named 'plejades'", "did you mean pleiades"),
        ("run xyz", "there is no problem named 'xyz'", "known problems: pleiades, "),
        ("run kepler --scheme U1(1)", "there is no scheme named 'U1'", "did you mean U0"),
        ("run kepler --scheme zzzzz", "there is no scheme named 'zzzzz'", "known: U0, V0, "),
        ("run kepler --scheme U0(1,1,a)", "'a' in 'U0(1,1,a)' is not a number", 'write for example "U0(0.8,0.8,0.8)"'),
        ("run kepler --scheme U0(1,1,__import__('os'))", "is not a number", "write for example"),
        ("run kepler --scheme U0(1,1", "is not a scheme", "write for example"),
        ("run kepler --scheme U0(1,,1)", "cannot read the arguments", "write for example"),
        ("run kepler --scheme U0(1)", "missing a required argument: 'rho_max'", "U0 takes (rho_min, rho_max, rho_s"),
        ("run kepler --scheme U0(1,0.5,0.2)", "rho_min", ""),
        ("run kepler --dt -1", "dt must be positive", ""),
        ("run kepler --dt abc", "'abc' is not a valid float", "write plain numbers in SI units"),
        (
            "run kepler --dt 0,01",
            "'0,01' is not a valid float",
            "write plain numbers in SI units, with a point: 0.01; isodyn run --help",
        ),
        ("run kepler --t-end 10ms", "'10ms' is not a valid float", "write plain numbers in SI units"),
        ("run kepler --report", "Option '--report' requires an argument", "isodyn run --help"),
        ("run examples/models", "Is a directory", "name a model file in it: "),
        ("run kepler --t-end -1", "t_end", ""),
        ("run kepler --set e=2", "eccentricity e must lie in [0, 1)", ""),
        ("run kepler --set f=2", "kepler has no parameter 'f'", "its parameters: e = 0.6"),
        ("run pendulum --set m=-1", "parameter 'm' of pendulum must be positive, received -1", ""),
        ("run planar_loop_in_space --set radius=0", "parameter 'radius' of planar_loop_in_space must be positive", ""),
        ("run rigid_pendulum --set inertia=-1", "M is indefinite", "masses are positive"),
        (
            "run pendulum --rtol 0",
            "rtol of adaptive steps must lie between",
            "this method is of second order; the methods Radau and DOP853",
        ),
        (
            "sweep pendulum",
            "a sweep needs outputs",
            "outputs=['max(|pin.force|)'] or solutions=True; on the command line --output",
        ),
        ("run kepler --set e", "--set needs name=number", "for example --set e=0.7"),
        ("run brusselator_stable --scheme hht(0.7)", "does not adapt to first-order systems", "the nearest admissible"),
        ("run kepler --scheme gear", "scheme for first-order systems", ""),
        ("run", "Missing argument 'PROBLEM'", "isodyn run --help"),
        ("rum", "there is no command named 'rum'", "did you mean isodyn run or resume?"),
        ("pendulum", "there is no command named 'pendulum'", "commands are demo, list, run"),
        ("four_bar.toml", "there is no command named 'four_bar.toml'", "isodyn run four_bar.toml"),
        ("order kepler --dt 0.1", "at least two positive steps", "for example [0.04, 0.02, 0.01]"),
        ("scheme U0(2,2,2)", "rho", ""),
        ("scheme newmark --xi -1", "xi must be finite and not negative, received -1", "1 is critical damping"),
        ("scheme newmark --plot scheme.xyz", "cannot draw 'scheme.xyz': its ending must be", "for example scheme.png"),
        ("order kepler --plot order", "cannot draw 'order': its ending must be", "for example order.png"),
        ("run pendulum --formulation bomgarte", "there is no formulation named 'bomgarte'", "did you mean baumgarte?"),
        ("run pendulum --formulation zzzzz", "there is no formulation named 'zzzzz'", "known: stabilised, position"),
        ("run pendulum --formulation baumgarte(a)", "'a' in 'baumgarte(a)' is not a number", "write for example"),
        ("run pendulum --formulation penalty(exit())", "is not a number", "write for example"),
        ("run pendulum --formulation baumgarte(1", "'baumgarte(1' is not a formulation", "write for example"),
        ("run pendulum --formulation baumgarte(1,,2)", "cannot read the arguments", "write for example"),
        ("run pendulum --formulation ggl(1,2,3)", "too many positional arguments", "ggl takes ("),
        ("run pendulum --formulation penalty((1,2))", "formulations take single numbers", "for example baumgarte"),
        ("run pendulum --formulation baumgarte(-1)", "alpha must be positive", "negative gains"),
        ("run kepler --formulation ggl", "the system has no constraints", ""),
        ("compare kepler --formulation ggl", "the system has no constraints", "leave formulations out"),
        ("compare pendulum --dt 0.1", "at least two positive steps", "for example [0.04, 0.02, 0.01]"),
        ("compare plejades", "there is no problem named 'plejades'", "did you mean pleiades"),
        ("compare arm.toml", "there is no problem named 'arm.toml'", "a ready problem is needed here"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], arguments: str, error: str, hint: str) -> None:
    """Exit code 2, nothing on standard output, `error:` and `hint:` on standard error, no
    traceback."""
    code, out, err = call(capsys, *arguments.split())
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert error in err
    assert "Traceback" not in err
    if hint:
        assert f"hint: {hint}" in err


def test_a_failed_run_leaves_with_one(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the run itself, here a body that starts at the centre of attraction, is not the
    user's typing."""

    def collide(e: float) -> isodyn.CompiledSystem:
        system = kepler.build(e)
        system.q0[:] = 0.0
        return system

    broken = problems.Problem(
        **{**{f: getattr(problems.get("kepler"), f) for f in problems.Problem.__dataclass_fields__}, "build": collide}
    )
    monkeypatch.setattr(problems, "get", lambda name: broken)
    code, out, err = call(capsys, "run", "kepler")
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert "t = 0" in err


def test_folder_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file where the folder should be made."""
    blocker = tmp_path / "file"
    blocker.write_text("")
    for arguments in (
        ("run", "kepler", "--t-end", "0.1", "--out", str(blocker / "below")),
        ("order", "kepler", "--plot", str(blocker / "order.png")),
        ("scheme", "newmark", "--plot", str(blocker / "scheme.png")),
    ):
        code, out, err = call(capsys, *arguments)
        assert (code, out) == (2, "")  # said before any work is done
        assert err.startswith(f"error: cannot write into the folder {blocker}")
        assert err.endswith("hint: name a folder that is yours\n")


def test_missing_matplotlib(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Said before the run starts, with the way to install it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = call(capsys, "run", "kepler", "--out", str(tmp_path))
    assert (code, out) == (1, "")
    assert err == "error: figures need matplotlib, which is not installed\nhint: pip install 'isodyn[plot]'\n"
    with pytest.raises(errors.IsodynError, match="figures need matplotlib"):
        figures.require_matplotlib()


def test_unstable_scheme_warns_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """A warning is one line on standard error; the run goes on."""
    code, out, err = call(capsys, "run", "manufactured", "--scheme", "U0(0.5,0.5,0.5,explicit)", "--t-end", "0.1")
    assert code == 0
    assert err.startswith("warning: U0(0.5, 0.5, 0.5) explicit is unstable")
    assert "manufactured" in out


def test_interrupted_run_leaves_with_130(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What exists is summarised, and the exit code says that it is not all."""
    run = isodyn.integrate

    def stopping(*arguments: Any, **settings: Any) -> isodyn.Solution:
        return run(*arguments, **settings, observe=lambda sample: bool(sample.t >= 0.1))

    monkeypatch.setattr("isodyn.cli.run.integrate", stopping)
    code, out, _ = call(capsys, "run", "kepler")
    assert code == 130
    assert "stopped by observe at t = 0.1 after 10 of 6284 steps" in out
