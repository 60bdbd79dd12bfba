# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Discs of complex velocities, positions and efforts on which laws of drives are bounded.

Each function returns, for real centres, the radius of a disc and a bound of the law's modulus on
it; the proofs are in docs/theory/certificate.md.
"""

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.drives import parallel
from screw_dynamics.kernels.drives.friction import EXCESS, STRIBECK_VELOCITY
from screw_dynamics.kernels.drives.laws import COULOMB, COULOMB_VELOCITY, CUBIC

_NEAR, _AWAY = 1.2, 0.35  # of v0: radius of discs about knees, distance of others from them
TANH = max(np.tan(_NEAR), 1.0 / np.tanh(_AWAY))  # |tanh| on both kinds of discs
_FLAT = 300.0  # v / v0 where tanh has no slope
_STEEP = np.e  # |exp(-(v / vs)^2)| on discs
_TURN, _LEFT = 0.5, 0.5  # rad, or part of the squared length that is left
_BENT = 1.5  # times the change of a deflection by the slope at the centre


def friction_radii(rows: Array, further: Array, velocity: Array) -> Array:
    """
    Return radii (T, m) of velocities: on their discs |tanh(v / v0)| <= TANH, |exp| <= e.

    `rows` and `further` (m, 4) are the tables of friction, `velocity` (T, m) the centres.
    """
    v0, vs = rows[:, COULOMB_VELOCITY], further[:, STRIBECK_VELOCITY]
    size = np.abs(velocity)
    radius = np.maximum(_NEAR * v0, size - _AWAY * v0)
    # Re v^2 >= v_c^2 / 2 - W^2 on a disc of radius W
    steep = np.sqrt(vs**2 + 0.5 * size**2)
    return np.where(further[:, EXCESS] > 0.0, np.minimum(radius, steep), radius)


def friction_changes(
    rows: Array, further: Array, velocity: Array, change: Array
) -> tuple[Array, Array]:
    """
    Return by how much tanh(v / v0), and dry friction without load, change on discs.

    Those are about `velocity` (T, m), their radii `change`; infinite beyond `friction_radii`.
    """
    v0, vs = rows[:, COULOMB_VELOCITY], further[:, STRIBECK_VELOCITY]
    coulomb, excess = rows[:, COULOMB], further[:, EXCESS]
    size = np.abs(velocity)
    radius = friction_radii(rows, further, velocity)
    inside = change <= radius
    with np.errstate(divide='ignore', over='ignore', invalid='ignore'):
        # by the lemma of Schwarz, or by the largest slope, whichever is less
        share = np.where(inside, change / radius, np.inf)
        least = np.maximum(size - change, 0.0)
        slope = 1.0 / np.sinh(np.minimum(least / v0, _FLAT)) ** 2
        turn = np.minimum(change / v0, _NEAR)
        slope = np.where(change <= _NEAR * v0, np.minimum(slope, np.cos(turn) ** -2), slope)
        sense = np.where(inside, np.minimum(2.0 * TANH * share, slope * change / v0), np.inf)
        if not excess.any():
            return sense, np.where(coulomb > 0.0, coulomb * sense, 0.0)
        stribeck = np.exp(np.minimum((change**2 - least**2) / vs**2, 1.0))
        bent = TANH * stribeck * 2.0 * (size + change) * change / vs**2
        level = np.minimum(2.0 * _STEEP * TANH * share, stribeck * sense + bent)
        changes = np.where(coulomb > 0.0, coulomb * sense, 0.0) + np.where(
            excess > 0.0, excess * level, 0.0
        )
    return sense, np.where(inside, changes, np.inf)


def parallel_discs(springs: Array, position: Array) -> tuple[Array, Array]:
    """Return radii of positions and bounds of the efforts of parallel springs (n, COLUMNS)."""
    constant, cosine, sine, frequency, linear, square = (
        springs[:, column]
        for column in (
            parallel.CONSTANT, parallel.COSINE, parallel.SINE, parallel.FREQUENCY,
            parallel.LINEAR, parallel.SQUARE,
        )
    )  # fmt: skip
    frequency, swing = np.abs(frequency), np.hypot(cosine, sine)
    radius = np.broadcast_to(_TURN / np.maximum(frequency, 1.0), position.shape)

    def slope(radius: Array) -> Array:
        straight = np.abs(linear + 2.0 * square * position) + 2.0 * np.abs(square) * radius
        bound: Array = frequency * swing * np.cosh(frequency * radius) + straight
        return bound

    factor = np.broadcast_to(np.abs(springs[:, parallel.STIFFNESS]), position.shape)
    force = np.abs(springs[:, parallel.FORCE])
    if force.any():
        turn = springs[:, parallel.FREQUENCY] * position
        squared = constant + cosine * np.cos(turn) + sine * np.sin(turn)
        squared = np.maximum(squared + (linear + square * position) * position, 0.0)
        with np.errstate(divide='ignore', invalid='ignore'):
            shorter = np.minimum(radius, _LEFT * squared / slope(radius))
            inverse = np.where(force > 0.0, force / np.sqrt((1.0 - _LEFT) * squared), 0.0)
        radius = np.where(force > 0.0, shorter, radius)
        factor = factor + inverse
    return radius, 0.5 * factor * slope(radius)


def load_changes(effort: Array, rounding: Array, change: Array) -> Array:
    """Return by how much sqrt(u^2 + u0^2) changes on discs about efforts (T, m)."""
    left = np.hypot(effort, rounding) - change
    with np.errstate(invalid='ignore', divide='ignore'):
        return np.where(left > 0.0, change * (np.abs(effort) + change) / left, np.inf)


def deflection_changes(law: int, parameters: Array, deflection: Array, change: Array) -> Array:
    """
    Return bounds of the changes of a deflection (T,) where an effort changes by less than given.

    Of a cubic or exponential spring; infinite where the inverse law may not be analytic.
    """
    first, second = parameters
    with np.errstate(over='ignore', invalid='ignore'):
        if law == CUBIC:
            slope = first + 3.0 * second * deflection**2
            bent = _BENT * change / slope
            rest = second * (3.0 * np.abs(deflection) + bent) * bent**2
        else:
            slope = first * np.cosh(second * deflection)
            bent = _BENT * change / slope
            rest = slope * (np.expm1(second * bent) / second - bent)
        changes: Array = np.where(slope * bent - rest >= change, bent, np.inf)
    return changes
