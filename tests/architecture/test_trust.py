"""No file of a stranger runs code, and nothing listens beyond this machine by itself."""

from __future__ import annotations

import ast
import io
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from architecture_source import PACKAGE, nodes
from isodyn.errors import DamageError, InputError
from isodyn.models.matrices import read_matrix
from isodyn.results.seals import sealed, unpacked

UNPICKLERS = {
    "kernels/numba_internals/stored.py",  # the user's own folder (isodyn.kernels.cache)
    "sweeps/worker.py",  # from the process that started it
    "sweeps/points.py",  # towards workers of the same user
    # A task of a Dask worker, made in this process. Dask itself unpickles on both sides: whoever names
    # a scheduler trusts it and its workers, which docs/sweeps.md says. Nothing from a file gets there.
    "sweeps/cluster.py",
}
MADE_TEXT = {"systems/lagrangian.py"}  # code that SymPy printed
SERVERS = {"report/live.py"}


def dotted(node: ast.expr) -> str:
    """`a.b.c` as it stands; what stands before a name that is no name itself is left out (`unparse`
    takes long)."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


@cache
def calls() -> list[tuple[str, str, ast.Call]]:
    """Every call in the package: file, name of the function, call."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        found += [(file, dotted(node.func), node) for node in nodes(path) if isinstance(node, ast.Call)]
    return found


@cache
def mentioned() -> set[tuple[str, str]]:
    """Every attribute of the package that is read, called or handed on, and imports of names."""
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        found |= {(file, dotted(node)) for node in nodes(path) if isinstance(node, ast.Attribute)}
        found |= {(file, ast.unparse(node)) for node in nodes(path) if isinstance(node, ast.ImportFrom | ast.Import)}
    return found


def test_what_may_run_code_is_named() -> None:
    """Unpickling, evaluating, unpacking archives and starting shells stand in few places."""
    found = {(file, name) for file, name, _ in calls()}
    unpickling = {file for file, name in mentioned() if name.endswith(("pickle.loads", "pickle.load", "Unpickler"))}
    assert unpickling == UNPICKLERS
    assert not [name for _, name in mentioned() if name.startswith("from pickle") or "pickle as" in name]
    assert {file for file, name in found if name in ("eval", "exec")} == MADE_TEXT
    risky = ("marshal.loads", "shelve.open", "yaml.load", "extractall", "os.system", "pd.read_pickle")
    assert not [(file, name) for file, name in found if name.endswith(risky)]
    assert not [
        ast.unparse(call) for _, _, call in calls() if any(x.arg == "shell" for x in call.keywords if x.arg is not None)
    ]


def test_arrays_are_read_without_objects() -> None:
    for file, name, call in calls():
        if name in ("np.load", "numpy.load"):
            given = {x.arg: ast.unparse(x.value) for x in call.keywords}
            assert given.get("allow_pickle") == "False", f"{file}: {ast.unparse(call)}"


def test_servers_listen_on_loopback() -> None:
    """No source names an address beyond this machine; the one server has the one of this machine."""
    makers = ("HTTPServer", "TCPServer", "socket.socket", "create_server", "LocalCluster", "start_server")
    assert {file for file, name, _ in calls() if name.endswith(makers)} == SERVERS
    for path in PACKAGE.rglob("*.py"):
        assert "0.0.0.0" not in path.read_text(encoding="utf-8"), path
    assert 'HOST = "127.0.0.1"' in (PACKAGE / "report" / "live.py").read_text(encoding="utf-8")


class Hostile:
    """Leaves a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_hostile_arrays_are_refused(tmp_path: Path) -> None:
    """A sound seal, and an object inside: as a checkpoint, and as a matrix."""
    trace = tmp_path / "trace"
    objects = np.array([Hostile(trace)], dtype=object)
    buffer = io.BytesIO()
    np.savez(buffer, identity=objects)
    (tmp_path / "block.npz").write_bytes(sealed(buffer))
    with pytest.raises(DamageError, match="cannot be read"):
        unpacked(tmp_path / "block.npz")
    np.save(tmp_path / "M.npy", objects)
    with pytest.raises(InputError):
        read_matrix(tmp_path / "M.npy")
    assert not trace.exists()
    pickle.loads((tmp_path / "M.npy").read_bytes()[128:])  # it would have
    assert trace.exists()
