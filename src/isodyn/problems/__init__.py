"""Ready problems with what is known about their motion.

>>> from isodyn import problems
>>> problems.get("kepler").t_end > 60
True
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from isodyn.errors import InputError
from isodyn.problems import (
    andrews,
    andrews21,
    andrews_mechanism,
    beam_mechanisms,
    beams,
    brusselator,
    chains,
    chaplygin_sleigh,
    clamped_bar,
    first_order_dae,
    four_bars,
    kepler,
    loops_in_space,
    machines,
    manufactured,
    nonholonomic,
    oscillator,
    pendulum,
    plate,
    pleiades,
    rheonomic_crank,
    rigid_pendulum,
    slider_crank,
    slider_crank_3d,
    thermoelastic_bar,
    tops,
)
from isodyn.problems.problem import Motion, Problem, Reference

ALL: Mapping[str, Problem] = MappingProxyType(
    {
        problem.name: problem
        for problem in (
            pleiades.PROBLEM,
            pleiades.UNIT,
            kepler.PROBLEM,
            kepler.ECCENTRIC,
            brusselator.STABLE,
            brusselator.UNSTABLE,
            oscillator.FREE,
            oscillator.DAMPED,
            oscillator.FORCED,
            oscillator.STIFF,
            oscillator.CHAIN,
            thermoelastic_bar.PROBLEM,
            clamped_bar.PROBLEM,
            plate.PROBLEM,
            manufactured.PROBLEM,
            pendulum.PLANAR,
            pendulum.SPHERICAL,
            pendulum.DOUBLE,
            pendulum.SWING,
            rigid_pendulum.PROBLEM,
            andrews.PROBLEM,
            andrews21.PROBLEM,
            slider_crank.PROBLEM,
            rheonomic_crank.CRANK,
            rheonomic_crank.MOVING_GUIDE,
            nonholonomic.KNIFE_EDGE,
            nonholonomic.ROLLING_DISC,
            nonholonomic.CONSTANT_SPEED,
            chaplygin_sleigh.PROBLEM,
            first_order_dae.VDPOL,
            first_order_dae.CIRCLE,
            tops.SPINNING_TOP,
            tops.GYROSCOPE,
            tops.FREE_BODY,
            four_bars.FOUR_BAR,
            four_bars.N_FOUR_BAR,
            slider_crank_3d.PROBLEM,
            andrews_mechanism.PROBLEM,
            chains.PLANAR_CHAIN,
            chains.SPATIAL_CHAIN,
            loops_in_space.BENNETT,
            loops_in_space.BRICARD,
            machines.SUSPENSION,
            machines.ROBOT_ARM,
            beams.FLYING_ROD,
            beams.ELASTICA,
            beams.ROLL_UP,
            beams.FLEXIBLE_PENDULUM,
            beam_mechanisms.FLEXIBLE_SLIDER_CRANK,
            beam_mechanisms.BEAM_AND_BODIES,
        )
    }
)
"""Every problem by its name."""


def get(name: str) -> Problem:
    """The problem of this name; unknown names are refused with the nearest known ones."""
    if name in ALL:
        return ALL[name]
    near = difflib.get_close_matches(name, ALL, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known problems: {', '.join(ALL)}"
    raise InputError(f"there is no problem named {name!r}", hint=hint)


__all__ = ["ALL", "Motion", "Problem", "Reference", "get"]
