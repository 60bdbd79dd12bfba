# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Exact numbers, rotations and screws that are equal to floats up to rounding."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import sympy

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import log_so3, quaternion_rotation
from screw_dynamics.lie.scalars import ScalarArray

_ROUNDING = 4.0 * float(np.finfo(float).eps)  # relative error of a float that stands for a number
_LONGEST_DECIMAL = 12  # significant digits of a number as people write it
_LARGEST_DENOMINATOR = 1000  # of fractions and squares, so few that floats hardly meet one
_TURN = 12  # sines of multiples of pi / 12 are sums of square roots
_TANGENT = 10**4  # denominators of tangents of half angles, and their powers
_NEAR = 2.0**-55  # error of these tangents


def exact_number(x: float, size: float = 0.0) -> sympy.Expr:
    """
    Return the exact number that a float stands for.

    In this order: 0, if it is a rounding error of numbers of `size`; a short decimal; a fraction
    or a multiple of pi or square root of one, with small denominators; the decimal that NumPy
    prints.
    """
    x = float(x)
    if abs(x) <= _ROUNDING * size:
        return sympy.Integer(0)
    decimal = f'{x:.{_LONGEST_DECIMAL}g}'
    if _equal(float(decimal), x):
        return sympy.Rational(decimal)
    for unit in (sympy.Integer(1), sympy.pi):
        fraction = _fraction(x / float(unit))
        if _equal(float(fraction) * float(unit), x):
            return sympy.Rational(fraction) * unit
    square = _fraction(x * x)
    if _equal(math.sqrt(square), abs(x)):
        return sympy.sqrt(sympy.Rational(square)) * (1 if x > 0 else -1)
    return sympy.Rational(repr(x))


def exact_array(values: Array, size: float | None = None) -> ScalarArray:
    """Return `exact_number` of all entries; `size` defaults to the largest of them."""
    largest = float(np.abs(values).max(initial=0.0)) if size is None else size
    exact = np.empty(values.shape, object)
    for index, entry in np.ndenumerate(values):
        exact[index] = exact_number(entry, largest)
    return exact


def exact_rotation(rotation: Array) -> ScalarArray:
    """
    Return an exactly orthonormal matrix (3, 3) equal to a rotation up to rounding.

    The angles of URDF, roll, pitch and yaw, that are multiples of pi / 12 are exact; others have
    tangents of the half angle that are fractions.
    """
    roll = math.atan2(rotation[2, 1], rotation[2, 2])
    pitch = math.atan2(-rotation[2, 0], math.hypot(rotation[2, 1], rotation[2, 2]))
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    if math.hypot(rotation[2, 1], rotation[2, 2]) < _ROUNDING:
        roll, yaw = math.atan2(-rotation[1, 2], rotation[1, 1]), 0.0
    (cr, sr), (cp, sp), (cy, sy) = map(_cosine_and_sine, (roll, pitch, yaw))
    exact = np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
    if np.abs(exact.astype(float) - rotation).max() > 4.0 * _ROUNDING:
        vector = log_so3(rotation)  # near pitch 90 degrees, where roll and yaw have few digits
        angle = math.sqrt(vector @ vector)
        parts = [*(vector / angle * math.sin(angle / 2.0)), math.cos(angle / 2.0)]
        exact = quaternion_rotation(np.array([sympy.Rational(x) for x in parts]))
    return _expanded(exact)


def exact_direction(direction: Array) -> ScalarArray:
    """Return a vector (3,) of exact length 1 equal to a unit vector up to rounding."""
    exact = exact_array(direction)
    if sympy.expand(exact @ exact - 1) == 0:
        return exact
    k = int(np.argmax(np.abs(direction)))
    i, j = (k + 1) % 3, (k + 2) % 3
    u, w = (_tangent(direction[axis] / (1.0 + abs(direction[k]))) for axis in (i, j))
    exact[[i, j]] = 2 * u, 2 * w
    exact[k] = (1 - u**2 - w**2) * (1 if direction[k] > 0.0 else -1)
    unit: ScalarArray = exact / (1 + u**2 + w**2)
    return unit


def exact_screw(screw: Array, size: float) -> ScalarArray:
    """Return the exact screw (6,) of a joint of a robot of a size: e . e = 1, (x × e) . e = 0."""
    axis, linear = screw[:3], screw[3:]
    if not axis.any():
        return np.concatenate((np.full(3, sympy.Integer(0)), exact_direction(linear)))
    e = exact_direction(axis)
    largest = max(size, float(np.abs(linear).max()))
    point = exact_array(np.cross(axis, linear), largest)
    pitch = exact_number(float(axis @ linear), largest)
    return np.concatenate((e, _expanded(np.cross(point, e) + pitch * e)))


def exact_pose(pose: Array, size: float) -> ScalarArray:
    """Return the exact pose (4, 4) of a frame of a robot of a size."""
    exact = np.array(sympy.eye(4).tolist())
    exact[:3, :3] = exact_rotation(pose[:3, :3])
    exact[:3, 3] = exact_array(pose[:3, 3], size)
    return exact


def _equal(one: float, other: float) -> bool:
    return abs(one - other) <= _ROUNDING * abs(other)


def _fraction(x: float) -> Fraction:
    return Fraction(x).limit_denominator(_LARGEST_DENOMINATOR)


def _tangent(x: float) -> sympy.Rational:
    """Return the fraction of few digits that is as near as floats beside 1."""
    exact, largest = Fraction(float(x)), _TANGENT
    while abs((near := exact.limit_denominator(largest)) - exact) > _NEAR:
        largest *= _TANGENT
    return sympy.Rational(near)


def _cosine_and_sine(angle: float) -> tuple[sympy.Expr, sympy.Expr]:
    parts = round(angle / math.pi * _TURN)
    if abs(angle - parts * math.pi / _TURN) <= _ROUNDING * math.pi:
        exact = sympy.pi * parts / _TURN
        return sympy.cos(exact), sympy.sin(exact)
    t = _tangent(math.tan(angle / 2.0))
    return (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)


def _expanded(array: ScalarArray) -> ScalarArray:
    result = np.empty(array.shape, object)
    for index, entry in np.ndenumerate(array):
        result[index] = sympy.expand(entry)
    return result
