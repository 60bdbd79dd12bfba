# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The printed table of parameters, with their bands and units."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from screw_dynamics.common.text_table import NO_BREAK
from screw_dynamics.estimation.identification.payload import BAND
from screw_dynamics.estimation.identification.pseudo_inertia import NAMES
from screw_dynamics.model.records import EFFORT_UNITS, POSITION_UNITS

_NAME = re.compile(r'^(?:(.*)[. ])?([a-z_]+?)(?:_at_.*)?$')  # place and entry of a parameter
_UNITS = {  # of revolute and of prismatic joints
    'rotor_inertia': ('kg m^2', 'kg'),
    'viscous': ('N m s/rad', 'N s/m'),
    **dict.fromkeys(('coulomb', 'breakaway_excess', 'offset'), EFFORT_UNITS),
    **dict.fromkeys(('coulomb_velocity', 'stribeck_velocity'), ('rad/s', 'm/s')),
    'stiffness': ('N m/rad', 'N/m'),
    'spring_stiffness': ('N m/rad', 'N/m'),
    'spring_torque': EFFORT_UNITS,
    'spring_rate': ('N/m', 'N/m'),
    'spring_force': ('N', 'N'),
    'cubic_stiffness': ('N m/rad^3', 'N/m^3'),
    **dict.fromkeys(('hysteresis', 'backlash', 'encoder_offset', 'deflection'), POSITION_UNITS),
    'delay': ('s', 's'),
    'm': ('kg', 'kg'),
    **dict.fromkeys(NAMES[1:4], ('kg m', 'kg m')),
    **dict.fromkeys(NAMES[4:], ('kg m^2', 'kg m^2')),
}


def parameter_unit(name: str, kinds: Mapping[str, str]) -> str:
    """Return the unit of a parameter, for `kinds` of coordinates by the name of their joint."""
    place, entry = _NAME.findall(name)[0]
    return _UNITS.get(entry, ('', ''))[kinds.get(place) == 'prismatic']


def parameter_table(
    parameters: Iterable[tuple[str, float, float]], unit: Callable[[str], str]
) -> list[tuple[str, ...]]:
    """Return the rows of names, values and deviations, with a heading; `unit` is of a name."""
    lines: list[tuple[str, ...]] = [('parameter', 'value', f'95{NO_BREAK}%', 'unit')]
    for name, value, deviation in parameters:
        known = np.isfinite(deviation)
        band = f'+-{NO_BREAK}{BAND * deviation:.2g}' if known else 'unknown'
        shown = f'{value:.5g}' if known or np.isinf(value) else '-'
        lines.append((name, shown, band, unit(name).replace(' ', NO_BREAK)))
    return lines
