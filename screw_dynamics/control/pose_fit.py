# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint motions through the poses of a Path message."""

from typing import Any

from screw_dynamics.cartesian import PoseWaypoints, cartesian_trajectory
from screw_dynamics.control.tasks import Fitting
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.messages.poses import path_waypoints
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints


class PoseMotions:
    """Motions through the poses of a message that begin at the join of a task."""

    def __init__(self, message: Any, task: Fitting) -> None:
        self._model, self._begin = task.robot.robot.model, task.join.elapsed
        self.waypoints = path_waypoints(
            message, task.parameters.cartesian_frame, self._model.base_link
        )
        self.knots: Waypoints  # of the last motion
        if task.from_first_point:
            raise TrajectoryError(
                "start_state is 'first_point': expected reference or joint_states, because poses "
                'leave the joint positions open'
            )
        if (jet := task.join.jet) is None:
            raise TrajectoryError(
                'no state to start from is known: expected a running reference, or joint_states'
            )
        self._jet = jet

    def join(self, waypoints: PoseWaypoints) -> tuple[float, PiecewisePolynomial]:
        """Return the time from start at which the motion begins [s], and its curve from 0 on."""
        motion = cartesian_trajectory(
            self._model, waypoints, self._jet, begin=self._begin, limited=False
        )
        self.knots, curve = motion.knots, motion.curve
        return self._begin, PiecewisePolynomial(
            curve.breaks - self._begin, curve.coefficients, curve.end, curve.continuity
        )
