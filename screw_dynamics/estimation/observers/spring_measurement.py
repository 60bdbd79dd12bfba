# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`measured_spring_efforts`: efforts of springs from measured deflections."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, as_vector, require_finite
from screw_dynamics.drives.robot import Robot, robot_with_drives
from screw_dynamics.drives.spring_efforts import SpringEfforts
from screw_dynamics.errors import ShapeError, SpringRangeError
from screw_dynamics.kernels.drives.gears import GAP, WIDTH, dead_zone, slipped
from screw_dynamics.model import ScrewModel

_NOISE = 0.1  # of the width of the hysteresis


def measured_spring_efforts(
    robot: Robot | ScrewModel,
    joint_jet: ArrayLike,
    motor_jet: ArrayLike,
    effort: ArrayLike,
    memory: Array | None = None,
) -> Array:
    """
    Return the efforts of joints for a `LoadObserver`, those of springs from their deflections.

    Parameters
    ----------
    robot : Robot
        With drives. Springs of variable stiffness have that of the record.
    joint_jet : (2, n) array_like
        Measured coordinates and rates [rad or m, per s].
    motor_jet : (2, m) array_like
        Measured positions and velocities of the motors on the joint side of the gear; of
        continuous joints up to whole turns.
    effort : (n,) array_like
        Of the motors of joints without a spring [N m or N]; the others are not used.
    memory : (3, m) ndarray, optional
        Hysteresis of the samples so far, which the function updates; NaN before the first one.
        Without it hysteresis does not count. Where it began is forgotten after some widths of
        travel; changes back and forth by less than a tenth of a width are noise.

    Returns
    -------
    (n,) ndarray
        [N m or N]

    Raises
    ------
    SpringRangeError
        If a deflection is outside of the table of its spring.
    ShapeError, NotFiniteError, UnknownNameError, InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics import measured_spring_efforts
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> robot = sd.Robot(arm, sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(100.0))}))
    >>> measured_spring_efforts(
    ...     robot, [[0.5, 0.0], [0, 0]], [[0.53, 0.0], [0, 0]], [0.0, 1.0]
    ... ).round(9)
    array([3., 1.])
    """
    robot = robot_with_drives(robot)
    table = robot.motors
    links = _rows('joint_jet', joint_jet, table.n)
    motors = _rows('motor_jet', motor_jet, table.m)
    reported = as_vector('effort', effort, table.n)
    owner = table.joint_of_motor
    if memory is not None and memory.shape != (3, table.m):
        raise ShapeError('memory', f'(3, {table.m})', memory.shape)
    deflections = motors - links[:, owner]
    turns = np.array(robot.model.coordinate_types)[owner] == 'continuous'
    deflections[0] -= np.where(turns, 2.0 * np.pi * np.rint(deflections[0] / (2.0 * np.pi)), 0.0)
    gears = table.gears.tolist()
    for i, (phi, gear) in enumerate(zip(deflections[0].tolist(), gears, strict=True)):
        delta = 0.0 if memory is None else _slip(phi, gear, memory[:, i])
        deflections[0, i] = dead_zone(phi + delta, gear[GAP])  # type: ignore[no-untyped-call]
    springs = SpringEfforts(table)
    stiffness = np.zeros(table.m)
    if len(table.stiffness):
        stiffness[:] = table.stiffness[np.maximum(table.variable[owner], 0)]
    shares = reported[owner]
    springs.fill(deflections, stiffness, shares)
    if not np.isfinite(shares).all():
        worst = int(np.argmin(np.isfinite(shares)))
        raise SpringRangeError(
            table.names[worst],
            'expected a deflection within the table of its spring, got '
            f'{deflections[0, worst]:.6g}',
            (float(deflections[0, worst]),),
        )
    # two springs of one joint act together
    efforts: Array = np.zeros(table.n)
    np.add.at(efforts, owner, shares)
    return efforts


def _slip(phi: float, gear: Sequence[float], memory: Array) -> float:
    """
    Return delta of the hysteresis at a deflection, see `kernels.drives.gears`.

    The memory follows the deflection in one direction, and back as soon as it is no noise.
    """
    width, gap = gear[WIDTH], gear[GAP]
    if width == 0.0:
        return 0.0
    start, delta, sense = (phi, 0.0, 1.0) if np.isnan(memory[0]) else memory.tolist()
    after, before = (
        dead_zone(at + delta, gap)  # type: ignore[no-untyped-call]
        for at in (phi, start)
    )
    found = float(slipped(delta, width, after - before))  # type: ignore[no-untyped-call]
    ahead = sense * (phi - start)
    if ahead < -_NOISE * width:
        sense = -sense
    elif ahead < 0.0:
        return found
    memory[:] = phi, found, sense
    return found


def _rows(name: str, value: ArrayLike, size: int) -> Array:
    array = require_finite(name, as_float_array(name, value))
    if array.shape != (2, size):
        raise ShapeError(name, f'(2, {size})', array.shape)
    return array
