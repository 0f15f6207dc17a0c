"""`isodyn schema`, and runs of model files and of Python files that define a system."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isodyn.cli.output import print_json
from isodyn.errors import InputError, IsodynError
from isodyn.later import Later, load
from isodyn.results.files import is_file
from isodyn.systems import Description, as_system, is_system

if TYPE_CHECKING:
    from isodyn.models.build import ModelFile
    from isodyn.systems.base import System

pydantic = Later("pydantic")
model_build, model_schema = Later("isodyn.models.build"), Later("isodyn.models.schema")
model_fmu = Later("isodyn.models.fmu")
other_models = Later("isodyn.models")
ROBOTS = {".urdf": "load_urdf", ".xml": "load_mjcf", ".mjcf": "load_mjcf", ".sdf": "load_sdf", ".world": "load_sdf"}


@click.command("schema")
@click.option("--json", "as_json", is_flag=True, help="No effect: the output is always JSON.")
def schema_command(as_json: bool) -> None:
    """Print the JSON Schema of model files, for editors."""
    need_pydantic()
    print_json(model_schema.schema())


@click.command("export-fmu")
@click.argument("model")
@click.option("--folder", default=".", help="Folder to write to.")
@click.option("--name", help="Name of the unit. Default: the name of the file.")
def export_fmu_command(model: str, folder: str, name: str | None) -> None:
    """Write a model file as a co-simulation unit (FMI 3); isodyn must be installed where it is
    loaded."""
    need_pydantic()
    click.echo(model_fmu.export_fmu(model, folder, name))


def need_pydantic() -> None:
    """Model files need pydantic, which is an extra."""
    try:
        load(pydantic)
    except ImportError:
        raise InputError("model files need pydantic", hint="pip install 'isodyn[models]'") from None


def is_model_file(target: str) -> bool:
    """Whether a target of `run` is a file rather than the name of a problem."""
    return target.endswith((".toml", ".py")) or "/" in target or "\\" in target


def is_robot_file(target: str) -> bool:
    """Whether a target is a file of another program: URDF, MJCF or SDF."""
    return Path(target).suffix.lower() in ROBOTS


def system_of_robot(target: str, positions: dict[str, float]) -> tuple[Any, Any]:
    """The system of a robot with its joints at these coordinates, and the summary of its import."""
    reader = ROBOTS[Path(target).suffix.lower()]
    mech = getattr(other_models, reader)(Path(target))
    found = mech.import_summary
    given = {found.joints.get(name, name): x for name, x in positions.items()}
    return (mech.assemble(positions=given).system if given else mech.compile()), found


def read_model(target: str, overrides: dict[str, float]) -> ModelFile:
    """The model of a TOML file; Python files are refused with the way to name them."""
    if target.endswith(".py"):
        raise InputError(
            f"{target} is a Python file: it runs only with --python",
            hint=f"isodyn run --python {target}:system --dt … --t-end …",
        )
    need_pydantic()
    return model_build.load_model(target, overrides)


def system_of_python(target: str) -> System:
    """The system that FILE.py:NAME defines; the file is run."""
    path, _, name = target.rpartition(":")
    if not path or not name.isidentifier():
        raise InputError(f"--python takes FILE.py:NAME, received {target!r}", hint="such as own.py:system")
    if not is_file(path):
        raise InputError(f"there is no file {path}")
    try:
        found = runpy.run_path(path)
    except (Exception, SystemExit) as error:
        raise InputError(
            f"{path} failed: {type(error).__name__}: {error}", hint=f"python {path} shows where"
        ) from error
    if name not in found:
        systems = [key for key, value in found.items() if is_system(value) or isinstance(value, Description)]
        raise InputError(f"{path} defines no {name!r}", hint=f"systems in it: {', '.join(systems) or 'none'}")
    system = found[name]
    if callable(system) and not is_system(system):
        try:
            system = system()
        except IsodynError:
            raise
        except (Exception, SystemExit) as error:
            raise InputError(f"{name}() of {path} failed: {type(error).__name__}: {error}") from error
    system = as_system(system)
    if not is_system(system):
        raise InputError(f"{name!r} of {path} is not a system of isodyn but {type(system).__name__}")
    return system
