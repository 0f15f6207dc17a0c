"""Work against precision beside other solvers, in one run: isodyn's adaptive GS4, Radau and constant
steps; SciPy's Radau and BDF; IDA of SUNDIALS (scikit-sundae); Radau of scipy_dae; diffrax.

    Van der Pol, μ = 1, 100, 1000;    Robertson;    Andrews' mechanism;    a thermoelastic bar
    a beam between bodies, damped: let go from rest, and swinging against a stop
    a pendulum on a spring, k = 1e4, 1e6, 1e8: its spring at rest, and plucked to vibrate with 1 m/s, damped

Peers get the equations as y' = f(t, y), y = (q, v), IDA and scipy_dae as y' − f = 0: Numba functions
for the small problems; of Andrews, beam and bar the compiled rates of isodyn's own models,
accelerations with constraints solved for. diffrax has those that are written in JAX. Errors are the
largest over 60 times of the run, half of them early, and over components of y, relative to the largest value of each
component and a thousandth of the largest of all, against `iso.Radau` with rtol = 1e-12. For adaptive and constant steps
of GS4 errors of accelerations and multipliers are measured, too, each in the same way. Times are
processor times of whole calls without rows between, the least of two, of short ones of more; compiling before.

Required: Radau is at least three times as fast as SciPy's at the errors that SciPy reaches, and not
less accurate at the same tolerance, but where the error of both is a vibration that both have lost:
then it is as large as that, whatever the tolerance; adaptive GS4 reaches its errors of q, v, a and λ faster than
constant steps of the same member on every problem whose motion has more than one time scale. The same ratio for the
errors of q and v alone stands beside it.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module as load
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from benchmarks.common import write
from benchmarks.peers.problems.andrews_models import Equations
from benchmarks.radau import oscillator, robertson
from scipy.integrate import solve_ivp

import isodyn as iso
from isodyn.marching.method_run import MethodRun
from isodyn.marching.schedule import plan
from isodyn.problems.thermoelastic_bar import assemble

FASTER, NOISE = 3.0, 1e-11  # errors below the latter are those of the reference
SAME = 0.3  # errors that differ by less than this part are those of the same vibration that is lost
OURS = tuple(10.0**-k for k in range(1, 10))
THEIRS = (1e-3, 1e-5, 1e-7)
ADAPTIVE = (1e-2, 1e-3, 1e-4)
FEWEST, MOST = 64, 2**17  # constant steps
ROUNDS, LONGEST = 2, 2.0  # of a call; after a longer one there is no finer one
ENOUGH, MANY = 0.1, 40  # seconds after which a call is not repeated; how often a short one is
ROWS = 60


class Answer(NamedTuple):
    """Rows of (q, v) at the times of a case; of accelerations and multipliers from solvers that have
    them."""

    y: Any
    a: Any = None
    lam: Any = None


def sizes(rows: Any) -> Any:
    """What errors of components are compared with: their largest value, at least a thousandth of the
    largest of all."""
    most = np.abs(rows).max(axis=0)
    return np.maximum(most, 1e-3 * most.max(initial=0.0))


@dataclass
class Case:
    """A problem: isodyn's system, the same as y' = f(t, y) for others, and where errors are looked
    at."""

    system: Any
    t_end: float
    rate: Callable[[float, Any], Any]
    jacobian: Callable[[float, Any], Any] | None = None
    traced: Callable[[Any, Any], Any] | None = None
    many_scales: bool = True
    times: Any = None
    lost: float = 0.0  # the error of who damps a vibration that another tolerance follows

    def __post_init__(self) -> None:
        self.start = np.concatenate([self.system.q0, self.system.v0])
        if self.times is None:
            early, even = np.geomspace(1e-5, 1.0, ROWS // 2 + 1)[:-1], np.linspace(0.0, 1.0, ROWS // 2 + 1)
            self.times = self.t_end * np.unique(np.concatenate([early, even]))
        good = iso.integrate(self.system, iso.Radau(rtol=1e-12), t_end=self.t_end, save=self.times)
        self.good = Answer(np.hstack([good.q, good.v]), good.a, good.lam)
        self.size = Answer(*map(sizes, self.good))

    def errors(self, found: Answer) -> dict[str, float]:
        """The largest errors of rows at the times of the case, of what a solver tells."""
        known = [name for name in Answer._fields if getattr(found, name) is not None and getattr(self.size, name).any()]
        return {
            "error" if name == "y" else f"error of {name}": float(
                (np.abs(getattr(found, name) - getattr(self.good, name)) / getattr(self.size, name)).max()
            )
            for name in known
        }


def spring(k: float, pluck: float = 0.0) -> Case:
    """A pendulum on a spring; plucked, with a damping ratio of a tenth."""
    c = 0.2 * math.sqrt(k) if pluck else 0.0

    @numba.njit
    def force(q: Any, v: Any, t: float) -> Any:
        r = math.sqrt(q[0] ** 2 + q[1] ** 2)
        pull = (k * (r - 1.0) + c * (q[0] * v[0] + q[1] * v[1]) / r) / r
        return np.array([-pull * q[0], -pull * q[1] - 9.81])

    @numba.njit
    def rate(t: float, y: Any) -> Any:
        f = force(y[:2], y[2:], t)
        return np.array([y[2], y[3], f[0], f[1]])

    @numba.njit
    def jacobian(t: float, y: Any) -> Any:
        J, here, h = np.zeros((4, 4)), rate(t, y), 1e-7
        for j in range(4):
            y_j = y.copy()
            y_j[j] += h
            J[:, j] = (rate(t, y_j) - here) / h
        return J

    def traced(t: Any, y: Any) -> Any:
        jnp = load("jax.numpy")
        r = jnp.sqrt(y[0] ** 2 + y[1] ** 2)
        pull = (k * (r - 1.0) + c * (y[0] * y[2] + y[1] * y[3]) / r) / r
        return jnp.array([y[2], y[3], -pull * y[0], -pull * y[1] - 9.81])

    system = iso.MechanicalSystem(M=np.eye(2), Q=force, q0=[1.0 + pluck, 0.0], v0=[0.0, 0.0])
    case = Case(system, 2.0, rate, jacobian, traced, many_scales=pluck > 0.0)
    if not pluck:  # the tension begins with 3g²t²/2 and leaves a vibration with velocities of 3g²/k^(3/2)
        case.lost = 3.0 * 9.81**2 * k**-1.5 / float(case.size.y[2:].min())
    return case


def van_der_pol(mu: float) -> Case:
    system, rate, jacobian = oscillator(mu)

    def traced(t: Any, y: Any) -> Any:
        return load("jax.numpy").array([y[1], mu * (1.0 - y[0] * y[0]) * y[1] - y[0]])

    return Case(system, max(20.0, 2.0 * mu), rate, jacobian, traced, many_scales=mu > 1.0)


def reaction() -> Case:
    system, rate, jacobian = robertson()

    def traced(t: Any, y: Any) -> Any:
        slow, back, fast = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
        return load("jax.numpy").array([back - slow, slow - back - fast, fast])

    times = np.concatenate([[0.0], np.geomspace(1e-4, 1e4, ROWS)])
    return Case(system, 1e4, rate, jacobian, traced, times=times)


def own_rate(system: Any) -> Callable[[float, Any], Any]:
    """y' of a model of isodyn, by its compiled functions."""
    made = MethodRun(system, iso.DOP853(), plan(0.0, 1.0, 1.0, (), 1))
    made.start_values(0.0, True)
    trial, n = made.trial, system.nq

    def rate(t: float, y: Any) -> Any:
        trial.q, trial.v = y[:n], y[n:]
        out = np.zeros(y.size)
        made.rate(t, trial, out)
        return out

    return rate


def andrews() -> Case:
    system, equations = iso.problems.get("andrews").system(), Equations()
    return Case(system, 0.03, equations.compiled(), None, equations.traced, many_scales=False)


def beam() -> Case:
    """Let go from rest: a vibration that is damped within a tenth of the run, then a slow swing."""
    system = iso.problems.get("beam_and_bodies").system(damping=1e-3)
    return Case(system, 0.5, own_rate(system))


def beam_at_stop() -> Case:
    """The same, until its arm hits a stiff stop and bounces back."""
    system = iso.problems.get("beam_and_bodies").system(damping=1e-3, stop=2000.0)
    return Case(system, 0.6, own_rate(system))


def bar() -> Case:
    """Waves and heat that are left to themselves, y' = A y."""
    system = iso.problems.get("thermoelastic_bar").system(elements=16, loads=0)
    M, C, K = assemble(16).whole
    n = M.shape[0]
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])

    @numba.njit
    def rate(t: float, y: Any) -> Any:
        return A @ y

    def traced(t: Any, y: Any) -> Any:
        return load("jax.numpy").asarray(A) @ y

    return Case(system, 2.0, rate, lambda t, y: A, traced, many_scales=False)


CASES: dict[str, Callable[[], Case]] = {
    "Van der Pol, mu = 1": lambda: van_der_pol(1.0),
    "Van der Pol, mu = 100": lambda: van_der_pol(100.0),
    "Van der Pol, mu = 1000": lambda: van_der_pol(1000.0),
    "Robertson": reaction,
    "Andrews": andrews,
    **{f"spring at rest, k = {k:g}": (lambda k=k: spring(k)) for k in (1e4, 1e6, 1e8)},
    **{f"plucked spring, k = {k:g}": (lambda k=k: spring(k, k**-0.5)) for k in (1e4, 1e6, 1e8)},
    "beam mechanism": beam,
    "beam mechanism at a stop": beam_at_stop,
    "thermoelastic bar": bar,
}

# ---- solvers: from a case and a setting to rows at the times of the case, or, without rows, to the end


def with_radau(case: Case, rtol: float, rows: bool) -> Any:
    return _ours(case, rows, scheme=iso.Radau(rtol=rtol))


def with_adaptive(case: Case, rtol: float, rows: bool) -> Any:
    return _ours(case, rows, scheme=_member(case), dt=iso.Adaptive(rtol))


def with_constant(case: Case, steps: float, rows: bool) -> Any:
    return _ours(case, rows, scheme=_member(case), dt=case.t_end / steps)


def _member(case: Case) -> Any:
    return iso.FirstOrderScheme.GS4_1(0.0, 0.0) if case.system.first_order else iso.Scheme.U0(0.0, 0.5, 0.0)


def _ours(case: Case, rows: bool, **given: Any) -> Any:
    times = case.times if rows else [0.0, case.t_end]
    sol = iso.integrate(case.system, t_end=case.t_end, save=times, **given)
    steps = "dt" in given  # of GS4, whose accelerations and multipliers are unknowns of the step
    return Answer(np.hstack([sol.q, sol.v]), sol.a if steps else None, sol.lam if steps else None)


def with_scipy(method: str) -> Callable[[Case, float, bool], Any]:
    def run(case: Case, rtol: float, rows: bool) -> Any:
        options = {} if case.jacobian is None else {"jac": case.jacobian}
        times = case.times if rows else None
        found = solve_ivp(
            case.rate, (0.0, case.t_end), case.start, method, times, rtol=rtol, atol=1e-3 * rtol, **options
        )
        return Answer(found.y.T) if found.success else None

    return run


def with_ida(case: Case, rtol: float, rows: bool) -> Any:
    def residual(t: float, y: Any, yp: Any, out: Any) -> None:
        out[:] = yp - case.rate(t, y)

    solver = load("sksundae.ida").IDA(residual, rtol=rtol, atol=1e-3 * rtol, max_num_steps=1_000_000)
    times = case.times if rows else np.array([0.0, case.t_end])
    found = solver.solve(times, case.start, np.asarray(case.rate(0.0, case.start)))
    return Answer(found.y) if found.success else None


def with_solve_dae(case: Case, rtol: float, rows: bool) -> Any:
    def residual(t: float, y: Any, yp: Any) -> Any:
        return yp - case.rate(t, y)

    found = load("scipy_dae.integrate").solve_dae(
        residual,
        (0.0, case.t_end),
        case.start,
        np.asarray(case.rate(0.0, case.start)),
        method="Radau",
        t_eval=case.times if rows else None,
        rtol=rtol,
        atol=1e-3 * rtol,
    )
    return Answer(found.y.T) if found.success else None


def with_diffrax(case: Case, rtol: float, rows: bool) -> Any:
    key = (id(case), rows)
    if key not in _SOLVED:
        _SOLVED[key] = _diffrax(case, rows)
    y, good = _SOLVED[key](case.start, rtol)
    return Answer(np.asarray(y)) if bool(good) else None


_SOLVED: dict[tuple[int, bool], Any] = {}


def _diffrax(case: Case, rows: bool) -> Any:
    """Kvaerno5 in double precision, compiled once for all tolerances."""
    jax, diffrax = load("jax"), load("diffrax")
    jax.config.update("jax_enable_x64", True)
    at = diffrax.SaveAt(ts=case.times) if rows else diffrax.SaveAt(t1=True)
    term = diffrax.ODETerm(lambda t, y, _: case.traced(t, y))

    def solve(y0: Any, rtol: Any) -> Any:
        found = diffrax.diffeqsolve(
            term, diffrax.Kvaerno5(), 0.0, case.t_end, None, y0, saveat=at, max_steps=200_000, throw=False,
            stepsize_controller=diffrax.PIDController(rtol=rtol, atol=1e-3 * rtol),
        )  # fmt: skip
        return found.ys, found.result == diffrax.RESULTS.successful

    return jax.jit(solve)


SOLVERS: dict[str, tuple[Callable[[Case, float, bool], Any], tuple[float, ...]]] = {
    "isodyn Radau": (with_radau, OURS),
    "isodyn adaptive GS4": (with_adaptive, ADAPTIVE),
    "isodyn constant steps": (
        with_constant,
        tuple(float(FEWEST * 2**k) for k in range(int(math.log2(MOST / FEWEST)) + 1)),
    ),
    "SciPy Radau": (with_scipy("Radau"), THEIRS),
    "SciPy BDF": (with_scipy("BDF"), THEIRS),
    "IDA": (with_ida, THEIRS),
    "scipy_dae Radau": (with_solve_dae, THEIRS),
    "diffrax Kvaerno5": (with_diffrax, THEIRS),
}


def timed(function: Callable[[], Any]) -> float:
    """Processor seconds of a call: the least of some, of short ones of many, of long ones the only
    one."""
    found, spent = math.inf, 0.0
    for k in range(MANY):
        if k and (found > 0.3 or (k >= ROUNDS and spent > ENOUGH)):
            break
        began = time.process_time()
        function()
        found = min(found, time.process_time() - began)
        spent += time.process_time() - began
    return found


def curve(case: Case, solver: str) -> list[dict[str, float]]:
    """Setting, error and seconds of all runs of a solver."""
    run, settings = SOLVERS[solver]
    if solver.startswith("diffrax") and case.traced is None:
        return []
    best = math.inf
    found: list[dict[str, float]] = []
    for setting in settings:
        try:
            rows = run(case, setting, True)
            if rows is None or np.shape(rows.y) != case.good.y.shape:
                continue
            errors = case.errors(rows)
            run(case, setting, False)
            seconds = timed(lambda setting=setting: run(case, setting, False))
        except Exception as error_of_peer:  # whatever another package raises is a run that it does not finish
            print(
                f"   {solver}, {setting:g}: {type(error_of_peer).__name__}: {str(error_of_peer)[:90]}", file=sys.stderr
            )
            continue
        found.append({"setting": setting, **errors, "seconds": seconds})
        best = min(best, max(errors.values()))
        if seconds > LONGEST or (solver.endswith("constant steps") and best < 1e-6):
            break
    return found


def seconds_at(runs: list[dict[str, float]], error: float, of: str = "error") -> float:
    """Time to reach an error, between the runs of a curve; infinite if none does."""
    good = [run for run in runs if run[of] <= error]
    if not good:
        return math.inf
    # the cheapest that is accurate enough, and what lies between it and a coarser one
    best = min(good, key=lambda run: run["seconds"])
    coarser = [run for run in runs if run[of] > error and run["seconds"] < best["seconds"]]
    if not coarser:
        return best["seconds"]
    near = min(coarser, key=lambda run: run[of])
    part = math.log(near[of] / error) / math.log(near[of] / max(best[of], 1e-16))
    return math.exp((1.0 - part) * math.log(near["seconds"]) + part * math.log(best["seconds"]))


def gain(steps: list[dict[str, float]], run: dict[str, float], kinds: list[str]) -> float:
    """Time of the constant steps that reach all these errors of an adaptive run, over its own; where
    none is good enough, of the longest."""
    longest = max((one["seconds"] for one in steps), default=math.inf)
    return max(min(seconds_at(steps, run[of], of), longest) for of in kinds) / run["seconds"]


def judged(case: Case, curves: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    """What is required, on one problem."""
    ours, scipy = curves["isodyn Radau"], curves["SciPy Radau"]
    known = {run["setting"]: run["error"] for run in ours}
    best = min((run["error"] for run in ours), default=math.inf)
    faster = [run["seconds"] / seconds_at(ours, run["error"]) for run in scipy if run["error"] >= max(best, NOISE)]
    pairs = {run["setting"]: (known[run["setting"]], run["error"]) for run in scipy if run["setting"] in known}
    beside = {key: mine / other for key, (mine, other) in pairs.items() if other > NOISE}
    both_lost = [
        key
        for key, pair in pairs.items()
        if case.lost > 0.0 and all(abs(math.log(one / case.lost)) < SAME for one in pair)
    ]
    adaptive = [run for run in curves["isodyn adaptive GS4"] if run["error"] < 0.3]
    gains = [gain(curves["isodyn constant steps"], run, ["error"]) for run in adaptive]
    in_all = [
        gain(curves["isodyn constant steps"], run, [of for of in run if of.startswith("error")]) for run in adaptive
    ]
    return {
        "Radau, times faster than SciPy's at equal error": faster,
        "error of Radau over that of SciPy's at equal tolerance": {f"{key:g}": value for key, value in beside.items()},
        "tolerances with which both lose the same vibration": [f"{key:g}" for key in both_lost],
        "time of the best constant steps over that of adaptive ones": gains,
        "the same, as accurate in a and multipliers, too": in_all,
        "more than one time scale": case.many_scales,
    }


def holds(found: dict[str, Any]) -> bool:
    """Whether the requirements hold on a problem."""
    faster = found["Radau, times faster than SciPy's at equal error"]
    lost = found.get("tolerances with which both lose the same vibration", ())
    errors = found["error of Radau over that of SciPy's at equal tolerance"].items()
    beside = [ratio for setting, ratio in errors if setting not in lost]
    gains = found["the same, as accurate in a and multipliers, too"]
    adaptive = not found["more than one time scale"] or min(gains, default=0.0) > 1.0
    return min(faster, default=0.0) >= FASTER and max(beside, default=0.0) <= 1.0 and adaptive


def main(arguments: list[str] | None = None) -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="problems whose names contain one of these")
    parser.add_argument("--solvers", nargs="*", help="solvers whose names contain one of these")
    parser.add_argument("--merge", action="store_true", help="keep what is stored of other problems and solvers")
    given = parser.parse_args(arguments if arguments is not None else [])
    report: dict[str, Any] = {}
    if given.merge:
        before = stored()
        report = {name: before[name] for name in CASES if name in before}
    warnings.simplefilter("ignore")
    for name, make in CASES.items():
        if given.only and not any(word in name for word in given.only):
            continue
        case = make()
        known = report.get(name, {"runs": {}})["runs"]
        asked = [one for one in SOLVERS if not given.solvers or any(word in one for word in given.solvers)]
        curves = {one: curve(case, one) if one in asked else known.get(one, []) for one in SOLVERS}
        report[name] = {"runs": curves, **judged(case, curves)}
        show(name, report[name])
        write("work_precision", report)
    draw(report)
    return all(holds(found) for found in report.values())


def stored() -> dict[str, Any]:
    """What an earlier run has written."""
    json = load("json")
    path = Path(__file__).parent / "results" / "work_precision.json"
    found = json.loads(path.read_text()) if path.exists() else {}
    return {name: one for name, one in found.items() if name in CASES}


def show(name: str, found: dict[str, Any]) -> None:
    """One problem in lines."""
    faster = found["Radau, times faster than SciPy's at equal error"]
    beside = found["error of Radau over that of SciPy's at equal tolerance"]
    gains = found["time of the best constant steps over that of adaptive ones"]
    in_all = found["the same, as accurate in a and multipliers, too"]
    print(f"{name}{'' if holds(found) else ' (a requirement is not met)'}")
    print(
        f"   Radau {min(faster, default=math.nan):.1f} to {max(faster, default=math.nan):.1f} × faster than SciPy's;",
        end=" ",
    )
    print(f"error at equal tolerance at most {max(beside.values(), default=math.nan):.2f} of SciPy's;", end=" ")
    print(f"constant steps {', '.join(f'{one:.2f}' for one in gains)} of the time of adaptive ones,", end=" ")
    print(f"as accurate in q, v, a and λ {', '.join(f'{one:.2f}' for one in in_all)}")
    for solver, runs in found["runs"].items():
        print(
            f"   {solver:22s}",
            "  ".join(f"{run['error']:.0e} {1e3 * run['seconds']:.3g}ms" for run in runs),
            flush=True,
        )


def draw(report: dict[str, Any]) -> None:
    """Error over seconds, one panel for each problem."""
    try:
        pyplot = load("matplotlib.pyplot")
    except ImportError:
        return
    pyplot.switch_backend("Agg")
    rows = math.ceil(len(report) / 3)
    figure, axes = pyplot.subplots(rows, 3, figsize=(13, 3.4 * rows), squeeze=False, layout="constrained")
    for axis in axes.flat[len(report) :]:
        axis.set_visible(False)
    for axis, (name, found) in zip(axes.flat, report.items(), strict=False):
        for solver, runs in found["runs"].items():
            line = [(1e3 * run["seconds"], run["error"]) for run in runs]
            style = "-o" if solver.startswith("isodyn") else "--s"
            axis.loglog([x for x, _ in line], [y for _, y in line], style, markersize=3.5, linewidth=1.2, label=solver)
        axis.set_title(name, fontsize=9)
        axis.grid(alpha=0.3)
        axis.tick_params(labelsize=7)
    for axis in axes[-1]:
        axis.set_xlabel("ms", fontsize=8)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
    figure.savefig(Path(__file__).parent / "results" / "work_precision.png", dpi=110)
    pyplot.close(figure)


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
