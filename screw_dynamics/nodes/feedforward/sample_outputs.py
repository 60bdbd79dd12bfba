# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Publishers of samples; messages of ticks are created once and filled in place."""

from typing import Any

from builtin_interfaces.msg import Duration
from rclpy.node import Node
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from screw_dynamics.common.times import set_stamp
from screw_dynamics.control.feedforward import LEAST_ROWS, Feedforward
from screw_dynamics.control.fit_requests import Samples
from screw_dynamics.control.outputs import EffortSample, Outputs
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.endpoints import (
    STAMP,
    MessageOutput,
    ReusedMessage,
    RowOutput,
    make_publisher,
    state_output,
)
from screw_dynamics.recordings.messages.joints import double_array, effort_points
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics_interfaces.msg import FeedforwardTorque, MotorFeedforward

_EFFORTS = ('effort', 'effort_dot', 'effort_ddot')
_MOTIONS = tuple(f'reference.{name}' for name in ('positions', 'velocities', 'accelerations'))
_HIGHER = ('reference_jerk', 'reference_snap')
_NUMBERS = ('reference_continuity', 'source', 'motion')
_MOTOR_EFFORTS = ('motor_effort', 'motor_effort_dot', 'motor_effort_ddot')
_MOTOR_MOTIONS = ('motor_position', 'motor_velocity', 'motor_acceleration')
TOPIC = '~/joint_trajectory_effort'
INPUT = '~/joint_trajectory'


class SampleOutputs:
    """The outputs selected by parameters, for the shared arrays of a `Feedforward`."""

    def __init__(self, node: Node, core: Feedforward) -> None:
        self._core, selected = core, core.parameters.outputs
        self._efforts = EffortOutput(node, core)
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


class EffortOutput(MessageOutput):
    """``~/feedforward``."""

    def __init__(self, node: Node, core: Feedforward) -> None:
        super().__init__(node, FeedforwardTorque, '~/feedforward')
        self._variants = {}
        for rows in range(LEAST_ROWS, JET_ROWS + 1):
            message = FeedforwardTorque(joint_names=list(core.robot.joint_names))
            known, higher = rows - 2, rows - LEAST_ROWS
            carried = {
                _EFFORTS[:known]: core.efforts[:known],
                _MOTIONS: core.jet[:LEAST_ROWS],
                _HIGHER[:higher]: core.jet[LEAST_ROWS:rows],
                ('gravity_effort',): core.gravity,
            }
            times = (*STAMP, 'reference.time_from_start')
            self._variants[rows] = ReusedMessage(message, carried, times, _NUMBERS)

    def publish(self, sample: EffortSample) -> None:
        """Publish the sample in the shared arrays."""
        times = sample.instant, sample.time_from_start
        numbers = sample.continuity, sample.source, sample.motion
        self._publisher.publish(self._variants[sample.rows].written(times, numbers))


class MotorOutput(MessageOutput):
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
                _NUMBERS,
            )
            for rows, motors in core.motors.buffers.items()
        }

    def publish(self, sample: EffortSample, rows: int) -> None:
        """Publish the arrays computed from this number of rows of the reference."""
        numbers = sample.continuity, sample.source, sample.motion
        self._publisher.publish(self._variants[rows].written((sample.instant,), numbers))


def _motor_rows(motors: Any) -> dict[tuple[str, ...], Any]:
    return {
        fields[: len(jet)]: jet[: len(fields)]
        for fields, jet in (
            (_EFFORTS, motors.effort_jet),
            (_MOTOR_MOTIONS, motors.motor_jet),
            (_MOTOR_EFFORTS, motors.motor_effort_jet),
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
