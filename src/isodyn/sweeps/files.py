"""Model files in sweeps: parameters of the file, and numbers of its tables such as
"spring.stiffness"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isodyn.errors import InputError
from isodyn.expressions.tokens import tokens
from isodyn.later import Later, load
from isodyn.mechanism.assembly import assemble
from isodyn.mechanism.renumbered import Renumbering
from isodyn.mechanism.system import MechanismSystem
from isodyn.parts import LOADS
from isodyn.sweeps.subjects import Address, Subject, address, unknown

if TYPE_CHECKING:
    from isodyn.models.build import ModelFile
    from isodyn.models.reader import Source
    from isodyn.systems.base import System

build, builder, reader = Later("isodyn.models.build"), Later("isodyn.models.builder"), Later("isodyn.models.reader")
schema = Later("isodyn.models.schema")
pydantic = Later("pydantic")

KINDS = ("bodies", "loads", "joints", "contacts", "beams", "flexible_bodies", "states", "controllers")
OF_A_POINT = ("bodies", "loads", "start", "run")  # what may differ from point to point within the same tables
WORDS = ("title", "description", "problem", "parameters", "output", "sweeps")  # no run depends on them


def file_subject(model: Any, names: tuple[str, ...]) -> Subject | None:
    """The subject of a model file, or of a path to one; None for anything else."""
    is_path = isinstance(model, Path) or (isinstance(model, str) and model.endswith(".toml"))
    if not is_path and type(model).__name__ != "ModelFile":
        return None
    try:
        load(pydantic)
    except ImportError:
        raise InputError("model files need pydantic", hint="pip install 'isodyn[models]'") from None
    read = build.load_model(model) if is_path else model
    if read.model.problem is not None and any(address(name) is not None for name in names):
        raise InputError(f"{read.source.name} names a ready problem, whose parts have no names here")
    return FileSubject(read.source.text, read.source.name, _given(read), names, read.files())


def _given(read: ModelFile) -> dict[str, float]:
    """Values that were given in place of those of the file. Parameters that are formulas of others
    are not among them: they follow the others at every point."""
    given: dict[str, float] = {}
    while True:
        found = schema.parameters_of(read.source, given)
        other = next((name for name, x in read.parameters.items() if found.get(name) != x), None)
        if other is None:
            return given
        given[other] = read.parameters[other]


@dataclass
class FileSubject(Subject):
    """A model file by its text."""

    text: str
    file: str
    parameters: Mapping[str, float]
    names: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)  # that the text names, as they were at the start

    def __getstate__(self) -> dict[str, Any]:
        names = ("text", "file", "parameters", "names", "files")
        return {name: getattr(self, name) for name in names}

    def kept(self) -> dict[str, Any]:
        found = {"text": self.text, "name": self.file, "parameters": dict(self.parameters)}
        return found | ({"files": reader.packed(self.files)} if self.files else {})

    @property
    def title(self) -> str:
        return str(self._base.title)

    @cached_property
    def _base(self) -> ModelFile:
        """The model as its file has it."""
        return build.model_from_text(self.text, self.file, self._plain(self.parameters), self.files)

    def _plain(self, values: Mapping[str, float]) -> dict[str, float]:
        """Values of parameters of the file."""
        known = self._source.data.get("parameters", {})
        free = "problem" in self._source.data
        return {name: float(x) for name, x in values.items() if name in known or (free and address(name) is None)}

    @cached_property
    def _source(self) -> Source:
        return reader.parse_text(self.text, self.file, self.files)

    def check(self) -> None:
        data = self._source.data
        for name in self.names:
            if name in data.get("parameters", {}) or ("problem" in data and address(name) is None):
                continue
            where = address(name)
            if where is None or self._table(where) is None:
                raise unknown(name, [*data.get("parameters", {}), *self._known()], self.file)
        self._of({})

    def _known(self) -> list[str]:
        data, ends = self._source.data, (int, float, str)
        return [
            f"{part}.{key}"
            for kind in KINDS
            for part, table in data.get(kind, {}).items()
            for key, value in table.items()
            if isinstance(value, ends) and key not in ("type", "kind", "joint", "coordinate")
        ]

    def present(self, name: str) -> object:
        """What the file has for a parameter or a number of a part."""
        if name in self._base.parameters:
            return self._base.parameters[name]
        if self._base.model.problem is not None and address(name) is None:
            known = self._base.problem().parameters
            if name in known:
                return known[name]
        where = address(name)
        path = None if where is None else self._table(where)
        if where is None or path is None or where.key not in self._source.data[path[0]][path[1]]:
            raise unknown(name, [*self._source.data.get("parameters", {}), *self._known()], self.file)
        found = self._source.data[path[0]][path[1]][where.key]
        for place in where.places:
            found = found[place]
        return found

    def _table(self, where: Address) -> tuple[str, ...] | None:
        for kind in KINDS:
            if where.part in self._source.data.get(kind, {}):
                return kind, where.part
        return None

    def _of(self, values: Mapping[str, float]) -> ModelFile:
        """The checked model with these values; what does not depend on them is taken from the file
        as it stands."""
        source, plain = self._with(values), self._plain({**self.parameters, **values})
        touched = set().union(*(self._touched(name) for name in values))
        if values and all(path[0] in OF_A_POINT for path in touched):
            parameters = schema.parameters_of(source, plain)
            tables = self._tables(values, source, parameters, touched)
            if tables is not None:
                return build.ModelFile(source, schema.with_parts(self._base.model, tables), parameters)
        return build.checked(source, plain)

    def _tables(
        self, values: Mapping[str, float], source: Source, parameters: Mapping[str, float], paths: set[Any]
    ) -> dict[Any, Any] | None:
        """Tables of a point; those that depend on values which the last point had too are its own,
        the same objects. None where one is wrong."""
        found = {}
        for path in paths:
            key = tuple((name, x) for name, x in values.items() if path in self._touched(name))
            if self._last.get(path, (None,))[0] != key:
                table = schema.read_part(type(self._base.model), source, parameters, path)
                if table is None:
                    return None
                self._last[path] = key, table
            found[path] = self._last[path][1]
        return found

    @cached_property
    def _last(self) -> dict[tuple[str, ...], tuple[Any, Any]]:
        return {}

    @cached_property
    def _last_parts(self) -> dict[tuple[str, ...], tuple[Any, Any]]:
        return {}

    def _part(self, made: Any, path: tuple[str, str], table: Any) -> Any:
        """The body or load of a table; None where a table makes other loads."""
        known = self._last_parts.get(path)
        if known is not None and known[0] is table:
            return known[1]
        if path[0] == "bodies":
            part = made.body(path[1], table)
        else:
            parts = made.made(LOADS, path[1], table)
            part = parts[0] if len(parts) == 1 and parts[0].name == path[1] else None
        if table is self._last.get(path, (None, None))[1]:
            self._last_parts[path] = table, part
        return part

    def _with(self, values: Mapping[str, float]) -> Source:
        """The text with these numbers of its parts in it."""
        written = {name: x for name, x in values.items() if name not in self._plain({name: x})}
        source = self._source
        if written:
            data = dict(source.data)
            for name, number in written.items():
                where = address(name)
                assert where is not None
                path = self._table(where)
                assert path is not None
                kind, part = path
                table = dict(data[kind][part])
                old = table.get(where.key)
                table[where.key] = _put(old, where.places, float(number), name)
                data[kind] = {**data[kind], part: table}
            source = replace(source, data=data)
        return source

    @cached_property
    def _known_touched(self) -> dict[str, frozenset[tuple[str, ...]]]:
        return {}

    def _touched(self, name: str) -> frozenset[tuple[str, ...]]:
        """Tables of parts, and other sections of the file, that depend on a parameter or hold a
        number."""
        known = self._known_touched
        if name not in known:
            known[name] = self._depending(name)
        return known[name]

    def _depending(self, name: str) -> frozenset[tuple[str, ...]]:
        where = address(name)
        if where is not None and name not in self._plain({name: 0.0}):
            path = self._table(where)
            return frozenset() if path is None else frozenset({path})
        used, given = {name}, self._source.data.get("parameters", {})
        for other, value in given.items():  # each may use those before it
            if _names_in(value) & used:
                used.add(other)
        return frozenset(path for path, names in self._formulas.items() if names & used)

    @cached_property
    def _numbers(self) -> Renumbering | None:
        model = self._base.model
        if model.problem is not None or model.beams or model.flexible_bodies:
            return None
        system = self._base.mechanism().compile()
        return Renumbering(system) if type(system) is MechanismSystem and system.description is not None else None

    def prepared(self, values: Mapping[str, float]) -> tuple[Any, dict[str, Any]]:
        model = self._of(values)
        same_run = model.model.run == self._base.model.run and model.model.start.assemble == self._assembled
        options = dict(self._options) if same_run else model.options()
        system = self._renumbered(model)
        return (model.system() if system is None else self._started(model, system)), options

    @cached_property
    def _options(self) -> dict[str, Any]:
        return dict(self._base.options())

    @property
    def _assembled(self) -> bool:
        return bool(self._base.model.start.assemble)

    def _renumbered(self, model: ModelFile) -> MechanismSystem | None:
        """The system by other numbers in the tables; None where more depends on them."""
        base, numbers = self._base.model, self._numbers
        new = model.model
        changed = {name for name, x in model.parameters.items() if self._base.parameters.get(name) != x}
        if numbers is None or self._elsewhere(new, changed):
            return None
        made = builder.Builder(model.source, new, model.parameters)
        bodies: dict[str, Any] = {}
        loads: dict[str, Any] = {}
        for name, table in new.bodies.items():
            if table is not base.bodies[name] and table != base.bodies[name]:
                bodies[name] = self._part(made, ("bodies", name), table)
        for name, acting in new.loads.items():
            other = acting is not base.loads[name] and acting != base.loads[name]
            if other or self._formulas["loads", name] & changed:
                loads[name] = self._part(made, ("loads", name), acting)
                if loads[name] is None:
                    return None
        with made.located(()):
            return numbers.system(bodies, loads)

    def _elsewhere(self, new: Any, changed: set[str]) -> bool:
        """Whether anything but bodies, loads, start and run differs from the file."""
        base = self._base.model
        others = [key for key in type(base).model_fields if key not in (*OF_A_POINT, *WORDS)]
        pairs = [(getattr(new, key), getattr(base, key)) for key in others]
        differs = any(one is not other and one != other for one, other in pairs)
        return differs or any(used & changed for path, used in self._formulas.items() if path[0] not in OF_A_POINT)

    @cached_property
    def _formulas(self) -> dict[tuple[str, ...], set[str]]:
        """Names in the texts of each table of a part, and of the other sections."""
        found: dict[tuple[str, ...], set[str]] = {}
        for key, section in self._source.data.items():
            if key in WORDS:
                continue
            parts = section.items() if key in ("bodies", "loads") and isinstance(section, dict) else None
            found |= {(key,): _names_in(section)} if parts is None else {(key, x): _names_in(y) for x, y in parts}
        return found

    def _started(self, model: ModelFile, system: MechanismSystem) -> System:
        """The system at the start that the file asks for."""
        start = model.model.start
        if not (start.positions or start.rates or start.hold):
            return system
        made = builder.Builder(model.source, model.model, model.parameters)
        with made.located(("start",)):
            keyed = [
                {builder.coordinate(name): x for name, x in given.items()} for given in (start.positions, start.rates)
            ]
            return assemble(system, start.hold, keyed[0], keyed[1], model.model.run.t0).system


def _put(old: object, places: tuple[int, ...], number: float, name: str) -> object:
    """A number in place of another, or of one in an array, whose other entries may be formulas."""
    if not places:
        if isinstance(old, list):
            raise InputError(f"{name} has several numbers", hint=f"name one of them: {name}[0]")
        return number
    if not isinstance(old, list) or places[0] >= len(old):
        raise InputError(f"there is no number {name}: {places[0]} is no place in it")
    return [_put(x, places[1:], number, name) if k == places[0] else x for k, x in enumerate(old)]


def _names_in(value: object) -> set[str]:
    """Names in all texts of a table; those that are no formulas have no parameters in them."""
    if isinstance(value, str):
        try:
            return {token.text for token in tokens(value) if token.kind == "name"}
        except InputError:
            return set()
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*(_names_in(part) for part in inner))
