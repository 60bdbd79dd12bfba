# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TorquePublishers`: which messages carry a torque sample, by the parameters."""

from __future__ import annotations

import numpy as np
from rclpy.node import Node

from screw_dynamics.arrays import Array
from screw_dynamics.nodes import interfaces
from screw_dynamics.nodes.outputs.torque_outputs import (
    LEAST_ROWS,
    CommandsOutput,
    FeedforwardTorqueOutput,
    JointEffortOutput,
    TorqueOutput,
    TorqueSample,
)
from screw_dynamics.nodes.outputs.trajectory_effort_output import TrajectoryEffortOutput
from screw_dynamics.nodes.parameters.feedforward_parameters import FeedforwardParameters
from screw_dynamics.trajectory import JET_ROWS


class TorquePublishers:
    """
    The outputs that the parameters ask for, and the arrays of efforts that they share.

    `jet` (5, n).
    """

    def __init__(
        self,
        node: Node,
        joint_names: tuple[str, ...],
        jet: Array,
        parameters: FeedforwardParameters,
    ) -> None:
        order = parameters.derivative_order
        tau = np.zeros((order + 1, len(joint_names)))
        self._arrays = {}
        for rows in range(LEAST_ROWS, JET_ROWS + 1):
            known = min(order, rows - LEAST_ROWS)
            self._arrays[rows] = jet[: known + LEAST_ROWS], tau[: known + 1]
        self._outputs: list[TorqueOutput] = []
        self.trajectory: TrajectoryEffortOutput | None = None
        if interfaces.msg is not None:
            self._outputs.append(FeedforwardTorqueOutput(node, joint_names, jet, tau))
        if parameters.publish_joint_state:
            self._outputs.append(JointEffortOutput(node, joint_names, jet, tau))
        if parameters.publish_commands and parameters.commands_content == 'link_efforts':
            self._outputs.append(CommandsOutput(node, joint_names, tau))
        if parameters.publish_trajectory_effort:
            self.trajectory = TrajectoryEffortOutput(node)

    @staticmethod
    def differ(old: FeedforwardParameters, new: FeedforwardParameters) -> bool:
        """Return whether changed parameters ask for other publishers."""
        names = (
            'derivative_order',
            'publish_joint_state',
            'publish_commands',
            'commands_content',
            'publish_trajectory_effort',
        )
        return any(getattr(old, name) != getattr(new, name) for name in names)

    def arrays(self, rows: int) -> tuple[Array, Array]:
        """
        Return the rows of reference and effort to compute with.

        Returns `jet` (k + 3, n), `tau` (k + 1, n).
        """
        return self._arrays[rows]

    def publish(self, sample: TorqueSample) -> None:
        """Publish what the shared arrays hold."""
        for output in self._outputs:
            output.publish(sample)

    def destroy(self) -> None:
        """Destroy the publishers."""
        for output in self._outputs:
            output.destroy()
        self._outputs.clear()
        if self.trajectory is not None:
            self.trajectory.destroy()
            self.trajectory = None
