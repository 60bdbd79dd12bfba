# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots whose efforts are known: the planar 2R arm in closed form, a 3-joint chain in numbers."""

from __future__ import annotations

import mpmath
import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import inertia_matrix, pose, rpy_rotation
from screw_dynamics.model import ScrewModel

_L1, _L2, _M1, _M2, _G = 0.7, 0.45, 2.5, 1.75, 9.81

# Joint jet q^(0..7) of the 3-joint chain and its efforts Q^(0..5), computed with 50 digits.
CHAIN_JET = np.array(
    [
        [0.3, -0.2, 0.7, 0.4, -0.5, 0.6, -0.3, 0.2],
        [0.1, 0.5, -0.4, 0.3, 0.2, -0.6, 0.1, 0.5],
        [-0.6, 0.8, 0.2, -0.7, 0.9, 0.3, -0.4, 0.1],
    ]
).T.copy()
CHAIN_EFFORTS = np.array(
    [
        [0.033205350584111, -0.543159624702296, 0.14794260100752],
        [0.812657040399524, 0.959153619088625, -0.737287215895412],
        [3.41181595713795, 0.540168500203865, -0.0131458214612822],
        [-7.72079470263711, -5.9845732629389, 0.917457341838968],
        [2.39245441558158, -3.23721907547328, -1.21147349026872],
        [62.2240655739139, 26.211039142389, -0.0177074712876405],
    ]
)


def chain() -> ScrewModel:
    """Return the 3-joint chain: revolute, prismatic, helical."""
    bodies = (
        (2.0, (0.1, 0.0, 0.05), (0.02, 0.001, 0.0, 0.03, 0.002, 0.025)),
        (1.5, (0.0, 0.1, -0.1), (0.015, 0.0, 0.002, 0.01, 0.0, 0.012)),
        (1.0, (0.05, 0.02, 0.2), (0.008, 0.001, 0.0005, 0.009, 0.0, 0.004)),
    )
    inertias = [
        inertia_matrix(mass, np.array(com), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        for mass, com, (xx, xy, xz, yy, yz, zz) in bodies
    ]
    homes = [
        pose(np.eye(3), np.array([0.0, 0.0, 0.3])),
        pose(rpy_rotation(0.5, 0.0, 0.0), np.array([0.1, 0.0, 0.2])),
        pose(rpy_rotation(0.0, 0.0, -0.4), np.array([0.2, -0.1, 0.3])),
    ]
    screws = [[0, 0, 1, 0.2, -0.1, 0], [0, 0, 0, 1, 0, 0], [0, 1, 0, -0.1, 0.05, 0]]
    return ScrewModel.from_screws([-1, 0, 1], homes, screws, inertias)


def planar_2r() -> ScrewModel:
    """Return two point masses at the ends of two links that turn about z, gravity along -y."""
    inertias = [
        inertia_matrix(mass, np.array([length, 0.0, 0.0]), np.zeros((3, 3)))
        for mass, length in ((_M1, _L1), (_M2, _L2))
    ]
    homes = [np.eye(4), pose(np.eye(3), np.array([_L1, 0.0, 0.0]))]
    screws = [[0, 0, 1, 0, 0, 0]] * 2
    return ScrewModel.from_screws([-1, 0], homes, screws, inertias, (0.0, -_G, 0.0))


def planar_2r_efforts(joint_jet: Array) -> Array:
    """
    Return the efforts of `planar_2r` and their derivatives from its equations of motion.

    The derivatives are those of the closed form along the polynomial q(t) of the jet, taken
    numerically with 60 digits.
    """
    columns = [[mpmath.mpf(float(x)) for x in column] for column in joint_jet.T]

    def efforts(t: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
        (q1, v1, a1), (q2, v2, a2) = (
            [
                mpmath.fsum(
                    x * t ** (i - d) / mpmath.factorial(i - d)
                    for i, x in enumerate(column)
                    if i >= d
                )
                for d in range(3)
            ]
            for column in columns
        )
        cross = _M2 * _L1 * _L2 * mpmath.cos(q2)
        spin = _M2 * _L1 * _L2 * mpmath.sin(q2)
        outer = _M2 * _L2**2
        inner = (_M1 + _M2) * mpmath.mpf(_L1) ** 2
        lift = _M2 * _G * _L2 * mpmath.cos(q1 + q2)
        return (
            (inner + outer + 2 * cross) * a1 + (outer + cross) * a2
            - spin * (2 * v1 * v2 + v2**2)
            + (_M1 + _M2) * _G * _L1 * mpmath.cos(q1) + lift,
            (outer + cross) * a1 + outer * a2 + spin * v1**2 + lift,
        )  # fmt: skip

    with mpmath.workdps(60):
        return np.array(
            [
                [float(mpmath.diff(lambda t, j=j: efforts(t)[j], 0, order)) for j in range(2)]
                for order in range(len(joint_jet) - 2)
            ]
        )
