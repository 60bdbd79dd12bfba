# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Efforts of the links of an elastic robot.

Without rotors on moving links this is the inverse dynamics of the links. With them, for any tree
and any order, the robot of links and rotors (`model_with_rotors`) is an ordinary robot with the
coordinates (q, theta), so its inverse dynamics is the equation of both sides of every spring:

    u = M q'' + S theta'' + c + g + (terms of S(q)),     S^T q'' + S'^T q' + B theta'' = tau_m - u

([T1991], [DL1998]; friction acts at theta). u of the last joints does not depend on rotors; it
determines theta of these joints by their springs, and this in turn u of the joints before them:
one pass of inverse dynamics per level of `rotor_coupling`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.drives.robot import Robot, robot_with_drives
from screw_dynamics.drives.rotors import RotorCoupling
from screw_dynamics.drives.spring_deflections import as_stiffness_jets, joint_deflections
from screw_dynamics.drives.transmitted_efforts import transmitted_effort
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.dynamics.state_calls import output
from screw_dynamics.errors import ShapeError
from screw_dynamics.kernels.drives.laws import RIGID
from screw_dynamics.model.screw_model import ScrewModel, as_wrench_jets


def link_efforts(
    robot: Robot | ScrewModel,
    joint_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    *,
    stiffness_jets: Mapping[str, ArrayLike] | None = None,
    out: Array | None = None,
) -> Array:
    """
    Return the efforts that a motion of the links requires.

    Springs and rigid joints transmit these efforts, if joints have neither friction nor parallel
    springs; else see `transmitted_efforts`.

    Parameters
    ----------
    robot : Robot
        With drives.
    joint_jet : (r, n) or (T, r, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d];
        r >= ``robot.required_rows``.
    wrench_jets, stiffness_jets : optional
        See `elastic_feedforward`; the stiffness matters only with coupled rotors.
    out : (k + 1, n) or (T, k + 1, n) ndarray, optional
        C-contiguous float64 array to fill and return.

    Returns
    -------
    (k + 1, n) or (T, k + 1, n) ndarray
        [N m or N, per s^d]; k = r - 3. Without coupled rotors the result of `inverse_dynamics`;
        with them k is smaller by the orders that the coupling costs.

    Raises
    ------
    SpringRangeError, ShapeError, NotFiniteError, UnknownNameError, InputError
        See `elastic_feedforward`.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.drives import link_efforts
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> drives = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(100.0))})
    >>> jet = np.full((5, arm.n), 0.1)
    >>> np.array_equal(link_efforts(sd.Robot(arm, drives), jet), sd.inverse_dynamics(arm, jet))
    True
    """
    robot = robot_with_drives(robot)
    table, coupling = robot.motors, robot.coupling
    jet = as_elastic_jet(robot, joint_jet)
    if coupling is None:
        return inverse_dynamics(robot.model, jet, wrench_jets, out=out)
    rows = jet.shape[-2] - coupling.rows + 1 + table.lost_orders
    shape = (*jet.shape[:-2], rows, table.n)
    out = output(out, shape)
    fill_coupled_efforts(robot, coupling, jet, wrench_jets, stiffness_jets, out)
    return out


def as_elastic_jet(robot: Robot, joint_jet: ArrayLike) -> Array:
    """Return a joint jet as an array with the rows that motor efforts require."""
    jet = as_float_array('joint_jet', joint_jet)
    table, least = robot.motors, robot.required_rows
    reason = table.most_demanding
    if robot.coupling is not None:
        reason = 'this robot with rotors on moving links'
    if jet.ndim not in (2, 3) or jet.shape[-1] != table.n or jet.shape[-2] < least:
        raise ShapeError(
            'joint_jet',
            f'(r, {table.n}) or (T, r, {table.n}) with r >= {least}: rows q to q^({least - 1}), '
            f'which the motor effort of {reason} needs',
            jet.shape,
        )
    return jet


def fill_coupled_efforts(
    robot: Robot,
    coupling: RotorCoupling,
    joint_jet: Array,
    wrench_jets: Mapping[str, ArrayLike] | None,
    stiffness_jets: Mapping[str, ArrayLike] | None,
    out: Array,
) -> None:
    """
    Fill the link efforts u of a robot with rotors on moving links.

    For `joint_jet` (T, r, n) and p = r - coupling.rows, `out` is (T, p + 1 + k, n) with k =
    `MotorTable.lost_orders`, T omitted for a sample.
    """
    table = robot.motors
    batch, (rows, n) = joint_jet.shape[:-2], joint_jet.shape[-2:]
    wrenches = as_wrench_jets(robot.tree, wrench_jets, (*batch, rows - 2, n))
    order = rows - coupling.rows
    highest = int(coupling.orders[table.variable >= 0].max(initial=0))
    stiffness = as_stiffness_jets(table, stiffness_jets, (*batch, order + highest + 1))
    # rotors locked to their links
    positions = np.zeros((*batch, rows, coupling.model.n))
    positions[..., :n] = joint_jet
    for a, rotor in enumerate(coupling.rotors, n):
        positions[..., a] = positions[..., rotor.coordinate]

    for level in coupling.levels:
        reach = order + int(coupling.orders[list(level)].max()) + 1
        needed = {name: wrench[..., :reach, :] for name, wrench in wrenches.items()}
        passed = inverse_dynamics(coupling.model, positions[..., : reach + 2, :], needed)
        for j in level:
            count = order + int(coupling.orders[j]) + 1
            effort = np.ascontiguousarray(passed[..., :count, j])
            out[..., j] = effort[..., : out.shape[-2]]
            rotors = [a for a, i in enumerate(coupling.motors) if table.joint_of_motor[i] == j]
            if rotors and table.laws[j] != RIGID:
                samples = transmitted_effort(
                    robot,
                    j,
                    joint_jet[..., : count + 1, j].reshape(-1, count + 1),
                    effort.reshape(-1, count),
                    single=not batch,
                )
                phi = joint_deflections(robot, j, samples, stiffness, single=not batch)
                for a in rotors:
                    # higher orders of theta affect no row that is read
                    motor = coupling.motors[a] - table.first_motor[j]
                    positions[..., :count, n + a] += phi[:, :, motor].reshape(effort.shape)


def rotor_reactions(coupling: RotorCoupling, table: MotorTable, joint_jet: Array) -> Array:
    """Return ``S^T q'' + S'^T q'`` (T, p - 2, m) at the motors for joint jets (T, p, n)."""
    batch, (rows, n) = joint_jet.shape[:-2], joint_jet.shape[-2:]
    positions = np.zeros((*batch, rows, coupling.model.n))
    positions[..., :n] = joint_jet
    reactions = np.zeros((*batch, rows - 2, table.m))
    reactions[..., coupling.motors] = inverse_dynamics(coupling.model, positions)[..., n:]
    return reactions
