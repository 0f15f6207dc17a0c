"""Formulations written outside the package: runs, table, command line, model files, `compare` and
stored settings know them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.errors import InputError, SchemeError
from isodyn.formulations import Facts, Formulation, formulation
from isodyn.formulations.protocol import REGISTRY
from isodyn.formulations.table import TABLE, to_markdown
from isodyn.models import model_from_text
from isodyn.results.inputs import from_json, to_json
from isodyn.specs import parse_formulation
from registries import as_before

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "extending" / "own_formulation.py"


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Registries as they were."""
    with as_before():
        yield


def example() -> ModuleType:
    """The example as a module."""
    specification = importlib.util.spec_from_file_location("example_own_formulation", EXAMPLE)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[module.__name__] = module
    specification.loader.exec_module(module)
    return module


def run(how: Any, dt: float = 0.02, **options: Any) -> iso.Solution:
    return iso.integrate(problems.get("pendulum").system(), iso.Scheme.optimal(0.8), how, dt=dt, t_end=0.4, **options)


def test_table_text_and_file_know_it() -> None:
    """Without a word about it anywhere else."""
    own = example().Gentle
    assert "Gentle" in [row.name for row in TABLE]
    assert "| `Gentle` | φ̇ + κφ | yes | no | yes | yes | yes | 2, 2, 2, 2 |" in to_markdown()
    assert parse_formulation("gentle(20)") == parse_formulation("Gentle(kappa=20)") == own(20.0)
    assert from_json(to_json(own(3.0))) == own(3.0)
    with pytest.raises(InputError, match="did you mean gentle"):
        parse_formulation("gentel")
    text = '[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[run]\ndt = 0.1\nt_end = 1\nformulation = "gentle(4)"\n'
    assert model_from_text(text).options()["formulation"] == own(4.0)


def test_it_runs_and_is_refused_like_others() -> None:
    """The motion of velocity level where φ = 0 at first, and messages with its own name."""
    own = example().Gentle
    assert run(own()).q == pytest.approx(run(iso.Stabilised()).q, abs=1e-3)
    with pytest.raises(InputError, match=r"no constraints, so formulation must be None, received Gentle"):
        iso.integrate(problems.get("kepler").system(), formulation=own(), dt=0.1, t_end=1.0)
    with pytest.raises(SchemeError, match="Gentle is for second-order systems"):
        iso.integrate(problems.get("circle_index2").system(), formulation=own(), dt=0.1, t_end=1.0)


def test_an_object_with_a_closure_will_do() -> None:
    """Not registered, not below anything; the first step may close in its own way."""

    class Plain:
        def closure(self, dt: float) -> Any:
            return iso.VelocityLevel().closure(dt)

    class Careful(Plain):
        def first_closure(self, dt: float) -> Any:
            return iso.Stabilised().closure(dt)

    level = run(iso.VelocityLevel())
    assert np.array_equal(run(Plain()).q, level.q)
    assert not np.array_equal(run(Careful()).q, level.q)
    for wrong in (3, "stabilised", iso.Stabilised, object()):
        with pytest.raises(InputError, match="formulation must be one of isodyn's"):
            run(wrong)


def test_another_system_instead() -> None:
    """A formulation that transforms brings its solution back."""

    @dataclass(frozen=True)
    class Detour(Formulation):
        """The compiled equations of Gauss' principle by way of another form."""

        facts: ClassVar[Facts] = Facts(transforms=True, compiled=False, constraints_only=True)

        def closure(self, dt: float) -> Any:
            raise AssertionError

        def transform(self, system: Any) -> Any:
            return iso.UdwadiaKalaba("cholesky").transform(system)

        def lift(self, sol: Any, system: Any) -> Any:
            return iso.UdwadiaKalaba("cholesky").lift(sol, system)

    found, expected = run(Detour()), run(iso.UdwadiaKalaba("cholesky"))
    assert np.array_equal(found.q, expected.q)
    assert np.array_equal(found.lam, expected.lam)
    with pytest.raises(InputError, match="Detour needs all columns"):
        run(Detour(), select=[0])


@pytest.mark.parametrize("name", ["", "a b", "ü", "1st", "x(y)", "a:b", "a/b", "-"])
def test_names_that_no_text_could_have(name: str) -> None:
    with pytest.raises(InputError, match="begins with a letter"):
        formulation(name)(iso.Stabilised)


def test_what_cannot_be_registered() -> None:
    """Names that are taken, classes that are no formulations, facts about nothing."""

    @dataclass(frozen=True)
    class Other(Formulation):
        """A formulation."""

        facts: ClassVar[Facts] = Facts(settings=(("size", (1.0,)),))

        def closure(self, dt: float) -> Any:
            return None

    for name in ("ggl", "PositionLevel", "position_level", "stabilized"):
        with pytest.raises(InputError, match="is the name of isodyn"):
            formulation(name)(Other)
    with pytest.raises(InputError, match="facts for arguments that it does not have: size"):
        formulation("other")(Other)
    with pytest.raises(InputError, match="no dataclass below"):
        formulation("number")(int)  # type: ignore[type-var]
    assert "other" not in REGISTRY
