# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`DeflectionFilter`: deflections of damped joints along a stream of efforts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.common.scalars import require_count, require_number
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.drives.robot import Robot, robot_with_drives
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError
from screw_dynamics.kernels.drives.damped import STARTED, TERMS, TIME, advance_deflections
from screw_dynamics.model import ScrewModel


class DeflectionFilter:
    """
    State of the joints whose deflection depends on the past.

    With a damper phi is the filter ``phi' = (tau - K phi) / d`` of the effort. A step is exact for
    the polynomial that joins the effort jets at both ends (up to three rows of each), and for a
    jump of the effort between two samples of the same time: phi is continuous, phi' jumps. Joints
    with hysteresis or backlash (see `JointDrive`) keep phi and the deflection of the spring.

    Parameters
    ----------
    robot : Robot
        With drives.
    rows : int, optional
        Rows of the joint jets, two more than of the efforts. Default
        ``robot.required_rows``.
    deflection : mapping of str to float, optional
        Initial deflections by joint [rad or m]. All other joints, and those with d/K below 1e-6 s
        (any start is negligible after 60 us), start quasi-steady: sum_j (-d/K)^j tau^(j) / K,
        truncated before its terms grow; at rest tau / K.

    Attributes
    ----------
    joint_names : tuple of str
        The joints with dampers, hysteresis or backlash.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> model = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [np.eye(6)])
    >>> joint = sd.JointDrive(sd.LinearSpring(100.0, damping=10.0))
    >>> robot = sd.Robot(model, sd.Drives({'joint_1': joint}))
    >>> filter = sd.DeflectionFilter(robot, deflection={'joint_1': 0.0})
    >>> ramp = filter.step([[0.0], [10.0]], 0.0)
    >>> filter.step([[1.0], [10.0]], 0.1).round(6)
    array([[0.003679],
           [0.063212],
           [0.367879]])
    """

    def __init__(
        self,
        robot: Robot | ScrewModel,
        *,
        rows: int | None = None,
        deflection: Mapping[str, float] | None = None,
    ) -> None:
        robot = robot_with_drives(robot)
        self._table = table = robot.motors
        self.joint_names = table.damped_names
        least = robot.required_rows
        rows = least if rows is None else require_count('rows', rows, least)
        count, orders = len(self.joint_names), rows - table.lost_orders
        self._state, self._backup = np.zeros((2, 2 + count * (orders + rows - 2)))
        self._clock = self._state[:2]
        self._psi = self._state[2 : 2 + count * orders].reshape(count, orders)
        self._last_jets = self._state[2 + count * orders :].reshape(count, rows - 2)
        self._work = np.empty(TERMS + 1), np.empty((2, TERMS))
        self.reset(deflection)

    @property
    def state(self) -> tuple[Array, Array, Array]:
        """Clock, deflection jets and last effort jets; the kernels update them in place."""
        return self._clock, self._psi, self._last_jets

    def keep_state(self) -> None:
        """Copy the state for `restore_state`, before a kernel advances it."""
        self._backup[:] = self._state

    def restore_state(self) -> None:
        """Return to the state of the last `keep_state`: the motion was rejected."""
        self._state[:] = self._backup

    def require(self, table: MotorTable, rows: int) -> DeflectionFilter:
        """Return the filter; raise InputError if it is for another robot or number of rows."""
        if table != self._table:
            raise InputError('deflection: expected a filter made for this robot')
        # keep the equal table: the next comparison is one of identity
        self._table = table
        expected = self._last_jets.shape[1] + 2
        if rows != expected:
            raise InputError(
                f'deflection: expected a filter made for joint jets of {rows} rows, '
                f'got one for {expected}'
            )
        return self

    def reset(self, deflection: Mapping[str, float] | None = None) -> None:
        """
        Reset the filter: the next sample is the first.

        `deflection` has initial deflections by joint [rad or m]; all other joints start
        quasi-steady. Raise UnknownNameError if a joint has no damper, InputError if it is not a
        mapping to finite numbers.
        """
        start = np.full(len(self.joint_names), np.nan)
        if deflection is not None and not isinstance(deflection, Mapping):
            raise InputError(
                'deflection: expected a mapping of joint names to numbers or a DeflectionFilter, '
                f'got {type(deflection).__name__}'
            )
        for name, value in (deflection or {}).items():
            if name not in self.joint_names:
                raise UnknownNameError('damped joint', name, self.joint_names)
            label = f'deflection[{name!r}]'
            number = require_finite(label, as_float_array(label, value))
            if number.shape != ():
                raise ShapeError(label, '()', number.shape)
            start[self.joint_names.index(name)] = number
        # NaN: quasi-steady
        self._psi[:, 0] = start
        self._clock[:], self._last_jets[:] = 0.0, np.nan

    def step(self, effort_jet: ArrayLike, h: float) -> Array:
        """
        Advance to the next sample of the efforts.

        Parameters
        ----------
        effort_jet : (k + 1, n) array_like
            Efforts that all joints transmit, see `transmitted_efforts`, and their time derivatives
            at the end of the step.
        h : float
            Time since the last sample, 0 or more [s]; ignored for the first sample.

        Returns
        -------
        (rows, D) ndarray
            Deflections of the joints and their time derivatives at the end of the step
            [rad or m, per s^d]: a view of the state. Joints with hysteresis or backlash do not
            advance, but with the filter in `elastic_feedforward`.

        Raises
        ------
        ShapeError, NotFiniteError
            If the efforts do not have the shape that the filter was made for, or are not finite.
        InputError
            If the step is negative or not finite.
        """
        shape = (self._last_jets.shape[1], self._table.n)
        efforts = as_float_array('effort_jet', effort_jet)
        if efforts.shape != shape:
            raise ShapeError('effort_jet', str(shape), efforts.shape)
        require_finite('effort_jet', efforts)
        h = require_number('h', h)
        table = self._table
        time = self._clock[TIME] + (h if self._clock[STARTED] else 0.0)
        laws = table.laws, table.offsets, table.parameters, table.damped
        advance_deflections(time, efforts, *laws, *self.state, *self._work)
        jets: Array = self._psi.T
        return jets
