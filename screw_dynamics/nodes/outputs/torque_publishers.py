# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TorquePublishers`: outputs for effort samples, selected by parameters."""

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
    The outputs selected by parameters, and their shared array of efforts.

    `jet` (5, n) is the shared array of the reference.
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
        """Return True if changed parameters require other publishers."""
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
        Return the parts of the shared arrays to compute with: `jet` (k + 3, n), `tau` (k + 1, n).

        `rows` is the number of known rows of the reference: 3, 4 or 5.
        """
        return self._arrays[rows]

    def publish(self, sample: TorqueSample) -> None:
        """Publish the sample in the shared arrays."""
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
