# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`PositionServos`: position commands with which servos without effort input carry an effort."""

from collections.abc import Callable, Sequence

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.control.guards import MotionGuard
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.robot import Robot


class PositionServos(MotionGuard):
    """
    Position servos as springs with dampers: their effort is Kp (c - q) - d q'.

    So the command c = q + (tau + d q') / Kp leads the joint along q, and its velocity is
    c' = q' + (tau' + d q'') / Kp. The output stops before the first offset c - q beyond
    `servo_offset_limit`. `names` are those of the m joints or motors.
    """

    _what = 'servo commands'

    def __init__(
        self,
        robot: Robot,
        names: Sequence[str],
        parameters: FeedforwardParameters,
        warn: Callable[[str], object],
    ) -> None:
        super().__init__(robot, warn)
        self._names, m = names, len(names)
        self._stiffness = np.array(parameters.servo_stiffness)
        self._lags = np.zeros(m)  # s: how much later the servo arrives because of its damping
        self._lags[:] = np.array(parameters.servo_damping or (0.0,)) / self._stiffness
        self._rates = parameters.needs_rates
        self._part, self.lead = np.zeros(m), np.zeros(m)  # d q' / Kp of the last sample
        if parameters.mode == 'compensate':
            self.resumption = 'after ~/clear'
        self.limit = parameters.servo_offset_limit

    def passes(self, effort: Array, rate: Array | None, acceleration: Array, out: Array) -> bool:
        """
        Add the offsets of efforts (m,) to positions and velocities `out` (2, m).

        Returns False if the output is stopped, or an offset beyond its limit stops it now.
        """
        if self.stopped:
            return False
        np.multiply(self._lags, out[1], out=self.lead)
        np.divide(effort, self._stiffness, out=self._part)
        np.add(self._part, self.lead, out=self._part)
        np.add(out[0], self._part, out=out[0])
        np.abs(self._part, out=self._part)
        worst = int(self._part.argmax())
        if not self._part[worst] <= self.limit:  # also if it is not a number
            self._stop_at_limit(
                f'{self._names[worst]}: offset of the servo {self._part[worst]:.9g}, '
                f'servo_offset_limit {self.limit:g}'
            )
            return False
        if self._rates:
            if rate is None:
                self._stop_at_limit(
                    'expected references with derivatives up to order 3 for the velocities of '
                    'servos, got none of order 3'
                )
                return False
            np.divide(rate, self._stiffness, out=self._part)
            np.add(out[1], self._part, out=out[1])
            np.multiply(self._lags, acceleration, out=self._part)
            np.add(out[1], self._part, out=out[1])
        self.reason = ''
        return True
