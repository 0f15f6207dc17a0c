"""Parts of a mechanism register themselves: `@joint("hinge")` and `@load("spring")` above a class
make it known to model files.

Such a class tells its keys in a model file (`Key`, `Value`), what it adds to a mechanism (`build`)
and how it is drawn. Everything that reads or writes parts goes by the registries `JOINTS` and
`LOADS`, contacts by `CONTACTS`; shapes of bodies stand in `SHAPES`.
"""

from isodyn.parts.keys import Key, Keys, Value, optional, required
from isodyn.parts.part import Part, Tabled, Use
from isodyn.parts.registry import CONTACTS, JOINTS, LOADS, SHAPES, Registry, contact, joint, load

__all__ = [
    "CONTACTS",
    "JOINTS",
    "LOADS",
    "SHAPES",
    "Key",
    "Keys",
    "Part",
    "Registry",
    "Tabled",
    "Use",
    "Value",
    "contact",
    "joint",
    "load",
    "optional",
    "required",
]
