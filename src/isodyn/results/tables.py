"""Solutions as tables, `xarray.Dataset` and CSV, with names and units.

States stand in q, v, a, lam over named coordinates, each with its unit; of a mechanism also what
its parts did: "rod.position", "rod.velocity", "pin.angle", "pin.force", … . SI units where the
system is a mechanism, none where nothing is known about them.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from isodyn.bodies.body import QUANTITIES, Quantity
from isodyn.errors import InputError
from isodyn.joints import measures as words
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later, load
from isodyn.results.files import write_file
from isodyn.results.inputs import fingerprint, to_json
from isodyn.results.recorded import Recorded
from isodyn.results.solution import Solution
from isodyn.version import __version__

xarray = Later("xarray")

STATES = {"q": "coordinate", "v": "velocity", "a": "velocity", "lam": "row"}
LONG = {
    "q": "coordinates",
    "v": "velocities",
    "a": "accelerations",
    "lam": "multipliers, −Gᵀλ being the force of constraint",
}


def is_mechanism(system: Any) -> bool:
    """Whether a system is a mechanism. Mechanisms are not loaded for the question: where they were
    not, nothing is one."""
    module = sys.modules.get("isodyn.mechanism.system")
    return module is not None and isinstance(system, module.MechanismSystem)


@cache
def angles() -> set[int]:
    """Measures in radians."""
    return {words.AXES, words.ANGLE, words.PLANAR_ANGLE, words.TANGENT_ANGLE, words.TWIST}


def units(system: Any) -> dict[str, list[str]]:
    """Units of all components of q, v, a and lam; empty texts where they are not known."""
    if not is_mechanism(system):
        return {name: [""] * n for name, n in (("q", system.nq), ("v", system.nv), ("a", system.nv), ("lam", system.m))}
    unit_of = {Quantity.LENGTH: "m", Quantity.ANGLE: "rad"}
    of_q, of_v = ([unit_of.get(x, "1") for body in system.bodies for x in QUANTITIES[body.kind][i]] for i in range(2))
    found = {"q": of_q + ["rad"] * (system.nq - len(of_q)), "v": [f"{unit}/s" for unit in of_v]}
    found |= {"a": [f"{unit}/s2" for unit in of_v], "lam": []}
    for row in system.rows:
        turns = bool(row.terms) and row.terms[0][1].kind in angles()
        found["lam"].append("N m" if turns else "N" if row.terms else "")
    return found


def labels(sol: Solution) -> dict[str, list[str]]:
    """Names of the saved components."""
    system = sol.system
    rates = list(system.v_names)
    names = {"q": list(system.names) if system.nq else [], "v": rates, "a": rates, "lam": list(system.row_names)}
    return {name: [names[name][k] for k in sol.columns[name]] for name in names}


Values = dict[str, tuple[FloatArray, str, str]]
"""By name: values, unit, words; vectors have three columns, orientations four."""


def _is_whole_mechanism(sol: Solution) -> bool:
    whole = all(sol.columns[name].size == n for name, n in _sizes(sol.system))
    return is_mechanism(sol.system) and whole


def of_bodies(sol: Solution) -> Values:
    """How the bodies of a mechanism moved."""
    if not _is_whole_mechanism(sol):
        return {}
    system, found = sol.system, {}
    names = [body.name for body in system.bodies if not body.of_beam]
    names += [f"{beam}.{end}" for beam in system.beams for end in ("start", "end")]
    for name in names:
        view = sol.body(name)
        where = "node" if view.body.of_beam else "mass centre"
        found[f"{name}.position"] = view.position, "m", f"position of the {where}, world"
        found[f"{name}.velocity"] = view.velocity, "m/s", f"velocity of the {where}, world"
        if view.body.kind not in ("particle", "cable"):
            found[f"{name}.orientation"] = view.orientation, "1", "unit quaternion w, x, y, z, body to world"
            found[f"{name}.angular_velocity"] = view.angular_velocity, "rad/s", "angular velocity, body frame"
    return found


def of_joints(sol: Solution) -> Values:
    """Coordinates of the joints of a mechanism, and what they did to their bodies."""
    if not _is_whole_mechanism(sol):
        return {}
    found: Values = {}
    for name, joint in sol.system.joints.items():
        view = sol.joint(name)
        for kind, word in joint.coordinates.items():
            values = view.coordinate(kind)
            found[f"{name}.{kind}"] = values, "rad" if word.kind in angles() else "m", f"{kind} of the joint"
        if joint.rows:
            reaction = sol.reaction(name)
            found[f"{name}.force"] = reaction.force, "N", f"force of the joint on {reaction.on}, world"
            found[f"{name}.torque"] = (
                reaction.torque,
                "N m",
                f"torque of the joint on {reaction.on} at its point, world",
            )
    return found


def _sizes(system: Any) -> list[tuple[str, int]]:
    return [("q", system.nq), ("v", system.nv), ("a", system.nv), ("lam", system.m)]


def energies(sol: Solution) -> dict[str, FloatArray]:
    """Kinetic and potential energy, where the system knows them and all columns are there."""
    system = sol.system
    if system.energy is None or system.first_order or any(sol.columns[name].size != n for name, n in _sizes(system)):
        return {}
    kinetic, potential = sol.energy()
    return {"kinetic_energy": kinetic, "potential_energy": potential}


def to_dataset(sol: Solution) -> Any:
    """The `xarray.Dataset` of a solution."""
    xr = xarray_of()
    names, of = labels(sol), units(sol.system)
    mechanism = is_mechanism(sol.system)
    variables: dict[str, Any] = {}
    coords: dict[str, Any] = {
        "time": ("time", sol.t, {"units": "s", "long_name": "time"} if mechanism else {"long_name": "time"})
    }
    for name, dim in STATES.items():
        if name == "a" and not np.array_equal(sol.columns["a"], sol.columns["v"]):
            dim = "acceleration"
        chosen = [of[name][k] for k in sol.columns[name]]
        variables[name] = (("time", dim), getattr(sol, name), {"long_name": LONG[name]})
        coords[dim] = (dim, np.array(names[name], dtype=object) if names[name] else np.zeros(0, dtype="U1"))
        coords[f"{name}_units"] = (dim, np.array(chosen, dtype=object) if chosen else np.zeros(0, dtype="U1"))
    for name, (values, unit, text) in (of_bodies(sol) | of_joints(sol)).items():
        dims = ("time",) if values.ndim == 1 else ("time", "xyz") if values.shape[1] == 3 else ("time", "wxyz")
        variables[name] = (dims, values, {"units": unit, "long_name": text})
    if any("xyz" in value[0] for value in variables.values()):
        coords["xyz"] = ("xyz", np.array(["x", "y", "z"], dtype=object))
    if any("wxyz" in value[0] for value in variables.values()):
        coords["wxyz"] = ("wxyz", np.array(["w", "x", "y", "z"], dtype=object))
    for name, values in energies(sol).items():
        variables[name] = ("time", values, {"units": "J"} if mechanism else {})
    for name, values in sol.aux.items():
        array = np.asarray(values) if not isinstance(values, list) else None
        if array is not None and array.dtype.kind in "fi":
            axes = [f"{name}_{k}" for k in range(array.ndim)]
            if array.ndim and array.shape[0] == sol.t.size:
                axes[0] = "time"
            variables[f"aux_{name}"] = (axes, array)
    return xr.Dataset(variables, coords, _attributes(sol))


def _attributes(sol: Solution) -> dict[str, Any]:
    found = {
        "title": (sol.model or {}).get("title") or type(sol.system).__name__,
        "source": f"isodyn {__version__}",
        "scheme": str(sol.scheme),
        "statistics": json.dumps(asdict(sol.stats)),
        "isodyn_scheme": json.dumps(to_json(sol.scheme)),
        "isodyn_columns": json.dumps({name: chosen.tolist() for name, chosen in sol.columns.items()}),
        "isodyn_redundant": json.dumps(list(sol.redundant)),
        "isodyn_system": json.dumps(_described(sol.system)),
    }
    return found | ({"isodyn_model": json.dumps(sol.model)} if sol.model is not None else {})


def _described(system: Any) -> dict[str, Any]:
    return {
        "fingerprint": fingerprint(system) if not isinstance(system, Recorded) else "",
        "nq": system.nq,
        "nv": system.nv,
        "m": system.m,
        "m_phi": system.m_phi,
        "names": list(system.names),
        "v_names": list(system.v_names),
        "row_names": list(system.row_names),
        "first_order": bool(system.first_order),
    }


def save_csv(sol: Solution, path: str | Path) -> Path:
    """Write one line for each saved time; the header has names and units."""
    mechanism = is_mechanism(sol.system)
    names, of = labels(sol), units(sol.system)
    header, columns = ["t [s]" if mechanism else "t"], [sol.t]
    for symbol in STATES:
        for k, name in enumerate(names[symbol]):
            header.append(_titled(f"{symbol}({name})", of[symbol][sol.columns[symbol][k]]))
            columns.append(getattr(sol, symbol)[:, k])
    for name, (values, unit, _) in of_joints(sol).items():  # what bodies did stands in q and v
        for k, column in enumerate(values.T if values.ndim > 1 else [values]):
            header.append(_titled(name + (f"_{'xyz'[k]}" if values.ndim > 1 else ""), unit))
            columns.append(column)
    for name, values in energies(sol).items():
        header.append(_titled(name, "J" if mechanism else ""))
        columns.append(values)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([repr(float(x)) for x in row] for row in np.column_stack(columns))
    path = Path(path)
    write_file(path, text.getvalue().encode("utf-8", "backslashreplace"))
    return path


def _titled(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def xarray_of() -> Any:
    try:
        load(xarray)
    except ImportError:
        raise InputError("tables need xarray", hint="pip install 'isodyn[results]'") from None
    return xarray
