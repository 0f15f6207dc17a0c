"""Ready problems with what is known about their motion.

A problem's module is loaded, and its functions are compiled, when the problem is first asked for.

>>> from isodyn import problems
>>> problems.get("kepler").t_end > 60
True
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from importlib import import_module

from isodyn.errors import InputError
from isodyn.problems.problem import Motion, Problem, Reference

_PLACES = {
    "pleiades": "pleiades.PROBLEM",
    "pleiades_unit": "pleiades.UNIT",
    "kepler": "kepler.PROBLEM",
    "kepler_eccentric": "kepler.ECCENTRIC",
    "brusselator_stable": "brusselator.STABLE",
    "brusselator_unstable": "brusselator.UNSTABLE",
    "oscillator": "oscillator.FREE",
    "oscillator_damped": "oscillator.DAMPED",
    "oscillator_forced": "oscillator.FORCED",
    "oscillator_stiff": "oscillator.STIFF",
    "chain": "oscillator.CHAIN",
    "thermoelastic_bar": "thermoelastic_bar.PROBLEM",
    "clamped_bar": "clamped_bar.PROBLEM",
    "plate": "plate.PROBLEM",
    "manufactured": "manufactured.PROBLEM",
    "pendulum": "pendulum.PLANAR",
    "spherical_pendulum": "pendulum.SPHERICAL",
    "double_pendulum_doubled": "pendulum.DOUBLE",
    "planar_loop_in_space": "pendulum.SWING",
    "rigid_pendulum": "rigid_pendulum.PROBLEM",
    "andrews": "andrews.PROBLEM",
    "andrews21": "andrews21.PROBLEM",
    "slider_crank": "slider_crank.PROBLEM",
    "rheonomic_crank": "rheonomic_crank.CRANK",
    "moving_guide": "rheonomic_crank.MOVING_GUIDE",
    "knife_edge": "nonholonomic.KNIFE_EDGE",
    "rolling_disc": "nonholonomic.ROLLING_DISC",
    "constant_speed": "nonholonomic.CONSTANT_SPEED",
    "chaplygin_sleigh": "chaplygin_sleigh.PROBLEM",
    "vdpol_dae": "first_order_dae.VDPOL",
    "circle_index2": "first_order_dae.CIRCLE",
    "transistor_amplifier": "implicit_systems.AMPLIFIER",
    "robertson": "implicit_systems.ROBERTSON",
    "spinning_top": "tops.SPINNING_TOP",
    "gyroscope": "tops.GYROSCOPE",
    "free_body": "tops.FREE_BODY",
    "four_bar": "four_bars.FOUR_BAR",
    "n_four_bar": "four_bars.N_FOUR_BAR",
    "slider_crank_3d": "slider_crank_3d.PROBLEM",
    "andrews_mechanism": "andrews_mechanism.PROBLEM",
    "planar_chain": "chains.PLANAR_CHAIN",
    "spatial_chain": "chains.SPATIAL_CHAIN",
    "bennett": "loops_in_space.BENNETT",
    "bricard": "loops_in_space.BRICARD",
    "suspension": "machines.SUSPENSION",
    "robot_arm": "machines.ROBOT_ARM",
    "flying_rod": "beams.FLYING_ROD",
    "elastica": "beams.ELASTICA",
    "roll_up": "beams.ROLL_UP",
    "flexible_pendulum": "beams.FLEXIBLE_PENDULUM",
    "flexible_slider_crank": "beam_mechanisms.FLEXIBLE_SLIDER_CRANK",
    "beam_and_bodies": "beam_mechanisms.BEAM_AND_BODIES",
}


class _Problems(Mapping[str, Problem]):
    """The problems by their names, each from its place in this package."""

    def __getitem__(self, name: str) -> Problem:
        module, attribute = _PLACES[name].split(".")
        problem: Problem = getattr(import_module(f"{__name__}.{module}"), attribute)
        return problem

    def __contains__(self, name: object) -> bool:
        return name in _PLACES

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


ALL: Mapping[str, Problem] = _Problems()
"""Every problem by its name."""


def get(name: str) -> Problem:
    """Return the problem of this name.

    Parameters
    ----------
    name
        The name, as `isodyn list` shows it.

    Returns
    -------
    problem
        The problem.

    Raises
    ------
    InputError
        If there is no such problem; the hint names similar ones.

    Examples
    --------
    >>> from isodyn import problems
    >>> problems.get("pendulum").dt
    0.01
    """
    if name in ALL:
        return ALL[name]
    similar = difflib.get_close_matches(name, ALL, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(similar)}?" if similar else f"known problems: {', '.join(ALL)}"
    if "." in str(name):
        hint = "a ready problem is needed here, see isodyn list; isodyn run, sweep and fit take files"
    raise InputError(f"there is no problem named {name!r}", hint=hint)


__all__ = ["ALL", "Motion", "Problem", "Reference", "get"]
