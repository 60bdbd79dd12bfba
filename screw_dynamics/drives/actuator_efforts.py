# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`actuator_efforts`: efforts of the motors of a robot without springs between motor and link."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.drives.failures import raise_failure
from screw_dynamics.drives.link_efforts import link_efforts, rotor_reactions
from screw_dynamics.drives.robot import Robot, robot_with_drives
from screw_dynamics.dynamics.state_calls import output
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.kernels.drives.actuators import set_actuator_efforts
from screw_dynamics.kernels.drives.deflections import OK
from screw_dynamics.kernels.drives.laws import RIGID
from screw_dynamics.model import ScrewModel


def actuator_efforts(
    robot: Robot | ScrewModel,
    joint_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    *,
    effort_jet: ArrayLike | None = None,
    out: Array | None = None,
) -> Array:
    """
    Return the motor efforts of a robot with rigid joints, and their time derivatives.

    ``tau_m = u + B q'' + F_m(q', u)`` with ``u = tau + F(q', u) - P(q)``: the efforts tau of the
    links, the inertia B of the rotors, the friction of motors and joints (see `Motor` and
    `JointFriction`) and the efforts P of parallel springs.

    Parameters
    ----------
    robot : Robot
        With motors, friction and parallel springs; all joints are rigid.
    joint_jet : (k + 3, n) or (T, k + 3, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d].
    wrench_jets : mapping of str to (k + 1, 6) or (T, k + 1, 6) array_like, optional
        External wrenches, see `inverse_dynamics`; None with `effort_jet`.
    effort_jet : (k + 1, n) or (T, k + 1, n) array_like, optional
        Efforts of the links, if they are known: the result of `inverse_dynamics` or, with coupled
        rotors, of `link_efforts`. The joint jet may then have more rows.
    out : (k + 1, n) or (T, k + 1, n) ndarray, optional
        C-contiguous float64 array to fill and return. With `effort_jet` a call then allocates no
        arrays of the robot's size, except for coupled rotors.

    Returns
    -------
    (k + 1, n) or (T, k + 1, n) ndarray
        On the joint side of the gear [N m or N, per s^d]; the effort of the motor itself is that
        divided by its gear ratio.

    Raises
    ------
    InputError
        If a joint is elastic (see `elastic_feedforward`).
    SpringRangeError
        If a parallel spring is longer or shorter than it can be.
    ShapeError, NotFiniteError, UnknownNameError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics import actuator_efforts
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> motor = sd.Motor(rotor_inertia=1e-4, gear_ratio=100.0)
    >>> robot = sd.Robot(arm, sd.Drives({'joint_1': sd.JointDrive(motor=motor)}))
    >>> jet = np.array([[0.0, 0.0], [0.0, 0.0], [0.5, 0.0]])
    >>> (actuator_efforts(robot, jet) - sd.inverse_dynamics(arm, jet)).round(12)
    array([[0.5, 0. ]])
    """
    robot = robot_with_drives(robot)
    table = robot.motors
    for j in np.flatnonzero(table.laws != RIGID):
        raise InputError(
            f'joint {table.joint_names[j]!r}: expected a rigid joint, got one with a spring '
            'between motor and link: use elastic_feedforward'
        )
    jet = as_float_array('joint_jet', joint_jet)
    if jet.ndim not in (2, 3) or jet.shape[-1] != table.n or jet.shape[-2] < 3:
        expected = f'(k + 3, {table.n}) or (T, k + 3, {table.n})'
        raise ShapeError('joint_jet', expected, jet.shape)
    if effort_jet is None:
        efforts = link_efforts(robot, jet, wrench_jets)
    elif wrench_jets is not None:
        raise InputError('wrench_jets: expected None with effort_jet, which contains their effect')
    else:
        efforts = _known_efforts(jet, effort_jet)
    out = output(out, efforts.shape, joint_jet=jet, effort_jet=efforts)
    single, failure = jet.ndim == 2, np.zeros(5)
    status = set_actuator_efforts(
        jet[np.newaxis] if single else jet,
        efforts[np.newaxis] if single else efforts,
        *table.joint_arrays,
        table.rows,
        table.friction,
        out[np.newaxis] if single else out,
        failure,
    )
    if status != OK:
        raise_failure(robot, status, failure, single, joint_jet=jet, effort_jet=efforts)
    if robot.coupling is not None:
        out += rotor_reactions(robot.coupling, table, jet[..., : efforts.shape[-2] + 2, :])
    return out


def _known_efforts(jet: Array, effort_jet: ArrayLike) -> Array:
    """Return efforts of the links as an array that fits the joint jet."""
    efforts = as_float_array('effort_jet', effort_jet)
    batch, (rows, n) = jet.shape[:-2], jet.shape[-2:]
    if efforts.shape not in [(*batch, count, n) for count in range(1, rows - 1)]:
        raise ShapeError('effort_jet', f'{(*batch, rows - 2, n)} or fewer rows', efforts.shape)
    return efforts
