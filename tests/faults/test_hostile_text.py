"""Texts that are too deep, too long, too large or simply wrong end in typed errors, soon and in few
words."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import mmwrite

import isodyn as iso
from isodyn.errors import InputError, IsodynError
from isodyn.expressions import compile_formula, constant
from isodyn.models.build import model_from_text
from isodyn.models.matrices import read_matrix
from isodyn.models.reader import ModelError, parse_text
from isodyn.models.urdf import read_urdf
from isodyn.specs import parse_formulation, parse_parameters, parse_scheme

LONG = "1" + "0" * 400

SPECS = ("U0(1e400,1,1)", f"U0({LONG},1,1)", f"U0({'9' * 5000},1,1)", "U0(" + "(" * 5000, "U0(" + "-" * 5000 + "1)")
SPECS += (
    "U0(1)(2)",
    "U0(**{})",
    "U0(*x)",
    "U0(1if 2else 3)",
    "U0(lambda:0)",
    "U0(x:=1)",
    "U0\x00(1)",
    "U0(1,\x00)",
    "é(1)",
)
SPECS += (
    "x" * 100_000,
    "U0(" + "1," * 50_000 + ")",
    "U0((1,2),(3,),())",
    "U0(qr,qr,qr)",
    "U0(1,1,1,explicit=qr)",
    "U0('1')",
)
SPECS += ("U0(1/0,1,1)", "optimal(True)", "U0(1j,1,1)", "", " ", "(", "U0(nan,1,1)", "newmark(1e308,1e308)")


@pytest.mark.parametrize("text", SPECS, ids=lambda text: ascii(text[:24]))
@pytest.mark.filterwarnings("ignore::isodyn.errors.IsodynWarning")
def test_schemes_and_formulations(text: str) -> None:
    """None of them is one, but for the last, which is a scheme of enormous coefficients; messages
    stay short."""
    for parse in (parse_scheme, parse_formulation) if text != SPECS[-1] else (parse_formulation,):
        with pytest.raises(IsodynError) as caught:
            parse(text)
        assert len(str(caught.value)) < 1500


@pytest.mark.parametrize("text", ["e=nan", "e=1e400", "=1", "e", "e=", f"e={'9' * 400}", "e=0x10", "e=1,5", "e=\x00"])
def test_settings(text: str) -> None:
    with pytest.raises(InputError, match="a finite one, received"):
        parse_parameters([text])
    with pytest.raises(InputError, match="twice"):
        parse_parameters(["e=1", "e=2"])


def test_sums_of_many_terms_are_no_deep_formulas() -> None:
    """500 terms ended in a RecursionError, since sums nest to the left."""
    assert constant("1" + "+1" * 499) == 500.0
    assert compile_formula("t" + "+t" * 499).names == ("t",)
    assert constant("-" * 900 + "1") == 1.0
    for text in ("(" * 500, "2^" * 80 + "2", "9^9^9^9", "1/0", "sin(" * 70, "+", "1e999", "٣"):
        with pytest.raises(InputError):
            constant(text)


TOML = {
    "a key of 50,000 parts": (".".join(["a"] * 50_000) + " = 1", "more than 60 parts"),
    "a table of 50,000 parts": (f"[{'.'.join(['a'] * 50_000)}]", "more than 60 parts"),
    "quoted parts": (".".join(['"a"'] * 50_000) + " = 1", "more than 60 parts"),
    "arrays in arrays": ("a = " + "[" * 100_000, "too deep"),
    "tables in tables": ("a = " + "{b = " * 10_000, "too deep"),
    "5000 digits": ("gravity = [0, 0, 1" + "0" * 5000 + "]", "not TOML"),
    "400 digits": (f"[parameters]\nl = {LONG}", "a finite number is needed"),
    "400 digits in a vector": (f"gravity = [0, 0, {LONG}]", "a finite number is needed"),
    "hexadecimal": ("[parameters]\nl = 0x" + "f" * 3000, "a finite number is needed"),
    "a day that does not exist": ("title = 2023-02-30", "not TOML"),
    "surrogates": ('title = "\\ud800"', "not TOML"),
    "six million characters": ("#" * 6_000_000, "at most"),
    "sweeps of sweeps": (
        'problem = "kepler"\n[parameters]\ne = 0.1\n'
        + '[[sweeps]]\nparameter = "e"\nstart = 0\nstop = 0.5\ncount = 100000\n' * 3,
        r"1000000000000000 runs of all sweeps.* of memory are needed",
    ),
}


@pytest.mark.parametrize("case", TOML)
def test_model_files(case: str) -> None:
    text, words = TOML[case]
    with pytest.raises(InputError, match=words) as caught:
        model_from_text(text)
    assert len(str(caught.value)) < 500


def test_places_in_long_files_are_found_soon() -> None:
    """Lines were counted from the start for every key, which took the square of the length."""
    source = parse_text("\n".join(f"k{i} = [{i}, 2]" for i in range(5_000)))
    assert source.line_of(("k4999", 1)) == 5_000


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_bytes(b"title = 'x'\n# \xff\xfe\n")
    from isodyn.models.build import load_model

    with pytest.raises(ModelError, match="line 2: the file is not UTF-8 text"):
        load_model(tmp_path / "m.toml")
    with pytest.raises(InputError, match="cannot read"):
        load_model("a\x00b.toml")
    with pytest.raises(InputError, match="cannot read"):
        load_model(tmp_path)


BODY = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"


def joint(name: str, parent: str, child: str) -> str:
    return f"<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/></joint>"


def test_urdf_bytes_and_encodings() -> None:
    """Bytes are read as XML reads them; what is no text is refused."""
    text = f"<robot name='é'><link name='a'/><link name='b'>{BODY}</link>{joint('j', 'a', 'b')}</robot>"
    head = '<?xml version="1.0" encoding="{}"?>'
    for source in (text, text.encode(), (head.format("latin-1") + text).encode("latin-1"), text.encode("utf-16")):
        assert read_urdf(source).name == "é"
    for wrong in (
        b"\xff\xfe\x00",
        text.encode("latin-1"),
        head.format("nonsense").encode() + text.encode(),
        "<robot\ud800/>",
    ):
        with pytest.raises(InputError, match=r"not XML|no file"):
            read_urdf(wrong)
    for wrong in (None, 3, [text]):
        with pytest.raises(InputError, match="a path or a text"):
            read_urdf(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"cannot read|no file"):
        read_urdf("a\x00b")


def test_urdf_entities_are_refused() -> None:
    bomb = "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
        f"<!ENTITY {chr(98 + k)} '{f'&{chr(97 + k)};' * 10}'>" for k in range(9)
    )
    for text in (bomb + "]><robot name='&j;'/>", "<!DOCTYPE r SYSTEM 'file:///etc/passwd'><robot/>"):
        with pytest.raises(InputError, match=r"DOCTYPE|not XML"):
            read_urdf(text)


def test_urdf_loops_are_told() -> None:
    """A loop beside the tree was dropped without a word; one that is the whole file was an empty
    list."""
    links = "".join(f"<link name='{x}'>{BODY}</link>" for x in "abcd")
    beside = f"<robot>{links}{joint('1', 'b', 'c')}{joint('2', 'c', 'd')}{joint('3', 'd', 'b')}</robot>"
    with pytest.raises(InputError, match=r"links b, c, d are not connected with 'a': their joints form a loop"):
        read_urdf(beside)
    with pytest.raises(InputError, match="received 0, so its joints form a loop"):
        read_urdf(f"<robot>{links}{''.join(joint(x + y, x, y) for x, y in ('ab', 'bc', 'cd', 'da'))}</robot>")
    with pytest.raises(InputError, match=r"joins|itself|loop"):
        read_urdf(f"<robot>{links[: links.index('</link>') + 7]}{joint('1', 'a', 'a')}</robot>")


def test_urdf_names_are_kept_apart() -> None:
    """URDF has names of links and of joints; a mechanism has one set of names, in which "ground" is
    taken."""
    text = f"<robot><link name='base'/><link name='ground'>{BODY}</link><link name='j'>{BODY}</link>"
    found = read_urdf(text + joint("base", "base", "ground") + joint("j", "ground", "j") + "</robot>")
    assert set(found.mechanism.bodies) == {"ground_link", "j"}
    assert set(found.mechanism.joints) == {"base_joint", "j_joint"}
    assert "joint 'j' is called 'j_joint': the name is taken" in found.unsupported


def test_matrix_market_as_scipy_writes_it(tmp_path: Path) -> None:
    """Own reader, since that of SciPy ends Python at a byte 0: all forms, every digit."""
    A = sp.random(20, 20, 0.2, random_state=1)
    for k, M in enumerate(
        (A, A + A.T, A - A.T, A.toarray(), (A + A.T).toarray(), (A - A.T).toarray(), np.ones((4, 1)))
    ):
        mmwrite(tmp_path / f"{k}.mtx", M, precision=17)
        found = read_matrix(tmp_path / f"{k}.mtx")
        assert sp.issparse(found) == sp.issparse(M)
        assert abs(found - M).max() == 0.0
    text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 -1\n2 2 2\n"
    for old, new, words in (
        ("2 1 -1", "2 1 \x00", "no numbers"),
        ("2 2 3", "2 2 9999999999999999999", "sizes are needed"),
        ("2 2 3", "2 2 4", "cut off"),
        ("2 2 3", "2 3 3", "is square"),
        ("2 1 -1", "3 1 -1", "places must be"),
        ("2 1 -1", "2 1.5 -1", "places must be"),
        ("real", "complex", "'complex' matrices are not read"),
        ("%%Matrix", "%Matrix", "no Matrix Market file"),
    ):
        (tmp_path / "wrong.mtx").write_text(text.replace(old, new))
        with pytest.raises(InputError, match=words):
            read_matrix(tmp_path / "wrong.mtx")


def test_sparse_files_with_places_outside_are_refused(tmp_path: Path) -> None:
    """They were taken as they are."""
    matrix = sp.csr_matrix(np.eye(3))
    matrix.indices[1] = 7_000_000
    sp.save_npz(tmp_path / "m.npz", matrix)
    with pytest.raises(InputError, match="cannot be read"):
        read_matrix(tmp_path / "m.npz")
    np.save(tmp_path / "words.npy", np.array(["a", "b"]))
    with pytest.raises(InputError, match="no matrix or vector of numbers"):
        read_matrix(tmp_path / "words.npy")


@pytest.mark.parametrize("chosen", [[0.5], [True], [math.inf], [math.nan], ["x"], {0: [1], "q": [0]}], ids=str)
def test_columns_that_are_no_numbers_are_refused(chosen: object) -> None:
    """0.5 was taken for column 0."""
    system = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
    with pytest.raises(InputError, match="select"):
        iso.integrate(system, dt=0.1, t_end=1.0, select=chosen)  # type: ignore[arg-type]
