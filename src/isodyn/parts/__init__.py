"""Parts of a mechanism register themselves: `@joint("hinge")` and `@load("spring")` above a class make it known to model files.

Such a class tells its keys in a model file (`Key`, `Value`), what it adds to a mechanism (`build`) and how it is drawn. Everything that
reads or writes parts goes by the registries `JOINTS` and `LOADS`.
"""

from isodyn.parts.keys import Key, Keys, Value, optional, required
from isodyn.parts.part import Part, Use
from isodyn.parts.registry import JOINTS, LOADS, Registry, joint, load

__all__ = [
    "JOINTS",
    "LOADS",
    "Key",
    "Keys",
    "Part",
    "Registry",
    "Use",
    "Value",
    "joint",
    "load",
    "optional",
    "required",
]
