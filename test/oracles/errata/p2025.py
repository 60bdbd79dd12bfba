# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Misprints of P2025."""

from __future__ import annotations

import numpy as np

from oracles.errata.record import Erratum
from oracles.errata.robot import STEP, MovingRobot
from screw_dynamics.common.arrays import Array

LENGTHS, MASSES = (0.3, 0.4), (0.9, 0.5)


def arc(angle: complex, length: float) -> tuple[Array, Array, Array]:
    """Return rotation, tip and centre of mass of a planar arc, in its proximal frame."""
    sine, cosine = np.sin(angle), np.cos(angle)
    rotation = np.array([[cosine, 0.0, -sine], [0.0, 1.0, 0.0], [sine, 0.0, cosine]])
    tip = length / angle * np.array([cosine - 1.0, 0.0, sine])
    centre = length / angle**2 * np.array([sine - angle, 0.0, 1.0 - cosine])
    return rotation, tip, centre


def potential(angles: Array, gravity: Array) -> complex:
    """Return the potential of gravity of two arcs."""
    rotation, origin, total = np.eye(3), np.zeros(3), 0.0
    for angle, length, mass in zip(angles, LENGTHS, MASSES, strict=True):
        turn, tip, centre = arc(angle, length)
        total -= mass * gravity @ (origin + rotation @ centre)
        origin, rotation = origin + rotation @ tip, rotation @ turn
    return total


def torque_of_gravity(robot: MovingRobot) -> tuple[Array, Array, Array]:
    """Return the efforts of gravity of two arcs, without and with its torques."""
    angles, gravity = robot.rng.uniform(0.5, 1.5, 2), robot.rng.normal(size=3)
    force, torque = np.zeros(3), np.zeros(3)
    printed, correct = np.zeros(2), np.zeros(2)
    after = np.eye(3), np.zeros(3)
    for i in (1, 0):
        rotation, tip, centre = arc(angles[i], LENGTHS[i])
        _, tip_slope, centre_slope = (
            x.imag / STEP for x in arc(angles[i] + 1j * STEP, LENGTHS[i])
        )
        # the centre in the distal frame, which turns by -1 about y per angle
        axis, place = np.array([0.0, -1.0, 0.0]), rotation.T @ (centre - tip)
        slope = rotation.T @ (centre_slope - tip_slope) - np.cross(axis, place)
        world = rotation if i == 0 else arc(angles[0], LENGTHS[0])[0] @ rotation
        own = MASSES[i] * world.T @ gravity
        carried = after[0] @ force
        torque = np.cross(place, own) + after[0] @ torque + np.cross(after[1], carried)
        force = own + carried
        printed[i] = -(slope @ own + rotation.T @ tip_slope @ force)
        correct[i] = printed[i] - axis @ torque
        after = rotation, tip
    steps = 1j * STEP * np.eye(2)
    truth = [potential(angles + step, gravity).imag / STEP for step in steps]
    return printed, correct, np.array(truth)


ERRATA = (
    Erratum(
        'P2025 (52), algorithm 2',
        'no torque of gravity',
        '+ J_w^T T^g, with T^g from p_c × F^g as T in (38)',
        torque_of_gravity,
    ),
    Erratum(
        'P2025, algorithm 2',
        'g and s with the signs opposite to (52) to (54)',
        "M q'' + c + g + s",
    ),
    Erratum('P2025 (36)', 'F_j in the frame of body i', 'F_j in the frame of body j'),
    Erratum(
        'P2025 (46), appendix A.1',
        "I', R^T v, R^T w, R^T v_CoM as accelerations",
        "I' w in the frame of the body; R^T a, R^T w', R^T a_CoM",
    ),
    Erratum('P2025 (47)', "gradient of vec(I') by q", "by q'; it equals dI/dq"),
    Erratum('P2025 (55)', 'g + s + A u = 0', 'g + s - A u = 0, by (1)'),
    Erratum(
        'P2025, appendix A.6',
        'zero blocks of n_i - 1 and n - 2 n_i + 1 columns; w_0 = 0',
        "as many columns as the bodies before and beyond have coordinates; w_0' = 0",
    ),
    Erratum('P2025, algorithm 3', 'reference to (42)', 'reference to (43)'),
    Erratum(
        'P2025, planar arc',
        "s = (pi / 4) (q - q')",
        "s = (pi / 4) (q + q'); as printed, damping adds energy",
    ),
    Erratum(
        'P2025, planar arc',
        'cosine and sine of q x_3 in the pose of the tip; of q in the places of the points',
        'of q in the pose; of q (1 - x_3) in the places, beside those of p_c',
    ),
    Erratum(
        'P2025, planar arc',
        'F*, T*, pi* of the opposite sign; T* about the tip; no term R^2 / 24',
        'signs of (44) to (47); T* about the mass centre; the inertia of the section',
    ),
    Erratum(
        'P2025, section 6.2',
        'df_e = 2 C div(B) dV at the places in the body without stress',
        'the gradient of the energy: the printed form leaves out tractions on the boundary',
    ),
)
