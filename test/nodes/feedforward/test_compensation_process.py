# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Mode `compensate`: efforts that carry the robot where it is moved by hand."""

from __future__ import annotations

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from helpers.node_processes import LATCHED, trajectory
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

import screw_dynamics as sd
from screw_dynamics_interfaces.msg import FeedforwardTorque, JointReference

NAMES = ['joint_1', 'joint_2']
GEARED = """
elastic_joints:
  joint_1: {motor: {viscous_friction: 3.0}}
  joint_2: {motor: {rotor_inertia: 0.1}}
"""


def state(position, velocity):
    # in another order than that of the node, with a joint that it does not have
    return JointState(
        name=['tool', *NAMES[::-1]],
        position=[0.0, *position[::-1]],
        velocity=[0.0, *velocity[::-1]],
    )


class Hand:
    """Publishes measured states and returns the samples that they cause."""

    def __init__(self, ros, process):
        self._ros, self._process = ros, process
        self.samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
        self.commands = ros.listen(Float64MultiArray, '/feedforward/commands')
        ros.wait_until_heard()

    def move(self, position, velocity=(0.0, 0.0)):
        self.samples.clear()

        def answered():
            # again and again, since a busy node drops best-effort samples
            self._ros.publish(state(list(position), list(velocity)), '/joint_states')
            found = [s for s in self.samples if list(s.reference.positions) == list(position)]
            return found[-1] if found else None

        return self._ros.wait_for('the sample', answered, self._process)


@pytest.fixture
def start(ros, planar):
    processes = []

    def start(**parameters):
        process = ros.start(
            'feedforward', urdf_path=planar, mode='compensate', publish_commands=True, **parameters
        )
        processes.append(process)
        ros.wait_until_active(process)
        return Hand(ros, process), process

    yield start
    for process in processes:
        assert process.interrupt() == 0, process.log


def test_the_measured_state_is_carried(ros, planar, start):
    model = sd.read_urdf(planar)
    hand, process = start(ramp_time=0.0, max_joint_state_age=0.3)
    for position in ([0.3, -0.2], [1.2, 0.4]):
        sample = hand.move(position, (3.0, -2.0))
        assert sample.source == FeedforwardTorque.SOURCE_MEASURED
        np.testing.assert_allclose(
            sample.effort, sd.gravity_forces(model, position), rtol=1e-12, atol=1e-12
        )
        np.testing.assert_array_equal(sample.reference.positions, position)
        assert not len(sample.effort_dot)

    def commanded():
        return list(sample.effort) in [list(command.data) for command in hand.commands]

    ros.wait_for('the command', commanded, process)
    assert ros.set_parameter('/feedforward', 'compensate_coriolis', True)[0]
    position = [0.9, -0.7]  # a new one, whose samples are all computed so
    sample = hand.move(position, (3.0, -2.0))
    expected = sd.bias_forces(model, position, [3.0, -2.0])
    np.testing.assert_allclose(sample.effort, expected, rtol=1e-12, atol=1e-12)
    # no state, no efforts; and a word about it
    ros.wait_for('the warning', lambda: 'Nothing is compensated' in process.log, process)
    hand.samples.clear()
    verdicts = ros.listen(DiagnosticStatus, '/feedforward/trajectory_status', LATCHED)
    ros.publish(trajectory(NAMES, [0.1, 0.1]), '/feedforward/joint_trajectory')
    ros.wait_for('the verdict', lambda: verdicts, process)
    assert 'mode: compensate follows no reference' in verdicts[-1].message
    reference = JointReference(
        joint_names=NAMES, positions=[0.0] * 2, velocities=[0.0] * 2, accelerations=[0.0] * 2
    )

    def refused():
        # again and again, since streams are best-effort
        ros.publish(reference, '/feedforward/joint_reference')
        return process.log.count('follows no reference') >= 2

    ros.wait_for('the log', refused, process)
    assert all(s.source == FeedforwardTorque.SOURCE_MEASURED for s in hand.samples)


def test_commands_ramp_in_and_out(ros, start):
    hand, process = start(ramp_time=0.3, max_joint_state_age=0.3)
    full = hand.move([0.0, 0.0]).effort
    assert abs(full[0]) > 1.0

    def moved():
        ros.publish(state([0.0, 0.0], [0.0, 0.0]), '/joint_states')
        return hand.commands and list(hand.commands[-1].data) == list(full)

    ros.wait_for('all of it', moved, process)
    np.testing.assert_allclose(hand.commands[0].data, 0.0, atol=1e-6 * abs(full[0]))
    ros.wait_for('rest', lambda: list(hand.commands[-1].data) == [0.0, 0.0], process)


def test_motors_overcome_their_friction(ros, planar, tmp_path, start):
    path = tmp_path / 'geared.yaml'
    path.write_text(GEARED)
    hand, process = start(
        ramp_time=0.0, elastic_joints_path=str(path), commands_content='motor_efforts'
    )
    hand.move([0.3, -0.2], (2.0, 1.0))
    ros.wait_for('commands', lambda: hand.commands, process)
    gravity = sd.gravity_forces(sd.read_urdf(planar), [0.3, -0.2])
    np.testing.assert_allclose(hand.commands[-1].data, gravity + [6.0, 0.0], rtol=1e-12)


def test_a_limit_stops_until_clear(ros, start):
    hand, process = start(
        output_guard='stop', max_joint_state_age=60.0, external_wrench_timeout=0.2
    )
    assert len(hand.move([0.0, 0.0]).effort)
    load = WrenchStamped()
    load.header.frame_id = 'tool'
    load.wrench.force.z = load.wrench.force.y = load.wrench.force.x = 1000.0

    def stopped():
        ros.publish(load, '/feedforward/external_wrench')
        ros.publish(state([0.0, 0.0], [0.0, 0.0]), '/joint_states')
        return 'No efforts are published: limit exceeded: joint_1: effort ' in process.log

    ros.wait_for('the stop', stopped, process)
    assert 'they resume after ~/clear' in process.log

    def expired():
        ros.publish(state([0.0, 0.0], [0.0, 0.0]), '/joint_states')
        return 'no longer in force' in process.log

    ros.wait_for('the end of the load', expired, process)
    ros.wait_for('rest', lambda: list(hand.commands[-1].data) == [0.0, 0.0], process)
    hand.samples.clear()
    expired()
    ros.spin(0.2)
    assert hand.samples == []
    assert ros.call(Trigger, '/feedforward/clear', Trigger.Request()).success
    assert len(hand.move([0.0, 0.0]).effort)
