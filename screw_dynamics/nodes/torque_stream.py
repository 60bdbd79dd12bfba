# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TorqueStream`: sample the reference, compute the efforts, publish; arrays made once."""

from __future__ import annotations

import numpy as np
from rclpy.node import Node

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import NotFiniteError, TrajectoryError
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes import interfaces
from screw_dynamics.nodes.joint_state_buffer import JointStateBuffer
from screw_dynamics.nodes.parameter_records import FeedforwardParameters
from screw_dynamics.nodes.reference import Reference, Source
from screw_dynamics.nodes.torque_outputs import (
    CommandsOutput,
    FeedforwardTorqueOutput,
    JointEffortOutput,
    TorqueOutput,
)
from screw_dynamics.trajectory import (
    JET_ROWS,
    PiecewisePolynomial,
    Waypoints,
    compile_sampling,
    smooth_trajectory,
)

_ORDERS = (0, 1, 2)


def compile_torques(model: ScrewModel) -> None:
    """
    Compile all that a tick calls, and derive what the kernel needs from the model.

    Parameters
    ----------
    model : ScrewModel

    """
    compile_sampling()
    for order in _ORDERS:
        jet = np.zeros((order + 3, model.n))
        inverse_dynamics(model, jet, out=np.empty((order + 1, model.n)))


def interpolated(waypoints: Waypoints, start_jet: Array | None) -> PiecewisePolynomial:
    """
    Return the C4 curve that is followed: at rest at both ends.

    Parameters
    ----------
    waypoints : Waypoints
    start_jet : (5, n) ndarray, optional

    Returns
    -------
    PiecewisePolynomial

    Raises
    ------
    TrajectoryError
        If a number on the way is too large for double precision.

    """
    try:
        with np.errstate(all='ignore'):
            return smooth_trajectory(waypoints, start_jet, rest_at_ends=True)
    except (NotFiniteError, np.linalg.LinAlgError) as error:
        raise TrajectoryError(
            f'The curve through the points overflows: expected smaller values or more time '
            f'between the points ({error})'
        ) from None


class TorqueStream:
    """
    The reference of a robot and the publishers of the efforts that it takes.

    Parameters
    ----------
    node : Node
        Owns the publishers.
    model : ScrewModel
    parameters : FeedforwardParameters

    """

    def __init__(self, node: Node, model: ScrewModel, parameters: FeedforwardParameters) -> None:
        self.model = model
        types = dict(zip(model.tree_joint_names, model.joint_types, strict=True))
        self.reference = Reference(
            model.n,
            interpolated,
            [name for name in model.joint_names if types[name] == 'continuous'],
        )
        self.measured = JointStateBuffer(model.joint_names)
        self._node = node
        self._jet = np.zeros((JET_ROWS, model.n))
        self._outputs: list[TorqueOutput] = []
        if interfaces.msg is None:
            node.get_logger().warning(f'~/feedforward is not published: {interfaces.MISSING}')
        self._make_outputs(parameters)

    def _make_outputs(self, parameters: FeedforwardParameters) -> None:
        self.destroy()
        self._parameters = parameters
        order = parameters.derivative_order
        self._rows = self._jet[: order + 3]
        self._tau = np.zeros((order + 1, self.model.n))
        node, names = self._node, self.model.joint_names
        if interfaces.msg is not None:
            self._outputs.append(
                FeedforwardTorqueOutput(node, names, self._jet, self._tau, self.reference)
            )
        if parameters.publish_joint_state:
            self._outputs.append(JointEffortOutput(node, names, self._jet, self._tau))
        if parameters.publish_commands:
            self._outputs.append(CommandsOutput(node, names, self._tau))

    def apply(self, parameters: FeedforwardParameters) -> None:
        """
        Take over changed parameters; publishers are made anew only where they differ.

        Parameters
        ----------
        parameters : FeedforwardParameters

        """
        old, self._parameters = self._parameters, parameters
        names = ('derivative_order', 'publish_joint_state', 'publish_commands')
        if any(getattr(old, name) != getattr(parameters, name) for name in names):
            self._make_outputs(parameters)

    def replace_model(self, model: ScrewModel) -> bool:
        """
        Go on with another model of the same joints.

        Parameters
        ----------
        model : ScrewModel

        Returns
        -------
        bool
            False, and nothing has changed, where the joints differ.

        """
        if model.joint_names != self.model.joint_names:
            return False
        self.model = model
        return True

    def publish(self, now: int) -> None:
        """
        Publish the sample of this tick, if there is anything to publish.

        Parameters
        ----------
        now : int
            Time of the node [ns].

        Raises
        ------
        NotFiniteError
            If an effort is not a finite number; nothing is published then.

        """
        time = now + round(1e9 * self._parameters.lead_time)
        source = self.reference.sample(time, self._jet)
        if source is None or (source is Source.HOLD and self._idle()):
            return
        inverse_dynamics(self.model, self._rows, out=self._tau)
        for output in self._outputs:
            output.publish(time, source)

    def _idle(self) -> bool:
        timeout = self._parameters.idle_timeout
        held_too_long = 0.0 < timeout < self.reference.held_for
        return held_too_long or not self._parameters.hold_when_idle

    def destroy(self) -> None:
        """Destroy the publishers."""
        for output in self._outputs:
            output.destroy()
        self._outputs.clear()
