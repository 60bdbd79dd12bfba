# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Publishers of samples; messages of ticks are created once and filled in place."""

from typing import Any

from builtin_interfaces.msg import Duration
from rclpy.node import Node
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from screw_dynamics.common.times import set_stamp
from screw_dynamics.control.feedforward import Feedforward
from screw_dynamics.control.outputs import Outputs
from screw_dynamics.control.tasks import Samples
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.endpoints import (
    STAMP,
    ReusedMessage,
    RowOutput,
    delivery_end,
    make_publisher,
    state_output,
)
from screw_dynamics.nodes.shared.sample_output import FeedforwardOutput, SampleOutput
from screw_dynamics.recordings.messages.feedforward import (
    EFFORTS,
    MOTOR_EFFORTS,
    MOTOR_MOTION,
    NUMBERS,
    FeedforwardSample,
)
from screw_dynamics.recordings.messages.joints import double_array, effort_points
from screw_dynamics_interfaces.msg import MotorFeedforward

TOPIC = '~/joint_trajectory_effort'
INPUT = '~/joint_trajectory'


class SampleOutputs:
    """The outputs selected by parameters, for the shared arrays of a `Feedforward`."""

    def __init__(self, node: Node, core: Feedforward) -> None:
        self._core, selected = core, core.parameters.outputs
        self._efforts = FeedforwardOutput(node, core.robot.joint_names)
        self._motors = None if core.motors is None else MotorOutput(node, core)
        self._states: RowOutput | None = None
        if 'joint_effort' in selected:  # for plotting tools
            self._states = state_output(node, '~/joint_effort', core.robot.joint_names)
        self._trajectories = None
        if 'joint_trajectory_effort' in selected:
            self._trajectories = make_publisher(node, JointTrajectory, TOPIC)

    def publish(self, outputs: Outputs) -> None:
        """Publish the sample of a step, and accepted trajectories with their efforts."""
        sample, core = outputs.sample, self._core
        if outputs.end is not None:
            self._efforts.end(outputs.end)
        if outputs.motors_end is not None and self._motors is not None:
            self._motors.end(outputs.motors_end)
        if sample is not None:
            self._efforts.publish(sample)
            if self._states is not None:
                self._states.publish(sample.instant, (*core.jet[:2], core.efforts[0]))
            if self._motors is not None and outputs.motors:
                self._motors.publish(sample, outputs.rows)
        for samples in outputs.forwarded:
            if self._trajectories is not None:
                message = message_without_points(samples)
                message.points = points_of(samples)
                self._trajectories.publish(message)

    def finish(self) -> None:
        """Wait for the receivers of the last samples."""
        latest = delivery_end()
        for output in (self._efforts, self._motors):
            if output is not None:
                output.finish(latest)


class MotorOutput(SampleOutput):
    """``~/motor_feedforward``."""

    def __init__(self, node: Node, core: Feedforward) -> None:
        super().__init__(node, MotorFeedforward, '~/motor_feedforward')
        assert core.motors is not None
        self._variants = {
            rows: ReusedMessage(
                MotorFeedforward(
                    joint_names=list(core.robot.joint_names),
                    motor_names=list(motors.motor_names),
                    gear_ratio=double_array(motors.gear_ratios),
                ),
                _motor_rows(motors),
                STAMP,
                NUMBERS,
            )
            for rows, motors in core.motors.buffers.items()
        }

    def publish(self, sample: FeedforwardSample, rows: int) -> None:
        """Publish the arrays computed from this number of rows of the reference."""
        numbers = sample.continuity, sample.source, sample.motion, sample.jumps, sample.state
        self._send(self._variants[rows].written((sample.instant,), numbers))


def _motor_rows(motors: Any) -> dict[tuple[str, ...], Any]:
    return {
        fields[: len(jet)]: jet[: len(fields)]
        for fields, jet in (
            (EFFORTS, motors.effort_jet),
            (MOTOR_MOTION, motors.motor_jet),
            (MOTOR_EFFORTS, motors.motor_effort_jet),
            (('deflection',), motors.deflection_jet),
        )
    }


def message_without_points(samples: Samples) -> JointTrajectory:
    """Return the message of samples, with no points."""
    header = Header(frame_id=samples.frame_id)
    set_stamp(header.stamp, samples.stamp)
    return JointTrajectory(header=header, joint_names=list(samples.joint_names))


def points_of(samples: Samples, begin: int = 0, end: int | None = None) -> list[Any]:
    """Return the points of the samples `begin` to `end`, by default all."""
    part = slice(begin, end)
    return effort_points(
        samples.times[part].tolist(),
        samples.jets[part],
        samples.efforts[part],
        JointTrajectoryPoint,
        Duration,
    )


def require_two_topics(node: Node, selected: tuple[str, ...]) -> None:
    """Raise InputError if the node would receive the trajectories that it publishes."""
    topic = node.resolve_topic_name(TOPIC)
    if 'joint_trajectory_effort' in selected and topic == node.resolve_topic_name(INPUT):
        raise InputError(
            f"parameter 'outputs': expected two topics, got {topic} for both {INPUT} and {TOPIC}: "
            'the node would receive what it publishes'
        )
