# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`transmitted_efforts`: what drives transmit beside joint friction and parallel springs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.drives.failures import raise_failure
from screw_dynamics.drives.robot import Robot, robot_with_drives
from screw_dynamics.dynamics.state_calls import output
from screw_dynamics.errors import ShapeError
from screw_dynamics.kernels.drives.actuators import set_transmitted_efforts
from screw_dynamics.kernels.drives.deflections import OK
from screw_dynamics.model import ScrewModel


def transmitted_efforts(
    robot: Robot | ScrewModel,
    joint_jet: ArrayLike,
    effort_jet: ArrayLike,
    *,
    out: Array | None = None,
) -> Array:
    """
    Return the efforts that springs and rigid joints transmit, and their time derivatives.

    ``u = tau + F(q', u) - P(q)`` with the efforts tau of the links, the friction F of the joints
    (see `JointFriction`) and the efforts P of their parallel springs; solved for u.

    Parameters
    ----------
    robot : Robot
        With drives.
    joint_jet : (k + 2 or more, n) or (T, k + 2 or more, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d].
    effort_jet : (k + 1, n) or (T, k + 1, n) array_like
        Efforts of the links, see `link_efforts` [N m or N, per s^d].
    out : (k + 1, n) or (T, k + 1, n) ndarray, optional
        C-contiguous float64 array to fill and return; it may be `effort_jet`. A call then
        allocates no arrays of the robot's size.

    Returns
    -------
    (k + 1, n) or (T, k + 1, n) ndarray
        [N m or N, per s^d]

    Raises
    ------
    SpringRangeError
        If a parallel spring is longer or shorter than it can be.
    ShapeError, NotFiniteError, UnknownNameError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.drives import transmitted_efforts
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> joint = sd.JointDrive(friction=sd.JointFriction(viscous=3.0))
    >>> robot = sd.Robot(arm, sd.Drives({'joint_1': joint}))
    >>> jet = np.array([[0.0, 0.0], [2.0, 0.0], [0.5, 0.0]])
    >>> transmitted_efforts(robot, jet, [[10.0, 1.0], [0.0, 0.0]])
    array([[16. ,  1. ],
           [ 1.5,  0. ]])
    """
    robot = robot_with_drives(robot)
    table = robot.motors
    efforts = as_float_array('effort_jet', effort_jet)
    if efforts.ndim not in (2, 3) or efforts.shape[-1] != table.n or not efforts.shape[-2]:
        expected = f'(k + 1, {table.n}) or (T, k + 1, {table.n})'
        raise ShapeError('effort_jet', expected, efforts.shape)
    jet = as_float_array('joint_jet', joint_jet)
    batch, rows = efforts.shape[:-2], efforts.shape[-2]
    if jet.shape[:-2] != batch or jet.shape[-1:] != (table.n,) or jet.shape[-2] <= rows:
        raise ShapeError('joint_jet', f'{(*batch, rows + 1, table.n)} or more rows', jet.shape)
    out = output(out, efforts.shape, joint_jet=jet)
    if out is not efforts:
        out[...] = efforts
    fill_transmitted_efforts(robot, jet, out)
    return out


def fill_transmitted_efforts(robot: Robot, jet: Array, efforts: Array) -> None:
    """Turn the efforts of the links, checked arrays, into the transmitted ones in place."""
    table = robot.motors
    if table.direct:
        return
    single = jet.ndim == 2
    failure = np.zeros(5)
    status = set_transmitted_efforts(
        jet[np.newaxis] if single else jet,
        *table.joint_arrays,
        efforts[np.newaxis] if single else efforts,
        failure,
    )
    if status != OK:
        raise_failure(robot, status, failure, single, joint_jet=jet)


def transmitted_effort(
    robot: Robot,
    joint: int,
    jets: Array,
    efforts: Array,
    *,
    single: bool,
) -> Array:
    """
    Return the transmitted effort (T, r) of one joint.

    `jets` (T, r + 1 or more) and `efforts` (T, r) are of that joint. With `single` the error text
    omits the sample index.
    """
    result = efforts[:, :, np.newaxis].copy()
    if not robot.motors.direct:
        failure = np.zeros(5)
        joint_arrays = (array[joint : joint + 1] for array in robot.motors.joint_arrays)
        status = set_transmitted_efforts(
            np.ascontiguousarray(jets[:, :, np.newaxis]), *joint_arrays, result, failure
        )
        if status != OK:
            failure[1] = joint
            raise_failure(robot, status, failure, single)
    transmitted: Array = result[:, :, 0]
    return transmitted
