"""Models from files: TOML to mechanisms and runs, matrices and meshes to linear systems, URDF to
mechanisms, and back to TOML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.later import names_from

if TYPE_CHECKING:
    from isodyn.models.build import ModelFile, load_model, model_from_text
    from isodyn.models.import_summary import ImportedMechanism, ImportSummary
    from isodyn.models.matrices import elastic_body, linear_system, read_matrix
    from isodyn.models.mjcf import load_mjcf
    from isodyn.models.sdf import load_sdf
    from isodyn.models.urdf import Urdf, load_urdf, read_urdf
    from isodyn.models.writer import to_toml

__all__ = ["ModelFile", "Urdf", "elastic_body", "linear_system", "load_model", "model_from_text"]
__all__ += [
    "ImportSummary",
    "ImportedMechanism",
    "load_mjcf",
    "load_sdf",
    "load_urdf",
    "read_matrix",
    "read_urdf",
    "to_toml",
]

_HOMES = {
    **dict.fromkeys(("ModelFile", "load_model", "model_from_text"), "build"),
    **dict.fromkeys(("elastic_body", "linear_system", "read_matrix"), "matrices"),
    **dict.fromkeys(("Urdf", "load_urdf", "read_urdf"), "urdf"),
    **dict.fromkeys(("ImportSummary", "ImportedMechanism"), "import_summary"),
    "load_mjcf": "mjcf",
    "load_sdf": "sdf",
    "to_toml": "writer",
}

__getattr__ = names_from(__name__, _HOMES)
