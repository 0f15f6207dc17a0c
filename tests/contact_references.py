"""Motions in pieces, and orders of errors of runs with contacts beside them."""

import numpy as np
from scipy.integrate import solve_ivp

G = 9.81
TIGHT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}


class Pieces:
    """A motion y' = f(t, y) in pieces: `change` makes the next start of the end of one."""

    def __init__(self, phases, y, t_end):
        """phases: functions (t, y) → (f, event, next phase, jump) by name."""
        self.parts, t, name = [], 0.0, "first"
        while t < t_end:
            f, event, following, jump = phases[name]
            event.terminal, event.direction = True, -1
            sol = solve_ivp(f, (t, t_end), y, events=event, dense_output=True, **TIGHT)
            self.parts.append((t, float(sol.t[-1]), sol.sol, name))
            t = float(sol.t[-1])
            if sol.status != 1:
                break
            y, name = jump(sol.y[:, -1]), following
        self.times = [part[1] for part in self.parts[:-1]]

    def __call__(self, t):
        for begin, end, path, name in reversed(self.parts):
            if t >= begin - 1e-9:
                return path(min(max(t, begin), end)), name
        raise AssertionError


def grid_rows(sol, dt):
    """Rows at multiples of dt."""
    n = np.round(sol.t / dt)
    return np.flatnonzero(np.abs(sol.t - n * dt) < 1e-12 * dt)


def slopes(errors):
    """Orders of errors at halved steps."""
    errors = np.asarray(errors)
    return np.log2(errors[:-1] / errors[1:])


def assert_second_order(run, exact, dts, names=("q", "v", "a", "lam"), least=1.9, times=(), over_all=False):
    """Largest errors over all rows that the runs share, and their slopes.

    Rows nearer to an event than a twentieth of the largest step are left out: between the exact and
    the found time of a jump the error is the jump. The first step after an impact is a part of one, so
    that errors go up and down with the place of impacts in steps; with `over_all` the slope over all
    halvings counts.
    """
    errors = {name: [] for name in names}
    for dt in dts:
        sol = run(dt)
        rows = grid_rows(sol, dts[0])
        rows = [k for k in rows if all(abs(sol.t[k] - t) > 0.05 * dts[0] for t in times)]
        found = {"q": sol.q, "v": sol.v, "a": sol.a, "lam": sol.lam}
        if "N" in names:
            found["N"] = sol.aux["contact_force"][:, : len(sol.system.contacts.names)]
        wanted = [exact(t) for t in sol.t[rows]]
        for name in names:
            far = found[name][rows] - np.array([one[name] for one in wanted])
            errors[name].append(np.abs(far).max())
    for name, e in errors.items():
        if max(e) > 1e-11:
            found = slopes(e).mean() if over_all else slopes(e).min()
            assert found >= least, (name, e, slopes(e))
    return errors
