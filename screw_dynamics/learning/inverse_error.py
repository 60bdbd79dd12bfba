# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Error of the exact inverse of a robot whose parameters are uncertain, by frequency."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import Drives, elastic_feedforward
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import effort_partials
from screw_dynamics.kernels.drives.laws import INERTIA, VISCOUS
from screw_dynamics.model import ScrewModel
from screw_dynamics.simulation.force_slopes import (
    friction_slopes,
    parallel_slopes,
    spring_slopes,
)
from screw_dynamics.trajectory import JET_ROWS, PiecewisePolynomial

_POSES = 9  # along a motion
_TIME_CONSTANTS = 2.0  # of a motion: what rings for longer is not seen


class _Pose(NamedTuple):
    """
    Linear forces of links and drives near a state; arrays of n joints, on their side.

    `bodies` (N, 3, n, n) are the partial derivatives of the efforts of each body by q, q' and q'';
    `links` (3, n, n) those of all, with friction and springs beside the joint.
    """

    bodies: Array
    links: Array
    stiffness: Array
    damping: Array
    rotors: Array
    friction: Array


def inverse_errors(
    robot: Robot,
    curve: PiecewisePolynomial,
    frequencies: Array,
    uncertainty: float,
    gains: tuple[Array, Array] | None,
) -> Array:
    """
    Return bounds (W,) of ``|Delta|``, where links follow I + Delta times their reference.

    Inertias of bodies, stiffness, rotors and friction are off by up to `uncertainty`, a part of
    each, independently. `frequencies` (W,) [rad/s]; `gains` of a PD on motors, (n,) each, or None
    for motors that follow exactly.
    """
    s = np.array(_TIME_CONSTANTS / curve.duration + 1j * frequencies, dtype=np.complex128)
    errors = [_errors(pose, s, gains) for pose in _poses(robot, curve)]
    # the standard deviation of an error that is uniform within the bounds
    bounds: Array = uncertainty / np.sqrt(3.0) * np.max(errors, axis=0)
    return bounds


def _poses(robot: Robot, curve: PiecewisePolynomial) -> list[_Pose]:
    """Return the linear forces at instants of a motion."""
    model, table = robot.tree, robot.motors
    times = np.linspace(0.0, curve.duration, _POSES)
    jets = curve.jets(curve.breaks[0] + times, max(JET_ROWS, robot.required_rows))
    driven = replace(robot, drives=robot.drives or Drives({}))
    motion = elastic_feedforward(driven, jets, times=times)
    every = effort_partials(model, jets[:, :3])[:, 0]
    bodies = np.stack([effort_partials(one, jets[:, :3])[:, 0] for one in _bodies(model)], axis=1)
    poses = []
    for i, jet in enumerate(jets):
        springs = motion.deflection_jet[i, :2]
        efforts, stiffness, damping = spring_slopes(table, springs, table.stiffness)
        motors = [
            row[VISCOUS] + friction_slopes(row, further, rate, load)[0]
            for row, further, rate, load in zip(
                table.rows, table.friction, motion.motor_velocity[i], efforts, strict=True
            )
        ]
        links = every[i].copy()
        links[0] -= np.diag(parallel_slopes(table, jet[0]))
        links[1] += np.diag(
            [
                row[VISCOUS] + friction_slopes(row, further, rate, load)[0]
                for row, further, rate, load in zip(
                    table.joint_rows, table.joint_friction, jet[1], motion.effort[i], strict=True
                )
            ]
        )
        own = np.stack((stiffness, damping, table.rows[:, INERTIA], motors))
        # motors of a pair act on one joint
        columns = own @ (table.joint_of_motor[:, np.newaxis] == np.arange(table.n))
        poses.append(_Pose(bodies[i], links, *columns))
    return poses


def _bodies(model: ScrewModel) -> list[ScrewModel]:
    """Return the model once per body, the others without inertia."""
    models = []
    for i in range(model.body_count):
        inertias = np.zeros_like(model.inertias)
        inertias[i] = model.inertias[i]
        models.append(replace(model, inertias=inertias))
    return models


def _errors(pose: _Pose, s: NDArray[np.complex128], gains: tuple[Array, Array] | None) -> Array:
    """
    Return the root of the sum of squares of |d Delta / d parameter|, (W,), at complex s (W,).

    Motors: (Z_m + P) theta + Z_l q = u + P theta_d, theta = (1 + Y Z_l) q, with the impedances Z
    of motors and links, the PD P, and the compliance Y of the springs. So the reference is led by
    H = (Z_m + P) (1 + Y Z_l) + Z_l, and Delta = -H^-1 dH.
    """
    n = len(pose.stiffness)
    unit, each = np.eye(n), s[:, np.newaxis]
    powers = np.stack((np.ones_like(s), s, s**2))

    def of(partials: Array) -> NDArray[np.complex128]:
        impedance: NDArray[np.complex128] = np.einsum('dw,dij->wij', powers, partials)
        return impedance

    links, bodies = of(pose.links), [of(body) for body in pose.bodies]
    spring = pose.stiffness + pose.damping * each
    elastic = pose.stiffness > 0.0
    compliance = np.where(elastic, 1.0 / np.where(elastic, spring, 1.0), 0.0)
    shift = unit + compliance[..., np.newaxis] * links
    softer = -(compliance**2) * pose.stiffness  # by the stiffness
    columns, rows = [], []  # of the derivatives of H, each of rank 1
    if gains is None:
        motors, inverse = np.ones_like(spring), np.linalg.inv(shift)
        through = compliance
    else:
        drive = pose.rotors * each**2 + pose.friction * each
        motors = drive + gains[0] + gains[1] * each
        inverse = np.linalg.inv(motors[..., np.newaxis] * shift + links)
        through = motors * compliance + 1.0
        columns += [pose.rotors * each**2, pose.friction * each]
        rows += [shift, shift]
    columns.append(motors * softer)
    rows.append(links)
    squares = np.zeros(len(s))
    left = np.linalg.norm(inverse, axis=1)  # of the columns
    for column, row in zip(columns, rows, strict=True):
        squares += ((left * np.abs(column) * np.linalg.norm(row, axis=2)) ** 2).sum(axis=1)
    led = inverse * through[:, np.newaxis]
    for body in bodies:
        squares += np.linalg.norm(led @ body, ord=2, axis=(1, 2)) ** 2
    errors: Array = np.sqrt(squares)
    return errors
