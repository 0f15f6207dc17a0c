"""From a scheme and a formulation to how the steps of a run are taken."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from isodyn.errors import InputError, SchemeError, StabilityWarning
from isodyn.formulations import Formulation, Stabilised
from isodyn.formulations.closure import OPEN, Closure, Elimination
from isodyn.formulations.protocol import facts_of
from isodyn.formulations.table import check_combination
from isodyn.kernels.compiled import FloatArray
from isodyn.marching.error_sizes import least_share
from isodyn.marching.plan import STILL, Member
from isodyn.schemes import Composition, FirstOrderScheme, Scheme
from isodyn.schemes.balance import balances_at_end
from isodyn.schemes.stability_limits import critical_frequency
from isodyn.stepping.coefficients import coefficients, starting_scheme
from isodyn.stepping.newton_settings import Newton
from isodyn.stepping.policies import StepPolicy
from isodyn.stepping.position_level import warn_weak
from isodyn.stepping.step_error import PRECISE
from isodyn.systems import System
from isodyn.systems.definite_mass import refuse_indefinite_mass

SECOND_ORDER = 1e-9  # |λ₅ − ½ − φ| of members of second order
# error of the iteration of a step that is kept to a tolerance: of the error of the step; and the most
# without constraints, with which the balance at its end counts as zero
BESIDE_STEPS, COARSEST = 1e-2, PRECISE
# the same with constraints, of the error of the motion: in a step that changes v by tol^(1/3) of its
# size an acceleration that is off by this part of tol^(2/3) makes this part of its error
BESIDE_MOTION = 3e-2


@dataclass(frozen=True, eq=False)
class Method:
    """A scheme for a system, how constraints close the steps and the first step, the S of `GGL`,
    and the composition that the scheme is the base of."""

    scheme: Scheme | FirstOrderScheme
    closure: Closure = OPEN
    first_closure: Closure = OPEN
    scaling: FloatArray | None = None
    composition: Composition | None = None

    @property
    def main(self) -> Member:
        """What takes all steps but the first."""
        return Member(coefficients(self.scheme), self.closure)

    @property
    def starting(self) -> Member:
        """What takes the first step."""
        return Member(coefficients(starting_scheme(self.scheme)), self.first_closure)

    @property
    def named(self) -> Scheme | FirstOrderScheme | Composition:
        """What the solution tells."""
        return self.composition or self.scheme


@dataclass(frozen=True, eq=False)
class OwnMethod(Method):
    """A method that takes steps of its own: coefficients of GS4 mean nothing there, and constraints
    close no step."""

    scheme: Any

    @property
    def main(self) -> Member:
        """Coefficients of no step at all."""
        return Member(STILL, OPEN)

    starting = main


def settle(
    system: System,
    scheme: Scheme | FirstOrderScheme | None,
    formulation: Formulation | None,
    dt: float,
    composition: Composition | None = None,
) -> Method:
    """Decide how steps of this size are taken; refuse combinations that make no sense."""
    adapted = adapt(scheme, system)
    closure, first_closure = _closures(system, adapted, formulation, dt)
    refuse_indefinite_mass(system)  # after what needs no kernel
    return Method(
        adapted, closure, first_closure, None if formulation is None else formulation.scaling(system), composition
    )


def refuse_sized(method: Method, formulation: Formulation | None, dt: float, policy: object) -> None:
    """Raise errors for what needs steps of one size."""
    if method.composition is not None and policy is not None:
        raise SchemeError(
            f"{method.named.name} has no estimate of the error of a step, so its steps must be known before",
            hint="take a number or iso.StepTimes for dt",
        )
    if getattr(policy, "estimates", False) and abs(method.scheme.l5 - 0.5 - method.scheme.phi) > SECOND_ORDER:
        raise SchemeError(
            f"{method.named.name} is of first order, λ₅ ≠ ½ + φ: its local error is not that of adaptive steps",
            hint="take a member of second order, for example Scheme.U0(0, 0.5, 0)",
        )
    if policy is not None and formulation is not None and facts_of(formulation).alternates:
        raise InputError(
            f"{formulation!r} closes φ alone; with steps of changing size its accelerations and multipliers are wrong",
            hint="take Stabilised(), which keeps φ and φ̇, or steps of one size",
        )
    if formulation is not None and formulation.closure(dt) != formulation.closure(0.5 * dt):
        raise InputError(
            f"{formulation!r} closes steps by their size, so they must all have one", hint="take a number for dt"
        )


def suited_to(
    policy: StepPolicy | None, scheme: Scheme | FirstOrderScheme | None, system: System
) -> Scheme | FirstOrderScheme | None:
    """What runs with estimates take where no scheme is named: one whose balance holds at t_{n+1}
    and that damps what the steps do not resolve."""
    if scheme is not None or policy is None or not policy.estimates:
        return scheme
    return FirstOrderScheme.GS4_1(0.0, 0.0) if system.first_order else Scheme.U0(0.0, 0.5, 0.0)


def iteration_of(policy: StepPolicy | None, method: Method, system: System) -> Newton | None:
    """The iteration of steps where nothing is named: with estimates, one whose error is small
    beside that of a step.

    In a constrained motion that of accelerations and multipliers is small beside the error of the
    motion, where φ and φ̇ are closed to rounding after it. Where φ̈ is closed, or the balance holds
    elsewhere than at t_{n+1} and what it misses there counts as an error, with rates of first
    order, contacts and named sizes it is smaller.
    """
    if policy is None or not policy.estimates:
        return None
    strict = max(BESIDE_STEPS * policy.controlled_error, 1e-14)
    if not system.m:
        return Newton(rtol=min(COARSEST, strict))
    strict, closure = min(Newton.rtol, strict), method.closure
    closed = closure.acceleration == 0.0 and not closure.at_balance and closure.eliminate is Elimination.NONE
    named = system.contacts is not None or policy.absolute
    if system.first_order or named or not closed or not balances_at_end(method.main.coefficients):
        return Newton(rtol=strict)
    return Newton(rtol=max(strict, BESIDE_MOTION * least_share(system) * policy.controlled_error ** (2.0 / 3.0)))


def unconstrained(formulation: object) -> InputError:
    """The error for a formulation of a system that has no constraints."""
    return InputError(f"the system has no constraints, so formulation must be None, received {formulation!r}")


def _closures(
    system: System, scheme: Scheme | FirstOrderScheme, formulation: Formulation | None, dt: float
) -> tuple[Closure, Closure]:
    """How the constraints close the steps, and the first step."""
    if system.m == 0:
        if formulation is not None:
            raise unconstrained(formulation)
        return OPEN, OPEN
    if formulation is not None:
        check_combination(formulation, scheme, system)
    if system.first_order:
        closure = OPEN if formulation is None else formulation.first_order_closure(dt)
        return closure, closure
    formulation = Stabilised() if formulation is None else formulation
    if facts_of(formulation).alternates:
        warn_weak(scheme)
    closure, first = formulation.closure(dt), formulation.first_closure(dt)
    return closure, closure if first is None else first


def adapt(scheme: Scheme | FirstOrderScheme | None, system: System) -> Scheme | FirstOrderScheme:
    """The scheme for this kind of system; warn if it is unstable there."""
    if scheme is None:
        scheme = Scheme.optimal(0.8) if system.first_order else Scheme.default()
    if not isinstance(scheme, Scheme | FirstOrderScheme):
        called = getattr(scheme, "__func__", None) is not None
        hint = f"call it: iso.{scheme.__qualname__}()" if called else "for example iso.Scheme.U0(0.8, 0.8, 0.8)"
        raise InputError(f"scheme must be a Scheme, received {scheme!r}", hint=hint)
    if system.first_order:
        return scheme.first_order() if isinstance(scheme, Scheme) else scheme
    if isinstance(scheme, FirstOrderScheme):
        raise SchemeError(
            f"{scheme.name} is a scheme for first-order systems; this system is of second order",
            hint="take a Scheme, for example Scheme.default()",
        )
    if (scheme.W3L3 == 0 or scheme.radii is None) and critical_frequency(scheme) == 0.0:
        warnings.warn(
            f"{scheme.name} is unstable: its spectral radius exceeds 1 for every step size; motions will grow\n"
            "hint: explicit schemes that do not: Scheme.central_difference(), Scheme.U0(rho, rho, 0, explicit=True)",
            StabilityWarning,
            stacklevel=4,
        )
    return scheme
