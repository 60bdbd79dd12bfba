# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`DriveOutput`: commands in the units, signs and on the side of the gear that drives take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.drive_target import DriveTarget
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.model.robot_model import Threads, threads_of


class DriveOutput:
    """
    The rows of fields (f, m) of m joints or motors.

    Servos without an input for efforts are springs with dampers: their effort is
    Kp (c - q) - d q', so the command c = q + (tau + d q') / Kp leads the joint along q, and its
    velocity is c' = q' + (tau' + d q'') / Kp.
    """

    def __init__(
        self, robot: Robot, names: Sequence[str], settings: DriveCommandsParameters
    ) -> None:
        m, sent = len(names), settings.fields
        self._names, self.rows = tuple(names), np.zeros((len(sent), m))
        self._fields = dict(zip(sent, self.rows, strict=True))
        self.state = np.zeros((3, m))
        self.command = np.zeros((2, m))  # positions and velocities, on the joint side
        self._scale = np.array(settings.effort_scale or (1.0,)) + np.zeros(m)
        self._offset = np.array(settings.effort_offset or (0.0,)) + np.zeros(m)
        self._rotors, self.limit = settings.content == 'rotors', settings.servo_limit
        self.servos = bool(settings.servo_stiffness)
        self._stiffness = np.array(settings.servo_stiffness or (1.0,)) + np.zeros(m)
        self._lags = np.array(settings.servo_damping or (0.0,)) / self._stiffness  # [s]
        self._work, self.offset = np.zeros(m), np.zeros(m)  # of servos, as sent
        self._ratios = np.ones(m)  # of gears, with which rotors are commanded
        self.threads: ThreadTensions | None = None
        self.set_robot(robot)

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same joints."""
        threads = threads_of(robot.model)
        joints = robot.joint_names
        fits = threads is not None and self._names == joints
        self.threads = ThreadTensions(threads, joints) if fits and threads is not None else None

    def violation(self, target: DriveTarget, *, begins: bool = False) -> str:
        """Return what is missing, or which servo's offset is beyond its limit; '' if none is."""
        ratios, before = target.ratios, self._ratios
        if ratios is None:
            if self._rotors:
                return 'gear_ratio: expected one per motor for rotors, got none'
        elif self._rotors and not (begins or (ratios == before).all()):
            return f'gear_ratio: expected {before} as in the sample before, got {ratios}'
        if not self.servos:
            return ''
        if 'velocity' in self._fields and not target.rates_sent:
            return (
                'expected samples with effort_dot for the velocities of servos, got none: the '
                'reference has too few derivatives'
            )
        offset = self._offset_of(target.motion[1], target.effort[0])
        worst = int(np.argmax(np.abs(offset)))
        if abs(offset[worst]) <= self.limit:
            return ''
        return (
            f'{self._names[worst]}: offset of the servo {offset[worst]:.9g}, servo_limit '
            f'{self.limit:g}'
        )

    def _offset_of(self, velocity: Array, effort: Array) -> Array:
        np.divide(effort, self._stiffness, out=self._work)
        self._work += self._lags * velocity
        return self._work

    def effort_of_offset(self, velocity: Array) -> Array:
        """Return the efforts (m,) of which, at a velocity, the offsets are those as sent."""
        efforts: Array = (self.offset - self._lags * velocity) * self._stiffness
        return efforts

    def write(
        self, motion: Array, effort: Array, target: DriveTarget, gains: Array, *, ends: bool
    ) -> Array:
        """Return the shared rows of a motion and efforts (2, m); at an end offsets stay."""
        state, fields = self.state, self._fields
        self.command[:] = motion
        if self.servos and not ends:
            offset = self._offset_of(motion[1], effort[0])
            np.clip(offset, -self.limit, self.limit, out=self.offset)
            if target.rates_sent:
                self.command[1] += effort[1] / self._stiffness + self._lags * target.jet[2]
        self.command[0] += self.offset
        state[:2], state[2] = self.command, effort[0]
        state[2] *= self._scale
        if self._rotors:
            if not ends and target.ratios is not None:
                self._ratios[:] = target.ratios
            state[:2] *= self._ratios
            state[2] /= self._ratios
        state[2] += self._offset
        for i, name in enumerate(('position', 'velocity', 'effort')):
            if name in fields:
                fields[name][:] = state[i]
        for i, name in enumerate(('kp', 'kd')):
            if name in fields:
                fields[name][:] = gains[i]
        return self.rows


_TOLERANCE = 1e-6  # of the largest effort


class ThreadTensions:
    """Tensions [N], and their rates [N/s], in arrays that are used again."""

    def __init__(self, threads: Threads, joint_names: Sequence[str]) -> None:
        self._threads, self.names = threads, threads.names
        self._joints = tuple(joint_names)[-threads.size :]
        self._found = tuple(
            (np.zeros((rows, len(threads.names))), np.zeros(threads.size)) for rows in (1, 2)
        )

    def write(self, jet: Array, efforts: Array, *, rates: bool) -> tuple[Array | None, str]:
        """Return tensions (1 or 2, threads) for a jet (4, n) and efforts (2, n), and a warning."""
        rows = 2 if rates else 1
        try:
            tensions, errors = self._threads.tensions(
                jet, np.ascontiguousarray(efforts[:rows]), self._found[rows - 1]
            )
        except InputError as error:
            return None, f'No tensions are published: {error}'
        worst = int(np.argmax(errors))
        if errors[worst] <= _TOLERANCE * np.abs(efforts[0, -self._threads.size :]).max():
            return tensions, ''
        return tensions, (
            f'{self._joints[worst]}: threads realise its effort only to {errors[worst]:.3g}: '
            f'they pull, and may be too few{self._at_limits(tensions[0])}'
        )

    def _at_limits(self, tensions: Array) -> str:
        pairs = zip(self.names, tensions >= self._threads.most, strict=True)
        names = [name for name, reached in pairs if reached]
        return f'; at most_tension: {", ".join(names)}' if names else ''
