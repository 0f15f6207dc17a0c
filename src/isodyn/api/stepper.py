"""`Stepper`: the march of `integrate`, one step at a time."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.api.options import AnyScheme, StepSizes
from isodyn.errors import InputError
from isodyn.formulations import Formulation
from isodyn.formulations.protocol import as_formulation, facts_of
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.marching import at_balance
from isodyn.marching.held_inputs import HeldInputs
from isodyn.marching.index_reduction import chain_at_start, reduced_index
from isodyn.marching.kernel_plan import expect_kernels
from isodyn.marching.method import settle, unconstrained
from isodyn.marching.readings import Reading, reading
from isodyn.marching.run import Run
from isodyn.marching.sampling import Sampling, controllers_of
from isodyn.marching.schedule import Stretch, resolution, resolved
from isodyn.notebook_views import ShownInNotebooks
from isodyn.real_numbers import real_number
from isodyn.results.solution import Sample
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.stepping.impacts import Impacts
from isodyn.stepping.methods import StepMethod
from isodyn.stepping.newton_settings import Newton, checked_newton
from isodyn.stepping.policies import StepPolicy
from isodyn.systems import System, as_system, is_system

if TYPE_CHECKING:
    from isodyn.systems.description import Description

contact_run = Later("isodyn.marching.contact_run")  # systems with contacts only

MOST = 10**9  # steps
NEAR = 1e-9  # of a step: times that are so near are the same
TYPICAL = 1000  # of a run: velocities at the start are compared with sizes over this many steps


class StepperInputs(MutableMapping[str, Any]):
    """Inputs of a stepper, by the names of loads: what was set holds until it is set again."""

    def __init__(self, run: Run, held: HeldInputs) -> None:
        self._run, self._held = run, held
        self.changed = False  # since the last step

    def __getitem__(self, name: str) -> float | FloatArray | None:
        self._held.place(name)
        value = self._held.values.get(name)
        return None if value is None else float(value[0]) if value.size == 1 else value.copy()

    def __setitem__(self, name: str, value: object) -> None:
        writers = [] if self._run.sampling is None else self._run.sampling.writers(name)
        if writers:
            raise InputError(
                f"{writers[0]} writes {name!r}: what is set here would be lost at its next sample",
                hint="leave the controller out, or give the load a twin of its own",
            )
        self.changed |= self._held.set(name, value)

    def __delitem__(self, name: str) -> None:
        self[name] = None

    def clear(self) -> None:
        """Let loads do what the model says; those that controllers write stay as they are."""
        for name in self:
            if self._run.sampling is None or not self._run.sampling.writers(name):
                del self[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._held.places

    def __iter__(self) -> Iterator[str]:
        return iter(self._held.places)

    def __len__(self) -> int:
        return len(self._held.places)

    def __repr__(self) -> str:
        return f"<inputs: {', '.join(f'{name} = {self[name]}' for name in self) or 'none'}>"


@dataclass(frozen=True, eq=False)
class SavedStepper:
    """A stepper as it was: `Stepper.restore` goes back there."""

    t: float
    kept: dict[str, Any]

    def __repr__(self) -> str:
        return f"<SavedStepper: t = {self.t:g}>"


def _refuse_chosen_steps(
    scheme: AnyScheme,
    formulation: Formulation | None,
    dt: StepSizes,
) -> None:
    """Steps of a stepper have one size: what chooses sizes by an error is for `integrate`."""
    for what, given in (("scheme", scheme), ("formulation", formulation), ("dt", dt)):
        if isinstance(given, StepMethod | StepPolicy):
            raise InputError(
                f"a stepper takes steps of one size, received {what} = {type(given).__name__}",
                hint=f"Stepper(system, dt=0.01), or integrate(system, …) with {type(given).__name__}",
                argument=what,
            )
    if dt is None:
        raise InputError("a stepper needs the size of its steps", hint="Stepper(system, dt=0.01)", argument="dt")


class Stepper(ShownInNotebooks):
    """A run that is taken step by step: for control loops, co-simulation, games and hardware.

    It takes the steps that `integrate` takes, by the same code: without inputs the results are the
    same, bit for bit. Inputs are numbers of loads (the torque or speed of a `Motor`, a `Force`, a
    `Torque`); what is set holds until it is set again. Where it changes, the forces jump, and
    the run starts anew from the same state, as at a breakpoint. Controllers of the mechanism act.

    Parameters
    ----------
    system
        A system or a `Mechanism`.
    scheme, formulation
        As in `integrate`.
    dt
        Size of a step, which is needed; methods and policies that choose sizes are for `integrate`.
    t0
        Start of the run.
    newton
        Settings of the iteration.
    assemble
        Move a start that violates the constraints to the nearest one that does not.
    impacts
        How contacts that close are treated, where the system has gaps; `Impacts()` if left out.

    Raises
    ------
    InputError
        If an argument is not admissible, or the start violates the constraints.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, 0))
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.Motor("motor", "pin", torque=0.0))
    >>> stepper = iso.Stepper(mech, dt=0.01)
    >>> while stepper.t < 0.995:
    ...     stepper.inputs["motor"] = 0.35 if stepper.t < 0.495 else -0.35
    ...     stepper.step()
    >>> round(stepper.read("pin.angle"), 4), abs(stepper.read("pin.angle_rate")) < 1e-6
    (0.25, True)
    """

    def __init__(
        self,
        system: System | Description,
        scheme: Scheme | FirstOrderScheme | None = None,
        formulation: Formulation | None = None,
        *,
        dt: float | None = None,
        t0: float = 0.0,
        newton: Newton | None = None,
        assemble: bool = False,
        impacts: Impacts | None = None,
    ) -> None:
        _refuse_chosen_steps(scheme, formulation, dt)
        system, dt, t0 = as_system(system), real_number("dt", dt), real_number("t0", t0)
        if not is_system(system):
            raise InputError(f"a stepper takes one system, received {type(system).__name__}")
        if not (np.isfinite(dt) and dt > 0.0):
            raise InputError(f"dt must be positive, received dt = {dt:g}")
        resolved(t0, t0 + TYPICAL * dt, dt)
        self.system, self.dt = system, dt
        self._method = settle(system, scheme, _closing(system, formulation, t0), dt)
        # one stretch without an end, of which no row is kept
        self._stretch = Stretch(t0, t0 + MOST * dt, t0, dt, 1, MOST, 2 * MOST, False)
        self._options: dict[str, Any] = {"newton": checked_newton(newton), "assemble": assemble}
        self._impacts = impacts
        self._held = HeldInputs(system)
        self._readings: dict[str, Reading] = {}
        self._begin()

    def _begin(self) -> None:
        kind = Run if self.system.contacts is None else contact_run.run_with(self.system, self._impacts)
        self._run = run = kind(self.system, self._method, [self._stretch], **self._options)
        run.slowest = 1.0 / (TYPICAL * self.dt)
        self._held.models.clear()
        self._held.values.clear()
        run.take_inputs(self._held)
        controllers = controllers_of(self.system)
        if controllers:
            run.sampling = Sampling(run, controllers, self.dt, record=False)
        self._inputs = StepperInputs(run, self._held)
        expect_kernels(run.model, self.system.m, run.closure)
        run.enter(0)

    def __repr__(self) -> str:
        return f"<Stepper: {type(self.system).__name__}, t = {self.t:g}, dt = {self.dt:g}, {self._method.named.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Refuse copies: readings and laws would go on to belong to the first stepper."""
        raise InputError(
            "a stepper cannot be copied or pickled", hint="save() and restore(saved), or another Stepper(…)"
        )

    # ---- steps

    @property
    def t(self) -> float:
        """Time."""
        return float(self._run.state.t)

    @property
    def inputs(self) -> StepperInputs:
        """Inputs by the names of loads.

        A number, or three for forces and torques on bodies; None where a load does what the model
        says.
        """
        return self._inputs

    def step(self) -> None:
        """Take one step.

        Raises
        ------
        ConvergenceError
            If the step does not converge; the state stays as it was.
        """
        self._go_to(int(self._run.state.step) + 1)

    def run_until(self, t: float) -> None:
        """Take steps until t is reached; inputs hold.

        Parameters
        ----------
        t
            A time; the last step ends there or just behind it, at a time of the grid t0 + n dt.

        Raises
        ------
        InputError
            If t lies before the present time, or a billion steps behind the start.
        """
        t = real_number("t", t)
        if not np.isfinite(t) or t < self.t - NEAR * self.dt:
            raise InputError(f"run_until goes forward from t = {self.t:g}, received {t:g}", hint="reset() or restore()")
        t0 = self._stretch.t0
        near = max(NEAR, 2.0 * resolution(t0, t) / self.dt)
        upto = int(np.ceil((t - t0) / self.dt - near))
        if upto > MOST:
            raise InputError(f"a stepper takes up to {MOST:.0e} steps of dt = {self.dt:g}, received t = {t:g}")
        while self._run.state.step < upto:
            self._go_to(upto)

    def _take_inputs(self) -> None:
        """Start anew if an input was set: forces have jumped."""
        if self._inputs.changed:
            self._run.start_from_here()
            self._inputs.changed = False

    def _go_to(self, upto: int) -> None:
        self._take_inputs()
        run = self._run
        run.counters.rows = 1  # rows of impacts are not kept
        run.go_on(upto)

    # ---- states

    @property
    def state(self) -> Sample:
        """Time, coordinates, velocities, accelerations and multipliers now.

        `.t`, `.q`, `.v`, `.a` and `.lam`, in the order of `system.names`, `.v_names` and
        `.row_names`. Where an input was set since the last step, a and lam are those with it, as in
        rows at breakpoints. Controllers that sample now do so when the next step begins.
        """
        self._take_inputs()
        run = self._run
        at_balance.show(run, 1)
        rows = run.rows
        return Sample(float(rows.t[1]), *(x[1].copy() for x in (rows.q, rows.v, rows.a, rows.lam)))

    def read(self, name: str) -> float:
        """Return a quantity now.

        Parameters
        ----------
        name
            A name of `sol.quantities()`, or an expression in such names. What formulas of loads
            know, such as "pin.angle", is read quickly.

        Returns
        -------
        value
            Its value.

        Raises
        ------
        InputError
            If there is no such quantity.
        """
        if not isinstance(name, str) or name not in self._readings:
            self._readings[name] = reading(self.system, name, self._held, "stepper.read")
        return self._readings[name](self.state)

    def shown_system(self) -> System:
        """Return the system with its loads as they are held now.

        Returns
        -------
        system
            For what is read of loads.
        """
        return self._held.shown()

    def save(self) -> SavedStepper:
        """Return the stepper as it is now; it is not changed by further steps.

        Returns
        -------
        saved
            For `restore`, of this stepper.
        """
        run = self._run
        kept: dict[str, Any] = {name: getattr(run, name).copy() for name in run.parts}
        kept |= {"independent": run.independent, "merged": list(run.merged), "other": run.other, "model": run.model}
        kept |= {"values": {name: value.copy() for name, value in self._held.values.items()}, "of": run}
        kept["changed"] = self._inputs.changed
        if run.sampling is not None:
            kept["sampling"] = run.sampling.saved()
        return SavedStepper(self.t, kept)

    def restore(self, saved: SavedStepper) -> None:
        """Go back to a saved state; steps from there are the same, bit for bit.

        Parameters
        ----------
        saved
            What `save` returned.

        Raises
        ------
        InputError
            If it was saved by another stepper.
        """
        if not isinstance(saved, SavedStepper):
            raise InputError(f"restore takes what save() returned, received {type(saved).__name__}")
        run, kept = self._run, saved.kept
        if kept["of"] is not run:
            raise InputError("this was saved by another stepper, or before reset()")
        for name in ("independent", "other", "model"):
            setattr(run, name, kept[name])
        run.merged = list(kept["merged"])
        if not run.memory.alike(kept["memory"]):
            run.renew_memory()
        for name in run.parts:
            getattr(run, name).copy_from(kept[name])
        self._held.put_back(kept["values"])
        self._inputs.changed = kept["changed"]
        if run.sampling is not None:
            run.sampling.restore(kept["sampling"])

    def reset(self) -> None:
        """Go back to the start; inputs are what the model says.

        Laws of controllers that remember something need a method `reset`, as `PID` has one.
        """
        self._begin()


def _closing(system: System, formulation: Formulation | None, t0: float) -> Formulation | None:
    """The formulation that closes the steps of a system."""
    if formulation is None:
        if reduced_index(system, chain_at_start(system, t0)) is not None:
            raise InputError("a system of index 3 is integrated in its stabilised form, which a stepper does not do")
        return None
    if not system.m:
        raise unconstrained(formulation)
    found = as_formulation(formulation)
    if found is not None and facts_of(found).transforms:
        raise InputError(
            f"{type(found).__name__} integrates another system, whose inputs are not those of this one",
            hint="take a formulation that closes steps, such as Stabilised()",
        )
    return found
