"""Numbers that loads hold until somebody sets them again: inputs of a run.

The models of the run get tables of their own, all of which are written.
"""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.results.units import is_mechanism
from isodyn.systems.base import System
from isodyn.systems.model import Model

if TYPE_CHECKING:
    from isodyn.mechanism.inputs import InputPlace

of_mechanisms = Later("isodyn.mechanism.inputs")  # which other systems do not need


class HeldInputs:
    """What is held, by the names of loads."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.places: dict[str, InputPlace] = of_mechanisms.input_places(system) if is_mechanism(system) else {}
        self.values: dict[str, FloatArray] = {}
        self.loads_off: tuple[str, ...] = ()  # that events have switched off
        # tables of a model, those that all models share, and places in both
        self.models: list[tuple[Any, Any, dict[str, InputPlace]]] = []
        self._shown: System | None = None

    def adopt(self, system: System, model: Model) -> Model:
        """The same model with tables of its own, in which inputs are held."""
        if not self.places:
            return model
        places: dict[str, Any] = self.places if system is self.system else of_mechanisms.input_places(system)
        dense, tables = model.dense, model.tables.copy()
        own = replace(model, tables=tables, dense=None if dense is None else lambda: self.adopt(system, dense()))
        self.models.append((tables, model.tables, places))
        for name, value in self.values.items():
            if name in places:
                places[name].write(tables, value)
        return own

    def place(self, name: str) -> InputPlace:
        """Where an input is; InputError for what is none."""
        if isinstance(name, str) and name in self.places:
            return self.places[name]
        similar = difflib.get_close_matches(str(name), list(self.places), n=2, cutoff=0.5)
        known = ", ".join(map(repr, self.places)) or "none in this system"
        hint = f"did you mean {' or '.join(map(repr, similar))}?" if similar else f"inputs: {known}"
        raise InputError(
            f"there is no input named {name!r}",
            hint=f"{hint} (loads that are a Motor, a GearMotor, a Force or a Torque)",
        )

    def set(self, name: str, value: object) -> bool:
        """Hold an input at a value, or let it go (None); whether that changes anything."""
        place = self.place(name)
        if value is None:
            if self.values.pop(name, None) is None:
                return False
            for tables, shared, places in self.models:
                if name in places:
                    places[name].let_go(tables, shared)
        else:
            given = place.checked(value)
            if name in self.values and self.values[name].tolist() == given.tolist():
                return False
            self.values[name] = given
            for tables, _, places in self.models:
                if name in places:
                    places[name].write(tables, given)
        self._shown = None
        return True

    def put_back(self, values: dict[str, FloatArray]) -> None:
        """Hold what was held at another time."""
        for name in [*self.values]:
            if name not in values:
                self.set(name, None)
        for name, value in values.items():
            self.set(name, value)

    def shown(self) -> System:
        """The system whose tables have the loads as they are now, for what is read of them."""
        if not self.values:
            return self.system
        if self._shown is None:
            system: Any = self.system
            tables = system.tables.copy()
            for name, value in self.values.items():
                self.places[name].write(tables, value)
            self._shown = replace(system, tables=tables)
        return self._shown
