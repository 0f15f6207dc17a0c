"""Models from files: TOML to mechanisms and runs, matrices and meshes to linear systems, URDF to mechanisms, and back to TOML."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isodyn.models.build import ModelFile, load_model, model_from_text
    from isodyn.models.matrices import elastic_body, linear_system, read_matrix
    from isodyn.models.urdf import Urdf, read_urdf
    from isodyn.models.writer import to_toml

__all__ = ["ModelFile", "Urdf", "elastic_body", "linear_system", "load_model", "model_from_text"]
__all__ += ["read_matrix", "read_urdf", "to_toml"]

_HOMES = {
    **dict.fromkeys(("ModelFile", "load_model", "model_from_text"), "build"),
    **dict.fromkeys(("elastic_body", "linear_system", "read_matrix"), "matrices"),
    **dict.fromkeys(("Urdf", "read_urdf"), "urdf"),
    "to_toml": "writer",
}


def __getattr__(name: str) -> Any:
    """Load what needs further packages when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'isodyn.models' has no attribute {name!r}")
    return getattr(import_module(f"isodyn.models.{_HOMES[name]}"), name)
