# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of a robot with elastic joints, and the result of a simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, as_vector
from screw_dynamics.common.results import Part, SampledResult, Samples
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.rotors import model_with_rotors, moving_rotors
from screw_dynamics.errors import InputError, ModelError
from screw_dynamics.kernels.drives.friction import LOAD
from screw_dynamics.kernels.drives.laws import INERTIA, RIGID
from screw_dynamics.lie import adjoint_inverse, inverse_pose
from screw_dynamics.model import ScrewModel


def robot_tables(robot: Robot) -> tuple[ScrewModel, tuple[NDArray[Any], ...]]:
    """
    Return the model with rotors on moving links, and the arrays of `equations_of_motion.Tables`.

    Raise ModelError if the motor behind a spring has no inertia, or the friction of a rigid joint
    depends on a load that coupled rotors share.
    """
    table = robot.motors
    law = table.laws[table.joint_of_motor]
    for i in np.flatnonzero((law != RIGID) & (table.rows[:, INERTIA] <= 0.0)):
        raise ModelError(
            f'motor {table.names[i]!r}: expected a rotor inertia above 0 behind a spring, got 0: '
            'without it the motor has no equation of motion'
        )
    extended, coordinates = _with_rotors(robot)
    loads = table.friction[:, LOAD] + table.joint_friction[table.joint_of_motor, LOAD]
    for i in np.flatnonzero((law == RIGID) & (loads > 0.0) & (coordinates >= 0)):
        raise ModelError(
            f'joint {table.names[i]!r}: expected friction without load-dependent part, as the '
            'joint is rigid and rotor_coupling true: links and rotor share the load'
        )
    owner = table.joint_of_motor
    second = np.arange(table.m) != table.first_motor[owner]
    columns = [owner, law, table.offsets[owner], table.variable[owner], second, coordinates]
    motors = np.column_stack(columns).astype(np.int64)
    frictions = table.rows, table.friction, *table.joint_arrays
    return extended, (
        motors,
        table.gears,
        *frictions,
        table.parameters,
        extended.kernel_tables.parameters,
    )


def _with_rotors(robot: Robot) -> tuple[ScrewModel, NDArray[np.int64]]:
    """Return the model with the rotors on moving links, and the coordinate of each motor in it."""
    model, table = robot.tree, robot.motors
    coordinates = np.full(table.m, -1, dtype=np.int64)
    if robot.drives is None or not robot.drives.rotor_coupling:
        return model, coordinates
    owners, rotors = moving_rotors(model, table, robot.joint_drives)
    # the rotor of a rigid joint turns with the joint's own coordinate
    rigid = table.laws[table.joint_of_motor[owners]] == RIGID
    places = np.where(rigid, table.joint_of_motor[owners], model.n + np.cumsum(~rigid) - 1)
    coordinates[owners] = places
    extended = model_with_rotors(model, rotors)
    columns = np.concatenate([np.arange(model.n), model.n + np.flatnonzero(~rigid)])
    extended = replace(
        extended,
        joint_names=tuple(extended.joint_names[k] for k in columns),
        coordinates=np.concatenate([model.coordinates, places]),
        limits=extended.limits.of(columns),
        damping=extended.damping[columns],
        friction=extended.friction[columns],
    )
    return extended, coordinates


NO_WRENCHES: Array = np.empty((0, 6))
NO_WRENCHES.flags.writeable = False


def body_wrenches(model: ScrewModel, wrenches: Mapping[str, ArrayLike] | None) -> Array:
    """
    Return the wrench on each body in its joint frame, (N, 6), or (0, 6) if there are none.

    Input [torque; force] acts ON the link, in the axes and at the origin of its frame [N m, N].
    """
    if not wrenches:
        return NO_WRENCHES
    if not isinstance(wrenches, Mapping):
        raise InputError(
            f'wrenches: expected a mapping of frame names to arrays, got {type(wrenches).__name__}'
        )
    table = np.zeros((model.body_count, 6))
    for name, value in wrenches.items():
        model.frame(name)  # raises the error of an unknown name
        frame = model.frames[name]
        wrench = as_vector(f'wrenches[{name!r}]', value, 6)
        if frame.body >= 0:  # a wrench on the base moves no joint
            pose = inverse_pose(model.kernel_tables.poses[frame.body]) @ frame.pose
            table[frame.body] += wrench @ adjoint_inverse(pose)
    return table


@dataclass(frozen=True, eq=False)
class SimulationResult(SampledResult):
    """
    Motion of a rigid or elastic robot over time.

    Parameters
    ----------
    times : (T,) ndarray
        Times of the states [s].
    position, velocity : (T, n) ndarray
        Link positions and velocities [rad or m, per s].
    motor_position, motor_velocity : (T, m) ndarray
        Motor positions and velocities, on the joint side of the gear [rad or m, per s].
    evaluations : int
        Number of evaluations of the equations of motion.
    joint_names, motor_names : tuple of str
        Empty if they are not known.
    """

    times: Array
    position: Array
    velocity: Array
    motor_position: Array
    motor_velocity: Array
    evaluations: int
    joint_names: tuple[str, ...] = ()
    motor_names: tuple[str, ...] = ()

    def _samples(self) -> tuple[Array, dict[str, Samples]]:
        joints = np.stack([self.position, self.velocity], axis=1)
        motors = np.stack([self.motor_position, self.motor_velocity], axis=1)
        return self.times, {
            'position': Samples(joints, names=self.joint_names),
            'motor_position': Samples(motors, names=self.motor_names, dimension='motor'),
        }

    def __repr__(self) -> str:
        """Return the numbers of states, joints, motors and evaluations."""
        span = f', {self.times[0]:g} to {self.times[-1]:g} s' if len(self.times) else ''
        n, m = self.position.shape[-1], self.motor_position.shape[-1]
        return (
            f'SimulationResult({len(self.times)} states{span}; {n} joints, {m} motors, '
            f'{self.evaluations} evaluations)'
        )

    def _parts(self) -> Sequence[Part]:
        headline, joints, *motors = super()._parts()
        # the motors of a rigid robot are its joints
        rigid = np.array_equal(self.motor_position, self.position)
        return [headline, joints] if rigid else [headline, joints, *motors]
