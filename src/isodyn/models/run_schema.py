"""Schema of the [run] table of a model file."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from isodyn.models.parts import FilePart
from isodyn.models.values import Number, Numbers, Positive, Tolerances, refuse
from isodyn.specs import method_named
from isodyn.stepping.adaptive import LEAST_RTOL as ADAPTIVE_RTOL
from isodyn.stepping.methods import LEAST_RTOL as METHOD_RTOL


class NewtonOptions(FilePart):
    """Settings of the iteration."""

    rtol: Annotated[float, Field(gt=0, lt=1)] = 1e-10
    max_iterations: Annotated[int, Field(ge=1)] = 20
    max_halvings: Annotated[int, Field(ge=0)] = 8
    full: bool = False
    reuse: bool | None = None
    quasi: bool = False
    form: Literal[0, 1, 2, 3] = 0


class RunTable(FilePart):
    """Time, scheme and formulation. `rtol` is for adaptive steps, or for a method that is named as
    the scheme; `atol` and the sizes of steps are for adaptive steps."""

    beside_rtol: ClassVar[tuple[str, ...]] = ("atol", "first", "largest", "smallest")
    dt: Positive | None = None
    rtol: Annotated[float, Field(ge=METHOD_RTOL, lt=1)] | None = None
    atol: Tolerances | None = None
    first: Positive | None = None
    largest: Positive | None = None
    smallest: Positive | None = None
    t_end: Number | None = None
    t0: Number = 0.0
    scheme: str | None = None
    formulation: str | None = None
    save_every: Annotated[int, Field(ge=1)] = 1
    breakpoints: Numbers = ()
    newton: NewtonOptions | None = None

    @property
    def chooses_steps(self) -> bool:
        """Whether dt need not be given."""
        return self.rtol is not None or method_named(self.scheme) is not None

    @property
    def settings(self) -> dict[str, Any]:
        """What is said of adaptive steps beside rtol."""
        given = {key: getattr(self, key) for key in self.beside_rtol}
        return {key: value for key, value in given.items() if value is not None}

    @model_validator(mode="after")
    def _steps(self) -> Self:
        method = method_named(self.scheme)
        for key in () if method is None else ("dt", "newton"):
            if getattr(self, key) is not None:
                raise refuse(f"{self.scheme} chooses its steps by their error, and takes no {key}", key)
        if method is None and self.rtol is not None and not ADAPTIVE_RTOL <= self.rtol <= 0.1:
            raise refuse(
                f"adaptive steps take {ADAPTIVE_RTOL:g} to 0.1, received {self.rtol:g}",
                "rtol",
                hint='scheme = "Radau" or "DOP853" go down to 1e-13',
            )
        for key in self.settings:
            if method is not None:
                hint = f'{method.name} has settings of its own, as in scheme = "{method.name}(1e-8, max_step=0.1)"'
                raise refuse(f"it is for adaptive steps, and {method.name} is a method", key, hint=hint)
            if self.rtol is None:
                raise refuse("it is for adaptive steps, and rtol is missing", key, hint="rtol = 1e-4 asks for them")
        return self

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.dt is not None and self.rtol is not None:
            raise refuse(
                f"it stands beside dt = {self.dt:g}", "rtol", hint="dt gives steps of one size, rtol adaptive ones"
            )
        if self.t_end is not None and self.t_end <= self.t0:
            raise refuse(f"it must lie after t0 = {self.t0:g}, received {self.t_end:g}", "t_end")
        if self.first is not None and self.t_end is not None and self.first > self.t_end - self.t0:
            raise refuse(f"a step of {self.first:g} is longer than the run of {self.t_end - self.t0:g}", "first")
        if None not in (self.smallest, self.largest) and self.smallest > self.largest:  # type: ignore[operator]
            raise refuse(f"it lies above largest = {self.largest:g}, received {self.smallest:g}", "smallest")
        for k, t in enumerate(self.breakpoints):
            if t < self.t0 or (self.t_end is not None and t > self.t_end):
                raise refuse(f"{t:g} lies outside the run", "breakpoints", k)
        return self
