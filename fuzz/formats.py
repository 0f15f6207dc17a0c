"""What is fuzzed: for every format its sound examples, how an input is made of them, and how it is
read.

A reader returns nothing when all is well, raises an `IsodynError` to refuse, and an AssertionError
where damaged numbers got through.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import io
import json
import random
import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import isodyn as iso
from fuzz.mutations import NUMBERS, WORDS, damaged, twisted
from isodyn.cli import FAULT, _run
from isodyn.expressions import compile_formula, constant
from isodyn.kernels.cache import Entry
from isodyn.models import matrices
from isodyn.models.build import model_from_text
from isodyn.models.mjcf import load_mjcf
from isodyn.models.sdf import load_sdf
from isodyn.models.urdf import read_urdf
from isodyn.results import Checkpoint, seals
from isodyn.results.netcdf import load
from isodyn.specs import parse_formulation, parse_parameters, parse_scheme

ROOT = Path(__file__).resolve().parents[1]
SCHEMES = (
    "U0(0.8,0.8,0.8)",
    "V0(1,1,0,explicit)",
    "optimal(0.5)",
    "hht(alpha_f=0.1)",
    "newmark(1/4,1/2)",
    "central_difference",
)
SCHEMES += ("GS4_1(0.5,0.5)", "gear", "generalised_alpha(rho_inf=0.9)", "U0(1,1,0,eta=(1,1,0))", "wbz(0.3)", "bdf2")
FORMULATIONS = ("stabilised", "baumgarte(20,30)", "projection(acceleration)", "udwadia-kalaba(square-root/schur)")
FORMULATIONS += ("null-space(qr,discrete)", "penalty(1e-7,10,1)", "ggl", "hamiltonian", "baumgarte(alpha=1,beta=2)")
SETTINGS = ("e=0.7", "mass = 1e-3", "a=-2", "l=1_0", "x=1e5")
FORMULAS = (
    "2*sin(3*t)",
    "if(t < 0.5, 1, -1)*hypot(t, 2)",
    "30 deg",
    "a^2/-b",
    "1e3*(t - 0.1)*step(t)",
    "min(t, max(a, b))",
)


@dataclass(frozen=True)
class Format:
    """A name, its part of all inputs, how one is made and how it is read."""

    name: str
    share: float
    make: Callable[[random.Random, Path], bytes]
    read: Callable[[bytes, Path], None]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _twister(seeds: tuple[str, ...]) -> Callable[[random.Random, Path], bytes]:
    def make(rng: random.Random, folder: Path) -> bytes:
        return twisted(rng.choice(seeds), seeds, rng).encode("utf-8", "surrogatepass")

    return make


# ---- texts


def _scheme(data: bytes, folder: Path) -> None:
    parse_scheme(_text(data))


def _formulation(data: bytes, folder: Path) -> None:
    parse_formulation(_text(data))


def _setting(data: bytes, folder: Path) -> None:
    parse_parameters(_text(data).split("\n"))


def _formula(data: bytes, folder: Path) -> None:
    with contextlib.suppress(iso.errors.InputError):
        constant(_text(data), {"a": 2.0, "b": 3.0})
    compile_formula(_text(data), parameters={"a": 2.0, "b": 3.0})


@functools.cache
def _models() -> tuple[str, ...]:
    from model_texts import EVERYTHING

    found = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples" / "models").glob("*.toml"))]
    sweep = (
        'problem = "kepler"\n[parameters]\ne = 0.3\n[[sweeps]]\nparameter = "e"\nstart = 0.1\nstop = 0.5\ncount = 3\n'
    )
    return (*found, EVERYTHING, sweep, 'problem = "pendulum"\n[run]\ndt = 0.01\nt_end = 1.0\nscheme = "optimal(0.8)"\n')


def _make_model(rng: random.Random, folder: Path) -> bytes:
    return twisted(rng.choice(_models()), _models(), rng).encode("utf-8", "surrogatepass")


def _model(data: bytes, folder: Path) -> None:
    model_from_text(data.decode("utf-8", "replace")).check()


URDF = (
    """<?xml version="1.0"?>
<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 0.5" rpy="0 0.1 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0"/></inertial><visual/></link>
<link name="lower"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.02"/></inertial></link>
<link name="tip"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="3"/><dynamics damping="0.1" friction="0"/></joint>
<joint name="elbow" type="continuous"><origin xyz="0 0 1"/><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
<mimic joint="shoulder" multiplier="2"/></joint>
<joint name="end" type="fixed"><parent link="lower"/><child link="tip"/></joint></robot>
""",
    '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    '<joint name="j" type="prismatic"><parent link="a"/><child link="b"/></joint></robot>',
)


def _urdf(data: bytes, folder: Path) -> None:
    read_urdf(data if len(data) % 2 or b"<" not in data else data.decode("utf-8", "surrogateescape"))


MJCF = (
    """<mujoco model="m"><compiler angle="radian" eulerseq="xyz" inertiafromgeom="auto"/><option gravity="0 0 -9.81"/>
<default><geom density="500"/><default class="a"><joint damping="0.1"/></default></default>
<worldbody><site name="w" pos="0 1 0"/><body name="p" pos="0 0 1" euler="0.1 0 0" childclass="a">
<joint name="x" axis="1 0 0" range="-1 1"/>
<joint name="y" axis="0 1 0" ref="0.2" armature="0.1"/><geom type="capsule" size="0.1" fromto="0 0 0 0 0 1"/>
<site name="s" pos="0 0 1"/>
<body name="c" pos="0 0 1" quat="1 0 0 0"><joint name="z" type="slide"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body>
<body name="f"><freejoint/><geom type="box" size="1 2 3" mass="2"/></body></worldbody>
<equality><connect body1="c" body2="f" anchor="0 0 0"/><joint joint1="x" joint2="y" polycoef="0 2 0 0 0"/></equality>
<tendon><spatial stiffness="3"><site site="s"/><site site="w"/></spatial><fixed damping="1">
<joint joint="x" coef="2"/></fixed></tendon>
<actuator><motor joint="x" gear="2"/><position joint="z" kp="3" kv="1"/></actuator><keyframe>
<key qpos="0 0 0 0 0 0 1 0 0 0"/></keyframe></mujoco>""",
)


def _mjcf(data: bytes, folder: Path) -> None:
    load_mjcf(data if b"<" in data else b"<" + data)


SDF = (
    """<sdf version="1.9"><world name="w"><gravity>0 0 -9.8</gravity><model name="m"><pose>0 0 1 0 0 0</pose>
<frame name="f" attached_to="a"><pose relative_to="__model__">0 1 0 0 0 0.1</pose></frame>
<link name="a"><pose relative_to="b">0 0 1 0 0 0</pose><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy>
<izz>1</izz></inertia></inertial></link>
<link name="b"><pose degrees="true">0 0 0 0 0 30</pose></link><joint name="j" type="revolute">
<parent>world</parent><child>a</child>
<axis><xyz expressed_in="f">0 0 1</xyz><limit><lower>-1</lower><upper>inf</upper></limit><dynamics>
<damping>0.1</damping></dynamics></axis></joint>
<joint name="k" type="universal"><pose>0 0 1 0 0 0</pose><parent>f</parent><child>b</child><axis><xyz>1 0 0</xyz>
</axis>
<axis2><xyz>0 1 0</xyz></axis2></joint><model name="n"><link name="c"/></model></model></world></sdf>""",
)


def _sdf(data: bytes, folder: Path) -> None:
    load_sdf(data if b"<" in data else b"<" + data)


# ---- files of results


def oscillator() -> Any:
    """A small system whose runs are saved."""
    return iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0], names=["x/y"])


@functools.cache
def _whole(folder: Path) -> Any:
    """The run, with its files in a folder."""
    sol = iso.integrate(oscillator(), dt=0.1, t_end=4.0, checkpoint=Checkpoint(folder / "whole", 8))
    sol.save(folder / "whole.nc")
    return sol


def _same(sol: Any, folder: Path) -> None:
    whole = _whole(folder)
    for name in ("t", "q", "v", "a", "lam"):
        if not np.array_equal(getattr(sol, name), getattr(whole, name)):
            raise AssertionError(f"damaged results were read with other numbers in {name}")


def _make_netcdf(rng: random.Random, folder: Path) -> bytes:
    _whole(folder)
    return damaged((folder / "whole.nc").read_bytes(), rng)


def _netcdf(data: bytes, folder: Path) -> None:
    (folder / "damaged.nc").write_bytes(data)
    _same(load(folder / "damaged.nc"), folder)


def _make_block(rng: random.Random, folder: Path) -> bytes:
    """The number of a block and what becomes of it."""
    _whole(folder)
    number = rng.randint(1, 5)
    data = (folder / "whole" / f"block-{number:06d}.npz").read_bytes()
    return bytes([number]) + (damaged(data, rng) if rng.random() < 0.9 else b"")


def _block(data: bytes, folder: Path) -> None:
    place = folder / "run"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder / "whole", place)
    name = place / f"block-{data[0] if data else 1:06d}.npz"
    name.unlink(missing_ok=True)
    if len(data) > 1:
        name.write_bytes(data[1:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _same(iso.resume(place, oscillator()), folder)


def _make_document(rng: random.Random, folder: Path) -> bytes:
    """run.json, twisted; in half of the cases with a right checksum."""
    _whole(folder)
    text = (folder / "whole" / "run.json").read_text(encoding="utf-8")
    found = twisted(text, (text,), rng)
    with contextlib.suppress(ValueError, RecursionError, AttributeError, TypeError):
        document = json.loads(found)
        document.pop("sha256", None)
        if rng.random() < 0.8:
            found = seals.sealed_json(_changed(document, rng))[1].decode()
    return found.encode("utf-8", "surrogatepass")


def _changed(document: Any, rng: random.Random) -> Any:
    """A document in which one value is another."""
    options = document.get("options", document) if rng.random() < 0.7 else document
    if isinstance(options, dict) and options:
        key = rng.choice(sorted(options))
        options[key] = rng.choice(
            (None, [], {}, {"type": "Newton", "rtol": "x"}, {"type": "dict"}, 1e999, -1, "x", [[]], {"type": 3})
        )
    return document


def _document(data: bytes, folder: Path) -> None:
    place = folder / "described"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    (place / "run.json").write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        iso.resume(place, oscillator())


# ---- matrices


def _make_matrix(rng: random.Random, folder: Path) -> bytes:
    """A file of a matrix, damaged; the first byte tells its ending."""
    kind = rng.randrange(len(ENDINGS))
    K, buffer = np.array([[2.0, -1.0], [-1.0, 2.0]]), io.BytesIO()
    if ENDINGS[kind] == ".npy":
        np.save(buffer, K)
    elif ENDINGS[kind] == ".npz":
        sp.save_npz(buffer, sp.csr_matrix(K)) if rng.random() < 0.5 else np.savez(buffer, K=K)
    else:
        text = rng.choice(MARKET)
        buffer.write((twisted(text, MARKET, rng) if rng.random() < 0.7 else text).encode("utf-8", "surrogatepass"))
    data = buffer.getvalue()
    data = gzip.compress(data, mtime=0) if ENDINGS[kind].endswith(".gz") else data
    return bytes([kind]) + (damaged(data, rng) if rng.random() < 0.8 else data)


ENDINGS = (".npy", ".npz", ".mtx", ".mtx.gz")
MARKET = (
    "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2.0\n2 1 -1.0\n2 2 2.0\n",
    "%%MatrixMarket matrix array real general\n2 1\n1.0\n2.0\n",
    "%%MatrixMarket matrix coordinate pattern general\n% words\n2 2 1\n1 2\n",
)


def _matrix(data: bytes, folder: Path) -> None:
    path = folder / f"matrix{ENDINGS[data[0] % len(ENDINGS)] if data else '.mtx'}"
    path.write_bytes(data[1:])
    found = matrices.read_matrix(path)
    matrices.linear_system(found, found)


# ---- the kernel cache and the command line


def _cache_file(folder: Path) -> Entry:
    return Entry.at(folder / "one.kernel", b"stamp")


def _make_cache(rng: random.Random, folder: Path) -> bytes:
    """The file of a kernel, damaged."""
    file = _cache_file(folder)
    file.write(b"code" * 50)
    return bytes(damaged(file.path.read_bytes(), rng))


def _cache(data: bytes, folder: Path) -> None:
    file = _cache_file(folder)
    file.path.write_bytes(data)
    found = file.read(bytes)
    if found not in (None, b"code" * 50):
        raise AssertionError("a damaged kernel was loaded")


COMMANDS = (
    ["scheme", "U0(0.8,0.8,0.8)"],
    ["scheme", "optimal(0.5)", "--xi", "0.1", "--json"],
    ["cite", "kepler", "--json"],
    ["run", "kepler", "--dt", "0.1", "--t-end", "0.2", "--set", "e=0.1", "--json"],
    ["run", "pendulum", "--dt", "0.01", "--t-end", "0.02", "--scheme", "U0(1,1,0)", "--formulation", "stabilised"],
    ["run", "MODEL.toml", "--dt", "0.01", "--t-end", "0.02", "--save-every", "1"],
    ["run", "kepler", "--t-end", "0.1", "--csv", "FOLDER/x.csv"],
    ["resume", "FOLDER/whole"],
    ["report", "FOLDER/whole.nc", "--out", "FOLDER/page.html"],
    ["order", "oscillator", "--dt", "0.1", "--dt", "0.05", "--t-end", "0.2"],
    ["list", "--json"],
)


def _make_command(rng: random.Random, folder: Path) -> bytes:
    words = list(rng.choice(COMMANDS))
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randrange(len(words))
        how = rng.randrange(4)
        if how == 0:
            words[at] = twisted(words[at], words, rng)[:3000]
        elif how == 1:
            words[at] = rng.choice((*NUMBERS, *WORDS))
        elif how == 2:
            words.insert(at, rng.choice(rng.choice(COMMANDS)))
        else:
            del words[at]
    return json.dumps(words).encode()


def _command(data: bytes, folder: Path) -> None:
    """Exit codes of the command line; `t-end` alone may ask for very long runs, which are no
    fault."""
    try:
        words = [str(word) for word in json.loads(data)]
    except (ValueError, TypeError):
        return
    words = [
        w.replace("FOLDER", str(folder)).replace("MODEL.toml", str(ROOT / "examples/models/pendulum.toml"))
        for w in words
    ]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.chdir(folder):
        code = _run([*words])
    if code == FAULT:
        raise AssertionError(f"the command line met a fault of its own: {err.getvalue()[-300:]}")
    if code not in (0, 1, 2) or (code and "error: " not in err.getvalue()):
        raise AssertionError(f"exit code {code} with {err.getvalue()[-300:]!r}")


def all_formats() -> tuple[Format, ...]:
    """Every format and its part of the inputs."""
    return (
        Format("scheme", 0.12, _twister(SCHEMES), _scheme),
        Format("formulation", 0.08, _twister(FORMULATIONS), _formulation),
        Format("set", 0.05, _twister(SETTINGS), _setting),
        Format("formula", 0.15, _twister(FORMULAS), _formula),
        Format("model", 0.21, _make_model, _model),
        Format("urdf", 0.06, _twister(URDF), _urdf),
        Format("mjcf", 0.02, _twister(MJCF), _mjcf),
        Format("sdf", 0.02, _twister(SDF), _sdf),
        Format("run.json", 0.05, _make_document, _document),
        Format("checkpoint", 0.05, _make_block, _block),
        Format("netcdf", 0.07, _make_netcdf, _netcdf),
        Format("matrix", 0.05, _make_matrix, _matrix),
        Format("cache", 0.02, _make_cache, _cache),
        Format("command", 0.05, _make_command, _command),
    )


__all__ = ["Format", "all_formats"]
