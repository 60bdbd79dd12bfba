# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Discs of complex velocities, positions and efforts on which laws of drives are bounded.

For a real centre each function returns the radius of a disc, a bound of a law's modulus on it, or
by how much the law changes; the proofs are in docs/theory/certificate.md.
"""

import numpy as np

from screw_dynamics.kernels.drives.friction import (
    EXCESS,
    LOAD,
    LOAD_EFFORT,
    STRIBECK_VELOCITY,
)
from screw_dynamics.kernels.drives.laws import COULOMB, COULOMB_VELOCITY, CUBIC
from screw_dynamics.kernels.drives.parallel import (
    CONSTANT,
    COSINE,
    FORCE,
    FREQUENCY,
    LINEAR,
    SINE,
    SQUARE,
    STIFFNESS,
)

_NEAR, _AWAY = 1.2, 0.35  # of v0: radius of discs about knees, distance of others from them
TANH = float(max(np.tan(_NEAR), 1.0 / np.tanh(_AWAY)))  # |tanh| on both kinds of discs
_FLAT = 300.0  # v / v0 where tanh has no slope
_STEEP = float(np.e)  # |exp(-(v / vs)^2)| on discs
_TURN, _LEFT = 0.5, 0.5  # rad, or part of the squared length that is left
_BENT = 1.5  # times the change of a deflection by the slope at the centre


def is_dry(row, further):
    """Return whether there is friction that is not viscous."""
    return row[COULOMB] + further[EXCESS] + further[LOAD] > 0.0


def is_supported(spring):
    """Return whether there is a parallel spring."""
    return spring[STIFFNESS] != 0.0 or spring[FORCE] != 0.0


def friction_radius(row, further, velocity):
    """Return the radius of the disc of velocities on which |tanh(v / v0)| <= TANH, |exp| <= e."""
    v0, size = row[COULOMB_VELOCITY], abs(velocity)
    radius = max(_NEAR * v0, size - _AWAY * v0)
    if further[EXCESS] > 0.0:
        # Re v^2 >= v_c^2 / 2 - W^2 on a disc of radius W
        radius = min(radius, np.sqrt(further[STRIBECK_VELOCITY] ** 2 + 0.5 * size * size))
    return radius


def friction_changes(row, further, velocity, change):
    """Return by how much tanh(v / v0), and dry friction without load, change on a disc."""
    v0, size = row[COULOMB_VELOCITY], abs(velocity)
    radius = friction_radius(row, further, velocity)
    if not change <= radius:
        return np.inf, np.inf
    # by the lemma of Schwarz, or by the largest slope, whichever is less
    share, least = change / radius, max(size - change, 0.0)
    slope = np.inf
    if least > 0.0:
        slope = 1.0 / np.sinh(min(least / v0, _FLAT)) ** 2
    if change <= _NEAR * v0:
        slope = min(slope, 1.0 / np.cos(change / v0) ** 2)
    sense = min(2.0 * TANH * share, slope * change / v0)
    level = row[COULOMB] * sense
    if further[EXCESS] > 0.0:
        square = further[STRIBECK_VELOCITY] ** 2
        stribeck = np.exp(min((change * change - least * least) / square, 1.0))
        bent = TANH * stribeck * 2.0 * (size + change) * change / square
        change = min(2.0 * _STEEP * TANH * share, stribeck * sense + bent)
        level += further[EXCESS] * change
    return sense, level


def friction_under_load(row, further, velocity, turned, effort, change):
    """
    Return a bound of the friction of a joint under load, m (r + m k) / (1 - m^2), on a disc.

    `turned` is by how much tanh(v / v0) changes; `effort` is the one that the drive transmits, and
    `change` by how much that without this friction does.
    """
    load, rounding = further[LOAD], further[LOAD_EFFORT]
    sense = load * np.tanh(velocity / row[COULOMB_VELOCITY])
    effort = abs(effort - sense * np.hypot(effort, rounding))
    least = abs(sense)
    most = least + load * turned
    if not most < 1.0:
        return np.inf
    # the root of k^2 + (1 - m^2) u0^2 is analytic where this is not 0
    away = effort - change > rounding * np.sqrt(1.0 + most * most)
    moved = change * (2.0 * effort + change) + rounding**2 * (most * most - least * least)
    if not (away or moved < effort * effort + rounding**2 * (1.0 - least * least)):
        return np.inf
    largest = effort + change
    root = np.sqrt(largest * largest + (1.0 + most * most) * rounding**2)
    return most * (root + most * largest) / (1.0 - most * most)


def load_change(effort, rounding, change):
    """Return by how much sqrt(u^2 + u0^2) changes on a disc about an effort."""
    left = np.hypot(effort, rounding) - change
    return change * (abs(effort) + change) / left if left > 0.0 else np.inf


def parallel_disc(spring, position):
    """Return the radius of a disc of positions, and a bound of a spring's effort on it."""
    radius = _TURN / max(abs(spring[FREQUENCY]), 1.0)
    factor = abs(spring[STIFFNESS])
    if spring[FORCE] != 0.0:
        turn = spring[FREQUENCY] * position
        squared = spring[CONSTANT] + spring[COSINE] * np.cos(turn) + spring[SINE] * np.sin(turn)
        squared += (spring[LINEAR] + spring[SQUARE] * position) * position
        if not squared > 0.0:
            return 0.0, np.inf
        slope = _largest_slope(spring, position, radius)
        if slope > 0.0:
            radius = min(radius, _LEFT * squared / slope)
        factor += abs(spring[FORCE]) / np.sqrt((1.0 - _LEFT) * squared)
    return radius, 0.5 * factor * _largest_slope(spring, position, radius)


def _largest_slope(spring, position, radius):
    """Return a bound of the slope of the squared length on a disc."""
    frequency, swing = abs(spring[FREQUENCY]), np.hypot(spring[COSINE], spring[SINE])
    straight = abs(spring[LINEAR] + 2.0 * spring[SQUARE] * position)
    straight += 2.0 * abs(spring[SQUARE]) * radius
    return frequency * swing * np.cosh(frequency * radius) + straight


def deflection_change(law, first, second, deflection, change):
    """
    Return a bound of the change of a deflection where an effort changes by less than `change`.

    Of a cubic or exponential spring; infinite where the inverse law may not be analytic.
    """
    if law == CUBIC:
        slope = first + 3.0 * second * deflection * deflection
        bent = _BENT * change / slope
        rest = second * (3.0 * abs(deflection) + bent) * bent * bent
    else:
        slope = first * np.cosh(second * deflection)
        bent = _BENT * change / slope
        rest = slope * (np.expm1(second * bent) / second - bent)
    return bent if slope * bent - rest >= change else np.inf
