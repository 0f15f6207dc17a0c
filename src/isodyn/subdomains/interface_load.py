"""The force of an interface as a load on one subdomain.

    f(t) − G_ℓᵀ λ(t),      λ(t) = λ_n + (t − t_n)/Δt (λ_{n+1} − λ_n)                    [Shimada2014 (4.4d)]

With λ as a function of time the step needs to know nothing of subdomains: it asks for the balance
at t_n + (m + W₁)Δt_ℓ, and load and multiplier are both taken there.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.kernels.compiled import BALANCE, FloatArray
from isodyn.systems import LinearFirstOrderSystem, LinearSystem, checks
from isodyn.systems.model import Model, Question, from_python

# compiled, or loaded from the cache, when first needed
from isodyn.systems.trampoline import python_model

if TYPE_CHECKING:
    from isodyn.open_types import Matrix


class InterfaceLoad:
    """−G_ℓᵀλ(t) over one system step; called, with the subdomain's own load, which `silent` leaves
    out."""

    def __init__(self, Gt: Matrix, base: Callable[..., Any] | FloatArray | None = None, name: str = "f") -> None:
        self.Gt, self.base, self.name, self.n = Gt, base, name, Gt.shape[0]
        self.silent = False
        self.t_0, self.dt = 0.0, 1.0
        self.lam_0 = self.lam_1 = np.zeros(Gt.shape[1])
        self.start, self.change = np.zeros(self.n), np.zeros(self.n)

    def set(self, t_0: float, dt: float, lam_0: FloatArray, lam_1: FloatArray) -> None:
        """λ from lam_0 at t_0 to lam_1 at t_0 + dt."""
        self.t_0, self.dt, self.lam_0, self.lam_1 = t_0, dt, lam_0, lam_1
        self.start, self.change = self.Gt @ lam_0, self.Gt @ (lam_1 - lam_0)

    def force(self, t: float) -> FloatArray:
        """G_ℓᵀλ(t)."""
        # [Shimada2014 (4.4d)]
        value: FloatArray = self.start + (t - self.t_0) / self.dt * self.change
        return value

    def __call__(self, t: float) -> FloatArray:
        if self.silent or self.base is None:
            return -self.force(t)
        own = checks.returned(self.name, self.base(t), (self.n,), t) if callable(self.base) else self.base
        return own - self.force(t)


def tied(system: Any, Gt: Matrix) -> tuple[Any, InterfaceLoad, bool]:
    """The system with an interface load on it, that load, and whether the system is linear."""
    other = copy(system)
    if isinstance(system, LinearSystem):
        load = InterfaceLoad(Gt, system.f, "f")
        other.f = load
        return other, load, True
    if isinstance(system, LinearFirstOrderSystem):
        load = InterfaceLoad(Gt, system.r, "r")
        other.r = load
        return other, load, True
    load = InterfaceLoad(Gt)
    object.__setattr__(other, "model", lambda: _with_load(system.model(), load))
    return other, load, False


def _with_load(inner: Model, load: InterfaceLoad) -> Model:
    model = from_python(_Answers(inner, load), inner.traits)
    dense = inner.dense
    return replace(model, sparsity=inner.sparsity, dense=None if dense is None else lambda: _with_load(dense(), load))


class _Answers:
    """A model with the interface load in its balance; plain Python models are asked without a way
    through compiled code."""

    def __init__(self, inner: Model, load: InterfaceLoad) -> None:
        self.inner, self.load = inner, load
        self.solver = inner.solver
        plain = inner.callback if inner.function is python_model else None
        self.answers = None if plain is None else plain.model

    def answer(self, question: Question, out: FloatArray) -> int:
        inner = self.inner
        if self.answers is not None:
            status = self.answers.answer(question, out)
        else:
            status = int(inner.function(*question, inner.tables, inner.scratch, out))
            if inner.raised is not None:
                raise inner.raised
        if question.what == BALANCE:
            out += self.load.force(question.t)
        return status
