# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`StreamReader`: messages of streamed references, which are checked and followed."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import instant_of
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.followed_motion import FollowedMotion
from screw_dynamics.control.limit_checks import check_positions
from screw_dynamics.errors import InputError
from screw_dynamics.model import RobotModel
from screw_dynamics.recordings.messages.joints import joint_order, require_usable, state_row
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.reference.streamed_reference import Stream
from screw_dynamics.trajectory.waypoint_checks import check_joint_names

_FIELDS = ('positions', 'velocities', 'accelerations', 'jerks', 'snaps')
_REQUIRED = 3  # efforts require accelerations


class StreamReader:
    """Reads JointReference and JointState messages; joints are found by name."""

    def __init__(self, model: RobotModel, other_joints: Mapping[str, str]) -> None:
        self._model, self._names, self._other_joints = model, model.joint_names, other_joints
        self._read_names: list[str] = []
        self._order: NDArray[np.intp] = np.empty(0, dtype=np.intp)

    def follow(
        self,
        message: Any,
        stream: Stream,
        now: int,
        values: FeedforwardParameters,
        motion: FollowedMotion,
    ) -> bool:
        """Follow a message of a stream; return False if it is ignored, or raise InputError."""
        mode = 'off' if values.limits == 'off' else 'reject'
        if 'spline' in values.outputs:
            raise InputError('outputs: a stream has no spline, and is not followed')
        instant = instant_of(message, now, values.input_timeout)
        if stream is Stream.SAMPLES:
            jet, rows = self.jet(message)
            check_positions(self._model, jet[0], mode)
            return motion.streamed.add_sample(jet, rows, instant, now)
        positions = self.positions(message)
        check_positions(self._model, positions, mode)
        return motion.streamed.add_positions(positions, now, motion.sampled(now))

    def jet(self, message: Any) -> tuple[Array, int]:
        """Return the joint jet (5, n) of a JointReference and its number of known rows, 3 to 5."""
        names = list(message.joint_names)
        if names != self._read_names or not names:
            check_joint_names(names, self._names, False, self._other_joints)
            self._order = joint_order(names, self._names)
            self._read_names = names
        jet = np.zeros((JET_ROWS, len(self._names)))
        rows = 0
        for row, field in zip(jet, _FIELDS, strict=True):
            values = getattr(message, field)
            if not len(values) and rows >= _REQUIRED:
                break  # higher derivatives are not usable without it
            row[:] = self._row(field, values)
            rows += 1
        return jet, rows

    def _row(self, field: str, values: Sequence[float]) -> Array:
        n = len(self._names)
        if len(values) != n:
            more = ''
            if not len(values) and field != 'positions':
                more = ' (a stream of positions alone belongs on ~/joint_state_reference)'
            raise InputError(
                f'{field}: expected {n} values, one per joint name, got {len(values)}{more}'
            )
        row: Array = np.array(values, dtype=np.float64)[self._order]
        require_usable(field, self._names, row)
        return row

    def positions(self, message: Any) -> Array:
        """Return the positions (n,) of all joints from a JointState, or raise InputError."""
        return state_row(message, 'position', self._names)
